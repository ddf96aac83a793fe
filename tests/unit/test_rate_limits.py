"""How many requests one caller may make, with time as an argument."""

from __future__ import annotations

import pytest

from hindcast.rest.limits import Buckets, TooOften


def test_a_minutes_worth_may_come_at_once() -> None:
    """A full bucket lets a minute's requests through at once, and then no more."""
    buckets = Buckets(60)
    left = [buckets.take("ana", now_seconds=0.0) for _ in range(60)]

    assert [one.remaining for one in left if one is not None][-1] == 0
    with pytest.raises(TooOften) as refused:
        buckets.take("ana", now_seconds=0.0)
    assert refused.value.retry_after_seconds == 1


def test_a_bucket_fills_up_steadily() -> None:
    """Half a minute later half a minute's requests may come."""
    buckets = Buckets(60)
    for _ in range(60):
        buckets.take("ana", now_seconds=0.0)

    for _ in range(30):
        buckets.take("ana", now_seconds=30.0)
    with pytest.raises(TooOften):
        buckets.take("ana", now_seconds=30.0)


def test_waiting_as_long_as_told_is_long_enough() -> None:
    """Who waits as long as the refusal says is served."""
    buckets = Buckets(7)
    for _ in range(7):
        buckets.take("ana", now_seconds=0.0)
    with pytest.raises(TooOften) as refused:
        buckets.take("ana", now_seconds=1.0)

    assert buckets.take("ana", now_seconds=1.0 + refused.value.retry_after_seconds) is not None


def test_being_refused_costs_nothing_more() -> None:
    """A caller that keeps asking while refused is served no later than one that waited."""
    buckets = Buckets(60)
    for _ in range(60):
        buckets.take("ana", now_seconds=0.0)
    for _ in range(100):
        with pytest.raises(TooOften):
            buckets.take("ana", now_seconds=0.5)

    assert buckets.take("ana", now_seconds=1.5) is not None


def test_callers_do_not_share_a_bucket() -> None:
    """What one caller has used up is nobody else's loss."""
    buckets = Buckets(1)
    buckets.take("ana", now_seconds=0.0)

    assert buckets.take("bo", now_seconds=0.0) is not None


def test_a_clock_that_goes_back_gives_nothing_away() -> None:
    """Time that runs backwards fills no bucket and empties none."""
    buckets = Buckets(2)
    buckets.take("ana", now_seconds=100.0)
    buckets.take("ana", now_seconds=50.0)

    with pytest.raises(TooOften):
        buckets.take("ana", now_seconds=50.0)


def test_the_number_of_buckets_is_bounded() -> None:
    """However many callers come, only the latest are remembered, and one that keeps coming stays among them."""
    buckets = Buckets(20, buckets_max=100)
    for number in range(1_000):
        buckets.take(f"caller {number}", now_seconds=0.0)
        if number % 50 == 0:
            buckets.take("busy", now_seconds=0.0)

    assert len(buckets) == 100
    with pytest.raises(TooOften):
        buckets.take("busy", now_seconds=0.0)


def test_no_limit_means_none() -> None:
    """With a limit of 0 nobody is refused and nothing is remembered."""
    buckets = Buckets(0)

    assert [buckets.take("ana", now_seconds=0.0) for _ in range(1_000)] == [None] * 1_000
    assert len(buckets) == 0
