"""Turns counts into words: the lines of one second, with the traces they belong to and the stacks that were thrown."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from hindcast.model.signal import Level
from hindcast.simulate.chance import Purpose, generator
from hindcast.simulate.counts import ERROR, LEVELS
from hindcast.simulate.failures import FAILURES, OUTSIDE, WORRIES
from hindcast.simulate.lines import LINES
from hindcast.simulate.moment import Line, Span
from hindcast.simulate.requests import ERROR as FAILED
from hindcast.simulate.requests import SERVER
from hindcast.simulate.scenario import Fault, Way
from hindcast.simulate.stack import stack_trace
from hindcast.simulate.topology import NAMES, microservice
from hindcast.simulate.words import BLANKS_MAX, template

# The rest comes from jobs and housekeeping, outside of any request.
IN_REQUEST_SHARE = 0.7
_SECOND_NS = 1_000_000_000
# Two more numbers for each line than blanks: which template, and which request.
_NUMBERS = BLANKS_MAX + 2

_Ids = tuple[str, str]


class Speech:
    """The lines of one second."""

    def __init__(self, seed: int, second: int, spans: Sequence[Span] = ()) -> None:
        self._seed = seed
        self._second = second
        self._whole: dict[str, list[_Ids]] = {}
        self._broken: dict[str, list[_Ids]] = {}
        for span in spans:
            if span.kind == SERVER:
                kept = self._broken if span.status == FAILED else self._whole
                kept.setdefault(span.service, []).append((span.trace, span.span))

    def lines(self, background: NDArray[np.int64], faults: Sequence[tuple[Fault, NDArray[np.int64]]]) -> Iterator[Line]:
        """All lines in order of time, from counts by service and level."""
        wanted: list[tuple[str, int, Fault | None]] = []
        for fault, counts in ((None, background), *faults):
            for place, level in zip(*np.nonzero(counts), strict=True):
                wanted.extend([(NAMES[place], int(level), fault)] * int(counts[place, level]))
        chance = generator(self._seed, Purpose.LINES, self._second)
        order = chance.permutation(len(wanted)).tolist()
        times = (np.sort(chance.integers(0, _SECOND_NS, len(wanted))) + self._second * _SECOND_NS).tolist()
        words = generator(self._seed, Purpose.WORDS, self._second)
        numbers = words.integers(0, 2**31, (len(wanted), _NUMBERS)).tolist()
        for place, time_ns, drawn in zip(order, times, numbers, strict=True):
            service, level, fault = wanted[place]
            yield self._line(time_ns, service, level, fault, drawn)

    def _line(self, time_ns: int, service: str, level: int, fault: Fault | None, drawn: list[int]) -> Line:
        pick, request, *numbers = drawn
        peer = (fault.peer if fault is not None else "") or OUTSIDE
        if level >= ERROR:
            trace, span = self._request(service, request, self._broken)
            way = fault.way if fault is not None else Way.NOISE
            return error_line(time_ns, service, LEVELS[level], way, peer, pick, numbers, trace, span)
        choices = WORRIES[fault.way] if fault is not None else LINES[service][LEVELS[level]]
        message = template(choices[pick % len(choices)], peer).filled(numbers)
        trace, span = self._request(service, request, self._whole)
        return Line(time_ns, service, LEVELS[level], message, trace, span)

    def _request(self, service: str, number: int, known: dict[str, list[_Ids]]) -> _Ids:
        """The request that a line belongs to; none for housekeeping, or where none went through the service."""
        found = known.get(service)
        if not found or number % 1_000 >= IN_REQUEST_SHARE * 1_000:
            return "", ""
        return found[number // 1_000 % len(found)]


def error_line(
    time_ns: int,
    service: str,
    level: Level,
    way: Way,
    peer: str,
    pick: int,
    numbers: Sequence[int],
    trace: str = "",
    span: str = "",
) -> Line:
    """One error, with the stack trace of what was thrown if anything was."""
    one = microservice(service)
    choices = FAILURES[way][one.voice]
    failure = choices[pick % len(choices)]
    message = template(failure.line, peer, one.subject).filled(numbers)
    if not failure.type:
        return Line(time_ns, service, level, message, trace, span)
    text = template(failure.text, peer, one.subject).filled(numbers[::-1])
    stack = stack_trace(service, way, failure.type, text, numbers[0])
    if not stack:
        return Line(time_ns, service, level, f"{message}: {text}", trace, span)
    return Line(time_ns, service, level, message, trace, span, failure.type, text, stack)
