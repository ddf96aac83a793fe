"""Verdicts: what people say about an answer, and how often answers like it were right."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from hindcast.model.reading import ready


class Judgement(StrEnum):
    """Whether a memory was the right one, or a proposal was taken."""

    RIGHT = "right"
    WRONG = "wrong"


class Matter(StrEnum):
    """What a verdict is about."""

    # "Is this the right memory?": it moves ranking and calibration.
    MEMORY = "memory"
    # "Shall we do this?": a rejected proposal is not made again for the same failure.
    PROPOSAL = "proposal"


@dataclass(frozen=True, slots=True)
class Verdict:
    """What one person said about one remembered case, for one question."""

    matter: Matter
    judgement: Judgement
    # The case that was shown.
    case: str
    # The version of it that was shown: evidence that has changed since deserves another look.
    version: int
    # What was asked: its fingerprints, and its words.
    fingerprints: tuple[int, ...]
    asked: str
    # What we had said: the calibrated confidence.
    confidence: float
    by: str
    at: datetime
    # The action that was proposed, when the matter is a proposal.
    action: str = ""
    why: str = ""


@dataclass(frozen=True, slots=True)
class Reliability:
    """How often answers of one level of confidence were right."""

    # The level: from (included) to (excluded, but for 1).
    confidence_min: float
    confidence_max: float
    asked: int
    right: int
    # Whether it was counted in the asker's own memory; otherwise on the questions that Hindcast is tested with.
    is_own: bool = False


@dataclass(frozen=True, slots=True)
class Caution:
    """What somebody said not to try, when a card proposed it for a failure."""

    action: str
    # In their own words; empty: they gave no reason.
    why: str
    by: str
    at: datetime
    # The failure: its fingerprints, and the incident that the card was made for.
    fingerprints: tuple[int, ...]
    incident: str
    # What to cite, as in `cautions/fix-1a2b3c4d5e6f@412`.
    ref: str


@dataclass(frozen=True, slots=True)
class Experience:
    """What a team's own life with its memory has taught, at one moment."""

    verdicts: tuple[Verdict, ...] = ()
    reliability: tuple[Reliability, ...] = ()
    # Services and components that no longer exist: what is known about them is history.
    retired: frozenset[str] = frozenset()
    # What people said not to try, the oldest first; what they took back is not here.
    cautions: tuple[Caution, ...] = ()


NO_EXPERIENCE = Experience()


ready(Verdict, Caution, tuple[Reliability, ...])
