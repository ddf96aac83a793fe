"""An open workspace that several threads share: it ends when its files are replaced, never under somebody's hands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Any

from hindcast.model.code import Blamed, CodeCommit, Edit, LineSpan, SourceFile
from hindcast.model.errors import Stale
from hindcast.model.workspace import FoundLine, TreeEntry
from hindcast.ports.code import Applied, Workspace, WorkspaceState


class Opened:
    """A workspace as it is handed out. Once it is over, every call raises Stale; the last one under way closes it."""

    def __init__(
        self, inner: Workspace, turn: AbstractContextManager[Any], writing: AbstractContextManager[Any]
    ) -> None:
        """`turn` is held for a moment, `writing` while files are changed."""
        self._inner = inner
        self._turn, self._writing = turn, writing
        self._uses = 0
        self._is_over = False

    @property
    def writing(self) -> AbstractContextManager[Any]:
        """Held while files are changed: whoever has it changes them alone."""
        return self._writing

    def end(self) -> None:
        """Nobody gets anything from it any more."""
        with self._turn:
            is_last = not self._is_over and not self._uses
            self._is_over = True
        if is_last:
            self._inner.close()

    @contextmanager
    def _use(self) -> Iterator[Workspace]:
        with self._turn:
            if self._is_over:
                raise Stale(
                    "The workspace was replaced or removed meanwhile.",
                    field="workspace",
                    remedy="Read it again, then decide.",
                )
            self._uses += 1
        try:
            yield self._inner
        finally:
            self._leave()

    def _leave(self) -> None:
        with self._turn:
            self._uses -= 1
            is_last = self._is_over and not self._uses
        if is_last:
            self._inner.close()

    def paths(self) -> Sequence[str]:
        """Every file that may be read."""
        with self._use() as inner:
            return inner.paths()

    def read(self, path: str) -> SourceFile:
        """A text file."""
        with self._use() as inner:
            return inner.read(path)

    def read_at(self, path: str, commit: str) -> SourceFile:
        """A file as a commit has it."""
        with self._use() as inner:
            return inner.read_at(path, commit)

    def blame(self, path: str, lines: LineSpan) -> tuple[Blamed, ...]:
        """Who last touched which lines."""
        with self._use() as inner:
            return inner.blame(path, lines)

    def commits(self, path: str, *, commits_max: int) -> tuple[CodeCommit, ...]:
        """The last commits that touched a file."""
        with self._use() as inner:
            return inner.commits(path, commits_max=commits_max)

    def now_at(self, path: str) -> tuple[str, ...]:
        """Where a file that was at a path once is today."""
        with self._use() as inner:
            return inner.now_at(path)

    def state(self) -> WorkspaceState:
        """Branch, head, and what is not committed."""
        with self._use() as inner:
            return inner.state()

    def entries(self, folder: str = "") -> tuple[TreeEntry, ...]:
        """What lies in a folder."""
        with self._use() as inner:
            return inner.entries(folder)

    def search(self, text: str, *, lines_max: int) -> tuple[FoundLine, ...]:
        """Lines that hold a text."""
        with self._use() as inner:
            return inner.search(text, lines_max=lines_max)

    def apply(self, edits: Sequence[Edit], *, branch: str = "", message: str = "", author: str = "") -> Applied:
        """Make every edit, or none."""
        with self._writing, self._use() as inner:
            return inner.apply(edits, branch=branch, message=message, author=author)

    def close(self) -> None:
        """It is shared: whoever is done with it leaves it open for the others."""
