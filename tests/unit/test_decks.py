"""Decks: from an incident to cards in a real repository, kept while code and memory are the same."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import datetime
from pathlib import Path

import pytest
from tests.carrying import Shelf
from tests.decking import INCIDENT, LOOP, NOW, PRODUCTION, SPACE, STORY, Decking, decking
from tests.proposing import proposed, sheet

from hindcast.build.fixes import open_fixes
from hindcast.casebook import Casebook
from hindcast.fixes.composing import Named, ask
from hindcast.fixes.erasing import erase
from hindcast.fixes.keeping import card_in, cards_in, ids_in
from hindcast.model.card import CardSource, CardState, Proposal, Warned
from hindcast.model.case import Case, Note, Outcome
from hindcast.model.errors import Malformed, Missing, Refused, Unavailable
from hindcast.model.finding import Finding, Rule
from hindcast.model.ids import Address
from hindcast.model.incident import Exemplar, Incident, IncidentState, to_json
from hindcast.model.record import Change
from hindcast.model.signal import Level, Severity
from hindcast.propose.sheet import Sheet
from hindcast.recollect import Answered, Recollect
from hindcast.simulate.history import cases
from hindcast.simulate.shop import printed_today

RELEASE = "ctx.redis.connection_pool.release(ctx.redis.connection)"


@pytest.fixture
def team(tmp_path: Path) -> Iterator[Decking]:
    """A team with an incident under way."""
    with decking(tmp_path) as made:
        yield made


def titles(held: Iterable[object]) -> list[str]:
    """What was held back."""
    return [str(getattr(one, "title", "")) for one in held]


def test_the_outage_yields_the_release_the_cap_and_a_warning(team: Decking) -> None:
    """The missing release comes first, then the cap that worked, beside a warning of the pool that was raised."""
    deck = team.deck()

    first, second = deck.cards
    assert (first.proposal.source, first.proposal.edit.path) == (CardSource.CARRIED_OVER, LOOP)
    assert f"+        {RELEASE}\n" in first.diff
    assert (second.proposal.source, second.proposal.edit.path) == (CardSource.SETTING, PRODUCTION)
    assert "-pool_size = 200\n+pool_size = 20\n" in second.diff
    (warned,) = deck.warned
    assert STORY in warned.text
    assert (first.record, first.state, first.added, first.removed) == ("too few to say", CardState.PROPOSED, 1, 0)
    assert first.standing.startswith("For it: ")
    assert first.undo == f"`hindcast fix undo {first.id}` brings {LOOP} back to what it was."
    assert (deck.held_back, deck.notes) == ((), ())


def test_lines_without_a_stack_do_not_crowd_out_the_one_that_has_it(team: Decking) -> None:
    """Of an outage whose first lines are messages only, the stack of a later line still leads to the code."""
    finding = Finding(SPACE, "payment", Rule.FIXED, NOW, NOW, 200, 3.0, 100)
    stack = printed_today(next(case.stack for case in cases(now=NOW) if case.id == STORY))
    lines = [Exemplar(NOW, "payment", Level.ERROR, f"reset {name}") for name in ("early", "late", "again", "still")]
    lines.append(Exemplar(NOW, "payment", Level.ERROR, "worker failed", stack=stack))
    state, severity = IncidentState.OPEN, Severity.CRITICAL
    seen = Incident(INCIDENT, SPACE, "payment fails", state, finding, (), NOW, NOW, NOW, severity)
    body = to_json(replace(seen, exemplars=tuple(lines)))
    team.memory.commit([Change(Address("incidents", INCIDENT), body)], actor="hindcast", why="Seen.")

    first = team.deck().cards[0]

    assert first.proposal.edit.path == LOOP
    assert first.proposal.severity_reason == "The trace goes through this file."


def test_cards_are_remembered_once_in_one_commit(team: Decking) -> None:
    """The first deck is one commit by hindcast; asking again writes nothing, in this process or the next."""
    deck = team.deck()
    (commit, *_) = team.memory.log(commits_max=1)

    assert (commit.actor, commit.why) == ("hindcast", f"2 new cards for {INCIDENT} in shop.")
    team.later(hours=1)
    assert team.deck() is deck
    team.restart()
    assert [card.id for card in team.deck().cards] == [card.id for card in deck.cards]
    assert team.deck().cards[0].made_at == deck.cards[0].made_at
    assert team.memory.log(commits_max=1) == (commit,)
    view = team.memory.now()
    assert {card.id for card in cards_in(view)} == set(ids_in(view, INCIDENT, "shop"))
    assert card_in(view, deck.cards[0].id) == team.fixes.decks.card(SPACE, deck.cards[0].id)


def test_a_change_far_away_in_the_file_keeps_the_card(team: Decking) -> None:
    """The card is made anew for the file as it is, under the same id, with the digest that accepting needs."""
    before = team.card(CardSource.CARRIED_OVER)
    team.write(LOOP, f'"""What it does, at length."""\n\n{team.text(LOOP)}')

    after = team.card(CardSource.CARRIED_OVER)

    assert after.id == before.id
    assert after.proposal.edit.expected != before.proposal.edit.expected
    assert after.before == team.text(LOOP)
    assert team.fixes.decks.card(SPACE, after.id).before == team.text(LOOP)


def test_a_fix_that_somebody_made_by_hand_is_gone_from_the_deck(team: Decking) -> None:
    """The deck says that it is in the code already, and the card that proposed it is gone."""
    card = team.card(CardSource.CARRIED_OVER)
    team.write(LOOP, card.after)

    deck = team.deck()

    assert [one.proposal.source for one in deck.cards] == [CardSource.SETTING]
    assert any("in this code already" in one.text for one in deck.warned)
    assert team.fixes.decks.card(SPACE, card.id).state is CardState.GONE
    team.write(LOOP, card.before)
    assert team.card(CardSource.CARRIED_OVER).state is CardState.PROPOSED


def test_what_memory_learns_changes_the_deck(team: Decking) -> None:
    """A note that capping the pool made it worse takes the card away at the next look."""
    assert len(team.deck().cards) == 2
    note = Note("n1", "Lowering the pool size to 20 made it worse, so we went back.", NOW, "ben")
    book = Casebook(team.memory)
    book.change(STORY, lambda case: replace(case, notes=(*case.notes, note)), actor="ben", why="Learnt.")

    deck = team.deck()

    assert [card.proposal.source for card in deck.cards] == [CardSource.CARRIED_OVER]
    assert "made it worse in cases/past-redis-worker-pool" in deck.held_back[0].reason


def test_a_rejected_card_is_not_proposed_again_for_the_same_failure(team: Decking) -> None:
    """Neither here nor for the next incident with the same fingerprint; the other card of the fix still is."""
    card = team.card(CardSource.CARRIED_OVER)
    team.fixes.verdicts.reject(SPACE, card.id, by="ana", now=team.clock.now(), reason="it hides the leak")
    team.later(days=1)
    team.happens("inc-20261117-0200-payment")

    for incident in (INCIDENT, "inc-20261117-0200-payment"):
        deck = team.deck(incident)
        assert [one.proposal.source for one in deck.cards] == [CardSource.SETTING]
        assert [one.reason for one in deck.held_back] == ["Rejected by ana on 16 November 2026: it hides the leak."]
        assert titles(deck.held_back) == [card.proposal.title]


def test_an_undone_rejection_counts_no_more(team: Decking) -> None:
    """The card is proposed again once who rejected it took that back."""
    card = team.card(CardSource.CARRIED_OVER)
    team.fixes.verdicts.reject(SPACE, card.id, by="ana", now=team.clock.now())
    team.fixes.verdicts.undo(SPACE, card.id, by="ana", now=team.clock.now())

    assert team.card(CardSource.CARRIED_OVER).id == card.id
    assert team.deck().held_back == ()


def test_new_evidence_shows_a_rejected_card_again_and_says_so(team: Decking) -> None:
    """Another incident that the same fix ended since is a reason to ask again."""
    card = team.card(CardSource.CARRIED_OVER)
    team.fixes.verdicts.reject(SPACE, card.id, by="ana", now=team.clock.now(), reason="too risky")
    book = Casebook(team.memory)
    past = book.case(STORY)
    book.put(replace(past, id="past-redis-again"), actor="ben", why="It happened elsewhere, and the same ended it.")

    shown = team.card(CardSource.CARRIED_OVER)

    assert (shown.id, shown.state) == (card.id, CardState.PROPOSED)
    assert shown.again.startswith("Rejected by ana on 16 November 2026: too risky. Since then cases/past-redis-again")


def test_another_outcome_shows_a_rejected_card_again(team: Decking) -> None:
    """A remark in the past case changes nothing; that something else came of what was tried then does."""
    card = team.card(CardSource.CARRIED_OVER)
    team.fixes.verdicts.reject(SPACE, card.id, by="ana", now=team.clock.now())
    book = Casebook(team.memory)
    note = Note("n1", "Looked at again.", NOW, "ben")
    book.change(STORY, lambda case: replace(case, notes=(*case.notes, note)), actor="ben", why="A remark.")
    assert [one.proposal.source for one in team.deck().cards] == [CardSource.SETTING]

    def retold(case: Case) -> Case:
        (first, *others) = case.attempts
        other = Outcome.NO_EFFECT if first.outcome is not Outcome.NO_EFFECT else Outcome.MADE_WORSE
        return replace(case, attempts=(replace(first, outcome=other), *others))

    book.change(STORY, retold, actor="ben", why="It came out otherwise.")

    assert team.card(CardSource.CARRIED_OVER).again.endswith(f"Since then cases/{STORY} tells another outcome.")


def test_many_who_ask_at_once_get_one_deck(team: Decking) -> None:
    """It is worked out once, and its cards are written once."""
    before = len(team.memory.log(commits_max=100))
    with ThreadPoolExecutor(8) as pool:
        decks = list(pool.map(lambda _: team.deck(), range(16)))

    assert len({id(deck) for deck in decks}) == 1
    assert len(team.memory.log(commits_max=100)) == before + 1


def test_an_accepted_card_stays_on_the_deck_behind_the_others(team: Decking) -> None:
    """What was applied is shown with its state, after what can still be decided about."""
    card = team.card(CardSource.CARRIED_OVER)
    team.fixes.verdicts.accept(SPACE, card.id, by="ana", now=team.clock.now())

    deck = team.deck()

    assert RELEASE in team.text(LOOP)
    assert [(one.proposal.source, one.state) for one in deck.cards] == [
        (CardSource.SETTING, CardState.PROPOSED),
        (CardSource.CARRIED_OVER, CardState.ACCEPTED),
    ]
    # That it is there now is no news under it.
    assert not [one for one in deck.warned if one.path == LOOP]


def test_a_card_whose_file_moved_on_is_checked_again(team: Decking) -> None:
    """The same change for today's file takes its place; where that is the same change, the same card."""
    card = team.card(CardSource.CARRIED_OVER)
    team.write(LOOP, f"# first\n{team.text(LOOP)}")
    again = team.fixes.decks.recheck(SPACE, card.id, by="ana", now=team.clock.now())

    assert again.id == card.id
    assert again.before == team.text(LOOP)
    team.write(LOOP, again.after)
    with pytest.raises(Refused, match="has no place in today's code"):
        team.fixes.decks.recheck(SPACE, card.id, by="ana", now=team.clock.now())
    assert team.fixes.decks.card(SPACE, card.id).state is CardState.GONE
    team.write(LOOP, again.before)
    assert team.fixes.decks.recheck(SPACE, card.id, by="ana", now=team.clock.now()).state is CardState.PROPOSED
    assert team.fixes.decks.card(SPACE, card.id).state is CardState.PROPOSED


