"""Cases: what a team knows about an incident once somebody has dealt with it.

Detection writes an `Incident`: what was seen, with numbers. A `Case` is what is worth remembering of it: the symptoms,
the cause, everything that was tried and what came of it, the fix, who knows. A case may also come from a postmortem
that somebody wrote long before there was a Hindcast. Every field may be empty; what is there says where it comes from.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from typing import Any

import msgspec

from hindcast.model.reading import check_time, read_value, ready
from hindcast.model.signal import Course, Severity

# Where cases are remembered, and as what.
NAMESPACE = "cases"
KIND = "case"
# The source of a case that detection began.
NOTICED_HERE = "hindcast"
# How the ids of notes begin that detection made of the changes before an incident.
CHANGE_NOTE = "change-"


class Outcome(StrEnum):
    """What came of an attempt."""

    WORKED = "worked"
    NO_EFFECT = "no effect"
    MADE_WORSE = "made worse"
    UNKNOWN = "unknown"


class Witness(StrEnum):
    """Who or what vouches for a statement."""

    PERSON = "person"
    # Read out of somebody's prose.
    TEXT = "text"
    # Counted before and after.
    TELEMETRY = "telemetry"
    # Somebody accepted or rejected it when it was proposed.
    VERDICT = "verdict"
    # An agent says so; that it worked counts once telemetry or a person says the same.
    AGENT = "agent"


@dataclass(frozen=True, slots=True)
class Evidence:
    """Why we believe a statement: the sentence or the numbers, and where they stand."""

    witness: Witness
    # The sentence as it was written, or the numbers as a sentence.
    quote: str
    # The record, file or link in which it stands; empty when it was said here.
    ref: str = ""
    at: datetime | None = None


@dataclass(frozen=True, slots=True)
class Attempt:
    """Something that was tried during an incident: the unit of experience."""

    # Unique within its case.
    id: str
    # What was done, as a person would say it: "raised the pool size to 200".
    action: str
    outcome: Outcome = Outcome.UNKNOWN
    at: datetime | None = None
    by: str = ""
    diff: str = ""
    command: str = ""
    config: str = ""
    evidence: tuple[Evidence, ...] = ()
    # How sure the reading is that this was tried and came out so. A person's own word is 1.
    confidence: float = 1.0


@dataclass(frozen=True, slots=True)
class Cause:
    """Why it happened."""

    text: str
    by: str = ""
    evidence: tuple[Evidence, ...] = ()
    confidence: float = 1.0


@dataclass(frozen=True, slots=True)
class Resolution:
    """What ended it."""

    # The fix in a sentence or two.
    text: str
    # The attempt it was, when it is one of the case's attempts.
    attempt: str = ""
    at: datetime | None = None
    by: str = ""
    diff: str = ""
    command: str = ""
    config: str = ""
    evidence: tuple[Evidence, ...] = ()
    confidence: float = 1.0


@dataclass(frozen=True, slots=True)
class Note:
    """What somebody wanted to be remembered, in their own words."""

    id: str
    text: str
    at: datetime
    by: str


@dataclass(frozen=True, slots=True)
class Clues:
    """What in a text identifies a failure: found the same way in a question and in what is remembered."""

    # Of every stack trace in the text, and of its words where there is none; both keys of each (see Fingerprint).
    fingerprints: tuple[int, ...] = ()
    # Types of exceptions, outermost first: `redis.exceptions.ConnectionError`.
    exceptions: tuple[str, ...] = ()
    # Names of the functions on the stack of the failure itself, innermost first.
    frames: tuple[str, ...] = ()
    # Words that name one thing only: `ECONNRESET`, `pool_size`, `ORA-12519`, `payment_worker`.
    identifiers: tuple[str, ...] = ()
    # What it runs on, by its usual name: `redis`, `postgres`, `kubernetes`.
    components: tuple[str, ...] = ()
    # What the exceptions of its traces said, less what varies: `KeyError: '<text>'`.
    errors: tuple[str, ...] = ()


NO_CLUES = Clues()


@dataclass(frozen=True, slots=True)
class Acknowledgement:
    """Who works on an incident, and since when."""

    by: str
    at: datetime


class CaseState(StrEnum):
    """How much a case can tell."""

    OPEN = "open"
    # Somebody said what ended it.
    RESOLVED = "resolved"
    # It was no incident.
    DISMISSED = "dismissed"


@dataclass(frozen=True, slots=True)
class Case:
    """One incident as it is remembered."""

    # The incident's own id, or one made from where it was imported from; unique within its space.
    id: str
    title: str
    occurred_at: datetime
    state: CaseState = CaseState.OPEN
    summary: str = ""
    services: tuple[str, ...] = ()
    components: tuple[str, ...] = ()
    # What people and logs said while it lasted: error lines, templates, observations.
    symptoms: tuple[str, ...] = ()
    # One stack trace as it was printed, if there was one.
    stack: str = ""
    clues: Clues = NO_CLUES
    cause: Cause | None = None
    attempts: tuple[Attempt, ...] = ()
    resolution: Resolution | None = None
    resolved_at: datetime | None = None
    # How long it took, when that is known better than from the two times.
    minutes: float | None = None
    severity: Severity | None = None
    # How its errors rose and fell, where they were counted.
    course: Course | None = None
    responders: tuple[str, ...] = ()
    notes: tuple[Note, ...] = ()
    links: tuple[str, ...] = ()
    # The case of which this one is a recurrence.
    previous: str = ""
    # Cases whose lesson this one replaces.
    supersedes: tuple[str, ...] = ()
    # Who gave it its title: `hindcast` when detection did; empty: a person or another system.
    title_by: str = ""
    # Its owner while it lasts; None: nobody has taken it.
    acknowledged: Acknowledgement | None = None
    # Where it comes from: `hindcast`, `markdown`, `pagerduty`, `jira`, `incident.io`, `demo` …
    source: str = NOTICED_HERE

    @property
    def minutes_to_resolve(self) -> float | None:
        """How long it took, or None when nobody knows.

        An incident that was noticed here and has gone quiet may be over or not: until somebody says so, or a rule does,
        the time at which it did is no answer.
        """
        if self.minutes is not None:
            return self.minutes
        waits = self.state is CaseState.OPEN and self.source == NOTICED_HERE
        if self.resolved_at is None or waits:
            return None
        return max((self.resolved_at - self.occurred_at).total_seconds() / 60, 0)


def to_json(case: Case) -> dict[str, Any]:
    """The case as JSON values; `from_json` gives the same case back."""
    found: dict[str, Any] = msgspec.to_builtins(case)
    return found


def from_json(body: Mapping[str, Any]) -> Case:
    """The case that `to_json` wrote. Fields that this version does not know are left out.

    Raises Malformed when a field is missing, of the wrong type, or a time has no timezone.
    """
    case = read_value(
        Case,
        body,
        what="case",
        remedy="A case has at least an id, a title and occurred_at; docs/reference/cases.md shows one.",
    )
    if not _is_timed(case):
        for field, time in _times(case):
            if time is not None:
                check_time(time, field=field)
    return case


def _is_timed(case: Case) -> bool:
    """Whether every time of a case has a timezone. A dozen cases are read for every question, and all of them do."""
    times = [case.occurred_at, case.resolved_at, case.course.since if case.course is not None else None]
    times += [note.at for note in case.notes]
    times.append(case.acknowledged.at if case.acknowledged is not None else None)
    for one in (*case.attempts, case.resolution):
        if one is not None:
            times.append(one.at)
            times += [each.at for each in one.evidence]
    if case.cause is not None:
        times += [each.at for each in case.cause.evidence]
    return not any(time is not None and time.tzinfo is None for time in times)


def _times(case: Case) -> Iterator[tuple[str, datetime | None]]:
    """Every time that a case tells, and where."""
    yield "occurred_at", case.occurred_at
    yield "resolved_at", case.resolved_at
    if case.course is not None:
        yield "course.since", case.course.since
    yield from (("notes", note.at) for note in case.notes)
    if case.acknowledged is not None:
        yield "acknowledged.at", case.acknowledged.at
    if case.cause is not None:
        yield from (("cause.evidence", one.at) for one in case.cause.evidence)
    for field, told in (
        *(("attempts", attempt) for attempt in case.attempts),
        *((("resolution", case.resolution),) if case.resolution is not None else ()),
    ):
        yield f"{field}.at", told.at
        yield from ((f"{field}.evidence", one.at) for one in told.evidence)


ready(Case)
