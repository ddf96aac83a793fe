"""Whether it is well: for load balancers, for Prometheus, and for whoever wonders where the lines went."""

from __future__ import annotations

from dataclasses import dataclass

from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool
from starlette.responses import JSONResponse, Response

from hindcast import __version__
from hindcast.adapters.figures import Figures
from hindcast.build.running import Running
from hindcast.config import Settings
from hindcast.rest.health import Health
from hindcast.rest.live import Live
from hindcast.rest.seat import Reading, Somebody

PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8"


@dataclass(frozen=True, slots=True)
class Status:
    """What was taken in since the start, what was refused, and what was noticed on the way."""

    version: str
    # `demo`: something can be made to fail on purpose, at /api/v1/simulator.
    mode: str
    rows_waiting: int
    # Open streams.
    listeners: int
    briefings: int
    counts: dict[str, int]
    noticed: dict[str, int]


def add(app: FastAPI, running: Running, settings: Settings, health: Health, figures: Figures, live: Live) -> None:
    """Add the routes, and what the figures show of parts that keep their own numbers."""
    figures.gauge(
        "hindcast_rows_waiting", "Rows taken in that are not durable yet.", lambda: running.intake.rows_waiting
    )
    figures.gauge("hindcast_listeners", "Open live streams.", lambda: len(live.listeners))
    figures.gauge("hindcast_briefings_kept", "Briefings that are ready.", lambda: running.app.briefings.count)
    figures.expose_counts("hindcast_noticed", "What was noticed on the way in, by name.", running.app.noticed)

    @app.get("/healthz", tags=["status"], operation_id="healthz", include_in_schema=False)
    async def healthz() -> JSONResponse:
        """Whether the process is alive: its event loop answers, and it looks at the counts."""
        alive = health.is_alive
        said = {"status": "ok" if alive else "stuck", "version": __version__}
        return JSONResponse(said, 200 if alive else 503)

    @app.get("/readyz", tags=["status"], operation_id="readyz", include_in_schema=False)
    async def readyz() -> JSONResponse:
        """Whether requests should be sent here, check by check."""
        found = await run_in_threadpool(health.readiness)
        checks = [{"name": one.name, "ok": one.is_ok, "why": one.why} for one in found.checks]
        document = {"status": found.status, "checks": checks}
        return JSONResponse(
            document, 200 if found.is_ready else 503, {"Retry-After": "2"} if not found.is_ready else {}
        )

    @app.get("/metrics", tags=["status"], operation_id="metrics", include_in_schema=False)
    def metrics(_caller: Somebody) -> Response:
        """Figures for Prometheus."""
        return Response(figures.rendered(), media_type=PROMETHEUS)

    @app.get("/api/v1/status", tags=["status"], operation_id="status_get")
    def status(_seat: Reading) -> Status:
        """What was taken in since the start, what was refused, and what was noticed on the way."""
        return Status(
            __version__,
            settings.mode,
            running.intake.rows_waiting,
            len(live.listeners),
            running.app.briefings.count,
            dict(sorted(running.app.counts.items())),
            dict(sorted(running.app.noticed.items())),
        )
