"""Incidents at a glance: a view that follows history and can be made anew from it at any time."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from hindcast.adapters.clock import ManualClock
from hindcast.build import open_memory
from hindcast.casebook import Casebook
from hindcast.casebook.joining import join
from hindcast.casebook.people import Fix, dismissed, noted, resolved
from hindcast.casebook.summaries import Standing, Summaries, Summary, Wanted, standing, summary_in, table_in
from hindcast.config import Settings
from hindcast.memory import Memory
from hindcast.model.case import Case, CaseState
from hindcast.model.errors import Missing
from hindcast.model.finding import Finding, Rule
from hindcast.model.incident import Affected, Event, EventKind, Incident, IncidentState
from hindcast.model.signal import Severity
from hindcast.register import Register

NOW = datetime(2026, 11, 15, 2, 3, tzinfo=UTC)


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    """An empty memory."""
    opened = open_memory(
        Settings(store=str(tmp_path), space="local", model="none", actor="ana"), clock=ManualClock(NOW)
    )
    yield opened
    opened.close()


def case(number: int, **more: Any) -> Case:
    """A case; the higher its number, the older."""
    return Case(f"inc-{number}", f"trouble {number}", NOW - timedelta(hours=number), services=("auth",), **more)


def incident(incident_id: str = "inc-x", **more: Any) -> Incident:
    """An incident that detection sees."""
    trigger = Finding("local", "auth", Rule.FIXED, NOW, NOW, 120, 1, 100)
    affected = (Affected("auth", NOW, NOW), Affected("user", NOW, NOW))
    seen = Incident(
        incident_id, "local", "auth: 120 errors", IncidentState.OPEN, trigger, affected, NOW, NOW, NOW, Severity.MAJOR
    )
    return replace(seen, **more)


def rows(summaries: Iterator[Summary]) -> list[str]:
    """The ids, in order."""
    return [one.id for one in summaries]


def test_what_follows_is_what_would_be_read_anew(memory: Memory) -> None:
    """After any mix of new, changed, joined and retracted cases the followed table equals one made from history."""
    chance, book = random.Random(7), Casebook(memory)
    followed = Summaries(memory)
    book.put_many([case(number) for number in range(20)], actor="ana", why="told")
    for step in range(40):
        number = chance.randrange(24)
        name = f"inc-{number}"
        known = book.find(name)
        deed = chance.randrange(4)
        if known is None or deed == 0:
            book.put(case(number, summary=f"again {step}"), actor="ana", why="told")
        elif deed == 1:
            moved = replace(known, occurred_at=NOW - timedelta(minutes=chance.randrange(3_000)))
            book.put(moved, actor="ana", why="it began elsewhere")
        elif deed == 2:
            memory.retract(f"cases/{name}", actor="ana", why="none of ours")
        else:
            fix = Fix(text=f"fix {step}", cause="a leak")
            book.put(resolved(known, fix, by="bo", at=NOW), actor="bo", why="done")
        anew = table_in(memory.now())
        table = followed.now()
        assert rows(table.newest()) == rows(anew.newest())
        assert [table.find(one) for one in rows(table.newest())] == [anew.find(one) for one in rows(anew.newest())]
        for state in Standing:
            stands = [one.id for one in anew.newest() if one.state is state]
            assert rows(table.newest(Wanted(states=frozenset({state})))) == stands
            assert table.counts()[state] == len(stands)


def test_what_was_erased_leaves_the_view(memory: Memory) -> None:
    """An erased case is in no list from then on."""
    Casebook(memory).put_many([case(1, summary="a secret"), case(2)], actor="ana", why="told")
    followed = Summaries(memory)
    assert len(followed.now()) == 2
    memory.erase("cases/inc-1", actor="ana", why="a legal duty")

    assert rows(followed.now().newest()) == ["inc-2"]


def test_other_branches_are_not_followed(memory: Memory) -> None:
    """What is written on a branch shows only when the branch is asked."""
    Casebook(memory).put(case(1), actor="ana", why="told")
    followed = Summaries(memory)
    followed.now()
    memory.branch("what-if", actor="ana", why="to try it")
    Casebook(memory, branch="what-if").put(case(2), actor="ana", why="told there")

    assert rows(followed.now().newest()) == ["inc-1"]
    assert rows(table_in(memory.now("what-if")).newest()) == ["inc-1", "inc-2"]


def test_a_table_never_changes(memory: Memory) -> None:
    """Whoever reads a list while others write reads it as it was when it began."""
    book, followed = Casebook(memory), Summaries(memory)
    book.put_many([case(number) for number in range(5)], actor="ana", why="told")
    reading = followed.now()
    book.put(case(9), actor="ana", why="told")
    followed.now()

    assert len(reading) == 5
    assert len(followed.now()) == 6


def test_detection_and_people_make_one_summary(memory: Memory) -> None:
    """What detection saw and what people know of one incident stand in one row, under both versions."""
    register = Register(lambda _, **_create: memory)
    register.remember(Event(EventKind.OPENED, NOW, incident()))
    (seen,) = register.summaries("local").newest()
    assert (seen.state, seen.severity, seen.services) == (Standing.OPEN, Severity.MAJOR, ("auth", "user"))
    assert seen.case_version
    assert seen.detection_version

    register.casebook("local").change(
        "inc-x", lambda known: resolved(known, Fix(text="restarted\nthe relay", cause="a leak"), by="bo", at=NOW),
        actor="bo", why="done",
    )  # fmt: skip
    (done,) = register.summaries("local").newest()
    assert (done.state, done.fix, done.cause, done.who) == (Standing.RESOLVED, "restarted", "a leak", ("bo",))
    assert done.detection_version == seen.detection_version
    assert done.case_version != seen.case_version
    assert summary_in(memory.now(), "inc-x") == done


@pytest.mark.parametrize(
    ("known", "seen", "stands"),
    [
        (None, IncidentState.OPEN, Standing.OPEN),
        (CaseState.OPEN, IncidentState.AWAITING, Standing.AWAITING),
        (CaseState.RESOLVED, IncidentState.OPEN, Standing.RESOLVED),
        (CaseState.DISMISSED, None, Standing.DISMISSED),
        (CaseState.DISMISSED, IncidentState.JOINED, Standing.JOINED),
        (None, IncidentState.CONFIRMED, Standing.RESOLVED),
        (None, IncidentState.DISMISSED, Standing.DISMISSED),
        (CaseState.OPEN, None, Standing.OPEN),
    ],
)
def test_where_an_incident_stands(known: CaseState | None, seen: IncidentState | None, stands: Standing) -> None:
    """While it lasts whoever watches says where it stands; once it is over, people do."""
    assert standing(known, seen) is stands


def test_conditions_narrow_a_list(memory: Memory) -> None:
    """State, severity, service, time and words each let through what they say, and together what all say."""
    book = Casebook(memory)
    book.put_many(
        [
            case(1, severity=Severity.CRITICAL, responders=("Ana",)),
            resolved(case(2), Fix(text="Restarted the RELAY"), by="bo", at=NOW),
            dismissed(case(3)),
            replace(case(4), services=("payment",)),
        ],
        actor="ana",
        why="told",
    )
    table = table_in(memory.now())

    assert rows(table.newest(Wanted(states=frozenset({Standing.RESOLVED, Standing.DISMISSED})))) == ["inc-2", "inc-3"]
    assert rows(table.newest(Wanted(severities=frozenset({Severity.CRITICAL})))) == ["inc-1"]
    assert rows(table.newest(Wanted(service="payment"))) == ["inc-4"]
    assert rows(table.newest(Wanted(text="relay restarted"))) == ["inc-2"]
    assert rows(table.newest(Wanted(text="ANA"))) == ["inc-1"]
    assert rows(table.newest(Wanted(since=NOW - timedelta(hours=2)))) == ["inc-1", "inc-2"]
    assert rows(table.newest(Wanted(until=NOW - timedelta(hours=2)))) == ["inc-3", "inc-4"]
    assert table.counts()[Standing.OPEN] == 2


def test_what_was_joined_points_to_where_it_goes_on(memory: Memory) -> None:
    """A case that people made part of another stands as joined, and says of which."""
    book = Casebook(memory)
    book.put_many([case(1), case(2)], actor="ana", why="told")
    join(book, "inc-1", "inc-2", actor="ana", why="one outage")
    found = table_in(memory.now()).find("inc-2")

    assert found is not None
    assert (found.state, found.joined_into) == (Standing.JOINED, "inc-1")


def test_what_is_no_case_is_left_out(memory: Memory) -> None:
    """A record among the cases that is none spoils no list."""
    Casebook(memory).put(case(1), actor="ana", why="told")
    memory.put("cases/odd", {"title": 7}, actor="bo", why="by mistake", kind="case")
    memory.put("cases/list", [1], actor="bo", why="by mistake", kind="case")

    assert rows(table_in(memory.now()).newest()) == ["inc-1"]


def test_spaces_that_nobody_asked_about_make_room(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Beyond the limit the spaces asked about longest ago are let go, and are read again when they are asked for."""
    made: list[str] = []

    def begun(memory: Memory, **more: Any) -> Summaries:
        made.append(memory.space)
        return Summaries(memory, **more)

    monkeypatch.setattr("hindcast.register.SUMMARIES_MAX", 3)
    monkeypatch.setattr("hindcast.register.Summaries", begun)
    settings = Settings(store=str(tmp_path), model="none", actor="ana")
    register = Register(lambda space, create=True: open_memory(replace(settings, space=space), create=create))
    for space in ("one", "two", "three"):
        register.casebook(space).put_many([case(1), case(2)], actor="ana", why="told")
        assert len(register.summaries(space)) == 2
    assert len(register.summaries("three")) == 2
    assert len(register.summaries("one")) == 2
    assert made == ["one", "two", "three", "one"]
    with pytest.raises(Missing):
        register.incident("nowhere", "inc-1")
    assert len(register.summaries("nowhere")) == 0
    assert not (tmp_path / "nowhere.db").exists()
    register.close()


def test_a_note_moves_the_version(memory: Memory) -> None:
    """Anything that people add changes the version of the incident."""
    book, followed = Casebook(memory), Summaries(memory)
    book.put(case(1), actor="ana", why="told")
    before = followed.now().find("inc-1")
    book.change("inc-1", lambda known: noted(known, "seen in eu-west", by="bo", at=NOW), actor="bo", why="noted")
    after = followed.now().find("inc-1")

    assert before is not None
    assert after is not None
    assert before.version != after.version
