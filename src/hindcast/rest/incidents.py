"""Incidents over HTTP, to read: many at a glance, one with everything, at any moment, as JSON or as a file."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from itertools import islice
from statistics import median
from typing import Annotated, Any, Literal

import msgspec
from fastapi import FastAPI, Query
from pydantic import AwareDatetime
from starlette.requests import Request
from starlette.responses import Response

from hindcast.casebook import Kept
from hindcast.casebook.layout import address_of, readable
from hindcast.casebook.people import missing_in
from hindcast.casebook.summaries import (
    INCIDENT_NAMESPACE,
    Standing,
    Summary,
    Table,
    Wanted,
    place_of,
    summary_in,
    table_in,
)
from hindcast.memory import View
from hindcast.model.errors import Malformed, Missing
from hindcast.model.ids import Address
from hindcast.model.incident import Incident, from_json
from hindcast.model.recollection import Familiarity
from hindcast.model.record import MAIN, Json
from hindcast.model.signal import Severity
from hindcast.rest import export, shapes
from hindcast.rest.conditions import IfNoneMatch, etag, is_known
from hindcast.rest.desk import At, Desk, OnBranch, answered
from hindcast.rest.paging import ITEMS_IF_UNSAID, Cursor, Limit, Page, cursor_of, position_of
from hindcast.rest.seat import Reading
from hindcast.rest.shapes import IncidentGlance, IncidentTold

TEXT_CHARS_MAX = 500
TEXT = {"schema": {"type": "string"}}
FILES: dict[int | str, dict[str, Any]] = {
    200: {"content": {export.CSV: TEXT, export.MARKDOWN: TEXT, export.PLAIN: TEXT}}
}
PAGES: dict[int | str, dict[str, Any]] = {200: {"content": {export.MARKDOWN: TEXT, export.PLAIN: TEXT}}}
UNCHANGED: dict[int | str, dict[str, Any]] = {304: {"description": "It is still what you have."}}
Kind = Literal["json", "csv", "markdown"]
Format = Annotated[Kind | None, Query(description="As Accept, where no header can be sent.")]
PageFormat = Annotated[Literal["json", "markdown"] | None, Query(description="As Accept, where no header can be sent.")]


@dataclass(frozen=True, slots=True)
class OverviewTold:
    """How many incidents stand where, and how the last days went."""

    open: int
    awaiting: int
    resolved: int
    dismissed: int
    joined: int
    # Of those that began within these days: how many, how many of them say why and what ended it, how long they took.
    days: int
    recent: int
    recent_explained: int
    minutes_median: float | None


def add(app: FastAPI, desk: Desk) -> None:
    """Add the routes."""
    _add_overview(app, desk)
    _add_list(app, desk)
    _add_one(app, desk)


def _add_overview(app: FastAPI, desk: Desk) -> None:
    @app.get("/api/v1/overview", tags=["incidents"], operation_id="overview_get", response_model=OverviewTold)
    def overview_get(
        seat: Reading,
        days: Annotated[int, Query(ge=1, le=3_650, description="What counts as recent.")] = 30,
        at: At = None,
        branch: OnBranch = MAIN,
    ) -> Response:
        """How many incidents stand where, how many recent ones are explained, and how long they took."""
        table = _table(desk, seat.space, at, branch)
        recent = list(table.newest(Wanted(since=desk.now() - timedelta(days=days))))
        counted = [one for one in recent if one.state not in (Standing.DISMISSED, Standing.JOINED)]
        minutes = [one.minutes for one in counted if one.minutes is not None and one.state is Standing.RESOLVED]
        return answered(
            OverviewTold(
                **{state.value: count for state, count in table.counts().items()},
                days=days,
                recent=len(counted),
                recent_explained=sum(bool(one.cause and one.fix) for one in counted),
                minutes_median=median(minutes) if minutes else None,
            )
        )


def _add_list(app: FastAPI, desk: Desk) -> None:
    @app.get(
        "/api/v1/incidents",
        tags=["incidents"],
        operation_id="incidents_list",
        response_model=Page[IncidentGlance],
        responses=FILES,
    )
    def incidents_list(
        request: Request,
        seat: Reading,
        state: Annotated[list[Standing] | None, Query(max_length=10, description="Only these; repeat it.")] = None,
        severity: Annotated[list[Severity] | None, Query(max_length=10, description="Only these; repeat it.")] = None,
        service: Annotated[str, Query(max_length=200, description="Only those that affect this service.")] = "",
        since: Annotated[AwareDatetime | None, Query(description="Only those that began then or later.")] = None,
        until: Annotated[AwareDatetime | None, Query(description="Only those that began before.")] = None,
        text: Annotated[
            str, Query(max_length=TEXT_CHARS_MAX, description="Each word in id, title, services, cause, fix or names.")
        ] = "",
        at: At = None,
        branch: OnBranch = MAIN,
        cursor: Cursor = None,
        limit: Limit = ITEMS_IF_UNSAID,
        format: Format = None,  # noqa: A002
    ) -> Response:
        """Incidents at a glance, the newest first.

        As CSV or Markdown it is all of them, up to 100,000: by `Accept` as a file, by `format` to read in a browser.
        """
        wanted = Wanted(frozenset(state or ()), frozenset(severity or ()), service, since, until, text)
        found = _table(desk, seat.space, at, branch)
        kind = kind_of(request, format)
        if kind == "csv":
            return _file(export.table(islice(found.newest(wanted), export.ROWS_MAX)), export.CSV, "incidents.csv")
        if kind == "markdown":
            return page(export.listing(islice(found.newest(wanted), export.ROWS_MAX)), "incidents.md", format)
        before = position_of(cursor, int, str) if cursor is not None else None
        rows = list(islice(found.newest(wanted, before=before), limit + 1))  # type: ignore[arg-type]
        more = cursor_of(*place_of(rows[limit - 1])) if len(rows) > limit else None
        items = tuple(shapes.glance(one, _familiarity(desk, seat.space, one.id)) for one in rows[:limit])
        return answered(Page(items, more))


def _add_one(app: FastAPI, desk: Desk) -> None:
    @app.get(
        "/api/v1/incidents/{incident_id}",
        tags=["incidents"],
        operation_id="incident_get",
        response_model=IncidentTold,
        responses={**PAGES, **UNCHANGED},
    )
    def incident_get(
        request: Request,
        incident_id: str,
        seat: Reading,
        at: At = None,
        branch: OnBranch = MAIN,
        format: PageFormat = None,  # noqa: A002
        if_none_match: IfNoneMatch = None,
    ) -> Response:
        """Everything known about one incident: what detection saw, what people know, what nobody has said yet."""
        view = desk.view(seat.space, at, branch)
        summary, kept, _ = _read(view, incident_id)
        tag = etag(summary.version)
        if is_known(if_none_match, tag):
            return Response(status_code=304, headers={"ETag": tag})
        if kind_of(request, format) == "markdown":
            return page(export.page(summary, kept), f"{summary.id}.md", format, ETag=tag)
        return told(desk, seat.space, view, incident_id)


def told(desk: Desk, space: str, view: View, incident_id: str, *, status: int = 200) -> Response:
    """One incident as an answer, with its ETag."""
    summary, kept, incident = _read(view, incident_id)
    gaps = missing_in(kept.case) if kept is not None and not kept.joined_into else ()
    document = {
        **msgspec.to_builtins(shapes.glance(summary, _familiarity(desk, space, incident_id))),
        "detection": shapes.detection(incident) if incident is not None else None,
        "case": shapes.case(kept.case) if kept is not None else None,
        "apart": kept.apart if kept is not None else (),
        "missing": [{"what": what, "command": command} for what, command in gaps],
    }
    return answered(document, status=status, headers={"ETag": etag(summary.version)})


def _table(desk: Desk, space: str, at: str | None, branch: str) -> Table:
    if at is None and branch == MAIN:
        return desk.register.summaries(space)
    return table_in(desk.view(space, at, branch))


def _read(view: View, incident_id: str) -> tuple[Summary, Kept | None, Incident | None]:
    """One incident as a moment shows it. Raises Missing where there is none."""
    summary = summary_in(view, incident_id)
    if summary is None:
        raise Missing(
            f"There is no incident {incident_id[:100]!r} at this moment ({view.moment.name}).",
            field="incident_id",
            remedy="GET /api/v1/incidents lists them.",
        )
    # What somebody else wrote in the place of a case or of an incident is a record, and neither of them.
    kept = readable(view.find(address_of(incident_id))) if summary.case_version else None
    record = view.find(Address(INCIDENT_NAMESPACE, incident_id)) if summary.detection_version else None
    return summary, kept, _incident(record.body) if record is not None else None


def _incident(body: Json) -> Incident | None:
    try:
        return from_json(body) if isinstance(body, dict) else None
    except Malformed:
        return None


def _familiarity(desk: Desk, space: str, incident_id: str) -> Familiarity | None:
    """What memory says of an incident, as far as that is at hand: nothing is worked out for a list."""
    briefing = desk.app.briefings.kept(space, incident_id)
    ready = briefing.answered if briefing is not None else None
    return ready.recollection.familiarity if ready is not None else None


def kind_of(request: Request, given: Kind | None) -> Kind:
    """What is asked for: by name, or by the first media type in Accept that there is."""
    if given is not None:
        return given
    return next(_accepted(request.headers.get("Accept", "")), "json")


def page(content: str, name: str, given: Kind | None, **headers: str) -> Response:
    """Markdown as it was asked for: named in the address it is read in a browser, by Accept it is a file."""
    if given is not None:
        return Response(content, headers=headers, media_type=export.PLAIN)
    return _file(content, export.MARKDOWN, name, **headers)


def _accepted(accept: str) -> Iterator[Kind]:
    known: dict[str, Kind] = {export.CSV: "csv", export.MARKDOWN: "markdown", "application/json": "json", "*/*": "json"}
    for one in accept.split(","):
        kind = known.get(one.partition(";")[0].strip().lower())
        if kind is not None:
            yield kind


def _file(content: str, media_type: str, name: str, **headers: str) -> Response:
    # A name from outside must not end the header that it stands in.
    safe = "".join(char if char.isascii() and (char.isalnum() or char in "-_.") else "_" for char in name)
    disposition = f'attachment; filename="{safe}"'
    return Response(content, headers={"Content-Disposition": disposition, **headers}, media_type=media_type)
