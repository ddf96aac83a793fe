"""The seams to the world: small protocols, each with one contract suite in tests/contract."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, NamedTuple, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray

from hindcast.model.account import (
    Credential,
    Failures,
    Invitation,
    Key,
    Membership,
    Organisation,
    Person,
    Project,
    Session,
)
from hindcast.model.audit import AuditEntry, AuditFilter
from hindcast.model.conversation import Conversation, Piece
from hindcast.model.ids import Address
from hindcast.model.query import Candidates, Filter, Found, Query
from hindcast.model.record import Action, Branch, Commit, Record, Scope, Snapshot, State
from hindcast.model.signal import Alert, Edge, SystemChange

if TYPE_CHECKING:
    # Loading these takes longer than most commands on memory run.
    import pyarrow as pa

    from hindcast.model.columns import Batch, Pattern

# Bytes nobody can guess, a given number of them.
Entropy = Callable[[int], bytes]

# Told how far a long piece of work has come: done, out of how many, of what.
Progress = Callable[[int, int, str], None]


class Clock(Protocol):
    """What time it is."""

    def now(self) -> datetime:
        """The present, with its timezone."""
        ...


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


class Searchable(Protocol):
    """Memory at one moment, as far as recall needs it."""

    def search(self, query: Query) -> Found:
        """The records that answer best, each with the trace of how it was found."""
        ...

    def find(self, address: Address | str) -> Record | None:
        """The record at an address, or None."""
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

    def search(self, query: Query, scope: Scope, *, candidates_max: int) -> Candidates:
        """The best versions that a scope sees and the filter lets through, for each arm."""
        ...

    def close(self) -> None:
        """Let go of files."""
        ...


@dataclass(frozen=True, slots=True)
class Counted:
    """A template or fingerprint with how often it was seen in a window, and when first."""

    id: int
    text: str
    count: int
    first_at: datetime
    service: str


@dataclass(frozen=True, slots=True)
class Line:
    """One stored log line."""

    time: datetime
    service: str
    level: int
    message: str
    stack: str
    trace: str
    template: int
    fingerprint: int
    attributes: Mapping[str, str]


class LLM(Protocol):
    """A language model. It reads a conversation and replies; it has no tools, no memory and no rights of its own."""

    @property
    def name(self) -> str:
        """The model, as people know it: provider:name."""
        ...

    def reply(self, conversation: Conversation, *, tokens_max: int, seconds_max: float) -> Iterator[Piece]:
        """Words as they arrive, then the calls it asks for, and Spent at the end.

        Closing the iterator ends the request. Raises Unavailable (also after `seconds_max`), Busy, Refused or
        Malformed, whatever a server does; what was said before that has been said.
        """
        ...


@dataclass(frozen=True, slots=True)
class Span:
    """One stored span: a piece of work of one service, within a trace."""

    time: datetime
    duration_us: int
    service: str
    name: str
    # OTLP's span kind: 1 internal, 2 server, 3 client, 4 producer, 5 consumer.
    kind: int
    trace: str
    span: str
    parent: str
    peer: str
    # OTLP's status: 0 unset, 1 ok, 2 error.
    status: int
    attributes: Mapping[str, str]


class Telemetry(Protocol):
    """Raw telemetry with its own retention: logs, metrics, spans, alerts, changes, and counts of lines by second."""

    def write(self, batches: Sequence[Batch]) -> None:
        """Keep batches, and the counts of their logs: durable on return; on an error none may be assumed to be.

        Raises Unavailable when the engine cannot take them now (down, disk full).
        """
        ...

    def rates(self, since: datetime, until: datetime, *, space: str | None = None, step_seconds: int = 1) -> pa.Table:
        """Counts of lines (RATE columns) with since <= second < until, summed by steps, oldest first."""
        ...

    def gauges(self, since: datetime, until: datetime, *, space: str | None = None, step_seconds: int = 60) -> pa.Table:
        """Mean values of metrics (space, service, name, step, value); cumulative ones as rates by second."""
        ...

    def calls(self, since: datetime, until: datetime, *, space: str) -> tuple[Edge, ...]:
        """Which service called which, from spans: by parent and child, or by the span's own `peer`."""
        ...

    def top_templates(
        self, space: str, services: Sequence[str], since: datetime, until: datetime, *, level_min: int, count_max: int
    ) -> tuple[Counted, ...]:
        """The most frequent templates of a window, most frequent first."""
        ...

    def top_fingerprints(
        self, space: str, services: Sequence[str], since: datetime, until: datetime, *, count_max: int
    ) -> tuple[Counted, ...]:
        """The most frequent fingerprints of a window, most frequent first."""
        ...

    def lines(
        self,
        space: str,
        since: datetime,
        until: datetime,
        *,
        services: Sequence[str] = (),
        level_min: int = 0,
        words: str = "",
        trace: str = "",
        fingerprint: int = 0,
        newest_first: bool = False,
        lines_max: int = 100,
    ) -> tuple[Line, ...]:
        """Log lines of a window that satisfy every condition given."""
        ...

    def spans(self, space: str, trace: str, *, spans_max: int = 1_000) -> tuple[Span, ...]:
        """The spans of one trace, in the order in which they began."""
        ...

    def changes(self, space: str, since: datetime, until: datetime) -> tuple[SystemChange, ...]:
        """What was altered in the watched system, oldest first; each key once, its latest telling."""
        ...

    def alerts(self, space: str | None, since: datetime, until: datetime) -> tuple[tuple[str, Alert], ...]:
        """Alerts with their space whose latest telling arrived in the window, oldest first; each key once."""
        ...

    def templates(self) -> tuple[Pattern, ...]:
        """Every known template, so that mining continues where it stopped."""
        ...

    def close(self) -> None:
        """Let go of the engine; whatever was acknowledged is already durable."""
        ...


