"""Fault injection: a burst of errors of one service, as a scenario would make it write them, all at once."""

from __future__ import annotations

from datetime import UTC, datetime

import numpy as np

from hindcast.model.errors import Malformed
from hindcast.model.signal import Level
from hindcast.simulate.chance import Purpose, checked_seed, generator
from hindcast.simulate.failures import OUTSIDE
from hindcast.simulate.moment import Line, Moment
from hindcast.simulate.scenario import Scenario
from hindcast.simulate.speech import error_line
from hindcast.simulate.topology import microservice
from hindcast.simulate.words import BLANKS_MAX

ERRORS_MAX = 100_000
# The errors lie within the last second before the moment, as if they had just been written.
_SPREAD_NS = 1_000_000_000


def burst(scenario: Scenario, service: str, errors: int, *, at: datetime, seed: int) -> Moment:
    """So many errors of a service just before a moment.

    Raises Missing for a service that is none of the seven, Malformed for a number of errors that is out of range.
    """
    origin = scenario.faults[0]
    # The service fails the way the scenario's origin does, and blames the origin if it depends on it.
    peer = origin.service if origin.service in microservice(service).calls else OUTSIDE
    if not 1 <= errors <= ERRORS_MAX:
        raise Malformed(
            f"{errors} errors cannot be sent.", field="--errors", remedy=f"Give a number from 1 to {ERRORS_MAX:,}."
        )
    if at.tzinfo is None:
        raise Malformed(f"{at.isoformat()} has no timezone.", field="at", remedy="Write times as 2026-11-15T02:03:04Z.")
    end_us = round(at.astimezone(UTC).timestamp() * 1_000_000)
    chance = generator(checked_seed(seed), Purpose.BURST, end_us)
    before = np.sort(chance.integers(1, _SPREAD_NS, errors))[::-1].tolist()
    drawn = chance.integers(0, 2**31, (errors, BLANKS_MAX + 1)).tolist()
    lines = tuple(
        _traced(
            error_line(end_us * 1_000 - ago, service, Level.ERROR, origin.way, peer, pick, numbers), chance.bytes(24)
        )
        for ago, (pick, *numbers) in zip(before, drawn, strict=True)
    )
    return Moment(at, 1, lines, (), ())


def _traced(line: Line, ids: bytes) -> Line:
    return line._replace(trace=ids[:16].hex(), span=ids[16:].hex())
