"""A timeline for tests of detection: rates that change as time goes by, a detector that looks every second."""

from __future__ import annotations

import zlib
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

import numpy as np
import pyarrow as pa

from hindcast.detect import Detector, EventKind, Rules
from hindcast.model.columns import RATE
from hindcast.model.finding import Finding
from hindcast.model.incident import Event, Incident, Sighting
from hindcast.model.signal import Alert, Edge

START = datetime(2026, 11, 16, 2, 0, tzinfo=UTC)
SPACE = "acme"
QUIET_ERRORS_PER_S = 0.05


class Timeline:
    """Services whose rates are set and changed as time goes by; the detector reads the last 150 seconds each second."""

    def __init__(self, rules: Rules | None = None, *, seed: int = 1) -> None:
        self.detector = Detector(rules)
        self.second = 0
        self.errors: dict[str, float] = {}
        self.lines: dict[str, float] = {}
        self.events: list[Event] = []
        self._chance = np.random.default_rng(seed)
        self._rows: list[tuple[int, str, int, int]] = []
        # What the errors were, where a test says so: second, service, text, count.
        self._failures: list[tuple[int, str, str, int]] = []

    @property
    def now(self) -> datetime:
        """The present of the timeline."""
        return START + timedelta(seconds=self.second)

    def usual(self, *services: str, errors: float = QUIET_ERRORS_PER_S, lines: float = 10.0) -> None:
        """Let services have so many errors and harmless lines a second from now on."""
        for service in services:
            self.errors[service], self.lines[service] = errors, lines

    def count(self, service: str, count: int, *, level: int = 17, ago: int = 0, failure: str = "") -> None:
        """Lines of one second, beside what is usual; `failure` says what they say."""
        self._rows.append((self.second - ago, service, level, count))
        if failure:
            self._failures.append((self.second - ago, service, failure, count))

    def look(self, space: str, service: str, since: datetime, until: datetime) -> tuple[Sighting, ...]:
        """The failures of a service in a time, as the store would say."""
        assert space == SPACE
        found: dict[str, Sighting] = {}
        for second, name, text, count in self._failures:
            at = START + timedelta(seconds=second)
            if name == service and since <= at <= until:
                known = found.get(text)
                first, total = (known.first_at, known.count + count) if known else (at, count)
                found[text] = Sighting(zlib.crc32(text.encode()), text, total, first, service)
        return tuple(sorted(found.values(), key=lambda one: -one.count))

    def table(self, seconds: int = 150) -> pa.Table:
        """What the store has of the last seconds."""
        self._rows = [row for row in self._rows if row[0] > self.second - 600]
        rows = [row for row in self._rows if row[0] > self.second - seconds]
        return rate_table([(SPACE, START + timedelta(seconds=row[0]), row[1], row[2], row[3]) for row in rows])

    def past(self, minutes: int) -> None:
        """So many minutes before the start, learnt from the store."""
        rows: list[tuple[str, datetime, str, int, int]] = []
        for step in range(minutes * 6):
            at = START - timedelta(minutes=minutes) + timedelta(seconds=10 * step)
            for service, rate in self.errors.items():
                rows.append((SPACE, at, service, 17, int(self._chance.poisson(10 * rate))))
                rows.append((SPACE, at, service, 9, int(self._chance.poisson(10 * self.lines[service]))))
        self.detector.backfill(rate_table([row for row in rows if row[4]]), now=START, step_seconds=10)

    def tick(
        self,
        *,
        alerts: Iterable[Alert] = (),
        findings: Iterable[Finding] = (),
        edges: Iterable[tuple[str, str]] = (),
    ) -> list[Event]:
        """One look at this moment, with whatever else has come in."""
        found = self.detector.tick(
            self.table(),
            now=self.now,
            alerts=[(SPACE, alert) for alert in alerts],
            findings=findings,
            edges=[(SPACE, Edge(caller, callee, 100)) for caller, callee in edges],
            look=self.look,
        )
        self.events.extend(found)
        return list(found)

    def run(self, seconds: int, *, tick: int = 1) -> list[Event]:
        """Let so many seconds pass, looking every `tick` of them."""
        found: list[Event] = []
        for step in range(seconds):
            self.second += 1
            for service, rate in self.errors.items():
                for level, count in ((17, self._chance.poisson(rate)), (9, self._chance.poisson(self.lines[service]))):
                    if count:
                        self.count(service, int(count), level=level)
            if step % tick == tick - 1:
                found.extend(self.tick())
        return found


def rate_table(rows: list[tuple[str, datetime, str, int, int]]) -> pa.Table:
    """Rows as the store gives them."""
    space, second, service, level, count = zip(*rows, strict=True) if rows else ((), (), (), (), ())
    return pa.table(
        [pa.array(column, RATE.field(at).type) for at, column in enumerate((space, second, service, level, count))],
        schema=RATE,
    )


def kinds(events: list[Event]) -> list[EventKind]:
    """What happened, changes of mere numbers left out."""
    return [event.kind for event in events if event.kind is not EventKind.CHANGED]


def only(events: list[Event], kind: EventKind) -> Incident:
    """The incident of the only event of a kind."""
    found = [event.incident for event in events if event.kind is kind]
    assert len(found) == 1, [(event.kind, event.why) for event in events]
    return found[0]
