"""How much memory can be relied on, over HTTP.

Counting asks memory once for every incident that happened again, which takes seconds. So it is counted when somebody
wants to know, kept for a while, and says when it was counted; two who ask at once wait for the same count.
"""

from __future__ import annotations

import threading
from dataclasses import dataclass
from datetime import datetime, timedelta

from fastapi import FastAPI
from starlette.responses import Response

from hindcast.asking import cue_of_case
from hindcast.casebook import Casebook
from hindcast.learning import RECENT, Counted, Earlier, Learning, learning_of
from hindcast.memory import Memory
from hindcast.model.case import Case
from hindcast.model.recollection import Recollection
from hindcast.model.verdict import Reliability
from hindcast.recall.remember import recall
from hindcast.rest.desk import Desk, answered
from hindcast.rest.seat import Reading

# One case more changes the shares by little, and nobody decides anything by them within half an hour.
KEPT_MAX = timedelta(minutes=30)
SPACES_KEPT_MAX = 200
INCOMPLETE_TOLD_MAX = 50


@dataclass(frozen=True, slots=True)
class CountedTold:
    """A share as it was counted."""

    part: int
    whole: int


@dataclass(frozen=True, slots=True)
class LearningTold:
    """How much memory can be relied on, and how that was counted."""

    # Coverage times completeness times accuracy; None where there is too little to count.
    confidence: float | None
    # Incidents of the last days whose failure has a resolved case.
    coverage: CountedTold
    # Resolved cases that say why, what ended it, and what came of everything that was tried.
    completeness: CountedTold
    # Incidents that happened again, for which an earlier case of the same failure came first.
    accuracy: CountedTold
    # How often answers of each level of confidence were right, on the same incidents.
    reliability: tuple[Reliability, ...]
    # Why there is no number, in sentences.
    missing: tuple[str, ...]
    # Resolved cases that do not say everything, the newest first.
    incomplete: tuple[str, ...]
    days: int
    counted_at: datetime


class Counts:
    """What was counted, by space."""

    def __init__(self) -> None:
        self._kept: dict[str, LearningTold] = {}
        self._turns: dict[str, threading.Lock] = {}
        self._turn = threading.Lock()

    def of(self, memory: Memory | None, space: str, *, now: datetime) -> LearningTold:
        """The last count, if it is fresh; else another."""
        with self._turn:
            turn = self._turns.setdefault(space, threading.Lock())
        with turn:
            kept = self._kept.get(space)
            if kept is None or now - kept.counted_at >= KEPT_MAX:
                kept = _told(_counted(memory, now), now)
                self._keep(space, kept)
            return kept

    def _keep(self, space: str, made: LearningTold) -> None:
        with self._turn:
            self._kept.pop(space, None)
            self._kept[space] = made
            while len(self._kept) > SPACES_KEPT_MAX:
                del self._kept[next(iter(self._kept))]


def add(app: FastAPI, desk: Desk) -> None:
    """Add the route."""
    counts = Counts()

    @app.get("/api/v1/learning", tags=["incidents"], operation_id="learning_get", response_model=LearningTold)
    def learning_get(seat: Reading) -> Response:
        """How much memory can be relied on, and how often its answers were right. Counted every half hour."""
        return answered(counts.of(desk.register.existing(seat.space), seat.space, now=desk.now()))


def _counted(memory: Memory | None, now: datetime) -> Learning:
    if memory is None:
        return learning_of((), _nothing, now=now)

    def asked(case: Case) -> Recollection:
        """What memory would have said to an incident before it, without what people said about answers since."""
        cue = cue_of_case(case, at=case.occurred_at)
        return recall(Earlier(memory.now(), case.occurred_at), cue, space=memory.space)

    return learning_of(Casebook(memory).every(), asked, now=now)


def _nothing(case: Case) -> Recollection:
    raise AssertionError(f"{case.id} is in no memory")


def _told(found: Learning, now: datetime) -> LearningTold:
    return LearningTold(
        found.confidence,
        _share(found.coverage),
        _share(found.completeness),
        _share(found.accuracy),
        found.reliability,
        found.missing,
        found.incomplete[:INCOMPLETE_TOLD_MAX],
        RECENT.days,
        now,
    )


def _share(one: Counted) -> CountedTold:
    return CountedTold(one.part, one.whole)
