"""Answers that stand for a moment: the same question again, as long as nothing was written."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest
from tests.recalling import pool_case

from hindcast.build.lately import (
    ANSWERS_KEPT_MAX,
    STANDS_SECONDS_MAX,
    STANDS_SECONDS_MIN,
    Lately,
    stands_seconds,
)
from hindcast.model.recollection import Cue, CueKind, Familiarity, Recollection, Remembered
from hindcast.standing import Grounds

NOW = datetime(2026, 11, 16, 2, 0, tzinfo=UTC)


GROUNDS = Grounds(Cue("why", CueKind.PROSE, at=NOW), {}, ("words",))


def never(_grounds: Grounds, _since: int) -> bool:
    """Whatever is learnt changes every answer."""
    return False


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
    lately.keep(b"why", 7, b"because", GROUNDS, seconds=30)

    assert lately.find(b"why", 7, never) == b"because"
    assert lately.find(b"why", 8, never) is None
    assert lately.find(b"why not", 7, never) is None


def test_what_was_learnt_may_leave_an_answer_as_it_is() -> None:
    """Whoever knows is asked once for each step, with what the answer rests on and the step it was right at."""
    asked: list[tuple[Grounds, int]] = []

    def always(grounds: Grounds, since: int) -> bool:
        asked.append((grounds, since))
        return True

    lately = Lately()
    lately.keep(b"why", 7, b"because", GROUNDS, seconds=30)

    assert [lately.find(b"why", step, always) for step in (7, 9, 9, 12)] == [b"because"] * 4
    assert asked == [(GROUNDS, 7), (GROUNDS, 9)]


def test_an_answer_does_not_stand_for_long() -> None:
    """How long ago something was is part of an answer, so it is worked out anew after a while."""
    clock = Seconds()
    lately = Lately(seconds=clock)
    lately.keep(b"why", 7, b"because", GROUNDS, seconds=30)
    clock.now += 29
    assert lately.find(b"why", 7, never) == b"because"
    clock.now += 1

    assert lately.find(b"why", 7, never) is None


def test_only_so_many_answers_are_kept() -> None:
    """The oldest make room; one that was worked out anew is young again."""
    lately = Lately()
    for number in range(ANSWERS_KEPT_MAX):
        lately.keep(str(number).encode(), 1, b"x", GROUNDS, seconds=30)
    lately.keep(b"0", 1, b"again", GROUNDS, seconds=30)
    lately.keep(b"new", 1, b"x", GROUNDS, seconds=30)

    assert lately.find(b"0", 1, never) == b"again"
    assert lately.find(b"1", 1, never) is None


def test_a_glance_stands_only_for_whoever_gets_no_more() -> None:
    """While others wait an answer at a glance is told again; who asks when nobody waits is answered in full."""
    lately = Lately()
    lately.keep(b"why", 7, b"perhaps", GROUNDS, seconds=30, at_a_glance=True)

    assert lately.find(b"why", 7, never, at_a_glance=True) == b"perhaps"
    assert lately.find(b"why", 7, never) is None

    lately.keep(b"why", 7, b"because", GROUNDS, seconds=30)
    lately.keep(b"why", 7, b"perhaps not", GROUNDS, seconds=30, at_a_glance=True)
    assert lately.find(b"why", 7, never, at_a_glance=True) == lately.find(b"why", 7, never) == b"because"


@pytest.mark.parametrize(
    ("ago", "seconds"),
    [
        (timedelta(minutes=5), STANDS_SECONDS_MIN),
        (timedelta(hours=2), 72),
        (timedelta(days=40), STANDS_SECONDS_MAX),
        (None, STANDS_SECONDS_MAX),
    ],
)
def test_an_answer_stands_as_long_as_its_ages_are_true(ago: timedelta | None, seconds: float) -> None:
    """Beside an old case a young one decides; where nothing came to mind, nothing ages."""
    cases = [pool_case("old", occurred_at=NOW - timedelta(days=400))]
    cases += [pool_case("young", occurred_at=NOW - ago - timedelta(minutes=9), resolved_at=NOW - ago)] if ago else []
    remembered = tuple(
        Remembered(case, f"cases/{case.id}", 1, "", 0.5, Familiarity.MAYBE, 1.0, {}, {}) for case in cases
    )
    cue = Cue("why", CueKind.PROSE, at=NOW)

    assert stands_seconds(Recollection(cue, Familiarity.MAYBE, remembered if ago else ())) == pytest.approx(seconds)
