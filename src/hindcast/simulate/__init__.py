"""A realistic, seeded world to watch: seven microservices, ten scenarios, and errors on demand.

Pure: time comes in as an argument, chance is a function of the seed. What it says leaves as OTLP
(`hindcast.simulate.otlp`) or, for detection without a server, as a table of rates.
"""

from __future__ import annotations

from hindcast.simulate.burst import burst
from hindcast.simulate.moment import Gauge, Line, Moment, Span
from hindcast.simulate.scenario import Expected, Phase, Scenario, Truth
from hindcast.simulate.scenarios import SCENARIOS, scenario, truth
from hindcast.simulate.topology import MICROSERVICES, NAMES, microservice
from hindcast.simulate.world import World

__all__ = [
    "MICROSERVICES",
    "NAMES",
    "SCENARIOS",
    "Expected",
    "Gauge",
    "Line",
    "Moment",
    "Phase",
    "Scenario",
    "Span",
    "Truth",
    "World",
    "burst",
    "microservice",
    "scenario",
    "truth",
]
