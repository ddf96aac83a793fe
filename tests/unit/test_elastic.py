"""Elasticsearch's bulk requests and its handshake, as shippers know them."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest

from hindcast.ingest import elastic
from hindcast.model.columns import RAW_LOG
from hindcast.model.errors import Malformed
from hindcast.model.ingest_limits import IngestLimits

ARRIVED = datetime(2026, 11, 16, 10, 0, tzinfo=UTC)
LIMITS = IngestLimits()


def bulk(*lines: dict[str, Any] | str | bytes, limits: IngestLimits = LIMITS) -> elastic.Bulk:
    """A bulk request of these lines, read."""
    written = [
        line if isinstance(line, bytes) else (line if isinstance(line, str) else json.dumps(line)).encode()
        for line in lines
    ]
    return elastic.parse_bulk(b"\n".join([*written, b""]), limits, arrived=ARRIVED, index="logs")


def row(document: dict[str, Any]) -> dict[str, Any]:
    """The row that one document becomes."""
    read = bulk({"create": {}}, document).read
    assert read.logs is not None
    assert read.logs.schema == RAW_LOG
    [found] = read.logs.to_pylist()
    return {**found, "attributes": dict(found["attributes"])}


def test_the_common_schema_is_understood_nested_and_dotted() -> None:
    """ECS fields mean the same whether they are nested, dotted or half of each."""
    trace = "0af7651916cd43dd8448eb211c80319c"
    expected = {
        "time": datetime(2026, 11, 16, 9, 59, tzinfo=UTC),
        "service": "payment",
        "level": 17,
        "trace": trace,
        "span": "",
        "message": "declined",
        "stack": "a\n  at b",
        "dependency": "",
        "bare": False,
        "attributes": {"host.name": "h1", "error.type": "E"},
    }

    nested = {
        "@timestamp": "2026-11-16T09:59:00.000Z",
        "message": "declined",
        "log": {"level": "Error"},
        "service": {"name": "payment"},
        "error": {"stack_trace": "a\n  at b", "type": "E"},
        "trace": {"id": trace},
        "host": {"name": "h1"},
    }
    dotted = {
        "@timestamp": "2026-11-16T09:59:00.000Z",
        "message": "declined",
        "log.level": "Error",
        "service.name": "payment",
        "error.stack_trace": "a\n  at b",
        "error.type": "E",
        "trace.id": trace,
        "host": {"name": "h1"},
    }

    assert row(nested) == expected
    assert row(dotted) == expected


@pytest.mark.parametrize(
    ("document", "service", "level", "message"),
    [
        # rsyslog's omelasticsearch, with its usual templates.
        ({"message": "x", "severity": "err", "programname": "sshd", "host": "h"}, "sshd", 17, "x"),
        ({"message": "x", "syslogseverity": 4, "programname": "sshd"}, "sshd", 13, "x"),
        # Fluent Bit of a container.
        ({"log": "ERROR boom", "stream": "stderr", "kubernetes": {"container_name": "api"}}, "api", 17, "ERROR boom"),
        # Pino, Zap, structlog, Logback, Monolog, GELF.
        ({"level": 50, "time": 1794823200000, "msg": "x", "pid": 1, "hostname": "h"}, "", 17, "x"),
        ({"level": "error", "ts": 1794823200.5, "msg": "x", "caller": "a.go:1"}, "", 17, "x"),
        ({"event": "x", "level": "warning", "timestamp": "2026-11-16T10:00:00Z", "app": "a"}, "a", 13, "x"),
        ({"message": "x", "level": "ERROR", "level_value": 40000, "appname": "a"}, "a", 17, "x"),
        ({"message": "x", "level": 400, "level_name": "ERROR"}, "", 17, "x"),
        ({"short_message": "x", "level": 3, "version": "1.1"}, "", 17, "x"),
        # Python's numbers are another scale than Pino's.
        ({"message": "x", "levelno": 40}, "", 17, "x"),
        ({"message": "x", "level": 40}, "", 13, "x"),
        ({"message": "x", "stack_trace": "E\n  at f"}, "", 17, "x"),
        ({"message": "nothing said"}, "", 0, "nothing said"),
    ],
)
def test_shippers_own_shapes_are_understood(document: dict[str, Any], service: str, level: int, message: str) -> None:
    """What the usual shippers and loggers write needs no configuration."""
    found = row(document)

    assert (found["service"], found["level"], found["message"]) == (service, level, message)


def test_nothing_of_a_document_is_dropped() -> None:
    """Fields that mean nothing here stay attributes, lists and deep objects as JSON."""
    deep: dict[str, Any] = {"leaf": 1}
    for _ in range(20):
        deep = {"d": deep}

    found = row({"message": "x", "order": {"id": 7, "items": [1, {"a": None}]}, "ok": True, "deep": deep})

    assert found["attributes"]["order.id"] == "7"
    assert found["attributes"]["order.items"] == '[1,{"a":null}]'
    assert found["attributes"]["ok"] == "true"
    assert '"leaf":1' in next(value for key, value in found["attributes"].items() if key.startswith("deep"))


def test_a_document_without_a_sentence_is_its_own() -> None:
    """Metrics-like documents are kept as JSON text."""
    assert row({"cpu": 0.5})["message"] == '{"cpu":0.5}'


def test_every_item_is_answered_in_its_place() -> None:
    """Create and index are taken, a bad document is told, a delete finds nothing, an update needs a whole document."""
    read = bulk(
        {"create": {"_index": "a", "_id": "1"}},
        {"message": "one"},
        {"index": {}},
        "this is not json",
        {"delete": {"_id": "9"}},
        {"update": {"_id": "2"}},
        {"doc": {"message": "two"}, "doc_as_upsert": True},
        {"update": {"_id": "3"}},
        {"doc": {"message": "three"}},
        {"index": {"_id": "4"}},
        [1],  # type: ignore[arg-type]
    )
    told = json.loads(elastic.answer(read.items, took_ms=7))

    assert told["took"] == 7
    assert told["errors"] is True
    statuses = [(action, item["status"]) for one in told["items"] for action, item in one.items()]
    assert statuses == [
        ("create", 201),
        ("index", 400),
        ("delete", 404),
        ("update", 201),
        ("update", 404),
        ("index", 400),
    ]
    assert told["items"][1]["index"]["error"]["type"] == "mapper_parsing_exception"
    assert read.read.logs is not None
    assert read.read.logs["message"].to_pylist() == ["one", "two"]
    assert read.keys == ("a/1", "logs/2")
    assert [rejection.position for rejection in read.read.rejections] == [1, 5]


def test_a_bulk_of_good_documents_has_no_errors() -> None:
    """Shippers look at `errors` first."""
    told = json.loads(elastic.answer(bulk({"create": {}}, {"message": "x"}, {"delete": {"_id": "1"}}).items, 0))

    assert told["errors"] is False


@pytest.mark.parametrize(
    "lines",
    [
        ["nonsense"],
        [{"create": {}, "index": {}}],
        [{"explode": {}}],
        [{"create": {}}],
        ['{"create": 5}', "{}"],
        [{"message": "a document where an action should be"}],
    ],
)
def test_a_request_that_cannot_be_cut_into_items_is_refused(lines: list[Any]) -> None:
    """The error names the line."""
    with pytest.raises(Malformed, match=r"line \d"):
        bulk(*lines)


def test_invalid_text_costs_a_character_and_not_the_document() -> None:
    """Bytes that are not UTF-8 are replaced and counted."""
    read = bulk({"create": {}}, b'{"message":"caf\xe9 closed"}').read

    assert read.logs is not None
    assert read.logs["message"].to_pylist() == ["caf� closed"]
    assert read.altered["invalid_utf8"] == 1


def test_times_that_cannot_be_read_are_left_to_the_arrival_and_counted() -> None:
    """An unreadable time, and a naive one from another zone, give no time; the text stays an attribute."""
    read = bulk(
        {"create": {}},
        {"message": "a", "@timestamp": "soon"},
        {"create": {}},
        {"message": "b", "@timestamp": "2026-11-16T05:00:00"},
        {"create": {}},
        {"message": "c", "@timestamp": "2026-11-16T09:59:59"},
    ).read

    assert read.logs is not None
    assert read.logs["time"].to_pylist() == [None, None, datetime(2026, 11, 16, 9, 59, 59, tzinfo=UTC)]
    assert dict(read.logs["attributes"].to_pylist()[1])["@timestamp"] == "2026-11-16T05:00:00"
    assert read.altered["time_unreadable"] == 1
    assert read.altered["time_naive"] == 2


def test_a_document_with_a_million_fields_keeps_the_first() -> None:
    """More attributes than fit are cut and counted; the other documents do not notice."""
    wide = {f"k{n}": n for n in range(100_000)}
    read = bulk({"create": {}}, {"message": "wide", **wide}, {"create": {}}, {"message": "x", "a": 1}).read

    assert read.logs is not None
    lengths = [len(pairs) for pairs in read.logs["attributes"].to_pylist()]
    assert lengths == [LIMITS.attributes_per_record_max, 1]
    assert read.altered["attributes_cut"] == 100_000 - LIMITS.attributes_per_record_max


def test_more_documents_than_are_taken_are_told_one_by_one() -> None:
    """Documents over the limit get 429, so that the shipper sends them again, and those before it are kept."""
    limits = IngestLimits(records_per_request_max=2)
    create: dict[str, Any] = {"create": {}}
    read = bulk(create, {"message": "0"}, create, {"message": "1"}, create, {"message": "2"}, limits=limits)

    assert [item.status for item in read.items] == [201, 201, 429]


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/", {"tagline": "You Know, for Search"}),
        ("", {"tagline": "You Know, for Search"}),
        ("/_license", {"license": {"type": "basic", "status": "active", "mode": "basic"}}),
        ("/_ilm/policy/x", {}),
        ("/_index_template/x", {}),
        ("/_nodes/http", {}),
    ],
)
def test_the_handshake_says_what_shippers_want_to_hear(path: str, expected: dict[str, Any]) -> None:
    """Each path that is asked before the first bulk has its answer."""
    body = elastic.handshake(path)

    assert body is not None
    assert expected.items() <= json.loads(body).items()


def test_the_reported_version_can_be_set() -> None:
    """Beats refuse a server older than themselves, so the version is the operator's to choose."""
    body = elastic.handshake("/", version="9.1.2")

    assert body is not None
    assert json.loads(body)["version"]["number"] == "9.1.2"
    health = elastic.handshake("/_cluster/health")
    assert health is not None
    assert json.loads(health)["status"] == "green"
    assert elastic.handshake("/_template/t", writes=True) == b'{"acknowledged":true}'
    assert elastic.handshake("/some-index/_search") is None


def test_a_refusal_speaks_elasticsearch() -> None:
    """A request that is refused as a whole gets an error that clients can read."""
    told = json.loads(elastic.refusal(429, "full"))

    assert told["status"] == 429
    assert told["error"]["type"] == "es_rejected_execution_exception"


def test_half_a_character_costs_a_character() -> None:
    """An escape of half an emoji is replaced; whole ones, and what only looks like one, are left."""
    read = bulk({"create": {}}, rb'{"message":"cut \ud83d, whole \ud83d\ude00, text \\ud83d"}').read

    assert read.logs is not None
    assert read.logs["message"].to_pylist() == ["cut �, whole 😀, text \\ud83d"]
    assert read.altered["invalid_utf8"] == 1


def test_a_document_nested_without_end_is_kept() -> None:
    """Lists inside lists, hundreds deep, end in a mark; the rest of the document is there."""
    deep = "[" * 600 + "]" * 600

    read = bulk({"create": {}}, f'{{"message":"x","deep":{deep},"a":1}}').read

    assert read.logs is not None
    assert dict(read.logs["attributes"].to_pylist()[0]) == {"deep": "…[nested too deep]", "a": "1"}
