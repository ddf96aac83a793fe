"""Cards over REST: from an incident to a changed file, the log of it, and back; the real application, real git."""

from __future__ import annotations

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import timedelta
from itertools import count
from pathlib import Path
from typing import Any

import pygit2
import pytest
from tests.fixing import (
    INCIDENT,
    LOOP,
    NEXT,
    NOW,
    PRODUCTION,
    PUT,
    PUT_LESS,
    RELEASE,
    STORY,
    WORKSPACE,
    begun,
    code_in,
    fail,
)
from tests.resting import SPACE_HEADER, Resting, resting
from tests.serving import wait_for

from hindcast.adapters.clock import ManualClock
from hindcast.experience import cautions_of
from hindcast.model.access import HOME
from hindcast.rest.listening import Wish

_numbers = count(1)
CLOCK = ManualClock(NOW)


@dataclass
class Team:
    """One team with a payment service that fails again, its code, and a client that decides."""

    here: Resting
    space: str
    code: Path

    def get(self, path: str, **params: Any) -> Any:
        """What a GET answers."""
        return self.here.get(path, self.space, **params)

    def ask(self, method: str, path: str, *, status: int = 200, **more: Any) -> Any:
        """An answer of this status."""
        return self.here.ask(method, path, self.space, status=status, **more)

    def deck(self, incident: str = INCIDENT) -> Any:
        """The deck of an incident."""
        return self.get(f"/api/v1/incidents/{incident}/cards")

    def card(self, path: str = LOOP, incident: str = INCIDENT) -> Any:
        """The card that changes a file."""
        (found,) = [one for one in self.deck(incident)["cards"] if one["path"] == path]
        return found

    def decide(self, verb: str, card: str, *, status: int = 200, **said: Any) -> Any:
        """What a decision is answered with, a minute after what was before."""
        CLOCK.move(timedelta(minutes=1))
        return self.ask("POST", f"/api/v1/cards/{card}/{verb}", status=status, json=said).json()

    def text(self, path: str = LOOP) -> str:
        """A file as it is."""
        return (self.code / path).read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Resting]:
    """A Hindcast that many teams share."""
    with resting(tmp_path_factory.mktemp("fixes"), clock=CLOCK) as made:
        yield made


@pytest.fixture
def team(here: Resting, tmp_path: Path) -> Team:
    """A team of its own, for a test that decides."""
    return team_in(here, tmp_path)


@pytest.fixture(scope="module")
def readers(here: Resting, tmp_path_factory: pytest.TempPathFactory) -> Team:
    """A team for all tests in which nothing is decided."""
    return team_in(here, tmp_path_factory.mktemp("readers"))


def team_in(here: Resting, folder: Path) -> Team:
    """A team with its code in a folder."""
    space = f"team-{next(_numbers)}"
    code = code_in(folder / "shop")
    begun(here.memory(space))
    here.running.app.workspaces.add_folder(space, WORKSPACE, str(code), by="ana", now=NOW)
    return Team(here, space, code)


def test_a_deck_says_what_to_change_and_what_to_watch(readers: Team) -> None:
    """The lost release comes as a diff of today's file, with its evidence; the raised pool is warned of."""
    deck = readers.deck()
    card = readers.card()

    assert deck["workspace"] == WORKSPACE
    assert f"+        {RELEASE}" in card["diff"]
    assert any(STORY in ref for ref in card["evidence"])
    assert card["state"] == "proposed"
    assert 0 < card["confidence"] < 1
    assert "before" not in card
    assert [one["path"] for one in deck["warned"]] == [PRODUCTION]
    assert readers.card(PRODUCTION)["source"] == "setting"


def test_one_card_comes_with_its_file_and_a_version(readers: Team) -> None:
    """A card shows the whole file before and after, and is not sent twice to who has it."""
    card = readers.card()["id"]
    answer = readers.ask("GET", f"/api/v1/cards/{card}")
    told = answer.json()

    assert told["before"] == readers.text()
    assert RELEASE in told["after"]
    assert told["line"]["by"] == "hindcast"
    headers = {"If-None-Match": answer.headers["ETag"]}
    assert readers.ask("GET", f"/api/v1/cards/{card}", status=304, headers=headers).content == b""


