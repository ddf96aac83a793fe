"""The wall clock, and one that a test or a story moves by hand."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta


class WallClock:
    """The machine's own time."""

    def now(self) -> datetime:
        """The present, in UTC."""
        return datetime.now(UTC)


class ManualClock:
    """A clock that stands still until it is moved, so that a year of incidents is a loop."""

    def __init__(self, start: datetime) -> None:
        self._now = start

    def now(self) -> datetime:
        """The moment it was last moved to."""
        return self._now

    def move(self, step: timedelta) -> datetime:
        """Let this much time pass."""
        self._now += step
        return self._now

    def set(self, moment: datetime) -> datetime:
        """Jump to a moment."""
        self._now = moment
        return self._now
