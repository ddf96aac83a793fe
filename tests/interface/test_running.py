"""A running Hindcast as its operator meets it: health, figures, logs, signals, and what a restart remembers."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import httpx
import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from tests.serving import STOP_SECONDS_MAX, Serving, serving, start, wait_for

# The exit code of whatever does not answer.
UNAVAILABLE = 6
PROTOBUF = {"Content-Type": "application/x-protobuf"}
SECRET = "hc_ingest_0123456789abcdef_" + "ab" * 32


def errors(service: str, count: int = 120) -> bytes:
    """So many errors of one service, all at once: more than the fixed rule allows."""
    request = ExportLogsServiceRequest()
    resource = request.resource_logs.add()
    resource.resource.attributes.add(key="service.name").value.string_value = service
    scope = resource.scope_logs.add()
    for number in range(count):
        record = scope.log_records.add(time_unix_nano=time.time_ns(), severity_number=17)
        record.body.string_value = f"could not acquire connection {number}: pool exhausted"
    return bytes(request.SerializeToString())


@pytest.fixture(scope="module")
def hindcast(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A running Hindcast that logs every request as JSON."""
    with serving(tmp_path_factory.mktemp("running"), log_format="json", log_level="info") as running:
        yield running


@pytest.fixture
def client(hindcast: Serving) -> Iterator[httpx.Client]:
    """An HTTP client for it."""
    with hindcast.client() as opened:
        yield opened


def logged(running: Serving) -> list[dict[str, Any]]:
    """What it has logged so far; the line it prints for a person is none of it."""
    lines = (running.folder / "serve.log").read_text().splitlines()
    return [json.loads(line) for line in lines if line.startswith("{")]


def opened(client: httpx.Client, service: str) -> str:
    """The id of the incident that a burst of errors opens."""
    client.post("/v1/logs", content=errors(service), headers=PROTOBUF).raise_for_status()

    def found() -> str | None:
        page = client.get("/api/v1/incidents", params={"service": service}).json()
        return next((one["id"] for one in page["items"]), None)

    incident: str = wait_for(found, what=f"an incident of {service}")
    return incident


def test_health_says_alive_and_ready_check_by_check(client: httpx.Client) -> None:
    """Anybody can ask whether it is alive and ready, and no answer says where anything is kept."""
    alive, ready = client.get("/healthz"), client.get("/readyz")

    assert (alive.status_code, alive.json()["status"]) == (200, "ok")
    assert (ready.status_code, ready.json()["status"]) == (200, "ready")
    assert {one["name"]: one["ok"] for one in ready.json()["checks"]} == {
        "memory": True,
        "telemetry": True,
        "watching": True,
        "intake": True,
    }
    assert "/" not in ready.text


def test_a_briefing_is_ready_before_anybody_asks(client: httpx.Client, hindcast: Serving) -> None:
    """When an incident opens, its answer is worked out by itself and told on the live stream."""
    heard: list[dict[str, Any]] = []

    def listen() -> None:
        with client.stream("GET", "/api/v1/live", params={"kinds": "answer"}) as stream:
            for line in stream.iter_lines():
                if line.startswith("data: "):
                    heard.append(json.loads(line[6:]))
                    if heard[-1].get("incident"):
                        return

    listener = threading.Thread(target=listen, daemon=True)
    listener.start()
    with hindcast.client() as other:
        incident = opened(other, "briefed")
        wait_for(lambda: [one for one in heard if one.get("incident") == incident], what="the answer on the stream")
        (answer,) = [one for one in heard if one.get("incident") == incident]
        served = other.get(f"/api/v1/incidents/{incident}/recall").raise_for_status().json()

    assert (answer["familiarity"], answer["revision"]) == ("not seen before", 1)
    assert answer["step"] > 0
    assert served["diagnosis"]["headline"] == answer["headline"]
    listener.join()


