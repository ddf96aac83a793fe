"""What memory's answers look like over REST: the same names as `--json` prints, times in ISO 8601, ids whole."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from hindcast.model.answer import (
    Blame,
    Conflict,
    Conflicts,
    Difference,
    Erased,
    Fault,
    Merged,
    Moment,
    NoTurn,
    Turn,
    Verified,
)
from hindcast.model.query import Found, Hit, Rank
from hindcast.model.record import SEQ_MAX, Action, Branch, Commit, Record, Snapshot


@dataclass(frozen=True, slots=True)
class RecordTold:
    """One version of one address, as one commit remembered it."""

    address: str
    namespace: str
    path: str
    entry: str
    # Any JSON value.
    body: Any
    kind: str
    state: Literal["live", "retracted", "archived", "erased"]
    # What search reads; None: the words found in the body and the path.
    text: str | None
    occurred_at: datetime
    learned_at: datetime
    actor: str
    commit: str
    step: int
    version: int


@dataclass(frozen=True, slots=True)
class CommitTold:
    """One step of history: who changed how much, when and why."""

    id: str
    step: int
    branch: str
    parent: str | None
    merge_parent: str | None
    at: datetime
    actor: str
    why: str
    action: Action
    # What the action says beyond its versions, such as what was erased.
    detail: Any
    changes: int


@dataclass(frozen=True, slots=True)
class WrittenTold:
    """What was written, and the record as it is now; None: it was taken back."""

    commit: CommitTold
    record: RecordTold | None
    # How many secrets of each kind were taken out of what was sent.
    redacted: Mapping[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class BranchTold:
    """A line of history and where its head is."""

    name: str
    parent: str | None
    fork_step: int
    head: str | None
    head_step: int
    created_at: datetime
    actor: str
    why: str


@dataclass(frozen=True, slots=True)
class SnapshotTold:
    """A name for a commit, given once and never moved."""

    name: str
    commit: str
    branch: str
    step: int
    created_at: datetime
    actor: str
    why: str


@dataclass(frozen=True, slots=True)
class MomentTold:
    """A place in history that reads can be made at; no step: the branch as it is whenever it is read."""

    name: str
    branch: str
    step: int | None


@dataclass(frozen=True, slots=True)
class ResolvedTold:
    """What somebody's word for a moment means: the last commit it includes, None before the first."""

    moment: MomentTold
    commit: CommitTold | None


@dataclass(frozen=True, slots=True)
class AlterationTold:
    """One address whose record differs between two moments."""

    address: str
    fields: tuple[str, ...]
    before: RecordTold
    after: RecordTold


@dataclass(frozen=True, slots=True)
class DifferenceTold:
    """What was learned, changed and forgotten from one moment to another, as far as the limit allows to show it."""

    before: MomentTold
    after: MomentTold
    learned: tuple[RecordTold, ...]
    changed: tuple[AlterationTold, ...]
    forgotten: tuple[RecordTold, ...]
    # How many there are, shown or not.
    learned_count: int
    changed_count: int
    forgotten_count: int


@dataclass(frozen=True, slots=True)
class CommitChanges:
    """One commit with what it learned, changed and forgot."""

    commit: CommitTold
    difference: DifferenceTold


@dataclass(frozen=True, slots=True)
class ConflictTold:
    """One address that two sides changed in ways that cannot both hold; None: that side has no record there."""

    address: str
    fields: tuple[str, ...]
    base: RecordTold | None
    ours: RecordTold | None
    theirs: RecordTold | None


@dataclass(frozen=True, slots=True)
class MergeTold:
    """What became of a merge or a revert. With conflicts nothing was written; `choices` settle them."""

    outcome: Literal["merged", "conflicts"]
    # None when there was nothing to do, or nothing was done.
    commit: CommitTold | None
    taken: int
    settled: tuple[ConflictTold, ...]
    conflicts: tuple[ConflictTold, ...]


@dataclass(frozen=True, slots=True)
class HitTold:
    """A record that answers, with each arm's opinion and the words of the question found in it."""

    record: RecordTold
    score: float
    ranks: Mapping[str, Rank]
    matched: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class FoundTold:
    """What a search found, at which moment, and what it could not look at."""

    hits: tuple[HitTold, ...]
    arms: tuple[str, ...]
    unembedded: int
    notes: tuple[str, ...]
    moment: MomentTold


@dataclass(frozen=True, slots=True)
class NamespaceTold:
    """A namespace and how many live records it holds."""

    namespace: str
    records: int


