"""The story of the demo's code on a real server: a fix is taken, another is turned down, and the failure comes back."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Mapping
from contextlib import closing
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import httpx
import pytest
from tests.serving import Serving, serving, wait_for

from hindcast.adapters.otlp_sender import OtlpSender
from hindcast.build import open_memory
from hindcast.build.shop import write_shop
from hindcast.build.workspaces import open_workspaces
from hindcast.cli import outage
from hindcast.config import Settings
from hindcast.reason.wording import day
from hindcast.seeding import seed
from hindcast.simulate import scenario
from hindcast.simulate.burst import burst
from hindcast.simulate.otlp import exports

SPACE = "demo"
LOOP, PRODUCTION = "payment/worker/loop.py", "config/production.toml"
RELEASE = "        ctx.redis.connection_pool.release(ctx.redis.connection)\n"
REASON = "twenty connections starve the nightly settlement"
# Errors of the last two minutes are noticed; those that are older than one are over by then.
EARLIER = timedelta(seconds=75)
SPREADING = ("database", "payment", "user", "auth", "analytics", "api-gateway")


@dataclass(frozen=True)
class Told:
    """What was seen on the way."""

    first: outage.Round
    deck: dict[str, Any]
    rejecting: str
    accepted: dict[str, Any]
    source: str
    log: list[dict[str, Any]]
    second: outage.Round
    second_deck: dict[str, Any]
    within_a_cascade: outage.Round
    fixed_on: datetime


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory, source_environment: Mapping[str, str]) -> Told:
    """The story, played once."""
    folder = tmp_path_factory.mktemp("story")
    shop = prepared(folder)
    with serving(folder, space=SPACE, mode="demo", auth="open", actor="ana") as server, server.client() as client:
        client.headers["X-Hindcast-Space"] = SPACE
        return played(server, client, shop, source_environment)


def prepared(folder: Path) -> Path:
    """A store that remembers the year, and the project as its workspace."""
    settings = Settings(store=str(folder / "store"), space=SPACE, model="none")
    shop, now = folder / "shop", datetime.now(UTC)
    write_shop(shop, now=now)
    with closing(open_memory(settings)) as memory:
        seed(memory, now=now)
        with closing(open_workspaces(settings, lambda _: memory)) as workspaces:
            workspaces.add_folder(SPACE, "shop", str(shop), by="ana", now=now)
    return shop


def played(server: Serving, client: httpx.Client, shop: Path, environment: Mapping[str, str]) -> Told:
    """The outage, two decisions, its end, the same outage again, and once more while something larger goes wrong."""
    first = outage.play(server.url, SPACE, now=lambda: datetime.now(UTC) - EARLIER, seed=1, key=server.token)
    incident = f"/api/v1/incidents/{first.incident['id']}"
    deck = client.get(f"{incident}/cards").raise_for_status().json()
    release, cap = (next(card for card in deck["cards"] if card["path"] == path) for path in (LOOP, PRODUCTION))
    rejecting = command(server, environment, "fix", "reject", cap["id"], "--reason", REASON, "--dont-try")
    accepted = client.post(f"/api/v1/cards/{release['id']}/accept").raise_for_status().json()
    source = (shop / LOOP).read_text(encoding="utf-8")
    log = client.get("/api/v1/memory-log").raise_for_status().json()["items"]

    attempt = client.get(incident).json()["case"]["attempts"][0]["id"]
    client.post(f"{incident}/resolution", json={"attempt": attempt, "cause": "no release"}).raise_for_status()
    fixed_on = datetime.now(UTC)

    # What was resolved counts as over: nobody has to say so once more.
    second = outage.play(server.url, SPACE, now=lambda: datetime.now(UTC), seed=2, key=server.token)
    again = client.get(f"/api/v1/incidents/{second.incident['id']}/cards").raise_for_status().json()
    spread(server)
    wait_for(lambda: is_cascade(client), what="a cascade")
    within = outage.play(server.url, SPACE, now=lambda: datetime.now(UTC), seed=3, key=server.token)
    return Told(first, deck, rejecting, accepted, source, log, second, again, within, fixed_on)


def command(server: Serving, environment: Mapping[str, str], *words: str) -> str:
    """What a command says beside the running server."""
    store = ["--store", str(server.folder / "store"), "--space", SPACE, "--actor", "ana"]
    run = [sys.executable, "-m", "hindcast", *store, *words]
    settings = {"HINDCAST_MODEL": "none", "COLUMNS": "200"}
    return subprocess.run(run, env={**environment, **settings}, capture_output=True, text=True, check=True).stdout


def spread(server: Serving) -> None:
    """Let six services fail at once."""
    at = datetime.now(UTC)
    with closing(OtlpSender(server.url, space=SPACE)) as sender:
        for service in SPREADING:
            for export in exports(burst(scenario("pool-exhaustion"), service, 150, at=at, seed=1)):
                sender.send(export.path, export.body, content_type=export.content_type, records=export.records)


def is_cascade(client: httpx.Client) -> bool:
    """Whether payment is in a cascade by now."""
    page = client.get("/api/v1/incidents", params={"state": "open", "service": "payment"}).raise_for_status().json()
    return any(len(one["services"]) >= 5 for one in page["items"])


def card(deck: Mapping[str, Any], path: str) -> dict[str, Any]:
    """The card of a file."""
    found: dict[str, Any] = next(card for card in deck["cards"] if card["path"] == path)
    return found


def test_the_redis_incident_yields_two_cards_and_a_warning(told: Told) -> None:
    """The missing release, the cap that worked, and a word about the pool that was raised before."""
    assert f"+{RELEASE}" in card(told.deck, LOOP)["diff"]
    assert "-pool_size = 200\n+pool_size = 20\n" in card(told.deck, PRODUCTION)["diff"]
    assert all(any("past-redis-worker-pool" in ref for ref in one["evidence"]) for one in told.deck["cards"])
    (warned,) = told.deck["warned"]
    assert warned["path"] == PRODUCTION
    assert "from 50 to 200" in warned["text"]


def test_the_second_round_says_what_to_change(told: Told) -> None:
    """What the demo shows of a round has the changes and the warning, each with its place."""
    assert any(one.endswith(f"[{LOOP}:23]") for one in told.first.changes)
    assert any(PRODUCTION in one for one in told.first.changes)
    assert any("made it worse" in one for one in told.first.warnings)


def test_accepting_edits_the_file_and_shows_in_the_log(told: Told) -> None:
    """The release is in the file, and the log has both decisions with who made them and why."""
    assert told.accepted["state"] == "accepted"
    assert f"        ctx.session.close()\n{RELEASE}" in told.source
    lines = {one["path"]: one for one in told.log}
    assert (lines[LOOP]["state"], lines[LOOP]["by"], lines[LOOP]["added"]) == ("accepted", "ana", 1)
    assert (lines[PRODUCTION]["state"], lines[PRODUCTION]["reason"]) == ("rejected", REASON)
    assert "Rejected" in told.rejecting


def test_the_next_identical_incident_says_how_long_the_fix_held(told: Told) -> None:
    """Who fixed it, when, and until when that held: told to the next incident with the same failure."""
    assert told.second.incident["id"] != told.first.incident["id"]
    headline = told.second.diagnosis.headline
    assert f"Fixed on {day(told.fixed_on)} by ana" in headline
    assert "held until" in headline


def test_what_was_rejected_is_warned_of_and_not_proposed_again(told: Told) -> None:
    """A card that somebody turned down with a reason is under what not to try, and in no deck of this failure."""
    avoided = [one for one in told.second.diagnosis.avoid if one.rejected]
    assert any(REASON in sentence for one in avoided for sentence in one.remarks)
    assert all(one["path"] != PRODUCTION for one in told.second_deck["cards"])
    assert any(REASON in one["reason"] for one in told.second_deck["held_back"])


def test_within_something_larger_the_story_stays_its_own(told: Told) -> None:
    """While a cascade is under way, what memory says to the Redis outage is still shown, and where it goes on."""
    assert told.within_a_cascade.within == told.within_a_cascade.incident["id"]
    assert len(told.within_a_cascade.incident["affected"]) >= 5
    assert any("task teardown" in fix.action for fix in told.within_a_cascade.diagnosis.fixes)
