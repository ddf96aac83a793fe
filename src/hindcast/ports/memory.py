"""History itself, and the index that searches it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from hindcast.model.ids import Address
from hindcast.model.query import Candidates, Filter, Looked, Query, Sight
from hindcast.model.record import Action, Branch, Commit, Record, Scope, Snapshot, State
from hindcast.ports.world import Progress


class Row(NamedTuple):
    """A version as it is stored: canonical bytes, and what proves them. A tuple, because a batch makes many at once."""

    id: int
    branch: int
    address: str
    kind: str
    # A `State`, as the plain number that drivers bind fastest.
    state: int
    from_seq: int
    body: bytes | None
    text: str | None
    occurred_us: int
    origin: int | None
    # The version of the same address on the same branch that this one ends.
    replaces: int | None
    salt: bytes | None
    digest: bytes


@dataclass(frozen=True, slots=True)
class Tip:
    """The newest step of a space: what the next commit has to follow."""

    seq: int
    id: str | None
    at: datetime | None
    version: int


class Writer(Protocol):
    """One write transaction. All of it happens, or none of it."""

    def tip(self) -> Tip:
        """The newest step of the space, on whatever branch."""
        ...

    def branch(self, name: str) -> Branch:
        """A branch as it is now, inside this transaction."""
        ...

    def current(self, branch: int, addresses: Sequence[str]) -> Mapping[str, int]:
        """The newest version on this very branch (not its parents) of each address that has one."""
        ...

    def append(self, commit: Commit, branch: Branch, merge_seq: int | None, rows: Sequence[Row]) -> None:
        """Write a commit and its versions after the branch's head, and move the head."""
        ...

    def add_branch(self, branch: Branch, seal: bytes) -> None:
        """Start a branch."""
        ...

    def add_snapshot(self, snapshot: Snapshot, seal: bytes) -> None:
        """Name a commit."""
        ...

    def blank(self, versions: Sequence[int]) -> None:
        """Take body, text, salt and vector out of these versions for ever, keeping their digests."""
        ...


class Store(Protocol):
    """History itself, opened for one space. Reads never write; all writes go through `write`."""

    @property
    def space(self) -> str:
        """The name of the space."""
        ...

    def write(self) -> AbstractContextManager[Writer]:
        """Begin the only write transaction of this space; others wait for it."""
        ...

    def get(self, scope: Scope, address: Address | str) -> Record | None:
        """The version of an address that a scope sees, whatever its state."""
        ...

    def get_many(self, scope: Scope, addresses: Sequence[str]) -> Mapping[str, Record]:
        """The same for many addresses at once; those never written are left out."""
        ...

    def page(
        self, scope: Scope, wanted: Filter, *, after: str, records_max: int, states: Sequence[State]
    ) -> list[Record]:
        """Records a scope sees, in address order, beyond `after`."""
        ...

    def count(self, scope: Scope, wanted: Filter) -> Mapping[str, tuple[int, datetime]]:
        """For each namespace: how many live records a scope sees, and when the newest of them was learnt."""
        ...

    def records(self, versions: Sequence[int]) -> Mapping[int, Record]:
        """Versions by number."""
        ...

    def touched(self, spans: Sequence[tuple[int, int, int]]) -> list[str]:
        """Addresses written on (branch, after step, up to step), in order."""
        ...

    def trail(self, scope: Scope, address: str) -> list[Record]:
        """Every version of an address within a scope, newest first."""
        ...

    def versions_of(self, addresses: Sequence[str], *, below: bool) -> list[int]:
        """Every version, on every branch, of these addresses (and of those below them)."""
        ...

    def rows(self, *, after: int, until: int | None = None) -> Iterator[Row]:
        """Versions as they are stored, in order of number."""
        ...

    def tip(self) -> Tip:
        """The newest step."""
        ...

    def commit(self, prefix: str) -> Commit:
        """The one commit whose id begins so."""
        ...

    def commits(
        self, scope: Scope | None, *, before: int, after: int, commits_max: int, oldest_first: bool = False
    ) -> list[Commit]:
        """Commits a scope includes (None: of all branches) strictly between two steps."""
        ...

    def commits_of(self, action: Action, *, after: int) -> list[Commit]:
        """Every commit of one kind beyond a step, oldest first."""
        ...

    def seq_at(self, moment: datetime) -> int:
        """The last step made at or before a time; 0 when there was none."""
        ...

    def branches(self) -> list[Branch]:
        """All branches, oldest first."""
        ...

    def snapshots(self) -> list[Snapshot]:
        """All snapshots, oldest first."""
        ...

    def seals(self) -> Mapping[str, bytes]:
        """What proves each branch and snapshot, by "branch NAME" and "snapshot NAME"."""
        ...

    def vectors(self, model: str, *, after: int) -> Iterator[tuple[int, bytes]]:
        """Kept vectors of one model by version number, in order."""
        ...

    def keep_vectors(self, model: str, vectors: Sequence[tuple[int, bytes]]) -> None:
        """Keep derived vectors, so that an index can be rebuilt without embedding again."""
        ...

    def scrub(self) -> bool:
        """Remove the traces that deleted bytes leave in files. False if a reader still holds some."""
        ...

    def integrity(self) -> list[str]:
        """What the engine itself finds wrong with its file; empty when all is well."""
        ...

    def close(self) -> None:
        """Let go of connections and files."""
        ...


# Told of records that a search has found so far, so that they can be read while it goes on. Some of them will not be in
# the answer, some of the answer's are not among them, and where nothing has to be waited for nobody is told anything.
Early = Callable[[Sequence[Record]], None]


class Searchable(Protocol):
    """Memory at one moment, as far as recall needs it."""

    def look(self, query: Query, *, early: Early | None = None) -> Looked:
        """What answers best, with each arm's opinion, before it is read."""
        ...

    def read(self, sights: Sequence[Sight]) -> Mapping[int, Record]:
        """The records of some of it, by version; none of those erased since."""
        ...


class Embedder(Protocol):
    """Turns texts into vectors of unit length, so that near means alike."""

    @property
    def model(self) -> str:
        """Which model and which weights: vectors of different models are never compared."""
        ...

    @property
    def dims(self) -> int:
        """The length of a vector."""
        ...

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row for each text, in the order given."""
        ...


class Index(Protocol):
    """A local view of history for searching; whatever it holds can be rebuilt from the store."""

    def follow(self, *, progress: Progress | None = None, embed: bool = True) -> None:
        """Take in what history has gained since the last time, and drop every trace of what it has erased."""
        ...

    def search(
        self,
        query: Query,
        scope: Scope,
        *,
        candidates_max: int,
        early: Callable[[Sequence[int]], None] | None = None,
    ) -> Candidates:
        """The best versions that a scope sees and the filter lets through, for each arm.

        While it has to wait for a model, it may tell `early` of a few versions that are likely to be among them.
        """
        ...

    def close(self) -> None:
        """Let go of files."""
        ...