def test_accepting_changes_the_file_and_shows_in_the_log(team: Team) -> None:
    """One request changes the file, the card, the log and the incident, in the name of who asked."""
    card = team.card()["id"]
    told = team.decide("accept", card)

    assert team.text() == told["after"]
    assert told["state"] == "accepted"
    line = team.get("/api/v1/memory-log")["items"][0]
    assert (line["card"], line["state"], line["by"], line["path"]) == (card, "accepted", "ana", LOOP)
    attempts = team.get(f"/api/v1/incidents/{INCIDENT}")["case"]["attempts"]
    assert RELEASE in attempts[-1]["diff"]
    assert team.card()["state"] == "accepted"


def test_a_card_goes_to_a_branch_as_a_commit(team: Team) -> None:
    """On a branch the files stay as they are, and the commit names the incident that it fixes."""
    before, card = team.text(), team.card()["id"]
    told = team.decide("accept", card, branch="fix/redis", message="Release it")["line"]

    commit = pygit2.Repository(str(team.code))[told["commit"]].peel(pygit2.Commit)
    assert team.text() == before
    assert told["branch"] == "fix/redis"
    assert commit.message.splitlines()[0] == "Release it"
    assert f"Fixes-Incident: {INCIDENT}" in commit.message


def test_what_was_rejected_with_a_reason_is_not_proposed_again(team: Team) -> None:
    """In the next incident of the same failure it is under don't try, with who and why, and held back."""
    told = team.decide("reject", team.card()["id"], reason="the pool closes it twice", dont_try=True)
    fail(team.here.memory(team.space), NEXT)

    assert told["state"] == "rejected"
    assert RELEASE not in team.text()
    deck = team.deck(NEXT)
    assert LOOP not in [one["path"] for one in deck["cards"]]
    (held,) = [one for one in deck["held_back"] if one["path"] == LOOP]
    assert "the pool closes it twice" in held["reason"]
    avoid = team.get(f"/api/v1/incidents/{NEXT}/recall")["diagnosis"]["avoid"]
    assert "the pool closes it twice" in json.dumps(avoid)
    # The other card of the same fix stands.
    assert team.card(PRODUCTION, NEXT)


def test_a_reason_that_says_so_is_a_warning_unless_somebody_says_otherwise(team: Team) -> None:
    """Without `dont_try` the reason decides; with it, whoever rejects does."""
    card, reason = team.card()["id"], "don't try it, the pool closes it twice"

    team.decide("reject", card, reason=reason, dont_try=False)
    assert cautions_of(team.here.memory(team.space).now()) == ()
    team.decide("undo", card)
    team.decide("reject", card, reason=reason)
    fail(team.here.memory(team.space), NEXT)
    assert reason in json.dumps(team.get(f"/api/v1/incidents/{NEXT}/recall")["diagnosis"]["avoid"])


def test_a_modified_card_is_what_somebody_wrote(team: Team) -> None:
    """The text that was sent is the file, and the log says that it was modified."""
    card = team.card()["id"]
    text = team.get(f"/api/v1/cards/{card}")["after"].replace(RELEASE, f"{RELEASE}  # always")
    told = team.decide("modify", card, text=text, reason="say why")

    assert told["state"] == "modified"
    assert team.text() == text
    assert told["line"]["reason"] == "say why"


def test_undo_brings_back_what_was_there(team: Team) -> None:
    """After undo the file is byte for byte what it was, and the card may be decided anew."""
    before, card = (team.code / LOOP).read_bytes(), team.card()["id"]
    team.decide("accept", card)
    told = team.decide("undo", card)

    assert told["state"] == "undone"
    assert (team.code / LOOP).read_bytes() == before
    assert team.decide("accept", card)["state"] == "accepted"


