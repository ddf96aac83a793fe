"""The doctor: looks at everything a Hindcast needs, changes nothing, and says what to do.

It works while a server runs. The telemetry engine belongs to one process, so then the server is asked in its place.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

from hindcast.build import index_folder
from hindcast.build.doctor import machine, posture, stores
from hindcast.build.doctor.check import Check, Level, ok
from hindcast.config import Settings
from hindcast.config.reading import ReadSettings

__all__ = ["Check", "Level", "examine"]


def examine(found: ReadSettings[Settings], *, now: datetime) -> Iterator[Check]:
    """Every check, in the order in which somebody would look."""
    settings = found.settings
    yield from posture.configuration(found)
    yield from posture.access(settings)
    answering = posture.answering(settings)
    yield from posture.server(settings, answering)
    yield from posture.muted(settings, answering)
    remembered = stores.memory(settings, now=now)
    yield from remembered.checks
    yield stores.accounts(settings)
    if not answering.is_hindcast:
        yield from stores.telemetry(settings, now=now)
    elif all(is_ok for name, is_ok, _ in answering.checks if name == "telemetry"):
        yield ok("telemetry", "The server holds the telemetry engine, and says that it answers.")
    yield stores.index(settings, remembered.tip)
    yield stores.model(settings)
    newest = remembered.tip.at if remembered.tip is not None else None
    yield from machine.clock(newest, now, stores.server_time(settings))
    folder = Path(settings.store)
    folders = [index_folder(settings)] if settings.is_postgres else [folder, index_folder(settings)]
    yield from machine.disks(folders)
    if not settings.is_postgres:
        yield from machine.permissions(folder, found.file)
    yield machine.open_files()
    yield machine.memory()
    yield _backup(settings)


def _backup(settings: Settings) -> Check:
    how = "pg_dump of the database" if settings.is_postgres else "`hindcast memory export`"
    return ok(
        "backup", f"Memory is backed up by {how}; telemetry and indexes need none.", "See back-up-and-move-a-memory."
    )
