"""Organisations and their projects, which are spaces: list, create, archive."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from fastapi import FastAPI
from pydantic import BaseModel, ConfigDict
from starlette.responses import Response

from hindcast.access import Access
from hindcast.model.access import Caller, CallerKind, Permission, space_of
from hindcast.model.account import Organisation, Project
from hindcast.model.errors import Missing
from hindcast.rest.conditions import IfMatch
from hindcast.rest.organisation import Id, Name, OfOrganisation, check_match, organisation_for, page_of, tag_of
from hindcast.rest.paging import ITEMS_IF_UNSAID, Cursor, Limit, Page
from hindcast.rest.seat import Somebody


class SpaceWanted(BaseModel):
    """A project that is to be."""

    model_config = ConfigDict(extra="forbid")
    project: Name
    organisation: Name | None = None


class SpaceChange(BaseModel):
    """What can be changed about a project."""

    model_config = ConfigDict(extra="forbid")
    is_archived: bool


class OrganisationWanted(BaseModel):
    """An organisation that is to be."""

    model_config = ConfigDict(extra="forbid")
    name: Name


@dataclass(frozen=True, slots=True)
class Space:
    """A project as a caller sees it."""

    space: str
    organisation: str
    project: str
    created_at: datetime
    archived_at: datetime | None
    # What the caller may do there.
    permissions: tuple[Permission, ...]


def add(app: FastAPI, access: Access) -> None:
    """Add the routes."""
    _add_spaces(app, access)
    _add_organisations(app, access)


def _add_spaces(app: FastAPI, access: Access) -> None:
    @app.get("/api/v1/spaces", tags=["spaces"], operation_id="spaces_list")
    def list_spaces(
        caller: Somebody,
        organisation: OfOrganisation = None,
        cursor: Cursor = None,
        limit: Limit = ITEMS_IF_UNSAID,
    ) -> Page[Space]:
        """The spaces in which the caller may do anything, archived ones included."""
        found = access.projects.list(by=caller, organisation=organisation or "")
        return page_of([_seen(one, caller) for one in found], lambda one: one.space, cursor, limit)

    @app.post("/api/v1/spaces", tags=["spaces"], operation_id="space_add", status_code=201)
    def create(said: SpaceWanted, caller: Somebody, response: Response) -> Space:
        """Create a project in an organisation that the caller administers."""
        made = access.projects.create(organisation_for(caller, said.organisation), said.project, by=caller)
        return _tagged(_seen(made, caller), response)

    @app.get("/api/v1/spaces/{space:path}", tags=["spaces"], operation_id="space_get")
    def show(space: Id, caller: Somebody, response: Response) -> Space:
        """One space."""
        return _tagged(_found(access, caller, space), response)

    @app.patch("/api/v1/spaces/{space:path}", tags=["spaces"], operation_id="space_change")
    def change(space: Id, said: SpaceChange, caller: Somebody, response: Response, if_match: IfMatch = None) -> Space:
        """Archive a project (it can then only be read), or take that back."""
        check_match(if_match, _found(access, caller, space))
        (access.projects.archive if said.is_archived else access.projects.restore)(space, by=caller)
        return _tagged(_found(access, caller, space), response)


def _add_organisations(app: FastAPI, access: Access) -> None:
    @app.get("/api/v1/organisations", tags=["spaces"], operation_id="organisations_list")
    def list_organisations(
        caller: Somebody, cursor: Cursor = None, limit: Limit = ITEMS_IF_UNSAID
    ) -> Page[Organisation]:
        """The organisations in which the caller may do anything."""
        return page_of(access.projects.organisations(by=caller), lambda one: one.name, cursor, limit)

    @app.post("/api/v1/organisations", tags=["spaces"], operation_id="organisation_add", status_code=201)
    def create(said: OrganisationWanted, caller: Somebody) -> Organisation:
        """Create an organisation; only whoever runs this installation may."""
        return access.projects.add_organisation(said.name, by=caller)


def _found(access: Access, caller: Caller, space: str) -> Space:
    found = next((one for one in access.projects.list(by=caller) if one.space == space), None)
    if found is None:
        raise Missing(f"There is no space {space[:200]!r}.", field="space", remedy="GET /api/v1/spaces lists yours.")
    return _seen(found, caller)


def _seen(one: Project, caller: Caller) -> Space:
    space = space_of(one.organisation, one.name)
    allowed = caller.permissions_in(space)
    if one.archived_at is not None and caller.kind is not CallerKind.LOCAL:
        allowed &= {Permission.READ, Permission.ADMINISTER}
    return Space(space, one.organisation, one.name, one.created_at, one.archived_at, tuple(sorted(allowed)))


def _tagged(space: Space, response: Response) -> Space:
    response.headers["ETag"] = tag_of(space)
    return space
