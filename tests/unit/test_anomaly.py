"""Gauges over hours: what is told, when, and how often."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta

import numpy as np
import pyarrow as pa
import pytest

from hindcast.detect.anomaly import Anomalies, AnomalyRules
from hindcast.model.errors import Malformed
from hindcast.model.finding import Finding, Rule

START = datetime(2026, 3, 2, tzinfo=UTC)
Gauges = Mapping[tuple[str, str], float]


def table(minute: int, values: Gauges, *, space: str = "acme") -> pa.Table:
    """The gauges of one minute, by service and name."""
    step = START + timedelta(minutes=minute)
    return pa.table(
        {
            "space": pa.array([space] * len(values), pa.string()),
            "service": pa.array([service for service, _ in values], pa.string()),
            "name": pa.array([name for _, name in values], pa.string()),
            "step": pa.array([step] * len(values), pa.timestamp("s", tz="UTC")),
            "value": pa.array(list(values.values()), pa.float64()),
        }
    )


def stored(minutes: range, gauge: Callable[[int], float]) -> pa.Table:
    """Many minutes of one gauge, as the store hands them over after a restart."""
    return pa.table(
        {
            "space": pa.array(["acme"] * len(minutes), pa.string()),
            "service": pa.array(["payment"] * len(minutes), pa.string()),
            "name": pa.array(["cpu"] * len(minutes), pa.string()),
            "step": pa.array([START + timedelta(minutes=minute) for minute in minutes], pa.timestamp("s", tz="UTC")),
            "value": pa.array([gauge(minute) for minute in minutes], pa.float64()),
        }
    )


def after(minute: int) -> datetime:
    """The moment at which a minute is complete."""
    return START + timedelta(minutes=minute + 1)


def live(
    anomalies: Anomalies, minutes: range, gauge: Callable[[int], float], *, service: str = "payment"
) -> list[tuple[int, Finding]]:
    """One gauge, minute by minute; what was told at which minute."""
    told = []
    for minute in minutes:
        values = {(service, "cpu"): gauge(minute)}
        told += [(minute, finding) for finding in anomalies.tick(table(minute, values), now=after(minute))]
    return told


def calm(minute: int) -> float:
    """A gauge around 40 with a little noise that never repeats."""
    return 40 + 2 * math.sin(minute * 1.7) + math.sin(minute * 0.31)


def test_a_gauge_that_leaves_its_usual_range_is_one_finding_with_an_end() -> None:
    """Five minutes at twice the usual are told from the first, retold while they last, and told once more as over."""
    anomalies = Anomalies()
    told = live(anomalies, range(600), lambda minute: 95.0 if 500 <= minute < 505 else calm(minute))

    assert {finding.onset_at for _, finding in told} == {START + timedelta(minutes=500)}
    first, last = told[0], told[-1]
    assert first[0] <= 502
    assert first[1].rule is Rule.METRIC
    assert (first[1].space, first[1].service, first[1].metric) == ("acme", "payment", "cpu")
    assert first[1].expected == pytest.approx(40, abs=2)
    assert first[1].ended_at is None
    assert last[1].ended_at is not None
    assert [finding.ended_at is None for _, finding in told[:-1]] == [True] * (len(told) - 1)
    assert last[0] < 600 - 1


def test_a_calm_gauge_is_never_mentioned() -> None:
    """A day of noise gives no finding."""
    assert live(Anomalies(), range(1440), calm) == []


def test_a_constant_gauge_that_moves_a_hair_is_not_mentioned() -> None:
    """A change below a thousandth of its size is nothing, however constant a gauge was."""
    assert live(Anomalies(), range(600), lambda minute: 500.0 if minute < 300 else 500.2) == []


def test_a_constant_gauge_that_jumps_is_told_at_once() -> None:
    """A pool that always had 20 connections and now has none needs no second look."""
    told = live(Anomalies(), range(320), lambda minute: 20.0 if minute < 300 else 0.0)

    assert told[0][0] == 300
    assert told[0][1].value == 0.0


def test_a_flat_line_is_told() -> None:
    """A gauge that always moved and is stuck now is a finding, though its value is an ordinary one."""
    told = live(Anomalies(), range(900), lambda minute: calm(minute) if minute < 600 else calm(599))

    assert told
    assert "gone flat" in told[0][1].why


def test_a_new_level_becomes_usual() -> None:
    """A gauge that moves to another level is told of, after half a day no longer, nor again a day after the move."""
    anomalies = Anomalies()
    anomalies.learn(stored(range(1000), calm), now=after(999))
    told = live(anomalies, range(1000, 2600), lambda minute: calm(minute) + 40)

    assert told[0][0] <= 1002
    assert told[-1][0] < 1000 + 721
    assert told[-1][1].ended_at is not None


def test_a_nightly_batch_is_news_only_at_noon() -> None:
    """After a week of nights with a batch, the next night is not told of; the same batch at noon is."""

    def nightly(minute: int) -> float:
        return calm(minute) + (30 if 120 <= minute % 1440 < 150 else 0)

    anomalies = Anomalies()
    week = 7 * 1440
    anomalies.learn(stored(range(week), nightly), now=after(week - 1))

    assert live(anomalies, range(week, week + 700), nightly) == []
    assert live(
        anomalies, range(week + 700, week + 760), lambda minute: calm(minute) + (30 if minute > week + 720 else 0)
    )


def test_reading_the_same_steps_again_changes_nothing() -> None:
    """Ticks that hand over the last five minutes each time tell the same as ticks that hand over one."""
    once, again = Anomalies(), Anomalies()
    values = [calm(minute) if minute < 200 or minute > 206 else 90.0 for minute in range(240)]
    single, overlapping = [], []
    for minute in range(240):
        single.append(once.tick(table(minute, {("payment", "cpu"): values[minute]}), now=after(minute)))
        several = [table(back, {("payment", "cpu"): values[back]}) for back in range(max(0, minute - 4), minute + 1)]
        overlapping.append(again.tick(pa.concat_tables(several), now=after(minute)))

    assert single == overlapping
    assert any(single)


def test_a_step_that_is_not_over_is_not_judged() -> None:
    """Half a minute's mean says nothing: the step waits until it is complete."""
    anomalies = Anomalies()
    live(anomalies, range(300), lambda _: 20.0)
    half = table(300, {("payment", "cpu"): 0.0})

    assert anomalies.tick(half, now=START + timedelta(minutes=300, seconds=30)) == ()
    assert len(anomalies.tick(half, now=after(300))) == 1


