"""Twelve faults of one small shop, one after the other, then all of them again: what memory takes for the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from tests.faulting import SPACE, START, Shop, faults

from hindcast.adapters.clock import ManualClock
from hindcast.build import open_memory
from hindcast.config import Settings
from hindcast.model.recollection import Familiarity
from hindcast.recollect import Answered

if TYPE_CHECKING:
    from tests.contract.conftest import TelemetryPlace
else:
    from contract.conftest import TelemetryPlace


@dataclass(frozen=True)
class Sight:
    """What was answered about one incident of a fault, and of which fault each case was that came to mind."""

    fault: str
    services: tuple[str, ...]
    answer: Answered
    nearest: tuple[str, ...]
    answering: str
    linked: str

    @property
    def is_seen(self) -> bool:
        """Whether the answer says that it was seen before."""
        return self.answer.diagnosis.familiarity is Familiarity.SEEN


@pytest.fixture(scope="module")
def sights(chdb_folder: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[list[Sight], list[Sight]]]:
    """The first time and the second time, every incident resolved with its cause before the next fault."""
    clock = ManualClock(START)
    place = TelemetryPlace("chdb", f"chdb://{chdb_folder}?database=hindcast_test_twelve_faults", clock)
    settings = Settings(store=str(tmp_path_factory.mktemp("faults")), space=SPACE, actor="ana", model="none")
    memory = open_memory(settings, clock=clock)
    shop = Shop(place.telemetry(), memory, clock)
    names: dict[str, str] = {}
    rounds: tuple[list[Sight], list[Sight]] = ([], [])
    for seen in rounds:
        for fault in faults():
            opened = shop.break_by(fault)
            for incident in opened:
                case, answer = shop.casebook.case(incident), shop.ask_about(incident)
                nearest = tuple(names.get(one.case.id, "") for one in answer.recollection.remembered)
                answering, linked = names.get(answer.diagnosis.case, ""), names.get(case.previous, "")
                seen.append(Sight(fault.name, case.services, answer, nearest, answering, linked))
            for incident in opened:
                shop.resolve(incident, fault)
                names[incident] = fault.name
    yield rounds
    memory.close()
    place.close()
    place.drop()


def test_every_fault_is_noticed_both_times(sights: tuple[list[Sight], list[Sight]]) -> None:
    """Twelve different faults, five and more of them of one and the same service."""
    for seen in sights:
        assert {one.fault for one in seen} == {fault.name for fault in faults()}
        assert len({one.fault for one in seen if "web" in one.services}) >= 5


def test_no_fault_is_called_seen_before_at_first_sight(sights: tuple[list[Sight], list[Sight]]) -> None:
    """Fixed wording of nginx and psycopg2, the same service and titles made of counts are no reason to think so."""
    assert [(one.fault, one.answer.diagnosis.headline) for one in sights[0] if one.is_seen] == []


def test_every_fault_is_known_the_second_time(sights: tuple[list[Sight], list[Sight]]) -> None:
    """The right incident comes first each time, and none is taken for another."""
    assert {one.fault for one in sights[1] if one.is_seen} == {fault.name for fault in faults()}
    wrong = [(one.fault, one.nearest[:2]) for one in sights[1] if one.nearest[0] != one.fault]
    assert wrong == []
    assert [(one.fault, one.answering) for one in sights[1] if one.is_seen and one.answering != one.fault] == []


def test_a_known_fault_is_answered_with_its_own_cause_and_fix(sights: tuple[list[Sight], list[Sight]]) -> None:
    """The cause and the fix are those of the right incident, and no fix of any fault is warned against."""
    known = {fault.name: fault for fault in faults()}
    for one in sights[1]:
        if one.is_seen:
            cause, first = one.answer.diagnosis.cause, one.answer.diagnosis.fixes[0]
            assert cause is not None
            assert (cause.text.rstrip("."), first.action) == (known[one.fault].cause, known[one.fault].fix)
    warned = [(one.fault, advice.action) for seen in sights for one in seen for advice in one.answer.diagnosis.avoid]
    assert warned == []
