"""What comes of carrying a past fix over: a change of today's files, the news that it is there already, or a reason."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from hindcast.model.code import Edit, LineSpan, Place


class Tier(StrEnum):
    """How today's code was recognised as the code that was fixed, the surest first."""

    EXACT = "exact"
    # The same code with other lines around it, or formatted otherwise.
    DRIFTED = "drifted"
    # The same code under other names, or at another depth.
    SYNTAX = "syntax"


@dataclass(frozen=True, slots=True)
class Hints:
    """What is known besides the diff: it decides between places that are otherwise alike."""

    # Where the trace leads in today's code, from where it failed outwards.
    places: tuple[Place, ...] = ()


NO_HINTS = Hints()


@dataclass(frozen=True, slots=True)
class CarriedFile:
    """What one file is to become, and how that was found out."""

    edit: Edit
    # The lines of today's file that the change is about; for a new file, its first line.
    lines: LineSpan
    tier: Tier
    confidence: float
    # Sentences: what was found where, and what is called otherwise today.
    why: tuple[str, ...]
    # Names in the diff and what they are called today.
    mapped: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Carried:
    """The past fix as changes of today's files: all of it, or all of what is not there yet."""

    files: tuple[CarriedFile, ...]
    confidence: float
    # What was left out and why: a part that is there already, a test that is gone.
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class AlreadyFixed:
    """What the fix added is there today, perhaps under other names."""

    path: str
    lines: LineSpan
    why: str


@dataclass(frozen=True, slots=True)
class NotCarried:
    """The fix has no certain place in today's code; the reason is a sentence."""

    reason: str
    # Where it was looked for last, as far as anything was found.
    path: str = ""
    lines: LineSpan | None = field(default=None)


Outcome = Carried | AlreadyFixed | NotCarried
