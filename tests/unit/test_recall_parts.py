"""The parts of recall by themselves: words, stacks, rarity, fusion, what was learnt, keys."""

from __future__ import annotations

import math

import pytest

from hindcast.model.query import Rank
from hindcast.model.recollection import CueKind, Familiarity
from hindcast.recall import rank
from hindcast.recall.features import MEANINGS
from hindcast.recall.fuse import SPREADS_MAX, fuse, standing
from hindcast.recall.kinship import same_deed
from hindcast.recall.learnt import Level, shipped
from hindcast.recall.rarity import Rarity
from hindcast.recall.reading import identifiers
from hindcast.recall.stacks import align
from hindcast.recall.text import alike, clean, stem, words_in

# Every name weighs the same.
EQUAL = Rarity[str]([], ())


def opinions(**scores: float) -> dict[str, Rank]:
    """What arms think of a case."""
    return {arm: Rank(1, score) for arm, score in scores.items()}


def test_names_and_sentences_meet() -> None:
    """`pool_size`, `poolSize` and "pool size" are the same two words."""
    assert words_in("pool_size") == words_in("poolSize") == words_in("Pool size")


@pytest.mark.parametrize(
    ("one", "other"), [("refused", "refusing"), ("connections", "connection"), ("retries", "retried")]
)
def test_endings_do_not_tell_words_apart(one: str, other: str) -> None:
    """The forms of one word are one word."""
    assert stem(one) == stem(other)


def test_numbers_and_little_words_name_no_failure() -> None:
    """What every text has, and what no two have, is left out."""
    assert words_in("it was at 10.2.3.4 for 30000 ms") == ("ms",)


def test_the_words_of_a_text_are_those_of_its_lines() -> None:
    """However long a text and its lines are, its words are read line by line and lose nothing of their order."""
    long = "The connectionPool of worker-7 was exhausted, " * 20
    lines = ["checkout fails", long, "", "  HTTPServer refused\r", "größe \N{SNOWMAN} pool_size", "checkout fails"]
    told = "\n".join(lines * 3)

    assert words_in(told) == tuple(word for line in lines * 3 for word in words_in(line))
    assert words_in(told.replace("\n", " ")) == words_in(told)


def test_texts_are_alike_by_their_words() -> None:
    """The same words in another order are alike; no words are like nothing."""
    assert alike("connection reset by peer", "peer reset connection") == 1
    assert alike("", "") == 0


def test_a_clean_text_can_be_written_anywhere() -> None:
    """Zeros and halves of characters are gone, and the length is bounded."""
    assert clean(" a\0b\ud800c ", chars_max=10) == "a b?c"
    assert clean("x" * 100, chars_max=7) == "x" * 7


def test_levels_and_times_are_no_names() -> None:
    """Codes and chosen names are identifiers; log levels and pieces of timestamps are not."""
    text = "2026-11-16T02:03:04Z ERROR ECONNRESET pool_size=20 ORA-12519 OOMKilled 200MB CrashLoopBackOff EXCEPTION"

    assert identifiers(text) == ("ECONNRESET", "pool_size", "ORA-12519", "OOMKilled", "CrashLoopBackOff")


class TestStacks:
    """How alike two stacks are."""

    def test_the_same_stack_is_nearly_one_and_another_is_nothing(self) -> None:
        """Equal stacks align almost wholly; a stack without a shared frame does not align."""
        frames = ("read", "send", "checkout", "run", "main")

        assert align(frames, frames, EQUAL) > 0.7
        assert align(frames, ("parse", "open"), EQUAL) == 0
        assert align((), frames, EQUAL) == 0

    def test_order_counts(self) -> None:
        """The same frames in the opposite order are less alike than in the same order."""
        frames = ("a", "b", "c", "d")

        assert align(frames, frames[::-1], EQUAL) < 0.5 * align(frames, frames, EQUAL)

    def test_rare_frames_count_more(self) -> None:
        """Sharing the frame that few cases have says more than sharing the one that all have."""
        rarity = Rarity([frozenset({"rare", "common"}), *[frozenset({"common"})] * 30], {"rare", "common"})
        asked = ("rare", "common", "x")

        assert align(asked, ("rare", "y", "z"), rarity) > 2 * align(asked, ("y", "common", "z"), rarity)

    def test_what_is_near_the_failure_counts_more(self) -> None:
        """Sharing the innermost frames says more than sharing as many of the outermost."""
        inner = align(("a", "b", *"vwxyz"), ("a", "b", *"opqrs"), EQUAL)
        outer = align((*"vwxyz", "a", "b"), (*"opqrs", "a", "b"), EQUAL)

        assert inner > outer

    def test_a_piece_of_a_stack_is_found_in_the_whole(self) -> None:
        """A trace that was cut aligns with the whole one nearly as well as it does with itself."""
        frames = tuple(f"frame{number}" for number in range(12))

        assert align(frames[3:9], frames, EQUAL) > 0.6 * align(frames[3:9], frames[3:9], EQUAL)


def rarity(*having: str) -> Rarity[str]:
    """How rare words are among texts."""
    sets = [frozenset(one.split()) for one in having]
    return Rarity(sets, frozenset().union(*sets))


