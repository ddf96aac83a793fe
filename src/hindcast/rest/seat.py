"""The door of the HTTP face: no route gets a space any other way than by asking here, with the permission it needs.

A route says what it needs by the type of its argument: `def show(seat: Reading, …)`. The seat names the caller, who is
the actor of whatever is written, and the space. Routes about an organisation (its projects, people, keys) take a
`Somebody`: a caller who is known, whose right is checked where it is used. That every route has one is a test.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Annotated

from fastapi import Depends, Header, Query
from starlette.requests import HTTPConnection

from hindcast.access import Access, Proof
from hindcast.config import Settings
from hindcast.model.access import Caller, CallerKind, Permission, space_of
from hindcast.model.audit import AUDIT_CHARS_MAX
from hindcast.model.errors import Malformed, Unidentified
from hindcast.rest.edge import ALLOWANCE
from hindcast.rest.limits import Buckets
from hindcast.rest.proof import COOKIE, SECURE_COOKIE, check_csrf, proof_of

SPACE_HEADER = "X-Hindcast-Space"


@dataclass(frozen=True, slots=True)
class Seat:
    """A caller who may do what the route needs, in the space that was asked for."""

    caller: Caller
    space: str

    @property
    def actor(self) -> str:
        """Who acts, as commits name them."""
        return self.caller.actor


@dataclass(frozen=True, slots=True)
class Doorkeeper:
    """Seats callers of one running Hindcast; kept as `app.state.doorkeeper`."""

    access: Access
    # Where a request goes that names no space, unless its caller has only one.
    space: str
    buckets: Buckets = field(default_factory=lambda: Buckets(0))
    # What the cookie of a session is called.
    cookie: str = COOKIE
    seconds: Callable[[], float] = time.monotonic

    def seat(
        self, connection: HTTPConnection, permission: Permission, space: str | None, *, body_key: str = ""
    ) -> Seat:
        """A seat for a request. Raises Malformed, Unidentified, Busy, Missing or Refused."""
        caller = self.caller(connection, is_sender=permission is Permission.INGEST, body_key=body_key)
        where = space or self.space_for(caller)
        connection.scope.setdefault("state", {})["space"] = where
        self.access.authorise(
            caller,
            permission,
            where,
            what=what_of(connection),
            subject=subject_of(connection, permission),
            peer=peer_of(connection),
        )
        return Seat(caller, where)

    def recognise(self, connection: HTTPConnection) -> None:
        """Raise unless it is known who makes a request."""
        self.access.caller(replace(self.proof(connection), what=what_of(connection)))

    def is_recognised(self, connection: HTTPConnection) -> bool:
        """Whether it is known who makes a request."""
        try:
            self.recognise(connection)
        except Unidentified:
            return False
        return True

    def caller(self, connection: HTTPConnection, *, is_sender: bool = False, body_key: str = "") -> Caller:
        """Who makes a request, within the limit of requests. Senders are limited by what waits to be written."""
        if len(connection.headers.getlist(SPACE_HEADER)) > 1 or len(connection.query_params.getlist("space")) > 1:
            raise Malformed("Two spaces are named.", field="space", remedy=f"Send {SPACE_HEADER} once.")
        proof = replace(proof_of(connection, cookie=self.cookie, body_key=body_key), what=what_of(connection))
        try:
            caller = self.access.caller(proof, is_sender=is_sender)
        except Unidentified:
            # Whoever tries keys is slowed down; those behind the same address who have a good one are not.
            self.buckets.take(f"address:{proof.peer}", now_seconds=self.seconds())
            raise
        state = connection.scope.setdefault("state", {})
        state["caller"] = caller
        if proof.session:
            check_csrf(connection, proof.session)
        # Whoever sits at this machine can stop the process: a limit would protect nobody.
        if not is_sender and caller.kind is not CallerKind.LOCAL:
            state[ALLOWANCE] = self.buckets.take(f"{caller.kind}:{caller.id}", now_seconds=self.seconds())
        return caller

    @classmethod
    def of(cls, access: Access, settings: Settings) -> Doorkeeper:
        """The doorkeeper that the settings ask for."""
        is_secure = settings.public_url.startswith("https:")
        cookie = SECURE_COOKIE if is_secure else COOKIE
        return cls(access, settings.space, Buckets(settings.requests_per_minute), cookie)

    def space_for(self, caller: Caller) -> str:
        """Where a request of a caller goes that names no space."""
        return _only_space(caller) or self.space

    def proof(self, connection: HTTPConnection) -> Proof:
        """What a request brings to say who it comes from."""
        return proof_of(connection, cookie=self.cookie)


def peer_of(connection: HTTPConnection) -> str:
    """The address that a request came from."""
    return connection.client.host if connection.client else ""


def what_of(connection: HTTPConnection) -> str:
    """What a request wants, as the audit trail names it: the route, without the ids and keys that fill it."""
    route = connection.scope.get("route")
    path = getattr(route, "path", None) or connection.scope["path"]
    return f"{connection.scope.get('method', 'GET')} {path}"


def subject_of(connection: HTTPConnection, permission: Permission) -> str:
    """What a request is about: the ids that fill its route. An index that a sender makes up is about nothing."""
    if permission is Permission.INGEST:
        return ""
    return " ".join(str(value) for value in connection.path_params.values())[:AUDIT_CHARS_MAX]


def _only_space(caller: Caller) -> str:
    """The space of a caller who has rights in one project and nowhere else, such as a key for ingest."""
    if len(caller.rights) == 1 and caller.rights[0].project:
        return space_of(caller.rights[0].organisation, caller.rights[0].project)
    return ""


@dataclass(frozen=True, slots=True)
class NeedsAtHome:
    """What a route about the installation itself needs, in the space that it is at home in."""

    permission: Permission

    def __call__(self, connection: HTTPConnection) -> Seat:
        """A seat, or the reason why there is none."""
        doorkeeper = doorkeeper_of(connection)
        return doorkeeper.seat(connection, self.permission, doorkeeper.space)


@dataclass(frozen=True, slots=True)
class Needs:
    """What a route needs, as a dependency of FastAPI."""

    permission: Permission

    def __call__(
        self,
        connection: HTTPConnection,
        header: Annotated[
            str | None, Header(alias=SPACE_HEADER, description="The space; the default if unsaid.")
        ] = None,
        space: Annotated[str | None, Query(description="The same, where no header can be sent.")] = None,
    ) -> Seat:
        """A seat, or the reason why there is none."""
        if header and space and header != space:
            raise Malformed("Two spaces are named.", field="space", remedy=f"Give one: {SPACE_HEADER} or ?space=.")
        return doorkeeper_of(connection).seat(connection, self.permission, header or space)


def doorkeeper_of(connection: HTTPConnection) -> Doorkeeper:
    """The doorkeeper of the application that a request reached."""
    doorkeeper: Doorkeeper = connection.app.state.doorkeeper
    return doorkeeper


def somebody(connection: HTTPConnection) -> Caller:
    """A caller who is known; what they may do is checked where they do it."""
    return doorkeeper_of(connection).caller(connection)


Ingesting = Annotated[Seat, Depends(Needs(Permission.INGEST))]
Reading = Annotated[Seat, Depends(Needs(Permission.READ))]
Recording = Annotated[Seat, Depends(Needs(Permission.RECORD))]
Responding = Annotated[Seat, Depends(Needs(Permission.RESPOND))]
Maintaining = Annotated[Seat, Depends(Needs(Permission.MAINTAIN))]
Administering = Annotated[Seat, Depends(Needs(Permission.ADMINISTER))]
Operating = Annotated[Seat, Depends(NeedsAtHome(Permission.ADMINISTER))]
Somebody = Annotated[Caller, Depends(somebody)]
