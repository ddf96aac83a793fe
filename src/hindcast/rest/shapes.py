"""What incidents and recollections look like over REST: as they are, but numbers of 64 bits are text.

JavaScript reads numbers as floats and would round the larger ones. The shapes say so to OpenAPI; a test holds them to
the values they are made from.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import msgspec

from hindcast.casebook.summaries import Standing, Summary
from hindcast.model.case import Acknowledgement, Attempt, Case, CaseState, Cause, Note, Resolution
from hindcast.model.diagnosis import Diagnosis
from hindcast.model.finding import Finding
from hindcast.model.incident import Affected, Incident, IncidentState
from hindcast.model.query import Rank
from hindcast.model.recollection import CueKind, Familiarity, Recollection
from hindcast.model.signal import Alert, Course, Severity, SystemChange
from hindcast.model.verdict import Reliability
from hindcast.recall.pack import Packed
from hindcast.recollect import Answered

Plain = dict[str, Any]


@dataclass(frozen=True, slots=True)
class SightingTold:
    """A template or a fingerprint within an incident's window."""

    id: str
    text: str
    count: int
    first_at: datetime
    service: str


@dataclass(frozen=True, slots=True)
class ExemplarTold:
    """One log line that shows what an incident looked like."""

    at: datetime
    service: str
    level: int
    message: str
    stack: str
    trace: str
    template: str
    fingerprint: str
    attributes: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class NewFailureTold:
    """A failure that began in the midst of an incident."""

    id: str
    service: str
    text: str
    count: int
    first_at: datetime
    sample: str
    stack: str
    # The incident of its own that it goes on in; empty: it is told of here.
    incident: str
    # The fingerprints that began with it.
    also: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class DetectionTold:
    """What detection saw of an incident, from its onset to its end."""

    id: str
    space: str
    title: str
    state: IncidentState
    trigger: Finding
    affected: tuple[Affected, ...]
    onset_at: datetime
    opened_at: datetime
    last_trouble_at: datetime
    severity: Severity
    reasons: tuple[str, ...]
    quiet_since: datetime | None
    closed_at: datetime | None
    closed_by: str
    cascade: bool
    origin: str
    origin_reasons: tuple[str, ...]
    findings: tuple[Finding, ...]
    alerts: tuple[Alert, ...]
    templates: tuple[SightingTold, ...]
    fingerprints: tuple[SightingTold, ...]
    exemplars: tuple[ExemplarTold, ...]
    changes: tuple[SystemChange, ...]
    new_failures: tuple[NewFailureTold, ...]
    # The fingerprints that it is about, where it was split off by them; none: all errors of its services.
    failures: tuple[str, ...]
    course: Course | None
    previous: str | None
    joined: str | None
    relapses: int


@dataclass(frozen=True, slots=True)
class CluesTold:
    """What in a text identifies a failure."""

    fingerprints: tuple[str, ...]
    exceptions: tuple[str, ...]
    frames: tuple[str, ...]
    identifiers: tuple[str, ...]
    components: tuple[str, ...]
    errors: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class CaseTold:
    """What is known about an incident: cause, attempts with outcomes, fix, who."""

    id: str
    title: str
    occurred_at: datetime
    state: CaseState
    summary: str
    services: tuple[str, ...]
    components: tuple[str, ...]
    symptoms: tuple[str, ...]
    stack: str
    clues: CluesTold
    cause: Cause | None
    attempts: tuple[Attempt, ...]
    resolution: Resolution | None
    resolved_at: datetime | None
    minutes: float | None
    severity: Severity | None
    course: Course | None
    responders: tuple[str, ...]
    notes: tuple[Note, ...]
    links: tuple[str, ...]
    previous: str
    supersedes: tuple[str, ...]
    title_by: str
    acknowledged: Acknowledgement | None
    source: str


@dataclass(frozen=True, slots=True)
class Gap:
    """What nobody has said yet, and the command that says it."""

    what: str
    command: str


