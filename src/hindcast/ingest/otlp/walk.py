"""Decoded OTLP requests walked record by record into columns: the way for JSON, and for protobuf beside the fast one.

The walk sees only attributes of the protobuf messages' names, which OTLP/JSON's shapes share.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from hindcast.ingest.level import Scale, read_level
from hindcast.ingest.otlp.context import Context, context
from hindcast.ingest.otlp.logs import LogColumns
from hindcast.ingest.otlp.metrics import KINDS, PointColumns, PointRow, point_rows
from hindcast.ingest.otlp.traces import EXCEPTION, EventColumns, SpanColumns
from hindcast.ingest.otlp.values import SPAN_HEX, TRACE_HEX, Decoded, body_parts, checked_ids, plain, text
from hindcast.ingest.rows import Attributes, check_spread
from hindcast.model.errors import Malformed

_NANOS_MAX: Final = 2**64 - 1
_SPAN_KINDS: Final = ("unspecified", "internal", "server", "client", "producer", "consumer")
_STATUSES: Final = ("unset", "ok", "error")
_TEMPORALITIES: Final = ("unspecified", "delta", "cumulative")


class _Pairs:
    """Attributes of many records, gathered end to end."""

    def __init__(self) -> None:
        self.keys: list[str] = []
        self.values: list[str] = []
        self.lengths: list[int] = []

    def add(self, pairs: Sequence[Decoded] | None) -> None:
        self.lengths.append(len(pairs) if pairs else 0)
        if not pairs:
            return
        self.keys += [pair.key for pair in pairs]
        # A string that is set and not empty is what most values are.
        self.values += [(value.string_value or text(value)) if (value := pair.value) else "" for pair in pairs]

    def last_size(self) -> int:
        """How many characters the values of the last record have."""
        return sum(map(len, self.values[len(self.values) - self.lengths[-1] :]))

    def attributes(self) -> Attributes:
        return Attributes(
            pa.array(self.keys, pa.string()),
            pa.array(self.values, pa.string()),
            np.array(self.lengths, dtype=np.int64),
        )


def _scopes(request: Decoded, resources: str, scopes: str, records: str) -> Iterator[tuple[Context, Any]]:
    for resource in getattr(request, resources) or ():
        attributes = {}
        if resource.resource is not None:
            attributes = {pair.key: text(pair.value) for pair in resource.resource.attributes or ()}
        for scope in getattr(resource, scopes) or ():
            name = (scope.scope.name if scope.scope is not None else "") or ""
            yield context(attributes, name), getattr(scope, records) or ()


def _nanos(value: int | None, field: str) -> int:
    if value is None:
        return 0
    if not 0 <= value <= _NANOS_MAX:
        raise Malformed(f"{value} is not a time.", field=field, remedy="Send Unix time in nanoseconds.")
    return value


def _hex(value: bytes | str | None) -> str:
    """An id as it is written in JSON, where protobuf has bytes."""
    return value if isinstance(value, str) else value.hex() if value else ""


def _enum(value: int | str | None, names: tuple[str, ...]) -> int:
    """An enum's number. Integers by the standard; names are what careless senders write."""
    if isinstance(value, str):
        last = value.rpartition("_")[2].lower()
        return names.index(last) if last in names else 0
    return value if value is not None and 0 <= value < len(names) else 0


def _indices(values: list[int]) -> npt.NDArray[np.int64]:
    return np.array(values, dtype=np.int64)


def log_columns(request: Decoded) -> LogColumns:
    """A decoded request of logs in columns."""
    contexts: list[Context] = []
    index: list[int] = []
    rows: list[tuple[Any, ...]] = []
    wholes: dict[int, str] = {}
    pairs = _Pairs()
    for one, records in _scopes(request, "resource_logs", "scope_logs", "log_records"):
        for record in records:
            body, severity_text, whole = _body(record.body)
            if whole:
                wholes[len(index)] = whole
            number = record.severity_number or 0
            rows.append(
                (
                    _nanos(record.time_unix_nano, "timeUnixNano"),
                    _nanos(record.observed_time_unix_nano, "observedTimeUnixNano"),
                    read_level(number, scale=Scale.OTLP) if isinstance(number, str) else min(max(number, -1), 127),
                    record.severity_text or severity_text,
                    record.event_name or "",
                    _hex(record.trace_id),
                    _hex(record.span_id),
                    body,
                )
            )
            pairs.add(record.attributes)
            index.append(len(contexts))
        contexts.append(one)
    types = (pa.uint64(), pa.uint64(), pa.int32(), *([pa.string()] * 5))
    times, observed, numbers, *texts = _columns(rows, types)
    severity_text, event, trace, span, body_text = texts
    return LogColumns(
        contexts,
        _indices(index),
        times,
        observed,
        numbers,
        severity_text,
        event,
        checked_ids(trace, TRACE_HEX),
        checked_ids(span, SPAN_HEX),
        body_text,
        wholes,
        pairs.attributes(),
    )


