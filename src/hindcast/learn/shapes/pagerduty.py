"""PagerDuty: incidents of the REST API with their notes and log entries, and the CSV export of incidents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from datetime import datetime

from hindcast.learn.facts import severity_of
from hindcast.learn.shapes.made import Facts, Said, case_from
from hindcast.learn.shapes.row import Row, text_of, time_of
from hindcast.model.case import Case
from hindcast.model.signal import Severity

SOURCE = "pagerduty"
# Kinds of log entries in which people speak; the others say what the machine did.
_SPEAKS = ("annotate_log_entry", "status_update_log_entry")
_URGENCY = {"high": Severity.MAJOR, "low": Severity.MINOR}


def recognise(row: Mapping[str, object]) -> bool:
    """Whether a row is an incident of PagerDuty."""
    if "incident_number" not in row:
        return False
    return any(name in row for name in ("urgency", "service", "service_name", "html_url", "escalation_policy"))


def read(row: Row, fallback_at: datetime) -> Case:
    """The case of one incident."""
    said = sorted(_said(row), key=lambda one: (one.at is not None, one.at or fallback_at))
    status = row.text("status").lower()
    resolved = row.time("resolved_at", "resolved_on") or _entry_at(row, "resolve_log_entry")
    if resolved is None and status == "resolved":
        resolved = row.time("last_status_change_at")
    seconds = row.minutes("seconds_to_resolve")
    began = row.time("created_at", "created_on")
    return case_from(
        Facts(
            source=SOURCE,
            key=row.required("id", "id", "incident_number"),
            title=row.required("title", "title", "summary", "description"),
            occurred_at=began or fallback_at,
            dated=began is not None,
            resolved_at=resolved,
            minutes=seconds,
            closed=status == "resolved",
            description=_body(row),
            resolution=row.text("resolve_reason", "resolution", "resolution_note"),
            severity=_severity(row),
            services=row.texts("service", "service_name", "impacted_services"),
            responders=tuple(dict.fromkeys(_people(row))),
            links=tuple(link for link in (row.text("html_url"),) if link),
            said=said,
        )
    )


def _body(row: Row) -> str:
    body = row.get("body")
    if isinstance(body, dict):
        return text_of(body.get("details")) or text_of(body)
    return row.text("body", "details")


def _said(row: Row) -> Iterator[Said]:
    for note in row.objects("notes"):
        yield Said(text_of(note.get("content")), time_of(note.get("created_at")), text_of(note.get("user")))
    for entry in row.objects("log_entries"):
        if str(entry.get("type")) not in _SPEAKS:
            continue
        channel = entry.get("channel")
        text = text_of(channel.get("content") or channel.get("summary")) if isinstance(channel, dict) else ""
        if text:
            yield Said(text, time_of(entry.get("created_at")), text_of(entry.get("agent")))
    for update in row.objects("status_updates"):
        yield Said(text_of(update.get("message")), time_of(update.get("created_at")), text_of(update.get("sender")))


def _entry_at(row: Row, kind: str) -> datetime | None:
    times = [time_of(entry.get("created_at")) for entry in row.objects("log_entries") if entry.get("type") == kind]
    known = [at for at in times if at is not None]
    return known[-1] if known else None


def _severity(row: Row) -> Severity | None:
    named = severity_of(row.text("priority", "severity"))
    return named or _URGENCY.get(row.text("urgency").lower())


def _people(row: Row) -> Iterator[str]:
    """Who took it on: assignees, those who acknowledged or resolved it."""
    for name, inside in (("assignments", "assignee"), ("acknowledgements", "acknowledger")):
        for one in row.objects(name):
            yield from _person(one.get(inside))
    yield from row.texts("resolved_by_user_name", "acknowledged_by_user_name")


def _person(value: object) -> Iterator[str]:
    """A person's name; services and policies acknowledge as well, and are nobody."""
    if isinstance(value, dict) and "user" in str(value.get("type", "user")) and text_of(value):
        yield text_of(value)
