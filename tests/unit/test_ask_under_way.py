"""Asking about what fails at this very moment: memory holds it already, and is asked about the times before."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest
from tests.questions import NOW, Asked, asked, desk_of, seeded

from hindcast.casebook import Casebook
from hindcast.memory import Memory
from hindcast.model.case import CaseState

STORY = "past-redis-worker-pool"
UNDER_WAY = "inc-20261116-0755-payment"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A year of history."""
    with seeded(tmp_path) as made:
        yield made


def pasted(memory: Memory, *, minutes_ago: float) -> Asked:
    """The answer to the trace of an incident that began some minutes ago and that nobody has said anything about."""
    story = Casebook(memory).case(STORY)
    new = replace(
        story, id=UNDER_WAY, title="payment: 132 errors in 2 minutes", occurred_at=NOW - timedelta(minutes=minutes_ago),
        state=CaseState.OPEN, summary="", cause=None, attempts=(), resolution=None, resolved_at=None, minutes=None,
        responders=(), notes=(), links=(), source="hindcast",
    )  # fmt: skip
    Casebook(memory).put(new, actor="hindcast", why="It began.")
    return asked(story.stack, desk_of(memory))


def test_what_is_under_way_is_no_memory_of_itself(memory: Memory) -> None:
    """The answer says that it is happening now, and then what the time before was, why, and what ended it."""
    found = pasted(memory, minutes_ago=5)
    first, second = found.answer.sentences[:2]

    assert first.text == (
        f"It is happening now: payment: 132 errors in 2 minutes ({UNDER_WAY}) began 5 minutes ago; nobody has said "
        "what ended it."
    )
    assert first.citations[0].startswith(f"cases/{UNDER_WAY}@")
    assert second.text.startswith("Seen before")
    assert "Payment workers lose redis" in second.text
    assert second.citations[0].startswith(f"cases/{STORY}@")
    assert found.calls == ["recall", "incident_get"]


def test_what_nobody_closed_for_long_is_no_news(memory: Memory) -> None:
    """An incident that has been open for days is remembered like any other."""
    found = pasted(memory, minutes_ago=3 * 24 * 60)

    assert not any("happening now" in sentence.text for sentence in found.answer.sentences)
