"""Recollections: a question taken apart, and what memory has to say to it, with the trace of every step."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import StrEnum

from hindcast.model.case import NO_CLUES, Case, Clues
from hindcast.model.query import Rank
from hindcast.model.verdict import Reliability


class CueKind(StrEnum):
    """What a question is made of: each kind trusts other arms."""

    # It holds a stack trace.
    TRACE = "trace"
    # Error codes, names of classes and settings, log lines.
    IDENTIFIERS = "identifiers"
    # A person's own words.
    PROSE = "prose"


@dataclass(frozen=True, slots=True)
class Cue:
    """What is asked: an error, a trace, a live incident or a question, taken apart."""

    # Redacted, and cut to what is worth reading.
    text: str
    kind: CueKind
    # When it is asked: ages are counted from here.
    at: datetime
    clues: Clues = NO_CLUES
    # Named by the incident, or found in the text.
    services: tuple[str, ...] = ()
    # The incident that asks, so that it does not remember itself, and when it began.
    incident: str = ""
    since: datetime | None = None


class Familiarity(StrEnum):
    """What may be said of a failure."""

    SEEN = "seen before"
    MAYBE = "maybe related"
    NEW = "not seen before"


@dataclass(frozen=True, slots=True)
class Remembered:
    """One case that came to mind, with everything that spoke for and against it."""

    case: Case
    # Where it is remembered: `cases/inc-…`, and which version was read.
    address: str
    version: int
    # Whose memory it is: the asker's own, or one that shares what it knows about a component.
    space: str
    # How likely it is the same failure: calibrated, 0 to 1.
    confidence: float
    familiarity: Familiarity
    # The ranker's own scale; only the order means something.
    score: float
    # What each arm thought, by its name.
    ranks: Mapping[str, Rank] = field(default_factory=dict)
    # What the ranker looked at, by name.
    features: Mapping[str, float] = field(default_factory=dict)
    # Why it is thought to be the same, in sentences: "the same stack: release, checkout, run_task".
    reasons: tuple[str, ...] = ()
    # Why it was put behind or held back, in sentences: "superseded by cases/…", "legacy-auth no longer exists".
    gates: tuple[str, ...] = ()
    # The case of the same hits that replaces it; empty: none.
    superseded_by: str = ""


@dataclass(frozen=True, slots=True)
class Recollection:
    """What memory has to say to a cue."""

    cue: Cue
    familiarity: Familiarity
    # The best first; what was gated comes after all that was not.
    remembered: tuple[Remembered, ...] = ()
    # How often answers of this confidence were right; None while nobody knows.
    reliability: Reliability | None = None
    # The arms that took part, and why one that was wanted did not.
    arms: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def best(self) -> Remembered | None:
        """The first that was not gated."""
        return next((one for one in self.remembered if not one.gates), None)
