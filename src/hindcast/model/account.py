"""Organisations, projects, people and keys, as they are kept. None of these values holds a secret.

What proves somebody (a password's hash, the digest of a key) is a `Credential` beside them, so that whatever shows a
person or a key to somebody cannot show that by accident.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from enum import StrEnum

from hindcast.model.access import (
    POWER_PERMISSIONS,
    ROLE_PERMISSIONS,
    Power,
    Right,
    Role,
    organisation_of,
    project_of,
    space_of,
)
from hindcast.model.errors import Malformed

# Two names and a slash stay within what a space may be called.
ACCOUNT_NAME_CHARS_MAX = 80
# What mail servers accept at most (RFC 5321).
EMAIL_CHARS_MAX = 254
TITLE_CHARS_MAX = 100
# Longer passwords are easier to remember and harder to guess; a sentence has to fit, a megabyte to hash has not.
PASSWORD_CHARS_MIN = 12
PASSWORD_CHARS_MAX = 1_024

# A working day, with some room: whoever left for the night signs in again in the morning.
SESSION_IDLE = timedelta(hours=12)
SESSION_AGE_MAX = timedelta(days=14)
INVITATION_AGE_MAX = timedelta(hours=24)

_NAME = re.compile(r"[a-z0-9][a-z0-9_-]*")
# Whether an address exists only a message can tell; this keeps out what can be none.
_EMAIL = re.compile(r"[^@\s\x00-\x1f\x7f\"'<>,;:\\()\[\]]+@[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?")


def check_account_name(name: str, *, field: str) -> str:
    """The name of an organisation or a project, if it can be one."""
    if len(name) > ACCOUNT_NAME_CHARS_MAX or not _NAME.fullmatch(name):
        raise Malformed(
            f"{name[:ACCOUNT_NAME_CHARS_MAX]!r} cannot name a {field}.",
            field=field,
            remedy=f"Use up to {ACCOUNT_NAME_CHARS_MAX} lower-case letters, digits, - and _, as in payments-eu.",
        )
    return name


def check_email(email: str) -> str:
    """An e-mail address as it is compared: without spaces around it, in lower case."""
    found = email.strip().lower()
    if len(found) > EMAIL_CHARS_MAX or not _EMAIL.fullmatch(found) or not found.isprintable():
        raise Malformed(
            f"{email[:80]!r} is not an e-mail address.", field="email", remedy="Write it as in ana@example.com."
        )
    return found


def check_title(title: str, *, field: str) -> str:
    """What people call something: one printable line."""
    found = title.strip()
    if not found or len(found) > TITLE_CHARS_MAX or not found.isprintable():
        raise Malformed(
            f"{title[:40]!r} is not a name.",
            field=field,
            remedy=f"Give 1 to {TITLE_CHARS_MAX} printable characters on one line.",
        )
    return found


def check_password(password: str, *, email: str) -> str:
    """A password that somebody wants to have from now on."""
    if not PASSWORD_CHARS_MIN <= len(password) <= PASSWORD_CHARS_MAX:
        raise Malformed(
            f"A password has {PASSWORD_CHARS_MIN} to {PASSWORD_CHARS_MAX} characters.",
            field="password",
            remedy="Take a sentence, or let a password manager make one.",
        )
    if any("\ud800" <= char <= "\udfff" for char in password):
        raise Malformed("The password holds what is no character.", field="password", remedy="Type it again.")
    if password.lower() in (email, email.partition("@")[0]) or len(set(password)) < PASSWORD_CHARS_MIN // 3:
        raise Malformed(
            "This password is among the first that anybody would try.",
            field="password",
            remedy="Take a sentence, or let a password manager make one.",
        )
    return password


def split_space(space: str) -> tuple[str, str]:
    """The organisation and the project of a space. Raises Malformed where it cannot be a space."""
    organisation, project = organisation_of(space), project_of(space)
    check_account_name(organisation, field="organisation")
    check_account_name(project, field="project")
    if space != space_of(organisation, project):
        raise Malformed(f"{space!r} is not a space.", field="space", remedy=f"Write {space_of(organisation, project)}.")
    return organisation, project


@dataclass(frozen=True, slots=True)
class Organisation:
    """Whoever owns projects: a company, a department. Nothing is shared between two of them."""

    name: str
    created_at: datetime
    created_by: str

    def __post_init__(self) -> None:
        check_account_name(self.name, field="organisation")


@dataclass(frozen=True, slots=True)
class Project:
    """One space of an organisation, known by name to whoever has a right in it."""

    organisation: str
    name: str
    created_at: datetime
    created_by: str
    # Since when nothing is added any more; what is remembered can still be read.
    archived_at: datetime | None = None

    def __post_init__(self) -> None:
        check_account_name(self.organisation, field="organisation")
        check_account_name(self.name, field="project")

    @property
    def space(self) -> str:
        """The space that it is."""
        return space_of(self.organisation, self.name)


@dataclass(frozen=True, slots=True)
class Person:
    """Somebody who signs in."""

    id: str
    # In lower case; no two people have the same.
    email: str
    name: str
    created_at: datetime
    # Who an identity provider says that this is, as `issuer subject`; empty for whoever has a password.
    identity: str = ""

    def __post_init__(self) -> None:
        check_email(self.email)
        check_title(self.name, field="name")


@dataclass(frozen=True, slots=True)
class Membership:
    """What a person is: in one project or, with no project, in the whole organisation."""

    person: str
    organisation: str
    project: str
    role: Role
    since: datetime
    by: str

    @property
    def right(self) -> Right:
        """What it lets the person do, and where."""
        return Right(ROLE_PERMISSIONS[self.role], self.organisation, self.project)

    @property
    def is_whole_admin(self) -> bool:
        """Whether it keeps an organisation from being without an admin."""
        return self.role is Role.ADMIN and not self.project


@dataclass(frozen=True, slots=True)
class Key:
    """What a program proves itself with. Its secret was shown once and is nowhere."""

    id: str
    name: str
    organisation: str
    # Empty: every project of the organisation.
    project: str
    power: Power
    created_at: datetime
    created_by: str
    expires_at: datetime | None = None
    revoked_at: datetime | None = None
    # Right to the minute: writing it down at every request would cost more than the request.
    last_used_at: datetime | None = None

    def __post_init__(self) -> None:
        check_title(self.name, field="name")
        check_account_name(self.organisation, field="organisation")
        if self.project:
            check_account_name(self.project, field="project")
        elif self.power is Power.INGEST:
            raise Malformed(
                "A key that ingests is for one project.",
                field="project",
                remedy="Name the project: senders cannot say for which of several their records are.",
            )
        if self.expires_at is not None and self.expires_at <= self.created_at:
            raise Malformed(
                "The key would have expired already.", field="expires_at", remedy="Give a time in the future, or none."
            )

    @property
    def space(self) -> str:
        """The one space that it is for; empty where it is for all of an organisation."""
        return space_of(self.organisation, self.project) if self.project else ""

    @property
    def right(self) -> Right:
        """What it lets its holder do, and where."""
        return Right(POWER_PERMISSIONS[self.power], self.organisation, self.project)

    def is_good(self, now: datetime) -> bool:
        """Whether it is neither revoked nor expired."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


