"""Metric exports as a sign of life: who stops exporting and speaking while others go on is gone."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from tests.timeline import SPACE, START, Timeline, only

from hindcast.detect import EventKind
from hindcast.model.finding import Rule
from hindcast.model.incident import Event

INTERVAL_SECONDS = 10


@dataclass(frozen=True)
class Exports:
    """What is known of a service's exports."""

    space: str
    service: str
    last_at: datetime
    interval_seconds: float | None = INTERVAL_SECONDS


def worked(*, frozen_at: int, speaks: bool = False, others: bool = True, seconds: int = 100) -> list[Event]:
    """A worker that stops exporting at some second, and its neighbours; what was told of it."""
    world = Timeline()
    world.usual("worker", "web")
    world.past(60)
    found: list[Event] = []
    for _ in range(seconds):
        if world.second == frozen_at and not speaks:
            world.usual("worker", errors=0.0, lines=0.0)
        world.run(1, tick=2)
        last = {"worker": min(world.second, frozen_at), "web": world.second if others else min(world.second, frozen_at)}
        pulses = [
            Exports(SPACE, name, START + timedelta(seconds=at - at % INTERVAL_SECONDS)) for name, at in last.items()
        ]
        found += world.detector.tick(world.table(), now=world.now, pulses=pulses)
    return found


def test_a_worker_that_is_gone_is_named_after_three_exports() -> None:
    """A frozen process is missed within half a minute, not within minutes."""
    opened = only(worked(frozen_at=41, seconds=75), EventKind.OPENED)

    assert (opened.rule, opened.services) == (Rule.SILENT, ("worker",))
    assert (opened.opened_at - START).total_seconds() <= 41 + 3 * INTERVAL_SECONDS


def test_who_still_speaks_is_not_gone() -> None:
    """An exporter that stops is no service that does."""
    assert worked(frozen_at=41, speaks=True) == []


def test_when_nobody_exports_any_more_nobody_is_accused() -> None:
    """Where all exports stop at once, it is their way that has."""
    assert worked(frozen_at=41, others=False) == []
