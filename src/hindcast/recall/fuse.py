"""Joins what the arms think into one number: a weighted sum of how far each puts a case above the others at hand.

Scores of different arms have different scales, so each is first measured against its own mean and spread. Which arm is
to be trusted depends on what the question is made of; the weights were learnt (see `learnt`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from hindcast.recall.arms import Candidate

# With few cases a mean and a spread mean little: with so many of them the sum counts half.
CASES_DOUBTED = 3
# A case that shares one odd word with the question stands far above those that share none, and it means little.
SPREADS_MAX = 4.5


def standing(candidates: Sequence[Candidate], arm: str) -> list[float]:
    """How many spreads each candidate stands above the mean of one arm; what an arm has not scored is at its worst."""
    known = [candidate.ranks[arm].score for candidate in candidates if arm in candidate.ranks]
    if len(known) < 2:
        return [0.0] * len(candidates)
    worst = min(known)
    scores = np.array([candidate.ranks[arm].score if arm in candidate.ranks else worst for candidate in candidates])
    spread = float(scores.std())
    if spread <= 1e-9:
        return [0.0] * len(candidates)
    shrunk = len(candidates) / (len(candidates) + CASES_DOUBTED)
    above: list[float] = np.clip((scores - scores.mean()) / spread * shrunk, -SPREADS_MAX, SPREADS_MAX).tolist()
    return above


def fuse(candidates: Sequence[Candidate], weights: Mapping[str, float]) -> list[float]:
    """The weighted sum for every candidate, in their order."""
    total = np.zeros(len(candidates))
    for arm, weight in weights.items():
        total += weight * np.array(standing(candidates, arm)) if candidates else 0.0
    summed: list[float] = total.tolist()
    return summed