@dataclass(frozen=True, slots=True)
class Session:
    """Somebody who signed in, in one browser."""

    id: str
    person: str
    created_at: datetime
    # Right to the minute.
    last_seen_at: datetime
    peer: str = ""

    @property
    def expires_at(self) -> datetime:
        """When it ends if nobody uses it until then."""
        return min(self.last_seen_at + SESSION_IDLE, self.created_at + SESSION_AGE_MAX)

    def is_good(self, now: datetime) -> bool:
        """Whether it has not ended by itself."""
        return now < self.expires_at


class Purpose(StrEnum):
    """What a one-time link is for."""

    JOIN = "join"
    PASSWORD = "password"  # noqa: S105


@dataclass(frozen=True, slots=True)
class Invitation:
    """A one-time link: to become a member, or to choose another password."""

    id: str
    purpose: Purpose
    # Empty for the very first admin, whom nobody knows yet.
    email: str
    organisation: str
    project: str
    role: Role
    created_at: datetime
    created_by: str
    expires_at: datetime

    def __post_init__(self) -> None:
        if self.email:
            check_email(self.email)
        check_account_name(self.organisation, field="organisation")

    def is_good(self, now: datetime) -> bool:
        """Whether it can still be used; one that was used is gone."""
        return now < self.expires_at


@dataclass(frozen=True, slots=True)
class Credential:
    """What a proof is compared with: the hash of a password, or the digest of a secret. It never leaves the store."""

    # "password PERSON", "key ID", "session ID" or "invitation ID".
    owner: str
    kept: str = field(repr=False)


@dataclass(frozen=True, slots=True)
class Failures:
    """How often signing in went wrong lately, from one address or for one account."""

    bucket: str
    count: int
    last_at: datetime
