"""Raw telemetry that may be away: a server starts without it, answers from memory, and opens it as soon as it can."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import Any

from hindcast.adapters.telemetry_clickhouse.faults import InUse
from hindcast.model.errors import Damaged, HindcastError, Unavailable
from hindcast.ports import Telemetry

LOG = logging.getLogger("hindcast")

# Opening takes a moment of the processors; whoever asks in between is told at once.
REOPEN_SECONDS = 5.0


class TelemetryAccess:
    """Has the verbs of `ports.Telemetry`, each of which raises Unavailable while the store cannot be opened."""

    def __init__(
        self,
        open_store: Callable[[], Telemetry],
        *,
        opened: Callable[[Telemetry], None],
        seconds: Callable[[], float] = time.monotonic,
    ) -> None:
        """Open it. `opened` hears of it before anybody else can use it.

        Raises what no waiting mends: an address that is wrong, or a folder that another process has.
        """
        self._open_store = open_store
        self._opened = opened
        self._seconds = seconds
        self._store: Telemetry | None = None
        self._problem: HindcastError | None = None
        self._tried_at = 0.0
        self._lock = threading.Lock()
        self._is_over = False
        try:
            self._open()
        except InUse:
            raise
        except (Unavailable, Damaged) as error:
            self._fail(error)

    @property
    def problem(self) -> HindcastError | None:
        """Why it is away; None: it is there."""
        return self._problem

    def check(self) -> None:
        """Raise Unavailable while it is away, with the reason; try to open it now and then."""
        self._current()

    def close(self) -> None:
        """Close it, if it ever was open."""
        with self._lock:
            self._is_over = True
            if self._store is not None:
                self._store.close()

    def __getattr__(self, verb: str) -> Any:  # noqa: ANN401
        return getattr(self._current(), verb)

    def _current(self) -> Telemetry:
        if self._store is None and self._lock.acquire(blocking=False):
            try:
                if self._store is None and not self._is_over and self._seconds() - self._tried_at >= REOPEN_SECONDS:
                    self._reopen()
            finally:
                self._lock.release()
        if self._store is None:
            raise Unavailable(
                f"Telemetry is away: {self._problem}", remedy="Memory and recall answer; it is opened again by itself."
            )
        return self._store

    def _reopen(self) -> None:
        try:
            self._open()
        except HindcastError as error:
            self._fail(error)
        else:
            LOG.info("Telemetry is there again.")

    def _open(self) -> None:
        store = self._open_store()
        self._opened(store)
        self._store, self._problem = store, None

    def _fail(self, error: HindcastError) -> None:
        if self._problem is None:
            LOG.warning("Telemetry is away, so nothing is taken in and nothing is watched: %s", error)
        self._problem, self._tried_at = error, self._seconds()
