"""Thinks about what was answered at a glance, once there is time: whoever asks the same again is told the thought."""

from __future__ import annotations

import threading
from collections.abc import Callable
from contextlib import suppress

from hindcast.build.crowd import Crowd
from hindcast.model.errors import HindcastError

# As many as are worth thinking about once a rush is over. Whoever asked before these has gone on since.
LEFT_MAX = 200


class Afterthoughts:
    """A thread of its own that thinks about one request after the other, the latest first."""

    def __init__(self, think: Callable[[bytes], object], crowd: Crowd) -> None:
        self._think = think
        self._crowd = crowd
        # In the order in which they were asked last.
        self._left: dict[bytes, None] = {}
        self._changed = threading.Condition()
        self._is_over = False
        self._thread = threading.Thread(target=self._work, name="afterthoughts", daemon=True)
        self._thread.start()

    def add(self, request: bytes) -> None:
        """Think about this when there is time."""
        with self._changed:
            self._left.pop(request, None)
            self._left[request] = None
            if len(self._left) > LEFT_MAX:
                del self._left[next(iter(self._left))]
            self._changed.notify_all()

    def stop(self) -> None:
        """Think no more, and wait for the thought that is under way."""
        with self._changed:
            self._is_over = True
            self._changed.notify_all()
        self._thread.join()

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._left or self._is_over)
            with self._crowd.pondered():
                with self._changed:
                    if self._is_over:
                        return
                    request, _ = self._left.popitem()
                # Whoever asks it again meets the same failure where it can be told.
                with suppress(HindcastError):
                    self._think(request)
