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
class Advice:
    """Something to do, or not to do, with what came of it each time it was tried for this failure."""

    action: str
    # What happened when it was tried: the sentences or numbers kept as evidence.
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
class Tried:
    """One attempt of the remembered incident, in the order in which they were made."""

    action: str
    outcome: Outcome
    by: str
    evidence: str


@dataclass(frozen=True, slots=True)
class Diagnosis:
    """The Round-2 answer: what this is, what ended it last time, and what not to try."""

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
    tried: tuple[Tried, ...] = ()
    people: tuple[Claim, ...] = ()
    minutes: float | None = None
    # What is not as it was then.
    differs: tuple[str, ...] = ()
    # Where records contradict one another.
    disputes: tuple[Claim, ...] = ()
    next_steps: tuple[Claim, ...] = ()
    nearest: tuple[Nearest, ...] = ()
    notes: tuple[str, ...] = ()


ready(Diagnosis)
