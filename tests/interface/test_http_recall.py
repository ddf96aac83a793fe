"""Asking memory over HTTP, of a real server with a year of history."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from tests.serving import Serving, start

from hindcast.build import open_memory
from hindcast.config import Settings
from hindcast.seeding import seed

ERROR = "ConnectionResetError: [Errno 104] Connection reset by peer"


@pytest.fixture(scope="module")
def serving(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A running Hindcast whose space has the demo's history."""
    folder = tmp_path_factory.mktemp("recall")
    memory = open_memory(Settings(store=str(folder / "store"), space="local", model="none"))
    seed(memory, now=datetime.now(UTC))
    memory.close()
    running = start(folder)
    yield running
    running.stop()


def ask(serving: Serving, **question: Any) -> httpx.Response:
    """Ask a question."""
    with serving.client() as client:
        return client.post("/api/v1/recall", json=question)


def test_an_error_is_answered_with_evidence(serving: Serving) -> None:
    """Familiarity, cause, fix and what not to try come as one document, each with the records it rests on."""
    told = ask(serving, text=ERROR).raise_for_status().json()["diagnosis"]

    assert told["familiarity"] == "seen before"
    assert told["cause"]["evidence"][0].startswith("cases/past-redis-worker-pool@")
    assert "teardown" in told["fixes"][0]["action"]
    assert any(one["made_worse"] for one in told["avoid"])


def test_a_question_is_read_as_ask_reads_it(serving: Serving) -> None:
    """What fixed something brings the same case to mind, as sure as `ask` is of it, whichever of them is asked."""
    question = "What fixed the redis resets?"
    told = ask(serving, text=question).raise_for_status().json()["diagnosis"]
    alone = ask(serving, text="redis resets").raise_for_status().json()["diagnosis"]
    with serving.client() as client:
        words = client.post("/api/v1/ask", json={"question": question}).raise_for_status().json()["sentences"][0]

    assert (told["case"], told["confidence"]) == (alone["case"], alone["confidence"])
    assert any(told["case"] in one for one in words["citations"])
    assert f"({round(100 * told['confidence'])} % sure)" in words["text"]


def test_an_agent_gets_what_fits_its_context(serving: Serving) -> None:
    """With a budget the answer also comes as text that does not exceed it, evidence ids kept."""
    packed = ask(serving, text=ERROR, tokens_max=120).raise_for_status().json()["packed"]

    assert packed["tokens"] <= 120
    assert "cases/past-redis-worker-pool@" in packed["text"]


def test_an_explained_answer_shows_every_arm(serving: Serving) -> None:
    """Every memory that came to mind says what each arm thought of it and what matched."""
    told = ask(serving, text=ERROR, explain=True).raise_for_status().json()["recollection"]

    first = told["remembered"][0]
    assert set(first["ranks"]) >= {"words", "keys"}
    assert first["reasons"]


def test_the_past_is_asked_over_http_too(serving: Serving) -> None:
    """As of a year ago nothing was known; a moment that is none is an error."""
    long_ago = (datetime.now(UTC) - timedelta(days=700)).isoformat()

    assert ask(serving, text=ERROR, at=long_ago).json()["diagnosis"]["familiarity"] == "not seen before"
    assert ask(serving, text=ERROR, at="never").status_code in (400, 404, 422)


@pytest.mark.parametrize("question", [{"text": ""}, {"text": "  "}, {}, {"text": "x", "hits_max": 0}])
def test_a_bad_question_is_refused_by_name(serving: Serving, question: dict[str, Any]) -> None:
    """The answer says which field is wrong."""
    refused = ask(serving, **question)

    assert refused.status_code in (400, 422)
    assert next(iter(question), "text") in refused.text or "hits_max" in refused.text


def test_an_unknown_incident_is_not_found(serving: Serving) -> None:
    """Asking about an incident that does not exist is 404."""
    with serving.client() as client:
        assert client.get("/api/v1/incidents/inc-none/recall").status_code == 404


def test_spaces_do_not_remember_for_each_other(serving: Serving) -> None:
    """Another space has none of this memory."""
    with serving.client() as client:
        answer = client.post("/api/v1/recall", json={"text": ERROR}, headers={"X-Hindcast-Space": "others"})

    assert answer.json()["diagnosis"]["familiarity"] == "not seen before"
