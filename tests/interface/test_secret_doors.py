"""No door keeps a secret: each sort is sent through all of them, then everything that is stored is read."""

from __future__ import annotations

import json
import sqlite3
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.planted_secrets import PEM_END, PEM_LINE, PLANTED
from tests.resting import Resting, resting
from tests.toolbench import STORY, desk_on

from hindcast import toolbox
from hindcast.adapters.telemetry_clickhouse import ClickhouseTelemetry
from hindcast.app import App
from hindcast.build.telemetry import TelemetryAccess
from hindcast.ingest.redact import Redactor
from hindcast.seeding import seed

SPACE = "local"


@pytest.fixture(scope="module")
def hindcast(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Resting]:
    """A Hindcast with its embedded engines."""
    with resting(tmp_path_factory.mktemp("secrets")) as made:
        yield made


def nanos() -> str:
    """The present, as OTLP writes it."""
    return str(time.time_ns())


def attributes(**values: str) -> list[dict[str, Any]]:
    """Attributes as OTLP writes them."""
    return [{"key": key.replace("_", "."), "value": {"stringValue": value}} for key, value in values.items()]


def otlp_log(text: str) -> Mapping[str, Any]:
    """A secret in every part of a log record."""
    record = {
        "timeUnixNano": nanos(),
        "severityNumber": 17,
        "body": {"stringValue": text},
        "attributes": attributes(note=text, exception_message=text, exception_stacktrace=f"ValueError: {text}\n  at x"),
    }
    resource = {"attributes": attributes(service_name=f"payment {text}", host_note=text)}
    return {"resourceLogs": [{"resource": resource, "scopeLogs": [{"logRecords": [record]}]}]}


def otlp_span(text: str) -> Mapping[str, Any]:
    """A secret in every part of a span, its name and its events included."""
    event = {"name": "exception", "timeUnixNano": nanos(), "attributes": attributes(exception_message=text)}
    span = {
        "traceId": "4bf92f3577b34da6a3ce929d0e0e4736",
        "spanId": "00f067aa0ba902b7",
        "name": f"GET {text}",
        "kind": 3,
        "startTimeUnixNano": nanos(),
        "endTimeUnixNano": nanos(),
        "attributes": attributes(url_full=text, peer_service=f"db {text}"),
        "events": [{**event, "name": f"note {text}"}, event],
        "status": {"code": 2, "message": text},
    }
    resource = {"attributes": attributes(service_name=f"payment {text}")}
    return {"resourceSpans": [{"resource": resource, "scopeSpans": [{"spans": [span]}]}]}


def otlp_metric(text: str) -> Mapping[str, Any]:
    """A secret in every part of a metric, its name included."""
    point = {"timeUnixNano": nanos(), "asDouble": 1.5, "attributes": attributes(route=text)}
    metric = {"name": f"latency {text}", "unit": "ms", "gauge": {"dataPoints": [point]}}
    resource = {"attributes": attributes(service_name=f"payment {text}")}
    return {"resourceMetrics": [{"resource": resource, "scopeMetrics": [{"metrics": [metric]}]}]}


def alert(text: str) -> Mapping[str, Any]:
    """A secret in every part of an alert of Alertmanager that a person writes."""
    labels = {"alertname": "Slow", "service": "payment", "note": text}
    now = datetime.now(UTC).isoformat()
    one = {"status": "firing", "labels": labels, "annotations": {"summary": text, "description": text}, "startsAt": now}
    return {"version": "4", "status": "firing", "alerts": [one]}


def loki(text: str) -> Mapping[str, Any]:
    """A secret in a line and a label of a Loki push."""
    return {"streams": [{"stream": {"service": "payment", "note": text}, "values": [[nanos(), text]]}]}


def bulk(text: str) -> bytes:
    """A secret in a document for Elasticsearch."""
    return b'{"create":{}}\n' + json.dumps({"message": text, "service": "payment", "note": text}).encode() + b"\n"


def lines(text: str) -> bytes:
    """A secret in plain lines, one of which may be all of it, and in a JSON line."""
    return f"{text}\n2026-11-15 10:02:03 ERROR {text}\n{json.dumps({'message': text, 'level': 'error'})}\n".encode()


JSON_WAYS: Mapping[str, Callable[[str], Mapping[str, Any]]] = {
    "/v1/logs": otlp_log,
    "/v1/traces": otlp_span,
    "/v1/metrics": otlp_metric,
    "/webhooks/alertmanager": alert,
    "/loki/api/v1/push": loki,
}
BYTE_WAYS: Mapping[str, tuple[str, Callable[[str], bytes]]] = {
    "/_bulk": ("application/x-ndjson", bulk),
    "/api/v1/lines": ("text/plain", lines),
}


