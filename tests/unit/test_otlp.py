"""OTLP logs: the same rows from protobuf and JSON, every kind of value, and bad input that harms nobody."""

from __future__ import annotations

import base64
import json
from datetime import UTC, datetime
from typing import Any

import pytest
from google.protobuf import json_format
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest, ExportLogsServiceResponse
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, ArrayValue, KeyValue, KeyValueList
from opentelemetry.proto.logs.v1.logs_pb2 import LogRecord

from hindcast.ingest import otlp
from hindcast.ingest.otlp.scan import HARMLESS_BYTES
from hindcast.model.columns import RAW_LOG
from hindcast.model.errors import Malformed
from hindcast.model.ingest_limits import IngestLimits

NANOS = 1_794_823_199_000_000_000
AT = datetime(2026, 11, 16, 9, 59, 59, tzinfo=UTC)
TRACE = bytes.fromhex("0af7651916cd43dd8448eb211c80319c")
SPAN = bytes.fromhex("b7ad6b7169203331")
LIMITS = IngestLimits()


def level(number: int) -> Any:
    """A severity number, of which the generated types make a type of their own."""
    return number


def text(value: str) -> AnyValue:
    """A value that is a string."""
    return AnyValue(string_value=value)


def pairs(**values: str) -> list[KeyValue]:
    """Attributes; two underscores stand for a dot."""
    return [KeyValue(key=key.replace("__", "."), value=text(value)) for key, value in values.items()]


def request(*records: LogRecord, scope: str = "", **resource: str) -> ExportLogsServiceRequest:
    """A request of one resource and one scope."""
    made = ExportLogsServiceRequest()
    one = made.resource_logs.add()
    one.resource.attributes.extend(pairs(**resource))
    group = one.scope_logs.add()
    group.scope.name = scope
    group.log_records.extend(records)
    return made


def as_json(made: Any) -> bytes:
    """A request in OTLP's JSON: ids in hex, which protobuf's own mapping would write in base64."""

    def hexed(value: Any) -> Any:
        if isinstance(value, list):
            return [hexed(item) for item in value]
        if not isinstance(value, dict):
            return value
        ids = {"traceId", "spanId", "parentSpanId"}
        return {key: base64.b64decode(item).hex() if key in ids else hexed(item) for key, item in value.items()}

    return json.dumps(hexed(json_format.MessageToDict(made, use_integers_for_enums=True))).encode()


def rows(made: ExportLogsServiceRequest) -> list[dict[str, Any]]:
    """The rows of a request, after all three ways to read it have agreed on them."""
    body = made.SerializeToString()
    read = otlp.parse("logs", body, LIMITS)
    assert read.logs is not None
    assert read.logs.schema == RAW_LOG
    for other in (otlp.parse_by_message("logs", body, LIMITS), otlp.parse("logs", as_json(made), LIMITS, as_json=True)):
        assert other.logs is not None
        assert other.logs.to_pylist() == read.logs.to_pylist()
        assert other.altered == read.altered
    return [{**row, "attributes": dict(row["attributes"])} for row in read.logs.to_pylist()]


def test_a_record_becomes_a_row() -> None:
    """Everything that a log record says of itself and of its sender is in the row, once."""
    record = LogRecord(
        time_unix_nano=NANOS,
        severity_number=level(17),
        severity_text="ERROR",
        body=text("declined"),
        trace_id=TRACE,
        span_id=SPAN,
        attributes=pairs(order="7", exception__type="E", exception__message="no", exception__stacktrace="E: no\n at f"),
    )

    [row] = rows(
        request(record, scope="app.pay", service__name="payment", host__name="h1", telemetry__sdk__name="opentelemetry")
    )

    assert row == {
        "time": AT,
        "service": "payment",
        "level": 17,
        "trace": TRACE.hex(),
        "span": SPAN.hex(),
        "message": "declined",
        "stack": "E: no\n at f",
        "dependency": "",
        "bare": False,
        "attributes": {
            "host.name": "h1",
            "otel.scope.name": "app.pay",
            "order": "7",
            "exception.type": "E",
            "exception.message": "no",
        },
    }


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (AnyValue(string_value="text"), "text"),
        (AnyValue(string_value=""), ""),
        (AnyValue(), ""),
        (AnyValue(bool_value=True), "true"),
        (AnyValue(bool_value=False), "false"),
        (AnyValue(int_value=-(2**63)), "-9223372036854775808"),
        (AnyValue(int_value=0), "0"),
        (AnyValue(double_value=0.1), "0.1"),
        (AnyValue(double_value=1e300), "1e+300"),
        (AnyValue(double_value=float("inf")), "inf"),
        (AnyValue(bytes_value=b"\x00\xff"), "AP8="),
        (AnyValue(array_value=ArrayValue(values=[AnyValue(int_value=1), text("a"), AnyValue()])), '[1,"a",null]'),
        (AnyValue(array_value=ArrayValue()), "[]"),
        (
            AnyValue(kvlist_value=KeyValueList(values=[KeyValue(key="k", value=AnyValue(double_value=1.5))])),
            '{"k":1.5}',
        ),
        (AnyValue(kvlist_value=KeyValueList()), "{}"),
    ],
)
def test_a_value_of_any_kind_becomes_text(value: AnyValue, expected: str) -> None:
    """Scalars as they are written, nested values as compact JSON, bytes in base64."""
    record = LogRecord(attributes=[KeyValue(key="v", value=value), KeyValue(key="w", value=text("x"))])

    [row] = rows(request(record))

    assert row["attributes"] == {"v": expected, "w": "x"}


