"""Loki's push: streams of lines with labels, as JSON or as protobuf in a snappy block."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime
from typing import Any, Final

import msgspec
from google.protobuf.descriptor_pb2 import FieldDescriptorProto, FileDescriptorProto
from google.protobuf.descriptor_pool import DescriptorPool
from google.protobuf.message import DecodeError
from google.protobuf.message_factory import GetMessageClass

from hindcast.ingest.body import unsnapped
from hindcast.ingest.document import add_document, loaded, text_of
from hindcast.ingest.level import infer_level, read_level
from hindcast.ingest.rows import TIME_UNREADABLE, Json, LogRows, Read, repaired, repaired_json
from hindcast.ingest.times import micros_of, read_time
from hindcast.model.columns import Rejection
from hindcast.model.errors import Malformed
from hindcast.model.ingest_limits import IngestLimits

SERVICE_LABELS: Final = (
    "service_name",
    "service",
    "app",
    "application",
    "app_kubernetes_io_name",
    "name",
    "app_kubernetes_io_instance",
    "container",
    "container_name",
    "component",
    "workload",
    "job",
)
LEVEL_LABELS: Final = ("detected_level", "level", "severity", "severity_text", "lvl", "loglevel", "levelname")
TRACE_LABELS: Final = ("trace_id", "traceID", "traceId")
SPAN_LABELS: Final = ("span_id", "spanID", "spanId")
# What Loki itself writes where it knows no service.
_UNKNOWN_SERVICE: Final = "unknown_service"

_LABEL: Final = re.compile(r'\s*([A-Za-z_][\w.:]*)\s*=\s*"((?:[^"\\]|\\.)*)"\s*(,|$)')
_ESCAPED: Final = re.compile(r"\\(.)", re.DOTALL)
_ESCAPES: Final = {"n": "\n", "t": "\t", "r": "\r"}
LABELS_BYTES_MAX: Final = 65_536


def parse_json(body: bytes, limits: IngestLimits, *, arrived: datetime) -> Read:
    """The rows of a push in JSON, of today's shape or of the one before it (`labels` and `entries`)."""
    rows = LogRows(limits)
    try:
        push = _JSON.decode(body)
    except (ValueError, RecursionError):
        # Texts may be repaired; what is wrong beside them is told.
        push = _json(repaired_json(body, rows.counts))
    entries = (entry for stream in push.streams or () for entry in _json_entries(stream))
    return _read(entries, rows, limits, arrived)


def parse_protobuf(body: bytes, limits: IngestLimits, *, arrived: datetime) -> Read:
    """The rows of a push in protobuf, inside a snappy block."""
    rows = LogRows(limits)
    try:
        push = _PUSH.FromString(unsnapped(body, limits))
    except DecodeError as error:
        raise Malformed(
            "The body is not a push request.", field="body", remedy="Send logproto.PushRequest in a snappy block."
        ) from error
    return _read(_protobuf_entries(push, rows), rows, limits, arrived)


def parse_labels(text: str) -> dict[str, str]:
    """Labels as Loki writes them: `{app="x", level="error"}`. Raises Malformed, naming where it stops making sense."""
    inner = text.strip()
    if not (inner.startswith("{") and inner.endswith("}")) or len(text) > LABELS_BYTES_MAX:
        raise _bad_labels(text, 0)
    inner = inner[1:-1]
    labels: dict[str, str] = {}
    at = 0
    while inner[at:].strip():
        found = _LABEL.match(inner, at)
        if found is None:
            raise _bad_labels(text, at + 1)
        labels[found[1]] = _ESCAPED.sub(lambda match: _ESCAPES.get(match[1], match[1]), found[2])
        at = found.end()
    return labels


def _bad_labels(text: str, at: int) -> Malformed:
    return Malformed(
        f"Labels make no sense at character {at}: {text[:80]!r}.",
        field="streams.labels",
        remedy='Write them as {name="value", other="value"}.',
    )


# --- Entries of both shapes ---------------------------------------------------------------------------------------

# Labels of the stream, time (nothing if unreadable), line, structured metadata; or what is wrong with the entry.
_Entry = tuple[Mapping[str, str], int | None, str, Mapping[str, str]] | str


class _Stream(msgspec.Struct, gc=False):
    stream: dict[str, Any] | None = None
    values: list[Any] | None = None
    labels: str | None = None
    entries: list[Any] | None = None


class _Push(msgspec.Struct):
    streams: list[_Stream] | None = None


_JSON: Final = msgspec.json.Decoder(_Push)


def _json(body: bytes) -> _Push:
    try:
        return _JSON.decode(body)
    except (msgspec.DecodeError, RecursionError) as error:
        problem, _, place = str(error).partition(" - at ")
        raise Malformed(
            f"Not a push request: {problem}.",
            field=place.strip("`").removeprefix("$.") or "body",
            remedy='Send {"streams": [{"stream": {…}, "values": [["<unix nanoseconds>", "line"]]}]}.',
        ) from error


