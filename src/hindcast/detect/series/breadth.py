"""How much of a space is unlike itself at once.

A fault that spreads thinly moves many gauges a little. No gauge alone would be accused, but their mean distance from
the last two hours stands out. One mean and one spread for each gauge are enough for that; they would be far too coarse
to accuse a single one.
"""

from __future__ import annotations

import numpy as np

from hindcast.detect.series.season import Floats, Rows

# Two hours of minutes: long enough for a spread, short enough to forget yesterday's load.
MEMORY_POINTS = 120
# A mean of fewer points says nothing yet.
POINTS_MIN = 5
# One gauge gone mad must not speak for a whole space.
DISTANCE_MAX = 30.0
_RELATIVE_SPREAD_MIN = 0.001


class Breadth:
    """The mean distance of all gauges of each space, step by step."""

    def __init__(self, *, size: int = 64) -> None:
        # Mean, variance and count for each row.
        self._state = np.zeros((size, 3))
        self._space_of = np.zeros(size, dtype=np.intp)
        self._spaces: dict[str, int] = {}
        self._newest: dict[int, float] = {}

    def grow(self, size: int) -> None:
        """Make room for more series; what is known stays."""
        more = size - len(self._state)
        self._state = np.concatenate([self._state, np.zeros((more, 3))])
        self._space_of = np.concatenate([self._space_of, np.zeros(more, dtype=np.intp)])

    def enter(self, row: int, space: str) -> None:
        """Say to which space a row belongs."""
        self._space_of[row] = self._spaces.setdefault(space, len(self._spaces))

    def forget(self, rows: Rows) -> None:
        """Empty these rows for other series."""
        self._state[rows] = 0.0

    def judge(self, rows: Rows, values: Floats) -> None:
        """Take in one step of some series."""
        distance = self._distances(rows, values)
        spaces = self._space_of[rows]
        total = np.bincount(spaces, weights=distance, minlength=len(self._spaces))
        count = np.bincount(spaces, minlength=len(self._spaces))
        for space in np.flatnonzero(count):
            self._newest[int(space)] = float(total[space] / count[space])

    def _distances(self, rows: Rows, values: Floats) -> Floats:
        """How many spreads each value is away from its recent mean; then it becomes part of it."""
        mean, variance, count = self._state[rows].T
        spread = np.maximum(np.sqrt(variance), _RELATIVE_SPREAD_MIN * np.abs(mean) + 1e-12)
        off = values - mean
        step = 1.0 / np.minimum(count + 1, MEMORY_POINTS)
        self._state[rows] = np.column_stack([mean + step * off, (1 - step) * (variance + step * off * off), count + 1])
        return np.where(count >= POINTS_MIN, np.minimum(np.abs(off) / spread, DISTANCE_MAX), 0.0)

    def newest(self, space: str) -> float:
        """The mean distance at the newest step; 0 for a space without gauges."""
        number = self._spaces.get(space)
        return 0.0 if number is None else self._newest.get(number, 0.0)
