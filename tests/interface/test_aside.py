"""Many questions at once, of a real server: a second process answers them, the same, and leaves nothing behind."""

from __future__ import annotations

import json
import os
import signal
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.serving import Serving, wait_for
from tests.serving import serving as serving_in

from hindcast.adapters import model_pack
from hindcast.build import open_memory
from hindcast.config import Settings
from hindcast.recollect import GLANCED
from hindcast.rest.aside import QUESTIONS_MANY
from hindcast.seeding import seed

ERRORS = (
    "ConnectionResetError: [Errno 104] Connection reset by peer",
    "HikariPool-1 - Connection is not available, request timed out after 30000ms.",
    "a failure that nobody has ever seen in any of the services",
    "What fixed the redis connection resets?",
)


@pytest.fixture
def serving(tmp_path: Path) -> Iterator[Serving]:
    """A running Hindcast whose space has the demo's history."""
    seeded(tmp_path)
    with serving_in(tmp_path) as running:
        yield running


def seeded(folder: Path) -> None:
    """Let a store know the demo's history."""
    memory = open_memory(Settings(store=str(folder / "store"), space="local", model="none"))
    seed(memory, now=datetime.now(UTC))
    memory.close()


def ask(serving: Serving, **question: Any) -> httpx.Response:
    """Ask a question."""
    with serving.client() as client:
        return client.post("/api/v1/recall", json=question)


def told(serving: Serving, **question: Any) -> Any:
    """What is answered, but for when that was and for the last digits of sums, which no two processes have alike."""
    answer = ask(serving, **question).raise_for_status()
    found = json.loads(answer.content, parse_float=lambda digits: round(float(digits), 9))
    del found["diagnosis"]["at"]
    return found


def counted(serving: Serving, name: str) -> int:
    """How often something happened."""
    return int(serving.get("/api/v1/status")["counts"].get(name, 0))


def minds(serving: Serving) -> list[int]:
    """The processes that a server has started."""
    children = Path(f"/proc/{serving.process.pid}/task").glob("*/children")
    return [int(pid) for found in children for pid in found.read_text().split()]


def ask_much(serving: Serving) -> None:
    """Ask until somebody else answers."""

    def is_answered_aside() -> bool:
        before = counted(serving, "recalls_answered_aside")
        with ThreadPoolExecutor(QUESTIONS_MANY) as pool:
            answers = list(pool.map(lambda at: ask(serving, text=ERRORS[at % 2]), range(QUESTIONS_MANY)))
        assert all(answer.status_code == 200 for answer in answers)
        return counted(serving, "recalls_answered_aside") > before

    wait_for(is_answered_aside, what="an answer of the second process")


def test_a_question_now_and_then_starts_nothing(serving: Serving) -> None:
    """Whoever asks alone is answered by the server itself."""
    for text in ERRORS:
        ask(serving, text=text).raise_for_status()
    assert counted(serving, "minds_started") == 0
    assert not minds(serving)


def test_it_can_be_switched_off(tmp_path: Path) -> None:
    """Where memory is scarce, the server answers everything itself."""
    seeded(tmp_path)
    with serving_in(tmp_path, recall_process="off") as running:
        with ThreadPoolExecutor(QUESTIONS_MANY) as pool:
            answers = list(pool.map(lambda at: ask(running, text=ERRORS[at % 3]), range(3 * QUESTIONS_MANY)))
        assert all(answer.status_code == 200 for answer in answers)
        assert counted(running, "minds_started") == 0
        assert not minds(running)


def test_the_second_process_says_the_same(serving: Serving) -> None:
    """Every kind of question has the same answer, whoever gives it."""
    asked: list[dict[str, Any]] = [{"text": text} for text in ERRORS]
    asked += [
        {"text": ERRORS[0], "tokens_max": 120},
        {"text": ERRORS[0], "services": ["worker"], "hits_max": 3},
        {"text": ERRORS[1], "at": "30 days ago"},
    ]
    before = [told(serving, **question) for question in asked]
    ask_much(serving)
    answered = counted(serving, "recalls_answered_aside")
    assert [told(serving, **question) for question in asked] == before
    assert counted(serving, "recalls_answered_aside") == answered + len(asked)
    assert told(serving, text=ERRORS[0], explain=True)["recollection"] is not None


