"""Asking in words over HTTP and on the command line, of a real server and a real store with a year of history."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.keyboard import Said, typed
from tests.openai_server import Endless, OpenAIServer, Say, Silence, openai_server
from tests.serving import Serving, start, wait_for

from hindcast.build import open_memory
from hindcast.config import Settings
from hindcast.rest.ask import QUESTIONS_MAX
from hindcast.seeding import seed

QUESTION = "what usually fixes redis?"
REF = "past-redis-worker-pool"
RECALL = Say("", calls=[("recall", {"text": "redis ConnectionResetError in payment"})])
ANSWER = Say(f"The payment workers did not release their redis connection. [{REF}] It is a popular cache.")


@pytest.fixture(scope="module")
def server() -> Iterator[OpenAIServer]:
    """A scripted model."""
    with openai_server() as made:
        yield made


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a store that holds the demo's history."""
    made = tmp_path_factory.mktemp("ask-http")
    memory = open_memory(Settings(store=str(made / "store"), space="local", model="none"))
    seed(memory, now=datetime.now(UTC))
    memory.close()
    return made


@pytest.fixture(scope="module")
def serving(folder: Path, server: OpenAIServer) -> Iterator[Serving]:
    """A running Hindcast that asks with the scripted model."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HINDCAST_ASK_MODEL", "openai:scripted")
        patch.setenv("HINDCAST_ASK_URL", server.url)
        running = start(folder)
    yield running
    running.stop()


def post(serving: Serving, accept: str = "application/json", **body: Any) -> httpx.Response:
    """Ask over HTTP."""
    with serving.client() as client:
        return client.post("/api/v1/ask", json=body, headers={"Accept": accept})


def events_of(response: httpx.Response) -> list[tuple[str, dict[str, Any]]]:
    """The events of a stream, by name."""
    found = []
    for frame in response.text.split("\n\n"):
        lines = dict(line.split(": ", 1) for line in frame.splitlines() if line and not line.startswith(":"))
        if lines:
            found.append((lines["event"], json.loads(lines["data"])))
    return found


def test_an_answer_comes_in_one_piece(serving: Serving, server: OpenAIServer) -> None:
    """As JSON: sentences with their records, what rests on none counted, what it cost."""
    server.play(RECALL, ANSWER)

    told = post(serving, question=QUESTION).raise_for_status().json()

    assert [one["is_cited"] for one in told["sentences"]] == [True, False]
    assert told["sentences"][0]["citations"][0].startswith(f"cases/{REF}@")
    assert told["text"].splitlines()[1] == "(uncited) It is a popular cache."
    assert (told["model"], told["ended_by"], told["uncited"]) == ("openai:scripted", "answered", 1)
    assert told["costs"]["calls"] == 1


def test_an_answer_comes_as_it_is_made(serving: Serving, server: OpenAIServer) -> None:
    """As a stream: the call, what it found, each sentence, and last the whole answer."""
    server.play(RECALL, ANSWER)

    response = post(serving, "text/event-stream", question=QUESTION)

    events = events_of(response)
    assert response.headers["content-type"].startswith("text/event-stream")
    assert [name for name, _ in events] == ["called", "found", "said", "said", "done"]
    assert events[-1][1]["sentences"][0] == events[2][1]


def test_the_past_can_be_asked(serving: Serving, server: OpenAIServer) -> None:
    """With `at` nothing is known that was learnt later, with a model as without one."""
    server.play(RECALL, ANSWER)

    told = post(serving, question=QUESTION, at="2020-01-01").raise_for_status().json()

    assert told["uncited"] == 0
    assert not [ref for one in told["sentences"] for ref in one["citations"]]


@pytest.mark.parametrize(
    ("body", "status", "field"),
    [
        ({"question": "   "}, 400, "question"),
        ({"question": ""}, 422, "question"),
        ({}, 422, "question"),
        ({"question": "x", "space": "rivals"}, 422, "space"),
    ],
)
def test_a_bad_question_is_named(serving: Serving, body: dict[str, Any], status: int, field: str) -> None:
    """What is wrong with a question is said with its field and what to do."""
    response = post(serving, **body)

    assert response.status_code == status
    assert field in json.dumps(response.json())
    assert response.json()["remedy"]


def test_a_space_that_nobody_wrote_to_is_not_begun_by_asking(serving: Serving, folder: Path) -> None:
    """Asking writes nothing, not even an empty memory."""
    with serving.client() as client:
        response = client.post("/api/v1/ask?space=elsewhere", json={"question": QUESTION})

    assert response.status_code == 404
    assert not (folder / "store" / "elsewhere.db").exists()


def test_a_client_that_goes_away_ends_the_work(serving: Serving, server: OpenAIServer) -> None:
    """Whoever hangs up stops the request to the model, in the middle of a stream."""
    server.play(Endless("The pool. "))
    with (
        serving.client() as client,
        client.stream(
            "POST", "/api/v1/ask", json={"question": QUESTION}, headers={"Accept": "text/event-stream"}
        ) as response,
    ):
        next(response.iter_bytes())

    assert server.was_left.wait(20)


def test_too_many_questions_at_once_are_refused(serving: Serving, server: OpenAIServer) -> None:
    """Beyond so many questions the next is told when to come back, and the service goes on."""
    server.play(Silence())
    everybody_in = threading.Barrier(QUESTIONS_MAX + 1)
    leave = threading.Event()

    def hold() -> None:
        with (
            serving.client() as client,
            client.stream("POST", "/api/v1/ask", json={"question": QUESTION}, headers={"Accept": "text/event-stream"}),
        ):
            everybody_in.wait(30)
            leave.wait(30)

    threads = [threading.Thread(target=hold, daemon=True) for _ in range(QUESTIONS_MAX)]
    for thread in threads:
        thread.start()
    everybody_in.wait(30)
    refused = post(serving, question=QUESTION)
    leave.set()
    for thread in threads:
        thread.join(30)

    assert refused.status_code == 429
    assert int(refused.headers["Retry-After"]) > 0
    server.play(RECALL, ANSWER)
    # Room again, once those who left were noticed.
    wait_for(lambda: post(serving, question=QUESTION).status_code == 200, what="room for a question")


@pytest.fixture
def ask(folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> Any:
    """`hindcast ask` on the store."""

    def run(*words: str, stdin: str | None = None) -> Said:
        return typed(["--store", str(folder / "store"), "ask", *words], capsys, monkeypatch, stdin=stdin)

    monkeypatch.setenv("HINDCAST_MODEL", "none")
    return run


def test_a_question_is_answered_on_the_command_line(ask: Any) -> None:
    """The answer is on stdout, a sentence a line with its incidents; how it came about is on stderr."""
    said = ask("what", "usually", "fixes", "redis?")

    assert said.code == 0
    assert "[past-redis-" in said.out.splitlines()[0]
    assert "I read this as: what worked how often for “redis”." in said.err
    assert "→ resolution_patterns about=redis" in said.err


def test_an_error_is_read_from_stdin(ask: Any) -> None:
    """What is piped in is recalled as it is."""
    said = ask("-", stdin="redis.exceptions.ConnectionError: Connection reset by peer\n  in payment worker")

    assert said.out.startswith("Seen before (")
    assert REF in said.out


def test_a_script_gets_the_whole_answer(ask: Any) -> None:
    """--json is one document: the reading, every sentence with its records, the costs."""
    told = ask(QUESTION, "--json").document

    assert told["reading"] == "what worked how often for “redis”"
    assert all(one["is_cited"] for one in told["sentences"])
    assert told["costs"]["tokens_in"] == 0


def test_the_past_can_be_asked_on_the_command_line(ask: Any) -> None:
    """--at answers with what was known then."""
    assert ask("who knows about the card network?", "--at", "2020-01-01").out.startswith("Memory was empty")


def test_with_a_model_the_command_shows_its_cost(
    ask: Any, server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Calls, marks and tokens of a model are shown."""
    monkeypatch.setenv("HINDCAST_ASK_MODEL", "openai:scripted")
    monkeypatch.setenv("HINDCAST_ASK_URL", server.url)
    server.play(RECALL, ANSWER)

    said = ask("why do payment workers lose redis?")

    assert "(uncited) It is a popular cache." in said.out
    assert "Note: 1 sentence rests on no record and is marked." in said.out
    assert "1 call, 200 + 40 tokens of openai:scripted" in said.err


@pytest.mark.parametrize(
    ("settings", "says"),
    [
        ({"ASK_MODEL": "gpt"}, "provider:name"),
        ({"ASK_MODEL": "openai:x", "ASK_URL": "http://10.0.0.1/v1"}, "outbound_allow"),
        ({"ASK_MODEL": "openai:x", "ASK_URL": "http://169.254.169.254/latest"}, "outbound_allow"),
    ],
)
def test_a_model_that_cannot_be_used_is_said(
    ask: Any, monkeypatch: pytest.MonkeyPatch, settings: dict[str, str], says: str
) -> None:
    """A wrong setting is named with its remedy; a private address is refused, and the tools answer all the same."""
    for name, value in settings.items():
        monkeypatch.setenv(f"HINDCAST_{name}", value)

    said = ask(QUESTION)

    assert says in said.out + said.err


@pytest.mark.parametrize("words", [(), ("-",)])
def test_nothing_asked_is_said(ask: Any, words: tuple[str, ...]) -> None:
    """A command without a question says how to ask."""
    said = ask(*words)

    assert said.code != 0
    assert "Nothing was asked" in said.err
