"""Signals: what came in from outside, made valid once, at the edge.

Logs, metrics and spans come by the thousand and travel as columns (`hindcast.model.columns`); alerts and changes of the
watched system are few and travel as values.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from enum import IntEnum, StrEnum

# Whoever tries a way in says so under this label: such an alert opens no incident, such a change explains none.
TEST_LABEL = "hindcast_test"


class Level(IntEnum):
    """How bad a log line calls itself, on OpenTelemetry's scale of severity numbers."""

    UNKNOWN = 0
    TRACE = 1
    DEBUG = 5
    INFO = 9
    WARN = 13
    ERROR = 17
    FATAL = 21


class Status(StrEnum):
    """What another system says of its alert."""

    FIRING = "firing"
    ACKNOWLEDGED = "acknowledged"
    RESOLVED = "resolved"


class Severity(StrEnum):
    """How much an incident or an alert matters, worst first."""

    CRITICAL = "critical"
    MAJOR = "major"
    MINOR = "minor"
    INFO = "info"


class ChangeKind(StrEnum):
    """What somebody did to the watched system."""

    DEPLOY = "deploy"
    RELEASE = "release"
    MERGE = "merge"
    PUSH = "push"
    WORKFLOW = "workflow"
    CONFIG = "config"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Course:
    """How some trouble went: the errors of its services together, counted in steps of the same length."""

    # When the first step begins.
    since: datetime
    step_seconds: int
    errors: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Alert:
    """What another system noticed: it opens or joins an incident like a finding of our own."""

    # Which system, as in `alertmanager`, `grafana`, `pagerduty`, `sentry`.
    source: str
    # The same alert has the same key each time it is told; the format says which field that is.
    key: str
    status: Status
    title: str
    # Empty when the sender names none.
    service: str
    severity: Severity
    started_at: datetime
    ended_at: datetime | None = None
    url: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)
    text: str = ""
    # A stack trace, if the sender has one.
    stack: str = ""

    @property
    def is_test(self) -> bool:
        """Whether it was sent to see that it arrives."""
        return TEST_LABEL in self.labels


@dataclass(frozen=True, slots=True)
class SystemChange:
    """A deploy, a release, a merged pull request: what was altered in the watched system, and by whom."""

    source: str
    # The sender's own id of this delivery or event; the same key is the same change.
    key: str
    kind: ChangeKind
    at: datetime
    # Empty when it concerns no single service.
    service: str
    title: str
    actor: str = ""
    # A commit, a tag, a version.
    ref: str = ""
    url: str = ""
    labels: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_test(self) -> bool:
        """Whether it was sent to see that it arrives."""
        return TEST_LABEL in self.labels

    @property
    def told(self) -> str:
        """In words, as in "deploy of payment (Simplify the worker pool, 8f3c2e1d90aa)"."""
        what = "change" if self.kind is ChangeKind.OTHER else str(self.kind)
        details = dict.fromkeys(" ".join(part.split()) for part in (self.title, self.ref) if part.strip())
        known = ", ".join(part for part in details if part != self.service)
        return f"{what}{f' of {self.service}' if self.service else ''}{f' ({known})' if known else ''}"


@dataclass(frozen=True, slots=True)
class Edge:
    """One service was seen calling another."""

    caller: str
    callee: str
    calls: int
    errors: int = 0
