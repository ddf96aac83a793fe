"""Erasing for legal duty: what is erased lives on in no card, no decision about one, and no file."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.deciding import CODE, FIXED, INCIDENT, SPACE, Shop, shop

from hindcast.casebook import Casebook
from hindcast.fixes.erasing import erase
from hindcast.fixes.keeping import card_in
from hindcast.fixes.log import lines
from hindcast.model.case import Case, Clues
from hindcast.model.errors import Missing
from hindcast.model.ids import Address
from hindcast.model.record import State

# A name that stands in what is erased, and so in what was made from it.
NAME = "Jana Vseborova"


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Shop]:
    """A shop whose past incident names somebody."""
    made = shop(tmp_path)
    past = Case("past", f"{NAME} could not pay.", made.now, clues=Clues())
    Casebook(made.memory).put(past, actor="ana", why="It happened.")
    yield made
    made.close()


def everywhere(here: Shop) -> str:
    """Every version of everything on every branch, as an export tells it."""
    return b"\n".join(here.memory.export()).decode()


def test_a_card_goes_with_the_case_that_it_was_made_from(here: Shop) -> None:
    """Its words, its texts, what was decided about it, the warning and the rule: on every branch, at every moment."""
    rejected = here.card(title=f"Refund {NAME}.", evidence=("cases/past@2",))
    here.memory.branch("trial", actor="bo", why="To try something.")
    here.verdicts.reject(SPACE, rejected.id, by="bo", now=here.now, reason=f"{NAME} asked not to", is_warning=True)
    applied = here.card(FIXED + f"# for {NAME}\n", title=f"Ask {NAME}.", evidence=("cases/past@2", "rule/x"))
    here.verdicts.accept(SPACE, applied.id, by="bo", now=here.now)
    other = here.card(CODE + "x = 1\n", path="payment/other.py", title="Add x.", evidence=("rule/py-x",))
    before = here.memory.log()[0]
    done = erase(here.memory, Address("cases", "past"), actor="dpo", why="Request 2026-118")

    assert set(done.cards) == {rejected.id, applied.id}
    assert [line.card for line in lines(here.view)] == [other.id]
    assert lines(here.memory.at(before)) == lines(here.view)
    assert card_in(here.memory.now("trial"), rejected.id) is None
    assert here.memory.verify().faults == ()
    for namespace in ("cards", "card-texts", "card-verdicts", "cautions", "code-rules"):
        kept = [one for one in here.view.every(states=(State.LIVE, State.RETRACTED)) if one.namespace == namespace]
        assert not any(NAME in str((one.body, one.text)) for one in kept), namespace
    # What somebody did is an attempt of the incident in which they did it, and is theirs to erase.
    assert done.told_in == (f"cases/{INCIDENT}",)


def test_a_card_that_rested_on_it_once_goes_as_well(here: Shop) -> None:
    """What a card said in an earlier version is kept like everything else, and so it is erased like everything else."""
    card = here.card(title=f"Refund {NAME}.", evidence=("cases/past@2",))
    here.memory.put(f"cards/{card.id}", {"incident": "inc-elsewhere", "proposal": {}}, actor="bo", why="By hand.")
    done = erase(here.memory, Address("cases", "past"), actor="dpo", why="Request 2026-118")

    assert done.cards == (card.id,)
    assert f"Refund {NAME}" not in everywhere(here)


def test_the_cards_of_an_incident_go_with_it(here: Shop) -> None:
    """A card of an incident may quote its trace; what was made for others stays."""
    here.card(title="Of this one.", evidence=("rule/py-x",))
    stays = here.card(CODE + "y = 1\n", title="Of another.", incident="inc-other", evidence=("rule/py-y",))
    done = erase(here.memory, Address("cases", INCIDENT), actor="dpo", why="Request 2026-119")

    assert [line.card for line in lines(here.view)] == [stays.id]
    assert len(done.cards) == 1
    assert done.told_in == ()


def test_what_is_no_case_is_erased_by_itself(here: Shop) -> None:
    """A customer's record takes no cards along, and what was never there is missing, with all cards as they were."""
    card = here.card()
    here.memory.put("customers/past", {"name": NAME}, actor="ana", why="From the ticket.")
    done = erase(here.memory, Address("customers", "past"), actor="dpo", why="Request 2026-120")

    assert (done.erased.versions, done.cards) == (1, ())
    with pytest.raises(Missing):
        erase(here.memory, Address("cases", "never"), actor="dpo", why="Request 2026-121")
    assert [line.card for line in lines(here.view)] == [card.id]
