"""Opens databases: connection settings, migrations, transactions of one space."""

from __future__ import annotations

import re
import sqlite3
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import resources
from pathlib import Path

from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.engine import URL, make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError

from hindcast.adapters.store_sql.faults import translated
from hindcast.model.errors import Malformed, Missing, Refused, Unavailable

# A writer holds the lock for milliseconds; waiting this long means that something is stuck.
LOCK_WAIT_MS_MAX = 30_000
LOCKED_AGAIN_SECONDS = 0.01
# For each connection. Enough for the upper levels of a large index; the operating system caches the rest, once for all.
PAGE_CACHE_KIB = 4_096
# A checkpoint leaves the write-ahead log at its largest size otherwise, for ever.
WAL_BYTES_KEPT_MAX = 16_777_216
# How many pages (of 4 KiB) the log may gather before a commit has to carry them into the file: a batch of ten thousand
# records fits in, so that it pays for its own bytes once.
WAL_PAGES_MAX = 4_000
CONNECTIONS_MAX = 10
SPACE_CHARS_MAX = 200
# Any number that nobody else uses for an advisory lock of PostgreSQL: "hindcast" on a phone's keys.
MIGRATION_LOCK = 44_632_278

# Marks connections whose transactions write.
_WRITES = "hindcast_writes"
_SPACE = re.compile(r"[a-z0-9][a-z0-9_-]*(?:/[a-z0-9][a-z0-9_-]*)?")


@dataclass(frozen=True, slots=True)
class Series:
    """Migrations that belong together: their folders in adapters/sql, and where PostgreSQL keeps their number."""

    sqlite: str
    postgres: str
    table: str


MEMORY = Series("sqlite", "postgres", "hindcast_schema")
# Only text and whole numbers: one script does for both engines.
ACCOUNTS = Series("accounts", "accounts", "hindcast_accounts_schema")


def check_space(name: str) -> str:
    """The name of a space, if it can be one."""
    if len(name) > SPACE_CHARS_MAX or not _SPACE.fullmatch(name):
        raise Malformed(
            f"{name!r} is not a space.",
            field="space",
            remedy="Use lower-case letters, digits, - and _, as in acme/payments or local.",
        )
    return name


def sqlite_file(folder: Path, space: str) -> Path:
    """Where a space lives inside a folder of SQLite files."""
    return folder / f"{check_space(space)}.db"


def sqlite_engine(file: Path, *, create: bool) -> Engine:
    """An engine on one SQLite file, with the durability that memory promises."""
    if not file.exists():
        if not create:
            raise Missing(
                f"There is no memory in {file}.",
                remedy="Write something first (`hindcast memory put`), or name another folder or space.",
            )
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise Unavailable(f"{file.parent} cannot be made: {error}.", remedy="Name another folder.") from error
    engine = create_engine(
        URL.create("sqlite", database=str(file)),
        connect_args={"timeout": LOCK_WAIT_MS_MAX / 1000, "check_same_thread": False},
        pool_size=CONNECTIONS_MAX,
    )

    @event.listens_for(engine, "connect")
    def _configure(raw: sqlite3.Connection, _record: object) -> None:
        configure_sqlite(raw)

    @event.listens_for(engine, "begin")
    def _begin(connection: Connection) -> None:
        # Readers need no transaction; a writer takes the lock at once rather than half-way.
        if connection.get_execution_options().get(_WRITES):
            connection.exec_driver_sql("BEGIN IMMEDIATE")

    return engine


def configure_sqlite(raw: sqlite3.Connection) -> None:
    """Make a connection durable and patient. The driver must not begin transactions by itself."""
    raw.isolation_level = None
    for pragma in (
        f"busy_timeout={LOCK_WAIT_MS_MAX}",
        "synchronous=FULL",
        f"cache_size=-{PAGE_CACHE_KIB}",
        f"journal_size_limit={WAL_BYTES_KEPT_MAX}",
        f"wal_autocheckpoint={WAL_PAGES_MAX}",
        "temp_store=MEMORY",
        # Deleted bytes are overwritten, so that erasing leaves nothing to find.
        "secure_delete=ON",
    ):
        raw.execute(f"PRAGMA {pragma}")
    # WAL lives in the file and is set once; asking again needs a write lock that a read-only file cannot give.
    if raw.execute("PRAGMA journal_mode").fetchone()[0] != "wal":
        _write_ahead(raw)


def _write_ahead(raw: sqlite3.Connection) -> None:
    """Let a new file have its WAL. Where several do so at the same moment, `busy_timeout` makes none of them wait."""
    until = time.monotonic() + LOCK_WAIT_MS_MAX / 1_000
    while True:
        try:
            raw.execute("PRAGMA journal_mode=WAL")
        except sqlite3.OperationalError as error:
            if error.sqlite_errorcode != sqlite3.SQLITE_BUSY or time.monotonic() >= until:
                raise
            time.sleep(LOCKED_AGAIN_SECONDS)
        else:
            return


