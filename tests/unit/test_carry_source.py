"""Carry-over as a source of cards: which remembered fixes are tried, and what a proposal says."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.carrying import Shelf
from tests.recalling import NOW, cue, pool_case

from hindcast.model.card import CardSeverity, CardSource, Proposal, Warned
from hindcast.model.case import Attempt, Case, Outcome, Resolution
from hindcast.model.code import LineSpan, Place
from hindcast.model.diagnosis import Advice, Diagnosis
from hindcast.model.recollection import Familiarity, Recollection, Remembered
from hindcast.propose.carry import carry_over
from hindcast.propose.carry.source import _in_diff
from hindcast.propose.sheet import Sheet

TODAY = """from worker.pool import pool


def run_task(task):
    conn = pool.checkout()
    payload = conn.get(task.key)
    return handle(payload)
"""
RELEASE = """--- a/worker/tasks.py
+++ b/worker/tasks.py
@@ -5,3 +5,4 @@ def run_task(task):
     conn = pool.checkout()
     payload = conn.get(task.key)
+    pool.release(conn)
     return handle(payload)
"""
RAISE = """--- a/worker/tasks.py
+++ b/worker/tasks.py
@@ -5,3 +5,3 @@ def run_task(task):
-    conn = pool.checkout()
+    conn = pool.checkout(wait=60)
     payload = conn.get(task.key)
"""


def advice(action: str, diff: str, **rest: object) -> Advice:
    """A fix as an answer shows it."""
    made = Advice(action, (), 2, 1, 0, 0.6, 0.3, ("cases/redis-worker-pool@412",), diff=diff)
    return replace(made, **rest)  # type: ignore[arg-type]


def remembered(case: Case, **rest: object) -> Remembered:
    """A case that came to mind."""
    made = Remembered(case, f"cases/{case.id}", 7, "default", 0.8, Familiarity.SEEN, 1.0)
    return replace(made, **rest)  # type: ignore[arg-type]


def sheet(
    *fixes: Advice,
    cases: tuple[Remembered, ...] = (),
    avoid: tuple[Advice, ...] = (),
    text: str = TODAY,
    places: tuple[Place, ...] = (),
) -> Sheet:
    """An incident whose answer has some fixes, and today's code."""
    return Sheet(
        incident="inc-1",
        at=NOW,
        trace=None,
        places=places,
        recollection=Recollection(cue("connection reset"), Familiarity.SEEN, cases),
        diagnosis=Diagnosis("connection reset", NOW, Familiarity.SEEN, 0.9, None, "Seen.", fixes=fixes, avoid=avoid),
        code=Shelf({"worker/tasks.py": text}),
    )


def proposals(sheet: Sheet) -> list[Proposal]:
    """What is proposed."""
    return [one for one in carry_over(sheet) if isinstance(one, Proposal)]


def test_a_recalled_fix_becomes_a_proposal() -> None:
    """A fix of the answer is proposed as an edit of today's file, with its record, evidence and action."""
    (one,) = proposals(sheet(advice("release the connection when a task ends", RELEASE)))

    assert CardSource.CARRIED_OVER is one.source
    assert one.title == "Release the connection when a task ends."
    assert one.edit.text is not None
    assert "    pool.release(conn)\n    return handle(payload)" in one.edit.text
    assert one.evidence == ("cases/redis-worker-pool@412",)
    assert "Worked twice (2 of 3)." in one.why
    assert 0.8 < one.confidence < 0.97
    assert one.action == "release the connection when a task ends"


def test_a_change_on_the_way_of_the_trace_is_critical() -> None:
    """Where the trace goes through the function that is changed, the severity says so."""
    place = Place("worker/tasks.py", 6, "run_task", LineSpan(4, 7), 0.95, "the path is the same")

    (one,) = proposals(sheet(advice("release the connection", RELEASE), places=(place,)))

    assert CardSeverity.CRITICAL is one.severity
    assert "run_task" in one.severity_reason


def test_what_is_there_already_is_a_warning() -> None:
    """A fix that today's code has is told with its place instead of being proposed again."""
    fixed = TODAY.replace("    return", "    pool.release(conn)\n    return")

    (one,) = carry_over(sheet(advice("release the connection", RELEASE), text=fixed))

    assert isinstance(one, Warned)
    assert LineSpan(7, 7) == one.lines
    assert "already" in one.text


