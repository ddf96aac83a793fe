"""People, keys and the audit trail."""

from __future__ import annotations

from contextlib import AbstractContextManager
from datetime import datetime
from typing import Protocol, TypeVar

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
