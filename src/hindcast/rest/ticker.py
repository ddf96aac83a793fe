"""The heartbeat: looks at the counts twice a second, in a thread of its own, and tells whoever listens."""

from __future__ import annotations

import logging
import threading
from typing import Any

from hindcast.app import App
from hindcast.model.incident import Event, to_json
from hindcast.rest.live import Live

LOG = logging.getLogger("hindcast")

# Two looks a second leave most of two seconds for everything else between an error and the screen.
TICK_SECONDS = 0.5


class Ticker:
    """Ticks from start to stop. A tick that fails is logged and counted; the next one comes all the same."""

    def __init__(self, app: App, live: Live, turn: threading.Lock, *, tick_seconds: float = TICK_SECONDS) -> None:
        """`turn` is held while looking: detection is no place for two at once."""
        self._turn = turn
        self._app = app
        self._live = live
        self._seconds = tick_seconds
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="ticker", daemon=True)

    def start(self) -> None:
        """Begin to tick."""
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
            LOG.warning("Looking at the counts failed: %s", error, exc_info=error)
            return
        self._app.counts["ticks"] += 1
        for event in events:
            self._live.tell(event.incident.space, "incident", told(event))


def told(event: Event) -> dict[str, Any]:
    """An event as listeners get it."""
    return {"kind": event.kind, "at": event.at.isoformat(), "why": event.why, "incident": to_json(event.incident)}