@pytest.mark.parametrize(
    ("number", "word", "body", "attributes", "expected"),
    [
        (9, "ERROR", "x", {}, 9),
        (18, "", "x", {}, 18),
        (0, "err", "x", {}, 17),
        (0, "Error", "x", {}, 17),
        (0, "", "x", {"exception__type": "E"}, 17),
        (0, "", "x", {"exception__stacktrace": "E\n at f"}, 17),
        (0, "", "2026-11-16 ERROR boom", {}, 17),
        (0, "", "x", {}, 0),
        (77, "warn", "x", {}, 13),
    ],
)
def test_the_level_is_found_where_it_is(
    number: int, word: str, body: str, attributes: dict[str, str], expected: int
) -> None:
    """The number counts first, then its text, then an exception, then the start of the message."""
    record = LogRecord(severity_text=word, body=text(body), attributes=pairs(**attributes))
    record.severity_number = level(number)

    assert rows(request(record, LogRecord(severity_number=level(5))))[0]["level"] == expected


@pytest.mark.parametrize(
    ("resource", "service"),
    [
        ({"service__name": "a", "k8s__deployment__name": "b"}, "a"),
        ({"service__name": "unknown_service:python", "k8s__deployment__name": "b"}, "b"),
        ({"service__name": "unknown_service"}, "unknown_service"),
        ({"container__name": "c"}, "c"),
        ({"host__name": "h"}, ""),
        ({}, ""),
    ],
)
def test_the_service_is_named_by_its_resource(resource: dict[str, str], service: str) -> None:
    """The service's name, else the workload's; a host is no service."""
    assert rows(request(LogRecord(), **resource))[0]["service"] == service


def test_a_record_without_time_takes_when_it_was_observed() -> None:
    """Zero is no time; without any the row has none."""
    made = request(
        LogRecord(time_unix_nano=NANOS, observed_time_unix_nano=1),
        LogRecord(observed_time_unix_nano=NANOS),
        LogRecord(),
        LogRecord(time_unix_nano=2**64 - 1),
    )

    found = [row["time"] for row in rows(made)]

    assert found[:3] == [AT, AT, None]
    assert found[3].year == 2554


def test_a_body_that_is_a_map_gives_its_sentence() -> None:
    """The sentence is the message, the level counts, and the whole body is kept beside it."""
    inner = KeyValueList(values=pairs(msg="lost", level="error", order="7"))
    plain = KeyValueList(values=pairs(order="7"))

    first, second = rows(
        request(LogRecord(body=AnyValue(kvlist_value=inner)), LogRecord(body=AnyValue(kvlist_value=plain)))
    )

    assert (first["message"], first["level"]) == ("lost", 17)
    assert json.loads(first["attributes"]["log.body"]) == {"msg": "lost", "level": "error", "order": "7"}
    assert (second["message"], second["attributes"]) == ('{"order":"7"}', {})


def test_a_record_without_a_body_is_told_by_its_event_or_exception() -> None:
    """A row is never without words where the record has some."""
    made = request(
        LogRecord(event_name="order.placed"),
        LogRecord(attributes=pairs(exception__type="E", exception__message="no")),
        LogRecord(attributes=pairs(exception__type="E")),
        LogRecord(),
    )

    assert [row["message"] for row in rows(made)] == ["order.placed", "E: no", "E", ""]