def _json_entries(stream: _Stream) -> Iterator[_Entry]:
    labels = parse_labels(stream.labels) if stream.labels else _texts(stream.stream or {})
    for value in stream.values or ():
        match value:
            case [str() | int() | float() as time, str() as line]:
                yield labels, _json_time(time), line, {}
            case [str() | int() | float() as time, str() as line, dict() as metadata]:
                yield labels, _json_time(time), line, _texts(metadata)
            case _:
                yield 'values: not ["<unix nanoseconds>", "line"]'
    for entry in stream.entries or ():
        match entry:
            case {"line": str() as line}:
                yield labels, _json_time(entry.get("ts", entry.get("timestamp"))), line, {}
            case _:
                yield "entries: no line"


def _json_time(value: Json) -> int | None:
    if isinstance(value, str) and value.isascii() and value.isdigit():
        return micros_of(int(value)) if len(value) <= 20 else None
    reading = read_time(value) if isinstance(value, str | int | float) else None
    return None if reading is None else micros_of(reading.at.timestamp())


def _texts(values: Mapping[str, Json]) -> dict[str, str]:
    return {key: text_of(value) for key, value in values.items()}


def _protobuf_entries(push: Any, rows: LogRows) -> Iterator[_Entry]:  # noqa: ANN401 (a message made at run time)
    counts = rows.counts
    for stream in push.streams:
        labels = parse_labels(repaired(stream.labels, counts))
        for entry in stream.entries:
            metadata = {repaired(one.name, counts): repaired(one.value, counts) for one in entry.metadata}
            micros = entry.timestamp.seconds * 1_000_000 + entry.timestamp.nanos // 1_000
            yield labels, micros if micros > 0 else None, repaired(entry.line, counts), metadata


def _read(entries: Iterator[_Entry], rows: LogRows, limits: IngestLimits, arrived: datetime) -> Read:
    rejections: list[Rejection] = []
    for place, entry in enumerate(entries):
        if isinstance(entry, str):
            rejections.append(Rejection(place, entry))
            continue
        if len(rows) >= limits.records_per_request_max:
            rejections.append(Rejection(place, "more lines than are taken at once (records_per_request_max)"))
            continue
        _add(rows, *entry, limits=limits, arrived=arrived)
    return rows.read(rejections)


def _add(
    rows: LogRows,
    labels: Mapping[str, str],
    micros: int | None,
    line: str,
    metadata: Mapping[str, str],
    *,
    limits: IngestLimits,
    arrived: datetime,
) -> None:
    known = {**labels, **metadata}
    service = _label(known, SERVICE_LABELS)
    reading = read_time(micros) if micros else None
    if reading is None:
        rows.counts[TIME_UNREADABLE] += 1
    at = reading.at if reading else None
    level = next((found for key in LEVEL_LABELS if (found := read_level(known.get(key)))), 0)
    document = loaded(line, rows.counts) if line.startswith("{") and line.rstrip().endswith("}") else None
    # A line that is itself a JSON document, as containers write them.
    if document:
        add_document(rows, document, arrived=arrived, limits=limits, at=at, level=level, service=service, extra=known)
        return
    rows.add(
        at=at,
        service=service,
        level=level or infer_level(line),
        message=line,
        trace=_hex(known, TRACE_LABELS, 32),
        span=_hex(known, SPAN_LABELS, 16),
        attributes=known,
    )


def _label(labels: Mapping[str, str], names: tuple[str, ...]) -> str:
    return next((labels[name] for name in names if labels.get(name) and labels[name] != _UNKNOWN_SERVICE), "")


def _hex(labels: Mapping[str, str], names: tuple[str, ...], digits: int) -> str:
    found = next((labels[name].lower() for name in names if labels.get(name)), "")
    return found if re.fullmatch(rf"[0-9a-f]{{{digits}}}", found) and found.strip("0") else ""


# --- logproto, as much of it as is needed -------------------------------------------------------------------------

_BYTES: Final = FieldDescriptorProto.TYPE_BYTES
_INT64: Final = FieldDescriptorProto.TYPE_INT64
_MESSAGES: Final[dict[str, tuple[tuple[str, int, int | str, bool], ...]]] = {
    # Strings are declared as bytes, which look the same on the wire: an invalid character costs one line, not all.
    "Timestamp": (("seconds", 1, _INT64, False), ("nanos", 2, _INT64, False)),
    "Pair": (("name", 1, _BYTES, False), ("value", 2, _BYTES, False)),
    "Entry": (("timestamp", 1, "Timestamp", False), ("line", 2, _BYTES, False), ("metadata", 3, "Pair", True)),
    "Stream": (("labels", 1, _BYTES, False), ("entries", 2, "Entry", True)),
    "PushRequest": (("streams", 1, "Stream", True),),
}


def _push_class() -> Any:  # noqa: ANN401 (a message made at run time)
    file = FileDescriptorProto(name="hindcast/loki.proto", package="hindcast.loki", syntax="proto3")
    for name, fields in _MESSAGES.items():
        message = file.message_type.add(name=name)
        for field, number, kind, repeated in fields:
            label = FieldDescriptorProto.LABEL_REPEATED if repeated else FieldDescriptorProto.LABEL_OPTIONAL
            added = message.field.add(name=field, number=number, label=label)
            if isinstance(kind, str):
                added.type, added.type_name = FieldDescriptorProto.TYPE_MESSAGE, f".hindcast.loki.{kind}"
            else:
                added.type = kind
    pool = DescriptorPool()
    pool.AddSerializedFile(file.SerializeToString())
    return GetMessageClass(pool.FindMessageTypeByName("hindcast.loki.PushRequest"))


_PUSH: Final = _push_class()
