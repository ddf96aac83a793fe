"""Files take their new bytes, each in one step; and get the old ones back where not all of them could."""

from __future__ import annotations

import errno
import os
from collections.abc import Sequence
from contextlib import suppress
from enum import StrEnum
from pathlib import Path

from hindcast.adapters.workspace_git.names import parts_of, shown
from hindcast.adapters.workspace_git.plan import FileChange, Plan
from hindcast.adapters.workspace_git.rooted import folder, read_in, refusal, write_new
from hindcast.model.errors import HindcastError, Missing, Refused, Stale, Unavailable

# Of any file that can be part of a change; larger ones are not let in.
BYTES_MAX = 20_000_000


class Standing(StrEnum):
    """Where a file of a plan stands."""

    OLD = "old"
    NEW = "new"
    # Somebody else changed it since.
    OTHER = "other"


class Unsettled(Unavailable):
    """A change could neither be made nor taken back; the note of it stays, and the next one settles it."""


def standing(root: Path, change: FileChange) -> Standing:
    """Where a file stands: as it was before, as it is to be, or neither."""
    try:
        now = _bytes(root, change.path)
    except HindcastError:
        return Standing.OTHER
    if now == change.new:
        return Standing.NEW
    return Standing.OLD if now == change.old else Standing.OTHER


def _bytes(root: Path, path: str) -> bytes | None:
    names = parts_of(path)
    try:
        with folder(root, names[:-1]) as parent:
            return read_in(parent, names[-1], path, bytes_max=BYTES_MAX).raw
    except Missing:
        return None


def make(root: Path, plan: Plan) -> None:
    """Make every change of a plan, or raise with every file as it was. Raises Stale where one is not as expected."""
    done: list[FileChange] = []
    try:
        # All bytes are on the disk before the first file changes: a full disk is met here.
        for number, change in enumerate(plan.files):
            _lay(root, change, change.new, plan.waiting(number))
        for number, change in enumerate(plan.files):
            _swap(root, change, plan.waiting(number))
            done.append(change)
    except (HindcastError, OSError):
        clear(root, plan)
        unmake(root, plan, done)
        raise


def finish(root: Path, plan: Plan) -> None:
    """Make what is still to be made of a plan that was interrupted."""
    clear(root, plan)
    for number, change in enumerate(plan.files):
        if standing(root, change) is Standing.OLD:
            _lay(root, change, change.new, plan.waiting(number))
            _swap(root, change, plan.waiting(number))


def unmake(root: Path, plan: Plan, done: Sequence[FileChange]) -> None:
    """Give files their old bytes back; one that somebody changed since is left alone. Raises Unsettled."""
    for change in reversed(done):
        if standing(root, change) is not Standing.NEW:
            continue
        waiting = plan.waiting(plan.files.index(change))
        back = FileChange(change.path, change.new, change.old, change.mode)
        try:
            _lay(root, back, back.new, waiting)
            _swap(root, back, waiting)
        except (HindcastError, OSError) as error:
            problem = f"A change was made in part, and {shown(change.path)} could not be brought back: {error}"
            remedy = "See that the folder is writable and the disk has room; then open the workspace again."
            raise Unsettled(problem, remedy=remedy) from error


def clear(root: Path, plan: Plan) -> None:
    """Remove what waits beside the files of a plan."""
    for number, change in enumerate(plan.files):
        names = parts_of(change.path)
        with suppress(HindcastError), folder(root, names[:-1]) as parent, suppress(FileNotFoundError):
            os.unlink(plan.waiting(number), dir_fd=parent)
        if change.old is None:
            # The folders that were made for it, as far as nothing is in them.
            _prune(root, names[:-1])


def _lay(root: Path, change: FileChange, raw: bytes | None, waiting: str) -> None:
    """Lay a file's new bytes beside it."""
    if raw is None:
        return
    names = parts_of(change.path)
    with folder(root, names[:-1], is_made=True) as parent:
        try:
            write_new(parent, waiting, raw, mode=change.mode, owner=_owner(parent, names[-1]))
        except OSError as error:
            raise refusal(error, parent, names[-1], change.path) from error


def _owner(parent: int, name: str) -> tuple[int, int]:
    """Whom a file is to belong to: as the old one does, or its folder. A server may run as somebody else."""
    try:
        found = os.stat(name, dir_fd=parent, follow_symlinks=False)
    except FileNotFoundError:
        found = os.fstat(parent)
    return found.st_uid, found.st_gid


def _swap(root: Path, change: FileChange, waiting: str) -> None:
    """Let what waits take a file's place, if the file is still what it was a moment ago."""
    names = parts_of(change.path)
    name = names[-1]
    with folder(root, names[:-1]) as parent:
        try:
            now: bytes | None = read_in(parent, name, change.path, bytes_max=BYTES_MAX).raw
        except Missing:
            now = None
        if now != change.old:
            raise changed_meanwhile(change.path)
        try:
            if change.new is None:
                os.unlink(name, dir_fd=parent)
            elif change.old is None:
                _place_new(parent, waiting, name)
            else:
                os.rename(waiting, name, src_dir_fd=parent, dst_dir_fd=parent)
            os.fsync(parent)
        except FileExistsError as error:
            raise changed_meanwhile(change.path) from error
        except OSError as error:
            raise refusal(error, parent, name, change.path) from error
    if change.new is None:
        _prune(root, names[:-1])


def _place_new(parent: int, waiting: str, name: str) -> None:
    """Give what waits its name. Raises FileExistsError where something of that name has come up meanwhile."""
    try:
        os.link(waiting, name, src_dir_fd=parent, dst_dir_fd=parent, follow_symlinks=False)
    except OSError as error:
        if error.errno not in (errno.EPERM, errno.EOPNOTSUPP, errno.ENOSYS):
            raise
        # A file system without second names; that nothing is there was seen a moment ago.
        os.rename(waiting, name, src_dir_fd=parent, dst_dir_fd=parent)
    else:
        os.unlink(waiting, dir_fd=parent)


def _prune(root: Path, names: Sequence[str]) -> None:
    """Remove folders that have become empty, as a repository has none."""
    while names:
        with suppress(HindcastError), folder(root, names[:-1]) as parent:
            try:
                os.rmdir(names[-1], dir_fd=parent)
            except OSError:
                return
        names = names[:-1]


def changed_meanwhile(path: str) -> Stale:
    """Why a change is not made: the file is not the one it was made for."""
    problem = f"{shown(path)} is not what this change was made for."
    return Stale(problem, field="path", remedy="Read it again, or have the card checked again.")


def check_writable(parent: int, name: str, path: str, mode: int | None) -> None:
    """Raise Refused where a file, or the folder that would hold it, is read-only."""
    remedy = "Make it writable first, if it should be changed."
    if mode is not None and (not mode & 0o222 or not os.access(name, os.W_OK, dir_fd=parent)):
        raise Refused(f"{shown(path)} is read-only.", field="path", remedy=remedy)
    if not os.access(".", os.W_OK | os.X_OK, dir_fd=parent):
        raise Refused(f"The folder of {shown(path)} is read-only.", field="path", remedy=remedy)
