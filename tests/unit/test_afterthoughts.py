"""What was answered at a glance is thought about once there is time."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from tests.serving import wait_for

from hindcast.build.afterthoughts import LEFT_MAX, Afterthoughts
from hindcast.build.crowd import Crowd
from hindcast.model.errors import Missing

SECONDS_MAX = 30.0


class Thinker:
    """Notes what it thinks about; some of it fails."""

    def __init__(self) -> None:
        self.thought: list[bytes] = []

    def __call__(self, request: bytes) -> None:
        """Think about it."""
        self.thought.append(request)
        if request == b"no such space":
            raise Missing("There is no such space.", remedy="Name another.")


@contextmanager
def answering(crowd: Crowd) -> Iterator[None]:
    """Somebody else is answered meanwhile, so that there is no time for anything else."""
    with crowd.joined(0):
        yield


def test_what_was_glanced_at_is_thought_about_the_latest_first() -> None:
    """While somebody is answered nothing is; afterwards each request once, what was asked last first."""
    crowd, thinker = Crowd(), Thinker()
    afterthoughts = Afterthoughts(thinker, crowd)
    with answering(crowd):
        for request in (b"a", b"b", b"c", b"a"):
            afterthoughts.add(request)
        assert not thinker.thought
    wait_for(lambda: len(thinker.thought) == 3, what="all of them")
    afterthoughts.stop()
    assert thinker.thought == [b"a", b"c", b"b"]


def test_what_fails_ends_nothing() -> None:
    """A request that cannot be answered is left alone, and the next one is thought about."""
    crowd, thinker = Crowd(), Thinker()
    afterthoughts = Afterthoughts(thinker, crowd)
    with answering(crowd):
        for request in (b"a", b"no such space"):
            afterthoughts.add(request)
    wait_for(lambda: thinker.thought == [b"no such space", b"a"], what="both of them")
    afterthoughts.stop()


def test_no_more_are_kept_than_there_will_be_time_for() -> None:
    """Of very many the oldest are forgotten."""
    crowd, thinker = Crowd(), Thinker()
    afterthoughts = Afterthoughts(thinker, crowd)
    with answering(crowd):
        for number in range(LEFT_MAX + 7):
            afterthoughts.add(b"%d" % number)
    wait_for(lambda: len(thinker.thought) == LEFT_MAX, what="all of them")
    afterthoughts.stop()
    assert thinker.thought[-1] == b"7"


def test_stopping_waits_for_the_thought_under_way_and_for_no_other() -> None:
    """Nothing is thought about once it is over."""
    crowd, thought = Crowd(), list[bytes]()
    has_begun, may_end = threading.Event(), threading.Event()

    def think(request: bytes) -> None:
        has_begun.set()
        assert may_end.wait(SECONDS_MAX)
        thought.append(request)

    afterthoughts = Afterthoughts(think, crowd)
    afterthoughts.add(b"first")
    assert has_begun.wait(SECONDS_MAX)
    afterthoughts.add(b"second")
    stopping = threading.Thread(target=afterthoughts.stop)
    stopping.start()
    may_end.set()
    stopping.join(SECONDS_MAX)
    assert not stopping.is_alive()
    assert thought == [b"first"]
