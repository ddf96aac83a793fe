"""OTLP metrics and traces: every kind of point, spans with their exceptions, and what is rejected."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa
import pytest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.metrics.v1.metrics_pb2 import (
    ExponentialHistogram,
    ExponentialHistogramDataPoint,
    Gauge,
    Histogram,
    HistogramDataPoint,
    Metric,
    NumberDataPoint,
    Sum,
    Summary,
    SummaryDataPoint,
)
from opentelemetry.proto.trace.v1.trace_pb2 import Span, Status
from tests.unit.test_otlp import as_json, pairs

from hindcast.detect.anomaly import Anomalies
from hindcast.ingest import otlp
from hindcast.ingest.histogram_window import Windows
from hindcast.ingest.rows import Read
from hindcast.model.columns import RAW_LOG, RAW_METRIC, SPAN
from hindcast.model.ingest_limits import IngestLimits

NANOS = 1_794_823_199_000_000_000
AT = datetime(2026, 11, 16, 9, 59, 59, tzinfo=UTC)
LIMITS = IngestLimits()
TRACE = b"\1" * 16


def metrics(*found: Metric) -> ExportMetricsServiceRequest:
    """A request of one service's metrics."""
    made = ExportMetricsServiceRequest()
    one = made.resource_metrics.add()
    one.resource.attributes.extend(pairs(service__name="api", host__name="h"))
    one.scope_metrics.add().metrics.extend(found)
    return made


def traces(*found: Span) -> ExportTraceServiceRequest:
    """A request of one service's spans."""
    made = ExportTraceServiceRequest()
    one = made.resource_spans.add()
    one.resource.attributes.extend(pairs(service__name="api", host__name="h"))
    one.scope_spans.add().spans.extend(found)
    return made


def read(kind: Any, made: Any) -> Read:
    """A request, after all three ways to read it have agreed on it."""
    body = made.SerializeToString()
    found = otlp.parse(kind, body, LIMITS)
    others = (otlp.parse_by_message(kind, body, LIMITS), otlp.parse(kind, as_json(made), LIMITS, as_json=True))
    for other in others:
        assert other.rejections == found.rejections
        assert other.altered == found.altered
        for name in ("logs", "metrics", "spans"):
            mine, its = getattr(found, name), getattr(other, name)
            assert (mine is None) == (its is None)
            assert mine is None or mine.to_pylist() == its.to_pylist()
    return found


def points(*found: Metric) -> list[dict[str, Any]]:
    """The rows of metrics."""
    table = read("metrics", metrics(*found)).metrics
    assert table is not None
    assert table.schema == RAW_METRIC
    return [{**row, "attributes": dict(row["attributes"])} for row in table.to_pylist()]


def values(*found: Metric) -> dict[str, float]:
    """The values of metrics by their name."""
    return {row["name"]: row["value"] for row in points(*found)}


def number(value: float, **attributes: str) -> NumberDataPoint:
    """A data point with a value."""
    point = NumberDataPoint(time_unix_nano=NANOS, attributes=pairs(**attributes))
    if isinstance(value, int):
        point.as_int = value
    else:
        point.as_double = value
    return point


def gauge(name: str, *found: NumberDataPoint) -> Metric:
    """A gauge."""
    return Metric(name=name, unit="By", gauge=Gauge(data_points=found))


def test_a_gauge_is_a_row() -> None:
    """Name, value, unit, time, service and attributes are as they were sent."""
    [row] = points(gauge("memory", number(5, pool="heap")))

    assert row == {
        "space": "",
        "time": AT,
        "service": "api",
        "name": "memory",
        "value": 5.0,
        "unit": "By",
        "cumulative": False,
        "buckets": "",
        "attributes": {"host.name": "h", "pool": "heap"},
    }


@pytest.mark.parametrize(
    ("temporality", "monotonic", "cumulative"), [(2, True, True), (2, False, False), (1, True, False), (0, True, False)]
)
def test_only_a_running_total_is_cumulative(temporality: Any, monotonic: bool, cumulative: bool) -> None:
    """A sum that goes up and down, and a sum of the last interval, are values as they are."""
    data = Sum(data_points=[number(1.5)], aggregation_temporality=temporality, is_monotonic=monotonic)

    assert [row["cumulative"] for row in points(Metric(name="n", sum=data))] == [cumulative]


def histogram(temporality: int) -> Metric:
    """A hundred observations in four buckets."""
    point = HistogramDataPoint(
        time_unix_nano=NANOS,
        count=100,
        sum=1_500.0,
        min=1.0,
        max=60.0,
        explicit_bounds=[10.0, 20.0, 50.0],
        bucket_counts=[50, 40, 9, 1],
    )
    data = Histogram(data_points=[point], aggregation_temporality=temporality)  # type: ignore[arg-type]
    return Metric(name="ms", histogram=data)


