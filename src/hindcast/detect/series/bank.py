"""Many series watched together: how far each new value is from what its own past makes likely.

Four views look at every value, each good at what the others miss:

- `level`: the value itself; sees spikes and drops.
- `drift`: its mean over the last few points; sees shifts too small to stand out at any single point.
- `season`: the difference from the same time a day or a week ago, whichever is nearer; sees a weekday that behaves like
  a holiday, and does not mind the nightly backup.
- `rough`: the logarithm of how much it moves from point to point; sees noise that begins or ends, and counts equal
  values in a row, which sees a line that has gone flat.

Each view knows the mean and the spread of its own numbers so far. A view's distance is how many spreads away the newest
number is; the distances of the views are added so that one extreme view is enough and several that agree count for
more. The spread includes past extremes on purpose: a series that often jumps has to jump higher.

Everything is kept as arrays over series; a tick of a thousand series is a few dozen array operations.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from hindcast.detect.series.season import Floats, Rows, Season


class View(IntEnum):
    """A way of looking at a series, and its column in the arrays."""

    LEVEL = 0
    DRIFT = 1
    SEASON = 2
    ROUGH = 3


VIEWS = len(View)
# Beyond it squares leave the range of a float, and no gauge measures anything.
VALUE_MAX = 1e30
_STATE = (
    "_magnitude",
    "_seen",
    "_drift",
    "_lag",
    "_lag_seen",
    "_rough",
    "_mean",
    "_variance",
    "_count",
    "_same",
    "_moves",
)


@dataclass(frozen=True, slots=True)
class BankSettings:
    """The one configuration for every series."""

    # How many points back the mean and the spread of each view reach: a new level becomes usual after a while.
    memory_points: int = 2000
    # Over how many points the views average.
    drift_points: int = 24
    season_points: int = 12
    rough_points: int = 48
    # A view says nothing before it has seen that many numbers.
    points_min: int = 20
    # A change below this share of a series' usual size never counts, however constant the series is.
    relative_spread_min: float = 0.001
    # How rough a series is varies by at least this much, as a share: no smaller change of it counts.
    rough_spread_min: float = 0.1
    # A series that moves at most points is flat after so many equal values, and so many times the most it ever had.
    flat_points_min: int = 30
    flat_times_min: float = 3.0
    flat_distance: float = 10.0
    # A constant series that changes is infinitely far away; so far is far enough.
    distance_max: float = 60.0
    # How views are added: 1 is their sum, 2 the root of their squares, infinity the largest alone.
    norm: float = 1.5


@dataclass(frozen=True, slots=True)
class Judged:
    """What the bank thinks of one new value for each row, in the order given."""

    # All views together, 0 while nothing is known.
    distance: Floats
    # Signed, one column for each view.
    views: Floats
    # What the value would usually have been, and the spread around it.
    expected: Floats
    spread: Floats


class Bank:
    """The state of many series. Rows are numbers the caller keeps; `judge` is the only thing that moves them on."""

    def __init__(self, settings: BankSettings | None = None, *, size: int = 64) -> None:
        self.settings = settings or BankSettings()
        self._season = Season(size)
        self._last = np.full(size, np.nan)
        self._magnitude = np.zeros(size)
        self._seen = np.zeros(size)
        self._drift = np.zeros(size)
        self._lag = np.zeros((size, 2))
        self._lag_seen = np.zeros((size, 2))
        self._rough = np.zeros(size)
        self._mean = np.zeros((size, VIEWS))
        self._variance = np.zeros((size, VIEWS))
        self._count = np.zeros((size, VIEWS))
        # Equal values in a row: now, and at most before.
        self._same = np.zeros((size, 2))
        self._moves = np.zeros(size)

    @property
    def size(self) -> int:
        """How many rows there are."""
        return len(self._last)

    def grow(self, size: int) -> None:
        """Make room for more series; what is known stays."""
        more = size - self.size
        self._season.grow(size)
        self._last = np.concatenate([self._last, np.full(more, np.nan)])
        for name in _STATE:
            old = getattr(self, name)
            setattr(self, name, np.concatenate([old, np.zeros((more, *old.shape[1:]))]))

    def forget(self, rows: Rows) -> None:
        """Empty these rows for other series."""
        self._season.forget(rows)
        self._last[rows] = np.nan
        for name in _STATE:
            getattr(self, name)[rows] = 0.0

    def judge(self, rows: Rows, seconds: NDArray[np.int64], values: Floats) -> Judged:
        """Judge one finite value for each row (no row twice) by what came before it, then learn it."""
        settings = self.settings
        values = np.clip(values, -VALUE_MAX, VALUE_MAX)
        seen = self._seen[rows]
        magnitude = self._magnitude[rows]
        magnitude += (np.abs(values) - magnitude) / np.minimum(seen + 1, settings.memory_points)
        numbers = np.empty((len(rows), VIEWS))
        numbers[:, View.LEVEL] = values
        numbers[:, View.DRIFT] = self._follow(self._drift, rows, values, seen, settings.drift_points)
        numbers[:, View.SEASON] = self._from_before(rows, seconds, values)
        numbers[:, View.ROUGH] = self._roughness(rows, values, seen, magnitude)
        flat = self._flat(rows, values, seen)
        self._magnitude[rows] = magnitude
        self._seen[rows] = seen + 1
        self._last[rows] = values
        self._season.add(rows, seconds, values)
        expected, spread = self._usual(rows, magnitude)
        views = self._distances(rows, numbers, magnitude)
        views[:, View.ROUGH] -= settings.flat_distance * flat
        distance = (np.abs(views) ** settings.norm).sum(axis=1) ** (1.0 / settings.norm)
        return Judged(np.minimum(distance, settings.distance_max), views, expected, spread)

    def _follow(self, state: Floats, rows: Rows, values: Floats, seen: Floats, points: int) -> Floats:
        """The running mean over about so many points, plain until there are that many."""
        old = state[rows]
        new = old + (values - old) * np.maximum(2.0 / (points + 1), 1.0 / (seen + 1))
        state[rows] = new
        return new

    def _from_before(self, rows: Rows, seconds: NDArray[np.int64], values: Floats) -> Floats:
        """The mean difference from a day or a week ago, whichever is nearer; not a number where both are unknown."""
        numbers = np.empty((len(rows), 2))
        for column, days in enumerate((1, 7)):
            difference = values - self._season.before(rows, seconds, days=days)
            known = ~np.isnan(difference)
            old, seen = self._lag[rows, column], self._lag_seen[rows, column]
            step = np.maximum(2.0 / (self.settings.season_points + 1), 1.0 / (seen + 1))
            new = np.where(known, old + (difference - old) * step, old)
            self._lag[rows, column] = new
            self._lag_seen[rows, column] = seen + known
            numbers[:, column] = np.where(known, new, np.nan)
        day, week = numbers[:, 0], numbers[:, 1]
        return np.where(np.isnan(week) | (np.abs(day) < np.abs(week)), day, week)

    def _roughness(self, rows: Rows, values: Floats, seen: Floats, magnitude: Floats) -> Floats:
        moved = np.abs(values - self._last[rows])
        moved = np.where(np.isnan(moved), 0.0, moved)
        mean = self._follow(self._rough, rows, moved, seen, self.settings.rough_points)
        return np.log(mean + self.settings.relative_spread_min * magnitude + 1e-12)

    def _flat(self, rows: Rows, values: Floats, seen: Floats) -> NDArray[np.bool_]:
        """Whether a series that usually moves has stopped. One that has stood still for longest is usual again."""
        settings = self.settings
        same = values == self._last[rows]
        now, most = self._same[rows].T
        now = np.where(same, now + 1, 0.0)
        moves = self._moves[rows] + ~same
        self._same[rows] = np.column_stack([now, np.where(same, most, np.maximum(most, self._same[rows, 0]))])
        self._moves[rows] = moves
        long = now >= np.maximum(settings.flat_points_min, settings.flat_times_min * most)
        flat: NDArray[np.bool_] = long & (moves >= settings.flat_points_min) & (moves > seen / 2)
        return flat

    def _usual(self, rows: Rows, magnitude: Floats) -> tuple[Floats, Floats]:
        """The middle and the spread of the level itself: what a person is shown."""
        spread = np.sqrt(self._variance[rows, View.LEVEL])
        return self._mean[rows, View.LEVEL], np.maximum(spread, self.settings.relative_spread_min * magnitude)

    def _distances(self, rows: Rows, numbers: Floats, magnitude: Floats) -> Floats:
        """How many spreads each view's number is away from its mean so far; then the number becomes part of both."""
        settings = self.settings
        mean, variance, count = self._mean[rows], self._variance[rows], self._count[rows]
        known = ~np.isnan(numbers)
        floor = np.empty_like(numbers)
        floor[:] = (settings.relative_spread_min * magnitude + 1e-12)[:, None]
        floor[:, View.ROUGH] = settings.rough_spread_min
        off = np.where(known, numbers - mean, 0.0)
        views = np.where(count >= settings.points_min, off / np.maximum(np.sqrt(variance), floor), 0.0)
        # After a shift of level the difference from yesterday returns to nothing, which is no news.
        nearer = np.abs(numbers[:, View.SEASON]) <= np.abs(mean[:, View.SEASON])
        views[nearer, View.SEASON] = 0.0
        step = 1.0 / np.minimum(count + 1, settings.memory_points)
        self._mean[rows] = mean + step * off
        self._variance[rows] = np.where(known, (1 - step) * (variance + step * off * off), variance)
        self._count[rows] = count + known
        return np.clip(views, -settings.distance_max, settings.distance_max)
