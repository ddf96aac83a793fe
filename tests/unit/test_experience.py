"""Experience: verdicts, what is retired, how often answers were right; all of it can be taken back."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from tests.conftest import Place

from hindcast.experience import (
    experience_of,
    keep_reliability,
    record_verdict,
    retire,
    retired_in,
    unretire,
    verdict_address,
    verdicts_of,
)
from hindcast.memory import Memory
from hindcast.model.errors import Malformed, Missing
from hindcast.model.verdict import NO_EXPERIENCE, Judgement, Matter, Reliability, Verdict

NOW = datetime(2026, 11, 15, 2, 3, tzinfo=UTC)
RIGHT = Verdict(
    Matter.MEMORY, Judgement.RIGHT, "redis-pool", 3, (2**64 - 1,), "ConnectionResetError", 0.87, "ana", NOW
)  # fmt: skip


@pytest.fixture
def memory(sqlite_place: Place) -> Memory:
    """An empty memory."""
    return sqlite_place.memory()


def test_nothing_said_is_no_experience(memory: Memory) -> None:
    """A memory that nobody has judged yet gives the empty experience."""
    assert experience_of(memory.now()) == NO_EXPERIENCE


def test_a_verdict_comes_back_as_it_was_said(memory: Memory) -> None:
    """A verdict survives being remembered, with who said it as the commit's actor."""
    made = record_verdict(memory, RIGHT, actor="ana")

    assert experience_of(memory.now()).verdicts == (RIGHT,)
    assert (made.actor, "cases/redis-pool is right" in made.why) == ("ana", True)


def test_what_somebody_says_later_replaces_what_they_said(memory: Memory) -> None:
    """One person has one verdict on a case for one failure, however the failure was worded; others have their own."""
    wrong = replace(RIGHT, judgement=Judgement.WRONG, asked="redis resets", at=NOW + timedelta(hours=1))
    record_verdict(memory, RIGHT, actor="ana")
    record_verdict(memory, wrong, actor="ana")
    record_verdict(memory, replace(RIGHT, by="bo", at=NOW + timedelta(hours=2)), actor="bo")

    assert [(one.by, one.judgement) for one in verdicts_of(memory.now())] == [("ana", "wrong"), ("bo", "right")]


def test_a_verdict_can_be_taken_back(memory: Memory) -> None:
    """Reverting the commit of a verdict leaves the one before it, and reverting that one leaves none."""
    first = record_verdict(memory, RIGHT, actor="ana")
    second = record_verdict(memory, replace(RIGHT, judgement=Judgement.WRONG), actor="ana")

    memory.revert(second, actor="bo", why="a mistake")
    assert verdicts_of(memory.now()) == (RIGHT,)
    memory.revert(memory.log()[0], actor="bo", why="after all")
    memory.revert(second, actor="bo", why="a mistake")
    memory.revert(first, actor="bo", why="all of it")
    assert verdicts_of(memory.now()) == ()


def test_a_moment_shows_the_verdicts_of_its_time(memory: Memory) -> None:
    """What is asked as of a moment is answered with the experience of that moment."""
    first = record_verdict(memory, RIGHT, actor="ana")
    record_verdict(memory, replace(RIGHT, case="other"), actor="ana")

    assert len(experience_of(memory.at(first)).verdicts) == 1


@pytest.mark.parametrize(
    "other",
    [
        replace(RIGHT, case="other"),
        replace(RIGHT, by="bo"),
        replace(RIGHT, fingerprints=(5,)),
        replace(RIGHT, fingerprints=(), asked="something else"),
        replace(RIGHT, matter=Matter.PROPOSAL, action="restart"),
    ],
)
def test_another_question_is_another_verdict(other: Verdict) -> None:
    """Another case, person, failure or matter does not replace a verdict."""
    assert verdict_address(other) != verdict_address(RIGHT)


def test_words_are_the_question_where_there_is_no_fingerprint() -> None:
    """Without a fingerprint, the same words in other spacing and case are the same question."""
    bare = replace(RIGHT, fingerprints=(), asked="Redis  resets\nconnections")

    assert verdict_address(bare) == verdict_address(replace(bare, asked="redis resets connections"))


@pytest.mark.parametrize(
    ("bad", "field"),
    [
        (replace(RIGHT, confidence=1.2), "confidence"),
        (replace(RIGHT, matter=Matter.PROPOSAL), "action"),
        (replace(RIGHT, at=NOW.replace(tzinfo=None)), "at"),
    ],
)
def test_a_verdict_that_means_nothing_is_refused(memory: Memory, bad: Verdict, field: str) -> None:
    """What cannot be used later is refused by the name of its field, and nothing is written."""
    with pytest.raises(Malformed) as caught:
        record_verdict(memory, bad, actor="ana")
    assert caught.value.field == field
    assert memory.log() == ()


def test_what_lies_among_the_verdicts_and_is_none_is_left_out(memory: Memory) -> None:
    """A record that somebody wrote by hand does not take everybody's experience away."""
    memory.put("verdicts/odd", {"case": 7}, actor="bo", why="by hand", kind="verdict")
    memory.put("learning/reliability", {"levels": "many"}, actor="bo", why="by hand", kind="reliability")
    record_verdict(memory, RIGHT, actor="ana")

    assert experience_of(memory.now()).verdicts == (RIGHT,)


def test_what_is_retired_can_come_back(memory: Memory) -> None:
    """A retired service is known in any spelling, until somebody says that it is there again."""
    retire(memory, "Legacy-Auth", actor="ana", why="replaced")
    assert retired_in(memory.now()) == {"Legacy-Auth", "legacy-auth"}

    unretire(memory, "legacy-auth", actor="ana", why="not yet")
    assert experience_of(memory.now()).retired == frozenset()
    with pytest.raises(Missing, match="not retired"):
        unretire(memory, "legacy-auth", actor="ana", why="again")
    with pytest.raises(Malformed, match="name"):
        retire(memory, " ", actor="ana", why="x")


def test_verdicts_add_to_what_was_measured(memory: Memory) -> None:
    """What people say about memories moves how often a level was right; what they say of proposals does not."""
    keep_reliability(memory, [Reliability(0.8, 0.9, 38, 35)], actor="ana", why="measured", at=NOW)
    record_verdict(memory, replace(RIGHT, judgement=Judgement.WRONG), actor="ana")
    proposal = replace(RIGHT, matter=Matter.PROPOSAL, action="restart", judgement=Judgement.WRONG)
    record_verdict(memory, proposal, actor="ana")

    assert experience_of(memory.now()).reliability == (Reliability(0.8, 0.9, 39, 35),)


def test_verdicts_count_where_nothing_was_measured(memory: Memory) -> None:
    """A team that never measured has its verdicts, each at its level of confidence, certainty at the last."""
    record_verdict(memory, RIGHT, actor="ana")
    record_verdict(memory, replace(RIGHT, by="bo", judgement=Judgement.WRONG), actor="bo")
    record_verdict(memory, replace(RIGHT, case="other", confidence=1.0), actor="bo")

    assert experience_of(memory.now()).reliability == (Reliability(0.8, 0.9, 2, 1), Reliability(0.9, 1.0, 1, 1))


def test_nothing_measured_is_not_kept(memory: Memory) -> None:
    """An empty measurement is refused instead of overwriting an earlier one."""
    with pytest.raises(Malformed, match="Nothing was measured"):
        keep_reliability(memory, [], actor="ana", why="measured", at=NOW)