def test_of_two_who_decide_at_once_one_does(team: Team) -> None:
    """Two requests that decide about one card at the same time: one succeeds, the other is told (409)."""
    card, headers = team.card()["id"], {SPACE_HEADER: team.space}

    def decide(verb: str) -> int:
        return int(team.here.client.post(f"/api/v1/cards/{card}/{verb}", json={}, headers=headers).status_code)

    with ThreadPoolExecutor(2) as pool:
        answers = list(pool.map(decide, ("accept", "reject")))

    assert sorted(answers) == [200, 409]
    assert (RELEASE in team.text()) is (answers[0] == 200)


def test_a_decision_may_depend_on_what_was_read(team: Team) -> None:
    """With If-Match of an older version nothing is written (412); sent again with its key, nothing happens twice."""
    card = team.card()["id"]
    path = f"/api/v1/cards/{card}"
    tag = team.ask("GET", path).headers["ETag"]
    key = {"Idempotency-Key": "one", "If-Match": tag}
    team.ask("POST", f"{path}/reject", json={"reason": "no"}, headers=key)
    again = team.ask("POST", f"{path}/reject", json={"reason": "no"}, headers=key)

    assert again.headers["Idempotency-Replayed"] == "true"
    problem = team.ask("POST", f"{path}/undo", status=412, json={}, headers={"If-Match": tag}).json()
    assert problem["field"] == "If-Match"
    assert team.get("/api/v1/memory-log", state="rejected")["items"][0]["card"] == card


def test_a_file_that_changed_is_left_alone_and_rechecked(team: Team) -> None:
    """Accepting is refused with the remedy, and the card made anew keeps what somebody wrote meanwhile."""
    card = team.card()["id"]
    changed = f"# Somebody was here.\n{team.text()}"
    (team.code / LOOP).write_text(changed, encoding="utf-8")
    problem = team.decide("accept", card, status=409)

    assert "recheck" in problem["remedy"].replace("-", "")
    assert team.text() == changed
    fresh = team.decide("recheck", card)
    assert fresh["before"] == changed
    team.decide("accept", fresh["id"])
    assert team.text().startswith("# Somebody was here.\n")
    assert RELEASE in team.text()


def test_the_log_is_read_page_by_page_at_any_moment(team: Team) -> None:
    """Pages hold every line once; conditions and counts agree; a moment of the past shows what was so then."""
    cards = {one["id"] for one in team.deck()["cards"]}
    before = team.get("/api/v1/memory/commits", limit=1)["items"][0]["id"]
    team.decide("reject", team.card()["id"], reason="not tonight")

    seen: list[str] = []
    cursor = None
    while True:
        page = team.get("/api/v1/memory-log", limit=1, **({"cursor": cursor} if cursor else {}))
        seen += [line["card"] for line in page["items"]]
        cursor = page["next"]
        if cursor is None:
            break
    assert sorted(seen) == sorted(cards)
    assert page["counts"]["rejected"] == 1
    assert page["counts"]["proposed"] == len(cards) - 1
    assert [line["reason"] for line in team.get("/api/v1/memory-log", q="TONIGHT")["items"]] == ["not tonight"]
    assert team.get("/api/v1/memory-log", workspace="another")["items"] == []
    assert {line["state"] for line in team.get("/api/v1/memory-log", at=before)["items"]} == {"proposed"}


def test_a_rule_is_offered_shown_and_switched(team: Team) -> None:
    """What somebody wrote instead becomes a rule that finds nothing until it is switched on."""
    card = team.card()["id"]
    was = team.get(f"/api/v1/cards/{card}")["before"]
    team.decide("modify", card, text=was.replace(PUT, PUT_LESS))
    (rule,) = team.get("/api/v1/code-rules")["items"]

    assert (rule["is_on"], rule["made_from"]) == (False, card)
    shown = team.get(f"/api/v1/code-rules/{rule['id']}")
    assert shown["rule"] == rule
    assert all(match["path"] for match in shown["matches"])
    assert team.ask("POST", f"/api/v1/code-rules/{rule['id']}", json={"is_on": True}).json()["is_on"] is True
    assert [one["is_on"] for one in team.get("/api/v1/code-rules")["items"]] == [True]


