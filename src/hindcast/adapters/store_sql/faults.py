"""Turns what a database driver raises into the errors a caller can act on, in one table for each driver."""

from __future__ import annotations

import re
import sqlite3
import sys
from collections.abc import Iterator
from contextlib import contextmanager

from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from hindcast.model.errors import Damaged, HindcastError, Refused, Unavailable

_SQLITE: dict[int, tuple[type[HindcastError], str, str]] = {
    sqlite3.SQLITE_BUSY: (
        Unavailable,
        "The memory is locked by another writer.",
        "Try again; if it stays locked, look for a process that holds the file open.",
    ),
    sqlite3.SQLITE_LOCKED: (Unavailable, "The memory is locked by another writer.", "Try again."),
    sqlite3.SQLITE_FULL: (
        Unavailable,
        "The disk is full; nothing of this was written.",
        "Free some space, then try again.",
    ),
    sqlite3.SQLITE_IOERR: (
        Unavailable,
        "The disk did not take or give the bytes; nothing of this was written.",
        "Check the disk and its free space, then try again.",
    ),
    sqlite3.SQLITE_CANTOPEN: (
        Unavailable,
        "The memory's file cannot be opened.",
        "Check that the folder exists and that you may read and write it.",
    ),
    sqlite3.SQLITE_READONLY: (
        Refused,
        "The memory's file is read-only.",
        "Reading works; to write, ask for permission to change the file and its folder.",
    ),
    sqlite3.SQLITE_PERM: (Refused, "You may not use the memory's file.", "Ask for permission to it."),
    sqlite3.SQLITE_CORRUPT: (
        Damaged,
        "The memory's file is corrupt.",
        "Keep it aside and restore a copy, or save what can be read with `hindcast memory export`.",
    ),
    sqlite3.SQLITE_NOTADB: (
        Damaged,
        "The memory's file is not a database.",
        "Something overwrote it: keep it aside and restore a copy.",
    ),
}

# What has no code of its own: text on disk that is no text any more, and tables that are not what was migrated.
_DISFIGURED = re.compile(
    r"decode to UTF-8|^no such (?:table|column|index)|has no column named|already exists$|unsupported file"
)

# SQLSTATE classes and codes, longest match first.
_POSTGRES: dict[str, tuple[type[HindcastError], str, str]] = {
    "53100": (Unavailable, "The database's disk is full; nothing of this was written.", "Free some space, then retry."),
    "53": (Unavailable, "The database has run out of a resource.", "Wait, or give it more, then retry."),
    "57": (Unavailable, "The database is shutting down or was interrupted.", "Wait, then retry."),
    "08": (Unavailable, "The connection to the database was lost.", "Check that it runs, then retry."),
    "40": (Unavailable, "Another transaction was in the way.", "Retry."),
    "55P03": (Unavailable, "The memory is locked by another writer.", "Retry."),
    "25006": (Refused, "The database is read-only.", "Connect to the primary to write."),
    "28": (Refused, "The database does not accept these credentials.", "Check user and password in the address."),
    "3D000": (Unavailable, "The database does not exist.", "Create it, or correct the address."),
    "42501": (Refused, "The database role may not do this.", "Grant it the tables of Hindcast."),
    "XX001": (Damaged, "The database reports corrupted data.", "Restore from a backup."),
    "XX002": (Damaged, "The database reports a corrupted index.", "Reindex, or restore from a backup."),
}


def translate(error: BaseException) -> HindcastError | None:
    """What a caller can do about a driver's error, or None when it is a bug of ours."""
    cause: BaseException | None = error.orig if isinstance(error, DBAPIError) else error
    if isinstance(cause, PoolTimeout):
        return Unavailable("Too many callers use the memory at once.", remedy="Wait a moment, then retry.")
    if isinstance(cause, UnicodeDecodeError) or (isinstance(cause, sqlite3.Error) and _DISFIGURED.search(str(cause))):
        return _made(_SQLITE[sqlite3.SQLITE_CORRUPT], cause)
    if isinstance(cause, sqlite3.Error):
        # The low byte is the primary code; the rest says which flavour of it.
        code = getattr(cause, "sqlite_errorcode", None)
        found = _SQLITE.get(code & 0xFF) if code is not None else None
        return _made(found, cause) if found else None
    state = getattr(cause, "sqlstate", None)
    if state:
        keys = (state, state[:2])
        return next((_made(_POSTGRES[key], cause) for key in keys if key in _POSTGRES), None)
    if type(cause).__name__ == "OperationalError":
        return _made(_POSTGRES["08"], cause)
    return None


def _made(found: tuple[type[HindcastError], str, str], cause: BaseException | None) -> HindcastError:
    kind, problem, remedy = found
    detail = " ".join(str(cause).split())
    return kind(f"{problem} ({detail})", remedy=remedy)


def _driver_errors() -> tuple[type[BaseException], ...]:
    """What drivers raise. PostgreSQL's takes a while to import, so it is named only where it is in use."""
    ours = (DBAPIError, PoolTimeout, sqlite3.Error, UnicodeDecodeError)
    postgres = sys.modules.get("psycopg")
    return ours if postgres is None else (*ours, postgres.Error)


@contextmanager
def translated() -> Iterator[None]:
    """Raise drivers' errors as ours."""
    try:
        yield
    except _driver_errors() as error:
        ours = translate(error)
        if ours is None:
            raise
        raise ours from error
