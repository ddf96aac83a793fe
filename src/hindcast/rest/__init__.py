"""The HTTP face: every protocol on its own well-known paths, one port for all of them."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager

import anyio.to_thread
from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool

from hindcast import __version__
from hindcast.access import Access
from hindcast.build.running import Running
from hindcast.config import Settings
from hindcast.model.ingest_limits import IngestLimits
from hindcast.rest import cases, elastic, incidents, lines, loki, otlp, recall, status, telemetry, webhooks
from hindcast.rest.live import Live
from hindcast.rest.receiving import Receiver
from hindcast.rest.seat import Doorkeeper
from hindcast.rest.syslog import SyslogServer
from hindcast.rest.ticker import Ticker

# Requests that are being parsed or wait for the disk at the same time; more of them wait their turn.
THREADS_MAX = 64


def create_app(running: Running, settings: Settings) -> FastAPI:
    """The application, which begins to watch when it starts and closes what it stands on when it ends."""
    live, turn = Live(), threading.Lock()
    limits = IngestLimits()
    receiver = Receiver(running.app, limits)
    app = FastAPI(
        title="Hindcast",
        version=__version__,
        summary="Incident memory for engineering teams and their AI agents.",
        lifespan=_lifespan(running, live, turn, settings, limits),
    )
    app.state.doorkeeper = Doorkeeper(Access(actor=settings.actor), settings.space)
    for routes in (otlp, elastic, loki, lines):
        routes.add(app, receiver, settings)
    webhooks.add(app, receiver, settings)
    status.add(app, running)
    incidents.add(app, running.app, live, turn)
    recall.add(app, running.app)
    cases.add(app, cases.desk(running, settings))
    telemetry.add(app, running.app)
    return app


def _lifespan(
    running: Running, live: Live, turn: threading.Lock, settings: Settings, limits: IngestLimits
) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        anyio.to_thread.current_default_thread_limiter().total_tokens = THREADS_MAX
        live.attach(asyncio.get_running_loop())
        await run_in_threadpool(running.app.begin)
        ticker = Ticker(running.app, live, turn)
        ticker.start()
        syslog = SyslogServer(running.app, limits)
        if settings.syslog_port:
            await syslog.start(settings.host, settings.syslog_port)
        try:
            yield
        finally:
            await syslog.stop()
            await run_in_threadpool(ticker.stop)
            await run_in_threadpool(running.close)

    return lifespan
