"""The door of the HTTP face: no route gets a space any other way than by asking here, with the permission it needs.

A route says what it needs by the type of its argument: `def show(seat: Reading, …)`. The seat names the caller, who is
the actor of whatever is written, and the space. That every route has one is a test.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, Header, Query
from starlette.requests import HTTPConnection

from hindcast.access import Access, Proof
from hindcast.model.access import Caller, Permission
from hindcast.model.errors import Malformed

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
    # Where a request goes that names no space.
    space: str

    def seat(self, connection: HTTPConnection, permission: Permission, space: str | None) -> Seat:
        """A seat for a request. Raises Unidentified, Missing or Refused."""
        caller = self.access.caller(proof_of(connection))
        where = space or self.space
        self.access.authorise(caller, permission, where)
        return Seat(caller, where)


def proof_of(connection: HTTPConnection) -> Proof:
    """What a request brings to say who it comes from."""
    scheme, _, given = connection.headers.get("Authorization", "").partition(" ")
    return Proof(
        key=given.strip() if scheme.lower() == "bearer" else "",
        peer=connection.client.host if connection.client else "",
    )


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
        doorkeeper: Doorkeeper = connection.app.state.doorkeeper
        return doorkeeper.seat(connection, self.permission, header or space)


Ingesting = Annotated[Seat, Depends(Needs(Permission.INGEST))]
Reading = Annotated[Seat, Depends(Needs(Permission.READ))]
Recording = Annotated[Seat, Depends(Needs(Permission.RECORD))]
Responding = Annotated[Seat, Depends(Needs(Permission.RESPOND))]
Maintaining = Annotated[Seat, Depends(Needs(Permission.MAINTAIN))]
Administering = Annotated[Seat, Depends(Needs(Permission.ADMINISTER))]
