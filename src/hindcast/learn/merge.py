"""A case that is imported again: what the source says replaces what it said before, and what people said stays.

Nobody who completes an imported case has to fear the next import, and nobody who corrects the source has to correct the
case as well.
"""

from __future__ import annotations

from dataclasses import replace

from hindcast.learn.postmortem import READER
from hindcast.learn.review import NEVER, PEOPLE
from hindcast.learn.story import NO_TIME
from hindcast.model.action import same_action
from hindcast.model.case import Attempt, Case, CaseState, Cause, Evidence, Outcome, Resolution, Witness


def settled(known: Case, given: Case) -> Case:
    """The case as it should be remembered: the known one, with what the source says now."""
    given = _dated(known, given)
    by_people = known.resolution is not None and _is_said(known.resolution)
    resolution = known.resolution if by_people else given.resolution or known.resolution
    never = {note.id.removeprefix(f"{NEVER}-") for note in known.notes if note.id.startswith(f"{NEVER}-")}
    attempts = _attempts(known.attempts, tuple(one for one in given.attempts if one.id not in never))
    people_said = any(note.id == PEOPLE for note in known.notes)
    if resolution is not None and resolution.attempt not in {one.id for one in attempts}:
        resolution = replace(resolution, attempt="")
    return replace(
        given,
        state=_state(known, given, by_people=by_people),
        cause=known.cause if known.cause is not None and _is_said(known.cause) else given.cause or known.cause,
        attempts=attempts,
        resolution=resolution,
        resolved_at=(known.resolved_at if by_people else given.resolved_at) or known.resolved_at or given.resolved_at,
        minutes=known.minutes if by_people and known.minutes is not None else given.minutes,
        responders=known.responders if people_said else tuple(dict.fromkeys((*given.responders, *known.responders))),
        notes=(*given.notes, *(note for note in known.notes if not note.id.startswith(f"{READER}-"))),
        links=tuple(dict.fromkeys((*given.links, *known.links))),
        previous=given.previous or known.previous,
        supersedes=tuple(dict.fromkeys((*given.supersedes, *known.supersedes))),
        source=known.source,
    )


def _dated(known: Case, given: Case) -> Case:
    """The case with the time it was given first, where its source names none: files get new times without new words."""
    if not any(note.text == NO_TIME for note in given.notes):
        return given
    moved = known.occurred_at - given.occurred_at
    return replace(
        given,
        occurred_at=known.occurred_at,
        resolved_at=given.resolved_at + moved if given.resolved_at else None,
        notes=tuple(replace(note, at=note.at + moved) for note in given.notes),
    )


def _is_said(one: Cause | Resolution | Attempt) -> bool:
    """Whether a person (or a measurement) stands behind it, rather than only a text that was read."""
    return any(evidence.witness is not Witness.TEXT for evidence in one.evidence) or not one.evidence


def _attempts(known: tuple[Attempt, ...], given: tuple[Attempt, ...]) -> tuple[Attempt, ...]:
    """The source's attempts as it tells them now, those that somebody judged as they were judged, then people's own."""
    judged = [one for one in known if _is_said(one)]
    used: set[str] = set()
    found: list[Attempt] = []
    for one in given:
        said = next((other for other in judged if other.id not in used and _is_same(other, one)), None)
        if said is None:
            found.append(one)
            continue
        used.add(said.id)
        found.append(_with_texts(said, one))
    taken = {one.id for one in found}
    found += [one for one in judged if one.id not in used and one.id not in taken]
    return tuple(found)


def _is_same(said: Attempt, read: Attempt) -> bool:
    """Whether somebody judged this very attempt: by its id, or by its action where it was read out of a text."""
    if said.id == read.id:
        return True
    was_read = any(evidence.witness is Witness.TEXT for evidence in said.evidence)
    return was_read and same_action(said.action, read.action)


def _with_texts(said: Attempt, read: Attempt) -> Attempt:
    """What somebody said of an attempt, with the sentences that the source has about it now."""
    spoken = tuple(one for one in said.evidence if one.witness is not Witness.TEXT)
    texts: tuple[Evidence, ...] = read.evidence
    outcome = read.outcome if said.outcome is Outcome.UNKNOWN else said.outcome
    return replace(said, outcome=outcome, at=said.at or read.at, evidence=(*spoken, *texts))


def _state(known: Case, given: Case, *, by_people: bool) -> CaseState:
    if known.state is CaseState.DISMISSED or by_people:
        return known.state
    return given.state