def test_a_case_that_is_erased_takes_its_cards_along(team: Team) -> None:
    """Neither the deck nor the log nor any moment of the past shows a diff that was made from it."""
    rests = [one["id"] for one in team.deck()["cards"] if any(STORY in ref for ref in one["evidence"])]
    before = team.here.memory(team.space).log()[0].id
    team.decide("reject", rests[0], reason="Not now")
    said = {"address": f"cases/{STORY}", "why": "Request 2026-118"}
    erased = team.ask("POST", "/api/v1/memory/erase", json=said).json()

    assert {f"cards/{one}" for one in rests} <= set(erased["addresses"])
    for moment in ({}, {"at": before}):
        assert not {one["card"] for one in team.get("/api/v1/memory-log", **moment)["items"]} & set(rests)
    assert not any(STORY in ref for one in team.deck()["cards"] for ref in one["evidence"])
    for one in rests:
        team.ask("GET", f"/api/v1/cards/{one}", status=404)


def test_the_audit_trail_names_who_decided_about_which_card(team: Team) -> None:
    """Who decided about which card can be read afterwards, apart from memory."""
    card = team.card()["id"]
    team.decide("reject", card)
    access = team.here.app.state.doorkeeper.access

    def told() -> bool:
        entries = access.audit.entries(HOME, by=access.operator, what="/reject")
        return (team.space, card, "ana") in [(one.space, one.subject, one.actor) for one in entries]

    wait_for(told, what="the entry, which is durable within about a second")


def test_listeners_hear_of_a_decision(team: Team) -> None:
    """Whoever listens to the space hears which card, what became of it, and by whom."""
    card = team.card()["id"]
    portal = team.here.client.portal
    assert portal is not None
    live = team.here.app.state.live
    ears = portal.call(live.listen, Wish(team.space, frozenset({"card"})))
    portal.call(ears.take)
    team.decide("reject", card, reason="not tonight")

    told = portal.call(ears.take).decode()
    assert "event: card\n" in told
    data = json.loads(told.partition("data: ")[2])
    assert (data["card"], data["state"], data["by"]) == (card, "rejected", "ana")


def test_what_cannot_be_is_refused_with_reason(readers: Team, here: Resting) -> None:
    """A card, an incident, a workspace or a memory that is not there, and a text that does not parse, are told so."""
    card = readers.card()["id"]
    broken = "def broken(:\n"
    for method, path, status, field, more in (
        ("GET", "/api/v1/cards/fix-nothing", 404, "card", {}),
        ("POST", "/api/v1/cards/fix-nothing/accept", 404, "card", {"json": {}}),
        ("GET", "/api/v1/incidents/inc-nothing/cards", 404, "", {}),
        ("GET", f"/api/v1/incidents/{INCIDENT}/cards?workspace=nowhere", 404, "workspace", {}),
        ("POST", f"/api/v1/cards/{card}/modify", 400, "text", {"json": {"text": broken}}),
        ("POST", f"/api/v1/cards/{card}/reject", 422, "reason", {"json": {"reason": "x" * 5_000}}),
        ("POST", f"/api/v1/cards/{card}/accept", 422, "force", {"json": {"force": True}}),
        ("GET", "/api/v1/memory-log?cursor=nonsense", 400, "cursor", {}),
        ("GET", "/api/v1/code-rules/team-nothing", 404, "rule", {}),
        ("POST", f"/api/v1/cards/{card}/undo", 403, "card", {"json": {}}),
    ):
        problem = readers.ask(method, path, status=status, **more).json()
        assert problem["remedy"], path
        assert field in problem.get("field", "") + json.dumps(problem.get("problems", [])), problem
    assert here.ask("GET", f"/api/v1/incidents/{INCIDENT}/cards", "nobody", status=404).json()["field"] == "space"
    assert here.running.register.existing("nobody") is None
