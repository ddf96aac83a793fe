"""A repository on disk, handed out to one thread at a time.

libgit2 runs no hook, no external filter and no program that a repository's configuration names; what it reads of the
configuration (line ends, what is ignored, who somebody is) only changes how files are compared.

A handle is used by one thread at once. Threads that ask at the same time get handles of their own; the files of the
repository are what they share.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pygit2
from pygit2.enums import Option, RepositoryOpenFlag, RepositoryState

from hindcast.adapters.workspace_git.names import is_listed
from hindcast.model.errors import Refused, Unavailable
from hindcast.ports import WorkspaceState

HANDLES_IDLE_MAX = 4

_BUSY_WITH = {
    RepositoryState.MERGE: "a merge",
    RepositoryState.REVERT: "a revert",
    RepositoryState.REVERT_SEQUENCE: "a revert",
    RepositoryState.CHERRYPICK: "a cherry-pick",
    RepositoryState.CHERRYPICK_SEQUENCE: "a cherry-pick",
    RepositoryState.BISECT: "a bisection",
    RepositoryState.REBASE: "a rebase",
    RepositoryState.REBASE_INTERACTIVE: "a rebase",
    RepositoryState.REBASE_MERGE: "a rebase",
    RepositoryState.APPLY_MAILBOX: "patches from a mailbox",
    RepositoryState.APPLY_MAILBOX_OR_REBASE: "a rebase",
}


class Repositories:
    """The handles of one repository."""

    def __init__(self, root: Path) -> None:
        # What is acknowledged is on the disk.
        pygit2.option(Option.ENABLE_FSYNC_GITDIR, True)
        self._root = root
        self._idle: deque[pygit2.Repository] = deque(maxlen=HANDLES_IDLE_MAX)
        with self.one() as repo:
            _check(repo, root)
            self.git_folder = Path(str(repo.path))

    @contextmanager
    def one(self) -> Iterator[pygit2.Repository]:
        """A handle of one's own, for as long as the block runs. Raises Refused or Unavailable for git's failures."""
        try:
            repo = self._idle.pop()
        except IndexError:
            repo = open_repository(self._root)
        try:
            yield repo
        except pygit2.GitError as error:
            raise refusal(error, self._root) from error
        finally:
            self._idle.append(repo)

    def close(self) -> None:
        """Let go of every handle that is idle."""
        self._idle.clear()


def open_repository(root: Path) -> pygit2.Repository:
    """A new handle of the repository at a folder, not of one above it."""
    try:
        return pygit2.Repository(str(root), RepositoryOpenFlag.NO_SEARCH)
    except pygit2.GitError as error:
        raise refusal(error, root) from error


def refusal(error: pygit2.GitError, root: Path) -> Refused | Unavailable:
    """What a failure of git means to whoever asked."""
    said = str(error)
    if "not owned by" in said:
        remedy = f"Let its owner run Hindcast, or trust it: git config --global --add safe.directory '{root}'"
        return Refused(f"The repository {root} belongs to somebody else.", remedy=remedy)
    if "extension" in said:
        remedy = "Run `git update-index --no-split-index` or `git sparse-checkout reapply --no-sparse-index` in it."
        return Refused(f"The repository {root} is of a kind that cannot be read: {said}.", remedy=remedy)
    remedy = "Run `git fsck` and `git status` in it; try again when they are content."
    return Unavailable(f"The repository {root} gave no answer: {said}.", remedy=remedy)


def _check(repo: pygit2.Repository, root: Path) -> None:
    """Raises Refused for a repository whose files are not those below the root."""
    if repo.is_bare or repo.workdir is None:
        remedy = "Clone it, and register the clone."
        raise Refused(f"{root} is a bare repository, without files that are checked out.", remedy=remedy)
    if not Path(repo.workdir).samefile(root):
        remedy = "Register that folder, or take core.worktree out of its configuration."
        raise Refused(f"The repository {root} has its files elsewhere: {repo.workdir}.", remedy=remedy)


def busy_with(repo: pygit2.Repository) -> str:
    """What is under way in a repository; empty: nothing."""
    # What a newer git may have under way is something under way as well.
    state = repo.state()
    if state != RepositoryState.NONE:
        return _BUSY_WITH.get(state, "something that git has not finished")
    # A handle remembers the index as it last saw it.
    repo.index.read(False)
    return "conflicts that are not settled" if repo.index.conflicts is not None else ""


def head_of(repo: pygit2.Repository) -> str:
    """The commit that is checked out; empty where there is none yet."""
    return "" if repo.head_is_unborn else str(repo.head.target)


def branch_of(repo: pygit2.Repository) -> str:
    """The branch that is checked out, "HEAD" for none."""
    if repo.head_is_detached:
        return "HEAD"
    target = repo.lookup_reference("HEAD").target
    return str(target).removeprefix("refs/heads/")


def state_of(repo: pygit2.Repository, left_out: frozenset[str]) -> WorkspaceState:
    """How a repository stands; files that a sparse checkout leaves out are not missed."""
    repo.index.read(False)
    flags = repo.status(untracked_files="all")
    unchanged = (pygit2.GIT_STATUS_CURRENT, pygit2.GIT_STATUS_IGNORED)
    changed = (
        path
        for path, flag in flags.items()
        if flag not in unchanged and not (flag == pygit2.GIT_STATUS_WT_DELETED and path in left_out)
    )
    dirty = tuple(sorted(path for path in changed if all(map(is_listed, path.rstrip("/").split("/")))))
    return WorkspaceState(branch_of(repo), head_of(repo), dirty, busy_with(repo))
