"""The heartbeat: looks at the counts twice a second, in a thread of its own, and tells whoever listens."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Any

from hindcast.app import App
from hindcast.model.errors import HindcastError
from hindcast.model.incident import Event
from hindcast.rest.live import Live
from hindcast.rest.shapes import detection

LOG = logging.getLogger("hindcast")

# Two looks a second leave most of two seconds for everything else between an error and the screen.
TICK_SECONDS = 0.5


class Ticker:
    """Ticks from start to stop. A tick that fails is logged and counted; the next one comes all the same."""

    def __init__(
        self,
        app: App,
        live: Live,
        turn: threading.Lock,
        *,
        looked: Callable[[], None] = lambda: None,
        tick_seconds: float = TICK_SECONDS,
    ) -> None:
        """`turn` is held while looking: detection is no place for two at once. `looked` hears of looks with news."""
        self._looked = looked
        self._ticked = time.monotonic()
        self._is_failing = False
        self._turn = turn
        self._app = app
        self._live = live
        self._seconds = tick_seconds
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="ticker", daemon=True)

    @property
    def quiet_seconds(self) -> float:
        """How long ago the last look ended, well or not."""
        return time.monotonic() - self._ticked

    @property
    def is_failing(self) -> bool:
        """Whether the last look failed."""
        return self._is_failing

    def start(self) -> None:
        """Begin to tick."""
        self._ticked = time.monotonic()
        self._thread.start()

    def stop(self) -> None:
        """Tick no more, and wait for the tick that is under way."""
        self._stopping.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._stopping.wait(self._seconds):
            self._tick()

    def _tick(self) -> None:
        try:
            with self._turn:
                events = self._app.tick()
        # The face of the product: watching must not end because of one bad look.
        except Exception as error:
            self._app.counts["ticks_failed"] += 1
            # Where a store is away every look fails; the first says all that there is to say.
            if not self._is_failing:
                LOG.warning("Looking at the counts failed: %s", error, exc_info=not isinstance(error, HindcastError))
            self._is_failing = True
        else:
            self._app.counts["ticks"] += 1
            self._is_failing = False
            self._tell(events)
        finally:
            self._ticked = time.monotonic()

    def _tell(self, events: tuple[Event, ...]) -> None:
        for event in events:
            self._live.tell(event.incident.space, "incident", told(event))
            LOG.info(
                "Incident %s: %s",
                event.incident.id,
                event.kind.value,
                extra={"space": event.incident.space, "incident": event.incident.id, "event": event.kind.value},
            )
        if events:
            self._looked()


def told(event: Event) -> dict[str, Any]:
    """An event as listeners get it."""
    return {"kind": event.kind, "at": event.at.isoformat(), "why": event.why, "incident": detection(event.incident)}
