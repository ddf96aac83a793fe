"""A look at the bones of a large protobuf request before memory is spent on it.

A record may be two bytes on the wire and a hundred in memory. Bodies too small to do harm that way are not looked at.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

from hindcast.model.errors import Malformed
from hindcast.model.ingest_limits import IngestLimits

# Below this many bytes even the worst body costs no more than an honest one of the largest size.
HARMLESS_BYTES: Final = 2 * 1024 * 1024

# How records nest: the field to descend into at each level, and the field of the attributes inside a record.
_PATHS: Final = {
    "logs": ((1, 2, 2), frozenset({6})),
    "traces": ((1, 2, 2), frozenset({9, 11})),
    # Points of each kind of data stand one level below the kind, attributes and buckets inside of them.
    "metrics": ((1, 2, 2), frozenset({5, 7, 9, 10, 11})),
}
_DELIMITED: Final = 2
_FIXED: Final = {1: 8, 5: 4}


def check_sizes(kind: str, body: bytes, limits: IngestLimits) -> None:
    """Refuse a request with too many records or too many things inside of them."""
    if len(body) <= HARMLESS_BYTES:
        return
    path, inside = _PATHS[kind]
    records = 0
    things = 0
    for begin, end in _found(body, 0, len(body), path):
        records += 1
        if records > limits.records_per_request_max:
            raise _too_many("records", "records_per_request_max", limits.records_per_request_max)
        for field, inner, inner_end in _fields(body, begin, end):
            if field not in inside:
                continue
            things += 1
            # One level more: data points of metrics, attributes of events and points.
            if kind != "logs":
                room = limits.attributes_per_request_max - things + 1
                things += sum(1 for _ in islice(_deep(body, inner, inner_end), room))
            if things > limits.attributes_per_request_max:
                raise _too_many("attributes", "attributes_per_request_max", limits.attributes_per_request_max)


def _deep(body: bytes, begin: int, end: int) -> Iterator[int]:
    """Everything delimited on the next two levels."""
    for _, inner, inner_end in _fields(body, begin, end):
        yield inner
        if inner_end - inner > 2:
            yield from (at for _, at, _ in _fields(body, inner, inner_end))


def _found(body: bytes, begin: int, end: int, path: tuple[int, ...]) -> Iterator[tuple[int, int]]:
    for field, inner, inner_end in _fields(body, begin, end):
        if field != path[0]:
            continue
        if len(path) == 1:
            yield inner, inner_end
        else:
            yield from _found(body, inner, inner_end, path[1:])


def _fields(body: bytes, at: int, end: int) -> Iterator[tuple[int, int, int]]:
    """The delimited fields of a message: number, where the content begins, where it ends. Stops at what is no field."""
    while at < end:
        tag, at = _varint(body, at, end)
        kind = tag & 7
        if kind == _DELIMITED:
            size, at = _varint(body, at, end)
            if at + size > end:
                return
            yield tag >> 3, at, at + size
            at += size
        elif kind == 0:
            _, at = _varint(body, at, end)
        elif kind in _FIXED:
            at += _FIXED[kind]
        else:
            return


def _varint(body: bytes, at: int, end: int) -> tuple[int, int]:
    if at < end and body[at] < 0x80:
        # Most are a single byte.
        return body[at], at + 1
    value = shift = 0
    while at < end and shift < 70:
        byte = body[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            break
        shift += 7
    return value, at


def _too_many(what: str, limit: str, most: int) -> Malformed:
    return Malformed(f"More than {most} {what} in one request ({limit}).", field="body", remedy="Send smaller batches.")
