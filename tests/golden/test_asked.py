"""Questions in words, answered without a language model from the demo's year of history, as somebody reads them.

Each has its text in tests/golden/asked. After a change that is meant, write the new ones with
`HINDCAST_WRITE_GOLDEN=1`, and read the difference.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.questions import NOW, asked, desk_of, seeded

from hindcast.adapters.clock import ManualClock
from hindcast.ask.events import Done, EndedBy, Failed
from hindcast.ask.telling import text_of
from hindcast.build import open_memory
from hindcast.config import Settings
from hindcast.model.errors import Missing
from hindcast.toolbox import Desk

FOLDER = Path(__file__).resolve().parent / "asked"
SCREEN_LINES_MAX = 14
QUESTIONS = {
    "seen_before": "What did we do last time? ConnectionResetError: [Errno 104] Connection reset by peer, in payment",
    "what_not_to_try": "What should I not try when redis resets connections?",
    "what_usually_fixes": "What usually fixes redis?",
    "what_usually_fixes_a_failure": "what usually fixes kafka lag?",
    "fails_together": "Which services fail together with database?",
    "who_knows": "who knows about the card network?",
    "what_was_learnt": "what did we learn between 1 November and 5 November?",
    "incidents_of_a_month": "which payment incidents were there in October?",
    "open_incidents": "list open incidents",
    "known_then": "what did we know on 3 November about redis evictions?",
    "one_incident": "past-redis-worker-pool",
    "runbook": "is there a runbook for redis?",
    "not_known_then": "what did we know on 3 November about FluxCapacitorError in quantum mode?",
    "known_before_it_was_learnt": "what did we know on 1 November about redis evictions?",
    "not_seen": "FluxCapacitorError: temporal displacement exceeded in quantum mode",
    "before_the_deploy": "what did we know about redis evictions before the deploy?",
}


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    """A desk on a year of history."""
    with seeded(tmp_path_factory.mktemp("asked")) as memory:
        yield desk_of(memory)


@pytest.mark.parametrize("name", QUESTIONS)
def test_an_answer_reads_as_it_did(name: str, desk: Desk) -> None:
    """Each question gives the answer that was found good, on one screen, nothing in it without a record."""
    answer = asked(QUESTIONS[name], desk).answer
    lines = [f"> {answer.question}", f"  I read this as: {answer.reading}.", "", text_of(answer)]
    lines += ["", *(f"Note: {note}" for note in answer.notes), f"({answer.ended_by})"]
    text = "\n".join(lines) + "\n"
    path = FOLDER / f"{name}.txt"
    if os.environ.get("HINDCAST_WRITE_GOLDEN"):
        path.write_text(text, encoding="utf-8")

    assert text == path.read_text(encoding="utf-8")
    assert len(answer.sentences) <= SCREEN_LINES_MAX
    assert answer.uncited == 0


@pytest.mark.parametrize("name", QUESTIONS)
def test_an_empty_memory_says_that_it_knows_nothing(name: str, tmp_path_factory: pytest.TempPathFactory) -> None:
    """Before anything is remembered every question is answered with what was looked for, and cites nothing."""
    folder = tmp_path_factory.mktemp("empty")
    memory = open_memory(Settings(store=str(folder), model="none"), clock=ManualClock(NOW))
    event = asked(QUESTIONS[name], desk_of(memory)).events[-1]
    memory.close()

    if name == "one_incident":
        assert isinstance(event, Failed)
        assert isinstance(event.error, Missing)
    else:
        assert isinstance(event, Done)
        assert event.answer.ended_by is EndedBy.NOTHING_FOUND
        assert not [sentence for sentence in event.answer.sentences if sentence.citations]