class TestRarity:
    """What a name is worth among the cases at hand."""

    def test_what_all_have_tells_none_apart(self) -> None:
        """A word of one case weighs more than a word of all; a word of none weighs most."""
        found = rarity("redis reset", "redis", "redis lag")

        assert found["unheard"] > found["reset"] > found["redis"] > 0

    def test_a_share_is_by_weight(self) -> None:
        """Having the rare half of what is wanted is more than half; having all of it is all."""
        found = rarity("redis reset", "redis", "redis")
        both = frozenset({"redis", "reset"})

        assert found.share(both, frozenset({"reset"})) > 0.5
        assert found.share(both, both) == 1
        assert found.share(frozenset(), both) == 0

    def test_a_little_is_doubted(self) -> None:
        """One common name in common is little, even when it is all that was asked."""
        redis = frozenset({"redis"})

        assert rarity(*["redis"] * 50).share(redis, redis, doubted=1.5) < 0.2


class TestFusion:
    """Joining the arms."""

    def test_arms_of_any_scale_count_alike(self) -> None:
        """Multiplying an arm's scores by a thousand changes nothing."""
        small = [opinions(words=score) for score in (1.0, 2.0, 5.0)]
        large = [opinions(words=score * 1000) for score in (1.0, 2.0, 5.0)]

        assert standing(small, "words") == pytest.approx(standing(large, "words"))

    def test_an_arm_that_said_nothing_moves_nothing(self) -> None:
        """A missing arm, an arm with one opinion and an arm with equal opinions all count 0."""
        assert standing([opinions(), opinions()], "meaning") == [0, 0]
        assert standing([opinions(words=3.0)], "words") == [0]
        assert standing([opinions(words=3.0), opinions(words=3.0)], "words") == [0, 0]
        assert fuse([], {"words": 1.0}) == []

    def test_what_an_arm_has_not_scored_is_at_its_worst(self) -> None:
        """A case that an arm did not reach stands where its worst one does."""
        above = standing([opinions(words=9.0), opinions(words=1.0), opinions()], "words")

        assert above[1] == above[2] < above[0]

    def test_no_case_stands_endlessly_high(self) -> None:
        """One outlier among many is bounded."""
        above = standing([opinions(words=1e9), *[opinions(words=float(at % 2)) for at in range(200)]], "words")

        assert max(above) == SPREADS_MAX


class TestLearnt:
    """What the shipped weights promise."""

    def test_every_kind_of_question_has_weights_for_arms_it_has(self) -> None:
        """Each model weighs only arms and features that exist, for every kind of question."""
        for model in shipped().models:
            assert set(model.arm_weights) == set(CueKind)
            assert set(model.rank) <= set(MEANINGS)
            assert set(model.confidence) <= set(MEANINGS)
            assert 0 < model.maybe_min < model.seen_min < 1

    def test_the_model_with_the_most_arms_that_took_part_is_used(self) -> None:
        """Without a model pack the weights that were learnt without it are used."""
        learnt = shipped()

        assert learnt.model_for(("words", "meaning", "keys", "tokens")) is learnt.models[0]
        assert set(learnt.model_for(("words", "keys")).arms) <= {"words", "keys"}
        assert learnt.model_for(()) is learnt.models[-1]

    @pytest.mark.parametrize(
        "feature", ["fingerprint", "trace", "message", "identifiers", "words", "meaning", "tokens"]
    )
    def test_more_likeness_is_never_less_confidence(self, feature: str) -> None:
        """No weight of what speaks for a match is negative."""
        for model in shipped().models:
            assert model.confidence.get(feature, 0.0) >= 0

    def test_what_speaks_against_a_match_never_speaks_for_it(self) -> None:
        """Other exceptions and other components never raise a confidence."""
        for model in shipped().models:
            assert model.confidence.get("exception_other", 0.0) <= 0
            assert model.confidence.get("component_other", 0.0) <= 0

    def test_levels_rise_and_end_in_seen_before(self) -> None:
        """A higher estimate is never worth less, and exactly the last level may be called seen before."""
        for model in shipped().models:
            confidences = [level.confidence for level in model.levels]

            assert confidences == sorted(set(confidences))
            assert model.levels[0].estimate_min == 0
            assert confidences[-2] < model.seen_min < confidences[-1]


def test_an_estimate_is_worth_what_its_level_was() -> None:
    """From its beginning on a level counts; without levels an estimate is taken at its word."""
    levels = (Level(0.0, 0.1), Level(0.5, 0.7))

    assert [rank.levelled(estimate, levels) for estimate in (0.0, 0.49, 0.5, 1.0)] == [0.1, 0.1, 0.7, 0.7]
    assert rank.levelled(0.42, ()) == 0.42


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("raised the pool size to 200", "bumped the redis pool size", True),
        ("raised the pool size to 200", "lowered the pool size to 20", False),
        ("…", "???", False),
        ("再起動", "再起動", True),
    ],
)
def test_deeds_that_cannot_be_read_are_the_same_only_to_the_letter(one: str, other: str, same: bool) -> None:
    """Two texts without a readable word are not the same action for lack of a difference."""
    assert same_deed(one, other) is same


def test_nothing_is_certain() -> None:
    """However strong the evidence, confidence stays within what may be claimed."""
    assert rank.probability(1e9) == rank.CONFIDENCE_MAX
    assert rank.probability(-1e9) == rank.CONFIDENCE_MIN
    assert not math.isnan(rank.raised(1.0, 3.0))


def test_the_levels_of_familiarity_meet_at_their_gates() -> None:
    """At a gate the stronger word is used, below it the weaker one."""
    model = shipped().models[0]

    assert rank.familiarity(model.seen_min, model) is Familiarity.SEEN
    assert rank.familiarity(model.seen_min - 1e-6, model) is Familiarity.MAYBE
    assert rank.familiarity(model.maybe_min - 1e-6, model) is Familiarity.NEW