def test_a_histogram_is_told_by_its_totals_and_its_quantiles() -> None:
    """The quantiles are read off the buckets, within the smallest and the largest."""
    assert {row["name"]: (row["value"], row["cumulative"]) for row in points(histogram(1))} == {
        "ms.count": (100.0, False),
        "ms.sum": (1_500.0, False),
        "ms.min": (1.0, False),
        "ms.max": (60.0, False),
        "ms.p50": (10.0, False),
        "ms.p90": (20.0, False),
        "ms.p99": (50.0, False),
    }


def test_a_histogram_since_its_start_is_told_by_its_totals_and_its_buckets() -> None:
    """Extremes and quantiles since a process began are of no window: the buckets wait for the next export."""
    found = points(histogram(2))

    assert [(row["name"], row["value"], row["cumulative"]) for row in found] == [
        ("ms.count", 100.0, True),
        ("ms.sum", 1_500.0, True),
        ("ms", 0.0, False),
    ]
    assert [row["buckets"] for row in found] == ["", "", "[[0.0,10.0,50],[10.0,20.0,40],[20.0,50.0,9],[50.0,50.0,1]]"]


def test_a_histogram_without_buckets_is_its_totals() -> None:
    """Count alone, and sum if there is one."""
    data = Histogram(data_points=[HistogramDataPoint(time_unix_nano=NANOS, count=3)])

    assert values(Metric(name="h", histogram=data)) == {"h.count": 3.0}


def test_an_exponential_histogram_gives_quantiles_too() -> None:
    """Buckets of powers of two, a zero bucket and a negative side."""
    point = ExponentialHistogramDataPoint(time_unix_nano=NANOS, count=10, sum=40.0, scale=0, zero_count=2)
    point.positive.offset = 1
    point.positive.bucket_counts.extend([0, 6])
    point.negative.offset = 0
    point.negative.bucket_counts.extend([2])
    data = ExponentialHistogram(data_points=[point], aggregation_temporality=1)  # type: ignore[arg-type]

    found = values(Metric(name="e", exponential_histogram=data))

    assert found["e.count"] == 10
    # Two below zero, two at zero, six between four and eight: half of all ends a sixth into the last bucket.
    assert found["e.p50"] == pytest.approx(4 + 4 / 6)
    assert 4 < found["e.p90"] < found["e.p99"] < 8


def test_a_summary_keeps_its_own_quantiles() -> None:
    """Quantiles by name; NaN is a summary's way to say that it has none."""
    point = SummaryDataPoint(time_unix_nano=NANOS, count=4, sum=8.0)
    for share, value in ((0.5, 2.0), (0.999, 3.0), (0.9, math.nan)):
        point.quantile_values.add(quantile=share, value=value)

    found = points(Metric(name="s", summary=Summary(data_points=[point])))

    assert {row["name"]: row["value"] for row in found} == {"s.count": 4, "s.sum": 8, "s.p50": 2, "s.p99.9": 3}
    assert [row["name"] for row in found if row["cumulative"]] == ["s.count", "s.sum"]


def test_points_that_are_no_numbers_are_rejected_by_their_place() -> None:
    """NaN, infinity, no value, no time, no name, buckets that do not add up: told; all others are taken."""
    broken = HistogramDataPoint(time_unix_nano=NANOS, count=1, explicit_bounds=[1.0, 2.0], bucket_counts=[1])
    made = metrics(
        gauge("a", number(1.0), number(math.nan), number(math.inf), number(-math.inf), number(2)),
        gauge("b", NumberDataPoint(time_unix_nano=NANOS), NumberDataPoint(as_int=1)),
        gauge("", number(1)),
        Metric(name="h", histogram=Histogram(data_points=[broken])),
        gauge("c", number(3)),
    )

    found = read("metrics", made)

    assert found.metrics is not None
    assert found.metrics["value"].to_pylist() == [1.0, 2.0, 3.0]
    assert [rejection.position for rejection in found.rejections] == [1, 2, 3, 5, 6, 7, 8]
    assert "timeUnixNano" in found.rejections[4].problem


def test_a_point_that_says_it_has_no_value_is_left_out() -> None:
    """The flag for "no recorded value" is no mistake, so it is not told as one."""
    empty = NumberDataPoint(time_unix_nano=NANOS, flags=1)

    found = read("metrics", metrics(gauge("a", empty, number(1))))

    assert found.metrics is not None
    assert found.metrics["value"].to_pylist() == [1.0]
    assert found.rejections == ()


def test_rows_come_in_the_order_of_the_request() -> None:
    """Kinds of metrics in any order do not change it."""
    histogram = Histogram(data_points=[HistogramDataPoint(time_unix_nano=NANOS, count=1)])
    total = Sum(data_points=[number(1, k="x")])
    found = points(Metric(name="h", histogram=histogram), gauge("g", number(2, k="y")), Metric(name="s", sum=total))

    assert [(row["name"], row["attributes"].get("k")) for row in found] == [("h.count", None), ("g", "y"), ("s", "x")]


