"""Writes the demo's project to disk, as the repository that its team would have."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

import pygit2

from hindcast.model.errors import Refused
from hindcast.simulate.shop import commits

BRANCH = "main"
_MAIL = "shop.example"


def write_shop(folder: Path, *, now: datetime) -> None:
    """Write the payment service with its history as a folder that is not there yet, whole or not at all.

    Raises Refused where there is something already: whatever it is, it is not ours.
    """
    if folder.exists():
        raise Refused(f"There is a {folder} already.", field="folder", remedy="Name a folder that is not there yet.")
    part = folder.with_name(f".{folder.name}.part")
    # Left by somebody who was in a hurry.
    shutil.rmtree(part, ignore_errors=True)
    repository = pygit2.init_repository(str(part), initial_head=BRANCH)
    # Lines end as the repository has them, whatever this machine is set to.
    repository.config["core.autocrlf"] = "false"
    parents: list[pygit2.Oid] = []
    for one in commits(now=now):
        who = pygit2.Signature(one.by, f"{one.by}@{_MAIL}", int(one.at.timestamp()), _minutes_of_zone(one.at))
        tree = _tree(repository, one.files)
        parents = [repository.create_commit(f"refs/heads/{BRANCH}", who, who, f"{one.subject}\n", tree, parents)]
    repository.checkout_head(strategy=pygit2.enums.CheckoutStrategy.FORCE)  # type: ignore[no-untyped-call]
    repository.free()
    part.rename(folder)


def _tree(repository: pygit2.Repository, files: Mapping[str, str]) -> pygit2.Oid:
    index = pygit2.Index()
    for path, text in sorted(files.items()):
        blob = repository.create_blob(text.encode())
        index.add(pygit2.IndexEntry(path, blob, pygit2.enums.FileMode.BLOB))
    return index.write_tree(repository)


def _minutes_of_zone(at: datetime) -> int:
    offset = at.utcoffset()
    return 0 if offset is None else round(offset.total_seconds() / 60)
