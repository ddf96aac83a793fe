"""Mutes: services whose trouble somebody has called over while it goes on, until it ends or has gone on for too long.

A mute is for what was going on at that moment and for nothing else: it ends when a minute goes well, when its time is
up, and at once when another kind of failure begins. While it lasts it is told, so that nobody takes it for peace.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime

from hindcast.detect import wording
from hindcast.detect.counts import Counts, Name

# Without an error for so many seconds a service is well at this moment: what comes later is trouble of its own.
CALM_SECONDS = 10


@dataclass(frozen=True, slots=True)
class Mute:
    """One service of which nothing is said for a while."""

    space: str
    service: str
    # From when to when, at the latest.
    since: datetime
    until: datetime
    # The incident that somebody called over.
    incident: str
    # Errors that came meanwhile.
    errors: int = 0
    # Whether it is a silence that is not told of.
    is_silence: bool = False

    @property
    def told(self) -> str:
        """The mute in a sentence."""
        until = f"{self.until.astimezone(UTC):%H:%M} UTC"
        errors = "" if self.is_silence else f"; {wording.errors(self.errors)} since"
        return f"{wording.named(self.service)}: muted until {until} after {self.incident} was resolved{errors}"


@dataclass(slots=True)
class Waved:
    """What is kept of one mute. Seconds since 1970."""

    since: int
    until: int
    incident: str
    # All errors of the service up to its beginning.
    errors_before: int = 0
    # When its failures were looked at last.
    looked: int = 0


class Mutes:
    """Whose errors are waved aside, and whose silence."""

    def __init__(self) -> None:
        self.errors: dict[Name, Waved] = {}
        # By the second from which on a line ends it.
        self.silences: dict[Name, tuple[int, Waved]] = {}

    def as_told(self, counts: Counts) -> Iterator[Mute]:
        """Every mute as it stands."""
        for name, waved in list(self.errors.items()):
            row = counts.rows.get(name)
            errors = counts.errors_until(row, counts.end) - waved.errors_before if row is not None else 0
            yield _mute(name, waved, errors=max(errors, 0))
        for name, (_, waved) in list(self.silences.items()):
            yield _mute(name, waved, is_silence=True)


def goes_on(counts: Counts, name: Name) -> bool:
    """Whether a service has errors at this moment."""
    row = counts.rows.get(name)
    return row is not None and bool(counts.errors[row, -CALM_SECONDS:].any())


def _mute(name: Name, waved: Waved, *, errors: int = 0, is_silence: bool = False) -> Mute:
    since, until = (datetime.fromtimestamp(second, UTC) for second in (waved.since, waved.until))
    return Mute(*name, since, until, waved.incident, errors, is_silence)
