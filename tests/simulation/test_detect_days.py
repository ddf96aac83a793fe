"""A month of a detector's life: restarts, lost ticks, and counts that come late, in parts, again and in any order."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import timedelta

import numpy as np
import pyarrow as pa
import pytest
from tests.timeline import SPACE, START, rate_table

from hindcast.detect import Detector, Event, EventKind
from hindcast.model.columns import RATE
from hindcast.model.incident import Incident, IncidentState, from_json, to_json

SERVICES = ("auth", "payment", "user")
ERRORS_PER_S = {"auth": 0.15, "payment": 0.02, "user": 0.4}
LINES_PER_S = 25.0
DAYS = 30
STRETCH_SECONDS = 1300
TICK_SECONDS = 10
LATE_SECONDS_MAX = 40
HISTORY_MINUTES = 180


@dataclass(frozen=True, slots=True)
class Day:
    """What happens in the watched stretch of one day, and what people do about it."""

    number: int
    service: str
    # No outage when 0.
    errors_per_s: float
    begins: int
    seconds: int
    confirmed: bool
    restarted_at: int


def days(seed: int) -> list[Day]:
    """The plan of a month: on two days of three something breaks."""
    chance = np.random.default_rng(seed)
    return [
        Day(
            number=number,
            service=SERVICES[int(chance.integers(len(SERVICES)))],
            errors_per_s=float(chance.uniform(4.0, 20.0)) if chance.random() < 0.66 else 0.0,
            begins=int(chance.integers(300, 420)),
            seconds=int(chance.integers(90, 300)),
            confirmed=bool(chance.random() < 0.7),
            restarted_at=int(chance.integers(200, 1250)),
        )
        for number in range(DAYS)
    ]


class Store:
    """The counts of one day's stretch as a store holds them: each count becomes readable a while after its second."""

    def __init__(self, day: Day, chance: np.random.Generator) -> None:
        self._chance = chance
        self._start = day.number * 86_400
        rates = np.array([[ERRORS_PER_S[one], LINES_PER_S] for one in SERVICES])
        counts = chance.poisson(np.repeat(rates[:, None, :], STRETCH_SECONDS, axis=1))
        row = SERVICES.index(day.service)
        counts[row, day.begins : day.begins + day.seconds, 0] += chance.poisson(day.errors_per_s, day.seconds)
        self.errors = int(counts[row, day.begins : day.begins + day.seconds, 0].sum())
        service, second, level = np.nonzero(counts)
        late = np.where(chance.random(len(second)) < 0.2, chance.integers(0, LATE_SECONDS_MAX, len(second)), 0)
        self._rows = np.stack([second, service, level, counts[service, second, level], second + late], axis=1)

    def read(self, second: int) -> pa.Table:
        """The last 150 seconds as of now, in any order; now and then a part of them is not there."""
        found = self._rows
        seen = found[(found[:, 0] > second - 150) & (found[:, 0] <= second) & (found[:, 4] <= second)]
        self._chance.shuffle(seen)
        if self._chance.random() < 0.2:
            seen = seen[: len(seen) // 2]
        at = int(START.timestamp()) + self._start + seen[:, 0]
        columns = [
            pa.array([SPACE] * len(seen), pa.string()),
            pa.array(at).cast(RATE.field("second").type),
            pa.array(SERVICES).take(pa.array(seen[:, 1])),
            pa.array(np.array([17, 9], dtype=np.uint8)[seen[:, 2]]),
            pa.array(seen[:, 3].astype(np.uint64)),
        ]
        return pa.table(columns, schema=RATE)


def history(day: Day, chance: np.random.Generator) -> pa.Table:
    """The hours before a stretch, as a restarted process reads them: by minutes."""
    begin = START + timedelta(days=day.number) - timedelta(minutes=HISTORY_MINUTES)
    return rate_table(
        [
            (SPACE, begin + timedelta(minutes=minute), service, level, int(chance.poisson(60 * rate)) + (level == 9))
            for minute in range(HISTORY_MINUTES)
            for service in SERVICES
            for level, rate in ((17, ERRORS_PER_S[service]), (9, LINES_PER_S))
        ]
    )


class Month:
    """The month as it is lived, and what was told in it."""

    def __init__(self, seed: int) -> None:
        self.chance = np.random.default_rng(seed + 1)
        self.kept: dict[str, Incident] = {}
        self.events: list[Event] = []

    def restart(self, day: Day, second: int) -> Detector:
        """A new process, which knows what was stored."""
        detector = Detector()
        now = START + timedelta(days=day.number, seconds=second)
        detector.backfill(history(day, self.chance), now=now, step_seconds=60)
        detector.restore([from_json(json.loads(json.dumps(to_json(one)))) for one in self.kept.values()])
        return detector

    def keep(self, *events: Event) -> None:
        """Store what was told."""
        for event in events:
            self.events.append(event)
            self.kept[event.incident.id] = event.incident

    def live(self, day: Day) -> int:
        """The stretch of one day; returns the errors of its outage."""
        store = Store(day, self.chance)
        detector = self.restart(day, 0)
        for second in range(TICK_SECONDS, STRETCH_SECONDS, TICK_SECONDS):
            if second // TICK_SECONDS == day.restarted_at // TICK_SECONDS:
                detector = self.restart(day, second)
            if self.chance.random() < 0.1:
                continue
            now = START + timedelta(days=day.number, seconds=second)
            self.keep(*detector.tick(store.read(second), now=now))
        now = START + timedelta(days=day.number, seconds=STRETCH_SECONDS)
        for incident in detector.incidents:
            assert incident.state is IncidentState.AWAITING, (day, incident.title)
            if day.confirmed:
                self.keep(detector.confirm(incident.id, by="ana", now=now))
        return store.errors


@pytest.mark.parametrize("seed", [11])
def test_a_month_is_told_as_it_was(seed: int) -> None:
    """Every outage of a month is one incident with its service and its errors, and nothing else ever opens."""
    month = Month(seed)
    expected: list[tuple[int, str, int]] = []
    for day in days(seed):
        errors = month.live(day)
        if day.errors_per_s:
            expected.append((day.number, day.service, errors))
    opened = [event.incident for event in month.events if event.kind is EventKind.OPENED]

    assert [((one.onset_at - START).days, one.services) for one in opened] == [
        (day, (name,)) for day, name, _ in expected
    ]
    for first, (_, _, errors) in zip(opened, expected, strict=True):
        ended = month.kept[first.id]
        assert ended.state in (IncidentState.AWAITING, IncidentState.CONFIRMED)
        assert ended.relapses == 0
        # Late counts around a restart may be lost, or counted with the noise beside them, and no more.
        assert 0.85 * errors <= ended.errors <= 1.05 * errors + 10
        # Counts alone say nothing of what failed.
        assert first.previous is None