def test_a_records_own_attribute_wins_over_its_resources() -> None:
    """A key that both have is there once, with the record's value; other records keep the resource's."""
    made = request(LogRecord(attributes=pairs(host__name="inner", a="1")), LogRecord(), host__name="outer")

    assert [row["attributes"] for row in rows(made)] == [{"host.name": "inner", "a": "1"}, {"host.name": "outer"}]


@pytest.mark.parametrize("trace", [b"", b"\0" * 16, b"\1" * 15, b"\1" * 17])
def test_an_id_that_is_none_is_empty(trace: bytes) -> None:
    """Ids of the wrong length, and all zeros, are no ids; the record is kept."""
    found = rows(request(LogRecord(trace_id=trace, span_id=trace[:8]), LogRecord(trace_id=TRACE)))

    assert [row["trace"] for row in found] == ["", TRACE.hex()]


def test_many_resources_and_scopes_keep_their_records_apart() -> None:
    """Each row has the service and the scope it came under, empty groups in between or not."""
    made = ExportLogsServiceRequest()
    for service in ("a", "empty", "b"):
        one = made.resource_logs.add()
        one.resource.attributes.extend(pairs(service__name=service))
        for scope in ("x", "y"):
            group = one.scope_logs.add()
            group.scope.name = scope
            count = 0 if service == "empty" else 2
            group.log_records.extend([LogRecord(body=text(f"{service}{scope}{n}")) for n in range(count)])

    found = [(row["service"], row["attributes"]["otel.scope.name"], row["message"]) for row in rows(made)]

    assert found == [(s, x, f"{s}{x}{n}") for s in "ab" for x in "xy" for n in range(2)]


def test_an_empty_request_is_an_empty_table() -> None:
    """Exporters send one to see whether anybody is there."""
    assert rows(ExportLogsServiceRequest()) == []
    assert rows(request()) == []


def test_json_may_write_numbers_as_text_and_fields_that_nobody_knows() -> None:
    """64-bit numbers as strings or numbers, names of enums, nulls and unknown fields are all taken."""
    body = {
        "resourceLogs": [
            {
                "resource": {"attributes": [{"key": "service.name", "value": {"stringValue": "a", "new": 1}}], "n": {}},
                "scopeLogs": [
                    {
                        "scope": None,
                        "logRecords": [
                            {"timeUnixNano": str(NANOS), "severityNumber": 17, "body": {"stringValue": "x"}, "z": [1]},
                            {"timeUnixNano": NANOS, "severityNumber": "SEVERITY_NUMBER_ERROR", "body": None},
                            {"attributes": [{"key": "i", "value": {"intValue": "5"}}, {"key": "j"}], "traceId": "zz"},
                        ],
                    }
                ],
            }
        ],
        "futureField": True,
    }

    read = otlp.parse("logs", json.dumps(body).encode(), LIMITS, as_json=True)

    assert read.logs is not None
    assert read.logs["level"].to_pylist() == [17, 17, 0]
    assert read.logs["time"].to_pylist() == [AT, AT, None]
    assert read.logs["attributes"].to_pylist()[2] == [("i", "5"), ("j", "")]


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b'{"resourceLogs":{}}', b'{"resourceLogs":[{"scopeLogs":[5]}]}', b"\xff"]
)
def test_what_is_no_json_request_is_refused(body: bytes) -> None:
    """The error names the place and the remedy."""
    with pytest.raises(Malformed) as raised:
        otlp.parse("logs", body, LIMITS, as_json=True)

    assert raised.value.field
    assert raised.value.remedy


def test_json_without_end_is_refused() -> None:
    """A hundred thousand brackets are malformed and no crash; a time out of range names its field."""
    with pytest.raises(Malformed):
        otlp.parse("logs", b'{"resourceLogs":' + b"[" * 100_000, LIMITS, as_json=True)
    deep = b'{"arrayValue":{"values":[' * 20_000
    with pytest.raises(Malformed):
        otlp.parse("logs", b'{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":' + deep, LIMITS, as_json=True)
    record = b'{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"timeUnixNano":"-5"}]}]}]}'
    with pytest.raises(Malformed, match="timeUnixNano"):
        otlp.parse("logs", record, LIMITS, as_json=True)


