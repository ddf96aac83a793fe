"""How alike two stacks are: frames in the same order count, the rare ones and those near the failure most."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from hindcast.recall.rarity import Rarity

# What a frame weighs falls with its distance from where it failed: a third is left after fourteen frames.
POSITION_DECAY = 0.08
# A frame that sits elsewhere in the other stack counts less. A cut trace shifts all of them a little.
SHIFT_DECAY = 0.04
# Stacks this light (about one common frame) say little, however well they agree.
WEIGHT_DOUBTED = 1.0


def align(asked: Sequence[str], remembered: Sequence[str], rarity: Rarity[str]) -> float:
    """How much of the shorter stack is found in the other in the same order, 0 to 1.

    Both begin where it failed.
    """
    here = {name: place for place, name in reversed(list(enumerate(asked)))}
    there = {name: place for place, name in reversed(list(enumerate(remembered)))}
    shared = sorted((place, there[name], name) for name, place in here.items() if name in there)
    if not shared:
        return 0.0
    lighter = min(_weight(here, rarity), _weight(there, rarity))
    # Names are unique on each side, so the heaviest common order is the heaviest rising run of places.
    best: list[float] = []
    for at, (place, other, name) in enumerate(shared):
        weight = rarity[name] * math.exp(-POSITION_DECAY * min(place, other) - SHIFT_DECAY * abs(place - other))
        before = max((best[earlier] for earlier in range(at) if shared[earlier][1] < other), default=0.0)
        best.append(before + weight)
    return min(max(best) / (lighter + WEIGHT_DOUBTED), 1.0)


def _weight(places: Mapping[str, int], rarity: Rarity[str]) -> float:
    return sum(rarity[name] * math.exp(-POSITION_DECAY * place) for name, place in places.items())
