"""The order and the confidence: two weighted sums over named features, learnt from labelled questions."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from hindcast.model.recollection import Familiarity
from hindcast.recall.learnt import Level, Model

# Nothing is certain, in either direction.
CONFIDENCE_MIN = 0.001
CONFIDENCE_MAX = 0.995
# With fewer cases it says little how far one of them stands above the others.
CASES_COMPARED_MIN = 20
# What standing above the others may add, in log odds, to what a case and a question have in common.
STANDING_OUT_MAX = 0.5


def score(features: Mapping[str, float], model: Model) -> float:
    """The ranker's number; only the order means something."""
    return _weighed(features, model.rank)


def estimate(features: Mapping[str, float], model: Model, *, cases: int) -> float:
    """How likely it seems to be the same failure, among so many cases that came to mind."""
    alone = model.confidence_young_offset + _weighed(features, model.confidence_young)
    if cases < CASES_COMPARED_MIN:
        return probability(alone)
    compared = model.confidence_offset + _weighed(features, model.confidence)
    return probability(joined(compared, alone))


def levelled(estimate: float, levels: Sequence[Level]) -> float:
    """What an estimate is worth: the share that was right on its level. Finer steps could not be measured."""
    found = estimate
    for level in levels:
        if estimate < level.estimate_min:
            break
        found = level.confidence
    return found


def joined(compared: float, alone: float) -> float:
    """The log odds of a case that was compared with others: standing out among strangers adds little by itself."""
    return min(compared, alone + STANDING_OUT_MAX)


def _weighed(features: Mapping[str, float], weights: Mapping[str, float]) -> float:
    # Ninety such sums are made for every question; a loop takes half the time of a generator.
    known, total = features.get, 0.0
    for name, weight in weights.items():
        total += weight * known(name, 0.0)
    return total


def probability(odds: float) -> float:
    """The probability of log odds, within what may be claimed."""
    clipped = max(min(odds, 50.0), -50.0)
    return min(max(1 / (1 + math.exp(-clipped)), CONFIDENCE_MIN), CONFIDENCE_MAX)


def raised(confidence: float, odds: float) -> float:
    """A confidence after evidence worth so many log odds."""
    known = min(max(confidence, CONFIDENCE_MIN), CONFIDENCE_MAX)
    return probability(math.log(known / (1 - known)) + odds)


def settled(estimates: Sequence[float], levels: Sequence[Level]) -> list[float]:
    """The confidence in each of some ranked cases: what was measured for the first, and the others in proportion to it.

    None is above the one before it: what is ranked behind cannot be surer.
    """
    found: list[float] = []
    for one in estimates:
        share = levelled(estimates[0], levels) / max(estimates[0], CONFIDENCE_MIN)
        found.append(min(one * share, found[-1]) if found else levelled(one, levels))
    return found


def familiarity(confidence: float, model: Model) -> Familiarity:
    """What may be said at this confidence."""
    if confidence >= model.seen_min:
        return Familiarity.SEEN
    return Familiarity.MAYBE if confidence >= model.maybe_min else Familiarity.NEW
