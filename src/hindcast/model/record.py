"""What is remembered: records, the changes that make them, and the commits, branches and snapshots that hold them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from enum import IntEnum, StrEnum

from hindcast.model.ids import Address

# Any JSON value. A body is data: whoever receives one must not change it in place.
Json = Mapping[str, "Json"] | Sequence["Json"] | str | int | float | bool | None

MAIN = "main"
DEFAULT_KIND = "fact"


class State(IntEnum):
    """What a version says of its address from its commit on."""

    LIVE = 0
    # Somebody took it back: it is no longer true, though it was known.
    RETRACTED = 1
    # Policy put it aside: it fades from today's answers, and nobody has said that it is wrong.
    ARCHIVED = 2
    # The bodies are gone for ever, by legal duty; the chain still shows that something was here.
    ERASED = 3


class Action(StrEnum):
    """What kind of step a commit is."""

    COMMIT = "commit"
    MERGE = "merge"
    REVERT = "revert"
    ARCHIVE = "archive"
    ERASE = "erase"


@dataclass(frozen=True, slots=True)
class Change:
    """One intended change to one address: a new body, or (state RETRACTED or ARCHIVED) its end."""

    address: Address
    body: Json = None
    kind: str = DEFAULT_KIND
    # What search reads. None: the words found in the body and the path.
    text: str | None = None
    # When it happened, if that differs from when it is learnt.
    occurred_at: datetime | None = None
    state: State = State.LIVE
    # The version this one carries over from another branch, so that blame can follow it home.
    origin: int | None = None


@dataclass(frozen=True, slots=True)
class Record:
    """One version of one address, as it was remembered by one commit."""

    address: Address
    body: Json
    kind: str
    state: State
    text: str | None
    # When it happened, and when it was learnt: the two clocks.
    occurred_at: datetime
    learned_at: datetime
    actor: str
    commit: str
    seq: int
    version: int
    origin: int | None = None

    @property
    def namespace(self) -> str:
        """The namespace it lives in."""
        return self.address.namespace

    @property
    def path(self) -> str:
        """The dotted path inside the namespace."""
        return self.address.path


@dataclass(frozen=True, slots=True)
class Commit:
    """One step of history: who changed what, when and why. Its id covers its content and all that came before."""

    seq: int
    id: str
    branch: str
    parent: str | None
    merge_parent: str | None
    at: datetime
    actor: str
    why: str
    action: Action
    # What the action needs to say beyond its versions, such as what was erased.
    detail: Json
    # The versions it wrote are those numbered first_version up to and including last_version.
    first_version: int
    last_version: int

    @property
    def changes(self) -> int:
        """How many addresses it changed."""
        return self.last_version - self.first_version + 1


@dataclass(frozen=True, slots=True)
class Branch:
    """A line of history. `fork_seq` is the last step it shares with its parent."""

    number: int
    name: str
    parent: str | None
    fork_seq: int
    head_seq: int
    # The commit at its head; None while nothing has been written at all.
    head: str | None
    created_at: datetime
    actor: str
    why: str


@dataclass(frozen=True, slots=True)
class Snapshot:
    """A name for a commit, given once and never moved."""

    name: str
    commit: str
    branch: str
    seq: int
    created_at: datetime
    actor: str
    why: str


# Which versions a read may see: branch number and last step, nearest branch first.
Scope = tuple[tuple[int, int], ...]

# Later than any step: "whatever the branch holds by now".
SEQ_MAX = 2**62


def inside(held: Json, name: str) -> tuple[Json, bool]:
    """What a value holds in one dotted field. A field's own name may have dots, so the longest match wins."""
    if not name:
        return held, True
    if not isinstance(held, Mapping):
        return None, False
    if name in held:
        return held[name], True
    for place in [index for index, char in enumerate(name) if char == "."][::-1]:
        if name[:place] in held:
            return inside(held[name[:place]], name[place + 1 :])
    return None, False
