"""Laws of the formats: every way to read a request agrees, nothing is lost without being told, nothing crashes."""

from __future__ import annotations

import base64
import contextlib
import gzip
import json
import math
import zlib
from datetime import UTC, datetime, timedelta
from typing import Any

import cramjam
import pyarrow as pa
import pyarrow.compute as pc
import pytest
from google.protobuf import json_format
from google.protobuf.message import DecodeError, Message
from hypothesis import given, settings
from hypothesis import strategies as st
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, ArrayValue, KeyValue, KeyValueList
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord
from opentelemetry.proto.metrics.v1.metrics_pb2 import Metric
from opentelemetry.proto.trace.v1.trace_pb2 import Span

from hindcast.ingest import elastic, lines, loki, otlp, syslog
from hindcast.ingest.body import decoded
from hindcast.ingest.level import WORDS, infer_level, infer_levels, read_level, read_levels
from hindcast.ingest.otlp.values import float_text
from hindcast.ingest.rows import Read
from hindcast.ingest.times import normalised, read_time
from hindcast.model.columns import RAW_LOG, RAW_METRIC, SPAN, TIME
from hindcast.model.errors import Malformed
from hindcast.model.ingest_limits import IngestLimits

NOW = datetime(2026, 11, 16, 10, 0, tzinfo=UTC)
LIMITS = IngestLimits()
REQUESTS: dict[str, Any] = {
    "logs": ExportLogsServiceRequest,
    "metrics": ExportMetricsServiceRequest,
    "traces": ExportTraceServiceRequest,
}

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
moments = st.integers(0, 7_258_118_400 * 10**6).map(lambda micros: EPOCH + timedelta(microseconds=micros))
texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=12)
keys = st.one_of(
    texts, st.sampled_from(["service.name", "host.name", "exception.type", "exception.stacktrace", "peer.service", "k"])
)
nanos = st.one_of(st.just(0), st.integers(0, 2**64 - 1), st.integers(17 * 10**17, 18 * 10**17))
floats = st.floats()
numbers = st.integers(-(2**63), 2**63 - 1)
ids = st.one_of(st.binary(max_size=20), st.binary(min_size=16, max_size=16), st.binary(min_size=8, max_size=8))
scalars = st.one_of(
    st.builds(lambda x: AnyValue(string_value=x), texts),
    st.builds(lambda x: AnyValue(int_value=x), numbers),
    st.builds(lambda x: AnyValue(double_value=x), floats),
    st.builds(lambda x: AnyValue(bool_value=x), st.booleans()),
    st.builds(lambda x: AnyValue(bytes_value=x), st.binary(max_size=8)),
    st.just(AnyValue()),
)


def listed(values: list[AnyValue]) -> AnyValue:
    """A value that is a list."""
    return AnyValue(array_value=ArrayValue(values=values))


def mapped(values: dict[str, AnyValue]) -> AnyValue:
    """A value that is a map."""
    return AnyValue(kvlist_value=KeyValueList(values=[KeyValue(key=key, value=item) for key, item in values.items()]))


names_inside = st.one_of(texts, st.sampled_from(["message", "msg", "level", "severity"]))
values = st.recursive(
    scalars,
    lambda inner: (
        st.lists(inner, max_size=3).map(listed) | st.dictionaries(names_inside, inner, max_size=3).map(mapped)
    ),
    max_leaves=5,
)
attributes = st.dictionaries(keys, values, max_size=4).map(
    lambda found: [KeyValue(key=key, value=value) for key, value in found.items()]
)


@st.composite
def log_records(draw: st.DrawFn) -> LogRecord:
    """Any log record."""
    record = LogRecord(
        time_unix_nano=draw(nanos),
        observed_time_unix_nano=draw(nanos),
        severity_text=draw(st.one_of(texts, st.sampled_from(["ERROR", "err", "warn", "3"]))),
        trace_id=draw(ids),
        span_id=draw(ids),
        event_name=draw(texts),
        attributes=draw(attributes),
    )
    record.severity_number = draw(st.integers(0, 30))  # type: ignore[assignment]
    if draw(st.booleans()):
        record.body.CopyFrom(draw(values))
    return record


