"""History in SQL: one implementation over SQLite (one file for each space) and PostgreSQL (row-level security)."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path

from sqlalchemy import Connection, Engine, delete, func, insert, select, text

from hindcast.adapters.store_sql import read, shape
from hindcast.adapters.store_sql import tables as t
from hindcast.adapters.store_sql.engine import (
    LOCK_WAIT_MS_MAX,
    beginning,
    check_space,
    for_writing,
    migrate,
    postgres_engine,
    reading,
    sqlite_engine,
    sqlite_file,
    writing,
)
from hindcast.adapters.store_sql.faults import translated
from hindcast.adapters.store_sql.hot import Hot, PostgresHot, SqliteHot
from hindcast.adapters.store_sql.write import SqlWriter
from hindcast.model.errors import Damaged, Malformed, Missing, Unavailable
from hindcast.model.ids import COMMIT_ID_CHARS
from hindcast.model.query import Filter
from hindcast.model.record import Action, Branch, Commit, Record, Scope, Snapshot, State
from hindcast.ports import Row, Tip, Writer

# The number that the space of a SQLite file has.
ONLY_SPACE = 1
_HEX = frozenset("0123456789abcdefABCDEF")


def open_store(where: str | Path, space: str, *, now: datetime, create: bool = True) -> SqlStore:
    """Open a space: in a folder of SQLite files, or on the PostgreSQL server at an address."""
    check_space(space)
    if isinstance(where, str) and where.startswith(("postgresql://", "postgres://", "postgresql+psycopg://")):
        engine = postgres_engine(where.replace("postgres://", "postgresql://", 1))
        migrate(engine)
        number = _space_number(engine, space, now=now, create=create)
        return SqlStore(engine, space, number, PostgresHot(engine, number))
    file = sqlite_file(Path(where), space)
    engine = sqlite_engine(file, create=create)
    migrate(engine)
    # A file holds one space, whatever it was called when it was made: a copy may be opened by another name.
    _first_space(engine, space, now=now)
    return SqlStore(engine, space, ONLY_SPACE, SqliteHot(file))


def spaces_in(where: str | Path) -> tuple[str, ...]:
    """The names of the spaces that a store holds."""
    if isinstance(where, str) and where.startswith(("postgresql://", "postgres://", "postgresql+psycopg://")):
        engine = postgres_engine(where.replace("postgres://", "postgresql://", 1))
        migrate(engine)
        try:
            with translated(), engine.connect() as connection:
                return tuple(sorted(connection.execute(select(t.space.c.name)).scalars()))
        finally:
            engine.dispose()
    folder = Path(where)
    # Walked without complaint of what goes meanwhile: the engine of telemetry makes and removes folders beside them.
    found = (Path(root, name) for root, _, names in os.walk(folder) for name in names if name.endswith(".db"))
    files = (file.relative_to(folder).with_suffix("") for file in found)
    return tuple(sorted(file.as_posix() for file in files if not any(part.startswith(".") for part in file.parts)))


def _first_space(engine: Engine, space: str, *, now: datetime) -> None:
    with translated():
        with engine.connect() as connection:
            if connection.execute(select(t.space.c.id)).first() is not None:
                return
        with beginning(engine) as connection:
            connection.execute(
                text("INSERT INTO space (id, name, created_us) VALUES (:id, :name, :now) ON CONFLICT DO NOTHING"),
                {"id": ONLY_SPACE, "name": space, "now": shape.microseconds(now)},
            )


def _space_number(engine: Engine, space: str, *, now: datetime, create: bool) -> int:
    query = select(t.space.c.id).where(t.space.c.name == space)
    with translated():
        with engine.connect() as connection:
            found = connection.execute(query).scalar()
        if found is None:
            if not create:
                raise Missing(
                    f"There is no space {space!r}.", field="space", remedy="Write to it once, and it is there."
                )
            with beginning(engine) as connection:
                # Two first writers may meet here; the second finds what the first has made.
                connection.execute(
                    text("INSERT INTO space (name, created_us) VALUES (:name, :now) ON CONFLICT (name) DO NOTHING"),
                    {"name": space, "now": shape.microseconds(now)},
                )
                found = connection.execute(query).scalar_one()
    return int(found)


class SqlStore:
    """One space's history. See `ports.Store` for what each verb promises."""

    def __init__(self, engine: Engine, space: str, number: int, hot: Hot) -> None:
        self._engine = engine
        self._space = space
        self._number = number
        self._writes = for_writing(engine)
        self._hot = hot
        self.get = hot.get
        self.records = hot.records
        # Writers of one process queue here and not inside the pool, where they would hold the connections that the one
        # who writes still needs for reading.
        self._turn = threading.Lock()

    @property
    def space(self) -> str:
        """The name of the space."""
        return self._space

    @contextmanager
    def write(self) -> Iterator[Writer]:
        """Begin the only write transaction of this space."""
        with self._writing() as connection:
            yield SqlWriter(connection, self._number, self._hot)

    @contextmanager
    def _writing(self) -> Iterator[Connection]:
        if not self._turn.acquire(timeout=LOCK_WAIT_MS_MAX / 1000):
            raise Unavailable("The memory is locked by another writer.", remedy="Try again.")
        try:
            with writing(self._writes, self._number) as connection:
                yield connection
        finally:
            self._turn.release()

    def get_many(self, scope: Scope, addresses: Sequence[str]) -> Mapping[str, Record]:
        """The version that a scope sees of each of many addresses."""
        with reading(self._engine, self._number) as connection:
            versions = read.newest_versions(connection, self._number, scope, addresses)
            records = read.records_by_number(connection, self._number, list(versions.values()))
        if len(records) != len(versions):
            raise Damaged(
                "Versions are there whose commits are gone.",
                remedy="Run `hindcast memory verify`, then restore from a copy.",
            )
        return {address: records[version] for address, version in versions.items()}

    def page(
        self, scope: Scope, wanted: Filter, *, after: str, records_max: int, states: Sequence[State]
    ) -> list[Record]:
        """Records a scope sees, in address order, beyond `after`."""
        ranges = read.address_range(wanted)
        found: list[Record] = []
        size = usual = min(max(records_max, 100), read.ROWS_PER_FETCH)
        with reading(self._engine, self._number) as connection:
            while len(found) < records_max:
                page = read.page_of_versions(connection, self._number, scope, ranges, after=after, versions_max=size)
                versions = [version for _, version in page]
                records = read.records_by_number(connection, self._number, versions, wanted, states)
                found.extend(records[version] for version in versions if version in records)
                if len(page) < size:
                    break
                after = page[-1][0]
                # Where a filter lets nothing through for long, longer steps save trips; not so long ones that those
                # which it does let through are read in vain.
                size = usual if records else min(2 * size, 4 * usual, read.ROWS_PER_FETCH)
        return found[:records_max]

    def count(self, scope: Scope, wanted: Filter) -> Mapping[str, tuple[int, datetime]]:
        """For each namespace: how many live records, and when the newest was learnt."""
        with reading(self._engine, self._number) as connection:
            return read.counts(connection, self._number, scope, wanted)

    def touched(self, spans: Sequence[tuple[int, int, int]]) -> list[str]:
        """Addresses written on (branch, after step, up to step)."""
        with reading(self._engine, self._number) as connection:
            return read.touched(connection, self._number, spans)

    def trail(self, scope: Scope, address: str) -> list[Record]:
        """Every version of an address within a scope, newest first."""
        with reading(self._engine, self._number) as connection:
            return read.trail(connection, self._number, scope, address)

    def versions_of(self, addresses: Sequence[str], *, below: bool) -> list[int]:
        """Every version, on every branch, of these addresses."""
        with reading(self._engine, self._number) as connection:
            return read.versions_of(connection, self._number, addresses, below=below)

    def rows(self, *, after: int, until: int | None = None) -> Iterator[Row]:
        """Versions as they are stored, in order of number."""
        columns = [t.version.c[name.strip()] for name in shape.ROW_COLUMNS.split(",")]
        while True:
            query = select(*columns).where(t.version.c.space == self._number, t.version.c.id > after)
            if until is not None:
                query = query.where(t.version.c.id <= until)
            with reading(self._engine, self._number) as connection:
                found = connection.execute(query.order_by(t.version.c.id).limit(read.ROWS_PER_FETCH)).fetchall()
            yield from map(shape.row, found)
            if len(found) < read.ROWS_PER_FETCH:
                return
            after = found[-1][0]

    def tip(self) -> Tip:
        """The newest step."""
        return shape.tip(self._hot.newest())

    def commit(self, prefix: str) -> Commit:
        """The one commit whose id begins so."""
        if not 0 < len(prefix) <= COMMIT_ID_CHARS or not set(prefix) <= _HEX:
            raise Malformed(
                f"{prefix[:80]!r} is not a commit id.", field="commit", remedy="`hindcast memory log` lists them."
            )
        low, high = bytes.fromhex(prefix.ljust(64, "0")), bytes.fromhex(prefix.ljust(64, "f"))
        query = read.COMMITS.where(t.commit.c.id >= low, t.commit.c.id <= high).limit(2)
        with reading(self._engine, self._number) as connection:
            found = connection.execute(query, {"space": self._number}).mappings().fetchall()
        if not found:
            raise Missing(f"There is no commit {prefix}.", field="commit", remedy="`hindcast memory log` lists them.")
        if len(found) > 1:
            raise Malformed(f"Several commits begin with {prefix}.", field="commit", remedy="Write more of the id.")
        return shape.commit(found[0])

    def commits(
        self, scope: Scope | None, *, before: int, after: int, commits_max: int, oldest_first: bool = False
    ) -> list[Commit]:
        """Commits a scope includes strictly between two steps."""
        with reading(self._engine, self._number) as connection:
            return read.commits(
                connection,
                self._number,
                scope,
                before=before,
                after=after,
                commits_max=commits_max,
                oldest_first=oldest_first,
            )

    def commits_of(self, action: Action, *, after: int) -> list[Commit]:
        """Every commit of one kind beyond a step, oldest first."""
        query = (
            read.COMMITS.where(t.commit.c.action == str(action), t.commit.c.seq > after)
            # Said in so many words, because that is what the partial index waits for.
            .where(text("\"commit\".action <> 'commit'"))
            .order_by(t.commit.c.seq)
        )
        with reading(self._engine, self._number) as connection:
            return [shape.commit(row) for row in connection.execute(query, {"space": self._number}).mappings()]

    def seq_at(self, moment: datetime) -> int:
        """The last step made at or before a time."""
        query = select(func.max(t.commit.c.seq)).where(
            t.commit.c.space == self._number, t.commit.c.at_us <= shape.microseconds(moment)
        )
        with reading(self._engine, self._number) as connection:
            return connection.execute(query).scalar() or 0

    def branches(self) -> list[Branch]:
        """All branches, oldest first."""
        with reading(self._engine, self._number) as connection:
            return [shape.branch(row) for row in connection.execute(read.BRANCHES, {"space": self._number}).mappings()]

    def snapshots(self) -> list[Snapshot]:
        """All snapshots, oldest first."""
        query = (
            select(t.snapshot, t.commit.c.id, t.branch.c.name.label("branch_name"))
            .join(t.commit, (t.commit.c.space == t.snapshot.c.space) & (t.commit.c.seq == t.snapshot.c.seq))
            .join(t.branch, (t.branch.c.space == t.snapshot.c.space) & (t.branch.c.number == t.commit.c.branch))
            .where(t.snapshot.c.space == self._number)
            .order_by(t.snapshot.c.created_us, t.snapshot.c.name)
        )
        with reading(self._engine, self._number) as connection:
            return [
                Snapshot(
                    name=row["name"],
                    commit=row["id"].hex(),
                    branch=row["branch_name"],
                    seq=row["seq"],
                    created_at=shape.moment(row["created_us"]),
                    actor=row["actor"],
                    why=row["why"],
                )
                for row in connection.execute(query).mappings()
            ]

    def seals(self) -> Mapping[str, bytes]:
        """What proves each branch and snapshot."""
        with reading(self._engine, self._number) as connection:
            branches = connection.execute(
                select(t.branch.c.name, t.branch.c.seal).where(t.branch.c.space == self._number)
            )
            found = {f"branch {name}": seal for name, seal in branches}
            snapshots = connection.execute(
                select(t.snapshot.c.name, t.snapshot.c.seal).where(t.snapshot.c.space == self._number)
            )
            found.update((f"snapshot {name}", seal) for name, seal in snapshots)
        return found

    def vectors(self, model: str, *, after: int) -> Iterator[tuple[int, bytes]]:
        """Kept vectors of one model by version number, in order."""
        columns = (t.vector.c.version, t.vector.c.vector)
        while True:
            query = (
                select(*columns)
                .where(t.vector.c.space == self._number, t.vector.c.model == model, t.vector.c.version > after)
                .order_by(t.vector.c.version)
                .limit(read.ROWS_PER_FETCH)
            )
            with reading(self._engine, self._number) as connection:
                found = connection.execute(query).fetchall()
            yield from ((version, vector) for version, vector in found)
            if len(found) < read.ROWS_PER_FETCH:
                return
            after = found[-1][0]

    def keep_vectors(self, model: str, vectors: Sequence[tuple[int, bytes]]) -> None:
        """Keep derived vectors of versions that are still there; whoever was first keeps theirs."""
        with self._writing() as connection:
            for chunk in read.chunks(vectors, read.IDS_PER_STATEMENT_MAX):
                numbers = [version for version, _ in chunk]
                kept = set(
                    connection.execute(
                        select(t.version.c.id).where(
                            t.version.c.space == self._number,
                            t.version.c.id.in_(numbers),
                            t.version.c.salt.is_not(None),
                        )
                    ).scalars()
                )
                connection.execute(
                    delete(t.vector).where(
                        t.vector.c.space == self._number, t.vector.c.model == model, t.vector.c.version.in_(numbers)
                    )
                )
                rows = [
                    {"space": self._number, "model": model, "version": version, "vector": vector}
                    for version, vector in chunk
                    if version in kept
                ]
                if rows:
                    connection.execute(insert(t.vector), rows)

    def scrub(self) -> bool:
        """Remove the traces that blanked bytes leave: SQLite's write-ahead log, PostgreSQL's dead rows."""
        with translated(), self._engine.execution_options(isolation_level="AUTOCOMMIT").connect() as connection:
            if connection.dialect.name == "sqlite":
                busy = connection.exec_driver_sql("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
                return busy is not None and busy[0] == 0
            connection.exec_driver_sql("VACUUM (FULL) version")
            connection.exec_driver_sql("VACUUM (FULL) vector")
            return True

    def integrity(self) -> list[str]:
        """What SQLite itself finds wrong with its file. PostgreSQL checks its pages when it reads them."""
        if self._engine.dialect.name != "sqlite":
            return []
        with reading(self._engine, self._number) as connection:
            found = connection.exec_driver_sql("PRAGMA integrity_check(20)").scalars().all()
            faults = [line for line in found if line != "ok"]
            for table in (t.branch, t.commit, t.version, t.snapshot):
                # A file holds one space; a row of another one would be hidden from everybody.
                hidden = select(func.count()).select_from(table).where(table.c.space.is_distinct_from(self._number))
                if connection.execute(hidden).scalar_one():
                    faults.append(f"a row of {table.name} belongs to no space")
        return faults

    def close(self) -> None:
        """Let go of connections and files."""
        self._hot.close()
        self._engine.dispose()
