"""Puts workspaces together: a memory, the folders of this machine, and what opens them. No server is needed."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Callable
from pathlib import Path

from platformdirs import user_data_path

from hindcast.adapters.grounds_local import Fetch, LocalGrounds
from hindcast.adapters.upload import UploadLimits
from hindcast.config import Settings
from hindcast.memory import Memory
from hindcast.model.access import HOME
from hindcast.model.errors import Missing
from hindcast.ports.code import Workspace
from hindcast.workspaces import Workspaces

# No space and no organisation can be called so: their names have no dot.
FOLDER = "workspaces.d"
UPLOAD_LIMITS = UploadLimits()


def open_workspaces(
    settings: Settings,
    memory: Callable[[str], Memory],
    existing: Callable[[str], Memory | None] | None = None,
) -> Workspaces:
    """The workspaces of all spaces. `existing` gives None where nothing was ever remembered; by default it asks."""

    def found(space: str) -> Memory | None:
        try:
            return memory(space)
        except Missing:
            return None

    grounds = LocalGrounds(
        workspaces_folder(settings),
        _opened,
        roots=workspace_roots(settings.workspace_roots),
        forbidden=() if settings.is_postgres else (Path(settings.store),),
        fetch=_fetch(settings),
        limits=UPLOAD_LIMITS,
    )
    return Workspaces(memory, existing or found, grounds, lock=threading.Lock)


def workspace_roots(listed: str) -> dict[str, list[Path]]:
    """The folders of each organisation; one that is listed without a name is for the projects of no organisation."""
    roots: dict[str, list[Path]] = {}
    for entry in (part.strip() for part in listed.split(",")):
        owner, equals, path = entry.partition("=")
        if equals and "/" not in owner:
            roots.setdefault(owner.strip(), []).append(Path(path.strip()))
        elif entry:
            roots.setdefault(HOME, []).append(Path(entry))
    return roots


def workspaces_folder(settings: Settings) -> Path:
    """Where our copies lie: beside the SQLite files, or in the user's data folder for PostgreSQL."""
    if not settings.is_postgres:
        return (Path(settings.store) / FOLDER).resolve()
    # Several servers may hold spaces of one name; the address keeps them apart without showing a password.
    server = hashlib.sha256(settings.store.encode()).hexdigest()[:16]
    return (user_data_path("hindcast") / FOLDER / server).resolve()


def _opened(root: Path) -> Workspace:
    # Imported here: most commands never look at code.
    from hindcast.adapters.workspace_git import open_workspace

    return open_workspace(root)


def _fetch(settings: Settings) -> Fetch | None:
    """What clones, where that is allowed. An address to clone came from outside: it is never taken at its word."""
    if settings.workspace_clones != "on":
        return None
    from hindcast.adapters.clone_git import Cloner
    from hindcast.adapters.outbound import Outbound

    return Cloner(Outbound.allowing(settings.outbound_allow))
