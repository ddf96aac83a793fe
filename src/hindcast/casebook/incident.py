"""What detection knows of an incident, as a case: what was seen, where, since when, and what was altered meanwhile.

It fills in what a machine can know and never touches what people said: cause, outcomes, fix, notes, responders. What it
has once seen it keeps, so that a case changes only when there is something new to remember.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime

from hindcast.casebook.joining import LINKS_MAX, absorbed, pointing, together
from hindcast.casebook.layout import Kept
from hindcast.casebook.people import ATTEMPTS_MAX, numbered
from hindcast.clues import clues_of
from hindcast.ingest.level import is_access
from hindcast.model.case import CHANGE_NOTE, NOTICED_HERE, Attempt, Case, CaseState, Clues, Evidence, Note, Witness
from hindcast.model.finding import Rule
from hindcast.model.incident import Event, EventKind, Incident, IncidentState
from hindcast.model.signal import ChangeKind, SystemChange

SYMPTOMS_MAX = 20
SYMPTOM_CHARS_MAX = 500
STACK_CHARS_MAX = 8_000
EXEMPLARS_READ_MAX = 5
CHANGES_NOTED_MAX = 10
# The kinds of change that alter what runs; a merge or a push does nothing by itself.
ACTS = {
    ChangeKind.DEPLOY: "deployed",
    ChangeKind.RELEASE: "released",
    ChangeKind.CONFIG: "changed the configuration of",
}

# How what was accepted as a card says which one.
CARD_REF = "cards/"

_ROLLBACK = re.compile(r"\broll(?:ed|ing)?[\s-]?back|\brevert", re.IGNORECASE)
_NUMBERS = re.compile(r"\d[\d,.]*")


def case_of(event: Event, known: Kept | None) -> Kept:
    """What an event makes of its incident's case."""
    incident = event.incident
    kept = known or Kept(Case(incident.id, incident.title, incident.onset_at))
    case = kept.case
    stack = case.stack or _stack(incident)
    clues = together(case.clues, _clues(incident))
    case = replace(
        case,
        title=_title(case.title, incident.title),
        title_by="" if _is_quoted(incident) else NOTICED_HERE,
        occurred_at=min(case.occurred_at, incident.onset_at),
        services=_services(incident, kept),
        components=_once(case.components, clues.components),
        symptoms=_once(case.symptoms, _symptoms(incident))[: max(SYMPTOMS_MAX, len(case.symptoms))],
        stack=stack,
        clues=clues,
        severity=incident.severity,
        course=incident.course or case.course,
        links=_once(case.links, _links(incident))[: max(LINKS_MAX, len(case.links))],
        previous=case.previous or _previous(incident, kept),
    )
    case = with_changes(_standing(case, event), incident.changes, since=incident.opened_at)
    made = replace(kept, case=_noted(case, incident))
    if incident.state is IncidentState.JOINED and incident.joined:
        return pointing(made, incident.joined)
    # What people joined stays joined, whatever becomes of the incident.
    return pointing(made, kept.joined_into) if kept.joined_into else made


def carried_over(home: Kept, joined: Case, *, whole: bool) -> Kept:
    """The case that goes on, with what was learnt under the name of one that is part of it.

    What people said there is taken once, when they become one; what is seen later is added as it comes.
    """
    if not whole:
        joined = replace(joined, attempts=(), notes=(), cause=None, resolution=None, responders=(), acknowledged=None)
    return replace(home, case=absorbed(home.case, joined))


def with_changes(case: Case, changes: Iterable[SystemChange], *, since: datetime) -> Case:
    """The case with what was done to its services while it lasted, as attempts whose outcome is not known yet.

    A deploy announced before anybody knew of the incident is a suspect and no attempt; a rollback is always one. What
    was accepted as a card is tried when it is deployed: the next deploy is that attempt, and none of its own.
    """
    attempts = list(case.attempts)
    for change in changes:
        is_rollback = _is_rollback(change)
        is_act = change.kind in ACTS or is_rollback
        during = case.occurred_at < change.at if is_rollback else since < change.at
        ended = case.resolved_at is not None and change.at > case.resolved_at
        if not is_act or not during or ended or change.service not in case.services:
            continue
        ref = _ref(change)
        if not is_rollback:
            attempts = [_deployed(one, change) for one in attempts]
        if len(attempts) >= ATTEMPTS_MAX or any(said.ref == ref for one in attempts for said in one.evidence):
            continue
        action = _action(change, is_rollback=is_rollback)
        told = Evidence(Witness.TELEMETRY, f"{change.source} told of it: {action}", ref, change.at)
        free = numbered("a", (one.id for one in attempts))
        attempts.append(Attempt(free, action, at=change.at, by=change.actor, evidence=(told,)))
    return replace(case, attempts=tuple(attempts))


def _deployed(attempt: Attempt, change: SystemChange) -> Attempt:
    """What somebody accepted as a card before a deploy, with the time at which it began to run."""
    accepted = [one.at for one in attempt.evidence if one.witness is Witness.VERDICT and one.ref.startswith(CARD_REF)]
    if attempt.at is not None or not any(at is not None and at < change.at for at in accepted):
        return attempt
    quote = f"{change.source} told of its deployment: {_action(change, is_rollback=False)}"
    told = Evidence(Witness.TELEMETRY, quote, _ref(change), change.at)
    return replace(attempt, at=change.at, evidence=(*attempt.evidence, told))


