"""Every route keeps to the OpenAPI document, whatever is sent: no 5xx, no answer that the document does not describe.

Schemathesis makes the requests from our own document, half of them as it allows and half of them not. What it sends is
the same in every run.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
import schemathesis
from fastapi import FastAPI
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis.config import SchemathesisConfig
from schemathesis.core.result import Ok
from schemathesis.generation import GenerationMode
from schemathesis.schemas import APIOperation
from starlette.testclient import TestClient
from starlette.types import ASGIApp, Receive, Scope, Send
from tests.toolbench import CARD, card_on

from hindcast.build.running import open_app
from hindcast.build.shop import write_shop
from hindcast.casebook import Casebook
from hindcast.config import Settings
from hindcast.fixes.keeping import changes_of
from hindcast.model.case import Attempt, Case
from hindcast.ports.grounds import Incoming
from hindcast.rest import create_app

DOCUMENT = Path(__file__).parents[2] / "docs/reference/openapi.json"
EXAMPLES_ALLOWED = 6
EXAMPLES_FORBIDDEN = 4
# It does not end by itself; its own suite listens to it.
ENDLESS = {"GET /api/v1/live"}
# What a request may be answered that the document allows: success, or a reason that lies in what there is.
FITTING = ["2xx", 304, 400, 401, 403, 404, 409, 412, 413]
REJECTING = [400, 401, 403, 404, 405, 409, 412, 413, 415, 422, 429]
CONFIG: dict[str, Any] = {
    "checks": {
        "positive_data_acceptance": {"expected-statuses": FITTING},
        "negative_data_rejection": {"expected-statuses": REJECTING},
        # Nobody has to sign in on this machine; who may do what is the matter of the access matrix.
        "ignored_auth": {"enabled": False},
    },
    "generation": {"allow-extra-parameters": False},
}
# What is there, so that a request that is allowed meets something.
THERE: dict[str, list[str]] = {
    "incident_id": ["inc-1", "inc-2", "inc-nothing"],
    "attempt_id": ["a1", "a7"],
    "address": ["team/motto", "team/motto#two", "cases/inc-1", "nowhere/at.all"],
    "at": ["main", "now", "yesterday", "begun", "what-if"],
    "before": ["begun", "1 day ago"],
    "after": ["main", "what-if"],
    "moment": ["main", "begun", "now", "3 days ago"],
    "branch": ["main", "what-if"],
    "namespace": ["team", "cases"],
    "source": ["what-if", "begun"],
    "into": ["main"],
    "name": ["code", "nothing"],
    "path": ["src/app.py", "src", "../x"],
    "card_id": [CARD, "fix-nothing"],
}


def labels(*, with_rules: bool = False) -> list[str]:
    """Every operation of the document, as `GET /api/v1/incidents`; or those with more than a path."""
    paths: dict[str, dict[str, Any]] = json.loads(DOCUMENT.read_bytes())["paths"]
    found = {f"{method.upper()} {path}": one for path, item in paths.items() for method, one in item.items()}
    return [
        label
        for label, one in found.items()
        if label not in ENDLESS
        and (not with_rules or "requestBody" in one or any(each["in"] != "path" for each in one.get("parameters", ())))
    ]


@dataclass
class Api:
    """The operations of an application that runs in this process."""

    operations: dict[str, APIOperation[Any, Any, Any, Any]] = field(default_factory=dict)


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Api]:
    """An application with a little of everything in its memory."""
    chosen = Settings(
        store=str(tmp_path_factory.mktemp("fuzz") / "store"), space="local", model="none", actor="ana", mode="demo"
    )
    running = open_app(chosen)
    memory = running.register.memory("local")
    told = datetime(2026, 11, 15, 2, 3, tzinfo=UTC)
    cases = [
        Case(f"inc-{number}", "redis resets", told, services=("auth", "user"), attempts=(Attempt("a1", "restarted"),))
        for number in (1, 2)
    ]
    Casebook(memory).put_many(cases, actor="ana", why="told")
    memory.put("team/motto", {"text": "never start from zero"}, actor="ana", why="to try it")
    memory.put("team/motto#two", ["one", 2, None], actor="ana", why="to try it")
    code = tmp_path_factory.mktemp("code") / "shop"
    write_shop(code, now=told)
    running.app.workspaces.add_folder("local", "shop", str(code), by="ana", now=told)
    card = replace(card_on(running.app.workspaces.open("local", "shop"), told), incident="inc-1")
    memory.commit(changes_of(card), actor="hindcast", why="A proposal.")
    memory.snapshot("begun", actor="ana", why="to come back")
    memory.branch("what-if", actor="ana", why="to try it")
    memory.put("team/motto", {"text": "start"}, actor="ana", why="to differ", branch="what-if")
    files = [Incoming("src/app.py", iter([b"def pay():\n    return 1\n"]))]
    running.app.workspaces.upload("local", "code", files, by="ana", now=told)
    with asked_from_here(create_app(running, chosen)) as app:
        config = SchemathesisConfig.from_dict(CONFIG)
        schema = schemathesis.openapi.from_asgi("/openapi.json", app=app, config=config)
        made = [found.ok() for found in schema.get_all_operations() if isinstance(found, Ok)]
        yield Api({operation.label: operation for operation in made})


@contextmanager
def asked_from_here(app: FastAPI) -> Iterator[ASGIApp]:
    """The application as somebody at this machine asks it. Nobody but the fixture ends it."""

    async def local(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            for step in ("startup", "shutdown"):
                await receive()
                await send({"type": f"lifespan.{step}.complete"})
            return
        headers = [(name, value) for name, value in scope["headers"] if name != b"host"]
        if not any(name in (b"authorization", b"x-hindcast-key", b"cookie") for name, _ in headers):
            headers.append((b"x-hindcast-key", app.state.doorkeeper.access.token.encode()))
        await app({**scope, "client": ("127.0.0.1", 1), "headers": [*headers, (b"host", b"127.0.0.1")]}, receive, send)

    with TestClient(app):
        yield local


@pytest.mark.parametrize("label", labels())
def test_what_is_allowed_is_answered_as_described(api: Api, label: str) -> None:
    """A request that the document allows is answered as the document says, and never with a failure of ours."""

    @given(data=st.data())
    @_often(EXAMPLES_ALLOWED)
    def ask(data: st.DataObject) -> None:
        case = data.draw(api.operations[label].as_strategy(generation_mode=GenerationMode.POSITIVE))
        for part in (case.path_parameters, case.query, case.body):
            _aim(part, data, label)
        # Of other spaces there is nothing to see.
        for named in (case.query, case.headers):
            for name in ("space", "X-Hindcast-Space"):
                if named and name in named:
                    del named[name]
        case.call_and_validate()

    ask()


@pytest.mark.parametrize("label", labels(with_rules=True))
def test_what_is_not_allowed_is_refused_with_reason(api: Api, label: str) -> None:
    """A request that breaks the document's rules is refused as the document says, whatever is wrong with it."""

    @given(case=api.operations[label].as_strategy(generation_mode=GenerationMode.NEGATIVE))
    @_often(EXAMPLES_FORBIDDEN)
    def ask(case: schemathesis.Case[Any]) -> None:
        case.call_and_validate()

    ask()


def _often(examples: int) -> settings:
    return settings(
        max_examples=examples,
        derandomize=True,
        database=None,
        deadline=None,
        phases=[Phase.generate],
        suppress_health_check=list(HealthCheck),
    )


def _aim(part: Any, data: st.DataObject, label: str) -> None:
    """Let most of what names something name something that is there."""
    # When something was tried is a time, and no other word for a moment will do. Where a card comes from is another
    # kind of source than what is merged.
    if not isinstance(part, dict) or (label.endswith("/attempts") and "action" in part):
        return
    aimed = THERE.keys() - ({"source"} if label.endswith("/memory-log") else set())
    for name in part:
        if name in aimed and isinstance(part[name], str) and data.draw(st.integers(0, 3)):
            part[name] = data.draw(st.sampled_from(THERE[name]))