@st.composite
def spans(draw: st.DrawFn) -> Span:
    """Any span."""
    span = Span(
        trace_id=draw(ids),
        span_id=draw(ids),
        parent_span_id=draw(ids),
        name=draw(texts),
        start_time_unix_nano=draw(nanos),
        end_time_unix_nano=draw(nanos),
        attributes=draw(attributes),
    )
    span.kind = draw(st.integers(0, 7))  # type: ignore[assignment]
    if draw(st.booleans()):
        span.status.code = draw(st.integers(0, 4))  # type: ignore[assignment]
        span.status.message = draw(texts)
    for name in draw(st.lists(st.sampled_from(["exception", "other"]), max_size=3)):
        event = span.events.add(name=name, time_unix_nano=draw(nanos))
        event.attributes.extend(draw(attributes))
    return span


@st.composite
def metrics(draw: st.DrawFn) -> Metric:
    """Any metric, of any kind, its numbers sound or not."""
    metric = Metric(name=draw(texts), unit=draw(texts))
    kind = draw(st.sampled_from(["gauge", "sum", "histogram", "exponential_histogram", "summary", ""]))
    if not kind:
        return metric
    data = getattr(metric, kind)
    data.SetInParent()
    if kind in {"sum", "histogram", "exponential_histogram"}:
        data.aggregation_temporality = draw(st.integers(0, 3))
    if kind == "sum":
        data.is_monotonic = draw(st.booleans())
    for _ in range(draw(st.integers(0, 3))):
        point = data.data_points.add(time_unix_nano=draw(nanos), flags=draw(st.integers(0, 3)))
        point.attributes.extend(draw(attributes))
        _fill(draw, kind, point)
    return metric


def _fill(draw: st.DrawFn, kind: str, point: Any) -> None:
    small = st.integers(0, 2**20)
    if kind in {"gauge", "sum"}:
        match draw(st.sampled_from(["int", "double", "none"])):
            case "int":
                point.as_int = draw(numbers)
            case "double":
                point.as_double = draw(floats)
        return
    point.count = draw(small)
    if kind == "summary":
        point.sum = draw(floats)
        for share in draw(st.lists(st.floats(0, 1), max_size=3)):
            point.quantile_values.add(quantile=share, value=draw(floats))
        return
    for name in ("sum", "min", "max"):
        if draw(st.booleans()):
            setattr(point, name, draw(floats))
    if kind == "histogram":
        point.bucket_counts.extend(draw(st.lists(small, max_size=4)))
        point.explicit_bounds.extend(sorted(draw(st.sets(st.floats(-1e9, 1e9), max_size=3))))
        return
    point.scale = draw(st.integers(-15, 45))
    point.zero_count = draw(small)
    for side in (point.positive, point.negative):
        if draw(st.booleans()):
            side.offset = draw(st.integers(-2_000, 2_000))
            side.bucket_counts.extend(draw(st.lists(small, max_size=4)))


@st.composite
def requests(draw: st.DrawFn, kind: str) -> Message:
    """Any request of a kind, with empty groups in between."""
    inside = {"logs": log_records(), "metrics": metrics(), "traces": spans()}[kind]
    outer = {"logs": "resource_logs", "metrics": "resource_metrics", "traces": "resource_spans"}[kind]
    middle, inner = {
        "logs": ("scope_logs", "log_records"),
        "metrics": ("scope_metrics", "metrics"),
        "traces": ("scope_spans", "spans"),
    }[kind]
    request = REQUESTS[kind]()
    for _ in range(draw(st.integers(0, 3))):
        resource = getattr(request, outer).add()
        if draw(st.booleans()):
            resource.resource.attributes.extend(draw(attributes))
        for _ in range(draw(st.integers(0, 2))):
            scope = getattr(resource, middle).add()
            if draw(st.booleans()):
                scope.scope.name = draw(texts)
            getattr(scope, inner).extend(draw(st.lists(inside, max_size=3)))
    return request


