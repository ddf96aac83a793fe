"""How many lines each service writes, by second and level: background noise, and what scenarios add or take away.

Counts come before lines. A rate table for detection and the lines of the same seconds therefore agree exactly, and a
day of rates costs no text. The background does not know the scenarios: a scenario changes nothing but what it says.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from hindcast.model.signal import Level
from hindcast.simulate.chance import Purpose, generator
from hindcast.simulate.scenario import Fault, Scenario
from hindcast.simulate.topology import MICROSERVICES, PLACES

LEVELS: tuple[Level, ...] = (Level.DEBUG, Level.INFO, Level.WARN, Level.ERROR, Level.FATAL)
DEBUG, INFO, WARN, ERROR, FATAL = range(5)
LEVEL_SHARES = np.array([0.14, 0.85, 0.005, 0.005, 0.0])

MINUTE_SECONDS = 60
# The busiest hour has this much more than the mean, the quietest this much less; people are awake in Europe.
DAY_SWING = 0.3
BUSIEST_HOUR = 14
# A weekend has less traffic than a weekday; the week as a whole averages 1.
WEEKEND, WEEKDAY = 0.8, 1.08
# Traffic bursts of a minute: how likely for one service, and how much more it then has to say.
BURST_CHANCE = 0.01
BURST_MIN, BURST_MAX = 1.2, 1.6
# Errors are not Poisson from minute to minute. This shape spreads their rate by a third either way.
ERROR_SHAPE = 8.0
# Errors of a noisy service come in clumps: a shape below 1 means many quiet minutes and some loud ones.
CLUMP_SHAPE = 0.8
# A minute is asked for once by every second in it.
MINUTES_KEPT = 64

Counts = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Minute:
    """Counts of one minute, each by second, service and level."""

    background: Counts
    # What scenarios wrote on top, one for each fault.
    faults: tuple[tuple[Fault, Counts], ...]

    @property
    def total(self) -> Counts:
        """All lines."""
        return self.background + sum((counts for _, counts in self.faults), np.zeros_like(self.background))


_SHARES = np.array([one.share for one in MICROSERVICES])
_NOISE = np.array([one.noise for one in MICROSERVICES]) / sum(one.noise * one.share for one in MICROSERVICES)


def load(seconds: NDArray[np.int64]) -> NDArray[np.float64]:
    """How busy the world is at these seconds since 1970, compared with an average one."""
    hours = seconds / 3600 % 24
    day = 1 + DAY_SWING * np.cos((hours - BUSIEST_HOUR) * np.pi / 12)
    # The first of January 1970 was a Thursday.
    weekday = (seconds // 86_400 + 3) % 7
    return day * np.where(weekday >= 5, WEEKEND, WEEKDAY)


def seconds_since_1970(at: datetime) -> int:
    """The whole second that a moment is in."""
    return int(at.astimezone(UTC).timestamp() // 1)


class Counting:
    """Counts of one world, minute by minute."""

    def __init__(self, seed: int, rate_per_s: float, scenarios: Sequence[tuple[Scenario, int]]) -> None:
        self._seed = seed
        self._rate_per_s = rate_per_s
        # Each with the second since 1970 at which its timeline begins.
        self._scenarios = tuple(scenarios)
        self.minute = lru_cache(maxsize=MINUTES_KEPT)(self._minute)

    def _minute(self, minute: int) -> Minute:
        """The counts of one minute since 1970."""
        seconds = np.arange(minute * MINUTE_SECONDS, (minute + 1) * MINUTE_SECONDS)
        usual = self._usual(minute, seconds)
        background = self._background(minute, usual)
        faults: list[tuple[Fault, Counts]] = []
        kept = np.ones((MINUTE_SECONDS, len(MICROSERVICES)))
        for number, (scenario, start) in enumerate(self._scenarios):
            after = (seconds - start).astype(np.float64)
            for place, fault in enumerate(scenario.faults):
                failure = scenario.failure(fault, after)
                pressure = scenario.pressure(after)
                if not failure.any() and not pressure.any():
                    continue
                where = PLACES[fault.service]
                kept[:, where] *= 1 - fault.lost_share * failure
                part = number * 100 + place
                counts = self._fault(minute, part, fault, usual[:, where], failure, pressure)
                faults.append((fault, counts))
        if (kept < 1).any():
            background = generator(self._seed, Purpose.LOST, minute).binomial(background, kept[:, :, np.newaxis])
        return Minute(background, tuple(faults))

    def _usual(self, minute: int, seconds: NDArray[np.int64]) -> NDArray[np.float64]:
        """Expected lines of each second and service, scenarios apart."""
        chance = generator(self._seed, Purpose.LOAD, minute)
        bursting = chance.random(len(MICROSERVICES)) < BURST_CHANCE
        burst = np.where(bursting, chance.uniform(BURST_MIN, BURST_MAX, len(MICROSERVICES)), 1.0)
        usual: NDArray[np.float64] = self._rate_per_s * np.outer(load(seconds), _SHARES * burst)
        return usual

    def _background(self, minute: int, usual: NDArray[np.float64]) -> Counts:
        chance = generator(self._seed, Purpose.BACKGROUND, minute)
        mood = chance.gamma(ERROR_SHAPE, 1 / ERROR_SHAPE, len(MICROSERVICES))
        expected = usual[:, :, np.newaxis] * LEVEL_SHARES
        expected[:, :, ERROR] *= _NOISE * mood
        return np.asarray(chance.poisson(expected), np.int64)

    def _fault(
        self,
        minute: int,
        part: int,
        fault: Fault,
        usual: NDArray[np.float64],
        failure: NDArray[np.float64],
        pressure: NDArray[np.float64],
    ) -> Counts:
        """What one fault adds to one service: errors where it fails, warnings already while trouble builds up."""
        chance = generator(self._seed, Purpose.FAULT, minute, part=part)
        clump = chance.gamma(CLUMP_SHAPE, 1 / CLUMP_SHAPE) if fault.errors_per_minute_max is not None else 1.0
        errors = chance.poisson(usual * fault.error_share * failure * clump)
        if fault.errors_per_minute_max is not None:
            so_far = np.minimum(np.cumsum(errors), fault.errors_per_minute_max)
            errors = np.diff(so_far, prepend=0)
        fatal = chance.binomial(errors, fault.fatal_share)
        # A caller knows nothing of trouble until it has trouble of its own.
        worry = np.maximum(failure, 0.5 * pressure) if not fault.peer else failure
        counts = np.zeros((MINUTE_SECONDS, len(MICROSERVICES), len(LEVELS)), np.int64)
        where = PLACES[fault.service]
        counts[:, where, ERROR] = errors - fatal
        counts[:, where, FATAL] = fatal
        counts[:, where, WARN] = chance.poisson(usual * fault.warn_share * worry)
        return counts
