"""How surprising a count is: the upper tail of the negative binomial distribution.

Errors come in clumps, so their counts vary more than Poisson's law allows. A negative binomial with mean m and
dispersion a has the variance m + a·m²; with a towards 0 it is Poisson's.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from hindcast.model.finding import SURPRISE_MAX

Floats = NDArray[np.float64]

_log_gamma = np.frompyfunc(math.lgamma, 1, 1)


def surprise(count: Floats, mean: Floats, dispersion: Floats) -> Floats:
    """The negative decimal logarithm of the chance of that count or more; 0 for counts up to the mean.

    The tail is bounded from above by a geometric series, so a surprise is never overstated.
    """
    mean = np.maximum(mean, 1e-6)
    shape = 1.0 / np.maximum(dispersion, 1e-6)
    above = count > mean
    x = np.where(above, count, mean + 1)
    step = mean / (mean + shape)
    log_mass = (
        _gamma(x + shape)
        - _gamma(shape)
        - _gamma(x + 1)
        + shape * np.log1p(-step)
        + x * np.log(np.maximum(step, 1e-300))
    )
    # From x on, each mass is at most this part of the one before.
    ratio = np.minimum(np.maximum((x + shape) / (x + 1) * step, step), 1 - 1e-9)
    log_tail = np.minimum(log_mass - np.log1p(-ratio), 0.0)
    found: Floats = np.where(above, np.minimum(-log_tail / math.log(10), SURPRISE_MAX), 0.0)
    return found


def _gamma(values: Floats) -> Floats:
    found: Floats = np.asarray(_log_gamma(values), dtype=np.float64)
    return found
