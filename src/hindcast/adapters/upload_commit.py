"""The repository behind files that were uploaded: each upload is a commit, made in a folder of its own.

The next upload takes the history of the one before along. Objects of git never change once they are written, so they
are linked and not copied.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import zlib
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import pygit2

from hindcast.adapters.workspace_git import keep_all

BRANCH = "main"
LEFT = "What was changed and not committed before the next upload"


def commit_folder(folder: Path, paths: Iterable[str], *, before: Path | None, by: str, message: str) -> str:
    """Make a repository of a folder, after what another one has; the new commit, or "" where nothing differs.

    What was changed in the other one and never committed is committed there first, so that nothing of it is lost.
    """
    last = ""
    if before is None:
        pygit2.init_repository(str(folder), initial_head=BRANCH)
    else:
        last = keep_all(before, message=LEFT, author="hindcast")
        shutil.copytree(before / ".git", folder / ".git", copy_function=_linked)
    for path in paths:
        _write_object(folder / ".git" / "objects", (folder / path).read_bytes())
    commit = keep_all(folder, message=message, author=by)
    return commit if commit != last else ""


def _write_object(objects: Path, content: bytes) -> None:
    """Write a file as git keeps it. Git would wait for the disk after each; whoever calls this waits once, for all."""
    whole = b"blob %d\0" % len(content) + content
    name = hashlib.sha1(whole, usedforsecurity=False).hexdigest()
    where = objects / name[:2] / name[2:]
    where.parent.mkdir(exist_ok=True)
    with suppress(FileExistsError), where.open("xb") as out:
        out.write(zlib.compress(whole, 1))
        where.chmod(0o444)


def _linked(source: str, target: str) -> None:
    if "/.git/objects/" in source:
        # Another disk, or one without links, gets a copy.
        with suppress(OSError):
            os.link(source, target)
            return
    shutil.copy2(source, target)
