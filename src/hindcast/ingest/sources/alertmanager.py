"""Prometheus Alertmanager's webhook, version 4: one request tells of many alerts, some firing, some resolved.

An alert's key is its fingerprint and the moment it started: the next outage of the same rule is another alert.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

import msgspec

from hindcast.ingest.sources.naming import NAMING, Naming, severity
from hindcast.ingest.sources.reading import LIMITS, Arrival, clip, labelled, moment, read
from hindcast.model.columns import Parsed, Rejection
from hindcast.model.errors import Malformed
from hindcast.model.reading import ready
from hindcast.model.signal import Alert, Status

# What Alertmanager calls the state of an alert.
STATUSES = {"firing": Status.FIRING, "resolved": Status.RESOLVED}

_FNV_OFFSET = 14695981039346656037
_FNV_PRIME = 1099511628211


class WireAlert(msgspec.Struct, rename="camel"):
    """One alert as it stands in the request."""

    starts_at: str
    status: str | None = None
    labels: dict[str, str] | None = None
    annotations: dict[str, str] | None = None
    ends_at: str | None = None
    generator_url: str | None = msgspec.field(default=None, name="generatorURL")
    fingerprint: str | None = None


class WireGroup(msgspec.Struct, rename="camel"):
    """The request: a group of alerts."""

    alerts: list[WireAlert]
    version: str | None = None
    status: str | None = None
    external_url: str | None = msgspec.field(default=None, name="externalURL")
    truncated_alerts: int | None = None


def parse(body: bytes, headers: Mapping[str, str], *, now: datetime, naming: Naming = NAMING) -> Parsed:  # noqa: ARG001
    """Every alert of the request, and how many the sender left out."""
    group = read(body, WireGroup)
    if group.version not in {None, "4"}:
        raise Malformed(
            f"Version {group.version!r} of Alertmanager's webhook is not known.",
            field="version",
            remedy="Send version 4, as Alertmanager does since 0.5. Grafana's own alerts go to the grafana source.",
        )
    check_count(len(group.alerts))
    arrival = Arrival(now)
    alerts = tuple(_alert(one, position, group, arrival, naming) for position, one in enumerate(group.alerts))
    return Parsed(alerts=alerts, rejections=(*arrival.notes, *left_out(group.truncated_alerts, len(alerts))))


def check_count(alerts: int) -> None:
    """Refuse a request with more alerts than anybody can mean."""
    if alerts > LIMITS.alerts_max:
        raise Malformed(
            f"{alerts:,} alerts came at once, and {LIMITS.alerts_max:,} are accepted.",
            field="alerts",
            remedy="Group alerts by more labels, or set max_alerts at the sender.",
        )


def left_out(truncated: int | None, sent: int) -> tuple[Rejection, ...]:
    """What a sender says that it did not send."""
    if not truncated or truncated < 0:
        return ()
    problem = f"truncatedAlerts: the sender left out {truncated:,} more alerts. Raise its max_alerts to have them here."
    return (Rejection(sent, problem),)


def status_of(one: str | None, of_all: str | None, field: str) -> Status:
    """What an alert says of itself, or what the request says of all."""
    told = one or of_all or ""
    found = STATUSES.get(told.lower())
    if found is None:
        raise Malformed(f"{told[:64]!r} is not a status.", field=field, remedy="Send firing or resolved.")
    return found


def fingerprint(labels: Mapping[str, str]) -> str:
    """What Alertmanager itself calls a set of labels (64-bit FNV-1a), for senders too old to say it."""
    value = _FNV_OFFSET
    for name in sorted(labels):
        for byte in b"\xff".join((name.encode(), labels[name].encode(), b"")):
            value = ((value ^ byte) * _FNV_PRIME) & 0xFFFFFFFFFFFFFFFF
    return f"{value:016x}"


def key(print_of_labels: str, started_at: datetime | None) -> str:
    """The same alert of the same outage has the same key. The sender's own time counts, even if its clock is wrong."""
    return f"{print_of_labels}@{started_at.isoformat(timespec='milliseconds') if started_at else ''}"


def text_of(annotations: Mapping[str, str]) -> str:
    """What the rule's author wrote: the summary, the description, then the rest by name."""
    first = [annotations[name] for name in ("summary", "description", "message") if annotations.get(name)]
    rest = [
        f"{name}: {value}"
        for name, value in sorted(annotations.items())
        if name not in {"summary", "description", "message"} and value
    ]
    return clip("\n".join((*first, *rest)), LIMITS.text_chars_max)


def _alert(one: WireAlert, position: int, group: WireGroup, arrival: Arrival, naming: Naming) -> Alert:
    where = f"alerts[{position}]"
    labels, annotations = one.labels or {}, one.annotations or {}
    status = status_of(one.status, group.status, f"{where}.status")
    starts_at = moment(one.starts_at, f"{where}.startsAt")
    # While it fires, the end is when Alertmanager would give up waiting for news, or the year 1.
    ended_at = arrival.time(one.ends_at, f"{where}.endsAt", position=position) if status is Status.RESOLVED else None
    print_of_labels = one.fingerprint or fingerprint(labels)
    return Alert(
        source="alertmanager",
        key=key(print_of_labels, starts_at),
        status=status,
        title=clip(labels.get("alertname") or annotations.get("summary") or "alert", LIMITS.title_chars_max),
        service=naming.service(labels),
        severity=severity(labels.get("severity") or labels.get("priority")),
        started_at=arrival.time(one.starts_at, f"{where}.startsAt", position=position),
        ended_at=ended_at,
        url=one.generator_url or group.external_url or "",
        labels=labelled(labels),
        text=text_of(annotations),
    )


ready(WireGroup)
