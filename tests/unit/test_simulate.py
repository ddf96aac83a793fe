"""The simulated world: how it sounds on an ordinary day, and that it repeats itself exactly."""

from __future__ import annotations

from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

import numpy as np
import pytest

from hindcast.model.columns import RATE
from hindcast.model.errors import Malformed, Missing
from hindcast.model.signal import Level
from hindcast.simulate import MICROSERVICES, NAMES, SCENARIOS, Moment, World
from hindcast.simulate.counts import LEVELS
from hindcast.simulate.failures import FAILURES, WORRIES
from hindcast.simulate.gauges import KINDS
from hindcast.simulate.lines import LINES
from hindcast.simulate.scenario import Way
from hindcast.simulate.topology import ROUTES, Call, Voice
from hindcast.simulate.words import template

TUESDAY = datetime(2026, 3, 3, 14, 0, tzinfo=UTC)
ERROR = LEVELS.index(Level.ERROR)


def world(*scenarios: str, seed: int = 7, rate_per_s: float = 200.0) -> World:
    """A world whose scenarios begin on a Tuesday afternoon."""
    return World(seed, scenarios, rate_per_s=rate_per_s, starts_at=TUESDAY)


@pytest.fixture(scope="module")
def ordinary() -> Moment:
    """Two minutes of an ordinary day."""
    return world().step(TUESDAY, 120)


@pytest.mark.parametrize("seed", [1, 7, 99])
def test_levels_have_their_shares(seed: int) -> None:
    """Over a day 85 % of lines are INFO, 14 % DEBUG, 0.5 % errors and the rest WARN."""
    counts = world(seed=seed).counts(TUESDAY, TUESDAY + timedelta(days=1)).sum(axis=(0, 1))

    shares = dict(zip(LEVELS, (counts / counts.sum()).tolist(), strict=True))
    assert shares[Level.INFO] == pytest.approx(0.85, abs=0.002)
    assert shares[Level.DEBUG] == pytest.approx(0.14, abs=0.002)
    assert shares[Level.ERROR] + shares[Level.FATAL] == pytest.approx(0.005, abs=0.0003)
    assert shares[Level.WARN] == pytest.approx(0.005, abs=0.0003)


def test_the_rate_is_the_mean_of_a_week() -> None:
    """A world of 50 lines a second writes that many on average over a week, days and nights together."""
    counts = world(rate_per_s=50).counts(TUESDAY, TUESDAY + timedelta(days=7))

    assert counts.sum() / (7 * 86_400) == pytest.approx(50, rel=0.02)


def test_nights_and_weekends_are_quieter() -> None:
    """The afternoon is busier than the night, and a Tuesday busier than a Sunday."""
    hour = timedelta(hours=1)
    sunday = TUESDAY - timedelta(days=2)

    def lines(at: datetime) -> int:
        return int(world().counts(at, at + hour).sum())

    assert lines(TUESDAY) > 1.5 * lines(TUESDAY - timedelta(hours=12))
    assert lines(TUESDAY) > 1.2 * lines(sunday)


def test_the_same_seed_says_the_same() -> None:
    """Two worlds of one seed agree on every word, and worlds of two seeds do not."""
    first, again, other = world("slow-database"), world("slow-database"), world("slow-database", seed=8)

    assert first.step(TUESDAY, 5) == again.step(TUESDAY, 5)
    assert first.step(TUESDAY, 5).lines != other.step(TUESDAY, 5).lines


def test_any_second_can_be_had_by_itself() -> None:
    """A second sounds the same whether it is asked for alone, in a longer step, or after others."""
    steps = world("bad-deploy")
    whole = steps.step(TUESDAY + timedelta(seconds=117), 6)

    alone = [world("bad-deploy").step(TUESDAY + timedelta(seconds=117 + n)) for n in reversed(range(6))]

    assert whole.lines == tuple(line for moment in reversed(alone) for line in moment.lines)
    assert whole.spans == tuple(span for moment in reversed(alone) for span in moment.spans)
    assert whole.gauges == tuple(value for moment in reversed(alone) for value in moment.gauges)


