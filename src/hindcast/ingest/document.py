"""A log line that came as a JSON document: which of its fields is the time, the level, the sentence, the service.

Elastic's common schema, and what rsyslog, Fluent Bit, Logstash, Vector, Pino, Zap, Logback and structlog write. Names
may be nested or dotted. What is not one of ours stays an attribute under its dotted name; nothing is dropped.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from datetime import UTC, datetime, tzinfo
from typing import Final

import orjson

from hindcast.ingest.level import Scale, infer_level, read_level
from hindcast.ingest.rows import TIME_NAIVE, TIME_UNREADABLE, Json, LogRows, json_text, repaired_json
from hindcast.ingest.times import read_time, trusted
from hindcast.model.ingest_limits import IngestLimits
from hindcast.model.signal import Level

TIME_KEYS: Final = ("@timestamp", "timestamp", "time", "ts", "datetime", "date", "eventTime", "asctime", "_time", "t")
LEVEL_KEYS: Final = (
    ("log.level", Scale.JSON),
    ("level_name", Scale.JSON),
    ("levelname", Scale.JSON),
    ("severity_text", Scale.JSON),
    ("severityText", Scale.JSON),
    ("loglevel", Scale.JSON),
    ("log_level", Scale.JSON),
    ("syslog.severity.name", Scale.JSON),
    ("log.syslog.severity.name", Scale.JSON),
    ("syslogseverity-text", Scale.JSON),
    ("level", Scale.JSON),
    ("severity", Scale.JSON),
    ("lvl", Scale.JSON),
    ("levelno", Scale.PYTHON),
    ("severity_number", Scale.OTLP),
    ("severityNumber", Scale.OTLP),
    ("log.syslog.severity.code", Scale.SYSLOG),
    ("syslogseverity", Scale.SYSLOG),
    ("syslog_severity", Scale.SYSLOG),
    ("priority", Scale.SYSLOG),
    ("PRIORITY", Scale.SYSLOG),
)
MESSAGE_KEYS: Final = (
    "message",
    "msg",
    "log",
    "@message",
    "MESSAGE",
    "short_message",
    "textPayload",
    "body",
    "text",
    "event",
    "event.original",
    "error.message",
)
STACK_KEYS: Final = (
    "error.stack_trace",
    "exception.stacktrace",
    "stack_trace",
    "stacktrace",
    "exc_info",
    "error.stack",
    "err.stack",
    "stack",
    "traceback",
    "exception",
)
SERVICE_KEYS: Final = (
    "service.name",
    "service",
    "service_name",
    "serviceName",
    "app.name",
    "app",
    "app_name",
    "appname",
    "app-name",
    "application",
    "programname",
    "program",
    "SYSLOG_IDENTIFIER",
    "kubernetes.labels.app.kubernetes.io/name",
    "kubernetes.labels.app_kubernetes_io/name",
    "kubernetes.labels.app",
    "kubernetes.container_name",
    "kubernetes.container.name",
    "container.name",
    "container_name",
    "component",
    "job",
    "process.name",
)
TRACE_KEYS: Final = ("trace.id", "trace_id", "traceId", "traceID", "otelTraceID")
SPAN_KEYS: Final = ("span.id", "span_id", "spanId", "spanID", "otelSpanID")

# Most documents have none of these, and one look tells.
_STACK_SET: Final = frozenset(STACK_KEYS)
_ID_SET: Final = frozenset({*TRACE_KEYS, *SPAN_KEYS})

# A document nested deeper is kept as JSON text from there on.
DEPTH_MAX: Final = 8
_HEX: Final = frozenset("0123456789abcdef")


def add_document(
    rows: LogRows,
    document: Mapping[str, Json],
    *,
    arrived: datetime | None,
    limits: IngestLimits,
    zone: tzinfo = UTC,
    at: datetime | None = None,
    service: str = "",
    level: int = 0,
    fallback: str = "",
    extra: Mapping[str, str] | None = None,
) -> None:
    """Add the row of one document.

    What is known from elsewhere (such as a stream's labels) wins where it is given; `fallback` is the service where
    neither says one.
    """
    fields = dict(_flat(document))
    level = level or _level(fields)
    stack = _stack(fields)
    message = _message(fields)
    rows.add(
        at=at or _time(fields, rows.counts, arrived=arrived, limits=limits, zone=zone),
        service=service or _first_text(fields, SERVICE_KEYS) or fallback,
        level=level or (int(Level.ERROR) if stack else infer_level(message)),
        message=message,
        stack=stack,
        trace=_id(fields, TRACE_KEYS, 32),
        span=_id(fields, SPAN_KEYS, 16),
        attributes={**(extra or {}), **{key: text_of(value) for key, value in fields.items()}},
    )


def loaded(source: bytes | str, counts: Counter[str]) -> dict[str, Json] | None:
    """The JSON object that a line is, its texts repaired where they have to be; none where it is no object."""
    raw = source if isinstance(source, bytes) else source.encode()
    try:
        found = orjson.loads(raw)
    except orjson.JSONDecodeError:
        tried: Counter[str] = Counter()
        try:
            found = orjson.loads(repaired_json(raw, tried))
        except orjson.JSONDecodeError:
            return None
        counts.update(tried)
    return found if isinstance(found, dict) else None


def text_of(value: Json) -> str:
    """A JSON value as text: strings as they are, the rest as JSON."""
    if isinstance(value, str):
        return value
    return "" if value is None else json_text(value)


def _flat(document: Mapping[str, Json], before: str = "", depth: int = 0) -> Iterator[tuple[str, Json]]:
    """Every leaf under its dotted name; lists are leaves."""
    for key, value in document.items():
        name = f"{before}{key}"
        if isinstance(value, dict) and value and depth < DEPTH_MAX:
            yield from _flat(value, f"{name}.", depth + 1)
        elif value is not None and value != "":
            yield name, value


def _first_text(fields: dict[str, Json], keys: tuple[str, ...]) -> str:
    """The first field that is a text, which leaves the attributes."""
    for key in keys:
        value = fields.get(key)
        if isinstance(value, str) and value.strip():
            del fields[key]
            return value
    return ""


def _message(fields: dict[str, Json]) -> str:
    found = _first_text(fields, MESSAGE_KEYS)
    if found:
        return found
    for key in MESSAGE_KEYS:
        if key in fields:
            return text_of(fields.pop(key))
    # A document without a sentence is its own.
    return json_text(fields)


def _stack(fields: dict[str, Json]) -> str:
    if _STACK_SET.isdisjoint(fields):
        return ""
    for key in STACK_KEYS:
        value = fields.get(key)
        # Some senders write frames as a list of lines.
        if isinstance(value, list) and value and all(isinstance(line, str) for line in value):
            value = "\n".join(value)
        # `exception` may be a class name, `exc_info` a boolean; a stack trace has more than one line.
        if isinstance(value, str) and "\n" in value.strip():
            del fields[key]
            return value
    return ""


def _level(fields: dict[str, Json]) -> int:
    for key, scale in LEVEL_KEYS:
        value = fields.get(key)
        if isinstance(value, str | int | float) and (level := read_level(value, scale=scale)):
            del fields[key]
            return level
    return 0


def _time(
    fields: dict[str, Json], counts: Counter[str], *, arrived: datetime | None, limits: IngestLimits, zone: tzinfo
) -> datetime | None:
    for key in TIME_KEYS:
        value = fields.get(key)
        if not isinstance(value, str | int | float):
            continue
        reading = read_time(value, near=arrived, zone=zone)
        if reading is None:
            continue
        counts[TIME_NAIVE] += reading.naive
        at = trusted(reading, arrived=arrived, limits=limits)
        if at is not None:
            del fields[key]
        return at
    if any(key in fields for key in TIME_KEYS):
        counts[TIME_UNREADABLE] += 1
    return None


def _id(fields: dict[str, Json], keys: tuple[str, ...], digits: int) -> str:
    """An id in hex. What a sender calls an id and is none of ours stays an attribute."""
    if _ID_SET.isdisjoint(fields):
        return ""
    for key in keys:
        value = fields.get(key)
        if isinstance(value, str) and len(value) == digits and _HEX.issuperset(value.lower()) and value.strip("0"):
            del fields[key]
            return value.lower()
    return ""