def as_json(request: Message) -> bytes:
    """A request in OTLP's JSON."""

    def hexed(value: Any) -> Any:
        if isinstance(value, list):
            return [hexed(item) for item in value]
        if not isinstance(value, dict):
            return value
        found = {"traceId", "spanId", "parentSpanId"}
        return {key: base64.b64decode(item).hex() if key in found else hexed(item) for key, item in value.items()}

    return json.dumps(hexed(json_format.MessageToDict(request, use_integers_for_enums=True))).encode()


def tables(read: Read) -> dict[str, list[dict[str, Any]]]:
    """The rows of a result, after its columns were found to be exactly those that were agreed on."""
    found = {}
    for name, schema in (("logs", RAW_LOG), ("metrics", RAW_METRIC), ("spans", SPAN)):
        table = getattr(read, name)
        if table is not None:
            assert table.schema == schema
            table.validate(full=True)
            for column in schema:
                assert column.nullable or table[column.name].null_count == 0, column.name
            found[name] = table.to_pylist()
    return found


@pytest.mark.parametrize("kind", ["logs", "metrics", "traces"])
def test_every_way_to_read_a_request_gives_the_same(kind: Any) -> None:
    """Columns at once, record by record, and from JSON: the same rows, rejections and counts for any request."""

    @settings(max_examples=150)
    @given(requests(kind))
    def check(request: Message) -> None:
        body = request.SerializeToString()
        fast = otlp.parse(kind, body, LIMITS)
        slow = otlp.parse_by_message(kind, body, LIMITS)
        written = otlp.parse(kind, as_json(request), LIMITS, as_json=True)
        assert tables(fast) == tables(slow) == tables(written)
        assert fast.rejections == slow.rejections == written.rejections
        assert fast.altered == slow.altered == written.altered

    check()


