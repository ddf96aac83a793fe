"""The origin of a cascade: what was over before the others began did not begin it, and has a story of its own."""

from __future__ import annotations

from datetime import timedelta

import pytest
from tests.timeline import START, Timeline, only

from hindcast.detect import EventKind
from hindcast.detect.cascade import Graph, spread, together
from hindcast.model.incident import Affected, Incident
from hindcast.model.signal import Edge

CALLS = (
    ("api-gateway", "auth"),
    ("api-gateway", "payment"),
    ("api-gateway", "user"),
    ("auth", "database"),
    ("payment", "database"),
    ("user", "database"),
    ("analytics", "database"),
)
SERVICES = ("api-gateway", "auth", "database", "payment", "notification", "user", "analytics")
GRAPH = Graph([Edge(caller, callee, 10) for caller, callee in CALLS])
SPREADING = ("database", "user", "auth", "analytics", "api-gateway")


def affected(service: str, after: float, *, seconds: int = 120, errors: int = 300) -> Affected:
    """A service in trouble from so many seconds after the start on, and for so long."""
    onset_at = START + timedelta(seconds=after)
    return Affected(service, onset_at, onset_at + timedelta(seconds=seconds), errors, errors, 1.0, 20.0)


def later_ones() -> list[Affected]:
    """Trouble that spreads from the database ninety seconds after the start."""
    return [affected(service, 90 + 3 * at) for at, service in enumerate(SPREADING)]


def watched(*, calls: tuple[tuple[str, str], ...] = CALLS) -> Timeline:
    """Seven services with an hour of history."""
    world = Timeline(seed=4)
    world.usual(*SERVICES, errors=0.1, lines=20.0)
    world.past(60)
    world.tick(edges=calls)
    assert world.run(30) == []
    return world


def burst(world: Timeline, service: str = "payment", *, errors: int = 120) -> None:
    """So many errors at once."""
    world.count(service, errors, ago=-1)
    world.run(1)


def cascade(world: Timeline, *services: str, seconds: int = 60) -> Incident:
    """Trouble that spreads over services, four seconds from one to the next; returns the cascade as it stands then."""
    for service in services:
        world.errors[service] = 6.0
        world.run(4)
    world.run(seconds)
    (found,) = [one for one in world.detector.incidents if one.cascade]
    return found


# --- Pure ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("graph", [GRAPH, Graph()], ids=["graph", "no graph"])
def test_what_was_over_before_the_others_began_is_no_origin(graph: Graph) -> None:
    """A burst that ended a minute and a half before everything else is not where it began, with a graph or without."""
    found = spread([affected("payment", 0, seconds=1, errors=120), *later_ones()], graph)

    assert found.origin == "database"


@pytest.mark.parametrize("graph", [GRAPH, Graph()], ids=["graph", "no graph"])
def test_what_lasted_until_the_others_began_is_an_origin(graph: Graph) -> None:
    """Trouble that began clearly earlier and was still going on when the others began is where it began."""
    found = spread([affected("payment", 0, seconds=200), *later_ones()], graph)

    assert found.origin == "payment"


def test_an_origin_may_recover_while_its_trouble_travels_on() -> None:
    """A service that failed for seconds, and whose callers' callers failed long after, is still the origin."""
    short = affected("database", 0, seconds=8)
    found = spread([short, affected("payment", 3), affected("user", 4), affected("api-gateway", 60)], GRAPH)

    assert found.origin == "database"


def test_onsets_follow_one_another_only_while_trouble_lasts() -> None:
    """A pause in which nobody is in trouble separates what began before it from what began after it."""
    spans = {"payment": (0, 2), "database": (90, 300), "user": (95, 120), "auth": (290, 300)}

    assert together(spans, spread_seconds=300) == [["payment"], ["database", "user", "auth"]]


# --- In life ------------------------------------------------------------------------------------------------------


def test_a_burst_before_a_cascade_is_not_its_origin() -> None:
    """A service hit by a burst, and by a cascade ninety seconds later, is one of the cascade and not its origin."""
    world = watched()
    burst(world)
    world.run(89)
    incident = cascade(world, "database", "payment", "user", "auth", "analytics", "api-gateway")
    alone = only(world.events[:1], EventKind.OPENED)
    kept = next(one for one in world.detector.incidents if one.id == alone.id)

    assert incident.origin == "database"
    assert incident.services[:2] == ("database", "payment")
    assert incident.onset_at > START + timedelta(seconds=110)
    # The burst has its own story, which ended when its errors did.
    assert kept.services == ("payment",)
    assert 115 <= kept.errors <= 130
    assert kept.last_trouble_at < START + timedelta(seconds=40)