@dataclass(frozen=True, slots=True)
class BlameTold:
    """Which commit gave one field of a record the value it has. The empty field is the whole body."""

    field: str
    value: Any
    commit: CommitTold


@dataclass(frozen=True, slots=True)
class TurnTold:
    """The commit at which an answer changed; None: it is the same at both ends."""

    turn: CommitTold | None
    before: Any
    after: Any
    looks: int


@dataclass(frozen=True, slots=True)
class VerifiedTold:
    """What verifying the chain looked at, and every fault it found."""

    sound: bool
    commits: int
    versions: int
    erased: int
    head: str | None
    faults: tuple[Fault, ...]


@dataclass(frozen=True, slots=True)
class ErasedTold:
    """What an erasure removed. The commit says so for ever; the bodies are gone."""

    commit: CommitTold
    versions: int
    addresses: tuple[str, ...]
    # False while another process still reads an older state of the file; erasing again finishes the job.
    traces_gone: bool


def record(value: Record) -> RecordTold:
    """A record."""
    state: Any = value.state.name.lower()
    return RecordTold(
        str(value.address),
        value.namespace,
        value.path,
        value.address.entry,
        value.body,
        value.kind,
        state,
        value.text,
        value.occurred_at,
        value.learned_at,
        value.actor,
        value.commit,
        value.seq,
        value.version,
    )


def commit(value: Commit) -> CommitTold:
    """A commit."""
    return CommitTold(
        value.id,
        value.seq,
        value.branch,
        value.parent,
        value.merge_parent,
        value.at,
        value.actor,
        value.why,
        value.action,
        value.detail,
        value.changes,
    )


def branch(value: Branch) -> BranchTold:
    """A branch."""
    return BranchTold(
        value.name,
        value.parent,
        value.fork_seq,
        value.head,
        value.head_seq,
        value.created_at,
        value.actor,
        value.why,
    )


def snapshot(value: Snapshot) -> SnapshotTold:
    """A snapshot."""
    return SnapshotTold(
        value.name, value.commit, value.branch, value.seq, value.created_at, value.actor, value.why
    )  # fmt: skip


def moment(value: Moment) -> MomentTold:
    """A moment."""
    return MomentTold(value.name, value.branch, None if value.seq >= SEQ_MAX else value.seq)


def difference(value: Difference, *, shown_max: int) -> DifferenceTold:
    """A difference, each part of it cut to what is to be shown."""
    return DifferenceTold(
        moment(value.before),
        moment(value.after),
        tuple(map(record, value.learned[:shown_max])),
        tuple(
            AlterationTold(str(one.after.address), one.fields, record(one.before), record(one.after))
            for one in value.changed[:shown_max]
        ),
        tuple(map(record, value.forgotten[:shown_max])),
        len(value.learned),
        len(value.changed),
        len(value.forgotten),
    )


def conflict(value: Conflict) -> ConflictTold:
    """A conflict."""
    sides = (record(side) if side is not None else None for side in (value.base, value.ours, value.theirs))
    return ConflictTold(str(value.address), value.fields, *sides)


def merge(value: Merged | Conflicts) -> MergeTold:
    """What became of a merge or a revert."""
    if isinstance(value, Conflicts):
        return MergeTold("conflicts", None, 0, (), tuple(map(conflict, value.conflicts)))
    made = commit(value.commit) if value.commit is not None else None
    return MergeTold("merged", made, value.taken, tuple(map(conflict, value.settled)), ())


def found(value: Found, at: Moment) -> FoundTold:
    """What a search found."""
    return FoundTold(tuple(map(hit, value.hits)), value.arms, value.unembedded, value.notes, moment(at))


def hit(value: Hit) -> HitTold:
    """A record that answers."""
    return HitTold(record(value.record), value.score, value.ranks, value.matched)


def blame(value: Blame) -> BlameTold:
    """Who set a field."""
    return BlameTold(value.field, value.value, commit(value.commit))


def turn(value: Turn | NoTurn) -> TurnTold:
    """When an answer changed."""
    if isinstance(value, NoTurn):
        return TurnTold(None, value.answer, value.answer, value.looks)
    return TurnTold(commit(value.commit), value.before, value.after, value.looks)


def verified(value: Verified) -> VerifiedTold:
    """What verifying found."""
    return VerifiedTold(
        not value.faults, value.commits, value.versions, value.erased, value.head, value.faults
    )  # fmt: skip


def erased(value: Erased) -> ErasedTold:
    """What was erased."""
    return ErasedTold(commit(value.commit), value.versions, tuple(map(str, value.addresses)), value.traces_gone)