def postgres_engine(address: str) -> Engine:
    """An engine on a PostgreSQL server."""
    try:
        url = make_url(address).set(drivername="postgresql+psycopg")
        return create_engine(url, pool_size=CONNECTIONS_MAX, pool_pre_ping=True)
    except (ArgumentError, NoSuchModuleError, ValueError) as error:
        raise Malformed(
            "The address of the database cannot be read.",
            field="store",
            remedy="Write postgresql://user:password@host/database.",
        ) from error
    except ImportError as error:
        raise Unavailable("The PostgreSQL driver is missing.", remedy="pip install 'hindcast[postgres]'") from error


def migrations(dialect: str, series: Series = MEMORY) -> list[tuple[int, str]]:
    """The migrations of an engine, in order: number and script."""
    folder = resources.files("hindcast.adapters.sql") / (series.sqlite if dialect == "sqlite" else series.postgres)
    scripts = sorted((file for file in folder.iterdir() if file.name[:4].isdigit()), key=lambda file: file.name)
    return [(int(file.name[:4]), file.read_text()) for file in scripts]


def statements(script: str) -> Iterator[str]:
    """The statements of a script. Ours end with a semicolon at the end of a line, and nowhere else."""
    code = "\n".join(line for line in script.splitlines() if not line.lstrip().startswith("--"))
    yield from (part.strip() for part in re.split(r";\s*$", code, flags=re.MULTILINE) if part.strip())


def migrate(engine: Engine, series: Series = MEMORY) -> None:
    """Bring the schema up to what this code knows; refuse one that is newer."""
    known = migrations(engine.dialect.name, series)
    newest = known[-1][0]
    with translated():
        with engine.connect() as connection:
            if _present(connection, newest, series) == newest:
                return
        with beginning(engine) as connection:
            if engine.dialect.name != "sqlite":
                connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": MIGRATION_LOCK})
            # Asked again under the lock: another process may have been faster.
            present = _present(connection, newest, series)
            for number, script in known:
                if number > present:
                    for statement in statements(script):
                        connection.exec_driver_sql(statement)
                    _set_schema(connection, number, series)


def _present(connection: Connection, newest: int, series: Series) -> int:
    present = _schema(connection, series)
    if present > newest:
        raise Refused(
            f"This memory was written by a newer Hindcast (schema {present}; this one knows up to {newest}).",
            remedy="Upgrade Hindcast. Nothing was changed.",
        )
    return present


def _schema(connection: Connection, series: Series) -> int:
    if connection.dialect.name == "sqlite":
        return int(connection.exec_driver_sql("PRAGMA user_version").scalar_one())
    # Asked of the catalog itself: `to_regclass` may answer from before the lock that a migration has waited for.
    there = connection.exec_driver_sql(
        f"SELECT EXISTS (SELECT FROM pg_catalog.pg_tables WHERE tablename = '{series.table}'"
        " AND schemaname = current_schema())"
    ).scalar_one()
    if not there:
        return 0
    return int(connection.exec_driver_sql(f"SELECT coalesce(max(number), 0) FROM {series.table}").scalar_one())


def _set_schema(connection: Connection, number: int, series: Series) -> None:
    if connection.dialect.name == "sqlite":
        connection.exec_driver_sql(f"PRAGMA user_version = {number}")
        return
    connection.exec_driver_sql(f"CREATE TABLE IF NOT EXISTS {series.table} (number bigint PRIMARY KEY)")
    connection.execute(text(f"INSERT INTO {series.table} VALUES (:number)"), {"number": number})


def for_writing(engine: Engine) -> Engine:
    """The same engine, whose transactions take the write lock as they begin."""
    return engine.execution_options(**{_WRITES: True})


@contextmanager
def beginning(engine: Engine) -> Iterator[Connection]:
    """A write transaction that concerns no single space."""
    with for_writing(engine).begin() as connection:
        yield connection


@contextmanager
def reading(engine: Engine, space: int) -> Iterator[Connection]:
    """A connection for reads of one space. What a scope sees never changes, so reads need no transaction."""
    with translated(), engine.connect() as connection:
        _restrict(connection, space)
        yield connection


@contextmanager
def writing(engine: Engine, space: int) -> Iterator[Connection]:
    """The one write transaction of a space, on an engine `for_writing`: SQLite locks the file, PostgreSQL a row."""
    with translated(), engine.begin() as connection:
        _restrict(connection, space)
        if connection.dialect.name != "sqlite":
            wait = {"wait": str(LOCK_WAIT_MS_MAX)}
            connection.execute(text("SELECT set_config('lock_timeout', :wait, true)"), wait)
            connection.execute(text("SELECT id FROM space WHERE id = :space FOR UPDATE"), {"space": space})
        yield connection


def _restrict(connection: Connection, space: int) -> None:
    if connection.dialect.name != "sqlite":
        connection.execute(text("SELECT set_config('hindcast.space', :space, true)"), {"space": str(space)})
