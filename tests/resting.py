"""A Hindcast in this process, asked over HTTP without a socket: every route as it is served."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from starlette.testclient import TestClient
from tests.serving import AtThisMachine

from hindcast.build.running import Running, open_app
from hindcast.casebook import Casebook
from hindcast.config import Settings
from hindcast.memory import Memory
from hindcast.model.case import Case
from hindcast.ports import Clock
from hindcast.rest import create_app

SPACE_HEADER = "X-Hindcast-Space"


@dataclass
class Resting:
    """The application, what it stands on, and a client that asks as somebody at this machine."""

    app: FastAPI
    running: Running
    client: TestClient
    folder: Path

    def memory(self, space: str) -> Memory:
        """The memory of a space."""
        return self.running.register.memory(space)

    def remember(self, space: str, *cases: Case) -> None:
        """Let a space know some cases."""
        Casebook(self.memory(space)).put_many(cases, actor="import", why="told")

    def get(self, path: str, space: str, **params: Any) -> Any:
        """What a GET answers, decoded."""
        return self.ask("GET", path, space, params=params).json()

    def ask(self, method: str, path: str, space: str, *, status: int = 200, **more: Any) -> Any:
        """An answer, which has to have this status."""
        headers = {SPACE_HEADER: space, **more.pop("headers", {})}
        answer = self.client.request(method, path, headers=headers, **more)
        assert answer.status_code == status, (answer.status_code, answer.text)
        return answer


@contextmanager
def resting(folder: Path, clock: Clock | None = None, **settings: Any) -> Iterator[Resting]:
    """One that is closed in the end."""
    chosen = Settings(**{"store": str(folder / "store"), "space": "local", "model": "none", "actor": "ana", **settings})
    running = open_app(chosen, clock=clock)
    app = create_app(running, chosen)
    with TestClient(app, base_url="http://127.0.0.1", client=("127.0.0.1", 50_000)) as client:
        token = app.state.doorkeeper.access.token
        client.auth = AtThisMachine(lambda: token)
        yield Resting(app, running, client, folder)
