"""A second failure: told of in the midst of the first, with an incident of its own where it is another one."""

from __future__ import annotations

import json

import pytest
from tests.timeline import SPACE, Timeline, kinds, only

from hindcast.detect import Detector, EventKind
from hindcast.model.errors import Missing, Refused
from hindcast.model.incident import IncidentState, from_json, to_json

POOL = "redis ConnectionError in hold"
PROFILE = "profile of usr could not be serialised"
TOKEN = "Failed on token"


def outage(world: Timeline, seconds: int, *, service: str = "payment", failure: str = POOL, errors: int = 6) -> None:
    """So many seconds in which a service fails in one way."""
    for _ in range(seconds):
        world.count(service, errors, failure=failure)
        world.run(1)


def quiet() -> Timeline:
    """Three services with an hour of history."""
    world = Timeline()
    world.usual("payment", "auth", "user")
    world.past(60)
    world.run(5)
    return world


def test_a_relapse_shares_its_failures() -> None:
    """The same failure fourteen minutes later is the same incident again."""
    world = quiet()
    outage(world, 60)
    first = only(world.run(840, tick=2), EventKind.AWAITING)
    world.count("payment", 120, failure=POOL)

    assert only(world.run(3), EventKind.REOPENED).id == first.id


def test_another_kind_of_failure_is_no_relapse() -> None:
    """A hundred and twenty errors of another kind fourteen minutes later are an incident of their own."""
    world = quiet()
    outage(world, 60)
    first = only(world.run(840, tick=2), EventKind.AWAITING)
    world.count("payment", 120, failure=TOKEN)
    second = only(world.run(3), EventKind.OPENED)

    assert second.id != first.id
    assert [one.state for one in world.detector.incidents] == [IncidentState.AWAITING, IncidentState.OPEN]


def test_another_kind_of_failure_in_the_quiet_after_one_is_an_incident() -> None:
    """While an incident is quiet and not yet called so, what looks different does not go on in it."""
    world = quiet()
    outage(world, 60)
    world.run(90)
    outage(world, 20, failure=TOKEN, errors=12)

    assert len([one for one in world.detector.incidents if one.services == ("payment",)]) == 2


def test_another_kind_of_failure_ends_a_mute() -> None:
    """What somebody waved aside was the failure that went on; another one is told of at once."""
    world = quiet()
    outage(world, 60)
    first = only(world.events, EventKind.OPENED)
    world.detector.confirm(first.id, by="ana", now=world.now)
    outage(world, 20)
    assert world.detector.mutes
    world.count("payment", 120, failure=TOKEN)
    world.count("payment", 6, failure=POOL)
    second = only(world.run(6), EventKind.OPENED)

    assert second.id != first.id
    assert world.detector.mutes == ()


def test_a_failure_that_begins_in_the_midst_of_another_is_told() -> None:
    """An open incident says what is new in it, since when and how much, and what was there before is not new."""
    world = quiet()
    outage(world, 100)
    opened = only(world.events, EventKind.OPENED)
    began = world.now
    for _ in range(30):
        world.count("payment", 6, failure=POOL)
        world.count("payment", 4, failure=PROFILE)
        world.run(1)
    (incident,) = world.detector.incidents
    (new,) = incident.new_failures
    told = [event.why for event in world.events if event.kind is EventKind.CHANGED]

    assert incident.id == opened.id
    assert (new.service, new.text, new.first_at) == ("payment", PROFILE, began)
    assert 100 <= new.count <= 120
    assert any(f"new since {began:%H:%M} UTC in payment: {PROFILE}" in why for why in told)


def test_what_begins_together_is_one_failure() -> None:
    """A failure that shows in several ways at once is told of once, by the commonest, though each is below the line."""
    world = quiet()
    outage(world, 100)
    outage(world, 10, failure=POOL)
    world.count("payment", 45, failure=PROFILE)
    world.count("payment", 40, failure="encoder rejected an unknown enum")
    outage(world, 10, failure=POOL)
    (new,) = world.detector.incidents[0].new_failures

    assert (new.text, new.count, len(new.also)) == (PROFILE, 85, 1)


def test_a_template_that_was_mined_anew_is_not_new() -> None:
    """Nearly the same words are the same failure, whatever number they have."""
    world = quiet()
    outage(world, 100)
    outage(world, 30, failure="redis ConnectionError in hold now")

    assert world.detector.incidents[0].new_failures == ()


def two_in_one() -> Timeline:
    """A failure that began while another one goes on in the same service."""
    world = quiet()
    outage(world, 100)
    for _ in range(20):
        world.count("payment", 6, failure=POOL)
        world.count("payment", 6, failure=PROFILE)
        world.run(1)
    return world


