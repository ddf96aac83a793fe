"""Whether it is well: for load balancers, for Prometheus, and for whoever wonders where the lines went."""

from __future__ import annotations

from collections.abc import Iterator

import orjson
from fastapi import FastAPI
from starlette.responses import PlainTextResponse, Response

from hindcast import __version__
from hindcast.build.running import Running


def add(app: FastAPI, running: Running) -> None:
    """Add the routes."""

    @app.get("/health", tags=["status"])
    def health() -> dict[str, object]:
        """Whether the process answers, and how much waits to be written."""
        return {"status": "ok", "version": __version__, "rows_waiting": running.intake.rows_waiting}

    @app.get("/api/v1/status", tags=["status"])
    def status() -> Response:
        """What was taken in since the start, what was refused, and what was noticed on the way."""
        document = {
            "rows_waiting": running.intake.rows_waiting,
            "counts": dict(sorted(running.app.counts.items())),
            "noticed": dict(sorted(running.app.noticed.items())),
        }
        return Response(orjson.dumps(document), media_type="application/json")

    @app.get("/metrics", tags=["status"])
    def metrics() -> PlainTextResponse:
        """The same counts for Prometheus."""
        return PlainTextResponse("".join(_lines(running)), media_type="text/plain; version=0.0.4")


def _lines(running: Running) -> Iterator[str]:
    yield "# HELP hindcast_rows_waiting Rows taken in that are not durable yet.\n"
    yield "# TYPE hindcast_rows_waiting gauge\n"
    yield f"hindcast_rows_waiting {running.intake.rows_waiting}\n"
    yield "# HELP hindcast_events_total What was taken in, refused or done, by name.\n"
    yield "# TYPE hindcast_events_total counter\n"
    for name, count in sorted(running.app.counts.items()):
        yield f'hindcast_events_total{{name="{name}"}} {count}\n'
    yield "# HELP hindcast_noticed_total What was noticed on the way in, by name.\n"
    yield "# TYPE hindcast_noticed_total counter\n"
    for name, count in sorted(running.app.noticed.items()):
        yield f'hindcast_noticed_total{{name="{name}"}} {count}\n'
