"""A bounded pool: so many at once, so many wait, and one more is told when to come again."""

from __future__ import annotations

import threading
from concurrent.futures import Future, ThreadPoolExecutor

import pytest
from tests.serving import wait_for

from hindcast.build.admission import RETRY_AFTER_SECONDS, Admission
from hindcast.model.errors import Busy

SECONDS_MAX = 30.0


def occupy(admission: Admission, pool: ThreadPoolExecutor, may_go: threading.Event) -> Future[None]:
    """Somebody who stays until they are let go; the future is done once they are in."""
    inside: Future[None] = Future()

    def stay() -> None:
        with admission.admitted():
            inside.set_result(None)
            assert may_go.wait(SECONDS_MAX)

    pool.submit(stay)
    return inside


def test_above_its_capacity_a_question_is_refused_with_a_time() -> None:
    """One is answered and one waits: the third is told how long to wait, and the one who waits is answered."""
    admission, may_go = Admission(at_once=1, waiting_max=1), threading.Event()
    with ThreadPoolExecutor(2) as pool:
        occupy(admission, pool, may_go).result(SECONDS_MAX)
        waiting = occupy(admission, pool, may_go)
        wait_for(lambda: admission._inside == 2, what="the one who waits")
        with pytest.raises(Busy) as caught, admission.admitted():
            pass
        assert not waiting.done()
        may_go.set()
        waiting.result(SECONDS_MAX)

    assert caught.value.retry_after_seconds == RETRY_AFTER_SECONDS


def test_nobody_waits_for_ever() -> None:
    """Whoever is not let in within the time is told so, and takes no place any more."""
    admission, may_go = Admission(at_once=1, waiting_max=1, wait_seconds_max=0.05), threading.Event()
    with ThreadPoolExecutor(1) as pool:
        occupy(admission, pool, may_go).result(SECONDS_MAX)
        for _ in range(3):
            with pytest.raises(Busy), admission.admitted():
                pass
        may_go.set()
    with admission.admitted():
        pass


def test_a_question_that_fails_gives_its_place_back() -> None:
    """Whatever is raised while somebody is inside, the next one is let in."""
    admission = Admission(at_once=1, waiting_max=0)
    for _ in range(3):
        with pytest.raises(ValueError, match="wrong"), admission.admitted():
            raise ValueError("wrong")
    with admission.admitted():
        pass
