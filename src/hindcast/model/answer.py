"""What memory's verbs answer with: differences, merges and conflicts, blame, bisection, verification, erasure."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from hindcast.model.ids import Address
from hindcast.model.query import Hit
from hindcast.model.record import Commit, Json, Record, Scope


@dataclass(frozen=True, slots=True)
class Moment:
    """A place in history that reads can be made at: everything visible at one step of one branch."""

    branch: str
    seq: int
    scope: Scope
    # What the caller called it.
    name: str


@dataclass(frozen=True, slots=True)
class Alteration:
    """One address whose record differs between two moments."""

    before: Record
    after: Record
    # The dotted fields that differ; empty when the bodies are not both objects.
    fields: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Difference:
    """What was learned, changed and forgotten from one moment to another."""

    before: Moment
    after: Moment
    learned: tuple[Record, ...]
    changed: tuple[Alteration, ...]
    forgotten: tuple[Record, ...]


class Policy(StrEnum):
    """Who wins where both sides changed the same field differently."""

    ASK = "ask"
    OURS = "ours"
    THEIRS = "theirs"
    NEWEST = "newest"


@dataclass(frozen=True, slots=True)
class Conflict:
    """One address that two sides changed in ways that cannot both hold. None: that side has no record there."""

    address: Address
    fields: tuple[str, ...]
    base: Record | None
    ours: Record | None
    theirs: Record | None


@dataclass(frozen=True, slots=True)
class Conflicts:
    """Nothing was written: a person (or a policy) has to choose."""

    conflicts: tuple[Conflict, ...]
    # The heads that were compared, to be given back as expectations when the choices are made.
    ours: Moment
    theirs: Moment


@dataclass(frozen=True, slots=True)
class Merged:
    """Both sides are joined. `commit` is None when there was nothing to do."""

    commit: Commit | None
    taken: int
    # Fields on which the policy or a choice decided.
    settled: tuple[Conflict, ...] = ()


@dataclass(frozen=True, slots=True)
class Instead:
    """A body of one's own, where neither side has it right."""

    body: Json


# How one conflict is to be settled.
Choice = Policy | Instead


@dataclass(frozen=True, slots=True)
class Blame:
    """Who last set one field of a record. The empty field is the whole body."""

    field: str
    value: Json
    commit: Commit


@dataclass(frozen=True, slots=True)
class Turn:
    """The commit at which an answer changed, and how many moments were looked at to find it."""

    commit: Commit
    before: Json
    after: Json
    looks: int


@dataclass(frozen=True, slots=True)
class NoTurn:
    """The answer is the same at both ends."""

    answer: Json
    looks: int


@dataclass(frozen=True, slots=True)
class Fault:
    """One place where the stored bytes are not what the chain says they were."""

    where: str
    what: str


@dataclass(frozen=True, slots=True)
class Verified:
    """What `verify` looked at, and every fault it found."""

    commits: int
    versions: int
    erased: int
    head: str | None
    faults: tuple[Fault, ...]


@dataclass(frozen=True, slots=True)
class Erased:
    """What an erasure removed. The commit says so for ever; the bodies are gone."""

    commit: Commit
    versions: int
    addresses: tuple[Address, ...]
    # False while another process still reads an older state of the file; `erase` again finishes the job.
    traces_gone: bool


@dataclass(frozen=True, slots=True)
class Presence:
    """What one namespace held at a moment that resembles what was asked."""

    namespace: str
    hits: tuple[Hit, ...]
    records: int
    last_learned_at: datetime
