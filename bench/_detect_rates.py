"""Detection over counts, measured: false alarms, names, origins and the time of a tick.

The counts come from a generator of their own, seeded: seven services with a daily curve, weekends, bursts of traffic
and of errors, changes of level, half a per cent of errors; outages and cascades whose origin is known.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from hindcast.detect import Detector, EventKind
from hindcast.model.columns import RATE
from hindcast.model.incident import Event, Incident
from hindcast.model.signal import Edge

SPACE = "bench"
SERVICES = ("api-gateway", "auth", "database", "payment", "notification", "user", "analytics")
CALLS = (
    ("api-gateway", "auth"),
    ("api-gateway", "user"),
    ("api-gateway", "payment"),
    ("api-gateway", "analytics"),
    ("auth", "database"),
    ("user", "database"),
    ("payment", "database"),
    ("payment", "notification"),
    ("notification", "user"),
    ("analytics", "database"),
)
EDGES = tuple((SPACE, Edge(caller, callee, 1000)) for caller, callee in CALLS)
# A Friday, so that a day and a half of it reaches into the weekend.
START = datetime(2026, 11, 13, tzinfo=UTC)
ERROR_SHARE = 0.005
CLUMP_MAX = 6.0
LEVELS = np.array([9, 5, 17, 13], dtype=np.uint8)
READ_SECONDS = 150
SPACES_AT_ONCE = 20

Ints = NDArray[np.int32]


@dataclass(frozen=True, slots=True)
class Outage:
    """One injected outage: what it hits, in order, and the errors a second that it causes."""

    services: tuple[str, ...]
    # Seconds after the start at which each service is hit.
    starts: tuple[int, ...]
    seconds: int
    errors_per_s: tuple[float, ...]

    @property
    def origin(self) -> str:
        """The service that it began in."""
        return self.services[0]


class World:
    """Counts of so many seconds of an ordinary life, by service, second and level; outages are added to them."""

    def __init__(
        self, seed: int, seconds: int, services: Sequence[str] = SERVICES, *, spaces: int = 1, start: datetime = START
    ) -> None:
        self.services = tuple(services) * spaces
        self.spaces = [f"{SPACE}-{number}" if number else SPACE for number in range(spaces)]
        self._space = np.repeat(np.arange(spaces), len(services))
        self.seconds = seconds
        self.start = start
        self._chance = np.random.default_rng(seed)
        # One space after the other, so that no more than one is held in full width.
        self.counts: Ints = np.concatenate([self._life(len(services)) for _ in range(spaces)])

    def _life(self, size: int) -> Ints:
        chance, seconds = self._chance, self.seconds
        at = self.start.timestamp() + np.arange(seconds)
        daily = 1 + 0.6 * np.sin(2 * np.pi * (at / 86_400 - 0.3))
        weekend = np.where((at // 86_400 + 3) % 7 >= 5, 0.45, 1.0)
        rates = np.exp(chance.normal(np.log(25), 0.8, size))
        traffic = rates[:, None] * daily * weekend
        share = np.full((size, seconds), ERROR_SHARE) * np.exp(chance.normal(0, 0.4, (size, 1)))
        clumps = np.ones((size, seconds))
        for row in range(size):
            # Rushes of traffic; clumps and humps of errors; a deploy that leaves a service noisier or calmer.
            self._bursts(traffic[row], per_hour=0.5, times=(1.5, 4.0), seconds=(60, 1800))
            self._bursts(clumps[row], per_hour=2.0, times=(2.0, 5.0), seconds=(3, 25))
            self._bursts(clumps[row], per_hour=0.25, times=(1.3, 2.0), seconds=(60, 900))
            for change in chance.integers(0, seconds, chance.poisson(seconds / 43_200)):
                share[row, change:] *= chance.uniform(0.5, 2.0)
        # More than that at once is no ordinary life.
        share *= np.minimum(clumps, CLUMP_MAX)
        # Rates wander from second to second, more than Poisson's law allows.
        wander = chance.gamma(4.0, 1 / 4.0, (size, seconds))
        lines = chance.poisson(traffic * chance.gamma(10.0, 1 / 10.0, (size, seconds)))
        errors = chance.poisson(traffic * share * wander)
        debug = chance.binomial(lines, 0.14)
        levels = [lines - debug, debug, errors, chance.binomial(lines, 0.005)]
        return np.stack([one.astype(np.int32) for one in levels], axis=2)

    def _bursts(
        self, rate: NDArray[np.float64], *, per_hour: float, times: tuple[float, float], seconds: tuple[int, int]
    ) -> None:
        for begin in self._chance.integers(0, len(rate), self._chance.poisson(per_hour * len(rate) / 3600)):
            rate[begin : begin + int(self._chance.integers(*seconds))] *= self._chance.uniform(*times)

    def inject(self, outage: Outage) -> None:
        """Add the errors of an outage."""
        for service, begin, rate in zip(outage.services, outage.starts, outage.errors_per_s, strict=True):
            row = self.services.index(service)
            end = min(outage.starts[0] + outage.seconds, self.seconds)
            self.counts[row, begin:end, 2] += self._chance.poisson(rate, end - begin)

    def table(self, since: int, until: int, *, step: int = 1) -> pa.Table:
        """Counts with since <= second < until (from the start), as the store gives them."""
        since, until = max(since, 0), min(until, self.seconds)
        part = self.counts[:, since:until]
        steps = (until - since) // step
        part = part[:, : steps * step].reshape(len(self.services), steps, step, len(LEVELS)).sum(axis=2)
        row, second, level = np.nonzero(part)
        base = int(self.start.timestamp()) + since
        return pa.table(
            [
                pa.array(self.spaces).take(pa.array(self._space[row])),
                pa.array(base + second * step).cast(RATE.field("second").type),
                pa.array(self.services).take(pa.array(row)),
                pa.array(LEVELS[level]),
                pa.array(part[row, second, level].astype(np.uint64)),
            ],
            schema=RATE,
        )


def watch(
    world: World,
    detector: Detector,
    *,
    since: int,
    until: int,
    tick: int = 1,
    edges: bool = True,
    read_seconds: int = READ_SECONDS,
) -> Iterator[Event]:
    """Tick a detector through a stretch of a world, reading each second many times over, as a process does."""
    for second in range(since, until, tick):
        now = world.start + timedelta(seconds=second, milliseconds=500)
        rates = world.table(max(second - read_seconds, 0), second + 1)
        yield from detector.tick(rates, now=now, edges=EDGES if edges and second == since else ())


def false_alarms(seeds: int = 20, hours: int = 24, *, services: Sequence[str] = SERVICES, tick: int = 5) -> int:
    """Incidents that a detector opens in ordinary life, over all seeds; spaces do not know of one another."""
    return sum(event.kind is EventKind.OPENED for event in _ordinary(seeds, hours, services, tick))


def _ordinary(seeds: int, hours: int, services: Sequence[str], tick: int) -> Iterator[Event]:
    for first in range(0, seeds, SPACES_AT_ONCE):
        world = World(first, hours * 3600, services, spaces=min(SPACES_AT_ONCE, seeds - first))
        yield from watch(world, Detector(), since=0, until=hours * 3600, tick=tick, read_seconds=tick + 15)


def single(seed: int) -> tuple[World, Outage]:
    """An hour of ordinary life, and an outage of one service in it."""
    chance = np.random.default_rng(10_000 + seed)
    world = World(20_000 + seed, 4500)
    service = SERVICES[seed % len(SERVICES)]
    begin = int(chance.integers(3600, 3700))
    outage = Outage((service,), (begin,), 240, (float(np.exp(chance.uniform(np.log(1.0), np.log(40.0)))),))
    world.inject(outage)
    return world, outage


def cascade(seed: int) -> tuple[World, Outage]:
    """An hour of ordinary life, and an outage that spreads from its origin to those that call it, with delays."""
    chance = np.random.default_rng(30_000 + seed)
    world = World(40_000 + seed, 4500)
    origin = ("database", "database", "user", "notification")[seed % 4]
    starts = {origin: int(chance.integers(3600, 3700))}
    for _ in SERVICES:
        for caller, callee in CALLS:
            if callee in starts:
                delay = int(1 + chance.exponential(6.0))
                starts[caller] = min(starts.get(caller, 10**9), starts[callee] + delay)
    # Too few callers for a cascade: trouble also spreads by load, to what its callers share.
    for service in SERVICES:
        if len(starts) < 5 and service not in starts:
            starts[service] = max(starts.values()) + int(1 + chance.exponential(8.0))
    order = tuple(sorted(starts, key=lambda one: (starts[one] if one != origin else -1, one)))
    rates = tuple(float(np.exp(chance.uniform(np.log(1.0), np.log(15.0)))) for _ in order)
    outage = Outage(order, tuple(starts[one] for one in order), 300, rates)
    world.inject(outage)
    return world, outage


def _incidents(world: World, outage: Outage, *, edges: bool) -> tuple[dict[str, Incident], list[Event]]:
    detector = Detector()
    begin = outage.starts[0] - 200
    now = world.start + timedelta(seconds=begin)
    detector.backfill(world.table(0, begin), now=now)
    until = min(outage.starts[0] + outage.seconds + 200, world.seconds)
    events = list(watch(world, detector, since=begin, until=until, tick=2, edges=edges, read_seconds=30))
    return {event.incident.id: event.incident for event in events}, events


def named(cases: int = 100) -> float:
    """The share of single-service outages that give one incident, named by its service and by no other."""
    good = 0
    for seed in range(cases):
        world, outage = single(seed)
        incidents, _ = _incidents(world, outage, edges=True)
        only = list(incidents.values())
        good += (
            len(only) == 1 and only[0].services == (outage.origin,) and only[0].title.startswith(f"{outage.origin}:")
        )
    return good / cases


def origin_first(cases: int = 100, *, edges: bool = True) -> float:
    """The share of cascades that give one cascade with its true origin first."""
    good = 0
    for seed in range(cases):
        world, outage = cascade(seed)
        incidents, _ = _incidents(world, outage, edges=edges)
        cascades = [one for one in incidents.values() if one.cascade]
        good += len(cascades) == 1 and cascades[0].origin == outage.origin and cascades[0].services[0] == outage.origin
    return good / cases


def tick_ms(services: int = 1000, ticks: int = 60) -> float:
    """The median time of a tick over that many services with lines of every level in every second, in ms."""
    names = [f"service-{number}" for number in range(services)]
    world = World(5, 600, names)
    detector = Detector()
    taken = []
    for second in range(300, 300 + ticks):
        rates = world.table(second - READ_SECONDS, second + 1)
        begin = time.perf_counter()
        detector.tick(rates, now=world.start + timedelta(seconds=second, milliseconds=500))
        taken.append((time.perf_counter() - begin) * 1000)
    return statistics.median(taken[5:])


def main() -> None:
    """Print every number."""
    print(
        f"rates: false_alarms={false_alarms()} named={named():.2f} origin_first={origin_first():.2f} "
        f"origin_first_without_edges={origin_first(edges=False):.2f} tick_ms={tick_ms():.1f}"
    )


if __name__ == "__main__":
    main()
