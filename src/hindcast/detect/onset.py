"""When trouble began: the likeliest second at which a rate of errors changed."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

# Errors a second below which no usual rate is believed; one in a hundred seconds.
RATE_MIN = 0.01


def onset(errors: NDArray[np.int64], usual: float) -> int:
    """The index of the second from which on a higher rate explains the counts best (Poisson likelihood).

    With no usual rate (0), the rate before the change is estimated from the counts themselves.
    """
    length = len(errors)
    if not length or not errors.any():
        return length
    after = errors[::-1].cumsum()[::-1].astype(np.float64)
    seconds = np.arange(length, 0, -1, dtype=np.float64)
    if usual > 0:
        rate = max(usual, RATE_MIN)
        gain = after * np.log(np.maximum(after, 1e-9) / (seconds * rate)) - (after - seconds * rate)
        gain[after <= seconds * rate] = 0.0
    else:
        total = after[0]
        before, seconds_before = total - after, np.maximum(length - seconds, 1e-9)
        gain = _score(after, seconds) + _score(before, seconds_before)
        gain[after / seconds <= before / seconds_before] = -np.inf
        if not np.isfinite(gain).any():
            return 0
    best = int(gain.argmax())
    # The change is where errors begin, not in the quiet seconds before them.
    return best + int((errors[best:] > 0).argmax())


def end(errors: NDArray[np.int64], usual: float) -> int:
    """The index of the second after which the usual rate explains the counts best; the length when it goes on."""
    return len(errors) - onset(errors[::-1], usual)


def _score(count: NDArray[np.float64], seconds: NDArray[np.float64]) -> NDArray[np.float64]:
    found: NDArray[np.float64] = count * np.log(np.maximum(count, 1e-9) / seconds)
    return found
