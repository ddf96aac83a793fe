"""Raw telemetry over HTTP, to read: lines, metrics, calls, alerts, changes and traces, each within a window."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from typing import Annotated, TypeVar

from fastapi import FastAPI, Path, Query
from pydantic import AwareDatetime
from starlette.responses import Response

from hindcast.model.errors import Malformed, Missing
from hindcast.model.signal import Alert, Edge, SystemChange
from hindcast.ports import Line, Span
from hindcast.rest.desk import Desk, answered
from hindcast.rest.memory_history import numbered
from hindcast.rest.paging import ITEMS_IF_UNSAID, Cursor, Limit, Page, cursor_of, position_of
from hindcast.rest.seat import Reading

T = TypeVar("T")
TAG = "telemetry"

Since = Annotated[AwareDatetime | None, Query(description="From this time on; an hour ago if left out.")]
Until = Annotated[AwareDatetime | None, Query(description="Before this time; now if left out.")]
Services = Annotated[list[str] | None, Query(max_length=100, description="Only these; repeat it.")]
Words = Annotated[
    str,
    Query(
        max_length=1_000,
        description="Each of these words is a part of the message or of the stack trace, in capitals or not.",
    ),
]
Lines = Annotated[int, Query(ge=1, le=1_000, description="How many lines a page holds at most.")]

WINDOW_IF_UNSAID = timedelta(hours=1)
# Longer than telemetry is usually kept; a query over more only makes the engine busy.
WINDOW_MAX = timedelta(days=92)
# Records whose sender's clock runs a little ahead are part of now.
AHEAD = timedelta(minutes=5)
# What an engine can tell apart.
EARLIEST = datetime(1971, 1, 1, tzinfo=UTC)
LATEST = datetime(2200, 1, 1, tzinfo=UTC)
# More than this on one chart nobody can see.
STEPS_MAX = 2_000
PARTS_MAX = 10
# So many lines of one and the same microsecond can be paged through.
SAME_TIME_MAX = 10_000
SPANS_MAX = 2_000
FINGERPRINT_MAX = 2**64 - 1

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_MICROSECOND = timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class LineTold:
    """One log line."""

    time: datetime
    service: str
    level: int
    message: str
    stack: str
    trace: str
    # Numbers of 64 bits do not survive JavaScript; as text they do.
    template: str
    fingerprint: str
    attributes: dict[str, str]


@dataclass(frozen=True, slots=True)
class MeasureTold:
    """The mean of a metric within one step; a counter as its rate by second."""

    service: str
    name: str
    at: datetime
    value: float


@dataclass(frozen=True, slots=True)
class TraceTold:
    """One trace: its spans in the order in which they began, and its log lines."""

    trace: str
    spans: tuple[Span, ...]
    lines: tuple[LineTold, ...]


def window(now: datetime, since: datetime | None, until: datetime | None) -> tuple[datetime, datetime]:
    """The window that was asked for, or the last hour."""
    for name, given in (("since", since), ("until", until)):
        if given is not None and not EARLIEST <= given <= LATEST:
            raise Malformed(f"{given.isoformat()} is out of range.", field=name, remedy="Give a time of this century.")
    end = until or now + AHEAD
    begin = since or min(now, end) - WINDOW_IF_UNSAID
    if begin >= end:
        raise Malformed("The window ends before it begins.", field="since", remedy="Give a time before `until`.")
    if end - begin > WINDOW_MAX + AHEAD:
        raise Malformed(
            f"The window has {(end - begin).days} days.", field="since", remedy=f"Ask for up to {WINDOW_MAX.days}."
        )
    return begin, end


def parts_of(text: str) -> tuple[str, ...]:
    """What a line has to have, each once; words are separated by spaces."""
    parts = tuple(sorted(set(text.lower().split())))
    if len(parts) > PARTS_MAX:
        raise Malformed(f"{len(parts)} words are too many.", field="words", remedy=f"Give at most {PARTS_MAX} words.")
    return parts


def step_of(begin: datetime, end: datetime, given: int | None, *, steps: int = 300) -> int:
    """The width of steps, so that a window has about so many unless another width was asked for."""
    seconds = (end - begin).total_seconds()
    step = given or max(int(-(-seconds // steps)), 1)
    if seconds / step > STEPS_MAX:
        raise Malformed(
            f"That is {seconds / step:.0f} steps.",
            field="step_seconds",
            remedy=f"Ask for up to {STEPS_MAX}: wider steps or a shorter window.",
        )
    return step


def add(app: FastAPI, desk: Desk) -> None:
    """Add the routes."""
    _add_logs(app, desk)
    _add_traces(app, desk)
    _add_metrics(app, desk)
    _add_told(app, desk)


def _add_logs(app: FastAPI, desk: Desk) -> None:
    @app.get("/api/v1/logs", tags=[TAG], operation_id="logs_list", response_model=Page[LineTold])
    def logs_list(
        seat: Reading,
        since: Since = None,
        until: Until = None,
        service: Services = None,
        level_min: Annotated[int, Query(ge=0, le=24, description="At least so bad: 9 info, 13 warn, 17 error.")] = 0,
        words: Words = "",
        trace: Annotated[str, Query(max_length=100, description="Of this trace.")] = "",
        fingerprint: Annotated[int, Query(ge=0, le=FINGERPRINT_MAX, description="Of this failure.")] = 0,
        newest_first: Annotated[bool, Query(description="The other way round.")] = False,
        cursor: Cursor = None,
        limit: Lines = 100,
    ) -> Response:
        """Log lines that satisfy every condition given, the oldest first."""
        begin, end = window(desk.now(), since, until)
        skip = 0
        if cursor is not None:
            at, skip = _place(cursor)
            begin, end = (begin, min(end, at + _MICROSECOND)) if newest_first else (max(begin, at), end)
        if begin >= end:
            return answered(Page(()))
        found = desk.app.telemetry.lines(
            seat.space,
            begin,
            end,
            services=service or (),
            level_min=level_min,
            words=" ".join(parts_of(words)),
            trace=trace,
            fingerprint=fingerprint,
            newest_first=newest_first,
            lines_max=skip + limit + 1,
        )
        shown = found[skip : skip + limit]
        more = _continued(found[: skip + limit]) if len(found) > skip + limit else None
        return answered(Page(tuple(map(line, shown)), more))


def _add_traces(app: FastAPI, desk: Desk) -> None:
    @app.get("/api/v1/traces/{trace}", tags=[TAG], operation_id="trace_get", response_model=TraceTold)
    def trace_get(
        trace: Annotated[str, Path(min_length=1, max_length=100, description="Its id, in lower-case hex.")],
        seat: Reading,
    ) -> Response:
        """One trace: what each service did, and what it logged meanwhile."""
        telemetry = desk.app.telemetry
        spans = telemetry.spans(seat.space, trace, spans_max=SPANS_MAX)
        now = desk.now()
        began = min((one.time for one in spans), default=now - WINDOW_MAX)
        ended = max((one.time + timedelta(microseconds=one.duration_us) for one in spans), default=now + AHEAD)
        lines = telemetry.lines(seat.space, began - AHEAD, ended + AHEAD, trace=trace, lines_max=SPANS_MAX)
        if not spans and not lines:
            raise Missing(
                f"There is no trace {trace!r}.", field="trace", remedy="It may be older than telemetry is kept."
            )
        return answered(TraceTold(trace, spans, tuple(map(line, lines))))


def _add_metrics(app: FastAPI, desk: Desk) -> None:
    @app.get("/api/v1/metrics", tags=[TAG], operation_id="metrics_list", response_model=Page[MeasureTold])
    def metrics_list(
        seat: Reading,
        since: Since = None,
        until: Until = None,
        service: Services = None,
        name: Annotated[str, Query(max_length=300, description="Only this metric.")] = "",
        step_seconds: Annotated[int | None, Query(ge=1, le=86_400, description="How wide a step is.")] = None,
        cursor: Cursor = None,
        limit: Lines = 1_000,
    ) -> Response:
        """Mean values of metrics by step; counters as rates by second."""
        begin, end = window(desk.now(), since, until)
        step = step_of(begin, end, step_seconds, steps=60)
        rows = desk.app.telemetry.gauges(begin, end, space=seat.space, step_seconds=step).to_pylist()
        found = [
            MeasureTold(row["service"], row["name"], row["step"], row["value"])
            for row in rows
            if (not service or row["service"] in service) and (not name or row["name"] == name)
        ]
        return answered(numbered(found, cursor, limit))


def _add_told(app: FastAPI, desk: Desk) -> None:
    @app.get("/api/v1/calls", tags=[TAG], operation_id="calls_list", response_model=Page[Edge])
    def calls_list(
        seat: Reading,
        since: Since = None,
        until: Until = None,
        cursor: Cursor = None,
        limit: Limit = ITEMS_IF_UNSAID,
    ) -> Response:
        """Which service called which, most calls first."""
        begin, end = window(desk.now(), since, until)
        return answered(numbered(desk.app.telemetry.calls(begin, end, space=seat.space), cursor, limit))

    @app.get("/api/v1/changes", tags=[TAG], operation_id="changes_list", response_model=Page[SystemChange])
    def changes_list(
        seat: Reading,
        since: Since = None,
        until: Until = None,
        service: Services = None,
        cursor: Cursor = None,
        limit: Limit = ITEMS_IF_UNSAID,
    ) -> Response:
        """Deploys, releases and merges, the oldest first."""
        found = desk.app.telemetry.changes(seat.space, *window(desk.now(), since, until))
        return answered(numbered(_of(found, service), cursor, limit))

    @app.get("/api/v1/alerts", tags=[TAG], operation_id="alerts_list", response_model=Page[Alert])
    def alerts_list(
        seat: Reading,
        since: Since = None,
        until: Until = None,
        service: Services = None,
        cursor: Cursor = None,
        limit: Limit = ITEMS_IF_UNSAID,
    ) -> Response:
        """Alerts of other systems, each as it was told last, the oldest first."""
        found = desk.app.telemetry.alerts(seat.space, *window(desk.now(), since, until))
        return answered(numbered(_of([alert for _, alert in found], service), cursor, limit))


def line(one: Line) -> LineTold:
    """A log line as REST tells it."""
    return LineTold(
        **{
            **asdict(one),
            "template": str(one.template),
            "fingerprint": str(one.fingerprint),
        }
    )


Of = TypeVar("Of", SystemChange, Alert)


def _of(found: Sequence[Of], services: list[str] | None) -> list[Of]:
    return [one for one in found if not services or one.service in services]


def _place(cursor: str) -> tuple[datetime, int]:
    """The time that a cursor continues at, and how many lines of that very time were shown already."""
    microseconds, skip = (int(part) for part in position_of(cursor, int, int))
    lowest, highest = (int((bound - _EPOCH) / _MICROSECOND) for bound in (EARLIEST, LATEST))
    if not lowest <= microseconds <= highest or not 0 <= skip <= SAME_TIME_MAX:
        raise Malformed(
            "That is no place in a log.",
            field="cursor",
            remedy="Use `next` of the page before as it is, or narrow the search.",
        )
    return _EPOCH + microseconds * _MICROSECOND, skip


def _continued(shown: Sequence[Line]) -> str:
    last = shown[-1].time
    same = sum(1 for one in shown if one.time == last)
    return cursor_of((last - _EPOCH) // _MICROSECOND, same)
