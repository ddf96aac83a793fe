"""The time machine in a real browser, over a memory that has grown for a week."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from tests.serving import serving
from tests.web.staging import Stage

from hindcast.adapters.clock import ManualClock
from hindcast.build import open_memory
from hindcast.config import Settings
from hindcast.model.ids import Address
from hindcast.model.record import Change, State

DAYS = 7
COMMITS_A_DAY = 40
# What the story looks for: it changed five days ago.
POOL = Address.parse("settings/payment")
PROBE = "<img src=x onerror=\"document.title='broken in'\">"


def remember_a_week(store: Path, *, now: datetime, commits_a_day: int = COMMITS_A_DAY) -> None:
    """Write a week of commits, each at its own time, as a team would have."""
    clock = ManualClock(now - timedelta(days=DAYS))
    memory = open_memory(Settings(store=str(store), model="none"), clock=clock)
    pause = timedelta(days=1) / (commits_a_day + 2)
    try:
        memory.commit([Change(POOL, {"pool": 20, "owner": "ada"})], actor="ada", why="The pool of payment is 20")
        for place in range(DAYS * commits_a_day):
            clock.move(pause)
            day = place // commits_a_day
            who = ("ada", "hana", "jonas")[place % 3]
            path = Address.parse(f"notes/{day}-{place % commits_a_day:02}")
            note = {"title": f"Note {place} {PROBE if place % 50 == 3 else 'on the queue'}", "service": "payment"}
            memory.commit([Change(path, note)], actor=who, why=f"Note {place} of {who}")
            if place == 2 * commits_a_day:
                raised = Change(POOL, {"pool": 200, "owner": "ada"})
                memory.commit([raised], actor="jonas", why="Raised the pool of payment to 200")
            if place == 4 * commits_a_day:
                gone = Change(Address.parse("notes/0-03"), state=State.RETRACTED)
                memory.commit([gone], actor="hana", why="That note was wrong")
    finally:
        memory.close()


@pytest.fixture(scope="module")
def week(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """A Hindcast on one machine, whose memory is a week old."""
    folder = tmp_path_factory.mktemp("week")
    remember_a_week(folder / "store", now=datetime.now(UTC))
    with serving(folder, log_level="warning") as served:
        yield Stage(served, {"url": served.url, "local_link": served.link})


def test_moments_are_visited_compared_and_joined(week: Stage) -> None:
    """Yesterday shows what was known then; a difference, the commit behind it, a branch and its merge are there."""
    week.tell("time_machine")


def test_time_is_travelled_by_keyboard(week: Stage) -> None:
    """Every step of it has a key: moments, search, comparing, bisecting, branching, settling a conflict, undoing."""
    week.tell("time_machine_keys")
