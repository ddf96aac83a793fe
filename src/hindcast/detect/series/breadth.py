"""How much of a space is unlike itself at once.

A fault that spreads thinly moves many gauges a little. No gauge alone would be accused, but their mean distance from the
last two hours stands out.
"""

from __future__ import annotations

import numpy as np

from hindcast.detect.series.recent import Recent
from hindcast.detect.series.season import Floats, Rows

# Two hours of minutes: long enough for a spread, short enough to forget yesterday's load.
MEMORY_POINTS = 120
# One gauge gone mad must not speak for a whole space.
DISTANCE_MAX = 30.0


class Breadth:
    """The mean distance of all gauges of each space, step by step."""

    def __init__(self, *, size: int = 64) -> None:
        self._recent = Recent(MEMORY_POINTS, distance_max=DISTANCE_MAX, size=size)
        self._space_of = np.zeros(size, dtype=np.intp)
        self._spaces: dict[str, int] = {}
        self._newest: dict[int, float] = {}

    def grow(self, size: int) -> None:
        """Make room for more series; what is known stays."""
        self._recent.grow(size)
        self._space_of = np.concatenate([self._space_of, np.zeros(size - len(self._space_of), dtype=np.intp)])

    def enter(self, row: int, space: str) -> None:
        """Say to which space a row belongs."""
        self._space_of[row] = self._spaces.setdefault(space, len(self._spaces))

    def forget(self, rows: Rows) -> None:
        """Empty these rows for other series."""
        self._recent.forget(rows)

    def judge(self, rows: Rows, values: Floats) -> None:
        """Take in one step of some series."""
        distance = np.abs(self._recent.judge(rows, values))
        spaces = self._space_of[rows]
        total = np.bincount(spaces, weights=distance, minlength=len(self._spaces))
        count = np.bincount(spaces, minlength=len(self._spaces))
        for space in np.flatnonzero(count):
            self._newest[int(space)] = float(total[space] / count[space])

    def newest(self, space: str) -> float:
        """The mean distance at the newest step; 0 for a space without gauges."""
        number = self._spaces.get(space)
        return 0.0 if number is None else self._newest.get(number, 0.0)
