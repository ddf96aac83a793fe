"""What a decision about a card teaches the next incident: the demo's code, its year of history, and real cards."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import timedelta
from pathlib import Path

import pytest
from tests.fixing import INCIDENT, LOOP, NEXT, NOW, PRODUCTION, RELEASE, SPACE, STORY, WORKSPACE, begun, code_in, fail

from hindcast.adapters.clock import ManualClock
from hindcast.build import open_memory
from hindcast.build.fixes import open_fixes
from hindcast.build.workspaces import open_workspaces
from hindcast.casebook import Casebook
from hindcast.casebook.people import Fix, resolved
from hindcast.config import Settings
from hindcast.fixes import Fixes
from hindcast.fixes.log import lines
from hindcast.memory import Memory
from hindcast.model.card import Card, CardState, Deck
from hindcast.model.case import Outcome
from hindcast.model.diagnosis import Diagnosis
from hindcast.model.errors import Stale
from hindcast.model.recollection import Familiarity
from hindcast.recollect import Recollect


@dataclass
class Team:
    """A team with its memory, its code, and somebody to ask."""

    memory: Memory
    fixes: Fixes
    clock: ManualClock
    code: Path
    asking: Recollect

    def deck(self, incident: str) -> Deck:
        """What is proposed for an incident."""
        return self.fixes.decks.deck(SPACE, incident, now=self.clock.now())

    def card(self, incident: str = INCIDENT) -> Card:
        """The card that releases the connection."""
        (found,) = [card for card in self.deck(incident).cards if card.proposal.edit.path == LOOP]
        return found

    def answer(self, incident: str) -> Diagnosis:
        """What memory says to an incident."""
        return self.asking.about(incident).diagnosis

    def later(self, **step: float) -> None:
        """Let time pass, and the worker fail again."""
        fail(self.memory, NEXT, at=self.clock.move(timedelta(**step)))


@pytest.fixture(scope="module")
def begin(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A year of history and the code, written once for this module."""
    folder = tmp_path_factory.mktemp("begin")
    code_in(folder / "shop")
    settings = Settings(store=str(folder / "memory"), space=SPACE, model="none")
    memory = open_memory(settings, clock=ManualClock(NOW))
    begun(memory)
    memory.index()
    memory.close()
    return folder


@pytest.fixture
def team(begin: Path, tmp_path: Path) -> Iterator[Team]:
    """The payment worker loses its connections again."""
    shutil.copytree(begin, tmp_path, dirs_exist_ok=True)
    clock = ManualClock(NOW)
    settings = Settings(store=str(tmp_path / "memory"), space=SPACE, model="none")
    code = tmp_path / "shop"
    memory = open_memory(settings, clock=clock)
    opened: Callable[[str], Memory] = lambda _: memory  # noqa: E731
    workspaces = open_workspaces(settings, opened)
    workspaces.add_folder(SPACE, WORKSPACE, str(code), by="ana", now=NOW)
    asking = Recollect(memory, now=clock.now)
    yield Team(memory, open_fixes(settings, opened, lambda _: asking, workspaces), clock, code, asking)
    workspaces.close()
    memory.close()


def test_the_next_identical_incident_says_when_it_was_fixed_by_whom_and_until_when_that_held(team: Team) -> None:
    """A card is accepted, the incident ends with it, and weeks later the same failure tells all three."""
    card = team.card()
    verdict = team.fixes.verdicts.accept(SPACE, card.id, by="bo", now=team.clock.move(timedelta(minutes=5)))
    assert RELEASE in (team.code / LOOP).read_text(encoding="utf-8")
    over = team.clock.move(timedelta(minutes=10))
    Casebook(team.memory).change(
        INCIDENT, lambda case: resolved(case, Fix(attempt=verdict.attempt), by="bo", at=over), actor="bo", why="Over."
    )

    team.later(days=40)
    told = team.answer(NEXT)

    assert told.familiarity is Familiarity.SEEN
    assert "Fixed on 16 November 2026 by bo" in told.headline
    assert "held until 26 December 2026: " in told.headline
    best = told.fixes[0]
    assert best.by[0] == "bo"
    assert best.diff == card.diff
    assert any(ref.startswith(f"cases/{INCIDENT}@") for ref in best.evidence)
    assert any(ref.startswith(f"cases/{STORY}@") for ref in best.evidence)


def test_what_was_turned_down_of_a_past_fix_is_not_told_as_done(team: Team) -> None:
    """Of a fix in two parts one card is accepted and the other is not: what ended it, and what is there, is the one."""
    release = team.card()
    (cap,) = [card for card in team.deck(INCIDENT).cards if card.proposal.edit.path == PRODUCTION]
    team.fixes.verdicts.reject(SPACE, cap.id, by="bo", now=team.clock.now(), reason="twenty starve the settlement")
    verdict = team.fixes.verdicts.accept(SPACE, release.id, by="bo", now=team.clock.now())
    Casebook(team.memory).change(
        INCIDENT, lambda case: resolved(case, Fix(attempt=verdict.attempt), by="bo", at=NOW), actor="bo", why="Over."
    )

    team.later(days=3)
    deck = team.deck(NEXT)

    did = "Release the redis connection explicitly in the task teardown"
    ended = Casebook(team.memory).case(INCIDENT)
    assert [attempt.action for attempt in ended.attempts] == [did]
    assert ended.resolution is not None
    assert ended.resolution.text == did
    (there,) = [one for one in deck.warned if one.is_there]
    assert there.text.startswith(f"The fix “{did}” is in this code already.")


