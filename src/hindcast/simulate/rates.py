"""Counts of the world as the RATE table that detection reads. Apart, because loading Arrow takes a while."""

from __future__ import annotations

from datetime import datetime

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hindcast.model.columns import RATE
from hindcast.simulate.counts import LEVELS, seconds_since_1970
from hindcast.simulate.topology import NAMES


def rate_table(counts: NDArray[np.int64], since: datetime, *, space: str, step_seconds: int = 1) -> pa.Table:
    """A RATE table of counts by second, service and level; what is zero is left out, as in a store."""
    steps = -(-len(counts) // step_seconds)
    padded = np.zeros((steps * step_seconds, *counts.shape[1:]), np.int64)
    padded[: len(counts)] = counts
    summed = padded.reshape(steps, step_seconds, *counts.shape[1:]).sum(axis=1)
    step, service, level = np.nonzero(summed)
    seconds = seconds_since_1970(since) + step * step_seconds
    columns = [
        pa.array([space], pa.string()).take(pa.array(np.zeros(len(step), np.int64))),
        pa.array(seconds, pa.int64()).cast(RATE.field("second").type),
        pa.array(NAMES, pa.string()).take(pa.array(service)),
        pa.array(np.array([int(one) for one in LEVELS], np.uint8)[level]),
        pa.array(summed[step, service, level].astype(np.uint64)),
    ]
    return pa.Table.from_arrays(columns, schema=RATE)
