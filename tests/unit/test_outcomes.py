"""What came of an attempt, measured: only where nobody has said so, and each attempt once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import cast

import pyarrow as pa
import pytest
from tests.conftest import Place

from hindcast.casebook import Casebook
from hindcast.casebook.people import judged
from hindcast.memory import Memory
from hindcast.model.case import Attempt, Case, CaseState, Evidence, Outcome, Witness
from hindcast.model.columns import RATE
from hindcast.model.signal import ChangeKind, Level, SystemChange
from hindcast.outcomes import Due, Outcomes, due, window
from hindcast.ports import Telemetry

ONSET = datetime(2026, 11, 15, 2, 3, tzinfo=UTC)
TRIED = ONSET + timedelta(minutes=12)
LATER = TRIED + timedelta(minutes=9)
TRY = Attempt("a1", "rolled back payment", at=TRIED, by="bo")
ID = "inc-20261115-0203-payment"
CASE = Case(ID, "payment fails", ONSET, services=("payment",), attempts=(TRY,))

# Errors of a service in each second, by how many seconds after the attempt.
Errors = Callable[[int], int]


@dataclass
class Counts:
    """Telemetry that knows counts and changes, and how often it was asked."""

    errors: Mapping[str, Errors]
    # Whether services that have no errors say anything at all.
    talks: bool = True
    told: tuple[SystemChange, ...] = ()
    asked: list[datetime] = field(default_factory=list)

    def rates(self, since: datetime, until: datetime, *, space: str | None = None, step_seconds: int = 1) -> pa.Table:
        """Counts by second."""
        assert (space, step_seconds) == ("test", 1)
        self.asked.append(since)
        rows = []
        for service, errors in self.errors.items():
            for number in range(int((until - since).total_seconds())):
                second = since + timedelta(seconds=number)
                count = errors(int((second - TRIED).total_seconds()))
                rows.append((second, service, int(Level.ERROR), count))
                rows.append((second, service, int(Level.INFO), 5 if self.talks else 0))
        told = [{"space": "test", **dict(zip(RATE.names[1:], row, strict=True))} for row in rows if row[3]]
        return pa.Table.from_pylist(told, schema=RATE)

    def changes(self, space: str, since: datetime, until: datetime) -> tuple[SystemChange, ...]:
        """What was altered."""
        assert space == "test"
        return tuple(one for one in self.told if since <= one.at < until)


def falling(after: int) -> int:
    """Forty errors a second until the attempt, none from a minute after it on."""
    return 40 if after < 40 else 0


@pytest.fixture
def memory(sqlite_place: Place) -> Memory:
    """An empty memory."""
    return sqlite_place.memory()


@pytest.fixture
def casebook(memory: Memory) -> Casebook:
    """A casebook with the case."""
    made = Casebook(memory)
    made.put(CASE, actor="ana", why="told")
    return made


def measuring(counts: Counts, casebook: Casebook) -> Outcomes:
    """Somebody who measures with these counts."""
    return Outcomes(cast("Telemetry", counts), lambda _: casebook)


def test_errors_that_stop_after_an_attempt_say_that_it_worked(casebook: Casebook) -> None:
    """The outcome and the numbers behind it are written into the case, with how sure they are."""
    assert measuring(Counts({"payment": falling}), casebook).look("test", now=LATER) == (ID,)

    (attempt,) = casebook.case(ID).attempts
    assert attempt.outcome is Outcome.WORKED
    assert "from 40.0 to 0.0 a second" in attempt.evidence[0].quote
    assert attempt.evidence[0].witness is Witness.TELEMETRY
    assert 0.6 < attempt.confidence < 1


@pytest.mark.parametrize(
    ("errors", "outcome"),
    [
        (lambda _: 40, Outcome.NO_EFFECT),
        (lambda after: 40 if after < 0 else 200, Outcome.MADE_WORSE),
        (lambda after: max(0, 40 - (after + 600) // 16), Outcome.UNKNOWN),
    ],
)
def test_numbers_tell_more_than_success(casebook: Casebook, errors: Errors, outcome: Outcome) -> None:
    """What went on, rose or was falling anyway is told as what it is."""
    measuring(Counts({"payment": errors}), casebook).look("test", now=LATER)

    (attempt,) = casebook.case(ID).attempts
    assert attempt.outcome is outcome
    assert attempt.evidence[0].quote


def test_an_attempt_is_measured_once(casebook: Casebook, memory: Memory) -> None:
    """Once measured, an attempt is left alone, whatever the numbers said."""
    counts = Counts({"payment": lambda after: max(0, 40 - (after + 600) // 16)})
    outcomes = measuring(counts, casebook)
    outcomes.look("test", now=LATER)
    commits = len(memory.log())

    assert outcomes.look("test", now=LATER + timedelta(minutes=5)) == ()
    assert (len(counts.asked), len(memory.log())) == (1, commits)


def test_a_person_is_not_overruled(casebook: Casebook) -> None:
    """Where somebody has said what came of an attempt, nothing is measured."""
    said = Evidence(Witness.PERSON, "it did nothing")
    casebook.change(ID, lambda case: judged(case, "a1", Outcome.NO_EFFECT, evidence=said), actor="bo", why="said")

    assert measuring(Counts({"payment": falling}), casebook).look("test", now=LATER) == ()
    assert casebook.case(ID).attempts[0].outcome is Outcome.NO_EFFECT


def test_somebody_who_speaks_while_it_is_measured_is_heard(casebook: Casebook) -> None:
    """A word that comes between measuring and writing stays."""
    said = Evidence(Witness.PERSON, "it did nothing")

    class Slow(Counts):
        def rates(self, *args: datetime, **more: object) -> pa.Table:
            edit = lambda case: judged(case, "a1", Outcome.NO_EFFECT, evidence=said)  # noqa: E731
            casebook.change(ID, edit, actor="bo", why="said")
            return super().rates(*args, **more)  # type: ignore[arg-type]

    measuring(Slow({"payment": falling}), casebook).look("test", now=LATER)

    assert casebook.case(ID).attempts[0].evidence == (said,)


def test_only_the_affected_services_count(casebook: Casebook) -> None:
    """Errors of a service that is no part of the incident say nothing about the attempt."""
    counts = Counts({"payment": falling, "search": lambda after: 0 if after < 0 else 500})
    measuring(counts, casebook).look("test", now=LATER)

    assert casebook.case(ID).attempts[0].outcome is Outcome.WORKED


def test_silence_is_no_recovery(casebook: Casebook) -> None:
    """Services that say nothing at all after an attempt have no errors, and nobody knows whether they are well."""
    counts = Counts({"payment": lambda after: 40 if after < 0 else 0}, talks=False)
    measuring(counts, casebook).look("test", now=LATER)

    (attempt,) = casebook.case(ID).attempts
    assert attempt.outcome is Outcome.UNKNOWN
    assert "nothing at all came from payment" in attempt.evidence[0].quote


def test_it_is_too_early_and_then_too_late() -> None:
    """An attempt is due some minutes after it was made, and no longer a day after."""
    assert due([CASE], TRIED + timedelta(minutes=7)) == ()
    assert due([CASE], LATER) == (Due(CASE, TRY, TRIED),)
    assert due([CASE], TRIED + timedelta(days=2)) == ()


@pytest.mark.parametrize(
    "other",
    [
        replace(CASE, state=CaseState.DISMISSED),
        replace(CASE, source="markdown"),
        replace(CASE, services=()),
        replace(CASE, attempts=(replace(TRY, at=None),)),
    ],
)
def test_what_cannot_be_measured_is_not_due(other: Case) -> None:
    """Dismissed and imported cases, cases without services and attempts without a time are not measured."""
    assert due([other], LATER) == ()


def test_other_attempts_and_the_calm_before_do_not_count() -> None:
    """Around an attempt only the time counts that tells of it alone."""
    assert window(Due(CASE, TRY, TRIED)) == (TRIED - timedelta(minutes=10), TRIED + timedelta(minutes=8))
    soon = ONSET + timedelta(minutes=3)
    early = replace(CASE, attempts=(replace(TRY, at=soon),))
    assert window(Due(early, early.attempts[0], soon))[0] == ONSET
    before, after = TRIED - timedelta(minutes=4), TRIED + timedelta(minutes=5)
    busy = replace(CASE, attempts=(TRY, replace(TRY, id="a2", at=before), replace(TRY, id="a3", at=after)))
    assert window(Due(busy, TRY, TRIED)) == (before + timedelta(minutes=1), after)


def test_what_was_done_to_a_service_meanwhile_was_tried(casebook: Casebook) -> None:
    """A rollback that another system tells of during the incident becomes an attempt, once, and is measured later."""
    rollback = SystemChange("argo", "r7", ChangeKind.DEPLOY, TRIED, "payment", "Rollback payment", "cy", "v41")
    other = replace(rollback, key="r8", service="search")
    casebook.put(replace(CASE, attempts=()), actor="ana", why="nothing was said")
    outcomes = measuring(Counts({"payment": falling}, told=(rollback, other)), casebook)

    assert outcomes.look("test", now=TRIED + timedelta(minutes=1)) == (ID,)
    assert outcomes.look("test", now=TRIED + timedelta(minutes=2)) == ()
    assert [(one.action, one.by) for one in casebook.case(ID).attempts] == [
        ("rolled back payment to v41 (Rollback payment)", "cy")
    ]
    outcomes.look("test", now=LATER)
    assert casebook.case(ID).attempts[0].outcome is Outcome.WORKED


def test_what_was_done_after_it_ended_was_not_tried(casebook: Casebook) -> None:
    """A deploy of an affected service long after the incident went quiet is no attempt of it."""
    deploy = SystemChange("argo", "d9", ChangeKind.DEPLOY, TRIED, "payment", "payment v50", "cy", "v50")
    quiet = replace(CASE, attempts=(), resolved_at=TRIED - timedelta(minutes=5))
    casebook.put(quiet, actor="ana", why="quiet")

    assert measuring(Counts({"payment": falling}, told=(deploy,)), casebook).look("test", now=LATER) == ()
    assert casebook.case(ID) == quiet


def test_ticks_look_now_and_then(casebook: Casebook) -> None:
    """However often it is asked, it looks every half minute."""
    counts = Counts({"payment": falling})
    outcomes = measuring(counts, casebook)

    assert outcomes.tick(["test"], now=TRIED) == ()
    assert outcomes.tick(["test"], now=TRIED + timedelta(seconds=5)) == ()
    assert outcomes.tick(["test"], now=LATER) == (ID,)


def accepted(at: datetime) -> Attempt:
    """A card that somebody accepted: nothing runs differently yet."""
    told = Evidence(Witness.VERDICT, "bo accepted it: Give the call a timeout.", "cards/fix-1a2b3c4d5e6f", at)
    return Attempt("a1", "Give the call a timeout", by="bo", evidence=(told,))


def test_what_was_accepted_as_a_card_is_measured_from_its_deployment(memory: Memory) -> None:
    """Until it runs nobody knows; the deploy after it is that attempt, and none of its own."""
    casebook = Casebook(memory)
    casebook.put(replace(CASE, attempts=(accepted(TRIED - timedelta(minutes=3)),)), actor="bo", why="accepted")
    deploy = SystemChange("argo", "d9", ChangeKind.DEPLOY, TRIED, "payment", "payment v50", "cy", "v50")
    quiet = Counts({"payment": falling})
    told = Counts({"payment": falling}, told=(deploy,))

    measuring(quiet, casebook).look("test", now=LATER)
    (waiting,) = casebook.case(ID).attempts
    assert (waiting.outcome, waiting.at) == (Outcome.UNKNOWN, None)

    measuring(told, casebook).look("test", now=LATER)
    (measured,) = casebook.case(ID).attempts
    assert (measured.outcome, measured.at, measured.by) == (Outcome.WORKED, TRIED, "bo")
    assert any("argo told of its deployment" in said.quote for said in measured.evidence)


def test_a_deploy_from_before_has_nothing_to_do_with_a_card(memory: Memory) -> None:
    """Only what is deployed after it was accepted can hold the change; a rollback never does."""
    casebook = Casebook(memory)
    casebook.put(replace(CASE, attempts=(accepted(TRIED + timedelta(minutes=1)),)), actor="bo", why="accepted")
    before = SystemChange("argo", "d9", ChangeKind.DEPLOY, TRIED, "payment", "payment v50", "cy", "v50")
    back = SystemChange("argo", "d10", ChangeKind.DEPLOY, TRIED + timedelta(minutes=2), "payment", "Rollback", "cy")
    told = Counts({"payment": falling}, told=(before, back))

    measuring(told, casebook).look("test", now=LATER + timedelta(minutes=5))

    assert [(one.id, one.at is None) for one in casebook.case(ID).attempts] == [
        ("a1", True),
        ("a2", False),
        ("a3", False),
    ]
