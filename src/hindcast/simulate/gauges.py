"""What the seven services measure of themselves: processor, memory, latency, requests, pool, queue and disk."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hindcast.simulate.chance import Purpose, generator
from hindcast.simulate.moment import Gauge
from hindcast.simulate.topology import MICROSERVICES, Microservice

# As often as exporters usually report.
PERIOD_SECONDS = 10
# Requests for each line: most requests write more than one.
REQUESTS_PER_LINE = 0.3
P99_FACTOR = 4.5


@dataclass(frozen=True, slots=True)
class Kind:
    """A gauge's name on the wire and its unit; scenarios call it by its short name."""

    name: str
    unit: str


KINDS: dict[str, Kind] = {
    "cpu": Kind("process.cpu.utilization", "%"),
    "memory": Kind("process.memory.usage", "MBy"),
    "p50": Kind("http.server.request.duration.p50", "ms"),
    "p99": Kind("http.server.request.duration.p99", "ms"),
    "requests": Kind("http.server.request.count", "{request}"),
    "pool": Kind("db.client.connection.utilization", "%"),
    "queue": Kind("messaging.queue.depth", "{message}"),
    "disk": Kind("system.filesystem.utilization", "%"),
}


@dataclass(frozen=True, slots=True)
class Strain:
    """How one service is doing when it is measured."""

    # How busy the world is, compared with its average.
    load: float
    lines_per_s: float
    latency_factor: float
    # Where gauges go under full pressure, by short name, and how much of that pressure there is.
    drifts: tuple[tuple[str, float, float], ...] = ()


def measured(seed: int, second: int, place: int, strain: Strain) -> tuple[Gauge, ...]:
    """All gauges of one service at one second."""
    one = MICROSERVICES[place]
    chance = generator(seed, Purpose.METRICS, second, part=place)
    wobble = 1 + 0.04 * chance.standard_normal(len(KINDS))
    values = _usual(one, second, strain)
    for short, target, pressure in strain.drifts:
        if short in values:
            values[short] += (target - values[short]) * pressure
    if "requests" in values:
        values["requests"] = float(chance.poisson(values["requests"]))
    found = []
    for number, (short, kind) in enumerate(KINDS.items()):
        if short in values:
            is_count = short == "requests"
            value = values[short] if is_count else values[short] * float(wobble[number])
            value = min(value, 100.0) if kind.unit == "%" else value
            found.append(Gauge(second * 1_000_000_000, one.name, kind.name, round(value, 3), kind.unit, is_count))
    return tuple(found)


def _usual(one: Microservice, second: int, strain: Strain) -> dict[str, float]:
    p50 = one.latency_ms * strain.latency_factor * (0.8 + 0.2 * strain.load)
    values = {
        "cpu": one.cpu_percent * (0.4 + 0.6 * strain.load),
        # A heap grows and is collected: a saw-tooth of a few minutes.
        "memory": one.memory_mb * (0.94 + 0.12 * (second % 420) / 420),
        "p50": p50,
        "p99": p50 * P99_FACTOR,
        "requests": strain.lines_per_s * REQUESTS_PER_LINE * PERIOD_SECONDS,
        # A disk fills over a day and is cleaned at night.
        "disk": one.disk_percent + 3 * (second % 86_400) / 86_400,
    }
    if one.pool_connections:
        values["pool"] = 30 * (0.4 + 0.6 * strain.load) * (1 + 0.3 * float(np.log(strain.latency_factor)))
    if one.queue_messages:
        values["queue"] = one.queue_messages * strain.load
    return values