def test_gaps_and_values_that_are_no_numbers_are_passed_over() -> None:
    """An hour without points, and points that are not finite, neither alarm nor teach."""
    anomalies = Anomalies()
    told = live(anomalies, range(400), calm)
    told += live(anomalies, range(460, 500), lambda _: math.nan)
    told += live(anomalies, range(500, 600), calm)

    assert told == []


def test_values_at_the_edge_of_floats_do_no_harm() -> None:
    """A gauge that reports 1e308 once is a finding, not a crash, and its neighbours are judged as ever."""
    anomalies = Anomalies()
    for minute in range(300):
        values = {("a", "x"): calm(minute), ("b", "x"): 1e308 if minute == 250 else 1.0}
        told = anomalies.tick(table(minute, values), now=after(minute))
        assert all(math.isfinite(finding.surprise) and math.isfinite(finding.value) for finding in told)
        assert all(finding.service == "b" for finding in told)


def test_a_gauge_that_falls_silent_in_an_episode_ends_it() -> None:
    """No more points, no more tellings: silence itself is another rule's business."""
    anomalies = Anomalies()
    live(anomalies, range(300), lambda minute: 20.0 if minute < 299 else 0.0)
    nothing = table(0, {})
    told = [anomalies.tick(nothing, now=after(minute)) for minute in range(300, 320)]

    endings = [finding for some in told for finding in some if finding.ended_at is not None]
    assert len(endings) == 1
    assert told[-1] == ()


