"""Who may think, and who has to do with a glance, where many ask at once."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from math import exp
from time import monotonic

# So many are answered at the same time; more would only share what these can have.
HANDS = 2
# How long somebody who has just come waits to be thought about.
PATIENCE_SECONDS = 0.02
# So many within so long are a rush.
RUSH_COUNT = 4
RUSH_SECONDS = 0.5
# In a rush one is thought about only while less than this share of the last moments was spent on answering.
LEISURE_SHARE = 0.5
# Those who have left are thought about only while less than this was: whoever comes is slowed down by it.
PONDERING_SHARE = 0.3
MOMENTS_SECONDS = 0.5


class Crowd:
    """Those who want to be answered at the same time.

    Whoever comes while nobody is answered may be thought about alone. Whoever else waits for that a little, until
    somebody more comes: then those before make do with a glance, so that the crowd does not grow. In a rush nobody
    waits for it, and nobody is thought about unless there is time for that; or, where they are thought about once they
    have left, not before.
    """

    def __init__(
        self, *, glances: bool = True, ponders: bool = False, seconds: Callable[[], float] = monotonic
    ) -> None:
        """Where nobody `glances`, everybody is thought about: without a model nothing could be left out.

        `ponders` says that whoever was glanced at will be thought about afterwards (`pondered`).
        """
        self._glances = glances
        self._ponders = ponders
        self._seconds = seconds
        self._changed = threading.Condition()
        self._came = 0
        self._came_at = deque[float](maxlen=RUSH_COUNT)
        self._answered = 0
        # Whether somebody is thought about who has left already.
        self._is_pondering = False
        # The share of the last moments in which somebody was answered, and when it was brought up to date.
        self._busy = 0.0
        self._busy_at = seconds()

    @contextmanager
    def joined(self, patience: float) -> Iterator[bool]:
        """Be one of them as soon as there is a hand, and know whether one may be thought about.

        `patience` is how many seconds one would wait for that.
        """
        with self._changed:
            self._came += 1
            own, is_rush = self._came, self._is_rush()
            # Who waits already learns that somebody more has come.
            self._changed.notify_all()
            if self._glances and not is_rush:
                self._changed.wait_for(lambda: self._is_free or self._came > own, max(patience, 0))
            self._changed.wait_for(lambda: self._answered < HANDS)
            self._count()
            has_time = not is_rush or (not self._ponders and self._busy < LEISURE_SHARE)
            is_thought_about = not self._glances or (self._is_free and has_time)
            self._answered += 1
        try:
            yield is_thought_about
        finally:
            with self._changed:
                self._count()
                self._answered -= 1
                self._changed.notify_all()

    @contextmanager
    def pondered(self) -> Iterator[None]:
        """Think about somebody who was glanced at and has left: as soon as nobody is answered and there is time."""
        with self._changed:
            while not self._may_ponder():
                # Time passes without anybody telling.
                self._changed.wait(MOMENTS_SECONDS / 10)
            self._is_pondering = True
        try:
            yield
        finally:
            with self._changed:
                self._count()
                self._is_pondering = False
                self._changed.notify_all()

    def _may_ponder(self) -> bool:
        self._count()
        return self._is_free and self._busy < PONDERING_SHARE

    @property
    def _is_free(self) -> bool:
        return not self._answered and not self._is_pondering

    def _count(self) -> None:
        """Count the time since the last time; to be done whenever somebody is about to begin or to end."""
        now = self._seconds()
        left = exp((self._busy_at - now) / MOMENTS_SECONDS)
        self._busy = self._busy * left + (1 - left) * (not self._is_free)
        self._busy_at = now

    def _is_rush(self) -> bool:
        now = self._seconds()
        self._came_at.append(now)
        return len(self._came_at) == RUSH_COUNT and now - self._came_at[0] <= RUSH_SECONDS
