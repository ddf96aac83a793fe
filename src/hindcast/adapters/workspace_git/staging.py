"""The index of a repository, changed in one step, with the times of files in it that save git from reading them."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

import pygit2
from pygit2.enums import FileMode

from hindcast.adapters.workspace_git.committing import cleaned, locked
from hindcast.adapters.workspace_git.index_file import doubtful, stamped
from hindcast.adapters.workspace_git.names import OWN_PREFIX, parts_of
from hindcast.adapters.workspace_git.plan import Plan
from hindcast.adapters.workspace_git.rooted import folder, read
from hindcast.model.errors import HindcastError

FILE_BYTES_MAX = 100_000_000
# No clock of a file system that matters here moves in longer steps; where one does, git reads files once more.
TICK_SECONDS_MAX = 0.05


class IndexLock:
    """The index with some files changed in it, ready to take its place; nobody else can write it meanwhile.

    git's lock is a file beside the index. Ours is a second name of the file that was made ready, which is how one that
    was left lying is known to be ours.
    """

    def __init__(self, git_folder: Path, plan: Plan) -> None:
        self._index = git_folder / "index"
        self._lock = git_folder / "index.lock"
        self._ready = git_folder / f"{OWN_PREFIX}{plan.token}-index"
        self._staged = plan.staged

    def take(self) -> None:
        """Make the new index ready and lock. Raises Busy while another git writes it."""
        self.release()
        raw = self._index.read_bytes() if self._index.exists() else b""
        if raw:
            self._ready.write_bytes(raw)
        index = pygit2.Index(str(self._ready))
        for one in self._staged:
            if one.blob:
                index.add(pygit2.IndexEntry(one.path, pygit2.Oid(hex=one.blob), FileMode(one.mode)))
            elif one.path in index:
                index.remove(one.path)
        index.write()
        with self._ready.open("rb") as written:
            os.fsync(written.fileno())
        try:
            os.link(self._ready, self._lock)
        except FileExistsError as error:
            self.release()
            raise locked("the index") from error
        if (self._index.read_bytes() if self._index.exists() else b"") != raw:
            self.release()
            raise locked("the index")

    def put(self, repo: pygit2.Repository, root: Path) -> None:
        """Let the new index take its place, with the times of the files as they lie there."""
        raw = self._ready.read_bytes()
        # The younger index would hide what changed in the same instant as the old one was written.
        files = doubtful(raw, written_at_ns=self._written_at_ns())
        files |= {one.path: one.blob for one in self._staged if one.blob}
        raw = stamped(raw, self._stamps(repo, root, files))
        # Into the very file that is the lock.
        with self._ready.open("r+b") as ready:
            ready.write(raw)
            os.fsync(ready.fileno())
        self._lock.rename(self._index)
        self._ready.unlink(missing_ok=True)

    def _stamps(
        self, repo: pygit2.Repository, root: Path, files: Mapping[str, str]
    ) -> dict[str, os.stat_result | None]:
        """What the system tells about files whose contents are those of an id; None for the others.

        A file that changes later within the same step of the clock would have the same time. So the clock has to have
        moved on from the youngest of them before they are looked at, and what is as young as that look is left out.
        """
        youngest = max((_time_of(root, path) for path in files), default=0)
        deadline = time.monotonic() + TICK_SECONDS_MAX
        while (now := self._clock()) <= youngest and time.monotonic() < deadline:
            time.sleep(0.001)
        found: dict[str, os.stat_result | None] = dict.fromkeys(files)
        for path, blob in files.items():
            with suppress(HindcastError):
                there = read(root, parts_of(path), bytes_max=FILE_BYTES_MAX)
                is_same = str(pygit2.hash(cleaned(repo, path, there.raw))) == blob
                if there.stat is not None and there.stat.st_mtime_ns < now and is_same:
                    found[path] = there.stat
        return found

    def _written_at_ns(self) -> int:
        """When the index that is replaced was written."""
        try:
            return self._index.stat().st_mtime_ns
        except FileNotFoundError:
            return 0

    def _clock(self) -> int:
        """The time that a file gets that is written now."""
        os.utime(self._ready)
        return self._ready.stat().st_mtime_ns

    def release(self) -> None:
        """Let go, if the lock is ours; the index stays as it was."""
        with suppress(FileNotFoundError):
            if self._lock.samefile(self._ready):
                self._lock.unlink()
        for left in (self._ready, self._ready.with_name(f"{self._ready.name}.lock")):
            with suppress(FileNotFoundError):
                left.unlink()


def _time_of(root: Path, path: str) -> int:
    names = parts_of(path)
    with suppress(HindcastError, OSError), folder(root, names[:-1]) as parent:
        return os.stat(names[-1], dir_fd=parent, follow_symlinks=False).st_mtime_ns
    return 0
