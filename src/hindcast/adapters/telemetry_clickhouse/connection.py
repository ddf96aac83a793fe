"""One ClickHouse engine, in this process or on a server: asking it, telling it, and handing it columns.

A driver's client serves one thread at a time, so each call borrows one and readers do not wait for the writer.
"""

from __future__ import annotations

import fcntl
import logging
import os
import shutil
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import clickhouse_connect
import pyarrow as pa
from clickhouse_connect.driver.client import Client
from clickhouse_connect.driver.exceptions import Error

from hindcast.adapters.telemetry_clickhouse.address import Address, Host
from hindcast.adapters.telemetry_clickhouse.faults import InUse, translated
from hindcast.model.errors import Damaged, HindcastError, Refused, Unavailable

# Its errors come as ours; without a handler they would also be printed.
logging.getLogger("clickhouse_connect").addHandler(logging.NullHandler())

# Queries here take milliseconds; whatever takes longer than this would only keep others waiting.
QUERY_SECONDS_MAX = 30
CONNECT_SECONDS_MAX = 5
# A merge or a slow disk can hold an insert back for seconds; a server that says nothing for longer is down.
ANSWER_SECONDS_MAX = 60
CLIENTS_MAX = 16
# What it takes to make the database and its tables, several times over.
NEW_BYTES_MIN = 16_000_000

# Every statement of a client runs with these.
_SETTINGS: Mapping[str, Any] = {
    "max_execution_time": QUERY_SECONDS_MAX,
    "output_format_arrow_string_as_string": 1,
    "output_format_arrow_compression_method": "none",
    # Tables of a cluster are joined by carrying one side to all shards.
    "distributed_product_mode": "global",
}

_INSERT_SETTINGS: Mapping[str, Any] = {
    # Answered when it is on disk, not when it is in a buffer.
    "async_insert": 0,
    # One insert becomes one part for each day, so that a crash leaves a day's rows whole or not at all.
    "max_insert_threads": 1,
    # Old lines may come in by the file, and each day has a partition.
    "max_partitions_per_insert_block": 0,
    # Indexes are made when parts are merged. Parts that are still small are quicker to read than to index.
    "materialize_skip_indexes_on_insert": 0,
}


class Engine:
    """An engine with the database in it. Every method may be called from any thread."""

    def __init__(self, address: Address, host: Host | None) -> None:
        self._address = address
        self._host = host
        self._idle: list[Client] = []
        self._lock = threading.Lock()
        self._room = threading.BoundedSemaphore(CLIENTS_MAX)
        self._closed = False
        self._database: str | None = None
        if address.embedded:
            _make_folder(Path(address.folder))
            _check_room(Path(address.folder) / "metadata", address.database)

    def __str__(self) -> str:
        return str(self._host or self._address.folder)

    def use(self, database: str) -> None:
        """From now on names without a database mean this one."""
        self._database = database

    def run(self, statement: str, values: Mapping[str, Any] | None = None) -> None:
        """Carry out a statement that has no answer."""
        with self._borrowed() as client:
            client.command(statement, parameters=dict(values or {}))

    def ask(self, query: str, values: Mapping[str, Any] | None = None) -> pa.Table:
        """The answer to a query."""
        with self._borrowed() as client:
            found = client.raw_query(query, parameters=dict(values or {}), fmt="Arrow")
            return pa.ipc.open_file(pa.py_buffer(found)).read_all()

    def insert(self, table: str, rows: pa.Table, *, token: str = "") -> None:
        """Keep rows. On return they are on disk; with a token that was seen before they are left out."""
        settings = dict(_INSERT_SETTINGS)
        if token:
            settings["insert_deduplication_token"] = token
        sink = pa.BufferOutputStream()
        with pa.ipc.new_file(sink, rows.schema) as writer:
            # One record batch: the engine may make a block of each.
            writer.write_table(rows.combine_chunks())
        with self._borrowed() as client:
            client.raw_insert(table, rows.column_names, sink.getvalue().to_pybytes(), settings=settings, fmt="Arrow")

    def close(self) -> None:
        """Close the clients; those in use are closed when they come back."""
        with self._lock:
            self._closed = True
            idle, self._idle = self._idle, []
        with translated():
            for client in idle:
                client.close()

    @contextmanager
    def _borrowed(self) -> Iterator[Client]:
        if not self._room.acquire(timeout=ANSWER_SECONDS_MAX):
            raise Unavailable("Too many callers use the telemetry store at once.", remedy="Wait a moment, then retry.")
        try:
            with translated():
                client = self._client()
                try:
                    client.database = self._database
                    yield client
                finally:
                    self._give_back(client)
        finally:
            self._room.release()

    def _client(self) -> Client:
        with self._lock:
            if self._closed:
                raise Unavailable("The telemetry store is closed.", remedy="Open it again.")
            if self._idle:
                return self._idle.pop()
        if self._host is None:
            return _embedded_client(Path(self._address.folder))
        return clickhouse_connect.get_client(
            interface="https" if self._address.tls else "http",
            host=self._host.name,
            port=self._host.port,
            username=self._address.user or None,
            password=self._address.password,
            connect_timeout=CONNECT_SECONDS_MAX,
            send_receive_timeout=ANSWER_SECONDS_MAX,
            # A session would make the callers of one client wait for one another on the server.
            autogenerate_session_id=False,
            settings=dict(_SETTINGS),
        )

    def _give_back(self, client: Client) -> None:
        with self._lock:
            if not self._closed:
                self._idle.append(client)
                return
        client.close()


