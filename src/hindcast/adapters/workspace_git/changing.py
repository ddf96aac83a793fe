"""From edits to a plan, and from a plan to a changed workspace: all of it, or nothing.

The order is: the plan is noted, the index is locked, files take their new bytes, the branch moves, the index takes its
place, the note goes. Whoever finds a note finishes what it says; where somebody has changed one of its files since,
the others get their old bytes back and that one is left alone.
"""

from __future__ import annotations

import fcntl
import secrets
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pygit2

from hindcast.adapters.workspace_git.committing import move, target_of, unlock
from hindcast.adapters.workspace_git.names import OWN_PREFIX
from hindcast.adapters.workspace_git.plan import Journal, Plan
from hindcast.adapters.workspace_git.repositories import Repositories
from hindcast.adapters.workspace_git.rooted import folder
from hindcast.adapters.workspace_git.staging import IndexLock
from hindcast.adapters.workspace_git.swapping import Standing, Unsettled, clear, finish, make, standing, unmake
from hindcast.model.errors import Busy, HindcastError, Unavailable

LOCK_SECONDS_MAX = 10.0


def new_token() -> str:
    """A token that no other plan has."""
    return secrets.token_hex(8)


class Changer:
    """Makes changes to one workspace, one at a time, whichever thread or process asks."""

    def __init__(self, root: Path, repos: Repositories | None) -> None:
        self._root = root
        self._repos = repos
        self._threads = threading.Lock()
        if repos is None:
            self._journal = Journal(root, f"{OWN_PREFIX}journal")
        else:
            self._journal = Journal(repos.git_folder, "hindcast-journal")

    @contextmanager
    def alone(self) -> Iterator[None]:
        """For as long as the block runs nobody else changes the workspace; what was interrupted is settled before."""
        with self._threads, folder(self._root, ()) as opened:
            self._lock(opened)
            # The lock goes with the folder's handle, and with the process.
            self._settle()
            yield

    def recover(self) -> None:
        """Settle what was interrupted, if anything was."""
        if self._journal.read() is not None:
            with self.alone():
                pass

    def perform(self, plan: Plan) -> None:
        """Do what a plan says, or raise with everything as it was. Call it alone."""
        try:
            self._journal.write(plan)
        except OSError as error:
            remedy = "Make the folder writable and see that the disk has room."
            raise Unavailable(f"The change cannot be noted: {error.strerror}.", remedy=remedy) from error
        index = IndexLock(self._git_folder(), plan) if plan.staged else None
        try:
            if index is not None:
                index.take()
            make(self._root, plan)
            try:
                self._move(plan)
            except (HindcastError, pygit2.GitError):
                unmake(self._root, plan, plan.files)
                raise
        except Unsettled:
            raise
        except (HindcastError, OSError, pygit2.GitError):
            if index is not None:
                index.release()
            self._journal.remove()
            raise
        if index is not None:
            self._put(index)
        self._journal.remove()

    def _move(self, plan: Plan) -> None:
        if plan.ref is not None:
            assert self._repos is not None
            with self._repos.one() as repo:
                move(repo, plan.ref)

    def _put(self, index: IndexLock) -> None:
        assert self._repos is not None
        with self._repos.one() as repo:
            index.put(repo, self._root)

    def _git_folder(self) -> Path:
        assert self._repos is not None
        return self._repos.git_folder

    def _lock(self, opened: int) -> None:
        deadline = time.monotonic() + LOCK_SECONDS_MAX
        while True:
            try:
                fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                if time.monotonic() > deadline:
                    problem = "Another process of Hindcast is changing this workspace."
                    raise Busy(problem, remedy="Try again in a moment.", retry_after_seconds=1) from None
                time.sleep(0.01)
            else:
                return

    def _settle(self) -> None:
        """Finish what was interrupted, or take it back."""
        plan = self._journal.read()
        if plan is None:
            return
        clear(self._root, plan)
        if plan.ref is not None:
            unlock(self._git_folder(), plan.ref)
        if plan.staged:
            IndexLock(self._git_folder(), plan).release()
        if not self._is_moved(plan):
            stand = {standing(self._root, change) for change in plan.files}
            # Where none is as it was before, all were made, and somebody went on from there.
            is_disturbed = {Standing.OLD, Standing.OTHER} <= stand
            if is_disturbed or not self._can_move(plan):
                unmake(self._root, plan, plan.files)
                self._journal.remove()
                return
            finish(self._root, plan)
            self._move(plan)
        if plan.staged:
            index = IndexLock(self._git_folder(), plan)
            index.take()
            self._put(index)
        self._journal.remove()

    def _is_moved(self, plan: Plan) -> bool:
        """Whether the branch has the commit of a plan: then its files were all changed, too."""
        if plan.ref is None:
            return False
        assert self._repos is not None
        with self._repos.one() as repo:
            there = target_of(repo, plan.ref.name)
            if not there:
                return False
            return there == plan.ref.new or repo.descendant_of(there, plan.ref.new)

    def _can_move(self, plan: Plan) -> bool:
        if plan.ref is None:
            return True
        assert self._repos is not None
        with self._repos.one() as repo:
            return target_of(repo, plan.ref.name) == plan.ref.old
