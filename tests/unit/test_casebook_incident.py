"""An incident under way becomes a case, in the same commit, without touching what people said."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from hindcast.adapters.clock import ManualClock
from hindcast.build import open_memory
from hindcast.casebook.joining import join, split, unlink
from hindcast.casebook.people import Fix, attempted, noted, resolved
from hindcast.clues import clues_of
from hindcast.config import Settings
from hindcast.ingest.fingerprint import of_message
from hindcast.memory import Memory
from hindcast.model.case import Attempt, Case, CaseState, Outcome
from hindcast.model.errors import Refused
from hindcast.model.finding import Finding, Rule
from hindcast.model.incident import Affected, Event, EventKind, Exemplar, Incident, IncidentState, Sighting
from hindcast.model.signal import Alert, ChangeKind, Course, Level, Severity, Status, SystemChange
from hindcast.recall.reading import words_of_case
from hindcast.register import Register

NOW = datetime(2026, 11, 15, 2, 3, tzinfo=UTC)
STACK = (
    "Traceback (most recent call last):\n"
    '  File "/app/payment/worker/pool.py", line 41, in checkout\n    return self.queue.get_nowait()\n'
    '  File "/app/payment/worker/task.py", line 18, in run_task\n    conn = pool.checkout()\n'
    "redis.exceptions.ConnectionError: Connection reset by peer\n"
)


def incident(incident_id: str = "inc-1", *services: str, title: str = "payment: 132 errors in 2 minutes") -> Incident:
    """An incident as detection hands it out with its evidence."""
    names = services or ("payment",)
    finding = Finding("local", names[0], Rule.FIXED, NOW, NOW, value=132, expected=1, limit=100)
    line = Exemplar(NOW, "payment", int(Level.ERROR), "charge 991 failed: pool_size reached", STACK, template=5)
    return Incident(
        incident_id,
        "local",
        title,
        IncidentState.OPEN,
        finding,
        tuple(Affected(name, NOW, NOW, errors=132, peak=132) for name in names),
        NOW,
        NOW + timedelta(seconds=30),
        NOW,
        Severity.MAJOR,
        templates=(Sighting(5, "charge <*> failed: pool_size reached", 130, NOW, "payment"),),
        fingerprints=(Sighting(2**64 - 9, "ConnectionError in checkout", 130, NOW, "payment"),),
        exemplars=(line,),
    )


def opened(one: Incident) -> Event:
    """The event that opens it."""
    return Event(EventKind.OPENED, NOW, one, "132 errors")


def deploy(minutes: float, service: str = "payment", title: str = "payment v42", kind: str = "deploy") -> SystemChange:
    """A change told by some CI, so many minutes after the onset."""
    at = NOW + timedelta(minutes=minutes)
    return SystemChange(
        "github", f"{service}-{minutes}", ChangeKind(kind), at, service, title, "cy", "v42", "https://ci/1"
    )


class Desk:
    """A register over a memory that can be looked at."""

    def __init__(self, folder: Path) -> None:
        settings = Settings(store=str(folder), space="local", actor="ana", model="none")
        self.memory: Memory = open_memory(settings, clock=ManualClock(NOW))
        self.register = Register(lambda _, **_create: self.memory)
        self.casebook = self.register.casebook("local")

    def tell(self, one: Incident, kind: EventKind = EventKind.CHANGED) -> Case:
        """Hand an event over, and read the case that it left."""
        self.register.remember(Event(kind, NOW, one, f"{kind}"))
        return self.casebook.case(one.id)


@pytest.fixture
def desk(tmp_path: Path) -> Desk:
    """An empty desk."""
    return Desk(tmp_path)


def test_an_incident_and_its_case_are_one_commit(desk: Desk) -> None:
    """What opens an incident also opens its case, in the same step of history."""
    case = desk.tell(incident("inc-1", "payment", "auth"), EventKind.OPENED)

    (commit,) = desk.memory.log()
    assert commit.changes == 2
    assert (case.title, case.occurred_at, case.services) == (incident().title, NOW, ("payment", "auth"))
    assert (case.state, case.severity, case.source) == (CaseState.OPEN, Severity.MAJOR, "hindcast")


def test_a_case_holds_what_was_seen(desk: Desk) -> None:
    """Failures, templates, first lines and the stack of an incident are the symptoms and clues of its case."""
    case = desk.tell(incident(), EventKind.OPENED)

    assert case.symptoms == (
        "ConnectionError in checkout",
        "charge <*> failed: pool_size reached",
        "charge 991 failed: pool_size reached",
    )
    assert case.stack == STACK
    assert case.clues.fingerprints[0] == 2**64 - 9
    assert len(case.clues.fingerprints) > 1, "the stack's own fingerprint belongs to it"
    assert "redis.exceptions.ConnectionError" in case.clues.exceptions
    assert {"redis"} <= set(case.components)


def test_an_alert_is_evidence_too(desk: Desk) -> None:
    """What another system said when it opened an incident is remembered with where it said so."""
    alert = Alert(
        "sentry", "s1", Status.FIRING, "OOMKilled", "auth", Severity.MAJOR, NOW, url="https://s/1", text="exit 137"
    )
    case = desk.tell(
        replace(incident(), alerts=(alert,), exemplars=(), fingerprints=(), templates=()), EventKind.OPENED
    )

    assert (case.symptoms, case.links, case.components) == (("exit 137",), ("https://s/1",), ("kubernetes",))


def test_other_numbers_are_no_change(desk: Desk) -> None:
    """While only counts move, the incident's record is written and its case is left alone."""
    desk.tell(incident(), EventKind.OPENED)
    first = desk.memory.get("cases/inc-1")
    more = incident(title="payment: 1,412 errors in 2 minutes")
    desk.tell(
        replace(more, templates=(replace(more.templates[0], count=999),), last_trouble_at=NOW + timedelta(minutes=1))
    )

    assert desk.memory.get("cases/inc-1").version == first.version
    assert desk.memory.get("incidents/inc-1").version > first.version


