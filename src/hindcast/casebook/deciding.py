"""Confirm, dismiss and reopen what nobody watches: incidents long over, and cases that were imported.

While an incident lasts, whoever watches it decides and tells the others; this is for the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

from hindcast.casebook import people
from hindcast.casebook.layout import Kept
from hindcast.model.case import Case, CaseState
from hindcast.model.errors import Malformed, Refused
from hindcast.model.incident import Event, EventKind, Incident, IncidentState

# What each decision makes of a case, of an incident, and what has happened to it then.
ENDS = {"confirm": CaseState.RESOLVED, "dismiss": CaseState.DISMISSED, "reopen": CaseState.OPEN}
_STEPS = {
    "confirm": (IncidentState.CONFIRMED, EventKind.CONFIRMED),
    "dismiss": (IncidentState.DISMISSED, EventKind.DISMISSED),
    "reopen": (IncidentState.OPEN, EventKind.REOPENED),
}


def decided(found: Sequence[Kept], verb: str, *, at: datetime) -> list[Kept]:
    """The case of an incident that detection does not know, as somebody's word makes it."""
    kept = found[0]
    _check(verb)
    if kept.joined_into:
        raise Refused(
            f"{kept.case.id} is part of {kept.joined_into}.", field="id", remedy=f"Decide about {kept.joined_into}."
        )
    if kept.case.state is ENDS[verb]:
        raise Refused(f"{kept.case.id} is already {kept.case.state}.", field="id", remedy="There is nothing to do.")
    return [replace(kept, case=_ended(kept.case, verb, at))]


def event_of(incident: Incident, verb: str, *, by: str, at: datetime) -> Event:
    """The step that somebody's word makes in the life of an incident that nobody watches."""
    _check(verb)
    state, kind = _STEPS[verb]
    if incident.joined:
        raise Refused(
            f"{incident.id} is part of {incident.joined}.", field="id", remedy=f"Decide about {incident.joined}."
        )
    if incident.state is state or (incident.state.is_over and verb != "reopen"):
        raise Refused(f"{incident.id} is already {incident.state}.", field="id", remedy="There is nothing to do.")
    closed = None if verb == "reopen" else at
    changed = replace(incident, state=state, closed_at=closed, closed_by="" if closed is None else by)
    return Event(kind, at, changed, f"{by} said {verb}.")


def _ended(case: Case, verb: str, at: datetime) -> Case:
    if verb == "confirm":
        return people.over(case, at=at)
    return people.dismissed(case) if verb == "dismiss" else people.reopened(case)


def _check(verb: str) -> None:
    if verb not in ENDS:
        raise Malformed(f"{verb!r} is no decision.", field="verb", remedy=f"Use one of: {', '.join(ENDS)}.")
