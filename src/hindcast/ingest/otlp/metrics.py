"""OTLP data points in columns, made into a METRIC table. Histograms and summaries become several rows each."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import orjson
import pyarrow as pa
import pyarrow.compute as pc

from hindcast.ingest.otlp.context import Context, services, with_shared
from hindcast.ingest.otlp.histogram import (
    QUANTILES,
    Pieces,
    explicit_pieces,
    exponential_pieces,
    quantile,
    quantile_suffix,
)
from hindcast.ingest.otlp.logs import micros_of_nanos
from hindcast.ingest.otlp.values import Decoded
from hindcast.ingest.rows import Attributes, Read, cut
from hindcast.model.columns import RAW_METRIC, Rejection
from hindcast.model.ingest_limits import IngestLimits

NAME_CUT: Final = "metric_name_cut"
NAME_BYTES_MAX: Final = 512
NO_RECORDED_VALUE: Final = 1
# Nobody asks a summary for more; each becomes a row with all attributes of its point.
SUMMARY_QUANTILES_MAX: Final = 32


class PointRow(NamedTuple):
    """One value of one data point."""

    context: int
    # Which data point of the request it belongs to.
    position: int
    name: str
    unit: str
    time_ns: int
    value: float
    cumulative: bool
    buckets: str = ""


@dataclass(frozen=True, slots=True)
class PointColumns:
    """Values of data points, one row for each, in the order of the request."""

    contexts: Sequence[Context]
    index: npt.NDArray[np.int64]
    position: npt.NDArray[np.int64]
    name: pa.Array
    unit: pa.Array
    time_ns: pa.Array
    value: pa.Array
    cumulative: pa.Array
    buckets: pa.Array
    attributes: Attributes

    @classmethod
    def of_rows(cls, contexts: Sequence[Context], rows: Sequence[PointRow], attributes: Attributes) -> PointColumns:
        """Columns of rows that were made one by one."""
        turned = list(zip(*rows, strict=True)) or [()] * len(PointRow._fields)
        index, position, name, unit, time_ns, value, cumulative, buckets = turned
        return cls(
            contexts,
            np.array(index, dtype=np.int64),
            np.array(position, dtype=np.int64),
            pa.array(name, pa.string()),
            pa.array(unit, pa.string()),
            pa.array(time_ns, pa.uint64()),
            pa.array(value, pa.float64()),
            pa.array(cumulative, pa.bool_()),
            pa.array(buckets, pa.string()),
            attributes,
        )

    def joined(self, other: PointColumns) -> PointColumns:
        """Two sets of rows of the same request as one, in the order of the request."""
        position = np.concatenate([self.position, other.position])
        order = np.argsort(position, kind="stable")
        where = pa.array(order)

        def both(name: str) -> pa.Array:
            return pa.concat_arrays([getattr(self, name), getattr(other, name)]).take(where)

        attributes = Attributes(
            pa.concat_arrays([self.attributes.keys, other.attributes.keys]),
            pa.concat_arrays([self.attributes.values, other.attributes.values]),
            np.concatenate([self.attributes.lengths, other.attributes.lengths]),
        )
        index = np.concatenate([self.index, other.index])[order]
        return PointColumns(
            self.contexts,
            index,
            position[order],
            both("name"),
            both("unit"),
            both("time_ns"),
            both("value"),
            both("cumulative"),
            both("buckets"),
            attributes.taken(order),
        )


def read_metrics(columns: PointColumns, limits: IngestLimits, counts: Counter[str]) -> Read:
    """The RAW_METRIC table of data points. A point with a value that is no number is rejected, whole."""
    problems = (
        (pc.equal(columns.name, ""), "name: missing."),
        (pc.equal(columns.time_ns, pa.scalar(0, pa.uint64())), "timeUnixNano: missing."),
        (pc.invert(pc.is_finite(columns.value)), "value: not a finite number."),
    )
    found: dict[int, str] = {}
    for wrong, problem in problems:
        if pc.any(wrong).as_py():
            for position in np.unique(columns.position[wrong.to_numpy(zero_copy_only=False)]).tolist():
                found.setdefault(position, problem)
    keep = ~np.isin(columns.position, list(found)) if found else np.ones(len(columns.position), dtype=np.bool_)
    rows = np.flatnonzero(keep)
    where = pa.array(rows)
    index = columns.index[rows]
    attributes = with_shared(columns.attributes.taken(rows), columns.contexts, index, limits, counts)
    made = {
        "space": pa.repeat("", len(rows)),
        "time": micros_of_nanos(columns.time_ns).take(where),
        "service": services(columns.contexts, index, limits, counts),
        "name": cut(columns.name, NAME_BYTES_MAX, counts, NAME_CUT).take(where),
        "value": columns.value.take(where),
        "unit": cut(columns.unit, NAME_BYTES_MAX, counts, NAME_CUT).take(where),
        "cumulative": columns.cumulative.take(where),
        "attributes": attributes.map(limits, counts),
        "buckets": columns.buckets.take(where),
    }
    table = pa.Table.from_arrays([made[name] for name in RAW_METRIC.names], schema=RAW_METRIC)
    rejections = tuple(Rejection(position, found[position]) for position in sorted(found))
    return Read(metrics=table, rejections=rejections, altered=dict(counts))


# --- What the kinds of points say ---------------------------------------------------------------------------------


def _number(point: Decoded) -> dict[str, Any]:
    return {"flags": point.flags or 0, "as_double": _set(point, "as_double"), "as_int": _set(point, "as_int")}


def _set(point: Decoded, name: str) -> float | None:
    """A field that may be absent: protobuf says so by HasField, JSON by null."""
    has = getattr(point, "HasField", None)
    found: float | None = getattr(point, name) if has is None or has(name) else None
    return found


def _distribution(point: Decoded) -> dict[str, Any]:
    return {
        "flags": point.flags or 0,
        "count": point.count or 0,
        **{name: _set(point, name) for name in ("sum", "min", "max")},
    }


def _histogram(point: Decoded) -> dict[str, Any]:
    return {
        **_distribution(point),
        "bucket_counts": list(point.bucket_counts or ()),
        "explicit_bounds": list(point.explicit_bounds or ()),
    }


def _exponential(point: Decoded) -> dict[str, Any]:
    return {
        **_distribution(point),
        "scale": point.scale or 0,
        "zero_count": point.zero_count or 0,
        **{
            side: {
                "offset": getattr(getattr(point, side), "offset", 0) or 0,
                "bucket_counts": list(getattr(getattr(point, side), "bucket_counts", ()) or ()),
            }
            for side in ("positive", "negative")
        },
    }


def _summary(point: Decoded) -> dict[str, Any]:
    quantiles = [{"quantile": one.quantile or 0.0, "value": one.value or 0.0} for one in point.quantile_values or ()]
    return {"flags": point.flags or 0, "count": point.count or 0, "sum": point.sum or 0.0, "quantile_values": quantiles}


# From a decoded data point to plain fields, by the kind of its metric. Arrow gives plain fields as they are.
KINDS: Final[dict[str, Callable[[Any], dict[str, Any]]]] = {
    "gauge": _number,
    "sum": _number,
    "histogram": _histogram,
    "exponential_histogram": _exponential,
    "summary": _summary,
}


class PointValue(NamedTuple):
    """One value of a data point: what is added to the name, the value, and whether it is a running total."""

    suffix: str
    value: float
    is_total: bool
    # The buckets of a histogram that counts since its start; its value means nothing.
    buckets: str = ""


def point_rows(kind: str, fields: dict[str, Any], *, grows: bool) -> Iterator[PointValue]:
    """The values of one data point. Where it `grows` since its start, its extremes are of no window and left out."""
    if fields["flags"] & NO_RECORDED_VALUE:
        return
    if kind in {"gauge", "sum"}:
        value = fields["as_double"] if fields["as_double"] is not None else fields["as_int"]
        # A point without a value and without the flag that says so is as wrong as one that is not a number.
        yield PointValue("", float("nan") if value is None else float(value), True)
        return
    yield PointValue(".count", float(fields["count"]), True)
    if fields["sum"] is not None:
        yield PointValue(".sum", fields["sum"], True)
    if kind == "summary":
        for one in fields["quantile_values"][:SUMMARY_QUANTILES_MAX]:
            # Without observations in its window a summary says NaN, which is its way to say nothing.
            if one["value"] == one["value"] and 0 <= one["quantile"] <= 1:
                yield PointValue(f".p{one['quantile'] * 100:.6g}", one["value"], False)
        return
    for name in ("min", "max"):
        if fields[name] is not None and not (grows and math.isfinite(fields[name])):
            yield PointValue(f".{name}", fields[name], False)
    pieces: Pieces | None
    pieces = explicit_pieces(fields) if kind == "histogram" else exponential_pieces(fields)
    if pieces is None:
        yield PointValue(".buckets", float("nan"), False)
        return
    if grows:
        if len(fields["bucket_counts"] if kind == "histogram" else pieces) > 1:
            yield PointValue("", 0.0, False, orjson.dumps(pieces).decode())
        return
    for wanted in QUANTILES:
        found = quantile(pieces, wanted, fields["min"], fields["max"])
        if found is not None:
            yield PointValue(quantile_suffix(wanted), found, False)