def test_what_people_said_stays(desk: Desk) -> None:
    """Nothing that detection learns later overwrites a cause, an attempt, a fix, a note or who took part."""
    desk.tell(incident(), EventKind.OPENED)

    def said(case: Case) -> Case:
        case = noted(case, "look at redis", by="bo", at=NOW)
        case = attempted(case, Attempt("", "restarted the workers", Outcome.NO_EFFECT, NOW, "bo"))
        return resolved(case, Fix("released connections", "they were never released"), by="ana", at=NOW)

    told = desk.casebook.change("inc-1", said, actor="ana", why="told")
    grown = desk.tell(incident("inc-1", "payment", "auth", title="cascade from payment: 2 services"), EventKind.GREW)

    assert grown.services == ("payment", "auth")
    assert grown.title == "cascade from payment: 2 services"
    for name in ("cause", "attempts", "resolution", "notes", "responders", "state", "resolved_at"):
        assert getattr(grown, name) == getattr(told, name), name


def test_a_case_ends_with_its_incident(desk: Desk) -> None:
    """A confirmed incident's case is resolved as of when it went quiet, and open again when it is reopened."""
    quiet = NOW + timedelta(minutes=34)
    desk.tell(incident(), EventKind.OPENED)
    waiting = desk.tell(replace(incident(), state=IncidentState.AWAITING, quiet_since=quiet), EventKind.AWAITING)
    over = replace(incident(), state=IncidentState.CONFIRMED, quiet_since=quiet, closed_at=quiet + timedelta(hours=9))

    assert (waiting.state, waiting.resolved_at) == (CaseState.OPEN, quiet)
    assert desk.tell(over, EventKind.CONFIRMED).minutes_to_resolve == 34
    assert desk.casebook.case("inc-1").state is CaseState.RESOLVED
    again = desk.tell(incident(), EventKind.REOPENED)
    assert (again.state, again.resolved_at) == (CaseState.OPEN, None)


def test_a_dismissed_incident_is_a_dismissed_case(desk: Desk) -> None:
    """What was no incident is remembered as none."""
    desk.tell(incident(), EventKind.OPENED)

    assert (
        desk.tell(replace(incident(), state=IncidentState.DISMISSED), EventKind.DISMISSED).state is CaseState.DISMISSED
    )


