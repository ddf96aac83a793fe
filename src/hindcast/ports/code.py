"""The code of a project: to read, and to change in one step or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Protocol

from hindcast.model.code import Blamed, CodeCommit, Edit, LineSpan, SourceFile
from hindcast.model.workspace import FoundLine, TreeEntry


class Code(Protocol):
    """Today's code, to read. Nothing outside the workspace can be named, whatever the path."""

    def paths(self) -> Sequence[str]:
        """Every file that may be read, in order; what the repository ignores is left out."""
        ...

    def read(self, path: str) -> SourceFile:
        """A text file. Raises Missing, or Refused for what is no text, too large, or outside."""
        ...

    def blame(self, path: str, lines: LineSpan) -> tuple[Blamed, ...]:
        """Who last touched which lines; empty where there is no history."""
        ...

    def commits(self, path: str, *, commits_max: int) -> tuple[CodeCommit, ...]:
        """The last commits that touched a file, newest first."""
        ...

    def now_at(self, path: str) -> tuple[str, ...]:
        """Where a file that was at a path once is today, as history tells; empty where nothing is known."""
        ...


@dataclass(frozen=True, slots=True)
class WorkspaceState:
    """How a workspace stands."""

    # Empty where there is no repository; "HEAD" where no branch is checked out.
    branch: str
    head: str
    # Files that differ from the last commit.
    dirty: tuple[str, ...]
    # What is under way and has to be finished first: a merge, a rebase; empty: nothing.
    busy_with: str = ""
    # Every file that may be read, in order.
    paths: tuple[str, ...] = field(default=(), repr=False)


@dataclass(frozen=True, slots=True)
class Applied:
    """What was done to a workspace, and what undoes it."""

    edits: tuple[Edit, ...]
    # The edits that bring back what was there, with the digests of what is there now.
    undo: tuple[Edit, ...]
    branch: str = ""
    commit: str = ""


class Workspace(Code, Protocol):
    """The same, to change as well."""

    def state(self) -> WorkspaceState:
        """Branch, head, and what is not committed."""
        ...

    def apply(self, edits: Sequence[Edit], *, branch: str = "", message: str = "", author: str = "") -> Applied:
        """Make every edit, or none: durable on return, never half.

        With a branch, the change goes there as a commit and the files that are checked out stay as they are; with only
        a message, it is committed where the workspace stands. Raises Stale where a file is not what an edit expects.
        """
        ...

    def entries(self, folder: str = "") -> tuple[TreeEntry, ...]:
        """What lies in a folder, folders first; nothing that the repository ignores. Raises Missing or Refused."""
        ...

    def search(self, text: str, *, lines_max: int) -> tuple[FoundLine, ...]:
        """Lines that hold a text, in the order of paths; bounded, binary and huge files are left out."""
        ...

    def read_at(self, path: str, commit: str) -> SourceFile:
        """A file as a commit has it. Raises Missing."""
        ...

    def close(self) -> None:
        """Let go of it."""
        ...


@dataclass(frozen=True, slots=True)
class Lint:
    """What a linter said about some lines of a file."""

    # As the linter calls it: `B006`.
    code: str
    message: str
    lines: LineSpan
    # The whole text with the linter's fix in it; None where it has none.
    fixed: str | None = None


class Linter(Protocol):
    """Somebody else's rules about code. It reads what it is given and nothing else, and writes nothing."""

    def lint(self, text: str, codes: Sequence[str]) -> tuple[Lint, ...]:
        """What some of its rules say about a file, from top to bottom. Raises Unavailable where it cannot run."""
        ...

    def lint_each(self, texts: Sequence[str], codes: Sequence[str]) -> tuple[tuple[Lint, ...], ...]:
        """The same for each of several files, in their order, in less time than one after the other."""
        ...
