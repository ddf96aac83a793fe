"""OTLP log records in columns, made into a RAW_LOG table: level, sentence, stack trace and time of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from hindcast.ingest.level import infer_levels, read_levels
from hindcast.ingest.otlp.context import Context, services, with_shared
from hindcast.ingest.rows import Attributes, Read, byte_lengths, log_table
from hindcast.model.columns import TIME
from hindcast.model.ingest_limits import IngestLimits
from hindcast.model.signal import Level

STACK_KEYS: Final = ("exception.stacktrace", "error.stack_trace", "stack_trace", "stacktrace")
# A body that is a map is kept whole under this name when only its sentence becomes the message.
BODY_KEY: Final = "log.body"


@dataclass(frozen=True, slots=True)
class LogColumns:
    """Log records as they came, one row for each."""

    contexts: Sequence[Context]
    # Which context each row belongs to.
    index: npt.NDArray[np.int64]
    time_ns: pa.Array
    observed_ns: pa.Array
    severity: pa.Array
    severity_text: pa.Array
    event: pa.Array
    trace: pa.Array
    span: pa.Array
    body: pa.Array
    # The whole body of the rows whose body is a map that has a sentence.
    whole_bodies: Mapping[int, str]
    attributes: Attributes


def micros_of_nanos(nanos: pa.Array) -> pa.Array:
    """Unix nanoseconds as times; zero, which is OTLP's way to say unknown, becomes null."""
    raw = nanos.to_numpy(zero_copy_only=False)
    return pa.array((raw // np.uint64(1_000)).astype(np.int64), mask=raw == 0).view(TIME)


def read_logs(columns: LogColumns, limits: IngestLimits, counts: Counter[str]) -> Read:
    """The RAW_LOG table of log records."""
    attributes, found = lifted(columns.attributes, (*STACK_KEYS, "exception.type", "exception.message"))
    stack = _first(found, STACK_KEYS, len(columns.body))
    kind, reason = (found.get(f"exception.{name}", _empty(len(stack))) for name in ("type", "message"))
    message = columns.body
    if not byte_lengths(message).all():
        message = _filled(_filled(message, columns.event), exception_line(kind, reason))
    failed = pc.not_equal(pc.binary_join_element_wise(kind, stack, ""), "") if found else None
    attributes = attributes.after(*_whole_bodies(columns.whole_bodies, len(message)))
    table = log_table(
        {
            "time": _times(columns),
            "service": services(columns.contexts, columns.index, limits, counts),
            "level": _levels(columns, message, failed),
            "trace": columns.trace,
            "span": columns.span,
            "message": message,
            "stack": stack,
        },
        with_shared(attributes, columns.contexts, columns.index, limits, counts),
        limits,
        counts,
    )
    return Read(logs=table, altered=dict(counts))


def _times(columns: LogColumns) -> pa.Array:
    times = micros_of_nanos(columns.time_ns)
    return pc.coalesce(times, micros_of_nanos(columns.observed_ns)) if times.null_count else times


def _levels(columns: LogColumns, message: pa.Array, failed: pa.Array | None) -> pa.Array:
    """The severity number; where there is none, its text, then an exception, then the start of the message."""
    numbers = columns.severity.to_numpy(zero_copy_only=False)
    inside = (numbers > 0) & (numbers <= Level.FATAL + 3)
    levels = pa.array(np.where(inside, numbers, 0).astype(np.uint8))
    if inside.all():
        return levels
    levels = pc.if_else(pa.array(inside), levels, read_levels(columns.severity_text))
    if failed is not None:
        levels = pc.if_else(pc.and_(pc.equal(levels, 0), failed), pa.scalar(Level.ERROR, pa.uint8()), levels)
    unknown = pc.equal(levels, 0)
    if not pc.any(unknown).as_py():
        return levels
    return pc.replace_with_mask(levels, unknown, infer_levels(message.filter(unknown)))


def lifted(attributes: Attributes, names: Sequence[str]) -> tuple[Attributes, dict[str, pa.Array]]:
    """Find attributes by name: those that occur, as columns; stack traces are taken out of the attributes, too."""
    encoded = attributes.keys.dictionary_encode()
    code_of = {key: code for code, key in enumerate(encoded.dictionary.to_pylist())}
    wanted = [name for name in names if name in code_of]
    if not wanted:
        return attributes, {}
    codes = encoded.indices.to_numpy(zero_copy_only=False)
    rows = np.repeat(np.arange(len(attributes.lengths)), attributes.lengths)
    found: dict[str, pa.Array] = {}
    keep = np.ones(len(codes), dtype=np.bool_)
    for name in wanted:
        mask = codes == code_of[name]
        where = np.full(len(attributes.lengths), -1, dtype=np.int64)
        where[rows[mask]] = np.flatnonzero(mask)
        found[name] = pc.fill_null(attributes.values.take(pa.array(where, mask=where < 0)), "")
        if name in STACK_KEYS:
            keep &= ~mask
    return (attributes if keep.all() else attributes.picked(keep)), found


def exception_line(kind: pa.Array, reason: pa.Array) -> pa.Array:
    """`Type: reason`, or whichever of the two there is."""
    both = pc.and_(pc.not_equal(kind, ""), pc.not_equal(reason, ""))
    return pc.binary_join_element_wise(kind, reason, pc.if_else(both, ": ", ""))


def _first(found: Mapping[str, pa.Array], names: Sequence[str], rows: int) -> pa.Array:
    text = _empty(rows)
    for name in names:
        if name in found:
            text = _filled(text, found[name])
    return text


def _filled(texts: pa.Array, others: pa.Array) -> pa.Array:
    return pc.if_else(pc.equal(texts, ""), others, texts)


def _empty(rows: int) -> pa.Array:
    return pa.repeat("", rows)


def _whole_bodies(bodies: Mapping[int, str], rows: int) -> tuple[Attributes, npt.NDArray[np.int64]]:
    """The whole bodies as attributes that single rows share: row 0 is nobody's, each other row one record's."""
    index = np.zeros(rows, dtype=np.int64)
    index[list(bodies)] = np.arange(1, len(bodies) + 1)
    lengths = np.array([0, *([1] * len(bodies))], dtype=np.int64)
    keys = pa.array([BODY_KEY] * len(bodies), pa.string())
    return Attributes(keys, pa.array(list(bodies.values()), pa.string()), lengths), index
