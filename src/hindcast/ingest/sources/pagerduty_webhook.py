"""PagerDuty's webhooks v3: what happens to an incident there.

An alert's key is the incident's id, and it always tells the moment the incident began, so that an old event delivered
again cannot pass for a new outage. A note that somebody writes is kept as a change, by the id of its event: it usually
says what was done.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec

from hindcast.ingest.sources.naming import NAMING, Naming, severity
from hindcast.ingest.sources.reading import LIMITS, Arrival, clip, flat, labelled, moment, read
from hindcast.model.columns import Parsed, Rejection
from hindcast.model.errors import Malformed
from hindcast.model.reading import ready
from hindcast.model.signal import Alert, ChangeKind, Status, SystemChange

STATUSES = {"triggered": Status.FIRING, "acknowledged": Status.ACKNOWLEDGED, "resolved": Status.RESOLVED}
URGENCIES = {"high": "major", "low": "minor"}


class WireReference(msgspec.Struct):
    """Something else at PagerDuty: a service, a person, a priority."""

    id: str | None = None
    summary: str | None = None
    html_url: str | None = None


class WireData(msgspec.Struct):
    """The incident, or the note on one."""

    id: str | None = None
    type: str | None = None
    status: str | None = None
    title: str | None = None
    content: str | None = None
    number: int | None = None
    incident_key: str | None = None
    created_at: str | None = None
    html_url: str | None = None
    urgency: str | None = None
    resolve_reason: Any = None
    service: WireReference | None = None
    priority: WireReference | None = None
    incident: WireReference | None = None
    teams: list[WireReference] | None = None


class WireEvent(msgspec.Struct):
    """One thing that happened."""

    id: str
    event_type: str
    occurred_at: str | None = None
    agent: WireReference | None = None
    data: WireData | None = None


class WireRequest(msgspec.Struct):
    """The request: one event."""

    event: WireEvent


def parse(body: bytes, headers: Mapping[str, str], *, now: datetime, naming: Naming = NAMING) -> Parsed:  # noqa: ARG001
    """The alert that an incident's event tells of, or the change that a note does."""
    event = read(body, WireRequest).event
    data = event.data or WireData()
    arrival = Arrival(now)
    at = arrival.time(event.occurred_at, "event.occurred_at")
    if event.event_type == "incident.annotated" or data.type == "incident_note":
        return Parsed(changes=(_note(event, data, at),), rejections=arrival.notes)
    if not event.event_type.startswith("incident.") or data.type not in {None, "incident"}:
        return Parsed(rejections=(Rejection(0, f"event.event_type: {event.event_type} tells nothing of an incident."),))
    if not data.id:
        raise Malformed("This field is required.", field="event.data.id", remedy="Send the incident's id.")
    status = STATUSES.get(data.status or "")
    if status is None:
        raise Malformed(
            f"{data.status!r} is not a status.", field="event.data.status", remedy=f"Send one of {', '.join(STATUSES)}."
        )
    return Parsed(alerts=(_alert(event, data, status, at, naming=naming),), rejections=arrival.notes)


def _alert(event: WireEvent, data: WireData, status: Status, at: datetime, *, naming: Naming) -> Alert:
    service = (data.service.summary if data.service else None) or ""
    priority = data.priority.summary if data.priority else None
    labels = {
        "event": event.id,
        "event_type": event.event_type,
        "number": str(data.number or ""),
        "incident_key": data.incident_key or "",
        "urgency": data.urgency or "",
        "priority": priority or "",
        "agent": (event.agent.summary if event.agent else None) or "",
        "team": ", ".join(team.summary for team in data.teams or () if team.summary),
        **flat({"resolve_reason": data.resolve_reason}),
    }
    return Alert(
        source="pagerduty",
        key=data.id or "",
        status=status,
        title=clip(data.title or f"Incident {data.id}", LIMITS.title_chars_max),
        service=naming.called(service, (data.service.id if data.service else None) or ""),
        severity=severity(priority or URGENCIES.get(data.urgency or "")),
        started_at=min(moment(data.created_at, "event.data.created_at") or at, at),
        ended_at=at if status is Status.RESOLVED else None,
        url=data.html_url or "",
        labels=labelled(labels),
    )


def _note(event: WireEvent, data: WireData, at: datetime) -> SystemChange:
    incident = data.incident or WireReference()
    return SystemChange(
        source="pagerduty",
        key=event.id,
        kind=ChangeKind.OTHER,
        at=at,
        service="",
        title=clip(data.content or "A note without words", LIMITS.text_chars_max),
        actor=(event.agent.summary if event.agent else None) or "",
        ref=incident.id or "",
        url=incident.html_url or data.html_url or "",
        labels=labelled({"incident": incident.id or "", "title": incident.summary or ""}),
    )


ready(WireRequest)
