"""Cases over HTTP, as an agent or another tool completes them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from fastapi import FastAPI
from starlette.requests import Request
from starlette.responses import Response
from starlette.testclient import TestClient

from hindcast.adapters.clock import ManualClock
from hindcast.build import open_memory
from hindcast.casebook import Casebook
from hindcast.config import Settings
from hindcast.experience import verdicts_of
from hindcast.ingest.redact import Redactor
from hindcast.memory import Memory
from hindcast.model.case import Case
from hindcast.model.errors import HindcastError
from hindcast.recollect import Recollect
from hindcast.rest import cases, failure

NOW = datetime(2026, 11, 15, 2, 3, tzinfo=UTC)
CASE = Case("inc-1", "redis resets connections", NOW, services=("payment",), symptoms=("ConnectionResetError",))


class Server:
    """The routes over memories in a folder."""

    def __init__(self, folder: Path) -> None:
        self._settings = Settings(store=str(folder), space="ours", actor="ana", model="none")
        self._open: dict[str, Memory] = {}
        app = FastAPI()

        @app.exception_handler(HindcastError)
        def tell(_: Request, error: HindcastError) -> Response:
            return failure.told(error, failure.as_json)

        secrets = Redactor()
        desk = cases.Desk(
            self.memory,
            lambda space: Recollect(self.memory(space), now=lambda: NOW),
            lambda: NOW,
            lambda text: secrets.text(text).text,
        )
        cases.add(app, desk)
        self.client = TestClient(app)

    def memory(self, space: str | None = None) -> Memory:
        """The memory of a space."""
        name = space or "ours"
        if name not in self._open:
            self._open[name] = open_memory(replace(self._settings, space=name), clock=ManualClock(NOW))
        return self._open[name]

    def close(self) -> None:
        """Let go of the memories."""
        for memory in self._open.values():
            memory.close()


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Server]:
    """A server that knows one case."""
    made = Server(tmp_path)
    Casebook(made.memory()).put(CASE, actor="ana", why="told")
    yield made
    made.close()


def test_a_case_is_completed_over_http(server: Server) -> None:
    """Note, attempt, outcome and resolution can be said by any tool, and come back with what is still missing."""
    ask = server.client.post
    assert server.client.get("/api/v1/cases/inc-1").json()["missing"] == [
        "the cause",
        "what ended it",
        "what was tried",
    ]
    ask("/api/v1/cases/inc-1/notes", json={"text": "only in eu-west", "by": "bo"})
    tried = {"action": "raised the pool", "by": "agent:triage", "at": "2026-11-15T02:05:00Z", "command": "set pool=200"}
    assert ask("/api/v1/cases/inc-1/attempts", json=tried).json()["case"]["attempts"][0]["id"] == "A1"
    ask("/api/v1/cases/inc-1/attempts/A1", json={"outcome": "made worse", "by": "bo"})
    done = ask(
        "/api/v1/cases/inc-1/resolution", json={"cause": "a leak", "fix": "released", "minutes": 34, "by": "ana"}
    )

    assert done.json()["missing"] == []
    case = done.json()["case"]
    assert (case["state"], case["attempts"][0]["outcome"], case["minutes"]) == ("resolved", "made worse", 34)
    assert [commit.actor for commit in server.memory().log(commits_max=4)] == ["ana", "bo", "agent:triage", "bo"]


def test_cases_are_listed(server: Server) -> None:
    """Cases can be narrowed by state and time, in the space that is asked for."""
    assert [one["id"] for one in server.client.get("/api/v1/cases").json()] == ["inc-1"]
    assert server.client.get("/api/v1/cases", params={"state": "resolved"}).json() == []
    assert server.client.get("/api/v1/cases", params={"since": "2026-11-16T00:00:00Z"}).json() == []
    assert server.client.get("/api/v1/cases", headers={"X-Hindcast-Space": "theirs"}).json() == []


def test_a_verdict_is_said_over_http(server: Server) -> None:
    """Right or wrong is remembered for the question, and a rejected proposal with its action."""
    said = {"judgement": "right", "by": "bo", "asked": "ConnectionResetError redis"}
    assert server.client.post("/api/v1/cases/inc-1/verdicts", json=said).json()["matter"] == "memory"
    rejected = {**said, "judgement": "wrong", "action": "raise the pool", "incident": ""}
    assert server.client.post("/api/v1/cases/inc-1/verdicts", json=rejected).json()["matter"] == "proposal"

    assert [(one.judgement, one.action) for one in verdicts_of(server.memory().now())] == [
        ("right", ""),
        ("wrong", "raise the pool"),
    ]


def test_secrets_do_not_come_in_this_way(server: Server) -> None:
    """What is posted is redacted before it is stored."""
    secret = "AKIA" + "IOSFODNN7EXAMPLQ"
    server.client.post("/api/v1/cases/inc-1/notes", json={"text": f"key {secret}", "by": "bo"})
    server.client.post("/api/v1/cases/inc-1/resolution", json={"fix": f"used {secret}", "by": "bo"})

    assert secret not in server.client.get("/api/v1/cases/inc-1").text


@pytest.mark.parametrize(
    ("path", "body", "status"),
    [
        ("/api/v1/cases/nothing/notes", {"text": "x", "by": "bo"}, 404),
        ("/api/v1/cases/inc-1/notes", {"text": "", "by": "bo"}, 422),
        ("/api/v1/cases/inc-1/notes", {"text": "x"}, 422),
        ("/api/v1/cases/inc-1/attempts", {"action": "x", "by": "bo", "outcome": "great"}, 422),
        ("/api/v1/cases/inc-1/attempts", {"action": "x", "by": "bo", "at": "2026-11-15T02:05:00"}, 422),
        ("/api/v1/cases/inc-1/attempts/A9", {"outcome": "worked", "by": "bo"}, 404),
        ("/api/v1/cases/inc-1/resolution", {"fix": "x", "by": "bo", "minutes": -1}, 422),
        ("/api/v1/cases/nothing/verdicts", {"judgement": "right", "by": "bo", "asked": "x"}, 404),
        ("/api/v1/cases/inc-1/verdicts", {"judgement": "right", "by": "bo"}, 400),
    ],
)
def test_what_cannot_be_said_changes_nothing(server: Server, path: str, body: dict[str, str], status: int) -> None:
    """A mistake has its status, and leaves memory as it was."""
    assert server.client.post(path, json=body).status_code == status
    assert len(server.memory().log()) == 1