def test_spaces_do_not_see_each_other() -> None:
    """The same service and gauge in two spaces are two series."""
    anomalies = Anomalies()
    for minute in range(300):
        ours = table(minute, {("payment", "cpu"): 20.0 if minute < 299 else 0.0}, space="ours")
        theirs = table(minute, {("payment", "cpu"): 20.0}, space="theirs")
        told = anomalies.tick(pa.concat_tables([ours, theirs]), now=after(minute))

    assert [finding.space for finding in told] == ["ours"]
    assert anomalies.breadth("ours") > anomalies.breadth("theirs")


def test_breadth_grows_when_many_gauges_move_a_little() -> None:
    """A step of a few spreads in every gauge stands out in the mean, though no gauge alone is told of at once."""
    anomalies = Anomalies()
    rng = np.random.default_rng(3)
    breadths = []
    for minute in range(300):
        lift = 3.0 if minute == 299 else 0.0
        values = {(f"s{number}", "x"): 10 + float(rng.standard_normal()) + lift for number in range(40)}
        told = anomalies.tick(table(minute, values), now=after(minute))
        breadths.append(anomalies.breadth("acme"))

    assert told == ()
    assert breadths[-1] > 2 * max(breadths[200:-1])


def test_more_series_than_allowed_are_counted_not_watched() -> None:
    """The limit holds, the series that are known go on, and the loss is visible."""
    anomalies = Anomalies(AnomalyRules(series_max=100))
    many = {(f"s{number}", "x"): 1.0 for number in range(130)}
    anomalies.tick(table(0, many), now=after(0))

    assert anomalies.watched == 100
    assert anomalies.refused == 30


def test_series_that_are_gone_make_room() -> None:
    """After eight days without a point a series is forgotten when space is short, and a new one starts from nothing."""
    anomalies = Anomalies(AnomalyRules(series_max=100))
    for minute in range(30):
        anomalies.tick(table(minute, {(f"old{number}", "x"): 5.0 for number in range(100)}), now=after(minute))
    later = 9 * 1440
    anomalies.tick(table(later, {}), now=after(later))
    told = anomalies.tick(table(later, {(f"new{number}", "x"): 900.0 for number in range(100)}), now=after(later))

    assert anomalies.watched == 100
    assert anomalies.refused == 0
    assert told == ()


def test_learning_after_a_restart_gives_the_state_back() -> None:
    """Stored gauges handed over at once teach what ticks taught, and tell nothing."""
    lived, restarted = Anomalies(), Anomalies()
    live(lived, range(300), calm)
    restarted.learn(stored(range(300), calm), now=after(299))
    odd = table(300, {("payment", "cpu"): 400.0})

    assert lived.tick(odd, now=after(300)) == restarted.tick(odd, now=after(300)) != ()


def test_a_table_without_a_column_is_refused_by_name() -> None:
    """The error names what is missing."""
    with pytest.raises(Malformed, match="value"):
        Anomalies().tick(table(0, {}).drop_columns(["value"]), now=after(0))


def test_a_moment_without_a_timezone_is_refused() -> None:
    """`now` has to say in which timezone it is."""
    with pytest.raises(Malformed, match="timezone"):
        Anomalies().tick(table(0, {}), now=datetime(2026, 3, 2))  # noqa: DTZ001


@pytest.mark.parametrize(
    ("field", "rules"),
    [
        ("hold_points", {"hold_points": 0}),
        ("step_seconds", {"step_seconds": 0}),
        ("distance_min", {"distance_min": 50.0}),
        ("distance_min", {"quiet_distance_max": 0.0}),
    ],
)
def test_rules_that_cannot_be_meant_are_refused(field: str, rules: dict[str, float]) -> None:
    """Each names the field that is wrong."""
    with pytest.raises(Malformed) as refused:
        AnomalyRules(**rules)  # type: ignore[arg-type]

    assert refused.value.field == field
