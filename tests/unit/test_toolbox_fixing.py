"""Tools about code, on the demo's payment service: what they say, what they change, and what they refuse."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.fixing import INCIDENT, LOOP, NOW, RELEASE, SPACE, WORKSPACE, code_in, memory_begun
from tests.toolbench import desk_on, memory_in

from hindcast import toolbox
from hindcast.build.fixes import open_fixes
from hindcast.build.workspaces import open_workspaces
from hindcast.config import Settings
from hindcast.fixes.consent import LASTS, record_consent
from hindcast.fixes.log import line_of
from hindcast.model.card import CardState, CardVerdict
from hindcast.model.errors import HindcastError, Malformed, Missing, Refused, Stale, Unavailable
from hindcast.recall.pack import tokens_of
from hindcast.toolbox import Desk, ToolAnswer

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "tools"


@pytest.fixture
def code(tmp_path: Path) -> Path:
    """The service's repository."""
    return code_in(tmp_path / "shop")


@pytest.fixture
def heard() -> list[CardVerdict]:
    """What whoever listens heard."""
    return []


@pytest.fixture
def desk(tmp_path: Path, code: Path, heard: list[CardVerdict]) -> Iterator[Desk]:
    """A desk with the code of a service that fails again."""
    memory = memory_in(memory_begun(tmp_path))
    settings = Settings(store=str(tmp_path / "memory"), space=SPACE, model="none")
    workspaces = open_workspaces(settings, lambda _: memory)
    workspaces.add_folder(SPACE, WORKSPACE, str(code), by="ana", now=NOW)
    made = desk_on(memory, clean=lambda text: text.replace("hunter2", "[secret]"))
    fixes = open_fixes(settings, lambda _: memory, lambda _: made.recollect, workspaces)
    yield replace(made, space=SPACE, fixes=lambda: fixes, decided=heard.append)
    workspaces.close()
    memory.close()


def call(desk: Desk, name: str, **given: Any) -> ToolAnswer:
    """A tool's answer."""
    return toolbox.call(name, given, desk)


def card_of(desk: Desk) -> str:
    """The id of the card that changes the worker."""
    (found,) = [one for one in call(desk, "fix_cards", incident=INCIDENT).data["cards"] if one["path"] == LOOP]
    return str(found["card"])


def test_cards_read_as_was_found_good(desk: Desk) -> None:
    """Each card with its diff, its evidence and its risk, then what to watch out for: text that a person has read."""
    text = call(desk, "fix_cards", incident=INCIDENT).text + "\n"
    path = GOLDEN / "fix_cards.txt"
    if os.environ.get("HINDCAST_WRITE_GOLDEN"):
        path.write_text(text, encoding="utf-8")

    assert text == path.read_text(encoding="utf-8")


def test_an_answer_about_code_keeps_its_budget_and_its_evidence(desk: Desk) -> None:
    """However small the budget, the text keeps it, says what was left out, and cites records that exist."""
    for tokens_max in (150, 400, 20_000):
        answer = call(desk, "fix_cards", incident=INCIDENT, tokens_max=tokens_max)
        assert tokens_of(answer.text) <= tokens_max
        assert ("Left out" in answer.text) == answer.is_truncated
    view = desk.memory.now()
    for ref in answer.evidence:
        address, _, version = ref.rpartition("@")
        assert view.get(address).version == int(version)
    assert json.loads(json.dumps(answer.data)) == answer.data


def allowed(desk: Desk) -> str:
    """The card that changes the worker, which a person lets agents apply."""
    card = card_of(desk)
    record_consent(desk.memory, card, by="ana", now=desk.now)
    return card


