"""incident.io: incidents with custom fields, roles, timestamps, durations and updates."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime

from hindcast.learn.facts import severity_of
from hindcast.learn.shapes.made import Facts, Said, case_from
from hindcast.learn.shapes.row import Row, items_of, text_of, time_of
from hindcast.model.case import Case

SOURCE = "incident.io"
_BEGAN = r"impact\s*start|started|occurred|first\s*impact|detected"
_ENDED = r"resolved|fixed|impact\s*(?:end|stop)|closed|recovered"


def recognise(row: Mapping[str, object]) -> bool:
    """Whether a row is an incident of incident.io."""
    if "incident_status" in row or "custom_field_entries" in row or "incident_timestamp_values" in row:
        return "name" in row
    return "reference" in row and "name" in row and ("severity" in row or "permalink" in row)


def read(row: Row, fallback_at: datetime) -> Case:
    """The case of one incident."""
    category = row.get("incident_status", "status")
    status = text_of(category.get("category")) if isinstance(category, dict) else text_of(category)
    began = _stamp(row, _BEGAN) or row.time("reported_at", "created_at")
    return case_from(
        Facts(
            source=SOURCE,
            key=row.required("reference", "reference", "id"),
            title=row.required("name", "name"),
            occurred_at=began or fallback_at,
            dated=began is not None,
            resolved_at=_stamp(row, _ENDED) or row.time("resolved_at", "closed_at"),
            minutes=_duration(row),
            closed=status.lower() in ("closed", "resolved", "post_incident", "post-incident", "learning"),
            description=row.text("summary"),
            cause=_custom(row, r"cause"),
            resolution=_custom(row, r"resol|fix|mitigat"),
            severity=severity_of(row.text("severity")),
            services=tuple(_values(row, r"service|product|system|team's area")),
            components=tuple(_values(row, r"component|technolog|infrastructure")),
            responders=tuple(dict.fromkeys(_people(row))),
            links=tuple(link for link in (row.text("permalink"), row.text("postmortem_document_url")) if link),
            said=sorted(_said(row), key=lambda one: (one.at is not None, one.at or fallback_at)),
        )
    )


def _entries(row: Row, pattern: str) -> Iterator[Mapping[str, object]]:
    for entry in row.objects("custom_field_entries"):
        field = entry.get("custom_field")
        if isinstance(field, dict) and re.search(pattern, text_of(field.get("name")), re.I):
            yield entry


def _values(row: Row, pattern: str) -> Iterator[str]:
    """What a custom field holds: texts, options, entries of the catalogue, numbers."""
    for entry in _entries(row, pattern):
        for value in items_of(entry.get("values")):
            if not isinstance(value, dict):
                continue
            for key in ("value_text", "value_option", "value_catalog_entry", "value_numeric", "value_link"):
                text = text_of(value.get(key))
                if text:
                    yield text
                    break


def _custom(row: Row, pattern: str) -> str:
    return "\n".join(_values(row, pattern))


def _stamp(row: Row, pattern: str) -> datetime | None:
    for stamp in row.objects("incident_timestamp_values"):
        kind, value = stamp.get("incident_timestamp"), stamp.get("value")
        named = text_of(kind.get("name")) if isinstance(kind, dict) else ""
        at = time_of(value.get("value")) if isinstance(value, dict) else time_of(value)
        if at is not None and re.search(pattern, named, re.I):
            return at
    return None


def _duration(row: Row) -> float | None:
    for metric in row.objects("duration_metrics"):
        kind, seconds = metric.get("duration_metric"), metric.get("value_seconds")
        named = text_of(kind.get("name")) if isinstance(kind, dict) else ""
        if isinstance(seconds, int | float) and re.search(r"resol|total|incident duration|fix", named, re.I):
            return round(seconds / 60, 2)
    return None


def _people(row: Row) -> Iterator[str]:
    for role in row.objects("incident_role_assignments"):
        name = text_of(role.get("assignee"))
        if name:
            yield name


def _said(row: Row) -> Iterator[Said]:
    for update in row.objects("updates", "incident_updates"):
        by = update.get("updater")
        person = by.get("user") if isinstance(by, dict) and by.get("user") else by
        text = text_of(update.get("message"))
        if text:
            yield Said(text, time_of(update.get("created_at")), text_of(person))
