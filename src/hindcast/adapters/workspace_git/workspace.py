"""A folder of code behind the Workspace port: mostly a repository, or a plain folder without history.

Several threads may use one workspace. Reading takes no lock; a listing is made by one thread while the others wait for
it; changes are made one at a time, across processes. A reader sees each file whole, as it was or as it is, and sees a
change of several files file by file.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

import pygit2

from hindcast.adapters.workspace_git import branching, editing, history
from hindcast.adapters.workspace_git.blaming import blamed
from hindcast.adapters.workspace_git.changing import Changer, new_token
from hindcast.adapters.workspace_git.committing import (
    blob_at,
    cleaned,
    commit_of,
    common_folder,
    last_version,
    message_of,
    staged_of,
    tree_with,
)
from hindcast.adapters.workspace_git.listing import Ignored, Listing, tools_folders
from hindcast.adapters.workspace_git.moves import now_at
from hindcast.adapters.workspace_git.names import parts_of, shown
from hindcast.adapters.workspace_git.past import Past
from hindcast.adapters.workspace_git.plan import FileChange, Plan, RefChange
from hindcast.adapters.workspace_git.repositories import Repositories, branch_of, busy_with, head_of, state_of
from hindcast.adapters.workspace_git.rooted import Bytes, check_rules, read
from hindcast.adapters.workspace_git.searching import search
from hindcast.adapters.workspace_git.texts import decode
from hindcast.adapters.workspace_git.tongues import tongue_of
from hindcast.model.code import Blamed, CodeCommit, Edit, LineSpan, SourceFile
from hindcast.model.errors import Missing, Refused, Unavailable
from hindcast.model.workspace import FoundLine, TreeEntry
from hindcast.ports import Applied, WorkspaceState

READ_BYTES_MAX = 10_000_000


class FolderWorkspace:
    """The code in one folder of this machine."""

    def __init__(self, root: Path, repos: Repositories | None) -> None:
        self._root = root
        self._repos = repos
        git = repos.git_folder if repos is not None else None
        rules = (common_folder(git) / "info" / "exclude",) if git is not None else ()
        self._listing = Listing(root, git / "index" if git is not None else None, rules)
        self._past = Past()
        self._changer = Changer(root, repos)
        self._changer.recover()

    def paths(self) -> tuple[str, ...]:
        """Every file that may be read, in order; what the repository ignores is left out."""
        with self._ignoring() as is_ignored:
            return self._listing.paths(is_ignored)

    def read(self, path: str) -> SourceFile:
        """A text file. Raises Missing, or Refused for what is no text, too large, ignored or outside."""
        names = parts_of(path)
        self._check_shown(path)
        return _source(path, read(self._root, names, bytes_max=READ_BYTES_MAX).raw)

    def blame(self, path: str, lines: LineSpan) -> tuple[Blamed, ...]:
        """Who last touched which lines; lines that are not committed have nobody."""
        if self._repos is None:
            parts_of(path)
            return ()
        text = self.read(path).text
        with self._repos.one() as repo:
            return blamed(repo, self._past, path, text, lines)

    def commits(self, path: str, *, commits_max: int) -> tuple[CodeCommit, ...]:
        """The last commits that touched a file, newest first."""
        parts_of(path)
        if self._repos is None:
            return ()
        with self._repos.one() as repo:
            return history.commits_of(repo, self._past, path, commits_max=commits_max)

    def now_at(self, path: str) -> tuple[str, ...]:
        """Where a file that was at a path once is today, as history tells."""
        parts_of(path)
        if self._repos is None:
            return ()
        with self._repos.one() as repo:
            return now_at(repo, self._past, path)

    def state(self) -> WorkspaceState:
        """Branch, head, and what is not committed."""
        # It looks at every folder, and refuses those in which git would wait for ever.
        paths = self.paths()
        if self._repos is None:
            return WorkspaceState("", "", (), paths=paths)
        with self._repos.one() as repo:
            return replace(state_of(repo, self._listing.tracked().left_out), paths=paths)

    def entries(self, folder: str = "") -> tuple[TreeEntry, ...]:
        """What lies in a folder, folders first."""
        names = parts_of(folder, field="folder") if folder else ()
        with self._ignoring() as is_ignored:
            if folder and is_ignored(folder + "/") and not self._listing.tracked().holds(folder):
                raise _ignored(folder)
            found, sizes = self._listing.folder(names, is_ignored)
        if found.is_nested:
            problem = f"{shown(folder)} is a repository of its own."
            raise Refused(problem, field="folder", remedy="Register it as a workspace to work in it.")
        before = folder + "/" if folder else ""
        dirty = self.state().dirty if self._repos is not None else ()
        marked = {path[len(before) :].partition("/")[0] for path in dirty if path.startswith(before)}
        folders = [TreeEntry(before + name, True, 0, name in marked) for name in found.folders]
        return (
            *folders,
            *(TreeEntry(path, False, sizes.get(path, 0), path[len(before) :] in marked) for path in found.files),
        )

    def search(self, text: str, *, lines_max: int) -> tuple[FoundLine, ...]:
        """Lines that hold a text, in the order of paths."""
        return search(self._root, self.paths(), text, lines_max=lines_max)

    def read_at(self, path: str, commit: str) -> SourceFile:
        """A file as a commit has it; a branch or HEAD stands for its last commit. Raises Missing."""
        parts_of(path)
        if self._repos is None:
            problem = f"{self._root} has no history."
            raise Missing(problem, field="commit", remedy="Read the file as it is.")
        with self._repos.one() as repo:
            raw = history.bytes_at(repo, path, commit, bytes_max=READ_BYTES_MAX)
        return _source(path, raw)

    def apply(self, edits: Sequence[Edit], *, branch: str = "", message: str = "", author: str = "") -> Applied:
        """Make every edit, or none: in the files, in the files and a commit of them, or in a commit on a branch."""
        editing.check(edits)
        for edit in edits:
            self._check_shown(edit.path)
        try:
            with self._changer.alone():
                if not branch and not message:
                    return self._apply_files(edits)
                if self._repos is None:
                    raise self._no_history("branch" if branch else "message")
                with self._repos.one() as repo:
                    _check_idle(repo)
                    if branch:
                        prepared = branching.prepared(repo, self._root, edits, branch, message=message, author=author)
                    else:
                        prepared = self._prepared_here(repo, edits, message_of(message), author)
                plan, applied = prepared
                if applied.commit:
                    self._changer.perform(plan)
                return applied
        except OSError as error:
            problem = f"The change could not be made: {error.strerror or error}."
            raise Unavailable(problem, remedy="See to the disk, then try again.") from error

    def close(self) -> None:
        """Let go of it."""
        if self._repos is not None:
            self._repos.close()

    def _apply_files(self, edits: Sequence[Edit]) -> Applied:
        if self._repos is not None:
            with self._repos.one() as repo:
                _check_idle(repo)
                changes = self._changes(edits, repo)
        else:
            changes = self._changes(edits, None)
        real = tuple(change for change in changes if change.old != change.new)
        if real:
            self._changer.perform(Plan(new_token(), real))
        return Applied(tuple(edits), _undo(changes))

    def _changes(self, edits: Sequence[Edit], repo: pygit2.Repository | None) -> list[FileChange]:
        left_out = self._listing.tracked().left_out

        def committed(path: str) -> Bytes | None:
            return last_version(repo, head_of(repo), path) if repo is not None else None

        for edit in edits:
            if edit.path in left_out:
                problem = f"{shown(edit.path)} is left out of this checkout, which is sparse."
                raise Refused(problem, field="path", remedy="Check it out first, or apply the change on a branch.")
        return [editing.change_here(self._root, edit, committed) for edit in edits]

    def _prepared_here(
        self, repo: pygit2.Repository, edits: Sequence[Edit], message: str, author: str
    ) -> tuple[Plan, Applied]:
        """A change of files together with a commit of exactly those files."""
        branch = branch_of(repo)
        if branch == "HEAD":
            problem = "No branch is checked out, so a commit would belong to none."
            raise Refused(problem, field="message", remedy="Name a branch, or check one out first.")
        head = head_of(repo)
        changes = self._changes(edits, repo)
        real = tuple(change for change in changes if change.old != change.new)
        for change in real:
            _check_committed(repo, head, change)
        undo = _undo(changes)
        if not real:
            return Plan(new_token()), Applied(tuple(edits), undo, branch)
        staged = tuple(
            staged_of(repo, one.path, cleaned(repo, one.path, one.new) if one.new is not None else None, one.mode)
            for one in real
        )
        tree = tree_with(repo, head, staged)
        commit = commit_of(repo, tree, [head] if head else [], message=message, author=author)
        plan = Plan(new_token(), real, RefChange(f"refs/heads/{branch}", head, commit), staged)
        return plan, Applied(tuple(edits), undo, branch, commit)

    def _check_shown(self, path: str) -> None:
        """Raises Refused for a file that the repository ignores: nobody meant it to be seen."""
        check_rules(self._root, parts_of(path)[:-1])
        if self._listing.tracked().names(path):
            return
        with self._ignoring() as is_ignored:
            if is_ignored(path):
                raise _ignored(path)

    @contextmanager
    def _ignoring(self) -> Iterator[Ignored]:
        if self._repos is None:
            yield tools_folders
            return
        with self._repos.one() as repo:
            yield repo.path_is_ignored

    def _no_history(self, field: str) -> Refused:
        above = pygit2.discover_repository(str(self._root))
        where = f"; it lies in the repository {Path(above).parent}" if above else ""
        remedy = "Register that repository." if above else "Run `git init` in it, or apply the change to the files."
        return Refused(
            f"{self._root} is no repository{where}, so nothing can be committed.", field=field, remedy=remedy
        )


def _source(path: str, raw: bytes) -> SourceFile:
    found = decode(raw, path)
    return SourceFile(
        path=path,
        text=found.text,
        digest=editing.digest_of(raw),
        tongue=tongue_of(path, found.text),
        newline=found.newline,
        encoding=found.encoding,
        has_mark=bool(found.mark),
    )


def _undo(changes: Sequence[FileChange]) -> tuple[Edit, ...]:
    return tuple(editing.undo_of(change.path, change.old, change.new) for change in changes)


def _ignored(path: str) -> Refused:
    problem = f"{shown(path)} is ignored here, so it is neither shown nor changed."
    return Refused(problem, field="path", remedy="Add it to the repository if others should see it.")


def _check_idle(repo: pygit2.Repository) -> None:
    if busy := busy_with(repo):
        problem = f"The repository has {busy} under way."
        raise Refused(problem, remedy="Finish it or abort it with git, then try again.")


def _check_committed(repo: pygit2.Repository, head: str, change: FileChange) -> None:
    """Raises Refused where a commit of a file would take along what somebody has not committed yet."""
    found = blob_at(repo, head, change.path)
    was = found[0].data if found else None
    kept = cleaned(repo, change.path, change.old) if change.old is not None else None
    if was != kept and was != change.old:
        problem = f"{shown(change.path)} has changes that are not committed, and a commit would take them along."
        raise Refused(problem, field="message", remedy="Commit them first, or apply this without a commit.")
