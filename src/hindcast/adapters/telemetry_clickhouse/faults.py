"""Turns what the engine and its driver raise into the errors a caller can act on, in one table."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

import pyarrow as pa
from clickhouse_connect.driver.exceptions import ClickHouseError, Error, OperationalError

from hindcast.model.errors import Damaged, HindcastError, Malformed, Missing, Refused, Unavailable

Fault = tuple[type[HindcastError], str, str]


class InUse(Unavailable):
    """Another process owns the folder: no waiting helps while it runs."""


_DOWN: Fault = (
    Unavailable,
    "The telemetry store does not answer; nothing of this may be assumed to be written.",
    "Check that the server runs and can be reached, then retry.",
)
_FULL: Fault = (
    Unavailable,
    "The disk of the telemetry store is full; nothing of this may be assumed to be written.",
    "Free some space or shorten the retention, then retry.",
)
_DISK: Fault = (
    Unavailable,
    "The disk did not take or give the bytes of the telemetry store.",
    "Check the disk, its free space and who may use the folder, then retry.",
)
_BUSY: Fault = (
    Unavailable,
    "The telemetry store is overloaded.",
    "Retry in a while; if it stays so, send less or give it more memory and processors.",
)
_CREDENTIALS: Fault = (
    Refused,
    "The telemetry store does not accept these credentials.",
    "Check user and password in its address.",
)
_RIGHTS: Fault = (
    Refused,
    "The user of the telemetry store may not do this.",
    "Grant it what docs/how-to/run-on-clickhouse.md lists; the message names what is missing.",
)
_LOCKED: Fault = (
    InUse,
    "The folder of the telemetry store is in use by another process, or by another store of this one.",
    "One process owns a folder: talk to the running one, or stop it, or name another folder.",
)
_CORRUPT: Fault = (
    Damaged,
    "Stored telemetry is corrupt.",
    "Keep it aside and restore a copy; the message names the part that cannot be read.",
)
_GONE: Fault = (
    Damaged,
    "Tables of the telemetry store are gone or not what was made.",
    "Restore a copy, or name another database.",
)
_CLUSTER: Fault = (
    Missing,
    "The server does not know this cluster.",
    "Name one that `SELECT cluster FROM system.clusters` lists on every shard.",
)
# Neither the caller's fault nor the machine's.
_OTHER: Fault = (
    Unavailable,
    "The telemetry store did not carry this out.",
    "See whether its version is one that Hindcast was tested with, and report the message.",
)

_NAMED: dict[str, Fault] = {
    **dict.fromkeys(
        (
            "ALL_CONNECTION_TRIES_FAILED",
            "ATTEMPT_TO_READ_AFTER_EOF_FROM_SOCKET",
            "DNS_ERROR",
            "NETWORK_ERROR",
            "SOCKET_TIMEOUT",
            "ABORTED",
            "SERVER_OVERLOADED",
        ),
        _DOWN,
    ),
    **dict.fromkeys(("NOT_ENOUGH_SPACE", "QUOTA_EXCEEDED"), _FULL),
    **dict.fromkeys(
        (
            "CANNOT_CREATE_DIRECTORY",
            "CANNOT_FSYNC",
            "CANNOT_OPEN_FILE",
            "CANNOT_READ_FROM_FILE_DESCRIPTOR",
            "CANNOT_WRITE_TO_FILE_DESCRIPTOR",
            "CANNOT_WRITE_TO_FILE",
            "PATH_ACCESS_DENIED",
        ),
        _DISK,
    ),
    **dict.fromkeys(
        (
            "CANNOT_ALLOCATE_MEMORY",
            "CANNOT_SCHEDULE_TASK",
            "MEMORY_LIMIT_EXCEEDED",
            "QUERY_WAS_CANCELLED",
            "TIMEOUT_EXCEEDED",
            "TOO_MANY_PARTS",
            "TOO_MANY_SIMULTANEOUS_QUERIES",
        ),
        _BUSY,
    ),
    **dict.fromkeys(
        ("AUTHENTICATION_FAILED", "REQUIRED_PASSWORD", "UNKNOWN_USER", "WRONG_PASSWORD", "IP_ADDRESS_NOT_ALLOWED"),
        _CREDENTIALS,
    ),
    **dict.fromkeys(("ACCESS_DENIED", "READONLY", "TABLE_IS_READ_ONLY", "DATABASE_ACCESS_DENIED"), _RIGHTS),
    **dict.fromkeys(
        (
            "ATTEMPT_TO_READ_AFTER_EOF",
            "BAD_SIZE_OF_FILE_IN_DATA_PART",
            "CANNOT_DECOMPRESS",
            "CANNOT_READ_ALL_DATA",
            "CHECKSUM_DOESNT_MATCH",
            "CORRUPTED_DATA",
            "FILE_DOESNT_EXIST",
            "NO_FILE_IN_DATA_PART",
            "TOO_LARGE_SIZE_COMPRESSED",
            "TOO_MANY_UNEXPECTED_DATA_PARTS",
            "UNEXPECTED_FILE_IN_DATA_PART",
            "UNKNOWN_CODEC",
        ),
        _CORRUPT,
    ),
    **dict.fromkeys(
        ("NO_SUCH_COLUMN_IN_TABLE", "UNKNOWN_DATABASE", "UNKNOWN_IDENTIFIER", "UNKNOWN_TABLE", "THERE_IS_NO_COLUMN"),
        _GONE,
    ),
    **dict.fromkeys(("CLUSTER_DOESNT_EXIST", "BAD_GET"), _CLUSTER),
}

# What comes without a name of its own, or under one that says too little.
_WORDED: tuple[tuple[re.Pattern[str], Fault], ...] = (
    (re.compile(r"No space left on device|disk quota", re.IGNORECASE), _FULL),
    (
        re.compile(r"Cannot lock file|Another server instance|already initialized|different path", re.IGNORECASE),
        _LOCKED,
    ),
    (re.compile(r"Permission denied|Read-only file system|Not a directory", re.IGNORECASE), _DISK),
)
_NAME = re.compile(r"\(([A-Z][A-Z0-9_]+)\)")


def translate(error: BaseException) -> HindcastError:
    """What a caller can do about an error of the driver."""
    words = " ".join(str(error).split())
    for pattern, fault in _WORDED:
        if pattern.search(words):
            return _made(fault, words)
    # A server that cannot reach a shard names its own error last; the first one is the cause.
    names = [name for name in _NAME.findall(words) if name in _NAMED]
    given = getattr(error, "name", None)
    if isinstance(given, str) and given in _NAMED:
        return _made(_NAMED[given], words)
    if names:
        return _made(_NAMED[names[0]], words)
    if isinstance(error, OSError):
        return _made(_DISK, words)
    if isinstance(error, OperationalError | pa.ArrowInvalid) or not getattr(error, "code", None):
        return _made(_DOWN, words)
    return _made(_OTHER, words)


def _made(fault: Fault, words: str) -> HindcastError:
    kind, problem, remedy = fault
    # The engine quotes whole statements; the beginning says what is wrong.
    return kind(f"{problem} ({words[:400]})", remedy=remedy)


@contextmanager
def translated() -> Iterator[None]:
    """Raise what the driver raises as ours."""
    try:
        yield
    except (Error, ClickHouseError, pa.ArrowInvalid, OSError) as error:
        raise translate(error) from error


def unreadable(what: str, problem: object) -> Malformed:
    """A table that does not have the columns of its kind."""
    return Malformed(
        f"The columns are not those of {what}: {problem}.",
        field=what,
        remedy="Make it with the schema in `hindcast.model.columns`.",
    )
