"""Laws of watching series: whatever comes in, and in whatever company."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

import numpy as np
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st

from hindcast.detect.anomaly import Anomalies
from hindcast.detect.series.bank import Bank
from hindcast.detect.series.news import News
from hindcast.detect.series.score import score_of
from hindcast.detect.series.watcher import Watcher

START = datetime(2026, 3, 2, tzinfo=UTC)
FIRST = int(START.timestamp())

anything = st.floats(allow_nan=True, allow_infinity=True)
measured = st.floats(min_value=-1e6, max_value=1e6).map(lambda value: round(value, 3))
series = st.lists(measured, min_size=30, max_size=60)


def table(points: list[tuple[str, int, float]]) -> pa.Table:
    """Gauges by name, minute and value."""
    steps = [START + timedelta(minutes=minute) for _, minute, _ in points]
    return pa.table(
        {
            "space": pa.array(["acme"] * len(points), pa.string()),
            "service": pa.array(["payment"] * len(points), pa.string()),
            "name": pa.array([name for name, _, _ in points], pa.string()),
            "step": pa.array(steps, pa.timestamp("s", tz="UTC")),
            "value": pa.array([value for _, _, value in points], pa.float64()),
        }
    )


@given(st.lists(anything, max_size=60))
@settings(deadline=None, max_examples=60)
def test_no_value_breaks_a_watcher(values: list[float]) -> None:
    """Every score lies between 0 and 1 and every surprise is finite, whatever the values are."""
    watcher = Watcher()
    for number, value in enumerate(values):
        score = watcher.score(START + timedelta(minutes=number), value)
        assert 0.0 <= score.value <= 1.0
        assert math.isfinite(score.surprise)


@given(st.lists(series, min_size=2, max_size=4))
@settings(deadline=None, max_examples=40)
def test_a_series_is_judged_the_same_in_any_company(many: list[list[float]]) -> None:
    """Side by side in one bank, each series gets the scores that a watcher of its own gives it."""
    length = min(len(one) for one in many)
    bank, news = Bank(size=len(many)), News(size=len(many))
    watchers = [Watcher() for _ in many]
    rows = np.arange(len(many))
    for point in range(length):
        seconds = np.full(len(many), FIRST + 60 * point)
        values = np.array([one[point] for one in many])
        together = score_of(news.weigh(rows, bank.judge(rows, seconds, values).distance)[1])
        alone = [
            watcher.score(START + timedelta(minutes=point), one[point]).value
            for watcher, one in zip(watchers, many, strict=True)
        ]
        assert together.tolist() == alone


@given(series, st.sampled_from([0.25, 2.0, 1024.0]))
@settings(deadline=None, max_examples=40)
def test_the_unit_does_not_matter(values: list[float], factor: float) -> None:
    """Bytes or kilobytes: the same series in another unit is as far from itself."""
    lifted = [value + 2e6 for value in values]
    row = np.zeros(1, dtype=np.intp)
    one, other = Bank(size=1), Bank(size=1)
    for point, value in enumerate(lifted):
        seconds = np.array([FIRST + 60 * point])
        distance = one.judge(row, seconds, np.array([value])).distance[0]
        scaled = other.judge(row, seconds, np.array([factor * value])).distance[0]
        assert math.isclose(distance, scaled, rel_tol=1e-6, abs_tol=1e-6)


@given(st.lists(series, min_size=1, max_size=3), st.randoms(use_true_random=False), st.integers(1, 7))
@settings(deadline=None, max_examples=15)
def test_how_steps_are_handed_over_does_not_matter(many: list[list[float]], random: object, width: int) -> None:
    """Shuffled rows, and minutes read several times, tell at each tick what single minutes in order tell."""
    points = [(f"g{number}", minute, value) for number, one in enumerate(many) for minute, value in enumerate(one)]
    plain, other = Anomalies(), Anomalies()
    for minute in range(max(len(one) for one in many)):
        now = START + timedelta(minutes=minute + 1)
        wide = [point for point in points if minute - width < point[1] <= minute]
        random.shuffle(wide)  # type: ignore[attr-defined]
        single = [point for point in points if point[1] == minute]
        assert sorted(map(repr, plain.tick(table(single), now=now))) == sorted(
            map(repr, other.tick(table(wide), now=now))
        )
