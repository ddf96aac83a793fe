"""The hottest statements, written for each driver: reading one record at a moment, and adding versions.

Everything else goes through SQLAlchemy Core. These are what the speed of memory is made of: Core's own work for one
statement takes longer than SQLite needs to find a record, and rows go into PostgreSQL fastest as arrays.
"""

from __future__ import annotations

import sqlite3
import threading
import weakref
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

import orjson
from sqlalchemy import Connection, Engine, text

from hindcast.adapters.store_sql.engine import LOCK_WAIT_MS_MAX, configure_sqlite, reading
from hindcast.adapters.store_sql.faults import translated
from hindcast.adapters.store_sql.shape import COMMIT_COLUMNS, RECORD_COLUMNS, ROW_COLUMNS, record
from hindcast.model.ids import Address
from hindcast.model.record import Record, Scope
from hindcast.ports import Row

_ROW_FIELDS = len(ROW_COLUMNS.split(","))
_COMMIT_FIELDS = len(COMMIT_COLUMNS.split(","))
# From here on a statement made for one batch is worth its making.
ROWS_PER_BATCH_MIN = 50


class Hot(Protocol):
    """What each driver has its own words for."""

    def get(self, scope: Scope, address: Address | str) -> Record | None:
        """The version of an address that a scope sees."""
        ...

    def records(self, versions: Sequence[int]) -> dict[int, Record]:
        """Versions by number."""
        ...

    def newest(self) -> Sequence[Any] | None:
        """The newest commit's number, id, time and last version."""
        ...

    def tip(self, connection: Connection) -> Sequence[Any] | None:
        """The same inside a transaction."""
        ...

    def current(self, connection: Connection, branch: int, addresses: Sequence[str]) -> dict[str, int]:
        """The newest version of each address on one branch, inside a transaction."""
        ...

    def append(self, connection: Connection, commit: tuple[Any, ...], rows: Sequence[Row]) -> None:
        """Write a commit (COMMIT_COLUMNS) and its versions inside a transaction, and move its branch's head."""
        ...

    def close(self) -> None:
        """Let go of connections."""
        ...


class _Connection(sqlite3.Connection):
    """The same, but one can point at it weakly."""


