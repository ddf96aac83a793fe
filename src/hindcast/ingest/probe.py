"""What each sender would send to see that it arrives: one small request of its own kind, made here. Pure.

Every text carries a mark, by which it is found again where it was stored. Lines call themselves information and alerts
call themselves the least of severities, so that a reader of raw data is not alarmed either.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Final

import orjson

# What the data of a test is filed under.
SERVICE: Final = "hindcast-test"
METRIC: Final = "hindcast.test"
# A mark is this many letters and digits of a hexadecimal number: half a trace's id.
MARK_CHARS: Final = 16

_JSON: Final = "application/json"
# Nobody's: a routing key that looks like a key of ours would be taken for one.
_ROUTING: Final = "hindcast-test-integration"
_NOWHERE: Final = "https://hindcast.invalid/test"


@dataclass(frozen=True, slots=True)
class Probe:
    """One request: where it goes and what it says."""

    path: str
    body: bytes
    headers: Mapping[str, str] = field(default_factory=lambda: {"Content-Type": _JSON})


def words(mark: str) -> str:
    """The sentence of a test."""
    return f"This is a test of Hindcast, and nothing is wrong. Mark {mark}."


def _otlp(mark: str, now: datetime) -> tuple[Probe, ...]:
    nanos = str(int(now.timestamp() * 1e9))
    resource = {"attributes": [{"key": "service.name", "value": {"stringValue": SERVICE}}]}
    line = {"timeUnixNano": nanos, "severityNumber": 9, "body": {"stringValue": words(mark)}}
    point = {"timeUnixNano": nanos, "asDouble": 1.0}
    span = {
        "traceId": mark * 2,
        "spanId": mark,
        "name": "test",
        "kind": 1,
        "startTimeUnixNano": nanos,
        "endTimeUnixNano": nanos,
    }
    metric = {"name": METRIC, "gauge": {"dataPoints": [point]}}
    return (
        _json("/v1/logs", {"resourceLogs": [{"resource": resource, "scopeLogs": [{"logRecords": [line]}]}]}),
        _json("/v1/metrics", {"resourceMetrics": [{"resource": resource, "scopeMetrics": [{"metrics": [metric]}]}]}),
        _json("/v1/traces", {"resourceSpans": [{"resource": resource, "scopeSpans": [{"spans": [span]}]}]}),
    )


def _elastic(mark: str, now: datetime) -> tuple[Probe, ...]:
    document = {
        "@timestamp": now.isoformat(),
        "message": words(mark),
        "log": {"level": "info"},
        "service": {"name": SERVICE},
    }
    body = b"".join(orjson.dumps(one) + b"\n" for one in ({"create": {"_index": "logs-test-default"}}, document))
    return (Probe("/_bulk", body, {"Content-Type": "application/x-ndjson"}),)


def _loki(mark: str, now: datetime) -> tuple[Probe, ...]:
    labels = {"service_name": SERVICE, "level": "info"}
    values = [[str(int(now.timestamp() * 1e9)), words(mark)]]
    return (_json("/loki/api/v1/push", {"streams": [{"stream": labels, "values": values}]}),)


def _lines(mark: str, now: datetime) -> tuple[Probe, ...]:
    line = {"time": now.isoformat(), "level": "info", "service": SERVICE, "message": words(mark)}
    return (Probe("/api/v1/lines", orjson.dumps(line) + b"\n", {"Content-Type": "application/x-ndjson"}),)


def _rule(mark: str, now: datetime, name: str) -> dict[str, Any]:
    labels = {"alertname": name, "service": SERVICE, "severity": "info"}
    return {
        "status": "firing",
        "labels": labels,
        "annotations": {"summary": words(mark)},
        "startsAt": now.isoformat(),
        "endsAt": "0001-01-01T00:00:00Z",
        "generatorURL": _NOWHERE,
        "fingerprint": mark,
    }


def _alertmanager(mark: str, now: datetime) -> tuple[Probe, ...]:
    group = {
        "version": "4",
        "groupKey": '{}:{alertname="HindcastTest"}',
        "status": "firing",
        "receiver": "hindcast",
        "externalURL": _NOWHERE,
        "alerts": [_rule(mark, now, "HindcastTest")],
    }
    return (_json("/webhooks/alertmanager", group),)


def _grafana(mark: str, now: datetime) -> tuple[Probe, ...]:
    # As its own Test button sends it: one alert, and no value in it.
    alert = {**_rule(mark, now, "TestAlert"), "values": None, "valueString": "[ metric='test' labels={} value=10 ]"}
    group = {"receiver": "test", "status": "firing", "externalURL": _NOWHERE, "orgId": 1, "alerts": [alert]}
    return (_json("/webhooks/grafana", group),)


def _pagerduty(mark: str, now: datetime) -> tuple[Probe, ...]:
    incident = {
        "id": f"TEST{mark.upper()}",
        "type": "incident",
        "status": "triggered",
        "title": words(mark),
        "number": 1,
        "created_at": now.isoformat(),
        "html_url": _NOWHERE,
        "urgency": "low",
        "service": {"id": "TEST", "summary": SERVICE},
    }
    event = {"id": mark, "event_type": "incident.triggered", "occurred_at": now.isoformat(), "data": incident}
    return (_json("/webhooks/pagerduty", {"event": event}),)


def _pagerduty_events(mark: str, now: datetime) -> tuple[Probe, ...]:
    payload = {"summary": words(mark), "source": SERVICE, "timestamp": now.isoformat()}
    event = {
        "routing_key": _ROUTING,
        "event_action": "trigger",
        "dedup_key": mark,
        "payload": {**payload, "severity": "info", "component": SERVICE},
    }
    change = {"routing_key": _ROUTING, "payload": {**payload, "custom_details": {"service": SERVICE}}}
    return _json("/v2/enqueue", event), _json("/v2/change/enqueue", change)


def _sentry(mark: str, now: datetime) -> tuple[Probe, ...]:
    event = {
        "event_id": mark * 2,
        "issue_id": f"test-{mark}",
        "title": words(mark),
        "level": "info",
        "platform": "python",
        "datetime": now.isoformat(),
        "web_url": _NOWHERE,
        "tags": [["service", SERVICE], ["level", "info"]],
    }
    request = {"action": "triggered", "data": {"event": event, "triggered_rule": "Hindcast test"}}
    return (_json("/webhooks/sentry", request, {"Sentry-Hook-Resource": "event_alert"}),)


def _github(mark: str, now: datetime) -> tuple[Probe, ...]:
    deployment = {
        "id": 1,
        "sha": mark,
        "ref": "main",
        "environment": "hindcast-test",
        "payload": {"service": SERVICE},
        "created_at": now.isoformat(),
    }
    state = {"state": "success", "description": words(mark), "log_url": _NOWHERE, "updated_at": now.isoformat()}
    event = {
        "action": "created",
        "deployment": deployment,
        "deployment_status": state,
        "repository": {"name": SERVICE, "full_name": f"test/{SERVICE}", "default_branch": "main"},
        "sender": {"login": "hindcast"},
    }
    about = {"X-GitHub-Event": "deployment_status", "X-GitHub-Delivery": mark}
    return (_json("/webhooks/github", event, about),)


def syslog(mark: str, now: datetime) -> bytes:
    """A message of RFC 5424 for the TCP port, with the line end that frames it: user facility, informational."""
    return f"<14>1 {now.isoformat()} hindcast {SERVICE} - - - {words(mark)}\n".encode()


# By the name of the way in; syslog is no HTTP and has its own.
PROBES: Final[Mapping[str, Callable[[str, datetime], tuple[Probe, ...]]]] = {
    "otlp": _otlp,
    "elastic": _elastic,
    "loki": _loki,
    "lines": _lines,
    "alertmanager": _alertmanager,
    "grafana": _grafana,
    "pagerduty": _pagerduty,
    "pagerduty-events": _pagerduty_events,
    "sentry": _sentry,
    "github": _github,
}


def _json(path: str, document: Mapping[str, Any], headers: Mapping[str, str] | None = None) -> Probe:
    return Probe(path, orjson.dumps(document), {"Content-Type": _JSON, **(headers or {})})
