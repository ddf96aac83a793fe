"""Raw telemetry over HTTP, to read: lines, metrics, calls, alerts and changes of a window."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Annotated, Any

from fastapi import FastAPI, Header, Query

from hindcast.app import App
from hindcast.model.errors import Malformed
from hindcast.rest.seat import SPACE_HEADER

Space = Annotated[str | None, Header(alias=SPACE_HEADER, description="Whose telemetry; the server's own if left out.")]
Since = Annotated[datetime | None, Query(description="From this time on, with its timezone; an hour ago if left out.")]
Until = Annotated[datetime | None, Query(description="Before this time; now if left out.")]

WINDOW_IF_UNSAID = timedelta(hours=1)
# Records whose sender's clock runs a little ahead are part of now.
AHEAD = timedelta(minutes=5)


def window(now: datetime, since: datetime | None, until: datetime | None) -> tuple[datetime, datetime]:
    """The window that was asked for, or the last hour."""
    for name, given in (("since", since), ("until", until)):
        if given is not None and given.tzinfo is None:
            raise Malformed("The time has no timezone.", field=name, remedy="Write it as 2026-11-15T02:03:04Z.")
    begin, end = since or now - WINDOW_IF_UNSAID, until or now + AHEAD
    if begin >= end:
        raise Malformed("The window ends before it begins.", field="since", remedy="Give a time before `until`.")
    return begin, end


def add(app: FastAPI, hindcast: App) -> None:
    """Add the routes."""
    _add_logs(app, hindcast)
    _add_others(app, hindcast)


def _add_logs(app: FastAPI, hindcast: App) -> None:
    @app.get("/api/v1/logs", tags=["telemetry"])
    def logs(
        space: Space = None,
        since: Since = None,
        until: Until = None,
        service: Annotated[list[str] | None, Query()] = None,
        level_min: Annotated[int, Query(ge=0, le=24)] = 0,
        words: str = "",
        trace: str = "",
        fingerprint: Annotated[int, Query(ge=0)] = 0,
        newest_first: bool = False,
        lines_max: Annotated[int, Query(ge=1, le=10_000)] = 100,
    ) -> list[dict[str, Any]]:
        """Log lines that satisfy every condition given."""
        found = hindcast.telemetry.lines(
            space or hindcast.space,
            *window(hindcast.now(), since, until),
            services=service or (),
            level_min=level_min,
            words=words,
            trace=trace,
            fingerprint=fingerprint,
            newest_first=newest_first,
            lines_max=lines_max,
        )
        # Numbers of 64 bits do not survive JavaScript; as text they do.
        return [
            {**asdict(line), "template": str(line.template), "fingerprint": str(line.fingerprint)} for line in found
        ]


def _add_others(app: FastAPI, hindcast: App) -> None:
    @app.get("/api/v1/metrics", tags=["telemetry"])
    def metrics(
        space: Space = None,
        since: Since = None,
        until: Until = None,
        step_seconds: Annotated[int, Query(ge=1, le=86_400)] = 60,
    ) -> list[dict[str, Any]]:
        """Mean values of metrics by step; counters as rates by second."""
        found = hindcast.telemetry.gauges(
            *window(hindcast.now(), since, until), space=space or hindcast.space, step_seconds=step_seconds
        )
        rows: list[dict[str, Any]] = found.to_pylist()
        return rows

    @app.get("/api/v1/calls", tags=["telemetry"])
    def calls(space: Space = None, since: Since = None, until: Until = None) -> list[dict[str, Any]]:
        """Which service called which."""
        return [
            asdict(edge)
            for edge in hindcast.telemetry.calls(*window(hindcast.now(), since, until), space=space or hindcast.space)
        ]

    @app.get("/api/v1/changes", tags=["telemetry"])
    def changes(space: Space = None, since: Since = None, until: Until = None) -> list[dict[str, Any]]:
        """Deploys, releases and merges, oldest first."""
        return [
            asdict(change)
            for change in hindcast.telemetry.changes(space or hindcast.space, *window(hindcast.now(), since, until))
        ]

    @app.get("/api/v1/alerts", tags=["telemetry"])
    def alerts(space: Space = None, since: Since = None, until: Until = None) -> list[dict[str, Any]]:
        """Alerts of other systems, each as it was told last."""
        found = hindcast.telemetry.alerts(space or hindcast.space, *window(hindcast.now(), since, until))
        return [asdict(alert) for _, alert in found]
