"""The demo's year in a memory: with a past where there was nothing, and never back-dated where there was something."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path

import pytest
from tests.questions import desk_of

from hindcast.adapters.clock import ManualClock
from hindcast.ask.direct import answered
from hindcast.ask.events import Said
from hindcast.build import open_memory
from hindcast.build.year import lived_year
from hindcast.casebook import Casebook, cases_in, kept_in
from hindcast.clues import with_clues
from hindcast.config import Settings
from hindcast.memory import Memory
from hindcast.model.answer import Turn
from hindcast.model.case import CaseState
from hindcast.model.query import Query
from hindcast.recall.reading import words_of_case
from hindcast.seeding import Seeded, seed
from hindcast.simulate.history import cases, runbooks
from hindcast.simulate.history.lived import everything, steps

NOW = datetime(2026, 11, 16, 2, 0, tzinfo=UTC)
STORY = "past-redis-worker-pool"
BEGAN = datetime(2026, 10, 5, 2, 7, tzinfo=UTC)


def opened(folder: Path, space: str = "team") -> Memory:
    """A memory at the end of the year, without a model."""
    return open_memory(Settings(store=str(folder), space=space, model="none"), clock=ManualClock(NOW))


def seeded(memory: Memory) -> Seeded:
    """What it gained."""
    return seed(memory, now=NOW, lived=lambda: lived_year(NOW))


@pytest.fixture(scope="module")
def year(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Memory]:
    """A memory that has lived through the year."""
    memory = opened(tmp_path_factory.mktemp("year"))
    assert seeded(memory).is_lived
    yield memory
    memory.close()


def test_the_life_of_a_case_ends_with_the_case() -> None:
    """Every case is told step by step, in order, and at the end it is what the history says."""
    for case in cases(now=NOW):
        life = steps(case, until=NOW)
        assert life[-1].case == case
        assert all(before.at < after.at for before, after in pairwise(life)), case.id
        assert life[0].at == case.occurred_at
        assert (life[0].case.attempts, life[0].case.cause, life[0].case.resolution) == ((), None, None)


def test_nothing_is_known_before_it_happened() -> None:
    """No step knows an attempt, a note or an end of later than itself, and none lies in the future."""
    late = NOW - timedelta(days=60)
    for step in everything(cases(now=NOW), until=NOW):
        case = step.case
        times = [*(one.at for one in case.attempts), *(one.at for one in case.notes), case.resolved_at]
        assert all(at is None or at <= step.at for at in times), step.why
    assert max(step.at for step in everything(cases(now=NOW), until=late)) <= late


def test_the_year_is_in_order_and_by_people() -> None:
    """Lives go on beside each other in one order of time; whoever did something is who said it."""
    lives = everything(cases(now=NOW), until=NOW)

    assert all(before.at <= after.at for before, after in pairwise(lives))
    assert {"hana", "jonas", "priya"} <= {step.by for step in lives}
    assert all(step.by and step.why.strip() for step in lives)


def test_a_day_before_it_nobody_knew(year: Memory) -> None:
    """As of a moment memory shows what was known then: nothing, that it began, what was tried, what ended it."""
    before = year.at(BEGAN - timedelta(days=1))
    begun = kept_in(year.at(BEGAN + timedelta(minutes=1)), STORY)
    tried = kept_in(year.at(BEGAN + timedelta(minutes=15)), STORY)
    ended = kept_in(year.at(BEGAN + timedelta(hours=1)), STORY)

    assert kept_in(before, STORY) is None
    assert len(cases_in(before)) > 100
    assert begun is not None
    assert (begun.case.state, begun.case.attempts, begun.case.responders) == (CaseState.OPEN, (), ())
    assert tried is not None
    assert [one.by for one in tried.case.attempts] == ["hana", "jonas"]
    assert ended is not None
    assert ended.case.resolution is not None
    assert ended.case.state is CaseState.RESOLVED


def test_who_found_it_out_is_who_is_named(year: Memory) -> None:
    """Blame names the person and the day, and the whole chain can be recomputed."""
    said = next(one for one in year.blame(f"cases/{STORY}") if one.field == "resolution.text")

    assert (said.commit.actor, said.commit.at) == ("priya", BEGAN + timedelta(minutes=34))
    assert not year.verify().faults


def test_the_commit_that_taught_it_can_be_found(year: Memory) -> None:
    """Bisecting the year ends at the commit in which the incident began."""
    turn = year.bisect(lambda view: view.find(f"cases/{STORY}") is not None, since=NOW - timedelta(days=300))

    assert isinstance(turn, Turn)
    assert (turn.commit.at, turn.commit.actor) == (BEGAN, "hindcast")


def test_in_the_end_it_is_what_would_have_been_learnt_today(year: Memory, tmp_path: Path) -> None:
    """The present is the same, with or without a past: the same cases and runbooks, found by the same words."""
    today = opened(tmp_path)
    seed(today, now=NOW)

    assert (
        cases_in(year.now())
        == cases_in(today.now())
        == tuple(sorted(map(with_clues, cases(now=NOW)), key=lambda case: (case.occurred_at, case.id), reverse=True))
    )
    for case in cases_in(year.now()):
        assert year.get(f"cases/{case.id}").text == words_of_case(case)
    assert {one["id"] for one in runbooks()} == {one.path for one in year.now().every() if one.namespace == "runbooks"}
    today.close()


def test_it_is_found_as_of_then(year: Memory) -> None:
    """A search as of a moment finds what was known then and nothing of later."""
    wanted = Query("payment workers lose redis connection reset by peer")
    now = [hit.record.path for hit in year.now().search(wanted).hits]
    then = [hit.record.path for hit in year.at(BEGAN - timedelta(days=1)).search(wanted).hits]

    assert STORY in now
    assert then
    assert STORY not in then


def test_a_question_as_of_a_day_is_answered_from_that_day(year: Memory) -> None:
    """What was known on a date is told with ages as of then, and before the year there was nothing."""
    desk = desk_of(year, now=NOW)
    then = [event for event in answered("what did we know about redis on 2026-06-01", desk) if isinstance(event, Said)]
    before = [
        event for event in answered("what did we know about redis on 2025-06-01", desk) if isinstance(event, Said)
    ]

    assert then[0].sentence.text.startswith("As of 2026-06-01: ")
    assert ", 4 weeks ago" in then[0].sentence.text
    assert STORY not in str(then)
    assert [one.sentence.text for one in before] == [
        "Memory was empty as of 2025-06-01: nothing had been written down by then."
    ]


def test_seeding_again_writes_nothing(year: Memory) -> None:
    """Whoever seeds a year that is there already changes nothing."""
    newest = year.log(commits_max=1)

    assert seeded(year) == Seeded(0, 0)
    assert year.log(commits_max=1) == newest


def test_a_history_is_not_back_dated(tmp_path: Path) -> None:
    """A memory that has commits learns the year today, in one commit that says so, and keeps what it had."""
    memory = opened(tmp_path)
    case = cases(now=NOW)[0]
    Casebook(memory).put(case, actor="ada", why="Ours.")
    found = seeded(memory)

    assert found == Seeded(len(cases(now=NOW)) - 1, len(runbooks()))
    assert [commit.at for commit in memory.log()] == [NOW] * 3
    assert memory.get(f"cases/{case.id}").version == 1
    memory.close()
