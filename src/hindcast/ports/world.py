"""What time it is, what nobody can guess, and who wants to know how far a long piece of work has come."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime
from typing import Protocol

# Bytes nobody can guess, a given number of them.
Entropy = Callable[[int], bytes]

# Told how far a long piece of work has come: done, out of how many, of what.
Progress = Callable[[int, int, str], None]


class Clock(Protocol):
    """What time it is."""

    def now(self) -> datetime:
        """The present, with its timezone."""
        ...
