"""How rare a word, a frame or a name is among the cases at hand: what all of them have tells none apart."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping


class Rarity(Mapping[str, float]):
    """The weight of each name by how many of the cases have it; 0 for one that all have, highest for one nobody has."""

    def __init__(self, having: Iterable[Collection[str]]) -> None:
        sets = [frozenset(one) for one in having]
        self._cases = len(sets)
        self._counts = Counter(name for one in sets for name in one)
        self._weights: dict[int, float] = {}

    def __getitem__(self, name: str) -> float:
        count = self._counts.get(name, 0)
        weight = self._weights.get(count)
        if weight is None:
            weight = self._weights[count] = math.log1p((self._cases - count + 0.5) / (count + 0.5))
        return weight

    def __contains__(self, name: object) -> bool:
        # Every name has a weight, known or not.
        return isinstance(name, str)

    def __iter__(self) -> Iterator[str]:
        return iter(self._counts)

    def __len__(self) -> int:
        return len(self._counts)

    def mass(self, names: Iterable[str]) -> float:
        """The weight of several names together."""
        return sum(self[name] for name in names)

    def share(self, wanted: Collection[str], present: Collection[str], *, doubted: float = 0.0) -> float:
        """How much of what is wanted is present, by weight, 0 to 1. `doubted` is a weight too small to mean much."""
        whole = self.mass(wanted) + doubted
        return self.mass(name for name in wanted if name in present) / whole if whole > 0 else 0.0
