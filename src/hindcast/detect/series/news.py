"""What of a distance is news: not a repetition, and not the hundredth cry of the same series.

Two memories for each series. The nearer one is the last thing that was told: until it has faded, only something that
stands out further is news. The farther one counts how often the series has had news at all: one that cries often has to
cry louder to be heard. Both fade by points, so neither depends on a clock.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hindcast.detect.series.season import Floats, Rows


@dataclass(frozen=True, slots=True)
class NewsSettings:
    """How long the memories last, in points, and how much they weigh."""

    # After so many points half of what was told last is forgotten.
    told_half_life_points: int = 200
    # Something told raises the bar to this many times its distance.
    told_weight: float = 1.5
    # After so many points half of the cries are forgotten, and how much each of them raises the bar.
    cries_half_life_points: int = 3000
    cry_weight: float = 0.15
    # A weighed distance beyond this is a cry.
    cry_distance_min: float = 6.0


class News:
    """The two memories of many series."""

    def __init__(self, settings: NewsSettings | None = None, *, size: int = 64) -> None:
        self.settings = settings or NewsSettings()
        self._told = np.zeros(size)
        self._cries = np.zeros(size)

    def grow(self, size: int) -> None:
        """Make room for more series; what is known stays."""
        more = np.zeros(size - len(self._told))
        self._told = np.concatenate([self._told, more])
        self._cries = np.concatenate([self._cries, more])

    def forget(self, rows: Rows) -> None:
        """Empty these rows for other series."""
        self._told[rows] = 0.0
        self._cries[rows] = 0.0

    def weigh(self, rows: Rows, distance: Floats) -> tuple[Floats, Floats]:
        """For one new distance of each row: its weight given the row's habit, and the same where it is news, else 0."""
        settings = self.settings
        told = self._told[rows] * 0.5 ** (1.0 / settings.told_half_life_points)
        cries = self._cries[rows] * 0.5 ** (1.0 / settings.cries_half_life_points)
        weighed = distance / (1.0 + settings.cry_weight * cries)
        fresh = weighed > told
        self._told[rows] = np.where(fresh, settings.told_weight * weighed, told)
        self._cries[rows] = cries + (fresh & (weighed > settings.cry_distance_min))
        return weighed, np.where(fresh, weighed, 0.0)
