"""Incidents over HTTP: list them, read one, and decide about one."""

from __future__ import annotations

import threading
from datetime import datetime
from typing import Annotated, Literal

from fastapi import FastAPI, Header, Query
from pydantic import BaseModel, Field
from starlette.requests import Request
from starlette.responses import Response

from hindcast.app import App
from hindcast.model.errors import HindcastError
from hindcast.model.incident import IncidentState, to_json
from hindcast.rest import failure
from hindcast.rest.live import Live
from hindcast.rest.seat import SPACE_HEADER
from hindcast.rest.ticker import told

Space = Annotated[str | None, Header(alias=SPACE_HEADER, description="Whose incidents; the server's own if left out.")]


class Decision(BaseModel):
    """What somebody says about an incident."""

    verb: Literal["confirm", "dismiss", "reopen"]
    by: str = Field(min_length=1, max_length=200, description="Who says so.")


def add(app: FastAPI, hindcast: App, live: Live, turn: threading.Lock) -> None:
    """Add the routes; a decision takes its turn with the looks of whoever watches."""

    @app.exception_handler(HindcastError)
    def tell(_: Request, error: HindcastError) -> Response:
        return failure.told(error, failure.as_json)

    @app.get("/api/v1/incidents", tags=["incidents"])
    def list_incidents(
        space: Space = None,
        state: IncidentState | None = None,
        since: datetime | None = None,
        incidents_max: Annotated[int, Query(ge=1, le=1_000)] = 100,
    ) -> list[dict[str, object]]:
        """Incidents, the newest first."""
        found = hindcast.incidents(space, since=since)
        return [to_json(one) for one in found if state in (None, one.state)][:incidents_max]

    @app.get("/api/v1/incidents/{incident_id}", tags=["incidents"])
    def show_incident(incident_id: str, space: Space = None) -> dict[str, object]:
        """One incident with its evidence."""
        return to_json(hindcast.incident(incident_id, space))

    @app.post("/api/v1/incidents/{incident_id}/decision", tags=["incidents"])
    def decide(incident_id: str, decision: Decision, space: Space = None) -> dict[str, object]:
        """Confirm that an incident is over, dismiss it, or reopen it."""
        with turn:
            event = hindcast.decide(decision.verb, incident_id, by=decision.by, space=space)
        live.tell(event.incident.space, "incident", told(event))
        return to_json(event.incident)
