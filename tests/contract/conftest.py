"""Places where telemetry can live in tests: chDB in this process, a real ClickHouse server, and a cluster of two.

`HINDCAST_TEST_CLICKHOUSE=clickhouse://user:password@host:port` points the tests of one server at another one, on which
the user may make and drop databases. The cluster is always started here, because tests end its servers too.
"""

from __future__ import annotations

import os
import secrets
import shutil
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from hindcast.adapters.clock import ManualClock
from hindcast.adapters.telemetry_clickhouse import ClickhouseTelemetry, Retention, open_telemetry
from hindcast.adapters.telemetry_clickhouse.address import parse
from hindcast.adapters.telemetry_clickhouse.connection import Engine

if TYPE_CHECKING:
    from tests.contract import clickhouse_server
else:
    from contract import clickhouse_server

START = datetime(2026, 1, 1, tzinfo=UTC)
# Tests have a time of their own, long ago: nothing may grow old while they run.
FOR_EVER = Retention(**{f"{table}_days": 0 for table in ("log", "metric", "span", "rate", "change", "alert")})


@dataclass
class TelemetryPlace:
    """A database of its own on some engine, with everything that is opened there."""

    engine: str
    dsn: str
    clock: ManualClock = field(default_factory=lambda: ManualClock(START))
    _open: list[Callable[[], None]] = field(default_factory=list)

    def telemetry(self, retention: Retention = FOR_EVER) -> ClickhouseTelemetry:
        """Open the store."""
        made = open_telemetry(self.dsn, retention=retention, clock=self.clock)
        self._open.append(made.close)
        return made

    def engines(self) -> list[Engine]:
        """The engines below the store, which know nothing of its rules: one, or one for each shard."""
        address = parse(self.dsn)
        found = [Engine(address, host) for host in address.hosts] or [Engine(address, None)]
        for each in found:
            each.use(address.database)
            self._open.append(each.close)
        return found

    def close(self) -> None:
        """Close whatever was opened."""
        while self._open:
            self._open.pop()()

    def drop(self) -> None:
        """Leave nothing behind."""
        for each in self.engines():
            each.use("default")
            each.run(f"DROP DATABASE IF EXISTS {parse(self.dsn).database} SYNC")
        self.close()


@pytest.fixture(scope="module")
def chdb_folder() -> Iterator[Path]:
    """A folder whose engine stays open for a whole module: a process can have one at a time, and starting it takes."""
    folder = Path(tempfile.mkdtemp(prefix="hindcast-chdb-"))
    engine = Engine(parse(f"chdb://{folder}"), None)
    engine.ask("SELECT 1 AS one")
    yield folder
    engine.close()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="session")
def clickhouse_cluster() -> Iterator[list[clickhouse_server.Server]]:
    """Two ClickHouse servers that know each other."""
    folder = Path(tempfile.mkdtemp(prefix="hindcast-ch-"))
    with clickhouse_server.running(folder, 2) as servers:
        yield servers
    shutil.rmtree(folder, ignore_errors=True)


def _database() -> str:
    return f"hindcast_test_{secrets.token_hex(6)}"


@pytest.fixture
def chdb_place(chdb_folder: Path) -> Iterator[TelemetryPlace]:
    """A database in this process."""
    place = TelemetryPlace("chdb", f"chdb://{chdb_folder}?database={_database()}")
    yield place
    place.close()
    place.drop()


@pytest.fixture
def server_place(request: pytest.FixtureRequest) -> Iterator[TelemetryPlace]:
    """A database on a real server."""
    given = os.environ.get("HINDCAST_TEST_CLICKHOUSE")
    if given:
        place = TelemetryPlace("server", f"{given.rstrip('/')}/{_database()}")
    else:
        place = TelemetryPlace("server", request.getfixturevalue("clickhouse_cluster")[0].dsn(_database()))
    yield place
    place.close()
    place.drop()


@pytest.fixture
def cluster_place(clickhouse_cluster: list[clickhouse_server.Server]) -> Iterator[TelemetryPlace]:
    """A database spread over two servers."""
    place = TelemetryPlace("cluster", clickhouse_server.dsn(clickhouse_cluster, _database()))
    yield place
    place.close()
    place.drop()


@pytest.fixture(params=["chdb", "server", "cluster"])
def telemetry_place(request: pytest.FixtureRequest) -> TelemetryPlace:
    """All kinds of places, one after the other."""
    found = request.getfixturevalue(f"{request.param}_place")
    assert isinstance(found, TelemetryPlace)
    return found


@pytest.fixture
def telemetry(telemetry_place: TelemetryPlace) -> ClickhouseTelemetry:
    """A fresh store on each kind of engine."""
    return telemetry_place.telemetry()
