"""Who may do what, and where: roles of people, powers of keys, and the caller that a request turns out to be.

A space is `organisation/project`, or a bare name, which belongs to the organisation that this installation is at home
in. Whatever is asked, a caller has rights; what the rights do not cover does not exist for the caller.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

# The organisation of bare spaces, such as `local` and `demo`.
HOME = "home"


class Permission(StrEnum):
    """What a request needs. Each route, tool and stream names exactly one."""

    INGEST = "ingest"
    READ = "read"
    # Say what was tried, what was noticed, whether a memory was right.
    RECORD = "record"
    # Decide about incidents: resolve, confirm, reopen, split, join.
    RESPOND = "respond"
    # Change what is remembered and how: commits, branches, merges, imports, shares.
    MAINTAIN = "maintain"
    # People, keys, projects, retention, erasure, the audit trail.
    ADMINISTER = "administer"


class Role(StrEnum):
    """What a person is in a project, from the least to the most."""

    VIEWER = "viewer"
    RESPONDER = "responder"
    MAINTAINER = "maintainer"
    ADMIN = "admin"


class Power(StrEnum):
    """What a key is for."""

    INGEST = "ingest"
    READ = "read"
    WRITE = "write"
    AGENT = "agent"


_READER = frozenset({Permission.READ})
_RESPONDER = _READER | {Permission.RECORD, Permission.RESPOND}
_MAINTAINER = _RESPONDER | {Permission.MAINTAIN, Permission.INGEST}

ROLE_PERMISSIONS: Mapping[Role, frozenset[Permission]] = {
    Role.VIEWER: _READER,
    Role.RESPONDER: _RESPONDER,
    Role.MAINTAINER: _MAINTAINER,
    Role.ADMIN: frozenset(Permission),
}
# No key administers: who holds one could make others, and revoking the first would end nothing.
POWER_PERMISSIONS: Mapping[Power, frozenset[Permission]] = {
    Power.INGEST: frozenset({Permission.INGEST}),
    Power.READ: _READER,
    # Records what it tried and learnt; deciding that an incident is over stays with people.
    Power.AGENT: _READER | {Permission.RECORD},
    Power.WRITE: _MAINTAINER,
}


class CallerKind(StrEnum):
    """How somebody was recognised."""

    # Whoever sits at this machine, while nobody has to sign in.
    LOCAL = "local"
    PERSON = "person"
    KEY = "key"


@dataclass(frozen=True, slots=True)
class Right:
    """What may be done in one project, or (with no project) in every project of an organisation and to itself."""

    permissions: frozenset[Permission]
    organisation: str
    project: str = ""

    def covers(self, space: str) -> bool:
        """Whether a space lies within it."""
        return self.organisation == organisation_of(space) and self.project in ("", project_of(space))


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks."""

    kind: CallerKind
    # Stable; empty for whoever sits at this machine.
    id: str
    # How commits and the audit trail name the caller, for example ana@example.com or key:deploy-bot.
    actor: str
    rights: tuple[Right, ...] = ()

    def permissions_in(self, space: str) -> frozenset[Permission]:
        """What the caller may do in a space. Nothing at all means that it does not exist for the caller."""
        if self.kind is CallerKind.LOCAL:
            return frozenset(Permission)
        return frozenset().union(*(right.permissions for right in self.rights if right.covers(space)))

    def permissions_over(self, organisation: str) -> frozenset[Permission]:
        """What the caller may do to an organisation itself: its projects, its people, its keys."""
        if self.kind is CallerKind.LOCAL:
            return frozenset(Permission)
        whole = (one for one in self.rights if one.organisation == organisation and not one.project)
        return frozenset().union(*(right.permissions for right in whole))


def organisation_of(space: str) -> str:
    """The organisation that a space belongs to."""
    organisation, slash, _ = space.partition("/")
    return organisation if slash else HOME


def project_of(space: str) -> str:
    """The project that a space is, within its organisation."""
    return space.rpartition("/")[2]


def space_of(organisation: str, project: str) -> str:
    """The space of a project."""
    return project if organisation == HOME else f"{organisation}/{project}"