class SqliteHot:
    """SQLite: one connection for each thread that reads, its statement prepared once."""

    _GET = (
        f'SELECT {RECORD_COLUMNS} FROM version v JOIN "commit" c ON c.seq = v.from_seq '
        "WHERE v.branch = ? AND v.address = ? AND v.from_seq <= ? ORDER BY v.from_seq DESC LIMIT 1"
    )
    _RECORDS = (
        f"SELECT {RECORD_COLUMNS} FROM json_each(?) JOIN version v ON v.id = value "
        'JOIN "commit" c ON c.seq = v.from_seq'
    )
    _CURRENT = (
        "SELECT value, (SELECT max(id) FROM version WHERE branch = ?2 AND address = value) FROM json_each(?1)"
    )  # fmt: skip
    _ANY_BETWEEN = "SELECT 1 FROM version WHERE branch = ? AND address BETWEEN ? AND ? LIMIT 1"
    _COMMIT = f'INSERT INTO "commit" (space, {COMMIT_COLUMNS}) VALUES (1, {", ".join("?" * _COMMIT_FIELDS)})'
    _ADD = f"INSERT INTO version (space, {ROW_COLUMNS}) VALUES (1, {', '.join('?' * _ROW_FIELDS)})"
    _HEAD = "UPDATE branch SET head_seq = ? WHERE number = ?"
    _TIP = 'SELECT seq, id, at_us, last_version FROM "commit" ORDER BY seq DESC LIMIT 1'

    def __init__(self, file: Path) -> None:
        self._file = file
        self._local = threading.local()
        # Held weakly: a thread that has ended takes its connection along.
        self._open: weakref.WeakSet[_Connection] = weakref.WeakSet()

    def records(self, versions: Sequence[int]) -> dict[int, Record]:
        """Versions by number."""
        with translated():
            connection: sqlite3.Connection = getattr(self._local, "connection", None) or self._connect()
            found = connection.execute(self._RECORDS, (orjson.dumps(versions).decode(),)).fetchall()
        return {row[0]: record(row) for row in found}

    def get(self, scope: Scope, address: Address | str) -> Record | None:
        """The version of an address that a scope sees: nearest branch first."""
        try:
            connection: sqlite3.Connection = self._local.connection
        except AttributeError:
            connection = self._connect()
        known = address if isinstance(address, Address) else None
        wanted = str(address)
        try:
            for branch, seq in scope:
                found = connection.execute(self._GET, (branch, wanted, seq)).fetchone()
                if found is not None:
                    return record(found, known)
        except sqlite3.Error:
            with translated():
                raise
        return None

    def newest(self) -> Sequence[Any] | None:
        """The newest commit's number, id, time and last version: asked before every search, whether there is more."""
        with translated():
            connection: sqlite3.Connection = getattr(self._local, "connection", None) or self._connect()
            found: tuple[Any, ...] | None = connection.execute(self._TIP).fetchone()
        return found

    def _connect(self) -> sqlite3.Connection:
        with translated():
            connection = sqlite3.connect(
                self._file, timeout=LOCK_WAIT_MS_MAX / 1000, check_same_thread=False, factory=_Connection
            )
            configure_sqlite(connection)
        self._local.connection = connection
        self._open.add(connection)
        return connection

    def tip(self, connection: Connection) -> Sequence[Any] | None:
        """The same inside a transaction."""
        driver: Any = connection.connection.driver_connection
        found: tuple[Any, ...] | None = driver.execute(self._TIP).fetchone()
        return found

    def current(self, connection: Connection, branch: int, addresses: Sequence[str]) -> dict[str, int]:
        """The newest version of each address on one branch."""
        driver: Any = connection.connection.driver_connection
        # What is brought in as a whole usually lies together, and nothing of it is there yet: one look can tell.
        if len(addresses) >= ROWS_PER_BATCH_MIN:
            between = (branch, min(addresses), max(addresses))
            if driver.execute(self._ANY_BETWEEN, between).fetchone() is None:
                return {}
        found = driver.execute(self._CURRENT, (orjson.dumps(addresses).decode(), branch))
        return {address: version for address, version in found if version is not None}

    def append(self, connection: Connection, commit: tuple[Any, ...], rows: Sequence[Row]) -> None:
        """Write a commit and its versions, and move its branch's head."""
        driver: Any = connection.connection.driver_connection
        driver.execute(self._COMMIT, commit)
        if len(rows) < ROWS_PER_BATCH_MIN:
            driver.executemany(self._ADD, rows)
        else:
            self._append_batch(driver, rows)
        driver.execute(self._HEAD, (commit[0], commit[2]))

    def _append_batch(self, driver: sqlite3.Connection, rows: Sequence[Row]) -> None:
        """Write many versions. Binding a value costs as much as storing it, so what all rows share is written once."""
        values: list[str] = []
        bound: list[tuple[Any, ...]] = []
        for column in zip(*rows, strict=True):
            first = column[0]
            if (first is None or type(first) is int) and column.count(first) == len(column):
                values.append("NULL" if first is None else str(first))
            else:
                values.append("?")
                bound.append(column)
        add = f"INSERT INTO version (space, {ROW_COLUMNS}) VALUES (1, {', '.join(values)})"
        driver.executemany(add, zip(*bound, strict=True))

    def close(self) -> None:
        """Close what each thread opened."""
        for connection in list(self._open):
            connection.close()
        self._open.clear()
        self._local = threading.local()


