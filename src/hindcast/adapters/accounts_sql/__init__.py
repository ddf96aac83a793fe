"""Accounts in SQL: one implementation over SQLite (one file beside the spaces) and PostgreSQL (beside their tables).

Who may do what is read at every request and changed rarely, so there is one write transaction at a time for all of it.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from sqlalchemy import ColumnElement, Connection, Engine, Table, delete, func, insert, select, text, update
from sqlalchemy.exc import IntegrityError

from hindcast.adapters.accounts_sql.revision import Revision
from hindcast.adapters.accounts_sql.tables import SHAPES, Shape, audit, audit_start, revision
from hindcast.adapters.store_sql.engine import (
    ACCOUNTS,
    LOCK_WAIT_MS_MAX,
    beginning,
    migrate,
    postgres_engine,
    sqlite_engine,
)
from hindcast.adapters.store_sql.faults import translated
from hindcast.adapters.store_sql.shape import microseconds
from hindcast.model.account import SESSION_AGE_MAX, SESSION_IDLE, Credential, Failures, Invitation, Session
from hindcast.model.audit import AUDIT_DAYS_KEPT, FIRST_DIGEST, AuditEntry, AuditFilter, sealed
from hindcast.model.errors import Stale, Unavailable
from hindcast.ports import A, Account, Ledger

# No space can be called this: names of spaces do not begin with a dot.
FILE = ".accounts.db"
# Any number that nobody else uses for an advisory lock of PostgreSQL: "accounts" on a phone's keys.
WRITE_LOCK = 22_268_687
# Nobody waits longer than this for guessing wrong, so nothing older makes a difference.
FAILURES_KEPT = timedelta(days=1)


def open_accounts_store(where: str | Path) -> SqlAccounts:
    """Open the accounts of a store: a folder of SQLite files, or the PostgreSQL server at an address."""
    if isinstance(where, str) and where.startswith(("postgresql://", "postgres://", "postgresql+psycopg://")):
        engine = postgres_engine(where.replace("postgres://", "postgresql://", 1))
    else:
        file = Path(where) / FILE
        _make_private(file)
        engine = sqlite_engine(file, create=True)
    migrate(engine, ACCOUNTS)
    return SqlAccounts(engine)


def _make_private(file: Path) -> None:
    """Make the file before SQLite does, so that nobody else can read it at any moment; its logs take after it."""
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        os.close(os.open(file, os.O_CREAT | os.O_RDWR, 0o600))
    except OSError as error:
        raise Unavailable(f"{file} cannot be opened: {error}.", remedy="Check the folder and your rights.") from error


class SqlAccounts:
    """See `ports.Accounts` for what each verb promises."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        # Writers of one process queue here and not inside the pool, where they would hold connections.
        self._turn = threading.Lock()
        self._revision = Revision(engine)

    def get(self, kind: type[A], *key: str) -> A | None:
        """One value by its key."""
        with translated(), self._engine.connect() as connection:
            return _get(connection, kind, key)

    def find(self, kind: type[A], **equal: str) -> tuple[A, ...]:
        """Values of a kind whose fields have these values."""
        with translated(), self._engine.connect() as connection:
            return _find(connection, kind, equal)

    def revision(self) -> int:
        """A number that grows with every change."""
        return self._revision.read()

    @contextmanager
    def write(self) -> Iterator[Ledger]:
        """Begin the only write transaction."""
        if not self._turn.acquire(timeout=LOCK_WAIT_MS_MAX / 1000):
            raise Unavailable("The accounts are locked by another writer.", remedy="Try again.")
        try:
            with translated(), beginning(self._engine) as connection:
                if connection.dialect.name != "sqlite":
                    wait = {"wait": str(LOCK_WAIT_MS_MAX)}
                    connection.execute(text("SELECT set_config('lock_timeout', :wait, true)"), wait)
                    connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": WRITE_LOCK})
                yield SqlLedger(connection)
        finally:
            self._turn.release()

    def trails(self) -> tuple[str, ...]:
        """The organisations that have an audit trail."""
        with translated(), self._engine.connect() as connection:
            kept = connection.execute(select(audit.c.organisation).distinct()).scalars().all()
            begun = connection.execute(select(audit_start.c.organisation)).scalars().all()
        return tuple(sorted({*kept, *begun}))

    def trail_start(self, organisation: str) -> tuple[int, str]:
        """The number and digest of the last entry that is no longer kept."""
        with translated(), self._engine.connect() as connection:
            return _start(connection, organisation)

    def entries(self, organisation: str, wanted: AuditFilter) -> tuple[AuditEntry, ...]:
        """Entries of one trail."""
        if not _is_text(organisation, wanted.actor, wanted.space, wanted.what, wanted.outcome):
            return ()
        query = select(audit).where(audit.c.organisation == organisation)
        if wanted.before:
            query = query.where(audit.c.seq < wanted.before)
        if wanted.after:
            query = query.where(audit.c.seq > wanted.after)
        if wanted.since is not None:
            query = query.where(func.coalesce(audit.c.until, audit.c.at) >= microseconds(wanted.since))
        if wanted.until is not None:
            query = query.where(audit.c.at < microseconds(wanted.until))
        for column, equal in ((audit.c.actor, wanted.actor), (audit.c.space, wanted.space)):
            if equal:
                query = query.where(column == equal)
        if wanted.outcome:
            query = query.where(audit.c.outcome == wanted.outcome)
        if wanted.what:
            query = query.where(audit.c.what.contains(wanted.what, autoescape=True))
        order = audit.c.seq.asc() if wanted.is_oldest_first else audit.c.seq.desc()
        with translated(), self._engine.connect() as connection:
            rows = connection.execute(query.order_by(order).limit(wanted.entries_max)).mappings().all()
        return tuple(SHAPES[AuditEntry].value(row) for row in rows)

    def prune(self, *, now: datetime) -> None:
        """Let go of what ended and of what is older than what is kept."""
        sessions, invitations, failures = (SHAPES[kind].table for kind in (Session, Invitation, Failures))
        idle, aged = microseconds(now - SESSION_IDLE), microseconds(now - SESSION_AGE_MAX)
        with self.write() as ledger:
            assert isinstance(ledger, SqlLedger)
            _end_all(ledger.connection, sessions, (sessions.c.last_seen_at < idle) | (sessions.c.created_at < aged))
            _end_all(ledger.connection, invitations, invitations.c.expires_at < microseconds(now))
            old = failures.c.last_at < microseconds(now - FAILURES_KEPT)
            ledger.connection.execute(delete(failures).where(old))
            _shorten(ledger.connection, microseconds(now - timedelta(days=AUDIT_DAYS_KEPT)))

    def close(self) -> None:
        """Let go of connections and files."""
        self._revision.close()
        self._engine.dispose()


