"""What a series showed at the same time of the day before and of the week before.

One week of slot means is kept for each series in a ring, so memory does not grow. A slot that was never seen, or that
holds an older week, answers with nothing: a gap in the data is not a zero.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

SLOT_SECONDS = 900
SLOTS_A_DAY = 86_400 // SLOT_SECONDS
SLOTS_A_WEEK = 7 * SLOTS_A_DAY
# A stamp no slot can have, not even the slots of the week before 1970 that the first week asks for.
_NEVER = np.iinfo(np.int32).min

Floats = NDArray[np.float64]
Rows = NDArray[np.intp]


class Season:
    """A week of slot means for each of many series."""

    def __init__(self, size: int) -> None:
        self._mean = np.zeros((size, SLOTS_A_WEEK), dtype=np.float32)
        self._count = np.zeros((size, SLOTS_A_WEEK), dtype=np.float32)
        self._stamp = np.full((size, SLOTS_A_WEEK), _NEVER, dtype=np.int32)

    def grow(self, size: int) -> None:
        """Make room for more series; what is known stays."""
        more = size - len(self._mean)
        self._mean = np.vstack([self._mean, np.zeros((more, SLOTS_A_WEEK), dtype=np.float32)])
        self._count = np.vstack([self._count, np.zeros((more, SLOTS_A_WEEK), dtype=np.float32)])
        self._stamp = np.vstack([self._stamp, np.full((more, SLOTS_A_WEEK), _NEVER, dtype=np.int32)])

    def forget(self, rows: Rows) -> None:
        """Empty these rows for other series."""
        self._stamp[rows] = _NEVER

    def before(self, rows: Rows, seconds: NDArray[np.int64], *, days: int) -> Floats:
        """The mean of the slot so many days earlier (at most seven); not a number where nothing is known."""
        slot = seconds // SLOT_SECONDS - days * SLOTS_A_DAY
        at = slot % SLOTS_A_WEEK
        known = self._stamp[rows, at] == slot
        return np.where(known, self._mean[rows, at], np.nan)

    def add(self, rows: Rows, seconds: NDArray[np.int64], values: Floats) -> None:
        """Take in one value for each of these rows. A new slot replaces the same slot of the week before."""
        slot = seconds // SLOT_SECONDS
        at = slot % SLOTS_A_WEEK
        same = self._stamp[rows, at] == slot
        count = np.where(same, self._count[rows, at], 0.0) + 1.0
        mean = np.where(same, self._mean[rows, at], 0.0)
        self._mean[rows, at] = mean + (values - mean) / count
        self._count[rows, at] = count
        self._stamp[rows, at] = slot