@pytest.mark.parametrize("recall_process", ["on", "off"])
def test_where_too_much_is_asked_some_is_answered_at_a_glance(tmp_path: Path, recall_process: str) -> None:
    """With a model, whoever answers: of a crowd of questions some are answered at a glance; asked alone, soon none."""
    seeded(tmp_path)

    def noted(answer: httpx.Response) -> bool:
        return GLANCED in answer.raise_for_status().json()["diagnosis"]["notes"]

    with serving_in(tmp_path, model=str(model_pack.prepare().folder), recall_process=recall_process) as running:
        if recall_process == "on":
            ask_much(running)
        questions = [f"{ERRORS[at % 3]} in attempt {at}" for at in range(60)]
        with ThreadPoolExecutor(12) as pool:
            glanced = list(pool.map(lambda text: noted(ask(running, text=text)), questions))
        assert any(glanced)
        assert counted(running, "recalls_answered_at_a_glance") >= sum(glanced)
        again = questions[glanced.index(True)]
        # For a moment it still takes who asks for one of the crowd.
        wait_for(lambda: not noted(ask(running, text=again)), what="an answer that was thought about")


def test_a_question_that_is_wrong_is_told_so_as_ever(serving: Serving) -> None:
    """What the second process cannot answer the server answers, failures included."""
    before = ask(serving, text=ERRORS[0], at="no such moment")
    ask_much(serving)
    again = ask(serving, text=ERRORS[0], at="no such moment")
    assert before.status_code == again.status_code
    assert 400 <= again.status_code < 500
    assert before.json()["title"] == again.json()["title"]


def test_what_is_written_is_known_at_once(serving: Serving) -> None:
    """What the server has just been told is in the very next answer of the second process."""
    ask_much(serving)
    found = told(serving, text=ERRORS[0])["diagnosis"]["case"]
    with serving.client() as client:
        said = {"action": "recited the alphabet to the load balancer", "outcome": "made worse"}
        client.post(f"/api/v1/incidents/{found}/attempts", json=said).raise_for_status()
    answered = counted(serving, "recalls_answered_aside")
    assert "recited the alphabet" in str(told(serving, text=ERRORS[0])["diagnosis"]["avoid"])
    assert counted(serving, "recalls_answered_aside") == answered + 1


def test_erasing_ends_it(serving: Serving) -> None:
    """No other process goes on holding what was erased; the next many questions start one that never knew it."""
    ask_much(serving)
    found = told(serving, text=ERRORS[0])["diagnosis"]["case"]
    with serving.client() as client:
        erasure = {"address": f"cases/{found}", "why": "legal duty"}
        client.post("/api/v1/memory/erase", json=erasure).raise_for_status()
    assert not minds(serving)
    ask_much(serving)
    assert counted(serving, "minds_started") == 2
    assert found not in ask(serving, text=ERRORS[0]).text


def test_a_process_that_dies_takes_no_question_along(serving: Serving) -> None:
    """Killed at any moment, it leaves questions that the server answers itself, and no error."""
    ask_much(serving)
    (mind,) = minds(serving)
    with ThreadPoolExecutor(QUESTIONS_MANY) as pool:
        answers = [pool.submit(ask, serving, text=ERRORS[at % 3]) for at in range(60)]
        answers[10].result()
        os.kill(mind, signal.SIGKILL)
        assert all(answer.result().status_code == 200 for answer in answers)
    wait_for(lambda: not minds(serving), what="the end of it")


def test_it_ends_with_the_server(serving: Serving) -> None:
    """A server that stops leaves no process behind, and neither does one that is killed."""
    ask_much(serving)
    (mind,) = minds(serving)
    serving.stop()
    assert serving.process.returncode == 0
    assert not Path(f"/proc/{mind}").exists()
