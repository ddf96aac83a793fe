"""PagerDuty's Events API v2, received: whoever sends there can send here, alerts and changes alike.

An event's key is its `dedup_key` within its `routing_key`, of which only a hash is kept. A trigger without one gets a
key made of its content, so that the same event sent twice is one alert. Only a trigger is FIRING: an ACKNOWLEDGED or
RESOLVED alert with a key that nobody has seen opens nothing, as the lifecycle sees from its status.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec

from hindcast.ingest.sources.naming import NAMING, Naming
from hindcast.ingest.sources.reading import LIMITS, Arrival, clip, flat, labelled, read
from hindcast.model.columns import Parsed
from hindcast.model.errors import Malformed
from hindcast.model.reading import ready
from hindcast.model.signal import Alert, ChangeKind, Severity, Status, SystemChange

BODY_BYTES_MAX = 512 * 1024
SUMMARY_CHARS_MAX = 1024
DEDUP_KEY_CHARS_MAX = 255

ACTIONS = {"trigger": Status.FIRING, "acknowledge": Status.ACKNOWLEDGED, "resolve": Status.RESOLVED}
SEVERITIES = {
    "critical": Severity.CRITICAL,
    "error": Severity.MAJOR,
    "warning": Severity.MINOR,
    "info": Severity.INFO,
}
# The label under which an alert carries the key that the sender knows it by.
DEDUP_LABEL = "dedup_key"


class WirePayload(msgspec.Struct):
    """What an event says of itself."""

    summary: str | None = None
    source: str | None = None
    severity: str | None = None
    timestamp: float | str | None = None
    component: str | None = None
    group: str | None = None
    class_: str | None = msgspec.field(default=None, name="class")
    custom_details: Any = None


class WireLink(msgspec.Struct):
    """An address that belongs to an event."""

    href: str | None = None
    text: str | None = None


class WireEvent(msgspec.Struct):
    """One event as it was sent. Links and the client stand beside the payload, not in it."""

    routing_key: str
    event_action: str | None = None
    dedup_key: str | None = None
    payload: WirePayload | None = None
    links: list[WireLink] | None = None
    client: str | None = None
    client_url: str | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """What the sender is told: an HTTP status and a JSON body."""

    status: int
    body: bytes


def parse(body: bytes, headers: Mapping[str, str], *, now: datetime, naming: Naming = NAMING) -> Parsed:  # noqa: ARG001
    """The alert of one event sent to /v2/enqueue."""
    event = read(body, WireEvent, bytes_max=BODY_BYTES_MAX)
    _check_routing(event)
    status = ACTIONS.get(event.event_action or "")
    if status is None:
        raise Malformed(
            f"{event.event_action!r} is not an action." if event.event_action else "This field is required.",
            field="event_action",
            remedy="Send trigger, acknowledge or resolve.",
        )
    if event.dedup_key and len(event.dedup_key) > DEDUP_KEY_CHARS_MAX:
        raise Malformed(
            f"The key has {len(event.dedup_key):,} characters, and {DEDUP_KEY_CHARS_MAX} are accepted.",
            field="dedup_key",
            remedy="Send a shorter one, such as a hash of it.",
        )
    arrival = Arrival(now)
    alert = _trigger(event, body, arrival, naming) if status is Status.FIRING else _follow_up(event, status, now)
    return Parsed(alerts=(alert,), rejections=arrival.notes)


def parse_change(body: bytes, headers: Mapping[str, str], *, now: datetime, naming: Naming = NAMING) -> Parsed:  # noqa: ARG001
    """The change of one event sent to /v2/change/enqueue."""
    event = read(body, WireEvent, bytes_max=BODY_BYTES_MAX)
    _check_routing(event)
    payload = event.payload or WirePayload()
    summary = _required(payload.summary, "payload.summary", chars_max=SUMMARY_CHARS_MAX)
    labels = _labels(event, payload)
    arrival = Arrival(now)
    change = SystemChange(
        source="pagerduty",
        key=f"{_routed(event)}:{hashlib.sha256(body).hexdigest()[:32]}",
        kind=ChangeKind.OTHER,
        at=arrival.time(payload.timestamp, "payload.timestamp"),
        service=naming.service(labels),
        title=summary,
        actor=event.client or "",
        ref=labels.get("ref") or labels.get("version") or labels.get("build_id") or "",
        url=_address(event),
        labels=labelled(labels),
    )
    return Parsed(changes=(change,), rejections=arrival.notes)


def routing_key(body: bytes) -> str:
    """Whose event this is, for whoever decides if it may come in. It is as good as a password."""
    return read(body, WireEvent, bytes_max=BODY_BYTES_MAX).routing_key


def answer(parsed: Parsed) -> Answer:
    """What PagerDuty itself answers to an event that it has taken."""
    told = {"status": "success", "message": "Event processed"}
    if parsed.changes:
        told["message"] = "Change event processed"
    if parsed.alerts:
        told["dedup_key"] = parsed.alerts[0].labels[DEDUP_LABEL]
    return Answer(202, msgspec.json.encode(told))


def refusal(problem: str) -> Answer:
    """What PagerDuty itself answers to an event that is wrong, with our reason in it."""
    told = {"status": "invalid event", "message": "Event object is invalid", "errors": [problem]}
    return Answer(400, msgspec.json.encode(told))


def too_many() -> Answer:
    """What PagerDuty itself answers when events come too fast. Senders wait and try again."""
    message = "Requests for this service are arriving too quickly. Please retry later."
    return Answer(429, msgspec.json.encode({"status": "throttle exceeded", "message": message, "errors": [message]}))


def _trigger(event: WireEvent, body: bytes, arrival: Arrival, naming: Naming) -> Alert:
    if event.payload is None:
        raise Malformed("This field is required.", field="payload", remedy="A trigger says what happened: send it.")
    payload = event.payload
    summary = _required(payload.summary, "payload.summary", chars_max=SUMMARY_CHARS_MAX)
    _required(payload.source, "payload.source", chars_max=LIMITS.label_chars_max)
    severity = SEVERITIES.get(_required(payload.severity, "payload.severity", chars_max=64).lower())
    if severity is None:
        raise Malformed(
            f"{payload.severity!r} is not a severity.",
            field="payload.severity",
            remedy="Send critical, error, warning or info.",
        )
    dedup_key = event.dedup_key or hashlib.sha256(body).hexdigest()[:32]
    labels = _labels(event, payload)
    return Alert(
        source="pagerduty",
        key=f"{_routed(event)}:{dedup_key}",
        status=Status.FIRING,
        title=summary,
        service=naming.service(labels),
        severity=severity,
        started_at=arrival.time(payload.timestamp, "payload.timestamp"),
        url=_address(event),
        labels={**labelled(labels), DEDUP_LABEL: dedup_key},
        text=_text(event, payload),
    )


def _follow_up(event: WireEvent, status: Status, now: datetime) -> Alert:
    """An acknowledgement or a resolution. It has no payload of its own, so the key says all."""
    dedup_key = _required(event.dedup_key, "dedup_key", chars_max=DEDUP_KEY_CHARS_MAX)
    payload = event.payload or WirePayload()
    return Alert(
        source="pagerduty",
        key=f"{_routed(event)}:{dedup_key}",
        status=status,
        title=clip(payload.summary or dedup_key, LIMITS.title_chars_max),
        service="",
        severity=SEVERITIES.get((payload.severity or "").lower(), Severity.INFO),
        started_at=now,
        ended_at=now if status is Status.RESOLVED else None,
        labels={DEDUP_LABEL: dedup_key},
    )


def _check_routing(event: WireEvent) -> None:
    _required(event.routing_key, "routing_key", chars_max=LIMITS.label_chars_max)


def _required(value: str | None, field: str, *, chars_max: int) -> str:
    if not value or not value.strip():
        raise Malformed("This field is required.", field=field, remedy="Send a text that is not empty.")
    if len(value) > chars_max:
        raise Malformed(
            f"It has {len(value):,} characters, and {chars_max:,} are accepted.",
            field=field,
            remedy="Send a shorter one.",
        )
    return value


def _routed(event: WireEvent) -> str:
    """A key that tells integrations apart and betrays none: the same dedup_key of another one is another alert."""
    return hashlib.sha256(event.routing_key.encode()).hexdigest()[:12]


def _labels(event: WireEvent, payload: WirePayload) -> dict[str, str]:
    named = {
        "source": payload.source,
        "component": payload.component,
        "group": payload.group,
        "class": payload.class_,
        "client": event.client,
    }
    details = payload.custom_details
    return {
        **(flat(details) if isinstance(details, Mapping) else {}),
        **{name: value for name, value in named.items() if value},
    }


def _address(event: WireEvent) -> str:
    return event.client_url or next((link.href for link in event.links or () if link.href), "")


def _text(event: WireEvent, payload: WirePayload) -> str:
    details = payload.custom_details
    if isinstance(details, Mapping):
        lines = [f"{name}: {value}" for name, value in flat(details).items()]
    else:
        lines = [details if isinstance(details, str) else msgspec.json.encode(details).decode()] if details else []
    lines += (f"{link.text or 'link'}: {link.href}" for link in event.links or () if link.href)
    return clip("\n".join(lines), LIMITS.text_chars_max)


ready(WireEvent)