def test_a_burst_is_kept_out_of_a_cascade_that_spared_its_service() -> None:
    """A service whose errors were over, and which the cascade does not reach, is no part of it."""
    world = watched()
    burst(world)
    world.run(89)
    incident = cascade(world, *SPREADING)

    assert incident.origin == "database"
    assert "payment" not in incident.services
    assert EventKind.JOINED not in {event.kind for event in world.events}


def test_a_burst_half_a_minute_before_is_told_apart_too() -> None:
    """Errors that pause for forty seconds are two bouts, though the service is not yet seen as recovered."""
    world = watched()
    burst(world)
    world.run(40)
    incident = cascade(world, "database", "payment", "user", "auth", "analytics", "api-gateway")

    assert incident.origin == "database"


def test_an_old_incident_does_not_lend_its_onset_to_a_cascade() -> None:
    """A service that had recovered half an hour ago joins the cascade that hits it with what is new."""
    world = watched()
    burst(world)
    world.run(1800, tick=5)
    incident = cascade(world, "payment", "database", "user", "auth", "analytics", "api-gateway")

    assert incident.onset_at > START + timedelta(seconds=1800)
    assert incident.origin in ("payment", "database")


@pytest.mark.parametrize("pause", [119, 121, 125, 130])
@pytest.mark.parametrize("calls", [CALLS, ()], ids=["graph", "no graph"])
def test_a_burst_that_awaits_a_word_lends_its_onset_to_nothing(pause: int, calls: tuple[tuple[str, str], ...]) -> None:
    """A service that has just been called quiet, and is hit again with others, begins anew: its burst is not theirs."""
    world = watched(calls=calls)
    burst(world)
    world.run(pause)
    for service in ("database", "payment", "user", "auth", "analytics", "api-gateway"):
        world.errors[service] = 6.0
        world.run(1)
    incident = cascade(world, seconds=60)

    assert incident.origin == "database"
    assert incident.onset_at > START + timedelta(seconds=30 + pause)
    assert all(one.onset_at > START + timedelta(seconds=30 + pause) for one in incident.affected)


@pytest.mark.parametrize("pause", [89, 121, 200])
def test_the_burst_of_a_stranger_is_told_apart_too(pause: int) -> None:
    """A service whose first lines are a burst, and which then has ordinary noise, is no origin minutes later."""
    world = Timeline(seed=1)
    world.run(3)
    burst(world)
    world.run(2)
    world.usual(*SERVICES, errors=0.3, lines=20.0)
    world.run(2)
    world.tick(edges=CALLS)
    world.run(pause)
    began = START + timedelta(seconds=world.second)
    incident = cascade(world, "database", "payment", "user", "auth", "analytics", "api-gateway")
    (alone,) = [one for one in world.detector.incidents if not one.cascade]

    assert incident.origin == "database"
    # Noise may blur an onset by seconds, and not by minutes.
    assert all(one.onset_at > began - timedelta(seconds=15) for one in incident.affected)
    # Ordinary noise does not keep it going.
    assert alone.services == ("payment",)
    assert alone.last_trouble_at < START + timedelta(seconds=10)


def test_a_stranger_whose_errors_go_on_stays_in_trouble() -> None:
    """Errors that are a twentieth of a new service's lines, after a burst, are no noise, however long they last."""
    world = Timeline(seed=1)
    world.run(2)
    world.usual("payment", errors=1.0, lines=19.0)
    burst(world)
    world.run(400)
    (incident,) = world.detector.incidents

    assert incident.relapses == 0
    assert incident.quiet_since is None
    assert incident.onset_at < START + timedelta(seconds=10)


def test_a_neighbour_does_not_join_what_is_over() -> None:
    """A service in trouble long after a burst of its caller has ended opens an incident of its own."""
    world = watched()
    burst(world)
    world.run(89)
    world.errors["database"] = 6.0
    world.run(60)

    assert {one.services for one in world.detector.incidents} == {("payment",), ("database",)}


def test_a_caller_hit_again_joins_what_hit_it() -> None:
    """A burst, then a database in trouble and its caller again: the origin is the database."""
    world = watched()
    burst(world)
    world.run(89)
    world.errors["database"] = 6.0
    world.run(6)
    world.errors["payment"] = 6.0
    world.run(60)
    together_now = next(one for one in world.detector.incidents if len(one.services) == 2)

    assert together_now.origin == "database"


def test_waves_of_one_trouble_stay_one_incident() -> None:
    """A service that fails every minute for some seconds is one incident that counts every wave."""
    world = watched()
    for _ in range(4):
        burst(world)
        world.run(59)
    (incident,) = world.detector.incidents

    assert incident.services == ("payment",)
    assert 470 <= incident.errors <= 520
    assert incident.affected[0].onset_at < START + timedelta(seconds=35)
