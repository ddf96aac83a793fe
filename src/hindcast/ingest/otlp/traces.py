"""OTLP spans in columns, made into a SPAN table; exceptions that spans recorded become log rows beside it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from hindcast.ingest.dependency import SEPARATOR, candidates, is_asked_wrongly
from hindcast.ingest.otlp.context import Context, services, with_shared
from hindcast.ingest.otlp.logs import STACK_KEYS, exception_line, lifted, micros_of_nanos
from hindcast.ingest.rows import Attributes, Read, cut, log_table
from hindcast.model.columns import SPAN, Rejection
from hindcast.model.ingest_limits import IngestLimits
from hindcast.model.signal import Level

# The name that the standard gives to the event of an exception.
EXCEPTION: Final = "exception"
# Where a span says whom it called: by the name of a service; else by the kind of system and its host.
PEER_KEYS: Final = ("peer.service", "service.peer.name")
SYSTEM_KEYS: Final = ("db.system.name", "db.system", "messaging.system")
HOST_KEYS: Final = ("server.address", "net.peer.name")
PROCEDURE_KEY: Final = "rpc.service"
HTTP_STATUS_KEYS: Final = ("http.response.status_code", "http.status_code")
ERROR_TYPE_KEY: Final = "error.type"
_CALLING: Final = (3, 4)
_CLIENT, _CONSUMER, _ERROR = 3, 5, 2
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
    asked = (*PEER_KEYS, *SYSTEM_KEYS, *HOST_KEYS, PROCEDURE_KEY, *HTTP_STATUS_KEYS, ERROR_TYPE_KEY)
    _, found = lifted(columns.attributes, asked)
    peer = _peers(columns, found)
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
    failed = [
        *([_exception_logs(columns, service, peer, limits, counts)] if len(columns.exceptions.owner) else []),
        *_failed_logs(columns, service, peer, found, limits, counts),
    ]
    logs = pa.concat_tables(failed) if failed else None
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


def _first(found: Mapping[str, pa.Array], keys: Sequence[str], rows: int) -> pa.Array:
    text = pa.repeat("", rows)
    for key in keys:
        if key in found:
            text = pc.if_else(pc.equal(text, ""), found[key], text)
    return text


def _are_calls(kinds: pa.Array) -> pa.Array:
    return pc.is_in(kinds, pa.array(_CALLING, pa.uint8()))


def _peers(columns: SpanColumns, found: Mapping[str, pa.Array]) -> pa.Array:
    """Whom each span called: the service it names, or every name that its system may have; empty where it says none."""
    rows = len(columns.name)
    named = _first(found, PEER_KEYS, rows)
    if not any(key in found for key in (*SYSTEM_KEYS, *HOST_KEYS, PROCEDURE_KEY)):
        return named
    system = _first(found, SYSTEM_KEYS, rows)
    parts = (system, _first(found, HOST_KEYS, rows), found.get(PROCEDURE_KEY, pa.repeat("", rows)))
    # A consumer asks its broker for work; whoever serves names its own host.
    consuming = pc.and_(pc.equal(columns.kind, _CONSUMER), pc.not_equal(system, ""))
    calls = pc.or_(_are_calls(columns.kind), consuming)
    told = pc.if_else(calls, pc.binary_join_element_wise(*parts, "\x1e"), "\x1e\x1e").dictionary_encode()
    names = [candidates(*one.split("\x1e")[:3]) for one in told.dictionary.to_pylist()]
    return pc.if_else(pc.equal(named, ""), pa.array(names, pa.string()).take(told.indices), named)


def _failing_peers(columns: SpanColumns, peer: pa.Array, texts: pa.Array, rows: pa.Array) -> pa.Array:
    """Of spans that failed, whom each called, unless what it said is that it was asked wrongly; behind a separator."""
    calls = pc.and_(_are_calls(columns.kind.take(rows)), pc.equal(columns.status.take(rows), _ERROR))
    blames = pc.and_(calls, pc.not_equal(peer.take(rows), ""))
    if not pc.any(blames).as_py():
        return pa.repeat(SEPARATOR, len(rows))
    encoded = texts.dictionary_encode()
    wrongly = pa.array([is_asked_wrongly(text) for text in encoded.dictionary.to_pylist()], pa.bool_())
    named = pc.if_else(pc.and_(blames, pc.invert(wrongly.take(encoded.indices))), peer.take(rows), "")
    return pc.binary_join_element_wise(SEPARATOR, named, "")


def _failed_logs(
    columns: SpanColumns,
    service: pa.Array,
    peer: pa.Array,
    found: Mapping[str, pa.Array],
    limits: IngestLimits,
    counts: Counter[str],
) -> list[pa.Table]:
    """A line for each span that failed without an exception: its operation, and what its status says.

    To a client any answer of 4xx is an error by the standard, and mostly no failure of anybody.
    """
    total = len(columns.name)
    failed = pc.equal(columns.status, _ERROR)
    if not pc.any(failed).as_py():
        return []
    http = _first(found, HTTP_STATUS_KEYS, total)
    refused = pc.and_(pc.equal(columns.kind, _CLIENT), pc.match_substring_regex(http, "^4[0-9][0-9]$"))
    mask = pc.and_(failed, pc.invert(refused)).to_numpy(zero_copy_only=False).copy()
    mask[columns.exceptions.owner] = False
    mask &= _rejections(columns)[1]
    rows = np.flatnonzero(mask)
    if not len(rows):
        return []
    where = pa.array(rows)
    status = pc.if_else(pc.equal(columns.status_message, ""), found.get(ERROR_TYPE_KEY, http), columns.status_message)
    said = pc.if_else(pc.equal(status, ""), http, status).take(where)
    name = columns.name.take(where)
    nothing = pa.repeat("", len(rows))
    line = pc.binary_join_element_wise(name, said, pc.if_else(pc.equal(said, ""), "", ": "))
    lines = {
        "time": pc.coalesce(micros_of_nanos(columns.end_ns), micros_of_nanos(columns.start_ns)).take(where),
        "service": service.take(where),
        "level": pa.repeat(pa.scalar(Level.ERROR, pa.uint8()), len(rows)),
        "trace": columns.trace.take(where),
        "span": columns.span.take(where),
        "message": line,
        "stack": nothing,
        "dependency": _failing_peers(columns, peer, line, where),
        "bare": pc.equal(columns.status_message, "").take(where),
    }
    own = columns.attributes.taken(rows)
    attributes = with_shared(own, columns.contexts, columns.index[rows], limits, counts)
    return [log_table(lines, attributes, limits, counts)]


def _exception_logs(
    columns: SpanColumns, service: pa.Array, peer: pa.Array, limits: IngestLimits, counts: Counter[str]
) -> pa.Table:  # fmt: skip
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
            "dependency": _failing_peers(columns, peer, line, owner),
        },
        with_shared(attributes, columns.contexts, columns.index[events.owner], limits, counts),
        limits,
        counts,
    )
