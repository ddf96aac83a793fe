"""Quantiles out of histograms: how much is in each piece of the number line, and where a share of it ends."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

# Pieces of the number line from low to high: lower end, upper end, how many observations.
Pieces = Sequence[tuple[float, float, int]]

QUANTILES: Final = (0.5, 0.9, 0.99)
# Beyond these scales a bucket is wider than all floats, or narrower than two neighbours of them.
SCALE_MIN: Final = -11
SCALE_MAX: Final = 40


def explicit_pieces(fields: Mapping[str, Any]) -> Pieces | None:
    """The buckets of a histogram with explicit bounds; none where they contradict one another."""
    counts, bounds = fields["bucket_counts"], fields["explicit_bounds"]
    if not counts:
        # Count and sum alone are a histogram, too.
        return ()
    is_rising = all(low < high for low, high in pairwise(bounds))
    if len(counts) != len(bounds) + 1 or not is_rising:
        return None
    if not bounds:
        return ((-math.inf, math.inf, counts[0]),)
    # Nothing says how far the outer buckets reach. Most measurements start at zero.
    lowest = 0.0 if bounds[0] > 0 else bounds[0]
    edges = [lowest, *bounds, bounds[-1]]
    return tuple(zip(edges, edges[1:], counts, strict=False))


def exponential_pieces(fields: Mapping[str, Any]) -> Pieces | None:
    """The buckets of an exponential histogram; none where they are beyond what a float can hold."""
    scale = fields["scale"]
    positive, negative = (fields[side] or {"offset": 0, "bucket_counts": ()} for side in ("positive", "negative"))
    if not SCALE_MIN <= scale <= SCALE_MAX:
        return None
    above = _exponential_side(scale, positive)
    below = _exponential_side(scale, negative)
    if above is None or below is None:
        return None
    mirrored = tuple((-high, -low, count) for low, high, count in reversed(below))
    return (*mirrored, (0.0, 0.0, fields["zero_count"]), *above)


def _exponential_side(scale: int, side: Mapping[str, Any]) -> Pieces | None:
    counts = side["bucket_counts"]
    step = 2.0**-scale
    highest = (side["offset"] + len(counts)) * step
    # The exponents of two that a float has.
    if counts and not (side["offset"] * step >= -1_100 and highest <= 1_023):
        return None
    return tuple(
        (2.0 ** ((side["offset"] + place) * step), 2.0 ** ((side["offset"] + place + 1) * step), count)
        for place, count in enumerate(counts)
        if count
    )


def quantile_suffix(share: float) -> str:
    """What a quantile adds to the name of its histogram."""
    return f".p{share * 100:g}"


def quantile(pieces: Pieces, share: float, least: float | None, most: float | None) -> float | None:
    """Where a share of all observations ends, straight lines assumed inside a bucket; none without observations."""
    total = sum(count for _, _, count in pieces)
    if total <= 0:
        return None
    wanted = share * total
    seen = 0
    for low, high, count in pieces:
        if count and seen + count >= wanted:
            inside = low + (high - low) * ((wanted - seen) / count)
            return _within(inside, least, most)
        seen += count
    return None


def _within(value: float, least: float | None, most: float | None) -> float | None:
    if most is not None and value > most:
        value = most
    if least is not None and value < least:
        value = least
    return value if math.isfinite(value) else None