class PostgresHot:
    """PostgreSQL: the same read with the space in it, and arrays for many versions.

    COPY would be no faster, and PostgreSQL refuses it where row-level security applies.
    """

    _GET = text(
        f'SELECT {RECORD_COLUMNS} FROM version v JOIN "commit" c ON c.space = v.space AND c.seq = v.from_seq '
        "WHERE v.space = :space AND v.branch = :branch AND v.address = :address AND v.from_seq <= :seq "
        "ORDER BY v.from_seq DESC LIMIT 1"
    )
    _RECORDS = text(
        f'SELECT {RECORD_COLUMNS} FROM version v JOIN "commit" c ON c.space = v.space AND c.seq = v.from_seq '
        "WHERE v.space = :space AND v.id = ANY(:versions)"
    )
    _CURRENT = text(
        "SELECT address, max(id) FROM version WHERE space = :space AND branch = :branch AND address = ANY(:addresses) "
        "GROUP BY address"
    )
    _TYPES = "bigint bigint text text smallint bigint bytea text bigint bigint bigint bytea bytea"
    _ADD = (
        f"INSERT INTO version (space, {ROW_COLUMNS}) "
        f"SELECT %s, * FROM unnest({', '.join(f'%b::{name}[]' for name in _TYPES.split())})"
    )
    _COMMIT = f'INSERT INTO "commit" (space, {COMMIT_COLUMNS}) VALUES ({", ".join(["%s"] * (_COMMIT_FIELDS + 1))})'
    _HEAD = "UPDATE branch SET head_seq = %s WHERE space = %s AND number = %s"
    _TIP = text(
        'SELECT seq, id, at_us, last_version FROM "commit" WHERE space = :space ORDER BY seq DESC LIMIT 1'
    )  # fmt: skip
    # An array holds up to 1 GB, and each of these may be a body of the largest size.
    _ROWS_PER_STATEMENT_MAX = 250

    def __init__(self, engine: Engine, space: int) -> None:
        self._engine = engine
        self._space = space

    def records(self, versions: Sequence[int]) -> dict[int, Record]:
        """Versions by number."""
        wanted = {"space": self._space, "versions": list(versions)}
        with reading(self._engine, self._space) as connection:
            return {row[0]: record(row) for row in connection.execute(self._RECORDS, wanted)}

    def get(self, scope: Scope, address: Address | str) -> Record | None:
        """The version of an address that a scope sees: nearest branch first."""
        with reading(self._engine, self._space) as connection:
            for branch, seq in scope:
                wanted = {"space": self._space, "branch": branch, "address": str(address), "seq": seq}
                found = connection.execute(self._GET, wanted).fetchone()
                if found is not None:
                    return record(found)
        return None

    def newest(self) -> Sequence[Any] | None:
        """The newest commit's number, id, time and last version."""
        with reading(self._engine, self._space) as connection:
            return self.tip(connection)

    def tip(self, connection: Connection) -> Sequence[Any] | None:
        """The same inside a transaction."""
        return connection.execute(self._TIP, {"space": self._space}).fetchone()

    def current(self, connection: Connection, branch: int, addresses: Sequence[str]) -> dict[str, int]:
        """The newest version of each address on one branch."""
        wanted = {"space": self._space, "branch": branch, "addresses": list(addresses)}
        return {row[0]: row[1] for row in connection.execute(self._CURRENT, wanted)}

    def append(self, connection: Connection, commit: tuple[Any, ...], rows: Sequence[Row]) -> None:
        """Write a commit and its versions, and move its branch's head."""
        driver: Any = connection.connection.driver_connection
        with driver.cursor() as cursor:
            cursor.execute(self._COMMIT, (self._space, *commit))
            cursor.execute(self._HEAD, (commit[0], self._space, commit[2]))
            for start in range(0, len(rows), self._ROWS_PER_STATEMENT_MAX):
                columns = zip(*rows[start : start + self._ROWS_PER_STATEMENT_MAX], strict=True)
                cursor.execute(self._ADD, (self._space, *map(list, columns)))

    def close(self) -> None:
        """The engine's pool holds the connections."""
