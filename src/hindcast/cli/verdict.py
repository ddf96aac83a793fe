"""Compares what was noticed of a simulated world with what really happened in it, and says so in the end."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from rich.text import Text

from hindcast.model.finding import Rule
from hindcast.model.incident import Event, EventKind, Incident

if TYPE_CHECKING:
    from hindcast.cli.timeline import Timeline
    from hindcast.simulate import Scenario, World

Rows = list[tuple[str, str]]


@dataclass
class Seen:
    """What was noticed in one run."""

    # The latest of each incident, in the order in which they were opened.
    incidents: dict[str, Incident] = field(default_factory=dict)
    # When each incident was first said to be so.
    moments: dict[tuple[str, EventKind], datetime] = field(default_factory=dict)
    seconds: int = 0
    interrupted: bool = False

    def note(self, event: Event) -> Incident | None:
        """Keep an event; the incident as it was before."""
        before = self.incidents.get(event.incident.id)
        self.incidents[event.incident.id] = event.incident
        self.moments.setdefault((event.incident.id, event.kind), event.at)
        return before

    def told(self) -> list[Incident]:
        """The incidents that stand by themselves."""
        return [one for one in self.incidents.values() if one.joined is None]


def differences(scenario: Scenario, incidents: Sequence[Incident], *, alone: bool = True) -> list[str]:
    """What was found otherwise than the truth of a scenario says; empty when it is as expected.

    `alone` says that there is no other scenario that further incidents could belong to.
    """
    from hindcast.simulate import Expected, truth

    expected = truth(scenario)
    if expected.expected is Expected.NOTHING:
        return [f"{one.title} is a false alarm" for one in incidents] if alone else []
    mine = [one for one in incidents if expected.origin in one.services]
    if not mine:
        return [f"trouble of {expected.origin} was not found"]
    found = mine[0]
    wrong = []
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
    if extra and alone:
        wrong.append(f"{', '.join(extra)} had no part in it")
    if alone and len(incidents) > 1:
        wrong.append(f"{len(incidents)} incidents instead of one")
    return wrong


def close(told: Timeline, world: World, seen: Seen, document: dict[str, Any], rows: Rows) -> None:
    """Tell expected beside found, how long it took, and whether they agree."""
    incidents = seen.told()
    alone = len(world.scenarios) <= 1
    document = {**document, "interrupted": seen.interrupted, "scenarios": []}
    wrong: list[str] = []
    unfinished = False
    for scenario in world.scenarios:
        judged = _judged(scenario, seen, world, alone=alone)
        document["scenarios"].append(judged)
        rows += _rows(judged)
        unfinished |= seen.seconds < judged["ends_after_seconds"]
        wrong += [] if unfinished else judged["differences"]
    if not world.scenarios:
        wrong = [f"{one.title} is a false alarm" for one in incidents]
        rows += [("expected", "nothing"), ("found", _named(incidents))]
    document["as_expected"] = None if unfinished else not wrong
    told.close(document, rows, _verdict(wrong, unfinished=unfinished))


def _verdict(wrong: Sequence[str], *, unfinished: bool) -> Text:
    if wrong:
        return Text(f"Not as expected: {'; '.join(wrong)}.", style="bold red")
    if unfinished:
        return Text("It ended before the scenario was over, so there is nothing to compare yet.", style="yellow")
    return Text("As expected.", style="bold green")


def _judged(scenario: Scenario, seen: Seen, world: World, *, alone: bool) -> dict[str, Any]:
    """One scenario's truth and what was made of it, as plain values."""
    from hindcast.simulate import truth

    expected = truth(scenario)
    incidents = seen.told()
    mine = [one for one in incidents if expected.origin in one.services] if expected.origin else incidents
    first = mine[0] if mine else None
    started = world.starts_at + timedelta(seconds=expected.starts_after_seconds)

    def delay(kind: EventKind) -> float | None:
        at = seen.moments.get((first.id, kind)) if first is not None and expected.origin else None
        return (at - started).total_seconds() if at is not None else None

    return {
        "name": scenario.name,
        "expected": str(expected.expected),
        "origin": expected.origin,
        "services": list(expected.services),
        "ends_after_seconds": expected.ends_after_seconds,
        "found": [
            {
                "id": one.id,
                "title": one.title,
                "state": str(one.state),
                "severity": str(one.severity),
                "origin": one.origin,
                "services": list(one.services),
                "cascade": one.cascade,
                "rule": str(one.rule),
            }
            for one in mine
        ],
        "found_told": _named(mine),
        "detected_after_seconds": delay(EventKind.OPENED),
        "cascade_after_seconds": delay(EventKind.CASCADE),
        "awaiting_after_seconds": delay(EventKind.AWAITING),
        "differences": differences(scenario, incidents, alone=alone),
    }


def _rows(judged: dict[str, Any]) -> Rows:
    where = f" that begins with {judged['origin']}: {', '.join(judged['services'])}" if judged["origin"] else ""
    rows = [("scenario", judged["name"]), ("expected", f"{judged['expected']}{where}"), ("found", judged["found_told"])]
    for key, said in (
        ("detected_after_seconds", "named after"),
        ("cascade_after_seconds", "called a cascade after"),
        ("awaiting_after_seconds", "awaiting confirmation after"),
    ):
        if judged[key] is not None:
            rows.append((said, f"{judged[key]:.0f} s"))
    return rows


def _named(incidents: Sequence[Incident]) -> str:
    if not incidents:
        return "nothing"
    return "; ".join(f"{one.id} ({one.state}, {one.severity}): {', '.join(one.services)}" for one in incidents)
