"""Laws of cases: joining loses nothing and can be repeated, and an event that is told twice changes nothing more."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from hypothesis import given
from hypothesis import strategies as st

from hindcast.casebook.incident import case_of
from hindcast.casebook.joining import absorbed
from hindcast.casebook.layout import Kept, change_of, kept_of, says_the_same
from hindcast.casebook.people import Fix, attempted, noted, resolved
from hindcast.model.case import Attempt, Case, Clues, Outcome
from hindcast.model.finding import Finding, Rule
from hindcast.model.incident import Affected, Event, EventKind, Exemplar, Incident, IncidentState, Sighting
from hindcast.model.record import Record, State
from hindcast.model.signal import ChangeKind, Severity, SystemChange

NOW = datetime(2026, 11, 15, 2, 3, tzinfo=UTC)
WORDS = st.text(st.characters(codec="utf-8"), min_size=1, max_size=20)
SAID = WORDS.filter(lambda text: bool(text.strip()))
NAMES = st.sampled_from(["payment", "auth", "user", "search"])
TIMES = st.integers(-600, 600).map(lambda minutes: NOW + timedelta(minutes=minutes))
ATTEMPTS = st.builds(
    Attempt, st.just(""), SAID, st.sampled_from(list(Outcome)), st.none() | TIMES, NAMES, command=WORDS
)  # fmt: skip


@st.composite
def cases(draw: st.DrawFn, case_id: str = "inc-1") -> Case:
    """A case that some people have completed, in whatever order."""
    case = Case(
        case_id,
        draw(WORDS),
        draw(TIMES),
        services=tuple(draw(st.lists(NAMES, unique=True))),
        symptoms=tuple(draw(st.lists(WORDS, unique=True, max_size=5))),
        clues=Clues(tuple(draw(st.lists(st.integers(0, 2**64 - 1), unique=True, max_size=4)))),
    )
    for attempt in draw(st.lists(ATTEMPTS, max_size=4)):
        case = attempted(case, attempt)
    for text in draw(st.lists(SAID, max_size=4)):
        case = noted(case, text, by=draw(NAMES), at=draw(TIMES))
    if draw(st.booleans()):
        case = resolved(case, Fix(draw(WORDS), draw(WORDS)), by="ana", at=draw(TIMES))
    return case


@st.composite
def incidents(draw: st.DrawFn) -> Incident:
    """An incident in any state, with any evidence."""
    services = draw(st.lists(NAMES, unique=True, min_size=1))
    finding = Finding("local", services[0], Rule.FIXED, NOW, NOW, value=132, expected=1, limit=100)
    changes = st.builds(
        SystemChange, st.just("ci"), WORDS, st.sampled_from(list(ChangeKind)), TIMES, NAMES, WORDS, NAMES, WORDS
    )  # fmt: skip
    return Incident(
        "inc-1",
        "local",
        draw(WORDS),
        draw(st.sampled_from([state for state in IncidentState if state is not IncidentState.JOINED])),
        finding,
        tuple(Affected(name, NOW, NOW) for name in services),
        NOW,
        NOW,
        NOW,
        Severity.MAJOR,
        templates=tuple(Sighting(n, text, 1, NOW, "x") for n, text in enumerate(draw(st.lists(WORDS, max_size=4)))),
        exemplars=tuple(Exemplar(NOW, "x", 17, text) for text in draw(st.lists(WORDS, max_size=4))),
        changes=tuple(draw(st.lists(changes, max_size=4))),
    )


def as_record(kept: Kept) -> Record:
    """What memory would give back."""
    change = change_of(kept)
    occurred_at = change.occurred_at or NOW
    return Record(
        change.address, change.body, change.kind, State.LIVE, change.text, occurred_at, NOW, "ana", "c", 1, kept.version
    )  # fmt: skip


@given(cases(), st.text("abc", max_size=3), st.lists(NAMES, unique=True))
def test_a_case_survives_its_record(case: Case, joined: str, apart: list[str]) -> None:
    """Whatever was said about a case is read as it was written, and writing it again would change nothing."""
    kept = Kept(case, joined, tuple(apart), 7)

    assert kept_of(as_record(kept)) == kept
    assert says_the_same(as_record(kept), kept)


@given(cases("inc-1"), cases("inc-2"))
def test_joining_loses_nothing(home: Case, other: Case) -> None:
    """All attempts, notes, services and clues of both are in the one that goes on, under ids of their own."""
    joined = absorbed(home, other)

    def tried(case: Case) -> set[tuple[str, Outcome]]:
        return {(one.action, one.outcome) for one in case.attempts}

    def told(case: Case) -> set[tuple[str, str, datetime]]:
        return {(note.text, note.by, note.at) for note in case.notes}

    assert tried(joined) == tried(home) | tried(other)
    assert told(joined) == told(home) | told(other)
    assert set(joined.services) == {*home.services, *other.services}
    assert set(joined.clues.fingerprints) == {*home.clues.fingerprints, *other.clues.fingerprints}
    assert (joined.cause, joined.id) == (home.cause or other.cause, home.id)
    assert len({one.id for one in joined.attempts}) == len(joined.attempts)
    assert len({note.id for note in joined.notes}) == len(joined.notes)


@given(cases("inc-1"), cases("inc-2"))
def test_joining_again_adds_nothing(home: Case, other: Case) -> None:
    """A case that was taken over is not taken over twice."""
    once = absorbed(home, other)

    assert absorbed(once, other) == once


@given(cases(), incidents(), st.sampled_from([kind for kind in EventKind if kind is not EventKind.JOINED]))
def test_detection_only_adds(case: Case, incident: Incident, kind: EventKind) -> None:
    """Whatever happens to an incident, every word of people stays, and the same event again changes nothing more."""
    once = case_of(Event(kind, NOW, incident), Kept(case))

    assert (once.case.cause, once.case.resolution) == (case.cause, case.resolution)
    assert once.case.responders == case.responders
    assert once.case.attempts[: len(case.attempts)] == case.attempts
    assert set(case.notes) <= set(once.case.notes)
    assert set(case.symptoms) <= set(once.case.symptoms)
    again = case_of(Event(kind, NOW, incident), once)
    assert replace(again, version=0) == replace(once, version=0)
