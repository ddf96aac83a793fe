"""Laws of detection, whatever the counts are."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta
from random import Random
from typing import TypeVar

import numpy as np
import orjson
import pyarrow as pa
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.timeline import SPACE, START, rate_table

from hindcast.detect import Detector, Event, EventKind
from hindcast.detect.cascade import Graph, spread
from hindcast.detect.onset import end, onset
from hindcast.detect.tail import surprise
from hindcast.model.finding import SURPRISE_MAX, Finding, Rule
from hindcast.model.incident import Affected, Exemplar, Incident, IncidentState, Sighting, from_json, to_json
from hindcast.model.signal import Alert, ChangeKind, Edge, Severity, Status, SystemChange

T = TypeVar("T")
times = st.datetimes(datetime(2000, 1, 1), datetime(2100, 1, 1), timezones=st.just(UTC))  # noqa: DTZ001
words = st.text(st.characters(exclude_categories=["Cs"]), max_size=20)
numbers = st.floats(-1e12, 1e12)
whole = st.integers(0, 2**63 - 1)
maps = st.dictionaries(words, words, max_size=3)


def some(strategy: st.SearchStrategy[T]) -> st.SearchStrategy[tuple[T, ...]]:
    """None, one or a few of something."""
    return st.lists(strategy, max_size=3).map(tuple)


findings = st.builds(
    Finding,
    *(words, words, st.sampled_from(Rule), times, times, numbers, numbers, numbers),
    window_seconds=whole,
    surprise=numbers,
    unit=words,
    metric=words,
    why=words,
    ended_at=st.none() | times,
)
alerts = st.builds(
    Alert,
    *(words, words, st.sampled_from(Status), words, words, st.sampled_from(Severity), times),
    ended_at=st.none() | times,
    labels=maps,
)
affected = st.builds(Affected, words, times, times, whole, whole, st.none() | numbers, numbers, st.none() | times)
sightings = st.builds(Sighting, st.integers(0, 2**64 - 1), words, whole, times, words)
exemplars = st.builds(Exemplar, times, words, st.integers(0, 24), words, attributes=maps)
changes = st.builds(SystemChange, words, words, st.sampled_from(ChangeKind), times, words, words, labels=maps)
incidents = st.builds(
    Incident,
    *(words, words, words, st.sampled_from(IncidentState), findings, some(affected), times, times, times),
    st.sampled_from(Severity),
    reasons=some(words),
    quiet_since=st.none() | times,
    cascade=st.booleans(),
    findings=some(findings),
    alerts=some(alerts),
    templates=some(sightings),
    fingerprints=some(sightings),
    exemplars=some(exemplars),
    changes=some(changes),
    previous=st.none() | words,
    relapses=whole,
)


@given(incidents)
def test_an_incident_survives_being_written(incident: Incident) -> None:
    """What is stored as JSON and read again is the same incident."""
    assert from_json(orjson.loads(orjson.dumps(to_json(incident)))) == incident


@given(st.integers(1, 400), st.floats(0.01, 200), st.floats(0.01, 5))
def test_a_surprise_is_never_overstated(count: int, mean: float, dispersion: float) -> None:
    """The tail that is claimed is at least the tail that is there, and within a factor of ten of it when it matters."""
    claimed = float(surprise(np.array([float(count)]), np.array([mean]), np.array([dispersion]))[0])
    shape = 1 / dispersion
    step = mean / (mean + shape)
    total, mass = 0.0, shape * math.log1p(-step)
    for number in range(count + 20_000):
        if number >= count:
            total += math.exp(mass)
            if mass < math.log(total + 1e-300) - 40:
                break
        mass += math.log((number + shape) / (number + 1) * step)
    true = -math.log10(max(total, 1e-300))

    assert claimed <= true + 1e-6
    if 2 < true < SURPRISE_MAX and count > 2 * mean and dispersion <= 1:
        assert claimed >= true - 1


@given(st.integers(5, 100), st.integers(20, 100), st.integers(2, 40))
def test_an_onset_is_where_the_counts_change(before: int, after: int, rate: int) -> None:
    """A step from silence to a steady rate is found at its second, forwards as backwards."""
    errors = np.array([0] * before + [rate] * after)

    assert onset(errors, 0.05) == before
    assert onset(errors, 0.0) == before
    assert end(errors[::-1], 0.05) == after


rows = st.lists(
    st.tuples(
        st.integers(0, 119),
        st.sampled_from(["payment", "auth", "user"]),
        st.sampled_from([9, 17, 21]),
        st.integers(1, 90),
    ),
    max_size=40,
)


def table(given_rows: list[tuple[int, str, int, int]]) -> pa.Table:
    """Counts of the two minutes after the start."""
    return rate_table([(SPACE, START + timedelta(seconds=at), *rest) for at, *rest in given_rows])  # type: ignore[misc]


def told(events: tuple[Event, ...]) -> list[tuple[EventKind, str, int]]:
    """What matters of events."""
    return [(event.kind, event.incident.id, event.incident.errors) for event in events]


@settings(deadline=None, max_examples=60)
@given(rows, st.randoms())
def test_order_and_repetition_of_reads_mean_nothing(
    given_rows: list[tuple[int, str, int, int]], chance: Random
) -> None:
    """Rows in any order, read once or five times, in parts or as a whole, give the same incidents."""
    now = START + timedelta(seconds=120)
    once = Detector()
    events = once.tick(table(given_rows), now=now)
    shuffled = list(given_rows)
    chance.shuffle(shuffled)
    often = Detector()
    assert told(often.tick(table(shuffled), now=now)) == told(events)
    for _ in range(3):
        assert often.tick(table(shuffled), now=now) == ()
    assert often.incidents == once.incidents


@settings(deadline=None, max_examples=60)
@given(rows)
def test_errors_are_counted_once_each(given_rows: list[tuple[int, str, int, int]]) -> None:
    """No service of an incident has more errors than there were, however often they were read."""
    detector = Detector()
    for second in range(100, 140, 10):
        detector.tick(table(given_rows), now=START + timedelta(seconds=second))
    true = {
        service: sum(row[3] for row in given_rows if row[1] == service and row[2] >= 17)
        for service in ("payment", "auth", "user")
    }

    for incident in detector.incidents:
        for one in incident.affected:
            assert 0 < one.errors <= true[one.service]
            assert one.peak <= true[one.service]
            assert one.onset_at <= one.last_trouble_at


@settings(deadline=None, max_examples=60)
@given(rows)
def test_below_the_line_a_stranger_is_left_alone(given_rows: list[tuple[int, str, int, int]]) -> None:
    """A service nobody knows that never has a hundred errors in two minutes opens nothing."""
    detector = Detector()
    for second in range(0, 240, 20):
        detector.tick(table(given_rows), now=START + timedelta(seconds=second))
    loud = {
        service
        for service in ("payment", "auth", "user")
        if sum(row[3] for row in given_rows if row[1] == service and row[2] >= 17) >= 100
    }

    assert {name for one in detector.incidents for name in one.services} <= loud


@given(
    st.lists(st.tuples(st.sampled_from("abcdefgh"), st.integers(0, 300)), min_size=1, unique_by=lambda pair: pair[0]),
    st.lists(st.tuples(st.sampled_from("abcdefgh"), st.sampled_from("abcdefgh"))),
    st.randoms(),
)
def test_an_origin_does_not_depend_on_the_order_of_telling(
    onsets: list[tuple[str, int]], calls: list[tuple[str, str]], chance: Random
) -> None:
    """The spread holds every service once, begins with its origin, and is the same however it was handed over."""
    parts = [
        Affected(name, START + timedelta(seconds=at), START + timedelta(seconds=at + 60), 200, 100, 1.0, 20.0)
        for name, at in onsets
    ]
    graph = Graph([Edge(caller, callee, 1) for caller, callee in calls])
    found = spread(parts, graph)
    chance.shuffle(parts)

    assert spread(parts, graph) == found
    assert sorted(one.service for one in found.order) == sorted(name for name, _ in onsets)
    assert found.order[0].service == found.origin
    assert found.reasons