def test_a_source_that_fails_is_a_note() -> None:
    """One source that cannot be asked takes nothing from what the others found."""
    asked = sheet({"a.py": "x = 1\n"})
    found = proposed(Shelf({"a.py": "x = 1\n"}), "a.py", "x = 2\n")

    def broken(_: Sheet) -> Iterable[Proposal | Warned]:
        raise IndexError("tuple index out of range")

    told = ask([Named("The stars", broken), Named("Past fixes", lambda _: [found])], asked)

    assert told.notes[0] == "The stars could not be asked: tuple index out of range"
    assert told.proposals == (found,)


def test_a_workspace_that_has_nothing_to_do_with_it_says_so(team: Decking, tmp_path: Path) -> None:
    """Without a file of the trace there is nothing to propose, and the deck tells why."""
    other = tmp_path / "other"
    other.mkdir()
    (other / "readme.md").write_text("Nothing.\n", encoding="utf-8")
    team.workspaces.add_folder(SPACE, "other", str(other), by="ana", now=NOW)

    deck = team.fixes.decks.deck(SPACE, INCIDENT, workspace="other", now=NOW)

    assert (deck.cards, deck.workspace) == ((), "other")
    assert "No frame of the stack trace is in this workspace" in deck.notes[0]
    with pytest.raises(Malformed, match="other"):
        team.deck()


