"""Incidents and postmortems as resources: `hindcast://incidents/ID` and `hindcast://postmortems/ID`."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from urllib.parse import quote, unquote, urlsplit

import mcp_types as types

from hindcast.casebook.summaries import Key, Standing, Summary, Table, place_of
from hindcast.mcp import pages
from hindcast.model.errors import Malformed
from hindcast.reason.wording import age, duration, one_line
from hindcast.toolbox import Desk
from hindcast.toolbox.naming import detected, known

SCHEME = "hindcast"
INCIDENTS, POSTMORTEMS = "incidents", "postmortems"
MARKDOWN = "text/markdown"
PER_PAGE = 50
TITLE_CHARS_MAX = 120
SERVICES_MAX = 3
SERVICE_CHARS_MAX = 40
CLAIM_CHARS_MAX = 100
COMPLETIONS_MAX = 50

TEMPLATES = (
    types.ResourceTemplate(
        name="incident",
        title="An incident",
        uri_template=f"{SCHEME}://{INCIDENTS}/{{id}}",
        description="Everything known about one incident, as Markdown.",
        mime_type=MARKDOWN,
    ),
    types.ResourceTemplate(
        name="postmortem",
        title="A postmortem",
        uri_template=f"{SCHEME}://{POSTMORTEMS}/{{id}}",
        description="An incident that is over, told in the order of a postmortem, as Markdown.",
        mime_type=MARKDOWN,
    ),
)


def listed(desk: Desk, cursor: str | None) -> types.ListResourcesResult:
    """A page of incidents, the newest first; those that are over come with their postmortem."""
    table, before = desk.table(), None
    if cursor is not None:
        last = table.find(cursor)
        if last is None:
            raise Malformed("This cursor is none of ours.", field="cursor", remedy="Begin without one.")
        before = place_of(last)
    page = list(islice(_known(table, before), PER_PAGE + 1))
    return types.ListResourcesResult(
        resources=[resource for summary in page[:PER_PAGE] for resource in _resources(desk, summary)],
        next_cursor=page[PER_PAGE - 1].id if len(page) > PER_PAGE else None,
    )


def _known(table: Table, before: Key | None = None) -> Iterator[Summary]:
    """Incidents that stand for themselves and of which something is known, the newest first."""
    newest = table.newest(before=before)
    return (one for one in newest if one.case_version and one.state is not Standing.JOINED)


def _resources(desk: Desk, summary: Summary) -> list[types.Resource]:
    folders = [INCIDENTS, POSTMORTEMS] if summary.state is Standing.RESOLVED else [INCIDENTS]
    return [
        types.Resource(
            name=f"{folder}/{summary.id}",
            title=one_line(summary.title, TITLE_CHARS_MAX),
            uri=uri_of(folder, summary.id),
            description=_described(desk, folder, summary),
            mime_type=MARKDOWN,
        )
        for folder in folders
    ]


def _described(desk: Desk, folder: str, summary: Summary) -> str:
    """What an agent chooses by: where it was, how it stands, and what is known of its cause and end."""
    parts = [
        "Postmortem" if folder == POSTMORTEMS else "",
        ", ".join(one_line(name, SERVICE_CHARS_MAX) for name in summary.services[:SERVICES_MAX]),
        f"{summary.state}, {age(summary.onset_at, desk.now)}",
        f"took {duration(summary.minutes)}" if summary.minutes is not None else "",
        f"cause: {one_line(summary.cause, CLAIM_CHARS_MAX)}" if summary.cause else "cause unknown",
        f"ended by: {one_line(summary.fix, CLAIM_CHARS_MAX)}" if summary.fix else "",
    ]
    return "; ".join(part for part in parts if part)


def uri_of(folder: str, case_id: str) -> str:
    """Where an incident or its postmortem can be read."""
    return f"{SCHEME}://{folder}/{quote(case_id, safe='')}"


def read(desk: Desk, uri: str) -> types.ReadResourceResult:
    """The Markdown of a resource. Raises Malformed for other addresses, Missing where there is no such incident."""
    parts = urlsplit(uri)
    name = unquote(parts.path.removeprefix("/"))
    if parts.scheme != SCHEME or parts.netloc not in (INCIDENTS, POSTMORTEMS) or not name:
        raise Malformed(
            f"{one_line(uri, 200)!r} is no resource here.",
            field="uri",
            remedy=f"Resources are {' and '.join(one.uri_template for one in TEMPLATES)}.",
        )
    view = desk.view()
    kept = known(view, name, field="uri")
    page = pages.postmortem if parts.netloc == POSTMORTEMS else pages.incident_page
    text = page(kept, detected(view, kept.case.id), now=desk.now)
    return types.ReadResourceResult(contents=[types.TextResourceContents(uri=uri, mime_type=MARKDOWN, text=text)])


def completed(desk: Desk, value: str) -> types.Completion:
    """Ids that begin so, or hold it, the newest first."""
    wanted = value.strip().casefold()
    ids = [summary.id for summary in _known(desk.table())]
    fitting = [one for one in ids if one.casefold().startswith(wanted)]
    fitting += [one for one in ids if wanted in one.casefold() and one not in fitting]
    return types.Completion(
        values=fitting[:COMPLETIONS_MAX], total=len(fitting), has_more=len(fitting) > COMPLETIONS_MAX
    )
