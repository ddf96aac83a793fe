"""OTLP spans in columns, made into a SPAN table; exceptions that spans recorded become log rows beside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from hindcast.ingest.otlp.context import Context, services, with_shared
from hindcast.ingest.otlp.logs import STACK_KEYS, exception_line, lifted, micros_of_nanos
from hindcast.ingest.rows import Attributes, Read, cut, log_table
from hindcast.model.columns import SPAN, Rejection
from hindcast.model.ingest_limits import IngestLimits
from hindcast.model.signal import Level

# The name that the standard gives to the event of an exception.
EXCEPTION: Final = "exception"
PEER_KEYS: Final = ("peer.service", "service.peer.name")
STATUS_KEY: Final = "otel.status_description"
NEGATIVE_DURATION: Final = "negative_duration"
NAME_CUT: Final = "span_name_cut"
NAME_BYTES_MAX: Final = 1_024


@dataclass(frozen=True, slots=True)
class EventColumns:
    """Exceptions that spans recorded: whose, when, and what."""

    owner: npt.NDArray[np.int64]
    time_ns: pa.Array
    attributes: Attributes


@dataclass(frozen=True, slots=True)
class SpanColumns:
    """Spans as they came, one row for each."""

    contexts: Sequence[Context]
    index: npt.NDArray[np.int64]
    trace: pa.Array
    span: pa.Array
    parent: pa.Array
    name: pa.Array
    kind: pa.Array
    start_ns: pa.Array
    end_ns: pa.Array
    status: pa.Array
    status_message: pa.Array
    attributes: Attributes
    exceptions: EventColumns


def read_traces(columns: SpanColumns, limits: IngestLimits, counts: Counter[str]) -> Read:
    """The SPAN table of spans, and the RAW_LOG table of their exceptions when there are any."""
    rejections, keep = _rejections(columns)
    rows = np.flatnonzero(keep)
    where = pa.array(rows)
    service = services(columns.contexts, columns.index, limits, counts)
    start, end = (ns.cast(pa.int64(), safe=False) for ns in (columns.start_ns, columns.end_ns))
    duration = pc.divide(pc.subtract(end, start), 1_000)
    negative = pc.less(duration, 0)
    if backwards := int(pc.sum(negative).as_py() or 0):
        # An end before its start is a clock that was set meanwhile; the span itself is sound.
        counts[NEGATIVE_DURATION] += backwards
        duration = pc.if_else(negative, 0, duration)
    _, found = lifted(columns.attributes, PEER_KEYS)
    peer = next((found[key] for key in PEER_KEYS if key in found), pa.repeat("", len(service)))
    own = _with_status(columns.attributes, columns.status_message).taken(rows)
    attributes = with_shared(own, columns.contexts, columns.index[rows], limits, counts)
    made = {
        "space": pa.repeat("", len(rows)),
        "time": micros_of_nanos(columns.start_ns).take(where),
        "duration_us": duration.take(where),
        "service": service.take(where),
        "name": cut(columns.name, NAME_BYTES_MAX, counts, NAME_CUT).take(where),
        "kind": columns.kind.take(where),
        "trace": columns.trace.take(where),
        "span": columns.span.take(where),
        "parent": columns.parent.take(where),
        "peer": peer.take(where),
        "status": columns.status.take(where),
        "attributes": attributes.map(limits, counts),
    }
    spans = pa.Table.from_arrays([made[name] for name in SPAN.names], schema=SPAN)
    logs = _exception_logs(columns, service, limits, counts) if len(columns.exceptions.owner) else None
    return Read(logs=logs, spans=spans, rejections=rejections, altered=dict(counts))


def _rejections(columns: SpanColumns) -> tuple[tuple[Rejection, ...], npt.NDArray[np.bool_]]:
    problems = (
        (pc.equal(columns.trace, ""), "traceId: not 16 bytes, or all zero."),
        (pc.equal(columns.span, ""), "spanId: not 8 bytes, or all zero."),
        (pc.equal(columns.start_ns, pa.scalar(0, pa.uint64())), "startTimeUnixNano: missing."),
    )
    keep = np.ones(len(columns.index), dtype=np.bool_)
    found: dict[int, str] = {}
    for wrong, problem in problems:
        if pc.any(wrong).as_py():
            mask = wrong.to_numpy(zero_copy_only=False)
            keep &= ~mask
            for row in np.flatnonzero(mask).tolist():
                found.setdefault(row, problem)
    return tuple(Rejection(row, found[row]) for row in sorted(found)), keep


def _with_status(attributes: Attributes, message: pa.Array) -> Attributes:
    """A status's own words are kept as an attribute of the span."""
    said = pc.not_equal(message, "")
    if not pc.any(said).as_py():
        return attributes
    words = message.filter(said)
    index = np.where(said.to_numpy(zero_copy_only=False), np.cumsum(said.to_numpy(zero_copy_only=False)), 0)
    lengths = np.array([0, *([1] * len(words))], dtype=np.int64)
    return attributes.after(Attributes(pa.repeat(STATUS_KEY, len(words)), words, lengths), index.astype(np.int64))


def _exception_logs(columns: SpanColumns, service: pa.Array, limits: IngestLimits, counts: Counter[str]) -> pa.Table:
    events = columns.exceptions
    attributes, found = lifted(events.attributes, (*STACK_KEYS, "exception.type", "exception.message"))
    nothing = pa.repeat("", len(events.owner))
    kind, reason = (found.get(f"exception.{name}", nothing) for name in ("type", "message"))
    line = exception_line(kind, reason)
    owner = pa.array(events.owner)
    times = pc.coalesce(micros_of_nanos(events.time_ns), micros_of_nanos(columns.end_ns.take(owner)))
    return log_table(
        {
            "time": times,
            "service": service.take(owner),
            "level": pa.repeat(pa.scalar(Level.ERROR, pa.uint8()), len(owner)),
            "trace": columns.trace.take(owner),
            "span": columns.span.take(owner),
            "message": pc.if_else(pc.equal(line, ""), EXCEPTION, line),
            "stack": next((found[key] for key in STACK_KEYS if key in found), nothing),
        },
        with_shared(attributes, columns.contexts, columns.index[events.owner], limits, counts),
        limits,
        counts,
    )
