"""Learning confidence over HTTP: counted when somebody asks, kept for a while, and honest where there is too little."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest
from tests.resting import Resting, resting

from hindcast.adapters.clock import ManualClock
from hindcast.model.case import Case, CaseState, Cause, Clues, Resolution
from hindcast.rest.learning import KEPT_MAX

NOW = datetime(2026, 11, 15, 2, 3, tzinfo=UTC)
CLOCK = ManualClock(NOW)


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Resting]:
    """A Hindcast that knows five failures, each seen twice, and another that knows nothing."""
    with resting(tmp_path_factory.mktemp("learning"), clock=CLOCK) as made:
        made.remember("local", *(_case(n, days_ago=age) for n in range(5) for age in (100 + n, 10 + n)))
        yield made


def _case(failure: int, *, days_ago: int) -> Case:
    trace = f'Traceback (most recent call last):\n  File "a{failure}.py", line 1, in f{failure}\nE{failure}Error: x'
    return Case(
        f"c{failure}-{days_ago}",
        f"E{failure}Error in service {failure}",
        NOW - timedelta(days=days_ago),
        state=CaseState.RESOLVED,
        stack=trace,
        clues=Clues(fingerprints=(1_000 + failure,), exceptions=(f"E{failure}Error",), frames=(f"f{failure}",)),
        cause=Cause("because"),
        resolution=Resolution("fixed"),
    )


def test_the_shares_are_told_with_what_they_were_counted_from(here: Resting) -> None:
    """Whoever reads the number can count it again: three shares, and how often each level of confidence was right."""
    told = here.get("/api/v1/learning", "local")

    assert told["coverage"] == {"part": 5, "whole": 5}
    assert told["completeness"] == {"part": 10, "whole": 10}
    assert told["accuracy"]["whole"] == 5
    assert told["confidence"] == pytest.approx(told["accuracy"]["part"] / 5)
    assert sum(level["asked"] for level in told["reliability"]) <= 5
    assert told["missing"] == []


def test_a_count_is_kept_for_a_while(here: Resting) -> None:
    """Asking again costs nothing: the same count is told, with its time, until it is old."""
    first = here.get("/api/v1/learning", "local")
    CLOCK.move(KEPT_MAX / 2)
    assert here.get("/api/v1/learning", "local") == first

    CLOCK.move(KEPT_MAX)
    assert here.get("/api/v1/learning", "local")["counted_at"] > first["counted_at"]


def test_a_space_without_memory_has_no_number(here: Resting) -> None:
    """Where nothing was ever written there is no number, it says why, and asking begins no memory."""
    told = here.get("/api/v1/learning", "nobody")

    assert told["confidence"] is None
    assert told["missing"]
    assert here.running.register.existing("nobody") is None
