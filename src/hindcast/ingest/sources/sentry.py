"""Sentry's webhooks: those of an integration (issue, event alert, metric alert, error) and those of the older plugin.

An alert's key is the issue it belongs to, whatever told of it, so that `issue resolved` closes what an event alert has
opened. A metric alert has no issue; its key is its own id.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec

from hindcast.ingest.sources.naming import NAMING, Naming, severity
from hindcast.ingest.sources.reading import LIMITS, Arrival, clip, header, labelled, read
from hindcast.ingest.sources.stack import WireExceptions, headline, stack_text
from hindcast.model.columns import Parsed, Rejection
from hindcast.model.errors import Malformed
from hindcast.model.reading import ready
from hindcast.model.signal import Alert, Severity, Status

ISSUE_ACTIONS = {
    "created": Status.FIRING,
    "unresolved": Status.FIRING,
    "resolved": Status.RESOLVED,
    "assigned": Status.ACKNOWLEDGED,
    "ignored": Status.ACKNOWLEDGED,
    "archived": Status.ACKNOWLEDGED,
}
METRIC_ACTIONS = {
    "critical": (Status.FIRING, Severity.CRITICAL),
    "warning": (Status.FIRING, Severity.MINOR),
    "open": (Status.FIRING, Severity.MAJOR),
    "resolved": (Status.RESOLVED, Severity.INFO),
}
# /api/0/projects/ORGANISATION/PROJECT/… says in words which project an event is of; the event itself has a number.
_PROJECT = re.compile(r"/projects/[^/]+/([^/?#]+)")


class WireProject(msgspec.Struct):
    """A project of Sentry."""

    slug: str | None = None
    name: str | None = None


class WireEvent(msgspec.Struct):
    """One error as it happened."""

    event_id: str | None = None
    title: str | None = None
    message: str | None = None
    culprit: str | None = None
    level: str | None = None
    platform: str | None = None
    issue_id: str | int | None = None
    web_url: str | None = None
    issue_url: str | None = None
    url: str | None = None
    datetime: str | None = None
    timestamp: float | str | None = None
    environment: Any = None
    release: Any = None
    # A list of pairs, or of objects with key and value, by the age of the sender.
    tags: list[Any] | None = None
    exception: WireExceptions | None = None
    legacy_exception: WireExceptions | None = msgspec.field(default=None, name="sentry.interfaces.Exception")


class WireIssue(msgspec.Struct, rename="camel"):
    """A group of errors that are one."""

    id: str | int | None = None
    short_id: str | None = None
    title: str | None = None
    culprit: str | None = None
    level: str | None = None
    permalink: str | None = None
    web_url: str | None = msgspec.field(default=None, name="web_url")
    first_seen: str | None = None
    project: WireProject | None = None


class WireRule(msgspec.Struct):
    """The rule behind a metric alert."""

    name: str | None = None
    projects: list[str] | None = None


class WireMetricAlert(msgspec.Struct):
    """A metric alert's incident."""

    id: str | int | None = None
    title: str | None = None
    date_started: str | None = None
    date_closed: str | None = None
    alert_rule: WireRule | None = None
    projects: list[str] | None = None


class WireData(msgspec.Struct):
    """What a webhook of an integration tells."""

    event: WireEvent | None = None
    error: WireEvent | None = None
    issue: WireIssue | None = None
    metric_alert: WireMetricAlert | None = None
    triggered_rule: str | None = None
    description_title: str | None = None
    description_text: str | None = None
    web_url: str | None = None


class WireRequest(msgspec.Struct):
    """A request, of an integration (with `data`) or of the older plugin (with `event` itself)."""

    action: str | None = None
    data: WireData | None = None
    # From here on: the plugin.
    id: str | int | None = None
    project: str | None = None
    project_slug: str | None = None
    culprit: str | None = None
    level: str | None = None
    message: str | None = None
    url: str | None = None
    event: WireEvent | None = None


def parse(body: bytes, headers: Mapping[str, str], *, now: datetime, naming: Naming = NAMING) -> Parsed:
    """The alert that a webhook tells of, or a note that it tells of none."""
    resource = header(headers, "Sentry-Hook-Resource")
    if resource and resource not in _RESOURCES:
        return _left_out(f"Sentry-Hook-Resource: {resource} tells of no error and no alert.")
    request, arrival = read(body, WireRequest), Arrival(now)
    if request.data is None:
        if request.event is None:
            raise Malformed("This field is required.", field="data", remedy="Send a webhook as Sentry does.")
        plugin = _plugin(request, request.event, arrival, naming)
        return Parsed(alerts=(plugin,), rejections=arrival.notes)
    data = request.data
    found = resource or next((one for one, name in _RESOURCES.items() if getattr(data, name) is not None), "")
    if not found:
        return _left_out("data: it tells of no error and no alert.")
    part = getattr(data, _RESOURCES[found])
    if part is None:
        field = f"data.{_RESOURCES[found]}"
        raise Malformed("This field is required.", field=field, remedy="Send a webhook as Sentry does.")
    if isinstance(part, WireIssue):
        return _issue(request.action or "", part, arrival, naming)
    if isinstance(part, WireMetricAlert):
        return _metric_alert(request.action or "", data, part, arrival, naming)
    rule = {"rule": data.triggered_rule} if data.triggered_rule else {}
    alert = _event(part, f"data.{_RESOURCES[found]}", rule, arrival, naming)
    return Parsed(alerts=(alert,), rejections=arrival.notes)


# What a webhook is about, by its header, and where in its data that stands.
_RESOURCES = {"event_alert": "event", "metric_alert": "metric_alert", "issue": "issue", "error": "error"}