def _standing(case: Case, event: Event) -> Case:
    incident = event.incident
    if incident.state is IncidentState.DISMISSED:
        return replace(case, state=CaseState.DISMISSED)
    if incident.state is IncidentState.CONFIRMED:
        ended = case.resolved_at or incident.quiet_since or incident.closed_at or incident.last_trouble_at
        return replace(case, state=CaseState.RESOLVED, resolved_at=ended)
    if event.kind is EventKind.REOPENED:
        return replace(case, state=CaseState.OPEN, resolved_at=None)
    if case.state is CaseState.OPEN:
        # It may wait for somebody's word for days; what is done to its services then has nothing to do with it.
        return replace(case, resolved_at=incident.quiet_since if incident.state is IncidentState.AWAITING else None)
    # Somebody has said what ended it before the numbers show it.
    return case


def _title(known: str, told: str) -> str:
    """The title as it was first told, until it says more than other numbers."""
    return known if _NUMBERS.sub("#", known) == _NUMBERS.sub("#", told) else told


def _previous(incident: Incident, kept: Kept) -> str:
    return incident.previous if incident.previous and incident.previous not in kept.unlinked else ""


def _is_quoted(incident: Incident) -> bool:
    """Whether its title is what an alert of another system says."""
    return incident.rule is Rule.ALERT and incident.title.startswith(incident.trigger.why)


def _services(incident: Incident, kept: Kept) -> tuple[str, ...]:
    """In the order of spread. What people took out stays out, and what they joined to it stays in."""
    seen = tuple(name for name in incident.services if name and name not in kept.apart)
    return _once(seen, kept.case.services)


def _symptoms(incident: Incident) -> tuple[str, ...]:
    failures = (seen.text for seen in incident.fingerprints)
    lines = (seen.text for seen in incident.templates)
    first = {one.template or one.message: one.message for one in incident.exemplars[:EXEMPLARS_READ_MAX]}
    alerts = (alert.text or alert.title for alert in incident.alerts)
    texts = (text.strip()[:SYMPTOM_CHARS_MAX] for group in (failures, lines, first.values(), alerts) for text in group)
    return tuple(dict.fromkeys(text for text in texts if text))


def _stack(incident: Incident) -> str:
    stacks = [*(one.stack for one in incident.exemplars), *(one.stack for one in incident.alerts)]
    return next((stack[:STACK_CHARS_MAX] for stack in stacks if stack.strip()), "")


def _clues(incident: Incident) -> Clues:
    failures = (seen.id for seen in incident.fingerprints if seen.id and not is_access(seen.text))
    found = Clues(fingerprints=tuple(failures))
    for one in incident.exemplars[:EXEMPLARS_READ_MAX]:
        found = together(found, clues_of(one.message, stack=one.stack))
    for alert in incident.alerts[:EXEMPLARS_READ_MAX]:
        found = together(found, clues_of(f"{alert.title}\n{alert.text}", stack=alert.stack))
    # What a metric is called is a name; the sentence about it is ours.
    metrics = dict.fromkeys(one.metric for one in incident.findings if one.rule is Rule.METRIC and one.metric)
    return together(found, Clues(identifiers=tuple(metrics)))


def _links(incident: Incident) -> tuple[str, ...]:
    links = [*(one.url for one in incident.alerts), *(one.url for one in _near(incident))]
    return tuple(dict.fromkeys(link for link in links if link))


def _noted(case: Case, incident: Incident) -> Case:
    """The case with the changes before it as notes: the first thing that anybody asks."""
    ids = {note.id for note in case.notes}
    acted = {said.ref for one in case.attempts for said in one.evidence}
    new = [
        Note(_note_id(change), _told(change), change.at, change.actor or change.source)
        for change in _near(incident)
        if _note_id(change) not in ids and _ref(change) not in acted
    ]
    return replace(case, notes=tuple(sorted((*case.notes, *new), key=lambda note: note.at))) if new else case


def _near(incident: Incident) -> tuple[SystemChange, ...]:
    """The changes of what is affected, and of nothing in particular."""
    names = {*incident.services, ""}
    return tuple(change for change in incident.changes if change.service in names)[-CHANGES_NOTED_MAX:]


def _note_id(change: SystemChange) -> str:
    return f"{CHANGE_NOTE}{hashlib.sha256(_ref(change).encode()).hexdigest()[:10]}"


def _ref(change: SystemChange) -> str:
    return f"{change.source}:{change.key}"


def _is_rollback(change: SystemChange) -> bool:
    return bool(_ROLLBACK.search(f"{change.title} {' '.join(change.labels.values())}"))


def _action(change: SystemChange, *, is_rollback: bool) -> str:
    verb = "rolled back" if is_rollback else ACTS[change.kind]
    to = f" to {change.ref}" if change.ref else ""
    title = f" ({' '.join(change.title.split())})" if change.title.strip() else ""
    return f"{verb} {change.service}{to}{title}"[:SYMPTOM_CHARS_MAX]


def _told(change: SystemChange) -> str:
    return f"Before it: {change.told}"[:SYMPTOM_CHARS_MAX]


def _once(first: tuple[str, ...], second: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*first, *second)))
