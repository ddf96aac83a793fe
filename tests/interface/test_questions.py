"""Many different questions, of a real server with a model: each is answered whole, or told when to come again."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import httpx
import pytest
from tests.resting import resting
from tests.serving import Serving, serving

from hindcast.adapters import model_pack
from hindcast.adapters.clock import ManualClock
from hindcast.build import open_memory
from hindcast.build.admission import RETRY_AFTER_SECONDS, Admission
from hindcast.client.call import error_of
from hindcast.config import Settings
from hindcast.model.case import Case
from hindcast.model.errors import Busy
from hindcast.recall.cache import STEP_SETTLES
from hindcast.seeding import seed

QUESTIONS = 245
QUESTIONS_PER_S = 10
RETRIES_MAX = 60
LESSER = re.compile("[Ss]earched|not compared|not indexed|at once")
ALL_ARMS = {"words", "meaning", "keys", "tokens"}
ERRORS = (
    "ConnectionResetError: [Errno 104] Connection reset by peer",
    "HikariPool-1 - Connection is not available, request timed out after 30000ms.",
    "a failure that nobody has ever seen in any of the services",
    "customers cannot pay since the certificate was renewed",
    "FATAL: sorry, too many clients already",
)


@pytest.fixture(scope="module")
def hindcast(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A server with the demo's history and a model."""
    folder, model = tmp_path_factory.mktemp("questions"), str(model_pack.prepare().folder)
    memory = open_memory(Settings(store=str(folder / "store"), space="local", model=model))
    seed(memory, now=datetime.now(UTC))
    memory.close()
    with serving(folder, model=model) as running:
        yield running


def ask(hindcast: Serving, text: str) -> httpx.Response:
    """One question, asked again as long as the server says when to."""
    with hindcast.client() as client:
        for _ in range(RETRIES_MAX):
            answer = client.post("/api/v1/recall", json={"text": text, "explain": True})
            if answer.status_code != httpx.codes.SERVICE_UNAVAILABLE:
                break
            time.sleep(float(answer.headers["Retry-After"]))
    return answer


def test_every_question_is_answered_whole(hindcast: Serving) -> None:
    """245 different questions, ten a second: all arms took part in every answer, and none is a lesser one."""
    with ThreadPoolExecutor(32) as pool:
        answers = []
        begin = time.monotonic()
        for number in range(QUESTIONS):
            time.sleep(max(0.0, begin + number / QUESTIONS_PER_S - time.monotonic()))
            text = f"{ERRORS[number % len(ERRORS)]} (attempt {number} of worker-{number % 17})"
            answers.append(pool.submit(ask, hindcast, text))
        told = [answer.result().raise_for_status().json() for answer in answers]
    for one in told:
        assert set(one["recollection"]["arms"]) == ALL_ARMS, one["diagnosis"]["notes"]
    # A lesser answer says in its notes what it was searched without.
    notes = {note for one in told for note in one["recollection"]["notes"]}
    assert [note for note in notes if LESSER.search(note)] == []


def test_above_capacity_it_says_when_to_come_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where no place is left the answer is 503 with `Retry-After`, in words; with a place it is an answer."""
    monkeypatch.setattr("hindcast.build.running.Admission", partial(Admission, at_once=1, waiting_max=0))
    with resting(tmp_path) as here:
        here.remember("local", Case(id="past", title=ERRORS[0], occurred_at=datetime.now(UTC)))
        with here.running.admission.admitted():
            refused = here.ask("POST", "/api/v1/recall", "local", json={"text": ERRORS[0]}, status=503)
        told = refused.json()
        answered = here.ask("POST", "/api/v1/recall", "local", json={"text": ERRORS[0]}).json()

    assert refused.headers["Retry-After"] == str(RETRY_AFTER_SECONDS)
    assert told["type"] == "/problems/busy"
    assert told["detail"] == "More questions are asked at once than can be answered."
    assert told["remedy"] == f"Ask again in {RETRY_AFTER_SECONDS} seconds."
    assert "past" in str(answered["diagnosis"])
    error = error_of(503, {"retry-after": "2"}, refused.content)
    assert isinstance(error, Busy)
    assert error.retry_after_seconds == RETRY_AFTER_SECONDS


def test_a_question_that_was_just_answered_takes_no_place(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same question again is answered from what is kept even where no place is left; after a lesson it is not."""
    monkeypatch.setattr("hindcast.build.running.Admission", partial(Admission, at_once=1, waiting_max=0))
    clock, question = ManualClock(datetime(2026, 11, 16, 2, 0, tzinfo=UTC)), {"text": ERRORS[0]}
    with resting(tmp_path, clock) as here:
        here.remember("local", Case(id="past", title=ERRORS[0], occurred_at=clock.now()))
        here.ask("POST", "/api/v1/recall", "local", json=question)
        clock.move(STEP_SETTLES)
        first = here.ask("POST", "/api/v1/recall", "local", json=question).json()
        with here.running.admission.admitted():
            assert here.ask("POST", "/api/v1/recall", "local", json=question).json() == first
            here.ask("POST", "/api/v1/recall", "local", json={**question, "hits_max": 3}, status=503)
            here.remember("local", Case(id="other", title=ERRORS[1], occurred_at=clock.now()))
            here.ask("POST", "/api/v1/recall", "local", json=question, status=503)
