"""Counted errors tell what came of an attempt, or say why they do not."""

from __future__ import annotations

import random
from datetime import UTC, datetime

import pytest

from hindcast.learn.outcome import Measured, outcome_of
from hindcast.model.case import Outcome, Witness
from hindcast.model.errors import Malformed

AT = datetime(2026, 11, 15, 2, 3, tzinfo=UTC)


def measured(before: list[int], after: list[int]) -> Measured:
    """What one-minute buckets say."""
    return outcome_of(before, after, bucket_seconds=60, action="rolled back checkout", at=AT)


def test_a_fall_to_almost_nothing_is_a_cure() -> None:
    """Errors that stop after the attempt make it one that worked, and the numbers are the evidence."""
    found = measured([2400, 2500, 2450, 2510, 2490], [1200, 30, 10, 5, 0, 3])

    assert found.outcome is Outcome.WORKED
    assert found.confidence >= 0.9
    assert found.evidence.witness is Witness.TELEMETRY
    assert found.evidence.quote == "errors fell from 41.2 to 0.2 a second within 2 minutes after rolled back checkout"
    assert found.evidence.at == AT


def test_a_rise_is_harm() -> None:
    """Errors that double after the attempt make it one that did harm."""
    found = measured([100, 110, 95, 105, 98], [160, 250, 240, 260, 255])

    assert found.outcome is Outcome.MADE_WORSE
    assert "rose from 1.7 to 4.2 a second" in found.evidence.quote


def test_errors_that_go_on_are_no_effect() -> None:
    """A rate that stays where it was says that nothing changed."""
    assert measured([100, 110, 95, 105, 98], [101, 99, 108, 95, 102]).outcome is Outcome.NO_EFFECT


def test_a_fall_that_had_begun_before_is_nobodys_merit() -> None:
    """Errors that were falling already say nothing about the attempt."""
    found = measured([1000, 820, 610, 430, 220], [100, 40, 10, 0, 0])

    assert found.outcome is Outcome.UNKNOWN
    assert "falling before" in found.evidence.quote


def test_a_rise_that_had_begun_before_is_nobodys_fault() -> None:
    """Errors that were rising already say nothing against the attempt."""
    assert measured([100, 200, 300, 400, 500], [600, 700, 800, 900, 1000]).outcome is Outcome.UNKNOWN


def test_relief_that_does_not_last_is_no_effect() -> None:
    """Errors that stop and come back were not cured."""
    assert measured([500] * 6, [100, 2, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 450, 480, 500]).outcome is Outcome.NO_EFFECT


@pytest.mark.parametrize(
    ("before", "after", "reason"),
    [
        ([], [], "too little was measured"),
        ([50, 60], [0, 0, 0, 0], "too little was measured"),
        ([50, 60, 55], [0, 0], "too little was measured"),
        ([0, 1, 0, 1], [0, 0, 1, 0, 0], "hardly any errors"),
    ],
)
def test_too_little_data_says_so(before: list[int], after: list[int], reason: str) -> None:
    """Where the numbers cannot carry an answer there is none, with the reason."""
    found = measured(before, after)

    assert found.outcome is Outcome.UNKNOWN
    assert reason in found.evidence.quote


def test_bursts_do_not_look_like_an_outcome() -> None:
    """Counts that scatter widely need a larger difference: noise alone is seldom called harm or cure."""
    chance = random.Random(7)
    called = 0
    for _ in range(300):
        counts = [int(chance.expovariate(1 / 40)) for _ in range(18)]
        called += measured(counts[:8], counts[8:]).outcome in (Outcome.WORKED, Outcome.MADE_WORSE)

    assert called <= 6


def test_the_first_minute_after_is_not_counted() -> None:
    """What happens while a change takes hold is neither its merit nor its fault."""
    assert measured([500] * 5, [900, 2, 1, 0, 0]).outcome is Outcome.WORKED


@pytest.mark.parametrize(("before", "seconds", "field"), [([-1, 2, 3], 60, "before"), ([1, 2, 3], 0, "bucket_seconds")])
def test_counts_that_are_none_are_refused(before: list[int], seconds: int, field: str) -> None:
    """Nonsense is named, not computed with."""
    with pytest.raises(Malformed) as caught:
        outcome_of(before, [1, 2, 3], bucket_seconds=seconds)
    assert caught.value.field == field