def test_a_change_before_is_noted_and_one_during_is_an_attempt(desk: Desk) -> None:
    """A deploy before the outage is kept as a note and a link; one of an affected service during it was an attempt."""
    desk.tell(incident(), EventKind.OPENED)
    case = desk.tell(
        replace(incident(), changes=(deploy(-20), deploy(9), deploy(12, service="search"))), EventKind.GREW
    )

    assert [(note.text, note.by) for note in case.notes] == [("Before it: deploy of payment (payment v42, v42)", "cy")]
    (attempt,) = case.attempts
    assert (attempt.action, attempt.by, attempt.outcome) == (
        "deployed payment to v42 (payment v42)",
        "cy",
        Outcome.UNKNOWN,
    )
    assert case.links == ("https://ci/1",)


def test_generated_words_about_a_change_are_not_searched(desk: Desk) -> None:
    """A note that detection made of a change is no text of the case; what a person noted is."""
    desk.tell(replace(incident(), changes=(deploy(-20),)), EventKind.OPENED)
    case = desk.casebook.change(
        "inc-1", lambda one: noted(one, "only in Lisbon", by="ana", at=NOW), actor="ana", why="noted"
    )
    words = words_of_case(case)

    assert [note.text[:10] for note in case.notes] == ["Before it:", "only in Li"]
    assert "only in Lisbon" in words
    assert "deploy" not in words


ACCESS = '10.0.0.7 - - [19/Nov/2026:04:29:12 +0000] "GET /{} HTTP/1.1" {} 157 "-" "curl/8"'


def test_lines_of_an_access_log_identify_no_failure(desk: Desk) -> None:
    """Two outages that clients saw as 502 and 504 share no fingerprint; one of a failure beside such lines stays."""
    first, second = ACCESS.format("cart", 502), ACCESS.format("pay?id=7", 504)
    seen = (Sighting(7, of_message(first).title, 90, NOW, "nginx"), Sighting(8, "upstream timed out", 40, NOW, "nginx"))
    line = Exemplar(NOW, "nginx", int(Level.ERROR), second, "", template=3)
    case = desk.tell(replace(incident("inc-2", "nginx"), fingerprints=seen, exemplars=(line,)), EventKind.OPENED)

    assert clues_of(f"{first}\n{second}").fingerprints == ()
    assert case.clues.fingerprints == (8,)
    assert len(clues_of(f"{first}\nupstream timed out").fingerprints) == 1


def test_a_deploy_announced_with_the_onset_is_a_suspect(desk: Desk) -> None:
    """A deploy told a moment after the onset, before anybody knew, is no attempt; a rollback at that time is one."""
    changes = (deploy(0.2), deploy(0.3, title="Rollback of payment", kind="other"))
    case = desk.tell(replace(incident(), changes=changes), EventKind.OPENED)

    assert [one.action for one in case.attempts] == ["rolled back payment to v42 (Rollback of payment)"]
    assert len(case.notes) == 1


def test_the_same_change_is_one_attempt(desk: Desk) -> None:
    """A change that is told with every event is an attempt once, and what people say of it stays."""
    told = replace(incident(), changes=(deploy(9),))
    desk.tell(told, EventKind.OPENED)
    desk.tell(told, EventKind.GREW)

    assert len(desk.casebook.case("inc-1").attempts) == 1


def test_what_is_done_after_it_went_quiet_is_no_attempt(desk: Desk) -> None:
    """While an incident waits for somebody's word, deploys of its services have nothing to do with it any more."""
    quiet = replace(incident(), state=IncidentState.AWAITING, quiet_since=NOW + timedelta(minutes=10))
    desk.tell(incident(), EventKind.OPENED)
    case = desk.tell(replace(quiet, changes=(deploy(9), deploy(700))), EventKind.AWAITING)

    assert [one.at for one in case.attempts] == [NOW + timedelta(minutes=9)]
    assert desk.tell(incident(), EventKind.REOPENED).resolved_at is None


def test_a_joined_case_points_to_the_one_that_goes_on(desk: Desk) -> None:
    """When detection joins two incidents, what people said about either is found in the one that goes on."""
    desk.tell(incident("inc-1"), EventKind.OPENED)
    desk.tell(incident("inc-2", "auth"), EventKind.OPENED)
    desk.casebook.change("inc-2", lambda case: noted(case, "auth is slow", by="bo", at=NOW), actor="bo", why="note")
    gone = desk.tell(replace(incident("inc-2", "auth"), state=IncidentState.JOINED, joined="inc-1"), EventKind.JOINED)
    home = desk.casebook.case("inc-1")

    assert (gone.state, gone.links) == (CaseState.DISMISSED, ("cases/inc-1",))
    assert [note.text for note in home.notes] == ["auth is slow"]
    assert home.services == ("payment", "auth")
    kept = desk.casebook.kept("inc-2")
    assert kept is not None
    assert kept.joined_into == "inc-1"


