"""Services over HTTP: how they do now compared with what is usual for them, and their lines counted by step."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Any

import pyarrow as pa
from fastapi import FastAPI, Query
from starlette.responses import Response

from hindcast.casebook.people import RESOLVED_WITHIN
from hindcast.casebook.summaries import Standing, Wanted
from hindcast.detect.mutes import Mute
from hindcast.model.signal import Level
from hindcast.rest.desk import Desk, answered
from hindcast.rest.memory_history import numbered
from hindcast.rest.paging import ITEMS_IF_UNSAID, Cursor, Limit, Page
from hindcast.rest.seat import Reading
from hindcast.rest.telemetry import AHEAD, TAG, Services, Since, Until, Words, parts_of, step_of, window

# What counts as now, and what a day looks like.
NOW = timedelta(minutes=1)
# Senders gather for a while: the last two seconds are still being counted, here as in the live view.
UNSURE = timedelta(seconds=2)
DAY = timedelta(hours=24)
HOURS = 24
STEP_SECONDS = 300
LEVELS = tuple(Level)
UNDER_WAY = Wanted(states=frozenset({Standing.OPEN, Standing.AWAITING}))


@dataclass(frozen=True, slots=True)
class MuteTold:
    """That a service is not told of for a while, because somebody has called an incident of it over."""

    since: datetime
    # At the latest; it ends earlier when a minute goes well, or when another kind of failure begins.
    until: datetime
    incident: str
    # That came meanwhile.
    errors: int
    is_silence: bool
    # All of it in a sentence.
    why: str


@dataclass(frozen=True, slots=True)
class ServiceTold:
    """One service at a glance."""

    name: str
    # When it was last heard of, to five minutes if that is longer ago than an hour.
    last_seen_at: datetime
    # In the last five minutes.
    errors_per_minute: float
    lines_per_minute: float
    # The mean over the day before.
    errors_per_minute_usual: float
    # The incident under way that affects it; empty: none.
    incident: str
    # Errors in each of the last 24 hours, the oldest first.
    errors_by_hour: tuple[int, ...]
    muted: MuteTold | None = None


@dataclass(frozen=True, slots=True)
class RatePoint:
    """The lines of one step."""

    at: datetime
    lines: int
    errors: int
    # By the name of the level; those without lines are left out.
    levels: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class ServiceRates:
    """One service's lines by step; steps without lines are left out."""

    service: str
    points: tuple[RatePoint, ...]


@dataclass(frozen=True, slots=True)
class RatesTold:
    """Lines counted by service and step."""

    since: datetime
    until: datetime
    step_seconds: int
    services: tuple[ServiceRates, ...]


def add(app: FastAPI, desk: Desk) -> None:
    """Add the routes."""

    @app.get("/api/v1/services", tags=[TAG], operation_id="services_list", response_model=Page[ServiceTold])
    def services_list(seat: Reading, cursor: Cursor = None, limit: Limit = ITEMS_IF_UNSAID) -> Response:
        """Services heard of in the last day: errors now and usually, the incident under way, the day by hours."""
        return answered(numbered(_services(desk, seat.space), cursor, limit))

    @app.get("/api/v1/rates", tags=[TAG], operation_id="rates_get", response_model=RatesTold)
    def rates_get(
        seat: Reading,
        since: Since = None,
        until: Until = None,
        service: Services = None,
        step_seconds: Annotated[int | None, Query(ge=1, le=86_400, description="About 300 steps if left out.")] = None,
        words: Words = "",
    ) -> Response:
        """Lines counted by service, step and level."""
        begin, end = window(desk.now(), since, until)
        step = step_of(begin, end, step_seconds)
        parts = " ".join(parts_of(words))
        table = desk.app.telemetry.rates(begin, end, space=seat.space, step_seconds=step, words=parts)
        return answered(RatesTold(begin, end, step, _rates(table, service)))


def _rates(table: pa.Table, wanted: Iterable[str] | None) -> tuple[ServiceRates, ...]:
    counted: dict[str, dict[datetime, dict[str, int]]] = defaultdict(lambda: defaultdict(dict))
    errors: dict[tuple[str, datetime], int] = defaultdict(int)
    for row in _rows(table):
        service, at, count = row["service"], row["second"], row["count"]
        if wanted and service not in wanted:
            continue
        levels = counted[service][at]
        name = level_name(row["level"])
        levels[name] = levels.get(name, 0) + count
        errors[service, at] += count if row["level"] >= Level.ERROR else 0
    return tuple(
        ServiceRates(
            service,
            tuple(
                RatePoint(at, sum(levels.values()), errors[service, at], levels)
                for at, levels in sorted(counted[service].items())
            ),
        )
        for service in sorted(counted)
    )


def level_name(level: int) -> str:
    """The name of the band that a level lies in."""
    return max((one for one in LEVELS if one <= level), default=Level.UNKNOWN).name.lower()


def _services(desk: Desk, space: str) -> list[ServiceTold]:
    now = desk.now()
    telemetry = desk.app.telemetry
    day = _rows(telemetry.rates(now - DAY, now + AHEAD, space=space, step_seconds=STEP_SECONDS))
    fresh = _rows(telemetry.rates(now - timedelta(hours=1), now + AHEAD, space=space))
    seen: dict[str, datetime] = {}
    by_hour: dict[str, list[int]] = defaultdict(lambda: [0] * HOURS)
    lines: dict[str, int] = defaultdict(int)
    errors: dict[str, int] = defaultdict(int)
    for row in day:
        service, at = row["service"], row["second"]
        seen[service] = max(at, seen.get(service, at))
        hour = min(max(int((at - (now - DAY)) / timedelta(hours=1)), 0), HOURS - 1)
        by_hour[service][hour] += row["count"] if row["level"] >= Level.ERROR else 0
    for row in fresh:
        service, at = row["service"], row["second"]
        seen[service] = max(at, seen.get(service, at))
        if now - UNSURE - NOW < at <= now - UNSURE:
            lines[service] += row["count"]
            errors[service] += row["count"] if row["level"] >= Level.ERROR else 0
    minutes, usual_minutes = NOW / timedelta(minutes=1), (DAY - NOW) / timedelta(minutes=1)
    under_way = _under_way(desk, space)
    muted = {one.service: one for one in desk.app.mutes(space)}
    return [
        ServiceTold(
            name,
            min(seen[name], now),
            errors[name] / minutes,
            lines[name] / minutes,
            max(sum(by_hour[name]) - errors[name], 0) / usual_minutes,
            under_way.get(name, ""),
            tuple(by_hour[name]),
            _muted(muted.get(name)),
        )
        for name in sorted(seen)
    ]


def _muted(mute: Mute | None) -> MuteTold | None:
    if mute is None:
        return None
    return MuteTold(mute.since, mute.until, mute.incident, mute.errors, mute.is_silence, mute.told)


def _under_way(desk: Desk, space: str) -> dict[str, str]:
    """The newest incident under way of each service that has one.

    What nobody watches and nobody has closed is not what happens now once it is older than an incident takes.
    """
    found: dict[str, str] = {}
    for summary in desk.register.summaries(space).newest(UNDER_WAY):
        if not summary.detection_version and desk.now() - summary.onset_at > RESOLVED_WITHIN:
            continue
        for service in summary.services:
            found.setdefault(service, summary.id)
    return found


def _rows(table: pa.Table) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = table.to_pylist()
    return rows
