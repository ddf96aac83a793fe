"""Plays a simulated world to the detector in this process, on simulated time, and tells what each of them does.

A running instance judges by its own clock; accelerated time therefore never leaves this process.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from rich.text import Text

from hindcast.cli.timeline import HINDCAST, WORLD, Timeline, clock
from hindcast.model.finding import Rule
from hindcast.model.incident import Event, EventKind, Incident
from hindcast.model.signal import Level, Severity

if TYPE_CHECKING:
    from hindcast.cli.session import Session
    from hindcast.simulate import Scenario, World

SPACE = "simulation"
# What the detector has seen before the first second: enough to know what is usual at this time of day.
HISTORY = timedelta(hours=26)
HISTORY_STEP_SECONDS = 60
# A little more than the window of the rules, as a running instance reads it.
LOOK_BACK = timedelta(seconds=150)
SECOND = timedelta(seconds=1)


@dataclass
class Seen:
    """What was found in one run."""

    incidents: dict[str, Incident] = field(default_factory=dict)
    opened: list[Event] = field(default_factory=list)
    # When each incident was called a cascade, and when it went to awaiting confirmation.
    cascades: dict[str, datetime] = field(default_factory=dict)
    awaiting: dict[str, datetime] = field(default_factory=dict)
    lines: int = 0
    errors: int = 0
    seconds: int = 0
    interrupted: bool = False


def rehearse(session: Session, world: World, seconds: int, *, speed: float, errors_min: int) -> Seen:
    """Run for so many simulated seconds, `speed` of them in each real one."""
    from hindcast.detect import Detector, Rules

    told = Timeline(session, world.starts_at)
    start = world.starts_at
    detector = Detector(Rules(errors_min=errors_min))
    past = world.rates(start - HISTORY, start, space=SPACE, step_seconds=HISTORY_STEP_SECONDS)
    detector.backfill(past, now=start, step_seconds=HISTORY_STEP_SECONDS)
    edges = [(SPACE, edge) for edge in world.edges()]
    seen = Seen()
    began = time.monotonic()
    try:
        for second in range(seconds):
            tell_world(told, world, second)
            _tell_noise(told, world, seen, second)
            now = start + timedelta(seconds=second + 1)
            _count(seen, world, now)
            rates = world.rates(now - LOOK_BACK, now, space=SPACE)
            for event in detector.tick(rates, now=now, edges=edges):
                _hear(told, world, seen, event)
            edges = []
            _pace(began, (second + 1) / speed)
    except KeyboardInterrupt:
        seen.interrupted = True
    _close(told, world, seen)
    return seen


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


def _tell_noise(told: Timeline, world: World, seen: Seen, second: int) -> None:
    """Say before trouble begins that noise has not been taken for it."""
    quiet = min((one.quiet_seconds for one in world.scenarios if not one.always), default=0)
    if second == quiet and second and not seen.incidents:
        counted = f"{seen.lines:,} lines, {seen.errors:,} errors in {clock(second)}"
        told.say(world.starts_at + second * SECOND, HINDCAST, "noise", f"{counted}: no more than usual, nothing opened")


def _noise(world: World, at: datetime) -> str:
    counts = world.counts(at - timedelta(minutes=2), at)
    errors = int(counts[:, :, 3:].sum())
    return f"seven services, {counts.sum() / 120:,.0f} lines a second, {errors:,} errors of noise in 2 minutes"


def _count(seen: Seen, world: World, now: datetime) -> None:
    counts = world.counts(now - SECOND, now)
    seen.lines += int(counts.sum())
    seen.errors += int(counts[:, :, 3:].sum())
    seen.seconds += 1


def _hear(told: Timeline, world: World, seen: Seen, event: Event) -> None:
    """Tell one event, unless only numbers moved."""
    incident = event.incident
    before = seen.incidents.get(incident.id)
    seen.incidents[incident.id] = incident
    if event.kind is EventKind.CHANGED and (before is None or before.severity is incident.severity):
        return
    if event.kind in (EventKind.OPENED, EventKind.REOPENED):
        seen.opened.append(event)
    if event.kind is EventKind.CASCADE:
        seen.cascades[incident.id] = event.at
    if event.kind is EventKind.AWAITING:
        seen.awaiting[incident.id] = event.at
    told.say(
        event.at,
        HINDCAST,
        str(event.kind),
        _sentence(event),
        below=_below(world, event),
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


def _below(world: World, event: Event) -> str:
    """What explains an event: why it is a cascade, or the newest error of the service that opened it."""
    if event.kind is EventKind.CASCADE:
        return event.why
    if event.kind is not EventKind.OPENED or event.incident.rule is Rule.SILENT:
        return ""
    for ago in range(1, 6):
        for line in reversed(world.step(event.at - ago * SECOND).lines):
            if line.service == event.incident.origin and line.level >= Level.ERROR:
                return f"{line.level.name} {line.service}: {line.message}"
    return ""


def _pace(began: float, until_seconds: float) -> None:
    left = began + until_seconds - time.monotonic()
    if left > 0:
        time.sleep(left)


# --- The summary --------------------------------------------------------------------------------------------------


def differences(scenario: Scenario, incidents: Sequence[Incident], *, alone: bool = True) -> list[str]:
    """What was found otherwise than the truth of a scenario says; empty when it is as expected."""
    from hindcast.simulate import Expected, truth

    expected = truth(scenario)
    mine = [one for one in incidents if expected.origin and expected.origin in one.services]
    if expected.expected is Expected.NOTHING:
        return [f"{one.title} is a false alarm" for one in incidents] if alone else []
    if not mine:
        return [f"trouble of {expected.origin} was not found"]
    found, wrong = mine[0], []
    if found.origin != expected.origin:
        wrong.append(f"it began with {expected.origin}, and {found.origin or 'nobody'} was named")
    if found.cascade != expected.cascade:
        wrong.append("it is a cascade" if expected.cascade else "it is no cascade")
    if expected.expected is Expected.SILENCE and found.rule is not Rule.SILENT:
        wrong.append(f"{expected.origin} fell silent, and the rule that fired is {found.rule}")
    missed = [one for one in expected.services if one not in found.services]
    extra = [one for one in found.services if one not in expected.services]
    if missed:
        wrong.append(f"{', '.join(missed)} suffered too")
    if extra:
        wrong.append(f"{', '.join(extra)} had no part in it")
    if alone and len(incidents) > 1:
        wrong.append(f"{len(incidents)} incidents instead of one")
    return wrong


def _close(told: Timeline, world: World, seen: Seen) -> None:
    """Expected beside found, how long it took, and whether they agree."""
    incidents = [one for one in seen.incidents.values() if one.joined is None]
    alone = len(world.scenarios) <= 1
    rows = [("ran", f"{clock(seen.seconds)} of simulated time, {seen.lines:,} lines, {seen.errors:,} errors")]
    document: dict[str, Any] = {
        "simulated_seconds": seen.seconds,
        "lines": seen.lines,
        "errors": seen.errors,
        "interrupted": seen.interrupted,
        "scenarios": [],
    }
    wrong: list[str] = []
    unfinished = False
    for scenario in world.scenarios:
        judged = _judged(scenario, incidents, seen, world, alone=alone)
        document["scenarios"].append(judged)
        rows += _rows(judged)
        unfinished |= seen.seconds < judged["needs_seconds"]
        wrong += [] if seen.seconds < judged["needs_seconds"] else judged["differences"]
    if not world.scenarios:
        wrong = [f"{one.title} is a false alarm" for one in incidents]
        rows += [("expected", "nothing"), ("found", _told_incidents(incidents))]
    document["as_expected"] = None if unfinished else not wrong
    told.close(document, rows, _verdict(wrong, unfinished=unfinished))


def _verdict(wrong: Sequence[str], *, unfinished: bool) -> Text:
    if wrong:
        return Text(f"Not as expected: {'; '.join(wrong)}.", style="bold red")
    if unfinished:
        return Text("It ended before the scenario was over, so there is nothing to compare yet.", style="yellow")
    return Text("As expected.", style="bold green")


def _judged(
    scenario: Scenario, incidents: Sequence[Incident], seen: Seen, world: World, *, alone: bool
) -> dict[str, Any]:
    from hindcast.simulate import Expected, truth

    expected = truth(scenario)
    started = world.starts_at + timedelta(seconds=expected.starts_after_seconds)
    mine = [one for one in incidents if expected.origin in one.services] if expected.origin else list(incidents)
    first = mine[0] if mine else None
    opened = next((event.at for event in seen.opened if first is not None and event.incident.id == first.id), None)
    cascade = seen.cascades.get(first.id) if first is not None else None
    awaiting = seen.awaiting.get(first.id) if first is not None else None

    def delay(at: datetime | None) -> float | None:
        return (at - started).total_seconds() if at is not None else None

    is_trouble = expected.expected is not Expected.NOTHING
    return {
        "name": scenario.name,
        "expected": str(expected.expected),
        "origin": expected.origin,
        "services": list(expected.services),
        "found": _told_incidents(mine),
        "found_origin": first.origin if first is not None else "",
        "found_services": list(first.services) if first is not None else [],
        "found_cascade": first.cascade if first is not None else False,
        "severity": str(first.severity if first is not None else Severity.INFO),
        "state": str(first.state) if first is not None else "",
        "detected_after_seconds": delay(opened) if is_trouble else None,
        "cascade_after_seconds": delay(cascade) if is_trouble else None,
        "awaiting_after_seconds": delay(awaiting) if is_trouble else None,
        "needs_seconds": expected.ends_after_seconds,
        "differences": differences(scenario, incidents, alone=alone),
    }


def _rows(judged: dict[str, Any]) -> list[tuple[str, str]]:
    where = f" that begins with {judged['origin']}: {', '.join(judged['services'])}" if judged["origin"] else ""
    rows = [("scenario", judged["name"]), ("expected", f"{judged['expected']}{where}"), ("found", judged["found"])]
    if judged["detected_after_seconds"] is not None:
        rows.append(("named after", f"{judged['detected_after_seconds']:.0f} s of trouble"))
    if judged["cascade_after_seconds"] is not None:
        rows.append(("cascade after", f"{judged['cascade_after_seconds']:.0f} s"))
    if judged["awaiting_after_seconds"] is not None:
        rows.append(("awaiting confirmation after", f"{judged['awaiting_after_seconds']:.0f} s"))
    return rows


def _told_incidents(incidents: Sequence[Incident]) -> str:
    if not incidents:
        return "nothing"
    return "; ".join(f"{one.id} ({one.state}, {one.severity}): {', '.join(one.services)}" for one in incidents)
