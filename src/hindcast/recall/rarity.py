"""How rare a word, a frame or a name is among the cases at hand: what all of them have tells none apart."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Mapping
from itertools import chain
from typing import Generic, TypeVar

Name = TypeVar("Name", bound=Hashable)

# Cases that are imagined beside those at hand, with none of the names: how much a shared word says must not depend on
# whether a team remembers two cases yet or two thousand.
CASES_IMAGINED = 20


class _Weights(dict[Name, float]):
    """Weights by name. A dictionary that knows what the others weigh is asked faster than a function."""

    def __init__(self, known: Mapping[Name, float], others: float) -> None:
        super().__init__(known)
        self._others = others

    def __missing__(self, name: Name) -> float:
        return self._others


class Rarity(Generic[Name]):
    """The weight of each name by how many of the cases have it: least for one that all have, most for one nobody has.

    `wanted` are the names that will be asked for. A question has few of them, the cases together very many, and only
    the few are counted; any other name counts as one that no case has.
    """

    def __init__(self, having: Iterable[frozenset[Name]], wanted: Collection[Name]) -> None:
        names = frozenset(wanted)
        sets = list(having)
        counts = Counter(chain.from_iterable(map(names.intersection, sets))) if names else Counter[Name]()
        cases = len(sets) + CASES_IMAGINED
        # Few counts occur, however many names have them.
        by_count = {count: math.log1p((cases - count + 0.5) / (count + 0.5)) for count in {0, *counts.values()}}
        self._weights = _Weights({name: by_count[count] for name, count in counts.items()}, by_count[0])
        self._weight = self._weights.__getitem__
        self._masses: dict[frozenset[Name], float] = {}

    def __getitem__(self, name: Name) -> float:
        return self._weight(name)

    def mass(self, names: frozenset[Name]) -> float:
        """The weight of several names together."""
        known = self._masses.get(names)
        if known is None:
            known = self._masses[names] = sum(map(self._weight, names))
        return known

    def share(self, wanted: frozenset[Name], present: frozenset[Name], *, doubted: float = 0.0) -> float:
        """How much of what is wanted is present, by weight, 0 to 1. `doubted` is a weight too small to mean much."""
        met = self.met(wanted, present)
        return met / (self.mass(wanted) + doubted) if met else 0.0

    def met(self, wanted: frozenset[Name], present: frozenset[Name]) -> float:
        """The weight of what is wanted and present."""
        return sum(map(self._weight, wanted & present))
