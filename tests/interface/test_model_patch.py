"""A model as a source of cards: a real server that speaks the OpenAI protocol, and patches that are checked."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from tests.decking import INCIDENT, LOOP, NOW, SPACE, Decking, decking
from tests.openai_server import Endless, Fail, OpenAIServer, Raw, Say, Silence, openai_server

from hindcast.model.card import CardSource, CardState, Deck

OLD = "        ctx.session.close()\n        self.metrics.finished(task.name, ctx.elapsed_ms())\n"
NEW = (
    "        try:\n            ctx.session.close()\n        finally:\n"
    "            self.metrics.finished(task.name, ctx.elapsed_ms())\n"
)
HEAD = "TITLE: Count a task as finished even where closing fails.\nWHY: It was skipped.\nRISK: None is known.\n"


def blocks(path: str, old: str, new: str) -> str:
    """An answer in the form that a model is asked for."""
    return f"{HEAD}FILE: {path}\n<<<<<<< SEARCH\n{old}=======\n{new}>>>>>>> REPLACE\n"


DIFF = f"""{HEAD}```diff
--- a/{LOOP}
+++ b/{LOOP}
@@ -1,4 +1,6 @@
-        ctx.session.close()
-        self.metrics.finished(task.name, ctx.elapsed_ms())
+        try:
+            ctx.session.close()
+        finally:
+            self.metrics.finished(task.name, ctx.elapsed_ms())
```
"""


@pytest.fixture(scope="module")
def server() -> Iterator[OpenAIServer]:
    """A server on this machine."""
    with openai_server() as made:
        yield made


def of_model(server: OpenAIServer) -> dict[str, Any]:
    """Settings that name a model."""
    return {
        "ask_model": "openai:scripted",
        "ask_url": server.url,
        "ask_key": "k",
        "outbound_allow": "127.0.0.1",
        "workspace_patches": "on",
    }


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory, server: OpenAIServer) -> Iterator[Decking]:
    """A team whose settings name a model."""
    with decking(tmp_path_factory.mktemp("model"), **of_model(server)) as made:
        yield made


@pytest.fixture
def team(shared: Decking) -> Decking:
    """The same, as another process finds it."""
    shared.restart()
    return shared


def patched(team: Decking) -> Deck:
    """The deck, once the model was asked."""
    return team.fixes.decks.ask_model(SPACE, INCIDENT, now=NOW)


def by_model(deck: Deck) -> list[str]:
    """Titles of the cards that are a model's."""
    return [card.proposal.title for card in deck.cards if card.proposal.source is CardSource.MODEL]


def reasons(deck: Deck) -> list[str]:
    """Why what a model proposed is not shown."""
    assert by_model(deck) == []
    return [one.reason for one in deck.held_back if one.source is CardSource.MODEL]


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (blocks("payment/settings.py", "a\n", "b\n"), "not among the files of the trace"),
        (blocks("../outside.py", "a\n", "b\n"), "not among the files of the trace"),
        (blocks(LOOP, "        nothing like it\n", NEW), "What it would replace is nowhere in the file"),
        (blocks(LOOP, "\n", NEW), "A block searches for nothing"),
        (blocks(LOOP, OLD, NEW.replace("try:", "try")), "no longer be readable as python"),
        (blocks(LOOP, OLD, OLD), "It changes nothing"),
        (
            blocks(LOOP, OLD, f"        try:\n            task.end()\n        except:\n            pass\n{OLD}"),
            "It would bring in what the rules warn of",
        ),
        (f"{HEAD}<<<<<<< SEARCH\na\n=======\nb\n>>>>>>> REPLACE\n", "A block does not say which file it is for"),
        ("I would restart the workers.", "holds neither a patch nor the word NONE"),
        ("word " * 20_000, "The answer does not end"),
    ],
)  # fmt: skip
def test_a_patch_that_is_not_fit_is_held_back_with_its_reason(
    team: Decking, server: OpenAIServer, answer: str, reason: str
) -> None:
    """What does not apply, parse, lint or stay within the files of the trace is never shown as a card."""
    server.play(Say(answer))

    (told,) = reasons(patched(team))

    assert reason in told


