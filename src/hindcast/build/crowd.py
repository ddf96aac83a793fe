"""Who may think, and who has to do with a glance, where many ask at once."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import monotonic

# So many are answered at the same time; more would only share what these can have.
HANDS = 2
# So many within so long are a rush.
RUSH_COUNT = 10
RUSH_SECONDS = 0.5
# After a thought in a rush there is none for so many times as long as it took: most of the time is the rush's.
RESTED_TIMES = 2


class Crowd:
    """Those who want to be answered at the same time.

    Whoever comes while nobody is answered may be thought about alone. Whoever else waits for that a little, until
    somebody more comes: then those before make do with a glance, so that the crowd does not grow. In a rush nobody
    waits for it, and one is thought about now and then.
    """

    def __init__(self, *, seconds: Callable[[], float] = monotonic) -> None:
        self._seconds = seconds
        self._changed = threading.Condition()
        self._came = 0
        self._came_at = deque[float](maxlen=RUSH_COUNT)
        self._answered = 0
        self._rests_until = -float("inf")

    @contextmanager
    def joined(self, patience: float) -> Iterator[bool]:
        """Be one of them as soon as there is a hand, and know whether one may be thought about alone.

        `patience` is how many seconds one would wait for that.
        """
        with self._changed:
            self._came += 1
            own, is_rush = self._came, self._is_rush()
            # Who waits already learns that somebody more has come.
            self._changed.notify_all()
            if not is_rush:
                self._changed.wait_for(lambda: not self._answered or self._came > own, max(patience, 0))
            self._changed.wait_for(lambda: self._answered < HANDS)
            begin = self._seconds()
            is_alone = not self._answered and not (is_rush and begin < self._rests_until)
            self._answered += 1
        try:
            yield is_alone
        finally:
            with self._changed:
                self._answered -= 1
                if is_alone:
                    end = self._seconds()
                    self._rests_until = end + RESTED_TIMES * (end - begin)
                self._changed.notify_all()

    def _is_rush(self) -> bool:
        now = self._seconds()
        self._came_at.append(now)
        return len(self._came_at) == RUSH_COUNT and now - self._came_at[0] <= RUSH_SECONDS
