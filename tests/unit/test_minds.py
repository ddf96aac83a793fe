"""Which steps of a memory an answer may rest on: whatever teaches something, and not how incidents go on."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from hindcast.adapters.clock import ManualClock
from hindcast.build import open_memory
from hindcast.casebook import Casebook
from hindcast.config import Settings
from hindcast.instruments import Silent
from hindcast.memory import Memory
from hindcast.model.case import Case
from hindcast.model.finding import Finding, Rule
from hindcast.model.ids import Address
from hindcast.model.incident import Affected, Event, EventKind, Incident, IncidentState
from hindcast.model.record import Change
from hindcast.model.signal import Severity
from hindcast.recollect import STEPS_FOLLOWED_MAX, Minds
from hindcast.register import Register

NOW = datetime(2026, 11, 16, 2, 0, tzinfo=UTC)
CASE = Case(id="past", title="redis pool exhausted", occurred_at=NOW - timedelta(days=40))


@pytest.fixture
def memory(tmp_path: Path) -> Memory:
    """A memory with one case."""
    opened = open_memory(Settings(store=str(tmp_path), space="team", model="none"), clock=ManualClock(NOW))
    Casebook(opened).put(CASE, actor="ana", why="told")
    return opened


@pytest.fixture
def register(memory: Memory) -> Register:
    """The register of its space."""
    return Register(lambda _, **_create: memory)


@pytest.fixture
def minds(register: Register) -> Minds:
    """Whoever can be asked."""
    return Minds(register, now=lambda: NOW, instruments=Silent())


def incident() -> Incident:
    """An outage under way."""
    finding = Finding("team", "payment", Rule.FIXED, NOW, NOW, value=132, expected=1, limit=100)
    affected = Affected("payment", NOW, NOW, errors=132, peak=132)
    return Incident(
        "inc-1", "team", "payment: 132 errors", IncidentState.OPEN, finding, (affected,), NOW, NOW, NOW, Severity.MAJOR
    )


def test_an_outage_that_goes_on_leaves_answers_standing(minds: Minds, register: Register, memory: Memory) -> None:
    """That an incident opened teaches something; that it counts more errors is a step that no answer rests on."""
    register.remember(Event(EventKind.OPENED, NOW, incident()))
    opened = minds.step("team")
    before = memory.now().newest_step
    more = replace(incident(), affected=(replace(incident().affected[0], errors=5_000, peak=900),))
    register.remember(Event(EventKind.CHANGED, NOW, more))

    assert memory.now().newest_step > before
    assert minds.step("team") == opened == before


def test_what_is_learnt_ends_what_stood(minds: Minds, memory: Memory) -> None:
    """A case, a page of a runbook, a verdict: whatever is written elsewhere is a step that answers may rest on."""
    for number, address in enumerate(("cases/other", "runbooks/redis", "verdicts/one")):
        before = minds.step("team")
        where = Address.parse(address)
        memory.commit([Change(where, {"number": number}, text="redis")], actor="ana", why="learnt")

        assert minds.step("team") == memory.now().newest_step > before


def test_a_step_between_others_is_not_missed(minds: Minds, register: Register, memory: Memory) -> None:
    """Of many steps since the last question, one that teaches is enough."""
    register.remember(Event(EventKind.OPENED, NOW, incident()))
    minds.step("team")
    Casebook(memory).put(replace(CASE, id="other"), actor="ana", why="told")
    taught = memory.now().newest_step
    for errors in range(3):
        more = replace(incident(), affected=(replace(incident().affected[0], errors=1_000 + errors),))
        register.remember(Event(EventKind.CHANGED, NOW, more))

    assert minds.step("team") == taught < memory.now().newest_step


def test_taking_back_and_erasing_end_what_stood(minds: Minds, register: Register, memory: Memory) -> None:
    """What was reverted or erased may be anything, an incident too."""
    register.remember(Event(EventKind.OPENED, NOW, incident()))
    changed = memory.commit([Change(Address("incidents", "inc-2"), {}, text="x")], actor="ana", why="told")
    before = minds.step("team")

    memory.revert(changed.id, actor="ana", why="wrong")
    reverted = minds.step("team")
    memory.erase(Address("incidents", "inc-1"), actor="ana", why="asked to")

    assert before < reverted < minds.step("team") == memory.now().newest_step


def test_after_very_many_steps_nothing_stands(minds: Minds, memory: Memory) -> None:
    """More steps than are worth looking at one by one count as something learnt."""
    minds.step("team")
    for number in range(STEPS_FOLLOWED_MAX + 1):
        memory.commit([Change(Address("incidents", f"inc-{number}"), {}, text="x")], actor="ana", why="told")

    assert minds.step("team") == memory.now().newest_step
