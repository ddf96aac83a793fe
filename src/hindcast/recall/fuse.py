"""Joins what the arms think into one number: a weighted sum of how far each puts a case above the others at hand.

Scores of different arms have different scales, so each is first measured against its own mean and spread. Which arm is
to be trusted depends on what the question is made of; the weights were learnt (see `learnt`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from hindcast.recall.arms import Candidate

# With few cases a mean and a spread mean little: with so many of them the sum counts half.
CASES_DOUBTED = 3
# A case that shares one odd word with the question stands far above those that share none, and it means little.
SPREADS_MAX = 4.5
# Scores that differ by no more than this are one.
SPREAD_MIN = 1e-9


def standing(candidates: Sequence[Candidate], arm: str) -> list[float]:
    """How many spreads each candidate stands above the mean of one arm; what an arm has not scored is at its worst."""
    above: list[float] = _standing(candidates, (arm,))[0].tolist()
    return above


def _standing(candidates: Sequence[Candidate], arms: Sequence[str]) -> NDArray[np.float64]:
    """The same for several arms at once, a row for each. Who has nothing to compare puts nobody above anybody."""
    rows = np.zeros((len(arms), len(candidates)))
    if not candidates:
        return rows
    for row, arm in zip(rows, arms, strict=True):
        given = [candidate.ranks.get(arm) for candidate in candidates]
        known = [rank.score for rank in given if rank is not None]
        if len(known) >= 2:
            worst = min(known)
            row[:] = known if len(known) == len(given) else [worst if rank is None else rank.score for rank in given]
    spreads = rows.std(axis=1, keepdims=True)
    told = spreads > SPREAD_MIN
    shrunk = len(candidates) / (len(candidates) + CASES_DOUBTED)
    above = (rows - rows.mean(axis=1, keepdims=True)) / np.where(told, spreads, 1.0) * shrunk
    return np.where(told, np.minimum(np.maximum(above, -SPREADS_MAX), SPREADS_MAX), 0.0)


def fuse(candidates: Sequence[Candidate], weights: Mapping[str, float]) -> list[float]:
    """The weighted sum for every candidate, in their order."""
    total = np.zeros(len(candidates))
    for weight, above in zip(weights.values(), _standing(candidates, tuple(weights)), strict=True):
        total += weight * above
    summed: list[float] = total.tolist()
    return summed
