"""Measures of recall, on questions whose numbers can be counted by hand."""

from __future__ import annotations

import pytest

from hindcast.model.verdict import Reliability
from hindcast.recall.evaluate import Judged, calibration_error, measure
from hindcast.recall.reliability import level_of, reliability_of, tabulate


def judged(ranked: str, relevant: str, *, confidence: float = 0.95, seen: bool = True) -> Judged:
    """A question whose cases have names of one letter."""
    return Judged("q", tuple(ranked), confidence, seen, frozenset(relevant))


def test_places_are_counted_over_questions_that_have_a_match() -> None:
    """Questions without a true match do not count for recall."""
    found = measure([judged("ab", "a"), judged("bacd", "a"), judged("xyz", "a", seen=False), judged("abc", "")])

    assert found.r1 == pytest.approx(1 / 3)
    assert found.r5 == pytest.approx(2 / 3)
    assert found.mrr == pytest.approx((1 + 1 / 2) / 3)
    assert (found.asked, found.matched) == (4, 3)


def test_recall_looks_as_deep_as_it_says() -> None:
    """A match in the sixth place is within ten and not within five."""
    found = measure([judged("bcdefa", "a")])

    assert (found.r1, found.r5, found.r10) == (0, 0, 1)


def test_false_recall_has_two_ways() -> None:
    """Seen before although nothing is, and seen before with the wrong one: both are false; abstaining is not."""
    found = measure(
        [
            judged("a", ""),
            judged("ba", "a"),
            judged("a", "a"),
            judged("b", "", seen=False),
            judged("b", "a", seen=False),
        ]
    )

    assert found.false_recall == pytest.approx(2 / 5)
    assert found.wrong_of_seen == pytest.approx(2 / 3)
    assert found.seen_of_new == pytest.approx(1 / 2)
    assert found.answered == pytest.approx(3 / 5)
    assert found.found == pytest.approx(1 / 3)


def test_confidence_that_means_what_it_says_has_no_error() -> None:
    """Three of four right at .75 is exact; the same at .95 is off by .2."""
    outcomes = [True, True, True, False]

    assert calibration_error([(0.75, right) for right in outcomes]) == pytest.approx(0)
    assert calibration_error([(0.95, right) for right in outcomes]) == pytest.approx(0.2)


def test_nothing_asked_is_nothing_measured() -> None:
    """Without questions every share is 0, and nothing fails."""
    found = measure([])

    assert (found.r1, found.false_recall, found.ece, found.asked) == (0, 0, 0, 0)


def test_a_table_of_levels_counts_every_answer_once() -> None:
    """Confidence 1 belongs to the last level, and every level is there."""
    table = tabulate([(1.0, True), (0.95, False), (0.0, False), (0.1, True)])

    assert len(table) == 10
    assert table[-1] == Reliability(0.9, 1.0, 2, 1)
    assert sum(level.asked for level in table) == 4
    assert level_of(1.0, table) == table[-1]
    assert level_of(0.1, table) == table[1]


def test_few_answers_are_no_measurement() -> None:
    """A level with too few answers of the team falls back to the shipped one, and with neither nobody knows."""
    few, many = (Reliability(0.0, 1.0, 2, 2),), (Reliability(0.0, 1.0, 50, 44),)

    assert reliability_of(0.9, few, many) == many[0]
    assert reliability_of(0.9, few, ()) is None
