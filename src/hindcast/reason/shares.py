"""How often something works or does harm, estimated from very few tries: a Beta-Binomial with its lower end.

The prior is Beta(1, 1): before anything was tried every share is equally likely. It is the one prior that needs nobody
else's history; it counts like one try that went well and one that did not, so that a single success reads as two thirds
and not as certainty, and it is outweighed after a handful of tries. Tries may count for less than one.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

PRIOR_FOR, PRIOR_AGAINST = 1.0, 1.0
# The true share lies below the lower end one time in ten: one who reads several such numbers a night meets that rarely,
# and a stricter one would tell three successes apart from none no better.
BELOW_CHANCE = 0.1

_BISECTIONS = 26
_FRACTION_STEPS_MAX = 200
_TINY = 1e-300
# Farther apart than this two values differ for sure, whatever the last digits of their computing say.
_CLEARLY = 1e-9


@dataclass(frozen=True, slots=True)
class Share:
    """An estimated share: its mean, and the end below which it lies one time in ten."""

    mean: float
    least: float


def share(hits: float, misses: float) -> Share:
    """The share of hits, from how many there were of both; weights below one are welcome."""
    assert min(hits, misses) >= 0, "counts are never negative"
    a, b = PRIOR_FOR + hits, PRIOR_AGAINST + misses
    # Rounded, so that the same evidence in another order gives the same number to the last digit.
    return Share(round(a / (a + b), 6), round(_quantile(round(a, 6), round(b, 6)), 6))


@lru_cache(maxsize=4096)
def _quantile(a: float, b: float) -> float:
    """Below which value a Beta(a, b) lies with BELOW_CHANCE, by halving."""
    if b == 1:
        return float(BELOW_CHANCE ** (1 / a))
    near = _near_quantile(a, b)
    # On which side of it something clearly lies needs no computing: that leaves a third of the work.
    is_sure = _below(near - _CLEARLY, a, b) < BELOW_CHANCE <= _below(near + _CLEARLY, a, b)
    low, high = 0.0, 1.0
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        is_clear = is_sure and abs(middle - near) > _CLEARLY
        is_low = middle < near if is_clear else _below(middle, a, b) < BELOW_CHANCE
        low, high = (middle, high) if is_low else (low, middle)
    return (low + high) / 2


def _near_quantile(a: float, b: float) -> float:
    """The same by Newton's method, between bounds that close in: quick, and exact to more digits than are shown."""
    low, high = 0.0, 1.0
    x = a / (a + b)
    for _ in range(_BISECTIONS):
        off = _below(x, a, b) - BELOW_CHANCE
        low, high = (x, high) if off < 0 else (low, x)
        following = x - off / max(_density(x, a, b), _TINY)
        if not low < following < high:
            following = (low + high) / 2
        if abs(following - x) < _CLEARLY / 100:
            return following
        x = following
    return x


def _density(x: float, a: float, b: float) -> float:
    """How likely a Beta(a, b) is to lie about x."""
    scale = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    return math.exp(scale + (a - 1) * math.log(x) + (b - 1) * math.log1p(-x))


def _below(x: float, a: float, b: float) -> float:
    """The chance that a Beta(a, b) lies below x: the regularised incomplete beta function."""
    if x <= 0 or x >= 1:
        return float(x >= 1)
    front = math.exp(
        math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b) + a * math.log(x) + b * math.log1p(-x)
    )  # fmt: skip
    # The fraction converges quickly on this side of the mean only; the other side is its mirror image.
    if x < (a + 1) / (a + b + 2):
        return front * _fraction(x, a, b) / a
    return 1 - front * _fraction(1 - x, b, a) / b


def _fraction(x: float, a: float, b: float) -> float:
    """The continued fraction of the incomplete beta function, by Lentz's method."""
    c, d = 1.0, 1 / _away_from_zero(1 - (a + b) * x / (a + 1))
    value = d
    for m in range(1, _FRACTION_STEPS_MAX):
        even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m))
        odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1))
        for term in (even, odd):
            d = 1 / _away_from_zero(1 + term * d)
            c = _away_from_zero(1 + term / c)
            value *= c * d
        if abs(c * d - 1) < 1e-10:
            break
    return value


def _away_from_zero(value: float) -> float:
    return value if abs(value) > _TINY else _TINY
