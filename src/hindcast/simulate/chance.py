"""Chance that can be repeated: every draw is a function of the seed, of what it is for, and of the time it is for.

A generator is made for each block of time instead of being carried along, so that any second of the world can be had
without living through those before it.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np
from numpy.random import Generator, Philox

from hindcast.model.errors import Malformed

SEED_MAX = 2**63 - 1


class Purpose(IntEnum):
    """What a draw is for; draws for different purposes never share numbers."""

    LOAD = 1
    BACKGROUND = 2
    LOST = 3
    FAULT = 4
    LINES = 5
    WORDS = 6
    SPANS = 7
    METRICS = 8
    BURST = 9
    COURSE = 10


def generator(seed: int, purpose: Purpose, place: int, *, part: int = 0) -> Generator:
    """The generator for one purpose at one place in time (a second or a minute), always the same."""
    key = np.array([seed, purpose], dtype=np.uint64)
    # The lowest words of the counter are those that drawing moves, so the place stands in the upper ones.
    counter = np.array([0, 0, place, part], dtype=np.uint64)
    return Generator(Philox(counter=counter, key=key))


def checked_seed(seed: int) -> int:
    """A seed that can be used.

    Raises Malformed when it is negative or too large.
    """
    if not 0 <= seed <= SEED_MAX:
        raise Malformed(f"{seed} is not a seed.", field="--seed", remedy=f"Give a number from 0 to {SEED_MAX}.")
    return seed