def test_figures_are_bounded_and_tell_what_was_done(client: httpx.Client) -> None:
    """Prometheus reads requests by declared route, work by kind and counts by name; no caller can add a series."""
    opened(client, "counted")
    for number in range(5):
        client.get(f"/nowhere/{number}")
    client.request("BREW", "/healthz")
    text = client.get("/metrics").text

    assert 'hindcast_request_seconds_count{method="POST",route="/v1/logs",status="200"}' in text
    assert 'hindcast_work_seconds_count{work="tick"}' in text
    assert 'hindcast_events_total{name="logs"}' in text
    assert "hindcast_rows_waiting" in text
    assert "hindcast_process_resident_memory_bytes" in text
    assert "/nowhere/" not in text
    assert "BREW" not in text
    briefed = next(
        line for line in text.splitlines() if line.startswith('hindcast_work_seconds_count{work="briefing"}')
    )
    assert float(briefed.split()[-1]) >= 1


def test_every_request_has_an_id_and_a_line(client: httpx.Client, hindcast: Serving) -> None:
    """A sane id is kept, anything else is replaced; the line names route, status, actor, space and time."""
    kept = client.get("/api/v1/status", headers={"X-Request-Id": "trace-42"})
    odd = client.get("/api/v1/status", headers={"X-Request-Id": "a b;c"})

    assert kept.headers["X-Request-Id"] == "trace-42"
    assert odd.headers["X-Request-Id"].isalnum()
    line = wait_for(
        lambda: next((one for one in logged(hindcast) if one.get("request_id") == "trace-42"), None), what="the line"
    )
    assert (line["route"], line["status"], line["actor"], line["space"]) == ("/api/v1/status", 200, "test", "local")
    assert line["ms"] >= 0


def test_no_secret_reaches_the_log(client: httpx.Client, hindcast: Serving) -> None:
    """Keys in headers, paths and queries are in no line, whatever was answered."""
    client.get(f"/k/{SECRET}/v1/logs")
    client.post(f"/k/{SECRET}/v1/logs", content=b"not protobuf", headers=PROTOBUF)
    client.get("/api/v1/status", headers={"Authorization": f"Bearer {SECRET}"})
    client.get("/api/v1/incidents", params={"key": SECRET, "text": "after-the-secret"})
    client.get("/healthz", headers={"X-Request-Id": "after-the-secret"})
    wait_for(lambda: [one for one in logged(hindcast) if one.get("request_id") == "after-the-secret"], what="the line")

    log = (hindcast.folder / "serve.log").read_text()
    assert SECRET not in log
    assert "ab" * 32 not in log


def test_a_taken_port_is_named(hindcast: Serving, tmp_path: Path) -> None:
    """A second server on the port fails at once, names the port, who has it and what to do, and opens nothing."""
    environment = {**os.environ, "HINDCAST_STORE": str(tmp_path / "other"), "HINDCAST_CONFIG": os.devnull}
    command = [sys.executable, "-m", "hindcast", "serve", "--port", str(hindcast.port)]
    second = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)

    assert second.returncode not in (0, 70)
    assert f"Port {hindcast.port} on 127.0.0.1 is taken by another Hindcast" in second.stderr
    assert f"--port {hindcast.port + 1}" in second.stderr
    assert not (tmp_path / "other").exists()


def test_a_folder_in_use_is_named(hindcast: Serving, tmp_path: Path) -> None:
    """A second server on the same store says that another process has it, instead of harming it."""
    environment = {**os.environ, "HINDCAST_STORE": str(hindcast.folder / "store"), "HINDCAST_CONFIG": os.devnull}
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "hindcast", "serve", "--port", str(port)]
    second = subprocess.run(
        command, env=environment, capture_output=True, text=True, timeout=60, check=False, cwd=tmp_path
    )

    assert second.returncode not in (0, 70)
    assert "is in use by another process" in second.stderr
    assert "Traceback" not in second.stderr


