"""What came by each way in, for each project, since the server started: how much, when last, and what was refused why.

Kept in the process and bounded: a project that nothing came for the longest is forgotten first. What was refused before
anybody knew which project it was for (a wrong key, most often) is kept apart, for whoever runs the installation.
"""

from __future__ import annotations

import threading
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime

from hindcast.model.columns import Parsed
from hindcast.model.errors import HindcastError
from hindcast.rest.failure import UNEXPECTED, status_of

# More projects than this are not looked at by anybody in one process; eleven ways in are a few kilobytes each.
SPACES_MAX = 1_000
# What happened lately: a day, by the hour, so that a night that went wrong is still told of in the morning.
HOURS_LATELY = 24
SECONDS_PER_HOUR = 3_600
# A reason may quote what was sent.
REASON_CHARS_MAX = 400
# Whose it would have been nobody knows.
NOBODYS = ""


@dataclass(frozen=True, slots=True)
class LastError:
    """Why a request was refused, the last time that one was, as its sender was told."""

    at: datetime
    status: int
    problem: str
    remedy: str


@dataclass(frozen=True, slots=True)
class LeftOut:
    """Why a record was left out of a request that was taken, the last time that one was."""

    at: datetime
    problem: str


@dataclass(frozen=True, slots=True)
class Tally:
    """What came by one way in for one project."""

    last_at: datetime | None = None
    # How many records of each kind were taken since the start: lines, metrics, spans, alerts, changes.
    taken: Mapping[str, int] = field(default_factory=dict)
    # Of the last day: records that were taken, requests that were refused, records left out of those that were not.
    taken_lately: int = 0
    refused_lately: int = 0
    left_out_lately: int = 0
    last_error: LastError | None = None
    last_left_out: LeftOut | None = None


class _Kept:
    """What is counted of one way in, for one project."""

    def __init__(self) -> None:
        self.last_at: datetime | None = None
        self.taken: Counter[str] = Counter()
        # By hours since 1970: taken, refused, left out.
        self.hours: OrderedDict[int, list[int]] = OrderedDict()
        self.last_error: LastError | None = None
        self.last_left_out: LeftOut | None = None

    def hour(self, now: datetime) -> list[int]:
        """The counts of this hour; those of yesterday's are let go."""
        number = _hour(now)
        found = self.hours.setdefault(number, [0, 0, 0])
        while len(self.hours) > HOURS_LATELY:
            self.hours.popitem(last=False)
        return found

    def told(self, now: datetime) -> Tally:
        """As it is now."""
        oldest = _hour(now) - HOURS_LATELY
        lately = [counts for number, counts in self.hours.items() if number > oldest]
        taken, refused, left_out = (sum(counts[which] for counts in lately) for which in range(3))
        return Tally(
            self.last_at, dict(self.taken), taken, refused, left_out, self.last_error, self.last_left_out
        )  # fmt: skip


class Arrivals:
    """Counts what comes. Safe to use from several threads."""

    def __init__(
        self, now: Callable[[], datetime], clean: Callable[[str], str], *, spaces_max: int = SPACES_MAX
    ) -> None:
        """`clean` takes secrets out of reasons, which may quote what was sent."""
        self._now = now
        self._clean = clean
        self._spaces_max = spaces_max
        self._spaces: OrderedDict[str, dict[str, _Kept]] = OrderedDict()
        self._turn = threading.Lock()
        self.since = now()

    def took(self, space: str, way: str, parsed: Parsed) -> None:
        """A request was taken, but for what its parser left out of it."""
        now = self._now()
        with self._turn:
            kept = self._kept(space, way)
            counts = records(parsed)
            kept.last_at = now
            kept.taken.update(counts)
            hour = kept.hour(now)
            hour[0] += sum(counts.values())
            hour[2] += len(parsed.rejections)
            if parsed.rejections:
                kept.last_left_out = LeftOut(now, self._said(parsed.rejections[-1].problem))

    def refused(self, space: str, way: str, error: Exception, *, count: int = 1) -> None:
        """A request was not taken."""
        now = self._now()
        if isinstance(error, HindcastError):
            told = LastError(now, status_of(error), self._problem(error), self._said(error.remedy))
        else:
            told = LastError(now, 500, UNEXPECTED, "The log of the server says what.")
        with self._turn:
            kept = self._kept(space, way)
            kept.hour(now)[1] += count
            kept.last_error = told

    def told(self, space: str) -> Mapping[str, Tally]:
        """What came for a project, by the way that it came."""
        now = self._now()
        with self._turn:
            return {way: kept.told(now) for way, kept in self._spaces.get(space, {}).items()}

    def _kept(self, space: str, way: str) -> _Kept:
        ways = self._spaces.setdefault(space, {})
        self._spaces.move_to_end(space)
        while len(self._spaces) > self._spaces_max:
            self._spaces.popitem(last=False)
        return ways.setdefault(way, _Kept())

    def _problem(self, error: HindcastError) -> str:
        # The field is a word of ours, beside which the rest would look like its value.
        return f"{error.field}: {self._said(error.problem)}" if error.field else self._said(error.problem)

    def _said(self, text: str) -> str:
        return self._clean(text)[:REASON_CHARS_MAX]


def records(parsed: Parsed) -> dict[str, int]:
    """How many records of each kind a parser read."""
    tables = {"lines": parsed.logs, "metrics": parsed.metrics, "spans": parsed.spans}
    counts = {name: table.num_rows for name, table in tables.items() if table is not None}
    told = {**counts, "alerts": len(parsed.alerts), "changes": len(parsed.changes)}
    return {name: count for name, count in told.items() if count}


def _hour(now: datetime) -> int:
    return int(now.timestamp()) // SECONDS_PER_HOUR
