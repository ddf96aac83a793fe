"""Watching over a real store: what is told of an incident that is over."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pyarrow as pa
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue

from hindcast.adapters.clock import ManualClock
from hindcast.detect import Detector
from hindcast.detect.anomaly import Anomalies
from hindcast.ingest import otlp
from hindcast.ingest.fingerprint.columns import Fingerprinter
from hindcast.ingest.redact import Redactor
from hindcast.ingest.template import Miner
from hindcast.model.columns import LOG, RAW_LOG, Batch, Parsed
from hindcast.model.incident import Event, EventKind
from hindcast.model.ingest_limits import IngestLimits
from hindcast.model.signal import Level
from hindcast.pipeline import Preparation, Stages
from hindcast.watch import COURSE_BEFORE, COURSE_STEPS_MAX, Watch

if TYPE_CHECKING:
    from tests.contract.conftest import TelemetryPlace

AT = datetime(2026, 1, 1, 12, tzinfo=UTC)
SPACE = "local"
TICK = timedelta(seconds=5)
THROWN = 'Traceback (most recent call last):\n  File "/app/pay.py", line 9, in pay\nOSError: refused'
NOTHING: dict[str, Any] = {"trace": "", "span": "", "stack": "", "dependency": "", "attributes": []}


def errors(second: float, service: str = "payment") -> dict[str, Any]:
    """A line of some second that says error."""
    at = AT + timedelta(seconds=second)
    empty = {
        "trace": "",
        "span": "",
        "template": 0,
        "fingerprint": 0,
        "repeated": False,
        "dependency": "",
        "stack": "",
        "attributes": [],
    }
    told = {"space": SPACE, "time": at, "arrived": at, "service": service, "level": Level.ERROR, "message": "refused"}
    return {**empty, **told}


def watched(place: TelemetryPlace, *, seconds: int) -> tuple[Watch, list[Event]]:
    """An outage of payment that lasts a minute, while another service grumbles as it always does."""
    telemetry = place.telemetry()
    lines = [errors(count * 60 / 200) for count in range(200)] + [
        errors(second, "user") for second in range(0, 900, 60)
    ]
    telemetry.write([Batch(SPACE, logs=pa.Table.from_pylist(lines, schema=LOG))])
    watch = Watch(telemetry, Detector(), Anomalies())
    return watch, [event for step in range(seconds // 5) for event in watch.tick(now=AT + step * TICK)]


def test_an_incident_that_is_over_tells_how_it_went(chdb_place: TelemetryPlace) -> None:
    """Errors of its own services, in steps from before its onset until after its end: all of them, and no others."""
    _, events = watched(chdb_place, seconds=400)
    kinds = [event.kind for event in events]
    course = events[-1].incident.course

    assert (kinds[0], kinds[-1]) == (EventKind.OPENED, EventKind.AWAITING)
    assert all(event.incident.course is None for event in events[:-1])
    assert course is not None
    assert course.since == events[0].incident.onset_at - COURSE_BEFORE
    assert sum(course.errors) == 200
    assert (course.errors[0], course.errors[-1]) == (0, 0)
    assert len(course.errors) <= COURSE_STEPS_MAX


def test_how_it_went_is_kept_when_the_counts_are_gone(chdb_place: TelemetryPlace) -> None:
    """Whoever confirms an incident long afterwards does not lose its course."""
    watch, events = watched(chdb_place, seconds=400)
    awaiting = events[-1].incident
    for engine in chdb_place.engines():
        for table in ("rate", "log"):
            engine.run(f"TRUNCATE TABLE {table}")

    confirmed = watch.decide("confirm", SPACE, awaiting.id, by="ana", now=AT + timedelta(hours=2)).incident
    assert confirmed.course == awaiting.course


def test_a_stack_that_any_line_has_is_evidence(chdb_place: TelemetryPlace) -> None:
    """Where the first lines of an outage have no stack and later ones do, one of those is among its exemplars."""
    stack = 'Traceback (most recent call last):\n  File "/app/pool.py", line 9, in take\nTimeoutError'
    plain = [{**errors(second + tenth / 10), "fingerprint": 1} for second in range(40) for tenth in range(6)]
    thrown = [{**errors(second + 0.9), "fingerprint": 7, "stack": stack} for second in range(40)]
    telemetry = chdb_place.telemetry()
    telemetry.write([Batch(SPACE, logs=pa.Table.from_pylist([*plain, *thrown], schema=LOG))])
    watch = Watch(telemetry, Detector(), Anomalies())

    opened = next(event.incident for step in range(20) for event in watch.tick(now=AT + step * TICK))

    assert [one.stack for one in opened.exemplars] == ["", "", "", "", stack]


def outages(place: TelemetryPlace, *failures: int) -> list[Event]:
    """One outage of payment after the other, each confirmed, each with failures of one kind."""
    telemetry, apart = place.telemetry(), 4_000
    lines = [
        {**errors(number * apart + count * 60 / 200), "fingerprint": failure}
        for number, failure in enumerate(failures)
        for count in range(200)
    ]
    telemetry.write([Batch(SPACE, logs=pa.Table.from_pylist(lines, schema=LOG))])
    watch, events = Watch(telemetry, Detector(), Anomalies()), list[Event]()
    for number in range(len(failures)):
        for step in range(80):
            now = AT + timedelta(seconds=number * apart) + step * TICK
            events += watch.tick(now=now)
        events.append(watch.decide("confirm", SPACE, events[-1].incident.id, by="ana", now=now))
    return events


def test_an_incident_is_linked_to_an_earlier_one_of_the_same_failures(chdb_place: TelemetryPlace) -> None:
    """What failed says that a trouble is back; that the same service has it says nothing."""
    events = outages(chdb_place, 7, 8, 7)
    opened = {event.incident.id: event.incident for event in events if event.kind is EventKind.OPENED}
    first, _, third = opened

    assert [one.previous for one in opened.values()] == [None, None, first]
    assert events[-1].incident.id == third
    assert events[-1].incident.previous == first


def failing(second: int, number: int) -> Parsed:
    """One request that fails: web's call to PostgreSQL and its own span, both in error, and the framework's log."""
    at = AT + timedelta(seconds=second, milliseconds=number * 100)
    trace = f"{second + 1:016x}{number:016x}"
    began = int(at.timestamp() * 1e9)
    call: dict[str, Any] = {"trace_id": bytes.fromhex(trace), "start_time_unix_nano": began, "status": {"code": 2}}
    call["end_time_unix_nano"] = began + 1_000_000
    named = {"db.system.name": "postgresql", "server.address": "127.0.0.1"}
    attributes = [KeyValue(key=key, value=AnyValue(string_value=value)) for key, value in named.items()]
    request = ExportTraceServiceRequest()
    scoped = request.resource_spans.add()
    scoped.resource.attributes.add(key="service.name", value=AnyValue(string_value="web"))
    spans = scoped.scope_spans.add().spans
    spans.add(span_id=b"\2" * 8, parent_span_id=b"\1" * 8, name="SELECT shop", kind=3, attributes=attributes, **call)
    spans.add(span_id=b"\1" * 8, name="POST /pay", kind=2, **call)
    line = {"time": at, "service": "web", "level": 17, "message": "Internal Server Error: /pay", "stack": THROWN}
    logs = pa.Table.from_pylist([{**NOTHING, "trace": trace, **line}], schema=RAW_LOG)
    parsed = otlp.parse("traces", request.SerializeToString(), IngestLimits())
    return Parsed(logs=pa.concat_tables([logs, parsed.logs]), spans=parsed.spans)


def test_the_origin_is_what_the_failing_calls_were_made_to(chdb_place: TelemetryPlace) -> None:
    """A database that sends nothing is the origin of what fails in its caller, and each failed request counts once."""
    telemetry = chdb_place.telemetry()
    prepare = Preparation(Stages(Redactor(), Miner(), Fingerprinter()), ManualClock(AT))
    for second in range(60):
        telemetry.write(prepare([(SPACE, failing(second, number)) for number in range(4)]))
    watch = Watch(telemetry, Detector(), Anomalies())

    events = [event for step in range(14) for event in watch.tick(now=AT + step * TICK)]
    last = events[-1].incident

    assert {(edge.caller, edge.callee) for edge in telemetry.calls(AT, AT + timedelta(hours=1), space=SPACE)} == {
        ("web", "postgresql")
    }
    assert last.origin == "postgresql"
    rates = telemetry.rates(AT, AT + timedelta(hours=1)).group_by("service").aggregate([("count", "sum")])
    assert {row["service"]: row["count_sum"] for row in rates.to_pylist()} == {"web": 240, "postgresql": 240}
