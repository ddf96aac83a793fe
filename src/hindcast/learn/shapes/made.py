"""A case out of what an export's fields say; prose gives attempts, and the cause and the fix where no field does."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from hindcast.learn.facts import cause_in, is_known, links_in, services_in, stack_in, symptoms_in
from hindcast.learn.page import page_of
from hindcast.learn.postmortem import READER, case_id, case_of
from hindcast.learn.prose import attempts_in, told_once
from hindcast.learn.roles import Field
from hindcast.learn.story import NO_TIME
from hindcast.model.case import Attempt, Case, CaseState, Cause, Evidence, Note, Outcome, Resolution, Witness
from hindcast.model.signal import Severity

# Jira writes headings and blocks of code in marks of its own.
_WIKI_HEAD = re.compile(r"^h([1-6])\.\s{1,20}", re.M)
_WIKI_BLOCK = re.compile(r"\{(?:code|noformat)(?::[^}]{0,200})?\}\n?")
NOTES_MAX = 100
NOTE_CHARS_MAX = 4_000


@dataclass(frozen=True, slots=True)
class Said:
    """A note, comment or update: what somebody said, when."""

    text: str
    at: datetime | None = None
    by: str = ""


@dataclass(frozen=True, slots=True)
class Facts:
    """What the fields of a row say, whatever the tool."""

    source: str
    # The tool's own id.
    key: str
    title: str
    occurred_at: datetime
    resolved_at: datetime | None = None
    minutes: float | None = None
    closed: bool = False
    description: str = ""
    cause: str = ""
    resolution: str = ""
    severity: Severity | None = None
    services: tuple[str, ...] = ()
    components: tuple[str, ...] = ()
    responders: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    said: Sequence[Said] = ()
    # Whether the row itself says when it happened.
    dated: bool = True


def case_from(facts: Facts) -> Case:
    """The case that a row tells."""
    facts, plans = _opened(facts)
    ref = f"{facts.source}:{facts.key}"
    attempts = _attempts(facts, ref)
    told = "\n\n".join((facts.description, *(one.text for one in facts.said)))
    resolution = _resolution(facts, ref, attempts)
    ended = facts.resolved_at if facts.resolved_at is None or facts.resolved_at >= facts.occurred_at else None
    closed = facts.closed or ended is not None
    return Case(
        id=case_id(facts.source, facts.key),
        title=facts.title[:300],
        occurred_at=facts.occurred_at,
        state=CaseState.RESOLVED if closed else CaseState.OPEN,
        summary=facts.description[:NOTE_CHARS_MAX],
        services=facts.services or services_in(told, facts.title),
        components=tuple(one.lower() for one in facts.components),
        symptoms=symptoms_in(told),
        stack=stack_in(told),
        cause=_cause(facts, told, ref),
        attempts=attempts,
        resolution=resolution,
        resolved_at=ended,
        minutes=facts.minutes,
        severity=facts.severity,
        responders=tuple(dict.fromkeys((*facts.responders, *(one.by for one in facts.said if one.by)))),
        notes=(*_notes(facts), *plans),
        links=tuple(dict.fromkeys((*facts.links, *links_in(told)))),
        source=facts.source,
    )


def _opened(facts: Facts) -> tuple[Facts, tuple[Note, ...]]:
    """A description that is a whole postmortem, taken apart: its cause and fix, what tells of attempts, its plans.

    What a field of its own says counts more than what the description says.
    """
    text = _WIKI_BLOCK.sub("\n```\n", _WIKI_HEAD.sub(lambda match: "#" * int(match.group(1)) + " ", facts.description))
    page = page_of(text)
    if not page.of(Field.CAUSE, Field.RESOLUTION, Field.TIMELINE, Field.ACTIONS):
        return replace(facts, description=text), ()
    inner = case_of(text, name=facts.key, fallback_at=facts.occurred_at)
    told = [part.text for part in page.parts if part.field not in (Field.CAUSE, Field.RESOLUTION, Field.ACTIONS)]
    plans = [
        note for note in inner.notes if note.text.partition(":")[0] in {part.name for part in page.of(Field.ACTIONS)}
    ]
    opened = replace(
        facts,
        description="\n\n".join(part for part in told if part.strip()),
        cause=facts.cause or (inner.cause.text if inner.cause is not None else ""),
        resolution=facts.resolution or (inner.resolution.text if inner.resolution is not None else ""),
    )
    kept = tuple(Note(f"{READER}-p{number}", note.text, facts.occurred_at, "") for number, note in enumerate(plans, 1))
    return opened, kept


def _attempts(facts: Facts, ref: str) -> tuple[Attempt, ...]:
    found: list[Attempt] = list(attempts_in(facts.description, ref=ref))
    found += _spoken(facts, ref)
    if facts.resolution:
        read = attempts_in(facts.resolution, ref=ref)
        found += [one if one.outcome is not Outcome.UNKNOWN else _worked(one) for one in read]
    return told_once(found)


def _worked(one: Attempt) -> Attempt:
    """What the field about the fix says was done is what worked."""
    return replace(one, outcome=Outcome.WORKED, confidence=0.7)


def _spoken(facts: Facts, ref: str) -> list[Attempt]:
    """Attempts out of what people said one after the other: the next one may tell what came of the last."""
    found: list[Attempt] = []
    for number, one in enumerate(facts.said):
        read = list(attempts_in(one.text, ref=ref, at=one.at))
        last = read[-1] if read else None
        if last is not None and last.outcome is Outcome.UNKNOWN and number + 1 < len(facts.said):
            later = _told_later(last, one, facts.said[number + 1], ref)
            read[-1] = later or last
        found += [replace(attempt, by=attempt.by or one.by) for attempt in read]
    return found


def _told_later(last: Attempt, one: Said, follow: Said, ref: str) -> Attempt | None:
    """The attempt with the outcome that the next one to speak gives, unless that one did something else first."""
    first = one.text.rstrip()
    joint = first if first.endswith((".", "!")) else f"{first}."
    both = attempts_in(f"{joint} {follow.text.lstrip()}", ref=ref, at=one.at)
    same = next((found for found in both if found.action == last.action), None)
    return same if same is not None and same.outcome is not Outcome.UNKNOWN else None


def _cause(facts: Facts, told: str, ref: str) -> Cause | None:
    if is_known(facts.cause):
        return Cause(facts.cause, evidence=(Evidence(Witness.TEXT, facts.cause, ref),), confidence=0.9)
    found = cause_in(told)
    if found is None:
        return None
    sentence, sure = found
    return Cause(sentence.text, evidence=(Evidence(Witness.TEXT, sentence.text, ref),), confidence=sure)


def _resolution(facts: Facts, ref: str, attempts: Sequence[Attempt]) -> Resolution | None:
    worked = [one for one in attempts if one.outcome is Outcome.WORKED]
    if is_known(facts.resolution):
        evidence = (Evidence(Witness.TEXT, facts.resolution, ref),)
        named = next((one.id for one in worked if one.evidence[0].quote in facts.resolution), "")
        return Resolution(facts.resolution, named, facts.resolved_at, evidence=evidence, confidence=0.9)
    if not worked:
        return None
    last = worked[-1]
    return Resolution(
        last.action, last.id, last.at, last.by, command=last.command, evidence=last.evidence, confidence=last.confidence
    )


def _notes(facts: Facts) -> tuple[Note, ...]:
    """What people said, in their own words, and what had to be guessed."""
    said = [one for one in facts.said if one.text.strip()][:NOTES_MAX]
    notes = [
        Note(f"{READER}-{number}", one.text[:NOTE_CHARS_MAX], one.at or facts.occurred_at, one.by)
        for number, one in enumerate(said, 1)
    ]
    if not facts.dated:
        notes.append(Note(f"{READER}-0", NO_TIME, facts.occurred_at, ""))
    return tuple(notes)
