"""What people say about a case: each a function from a case to a case."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from tests.conftest import Place

from hindcast.casebook import Casebook
from hindcast.casebook.joining import absorbed, join, split
from hindcast.casebook.people import (
    TEXT_CHARS_MAX,
    Fix,
    attempt_of,
    attempted,
    dismissed,
    judged,
    missing_in,
    noted,
    over,
    reopened,
    resolved,
)
from hindcast.model.case import Attempt, Case, CaseState, Cause, Clues, Evidence, Outcome, Resolution, Witness
from hindcast.model.errors import HindcastError, Malformed, Missing, Refused

NOW = datetime(2026, 11, 15, 2, 3, tzinfo=UTC)
CASE = Case("inc-1", "redis resets", NOW, services=("payment", "auth"))
RAISED = Attempt("", "raised the pool to 200", at=NOW, by="bo", command="kubectl set env …")


def tried(*actions: str) -> Case:
    """A case in which these things were tried."""
    case = CASE
    for action in actions:
        case = attempted(case, replace(RAISED, action=action))
    return case


def test_attempts_are_numbered_in_order() -> None:
    """Attempts get ids of their own, and an id is never given twice, even when one was taken out."""
    case = tried("one", "two", "three")
    assert [one.id for one in case.attempts] == ["a1", "a2", "a3"]

    fewer = replace(case, attempts=(case.attempts[0], case.attempts[2]))
    assert attempted(fewer, RAISED).attempts[-1].id == "a4"
    lower = replace(
        case, attempts=(replace(case.attempts[0], id="a7"), replace(case.attempts[1], id="restart-workers"))
    )
    assert attempted(lower, RAISED).attempts[-1].id == "a8"


def test_whoever_tried_something_is_a_responder() -> None:
    """Who took part is learnt from what they did, each once."""
    case = resolved(attempted(attempted(CASE, RAISED), RAISED), Fix("x"), by="ana", at=NOW)

    assert case.responders == ("bo", "ana")


def test_an_outcome_can_be_said_later() -> None:
    """What came of an attempt is told by its id, in any spelling; the person's word is the first evidence."""
    said = Evidence(Witness.PERSON, "it made it worse", at=NOW)
    case = judged(tried("one", "two"), "a2", Outcome.MADE_WORSE, evidence=said)

    assert [one.outcome for one in case.attempts] == [Outcome.UNKNOWN, Outcome.MADE_WORSE]
    assert case.attempts[1].evidence == (said,)
    with pytest.raises(Missing, match="It has a1, a2"):
        attempt_of(case, "a9")


def test_a_resolution_says_why_and_what_ended_it() -> None:
    """Cause, fix and length come from one command, in somebody's name."""
    case = resolved(CASE, Fix("cap at 20", "never released", command="deploy", minutes=34), by="ana", at=NOW)

    assert (case.state, case.minutes_to_resolve) == (CaseState.RESOLVED, 34)
    assert case.cause is not None
    assert (case.cause.text, case.cause.by) == ("never released", "ana")
    assert case.resolution is not None
    assert (case.resolution.text, case.resolution.command, case.resolution.by) == ("cap at 20", "deploy", "ana")


def test_a_fix_that_was_an_attempt_worked() -> None:
    """A fix named by its attempt, or in the attempt's words, marks that attempt as the one that worked."""
    by_id = resolved(tried("restart", "rollback"), Fix(attempt="a2"), by="ana", at=NOW)
    by_words = resolved(tried("restart", "Rollback"), Fix("rollback "), by="ana", at=NOW)

    for case in (by_id, by_words):
        assert case.resolution is not None
        assert case.resolution.attempt == "a2"
        assert case.resolution.command == RAISED.command
        assert [one.outcome for one in case.attempts] == [Outcome.UNKNOWN, Outcome.WORKED]
    assert by_id.resolution is not None
    assert by_id.resolution.text == "rollback"


def test_saying_the_cause_later_keeps_the_fix() -> None:
    """Each part of a resolution can be said by itself; what was said before stays."""
    fixed = resolved(CASE, Fix("cap at 20", diff="+cap"), by="ana", at=NOW)
    both = resolved(fixed, Fix(cause="leak"), by="bo", at=NOW + timedelta(hours=1))

    assert both.resolution == fixed.resolution
    assert both.cause is not None
    assert both.cause.by == "bo"


def test_nobody_knows_when_an_old_incident_ended() -> None:
    """What is resolved long after it began does not count as having lasted so long."""
    soon, late = NOW + timedelta(hours=1), NOW + timedelta(days=90)

    assert resolved(CASE, Fix("x"), by="ana", at=soon).minutes_to_resolve == 60
    assert resolved(CASE, Fix("x"), by="ana", at=late).minutes_to_resolve is None
    assert resolved(CASE, Fix("x", minutes=12), by="ana", at=late).resolved_at == NOW + timedelta(minutes=12)


def test_a_reopened_case_keeps_what_was_said() -> None:
    """A case that is not over after all is open, with everything known about it."""
    case = resolved(CASE, Fix("x", "y"), by="ana", at=NOW)

    again = reopened(case)
    assert (again.state, again.resolved_at, again.cause, again.resolution) == (
        CaseState.OPEN,
        None,
        case.cause,
        case.resolution,
    )
    assert over(dismissed(again), at=NOW).state is CaseState.RESOLVED


def test_what_is_missing_comes_with_the_command_that_says_it() -> None:
    """A case names everything that nobody has said yet, and a complete or dismissed one names nothing."""
    gaps = dict(missing_in(tried("restart")))
    assert list(gaps) == ["the cause", "what ended it", "what came of a1 (restart)"]
    assert gaps["what came of a1 (restart)"] == "hindcast incident attempt inc-1 --set a1 --outcome …"

    assert missing_in(resolved(tried("restart"), Fix(attempt="a1", cause="x"), by="ana", at=NOW)) == ()
    assert missing_in(dismissed(CASE)) == ()


