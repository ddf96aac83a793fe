"""What the doctor says about one thing: well, worth a look, or broken; and what to do about it."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from hindcast.model.errors import HindcastError


class Level(StrEnum):
    """How bad it is."""

    OK = "ok"
    # It works, and somebody should know.
    WARN = "warn"
    # Something does not work, or will not for long.
    FAIL = "fail"


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that was looked at."""

    name: str
    level: Level
    # What was found, in a sentence.
    found: str
    # What to do about it; empty when there is nothing to do.
    remedy: str = ""


def ok(name: str, found: str, remedy: str = "") -> Check:
    """All is well."""
    return Check(name, Level.OK, found, remedy)


def warn(name: str, found: str, remedy: str) -> Check:
    """It works, and somebody should know."""
    return Check(name, Level.WARN, found, remedy)


def fail(name: str, found: str, remedy: str) -> Check:
    """It does not work, or will not for long."""
    return Check(name, Level.FAIL, found, remedy)


def failed(name: str, error: HindcastError) -> Check:
    """What an error says."""
    return Check(name, Level.FAIL, error.problem, error.remedy)
