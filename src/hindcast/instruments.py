"""What a running Hindcast tells about itself, through one small door.

Code that does the work says what it does; it knows neither who counts nor who draws. `Silent` is the door to nobody,
and what commands on memory use; a server gets one that keeps figures, from `build`.
"""

from __future__ import annotations

from collections import Counter
from contextlib import AbstractContextManager, nullcontext
from enum import StrEnum
from typing import Protocol


class Work(StrEnum):
    """What is timed. A closed list: the figures of a server stay as few after a year as on its first day."""

    # One look at the counts, whatever follows from it included.
    TICK = "tick"
    # A group of requests written, until they are durable.
    INGEST = "ingest"
    # Memory asked: what came to mind, and the answer made of it.
    RECALL = "recall"
    ANSWER = "answer"
    # From the event that called for a briefing to the briefing.
    BRIEFING = "briefing"


class Instruments(Protocol):
    """Counts and times what is done."""

    @property
    def counts(self) -> Counter[str]:
        """What was taken in, refused or done since the start, by name."""
        ...

    def timed(self, work: Work, **said: str) -> AbstractContextManager[object]:
        """Time a piece of work, and trace it with what is said about it where somebody collects traces."""
        ...

    def took(self, work: Work, seconds: float) -> None:
        """A piece of work took so long; for work that no single block of code spans."""
        ...


class Silent:
    """Counts, and times nothing."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()

    @property
    def counts(self) -> Counter[str]:
        """What was counted."""
        return self._counts

    def timed(self, work: Work, **said: str) -> AbstractContextManager[object]:  # noqa: ARG002
        """Nothing is timed."""
        return nullcontext()

    def took(self, work: Work, seconds: float) -> None:
        """Nobody wants to know."""
