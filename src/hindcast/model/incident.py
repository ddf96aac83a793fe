"""Incidents: trouble with a name, a beginning, the services it affects, and a life that ends in somebody's word.

An incident is a frozen value; detection hands out a new one with every event. What detection cannot know (templates,
fingerprints, exemplars, changes) is filled in by whoever reads the telemetry of its window.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Any

import msgspec

from hindcast.model.finding import Finding, Rule
from hindcast.model.reading import check_time, read_value, ready
from hindcast.model.signal import Alert, Course, Severity, SystemChange


class IncidentState(StrEnum):
    """Where an incident stands."""

    OPEN = "open"
    # Back to normal for the hold window; somebody, or a rule, still has to say that it is over.
    AWAITING = "awaiting"
    CONFIRMED = "confirmed"
    # Somebody said that it was none.
    DISMISSED = "dismissed"
    # It turned out to be part of another one, which goes on in its place.
    JOINED = "joined"

    @property
    def is_over(self) -> bool:
        """Whether nothing more happens to it unless somebody reopens it."""
        return self not in (IncidentState.OPEN, IncidentState.AWAITING)


class EventKind(StrEnum):
    """What happened to an incident."""

    OPENED = "opened"
    # Its severity, alerts or numbers are no longer what they were.
    CHANGED = "changed"
    # One more service is affected.
    GREW = "grew"
    # Enough services are affected together to call it a cascade.
    CASCADE = "cascade"
    AWAITING = "awaiting"
    REOPENED = "reopened"
    CONFIRMED = "confirmed"
    DISMISSED = "dismissed"
    JOINED = "joined"


@dataclass(frozen=True, slots=True)
class Affected:
    """One service's part in an incident."""

    service: str
    onset_at: datetime
    last_trouble_at: datetime
    # Counted since the onset, each second once.
    errors: int = 0
    # The most errors seen within one window of the fixed rule, and how many would have been usual; None: not known yet.
    peak: int = 0
    usual: float | None = None
    # How little chance explains it, on the scale of `Finding.surprise`, at its worst.
    surprise: float = 0.0
    # Since when it is back to normal; None while it is not.
    quiet_since: datetime | None = None


@dataclass(frozen=True, slots=True)
class Sighting:
    """A template or a fingerprint within an incident's window: how often, and when first."""

    id: int
    text: str
    count: int
    first_at: datetime
    service: str


@dataclass(frozen=True, slots=True)
class NewFailure:
    """A failure that began in the midst of an incident, and that the incident was not about until then."""

    # The fingerprint that leads it; those that began with it are in `also`.
    id: int
    service: str
    text: str
    # Of all of them, since it began.
    count: int
    first_at: datetime
    # A line of it as it was logged, and its stack.
    sample: str = ""
    stack: str = ""
    # The incident of its own that it goes on in; empty: it is told of here.
    incident: str = ""
    also: tuple[int, ...] = ()

    @property
    def ids(self) -> frozenset[int]:
        """All its fingerprints."""
        return frozenset((self.id, *self.also))


@dataclass(frozen=True, slots=True)
class Exemplar:
    """One log line that shows what an incident looked like."""

    at: datetime
    service: str
    level: int
    message: str
    stack: str = ""
    trace: str = ""
    template: int = 0
    fingerprint: int = 0
    attributes: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Incident:
    """Trouble from its onset to its end, with everything that is known of it."""

    # Made from service and onset, as in `inc-20261115-0203-payment`; unique within its space.
    id: str
    space: str
    title: str
    state: IncidentState
    # The finding that opened it, with its numbers.
    trigger: Finding
    # In the order of spread: the likely origin first.
    affected: tuple[Affected, ...]
    # When trouble most likely began, when we said so, when it was last seen.
    onset_at: datetime
    opened_at: datetime
    last_trouble_at: datetime
    severity: Severity
    # Why it is that severe, in sentences.
    reasons: tuple[str, ...] = ()
    # Since when everything is back to normal, and when it was closed for good.
    quiet_since: datetime | None = None
    closed_at: datetime | None = None
    closed_by: str = ""
    # Whether enough services were affected together to call it that; it stays one.
    cascade: bool = False
    # Where it likely began, and why we think so. Empty when no service is named.
    origin: str = ""
    origin_reasons: tuple[str, ...] = ()
    # The latest telling of each finding that belongs here, the trigger's included.
    findings: tuple[Finding, ...] = ()
    # The latest telling of each alert that belongs here.
    alerts: tuple[Alert, ...] = ()
    templates: tuple[Sighting, ...] = ()
    fingerprints: tuple[Sighting, ...] = ()
    exemplars: tuple[Exemplar, ...] = ()
    changes: tuple[SystemChange, ...] = ()
    # What began while it lasted and looks like something else, the oldest first.
    new_failures: tuple[NewFailure, ...] = ()
    # The fingerprints that it is about, where it was split off by them; none: all errors of its services.
    failures: tuple[int, ...] = ()
    # How it went, once it is over: telemetry is not kept as long as memory.
    course: Course | None = None
    # The incident that this one repeats, when that was already over.
    previous: str | None = None
    # The incident that this one turned out to be part of.
    joined: str | None = None
    # How often trouble came back while it was still awaiting confirmation, or was reopened.
    relapses: int = 0

    @property
    def services(self) -> tuple[str, ...]:
        """The names of the affected services, in the order of spread."""
        return tuple(one.service for one in self.affected)

    @property
    def rule(self) -> Rule:
        """The rule that opened it."""
        return self.trigger.rule

    @property
    def errors(self) -> int:
        """How many errors all its services counted since their onsets."""
        return sum(one.errors for one in self.affected)


@dataclass(frozen=True, slots=True)
class Event:
    """One step in the life of an incident, and the incident as it stands after it."""

    kind: EventKind
    at: datetime
    incident: Incident
    # What happened, in a sentence.
    why: str = ""


def bare(incident: Incident) -> Incident:
    """An incident without its evidence: as much as a recurrence needs of one that is over, which failures it had."""
    failures = tuple(replace(seen, text="") for seen in incident.fingerprints)
    return replace(
        incident, templates=(), fingerprints=failures, exemplars=(), changes=(), new_failures=(), course=None
    )


def to_json(incident: Incident) -> dict[str, Any]:
    """The incident as JSON values; `from_json` gives the same incident back."""
    found: dict[str, Any] = msgspec.to_builtins(incident)
    return found


def from_json(body: Mapping[str, Any]) -> Incident:
    """The incident that `to_json` wrote. Fields that this version does not know are left out.

    Raises Malformed when a field is missing, of the wrong type, or a time has no timezone.
    """
    incident = read_value(Incident, body, what="incident", remedy="Hand over what to_json wrote.")
    _check_times(msgspec.to_builtins(incident, builtin_types=(datetime,)), "")
    return incident


def _check_times(value: Any, place: str) -> None:  # noqa: ANN401
    """Look at every time in it. A restart does so to thousands of incidents, and most of what they hold are texts."""
    if isinstance(value, datetime):
        check_time(value, field=place)
    elif isinstance(value, dict):
        for name, inner in value.items():
            if isinstance(inner, _TIMED):
                _check_times(inner, f"{place}.{name}" if place else str(name))
    elif isinstance(value, list | tuple):
        for position, inner in enumerate(value):
            if isinstance(inner, _TIMED):
                _check_times(inner, f"{place}[{position}]")


# What is or may hold a time, among the values that `to_builtins` makes.
_TIMED = (datetime, dict, list, tuple)


ready(Incident)
