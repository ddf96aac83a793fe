"""How far a value is from the recent past of its series: one mean and one spread, nothing else.

It is not sharp enough to accuse a single series. Averaged over all series of a space it tells how much of the space is
unlike itself at once, which a fault that spreads thinly shows before any series alone would.
"""

from __future__ import annotations

import numpy as np

from hindcast.detect.series.season import Floats, Rows

# A mean of fewer points says nothing yet.
POINTS_MIN = 5
_RELATIVE_SPREAD_MIN = 0.001


class Recent:
    """Means and spreads of many series over about the last so many points."""

    def __init__(
        self, memory_points: int, *, distance_max: float, learns_max: float | None = None, size: int = 64
    ) -> None:
        self._memory_points = memory_points
        self._distance_max = distance_max
        # How many spreads of a value are learnt at most; None: all of it.
        self._learns_max = learns_max
        self._state = np.zeros((size, 3))

    def grow(self, size: int) -> None:
        """Make room for more series; what is known stays."""
        self._state = np.concatenate([self._state, np.zeros((size - len(self._state), 3))])

    def forget(self, rows: Rows) -> None:
        """Empty these rows for other series."""
        self._state[rows] = 0.0

    def judge(self, rows: Rows, values: Floats) -> Floats:
        """How many spreads each value is above (or, negative, below) its recent mean; then learn it."""
        mean, variance, count = self._state[rows].T
        spread = np.maximum(np.sqrt(variance), _RELATIVE_SPREAD_MIN * np.abs(mean) + 1e-12)
        off = values - mean
        known = count >= POINTS_MIN
        distance = np.where(known, np.clip(off / spread, -self._distance_max, self._distance_max), 0.0)
        if self._learns_max is not None:
            reach = self._learns_max * spread
            off = np.where(known, np.clip(off, -reach, reach), off)
        step = 1.0 / np.minimum(count + 1, self._memory_points)
        self._state[rows] = np.column_stack([mean + step * off, (1 - step) * (variance + step * off * off), count + 1])
        return distance
