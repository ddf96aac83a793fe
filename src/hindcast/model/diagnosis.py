"""Diagnoses: the answer somebody reads at 2 AM, every part of it with the records it rests on."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from hindcast.model.case import Outcome
from hindcast.model.reading import ready
from hindcast.model.recollection import Familiarity
from hindcast.model.verdict import Reliability


@dataclass(frozen=True, slots=True)
class Claim:
    """A statement and the records it rests on, as in `cases/inc-20260930-0203-payment@412`."""

    text: str
    evidence: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Tried:
    """One attempt of one incident, as its record tells it."""

    action: str
    outcome: Outcome
    by: str
    evidence: str


@dataclass(frozen=True, slots=True)
class Advice:
    """Something to do, or not to do, as one past incident tells it, with counts over all incidents of this failure.

    The action, what happened, who did it, when, and the command, setting or diff stand in one record: the first of the
    evidence. The counts, the shares and `held` are over all of the evidence.
    """

    action: str
    # What happened when it was tried: the sentences or numbers kept as evidence, in the words of that record.
    happened: tuple[str, ...]
    worked: int
    no_effect: int
    made_worse: int
    # The share of times it worked (for a fix) or did harm (for what to avoid), estimated with so little to go by, and
    # the lower end of where it may lie.
    share: float
    share_min: float
    evidence: tuple[str, ...]
    by: tuple[str, ...] = ()
    last_at: datetime | None = None
    # How often the failure stayed away after it, of how often that can be told.
    held: int = 0
    held_of: int = 0
    # How many said not to try it when it was proposed, whether or not anybody ever did.
    rejected: int = 0
    # When it ended the failure last, and until when that stayed away; None: nobody knows, or it has stayed away.
    fixed_at: datetime | None = None
    held_until: datetime | None = None
    diff: str = ""
    command: str = ""
    config: str = ""
    # What came of it in the record that tells it.
    outcome: Outcome = Outcome.UNKNOWN
    # The same action in other incidents, as each of them tells it.
    elsewhere: tuple[Tried, ...] = ()
    # What Hindcast concludes: "It came back 3 days later (cases/inc-…@7)." Never a quotation.
    remarks: tuple[str, ...] = ()

    @property
    def record(self) -> str:
        """The record in which all of it stands."""
        return self.evidence[0] if self.evidence else ""

    @property
    def tried(self) -> int:
        """How often its outcome is known."""
        return self.worked + self.no_effect + self.made_worse


@dataclass(frozen=True, slots=True)
class Nearest:
    """A case that is shown for comparison, with what is alike and what is not."""

    address: str
    title: str
    confidence: float
    occurred_at: datetime
    alike: tuple[str, ...] = ()
    differs: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class OtherCase:
    """Another incident of the same failure, as it was; nothing of it is part of what is said about the leading one."""

    evidence: str
    title: str
    occurred_at: datetime
    minutes: float | None = None
    # What ended it, in its own words, and who did; empty: nobody said, or it is not proposed.
    fix: str = ""
    by: str = ""
    # Whether it is the fix of the leading incident in other words.
    is_same_fix: bool = False
    # Whether something is recorded that is not proposed: it made things worse elsewhere, did not last, or was rejected.
    is_withheld: bool = False


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The Round-2 answer: one past incident as it was, and beside it the others of the same failure."""

    asked: str
    at: datetime
    familiarity: Familiarity
    # The calibrated confidence in the best memory, and how often that level was right.
    confidence: float
    reliability: Reliability | None
    # One sentence that says it all: "Your team hit this 6 weeks ago: …".
    headline: str
    # How so: the same fingerprint, the same stack, the same words.
    reasons: tuple[str, ...] = ()
    # The case that answers; empty on first sight.
    case: str = ""
    occurred_at: datetime | None = None
    # How often it was seen before, this case's recurrences included. What is under way now does not count yet.
    times_seen: int = 0
    # The same failure at this moment, where detection has noticed it already.
    under_way: tuple[Claim, ...] = ()
    cause: Claim | None = None
    # Best first. Nothing that ever made it worse is here.
    fixes: tuple[Advice, ...] = ()
    # Most harmful first, then what had no effect.
    avoid: tuple[Advice, ...] = ()
    # The attempts of the case that answers, in the order in which they were made.
    tried: tuple[Tried, ...] = ()
    people: tuple[Claim, ...] = ()
    # How long the case that answers took.
    minutes: float | None = None
    # The median over all cases of this failure; None where fewer than two are known.
    minutes_median: float | None = None
    others: tuple[OtherCase, ...] = ()
    # What is not as it was then.
    differs: tuple[str, ...] = ()
    # Where records contradict one another.
    disputes: tuple[Claim, ...] = ()
    next_steps: tuple[Claim, ...] = ()
    nearest: tuple[Nearest, ...] = ()
    notes: tuple[str, ...] = ()


ready(Diagnosis)