def test_a_store_that_is_away_is_waited_for_only_if_somebody_wants_to(tmp_path: Path) -> None:
    """Without --wait the command ends at once with the exit code for what does not answer, and says what to do."""
    environment = {
        **os.environ,
        "HINDCAST_STORE": "postgresql://nobody:hunter2horse@127.0.0.1:1/none",
        "HINDCAST_TELEMETRY": f"chdb://{tmp_path / 'telemetry'}",
        "HINDCAST_MODEL": "none",
        "HINDCAST_CONFIG": os.devnull,
    }
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [sys.executable, "-m", "hindcast", "serve", "--port", str(port), "--wait", "2"]
    ended = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=90, check=False)

    assert ended.returncode == UNAVAILABLE
    assert "does not answer yet" in ended.stderr
    assert "hunter2horse" not in ended.stderr
    assert "Traceback" not in ended.stderr


def test_the_doctor_works_beside_a_server(hindcast: Serving) -> None:
    """It asks the server about the engine that the server holds, changes nothing, and finds nothing broken."""
    environment = {
        **os.environ,
        "HINDCAST_STORE": str(hindcast.folder / "store"),
        "HINDCAST_PORT": str(hindcast.port),
        "HINDCAST_MODEL": "none",
        "HINDCAST_CONFIG": os.devnull,
    }
    command = [sys.executable, "-m", "hindcast", "doctor", "--json"]
    asked = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=60, check=False)
    said = json.loads(asked.stdout)
    found = {one["name"]: one for one in said["checks"]}

    assert (asked.returncode, said["ok"]) == (0, True), asked.stdout
    assert "answers on" in found["server"]["found"]
    assert "holds the telemetry engine" in found["telemetry"]["found"]
    assert found["store"]["level"] == "ok"


def test_a_signal_ends_it_in_order_and_the_next_start_remembers(tmp_path: Path) -> None:
    """SIGTERM tells the streams, writes what was taken and exits with 0; incident and briefing are there again."""
    running = start(tmp_path)
    last: list[str] = []
    with running.client() as client:
        incident = opened(client, "payment")

        def listen() -> None:
            with running.client() as other, other.stream("GET", "/api/v1/live") as stream:
                last.extend(line for line in stream.iter_lines() if line.startswith("event: "))

        listener = threading.Thread(target=listen, daemon=True)
        listener.start()
        wait_for(lambda: client.get("/api/v1/status").json()["listeners"] == 1, what="the listener")
        client.post("/v1/logs", content=errors("late", 3), headers=PROTOBUF).raise_for_status()
    running.process.send_signal(signal.SIGTERM)

    assert running.process.wait(STOP_SECONDS_MAX) == 0
    listener.join(STOP_SECONDS_MAX)
    assert last[-1] == "event: closed"
    assert "Traceback" not in (tmp_path / "serve.log").read_text()
    with serving(tmp_path) as again, again.client() as client:
        known = client.get(f"/api/v1/incidents/{incident}").raise_for_status().json()
        assert known["state"] == "open"
        wait_for(lambda: client.get("/api/v1/status").json()["briefings"] >= 1, what="the briefing after a restart")
        lines = client.get("/api/v1/logs", params={"service": "late"}).json()
        assert len(lines["items"]) == 3


def test_a_second_signal_hurries_and_loses_nothing(tmp_path: Path) -> None:
    """Whoever waits for a slow client can hurry; what was acknowledged is there after the next start."""
    running = start(tmp_path)
    with running.client() as client:
        client.post("/v1/logs", content=errors("hurried", 5), headers=PROTOBUF).raise_for_status()
    with socket.create_connection(("127.0.0.1", running.port)) as slow:
        # A request that never ends keeps an ordinary stop waiting for it.
        slow.sendall(b"POST /v1/logs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100\r\n\r\nx")
        with running.client() as client:
            client.get("/healthz")
        running.process.send_signal(signal.SIGINT)
        running.process.send_signal(signal.SIGTERM)

        assert running.process.wait(STOP_SECONDS_MAX) == 0
    with serving(tmp_path) as again, again.client() as client:
        assert len(client.get("/api/v1/logs", params={"service": "hurried"}).json()["items"]) == 5
