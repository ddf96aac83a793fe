"""Plays a simulated world to the detector in this process, on simulated time, and tells what each of them does.

A running instance judges by its own clock; accelerated time therefore never leaves this process.
"""

from __future__ import annotations

import time
from datetime import datetime, timedelta
from typing import TYPE_CHECKING

from hindcast.cli.timeline import HINDCAST, WORLD, Timeline, clock
from hindcast.cli.verdict import Seen, close
from hindcast.model.finding import Rule
from hindcast.model.incident import Event, EventKind
from hindcast.model.signal import Level

if TYPE_CHECKING:
    from hindcast.cli.session import Session
    from hindcast.simulate import World

SPACE = "simulation"
# What the detector has seen before the first second: enough to know what is usual.
HISTORY = timedelta(hours=6)
HISTORY_STEP_SECONDS = 60
# A little more than the window of the rules, as a running instance reads it.
LOOK_BACK = timedelta(seconds=150)
SECOND = timedelta(seconds=1)
# How far back an error is looked for that shows what an incident is about.
SAMPLE_SECONDS_MAX = 5


def rehearse(session: Session, world: World, seconds: int, *, speed: float) -> bool:
    """Run for so many simulated seconds, `speed` of them in each real one; whether it was interrupted."""
    from hindcast.detect import Detector, Rules

    told = Timeline(session, world.starts_at)
    start = world.starts_at
    settings = session.settings
    detector = Detector(Rules(errors_min=settings.errors_min, window_seconds=settings.window_seconds))
    past = world.rates(start - HISTORY, start, space=SPACE, step_seconds=HISTORY_STEP_SECONDS)
    detector.backfill(past, now=start, step_seconds=HISTORY_STEP_SECONDS)
    edges = [(SPACE, edge) for edge in world.edges()]
    seen = Seen()
    lines = errors = 0
    began = time.monotonic()
    try:
        for second in range(seconds):
            tell_world(told, world, second)
            _tell_noise(told, world, seen, second, f"{lines:,} lines, {errors:,} errors")
            now = start + timedelta(seconds=second + 1)
            rates = world.rates(now - LOOK_BACK, now, space=SPACE)
            for event in detector.tick(rates, now=now, edges=edges):
                hear(told, seen, event, below=_below(world, event))
            edges = []
            counts = world.counts(now - SECOND, now)
            lines += int(counts.sum())
            errors += int(counts[:, :, 3:].sum())
            seen.seconds = second + 1
            _pace(began, seen.seconds / speed)
    except KeyboardInterrupt:
        seen.interrupted = True
    # What an incident counted since its last event belongs to what is told of it in the end.
    for incident in detector.incidents:
        seen.incidents[incident.id] = incident
    document = {"simulated_seconds": seen.seconds, "lines": lines, "errors": errors}
    ran = f"{clock(seen.seconds)} of simulated time, {lines:,} lines, {errors:,} errors"
    close(told, world, seen, document, [("ran", ran)])
    return seen.interrupted


def tell_world(told: Timeline, world: World, second: int) -> None:
    """What begins in the world with this second: phases of its scenarios, and deploys."""
    from hindcast.simulate import Phase

    at = world.starts_at + timedelta(seconds=second)
    if second == 0 and not world.scenarios:
        told.say(at, WORLD, "quiet", f"an ordinary day: {_noise(world, at)}")
    for scenario in world.scenarios:
        for after, phase in scenario.changes_of_phase():
            if after == second:
                said = dict(scenario.told).get(phase, "")
                if not said:
                    said = _noise(world, at) if phase is Phase.QUIET else "everything is as it was"
                told.say(at, WORLD, str(phase), said, scenario=scenario.name)
    for change in world.changes():
        if change.at == at:
            told.say(at, WORLD, "deploy", f"{change.title} ({change.actor})", service=change.service)


def hear(told: Timeline, seen: Seen, event: Event, *, below: str = "") -> None:
    """Keep an event and tell it, unless only numbers moved."""
    incident = event.incident
    before = seen.note(event)
    if event.kind is EventKind.CHANGED and (before is None or before.severity is incident.severity):
        return
    told.say(
        event.at,
        HINDCAST,
        str(event.kind),
        _sentence(event),
        below=below,
        incident=incident.id,
        severity=str(incident.severity),
        services=list(incident.services),
        origin=incident.origin,
        rule=str(incident.rule),
    )


def _sentence(event: Event) -> str:
    incident = event.incident
    match event.kind:
        case EventKind.OPENED:
            return f"{incident.title} [{incident.severity}]"
        case EventKind.CASCADE:
            return f"cascade from {incident.origin}: {' → '.join(incident.services)} [{incident.severity}]"
        case EventKind.GREW | EventKind.AWAITING | EventKind.CHANGED:
            return event.why
        case _:
            return f"{incident.title}: {event.why}"


def _tell_noise(told: Timeline, world: World, seen: Seen, second: int, counted: str) -> None:
    """Say before trouble begins that noise has not been taken for it."""
    quiet = min((one.quiet_seconds for one in world.scenarios if not one.always), default=0)
    if second == quiet and second and not seen.incidents:
        at = world.starts_at + second * SECOND
        told.say(at, HINDCAST, "noise", f"{counted} in {clock(second)}: no more than usual, nothing opened")


def _noise(world: World, at: datetime) -> str:
    counts = world.counts(at - timedelta(minutes=2), at)
    errors = int(counts[:, :, 3:].sum())
    return f"seven services, {counts.sum() / 120:,.0f} lines a second, {errors:,} errors of noise in 2 minutes"


def _below(world: World, event: Event) -> str:
    """What explains an event: why it is a cascade, or the newest error of the service that opened it."""
    if event.kind is EventKind.CASCADE:
        return event.why
    if event.kind is not EventKind.OPENED or event.incident.rule is Rule.SILENT:
        return ""
    for ago in range(1, SAMPLE_SECONDS_MAX + 1):
        for line in reversed(world.step(event.at - ago * SECOND).lines):
            if line.service == event.incident.origin and line.level >= Level.ERROR:
                return f"{line.level.name} {line.service}: {line.message}"
    return ""


def _pace(began: float, until_seconds: float) -> None:
    left = began + until_seconds - time.monotonic()
    if left > 0:
        time.sleep(left)