def test_a_file_of_the_trace_that_cannot_be_read_is_named(team: Decking, tmp_path: Path) -> None:
    """A trace through a file that is no text, or too large, does not lead nowhere: the deck says which, and why."""
    other = tmp_path / "other"
    (other / LOOP).parent.mkdir(parents=True)
    (other / LOOP).write_bytes(b"\x00\x01 compiled")
    team.workspaces.add_folder(SPACE, "other", str(other), by="ana", now=NOW)

    deck = team.fixes.decks.deck(SPACE, INCIDENT, workspace="other", now=NOW)

    assert deck.cards == ()
    assert deck.notes[0] == f"The trace leads to a file that cannot be looked into: {LOOP} is no text."


def test_what_was_erased_is_quoted_by_no_deck(team: Decking) -> None:
    """Once the past case is gone for ever, a deck that is told to forget has nothing to propose."""
    assert len(team.deck().cards) == 2
    team.memory.erase(Address("cases", STORY), actor="ana", why="Somebody's right.")
    team.fixes.decks.forget(SPACE)

    assert team.deck().cards == ()


def test_what_another_process_erased_is_not_written_again(team: Decking) -> None:
    """An answer that was ready before still quotes the case; no new card does, whatever else has changed meanwhile."""
    known: dict[str, Answered] = {}
    mind = Recollect(team.memory, now=team.clock.now)

    def ready(_: str, incident: str, __: datetime) -> Answered:
        if incident not in known:
            known[incident] = mind.about(incident)
        return known[incident]

    team.fixes = open_fixes(team.settings, lambda _: team.memory, lambda _: mind, team.workspaces, answered=ready)
    rests = [card.id for card in team.deck().cards]
    erase(team.memory, Address("cases", STORY), actor="dpo", why="Request 2026-118")
    team.write(LOOP, team.text(LOOP) + "# later\n")

    assert any(one.case.id == STORY for one in ready("", INCIDENT, NOW).recollection.remembered)
    assert not [card for card in team.deck().cards if any(STORY in ref for ref in card.proposal.evidence)]
    assert [one for one in rests if team.memory.now().find(f"cards/{one}") is not None] == []


