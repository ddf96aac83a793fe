"""Nested Arrow lists of OTLP's messages laid flat into columns, without a Python object for each record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from hindcast.ingest.otlp.context import Context, context
from hindcast.ingest.otlp.logs import LogColumns
from hindcast.ingest.otlp.metrics import NO_RECORDED_VALUE, PointColumns, PointRow, point_rows
from hindcast.ingest.otlp.traces import EXCEPTION, EventColumns, SpanColumns
from hindcast.ingest.otlp.values import (
    SPAN_HEX,
    TRACE_HEX,
    any_texts,
    attributes_of,
    body_parts,
    hex_ids,
    nested,
    opened,
    strings,
)
from hindcast.ingest.rows import check_spread, starts

_CUMULATIVE: Final = 2


def _scopes(
    resources: pa.ListArray, scopes: str, records: str, counts: Counter[str]
) -> tuple[list[Context], npt.NDArray[np.int64], pa.StructArray]:
    """The context of each scope, which scope each record belongs to, and all records."""
    _, resource = opened(resources)
    described = _resources(resource.field("resource"), counts)
    lengths, scope = opened(resource.field(scopes))
    names = pc.fill_null(strings(scope.field("scope").flatten()[0], counts), "").to_pylist()
    owners = np.repeat(np.arange(len(resource)), lengths).tolist()
    contexts = [context(described[owner], name) for owner, name in zip(owners, names, strict=True)]
    record_lengths, found = opened(scope.field(records))
    return contexts, np.repeat(np.arange(len(contexts)), record_lengths), found


def _resources(resources: pa.StructArray, counts: Counter[str]) -> list[Mapping[str, str]]:
    pairs = attributes_of(resources.field("attributes"), counts)
    keys, values = pairs.keys.to_pylist(), pairs.values.to_pylist()
    ends = np.cumsum(pairs.lengths).tolist()
    return [
        dict(zip(keys[begin:end], values[begin:end], strict=True)) for begin, end in zip([0, *ends], ends, strict=False)
    ]


def log_columns(resources: pa.ListArray, counts: Counter[str]) -> LogColumns:
    """A request of logs in columns."""
    contexts, index, records = _scopes(resources, "scope_logs", "log_records", counts)
    body, severity_text, wholes = _bodies(records, counts)
    return LogColumns(
        contexts,
        index,
        time_ns=records.field("time_unix_nano"),
        observed_ns=records.field("observed_time_unix_nano"),
        severity=records.field("severity_number"),
        severity_text=severity_text,
        event=strings(records.field("event_name"), counts),
        trace=hex_ids(records.field("trace_id"), TRACE_HEX),
        span=hex_ids(records.field("span_id"), SPAN_HEX),
        body=body,
        whole_bodies=wholes,
        attributes=attributes_of(records.field("attributes"), counts),
    )


def _bodies(records: pa.StructArray, counts: Counter[str]) -> tuple[pa.Array, pa.Array, dict[int, str]]:
    """Bodies as text; those that are maps give their sentence, and their level where the record has none."""
    values = records.field("body")
    severity_text = strings(records.field("severity_text"), counts)
    maps = dict(zip((field.name for field in values.type), values.flatten(), strict=True))["kvlist_value"]
    text = any_texts(values, counts)
    if maps.null_count == len(maps):
        return text, severity_text, {}
    texts, levels = text.to_pylist(), severity_text.to_pylist()
    wholes: dict[int, str] = {}
    for row in pc.indices_nonzero(pc.is_valid(maps)).to_pylist():
        texts[row], level, whole = body_parts(nested("kvlist_value", maps[row].as_py(), Counter()))
        levels[row] = levels[row] or level
        if whole:
            wholes[row] = whole
    return pa.array(texts, pa.string()), pa.array(levels, pa.string()), wholes


def span_columns(resources: pa.ListArray, counts: Counter[str]) -> SpanColumns:
    """A request of traces in columns."""
    contexts, index, spans = _scopes(resources, "scope_spans", "spans", counts)
    status = dict(
        zip((field.name for field in spans.field("status").type), spans.field("status").flatten(), strict=True)
    )
    return SpanColumns(
        contexts,
        index,
        trace=hex_ids(spans.field("trace_id"), TRACE_HEX),
        span=hex_ids(spans.field("span_id"), SPAN_HEX),
        parent=hex_ids(spans.field("parent_span_id"), SPAN_HEX),
        name=strings(spans.field("name"), counts),
        kind=_enum(spans.field("kind"), 5),
        start_ns=spans.field("start_time_unix_nano"),
        end_ns=spans.field("end_time_unix_nano"),
        status=_enum(status["code"], 2),
        status_message=pc.fill_null(strings(status["message"], counts), ""),
        attributes=attributes_of(spans.field("attributes"), counts),
        exceptions=_exceptions(spans.field("events"), counts),
    )


def _enum(numbers: pa.Array, highest: int) -> pa.Array:
    inside = pc.and_(pc.greater_equal(numbers, 0), pc.less_equal(numbers, highest))
    return pc.if_else(pc.fill_null(inside, False), numbers, 0).cast(pa.uint8())


def _exceptions(lists: pa.ListArray, counts: Counter[str]) -> EventColumns:
    lengths, events = opened(lists)
    owner = np.repeat(np.arange(len(lists)), lengths)
    wanted = pc.equal(events.field("name"), EXCEPTION.encode())
    events = events.filter(wanted)
    attributes = attributes_of(events.field("attributes"), counts)
    return EventColumns(owner[wanted.to_numpy(zero_copy_only=False)], events.field("time_unix_nano"), attributes)


def point_columns(resources: pa.ListArray, counts: Counter[str]) -> PointColumns:
    """A request of metrics in columns: numbers as they are, distributions point by point."""
    contexts, index, metrics = _scopes(resources, "scope_metrics", "metrics", counts)
    names = strings(metrics.field("name"), counts)
    units = strings(metrics.field("unit"), counts)
    kinds = {name: metrics.field(name) for name in ("gauge", "sum", "histogram", "exponential_histogram", "summary")}
    lengths = {name: _lengths(data) for name, data in kinds.items()}
    # A metric is of one kind, so its points stand together.
    first = starts(sum(lengths.values(), np.zeros(len(metrics), dtype=np.int64)))
    found = [_numbers(contexts, index, first, names, units, kind, kinds[kind], counts) for kind in ("gauge", "sum")]
    found += [
        _distributions(contexts, index, first, names, units, kind, kinds[kind], counts)
        for kind in ("histogram", "exponential_histogram", "summary")
        if lengths[kind].any()
    ]
    joined = found[0]
    for other in found[1:]:
        joined = joined.joined(other)
    return joined


def _lengths(data: pa.StructArray) -> npt.NDArray[np.int64]:
    lists = data.field("data_points")
    lengths = np.diff(lists.offsets.to_numpy()).astype(np.int64)
    return np.where(data.is_valid().to_numpy(zero_copy_only=False), lengths, 0)


def _points(data: pa.StructArray) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64], pa.StructArray]:
    """All points of one kind, the metric each belongs to, and its place among that metric's."""
    lengths, points = opened(data.field("data_points"))
    owner = np.repeat(np.arange(len(data)), lengths)
    within = np.arange(len(points)) - np.repeat(starts(lengths), lengths)
    return owner, within, points


