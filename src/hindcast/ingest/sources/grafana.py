"""Grafana's unified alerting: like Alertmanager's webhook, with values, panels and addresses that may be relative."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from urllib.parse import urljoin

import msgspec

from hindcast.ingest.sources.alertmanager import check_count, fingerprint, key, left_out, status_of, text_of
from hindcast.ingest.sources.naming import NAMING, Naming, severity
from hindcast.ingest.sources.reading import LIMITS, Arrival, clip, labelled, moment, read
from hindcast.model.columns import Parsed
from hindcast.model.reading import ready
from hindcast.model.signal import Alert, Status


class WireAlert(msgspec.Struct, rename="camel"):
    """One alert as it stands in the request."""

    starts_at: str
    status: str | None = None
    labels: dict[str, str] | None = None
    annotations: dict[str, str] | None = None
    ends_at: str | None = None
    generator_url: str | None = msgspec.field(default=None, name="generatorURL")
    fingerprint: str | None = None
    dashboard_url: str | None = msgspec.field(default=None, name="dashboardURL")
    panel_url: str | None = msgspec.field(default=None, name="panelURL")
    # Null in test alerts, and for rules without a value.
    values: dict[str, float | str | None] | None = None
    value_string: str | None = None


class WireGroup(msgspec.Struct, rename="camel"):
    """The request: a group of alerts."""

    alerts: list[WireAlert]
    status: str | None = None
    external_url: str | None = msgspec.field(default=None, name="externalURL")
    truncated_alerts: int | None = None


def parse(body: bytes, headers: Mapping[str, str], *, now: datetime, naming: Naming = NAMING) -> Parsed:  # noqa: ARG001
    """Every alert of the request, and how many the sender left out."""
    group = read(body, WireGroup)
    check_count(len(group.alerts))
    arrival = Arrival(now)
    alerts = tuple(_alert(one, position, group, arrival, naming) for position, one in enumerate(group.alerts))
    return Parsed(alerts=alerts, rejections=(*arrival.notes, *left_out(group.truncated_alerts, len(alerts))))


def _alert(one: WireAlert, position: int, group: WireGroup, arrival: Arrival, naming: Naming) -> Alert:
    where = f"alerts[{position}]"
    labels, annotations = one.labels or {}, one.annotations or {}
    status = status_of(one.status, group.status, f"{where}.status")
    starts_at = moment(one.starts_at, f"{where}.startsAt")
    # While it fires, the end is when Alertmanager would give up waiting for news, or the year 1.
    ended_at = arrival.time(one.ends_at, f"{where}.endsAt", position=position) if status is Status.RESOLVED else None
    address = one.generator_url or one.panel_url or one.dashboard_url or ""
    told = (text_of(annotations), _values(one))
    return Alert(
        source="grafana",
        key=key(one.fingerprint or fingerprint(labels), starts_at),
        status=status,
        title=clip(labels.get("alertname") or annotations.get("summary") or "alert", LIMITS.title_chars_max),
        service=naming.service(labels),
        severity=severity(labels.get("severity") or labels.get("priority")),
        started_at=arrival.time(one.starts_at, f"{where}.startsAt", position=position),
        ended_at=ended_at,
        # A test alert's own address is "?orgId=1": it only means something from where Grafana is.
        url=urljoin(group.external_url or "", address),
        labels=labelled(labels),
        text=clip("\n".join(part for part in told if part), LIMITS.text_chars_max),
    )


def _values(one: WireAlert) -> str:
    """The numbers that the rule saw: {"B": 22.5} reads B = 22.5."""
    if one.values:
        return ", ".join(f"{name} = {'no value' if value is None else value}" for name, value in one.values.items())
    return one.value_string or ""


ready(WireGroup)
