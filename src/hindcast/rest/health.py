"""Whether it is well: alive (restart it if not), ready (send it requests), and each check by its name.

Anybody may ask, so no answer says where the stores are or why one does not answer; the log and `hindcast doctor` do.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from hindcast.build.running import Running
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
        checks = (
            _asked("memory", self._ask_memory),
            _asked("telemetry", self._ask_telemetry),
            self._watching(),
            self._taking_in(now),
        )
        found = Readiness(all(check.is_ok for check in checks), checks)
        self._asked = (now, found)
        return found

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


def _asked(name: str, ask: Callable[[], object]) -> Check:
    try:
        ask()
    # The face of the product: whatever keeps a store from answering, it is not ready.
    except Exception as error:  # noqa: BLE001
        LOG.warning("Not ready: %s does not answer: %s", name, error)
        return Check(name, False, "It does not answer.")
    return Check(name, True)
