"""Keys of programs: make one (its secret is told once), list them, revoke them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

from fastapi import FastAPI, Query
from pydantic import AwareDatetime, BaseModel, ConfigDict
from starlette.responses import Response

from hindcast.access import Access
from hindcast.model.access import Power
from hindcast.model.account import ACCOUNT_NAME_CHARS_MAX, Key
from hindcast.rest.organisation import Id, Name, OfOrganisation, Title, organisation_for, page_of
from hindcast.rest.paging import ITEMS_IF_UNSAID, Cursor, Limit, Page
from hindcast.rest.seat import Somebody
from hindcast.rest.session import NO_STORE


class KeyWanted(BaseModel):
    """A key that is to be."""

    model_config = ConfigDict(extra="forbid")
    name: Title
    power: Power
    organisation: Name | None = None
    # Every project of the organisation if left out; a key that ingests is always for one.
    project: Name | None = None
    expires_at: AwareDatetime | None = None


@dataclass(frozen=True, slots=True)
class NewKey:
    """A key with its secret, which is told this once and is nowhere."""

    key: Key
    secret: str


def add(app: FastAPI, access: Access) -> None:
    """Add the routes."""

    @app.get("/api/v1/keys", tags=["keys"], operation_id="keys_list")
    def list_keys(
        caller: Somebody,
        organisation: OfOrganisation = None,
        project: Annotated[str, Query(max_length=ACCOUNT_NAME_CHARS_MAX)] = "",
        cursor: Cursor = None,
        limit: Limit = ITEMS_IF_UNSAID,
    ) -> Page[Key]:
        """The keys of an organisation, revoked and expired ones included; never their secrets."""
        found = access.keys.list(organisation_for(caller, organisation), by=caller, project=project)
        return page_of(found, lambda one: one.id, cursor, limit)

    @app.post("/api/v1/keys", tags=["keys"], operation_id="key_add", status_code=201)
    def create(said: KeyWanted, caller: Somebody, response: Response) -> NewKey:
        """Make a key. Keep the secret now: it is not told again."""
        response.headers.update(NO_STORE)
        made = access.keys.create(
            said.name,
            said.power,
            organisation=organisation_for(caller, said.organisation),
            project=said.project or "",
            expires_at=said.expires_at,
            by=caller,
        )
        return NewKey(made.key, made.secret)

    @app.delete("/api/v1/keys/{key_id}", tags=["keys"], operation_id="key_revoke")
    def revoke(key_id: Id, caller: Somebody) -> Key:
        """Revoke a key. It counts from the next request on, and open streams end."""
        return access.keys.revoke(key_id, by=caller)
