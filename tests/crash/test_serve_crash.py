"""A running Hindcast that is killed under load: what was acknowledged is there, and watching goes on."""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import httpx
import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from tests.serving import Serving, start, wait_for

ROUNDS = 3
LINES_PER_REQUEST = 200


def request(service: str, word: str, lines: int, *, level: int = 9) -> bytes:
    """An export request whose lines all hold one word."""
    export = ExportLogsServiceRequest()
    resource = export.resource_logs.add()
    resource.resource.attributes.add(key="service.name").value.string_value = service
    scope = resource.scope_logs.add()
    for number in range(lines):
        record = scope.log_records.add(time_unix_nano=time.time_ns(), severity_number=level)
        record.body.string_value = f"{word} number {number}"
    return bytes(export.SerializeToString())


def send(hindcast: Serving, service: str, word: str, lines: int, *, level: int = 9) -> bool:
    """Whether a request was acknowledged."""
    headers = {"Content-Type": "application/x-protobuf"}
    try:
        answer = httpx.post(
            f"{hindcast.url}/v1/logs",
            content=request(service, word, lines, level=level),
            headers=headers,
            timeout=20,
            trust_env=False,
        )
    except httpx.HTTPError:
        return False
    return answer.status_code == 200


@pytest.fixture
def begin(tmp_path: Path) -> Iterator[Callable[[], Serving]]:
    """Starts a Hindcast on one folder, again and again; whatever still runs in the end is killed."""
    started: list[Serving] = []

    def begun() -> Serving:
        started.append(start(tmp_path))
        return started[-1]

    yield begun
    for running in started:
        if running.process.poll() is None:
            running.kill()


def test_what_was_acknowledged_survives_being_killed(begin: Callable[[], Serving]) -> None:
    """Killed at random while four senders deliver, every acknowledged line is there after the restart, once."""
    rng = random.Random(3)
    acknowledged: set[str] = set()
    hindcast = begin()
    for round_number in range(ROUNDS):
        stopping = threading.Event()

        def deliver(
            sender: int, running: Serving = hindcast, stop: threading.Event = stopping, turn: int = round_number
        ) -> None:
            for number in range(10_000):
                word = f"crashword{turn}x{sender}x{number}"
                if stop.is_set():
                    return
                if send(running, f"sender-{sender}", word, LINES_PER_REQUEST):
                    acknowledged.add(word)

        senders = [threading.Thread(target=deliver, args=(sender,)) for sender in range(4)]
        for thread in senders:
            thread.start()
        before = len(acknowledged)
        wait_for(lambda count=before: len(acknowledged) >= count + 5, what="some acknowledgements")  # type: ignore[misc]
        # Anywhere within the next write or two.
        time.sleep(rng.random() / 4)
        hindcast.kill()
        stopping.set()
        for thread in senders:
            thread.join()
        hindcast = begin()
    for word in acknowledged:
        found = hindcast.get(f"/api/v1/logs?words={word}&limit=1000")["items"]
        assert len(found) == LINES_PER_REQUEST, word


def test_watching_goes_on_with_its_window(begin: Callable[[], Serving]) -> None:
    """Errors from before a crash and from after it add up: 70 and 70 within two minutes are an incident."""
    hindcast = begin()
    assert send(hindcast, "ledger", "allwell", 40)
    assert send(hindcast, "ledger", "beforecrash", 70, level=17)
    hindcast.kill()
    hindcast = begin()
    assert hindcast.get("/api/v1/incidents")["items"] == []
    assert send(hindcast, "ledger", "aftercrash", 70, level=17)

    (incident,) = wait_for(lambda: hindcast.get("/api/v1/incidents")["items"], what="an incident over both halves")
    # Neither half is enough for one.
    assert incident["title"].startswith("ledger: ")


def test_an_open_incident_survives_being_killed(begin: Callable[[], Serving]) -> None:
    """An incident is not opened a second time after a crash: the one that was open is still the one."""
    hindcast = begin()
    assert send(hindcast, "ledger", "broken", 150, level=17)
    (incident,) = wait_for(lambda: hindcast.get("/api/v1/incidents")["items"], what="an incident")
    hindcast.kill()
    hindcast = begin()
    assert send(hindcast, "ledger", "still broken", 150, level=17)

    ticks = hindcast.get("/api/v1/status")["counts"].get("ticks", 0)
    wait_for(lambda: hindcast.get("/api/v1/status")["counts"].get("ticks", 0) > ticks + 3, what="a few looks")
    assert [one["id"] for one in hindcast.get("/api/v1/incidents")["items"]] == [incident["id"]]