def test_no_metrics_are_an_empty_table() -> None:
    """A request without points, and a metric without data."""
    assert points() == []
    assert points(Metric(name="nothing")) == []


def span(**fields: Any) -> Span:
    """A span of a tenth of a second."""
    made: dict[str, Any] = {
        "trace_id": TRACE,
        "span_id": b"\2" * 8,
        "name": "GET /",
        "start_time_unix_nano": NANOS,
        "end_time_unix_nano": NANOS + 100_000_000,
    }
    return Span(**{**made, **fields})


def test_a_span_is_a_row() -> None:
    """Times, names, ids, kind, status, the called service and the attributes."""
    one = span(
        parent_span_id=b"\3" * 8,
        kind=3,
        attributes=pairs(peer__service="db", db__system="postgresql"),
        status=Status(code=2, message="refused"),  # type: ignore[arg-type]
    )

    found = read("traces", traces(one))

    assert found.spans is not None
    assert found.spans.schema == SPAN
    [row] = found.spans.to_pylist()
    assert {**row, "attributes": dict(row["attributes"])} == {
        "space": "",
        "time": AT,
        "duration_us": 100_000,
        "service": "api",
        "name": "GET /",
        "kind": 3,
        "trace": "01" * 16,
        "span": "02" * 8,
        "parent": "03" * 8,
        "peer": "db",
        "status": 2,
        "attributes": {
            "host.name": "h",
            "otel.status_description": "refused",
            "peer.service": "db",
            "db.system": "postgresql",
        },
    }


def test_an_exception_of_a_span_is_an_error_in_the_log() -> None:
    """With its stack, its trace and its span; other events leave no line."""
    one = span()
    event = one.events.add(name="exception", time_unix_nano=NANOS + 1_000)
    event.attributes.extend(pairs(exception__type="E", exception__message="no", exception__stacktrace="E: no\n at f"))
    one.events.add(name="cache.miss", time_unix_nano=NANOS)
    two = span(span_id=b"\4" * 8)
    two.events.add(name="exception")

    found = read("traces", traces(span(span_id=b"\5" * 8), one, two))

    assert found.logs is not None
    assert found.logs.schema == RAW_LOG
    first, second = ({**row, "attributes": dict(row["attributes"])} for row in found.logs.to_pylist())
    assert first == {
        "time": AT + timedelta(microseconds=1),
        "service": "api",
        "level": 17,
        "trace": "01" * 16,
        "span": "02" * 8,
        "message": "E: no",
        "stack": "E: no\n at f",
        "dependency": "\x1f",
        "bare": False,
        "attributes": {"host.name": "h", "exception.type": "E", "exception.message": "no"},
    }
    assert (second["span"], second["message"], second["time"]) == ("04" * 8, "exception", AT + timedelta(seconds=0.1))


def test_a_span_that_failed_without_an_exception_is_an_error_in_the_log() -> None:
    """Its line names its operation and what its status says, at its end; to a client an answer of 4xx is no failure."""
    refused = span(kind=3, name="GET", status=Status(code=2), attributes=pairs(http__response__status_code="404"))  # type: ignore[arg-type]
    served = span(
        kind=2,
        name="POST /pay",
        status=Status(code=2),  # type: ignore[arg-type]
        attributes=pairs(http__response__status_code="503", server__address="shop"),
    )
    asked = span(
        kind=3,
        name="SELECT shop",
        status=Status(code=2, message="too many clients"),  # type: ignore[arg-type]
        attributes=pairs(db__system__name="postgresql", server__address="10.0.0.9", server__port="5432"),
    )
    wrongly = span(
        kind=3,
        name="SELECT shop",
        status=Status(code=2, message="UndefinedColumn: no such column"),  # type: ignore[arg-type]
        attributes=pairs(db__system__name="postgresql"),
    )

    found = read("traces", traces(refused, served, asked, wrongly))

    assert found.logs is not None
    assert [
        (row["message"], row["level"], row["dependency"].split("\x1f")[1], row["time"])
        for row in found.logs.to_pylist()
    ] == [
        ("POST /pay: 503", 17, "", AT + timedelta(seconds=0.1)),
        ("SELECT shop: too many clients", 17, "postgresql", AT + timedelta(seconds=0.1)),
        ("SELECT shop: UndefinedColumn: no such column", 17, "", AT + timedelta(seconds=0.1)),
    ]


