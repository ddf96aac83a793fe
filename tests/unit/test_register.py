"""The register of incidents: remembered like everything else."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from hindcast.adapters.clock import ManualClock
from hindcast.build import open_memory
from hindcast.config import Settings
from hindcast.model.errors import Missing
from hindcast.model.finding import Finding, Rule
from hindcast.model.incident import Affected, Event, EventKind, Incident, IncidentState
from hindcast.model.signal import Severity
from hindcast.register import Register

NOW = datetime(2026, 11, 15, 2, 3, tzinfo=UTC)


def incident(number: int = 0, space: str = "local") -> Incident:
    """An incident of the payment service, so many hours ago."""
    onset = NOW - timedelta(hours=number)
    finding = Finding(space, "payment", Rule.FIXED, onset, onset, value=132, expected=1, limit=100)
    affected = Affected("payment", onset, onset, errors=132, peak=132)
    return Incident(
        f"inc-{number}", space, "payment: 132 errors", IncidentState.OPEN, finding, (affected,), onset, onset, onset,
        Severity.MAJOR,
    )  # fmt: skip


@pytest.fixture
def register(tmp_path: Path) -> Register:
    """A register over SQLite memories in a folder."""
    settings = Settings(store=str(tmp_path), actor="ana", model="none")
    return Register(
        lambda space, create=True: open_memory(replace(settings, space=space), create=create, clock=ManualClock(NOW))
    )


def test_an_incident_comes_back_as_it_was(register: Register) -> None:
    """What was remembered of an incident is what is read, and the newest state counts."""
    register.remember(Event(EventKind.OPENED, NOW, incident(), "payment: 132 errors in 2 minutes"))
    awaiting = replace(incident(), state=IncidentState.AWAITING, quiet_since=NOW)
    register.remember(Event(EventKind.AWAITING, NOW, awaiting))

    assert awaiting == register.incident("local", "inc-0")
    assert [awaiting] == list(register.incidents("local"))


def test_the_newest_incident_comes_first(register: Register) -> None:
    """Incidents are listed by their onset, and older ones can be left out."""
    for number in (2, 0, 1):
        register.remember(Event(EventKind.OPENED, NOW, incident(number)))

    assert [one.id for one in register.incidents("local")] == ["inc-0", "inc-1", "inc-2"]
    since = NOW - timedelta(minutes=90)
    assert [one.id for one in register.incidents("local", since=since)] == ["inc-0", "inc-1"]


def test_spaces_do_not_see_each_other(register: Register) -> None:
    """An incident of one space is missing in every other."""
    register.remember(Event(EventKind.OPENED, NOW, incident(space="team-a")))

    assert register.incidents("team-b") == ()
    with pytest.raises(Missing, match="inc-0"):
        register.incident("team-b", "inc-0")


def test_every_step_of_an_incident_is_history(register: Register, tmp_path: Path) -> None:
    """Each event is a commit with its reason, so that an incident's past can be read like any other."""
    register.remember(Event(EventKind.OPENED, NOW, incident(), "132 errors in 2 minutes"))
    confirmed = replace(incident(), state=IncidentState.CONFIRMED, closed_by="ana")
    register.remember(Event(EventKind.CONFIRMED, NOW, confirmed, "ana says it is over"), actor="ana")
    register.close()

    memory = open_memory(Settings(store=str(tmp_path), space="local", actor="ana", model="none"))
    told = [(commit.actor, commit.why) for commit in memory.log()]
    assert told == [("ana", "ana says it is over"), ("hindcast", "132 errors in 2 minutes")]
    memory.close()
