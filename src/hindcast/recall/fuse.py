"""Joins what the arms think into one number: a weighted sum of how far each puts a case above the others at hand.

Scores of different arms have different scales, so each is first measured against its own mean and spread. Which arm is
to be trusted depends on what the question is made of; the weights were learnt (see `learnt`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from hindcast.model.query import Rank

# What each arm that has an opinion of a case thinks of it.
Opinions = Mapping[str, Rank]

# With few cases a mean and a spread mean little: with so many of them the sum counts half.
CASES_DOUBTED = 3
# A case that shares one odd word with the question stands far above those that share none, and it means little.
SPREADS_MAX = 4.5
# Scores that differ by no more than this are one.
SPREAD_MIN = 1e-9


def standing(cases: Sequence[Opinions], arm: str) -> list[float]:
    """How many spreads each case stands above the mean of one arm; what an arm has not scored is at its worst."""
    above: list[float] = _standing(cases, (arm,))[0].tolist()
    return above


def _standing(cases: Sequence[Opinions], arms: Sequence[str]) -> NDArray[np.float64]:
    """The same for several arms at once, a row for each. Who has nothing to compare puts nobody above anybody."""
    rows = np.zeros((len(arms), len(cases)))
    if not cases:
        return rows
    for row, arm in zip(rows, arms, strict=True):
        given = [opinions.get(arm) for opinions in cases]
        known = [rank.score for rank in given if rank is not None]
        if len(known) >= 2:
            worst = min(known)
            row[:] = known if len(known) == len(given) else [worst if rank is None else rank.score for rank in given]
    spreads = rows.std(axis=1, keepdims=True)
    told = spreads > SPREAD_MIN
    shrunk = len(cases) / (len(cases) + CASES_DOUBTED)
    above = (rows - rows.mean(axis=1, keepdims=True)) / np.where(told, spreads, 1.0) * shrunk
    return np.where(told, np.minimum(np.maximum(above, -SPREADS_MAX), SPREADS_MAX), 0.0)


def fuse(cases: Sequence[Opinions], weights: Mapping[str, float]) -> list[float]:
    """The weighted sum for every case, in their order."""
    total = np.zeros(len(cases))
    for weight, above in zip(weights.values(), _standing(cases, tuple(weights)), strict=True):
        total += weight * above
    summed: list[float] = total.tolist()
    return summed
