"""From distances to what a person reads: a surprise, a score, a sentence."""

from __future__ import annotations

import math

import numpy as np

from hindcast.detect.series.bank import View
from hindcast.detect.series.season import Floats

# Tails of real gauges are far heavier than a bell curve's. Over the healthy stretches of a few hundred thousand points
# of public series, a distance d was exceeded with a chance of about (1 + d / 1.7) ** -3.2.
_TAIL_SCALE = 1.7
_TAIL_POWER = 3.2
# The distance that scores one half.
_HALF_DISTANCE = 6.0


def surprise_of(distance: float) -> float:
    """The negative decimal logarithm of how often a healthy series is that far away."""
    return _TAIL_POWER * math.log10(1.0 + distance / _TAIL_SCALE)


def score_of(distance: Floats) -> Floats:
    """The same order on a scale from 0 to 1."""
    return distance / (distance + _HALF_DISTANCE)


def sentence(value: float, expected: float, spread: float, views: Floats) -> str:
    """What is unusual, in the words of the view that finds it most so."""
    strongest = View(int(np.argmax(np.abs(views))))
    spreads = float(views[strongest])
    usual = f"{value:.4g}, usually {expected:.4g} ± {spread:.2g}"
    more = "above" if spreads > 0 else "below"
    if strongest is View.LEVEL:
        return f"{usual}: {abs(spreads):.0f} spreads {more}"
    if strongest is View.DRIFT:
        return f"{usual}: its recent mean is {abs(spreads):.0f} spreads {more}"
    if strongest is View.SEASON:
        return f"{usual}: {abs(spreads):.0f} spreads {more} the same time of a day and of a week ago"
    if spreads > 0:
        return f"{usual}: it moves far more from point to point than it used to"
    return f"{usual}: it has gone flat"
