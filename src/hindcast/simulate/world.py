"""The world: seven services that talk, and the scenarios that trouble them. Same seed and same time, same words.

Nothing here keeps state that matters: any second can be had in any order, and two worlds of one seed agree on it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from hindcast.model.errors import Malformed
from hindcast.model.signal import ChangeKind, Edge, SystemChange
from hindcast.simulate import gauges
from hindcast.simulate.chance import Purpose, checked_seed, generator
from hindcast.simulate.counts import MINUTE_SECONDS, Counting, Minute, load, seconds_since_1970
from hindcast.simulate.moment import Gauge, Line, Moment, Span
from hindcast.simulate.requests import Health, Requests
from hindcast.simulate.scenario import Scenario
from hindcast.simulate.scenarios import scenario as by_name
from hindcast.simulate.speech import Speech
from hindcast.simulate.topology import MICROSERVICES, NAMES, PLACES

if TYPE_CHECKING:
    import pyarrow as pa

RATE_PER_S_MAX = 1_000_000.0
# Tracing takes a sample: one request for so many lines.
REQUESTS_PER_LINE = 0.05
# Errors are written more than once for each call that fails, so fewer lines than calls are errors.
CALLS_PER_ERROR_SHARE = 1.8
FAILING_MAX = 0.95
FAILING_USUALLY = 0.004


class World:
    """Seven services at a rate of lines, on average over a week, and the scenarios that begin at `starts_at`."""

    def __init__(
        self, seed: int, scenarios: Iterable[Scenario | str] = (), *, rate_per_s: float = 200.0, starts_at: datetime
    ) -> None:
        if not 0 < rate_per_s <= RATE_PER_S_MAX:
            raise Malformed(
                f"{rate_per_s:g} lines a second are no rate.",
                field="--rate",
                remedy=f"Give more than 0 and at most {RATE_PER_S_MAX:,.0f}.",
            )
        self._seed = checked_seed(seed)
        self.rate_per_s = rate_per_s
        self.starts_at = _whole_second(starts_at)
        self.scenarios = tuple(one if isinstance(one, Scenario) else by_name(one) for one in scenarios)
        self._start = seconds_since_1970(self.starts_at)
        self._counting = Counting(seed, rate_per_s, [(one, self._start) for one in self.scenarios])

    def step(self, at: datetime, seconds: int = 1) -> Moment:
        """What the world says from a moment on, for so many seconds."""
        first = seconds_since_1970(_whole_second(at))
        lines: list[Line] = []
        measured: list[Gauge] = []
        spans: list[Span] = []
        for second in range(first, first + seconds):
            of_second = self._spans(second)
            spans.extend(of_second)
            lines.extend(self._lines(second, of_second))
            if second % gauges.PERIOD_SECONDS == 0:
                measured.extend(self._gauges(second))
        until = first + seconds
        made = [(seconds_since_1970(change.at), change) for change in self.changes()]
        changes = tuple(change for second, change in made if first <= second < until)
        versions = {change.service: change.ref for second, change in made if second <= first}
        return Moment(
            _whole_second(at),
            seconds,
            tuple(lines),
            tuple(measured),
            tuple(spans),
            changes,
            tuple(versions.items()),
        )

    def counts(self, since: datetime, until: datetime) -> NDArray[np.int64]:
        """Lines of each second of a stretch, by service and level: what `step` writes, without writing it."""
        first, last = seconds_since_1970(since), seconds_since_1970(until)
        blocks = [self._counting.minute(minute).total for minute in _minutes(first, last)]
        if not blocks:
            return np.zeros((0, len(NAMES), 5), np.int64)
        skipped = first % MINUTE_SECONDS
        return np.concatenate(blocks)[skipped : skipped + last - first]

    def rates(self, since: datetime, until: datetime, *, space: str, step_seconds: int = 1) -> pa.Table:
        """The same as a RATE table, oldest first; steps are counted from `since`."""
        from hindcast.simulate.rates import rate_table

        return rate_table(self.counts(since, until), _whole_second(since), space=space, step_seconds=step_seconds)

    def edges(self, seconds: int = 60) -> tuple[Edge, ...]:
        """Who calls whom, as traces of so many ordinary seconds would show it."""
        calls = max(1, round(self.rate_per_s * REQUESTS_PER_LINE * seconds))
        return tuple(Edge(one.name, callee, calls) for one in MICROSERVICES for callee in one.calls)

    def changes(self) -> tuple[SystemChange, ...]:
        """What somebody does to the system in these scenarios, oldest first."""
        found = [
            SystemChange(
                source="simulator",
                key=f"{one.name}-{deploy.service}-{deploy.version}-{self._start}",
                kind=ChangeKind.DEPLOY,
                at=self.starts_at + timedelta(seconds=deploy.after_seconds),
                service=deploy.service,
                title=deploy.title,
                actor=deploy.actor,
                ref=deploy.version,
            )
            for one in self.scenarios
            for deploy in one.deploys
        ]
        return tuple(sorted(found, key=lambda change: change.at))

    def _minute(self, second: int) -> tuple[Minute, int]:
        return self._counting.minute(second // MINUTE_SECONDS), second % MINUTE_SECONDS

    def _lines(self, second: int, spans: tuple[Span, ...]) -> Iterator[Line]:
        minute, place = self._minute(second)
        faults = [(fault, counts[place]) for fault, counts in minute.faults if counts[place].any()]
        return Speech(self._seed, second, spans).lines(minute.background[place], faults)

    def _spans(self, second: int) -> tuple[Span, ...]:
        chance = generator(self._seed, Purpose.SPANS, second)
        expected = self.rate_per_s * REQUESTS_PER_LINE * float(load(np.array([second]))[0])
        return Requests(chance, self._health(second)).spans(second, int(chance.poisson(expected)))

    def _health(self, second: int) -> Health:
        failing = np.full(len(NAMES), FAILING_USUALLY)
        latency_factor = np.ones(len(NAMES))
        lost = np.zeros(len(NAMES))
        after = np.array([second - self._start], np.float64)
        for one in self.scenarios:
            pressure = float(one.pressure(after)[0])
            for fault in one.faults:
                place = PLACES[fault.service]
                failure = float(one.failure(fault, after)[0])
                failing[place] += fault.error_share * CALLS_PER_ERROR_SHARE * failure
                # A caller is slow as soon as what it waits for is.
                latency_factor[place] *= 1 + (fault.latency_factor - 1) * max(failure, 0.5 * pressure)
                lost[place] = max(lost[place], fault.lost_share * failure)
        return Health(np.minimum(failing, FAILING_MAX), latency_factor, lost)

    def _gauges(self, second: int) -> Iterator[Gauge]:
        health = self._health(second)
        busy = float(load(np.array([second]))[0])
        after = np.array([second - self._start], np.float64)
        for place, one in enumerate(MICROSERVICES):
            drifts = tuple(
                (drift.gauge, drift.to, float(scenario.pressure(after)[0]))
                for scenario in self.scenarios
                for drift in scenario.drifts
                if drift.service == one.name
            )
            lines_per_s = self.rate_per_s * one.share * busy * float(1 - health.lost[place])
            strain = gauges.Strain(busy, lines_per_s, float(health.latency_factor[place]), drifts)
            yield from gauges.measured(self._seed, second, place, strain)


def _minutes(first: int, last: int) -> range:
    return range(first // MINUTE_SECONDS, -(-last // MINUTE_SECONDS)) if last > first else range(0)


def _whole_second(at: datetime) -> datetime:
    """The second that a moment is in, in UTC.

    Raises Malformed when the moment has no timezone.
    """
    if at.tzinfo is None:
        raise Malformed(f"{at.isoformat()} has no timezone.", field="at", remedy="Write times as 2026-11-15T02:03:04Z.")
    return at.astimezone(UTC).replace(microsecond=0)
