"""A past incident as it was lived: what was known of it at each of its moments, by whom it was said, and why.

A case of the history is written as it stands at the end. Memory that is to have a past needs the steps that led there:
it began, something was tried, somebody said what ended it, somebody remembered one thing more.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from hindcast.model.case import Attempt, Case, CaseState, Note, Outcome

# Who says that an incident has begun: nobody sat there and watched.
WATCH = "hindcast"
# What is told of one incident at the same time is told one after the other.
BREATH = timedelta(seconds=1)


@dataclass(frozen=True, slots=True)
class Step:
    """One moment of an incident's life."""

    at: datetime
    by: str
    why: str
    # The case as it was known from then on.
    case: Case


def steps(case: Case, *, until: datetime) -> tuple[Step, ...]:
    """The life of a case, in order, with the case itself at its end; nothing of it lies after `until`."""
    deeds = sorted(_deeds(case), key=lambda deed: deed[0])
    known, found = _begun(case), list[Step]()
    for place, (at, by, why, said) in enumerate(deeds):
        known = case if place == len(deeds) - 1 else said.told(known, case)
        earliest = found[-1].at + BREATH if found else at
        found.append(Step(min(max(at, earliest), until), by, why, known))
    return tuple(found)


def everything(cases: tuple[Case, ...], *, until: datetime) -> tuple[Step, ...]:
    """The lives of many cases as they went on beside each other, in order."""
    lives = [step for case in cases for step in steps(case, until=until)]
    # Sorting keeps the order of what happened at one time, so that no case loses its own.
    return tuple(sorted(lives, key=lambda step: step.at))


@dataclass(frozen=True, slots=True)
class _Said:
    """What one step adds to a case."""

    attempt: Attempt | None = None
    note: Note | None = None
    ends: bool = False

    def told(self, known: Case, whole: Case) -> Case:
        """The case with it; whatever the whole has in an order keeps that order."""
        if self.attempt is not None:
            known = _with_people(replace(known, attempts=(*known.attempts, self.attempt)), whole, self.attempt.by)
        if self.note is not None:
            known = replace(known, notes=(*known.notes, self.note))
        if self.ends:
            # What was learnt of it is the whole story, but for what somebody added later.
            known = replace(whole, attempts=known.attempts, notes=known.notes)
        return known


def _deeds(case: Case) -> Iterator[tuple[datetime, str, str, _Said]]:
    yield case.occurred_at, WATCH, f"It began: {case.title}", _Said()
    at = case.occurred_at
    for attempt in case.attempts:
        # Where nobody noted the time, it was after what was done before it.
        at = attempt.at or at
        yield at, attempt.by, f"{attempt.by} tried: {attempt.action} ({_came_of(attempt)})", _Said(attempt)
    if case.resolution is not None:
        ended = case.resolved_at or at
        by = case.resolution.by
        yield max(ended, at), by, f"{by} said what ended it: {case.resolution.text}", _Said(ends=True)
    for note in case.notes:
        yield note.at, note.by, f"{note.by} noted: {note.text}", _Said(note=note)


def _begun(case: Case) -> Case:
    """The case as it was when it began: what was seen, and nothing of what was found out."""
    return replace(
        case,
        state=CaseState.OPEN,
        summary="",
        cause=None,
        attempts=(),
        resolution=None,
        resolved_at=None,
        minutes=None,
        course=None,
        responders=(),
        notes=(),
        links=(),
        supersedes=(),
    )


def _with_people(known: Case, whole: Case, name: str) -> Case:
    there = {*known.responders, name}
    return replace(known, responders=tuple(one for one in whole.responders if one in there))


def _came_of(attempt: Attempt) -> str:
    return "nobody knows what came of it" if attempt.outcome is Outcome.UNKNOWN else attempt.outcome.value
