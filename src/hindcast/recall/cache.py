"""Answers that were just given: the same question, of the same memory, with the same options, is not worked out twice.

In an outage everybody asks the same, and so do their agents. An answer ends with the next step of memory that teaches
anything, and with time: how long ago something was is part of it.
"""

from __future__ import annotations

from collections.abc import Hashable
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Generic, TypeVar

# An answer with its recollection is some 100 kB.
ANSWERS_KEPT_MAX = 128
# "Just now" is still true after half a minute.
ANSWER_LASTS = timedelta(seconds=30)
# The model reads what was just written beside the questions. An answer from before it has done so is not kept.
STEP_SETTLES = timedelta(seconds=3)

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class CacheKey:
    """All that an answer of the present depends on, but for the step of memory and the time."""

    space: str
    text: str
    services: tuple[str, ...]
    branch: str
    hits_max: int | None


@dataclass(frozen=True, slots=True)
class _Entry(Generic[T]):
    step: int
    until: datetime
    answer: T


class AnswerCache(Generic[T]):
    """The latest answers. Several threads may use it: each step is one operation on one dictionary."""

    def __init__(self) -> None:
        self._entries: dict[CacheKey, _Entry[T]] = {}
        # By space: the step that was asked at last, and since when.
        self._steps: dict[Hashable, tuple[int, datetime]] = {}

    def find(self, key: CacheKey, step: int, now: datetime) -> T | None:
        """The answer to the very same question at the same step."""
        known = self._steps.get(key.space)
        if known is None or known[0] != step:
            self._steps[key.space] = (step, now)
        entry = self._entries.get(key)
        return entry.answer if entry is not None and entry.step == step and now < entry.until else None

    def keep(self, key: CacheKey, step: int, answer: T, now: datetime) -> None:
        """Keep an answer that was worked out from this step on."""
        known = self._steps.get(key.space)
        if known is None or known[0] != step or now - known[1] < STEP_SETTLES:
            return
        self._entries.pop(key, None)
        self._entries[key] = _Entry(step, now + ANSWER_LASTS, answer)
        while len(self._entries) > ANSWERS_KEPT_MAX:
            with suppress(RuntimeError, KeyError):
                del self._entries[next(iter(self._entries))]

    def forget(self, space: str) -> None:
        """Keep nothing of a space: something was erased."""
        for key in [key for key in list(self._entries) if key.space == space]:
            self._entries.pop(key, None)
