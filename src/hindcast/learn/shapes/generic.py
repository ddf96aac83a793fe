"""Any table of incidents: columns are known by the names that most tools use for them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from datetime import datetime

from hindcast.learn.facts import severity_of
from hindcast.learn.shapes.made import Facts, Said, case_from
from hindcast.learn.shapes.row import Row, items_of, plain, text_of, time_of
from hindcast.model.case import Case

SOURCE = "generic"
_TITLE = ("title", "summary", "name", "subject", "headline", "incident", "short_description", "alert")
_ID = ("id", "incident_id", "key", "reference", "number", "incident_number", "ticket", "ticket_id", "case_id", "sys_id")
_BEGAN = (
    "occurred_at", "started_at", "start_time", "started", "start", "began_at", "impact_start", "opened_at",
    "created_at", "created", "created_on", "opened", "reported_at", "detected_at", "date", "timestamp", "time", "when",
)  # fmt: skip
_ENDED = (
    "resolved_at", "ended_at", "end_time", "resolved_on", "closed_at", "resolved_time", "resolution_time", "fixed_at",
    "end", "ended", "impact_end", "recovered_at", "closed_on",
)  # fmt: skip
_LASTED = (
    "minutes", "duration_minutes", "minutes_to_resolve", "seconds_to_resolve", "duration_seconds", "hours",
    "duration_hours", "duration", "time_to_resolve", "ttr",
)  # fmt: skip
_DESCRIPTION = ("description", "details", "body", "text", "narrative", "postmortem", "impact", "content", "message")
_CAUSE = ("root_cause", "cause", "rootcause", "why", "reason", "root_cause_analysis", "rca")
_FIX = ("resolution", "fix", "mitigation", "solution", "resolution_notes", "close_notes", "remediation", "how_fixed")
_SAID = ("notes", "comments", "updates", "timeline", "work_notes", "comment", "log", "attempts_text")
_STATUS = ("status", "state", "phase")


def recognise(row: Mapping[str, object]) -> bool:
    """Whether a row has anything that can be a title."""
    names = {plain(name) for name, value in row.items() if isinstance(value, str) and value.strip()}
    return bool(names & {plain(name) for name in _TITLE}) or bool(names & {plain(name) for name in _DESCRIPTION})


def read(row: Row, fallback_at: datetime) -> Case:
    """The case of one row."""
    description = row.text(*_DESCRIPTION)
    title = row.text(*_TITLE) or description.split("\n")[0][:120]
    if not title:
        title = row.required("title", *_TITLE)
    status = row.text(*_STATUS).lower()
    ended = row.time(*_ENDED)
    began = row.time(*_BEGAN)
    return case_from(
        Facts(
            source=SOURCE,
            key=row.text(*_ID) or _made_up(row),
            title=title,
            occurred_at=began or fallback_at,
            dated=began is not None,
            resolved_at=ended,
            minutes=row.minutes(*_LASTED),
            closed=ended is not None or any(word in status for word in ("resolv", "clos", "done", "complete", "fixed")),
            description=description,
            cause=row.text(*_CAUSE),
            resolution=row.text(*_FIX),
            severity=severity_of(row.text("severity", "priority", "sev", "urgency", "level")),
            services=row.texts(
                "services", "service", "affected_services", "service_name", "application", "app", "system"
            ),
            components=row.texts("components", "component", "technology", "tags", "labels"),
            responders=row.texts(
                "responders", "assignee", "assigned_to", "owner", "resolved_by", "on_call", "engineer"
            ),
            links=tuple(one for one in row.texts("link", "links", "url", "html_url") if one.startswith("http")),
            said=tuple(_said(row)),
        )
    )


def _made_up(row: Row) -> str:
    """An id for a row that has none: the same row gives the same one."""
    told = "\n".join(f"{name}={text_of(value)}" for name, value in sorted(row.fields.items()))
    return hashlib.sha256(told.encode()).hexdigest()[:12]


def _said(row: Row) -> list[Said]:
    found: list[Said] = []
    for name in _SAID:
        for item in items_of(row.get(name)):
            if isinstance(item, dict):
                inside = Row(item)
                text = inside.text("text", "message", "content", "body", "note", "comment", "description")
                at = time_of(inside.get("at", "created_at", "created", "time", "timestamp", "date"))
                found.append(Said(text, at, inside.text("by", "author", "user", "created_by", "who")))
            elif text_of(item):
                found.append(Said(text_of(item)))
    return [one for one in found if one.text]
