"""An `Access` on a store of its own, with a clock to move and passwords that are quick to hash."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path

from argon2 import PasswordHasher

from hindcast.access import Access, Office, Proof
from hindcast.access.signing import SignedIn
from hindcast.adapters.accounts_sql import SqlAccounts, open_accounts_store
from hindcast.adapters.audit_trail import AuditTrail
from hindcast.adapters.clock import ManualClock
from hindcast.adapters.passwords_argon2 import Argon2Passwords
from hindcast.model.access import HOME, Caller, Role
from hindcast.model.audit import AuditEntry, AuditFilter

START = datetime(2026, 11, 16, 2, 0, tzinfo=UTC)
PASSWORD = "correct horse battery staple"
PEER = "192.0.2.7"
# What proves that somebody is at the machine of the installation.
TOKEN = "ht_of-this-machine"


@dataclass
class CountedPasswords(Argon2Passwords):
    """Argon2 as weak as it goes, which counts how often it was asked."""

    asked: int = 0
    _hasher: PasswordHasher = field(default_factory=lambda: PasswordHasher(1, 8, 1))

    def is_right(self, password: str, kept: str) -> bool:
        """Whether a password is the one that this was made of."""
        self.asked += 1
        return super().is_right(password, kept)


@dataclass
class Desk:
    """An installation that nobody runs: its access, its clock, and what it is made of."""

    access: Access
    accounts: SqlAccounts
    trail: AuditTrail
    clock: ManualClock
    passwords: CountedPasswords

    @property
    def operator(self) -> Caller:
        """Whoever can open the store."""
        return self.access.operator

    def later(self, **step: float) -> datetime:
        """Let time pass."""
        return self.clock.move(timedelta(**step))

    def join(
        self,
        email: str,
        role: Role = Role.ADMIN,
        *,
        organisation: str = HOME,
        project: str = "",
        password: str = PASSWORD,
    ) -> SignedIn:
        """Invite somebody, who takes up the link at once."""
        made = self.access.people.invite(email, role, organisation=organisation, project=project, by=self.operator)
        return self.access.signing.accept(made.secret, password=password, peer=PEER)

    def again(self, signed_in: SignedIn) -> Caller:
        """Whom the next request with somebody's cookie comes from."""
        return self.access.caller(Proof(session=signed_in.secret, peer=PEER))

    def told(self, organisation: str = HOME) -> list[AuditEntry]:
        """What the audit trail says so far, oldest first."""
        self.trail.flush()
        return list(self.accounts.entries(organisation, AuditFilter(is_oldest_first=True, entries_max=1_000)))

    def close(self) -> None:
        """Let go of the store."""
        self.access.close()


def desk(folder: Path, *, is_proof_required: bool | None = True, clock: ManualClock | None = None) -> Desk:
    """An access on a store in a folder, whose space `local` is a project already."""
    moved, accounts, passwords = clock or ManualClock(START), open_accounts_store(folder), CountedPasswords()
    trail = AuditTrail(accounts, moved)
    office = Office(accounts, trail, moved, os.urandom, passwords)
    token = "" if is_proof_required else TOKEN
    access = Access(office, actor="op", is_proof_required=is_proof_required, token=token)
    access.begin("local")
    return Desk(access, accounts, trail, moved, passwords)
