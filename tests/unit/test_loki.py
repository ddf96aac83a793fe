"""Loki's push in both encodings: labels, lines, structured metadata."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

import cramjam
import pytest

from hindcast.ingest import loki
from hindcast.model.columns import RAW_LOG
from hindcast.model.errors import Malformed
from hindcast.model.ingest_limits import IngestLimits

ARRIVED = datetime(2026, 11, 16, 10, 0, tzinfo=UTC)
NANOS = 1_794_823_199_000_000_123
AT = datetime(2026, 11, 16, 9, 59, 59, tzinfo=UTC)
LIMITS = IngestLimits()


def field(number: int, content: bytes | int) -> bytes:
    """One protobuf field, written by hand: what the parser is told, not what it thinks."""
    if isinstance(content, int):
        return varint(number << 3) + varint(content)
    return varint(number << 3 | 2) + varint(len(content)) + content


def varint(value: int) -> bytes:
    """A number as protobuf writes it."""
    out = b""
    while value > 0x7F:
        out += bytes([value & 0x7F | 0x80])
        value >>= 7
    return out + bytes([value])


def push(labels: str | bytes, *entries: tuple[int, bytes, dict[str, str]]) -> bytes:
    """A push request as Promtail sends it."""
    stream = field(1, labels.encode() if isinstance(labels, str) else labels)
    for nanos, line, metadata in entries:
        seconds, rest = divmod(nanos, 10**9)
        entry = field(1, field(1, seconds) + field(2, rest)) + field(2, line)
        for name, value in metadata.items():
            entry += field(3, field(1, name.encode()) + field(2, value.encode()))
        stream += field(2, entry)
    return bytes(cramjam.snappy.compress_raw(field(1, stream + field(3, 99))))


def read_json(*streams: dict[str, Any]) -> list[dict[str, Any]]:
    """The rows of a push in JSON."""
    read = loki.parse_json(json.dumps({"streams": streams}).encode(), LIMITS, arrived=ARRIVED)
    assert read.logs is not None
    assert read.logs.schema == RAW_LOG
    return [{**row, "attributes": dict(row["attributes"])} for row in read.logs.to_pylist()]


def test_both_encodings_say_the_same() -> None:
    """A push in JSON and the same push in protobuf give the same rows."""
    trace = "0af7651916cd43dd8448eb211c80319c"
    labels = {"app": "payment", "level": "Error"}
    as_json = read_json(
        {"stream": labels, "values": [[str(NANOS), "declined", {"trace_id": trace}], [str(NANOS + 10**9), "again"]]}
    )

    read = loki.parse_protobuf(
        push(
            '{app="payment", level="Error"}', (NANOS, b"declined", {"trace_id": trace}), (NANOS + 10**9, b"again", {})
        ),
        LIMITS,
        arrived=ARRIVED,
    )

    assert read.logs is not None
    assert [{**row, "attributes": dict(row["attributes"])} for row in read.logs.to_pylist()] == as_json
    assert as_json[0] == {
        "time": AT,
        "service": "payment",
        "level": 17,
        "trace": trace,
        "span": "",
        "message": "declined",
        "stack": "",
        "dependency": "",
        "bare": False,
        "attributes": {**labels, "trace_id": trace},
    }
    assert as_json[1]["time"] == AT + timedelta(seconds=1)


@pytest.mark.parametrize(
    ("labels", "service"),
    [
        ({"service_name": "a", "app": "b"}, "a"),
        ({"service_name": "unknown_service", "app": "b"}, "b"),
        ({"job": "j", "container": "c"}, "c"),
        ({"job": "ns/app"}, "ns/app"),
        ({"filename": "/var/log/x"}, ""),
    ],
)
def test_the_service_comes_from_the_labels(labels: dict[str, str], service: str) -> None:
    """The most telling label names the service."""
    assert read_json({"stream": labels, "values": [[str(NANOS), "x"]]})[0]["service"] == service


@pytest.mark.parametrize(
    ("labels", "line", "level"),
    [
        ({"detected_level": "warn"}, "x", 13),
        ({}, "level=error msg=x", 17),
        ({}, '{"level":"error","msg":"x"}', 17),
        ({"detected_level": "unknown"}, "ERROR x", 17),
        ({}, "all is well", 0),
    ],
)
def test_the_level_comes_from_labels_or_from_the_line(labels: dict[str, str], line: str, level: int) -> None:
    """A label says it; else the start of the line may."""
    assert read_json({"stream": labels, "values": [[str(NANOS), line]]})[0]["level"] == level


def test_a_line_that_is_a_document_is_read_as_one() -> None:
    """A container's JSON line gives its sentence, keeps its fields and takes the stream's time."""
    line = json.dumps({"msg": "lost", "level": "error", "order": 7, "time": "2020-01-01T00:00:00Z"})

    [row] = read_json({"stream": {"app": "a"}, "values": [[str(NANOS), line]]})

    assert (row["message"], row["level"], row["service"], row["time"]) == ("lost", 17, "a", AT)
    assert row["attributes"]["order"] == "7"


def test_the_older_shape_is_taken_as_well() -> None:
    """Labels as one text, and entries with a time in words."""
    [row] = read_json({"labels": '{job="x"}', "entries": [{"ts": "2026-11-16T09:59:59Z", "line": "old"}]})

    assert (row["time"], row["service"], row["message"]) == (AT, "x", "old")


@pytest.mark.parametrize(
    ("text", "labels"),
    [
        ("{}", {}),
        ('{app="x"}', {"app": "x"}),
        ('{ app = "x" , level="error",}', {"app": "x", "level": "error"}),
        (r'{a="q\"uo\\te\nd", b="{,=}"}', {"a": 'q"uo\\te\nd', "b": "{,=}"}),
    ],
)
def test_labels_are_read_with_their_escapes(text: str, labels: dict[str, str]) -> None:
    """Quotes, backslashes, commas and braces inside a value are part of it."""
    assert loki.parse_labels(text) == labels


@pytest.mark.parametrize(
    "text", ["", "app", "{app}", '{app="x"', '{app="x" level="y"}', '{="x"}', "{app='x'}", '{a="\\']
)
def test_labels_that_make_no_sense_are_told(text: str) -> None:
    """The error names the field and shows the text."""
    with pytest.raises(Malformed) as raised:
        loki.parse_labels(text)

    assert raised.value.field == "streams.labels"


def test_a_bad_entry_is_rejected_alone() -> None:
    """An entry without a line is told by its position; the others are taken."""
    body = {"streams": [{"stream": {"app": "a"}, "values": [[str(NANOS), "x"], [str(NANOS)], "y", [str(NANOS), "z"]]}]}

    read = loki.parse_json(json.dumps(body).encode(), LIMITS, arrived=ARRIVED)

    assert read.logs is not None
    assert read.logs["message"].to_pylist() == ["x", "z"]
    assert [rejection.position for rejection in read.rejections] == [1, 2]


@pytest.mark.parametrize("body", [b"", b"{", b'{"streams": 5}', b'{"streams":[{"stream":[]}]}', b"[" * 100_000])
def test_what_is_no_push_is_refused(body: bytes) -> None:
    """JSON of another shape names the place."""
    with pytest.raises(Malformed):
        loki.parse_json(body, LIMITS, arrived=ARRIVED)


@pytest.mark.parametrize(
    "body", [b"", b"not snappy", bytes(cramjam.snappy.compress_raw(b"\x0a\xff")), push("no labels", (NANOS, b"x", {}))]
)
def test_what_is_no_protobuf_push_is_refused(body: bytes) -> None:
    """Neither a body without snappy, nor one without a push request inside, nor one without labels."""
    with pytest.raises(Malformed):
        loki.parse_protobuf(body, LIMITS, arrived=ARRIVED)


def test_invalid_text_and_missing_times_are_counted() -> None:
    """A byte that is no text is replaced, a time of zero is no time; both lines are kept."""
    read = loki.parse_protobuf(push('{app="a"}', (NANOS, b"caf\xe9", {}), (0, b"x", {})), LIMITS, arrived=ARRIVED)

    assert read.logs is not None
    assert read.logs["message"].to_pylist() == ["caf�", "x"]
    assert read.logs["time"].to_pylist() == [AT, None]
    assert read.altered == {"invalid_utf8": 1, "time_unreadable": 1}


def test_a_line_of_ten_megabytes_is_cut_and_marked() -> None:
    """The line keeps its start, says how long it was, and is counted."""
    read = loki.parse_protobuf(
        push('{app="a"}', (NANOS, b"x" * 10_000_000, {}), (NANOS, b"y", {})), LIMITS, arrived=ARRIVED
    )

    assert read.logs is not None
    long, short = read.logs["message"].to_pylist()
    assert len(long.encode()) <= LIMITS.message_bytes_max
    assert long.endswith("…[cut, 10000000 bytes]")
    assert short == "y"
    assert read.altered["message_cut"] == 1
