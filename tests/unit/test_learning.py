"""Learning confidence: three shares that can be counted, and no number where there is too little to count."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from hindcast.adapters.clock import ManualClock
from hindcast.build import open_memory
from hindcast.casebook import Casebook
from hindcast.config import Settings
from hindcast.learning import Counted, Earlier, held_back, is_complete, learning_of
from hindcast.memory import Memory
from hindcast.model.case import Attempt, Case, CaseState, Cause, Clues, Outcome, Resolution
from hindcast.model.query import Filter, Query
from hindcast.model.recollection import Cue, CueKind, Familiarity, Recollection, Remembered

NOW = datetime(2026, 11, 15, 2, 3, tzinfo=UTC)


def case(number: int, failure: int, *, days_ago: float, state: CaseState = CaseState.RESOLVED) -> Case:
    """A complete case of some failure."""
    return Case(
        f"c{number}",
        f"failure {failure}",
        NOW - timedelta(days=days_ago),
        state=state,
        clues=Clues(fingerprints=(failure,), frames=("run",)),
        cause=Cause("because"),
        resolution=Resolution("fixed"),
        attempts=(Attempt("A1", "restart", Outcome.NO_EFFECT),),
    )


# Five failures, each twice: a hundred days ago, and lately.
YEAR = [case(n, n, days_ago=100 + n) for n in range(5)] + [case(10 + n, n, days_ago=10 + n) for n in range(5)]


def answered(asked: Case, first: str, confidence: float = 0.9) -> Recollection:
    """What memory says when one case comes first."""
    found = Remembered(
        replace(asked, id=first), f"cases/{first}", 1, "s", confidence, Familiarity.SEEN, 1.0
    )  # fmt: skip
    return Recollection(Cue("x", CueKind.PROSE, NOW), Familiarity.SEEN, (found,) if first else ())


def right(asked: Case) -> Recollection:
    """A memory that is always right about YEAR."""
    return answered(asked, f"c{asked.clues.fingerprints[0]}")


def test_the_number_is_the_product_of_what_was_counted() -> None:
    """Coverage, completeness and accuracy multiply to the one number, each with its counts."""
    gone = [case(20, 77, days_ago=3, state=CaseState.OPEN)]
    half = [replace(case(21, 78, days_ago=200), cause=None)]

    def mostly(asked: Case) -> Recollection:
        return right(asked) if asked.id != "c10" else answered(asked, "c3", 0.35)

    found = learning_of(YEAR + gone + half, mostly, now=NOW)

    assert (found.coverage, found.completeness, found.accuracy) == (Counted(5, 6), Counted(10, 11), Counted(4, 5))
    assert found.confidence == pytest.approx(5 / 6 * 10 / 11 * 4 / 5)
    assert found.incomplete == ("c21",)
    assert [(one.confidence_min, one.asked, one.right) for one in found.reliability] == [(0.3, 1, 0), (0.9, 4, 4)]


def test_too_little_gives_no_number() -> None:
    """Where there is too little to count it says what is missing instead of a number."""
    found = learning_of(YEAR[:3], right, now=NOW)

    assert found.confidence is None
    assert len(found.missing) == 3
    assert "There are 0 incidents that happened again" in found.missing[2]
    assert learning_of([], right, now=NOW).confidence is None


def test_an_answer_that_never_came_is_wrong() -> None:
    """Memory that has nothing to say to a recurrence was not right, and was not sure of anything."""
    found = learning_of(YEAR, lambda asked: answered(asked, ""), now=NOW)

    assert (found.accuracy, found.confidence, found.reliability) == (Counted(0, 5), 0, ())


def test_each_recurrence_is_asked_about_once_and_never_the_first_time() -> None:
    """Only what had happened before is held back, with every earlier case of it as a right answer."""
    third = case(30, 0, days_ago=1)
    held = {one.id: earlier for one, earlier in held_back([*YEAR, third])}

    assert held["c30"] == {"c0", "c10"}
    assert held["c10"] == {"c0"}
    assert "c0" not in held


def test_what_replaces_another_is_a_recurrence_too() -> None:
    """Cases that people said replace one another are of one failure, whatever their fingerprints; chains count.

    A link to an earlier incident is none of that: it says no more than which one came before.
    """
    first, second, third = (replace(case(n, 100 + n, days_ago=30 - n), previous="") for n in range(3))
    linked = [first, replace(second, supersedes=("c0",)), replace(third, supersedes=("c1",))]

    assert {one.id: earlier for one, earlier in held_back(linked)} == {"c1": {"c0"}, "c2": {"c0", "c1"}}
    assert held_back([first, replace(second, previous="c0")]) == []


def test_a_common_line_is_no_recurrence() -> None:
    """Cases that share one line of a log and no stack are not taken for the same failure."""
    lines = [replace(one, clues=Clues(fingerprints=one.clues.fingerprints)) for one in YEAR]

    assert held_back(lines) == []


@pytest.mark.parametrize(
    "other",
    [
        replace(YEAR[0], state=CaseState.DISMISSED),
        replace(YEAR[0], state=CaseState.OPEN),
        replace(YEAR[0], cause=None, resolution=None),
    ],
)
def test_what_teaches_nothing_is_no_answer(other: Case) -> None:
    """A dismissed, open or empty case is not what should have been remembered."""
    assert held_back([other, YEAR[5]]) == []


def test_a_case_is_complete_when_it_says_everything() -> None:
    """Cause, fix and an outcome for each attempt; a case without attempts has nothing more to say."""
    whole = YEAR[0]
    assert is_complete(whole)
    assert is_complete(replace(whole, attempts=()))
    assert not is_complete(replace(whole, resolution=None))
    assert not is_complete(replace(whole, attempts=(Attempt("A1", "restart"),)))


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """A memory with an index."""
    made = open_memory(Settings(store=str(tmp_path), space="s", actor="ana", model="none"), clock=ManualClock(NOW))
    yield made
    made.close()


def test_memory_before_an_incident_knows_nothing_of_it(memory: Memory) -> None:
    """What happened from a time on is not found, whenever it was learnt and however it is asked for."""
    Casebook(memory).put_many(YEAR, actor="ana", why="told")
    earlier = Earlier(memory.now(), YEAR[5].occurred_at)
    query = Query("failure", Filter(namespace="cases"), hits_max=50)

    assert {record.path for record in earlier.read(earlier.look(query).sights).values()} == {
        "c0",
        "c1",
        "c2",
        "c3",
        "c4",
        "c11",
        "c12",
        "c13",
        "c14",
    }
    narrow = replace(query, filter=Filter(namespace="cases", occurred_until=YEAR[4].occurred_at))
    assert earlier.look(narrow).sights == ()
