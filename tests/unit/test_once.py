"""Answers that are kept so that a request sent again happens once."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta

import pytest
from starlette.responses import Response

from hindcast.adapters.clock import ManualClock
from hindcast.model.errors import Stale
from hindcast.rest import once as subject
from hindcast.rest.once import REPLAYED, Once, Reused

START = datetime(2026, 11, 16, tzinfo=UTC)
KEY = ("ana", "local", "k1")


def test_the_first_answer_is_told_again() -> None:
    """The second time nothing is made, and the answer says that it was told before."""
    made: list[int] = []

    def make() -> Response:
        made.append(1)
        return Response(b"{}", 201, {"ETag": '"1"'}, media_type="application/json")

    once = Once(lambda: START)
    first, second = (once.answer(KEY, b"same", make) for _ in range(2))

    assert len(made) == 1
    assert (second.status_code, second.body, second.headers["ETag"]) == (first.status_code, first.body, '"1"')
    assert (REPLAYED in first.headers, second.headers[REPLAYED]) == (False, "true")
    assert second.headers["content-type"] == "application/json"


def test_a_key_belongs_to_one_request() -> None:
    """Another body under the same key is a conflict; another caller or space has keys of its own."""
    once = Once(lambda: START)
    once.answer(KEY, b"one", lambda: Response(b"1"))

    with pytest.raises(Reused):
        once.answer(KEY, b"other", lambda: Response(b"2"))
    assert once.answer(("bo", "local", "k1"), b"other", lambda: Response(b"2")).body == b"2"
    assert once.answer(("ana", "else", "k1"), b"other", lambda: Response(b"3")).body == b"3"


def test_what_failed_may_be_tried_again() -> None:
    """Neither an error nor an answer of failure is kept."""
    once = Once(lambda: START)

    def fail() -> Response:
        raise Stale("Somebody came between.", remedy="Try again.")

    with pytest.raises(Stale):
        once.answer(KEY, b"same", fail)
    assert once.answer(KEY, b"same", lambda: Response(b"no", 503)).status_code == 503
    assert once.answer(KEY, b"same", lambda: Response(b"yes")).body == b"yes"


def test_a_day_later_a_key_is_new() -> None:
    """After twenty-four hours an answer is forgotten."""
    clock = ManualClock(START)
    once = Once(clock.now)
    once.answer(KEY, b"same", lambda: Response(b"1"))
    clock.move(timedelta(hours=24, seconds=1))

    assert once.answer(KEY, b"other", lambda: Response(b"2")).body == b"2"


def test_what_is_kept_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond so many answers, or so many bytes, the oldest make room."""
    once = Once(lambda: START)
    monkeypatch.setattr(subject, "ANSWERS_MAX", 2)
    for number in range(3):
        once.answer(("ana", "local", str(number)), b"same", lambda: Response(b"first"))
    assert once.answer(("ana", "local", "0"), b"same", lambda: Response(b"again")).body == b"again"
    assert once.answer(("ana", "local", "2"), b"same", lambda: Response(b"again")).body == b"first"

    monkeypatch.setattr(subject, "ANSWERS_BYTES_MAX", 10)
    once.answer(("ana", "local", "large"), b"same", lambda: Response(b"x" * 9))
    assert once.answer(("ana", "local", "2"), b"same", lambda: Response(b"again")).body == b"again"


def test_two_at_once_are_not_both_done() -> None:
    """While the first is being answered the second is told to come back, and it is done once."""
    once = Once(lambda: START)
    begun, go_on = threading.Event(), threading.Event()

    def slow() -> Response:
        begun.set()
        assert go_on.wait(10)
        return Response(b"done")

    first = threading.Thread(target=lambda: once.answer(KEY, b"same", slow))
    first.start()
    assert begun.wait(10)
    with pytest.raises(Stale, match="still being answered"):
        once.answer(KEY, b"same", slow)
    go_on.set()
    first.join()

    assert once.answer(KEY, b"same", slow).headers[REPLAYED] == "true"
