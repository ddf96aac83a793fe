"""The two hottest statements, written for each driver: reading one record at a moment, and adding versions.

Everything else goes through SQLAlchemy Core. These two are what the speed of memory is made of: Core's own work for
one statement takes longer than SQLite needs to find a record, and rows go into PostgreSQL fastest by COPY.
"""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Protocol

from sqlalchemy import Connection, Engine, text

from hindcast.adapters.store_sql.engine import LOCK_WAIT_MS_MAX, configure_sqlite, reading
from hindcast.adapters.store_sql.faults import translated
from hindcast.adapters.store_sql.shape import RECORD_COLUMNS, ROW_COLUMNS, record
from hindcast.model.ids import Address
from hindcast.model.record import Record, Scope
from hindcast.ports import Row

_ROW_FIELDS = len(ROW_COLUMNS.split(","))


class Hot(Protocol):
    """What each driver has its own words for."""

    def get(self, scope: Scope, address: Address | str) -> Record | None:
        """The version of an address that a scope sees."""
        ...

    def add(self, connection: Connection, rows: Sequence[Row]) -> None:
        """Write versions inside a transaction."""
        ...

    def close(self) -> None:
        """Let go of connections."""
        ...


def _values(row: Row) -> tuple[Any, ...]:
    return (
        row.id,
        row.branch,
        row.address,
        row.kind,
        int(row.state),
        row.from_seq,
        row.body,
        row.text,
        row.occurred_us,
        row.origin,
        row.replaces,
        row.salt,
        row.digest,
    )


class SqliteHot:
    """SQLite: one connection for each thread that reads, its statement prepared once."""

    _GET = (
        f'SELECT {RECORD_COLUMNS} FROM version v JOIN "commit" c ON c.seq = v.from_seq '
        "WHERE v.branch = ? AND v.address = ? AND v.from_seq <= ? ORDER BY v.from_seq DESC LIMIT 1"
    )
    _ADD = f"INSERT INTO version (space, {ROW_COLUMNS}) VALUES (1, {', '.join('?' * _ROW_FIELDS)})"

    def __init__(self, file: Path) -> None:
        self._file = file
        self._local = threading.local()
        self._open: list[sqlite3.Connection] = []

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

    def _connect(self) -> sqlite3.Connection:
        with translated():
            connection = sqlite3.connect(self._file, timeout=LOCK_WAIT_MS_MAX / 1000, check_same_thread=False)
            configure_sqlite(connection)
        self._local.connection = connection
        self._open.append(connection)
        return connection

    def add(self, connection: Connection, rows: Sequence[Row]) -> None:
        """Write versions inside a transaction."""
        driver: Any = connection.connection.driver_connection
        driver.executemany(self._ADD, map(_values, rows))

    def close(self) -> None:
        """Close what each thread opened."""
        for connection in self._open:
            connection.close()
        self._open.clear()
        self._local = threading.local()


class PostgresHot:
    """PostgreSQL: the same read with the space in it, and COPY for many versions."""

    _GET = text(
        f'SELECT {RECORD_COLUMNS} FROM version v JOIN "commit" c ON c.space = v.space AND c.seq = v.from_seq '
        "WHERE v.space = :space AND v.branch = :branch AND v.address = :address AND v.from_seq <= :seq "
        "ORDER BY v.from_seq DESC LIMIT 1"
    )
    _COPY = f"COPY version (space, {ROW_COLUMNS}) FROM STDIN"
    _ADD = f"INSERT INTO version (space, {ROW_COLUMNS}) VALUES ({', '.join(['%s'] * (_ROW_FIELDS + 1))})"
    # Below this COPY's own round trips cost more than they save.
    _COPY_ROWS_MIN = 20

    def __init__(self, engine: Engine, space: int) -> None:
        self._engine = engine
        self._space = space

    def get(self, scope: Scope, address: Address | str) -> Record | None:
        """The version of an address that a scope sees: nearest branch first."""
        with reading(self._engine, self._space) as connection:
            for branch, seq in scope:
                wanted = {"space": self._space, "branch": branch, "address": str(address), "seq": seq}
                found = connection.execute(self._GET, wanted).fetchone()
                if found is not None:
                    return record(found)
        return None

    def add(self, connection: Connection, rows: Sequence[Row]) -> None:
        """Write versions inside a transaction."""
        driver: Any = connection.connection.driver_connection
        with driver.cursor() as cursor:
            if len(rows) < self._COPY_ROWS_MIN:
                cursor.executemany(self._ADD, [(self._space, *_values(row)) for row in rows])
                return
            with cursor.copy(self._COPY) as copy:
                for row in rows:
                    copy.write_row((self._space, *_values(row)))

    def close(self) -> None:
        """The engine's pool holds the connections."""
