"""Where workspaces lie on this machine: folders that were admitted, and copies that are ours to keep and to remove."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Protocol

from hindcast.model.workspace import Registered
from hindcast.ports.code import Workspace


@dataclass(frozen=True, slots=True)
class Incoming:
    """A file on its way in. Its pieces are read once, in order, before the next file is asked for."""

    # As its sender calls it; nothing about it is checked yet.
    path: str
    pieces: Iterator[bytes]
    is_executable: bool = False


@dataclass(frozen=True, slots=True)
class Taken:
    """What became of an upload."""

    # Where the workspace lies from now on.
    root: str
    files: int
    bytes: int
    # Of the workspace's own repository; empty where the upload is what was there already.
    commit: str


class Grounds(Protocol):
    """The folders of workspaces. What is registered is only a word: nothing is opened that was not admitted."""

    def admit(self, space: str, path: str, *, is_listed: bool) -> str:
        """The real path of a folder of somebody's, which may be opened for this space from now on.

        With `is_listed` only below a folder that a setting lists; without, whoever asks runs this machine. Raises
        Missing, Malformed or Refused.
        """
        ...

    def open(self, space: str, registered: Registered) -> Workspace:
        """The code. Raises Missing where it is gone, Refused where the folder was never admitted."""
        ...

    def clone(self, space: str, name: str, url: str) -> str:
        """A copy of a repository elsewhere, made now: its root. Raises Refused, Malformed or Unavailable."""
        ...

    def refresh(self, root: str, url: str) -> str:
        """Bring a copy up to what its origin has by now: its head. Raises Stale where it has changes of its own."""
        ...

    def take(self, space: str, name: str, files: Iterable[Incoming], *, before: str, by: str, message: str) -> Taken:
        """Keep files that somebody sent as the next commit after what lies in `before` (nothing, if empty).

        They get a folder of their own; what lies in `before` stays as it is. Whatever is wrong with one of them, none
        is kept. Raises Malformed or Refused.
        """
        ...

    def retire(self, root: str) -> None:
        """Nobody opens this copy of ours any more: it may go."""
        ...

    def leave(self, space: str, registered: Registered) -> str:
        """Nobody may open this any more, and its files stay: where they lie from now on."""
        ...

    def remove(self, space: str, registered: Registered) -> None:
        """Remove a copy of ours from the disk; never anything else."""
        ...
