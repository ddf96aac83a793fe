"""A bounded pool for questions: so many are answered at once, so many wait, and whoever comes then is told to wait."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

from hindcast.model.errors import Busy

# They share the processors with whatever is taken in: more at once would only make each of them slower.
ANSWERED_AT_ONCE = 2
# About three seconds of them at ten a second. Each keeps a thread of the server's waiting (`rest.life.THREADS_MAX`).
WAITING_MAX = 30
WAIT_SECONDS_MAX = 10.0
RETRY_AFTER_SECONDS = 2


class AtCapacity(Busy):
    """All places are taken, whoever asks: for this caller it is as if the server were away for a moment (HTTP 503)."""


class Admission:
    """Lets questions in. Several threads may use it."""

    def __init__(
        self,
        *,
        at_once: int = ANSWERED_AT_ONCE,
        waiting_max: int = WAITING_MAX,
        wait_seconds_max: float = WAIT_SECONDS_MAX,
    ) -> None:
        self._capacity = at_once + waiting_max
        self._wait_seconds_max = wait_seconds_max
        self._slots = threading.BoundedSemaphore(at_once)
        self._lock = threading.Lock()
        self._inside = 0

    @contextmanager
    def admitted(self) -> Iterator[None]:
        """Be let in as soon as it is one's turn. Raises AtCapacity where too many wait, or it takes too long."""
        with self._lock:
            if self._inside >= self._capacity:
                raise _busy()
            self._inside += 1
        try:
            if not self._slots.acquire(timeout=self._wait_seconds_max):
                raise _busy()
            try:
                yield
            finally:
                self._slots.release()
        finally:
            with self._lock:
                self._inside -= 1


def _busy() -> AtCapacity:
    return AtCapacity(
        "More questions are asked at once than can be answered.",
        remedy=f"Ask again in {RETRY_AFTER_SECONDS} seconds.",
        retry_after_seconds=RETRY_AFTER_SECONDS,
    )
