"""What the world says within some seconds: lines, gauges, spans and changes. Tuples, because a second makes many."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple

from hindcast.model.signal import Level, SystemChange


class Line(NamedTuple):
    """One log line. Times are nanoseconds since 1970, ids lower-case hex or empty."""

    time_ns: int
    service: str
    level: Level
    message: str
    trace: str = ""
    span: str = ""
    # What was thrown, if anything was: its type, its text and where.
    exception: str = ""
    exception_text: str = ""
    stack: str = ""


class Gauge(NamedTuple):
    """One measured value."""

    time_ns: int
    service: str
    name: str
    value: float
    unit: str
    # Whether it counts what happened since the value before, instead of saying how things stand.
    is_count: bool = False


class Span(NamedTuple):
    """One service's part in a request. `kind` and `status` are OTLP's numbers."""

    start_ns: int
    end_ns: int
    service: str
    name: str
    kind: int
    trace: str
    span: str
    parent: str
    # The service that is called, for the caller's side of a call.
    peer: str
    status: int


@dataclass(frozen=True, slots=True)
class Moment:
    """All that was said from `at` on for so many seconds, each kind in order of time."""

    at: datetime
    seconds: int
    lines: tuple[Line, ...]
    gauges: tuple[Gauge, ...]
    spans: tuple[Span, ...]
    changes: tuple[SystemChange, ...] = ()
    # Which version of a service is live, where that is not its usual one, as of `at`.
    versions: tuple[tuple[str, str], ...] = ()