def test_what_cannot_be_written_is_shown_all_the_same(team: Decking, monkeypatch: pytest.MonkeyPatch) -> None:
    """A store that takes nothing costs a note; the cards are written with the next look that finds it well."""

    def full(*_: object, **__: object) -> None:
        raise Unavailable("The disk is full.", remedy="Make room.")

    with monkeypatch.context() as patch:
        patch.setattr(team.memory, "commit", full)
        deck = team.deck()

    assert len(deck.cards) == 2
    assert deck.notes == ("These cards could not be remembered yet: The disk is full.",)
    assert cards_in(team.memory.now()) == ()
    assert team.deck().notes == ()
    assert len(cards_in(team.memory.now())) == 2


def test_what_is_not_there_is_missing(team: Decking) -> None:
    """An incident, a card or a workspace that nobody knows is named as missing."""
    with pytest.raises(Missing):
        team.deck("inc-nobody")
    with pytest.raises(Missing):
        team.fixes.decks.card(SPACE, "fix-nobody")
    with pytest.raises(Missing):
        team.fixes.decks.deck(SPACE, INCIDENT, workspace="nowhere", now=NOW)


def test_harm_that_was_never_filed_keeps_a_setting_from_being_proposed(tmp_path: Path) -> None:
    """The very value of the cap, told as harmful in the summary of the past case only, is not proposed."""

    def told(case: Case) -> Case:
        return replace(case, summary=f"{case.summary} We lowered the pool to 20, which made it worse.")

    with decking(tmp_path, edit=told) as team:
        deck = team.deck()

    assert [card.proposal.source for card in deck.cards] == [CardSource.CARRIED_OVER]
    assert titles(deck.held_back) == ["Set `pool_size` from 200 to 20 in config/production.toml."]
