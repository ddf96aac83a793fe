"""What the parts of access share: the accounts, the trail, time and chance, and one way to change anything.

A change and its audit entry are one transaction. A change that was refused is an entry as well.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime

from hindcast.model.access import HOME, Caller, CallerKind, Permission, organisation_of, space_of
from hindcast.model.account import Organisation, Project
from hindcast.model.audit import AuditEntry, Decision
from hindcast.model.errors import HindcastError, Missing, Refused
from hindcast.ports import Accounts, Clock, Entropy, Ledger, Passwords, Trail

NOBODY = "nobody"


@dataclass(slots=True)
class Office:
    """Where changes are made and written down."""

    accounts: Accounts
    trail: Trail
    clock: Clock
    entropy: Entropy
    passwords: Passwords
    # Told after every change that was made here.
    listeners: list[Callable[[], None]] = field(default_factory=list)

    def now(self) -> datetime:
        """The present."""
        return self.clock.now()

    @contextmanager
    def changing(
        self, by: Caller, what: str, *, organisation: str, project: str = "", subject: str = "", peer: str = ""
    ) -> Iterator[Ledger]:
        """A transaction that ends with its audit entry. If it is refused, only the entry is written, saying so."""
        space = space_of(organisation, project) if project else ""
        entry = self.entry(by, what, organisation=organisation, space=space, subject=subject, peer=peer)
        try:
            with self.accounts.write() as ledger:
                yield ledger
                ledger.append(entry)
        except (Refused, Missing):
            self.trail.write(self.refused(entry), is_repeated=True)
            raise
        self.tell()

    def look(self, by: Caller, what: str, *, organisation: str, project: str = "") -> None:
        """Raise unless the caller administers what they want to look at; either way it is written down."""
        space = space_of(organisation, project) if project else ""
        entry = self.entry(by, what, organisation=organisation, space=space)
        try:
            require_admin(self.accounts, by, organisation, project)
        except (Refused, Missing):
            self.trail.write(self.refused(entry), is_repeated=True)
            raise
        self.trail.note(entry, is_repeated=True)

    def tell(self) -> None:
        """Let whoever listens know that something has changed."""
        for listener in tuple(self.listeners):
            listener()

    def entry(
        self, by: Caller, what: str, *, organisation: str = "", space: str = "", subject: str = "", peer: str = ""
    ) -> AuditEntry:
        """An entry of the present moment."""
        owner = organisation or (organisation_of(space) if space else HOME)
        return AuditEntry(self.now(), owner, by.actor, str(by.kind), by.id, what, space, subject, peer=peer)

    def refused(self, entry: AuditEntry) -> AuditEntry:
        """The same as a refusal. What names an organisation that is none stands in the trail of home."""
        known = entry.organisation == HOME or self.accounts.get(Organisation, entry.organisation) is not None
        return AuditEntry(
            at=entry.at,
            organisation=entry.organisation if known else HOME,
            actor=entry.actor,
            kind=entry.kind,
            caller=entry.caller,
            what=entry.what,
            space=entry.space,
            subject=entry.subject,
            outcome=Decision.REFUSED,
            peer=entry.peer,
        )


def require_admin(ledger: Accounts | Ledger, by: Caller, organisation: str, project: str = "") -> None:
    """Raise unless the caller administers a project, or (with no project) an organisation, that exists."""
    if not is_known(by, organisation) or ledger.get(Organisation, organisation) is None:
        raise no_organisation(organisation)
    allowed = by.permissions_over(organisation)
    if project:
        allowed |= by.permissions_in(space_of(organisation, project))
        if not allowed or ledger.get(Project, organisation, project) is None:
            raise no_space(space_of(organisation, project))
    if Permission.ADMINISTER not in allowed:
        where = f"the project {project!r}" if project else f"the whole organisation {organisation!r}"
        raise Refused(
            f"This needs an admin of {where}.",
            field="permission",
            remedy="Ask one of its admins to do it, or for the role.",
        )


def is_known(by: Caller, organisation: str) -> bool:
    """Whether an organisation exists for a caller."""
    return by.kind is CallerKind.LOCAL or any(right.organisation == organisation for right in by.rights)


def no_space(space: str) -> HindcastError:
    """The one way to say that a space is not there, whoever asks and whatever the reason."""
    return Missing(
        f"There is no space {space[:200]!r}.",
        field="space",
        remedy="Yours are listed: GET /api/v1/spaces, or `hindcast project list`.",
    )


def no_organisation(name: str) -> HindcastError:
    """The one way to say that an organisation is not there."""
    return Missing(
        f"There is no organisation {name[:200]!r}.",
        field="organisation",
        remedy="Yours are listed: `hindcast organisation list`.",
    )