@pytest.mark.parametrize(
    ("act", "note"),
    [
        (Say("NONE"), "proposes nothing"),
        (Fail(500), "could not be asked"),
        (Raw([b"data: {broken\n\n"], is_cut=True), "could not be asked"),
    ],
)
def test_a_model_that_has_nothing_to_say_is_a_note(
    team: Decking, server: OpenAIServer, act: Say | Fail | Raw, note: str
) -> None:
    """A model that fails or declines takes nothing from the deck."""
    server.play(act)

    deck = patched(team)

    assert len(deck.cards) == 2
    assert any(note in one for one in deck.notes)
    assert reasons(deck) == []


def test_the_model_is_asked_with_data_between_marks(team: Decking, server: OpenAIServer) -> None:
    """It gets the trace, the code, what memory says and what not to try; it is asked once about the same code."""
    server.play(Say("NONE"))
    assert team.fixes.decks.deck(SPACE, INCIDENT, now=NOW).notes == (), "nobody waits for a model"
    assert team.fixes.decks.wants_model(SPACE, INCIDENT)
    patched(team)

    (asked,) = server.requests
    told = "\n".join(str(message["content"]) for message in asked["messages"])
    for part in ("THE ERROR", "def teardown(self, task, ctx):", "WHAT MEMORY SAYS", "cap the pool at 20", "DO NOT TRY"):
        assert part in told
    assert "raised the redis pool size from 50 to 200 per worker” made it worse" in told
    assert told.count("<data-") >= 5
    assert not team.fixes.decks.wants_model(SPACE, INCIDENT)
    patched(team)
    assert len(server.requests) == 1


def test_code_is_sent_to_a_model_only_where_that_is_allowed(tmp_path: Path, server: OpenAIServer) -> None:
    """A model that answers questions is not asked for patches unless the settings say so."""
    server.play(Say("NONE"))
    with decking(tmp_path, **{**of_model(server), "workspace_patches": "off"}) as team:
        assert len(patched(team).cards) == 2
        assert not team.fixes.decks.wants_model(SPACE, INCIDENT)

    assert server.requests == []


def test_a_model_that_nobody_waits_for_is_let_go(team: Decking, server: OpenAIServer) -> None:
    """Stopping ends the request, however long the model would have gone on."""
    server.play(Endless())
    deck = team.fixes.decks.ask_model(SPACE, INCIDENT, now=NOW, is_over=lambda: True)

    assert server.was_left.wait(10)
    assert len(deck.cards) == 2
    server.play(Silence())
    team.fixes.decks.ask_model(SPACE, INCIDENT, now=NOW, is_over=lambda: True)


@pytest.mark.parametrize("answer", [blocks(LOOP, OLD, NEW), DIFF], ids=["blocks", "diff"])
def test_a_patch_that_holds_is_a_card_that_can_be_accepted(tmp_path: Path, server: OpenAIServer, answer: str) -> None:
    """It stands behind what memory knows, is remembered without asking again, and is applied like any other card."""
    with decking(tmp_path, **of_model(server)) as team:
        server.play(Say(answer))
        deck = patched(team)

        assert by_model(deck) == ["Count a task as finished even where closing fails."]
        card = deck.cards[-1]
        assert card.proposal.source is CardSource.MODEL
        assert card.proposal.why.startswith("openai:scripted proposes it: It was skipped.")
        assert card.proposal.risk == "None is known."
        team.restart()
        assert by_model(team.deck()) == by_model(deck)
        assert not team.fixes.decks.wants_model(SPACE, INCIDENT)
        team.fixes.verdicts.accept(SPACE, card.id, by="ana", now=NOW)
        assert NEW in team.text(LOOP)
        assert team.fixes.decks.card(SPACE, card.id).state is CardState.ACCEPTED
