"""A year of history to try things on: the demo's incidents and runbooks, written into a memory.

A memory that holds nothing yet gets a past: every step of every incident is a commit of the day on which it was known,
by whoever said it. The year is lived in a memory of its own and taken over as a whole, so that nobody ever finds half
of it. Into a memory that has a history nothing is back-dated; there it is written as what it is, learnt today.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any

from hindcast.casebook import Casebook, Kept
from hindcast.casebook.layout import change_of
from hindcast.clues import with_clues
from hindcast.memory import Memory
from hindcast.model.case import CaseState
from hindcast.model.ids import Address
from hindcast.model.record import Change
from hindcast.ports import Progress
from hindcast.recall.reading import words_of_case
from hindcast.recollect import RUNBOOK, RUNBOOKS
from hindcast.simulate.history import cases, runbooks
from hindcast.simulate.history.lived import everything

ACTOR = "hindcast"
WHY = "A year of the demo's history."
WHY_RUNBOOKS = "Runbooks of the demo."
# Runbooks are there before the first incident of the year.
BEFOREHAND = timedelta(hours=1)


@dataclass(frozen=True, slots=True)
class Seeded:
    """What a memory gained."""

    cases: int
    runbooks: int
    # Whether each was remembered on the day it was known. Otherwise all of it was learnt today.
    is_lived: bool = False


def seed(
    memory: Memory,
    *,
    now: datetime,
    progress: Progress | None = None,
    lived: Callable[[], Iterable[bytes]] | None = None,
) -> Seeded:
    """Write the demo's history, as seen from `now`, and make it searchable. What is there already is left alone.

    `lived` gives the same year with a past, as an export; it is taken where memory holds nothing yet.
    """
    is_lived = lived is not None and not memory.log(None, commits_max=1)
    if lived is not None and is_lived:
        memory.import_lines(lived(), progress)
        seeded = Seeded(len(cases(now=now)), len(runbooks()), is_lived=True)
    else:
        seeded = _learnt_today(memory, now=now)
    memory.index(progress)
    return seeded


def live(memory: Memory, stand_at: Callable[[datetime], object], *, now: datetime) -> None:
    """Let a year pass in a memory that holds nothing: `stand_at` sets the clock that it was opened with."""
    steps = everything(cases(now=now), until=now)
    stand_at(steps[0].at - BEFOREHAND)
    memory.commit([_runbook(body) for body in runbooks()], actor=ACTOR, why=WHY_RUNBOOKS)
    last = {step.case.id: step for step in steps}
    for step in steps:
        stand_at(step.at)
        # Nobody else writes here, so that nothing has to be read before.
        change = change_of(Kept(with_clues(step.case)))
        if step.case.state is CaseState.OPEN and step is not last[step.case.id]:
            # While it lasts it is found by what is seen of it. A model reads each text once, and this one stays the
            # same until somebody says what ended it.
            change = replace(change, text=words_of_case(replace(step.case, attempts=())))
        memory.commit([change], actor=step.by, why=step.why)
    stand_at(now)


def _learnt_today(memory: Memory, *, now: datetime) -> Seeded:
    casebook = Casebook(memory)
    view = memory.now()
    lacking = [with_clues(case) for case in cases(now=now) if casebook.find(case.id) is None]
    written = casebook.put_many(lacking, actor=ACTOR, why=WHY)
    changes = [change for change in map(_runbook, runbooks()) if view.find(change.address) is None]
    if changes:
        memory.commit(changes, actor=ACTOR, why=WHY_RUNBOOKS)
    return Seeded(len(written.new), len(changes))


def _runbook(body: dict[str, Any]) -> Change:
    return Change(Address(RUNBOOKS, body["id"]), body, RUNBOOK)
