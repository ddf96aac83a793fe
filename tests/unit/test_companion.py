"""A process beside this one: what it answers, and every way in which it can end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests.serving import wait_for

from hindcast.adapters.companion import Companion, Unanswered

SECONDS_MAX = 30


@contextmanager
def started(idle_seconds: float = 60, *more: str) -> Iterator[Companion]:
    """A companion that is ready, and closed in the end."""
    companion = Companion((*command(idle_seconds), *more), b"> ")
    try:
        wait_for(lambda: companion.is_ready, what="the companion")
        yield companion
    finally:
        companion.close()


def command(idle_seconds: float) -> tuple[str, ...]:
    """What starts one."""
    return (sys.executable, "-m", "tests.unit.companion_words", str(idle_seconds))


def test_each_request_gets_its_own_answer() -> None:
    """Many requests at once are answered each with its own, empty and large ones included."""
    words = [b"", b"word", b"x" * 3_000_000, *(b"%d" % number for number in range(200))]
    with started() as companion:
        answers = [companion.ask(word) for word in words]
        assert [answer.result(SECONDS_MAX) for answer in answers] == [b"> " + word[::-1] for word in words]


def test_a_slow_request_does_not_hold_up_the_next() -> None:
    """An answer that takes long is overtaken by one that does not."""
    with started() as companion:
        slow = companion.ask(b"wait")
        assert companion.ask(b"quick").result(SECONDS_MAX) == b"> kciuq"
        assert not slow.done()
        companion.ask(b"go")
        assert slow.result(SECONDS_MAX) == b"> tiaw"


def test_whoever_answers_knows_how_long_it_has_waited() -> None:
    """A request that comes while all hands are full has waited until one is free."""
    with started() as companion:
        for _ in range(2):
            companion.ask(b"nap")
        assert float(companion.ask(b"waited").result(SECONDS_MAX)) > 0.2


def test_a_request_without_an_answer_says_so() -> None:
    """What fails in the companion is no answer, and the next request is answered again."""
    with started() as companion:
        with pytest.raises(Unanswered):
            companion.ask(b"fail").result(SECONDS_MAX)
        assert companion.ask(b"ok").result(SECONDS_MAX) == b"> ko"


def test_what_is_printed_is_no_answer() -> None:
    """Whatever a library prints does not get in between the answers."""
    with started() as companion:
        assert companion.ask(b"print").result(SECONDS_MAX) == b"> tnirp"


def test_whoever_waits_for_one_that_dies_is_told() -> None:
    """All who wait learn that there will be no answer, and so does whoever asks later."""
    with started() as companion:
        slow = companion.ask(b"wait")
        companion.ask(b"die")
        with pytest.raises(Unanswered):
            slow.result(SECONDS_MAX)
        wait_for(lambda: companion.is_over, what="the end")
        with pytest.raises(Unanswered):
            companion.ask(b"anybody").result(SECONDS_MAX)
        assert companion.has_failed, "known at once, lest another one is started"
        assert not companion.is_ready


def test_one_that_cannot_start_is_never_ready() -> None:
    """A command that ends at once leaves somebody who is over, and nobody who waits."""
    companion = Companion((sys.executable, "-c", "raise SystemExit(1)"), b"")
    wait_for(lambda: companion.is_over, what="the end")
    assert companion.has_failed
    assert not companion.is_ready
    companion.close()


def test_one_that_nobody_asks_ends_by_itself() -> None:
    """After a while without requests it is gone, as it should be."""
    with started(idle_seconds=0.3) as companion:
        wait_for(lambda: companion.is_over, what="the end")
        assert not companion.has_failed


def test_closing_lets_it_finish() -> None:
    """What was asked before closing is still answered."""
    with started() as companion:
        answers = [companion.ask(b"%d" % number) for number in range(50)]
        companion.close()
        assert all(answer.result(SECONDS_MAX) for answer in answers)
        assert companion.is_over


@pytest.mark.parametrize("idle_seconds", [60, 0.3])
def test_what_it_opened_is_let_go_of(tmp_path: Path, idle_seconds: float) -> None:
    """However it ends, closed or forgotten, it tidies up after the last answer."""
    with started(idle_seconds, str(tmp_path / "ended")) as companion:
        assert companion.ask(b"ok").result(SECONDS_MAX) == b"> ko"
        if idle_seconds < 1:
            wait_for(lambda: companion.is_over, what="the end")

    assert (tmp_path / "ended").read_text() == "let go"


def test_ctrl_c_is_not_meant_for_it() -> None:
    """A terminal interrupts every process in it; the companion stays as long as whoever started it."""
    with started() as companion:
        os.kill(companion.pid, signal.SIGINT)
        assert companion.ask(b"ok").result(SECONDS_MAX) == b"> ko"


def test_it_does_not_outlive_whoever_started_it() -> None:
    """When its starter is killed without a word, it ends too."""
    code = (
        "import sys, time\n"
        "from hindcast.adapters.companion import Companion\n"
        f"made = Companion({command(60)!r}, b'')\n"
        "while not made.is_ready: time.sleep(0.01)\n"
        "print(made.pid, flush=True)\n"
        "time.sleep(60)\n"
    )
    with subprocess.Popen((sys.executable, "-c", code), stdout=subprocess.PIPE, text=True) as starter:
        assert starter.stdout is not None
        pid = int(starter.stdout.readline())
        starter.kill()
    wait_for(lambda: not _runs(pid), what="the end of an orphan")


def _runs(pid: int) -> bool:
    """Whether a process runs; one that waits to be buried does not."""
    try:
        return Path(f"/proc/{pid}/stat").read_text(encoding="utf-8").rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False