def test_what_people_split_stays_apart(desk: Desk) -> None:
    """A service that people took out of a case does not come back with the next event."""
    desk.tell(incident("inc-1", "payment", "auth", "search"), EventKind.OPENED)
    left, new = split(desk.casebook, "inc-1", ["auth"], actor="ana", why="another cause")
    assert (left.services, new.services, new.links) == (("payment", "search"), ("auth",), ("cases/inc-1",))

    assert desk.tell(incident("inc-1", "payment", "auth", "search", "user")).services == ("payment", "search", "user")


def test_what_people_join_stays_joined(desk: Desk) -> None:
    """A case that people made part of another stays so, and what detection sees of it later goes to the other."""
    desk.tell(incident("inc-1"), EventKind.OPENED)
    desk.tell(incident("inc-2", "auth"), EventKind.OPENED)
    desk.casebook.change("inc-2", lambda case: noted(case, "auth is slow", by="bo", at=NOW), actor="bo", why="note")
    join(desk.casebook, "inc-1", "inc-2", actor="ana", why="one outage")
    desk.tell(incident("inc-2", "auth", "user"), EventKind.GREW)
    desk.tell(replace(incident("inc-2", "auth", "user"), state=IncidentState.CONFIRMED), EventKind.CONFIRMED)

    home, part = desk.casebook.case("inc-1"), desk.casebook.case("inc-2")
    assert home.services == ("payment", "auth", "user")
    assert [note.text for note in home.notes] == ["auth is slow"]
    assert part.state is CaseState.DISMISSED


def test_something_else_in_its_place_does_not_stop_the_incident(desk: Desk) -> None:
    """Where somebody wrote something that is no case, the incident is remembered all the same."""
    desk.memory.put("cases/inc-1", {"mine": True}, actor="bo", why="by hand", kind="case")
    desk.register.remember(opened(incident()))

    assert desk.register.incident("local", "inc-1") == incident()
    assert desk.memory.get("cases/inc-1").body == {"mine": True}


def test_a_recurrence_is_linked(desk: Desk) -> None:
    """The case of an incident that repeats another says which."""
    assert desk.tell(replace(incident("inc-2"), previous="inc-1"), EventKind.OPENED).previous == "inc-1"


def test_a_case_stays_bounded(desk: Desk) -> None:
    """However much is seen of an incident, its case stays something to read."""
    templates = tuple(Sighting(n, f"line {n} " + "x" * 2_000, 1, NOW, "payment") for n in range(100))
    case = desk.tell(replace(incident(), templates=templates), EventKind.OPENED)

    assert len(case.symptoms) == 20
    assert max(map(len, case.symptoms)) == 500


def test_how_it_went_is_remembered(desk: Desk) -> None:
    """The course of an incident that is over stays with its case, also when it is told of again without it."""
    went = Course(NOW - timedelta(minutes=10), 10, (0, 0, 132, 40, 0))
    desk.tell(incident(), EventKind.OPENED)
    over = desk.tell(replace(incident(), state=IncidentState.AWAITING, course=went), EventKind.AWAITING)

    assert over.course == went
    assert desk.tell(incident(), EventKind.REOPENED).course == went
    assert desk.casebook.case("inc-1").course == went


def test_a_link_that_people_took_away_stays_away(desk: Desk) -> None:
    """Who says that an incident does not repeat an earlier one is not contradicted by what detection tells later."""
    told = replace(incident("inc-2"), previous="inc-1")
    desk.tell(told, EventKind.OPENED)
    made = unlink(desk.casebook, "inc-2", actor="ana", why="another failure")

    assert made.previous == ""
    assert desk.tell(told, EventKind.GREW).previous == ""
    assert desk.tell(replace(told, previous="inc-0"), EventKind.GREW).previous == "inc-0"


def test_what_has_no_link_cannot_lose_one(desk: Desk) -> None:
    """Where there is nothing to take away, it is said so."""
    desk.tell(incident(), EventKind.OPENED)

    with pytest.raises(Refused, match="linked to no earlier incident"):
        unlink(desk.casebook, "inc-1", actor="ana", why="another failure")
