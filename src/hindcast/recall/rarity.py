"""How rare a word, a frame or a name is among the cases at hand: what all of them have tells none apart."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Hashable, Iterable
from typing import Generic, TypeVar

Name = TypeVar("Name", bound=Hashable)

# Cases that are imagined beside those at hand, with none of the names: how much a shared word says must not depend on
# whether a team remembers two cases yet or two thousand.
CASES_IMAGINED = 20


class Rarity(Generic[Name]):
    """The weight of each name by how many of the cases have it: least for one that all have, most for one nobody has.

    `wanted` are the names that will be asked for. A question has few of them, the cases together very many, and only
    the few are counted; any other name counts as one that no case has.
    """

    def __init__(self, having: Iterable[frozenset[Name]], wanted: Collection[Name]) -> None:
        names = frozenset(wanted)
        sets = list(having)
        counts: Counter[Name] = Counter()
        for one in sets:
            counts.update(names & one)
        cases = len(sets) + CASES_IMAGINED
        self._rarest = math.log1p((cases + 0.5) / 0.5)
        self._weights = {name: math.log1p((cases - count + 0.5) / (count + 0.5)) for name, count in counts.items()}
        self._masses: dict[frozenset[Name], float] = {}

    def __getitem__(self, name: Name) -> float:
        return self._weights.get(name, self._rarest)

    def mass(self, names: frozenset[Name]) -> float:
        """The weight of several names together."""
        known = self._masses.get(names)
        if known is None:
            known = self._masses[names] = sum(map(self.__getitem__, names))
        return known

    def share(self, wanted: frozenset[Name], present: frozenset[Name], *, doubted: float = 0.0) -> float:
        """How much of what is wanted is present, by weight, 0 to 1. `doubted` is a weight too small to mean much."""
        met = wanted & present
        return sum(map(self.__getitem__, met)) / (self.mass(wanted) + doubted) if met else 0.0