@settings(max_examples=200)
@given(st.lists(log_records(), max_size=5))
def test_every_log_record_is_a_row(records: list[LogRecord]) -> None:
    """None is lost, none is doubled, and each keeps what it said: told by the records, not by the parser."""
    request = ExportLogsServiceRequest()
    request.resource_logs.add().scope_logs.add().log_records.extend(records)

    rows = tables(otlp.parse("logs", request.SerializeToString(), LIMITS))["logs"]

    assert len(rows) == len(records)
    for row, record in zip(rows, records, strict=True):
        moment = record.time_unix_nano or record.observed_time_unix_nano
        assert row["time"] == (EPOCH + timedelta(microseconds=moment // 1_000) if moment else None)
        if 1 <= record.severity_number <= 24:
            assert row["level"] == record.severity_number
        if record.body.WhichOneof("value") == "string_value" and record.body.string_value:
            assert row["message"] == record.body.string_value
        kept = dict(row["attributes"])
        for pair in record.attributes:
            if pair.value.WhichOneof("value") == "string_value" and pair.key != "exception.stacktrace":
                assert kept[pair.key] == pair.value.string_value
            if pair.key == "exception.stacktrace" and pair.value.WhichOneof("value") == "string_value":
                assert row["stack"] == pair.value.string_value


@settings(max_examples=300)
@given(st.sampled_from(["logs", "metrics", "traces"]), st.data())
def test_a_damaged_request_is_refused_or_read_and_never_crashes(kind: Any, data: st.DataObject) -> None:
    """Bytes flipped, cut or added: a named error, or rows in the agreed columns. What upb reads is never refused."""
    body = bytearray(data.draw(requests(kind)).SerializeToString())
    for _ in range(data.draw(st.integers(1, 4))):
        if body:
            body[data.draw(st.integers(0, len(body) - 1))] = data.draw(st.integers(0, 255))
    damaged = bytes(body[: data.draw(st.integers(0, len(body)))]) + data.draw(st.binary(max_size=4))

    readable = False
    with contextlib.suppress(DecodeError):
        REQUESTS[kind].FromString(damaged)
        readable = True
    try:
        tables(otlp.parse(kind, damaged, LIMITS))
    except Malformed:
        assert not readable


@settings(max_examples=300)
@given(st.binary(max_size=200), st.sampled_from(["gzip", "deflate", "zstd", "snappy", "", "br"]))
def test_any_bytes_are_read_or_refused_by_every_format(body: bytes, encoding: str) -> None:
    """Whatever arrives, under whatever name: a named error or tables."""
    with contextlib.suppress(Malformed):
        decoded(body, encoding, LIMITS)
    readers: list[Any] = [
        lambda: elastic.parse_bulk(body, LIMITS, arrived=NOW).read,
        lambda: loki.parse_json(body, LIMITS, arrived=NOW),
        lambda: loki.parse_protobuf(bytes(cramjam.snappy.compress_raw(body)), LIMITS, arrived=NOW),
        lambda: syslog.parse([body], LIMITS, arrived=NOW),
        lambda: lines.parse(body, LIMITS, arrived=NOW),
        *[lambda kind=kind: otlp.parse(kind, body, LIMITS, as_json=True) for kind in REQUESTS],
        *[lambda kind=kind: otlp.parse(kind, body, LIMITS) for kind in REQUESTS],
    ]
    for reader in readers:
        with contextlib.suppress(Malformed):
            tables(reader())


json_values = st.recursive(
    st.one_of(
        st.none(), st.booleans(), st.integers(-(2**53), 2**53), st.floats(allow_nan=False, allow_infinity=False), texts
    ),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=6,
)
names = st.sampled_from(
    [
        "@timestamp",
        "time",
        "level",
        "log",
        "log.level",
        "message",
        "msg",
        "service",
        "error",
        "trace.id",
        "stack",
        "host",
    ]
)
documents = st.dictionaries(st.one_of(names, texts), json_values, max_size=6)


@settings(max_examples=200)
@given(st.lists(documents, max_size=5))
def test_every_document_is_a_row(found: list[dict[str, Any]]) -> None:
    """Any JSON objects, sent in bulk and as lines: one row for each, in their order."""
    bulk = b"".join(b'{"create":{}}\n' + json.dumps(one).encode() + b"\n" for one in found)
    as_lines = "\n".join(json.dumps(one) for one in found if one).encode()

    read = elastic.parse_bulk(bulk, LIMITS, arrived=NOW)

    assert len(tables(read.read)["logs"]) == len(found)
    assert [item.status for item in read.items] == [201] * len(found)
    assert len(tables(lines.parse(as_lines, LIMITS, arrived=NOW))["logs"]) == sum(bool(one) for one in found)


@settings(max_examples=200)
@given(st.binary(max_size=2_000), st.sampled_from(["gzip", "deflate", "bare", "zstd", "snappy"]))
def test_what_was_encoded_is_decoded(body: bytes, encoding: str) -> None:
    """Every encoding gives back what went in."""
    packer = zlib.compressobj(wbits=-15)
    packed = {
        "gzip": lambda: gzip.compress(body),
        "deflate": lambda: zlib.compress(body),
        "bare": lambda: packer.compress(body) + packer.flush(),
        "zstd": lambda: bytes(cramjam.zstd.compress(body)),
        "snappy": lambda: bytes(cramjam.snappy.compress_raw(body)),
    }[encoding]()

    assert decoded(packed, "deflate" if encoding == "bare" else encoding, LIMITS) == body


@given(st.lists(st.one_of(st.sampled_from(sorted(WORDS)), texts, st.none()), max_size=10))
def test_levels_of_a_column_are_those_of_its_cells(words: list[str | None]) -> None:
    """Spelling by spelling and all at once are the same; upper case and lower case as well."""
    column = pa.array(words, pa.string())

    assert read_levels(column).to_pylist() == [read_level(word) for word in words]
    assert [read_level(word.upper()) for word in words if word in WORDS] == [
        WORDS[word] for word in words if word in WORDS
    ]


@settings(max_examples=300)
@given(
    st.lists(
        st.builds(
            "{}{}{}".format,
            st.sampled_from(["", "2026-11-16 10:00:00 ", "[x] ", "a - ", "E1116 10:00:00 ", "level="]),
            st.one_of(st.sampled_from(["ERROR ", "error: ", "[W] ", "INFO", "fatal:", "E, ["]), texts),
            texts,
        ),
        max_size=5,
    )
)
def test_inferred_levels_of_a_column_are_those_of_its_cells(messages: list[str]) -> None:
    """The cheap look before the careful one never loses a level."""
    assert infer_levels(pa.array(messages, pa.string())).to_pylist() == [infer_level(message) for message in messages]


@given(moments, st.sampled_from(["s", "ms", "us", "ns", "iso", "z"]))
def test_a_moment_is_read_back_from_every_spelling(since: datetime, spelling: str) -> None:
    """Numbers of any unit and text with a zone name the same moment, up to their own precision."""
    # Numbers of seconds since 1990 have their usual number of digits.
    at = max(since, EPOCH + timedelta(days=20 * 365))
    micros = (at - EPOCH) // timedelta(microseconds=1)
    written: dict[str, tuple[str | int, int]] = {
        "s": (micros // 10**6, 10**6),
        "ms": (micros // 10**3, 10**3),
        "us": (micros, 1),
        "ns": (micros * 1_000, 1),
        "iso": (at.isoformat(), 1),
        "z": (at.strftime("%Y-%m-%dT%H:%M:%S.%fZ"), 1),
    }
    text, precision = written[spelling]

    for value in (text, str(text)):
        reading = read_time(value)
        assert reading is not None
        assert not reading.naive
        found = (reading.at - EPOCH) // timedelta(microseconds=1)
        assert found == micros // precision * precision


near = st.integers(-200_000, 1_000).map(lambda seconds: NOW + timedelta(seconds=seconds))


@given(st.lists(st.one_of(st.none(), moments, near), max_size=10))
def test_normalised_times_are_all_near_the_arrival(given_times: list[datetime | None]) -> None:
    """Every time is within the limits afterwards, sound ones are untouched, and the counts add up."""
    earliest = NOW - timedelta(seconds=LIMITS.behind_seconds_max)
    latest = NOW + timedelta(seconds=LIMITS.ahead_seconds_max)

    result = normalised(pa.array(given_times, TIME), NOW, LIMITS)

    altered = 0
    for before, after in zip(given_times, result.times.to_pylist(), strict=True):
        assert earliest <= after <= latest
        if before is not None and earliest <= before <= latest:
            assert after == before
        else:
            assert after == NOW
            altered += 1
    assert result.skewed + result.missing == altered


@given(floats)
def test_a_float_is_written_as_arrow_writes_it(value: float) -> None:
    """Whichever way a value takes, its text is the same, and it reads back as the same number."""
    assert float_text(value) == pc.cast(pa.array([value], pa.float64()), pa.string())[0].as_py()
    assert math.isnan(value) or float(float_text(value)) == value


@given(st.lists(st.binary(min_size=1, max_size=30).filter(lambda raw: raw.strip(b"\r\n\0 ")), max_size=5), st.data())
def test_counted_frames_come_out_as_they_went_in(messages: list[bytes], data: st.DataObject) -> None:
    """Octet counts keep any bytes apart, line ends included, wherever the pieces of the stream end."""
    framed = [b"<13>" + message for message in messages]
    stream = b"".join(b"%d %s" % (len(message), message) for message in framed)
    framer = syslog.Framer(LIMITS)
    found: list[bytes] = []
    at = 0
    while at < len(stream):
        size = data.draw(st.integers(1, len(stream)))
        found += framer.feed(stream[at : at + size])
        at += size

    assert found == framed


@given(st.lists(st.text("ab\n ", min_size=1, max_size=10), max_size=6), st.integers(0, 100))
def test_a_file_read_in_two_parts_gives_the_same_rows(parts: list[str], cut: int) -> None:
    """What is settled can be taken at any moment without breaking a record apart."""
    text = "".join(f"2026-11-16 09:59:00 INFO {part}\n" for part in parts).encode()
    settled = lines.settled_bytes(text[: min(cut, len(text))], LIMITS)

    whole = tables(lines.parse(text, LIMITS, arrived=NOW))["logs"]
    first = tables(lines.parse(text[:settled], LIMITS, arrived=NOW))["logs"]
    second = tables(lines.parse(text[settled:], LIMITS, arrived=NOW))["logs"]

    assert first + second == whole
