"""Cards: fixes proposed as diffs of today's code, and what became of each.

A source (a past fix, a setting, a linter, a team's rule, a model) makes proposals. Guards hold some back, a ranking
orders the rest, and those that are shown are cards. What people decide about a card is a verdict, and teaches.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from hindcast.model.code import Edit, LineSpan
from hindcast.model.reading import ready


class CardSource(StrEnum):
    """Where a card comes from."""

    CARRIED_OVER = "carried over"
    SETTING = "setting"
    LINTER = "linter"
    TEAM_RULE = "team rule"
    MODEL = "model"


class CardSeverity(StrEnum):
    """How much depends on it."""

    CRITICAL = "critical"
    WARNING = "warning"
    HINT = "hint"


class CardState(StrEnum):
    """What became of a card."""

    PROPOSED = "proposed"
    ACCEPTED = "accepted"
    MODIFIED = "modified"
    REJECTED = "rejected"
    # It was applied, and somebody took it back.
    UNDONE = "undone"
    # The code moved on, and what it proposes is there, or has no place any more.
    GONE = "gone"


@dataclass(frozen=True, slots=True)
class Proposal:
    """A change of one file that somebody may want, before anybody has seen it."""

    source: CardSource
    # One plain sentence: "Release the Redis connection when a task ends."
    title: str
    edit: Edit
    # The lines of the file as it is that the change is about.
    lines: LineSpan
    # Why it is proposed, in sentences that name their evidence.
    why: str
    # Records it rests on, as in `cases/past-redis-worker-pool@412`; rules as in `rule/py-unclosed-connection`.
    evidence: tuple[str, ...]
    # How sure the source is that this is the change that is meant, 0 to 1.
    confidence: float
    severity: CardSeverity = CardSeverity.WARNING
    severity_reason: str = ""
    # What it does in the words of an action, to be held against what was rejected and what did harm.
    action: str = ""
    # The rule that found it, if one did.
    rule: str = ""
    # What might go wrong with it.
    risk: str = ""
    tests: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Warned:
    """Something in today's code that memory warns of, without a diff: "pool size is 200; that made it worse in …"."""

    path: str
    lines: LineSpan
    text: str
    evidence: tuple[str, ...]
    # Whether it says no more than that a past fix is there already.
    is_there: bool = False


@dataclass(frozen=True, slots=True)
class Card:
    """A proposal as it is shown: with its diff, its record, and how to undo it."""

    # Made from what it changes, so that the same proposal is the same card.
    id: str
    incident: str
    workspace: str
    proposal: Proposal
    before: str
    after: str
    # Unified, with three lines around.
    diff: str
    added: int
    removed: int
    made_at: datetime
    state: CardState = CardState.PROPOSED
    # How cards of this source fared with this team: "accepted 7 of 9".
    record: str = ""
    # What speaks for it and against it among the others, in words: why it stands where it stands.
    standing: str = ""
    # Why something that was rejected before is shown again.
    again: str = ""
    undo: str = ""


@dataclass(frozen=True, slots=True)
class CardVerdict:
    """What somebody decided about a card; one line of the memory log."""

    card: str
    incident: str
    workspace: str
    state: CardState
    source: CardSource
    title: str
    path: str
    added: int
    removed: int
    by: str
    at: datetime
    reason: str = ""
    # Whether the reason makes it something not to try again.
    is_warning: bool = False
    # What was proposed and what was applied, as diffs of the file as it was, where they differ: what there is to learn
    # from a modification.
    proposed: str = ""
    applied: str = ""
    # The commit and branch of the workspace that it went to, if it was committed.
    commit: str = ""
    branch: str = ""
    # The failure it was made for, and the action in words.
    fingerprints: tuple[int, ...] = ()
    action: str = ""
    evidence: tuple[str, ...] = field(default=())
    # The attempt of the incident's case that it became; empty where nothing was applied.
    attempt: str = ""
    # Who took it back since; empty: it stands.
    undone_by: str = ""


@dataclass(frozen=True, slots=True)
class HeldBack:
    """A proposal that is not shown, and why: so that nobody wonders whether it was thought of."""

    source: CardSource
    title: str
    path: str
    # "Rejected by ana on 3 July: it hides the leak.", "Made it worse in past-redis-pool-50."
    reason: str
    evidence: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Deck:
    """Everything there is to propose for an incident in one workspace, the best first."""

    incident: str
    workspace: str
    # Those that can be decided about, the best first, then those that were applied, the latest first.
    cards: tuple[Card, ...]
    warned: tuple[Warned, ...]
    held_back: tuple[HeldBack, ...]
    made_at: datetime
    # What could not be asked, in sentences: "The linter is not there: …". What there is stands without it.
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class LogLine:
    """One line of the memory log: a card as it stands, and what came of it."""

    card: str
    incident: str
    workspace: str
    state: CardState
    source: CardSource
    title: str
    path: str
    added: int
    removed: int
    # Who decided, or `hindcast` for what is only proposed so far, and when.
    by: str
    at: datetime
    reason: str = ""
    # As telemetry or somebody told it, once it was applied: "worked", "no effect", "made worse"; empty: not known yet.
    outcome: str = ""
    branch: str = ""
    commit: str = ""
    # Why nothing is known of the outcome of something that was applied, in a sentence; empty: it is known.
    waiting: str = ""


ready(Card, CardVerdict)
