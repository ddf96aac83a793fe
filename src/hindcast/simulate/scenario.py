"""What a scenario is: trouble on a timeline, with the truth that detection is measured against.

Time is counted in seconds from the scenario's start. Two curves drive everything: pressure, which rises while trouble
builds up (warnings, latency, gauges), and failure, which is there only from the outage on (errors, lost lines).
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

import numpy as np
from numpy.typing import NDArray

# So many services in trouble together are a cascade, as PRODUCT and the detector have it.
CASCADE_SERVICES_MIN = 5


class Phase(StrEnum):
    """Where a scenario stands."""

    QUIET = "quiet"
    BUILDING = "building"
    OUTAGE = "outage"
    RECOVERY = "recovery"
    CALM = "calm"


class Way(StrEnum):
    """How something fails: which lines it writes and what it throws."""

    NOISE = "noise"
    POOL = "pool"
    MEMORY = "memory"
    BUG = "bug"
    REFUSED = "refused"
    TIMEOUT = "timeout"
    CERTIFICATE = "certificate"
    QUEUE = "queue"
    UPSTREAM = "upstream"


class Expected(StrEnum):
    """What detection should make of it."""

    NOTHING = "nothing"
    OUTAGE = "an outage"
    CASCADE = "a cascade"
    SILENCE = "a silent service"


@dataclass(frozen=True, slots=True)
class Fault:
    """What one service suffers at the worst of it."""

    service: str
    way: Way
    # Whom it fails to reach, or empty when the trouble is its own.
    peer: str = ""
    # After the origin.
    delay_seconds: int = 0
    ramp_seconds: int = 5
    # Errors and warnings, as shares of the lines it usually writes.
    error_share: float = 0.0
    warn_share: float = 0.0
    # The part of those errors that is fatal.
    fatal_share: float = 0.0
    # The part of its usual lines that no longer come.
    lost_share: float = 0.0
    latency_factor: float = 1.0
    # Errors come in clumps and never pass this; None: no limit.
    errors_per_minute_max: int | None = None


@dataclass(frozen=True, slots=True)
class Drift:
    """Where one gauge of one service goes under full pressure."""

    service: str
    gauge: str
    to: float


@dataclass(frozen=True, slots=True)
class Deploy:
    """Somebody puts another version of a service live."""

    service: str
    version: str
    title: str
    after_seconds: int
    actor: str


@dataclass(frozen=True, slots=True)
class Wave:
    """Trouble that comes and goes: so long on, then off for the rest of each period."""

    period_seconds: int
    on_seconds: int


@dataclass(frozen=True, slots=True)
class Scenario:
    """One kind of trouble from beginning to end."""

    name: str
    sentence: str
    # What happens in each phase, for a person who watches.
    told: tuple[tuple[Phase, str], ...]
    quiet_seconds: int
    building_seconds: int
    outage_seconds: int
    recovery_seconds: int
    # In the order of spread, the origin first.
    faults: tuple[Fault, ...]
    expected: Expected
    drifts: tuple[Drift, ...] = ()
    deploys: tuple[Deploy, ...] = ()
    wave: Wave | None = None
    # Whether it has always been like this, so that a baseline includes it.
    always: bool = False

    @property
    def outage_after_seconds(self) -> int:
        """When errors begin."""
        return self.quiet_seconds + self.building_seconds

    @property
    def recovery_after_seconds(self) -> int:
        """When the worst is over."""
        return self.outage_after_seconds + self.outage_seconds

    @property
    def over_after_seconds(self) -> int:
        """When everything is as it was."""
        return self.recovery_after_seconds + self.recovery_seconds

    def phase(self, after_seconds: float) -> Phase:
        """Where it stands after so many seconds."""
        if self.always or after_seconds < self.quiet_seconds:
            return Phase.QUIET
        if after_seconds < self.outage_after_seconds:
            return Phase.BUILDING
        if after_seconds < self.recovery_after_seconds:
            return Phase.OUTAGE
        return Phase.RECOVERY if after_seconds < self.over_after_seconds else Phase.CALM

    def changes_of_phase(self) -> tuple[tuple[int, Phase], ...]:
        """When each phase begins; phases without length are left out."""
        if self.always:
            return ((0, Phase.QUIET),)
        begins = (
            (0, Phase.QUIET, self.quiet_seconds),
            (self.quiet_seconds, Phase.BUILDING, self.building_seconds),
            (self.outage_after_seconds, Phase.OUTAGE, self.outage_seconds),
            (self.recovery_after_seconds, Phase.RECOVERY, self.recovery_seconds),
            (self.over_after_seconds, Phase.CALM, 1),
        )
        return tuple((after, phase) for after, phase, seconds in begins if seconds)

    def pressure(self, after: NDArray[np.float64]) -> NDArray[np.float64]:
        """How far trouble has built up at these seconds, from 0 to 1."""
        if self.always:
            return np.ones_like(after)
        rise = (after - self.quiet_seconds) / max(1, self.building_seconds)
        return np.clip(rise, 0, 1) * self._ebb(after)

    def failure(self, fault: Fault, after: NDArray[np.float64]) -> NDArray[np.float64]:
        """How badly a service fails at these seconds, from 0 to 1."""
        if self.always:
            return np.ones_like(after)
        since = after - self.outage_after_seconds - fault.delay_seconds
        # A ramp begins with its first step, so that the second it begins in is no longer quiet.
        rise = np.where(since >= 0, np.clip((since + 1) / max(1, fault.ramp_seconds), 0, 1), 0)
        if self.wave is not None:
            rise = np.where(since % self.wave.period_seconds < self.wave.on_seconds, rise, 0)
        return rise * self._ebb(after)

    def _ebb(self, after: NDArray[np.float64]) -> NDArray[np.float64]:
        left = (self.over_after_seconds - after) / max(1, self.recovery_seconds)
        return np.clip(left, 0, 1)


@dataclass(frozen=True, slots=True)
class Truth:
    """What really happens in a scenario, for whoever measures detection."""

    # Empty where nothing is wrong.
    origin: str
    # In the order of spread.
    services: tuple[str, ...]
    starts_after_seconds: int
    ends_after_seconds: int
    cascade: bool
    expected: Expected


def truth_of(scenario: Scenario) -> Truth:
    """The truth of one scenario."""
    if scenario.expected is Expected.NOTHING:
        return Truth("", (), 0, 0, False, scenario.expected)
    services = tuple(fault.service for fault in scenario.faults)
    return Truth(
        origin=services[0],
        services=services,
        starts_after_seconds=scenario.outage_after_seconds,
        ends_after_seconds=scenario.over_after_seconds,
        cascade=len(services) >= CASCADE_SERVICES_MIN,
        expected=scenario.expected,
    )
