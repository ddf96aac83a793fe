"""When each service last exported metrics, and how often it does: a process that hangs or is gone stops exporting.

It is held in memory by whoever takes records in, and read by detection in the same process. After a restart it begins
anew, so that a service is known by its pulse again after a few exports.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from statistics import median
from typing import Final

# Requests of one export, and those of several instances at once, are one sign of life.
TOGETHER_SECONDS: Final = 1.0
# By how many of the last gaps the interval is known.
GAPS_MAX: Final = 8
GAPS_MIN: Final = 3
SERVICES_MAX: Final = 10_000


@dataclass(frozen=True, slots=True)
class Pulse:
    """The metric exports of one service, by the time of their arrival."""

    space: str
    service: str
    last_at: datetime
    # The usual time between two exports; None until enough have come.
    interval_seconds: float | None

    def missed(self, now: datetime) -> float:
        """How many exports are overdue by now, in intervals; 0 where the interval is not known."""
        if not self.interval_seconds:
            return 0.0
        return max((now - self.last_at).total_seconds() / self.interval_seconds - 1.0, 0.0)


class Pulses:
    """Metric exports by space and service. One thread writes; others may read, for what is known is replaced whole."""

    def __init__(self) -> None:
        # When the last export came, and the last gaps between exports.
        self._known: dict[tuple[str, str], tuple[datetime, tuple[float, ...]]] = {}

    def beat(self, space: str, services: Iterable[str], at: datetime) -> None:
        """These services exported metrics."""
        for service in services:
            last, gaps = self._known.get((space, service), (at, ()))
            seconds = (at - last).total_seconds()
            if 0 < seconds < TOGETHER_SECONDS:
                continue
            if seconds > 0:
                gaps = (*gaps, seconds)[-GAPS_MAX:]
            if len(self._known) < SERVICES_MAX or (space, service) in self._known:
                self._known[space, service] = at, gaps

    def read(self) -> tuple[Pulse, ...]:
        """The pulse of every service that ever exported metrics."""
        return tuple(
            Pulse(*key, last, median(gaps) if len(gaps) >= GAPS_MIN else None)
            for key, (last, gaps) in tuple(self._known.items())
        )
