"""What is about to be done to a workspace, written down before it is done.

A plan holds the bytes of every file before and after. Once it is on the disk, whoever opens the workspace next can
finish it or take it back, wherever the one before was stopped.
"""

from __future__ import annotations

import os
import stat
from pathlib import Path

import msgspec

from hindcast.adapters.workspace_git.names import OWN_PREFIX, parts_of
from hindcast.adapters.workspace_git.rooted import WRITE_NEW
from hindcast.model.errors import Damaged, HindcastError

# More than the largest change that is let in, texts before and after included.
PLAN_BYTES_MAX = 200_000_000


class FileChange(msgspec.Struct, frozen=True):
    """One file before and after; None: it is not there."""

    path: str
    old: bytes | None
    new: bytes | None
    # Its permissions afterwards, as chmod takes them.
    mode: int


class RefChange(msgspec.Struct, frozen=True):
    """A branch and the commits it points to before and after; empty before: it is new."""

    name: str
    old: str
    new: str


class Staged(msgspec.Struct, frozen=True):
    """What the index is to hold for a file; an empty blob: nothing."""

    path: str
    blob: str
    mode: int


class Plan(msgspec.Struct, frozen=True):
    """Everything that one change does."""

    # Part of the name of everything it leaves lying until it is done.
    token: str
    files: tuple[FileChange, ...] = ()
    ref: RefChange | None = None
    staged: tuple[Staged, ...] = ()

    def waiting(self, number: int) -> str:
        """The name under which a file's new bytes lie beside it until they take its place."""
        return f"{OWN_PREFIX}{self.token}-{number}"


class Journal:
    """The plan that is under way, in a folder that nobody else writes to."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder = folder
        self._name = name

    def write(self, plan: Plan) -> None:
        """Note a plan; it counts from the moment this returns, and not at all before."""
        raw = msgspec.msgpack.encode(plan)
        opened = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            unfinished = f"{self._name}.new"
            self._remove(unfinished, opened)
            written = os.open(unfinished, WRITE_NEW, 0o600, dir_fd=opened)
            try:
                view = memoryview(raw)
                while view:
                    view = view[os.write(written, view) :]
                os.fsync(written)
            finally:
                os.close(written)
            os.rename(unfinished, self._name, src_dir_fd=opened, dst_dir_fd=opened)
            os.fsync(opened)
        finally:
            os.close(opened)

    def read(self) -> Plan | None:
        """The plan that was under way; None: there is none. Raises Damaged where it cannot be read."""
        place = self._folder / self._name
        try:
            opened = os.open(place, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
        except FileNotFoundError:
            return None
        except OSError as error:
            raise self._damaged(str(error)) from error
        try:
            found = os.fstat(opened)
            if not stat.S_ISREG(found.st_mode) or found.st_size > PLAN_BYTES_MAX:
                raise self._damaged("It is no file that Hindcast wrote.")
            with os.fdopen(opened, "rb", closefd=False) as file:
                plan = msgspec.msgpack.decode(file.read(), type=Plan)
            for change in plan.files:
                parts_of(change.path)
        except (msgspec.MsgspecError, HindcastError) as error:
            raise self._damaged(str(error)) from error
        finally:
            os.close(opened)
        return plan

    def remove(self) -> None:
        """The plan is done with."""
        opened = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            self._remove(self._name, opened)
            os.fsync(opened)
        finally:
            os.close(opened)

    def _remove(self, name: str, opened: int) -> None:
        try:
            os.unlink(name, dir_fd=opened)
        except FileNotFoundError:
            return

    def _damaged(self, why: str) -> Damaged:
        problem = f"The note of a change that was under way cannot be read: {why}"
        return Damaged(problem, remedy=f"Look at the files of the workspace, then remove {self._folder / self._name}.")