@pytest.mark.parametrize("name", ["pool-exhaustion", "memory-leak", "noisy-but-healthy"])
def test_rates_count_the_lines_that_are_written(name: str) -> None:
    """The table of rates for a stretch holds exactly the lines that the same stretch writes."""
    since = TUESDAY + timedelta(seconds=305)
    moment = world(name).step(since, 20)
    table = world(name).rates(since, since + timedelta(seconds=20), space="shop")

    written = Counter((line.time_ns // 10**9, line.service, int(line.level)) for line in moment.lines)
    told = {(int(row["second"].timestamp()), row["service"], row["level"]): row["count"] for row in rows(table)}
    assert told == written
    assert table.schema.equals(RATE)
    assert table.column("space").unique().to_pylist() == ["shop"]


def rows(table: Any) -> list[dict[str, Any]]:
    """A table's rows."""
    found: list[dict[str, Any]] = table.to_pylist()
    return found


def test_rates_can_be_summed_by_steps() -> None:
    """Steps of a minute hold the sums of their seconds, and lose nothing at the end."""
    until = TUESDAY + timedelta(seconds=150)
    fine, coarse = (world().rates(TUESDAY, until, space="s", step_seconds=step) for step in (1, 60))

    assert sum(row["count"] for row in rows(fine)) == sum(row["count"] for row in rows(coarse))
    assert {row["second"] for row in rows(coarse)} == {TUESDAY + timedelta(minutes=n) for n in range(3)}


def test_an_empty_stretch_has_no_rates() -> None:
    """From a moment to itself nothing is counted."""
    assert world().rates(TUESDAY, TUESDAY, space="s").num_rows == 0


def test_every_service_has_something_to_say(ordinary: Moment) -> None:
    """All seven services write, in the order of time, with many different messages each."""
    by_service = {name: {line.message for line in ordinary.lines if line.service == name} for name in NAMES}

    assert len(NAMES) == 7
    assert all(len(messages) > 500 for messages in by_service.values())
    times = [line.time_ns for line in ordinary.lines]
    assert times == sorted(times)
    assert int(TUESDAY.timestamp()) * 10**9 <= times[0] < times[-1] < int(TUESDAY.timestamp() + 120) * 10**9


def test_no_blank_is_left(ordinary: Moment) -> None:
    """Every blank of every message is filled."""
    said = [line.message + line.stack + line.exception_text for line in ordinary.lines]

    assert not [text for text in said if "{" in text or "%s" in text]


def test_every_template_can_be_filled() -> None:
    """Every message of every service, way of failing and language has known blanks, and not too many."""
    ordinary = [text for lines in LINES.values() for texts in lines.values() for text in texts]
    failures = [one for voices in FAILURES.values() for some in voices.values() for one in some]
    texts = [*ordinary, *(text for one in failures for text in (one.line, one.text))]
    texts += [text for some in WORRIES.values() for text in some]

    for one in MICROSERVICES:
        for text in texts:
            assert "{" not in template(text, "auth", one.subject).filled([3] * 8)


def test_every_way_of_failing_exists_in_every_language() -> None:
    """Whatever service is made to fail in whatever way, it has words for it."""
    assert set(FAILURES) == set(WORRIES) == set(Way)
    assert all(set(voices) == set(Voice) for voices in FAILURES.values())


def test_lines_belong_to_traces(ordinary: Moment) -> None:
    """Most lines name the trace and the span of their own service that they belong to."""
    spans = {(span.trace, span.span): span.service for span in ordinary.spans}
    traced = [line for line in ordinary.lines if line.trace]

    assert len(traced) > 0.3 * len(ordinary.lines)
    assert all(spans[line.trace, line.span] == line.service for line in traced)


def test_spans_follow_the_dependency_graph(ordinary: Moment) -> None:
    """A call is a client's span in the caller and a server's in the callee, within it in time, and along an edge."""
    by_id = {span.span: span for span in ordinary.spans}
    edges = {(edge.caller, edge.callee) for edge in world().edges()}
    served = [span for span in ordinary.spans if span.kind == 2 and span.parent]

    assert len(served) > 500
    for span in served:
        client = by_id[span.parent]
        assert (client.service, span.service) in edges
        assert client.peer == span.service
        assert client.trace == span.trace
        assert client.start_ns < span.start_ns < span.end_ns < client.end_ns


def test_edges_are_those_of_the_routes() -> None:
    """Who is said to call whom is who calls whom in some request."""

    def pairs(call: Call) -> set[tuple[str, str]]:
        return {(call.service, inner.service) for inner in call.calls}.union(*map(pairs, call.calls))

    walked = set().union(*(pairs(route.entry) for route in ROUTES))
    assert walked <= {(edge.caller, edge.callee) for edge in world().edges()}
    assert sum(route.weight for route in ROUTES) == pytest.approx(1)


def test_errors_travel_to_the_caller() -> None:
    """When auth is down, most requests that need it fail at the gateway as well."""
    moment = world("dependency-outage").step(TUESDAY + timedelta(seconds=200), 20)
    failed = {span.trace for span in moment.spans if span.service == "auth" and span.kind == 2 and span.status == 2}
    roots = [span for span in moment.spans if not span.parent and span.trace in failed]

    assert len(failed) > 20
    assert sum(span.status == 2 for span in roots) > 0.7 * len(roots)


def test_gauges_come_every_ten_seconds(ordinary: Moment) -> None:
    """Each service measures itself every ten seconds: cpu, memory, latency, requests, and a pool where it has one."""
    names = Counter((value.service, value.name) for value in ordinary.gauges)

    assert set(names.values()) == {12}
    assert {name for _, name in names} == {kind.name for kind in KINDS.values()}
    assert ("database", KINDS["pool"].name) in names
    assert ("api-gateway", KINDS["pool"].name) not in names
    assert all(0 <= value.value <= 100 for value in ordinary.gauges if value.unit == "%")
    p50, p99 = ([v.value for v in ordinary.gauges if v.name == KINDS[name].name] for name in ("p50", "p99"))
    assert np.mean(p99) > 3 * np.mean(p50)


def test_shares_of_services_are_whole() -> None:
    """The seven services write all lines between them."""
    assert sum(one.share for one in MICROSERVICES) == pytest.approx(1)


@pytest.mark.parametrize("rate_per_s", [0, -1, 2_000_000, float("nan")])
def test_an_impossible_rate_is_refused(rate_per_s: float) -> None:
    """A rate of nothing, or of more than a million lines, is named as such."""
    with pytest.raises(Malformed, match="--rate") as told:
        World(7, (), rate_per_s=rate_per_s, starts_at=TUESDAY)
    assert told.value.remedy


@pytest.mark.parametrize("seed", [-1, 2**63])
def test_an_impossible_seed_is_refused(seed: int) -> None:
    """A seed is a number from 0 on."""
    with pytest.raises(Malformed, match="--seed"):
        World(seed, (), starts_at=TUESDAY)


def test_a_naive_time_is_refused() -> None:
    """Time without a timezone could be any time, so it is none."""
    with pytest.raises(Malformed, match="no timezone"):
        world().step(datetime(2026, 3, 3))  # noqa: DTZ001


def test_an_unknown_scenario_names_the_known_ones() -> None:
    """Whoever asks for a scenario that is none is told which there are."""
    with pytest.raises(Missing) as told:
        world("volcano")
    assert all(name in told.value.remedy for name in SCENARIOS)
