"""What a case and a question have in common, against a reading that takes every word and every pair of them."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.recalling import case, pool_case

from hindcast.asking import cue_of
from hindcast.model.case import Case
from hindcast.model.recollection import Cue
from hindcast.recall.arms import Candidate
from hindcast.recall.features import ECHO_DOUBTED, ECHO_WORDS_MIN, LINE_DOUBTED, NAMES_DOUBTED, features_of
from hindcast.recall.limits import LIMITS
from hindcast.recall.rarity import Rarity
from hindcast.recall.reading import words_of_case
from hindcast.recall.text import clean, word_set, words_in

AT = pool_case().occurred_at
# Few words, so that texts meet; one of them is two, and one says nothing.
WORD = st.sampled_from(
    ["pool", "reset", "poolSize", "the", "worker", "redis", "timeout", "a_limit", "Queue", "refused", "lag", "b_limit"]
)
LINE = st.lists(WORD, min_size=1, max_size=8).map(" ".join)
TEXT = st.lists(LINE, min_size=1, max_size=4).map("\n".join)


@st.composite
def candidates(draw: st.DrawFn) -> list[Candidate]:
    """Some cases of a few lines, some of them with a stack."""
    found = []
    for number in range(draw(st.integers(1, 6))):
        symptoms = draw(st.lists(LINE, max_size=4))
        one = case(f"c{number}", draw(LINE), *symptoms)
        told = replace(one, stack=draw(st.one_of(st.just(""), TEXT)), summary=draw(TEXT))
        found.append(Candidate(told, f"cases/c{number}", number + 1, {}, words_of_case(told)))
    return found


def plainly(cue: Cue, found: list[Candidate]) -> list[dict[str, float]]:
    """The shares of words as they are defined, with nothing left out."""
    text = clean(cue.text, chars_max=LIMITS.cue_chars_max)
    asked, pairs = word_set(text), frozenset(pairwise(words_in(text)))
    lines = [held for line in text.splitlines() if (held := word_set(line))][: LIMITS.lines_max]
    if len(lines) > 1 and len(lines[0]) < 4:
        lines[0] = lines[0] | lines[1]
    told = [words_in(one.text[: LIMITS.case_chars_max]) for one in found]
    everything = asked.union(*map(word_set, (one.text for one in found)), *(_seen_words(one.case) for one in found))
    words = Rarity((frozenset(one) for one in told), everything)
    phrases = Rarity((frozenset(pairwise(one)) for one in told), pairs)
    known = []
    for one, own in zip(found, told, strict=True):
        shares = [words.share(line, frozenset(own), doubted=LINE_DOUBTED) for line in lines]
        known.append(
            {
                "words": words.share(asked, frozenset(own), doubted=NAMES_DOUBTED),
                "phrases": phrases.share(pairs, frozenset(pairwise(own)), doubted=NAMES_DOUBTED),
                "title": words.share(word_set(one.case.title), asked, doubted=NAMES_DOUBTED),
                "head": shares[0] if shares else 0.0,
                "line": max(shares, default=0.0),
                "echo": max((_echo(line, seen, words) for line in lines for seen in _seen(one.case)), default=0.0),
            }
        )
    return known


def _seen(one: Case) -> list[frozenset[str]]:
    stack = one.stack.strip().splitlines()
    return [word_set(line) for line in (*one.symptoms, *stack[:1], *stack[-1:])[: LIMITS.lines_max]]


def _seen_words(one: Case) -> frozenset[str]:
    return frozenset[str]().union(word_set(one.title), *_seen(one))


def _echo(asked: frozenset[str], told: frozenset[str], words: Rarity[str]) -> float:
    shared = asked & told
    if len(shared) < ECHO_WORDS_MIN:
        return 0.0
    return 2 * words.mass(shared) / (words.mass(asked) + words.mass(told) + ECHO_DOUBTED)


@settings(max_examples=150)
@given(TEXT, candidates())
def test_what_is_not_read_would_have_changed_nothing(text: str, found: list[Candidate]) -> None:
    """Words and lines that no share is made of are passed over, and every share is what it would be with them."""
    cue, _ = cue_of(text, at=AT)
    for got, wanted in zip(features_of(cue, found, LIMITS), plainly(cue, found), strict=True):
        assert all(abs(got[name] - share) < 1e-9 for name, share in wanted.items()), (got, wanted)
