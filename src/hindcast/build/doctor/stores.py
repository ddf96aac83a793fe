"""What is kept: memory and its schema, telemetry, the index beside history, and the model that reads texts."""

from __future__ import annotations

import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import orjson
from sqlalchemy import text

from hindcast.adapters.accounts_sql import FILE as ACCOUNTS_FILE
from hindcast.adapters.model_pack import default_pack, verify
from hindcast.adapters.store_sql import open_store
from hindcast.adapters.store_sql.engine import postgres_engine, sqlite_file
from hindcast.adapters.store_sql.faults import translated
from hindcast.build import index_folder
from hindcast.build.doctor.check import Check, fail, failed, ok, warn
from hindcast.config import Settings
from hindcast.model.errors import HindcastError, Missing
from hindcast.ports import Tip

# Reading a file whole takes a second for each few hundred megabytes; larger ones have a command of their own.
INTEGRITY_BYTES_MAX = 500_000_000
# The next search catches up with this many steps unnoticed.
BEHIND_STEPS_MAX = 10_000


@dataclass(frozen=True, slots=True)
class Memory:
    """What the store said of itself."""

    checks: tuple[Check, ...]
    # None where nothing was written yet, or the store does not answer.
    tip: Tip | None = None


def memory(settings: Settings, *, now: datetime) -> Memory:
    """Whether the store answers, has a schema we know, and its file is whole."""
    try:
        store = open_store(settings.store, settings.space, now=now, create=False)
    except Missing:
        found = f"Nothing was remembered in the space {settings.space!r} yet."
        return Memory((ok("store", found, "`hindcast demo seed` writes a year of history to try."),))
    except HindcastError as error:
        return Memory((failed("store", error),))
    try:
        tip = store.tip()
        checks = [ok("store", f"The memory of {settings.space!r} answers; it has {tip.seq:,} steps.")]
        is_large = not settings.is_postgres and _bytes(settings) > INTEGRITY_BYTES_MAX
        wrong = [] if is_large else store.integrity()
        if wrong:
            remedy = "Stop the server, keep the file aside, and restore a copy: see back-up-and-move-a-memory."
            checks.append(fail("integrity", f"The store is damaged: {wrong[0]}", remedy))
        elif is_large:
            checks.append(ok("integrity", "Too large to look through here.", "`hindcast memory verify` checks it all."))
        else:
            checks.append(ok("integrity", "The store is whole.", "`hindcast memory verify` also proves each commit."))
        return Memory(tuple(checks), tip)
    except HindcastError as error:
        return Memory((failed("store", error),))
    finally:
        store.close()


def accounts(settings: Settings) -> Check:
    """Whether the accounts are whole, and for their owner only. A folder without any has not served yet."""
    file = Path(settings.store) / ACCOUNTS_FILE
    if settings.is_postgres or not file.exists():
        return ok("accounts", "The accounts are in the database." if settings.is_postgres else "There are none yet.")
    if file.stat().st_mode & (stat.S_IRWXG | stat.S_IRWXO):
        return fail(
            "accounts", f"Others on this machine can read {file}: people, keys and the trail.", f"chmod 600 {file}"
        )
    try:
        # Read-only: looking at a damaged file must not change it.
        with closing(sqlite3.connect(f"{file.resolve().as_uri()}?mode=ro", uri=True)) as connection:
            found = [str(row[0]) for row in connection.execute("PRAGMA quick_check(1)")]
    except sqlite3.Error as error:
        found = [str(error)]
    if found != ["ok"]:
        remedy = "Stop the server, keep the file aside, and restore a copy: see back-up-and-move-a-memory."
        return fail("accounts", f"{file} is damaged: {found[0] if found else 'no answer'}", remedy)
    return ok("accounts", "The accounts are whole.", "`hindcast audit verify` also proves the trail.")


def _bytes(settings: Settings) -> int:
    file = sqlite_file(Path(settings.store), settings.space)
    return file.stat().st_size if file.exists() else 0


def server_time(settings: Settings) -> datetime | None:
    """PostgreSQL's own clock, where there is one that answers."""
    if not settings.is_postgres:
        return None
    engine = postgres_engine(settings.store.replace("postgres://", "postgresql://", 1))
    try:
        with translated(), engine.connect() as connection:
            found: datetime = connection.execute(text("SELECT clock_timestamp()")).scalar_one()
            return found
    except HindcastError:
        return None
    finally:
        engine.dispose()


def index(settings: Settings, tip: Tip | None) -> Check:
    """How far the index is behind history. It catches up by itself, so this is never broken."""
    if tip is None or not tip.seq:
        return ok("index", "There is nothing to index yet.")
    folder = index_folder(settings)
    try:
        _, seq, _ = orjson.loads((folder / "followed").read_bytes())
        behind = tip.seq - int(seq)
    except (OSError, ValueError, TypeError):
        return warn(
            "index", "There is no index yet; the first search makes one.", "`hindcast memory index` makes it now."
        )
    if behind < 0 or behind > BEHIND_STEPS_MAX:
        what = "is of another history" if behind < 0 else f"is {behind:,} steps behind"
        return warn("index", f"The index {what}.", "`hindcast memory index` brings it up to date now.")
    return ok("index", f"The index is {behind:,} steps behind, which the next search catches up with.")


def model(settings: Settings) -> Check:
    """Whether texts can be compared by meaning."""
    if settings.embed_url:
        return ok("model", f"Vectors come from {settings.embed_url}.")
    if settings.model == "none":
        return ok("model", "No model, as the settings want it: words, keys and traces only.")
    try:
        folder = Path(settings.model) if settings.model else default_pack()
        if folder is None:
            found = "No model pack is installed: recall works on words, keys and traces alone."
            return warn("model", found, "`hindcast models prepare` makes one.")
        return ok("model", f"The model pack {verify(folder).name} is sound.")
    except HindcastError as error:
        return failed("model", error)


def telemetry(settings: Settings, *, now: datetime) -> Iterator[Check]:
    """Whether the telemetry engine starts and answers. Only while no server holds it."""
    from hindcast.adapters.clock import WallClock
    from hindcast.adapters.telemetry_clickhouse import Retention, open_telemetry
    from hindcast.build.running import telemetry_address

    address = telemetry_address(settings)
    folder = Path(address.removeprefix("chdb://")) if address.startswith("chdb://") else None
    if folder is not None and not folder.exists():
        yield ok("telemetry", "No telemetry was taken in yet.")
        return
    days = settings.telemetry_days
    retention = Retention(log_days=days, metric_days=days, span_days=days)
    try:
        opened = open_telemetry(address, retention=retention, clock=WallClock())
        try:
            opened.alerts(None, now, now)
        finally:
            opened.close()
    except HindcastError as error:
        yield failed("telemetry", error)
        return
    yield ok("telemetry", "The telemetry engine answers.")
