"""Answers that stand for a moment: the same question again, as long as nothing was written."""

from __future__ import annotations

from hindcast.build.mind import ANSWER_STANDS_SECONDS, ANSWERS_KEPT_MAX, Lately


class Seconds:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        """The present."""
        return self.now


def test_the_same_question_has_the_same_answer_until_something_is_written() -> None:
    """Asked again at the same step the answer is there; after another step, or to another question, it is not."""
    lately = Lately()
    lately.keep(b"why", 7, b"because")

    assert lately.find(b"why", 7) == b"because"
    assert lately.find(b"why", 8) is None
    assert lately.find(b"why not", 7) is None


def test_an_answer_does_not_stand_for_long() -> None:
    """How long ago something was is part of an answer, so it is worked out anew after a while."""
    clock = Seconds()
    lately = Lately(seconds=clock)
    lately.keep(b"why", 7, b"because")
    clock.now += ANSWER_STANDS_SECONDS - 1
    assert lately.find(b"why", 7) == b"because"
    clock.now += 1

    assert lately.find(b"why", 7) is None


def test_only_so_many_answers_are_kept() -> None:
    """The oldest make room; one that was worked out anew is young again."""
    lately = Lately()
    for number in range(ANSWERS_KEPT_MAX):
        lately.keep(str(number).encode(), 1, b"x")
    lately.keep(b"0", 1, b"again")
    lately.keep(b"new", 1, b"x")

    assert lately.find(b"0", 1) == b"again"
    assert lately.find(b"1", 1) is None