# Everything that `Accounts` keeps, each kind by its own key.
Account = Organisation | Project | Person | Membership | Key | Session | Invitation | Credential | Failures
A = TypeVar("A", Organisation, Project, Person, Membership, Key, Session, Invitation, Credential, Failures)


class Ledger(Protocol):
    """One write transaction of `Accounts`. All of it happens, or none of it; no other one happens meanwhile."""

    def get(self, kind: type[A], *key: str) -> A | None:
        """One value as it is now, inside this transaction."""
        ...

    def find(self, kind: type[A], **equal: str) -> tuple[A, ...]:
        """Values of a kind whose fields have these values, inside this transaction, in order of their keys."""
        ...

    def put(self, *values: Account) -> None:
        """Add values, or replace those with the same key. The revision grows."""
        ...

    def touch(self, *values: Account) -> None:
        """The same for what decides nothing, such as when something was last used: the revision stays."""
        ...

    def remove(self, *values: Account) -> None:
        """Take values away by their key; those that are not there are no error. The revision grows."""
        ...

    def append(self, *entries: AuditEntry) -> None:
        """Seal entries to the ends of their organisations' trails."""
        ...


class Accounts(Protocol):
    """Organisations, people, keys and what they did. What is written is durable when the transaction ends."""

    def get(self, kind: type[A], *key: str) -> A | None:
        """One value by its key."""
        ...

    def find(self, kind: type[A], **equal: str) -> tuple[A, ...]:
        """Values of a kind whose fields have these values, in order of their keys."""
        ...

    def revision(self) -> int:
        """A number that grows with every change, in whichever process it was made."""
        ...

    def write(self) -> AbstractContextManager[Ledger]:
        """Begin the only write transaction; others wait for it."""
        ...

    def trails(self) -> tuple[str, ...]:
        """The organisations that have an audit trail, in order."""
        ...

    def trail_start(self, organisation: str) -> tuple[int, str]:
        """The number and digest of the last entry that is no longer kept; 0 and zeros where all are."""
        ...

    def entries(self, organisation: str, wanted: AuditFilter) -> tuple[AuditEntry, ...]:
        """Entries of one trail, newest first unless the filter says otherwise."""
        ...

    def prune(self, *, now: datetime) -> None:
        """Let go of sessions and links that ended, of old failures, and of entries older than what is kept."""
        ...

    def close(self) -> None:
        """Let go of connections and files."""
        ...


class Trail(Protocol):
    """Where audit entries go: durable before the answer, or very soon after it."""

    def note(self, entry: AuditEntry, *, is_repeated: bool) -> None:
        """Keep an entry, durable within about a second; where it is a repeated one, see `write`."""
        ...

    def write(self, entry: AuditEntry, *, is_repeated: bool = False) -> None:
        """Keep an entry, durable on return. Of one that is repeated, what comes within a minute is only counted."""
        ...

    def close(self) -> None:
        """Write what was noted."""
        ...


class Passwords(Protocol):
    """Hashes that are slow to guess."""

    def hashed(self, password: str, salt: bytes) -> str:
        """What is kept of a password, parameters and salt included."""
        ...

    def is_right(self, password: str, kept: str) -> bool:
        """Whether a password is the one that this was made of."""
        ...

    def is_outdated(self, kept: str) -> bool:
        """Whether it was made with weaker parameters than today's."""
        ...
