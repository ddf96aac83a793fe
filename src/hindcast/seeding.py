"""A year of history to try things on: the demo's resolved incidents and runbooks, written into a memory."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from hindcast.casebook import Casebook
from hindcast.clues import with_clues
from hindcast.memory import Memory
from hindcast.model.ids import Address
from hindcast.model.record import Change
from hindcast.ports import Progress
from hindcast.recollect import RUNBOOK, RUNBOOKS
from hindcast.simulate.history import cases, runbooks

ACTOR = "hindcast"
WHY = "A year of the demo's history."


@dataclass(frozen=True, slots=True)
class Seeded:
    """What a memory gained."""

    cases: int
    runbooks: int


def seed(memory: Memory, *, now: datetime, progress: Progress | None = None) -> Seeded:
    """Write the demo's history, as seen from `now`, and make it searchable. What is there already is left alone."""
    casebook = Casebook(memory)
    view = memory.now()
    lacking = [with_clues(case) for case in cases(now=now) if casebook.find(case.id) is None]
    written = casebook.put_many(lacking, actor=ACTOR, why=WHY)
    changes = [
        Change(Address(RUNBOOKS, body["id"]), body, RUNBOOK)
        for body in runbooks()
        if view.find(Address(RUNBOOKS, body["id"])) is None
    ]
    if changes:
        memory.commit(changes, actor=ACTOR, why="Runbooks of the demo.")
    memory.index(progress)
    return Seeded(len(written.new), len(changes))
