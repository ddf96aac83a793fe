"""Gauges that behave unlike themselves: CPU, memory, latency, anything measured, one configuration for all.

`Anomalies` is handed the gauges of the last steps at every tick, as often as wanted: a step is learnt once, when it is
complete. A series has to be far from itself for several points, or very far at once, before a finding is made; the
finding is retold while it lasts and told a last time with its end. One episode of one gauge is one finding.

What it does not do: decide whether anybody is woken. A finding carries its surprise; the incident rules weigh it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from itertools import pairwise

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hindcast.detect.series.bank import VALUE_MAX, Bank, BankSettings, Judged
from hindcast.detect.series.breadth import Breadth
from hindcast.detect.series.news import News, NewsSettings
from hindcast.detect.series.score import sentence, surprise_of
from hindcast.detect.series.season import Floats, Rows
from hindcast.model.errors import Malformed
from hindcast.model.finding import Finding, Rule

GAUGE_COLUMNS = ("space", "service", "name", "step", "value")
# Each further point of an episode makes it that much more surprising, up to a maximum: points in a row are far from
# independent, so they count for much less than their product.
_HELD_SURPRISE = 0.5
_HELD_SURPRISE_MAX = 3.0

Key = tuple[str, str, str]


@dataclass(frozen=True, slots=True)
class AnomalyRules:
    """When a gauge counts as unlike itself, and when no longer."""

    # The length of a step in the tables that are handed in.
    step_seconds: int = 60
    # So far from itself for so many points in a row, or so far at once.
    distance_min: float = 8.0
    hold_points: int = 3
    distance_at_once_min: float = 30.0
    # Nearer than the quiet distance for so many points in a row: over.
    quiet_distance_max: float = 4.0
    quiet_points: int = 5
    # What lasts longer is what is usual from now on.
    episode_points_max: int = 720
    # More series than this are not watched; the counter `refused` says how many points that cost.
    series_max: int = 20_000
    # A series that was not heard of for so long makes room for others.
    idle_seconds_max: int = 8 * 86_400
    bank: BankSettings = field(default_factory=BankSettings)
    news: NewsSettings = field(default_factory=NewsSettings)

    def __post_init__(self) -> None:
        for name in ("step_seconds", "hold_points", "quiet_points", "episode_points_max", "series_max"):
            if getattr(self, name) < 1:
                raise Malformed(f"{getattr(self, name)} is too small.", field=name, remedy="Use 1 or more.")
        if not 0 < self.quiet_distance_max <= self.distance_min <= self.distance_at_once_min:
            raise Malformed(
                f"{self.quiet_distance_max}, {self.distance_min} and {self.distance_at_once_min} are out of order.",
                field="distance_min",
                remedy="Let quiet_distance_max <= distance_min <= distance_at_once_min, all above 0.",
            )


@dataclass(slots=True)
class _Episode:
    """A finding that is still being told."""

    onset_at: datetime
    seen_at: datetime
    value: float
    expected: float
    limit: float
    surprise: float
    why: str
    points: int
    quiet: int = 0


class Anomalies:
    """Every gauge that was ever handed in, and the episodes that are open."""

    def __init__(self, rules: AnomalyRules | None = None) -> None:
        self.rules = rules or AnomalyRules()
        # Points that were not watched because there are too many series.
        self.refused = 0
        self._bank = Bank(self.rules.bank)
        self._news = News(self.rules.news)
        self._breadth = Breadth()
        self._rows: dict[Key, int] = {}
        self._keys: dict[int, Key] = {}
        self._free: list[int] = list(range(self._bank.size - 1, -1, -1))
        self._last = np.full(self._bank.size, np.iinfo(np.int64).min)
        self._run = np.zeros(self._bank.size, dtype=np.int64)
        self._open: dict[int, _Episode] = {}

    @property
    def watched(self) -> int:
        """How many series there are."""
        return len(self._rows)

    def breadth(self, space: str) -> float:
        """How far the gauges of a space were, on average, from their last two hours at its newest step."""
        return self._breadth.newest(space)

    def learn(self, gauges: pa.Table, *, now: datetime) -> None:
        """Take in stored gauges after a restart: what was found in them was told before."""
        self.tick(gauges, now=now)
        self._open.clear()
        self._run[:] = 0

    def tick(self, gauges: pa.Table, *, now: datetime) -> tuple[Finding, ...]:
        """Learn every complete step that is new, and tell of each episode that is open or has just ended."""
        now_seconds = _seconds(now, field="now")
        ended: list[Finding] = []
        rows, steps, values = self._points(gauges, now_seconds)
        bounds = [*np.flatnonzero(np.diff(steps, prepend=-1)), len(steps)]
        for begin, end in pairwise(bounds):
            ended += self._advance(rows[begin:end], int(steps[begin]), values[begin:end])
        ended += self._give_up(now_seconds)
        self._forget_idle(now_seconds)
        return (*ended, *(self._finding(row, episode) for row, episode in sorted(self._open.items())))

    def _points(self, gauges: pa.Table, now_seconds: int) -> tuple[Rows, np.ndarray, Floats]:
        """The rows, steps and values to learn: complete, finite, newer than what the series has learnt, in order."""
        missing = [name for name in GAUGE_COLUMNS if name not in gauges.column_names]
        if missing:
            raise Malformed(
                f"The columns {', '.join(missing)} are missing.",
                field="gauges",
                remedy="Hand over what `gauges` reads.",
            )
        steps = pc.cast(pc.cast(gauges["step"], pa.timestamp("s", tz="UTC")), pa.int64()).to_numpy()
        values = pc.cast(gauges["value"], pa.float64()).to_numpy()
        wanted = np.flatnonzero(np.isfinite(values) & (steps + self.rules.step_seconds <= now_seconds) & (steps >= 0))
        steps, values = steps[wanted], np.clip(values[wanted], -VALUE_MAX, VALUE_MAX)
        chosen = gauges.select(["space", "service", "name"]).take(pa.array(wanted))
        keys = zip(*(chosen[name].to_pylist() for name in ("space", "service", "name")), strict=True)
        rows = np.fromiter((self._row(key) for key in keys), dtype=np.intp, count=len(wanted))
        new = rows >= 0
        self.refused += int((~new).sum())
        new[new] = steps[new] > self._last[rows[new]]
        rows, steps, values = rows[new], steps[new], values[new]
        # The last telling of a step wins: sorting keeps those of the same row and step in the order they came.
        order = np.lexsort((rows, steps))
        rows, steps, values = rows[order], steps[order], values[order]
        last = np.ones(len(rows), dtype=bool)
        last[:-1] = (rows[1:] != rows[:-1]) | (steps[1:] != steps[:-1])
        return rows[last], steps[last], values[last]

    def _row(self, key: Key) -> int:
        """The row of a series; -1 when there is room for no more."""
        row = self._rows.get(key)
        if row is not None:
            return row
        if len(self._rows) >= self.rules.series_max:
            return -1
        if not self._free:
            self._grow()
        row = self._free.pop()
        self._rows[key] = row
        self._keys[row] = key
        self._breadth.enter(row, key[0])
        return row

    def _grow(self) -> None:
        old = self._bank.size
        size = min(2 * old, max(self.rules.series_max, old + 1))
        self._bank.grow(size)
        self._news.grow(size)
        self._breadth.grow(size)
        self._last = np.concatenate([self._last, np.full(size - old, np.iinfo(np.int64).min)])
        self._run = np.concatenate([self._run, np.zeros(size - old, dtype=np.int64)])
        self._free = list(range(size - 1, old - 1, -1))

    def _advance(self, rows: Rows, step: int, values: Floats) -> list[Finding]:
        """Judge one step of some series. Gives the findings that it ends."""
        seconds = np.full(len(rows), step, dtype=np.int64)
        self._last[rows] = step
        self._breadth.judge(rows, values)
        judged = self._bank.judge(rows, seconds, values)
        weighed, _ = self._news.weigh(rows, judged.distance)
        self._run[rows] = np.where(weighed >= self.rules.distance_min, self._run[rows] + 1, 0)
        begins = (self._run[rows] >= self.rules.hold_points) | (weighed >= self.rules.distance_at_once_min)
        ended = []
        for at in np.flatnonzero(begins):
            if int(rows[at]) not in self._open:
                self._begin(int(rows[at]), step, float(values[at]), judged, int(at))
        if self._open:
            for at in np.flatnonzero(np.isin(rows, np.fromiter(self._open, dtype=np.intp))):
                row = int(rows[at])
                self._follow(row, step, float(values[at]), float(weighed[at]), judged, int(at))
                if self._is_over(self._open[row]):
                    ended.append(self._end(row))
        return ended

    def _begin(self, row: int, step: int, value: float, judged: Judged, at: int) -> None:
        run = max(int(self._run[row]) - 1, 0)
        onset = _moment(step - run * self.rules.step_seconds)
        expected = float(judged.expected[at])
        side = 1.0 if value >= expected else -1.0
        self._open[row] = _Episode(
            onset_at=onset,
            seen_at=onset,
            value=value,
            expected=expected,
            limit=expected + side * self.rules.quiet_distance_max * float(judged.spread[at]),
            surprise=0.0,
            why="",
            points=run,
        )

    def _follow(self, row: int, step: int, value: float, weighed: float, judged: Judged, at: int) -> None:
        """One more point of an open episode."""
        episode = self._open[row]
        episode.points += 1
        if weighed <= self.rules.quiet_distance_max:
            episode.quiet += 1
            return
        episode.quiet = 0
        episode.seen_at = _moment(step)
        held = min(_HELD_SURPRISE * (episode.points - 1), _HELD_SURPRISE_MAX)
        surprise = surprise_of(weighed) + held
        if surprise > episode.surprise:
            episode.surprise, episode.value = surprise, value
            episode.why = sentence(value, episode.expected, float(judged.spread[at]), judged.views[at])

    def _is_over(self, episode: _Episode) -> bool:
        return episode.quiet >= self.rules.quiet_points or episode.points >= self.rules.episode_points_max

    def _end(self, row: int) -> Finding:
        episode = self._open.pop(row)
        self._run[row] = 0
        return self._finding(row, episode, ended_at=episode.seen_at + timedelta(seconds=self.rules.step_seconds))

    def _give_up(self, now_seconds: int) -> list[Finding]:
        """End the episodes of series that say nothing any more: their silence is another rule's business."""
        patience = (self.rules.quiet_points + 1) * self.rules.step_seconds
        silent = [row for row in self._open if now_seconds - int(self._last[row]) > patience]
        return [self._end(row) for row in silent]

    def _forget_idle(self, now_seconds: int) -> None:
        if len(self._rows) * 2 < self.rules.series_max:
            return
        known = np.fromiter(self._keys, dtype=np.intp)
        idle = known[self._last[known] < now_seconds - self.rules.idle_seconds_max]
        for row in idle.tolist():
            del self._rows[self._keys.pop(row)]
            self._free.append(row)
        self._last[idle] = np.iinfo(np.int64).min
        self._run[idle] = 0
        self._bank.forget(idle)
        self._news.forget(idle)
        self._breadth.forget(idle)

    def _finding(self, row: int, episode: _Episode, *, ended_at: datetime | None = None) -> Finding:
        space, service, name = self._keys[row]
        return Finding(
            space=space,
            service=service,
            rule=Rule.METRIC,
            onset_at=episode.onset_at,
            seen_at=episode.seen_at,
            value=episode.value,
            expected=episode.expected,
            limit=episode.limit,
            window_seconds=self.rules.step_seconds,
            surprise=episode.surprise,
            unit="",
            metric=name,
            why=f"{name} {episode.why}",
            ended_at=ended_at,
        )


def _seconds(moment: datetime, *, field: str) -> int:
    if moment.tzinfo is None or moment.utcoffset() is None:
        raise Malformed(f"{moment} has no timezone.", field=field, remedy="Add one, for example datetime.now(UTC).")
    return int(moment.timestamp())


def _moment(seconds: int) -> datetime:
    return datetime.fromtimestamp(seconds, UTC)
