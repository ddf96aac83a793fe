"""What is kept how long, over HTTP: each kind of data with how much of it is there, and what happens at its end."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from fastapi import FastAPI

from hindcast.build.running import retention
from hindcast.config import Settings
from hindcast.config.setting import variable
from hindcast.model.audit import AUDIT_DAYS_KEPT
from hindcast.model.errors import Unavailable
from hindcast.ports import Kept
from hindcast.rest.desk import Desk
from hindcast.rest.seat import Reading

DROPPED = "Older rows are dropped, a whole day at a time. What memory learnt from them stays."
FORGOTTEN = "Older ones are dropped."


@dataclass(frozen=True, slots=True)
class KeptKind:
    """One kind of data of a project, how long it is kept, and how much of it is there."""

    kind: str
    title: str
    # By its own time; 0: for ever.
    days: int
    # What happens at the end.
    ends: str
    # None where that is not known.
    rows: int | None = None
    oldest_at: datetime | None = None
    # Why it is not known.
    why_unknown: str = ""
    # The variable that says how long, where one does.
    variable: str = ""


@dataclass(frozen=True, slots=True)
class RetentionTold:
    """What is kept how long, and how much there is now."""

    at: datetime
    kinds: tuple[KeptKind, ...]


_TELEMETRY = (
    ("log", "Log lines", DROPPED, "telemetry_days"),
    ("metric", "Metrics", DROPPED, "telemetry_days"),
    ("span", "Traces", DROPPED, "telemetry_days"),
    ("rate", "Counts of lines by second", FORGOTTEN, ""),
    ("alert", "Alerts", FORGOTTEN, ""),
    ("change", "Deploys and other changes", FORGOTTEN, ""),
)


def add(app: FastAPI, desk: Desk, settings: Settings) -> None:
    """Add the route."""
    days = retention(settings)

    @app.get("/api/v1/retention", tags=["settings"], operation_id="retention_get")
    def retention_get(seat: Reading) -> RetentionTold:
        """How long each kind of data is kept, how much of it there is in this project, and how old the oldest is."""
        found, why = _counted(desk, seat.space)
        telemetry = tuple(
            KeptKind(
                kind,
                title,
                days.days(kind),
                ends,
                found[kind].rows if kind in found else None,
                found[kind].oldest_at if kind in found else None,
                why,
                variable(setting) if setting else "",
            )
            for kind, title, ends, setting in _TELEMETRY
        )
        shapes = KeptKind(
            "template",
            "Shapes of lines",
            0,
            "Lines that differ only in numbers and names have one shape, which stays when the lines are gone.",
            why_unknown="They are shared by all projects, so they are not counted for one.",
        )
        trail = KeptKind(
            "audit",
            "Audit trail",
            AUDIT_DAYS_KEPT,
            "Older entries are dropped; those that stay still check.",
            why_unknown="It belongs to the organisation; verifying it counts it.",
        )
        return RetentionTold(desk.now(), (*telemetry, shapes, _memory(desk, seat.space), trail))


def _counted(desk: Desk, space: str) -> tuple[dict[str, Kept], str]:
    try:
        return {one.kind: one for one in desk.app.telemetry.kept(space)}, ""
    except Unavailable as error:
        return {}, error.problem


def _memory(desk: Desk, space: str) -> KeptKind:
    memory = desk.register.existing(space)
    first = memory.log(before=2, commits_max=1) if memory is not None else ()
    return KeptKind(
        "memory",
        "Memory",
        0,
        "It has no end: what is wrong is retracted, and the past still shows it. Erasing a record is for good.",
        memory.now().count() if memory is not None else 0,
        first[0].at if first else None,
    )