@pytest.mark.parametrize(
    ("kind", "said", "peer"),
    [
        (3, {"peer.service": "billing", "db.system": "redis"}, ["billing"]),
        (3, {"db.system.name": "postgresql"}, ["postgresql", "postgres", "pg"]),
        (3, {"db.system": "redis", "net.peer.name": "127.0.0.1"}, ["redis", "valkey"]),
        (
            3,
            {"db.system": "mysql", "server.address": "orders.x1.eu.rds.amazonaws.com"},
            ["orders", "orders.x1.eu.rds.amazonaws.com", "mysql", "mariadb"],
        ),
        (3, {"server.address": "api.stripe.com"}, ["api.stripe.com"]),
        (3, {"server.address": "cart.shop.svc.cluster.local"}, ["cart", "cart.shop.svc.cluster.local"]),
        (3, {"server.address": "localhost"}, [""]),
        (3, {"rpc.service": "shop.v1.Cart"}, ["cart"]),
        (4, {"messaging.system": "kafka", "server.address": "broker-1"}, ["broker-1", "kafka"]),
        (5, {"messaging.system": "kafka"}, ["kafka"]),
        (2, {"server.address": "shop.example"}, [""]),
        (1, {"db.system": "redis"}, [""]),
    ],
)
def test_a_client_span_says_whom_it_called(kind: int, said: dict[str, str], peer: list[str]) -> None:
    """By every name that its callee may be known under: a peer's own, its host's, its kind's."""
    named = pairs(**{key.replace(".", "__"): value for key, value in said.items()})

    found = read("traces", traces(span(kind=kind, attributes=named)))

    assert found.spans is not None
    assert found.spans["peer"].to_pylist() == ["\x1f".join(peer)]


def test_spans_without_ids_or_start_are_rejected_by_their_place() -> None:
    """A span that nothing can be joined to is told; the others are taken."""
    made = traces(
        span(),
        span(trace_id=b""),
        span(trace_id=b"\0" * 16),
        span(span_id=b"\1" * 7),
        span(start_time_unix_nano=0),
        span(span_id=b"\7" * 8),
    )

    found = read("traces", made)

    assert found.spans is not None
    assert found.spans["span"].to_pylist() == ["02" * 8, "07" * 8]
    assert [rejection.position for rejection in found.rejections] == [1, 2, 3, 4]
    assert "traceId" in found.rejections[0].problem
    assert "startTimeUnixNano" in found.rejections[3].problem


def test_a_span_that_ends_before_it_starts_took_no_time() -> None:
    """Somebody set the clock; the span is kept and the oddity counted."""
    found = read("traces", traces(span(end_time_unix_nano=NANOS - 1_000_000), span(end_time_unix_nano=0)))

    assert found.spans is not None
    assert found.spans["duration_us"].to_pylist() == [0, 0]
    assert found.altered["negative_duration"] == 2


def test_a_summary_with_endless_quantiles_keeps_the_first() -> None:
    """Each quantile is a row with all attributes, so there is an end to them."""
    point = SummaryDataPoint(time_unix_nano=NANOS, count=1, sum=1.0)
    for step in range(1_000):
        point.quantile_values.add(quantile=step / 1_000, value=1.0)

    assert len(points(Metric(name="s", summary=Summary(data_points=[point])))) == 34


def exported(temporality: int, minute: int) -> list[dict[str, Any]]:
    """A histogram of some minute: as always, but that one request of the sixtieth minute took forever."""
    metric = histogram(temporality)
    (point,) = metric.histogram.data_points
    point.time_unix_nano = int((AT + timedelta(minutes=minute)).timestamp() * 1e9)
    point.max = 60.0 + minute % 3 if minute < 60 else 9_000.0
    if temporality == 2:
        point.count *= minute + 1
        point.bucket_counts[:] = [count * (minute + 1) for count in point.bucket_counts]
    return [{**row, "space": "shop", "attributes": list(row["attributes"].items())} for row in points(metric)]


@pytest.mark.parametrize(("temporality", "opens"), [(2, set()), (1, {"ms.max"})])
def test_an_extreme_since_the_start_of_a_process_is_no_finding(temporality: int, opens: set[str]) -> None:
    """The slowest request stays the largest for as long as its process lives: only extremes of a window are judged."""
    windows, anomalies, found = Windows(), Anomalies(), set[str]()
    for minute in range(75):
        rows = windows.values(
            "shop", pa.Table.from_pylist(exported(temporality, minute), schema=RAW_METRIC)
        ).to_pylist()
        kept = [
            {**row, "step": AT.replace(second=0) + timedelta(minutes=minute)} for row in rows if not row["cumulative"]
        ]
        names = ("space", "service", "name", "step", "value")
        if kept:
            told = pa.table([pa.array([row[name] for row in kept]) for name in names], names=names)
            told = told.set_column(3, "step", told["step"].cast(pa.timestamp("s", tz="UTC")))
            found |= {one.metric for one in anomalies.tick(told, now=AT + timedelta(minutes=minute + 1))}

    assert found == opens
