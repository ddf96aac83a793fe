"""What an agent says came of an attempt, beside real telemetry: success counts once something confirms it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest
from tests.toolbench import NOW, SPACE, desk_on, memory_in

from hindcast import toolbox
from hindcast.casebook import Casebook
from hindcast.casebook.people import judged
from hindcast.model.case import Attempt, Case, Evidence, Outcome, Witness
from hindcast.model.columns import LOG, Batch
from hindcast.model.errors import Refused
from hindcast.model.signal import Level
from hindcast.outcomes import Outcomes
from hindcast.toolbox import Desk, ToolAnswer

if TYPE_CHECKING:
    from tests.contract.conftest import TelemetryPlace

ID = "inc-20261116-0140-checkout"
ASKED = "TimeoutError: upstream timed out"
ACTION = "scaled checkout to 9 pods"
CASE = Case(ID, "Checkout hangs", NOW - timedelta(minutes=20), symptoms=(f"ERROR {ASKED}",), services=("checkout",))
LATER = NOW + timedelta(minutes=9)


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """A desk of an agent, on a memory in which one incident lasts."""
    memory = memory_in(tmp_path)
    Casebook(memory).put(CASE, actor="ana", why="An incident.")
    yield desk_on(memory)
    memory.close()


def call(desk: Desk, **given: Any) -> ToolAnswer:
    """Record something about the incident, as an agent does."""
    return toolbox.call("attempt_record", {"incident": ID, **given}, desk)


def attempt_in(desk: Desk) -> Attempt:
    """The one attempt of the incident."""
    (found,) = Casebook(desk.memory).case(ID).attempts
    return found


def fixes(desk: Desk) -> list[str]:
    """What advice says ended it."""
    told = desk.recollect.ask(f"{CASE.title}: {ASKED}", services=CASE.services).diagnosis
    return [one.action for one in told.fixes]


def measure(desk: Desk, place: TelemetryPlace, errors: Callable[[int], int]) -> None:
    """Ten minutes before and after, counted by the real store; `errors` in each second, by seconds after now."""
    rows = [
        {
            "space": SPACE,
            "time": NOW + timedelta(seconds=second),
            "arrived": NOW,
            "service": "checkout",
            "level": level,
            "trace": "",
            "span": "",
            "template": 0,
            "fingerprint": 0,
            "repeated": False,
            "dependency": "",
            "message": ASKED,
            "stack": "",
            "attributes": [],
        }
        for second in range(-600, 540)
        for level, count in ((Level.ERROR, errors(second)), (Level.INFO, 1))
        for _ in range(count)
    ]
    telemetry = place.telemetry()
    if rows:
        telemetry.write([Batch(SPACE, pa.Table.from_pylist(rows, schema=LOG))])
    Outcomes(telemetry, lambda _: Casebook(desk.memory)).look(SPACE, now=LATER)


def test_a_success_that_an_agent_tells_does_not_count_by_itself(desk: Desk) -> None:
    """It is kept as what the agent said, is no fix in any answer, and the answer says what it waits for."""
    told = call(desk, action=ACTION, outcome="worked", why="p99 back at 80 ms")

    kept = attempt_in(desk)
    assert (kept.outcome, kept.evidence[0].witness) == (Outcome.UNKNOWN, Witness.AGENT)
    assert (kept.evidence[0].quote, kept.evidence[0].ref) == ("p99 back at 80 ms", "worked, said by agent:test")
    assert (told.data["outcome"], told.data["claimed"]) == ("unknown", "worked")
    assert "does not count as a fix until telemetry" in told.text
    assert ACTION not in fixes(desk)
    assert call(desk, action=ACTION, outcome="worked").data["is_new"] is False


@pytest.mark.parametrize(
    ("errors", "outcome", "said"),
    [
        (lambda second: 4 if second < 30 else 0, Outcome.WORKED, "worked, said by agent:test; telemetry agrees: "),
        (lambda _: 4, Outcome.NO_EFFECT, "worked, said by agent:test; telemetry disagrees: "),
        (lambda _: 0, Outcome.UNKNOWN, "worked, said by agent:test; not checkable: "),
    ],
)
def test_what_an_agent_said_is_compared_with_what_was_counted(
    desk: Desk, chdb_place: TelemetryPlace, errors: Callable[[int], int], outcome: Outcome, said: str
) -> None:
    """Errors that fell confirm it, errors that went on refute it, and where there were none nobody can tell."""
    call(desk, action=ACTION, outcome="worked")

    measure(desk, chdb_place, errors)

    kept = attempt_in(desk)
    assert kept.outcome is outcome
    assert kept.evidence[0].quote.startswith(said)
    assert (ACTION in fixes(desk)) == (outcome is Outcome.WORKED)
    # Saying it again changes nothing: what was counted stands.
    call(desk, attempt=kept.id, outcome=outcome.value.replace(" ", "_"))
    assert attempt_in(desk).outcome is outcome


def test_harm_that_an_agent_tells_warns_until_it_is_refuted(desk: Desk, chdb_place: TelemetryPlace) -> None:
    """A warning may come too early; that errors fell takes it back."""
    call(desk, action=ACTION, outcome="made_worse")
    assert attempt_in(desk).outcome is Outcome.MADE_WORSE

    measure(desk, chdb_place, lambda second: 4 if second < 30 else 0)

    assert attempt_in(desk).outcome is Outcome.WORKED
    assert "made worse, said by agent:test; telemetry disagrees" in attempt_in(desk).evidence[0].quote


def test_a_person_confirms_what_an_agent_said(desk: Desk, chdb_place: TelemetryPlace) -> None:
    """A person's word counts at once, is not measured over, and an agent cannot take it back."""
    made = call(desk, action=ACTION, outcome="worked").data["attempt"]
    word = Evidence(Witness.PERSON, "it did", "", NOW)
    Casebook(desk.memory).change(
        ID, lambda case: judged(case, made, Outcome.WORKED, evidence=word), actor="ana", why="It did."
    )

    measure(desk, chdb_place, lambda _: 4)

    assert attempt_in(desk).outcome is Outcome.WORKED
    assert ACTION in fixes(desk)
    with pytest.raises(Refused):
        call(desk, attempt=made, outcome="no_effect")