def test_what_is_no_protobuf_is_refused() -> None:
    """Garbage, a request cut anywhere inside, and JSON under the wrong name are malformed or another request."""
    whole = request(LogRecord(body=text("x" * 100), time_unix_nano=NANOS), service__name="a").SerializeToString()
    with pytest.raises(Malformed, match="not an OTLP request of logs"):
        otlp.parse("logs", b"\xff\xff\xff\xff", LIMITS)
    with pytest.raises(Malformed):
        otlp.parse("logs", b'{"resourceLogs":[]}', LIMITS)
    for end in range(1, len(whole)):
        with pytest.raises(Malformed):
            otlp.parse("logs", whole[:end], LIMITS)


def test_unknown_fields_are_skipped() -> None:
    """A newer sender is understood as far as we know its words."""
    body = request(LogRecord(body=text("x"))).SerializeToString()
    newer = body + bytes([(99 << 3 | 2) & 0x7F | 0x80, (99 << 3 | 2) >> 7, 3]) + b"new"

    read = otlp.parse("logs", newer, LIMITS)

    assert read.logs is not None
    assert read.logs["message"].to_pylist() == ["x"]


def test_invalid_text_costs_a_character_and_not_the_request() -> None:
    """Strings that are not UTF-8, which protobuf forbids and some senders send, are replaced and counted."""
    marked = request(LogRecord(body=text("caf@@ shut"), attributes=pairs(city="M@@nchen")), LogRecord(body=text("ok")))
    body = marked.SerializeToString().replace(b"@@", b"\xe9\xfc")
    written = as_json(marked).replace(b"@@", b"\xe9\xfc")

    for read in (otlp.parse("logs", body, LIMITS), otlp.parse("logs", written, LIMITS, as_json=True)):
        assert read.logs is not None
        assert read.logs["message"].to_pylist()[1] == "ok"
        assert read.logs["message"].to_pylist()[0].startswith("caf�")
        assert read.altered["invalid_utf8"] >= 2


def test_a_record_with_a_million_labels_keeps_the_first() -> None:
    """The others are counted; the next record has all of its own."""
    # KeyValue messages of fourteen bytes each, written by hand because a million objects take their time.
    wide = LogRecord.FromString(b"".join(b"\x32\x0e\x0a\x08k%07d\x12\x02\x18\x05" % n for n in range(1_000_000)))
    body = request(wide, LogRecord(attributes=pairs(a="1"))).SerializeToString()

    read = otlp.parse("logs", body, LIMITS)

    assert read.logs is not None
    assert [len(found) for found in read.logs["attributes"].to_pylist()] == [LIMITS.attributes_per_record_max, 1]
    assert read.altered["attributes_cut"] == 1_000_000 - LIMITS.attributes_per_record_max


def test_long_texts_are_cut_and_marked() -> None:
    """A message of ten megabytes, a stack trace and a value over their limits: cut, marked, counted, others whole."""
    record = LogRecord(
        body=text("ä" * 5_000_000),
        attributes=pairs(long="v" * 100_000, exception__stacktrace="s" * 1_000_000, short="v"),
    )

    row, other = rows(request(record, LogRecord(body=text("y")), service__name="s" * 1_000))

    assert row["message"].endswith("ä …[cut, 10000000 bytes]")
    assert len(row["message"].encode()) <= LIMITS.message_bytes_max
    assert row["stack"].endswith("[cut, 1000000 bytes]")
    assert len(row["stack"]) <= LIMITS.stack_bytes_max
    assert len(row["attributes"]["long"].encode()) <= LIMITS.attribute_value_bytes_max
    assert row["attributes"]["short"] == "v"
    assert len(row["service"].encode()) <= LIMITS.service_bytes_max
    assert other["message"] == "y"


def test_a_body_made_of_empty_records_is_refused_before_it_costs_memory() -> None:
    """Two bytes on the wire are a hundred in memory, so records and attributes of large bodies are counted first."""

    def wrapped(content: bytes, *tags: int) -> bytes:
        for tag in tags:
            size, left = b"", len(content)
            while left > 0x7F:
                size += bytes([left & 0x7F | 0x80])
                left >>= 7
            content = bytes([tag]) + size + bytes([left]) + content
        return content

    records = wrapped(b"\x12\x00" * HARMLESS_BYTES, 0x12, 0x0A)
    attributes = wrapped(b"\x32\x00" * HARMLESS_BYTES, 0x12, 0x12, 0x0A)

    with pytest.raises(Malformed, match="records_per_request_max"):
        otlp.parse("logs", records, LIMITS)
    with pytest.raises(Malformed, match="attributes_per_request_max"):
        otlp.parse("logs", attributes, IngestLimits(attributes_per_request_max=100_000))