def _body(value: Decoded | None) -> tuple[str, str, str]:
    if value is not None and not value.string_value and value.WhichOneof("value") == "kvlist_value":
        return body_parts(plain(value))
    return text(value), "", ""


def _columns(rows: list[tuple[Any, ...]], types: tuple[pa.DataType, ...]) -> list[pa.Array]:
    turned = list(zip(*rows, strict=True)) or [()] * len(types)
    return [pa.array(column, kind) for column, kind in zip(turned, types, strict=True)]


def span_columns(request: Decoded) -> SpanColumns:
    """A decoded request of traces in columns."""
    contexts: list[Context] = []
    index: list[int] = []
    rows: list[tuple[Any, ...]] = []
    events: list[tuple[Any, ...]] = []
    pairs, event_pairs = _Pairs(), _Pairs()
    for one, spans in _scopes(request, "resource_spans", "scope_spans", "spans"):
        for span in spans:
            status = span.status
            rows.append(
                (
                    _hex(span.trace_id),
                    _hex(span.span_id),
                    _hex(span.parent_span_id),
                    span.name or "",
                    _enum(span.kind, _SPAN_KINDS),
                    _nanos(span.start_time_unix_nano, "startTimeUnixNano"),
                    _nanos(span.end_time_unix_nano, "endTimeUnixNano"),
                    _enum(status.code, _STATUSES) if status is not None else 0,
                    (status.message or "") if status is not None else "",
                )
            )
            pairs.add(span.attributes)
            for event in span.events or ():
                if event.name == EXCEPTION:
                    events.append((len(index), _nanos(event.time_unix_nano, "events.timeUnixNano")))
                    event_pairs.add(event.attributes)
            index.append(len(contexts))
        contexts.append(one)
    strings, numbers = [pa.string()] * 4, (pa.uint8(), pa.uint64(), pa.uint64(), pa.uint8())
    trace, span_id, parent, name, kind, start, end, code, words = _columns(rows, (*strings, *numbers, pa.string()))
    owner, time_ns = _columns(events, (pa.int64(), pa.uint64()))
    exceptions = EventColumns(owner.to_numpy(), time_ns, event_pairs.attributes())
    return SpanColumns(
        contexts,
        _indices(index),
        checked_ids(trace, TRACE_HEX),
        checked_ids(span_id, SPAN_HEX),
        checked_ids(parent, SPAN_HEX),
        name,
        kind,
        start,
        end,
        code,
        words,
        pairs.attributes(),
        exceptions,
    )


def point_columns(request: Decoded) -> PointColumns:
    """A decoded request of metrics in columns."""
    contexts: list[Context] = []
    rows: list[PointRow] = []
    pairs = _Pairs()
    position = repeated = 0
    for one, metrics in _scopes(request, "resource_metrics", "scope_metrics", "metrics"):
        for metric in metrics:
            kind = metric.WhichOneof("data")
            if kind is None:
                continue
            data = getattr(metric, kind)
            grows = kind == "summary" or (
                _enum(getattr(data, "aggregation_temporality", 0), _TEMPORALITIES) == 2
                and (kind != "sum" or bool(data.is_monotonic))
            )
            for point in data.data_points or ():
                fields = KINDS[kind](point)
                for suffix, value, is_total, buckets in point_rows(kind, fields, grows=grows):
                    time_ns = _nanos(point.time_unix_nano, "timeUnixNano")
                    rows.append(
                        PointRow(
                            len(contexts),
                            position,
                            (metric.name or "") + suffix if metric.name else "",
                            metric.unit or "",
                            time_ns,
                            value,
                            grows and is_total,
                            buckets,
                        )
                    )
                    pairs.add(point.attributes)
                    check_spread(repeated := repeated + pairs.last_size())
                position += 1
        contexts.append(one)
    return PointColumns.of_rows(contexts, rows, pairs.attributes())
