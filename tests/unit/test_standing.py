"""Answers after something was learnt: what is about them ends them, and what has nothing to do with them does not."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from hindcast.adapters.clock import ManualClock
from hindcast.build import open_memory
from hindcast.casebook import Casebook
from hindcast.config import Settings
from hindcast.instruments import Silent
from hindcast.memory import Memory
from hindcast.model.case import Case
from hindcast.model.ids import Address
from hindcast.model.record import Change
from hindcast.recollect import STEPS_FOLLOWED_MAX, Minds
from hindcast.register import Register
from hindcast.standing import Grounds, grounds_of

NOW = datetime(2026, 11, 16, 2, 0, tzinfo=UTC)
QUESTION = "redis connection pool exhausted, workers wait for a connection"
SYMPTOMS = (
    "redis connection pool exhausted in the worker",
    "redis pool has no connection left",
    "workers wait for a redis connection",
    "connection pool exhausted, payment waits",
    "redis answers slowly, the pool is full",
    "pool of workers waits for redis",
)
OTHER = Case(id="other", title="certificate of the mail gateway has expired", occurred_at=NOW - timedelta(days=3))
SAME = Case(id="same", title="workers wait: redis connection pool exhausted again", occurred_at=NOW)


@pytest.fixture
def clock() -> ManualClock:
    """Time that passes when it is told to."""
    return ManualClock(NOW)


@pytest.fixture
def memory(tmp_path: Path, clock: ManualClock) -> Memory:
    """A memory in which the pool was exhausted some times."""
    opened = open_memory(Settings(store=str(tmp_path), space="team", model="none"), clock=clock)
    for number, title in enumerate(SYMPTOMS):
        case = Case(id=f"past-{number}", title=title, occurred_at=NOW - timedelta(days=40 + number))
        Casebook(opened).put(case, actor="ana", why="told")
        clock.move(timedelta(seconds=1))
    return opened


@pytest.fixture
def minds(memory: Memory) -> Minds:
    """Whoever can be asked."""
    return Minds(Register(lambda _, **_create: memory), now=lambda: NOW, instruments=Silent())


@pytest.fixture
def kept(minds: Minds) -> tuple[Grounds, int]:
    """What an answer rests on, and the step it is right at."""
    step = minds.step("team")
    return grounds_of(minds.of("team").ask(QUESTION).recollection), step


def put(case: Case) -> Callable[[Memory], object]:
    """Tell of a case."""
    return lambda memory: Casebook(memory).put(case, actor="ana", why="told")


def forget(address: str) -> Callable[[Memory], object]:
    """Forget a record."""
    return lambda memory: memory.retract(address, actor="ana", why="wrong")


def test_what_has_nothing_to_do_with_it_leaves_an_answer_standing(
    minds: Minds, memory: Memory, kept: tuple[Grounds, int]
) -> None:
    """A case about something else is a lesson, and the answer is the one that would be given now."""
    grounds, step = kept
    before = minds.of("team").ask(QUESTION).diagnosis
    put(OTHER)(memory)

    assert minds.step("team") > step
    assert minds.still_stands("team", grounds, step)
    assert minds.of("team").ask(QUESTION).diagnosis == before


@pytest.mark.parametrize(
    "learn",
    [
        pytest.param(put(SAME), id="a case like it"),
        pytest.param(put(replace(OTHER, id="past-3")), id="a case that it tells, told anew"),
        pytest.param(forget("cases/past-1"), id="a case that it tells, forgotten"),
        pytest.param(
            lambda memory: memory.commit(
                [Change(Address("verdicts", "one"), {}, text="right")], actor="ana", why="judged"
            ),
            id="what somebody thinks of an answer",
        ),
        pytest.param(
            lambda memory: memory.commit(
                [Change(Address("runbooks", "mail"), {}, text="renew it")], actor="ana", why="written"
            ),
            id="a page of a runbook",
        ),
        pytest.param(
            lambda memory: memory.erase(Address("cases", "past-5"), actor="ana", why="asked to"), id="an erasure"
        ),
    ],
)
def test_what_may_change_an_answer_ends_it(
    minds: Minds, memory: Memory, kept: tuple[Grounds, int], learn: Callable[[Memory], object]
) -> None:
    """Also where something else was learnt before and after it."""
    grounds, step = kept
    put(OTHER)(memory)
    learn(memory)
    put(replace(OTHER, id="another"))(memory)

    assert not minds.still_stands("team", grounds, step)


def test_only_what_came_after_it_counts(minds: Minds, memory: Memory, clock: ManualClock) -> None:
    """A case like it that was known when it was answered does not end it; one that follows does."""
    minds.step("team")
    put(SAME)(memory)
    clock.move(timedelta(seconds=1))
    step = minds.step("team")
    grounds = grounds_of(minds.of("team").ask(QUESTION).recollection)
    put(OTHER)(memory)

    assert minds.still_stands("team", grounds, step)


def test_where_nothing_was_told_anything_new_may_be_the_answer(minds: Minds, memory: Memory) -> None:
    """What came to nobody's mind is asked anew whenever something was learnt."""
    minds.step("team")
    grounds = grounds_of(minds.of("team").ask("zzz qqq").recollection)
    step = minds.step("team")
    put(OTHER)(memory)

    assert grounds.told == {}
    assert not minds.still_stands("team", grounds, step)


def test_what_lies_too_far_back_ends_an_answer(minds: Minds, memory: Memory, kept: tuple[Grounds, int]) -> None:
    """So many lessons are remembered; of an answer from before the oldest of them nothing can be said."""
    grounds, step = kept
    for number in range(STEPS_FOLLOWED_MAX):
        put(replace(OTHER, id=f"other-{number}"))(memory)
        minds.step("team")

    assert not minds.still_stands("team", grounds, step)
