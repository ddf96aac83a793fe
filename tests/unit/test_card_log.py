"""The memory log: every card, what was decided, and what came of it, at any moment."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.deciding import CODE, FIXED, INCIDENT, SPACE, TITLE, WORKER, Shop, shop

from hindcast.casebook import Casebook
from hindcast.casebook.incident import with_changes
from hindcast.casebook.people import judged
from hindcast.fixes.erasing import erase
from hindcast.fixes.log import DEPLOYED, NOT_DEPLOYED, NOT_FOLLOWED, Logbook, Wanted, counts, line_of, lines, page
from hindcast.model.card import CardSource, CardState, LogLine
from hindcast.model.case import Evidence, Outcome, Witness
from hindcast.model.errors import Malformed, Missing
from hindcast.model.ids import Address
from hindcast.model.signal import ChangeKind, SystemChange


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Shop]:
    """Four cards: one accepted that worked, one rejected, one undone, one that nobody has decided about."""
    here = shop(tmp_path_factory.mktemp("log"))
    good = here.card()
    bad = here.card(CODE + "x = 1\n", title="Add x.", source=CardSource.LINTER)
    back = here.card("y = 1\n", path="payment/limits.py", title="Add limits.", incident="inc-other")
    here.card("z = 1\n", path="payment/zones.py", title="Add zones.", source=CardSource.MODEL)
    accepted = here.verdicts.accept(SPACE, good.id, by="bo", now=here.now)
    here.memory.snapshot("before-the-outcome", actor="bo", why="To look back at.")
    here.verdicts.reject(SPACE, bad.id, by="cy", now=here.now, reason="Nobody asked for X")
    here.verdicts.accept(SPACE, back.id, by="cy", now=here.now)
    here.verdicts.undo(SPACE, back.id, by="bo", now=here.now)
    seen = Evidence(Witness.TELEMETRY, "Errors fell.", "telemetry", here.now)
    Casebook(here.memory).change(
        INCIDENT,
        lambda case: judged(case, accepted.attempt, Outcome.WORKED, evidence=seen),
        actor="hindcast",
        why="Counted.",
    )
    yield here
    here.close()


def titles(found: tuple[LogLine, ...]) -> list[str]:
    """What the lines are about."""
    return [line.title for line in found]


def test_every_card_has_one_line_and_the_newest_comes_first(told: Shop) -> None:
    """A line tells what it is about, where, how large, who decided, why, and what came of it."""
    found = lines(told.view)

    assert titles(found) == ["Add limits.", "Add x.", TITLE, "Add zones."]
    assert [line.state for line in found] == [
        CardState.UNDONE,
        CardState.REJECTED,
        CardState.ACCEPTED,
        CardState.PROPOSED,
    ]
    assert [line.by for line in found] == ["bo", "cy", "bo", "hindcast"]
    assert [line.outcome for line in found] == ["", "", "worked", ""]
    assert (found[1].reason, found[2].path, found[2].added, found[2].removed) == ("Nobody asked for X", WORKER, 1, 1)
    assert line_of(told.view, found[2].card) == found[2]
    with pytest.raises(Missing):
        line_of(told.view, "fix-nowhere")


def test_an_outcome_that_nobody_knows_says_what_it_waits_for(tmp_path: Path) -> None:
    """For its deployment, then for the counts; what these cannot tell is told, and what is known waits no more."""
    here = shop(tmp_path)
    verdict = here.verdicts.accept(SPACE, here.card().id, by="bo", now=here.now)
    told = [lines(here.view)[0].waiting]
    deployed = SystemChange("github", "d1", ChangeKind.DEPLOY, here.now, "payment", "Deploy 41", ref="41")
    counted = Evidence(Witness.TELEMETRY, "too few errors before it", "telemetry", here.now)
    for edit in (
        lambda case: with_changes(case, [deployed], since=case.occurred_at),
        lambda case: judged(case, verdict.attempt, Outcome.UNKNOWN, evidence=counted),
        lambda case: judged(case, verdict.attempt, Outcome.NO_EFFECT, evidence=counted),
    ):
        Casebook(here.memory).change(INCIDENT, edit, actor="hindcast", why="It went on.")
        told.append(lines(here.view)[0].waiting)
    line = line_of(here.view, verdict.card)
    alone = here.verdicts.accept(SPACE, here.card("y = 1\n", path="y.py", incident="inc-x").id, by="bo", now=here.now)

    assert told == [NOT_DEPLOYED, DEPLOYED, "The counts do not tell: too few errors before it.", ""]
    assert (line.outcome, line.waiting) == (Outcome.NO_EFFECT, "")
    assert line_of(here.view, alone.card).waiting == NOT_FOLLOWED
    here.close()


def test_a_log_that_is_followed_tells_what_reading_everything_tells(tmp_path: Path) -> None:
    """After every proposal, decision, undoing and erasure, by whichever process: each line, and none that is gone."""
    here, book = shop(tmp_path), Logbook()
    good = here.card(evidence=("cases/past@1",))
    bad = here.card(CODE + "x = 1\n", title="Add x.", evidence=("rule/x",), incident="inc-x")
    steps: list[Callable[[], object]] = [
        lambda: None,
        lambda: here.verdicts.accept(SPACE, good.id, by="bo", now=here.now),
        lambda: here.verdicts.reject(SPACE, bad.id, by="cy", now=here.now, reason="no"),
        lambda: here.verdicts.undo(SPACE, good.id, by="bo", now=here.now),
        lambda: here.memory.put("cards/fix-none", {"id": 1}, actor="bo", why="No card.", kind="card"),
        lambda: here.verdicts.undo(SPACE, bad.id, by="cy", now=here.now),
        # One goes and one comes between two looks.
        lambda: (erase(here.memory, Address("cases", INCIDENT), actor="dpo", why="Request"), here.card("y = 1\n")),
    ]
    for step in steps:
        step()
        assert book.lines(SPACE, here.view) == lines(here.view)
        assert book.lines(SPACE, here.view, Wanted(text="add X")) == lines(here.view, text="add X")
    assert [line.card for line in book.lines(SPACE, here.view)][1:] == [bad.id]
    here.close()


def test_lines_are_counted_by_state(told: Shop) -> None:
    """All states are there, with how many cards each has."""
    assert counts(lines(told.view)) == {
        CardState.PROPOSED: 1,
        CardState.ACCEPTED: 1,
        CardState.MODIFIED: 0,
        CardState.REJECTED: 1,
        CardState.UNDONE: 1,
        CardState.GONE: 0,
    }


def test_the_log_can_be_narrowed(told: Shop) -> None:
    """By workspace, state, source and incident, and by words wherever they stand, in any order and spelling."""
    view = told.view

    assert titles(lines(view, states=(CardState.REJECTED, CardState.PROPOSED))) == ["Add x.", "Add zones."]
    assert titles(lines(view, source=CardSource.MODEL)) == ["Add zones."]
    assert titles(lines(view, incident="inc-other")) == ["Add limits."]
    assert titles(lines(view, workspace="elsewhere")) == []
    assert len(lines(view, workspace="shop")) == 4
    assert titles(lines(view, text="x ASKED")) == ["Add x."]
    assert titles(lines(view, text="limits.py")) == ["Add limits."]
    assert titles(lines(view, text="nothing like it")) == []
    with pytest.raises(Malformed, match="characters"):
        lines(view, text="x" * 5_000)


def test_pages_follow_one_another_whatever_is_decided_meanwhile(told: Shop) -> None:
    """Each line comes once: what is decided after the first page stands before it."""
    first = page(lines(told.view), lines_max=2)
    rest = page(lines(told.view), after=first.next, lines_max=5)

    assert titles((*first.lines, *rest.lines)) == titles(lines(told.view))
    assert first.next is not None
    assert rest.next is None
    with pytest.raises(Malformed, match="no page"):
        page(lines(told.view), lines_max=0)


def test_the_log_of_a_moment_is_what_was_known_then(told: Shop) -> None:
    """Before the rejection and the count, there was one acceptance, whose outcome nobody knew."""
    then = lines(told.memory.at("before-the-outcome"))

    assert [line.state for line in then] == [
        CardState.ACCEPTED,
        CardState.PROPOSED,
        CardState.PROPOSED,
        CardState.PROPOSED,
    ]
    assert {line.outcome for line in then} == {""}


def test_a_branch_of_memory_has_its_own_log(told: Shop) -> None:
    """What is decided on one line of history is not told on another."""
    told.memory.branch("what-if", actor="bo", why="To try.", start="before-the-outcome")

    assert len(lines(told.memory.now("what-if"), states=(CardState.REJECTED,))) == 0
    assert len(lines(told.memory.now(), states=(CardState.REJECTED,))) == 1
    assert told.read() == FIXED