def _event(event: WireEvent, where: str, more: Mapping[str, str], arrival: Arrival, naming: Naming) -> Alert:
    issue = str(event.issue_id or "") or _last_part(event.issue_url)
    if not issue:
        raise Malformed("This field is required.", field=f"{where}.issue_id", remedy="Send the id of the issue.")
    project = _PROJECT.search(event.url or event.issue_url or "")
    labels = {**_tags(event.tags), **_about(event), **more, "project": project[1] if project else ""}
    return _alert(event, issue, labels, event.web_url or event.issue_url or "", where, arrival, naming)


def _plugin(request: WireRequest, event: WireEvent, arrival: Arrival, naming: Naming) -> Alert:
    issue = str(request.id or event.issue_id or "")
    if not issue:
        raise Malformed("This field is required.", field="id", remedy="Send the id of the issue.")
    project = request.project_slug or request.project or ""
    labels = {**_tags(event.tags), **_about(event), "project": project}
    whole = msgspec.structs.replace(
        event,
        title=event.title or request.message,
        culprit=event.culprit or request.culprit,
        level=event.level or request.level,
    )
    return _alert(whole, issue, labels, request.url or event.web_url or "", "event", arrival, naming)


def _alert(
    event: WireEvent, issue: str, labels: Mapping[str, str], url: str, where: str, arrival: Arrival, naming: Naming
) -> Alert:
    exceptions = event.exception or event.legacy_exception
    chain = [one for one in (exceptions.values if exceptions else None) or () if one is not None]
    last = headline(chain[-1]) if chain else ""
    told = (last, event.message or "", f"in {event.culprit}" if event.culprit else "")
    told_at = (event.datetime, f"{where}.datetime") if event.datetime else (event.timestamp, f"{where}.timestamp")
    return Alert(
        source="sentry",
        key=issue,
        status=Status.FIRING,
        title=clip(event.title or last or event.message or f"Issue {issue}", LIMITS.title_chars_max),
        service=naming.service(labels) or naming.called(labels.get("project", "")),
        severity=severity(event.level),
        started_at=arrival.time(*told_at),
        url=url,
        labels=labelled(labels),
        text=clip("\n".join(dict.fromkeys(part for part in told if part)), LIMITS.text_chars_max),
        stack=clip(stack_text(event.platform or "", exceptions), LIMITS.stack_chars_max),
    )


def _issue(action: str, issue: WireIssue, arrival: Arrival, naming: Naming) -> Parsed:
    status = ISSUE_ACTIONS.get(action)
    if status is None:
        return _left_out(f"action: an issue that is {action or 'nothing'} is neither opened nor closed.")
    if not issue.id:
        raise Malformed("This field is required.", field="data.issue.id", remedy="Send the id of the issue.")
    project = (issue.project.slug if issue.project else None) or ""
    labels = {"project": project, "short_id": issue.short_id or "", "action": action, "level": issue.level or ""}
    alert = Alert(
        source="sentry",
        key=str(issue.id),
        status=status,
        title=clip(issue.title or f"Issue {issue.id}", LIMITS.title_chars_max),
        service=naming.called(project),
        severity=severity(issue.level),
        started_at=arrival.time(issue.first_seen, "data.issue.firstSeen"),
        ended_at=arrival.now if status is Status.RESOLVED else None,
        url=issue.web_url or issue.permalink or "",
        labels=labelled(labels),
        text=f"in {issue.culprit}" if issue.culprit else "",
    )
    return Parsed(alerts=(alert,), rejections=arrival.notes)


def _metric_alert(action: str, data: WireData, one: WireMetricAlert, arrival: Arrival, naming: Naming) -> Parsed:
    if action not in METRIC_ACTIONS:
        return _left_out(f"action: a metric alert that is {action or 'nothing'} is neither opened nor closed.")
    if not one.id:
        raise Malformed("This field is required.", field="data.metric_alert.id", remedy="Send the id of the alert.")
    status, weight = METRIC_ACTIONS[action]
    rule = one.alert_rule or WireRule()
    projects = one.projects or rule.projects or []
    ended_at = arrival.time(one.date_closed, "data.metric_alert.date_closed") if status is Status.RESOLVED else None
    alert = Alert(
        source="sentry",
        key=f"metric-{one.id}",
        status=status,
        title=clip(
            rule.name or one.title or data.description_title or f"Metric alert {one.id}", LIMITS.title_chars_max
        ),
        # A rule over several projects is about no single service.
        service=naming.called(projects[0]) if len(projects) == 1 else "",
        severity=weight,
        started_at=arrival.time(one.date_started, "data.metric_alert.date_started"),
        ended_at=ended_at,
        url=data.web_url or "",
        labels=labelled({"projects": ", ".join(projects), "action": action}),
        text=clip(data.description_text or data.description_title or "", LIMITS.text_chars_max),
    )
    return Parsed(alerts=(alert,), rejections=arrival.notes)


def _tags(tags: list[Any] | None) -> dict[str, str]:
    found: dict[str, str] = {}
    for tag in tags or ():
        match tag:
            case [str(name), value] | {"key": str(name), "value": value} if value is not None:
                found[name] = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return found


def _about(event: WireEvent) -> dict[str, str]:
    known = {
        "event_id": event.event_id,
        "level": event.level,
        "platform": event.platform,
        "environment": event.environment,
        "release": event.release,
    }
    return {name: value for name, value in known.items() if isinstance(value, str) and value}


def _last_part(url: str | None) -> str:
    """The id that an issue's address ends in: …/issues/1117540176/."""
    last = (url or "").rstrip("/").rpartition("/")[2]
    return last if last.isdigit() else ""


def _left_out(why: str) -> Parsed:
    return Parsed(rejections=(Rejection(0, why),))


ready(WireRequest)
