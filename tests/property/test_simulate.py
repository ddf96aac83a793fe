"""Laws of the simulated world that hold for any seed, any rate, any scenario and any moment."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import numpy as np
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from hindcast.simulate import NAMES, SCENARIOS, World, burst, scenario, truth
from hindcast.simulate.chance import SEED_MAX
from hindcast.simulate.otlp import exports

START = datetime(2026, 3, 3, 14, 0, tzinfo=UTC)

seeds = st.integers(0, SEED_MAX)
names = st.sampled_from(sorted(SCENARIOS))
rates_per_s = st.floats(0.5, 400)
moments = st.integers(-3_000_000, 3_000_000).map(lambda seconds: START + timedelta(seconds=seconds))


@given(seeds, names, rates_per_s, st.integers(0, 700), st.integers(1, 4))
@settings(max_examples=25)
def test_a_step_is_the_sum_of_its_seconds(seed: int, name: str, rate_per_s: float, after: int, seconds: int) -> None:
    """However a stretch is cut into steps, the same lines, spans and gauges come, in bytes too."""
    at = START + timedelta(seconds=after)
    whole = World(seed, [name], rate_per_s=rate_per_s, starts_at=START).step(at, seconds)
    other = World(seed, [name], rate_per_s=rate_per_s, starts_at=START)
    parts = [other.step(at + timedelta(seconds=second)) for second in range(seconds)]

    assert whole.lines == tuple(line for part in parts for line in part.lines)
    assert whole.spans == tuple(span for part in parts for span in part.spans)
    assert whole.gauges == tuple(value for part in parts for value in part.gauges)
    assert whole.changes == tuple(change for part in parts for change in part.changes)
    again = World(seed, [name], rate_per_s=rate_per_s, starts_at=START).step(at, seconds)
    assert list(exports(whole)) == list(exports(again))


@given(seeds, names, rates_per_s, moments)
@settings(max_examples=25)
def test_counts_are_the_lines(seed: int, name: str, rate_per_s: float, at: datetime) -> None:
    """At any moment of any year the counts say exactly how many lines each service writes."""
    world = World(seed, [name], rate_per_s=rate_per_s, starts_at=START)
    counted = world.counts(at, at + timedelta(seconds=2)).sum(axis=(0, 2))
    written = world.step(at, 2).lines

    assert counted.tolist() == [sum(line.service == service for line in written) for service in NAMES]


@given(seeds, names, moments)
@settings(max_examples=40)
def test_a_scenario_leaves_the_rest_of_time_alone(seed: int, name: str, at: datetime) -> None:
    """Outside its time a scenario that has an end changes not a single count."""
    one = scenario(name)
    after = (at - START).total_seconds()
    assume(not one.always and (after + 60 < 0 or after >= one.over_after_seconds))
    until = at + timedelta(seconds=60)
    with_it = World(seed, [name], starts_at=START).counts(at, until)

    assert np.array_equal(with_it, World(seed, starts_at=START).counts(at, until))


@given(seeds, names, st.sampled_from(NAMES), st.integers(1, 300))
@settings(max_examples=40)
def test_a_burst_has_the_size_that_was_asked_for(seed: int, name: str, service: str, errors: int) -> None:
    """Any number of errors of any service is that number, each with words, and the same ones again."""
    moment = burst(scenario(name), service, errors, at=START, seed=seed)

    assert len(moment.lines) == errors
    assert all(line.message and line.service == service for line in moment.lines)
    assert moment == burst(scenario(name), service, errors, at=START, seed=seed)


@given(names, st.integers(-100, 1_000))
def test_pressure_comes_before_failure(name: str, after: int) -> None:
    """At no moment does a service fail before pressure is there, and both stay between 0 and 1."""
    one = scenario(name)
    at = np.array([after], np.float64)
    pressure = float(one.pressure(at)[0])

    assert 0 <= pressure <= 1
    for fault in one.faults:
        failure = float(one.failure(fault, at)[0])
        assert 0 <= failure <= 1
        assert failure == 0 or one.always or after >= truth(one).starts_after_seconds
