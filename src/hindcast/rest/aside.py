"""Sends questions to a process of their own while many are asked, so that they do not wait for what is taken in.

One question now and then is answered here. When they come close together, a second process is started beside the
server; until it is ready, and whenever it has no answer, they are answered here as before. It ends when nobody asks.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import deque
from collections.abc import Callable
from concurrent.futures import TimeoutError as TooLate

import msgspec

from hindcast.adapters.companion import Companion, Unanswered
from hindcast.build.mind import Asked, Told
from hindcast.instruments import Instruments, Work

LOG = logging.getLogger("hindcast")

# More than a person asks, and less than a few agents do.
QUESTIONS_MANY = 8
MANY_SECONDS = 2.0
# After one that failed, another one is not started at once: whatever it was may still be there.
REST_SECONDS = 30.0
ANSWER_SECONDS_MAX = 20.0

# Starts a process that is to know a space.
Start = Callable[[str], Companion]


class Aside:
    """Answers a question elsewhere, or says that it has to be answered here. May be asked by many threads."""

    def __init__(
        self, start: Start | None, instruments: Instruments, *, seconds: Callable[[], float] = time.monotonic
    ) -> None:
        """Without `start` everything is answered here."""
        self._start = start
        self._instruments = instruments
        self._seconds = seconds
        self._asked: deque[float] = deque(maxlen=QUESTIONS_MANY)
        self._companion: Companion | None = None
        self._rest_until = -float("inf")
        self._lock = threading.Lock()

    def ask(self, asked: Asked) -> Told | None:
        """What another process answers; None: nobody else does."""
        if self._start is None:
            return None
        companion = self._companion_for(asked.space)
        if companion is None or not companion.is_ready:
            return None
        with self._instruments.timed(Work.RECALL, space=asked.space):
            try:
                found = companion.ask(msgspec.msgpack.encode(asked)).result(ANSWER_SECONDS_MAX)
            except (Unanswered, TooLate):
                self._instruments.counts["recalls_not_answered_aside"] += 1
                return None
        told = msgspec.msgpack.decode(found, type=Told)
        self._instruments.took(Work.ANSWER, told.answer_seconds)
        self._instruments.counts["recalls_answered_aside"] += 1
        self._instruments.counts["recalls_answered_at_a_glance"] += told.at_a_glance
        return told

    def end(self) -> None:
        """Let go of the process: it may still know what was erased. The next many questions start another one."""
        with self._lock:
            companion, self._companion = self._companion, None
            self._asked.clear()
        if companion is not None:
            companion.close()

    def close(self) -> None:
        """It is over."""
        self._start = None
        self.end()

    def _companion_for(self, space: str) -> Companion | None:
        now = self._seconds()
        with self._lock:
            self._asked.append(now)
            if self._companion is not None and self._companion.is_over:
                # One that nobody has asked for a while has ended as it should.
                self._rest_until = now + REST_SECONDS if self._companion.has_failed else self._rest_until
                self._companion = None
            is_many = len(self._asked) == QUESTIONS_MANY and now - self._asked[0] <= MANY_SECONDS
            if self._companion is None and self._start is not None and is_many and now >= self._rest_until:
                self._companion = self._started(self._start, space)
            return self._companion

    def _started(self, start: Start, space: str) -> Companion | None:
        try:
            companion = start(space)
        except OSError as error:
            LOG.warning("Questions are answered by the server itself: no process can be started: %s", error)
            self._rest_until = self._seconds() + REST_SECONDS
            return None
        self._instruments.counts["minds_started"] += 1
        return companion
