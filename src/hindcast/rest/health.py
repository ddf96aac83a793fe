"""Whether it is well: alive (restart it if not), ready (send it requests), and each check by its name.

Anybody may ask, so no answer says where the stores are or why one does not answer; the log and `hindcast doctor` do.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from hindcast.build.running import Running
from hindcast.model.errors import HindcastError, Unavailable
from hindcast.rest.ticker import Ticker

LOG = logging.getLogger("hindcast")

# A look takes milliseconds; while a store is away it takes as long as its time limits.
BEAT_READY_SECONDS_MAX = 15.0
# So long without a look is a process that nobody can help but by starting it again.
BEAT_ALIVE_SECONDS_MAX = 180.0
# Writing goes on in groups of some tens of milliseconds; this long without one, while rows wait, is no load.
INTAKE_SECONDS_MAX = 20.0
# Anybody may ask, as often as they like; the stores are asked no more often than this.
FRESH_SECONDS = 1.0
# So long a refused write says that the next one would be refused, too.
REFUSED_SECONDS = 30.0


@dataclass(frozen=True, slots=True)
class Check:
    """One thing that has to hold."""

    name: str
    is_ok: bool
    # What is the matter, in a sentence.
    why: str = ""


@dataclass(frozen=True, slots=True)
class Readiness:
    """Whether requests should be sent here, and which checks say so."""

    is_ready: bool
    checks: tuple[Check, ...] = ()
    # Memory and recall answer, but nothing is taken in: whoever reads should still be sent here.
    is_degraded: bool = False

    @property
    def status(self) -> str:
        """In a word."""
        return "degraded" if self.is_degraded else "ready" if self.is_ready else "not ready"


@dataclass
class Health:
    """Looks after one running Hindcast."""

    running: Running
    # None until it ticks, and again once it is stopping.
    ticker: Ticker | None = None
    _asked: tuple[float, Readiness] | None = None
    # When the intake was last seen to have nothing waiting or to have written, and how much it had written then.
    _moved: tuple[float, int] = field(default=(0.0, -1))

    @property
    def is_alive(self) -> bool:
        """Whether it looks at the counts at all."""
        return self.ticker is None or self.ticker.quiet_seconds < BEAT_ALIVE_SECONDS_MAX

    def readiness(self) -> Readiness:
        """Every check, made now or a moment ago."""
        now = time.monotonic()
        if self._asked is not None and now - self._asked[0] < FRESH_SECONDS:
            return self._asked[1]
        memory = _asked("memory", self._ask_memory)
        away, refused = self.running.telemetry_access.problem, self._refused(now)
        if away is not None:
            why = f"{_public(away)} Nothing is taken in or watched; memory and recall answer."
            # Nothing else can be well without it, and nothing else has to be told.
            checks: tuple[Check, ...] = (memory, Check("telemetry", False, why))
            found = Readiness(memory.is_ok, checks, is_degraded=memory.is_ok)
        else:
            checks = (memory, _asked("telemetry", self._ask_telemetry), self._watching(), self._taking_in(now))
            is_ready = all(check.is_ok for check in checks)
            if refused is not None:
                checks = (*checks[:-1], Check("intake", False, f"The last write was refused. {_public(refused)}"))
            found = Readiness(is_ready, checks, is_degraded=is_ready and refused is not None)
        self._asked = (now, found)
        return found

    def _refused(self, now: float) -> HindcastError | None:
        """Why nothing can be written just now, as far as somebody has tried lately."""
        refused = self.running.intake.refused
        return refused[1] if refused is not None and now - refused[0] < REFUSED_SECONDS else None

    def _ask_memory(self) -> None:
        app = self.running.app
        memory = app.register.existing(app.space)
        if memory is not None:
            _ = memory.now().newest_step

    def _ask_telemetry(self) -> None:
        now = self.running.app.now()
        self.running.telemetry.alerts(None, now, now)

    def _watching(self) -> Check:
        ticker = self.ticker
        if ticker is None:
            return Check("watching", False, "It is starting, or stopping.")
        if ticker.is_failing:
            return Check("watching", False, "The last look at the counts failed.")
        late = ticker.quiet_seconds >= BEAT_READY_SECONDS_MAX
        return Check("watching", not late, f"No look at the counts for {ticker.quiet_seconds:.0f} s." if late else "")

    def _taking_in(self, now: float) -> Check:
        intake = self.running.intake
        if not intake.rows_waiting or intake.groups_done != self._moved[1]:
            self._moved = (now, intake.groups_done)
        stuck = now - self._moved[0]
        is_ok = stuck < INTAKE_SECONDS_MAX
        return Check("intake", is_ok, "" if is_ok else f"Nothing was written for {stuck:.0f} s, and rows wait.")


def _public(error: HindcastError) -> str:
    """What anybody may know of a failure: neither where anything is kept nor what an engine quotes."""
    reason = error.problem.partition(" (")[0].removesuffix(".")
    return (
        f"{reason}." if isinstance(error, Unavailable) and "/" not in reason else "The telemetry store does not open."
    )


def _asked(name: str, ask: Callable[[], object]) -> Check:
    try:
        ask()
    # The face of the product: whatever keeps a store from answering, it is not ready.
    except Exception as error:  # noqa: BLE001
        LOG.warning("Not ready: %s does not answer: %s", name, error)
        return Check(name, False, "It does not answer.")
    return Check(name, True)
