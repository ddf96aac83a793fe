"""A workspace as one deck looked at it: every file is read once, and what was read says whether the deck still fits."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from hindcast.model.code import Blamed, CodeCommit, LineSpan, SourceFile
from hindcast.model.errors import HindcastError, Missing, Refused
from hindcast.ports.code import Workspace, WorkspaceState


def is_settled(path: str, state: WorkspaceState) -> bool:
    """Whether the last commit tells what is in a file: while the state is the same, so is the file."""
    return bool(state.head) and path not in state.dirty


@dataclass(slots=True)
class Looked:
    """Code, as it is read while a deck is made. A thread that asks a model may go on reading beside the next one."""

    workspace: Workspace
    state: WorkspaceState
    # What was read, or why it could not be.
    files: dict[str, SourceFile | HindcastError] = field(default_factory=dict)
    _moved: dict[str, tuple[str, ...]] = field(default_factory=dict)

    def paths(self) -> Sequence[str]:
        """Every file that may be read."""
        return self.state.paths

    def read(self, path: str) -> SourceFile:
        """A text file, read the first time it is asked for."""
        found = self.files.get(path)
        if found is None:
            try:
                found = self.workspace.read(path)
            except (Missing, Refused) as error:
                found = error
            self.files[path] = found
        if isinstance(found, HindcastError):
            raise found
        return found

    def blame(self, path: str, lines: LineSpan) -> tuple[Blamed, ...]:
        """Who last touched which lines."""
        return self.workspace.blame(path, lines)

    def commits(self, path: str, *, commits_max: int) -> tuple[CodeCommit, ...]:
        """The last commits that touched a file."""
        return self.workspace.commits(path, commits_max=commits_max)

    def now_at(self, path: str) -> tuple[str, ...]:
        """Where a file that was at a path once is today."""
        if path not in self._moved:
            self._moved[path] = self.workspace.now_at(path)
        return self._moved[path]

    @property
    def texts(self) -> Mapping[str, SourceFile]:
        """The files that could be read, by path."""
        return {path: file for path, file in list(self.files.items()) if isinstance(file, SourceFile)}

    def is_still(self, state: WorkspaceState) -> bool:
        """Whether everything that was read is still as it was."""
        return state == self.state and all(
            is_settled(path, state) or self._is_same(path, file) for path, file in list(self.files.items())
        )

    def _is_same(self, path: str, file: SourceFile | HindcastError) -> bool:
        try:
            return isinstance(file, SourceFile) and self.workspace.read(path).digest == file.digest
        except (Missing, Refused):
            return isinstance(file, HindcastError)

    def again(self, state: WorkspaceState) -> Looked:
        """The same workspace, to be looked at once more: what the last commit vouches for need not be read again."""
        if state.head != self.state.head:
            return Looked(self.workspace, state)
        kept: dict[str, SourceFile | HindcastError] = {
            path: file
            for path, file in list(self.files.items())
            if isinstance(file, SourceFile) and is_settled(path, self.state) and is_settled(path, state)
        }
        return Looked(self.workspace, state, kept, dict(self._moved))
