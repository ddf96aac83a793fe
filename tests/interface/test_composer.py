"""Decks are ready before anybody opens the page of an incident, and whoever listens is told."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from tests.decking import LOOP, PRODUCTION, STORY
from tests.openai_server import OpenAIServer, Say, openai_server
from tests.resting import Resting, resting
from tests.serving import wait_for

from hindcast.app import App
from hindcast.build.shop import write_shop
from hindcast.clues import with_clues
from hindcast.fixes.keeping import cards_in
from hindcast.model.card import CardSource
from hindcast.model.finding import Finding, Rule
from hindcast.model.incident import Event, EventKind, Exemplar, Incident, IncidentState
from hindcast.model.signal import Severity
from hindcast.simulate.history import cases
from hindcast.simulate.shop import printed_today

NOW = datetime.now(UTC)
SPACE = "local"
PATCH = f"""TITLE: Count a task as finished even where closing fails.
WHY: It was skipped.
FILE: {LOOP}
<<<<<<< SEARCH
        ctx.session.close()
=======
        try:
            ctx.session.close()
        except ConnectionError:
            log.exception("a session did not close")
            raise
>>>>>>> REPLACE
"""


@pytest.fixture(scope="module")
def server() -> Iterator[OpenAIServer]:
    """A model on this machine."""
    with openai_server() as made:
        made.play(Say(PATCH))
        yield made


@pytest.fixture(scope="module")
def desk(tmp_path_factory: pytest.TempPathFactory, server: OpenAIServer) -> Iterator[Resting]:
    """A Hindcast that remembers the past outage; its settings name a model."""
    model: dict[str, Any] = {
        "ask_model": "openai:scripted",
        "ask_url": server.url,
        "ask_key": "k",
        "outbound_allow": "127.0.0.1",
        "workspace_patches": "on",
    }
    with resting(tmp_path_factory.mktemp("composing"), **model) as made:
        made.remember(SPACE, with_clues(next(case for case in cases(now=NOW) if case.id == STORY)))
        yield made


def opens(desk: Resting, incident: str) -> None:
    """Detection opens an incident with the trace of the past outage."""
    stack = printed_today(next(case for case in cases(now=NOW) if case.id == STORY).stack)
    line = Exemplar(NOW, "payment", 17, "task failed", stack=stack)
    finding = Finding(SPACE, "payment", Rule.FIXED, NOW, NOW, 200, 3.0, 100)
    found = Incident(
        incident, SPACE, "payment fails", IncidentState.OPEN, finding, (), NOW, NOW, NOW, Severity.CRITICAL,
        exemplars=(line,),
    )  # fmt: skip
    event = Event(EventKind.OPENED, NOW, found)
    desk.running.register.remember(event)
    desk.running.app.briefings.hear(event)


def kept(desk: Resting, incident: str) -> list[Any]:
    """The cards that were worked out for an incident, without anybody asking."""
    return [card for card in cards_in(desk.memory(SPACE).now()) if card.incident == incident]


def test_without_a_workspace_nothing_is_worked_out(desk: Resting, monkeypatch: pytest.MonkeyPatch) -> None:
    """An incident of a space that has no code is briefed about, and no deck is tried, nor what makes decks loaded."""
    asked: list[str] = []
    looked = desk.running.workspaces.names

    def names(space: str) -> Any:
        asked.append(space)
        return looked(space)

    monkeypatch.setattr(App, "fixes", property(lambda _: asked.append("fixes")))
    monkeypatch.setattr(desk.running.workspaces, "names", names)
    opens(desk, "inc-before")
    wait_for(lambda: desk.running.app.briefings.kept(SPACE, "inc-before"), what="the briefing")
    wait_for(lambda: asked, what="the look for code")

    assert set(asked) == {SPACE}
    assert desk.running.app.counts["decks_failed"] == 0
    assert kept(desk, "inc-before") == []


def test_a_deck_is_ready_before_anybody_asks(
    desk: Resting, tmp_path: Path, server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Cards are remembered behind the briefing; what the model adds comes later; both are told to who listens."""
    told: list[Any] = []
    live = desk.app.state.live
    tell = live.tell

    def heard(space: str, kind: str, data: Any) -> None:
        if kind == "deck" and data["incident"] == "inc-after":
            told.append(data)
        tell(space, kind, data)

    monkeypatch.setattr(live, "tell", heard)
    root = tmp_path / "shop"
    write_shop(root, now=NOW)
    desk.running.workspaces.add_folder(SPACE, "shop", str(root), by="ana", now=NOW)
    opens(desk, "inc-after")

    cards = wait_for(lambda: kept(desk, "inc-after"), what="the cards")
    assert {card.proposal.edit.path for card in cards} <= {LOOP, PRODUCTION}
    wait_for(
        lambda: any(card.proposal.source is CardSource.MODEL for card in kept(desk, "inc-after")), what="the model"
    )
    deck = desk.running.app.fixes.decks.deck(SPACE, "inc-after", now=NOW)
    assert [card.proposal.source for card in deck.cards] == [
        CardSource.CARRIED_OVER,
        CardSource.SETTING,
        CardSource.MODEL,
    ]
    assert len(server.requests) == 1
    assert desk.running.app.counts["decks_failed"] == 0
    wait_for(lambda: len(told) == 2, what="what listeners are told, once without the model and once with it")
    assert [len(one["cards"]) for one in told] == [2, 3]
    assert told[0]["title"] == deck.cards[0].proposal.title
