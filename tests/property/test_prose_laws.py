"""Laws of reading prose, for texts made of everything that sentences about incidents are made of."""

from __future__ import annotations

import string

from hypothesis import given, settings
from hypothesis import strategies as st

from hindcast.learn.prose import attempts_in, unsure
from hindcast.learn.sentences import sentences_of
from hindcast.model.action import action_key, key_similarity
from hindcast.model.case import Outcome, Witness

WORDS = (
    "we tried restarting redis rolled back the release . , ; but it made things worse did not help ? errors "
    "stopped after neither nor scaling up should have if only ` kubectl rollout undo ` \n - 14:05 * # ``` which fixed "
    "took down auth too the pool was raised from 20 to 200 until a failover nothing helped for ten minutes and then "
    "that : | ( ) again"
)
PIECES = st.sampled_from(WORDS.split(" "))
PROSE = st.lists(PIECES, max_size=60).map(" ".join)


@given(st.one_of(PROSE, st.text(max_size=400)))
@settings(max_examples=300, deadline=None)
def test_every_attempt_shows_where_it_stands(text: str) -> None:
    """Whatever the text, reading it ends, and every sentence it quotes stands in it."""
    attempts = attempts_in(text, ref="page")

    assert len({one.id for one in attempts}) == len(attempts)
    for attempt in attempts:
        assert attempt.action
        assert 0 <= attempt.confidence <= 0.95
        assert attempt.evidence
        for evidence in attempt.evidence:
            assert evidence.witness is Witness.TEXT
            assert evidence.ref == "page"
            assert evidence.quote in text


@given(PROSE)
@settings(max_examples=200, deadline=None)
def test_the_same_text_gives_the_same_attempts(text: str) -> None:
    """Reading a text again changes nothing, ids included."""
    assert attempts_in(text) == attempts_in(text)


@given(PROSE.map(lambda text: text.translate(str.maketrans("", "", ".?!;\n`*#|-")).strip()))
@settings(max_examples=200, deadline=None)
def test_a_question_tells_of_no_attempt(text: str) -> None:
    """Whoever asks has not said what was done."""
    assert attempts_in(f"{text}?") == ()


@given(PROSE)
@settings(max_examples=200, deadline=None)
def test_unknown_outcomes_are_for_a_person(text: str) -> None:
    """An attempt whose outcome nobody wrote is always among those to ask about."""
    attempts = attempts_in(text)
    asked = unsure(attempts)

    assert all(one in asked for one in attempts if one.outcome is Outcome.UNKNOWN)


@given(st.text(alphabet=string.printable, max_size=600))
@settings(max_examples=200, deadline=None)
def test_sentences_stand_where_they_say(text: str) -> None:
    """A sentence is a piece of the text at its place, and no two overlap."""
    end = 0
    for sentence in sentences_of(text):
        assert text[sentence.start : sentence.start + len(sentence.text)] == sentence.text
        assert sentence.start >= end
        end = sentence.start + len(sentence.text)


@given(PROSE, PROSE)
@settings(max_examples=200, deadline=None)
def test_likeness_of_actions_goes_both_ways(one: str, other: str) -> None:
    """Two actions are as like as the other two, and never more than the same."""
    a, b = action_key(one), action_key(other)

    assert key_similarity(a, b) == key_similarity(b, a)
    assert 0 <= key_similarity(a, b) <= 1
