"""The live stream over HTTP: what a page or a script hears, and what it is told when it asks for the wrong thing."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from tests.answering import PROTOBUF, Answering, answering, otlp
from tests.serving import wait_for

from hindcast.model.errors import Malformed, Missing, Stale


@pytest.fixture(scope="module")
def hindcast(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Answering]:
    """A Hindcast that answers."""
    with answering(tmp_path_factory.mktemp("live")) as made:
        yield made


def test_lines_are_followed_under_conditions(hindcast: Answering) -> None:
    """Whoever follows lines hears those that meet the conditions, a moment after they became durable."""
    ears = hindcast.listen("kinds=line&service=shop&level_min=17&words=baske+ful")
    ears.until(b"event: beat")
    hindcast.post(
        "/v1/logs", otlp("shop", "the basket is full", "the BASKET, again full", "empty", level=17), **PROTOBUF
    )
    hindcast.post("/v1/logs", otlp("shop", "the basket is full"), **PROTOBUF)
    told = ears.told("line")

    assert [line["message"] for line in told["lines"]] == ["the basket is full", "the BASKET, again full"]
    assert (told["matched"], told["dropped"], told["unseen"]) == (2, 0, 0)
    assert told["lines"][0]["template"].isdigit()


def test_secrets_are_not_in_the_lines_that_are_followed(hindcast: Answering) -> None:
    """Lines are told as they are kept: without the secrets that were taken out of them."""
    ears = hindcast.listen("kinds=line&service=vault")
    ears.until(b"event: beat")
    hindcast.post("/v1/logs", otlp("vault", "connecting to postgres://ana:hunter2secret@db/x"), **PROTOBUF)
    said = ears.until(b"connecting to")

    assert b"hunter2secret" not in said


def test_rates_are_told_once_a_second(hindcast: Answering) -> None:
    """Counts by service and second come by themselves, and what has just arrived is among them."""
    ears = hindcast.listen("kinds=rates")
    hindcast.post("/v1/logs", otlp("till", *["x"] * 7, level=17), **PROTOBUF)
    told = ears.told("rates", lambda data: sum(data["services"].get("till", {}).get("errors", [])) == 7)

    assert len(told["seconds"]) == len(told["services"]["till"]["errors"]) == 5


def test_an_incident_is_told_and_told_again(hindcast: Answering) -> None:
    """An incident reaches who listens, and later who says which event they heard last."""
    ears = hindcast.listen("kinds=incident")
    start = ears.until(b"event: beat")
    before = next(line[4:] for line in start.decode().splitlines() if line.startswith("id: "))
    with hindcast.client() as client:
        client.simulator_play(scenario="bad-deploy", service="payment")
    opened = ears.told("incident", lambda data: data["kind"] == "opened")
    again = hindcast.listen(f"kinds=incident&after={before}")
    missed = hindcast.listen("kinds=incident", **{"Last-Event-ID": before})

    assert opened["incident"]["origin"] == "payment"
    assert again.told("incident") == missed.told("incident") == ears.events("incident")[0]


def test_an_answer_follows_its_incident(hindcast: Answering) -> None:
    """When what is remembered about an incident is ready, that is an event too."""
    ears = hindcast.listen("kinds=answer,incident&space=asked")
    ears.until(b"event: beat")
    with hindcast.client(space="asked") as client:
        client.simulator_play(scenario="pool-exhaustion", service="auth")
    opened = ears.told("incident")["incident"]

    assert ears.told("answer")["incident"] == opened["id"]


def test_a_stream_is_not_kept_or_changed_on_its_way(hindcast: Answering) -> None:
    """Headers tell proxies to pass events on at once, and browsers when to come back."""
    said = hindcast.listen().until(b"event: beat").lower()

    assert b"content-type: text/event-stream" in said
    assert b"cache-control: no-store, no-transform" in said
    assert b"x-accel-buffering: no" in said
    assert b"retry: " in said
    assert b"content-encoding" not in said


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ({"kinds": "incident,gossip"}, "kinds"),
        ({"kinds": ","}, "kinds"),
        ({"level_min": 99}, "level_min"),
        ({"words": " ".join(map(str, range(99)))}, "words"),
        ({"template": "x"}, "template"),
        ({"template": str(2**64)}, "template"),
        ({"service": ["x"] * 99}, "service"),
        ({"after": "x" * 99}, "after"),
    ],
)
def test_a_wish_that_makes_no_sense_is_refused(hindcast: Answering, query: dict[str, Any], field: str) -> None:
    """A condition that cannot be met is an error that names it, before any stream begins."""
    answer = httpx.get(f"{hindcast.url}/api/v1/live", params=query, headers=hindcast.proof, trust_env=False)

    assert answer.status_code in (400, 422)
    assert field in answer.json()["field"]
    assert answer.json()["remedy"]


def test_the_client_hears_what_happens(hindcast: Answering) -> None:
    """The client's iterator gives events as values, beats left out, and says why a wish is refused."""
    with hindcast.client() as client:
        first = next(client.live(kinds=["incident", "rates"]))
        assert first.kind in ("incident", "rates")
        with pytest.raises(Malformed, match="kinds"):
            next(client.live(kinds="gossip"))


def test_what_nobody_listens_to_costs_nothing(hindcast: Answering) -> None:
    """When the last listener has left, no lines are gathered and no rates are read."""
    ears = hindcast.listen("kinds=line,rates")
    ears.until(b"event: beat")
    assert hindcast.live.is_fed_on.is_set()
    hindcast.hang_up()

    wait_for(lambda: not hindcast.live.is_fed_on.is_set(), what="everybody to have left")
    assert hindcast.live.streams == 0


def test_a_scenario_befalls_the_quiet_world(hindcast: Answering) -> None:
    """Seven services can log quietly until they are stopped; a scenario then happens to them, and not beside them."""
    with hindcast.client(space="quiet") as client:
        quiet = client.simulator_play(rate_per_s=20)
        assert (quiet.scenario, quiet.phase) == ("", "quiet")
        wait_for(lambda: (client.simulator_get().running or quiet).acknowledged, what="records")
        troubled = client.simulator_play(scenario="memory-leak")
        assert (troubled.scenario, troubled.phase) == ("memory-leak", "building")
        assert troubled.acknowledged > 0
        with pytest.raises(Stale, match="memory-leak plays already"):
            client.simulator_play()
        with pytest.raises(Malformed, match="scenario"):
            client.simulator_play(service="payment")
        client.simulator_stop()


def test_scenarios_are_played_and_stopped(hindcast: Answering) -> None:
    """In demo mode a scenario can be begun, is seen to run, and is stopped; a second one at a time is refused."""
    with hindcast.client(space="stage") as client:
        assert "payment" in client.simulator_get().services
        run = client.simulator_play(scenario="pool-exhaustion", rate_per_s=20)
        assert (run.scenario, run.by, run.phase) == ("pool-exhaustion", "ana", "building")
        with pytest.raises(Stale, match="plays already"):
            client.simulator_play(scenario="memory-leak")
        running = wait_for(lambda: (client.simulator_get().running or run).acknowledged, what="records")
        assert running > 0
        assert client.simulator_stop().acknowledged >= running
        assert client.simulator_get().running is None
        with pytest.raises(Missing, match="Nothing plays"):
            client.simulator_stop()
        with pytest.raises(Missing, match="scenario"):
            client.simulator_play(scenario="no-such")