def _growing(kind: str, data: pa.StructArray) -> npt.NDArray[np.bool_]:
    if kind in {"gauge", "summary"}:
        return np.full(len(data), kind == "summary")
    fields = dict(zip((field.name for field in data.type), data.flatten(), strict=True))
    grows = pc.equal(fields["aggregation_temporality"], _CUMULATIVE)
    if kind == "sum":
        grows = pc.and_(grows, fields["is_monotonic"])
    filled: npt.NDArray[np.bool_] = pc.fill_null(grows, False).to_numpy(zero_copy_only=False)
    return filled


def _numbers(
    contexts: list[Context],
    index: npt.NDArray[np.int64],
    first: npt.NDArray[np.int64],
    names: pa.Array,
    units: pa.Array,
    kind: str,
    data: pa.StructArray,
    counts: Counter[str],
) -> PointColumns:
    owner, within, points = _points(data)
    attributes = attributes_of(points.field("attributes"), counts)
    value = pc.coalesce(points.field("as_double"), points.field("as_int").cast(pa.float64(), safe=False))
    recorded = pc.equal(pc.bit_wise_and(points.field("flags"), pa.scalar(NO_RECORDED_VALUE, pa.uint32())), 0)
    rows = np.flatnonzero(recorded.to_numpy(zero_copy_only=False))
    where, owner = pa.array(rows), owner[rows]
    metric = pa.array(owner)
    return PointColumns(
        contexts,
        index[owner],
        first[owner] + within[rows],
        names.take(metric),
        units.take(metric),
        points.field("time_unix_nano").take(where),
        pc.fill_null(value, float("nan")).take(where),
        pa.array(_growing(kind, data)[owner]),
        pa.repeat("", len(rows)),
        attributes.taken(rows),
    )


def _distributions(
    contexts: list[Context],
    index: npt.NDArray[np.int64],
    first: npt.NDArray[np.int64],
    names: pa.Array,
    units: pa.Array,
    kind: str,
    data: pa.StructArray,
    counts: Counter[str],
) -> PointColumns:
    owner, within, points = _points(data)
    attributes = attributes_of(points.field("attributes"), counts)
    plain = [field.name for field in points.type if field.name != "attributes"]
    fields: list[dict[str, Any]] = pa.Table.from_arrays([points.field(name) for name in plain], names=plain).to_pylist()
    name_list, unit_list, growing = names.to_pylist(), units.to_pylist(), _growing(kind, data).tolist()
    rows: list[PointRow] = []
    sources: list[int] = []
    for place, (metric, point) in enumerate(zip(owner.tolist(), fields, strict=True)):
        position = int(first[metric] + within[place])
        name = name_list[metric]
        for suffix, value, is_total, buckets in point_rows(kind, point, grows=growing[metric]):
            full = name + suffix if name else ""
            grows = growing[metric] and is_total
            at = point["time_unix_nano"]
            rows.append(PointRow(int(index[metric]), position, full, unit_list[metric], at, value, grows, buckets))
            sources.append(place)
    repeated = np.array(sources, dtype=np.int64)
    check_spread(int(attributes.sizes[repeated].sum()))
    taken = attributes.taken(repeated)
    return PointColumns.of_rows(contexts, rows, taken)
