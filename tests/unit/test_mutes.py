"""Mutes: what goes on after somebody's word is waved aside for a while, and for no longer than that."""

from __future__ import annotations

from datetime import timedelta

import pyarrow as pa
from tests.timeline import Timeline, kinds, only

from hindcast.detect import Detector, EventKind, Rules
from hindcast.model.incident import IncidentState


def confirmed(world: Timeline, rate: float = 6.0) -> str:
    """An outage that goes on, and somebody who says that it is over."""
    world.errors["payment"] = rate
    opened = only(world.run(60), EventKind.OPENED)
    world.detector.confirm(opened.id, by="ana", now=world.now)
    return opened.id


def quiet(rules: Rules | None = None) -> Timeline:
    """Two services with an hour of history."""
    world = Timeline(rules)
    world.usual("payment", "auth")
    world.past(60)
    world.run(5)
    return world


def test_bursts_after_a_word_said_between_two_of_them_open_an_incident() -> None:
    """A service that was quiet when somebody called it over is heard: nine bursts later nobody may call it well."""
    world = Timeline()
    world.count("payment", 120)
    first = only(world.run(14), EventKind.OPENED)
    world.detector.confirm(first.id, by="ana", now=world.now)
    for _ in range(9):
        world.count("payment", 120)
        world.run(18)
    again = world.detector.incidents[0]

    assert again.state is IncidentState.OPEN
    assert again.id != first.id


def test_what_goes_on_is_told_of_again_when_its_time_is_up() -> None:
    """An outage that outlasts somebody's word is an incident again after five minutes."""
    world = quiet()
    first = confirmed(world)

    assert kinds(world.run(280)) == []
    assert only(world.run(60), EventKind.OPENED).id != first


def test_a_mute_says_since_when_until_when_and_what_came_meanwhile() -> None:
    """Whoever looks at a muted service sees after which incident, for how long and how much."""
    world = quiet()
    first = confirmed(world)
    said = world.now
    world.run(60)
    (mute,) = world.detector.mutes

    assert (mute.service, mute.incident) == ("payment", first)
    assert (mute.since, mute.until) == (said, said + timedelta(minutes=5))
    assert 250 < mute.errors < 470
    world.usual("payment")
    world.run(120)
    assert world.detector.mutes == ()


def test_an_outage_that_was_called_over_is_not_usual() -> None:
    """Neither the minutes before somebody's word nor those after it are learnt: the same outage is noticed again."""
    world = Timeline()
    world.usual("payment", errors=0.0, lines=1.0)
    for _ in range(9):
        world.count("payment", 120)
        world.run(15)
        for incident in world.detector.incidents:
            world.detector.confirm(incident.id, by="ana", now=world.now)
    world.run(700, tick=5)
    assert world.detector.incidents == ()
    world.count("payment", 120)

    assert kinds(world.run(3)) == [EventKind.OPENED]


def test_a_restart_does_not_learn_the_outages_that_it_knows_of() -> None:
    """An outage among few known minutes is no habit: after a restart the same one is noticed."""
    world = Timeline()
    world.usual("payment", errors=0.0, lines=1.0)
    for _ in range(9):
        world.count("payment", 120)
        world.run(15)
    (known,) = world.detector.incidents
    stored = world.table(600)
    world.detector = Detector()
    world.run(700, tick=1000)
    world.detector.backfill(
        pa.concat_tables([stored, world.table(600)]), now=world.now, step_seconds=1, incidents=[known]
    )
    world.count("payment", 120)

    assert kinds(world.run(3)) == [EventKind.OPENED]