def test_no_file_is_changed_before_a_person_has_agreed(desk: Desk, code: Path) -> None:
    """An agent is refused until a person's consent is recorded; its own, or one of long ago, is none."""
    before, card = (code / LOOP).read_bytes(), card_of(desk)
    consents = (
        lambda: None,
        lambda: record_consent(desk.memory, card, by=desk.actor, now=desk.now),
        lambda: record_consent(desk.memory, card, by="ana", now=desk.now - LASTS - timedelta(minutes=1)),
    )
    for consent in consents:
        consent()
        for given in ({"verdict": "accept"}, {"verdict": "modify", "text": "x = 1\n"}):
            with pytest.raises(Refused, match="hindcast fix allow"):
                call(desk, "fix_verdict", card=card, **given)

    assert (code / LOOP).read_bytes() == before


def test_an_agent_accepts_and_takes_back(desk: Desk, code: Path, heard: list[CardVerdict]) -> None:
    """The file is changed and brought back in the caller's name, and whoever listens hears of both."""
    before, card = (code / LOOP).read_bytes(), allowed(desk)
    answer = call(desk, "fix_verdict", card=card, verdict="accept")

    assert RELEASE in (code / LOOP).read_text(encoding="utf-8")
    assert "verdict=undo" in answer.text
    assert line_of(desk.memory.now(), card).by == "agent:test"
    call(desk, "fix_verdict", card=card, verdict="undo")
    assert (code / LOOP).read_bytes() == before
    assert [one.state for one in heard] == [CardState.ACCEPTED, CardState.UNDONE]


def test_an_agent_rejects_without_secrets(desk: Desk) -> None:
    """A reason is kept without the secrets in it, under whichever name an agent gives it."""
    card = card_of(desk)
    answer = call(desk, "fix_verdict", id=card, decision="Reject", why="it prints hunter2", dont_try="true")

    line = line_of(desk.memory.now(), card)
    assert (line.state, line.reason) == (CardState.REJECTED, "it prints [secret]")
    assert "warned not to try it" in answer.text


def test_an_agent_writes_its_own_version(desk: Desk, code: Path) -> None:
    """The whole file that is sent is what is written, on a branch if that is wanted."""
    text = (code / LOOP).read_text(encoding="utf-8").replace("IDLE_SECONDS = 1.0", "IDLE_SECONDS = 2.0")
    answer = call(desk, "fix_verdict", card=allowed(desk), verdict="modify", text=text)

    assert (code / LOOP).read_text(encoding="utf-8") == text
    assert answer.data["state"] == "modified"


@pytest.mark.parametrize(
    ("given", "error", "told"),
    [
        ({"verdict": "modify"}, Malformed, "text"),
        ({"verdict": "accept", "text": "x = 1"}, Malformed, "text"),
        ({"verdict": "accept", "dont_try": True}, Malformed, "dont_try"),
        ({"verdict": "approve"}, Malformed, "accept, modify, reject, undo"),
        ({"verdict": "accept", "card": "fix-nothing"}, Missing, "fix-nothing"),
    ],
)
def test_what_makes_no_sense_changes_nothing(
    desk: Desk, code: Path, given: dict[str, Any], error: type[HindcastError], told: str
) -> None:
    """A call that mixes verdicts up, or names a card that is not there, is explained, and no file is touched."""
    before = (code / LOOP).read_bytes()
    with pytest.raises(error, match=told):
        call(desk, "fix_verdict", **{"card": card_of(desk), **given})

    assert (code / LOOP).read_bytes() == before


def test_a_changed_file_is_left_alone(desk: Desk, code: Path) -> None:
    """An agent that decides on what somebody has changed meanwhile is told so, and writes nothing."""
    card = allowed(desk)
    (code / LOOP).write_text("# other\n", encoding="utf-8")
    with pytest.raises(Stale):
        call(desk, "fix_verdict", card=card, verdict="accept")

    assert (code / LOOP).read_text(encoding="utf-8") == "# other\n"


def test_without_code_there_is_nothing_to_change(desk: Desk) -> None:
    """A desk that has no code says so."""
    with pytest.raises(Unavailable, match="no code"):
        call(replace(desk, fixes=None), "fix_cards", incident=INCIDENT)