def test_what_came_of_an_accepted_card_shows_in_the_log(team: Team) -> None:
    """The attempt of the case is what the log tells of."""
    card = team.card()
    verdict = team.fixes.verdicts.accept(SPACE, card.id, by="bo", now=team.clock.now())
    states = (CardState.ACCEPTED,)
    assert [line.outcome for line in lines(team.memory.now(), states=states)] == [""]

    Casebook(team.memory).change(
        INCIDENT, lambda case: resolved(case, Fix(attempt=verdict.attempt), by="bo", at=NOW), actor="bo", why="Over."
    )

    assert [line.outcome for line in lines(team.memory.now(), states=states)] == [Outcome.WORKED]


def test_a_card_rejected_with_a_warning_is_not_to_be_tried_in_the_next_incident(team: Team) -> None:
    """The next recall says who warned and why, and the proposal is held back there."""
    card = team.card()
    team.fixes.verdicts.reject(
        SPACE, card.id, by="cy", now=team.clock.now(), reason="the pool closes twice", is_warning=True
    )

    team.later(days=3)
    told = team.answer(NEXT)
    deck = team.deck(NEXT)

    (warned,) = [one for one in told.avoid if one.rejected]
    assert warned.by == ("cy",)
    assert warned.remarks == ("cy said on 16 November 2026 not to try it: “the pool closes twice”.",)
    assert warned.evidence[0].startswith(f"cautions/{card.id}@")
    assert any("cy said so" in step.text for step in told.next_steps)
    assert LOOP not in [one.proposal.edit.path for one in deck.cards]
    assert any("the pool closes twice" in one.reason for one in deck.held_back)


def test_a_plain_rejection_is_not_proposed_again_and_warns_of_nothing(team: Team) -> None:
    """The card is held back for this failure, and the answer in words stays what it was."""
    card = team.card()
    before = team.answer(INCIDENT)
    team.fixes.verdicts.reject(SPACE, card.id, by="cy", now=team.clock.now(), reason="not this week")

    team.later(days=3)
    told, deck = team.answer(NEXT), team.deck(NEXT)

    assert [one for one in told.avoid if one.rejected] == []
    assert told.fixes[0].action == before.fixes[0].action
    assert LOOP not in [one.proposal.edit.path for one in deck.cards]
    assert any("Rejected by cy" in one.reason for one in deck.held_back)


def test_a_warning_that_is_taken_back_warns_no_more(team: Team) -> None:
    """The card is proposed again, here and for the next incident."""
    card = team.card()
    team.fixes.verdicts.reject(SPACE, card.id, by="cy", now=team.clock.now(), is_warning=True)
    team.fixes.verdicts.undo(SPACE, card.id, by="bo", now=team.clock.move(timedelta(minutes=1)))

    team.later(days=3)

    assert [one for one in team.answer(NEXT).avoid if one.rejected] == []
    assert team.card(NEXT).state is CardState.PROPOSED
    assert team.card(INCIDENT).id == card.id


def test_a_card_whose_file_moved_on_is_checked_again_and_then_accepted(team: Team) -> None:
    """The change is joined with what happened to the file since."""
    card = team.card()
    file = team.code / LOOP
    file.write_text("# A line above everything.\n" + file.read_text(encoding="utf-8"), encoding="utf-8")
    with pytest.raises(Stale, match="recheck"):
        team.fixes.verdicts.accept(SPACE, card.id, by="bo", now=team.clock.now())

    again = team.fixes.decks.recheck(SPACE, card.id, by="bo", now=team.clock.move(timedelta(minutes=1)))
    team.fixes.verdicts.accept(SPACE, again.id, by="bo", now=team.clock.move(timedelta(minutes=1)))

    text = file.read_text(encoding="utf-8")
    assert text.startswith("# A line above everything.\n")
    assert RELEASE in text


def test_a_warning_about_one_card_leaves_the_other_of_the_same_fix(team: Team) -> None:
    """Two cards from one past fix are two proposals: turning one down says nothing about the other."""
    (cap,) = [card for card in team.deck(INCIDENT).cards if card.proposal.edit.path == PRODUCTION]
    team.fixes.verdicts.reject(SPACE, cap.id, by="cy", now=team.clock.now(), reason="too low", is_warning=True)

    team.later(days=3)

    assert [one.rejected for one in team.answer(NEXT).avoid if one.by == ("cy",)] == [1]
    assert PRODUCTION not in [one.proposal.edit.path for one in team.deck(NEXT).cards]
    assert team.card(NEXT).proposal.edit.path == LOOP