def test_more_records_than_are_taken_are_refused_in_json() -> None:
    """The limit holds for both encodings."""
    body = as_json(request(*[LogRecord(severity_number=level(9))] * 3))

    with pytest.raises(Malformed, match="records_per_request_max"):
        otlp.parse("logs", body, IngestLimits(records_per_request_max=2), as_json=True)


def test_the_answer_is_in_the_senders_own_encoding() -> None:
    """Nothing to say is an empty message; rejections are told with their number and the reason."""
    assert otlp.answer("logs", 0, "", as_json=False) == b""
    assert otlp.answer("logs", 0, "", as_json=True) == b"{}"
    told = ExportLogsServiceResponse.FromString(otlp.answer("logs", 3, "why", as_json=False))
    assert told.partial_success.rejected_log_records == 3
    assert told.partial_success.error_message == "why"
    for kind, name in (("logs", "rejectedLogRecords"), ("metrics", "rejectedDataPoints"), ("traces", "rejectedSpans")):
        body = json.loads(otlp.answer(kind, 3, "why", as_json=True))  # type: ignore[arg-type]
        assert body == {"partialSuccess": {name: "3", "errorMessage": "why"}}


def test_a_failure_is_a_status_message() -> None:
    """Errors are google.rpc.Status: a code and words, in protobuf and in JSON."""
    assert json.loads(otlp.failure(400, "bad", as_json=True)) == {"code": 3, "message": "bad"}
    assert otlp.failure(503, "wait", as_json=False) == b"\x08\x0e\x12\x04wait"
    assert otlp.failure(400, "x" * 300, as_json=False)[:5] == b"\x08\x03\x12\xac\x02"


def test_a_large_resource_of_many_records_is_refused_before_it_is_repeated() -> None:
    """What is on the wire once would be in memory for each record; short attributes are, long ones are not."""
    small = request(*[LogRecord()] * 1_000, host__name="h")
    large = request(*[LogRecord()] * 60_000, host__name="h" * 100_000)

    assert len(rows(small)) == 1_000
    for body, in_json in ((large.SerializeToString(), False), (as_json(large), True)):
        with pytest.raises(Malformed, match="share"):
            otlp.parse("logs", body, LIMITS, as_json=in_json)


@pytest.mark.parametrize("depth", [10, 60, 400])
def test_values_nested_too_deep_are_told_apart(depth: int) -> None:
    """A few levels are written out, more end in a mark; however deep, the request is read or refused by name."""
    value = '{"arrayValue":{"values":[' * depth + '{"stringValue":"leaf"}' + "]}}" * depth
    body = (
        f'{{"resourceLogs":[{{"scopeLogs":[{{"logRecords":[{{"body":{value}}},{{"body":{{"stringValue":"x"}}}}]}}]}}]}}'
    )

    try:
        read = otlp.parse("logs", body.encode(), LIMITS, as_json=True)
    except Malformed:
        assert depth == 400
        return

    assert read.logs is not None
    deep, flat = read.logs["message"].to_pylist()
    assert ("leaf" in deep) == (depth == 10)
    assert ("nested too deep" in deep) == (depth > 10)
    assert flat == "x"


@pytest.mark.parametrize("value", ['{"intValue":"99999999999999999999"}', '{"intValue":1e400}', '{"doubleValue":"x"}'])
def test_numbers_out_of_range_are_refused_in_json(value: str) -> None:
    """A number that 64 bits cannot hold is a mistake of the sender, and the error says where it stands."""
    record = f'{{"resourceLogs":[{{"scopeLogs":[{{"logRecords":[{{"body":{value}}}]}}]}}]}}'

    with pytest.raises(Malformed) as raised:
        otlp.parse("logs", record.encode(), LIMITS, as_json=True)

    assert raised.value.field


def test_half_a_character_is_replaced() -> None:
    """A text that was cut inside an emoji is kept up to there, in JSON of any kind."""
    record = rb'{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"body":{"stringValue":"ok \ud83d"}}]}]}]}'

    read = otlp.parse("logs", record, LIMITS, as_json=True)

    assert read.logs is not None
    assert read.logs["message"].to_pylist() == ["ok �"]
    assert read.altered["invalid_utf8"] == 1
