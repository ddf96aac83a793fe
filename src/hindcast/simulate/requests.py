"""Requests through the seven services: spans with parents and children, and errors that travel back to the caller."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from hindcast.simulate.moment import Span
from hindcast.simulate.topology import MICROSERVICES, PLACES, ROUTES, Call

INTERNAL, SERVER, CLIENT = 1, 2, 3
OK, ERROR = 1, 2
# A caller that gets an error passes it on, save where it has something to fall back on.
PASSED_ON_CHANCE = 0.85
# Time a call spends on the wire, either way.
WIRE_NS = 400_000
# Spread of durations: most near the usual, some several times as long.
DURATION_SIGMA = 0.45

_WEIGHTS = np.cumsum([route.weight for route in ROUTES])
_BATCHES = ("analytics",)


@dataclass(frozen=True, slots=True)
class Health:
    """How the services are doing within one second, each in the order of the seven."""

    # The chance that a call fails, that it takes this many times as long, and that it leaves no trace.
    failing: NDArray[np.float64]
    latency_factor: NDArray[np.float64]
    lost: NDArray[np.float64]


class Requests:
    """Makes the spans of one second."""

    def __init__(self, chance: Generator, health: Health) -> None:
        self._chance = chance
        self._health = health
        self._spans: list[Span] = []

    def spans(self, second: int, count: int) -> tuple[Span, ...]:
        """So many requests that begin within a second, as spans in order of time."""
        begins = np.sort(self._chance.integers(0, 1_000_000_000, count)) + second * 1_000_000_000
        picks = np.searchsorted(_WEIGHTS, self._chance.random(count) * _WEIGHTS[-1], side="right")
        for begin, pick in zip(begins.tolist(), picks.tolist(), strict=True):
            self._call(ROUTES[pick].entry, begin, trace=self._id(16), parent="")
        return tuple(sorted(self._spans, key=lambda span: span.start_ns))

    def _call(self, call: Call, begin_ns: int, *, trace: str, parent: str) -> tuple[int, bool]:
        """Add the spans of one call and of those it makes; when it ended, and whether it failed."""
        place = PLACES[call.service]
        span = self._id(8)
        own = self._duration_ns(place)
        failed = bool(self._chance.random() < self._health.failing[place])
        seen = bool(self._chance.random() >= self._health.lost[place])
        now = begin_ns + own // 2
        # A call that fails by itself often does so before it asks anybody.
        asked = call.calls if not failed or self._chance.random() < 0.5 else ()
        for inner in asked:
            client = self._id(8)
            ended, broke = self._call(inner, now + WIRE_NS, trace=trace, parent=client)
            status = ERROR if broke else OK
            if seen:
                self._spans.append(
                    Span(
                        now, ended + WIRE_NS, call.service, inner.operation, CLIENT, trace, client, span, inner.service,
                        status,
                    )
                )  # fmt: skip
            now = ended + WIRE_NS
            if broke and self._chance.random() < PASSED_ON_CHANCE:
                failed = True
                break
        end = now + own - own // 2
        if seen:
            kind = INTERNAL if not parent and call.service in _BATCHES else SERVER
            status = ERROR if failed else OK
            self._spans.append(Span(begin_ns, end, call.service, call.operation, kind, trace, span, parent, "", status))
        return end, failed

    def _duration_ns(self, place: int) -> int:
        usual_ms = MICROSERVICES[place].latency_ms * float(self._health.latency_factor[place])
        return int(usual_ms * 1_000_000 * self._chance.lognormal(0, DURATION_SIGMA))

    def _id(self, size_bytes: int) -> str:
        return self._chance.bytes(size_bytes).hex()
