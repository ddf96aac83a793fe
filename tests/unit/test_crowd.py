"""Many who ask at once: one is thought about, the others make do with a glance, and nobody waits for long."""

from __future__ import annotations

import threading
from concurrent.futures import Future, ThreadPoolExecutor

import pytest
from tests.serving import wait_for

from hindcast.build.crowd import HANDS, LEISURE_SHARE, MOMENTS_SECONDS, RUSH_COUNT, RUSH_SECONDS, Crowd

SECONDS_MAX = 30.0
# Longer than any test takes.
PATIENT = 60.0


class Seconds:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        """The present."""
        return self.now


class Hall:
    """A crowd whose members stay until they are let go."""

    def __init__(self, pool: ThreadPoolExecutor) -> None:
        self.crowd = Crowd()
        self._pool = pool

    def come(self, patience: float) -> tuple[Future[bool], threading.Event]:
        """Somebody who joins: whether they were alone, once they are answered, and what lets them go."""
        alone: Future[bool] = Future()
        may_go = threading.Event()

        def stay() -> None:
            with self.crowd.joined(patience) as is_alone:
                alone.set_result(is_alone)
                assert may_go.wait(SECONDS_MAX)

        self._pool.submit(stay)
        return alone, may_go

    def has_seen(self, count: int) -> bool:
        """Whether so many have come."""
        return self.crowd._came == count

    def is_empty(self) -> bool:
        """Whether nobody is answered."""
        return not self.crowd._answered


@pytest.fixture
def hall() -> Hall:
    """An empty one."""
    return Hall(ThreadPoolExecutor(8))


def test_whoever_comes_alone_is_thought_about(hall: Hall) -> None:
    """One after the other, each is alone."""
    for _ in range(2):
        alone, may_go = hall.come(0)
        assert alone.result(SECONDS_MAX)
        may_go.set()
        wait_for(hall.is_empty, what="the end")


def test_the_second_waits_for_the_first(hall: Hall) -> None:
    """Whoever comes while one other is answered is alone as soon as that one has gone."""
    first, first_may_go = hall.come(0)
    assert first.result(SECONDS_MAX)
    second, second_may_go = hall.come(PATIENT)
    wait_for(lambda: hall.has_seen(2), what="the second")
    assert not second.done()
    first_may_go.set()
    assert second.result(SECONDS_MAX)
    second_may_go.set()


def test_patience_ends(hall: Hall) -> None:
    """Whoever has waited long enough is answered beside the first, at a glance."""
    _, first_may_go = hall.come(0)
    second, second_may_go = hall.come(0.02)
    assert not second.result(SECONDS_MAX)
    first_may_go.set()
    second_may_go.set()


def test_where_more_come_those_before_stop_waiting(hall: Hall) -> None:
    """The third makes the second stop waiting, however patient both are, and waits in its place."""
    first, first_may_go = hall.come(0)
    assert first.result(SECONDS_MAX)
    second, second_may_go = hall.come(PATIENT)
    wait_for(lambda: hall.has_seen(2), what="the second")
    third, third_may_go = hall.come(PATIENT)
    assert not second.result(SECONDS_MAX)
    assert not third.done()
    first_may_go.set()
    second_may_go.set()
    assert third.result(SECONDS_MAX)
    third_may_go.set()


def test_there_are_no_more_hands_than_there_are(hall: Hall) -> None:
    """However many come, and however little patience they have, so many are answered at the same time."""
    came = [hall.come(0) for _ in range(HANDS + 3)]
    wait_for(lambda: hall.has_seen(len(came)), what="all of them")
    wait_for(lambda: sum(alone.done() for alone, _ in came) == HANDS, what="those for whom there is a hand")
    for _, may_go in came:
        may_go.set()
    assert sum(alone.result(SECONDS_MAX) for alone, _ in came) >= 1


def answered(crowd: Crowd, clock: Seconds, seconds: float) -> bool:
    """Somebody who comes and is answered in so many seconds: whether they were thought about."""
    with crowd.joined(0) as is_thought_about:
        clock.now += seconds
    return is_thought_about


def share_thought_about(taken: float, between: float, *, glances: bool = True) -> float:
    """Of many who come one after the other and take so long, with so much time between them."""
    clock = Seconds()
    crowd = Crowd(glances=glances, seconds=clock)
    thought: list[bool] = []
    for _ in range(round(20 * MOMENTS_SECONDS / (taken + between))):
        thought.append(answered(crowd, clock, taken))
        clock.now += between
    return sum(thought) / len(thought)


PACE = RUSH_SECONDS / RUSH_COUNT / 2


@pytest.mark.parametrize("busy", [0.1, LEISURE_SHARE - 0.1])
def test_in_a_rush_they_are_thought_about_while_there_is_time(busy: float) -> None:
    """As long as answering leaves enough of the time, nobody has to do with a glance."""
    assert share_thought_about(busy * PACE, (1 - busy) * PACE) == 1


def test_in_a_rush_that_takes_all_the_time_they_are_glanced_at() -> None:
    """Though nobody else is there when each of them comes: thinking would let the crowd grow."""
    assert share_thought_about(0.9 * PACE, 0.1 * PACE) < 0.1


def test_at_a_gentle_pace_everybody_is_thought_about() -> None:
    """However long it takes: who comes alone finds nobody to be considerate of."""
    gentle = 2 * RUSH_SECONDS / RUSH_COUNT
    assert share_thought_about(0.9 * gentle, 0.1 * gentle) == 1


def test_where_nothing_could_be_left_out_everybody_is_thought_about() -> None:
    """Without a model a glance would be no quicker; only the hands are as many as ever."""
    assert share_thought_about(0.9 * PACE, 0.1 * PACE, glances=False) == 1


def test_in_a_rush_nobody_is_thought_about_before_they_have_left() -> None:
    """Where a thought follows a glance, whoever comes in a rush is answered at once, however much time there is."""
    clock = Seconds()
    crowd = Crowd(ponders=True, seconds=clock)
    thought = []
    for _ in range(5 * RUSH_COUNT):
        thought.append(answered(crowd, clock, 0.1 * PACE))
        clock.now += 0.9 * PACE
    assert thought == [True] * (RUSH_COUNT - 1) + [False] * (4 * RUSH_COUNT + 1)


def test_who_has_left_is_thought_about_when_nobody_else_is_there(hall: Hall) -> None:
    """And whoever comes meanwhile is not alone: two thoughts at once would take twice as long."""
    _, first_may_go = hall.come(0)
    has_begun, may_end = threading.Event(), threading.Event()

    def ponder() -> None:
        with hall.crowd.pondered():
            has_begun.set()
            assert may_end.wait(SECONDS_MAX)

    pondering = threading.Thread(target=ponder)
    pondering.start()
    assert not has_begun.wait(0.05)
    first_may_go.set()
    assert has_begun.wait(SECONDS_MAX)
    second, second_may_go = hall.come(0)
    assert not second.result(SECONDS_MAX)
    second_may_go.set()
    may_end.set()
    pondering.join(SECONDS_MAX)
    third, third_may_go = hall.come(PATIENT)
    assert third.result(SECONDS_MAX)
    third_may_go.set()
