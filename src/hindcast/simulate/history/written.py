"""The shape in which a past incident is written down, and how it becomes a case.

A file of incidents is TOML, one `[[case]]` each, so that a trace or a diff can stand in it as it was printed. Times are
counted back from a day that is given, so that the history always covers the year before it.
"""

from __future__ import annotations

from datetime import datetime, time, timedelta

import msgspec

from hindcast.model.case import Attempt, Case, CaseState, Cause, Evidence, Note, Outcome, Resolution, Witness
from hindcast.model.errors import Malformed
from hindcast.model.signal import Level, Severity
from hindcast.simulate.history.course import course
from hindcast.simulate.scenario import Way
from hindcast.simulate.speech import error_line

SOURCE = "demo"
_LINK = "https://incidents.shop.example/reviews"
# Any odd number does: the blanks of a quoted trace only have to differ from case to case.
_STRIDE = 7_919


class WrittenAttempt(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One attempt: what was done stands under the name of what came of it."""

    # Minutes after the beginning.
    after: float | None = None
    by: str = ""
    worked: str = ""
    nothing: str = ""
    worse: str = ""
    unsure: str = ""
    # The sentence in which somebody told it, and what was counted, if anything was.
    said: str = ""
    counted: str = ""
    diff: str = ""
    command: str = ""
    config: str = ""

    @property
    def outcome(self) -> tuple[Outcome, str]:
        """What came of it, and what was done."""
        told = (
            (Outcome.WORKED, self.worked),
            (Outcome.NO_EFFECT, self.nothing),
            (Outcome.MADE_WORSE, self.worse),
            (Outcome.UNKNOWN, self.unsure),
        )
        said = [(outcome, action) for outcome, action in told if action]
        if len(said) != 1:
            raise Malformed(
                f"An attempt has one outcome, this one has {len(said)}.",
                field="tried",
                remedy="Name the action once, as worked, nothing, worse or unsure.",
            )
        return said[0]


class Remark(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Something that was worth noting, and how many hours after the beginning it was noted."""

    by: str
    hours: float
    text: str


class Thrown(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A trace as the simulator prints it: thrown by this service, failing this way, at this place in its list."""

    service: str
    way: Way
    pick: int = 0
    peer: str = "upstream"


class Written(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One incident as it stands in a file."""

    id: str
    # Cases with the same mechanism broke in the same way for the same reason.
    mechanism: str
    title: str
    days: int
    at: str
    services: tuple[str, ...]
    components: tuple[str, ...] = ()
    minutes: float | None = None
    severity: Severity = Severity.MINOR
    # One to a line.
    symptoms: str = ""
    stack: str = ""
    thrown: Thrown | None = None
    summary: str = ""
    cause: str = ""
    cause_by: str = ""
    # Below 1 where whoever wrote it down was not certain.
    cause_confidence: float = 1.0
    tried: tuple[WrittenAttempt, ...] = ()
    fix: str = ""
    fix_by: str = ""
    fix_diff: str = ""
    fix_command: str = ""
    fix_config: str = ""
    responders: tuple[str, ...] = ()
    notes: tuple[Remark, ...] = ()
    links: tuple[str, ...] = ()
    previous: str = ""
    supersedes: tuple[str, ...] = ()

    def case(self, midnight: datetime) -> Case:
        """The case, as many days before this midnight as it says."""
        began = datetime.combine(
            (midnight - timedelta(days=self.days)).date(), time.fromisoformat(self.at), midnight.tzinfo
        )
        ended = None if self.minutes is None or not self.fix else began + timedelta(minutes=self.minutes)
        attempts = tuple(self._attempt(place, tried, began) for place, tried in enumerate(self.tried, start=1))
        people = dict.fromkeys((*self.responders, *(tried.by for tried in self.tried), self.fix_by))
        return Case(
            id=self.id,
            title=self.title,
            occurred_at=began,
            state=CaseState.RESOLVED if self.fix else CaseState.OPEN,
            summary=_flowing(self.summary),
            services=self.services,
            components=self.components,
            symptoms=tuple(line for line in self.symptoms.splitlines() if line.strip()),
            stack=self._stack(),
            cause=self._cause(),
            attempts=attempts,
            resolution=self._resolution(attempts, ended),
            resolved_at=ended,
            minutes=self.minutes if self.fix else None,
            severity=self.severity,
            course=None if ended is None else course(self.id, began, ended, self.severity, attempts),
            responders=tuple(name for name in people if name),
            notes=tuple(
                Note(f"n{place}", _flowing(note.text), began + timedelta(hours=note.hours), note.by)
                for place, note in enumerate(self.notes, start=1)
            ),
            links=self.links or tuple(filter(None, [self._review])),
            previous=self.previous,
            supersedes=self.supersedes,
            source=SOURCE,
        )

    @property
    def _review(self) -> str:
        """Where it was written up. Nobody writes a review of a minor incident."""
        if self.links or self.severity is Severity.MINOR:
            return self.links[0] if self.links else ""
        return f"{_LINK}/{self.id.removeprefix('past-')}"

    def _stack(self) -> str:
        if self.thrown is None:
            return self.stack.strip("\n")
        numbers = [_STRIDE * (self.days + place) for place in range(1, 12)]
        thrown = self.thrown
        line = error_line(0, thrown.service, Level.ERROR, thrown.way, thrown.peer, thrown.pick, numbers)
        return line.stack

    def _cause(self) -> Cause | None:
        if not self.cause:
            return None
        text = _flowing(self.cause)
        told = (Evidence(Witness.TEXT, text, self._review),)
        return Cause(text, self.cause_by or self._last_to_help(), told, self.cause_confidence)

    def _resolution(self, attempts: tuple[Attempt, ...], ended: datetime | None) -> Resolution | None:
        if not self.fix:
            return None
        text = _flowing(self.fix)
        helped = [attempt for attempt in attempts if attempt.outcome is Outcome.WORKED]
        return Resolution(
            text=text,
            attempt=helped[-1].id if helped else "",
            at=ended,
            by=self.fix_by or self._last_to_help(),
            diff=self.fix_diff.strip("\n"),
            command=self.fix_command.strip("\n"),
            config=self.fix_config.strip("\n"),
            evidence=(Evidence(Witness.TEXT, text, self._review),),
        )

    def _attempt(self, place: int, tried: WrittenAttempt, began: datetime) -> Attempt:
        outcome, action = tried.outcome
        at = None if tried.after is None else began + timedelta(minutes=tried.after)
        evidence = []
        if tried.said:
            evidence.append(Evidence(Witness.TEXT, _flowing(tried.said), self._review, at))
        if tried.counted:
            evidence.append(Evidence(Witness.TELEMETRY, _flowing(tried.counted), self._review, at))
        return Attempt(
            id=f"a{place}",
            action=action,
            outcome=outcome,
            at=at,
            by=tried.by,
            diff=tried.diff.strip("\n"),
            command=tried.command.strip("\n"),
            config=tried.config.strip("\n"),
            evidence=tuple(evidence),
        )

    def _last_to_help(self) -> str:
        helped = [tried.by for tried in self.tried if tried.worked and tried.by]
        return helped[-1] if helped else ""


class Runbook(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A short list of what to look at first."""

    id: str
    title: str
    steps: tuple[str, ...]
    text: str
    components: tuple[str, ...] = ()
    services: tuple[str, ...] = ()


def _flowing(text: str) -> str:
    """A text without the line breaks that only the file needed."""
    return " ".join(text.split())