def together(bodies: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """One body that brings what several would."""
    return {
        name: [item for body in bodies for item in body[name]] if isinstance(value, list) else value
        for name, value in bodies[0].items()
    }


def stored(made: Resting) -> str:
    """Everything that is kept: every table of telemetry and of every SQLite file, and what other files hold."""
    telemetry = telemetry_of(made.running.app)
    kept = []
    for shard in telemetry._shards:
        names = shard.ask("SELECT name FROM system.tables WHERE database = currentDatabase()")["name"].to_pylist()
        for name in names:
            kept += [str(row) for row in shard.ask(f"SELECT * FROM `{name}`").to_pylist()]
    for path in sorted((made.folder / "store").rglob("*")):
        if path.is_file() and "telemetry" not in path.parts:
            kept += rows_of(path) if path.suffix == ".db" else [path.read_bytes().decode("utf-8", "ignore")]
    return "\n".join(kept)


def telemetry_of(app: App) -> ClickhouseTelemetry:
    """The engine under an application."""
    store = app.telemetry
    found = store._store if isinstance(store, TelemetryAccess) else store
    assert isinstance(found, ClickhouseTelemetry)
    return found


def rows_of(path: Path) -> list[str]:
    """Every row of every table, as text."""
    with sqlite3.connect(path) as database:
        names = [name for (name,) in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        return [
            " ".join(value.decode("utf-8", "ignore") if isinstance(value, bytes) else str(value) for value in row)
            for name in names
            for row in database.execute(f'SELECT * FROM "{name}"')
        ]


def kept_of(made: Resting) -> list[str]:
    """The sorts of secrets that can be read in what is stored."""
    everything = stored(made)
    assert "[redacted:api-key]" in everything, "what was sent is there, without its secrets"
    return sorted({one.name for one in PLANTED if one.secret in everything})


@pytest.mark.parametrize("path", [*JSON_WAYS, *BYTE_WAYS])
def test_no_way_in_keeps_a_secret(hindcast: Resting, path: str) -> None:
    """Whatever a sender puts it in, body, name, label or event, a secret of a known sort is not stored."""
    if path in JSON_WAYS:
        sent: dict[str, Any] = {"json": together([JSON_WAYS[path](one.text) for one in PLANTED])}
    else:
        kind, made = BYTE_WAYS[path]
        body = b"".join(made(one.text) for one in PLANTED)
        sent = {"content": body, "headers": {"Content-Type": kind}}

    answer = hindcast.client.post(path, **sent)

    assert answer.status_code < 300, answer.text
    assert kept_of(hindcast) == []


def test_a_private_key_that_comes_line_by_line_is_not_kept(hindcast: Resting) -> None:
    """Each line of a key may be a record of its own, in a request of its own."""
    for line in (PEM_LINE, PEM_LINE[::-1], PEM_END):
        record = {"message": line, "service": "payment"}
        assert hindcast.client.post("/api/v1/lines", content=json.dumps(record)).status_code < 300

    everything = stored(hindcast)

    assert [line for line in (PEM_LINE, PEM_LINE[::-1], PEM_END) if line in everything] == []


def test_memory_keeps_no_secret(hindcast: Resting) -> None:
    """Records and the reasons for them are stored without secrets, and the answer says what was taken out."""
    for place, one in enumerate(PLANTED):
        body = {"text": one.text, "deep": [{"note": one.text}], "why": "told"}
        said = {"body": body, "text": one.text, "why": f"learnt from {one.text}"}
        told = hindcast.ask("PUT", f"/api/v1/memory/records/notes/n{place}", SPACE, json=said).json()
        assert sum(told["redacted"].values()) >= 2, one.name
    changes = [{"address": f"notes/c{place}", "body": one.text} for place, one in enumerate(PLANTED)]
    hindcast.ask("POST", "/api/v1/memory/commits", SPACE, json={"changes": changes, "why": "many"})
    branch = {"name": "trial", "why": PLANTED[0].text}
    hindcast.ask("POST", "/api/v1/memory/branches", SPACE, json=branch)

    assert kept_of(hindcast) == []


def test_a_record_is_judged_by_the_names_in_it(hindcast: Resting) -> None:
    """What stands under a name that promises a secret is taken out, whatever it looks like; counts stay."""
    body = {"db": {"password": "sunshine"}, "token_count": "12", "pool": {"size": 40}}

    told = hindcast.ask("PUT", "/api/v1/memory/records/notes/db", SPACE, json={"body": body, "why": "told"}).json()

    assert told["record"]["body"] == {
        "db": {"password": "[redacted:password]"},
        "token_count": "12",
        "pool": {"size": 40},
    }
    assert told["redacted"] == {"password": 1}


def test_an_incident_keeps_no_secret(hindcast: Resting) -> None:
    """Notes, attempts and resolutions, of people over REST and of agents, are stored without secrets."""
    memory = hindcast.memory("incidents")
    seed(memory, now=datetime.now(UTC))
    desk = desk_on(memory, clean=lambda text: Redactor().text(text).text)
    for one in PLANTED:
        said = {"action": one.text, "outcome": "unknown", "command": one.text, "config": one.text, "diff": one.text}
        hindcast.ask("POST", f"/api/v1/incidents/{STORY}/notes", "incidents", json={"text": one.text})
        hindcast.ask("POST", f"/api/v1/incidents/{STORY}/attempts", "incidents", json=said)
        toolbox.call("attempt_record", {"incident": STORY, **said}, desk)
    resolution = {"cause": PLANTED[0].text, "fix": PLANTED[1].text, "command": PLANTED[2].text}
    hindcast.ask("POST", f"/api/v1/incidents/{STORY}/resolution", "incidents", json=resolution)

    assert kept_of(hindcast) == []
