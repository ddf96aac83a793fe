"""The revision of accounts, read at every request over a connection of its own.

Going through a pool costs more than the read itself. One connection that takes turns is enough: a read takes some ten
microseconds from a SQLite file and a tenth of a millisecond from a PostgreSQL server nearby.
"""

from __future__ import annotations

import sqlite3
import threading
from typing import Any

from sqlalchemy import Engine

from hindcast.adapters.store_sql.engine import configure_sqlite
from hindcast.adapters.store_sql.faults import translated
from hindcast.model.errors import Unavailable

# A server that does not even refuse within this time is gone.
CONNECT_SECONDS_MAX = 5
TURN_SECONDS_MAX = 10
_READ = "SELECT number FROM revision"


class Revision:
    """Reads one number, and connects anew when the connection was lost."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._turn = threading.Lock()
        self._connection: Any = None

    def read(self) -> int:
        """The revision now."""
        if not self._turn.acquire(timeout=TURN_SECONDS_MAX):
            raise Unavailable("The accounts do not answer.", remedy="Check the database, then retry.")
        try:
            with translated():
                return self._read()
        finally:
            self._turn.release()

    def close(self) -> None:
        """Let go of the connection."""
        with self._turn:
            self._drop()

    def _read(self) -> int:
        is_new = self._connection is None
        if is_new:
            self._connection = self._connect()
        try:
            # All of one row: a cursor that is not at its end would hold on to what it saw.
            return int(self._connection.execute(_READ).fetchall()[0][0])
        except self._lost():
            self._drop()
            # One that was idle may have been cut by a server that has restarted since: that is no failure yet.
            if is_new:
                raise
            return self._read()

    def _connect(self) -> Any:  # noqa: ANN401
        if self._engine.dialect.name == "sqlite":
            connection = sqlite3.connect(str(self._engine.url.database), check_same_thread=False)
            configure_sqlite(connection)
            return connection
        import psycopg

        address = self._engine.url.set(drivername="postgresql").render_as_string(hide_password=False)
        return psycopg.connect(address, autocommit=True, connect_timeout=CONNECT_SECONDS_MAX)

    def _lost(self) -> tuple[type[Exception], ...]:
        if self._engine.dialect.name == "sqlite":
            return (sqlite3.Error,)
        import psycopg

        return (psycopg.Error,)

    def _drop(self) -> None:
        if self._connection is not None:
            self._connection.close()
            self._connection = None
