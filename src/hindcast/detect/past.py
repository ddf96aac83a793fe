"""Counts of the past, minute by minute, for learning what is usual after a restart."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from hindcast.detect.baseline import SLOTS, Minutes
from hindcast.detect.counts import NEVER, Bools, Counts, Ints, codes_of, seconds_of
from hindcast.detect.tail import Floats
from hindcast.model.errors import Malformed
from hindcast.model.signal import Level

SLOT_SECONDS = 10


def past(rates: pa.Table, counts: Counts, *, until: int, step_seconds: int | None) -> Iterator[tuple[Minutes, Bools]]:
    """Every full minute (or longer step) before a second, oldest first, and which services are watched by then.

    Steps from which nothing came at all are left out: nobody was listening.
    """
    if rates.num_rows == 0:
        return
    second = seconds_of(rates)
    step = _step(second) if step_seconds is None else step_seconds
    if step < 1:
        raise Malformed(f"{step} seconds are no step.", field="step_seconds", remedy="Give at least 1 second.")
    minutes = max(1, round(step / 60))
    block = second // (60 * minutes)
    row = _rows(rates, counts)
    size = len(counts.names)
    known = row >= 0
    second, block, row = second[known], block[known], row[known]
    count = rates["count"].to_numpy()[known] / minutes
    bad = (rates["level"].to_numpy() >= Level.ERROR)[known]
    slot = second // SLOT_SECONDS % SLOTS if step <= SLOT_SECONDS else np.zeros(len(second), dtype=np.int64)
    first_seen = np.full(size, NEVER)
    np.minimum.at(first_seen, row, block)
    order = np.argsort(block, kind="stable")
    numbers, starts = np.unique(block[order], return_index=True)
    for number, part in zip(numbers.tolist(), np.split(order, starts[1:]), strict=True):
        if (number + 1) * 60 * minutes > until:
            return
        lines: Floats = np.asarray(np.bincount(row[part], weights=count[part], minlength=size), dtype=np.float64)
        place = row[part] * SLOTS + slot[part]
        summed = np.bincount(place, weights=count[part] * bad[part], minlength=size * SLOTS)
        slots: Floats = np.asarray(summed, dtype=np.float64).reshape(size, SLOTS)
        fine = slots if step <= SLOT_SECONDS else None
        yield Minutes(number * minutes, slots.sum(axis=1), lines, fine, minutes), first_seen <= number


def _rows(rates: pa.Table, counts: Counts) -> Ints:
    spaces, space_names = codes_of(rates["space"])
    services, service_names = codes_of(rates["service"])
    pairs, place = np.unique(spaces * len(service_names) + services, return_inverse=True)
    names = [(space_names[one // len(service_names)], service_names[one % len(service_names)]) for one in pairs]
    rows = [-1 if (row := counts.row(name)) is None else row for name in names]
    found: Ints = np.array(rows, dtype=np.int64)[place]
    return found


def _step(second: Ints) -> int:
    """The length of the steps that counts were summed by, read off their starts."""
    starts = np.unique(second)
    return int(np.gcd.reduce(np.diff(starts))) if len(starts) > 2 else 60