def test_a_split_gives_each_failure_its_own_incident() -> None:
    """The new one has its failure, its count and its title; the old one says where it went, and each ends by itself."""
    world = two_in_one()
    (first,) = world.detector.incidents
    (new,) = first.new_failures
    opened, left = world.detector.split(first.id, new.id, why="ana said so", now=world.now, space=SPACE)
    second = opened.incident

    assert (opened.kind, second.services, second.failures) == (EventKind.OPENED, ("payment",), (new.id,))
    assert second.title == f"payment: {PROFILE}"
    assert 100 <= second.errors <= 120
    assert left.incident.new_failures[0].incident == second.id
    outage(world, 240, failure=PROFILE)
    states = {one.id: one.state for one in world.detector.incidents}
    assert states == {first.id: IncidentState.AWAITING, second.id: IncidentState.OPEN}
    world.run(260, tick=2)
    assert {one.state for one in world.detector.incidents} == {IncidentState.AWAITING}
    errors = {one.id: one.errors for one in world.detector.incidents}
    assert 700 <= errors[first.id] <= 800
    assert 1500 <= errors[second.id] <= 1600


def split_and_confirmed() -> tuple[Timeline, str, str]:
    """A failure that was split off and called over while both go on; the first incident and that one."""
    world = two_in_one()
    (first,) = world.detector.incidents
    opened, _ = world.detector.split(first.id, first.new_failures[0].id, why="ana", now=world.now, space=SPACE)
    both(world, 20)
    world.detector.confirm(opened.incident.id, by="ana", now=world.now)
    return world, first.id, opened.incident.id


def both(world: Timeline, seconds: int) -> None:
    """Both failures go on."""
    for _ in range(seconds):
        world.count("payment", 6, failure=POOL)
        outage(world, 1, failure=PROFILE)


def test_what_was_split_off_is_muted_alone_when_it_is_called_over() -> None:
    """Its mute is told with its errors, the first incident counts none of them, and nothing is told of it."""
    world, first, second = split_and_confirmed()
    (before,) = world.detector.incidents
    both(world, 60)
    (left,) = world.detector.incidents
    (mute,) = world.detector.mutes

    assert (left.id, mute.incident, mute.service) == (first, second, "payment")
    assert 300 <= mute.errors <= 370
    assert 300 <= left.errors - before.errors <= 400
    assert left.errors < 6 * 220
    assert [one.incident for one in left.new_failures] == [second]
    outage(world, 120)
    assert world.detector.mutes == ()
    assert world.detector.incidents[0].errors < 6 * 350


def test_what_was_split_off_and_outlasts_its_mute_is_told_of_again() -> None:
    """After its five minutes it has an incident of its own again, linked to the one that was called over."""
    world, first, second = split_and_confirmed()
    both(world, 310)
    again = {one.id: one for one in world.detector.incidents}
    (other,) = again.keys() - {first}

    assert (again[other].previous, again[other].title) == (second, f"payment: {PROFILE}")
    assert again[first].new_failures[0].incident == other
    assert world.detector.mutes == ()


def test_a_split_is_refused_where_there_is_nothing_to_split() -> None:
    """What is not new in an incident, or has an incident already, cannot be split off."""
    world = two_in_one()
    (first,) = world.detector.incidents
    failure = first.new_failures[0].id
    with pytest.raises(Missing, match="no new failure 7"):
        world.detector.split(first.id, 7, why="", now=world.now, space=SPACE)
    world.detector.split(first.id, failure, why="", now=world.now, space=SPACE)
    with pytest.raises(Refused, match="about it already"):
        world.detector.split(first.id, failure, why="", now=world.now, space=SPACE)


def test_a_split_outlives_a_restart() -> None:
    """After a restart both incidents go on, each with its own failure."""
    world = two_in_one()
    first = world.detector.incidents[0]
    world.detector.split(first.id, first.new_failures[0].id, why="", now=world.now, space=SPACE)
    kept = [from_json(json.loads(json.dumps(to_json(one)))) for one in world.detector.incidents]
    world.detector = Detector()
    world.detector.restore(kept)
    outage(world, 30, failure=PROFILE)

    assert kinds(world.run(10)) == []
    assert {one.id for one in world.detector.incidents} == {one.id for one in kept}


def test_what_nothing_in_trouble_explains_is_split_off_by_the_calls() -> None:
    """In a cascade, a new failure of a service is its own incident when nothing that it calls is still in trouble."""
    world = quiet()
    world.tick(edges=[("payment", "database"), ("user", "database"), ("auth", "database")])
    world.usual("database")
    for _ in range(60):
        for service in ("database", "payment", "user"):
            world.count(service, 6, failure=f"{service} cannot reach postgres")
        world.run(1)
    (first,) = world.detector.incidents
    assert first.origin == "database"
    outage(world, 100, service="user", failure="user cannot reach postgres")
    outage(world, 20, service="user", failure=PROFILE)

    second = world.detector.incidents[-1]
    assert (second.services, second.title) == (("user",), f"user: {PROFILE}")
    assert second.id != first.id


def test_a_title_says_the_failure() -> None:
    """An incident is called by the failure that leads it where that is known, not by the line that it passed."""
    world = quiet()
    world.count("payment", 120, failure=POOL)
    world.count("payment", 20, failure=TOKEN)

    assert only(world.run(3), EventKind.OPENED).title == f"payment: {POOL}"