def test_that_a_fix_is_there_is_said_once_in_what_its_diff_did() -> None:
    """Two cases that remember one fix in other diffs give one warning, which tells nothing that the diff did not do."""
    fixed = TODAY.replace("    return", "    pool.release(conn)\n    return")
    action = "release the connection, and cap the pool at 20"
    shorter = "\n".join(line for line in RELEASE.splitlines() if "checkout" not in line)
    case = pool_case("one", resolution=Resolution("Release the connection.", diff=shorter), attempts=())

    (one,) = carry_over(sheet(advice(action, RELEASE), cases=(remembered(case),), text=fixed))

    assert isinstance(one, Warned)
    assert one.text.startswith("The fix “release the connection” is in this code already.")


def test_a_fix_without_a_place_is_told_with_its_reason() -> None:
    """Where the code no longer says what it said, nothing is proposed and the reason stands at that place."""
    other = TODAY.replace("pool.checkout()", "shared_connection()")

    (one,) = carry_over(sheet(advice("release the connection", RELEASE), text=other))

    assert isinstance(one, Warned)
    assert "`conn` no longer comes from `checkout`" in one.text


def test_cases_that_came_to_mind_bring_what_ended_them() -> None:
    """Resolutions and attempts that worked are tried; what did harm, was held back or is no match is not."""
    ended = pool_case("one", resolution=Resolution("release it in the task", diff=RELEASE), attempts=())
    tried = pool_case(
        "two",
        resolution=None,
        attempts=(
            Attempt("a1", "wait longer for a connection", Outcome.MADE_WORSE, diff=RAISE),
            Attempt("a2", "release it", Outcome.WORKED, diff=RELEASE),
        ),
    )
    harmful = pool_case("three", resolution=Resolution("wait longer", diff=RAISE), attempts=())

    assert [one.title for one in proposals(sheet(cases=(remembered(ended),)))] == ["Release it in the task."]
    assert [one.title for one in proposals(sheet(cases=(remembered(tried),)))] == ["Release it."]
    assert proposals(sheet(cases=(remembered(ended, gates=("superseded",)),))) == []
    assert proposals(sheet(cases=(remembered(ended, familiarity=Familiarity.NEW),))) == []
    avoided = sheet(cases=(remembered(harmful),), avoid=(advice("wait longer", RAISE),))
    assert proposals(avoided) == []


def test_the_same_diff_is_tried_once() -> None:
    """A fix that the answer and several cases have is proposed once, with the answer's evidence."""
    case = pool_case("one", resolution=Resolution("release it", diff=RELEASE + "\n"), attempts=())

    found = proposals(sheet(advice("release the connection", RELEASE), cases=(remembered(case),)))

    assert [one.evidence for one in found] == [("cases/redis-worker-pool@412",)]


def test_a_less_certain_memory_makes_a_less_certain_proposal() -> None:
    """The confidence that the case is the same failure counts beside the confidence in the place."""
    case = pool_case("one", resolution=Resolution("release it", diff=RELEASE), attempts=())

    sure, unsure = (
        proposals(sheet(cases=(remembered(case, confidence=value),)))[0].confidence for value in (0.95, 0.4)
    )

    assert unsure < sure


@pytest.mark.parametrize(
    ("action", "diff", "title"),
    [
        (
            "Release the connection in the teardown, and cap the pool at 20 per worker",
            "+    connection.release()",
            "Release the connection in the teardown",
        ),
        ("Release the connection and cap the pool at 20", "+pool = 20\n+release()", None),
        ("Release it, and cap the pool at 20", "@@ -20,2 +20,3 @@\n conn\n+release()", "Release it"),
        ("Cap the pool at 20", "+release()", None),
        ("Retry and back off", "+sleep(delay)", None),
    ],
)
def test_a_card_promises_what_its_diff_does(action: str, diff: str, title: str | None) -> None:
    """A part of a past fix that names a number which its diff does not have is no part of the card's title."""
    assert _in_diff(action, diff) == (title or action)
