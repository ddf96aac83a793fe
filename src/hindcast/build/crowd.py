"""Who may think, and who has to do with a glance, where many ask at once."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager

# So many are answered at the same time; more would only share what these can have.
HANDS = 2


class Crowd:
    """Those who want to be answered at the same time.

    Whoever comes while nobody is answered may be thought about alone. Whoever else waits for that a little, until
    somebody more comes: then those before make do with a glance, so that the crowd does not grow.
    """

    def __init__(self) -> None:
        self._changed = threading.Condition()
        self._came = 0
        self._answered = 0

    @contextmanager
    def joined(self, patience: float) -> Iterator[bool]:
        """Be one of them as soon as there is a hand, and know whether one may be thought about alone.

        `patience` is how many seconds one would wait for that.
        """
        with self._changed:
            self._came += 1
            own = self._came
            # Who waits already learns that somebody more has come.
            self._changed.notify_all()
            self._changed.wait_for(lambda: not self._answered or self._came > own, max(patience, 0))
            self._changed.wait_for(lambda: self._answered < HANDS)
            is_alone = not self._answered
            self._answered += 1
        try:
            yield is_alone
        finally:
            with self._changed:
                self._answered -= 1
                self._changed.notify_all()
