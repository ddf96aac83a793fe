"""Jira: issues of the REST API (plain or rich text) with their comments, and the CSV export of a search."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from datetime import datetime

from hindcast.learn.facts import severity_of
from hindcast.learn.shapes.made import Facts, Said, case_from
from hindcast.learn.shapes.row import Row, items_of, plain, text_of, time_of
from hindcast.model.case import Case
from hindcast.model.errors import Malformed

SOURCE = "jira"
# Resolutions that say only that it is over.
_EMPTY = frozenset({"done", "fixed", "resolved", "closed", "won't do", "wont do", "unresolved", "none", "complete"})
_OVER = re.compile(r"\b(?:done|closed|resolved|complete[d]?|fixed)\b", re.I)


def recognise(row: Mapping[str, object]) -> bool:
    """Whether a row is an issue of Jira."""
    if isinstance(row.get("fields"), dict) and "key" in row:
        return True
    return {"issuekey", "summary"} <= {plain(name) for name in row}


def read(row: Row, fallback_at: datetime) -> Case:
    """The case of one issue."""
    fields = row.get("fields")
    if isinstance(fields, dict):
        named = _named(fields, row.get("names"))
        inside = Row({**named, "key": row.get("key"), "self": row.get("self")}, row.place)
    else:
        inside = row
    said = sorted(_said(inside), key=lambda one: (one.at is not None, one.at or fallback_at))
    resolved = inside.time("resolutiondate", "resolved", "resolution date")
    why = inside.text("resolution")
    began = _began(inside)
    return case_from(
        Facts(
            source=SOURCE,
            key=inside.required("key", "key", "issue key"),
            title=inside.required("summary", "summary"),
            occurred_at=began or fallback_at,
            dated=began is not None,
            resolved_at=resolved,
            closed=resolved is not None or bool(_OVER.search(inside.text("status"))),
            description=inside.text("description"),
            cause=_custom(inside, r"root\s*cause|^cause"),
            resolution=_custom(
                inside, r"resolution (?:note|detail|summary|step)|^fix$|mitigation|workaround|how .*fixed"
            )
            or ("" if why.lower() in _EMPTY else why),
            severity=severity_of(_custom(inside, r"severity") or inside.text("priority")),
            services=_listed(inside, r"affected\s+services?|^services?$|impacted\s+services?"),
            components=inside.texts("components", "component/s", "component"),
            responders=tuple(name for name in (inside.text("assignee"),) if name),
            links=tuple(link for link in (inside.text("self"),) if link.startswith("http")),
            said=said,
        )
    )


def _named(fields: Mapping[str, object], names: object) -> dict[str, object]:
    """Fields with the names that people gave them, where the export says which is which."""
    known = names if isinstance(names, dict) else {}
    return {str(known.get(name, name)): value for name, value in fields.items()}


def _began(row: Row) -> datetime | None:
    """When the incident began, where a field of its own says so, otherwise when the issue was created."""
    for name in row.fields:
        if re.search(
            r"(?:incident|outage|impact)\s*(?:start|began)|start(?:ed)?\s*(?:at|time|date)", _label(name), re.I
        ):
            at = time_of(row.fields[name])
            if at is not None:
                return at
    created = row.time("created")
    if created is None and row.get("created") is not None:
        raise Malformed("This issue has no readable time.", field="created", remedy="Export the field Created.")
    return created


def _label(name: str) -> str:
    """A column's own name: `Root cause` for `Custom field (Root cause)`."""
    match = re.fullmatch(r"Custom field \((.*)\)", name)
    return match.group(1) if match else name


def _custom(row: Row, pattern: str) -> str:
    for name, value in row.fields.items():
        if re.search(pattern, _label(name), re.I) and text_of(value):
            return text_of(value)
    return ""


def _listed(row: Row, pattern: str) -> tuple[str, ...]:
    for name in row.fields:
        if re.search(pattern, _label(name), re.I) and row.texts(name):
            return row.texts(name)
    return ()


def _said(row: Row) -> Iterator[Said]:
    comment = row.get("comment", "comments")
    if isinstance(comment, dict):
        comment = comment.get("comments")
    for one in items_of(comment):
        if isinstance(one, dict):
            yield Said(text_of(one.get("body")), time_of(one.get("created")), text_of(one.get("author")))
        elif isinstance(one, str) and one.strip():
            yield _written(one)


def _written(comment: str) -> Said:
    """A comment of the CSV export: `16/Nov/26 2:03 AM;dana;text`."""
    parts = comment.split(";", 2)
    at = time_of(parts[0]) if len(parts) == 3 else None
    return Said(parts[2].strip(), at, parts[1].strip()) if at is not None else Said(comment.strip())
