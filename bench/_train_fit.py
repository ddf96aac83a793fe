"""Fits the two weighted sums of recall: one that orders candidates, one that says how sure the first may be.

Plain projected gradient descent over a few named numbers. Weights are drawn towards 0 (few questions teach little), and
what speaks for a match may never count against it, nor the other way round.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bench._train_data import Example
from hindcast.model.recollection import CueKind

Floats = NDArray[np.float64]

# What speaks against a match; everything else speaks for it or says nothing.
AGAINST = frozenset({"exception_other", "component_other"})
KINDS = tuple(CueKind)
STEPS = 600
STEP = 0.05


@dataclass(frozen=True, slots=True)
class Padded:
    """Examples as arrays: question by candidate by number, with a mask of what is there."""

    numbers: Floats
    there: NDArray[np.bool_]
    right: NDArray[np.bool_]
    weights: Floats


def padded(examples: Sequence[Example], rows: Sequence[Sequence[Sequence[float]]]) -> Padded:
    """`rows` holds for each example, for each candidate, its numbers."""
    widest = max((len(row) for row in rows), default=0)
    count = len(rows[0][0])
    numbers = np.zeros((len(rows), widest, count))
    there = np.zeros((len(rows), widest), dtype=bool)
    right = np.zeros((len(rows), widest), dtype=bool)
    for at, (example, row) in enumerate(zip(examples, rows, strict=True)):
        numbers[at, : len(row)] = row
        there[at, : len(row)] = True
        right[at, : len(row)] = example.right
    return Padded(numbers, there, right, np.array([example.weight for example in examples]))


def fit_order(data: Padded, *, drawn: Floats, low: Floats, high: Floats, towards: Floats | None = None) -> Floats:
    """Weights under which right candidates share as much of the softmax as they can; `drawn` pulls them `towards`."""
    start = np.zeros(data.numbers.shape[2]) if towards is None else towards.copy()
    origin = start.copy()
    flat = data.numbers.reshape(-1, data.numbers.shape[2])

    def gradient(weights: Floats) -> Floats:
        scores = np.where(data.there, (flat @ weights).reshape(data.there.shape), -np.inf)
        scores -= scores.max(axis=1, keepdims=True)
        shares = np.exp(scores)
        shares /= shares.sum(axis=1, keepdims=True)
        wanted = np.where(data.right, shares, 0.0)
        wanted /= np.maximum(wanted.sum(axis=1, keepdims=True), 1e-12)
        slope = (data.weights[:, None] * (shares - wanted)).ravel() @ flat
        pulled: Floats = slope / data.weights.sum() + drawn * (weights - origin)
        return pulled

    return _descend(start, gradient, low, high)


def fit_odds(
    numbers: Floats, right: Floats, weights: Floats, *, drawn: Floats, low: Floats, high: Floats, towards: Floats
) -> Floats:
    """Weights of log odds, drawn `towards` what is expected of them; the last of them is an offset that is free."""
    whole = np.hstack([numbers, np.ones((len(numbers), 1))])
    origin = np.append(towards, 0.0)
    pull = np.append(drawn, 0.0)

    def gradient(found: Floats) -> Floats:
        stated = 1 / (1 + np.exp(-np.clip(whole @ found, -50, 50)))
        slope: Floats = (weights * (stated - right)) @ whole / weights.sum() + pull * (found - origin)
        return slope

    free = np.array([np.inf])
    return _descend(origin.copy(), gradient, np.concatenate([low, -free]), np.concatenate([high, free]), steps=1_500)


def _descend(
    start: Floats, gradient: Callable[[Floats], Floats], low: Floats, high: Floats, *, steps: int = STEPS
) -> Floats:
    """Adam with its second moment only, projected after each step."""
    weights = start.copy()
    moment = np.zeros_like(weights)
    speed = np.zeros_like(weights)
    for step in range(1, steps + 1):
        slope = gradient(weights)
        moment = 0.9 * moment + 0.1 * slope
        speed = 0.999 * speed + 0.001 * slope**2
        rate = STEP * min(1.0, 20 * (1 - step / steps) + 0.01)
        weights = weights - rate * (moment / (1 - 0.9**step)) / (np.sqrt(speed / (1 - 0.999**step)) + 1e-8)
        weights = np.clip(weights, low, high)
    return weights


def bounds(names: Sequence[str]) -> tuple[Floats, Floats]:
    """The lowest and highest weight of each feature: signs that a person would expect."""
    low = np.array([-np.inf if name in AGAINST else 0.0 for name in names])
    high = np.array([0.0 if name in AGAINST else np.inf for name in names])
    return low, high


def arm_rows(example: Example, arms: Sequence[str]) -> list[list[float]]:
    """For each candidate: what each arm says, once for all kinds of question, and once for the example's own kind."""
    kind = KINDS.index(example.kind)
    rows = []
    for at in range(len(example.cases)):
        said = [example.standings[arm][at] for arm in arms]
        row = list(said)
        for other in range(len(KINDS)):
            row += said if other == kind else [0.0] * len(said)
        rows.append(row)
    return rows


def arm_weights(found: Floats, arms: Sequence[str]) -> dict[CueKind, dict[str, float]]:
    """The weights of each kind: what all kinds share, and what its own questions add to it."""
    count = len(arms)
    shared = found[:count]
    return {
        kind: {
            arm: round(max(float(shared[at] + found[count * (1 + number) + at]), 0.0), 4) for at, arm in enumerate(arms)
        }
        for number, kind in enumerate(KINDS)
    }


def fused(example: Example, weights: Mapping[CueKind, Mapping[str, float]]) -> list[float]:
    """What the arms say together of each candidate."""
    own = weights[example.kind]
    return [sum(weight * example.standings[arm][at] for arm, weight in own.items()) for at in range(len(example.cases))]