class SqlLedger:
    """See `ports.Ledger`."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection

    def get(self, kind: type[A], *key: str) -> A | None:
        """One value as it is now."""
        return _get(self.connection, kind, key)

    def find(self, kind: type[A], **equal: str) -> tuple[A, ...]:
        """Values of a kind whose fields have these values."""
        return _find(self.connection, kind, equal)

    def put(self, *values: Account) -> None:
        """Add or replace values."""
        self.touch(*values)
        self._grow()

    def touch(self, *values: Account) -> None:
        """Add or replace values that decide nothing."""
        for value in values:
            shape = SHAPES[type(value)]
            row = shape.row(value)
            columns, names = ", ".join(row), ", ".join(f":{name}" for name in row)
            changes = ", ".join(f"{name} = excluded.{name}" for name in row if name not in shape.keys)
            statement = (
                f"INSERT INTO {shape.table.name} ({columns}) VALUES ({names})"
                f" ON CONFLICT ({', '.join(shape.keys)}) DO UPDATE SET {changes}"
            )
            try:
                self.connection.execute(text(statement), row)
            except IntegrityError as error:
                raise Stale(
                    f"Somebody else has just made this {shape.table.name}.", remedy="Look at what is there, then retry."
                ) from error

    def remove(self, *values: Account) -> None:
        """Take values away."""
        for value in values:
            shape = SHAPES[type(value)]
            self.connection.execute(delete(shape.table).where(*_conditions(shape, shape.key(value))))
        self._grow()

    def append(self, *entries: AuditEntry) -> None:
        """Seal entries to the ends of their trails."""
        ends: dict[str, tuple[int, str]] = {}
        rows = []
        for entry in entries:
            seq, digest = ends.get(entry.organisation) or _end(self.connection, entry.organisation)
            made = sealed(entry, seq=seq + 1, previous=digest)
            ends[entry.organisation] = (made.seq, made.digest)
            rows.append(SHAPES[AuditEntry].row(made))
        if rows:
            self.connection.execute(insert(audit), rows)

    def _grow(self) -> None:
        self.connection.execute(update(revision).values(number=revision.c.number + 1))


def _get(connection: Connection, kind: type[A], key: tuple[str, ...]) -> A | None:
    shape = SHAPES[kind]
    assert len(key) == len(shape.keys), f"{kind.__name__} has the key {shape.keys}"
    if not _is_text(*key):
        return None
    found = connection.execute(
        select(shape.table).where(*_conditions(shape, dict(zip(shape.keys, key, strict=True))))
    ).mappings().first()  # fmt: skip
    return None if found is None else shape.value(found)


def _find(connection: Connection, kind: type[A], equal: dict[str, str]) -> tuple[A, ...]:
    shape = SHAPES[kind]
    if not _is_text(*equal.values()):
        return ()
    query = select(shape.table).where(*_conditions(shape, equal))
    values = [shape.value(row) for row in connection.execute(query).mappings()]
    # Sorted here: engines disagree about the order of letters and signs.
    return tuple(sorted(values, key=lambda value: tuple(shape.key(value).values())))


def _is_text(*given: str) -> bool:
    """Whether an engine could hold these at all. What callers make up is looked for, and need not be text."""
    return not any(char == "\0" or "\ud800" <= char <= "\udfff" for one in given for char in one)


def _conditions(shape: Shape, equal: dict[str, Any]) -> list[Any]:
    return [shape.table.c[name] == value for name, value in equal.items()]


def _start(connection: Connection, organisation: str) -> tuple[int, str]:
    query = select(audit_start.c.seq, audit_start.c.digest).where(audit_start.c.organisation == organisation)
    found = connection.execute(query).first()
    return (int(found[0]), str(found[1])) if found is not None else (0, FIRST_DIGEST)


def _end(connection: Connection, organisation: str) -> tuple[int, str]:
    query = select(audit.c.seq, audit.c.digest).where(audit.c.organisation == organisation)
    found = connection.execute(query.order_by(audit.c.seq.desc()).limit(1)).first()
    return (int(found[0]), str(found[1])) if found is not None else _start(connection, organisation)


def _end_all(connection: Connection, table: Table, condition: ColumnElement[bool]) -> None:
    """Take away sessions or invitations, and what proved them."""
    owners = [f"{table.name} {one}" for one in connection.execute(select(table.c.id).where(condition)).scalars()]
    credentials = SHAPES[Credential].table
    for owner in owners:
        connection.execute(delete(credentials).where(credentials.c.owner == owner))
    connection.execute(delete(table).where(condition))


def _shorten(connection: Connection, before_us: int) -> None:
    """Take entries from the front of each trail, up to the first that is still kept."""
    for organisation in connection.execute(select(audit.c.organisation).distinct()).scalars().all():
        mine = audit.c.organisation == organisation
        first_kept = connection.execute(select(func.min(audit.c.seq)).where(mine, audit.c.at >= before_us)).scalar()
        old = [mine, audit.c.at < before_us, *([audit.c.seq < first_kept] if first_kept is not None else [])]
        last = connection.execute(
            select(audit.c.seq, audit.c.digest).where(*old).order_by(audit.c.seq.desc()).limit(1)
        ).first()
        if last is None:
            continue
        connection.execute(delete(audit).where(mine, audit.c.seq <= last[0]))
        connection.execute(delete(audit_start).where(audit_start.c.organisation == organisation))
        connection.execute(insert(audit_start).values(organisation=organisation, seq=last[0], digest=last[1]))