def _embedded_client(folder: Path) -> Client:
    if _held_by_another(folder / "status"):
        # Found out before the engine does, which would write its own words into the error output of an agent.
        raise _in_use(folder)
    try:
        return clickhouse_connect.get_client(interface="chdb", path=str(folder), settings=dict(_SETTINGS))
    except Error as error:
        if "Error initializing" in str(error):
            # The engine keeps the reason to itself, or rather to the standard error output.
            raise _not_started(folder) from error
        raise


def _not_started(folder: Path) -> HindcastError:
    if _locked(folder / "status"):
        return _in_use(folder)
    return Damaged(
        f"The engine does not start on the telemetry in {folder}; it has told why on the standard error output.",
        field="telemetry",
        remedy="Keep the folder aside and restore a copy, or name another folder.",
    )


def _in_use(folder: Path) -> InUse:
    return InUse(
        f"The telemetry in {folder} is in use by another process.",
        field="telemetry",
        remedy="One process owns a folder: talk to the running one, stop it, or name another folder.",
    )


def _held_by_another(file: Path) -> bool:
    """Whether the engine of another process has a folder; the file that it locks begins with its number."""
    if not _locked(file):
        return False
    try:
        first = file.read_text(encoding="utf-8", errors="replace").partition("\n")[0]
    except OSError:
        return False
    return first.removeprefix("PID:").strip() not in ("", str(os.getpid()))


def _locked(file: Path) -> bool:
    try:
        with file.open("rb") as handle:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
        # The engine ends the whole process over some folders that it cannot write to; better to find out first.
        probe = folder / ".hindcast-probe"
        probe.touch()
        probe.unlink()
    except PermissionError as error:
        raise Refused(
            f"The folder {folder} cannot be written to.",
            field="telemetry",
            remedy="Ask for permission to it, or name another folder.",
        ) from error
    except OSError as error:
        raise Unavailable(
            f"The folder {folder} cannot be made or written to: {error}.",
            field="telemetry",
            remedy="Free space on its disk, or name another folder.",
        ) from error


def _check_room(metadata: Path, database: str) -> None:
    """Raise Unavailable where a database that is still to be made has no room.

    The engine would leave an empty definition behind on a full disk, and would never start on that folder again. One
    that is there already holds no table, and goes. A database with tables can be read on a full disk.
    """
    definition = metadata / f"{database}.sql"
    if definition.exists() and definition.stat().st_size:
        return
    if shutil.disk_usage(metadata.parent).free < NEW_BYTES_MIN:
        raise Unavailable(
            "The disk of the telemetry store is full.", field="telemetry", remedy="Free some space, then retry."
        )
    if not any((metadata / database).glob("*.sql")):
        definition.unlink(missing_ok=True)