@pytest.mark.parametrize(
    ("edit", "field"),
    [
        (lambda: noted(CASE, "  ", by="bo", at=NOW), "text"),
        (lambda: noted(CASE, "x" * (TEXT_CHARS_MAX + 1), by="bo", at=NOW), "text"),
        (lambda: attempted(CASE, Attempt("", "")), "action"),
        (lambda: attempted(CASE, replace(RAISED, diff="x" * (TEXT_CHARS_MAX + 1))), "diff"),
        (lambda: attempted(CASE, replace(RAISED, at=NOW.replace(tzinfo=None))), "at"),
        (lambda: resolved(CASE, Fix("x", minutes=-1), by="ana", at=NOW), "minutes"),
        (lambda: resolved(CASE, Fix(attempt="a1"), by="ana", at=NOW), "attempt"),
    ],
)
def test_what_says_nothing_is_refused_by_its_field(edit: object, field: str) -> None:
    """An empty, endless or impossible statement is refused by the name of its field."""
    assert callable(edit)
    with pytest.raises(HindcastError) as caught:
        edit()
    assert caught.value.field == field


@pytest.fixture
def casebook(sqlite_place: Place) -> Casebook:
    """A casebook with two cases."""
    made = Casebook(sqlite_place.memory())
    other = replace(CASE, id="inc-2", services=("search",), occurred_at=NOW - timedelta(minutes=3))
    made.put_many([CASE, other], actor="ana", why="told")
    return made


def test_joining_keeps_what_both_knew(casebook: Casebook) -> None:
    """One case goes on with the attempts, notes, clues and the fix of both; ids stay unique and links both ways."""
    casebook.change("inc-1", lambda case: attempted(case, RAISED), actor="bo", why="x")

    def known(case: Case) -> Case:
        case = attempted(noted(case, "n", by="bo", at=NOW), replace(RAISED, action="rollback"))
        case = replace(case, clues=Clues((7,), identifiers=("pool_size",)))
        return resolved(case, Fix(attempt="a1", cause="leak"), by="ana", at=NOW)

    casebook.change("inc-2", known, actor="ana", why="x")
    home = join(casebook, "inc-1", "inc-2", actor="ana", why="one outage")

    assert [(one.id, one.action) for one in home.attempts] == [("a1", RAISED.action), ("a2", "rollback")]
    assert home.resolution is not None
    assert home.resolution.attempt == "a2"
    assert (home.services, home.clues.fingerprints) == (("payment", "auth", "search"), (7,))
    assert home.occurred_at == NOW - timedelta(minutes=3)
    assert home.links == ("cases/inc-2",)
    assert casebook.case("inc-2").links == ("cases/inc-1",)
    assert casebook.case("inc-2").state is CaseState.DISMISSED


def test_a_joined_case_is_not_joined_again(casebook: Casebook) -> None:
    """A case that is part of another cannot be joined, nor be joined to, and says which one goes on."""
    join(casebook, "inc-1", "inc-2", actor="ana", why="one outage")

    casebook.put(replace(CASE, id="inc-3"), actor="ana", why="told")
    for into, other in (("inc-3", "inc-2"), ("inc-2", "inc-3")):
        with pytest.raises(Refused, match="part of inc-1"):
            join(casebook, into, other, actor="ana", why="x")
    with pytest.raises(Refused, match="Say it of inc-1"):
        casebook.change("inc-2", lambda case: noted(case, "n", by="bo", at=NOW), actor="bo", why="x")
    with pytest.raises(Malformed, match="itself"):
        join(casebook, "inc-1", "inc-1", actor="ana", why="x")


def test_absorbing_the_same_again_adds_nothing() -> None:
    """What was already taken over is not taken twice."""
    other = attempted(noted(replace(CASE, id="inc-2"), "n", by="bo", at=NOW), RAISED)
    once = absorbed(CASE, other)

    assert absorbed(once, other) == once


def test_a_split_divides_what_names_a_service(casebook: Casebook) -> None:
    """Symptoms that name a service go with it, what names none stays with both, and what people said stays."""
    lines = ("auth: token expired", "payment: timeout", "connection reset")
    cause, fix = Cause("x"), Resolution("y")
    casebook.change(
        "inc-1", lambda case: replace(case, symptoms=lines, cause=cause, resolution=fix), actor="ana", why="seen"
    )
    left, new = split(casebook, "inc-1", ["auth"], actor="ana", why="another cause")

    assert left.symptoms == ("payment: timeout", "connection reset")
    assert new.symptoms == ("auth: token expired", "connection reset")
    assert (left.cause, new.cause, new.resolution) == (cause, None, None)
    assert left.links == ("cases/inc-1-auth",)


@pytest.mark.parametrize(
    ("services", "new_id", "match"),
    [
        ([], "", "No service"),
        (["redis"], "", "does not have redis"),
        (["auth", "payment"], "", "Nothing would be left"),
        (["auth"], "inc-2", "already a case inc-2"),
    ],
)
def test_a_split_that_makes_no_sense_is_refused(
    casebook: Casebook, services: list[str], new_id: str, match: str
) -> None:
    """A split needs services of the case, leaves some, and overwrites no other case."""
    with pytest.raises((Malformed, Refused), match=match):
        split(casebook, "inc-1", services, new_id=new_id, actor="ana", why="x")
    assert casebook.case("inc-1") == CASE
