"""People of an organisation: who there is, invitations, roles."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from fastapi import FastAPI
from pydantic import BaseModel, ConfigDict
from starlette.responses import Response

from hindcast.access import Access
from hindcast.access.people import Invited, Member
from hindcast.config import Settings
from hindcast.model.access import Caller, Role
from hindcast.model.account import Invitation, Membership
from hindcast.model.errors import Missing
from hindcast.rest.conditions import IfMatch
from hindcast.rest.organisation import (
    Email,
    Id,
    Name,
    OfOrganisation,
    check_match,
    organisation_for,
    page_of,
    tag_of,
)
from hindcast.rest.paging import ITEMS_IF_UNSAID, Cursor, Limit, Page
from hindcast.rest.seat import Somebody
from hindcast.rest.session import NO_STORE


class InvitationWanted(BaseModel):
    """Somebody who is to become a member."""

    model_config = ConfigDict(extra="forbid")
    email: Email
    role: Role
    organisation: Name | None = None
    # The whole organisation if left out.
    project: Name | None = None


class RoleWanted(BaseModel):
    """What somebody is to be."""

    model_config = ConfigDict(extra="forbid")
    role: Role
    organisation: Name | None = None
    project: Name | None = None


@dataclass(frozen=True, slots=True)
class MembershipSeen:
    """What somebody is, where."""

    organisation: str
    # Empty: in the whole organisation.
    project: str
    role: Role
    since: datetime
    by: str


@dataclass(frozen=True, slots=True)
class MemberSeen:
    """A person of an organisation."""

    id: str
    email: str
    name: str
    memberships: tuple[MembershipSeen, ...]


@dataclass(frozen=True, slots=True)
class Link:
    """An invitation with its one-time link, which is told once."""

    invitation: Invitation
    link: str


def add(app: FastAPI, access: Access, settings: Settings) -> None:
    """Add the routes."""
    _add_members(app, access)
    _add_invitations(app, access, settings)


def _add_members(app: FastAPI, access: Access) -> None:
    @app.get("/api/v1/members", tags=["members"], operation_id="members_list")
    def list_members(
        caller: Somebody, organisation: OfOrganisation = None, cursor: Cursor = None, limit: Limit = ITEMS_IF_UNSAID
    ) -> Page[MemberSeen]:
        """The people of an organisation, with what they are in which project."""
        found = access.people.list(organisation_for(caller, organisation), by=caller)
        return page_of([_seen(one) for one in found], lambda one: one.email, cursor, limit)

    @app.get("/api/v1/members/{person}", tags=["members"], operation_id="member_get")
    def show(person: Id, caller: Somebody, response: Response, organisation: OfOrganisation = None) -> MemberSeen:
        """One of them, by id or address."""
        return _tagged(_found(access, caller, organisation_for(caller, organisation), person), response)

    @app.put("/api/v1/members/{person}/role", tags=["members"], operation_id="member_role_set")
    def set_role(person: Id, said: RoleWanted, caller: Somebody, if_match: IfMatch = None) -> MembershipSeen:
        """Make somebody a viewer, responder, maintainer or admin, of one project or of the whole organisation."""
        organisation = organisation_for(caller, said.organisation)
        if if_match is not None:
            check_match(if_match, _found(access, caller, organisation, person))
        made = access.people.set_role(
            person, said.role, organisation=organisation, project=said.project or "", by=caller
        )
        return _membership(made)

    @app.delete("/api/v1/members/{person}", tags=["members"], operation_id="member_remove", status_code=204)
    def remove(person: Id, caller: Somebody, organisation: OfOrganisation = None, project: Name | None = None) -> None:
        """Take somebody out of a project, or out of the whole organisation. It counts from the next request on."""
        access.people.remove(
            person, organisation=organisation_for(caller, organisation), project=project or "", by=caller
        )


def _add_invitations(app: FastAPI, access: Access, settings: Settings) -> None:
    address = settings.public_url or f"http://{settings.host}:{settings.port}"

    def told(made: Invited, response: Response) -> Link:
        response.headers.update(NO_STORE)
        return Link(made.invitation, made.link(address))

    @app.post("/api/v1/members", tags=["members"], operation_id="member_invite", status_code=201)
    def invite(said: InvitationWanted, caller: Somebody, response: Response) -> Link:
        """Invite somebody. Send them the link: it works once, for a day, and is not told again."""
        made = access.people.invite(
            said.email,
            said.role,
            organisation=organisation_for(caller, said.organisation),
            project=said.project or "",
            by=caller,
        )
        return told(made, response)

    @app.post(
        "/api/v1/members/{person}/password-link", tags=["members"], operation_id="password_link_add", status_code=201
    )
    def password_link(person: Id, caller: Somebody, response: Response) -> Link:
        """A one-time link by which somebody who forgot their password chooses another."""
        return told(access.people.password_link(person, by=caller), response)

    @app.get("/api/v1/invitations", tags=["members"], operation_id="invitations_list")
    def list_invitations(
        caller: Somebody, organisation: OfOrganisation = None, cursor: Cursor = None, limit: Limit = ITEMS_IF_UNSAID
    ) -> Page[Invitation]:
        """Invitations that nobody has followed yet."""
        found = access.people.invitations(organisation_for(caller, organisation), by=caller)
        return page_of(found, lambda one: one.id, cursor, limit)

    @app.delete(
        "/api/v1/invitations/{invitation_id}", tags=["members"], operation_id="invitation_withdraw", status_code=204
    )
    def withdraw(invitation_id: Id, caller: Somebody) -> None:
        """Take an invitation back."""
        access.people.withdraw(invitation_id, by=caller)


def _found(access: Access, caller: Caller, organisation: str, person: str) -> MemberSeen:
    found = next(
        (one for one in access.people.list(organisation, by=caller) if person in (one.person.id, one.person.email)),
        None,
    )
    if found is None:
        raise Missing(f"There is no member {person[:200]!r}.", field="person", remedy="GET /api/v1/members lists them.")
    return _seen(found)


def _seen(one: Member) -> MemberSeen:
    return MemberSeen(one.person.id, one.person.email, one.person.name, tuple(map(_membership, one.memberships)))


def _membership(one: Membership) -> MembershipSeen:
    return MembershipSeen(one.organisation, one.project, one.role, one.since, one.by)


def _tagged(member: MemberSeen, response: Response) -> MemberSeen:
    response.headers["ETag"] = tag_of(member)
    return member