@dataclass(frozen=True, slots=True)
class IncidentGlance:
    """One incident in a list."""

    id: str
    title: str
    state: Standing
    severity: Severity | None
    services: tuple[str, ...]
    onset_at: datetime
    resolved_at: datetime | None
    # How long it took; None while nobody knows.
    minutes: float | None
    # The beginning of what is known; empty while nobody has said.
    cause: str
    fix: str
    attempts: int
    who: tuple[str, ...]
    # The incident that goes on in its place; empty: it stands for itself.
    joined_into: str
    # What memory says of it, while its briefing is at hand.
    familiarity: Familiarity | None
    version: str


@dataclass(frozen=True, slots=True)
class IncidentTold(IncidentGlance):
    """One incident: what detection saw, what people know, and what nobody has said yet."""

    detection: DetectionTold | None = None
    case: CaseTold | None = None
    # Services that people took out of it; detection does not put them back.
    apart: tuple[str, ...] = ()
    missing: tuple[Gap, ...] = ()


@dataclass(frozen=True, slots=True)
class CueTold:
    """What was asked, taken apart."""

    text: str
    kind: CueKind
    at: datetime
    clues: CluesTold
    services: tuple[str, ...]
    incident: str


@dataclass(frozen=True, slots=True)
class RememberedTold:
    """One case that came to mind, with everything that spoke for and against it."""

    case: CaseTold
    address: str
    version: int
    space: str
    confidence: float
    familiarity: Familiarity
    score: float
    ranks: Mapping[str, Rank]
    features: Mapping[str, float]
    reasons: tuple[str, ...]
    gates: tuple[str, ...]
    superseded_by: str


@dataclass(frozen=True, slots=True)
class RecollectionTold:
    """What memory has to say to a cue, with the trace of every step."""

    cue: CueTold
    familiarity: Familiarity
    remembered: tuple[RememberedTold, ...]
    reliability: Reliability | None
    arms: tuple[str, ...]
    notes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AnswerTold:
    """The answer, and on request how it came about and a text that fits a budget."""

    diagnosis: Diagnosis
    recollection: RecollectionTold | None = None
    packed: Packed | None = None
    # When there was an answer for the first time, if it was ready before anybody asked.
    ready_at: datetime | None = field(default=None)


def glance(summary: Summary, familiarity: Familiarity | None = None) -> IncidentGlance:
    """One incident as a list tells it."""
    return IncidentGlance(
        summary.id,
        summary.title,
        summary.state,
        summary.severity,
        summary.services,
        summary.onset_at,
        summary.resolved_at,
        summary.minutes,
        summary.cause,
        summary.fix,
        summary.attempts,
        summary.who,
        summary.joined_into,
        familiarity,
        summary.version,
    )


def detection(incident: Incident) -> Plain:
    """What detection saw, as JSON values."""
    told: Plain = msgspec.to_builtins(incident)
    told["failures"] = [str(one) for one in told["failures"]]
    for new in told["new_failures"]:
        new["also"] = [str(one) for one in new["also"]]
    for seen in (*told["templates"], *told["fingerprints"], *told["new_failures"]):
        seen["id"] = str(seen["id"])
    for line in told["exemplars"]:
        line["template"], line["fingerprint"] = str(line["template"]), str(line["fingerprint"])
    return told


def case(value: Case) -> Plain:
    """What is known, as JSON values."""
    told: Plain = msgspec.to_builtins(value)
    _with_clues(told)
    return told


def recollection(value: Recollection) -> Plain:
    """What came to mind, as JSON values."""
    told: Plain = msgspec.to_builtins(value, str_keys=True)
    for one in (told["cue"], *(shown["case"] for shown in told["remembered"])):
        _with_clues(one)
    return told


def answer(value: Answered, *, explain: bool, packed: Packed | None, ready_at: datetime | None = None) -> Plain:
    """An answer, as JSON values."""
    return {
        "diagnosis": value.diagnosis,
        "recollection": recollection(value.recollection) if explain else None,
        "packed": packed,
        "ready_at": ready_at,
    }


def _with_clues(told: Plain) -> None:
    told["clues"]["fingerprints"] = [str(one) for one in told["clues"]["fingerprints"]]
