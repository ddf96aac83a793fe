"""Answers that were just given: the same question again, as long as nothing was learnt."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from hindcast.recall.cache import ANSWER_LASTS, ANSWERS_KEPT_MAX, STEP_SETTLES, AnswerCache, CacheKey

NOW = datetime(2026, 11, 16, 2, 0, tzinfo=UTC)
LATER = NOW + STEP_SETTLES
WHY = CacheKey("team", "why", (), "main", None)


@pytest.fixture
def cache() -> AnswerCache[str]:
    """One that has known the seventh step for a while, and an answer."""
    made = AnswerCache[str]()
    assert made.find(WHY, 7, NOW) is None
    made.keep(WHY, 7, "because", LATER)
    return made


def test_the_same_question_has_the_same_answer_until_something_is_learnt(cache: AnswerCache[str]) -> None:
    """Asked again at the same step the answer is there; after another step it is not."""
    assert cache.find(WHY, 7, LATER) == "because"
    assert cache.find(WHY, 8, LATER) is None


@pytest.mark.parametrize(
    "other", [{"space": "other"}, {"text": "why not"}, {"services": ("a",)}, {"branch": "b"}, {"hits_max": 3}]
)
def test_another_question_has_no_answer_of_this_one(cache: AnswerCache[str], other: dict[str, object]) -> None:
    """Whatever an answer depends on tells questions apart."""
    assert cache.find(replace(WHY, **other), 7, LATER) is None  # type: ignore[arg-type]


def test_an_answer_does_not_last(cache: AnswerCache[str]) -> None:
    """How long ago something was is part of an answer, so it is worked out anew after a while."""
    assert cache.find(WHY, 7, LATER + ANSWER_LASTS - timedelta(seconds=1)) == "because"
    assert cache.find(WHY, 7, LATER + ANSWER_LASTS) is None


def test_what_the_model_may_not_have_read_yet_is_not_kept(cache: AnswerCache[str]) -> None:
    """Right after a step the model still reads it; an answer from then is given once and not again."""
    assert cache.find(WHY, 8, LATER) is None
    cache.keep(WHY, 8, "perhaps", LATER + STEP_SETTLES / 2)

    assert cache.find(WHY, 8, LATER + STEP_SETTLES) is None


def test_an_answer_that_memory_has_overtaken_is_not_kept(cache: AnswerCache[str]) -> None:
    """Worked out from one step while the next one came, it is nobody else's answer."""
    other = replace(WHY, text="why not")
    cache.find(other, 8, LATER)
    cache.keep(other, 7, "because", LATER + STEP_SETTLES)

    assert cache.find(other, 7, LATER + STEP_SETTLES) is None


def test_only_so_many_answers_are_kept(cache: AnswerCache[str]) -> None:
    """The oldest make room."""
    for number in range(ANSWERS_KEPT_MAX):
        cache.keep(replace(WHY, text=str(number)), 7, "x", LATER)

    assert cache.find(WHY, 7, LATER) is None
    assert cache.find(replace(WHY, text="0"), 7, LATER) == "x"


def test_nothing_of_a_space_is_left_after_an_erasure(cache: AnswerCache[str]) -> None:
    """What quotes an erased record leaves the process with it; other spaces keep their answers."""
    other = replace(WHY, space="other")
    cache.find(other, 3, NOW)
    cache.keep(other, 3, "theirs", LATER)
    cache.forget("team")

    assert cache.find(WHY, 7, LATER) is None
    assert cache.find(other, 3, LATER) == "theirs"
