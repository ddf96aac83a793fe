"""The audit trail: who did and saw what, to read, to check and to take away."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated

from fastapi import FastAPI, Query
from pydantic import AwareDatetime
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from hindcast.access import Access
from hindcast.model.audit import AUDIT_CHARS_MAX, AuditEntry, Chained, Decision
from hindcast.rest.organisation import OfOrganisation, organisation_for
from hindcast.rest.paging import ITEMS_IF_UNSAID, Cursor, Limit, Page, cursor_of, position_of
from hindcast.rest.seat import Somebody

CSV = "text/csv"
Part = Annotated[str, Query(max_length=AUDIT_CHARS_MAX)]


def add(app: FastAPI, access: Access) -> None:
    """Add the routes."""

    @app.get(
        "/api/v1/audit",
        tags=["audit"],
        operation_id="audit_list",
        response_model=Page[AuditEntry],
        responses={
            200: {
                "content": {CSV: {"schema": {"type": "string"}}},
                "description": "A page; as text/csv the whole trail.",
            }
        },
    )
    def list_entries(
        request: Request,
        caller: Somebody,
        organisation: OfOrganisation = None,
        since: AwareDatetime | None = None,
        until: AwareDatetime | None = None,
        actor: Part = "",
        space: Part = "",
        what: Annotated[str, Query(max_length=AUDIT_CHARS_MAX, description="A part of it is enough.")] = "",
        outcome: Decision | None = None,
        cursor: Cursor = None,
        limit: Limit = ITEMS_IF_UNSAID,
    ) -> Page[AuditEntry] | Response:
        """Who did and saw what in an organisation, the newest first. `Accept: text/csv` exports the whole trail."""
        whose = organisation_for(caller, organisation)
        if CSV in request.headers.get("Accept", ""):
            return _export(access.audit.export(whose, by=caller, since=since, until=until, space=space))
        found = access.audit.entries(
            whose,
            by=caller,
            before=int(position_of(cursor, int)[0]) if cursor else 0,
            limit=limit,
            since=since,
            until=until,
            actor=actor,
            space=space,
            what=what,
            outcome=outcome or "",
        )
        return Page(found, cursor_of(found[-1].seq) if len(found) == limit else None)

    @app.get("/api/v1/audit/check", tags=["audit"], operation_id="audit_verify")
    def verify(caller: Somebody, organisation: OfOrganisation = None) -> Chained:
        """Whether the trail is what was written: its chain, computed again."""
        return access.audit.verify(organisation_for(caller, organisation), by=caller)


def _export(rows: Iterator[str]) -> Response:
    headers = {"Content-Disposition": 'attachment; filename="audit.csv"', "Cache-Control": "no-store"}
    return StreamingResponse(rows, media_type="text/csv; charset=utf-8", headers=headers)
