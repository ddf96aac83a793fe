"""The life of a server between opening and closing: what begins, in which order, and what ends, in the opposite one."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager

import anyio.to_thread
from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool

from hindcast.build.running import Running
from hindcast.config import Settings
from hindcast.model.errors import Unavailable
from hindcast.model.ingest_limits import IngestLimits
from hindcast.rest import live_routes
from hindcast.rest.arrivals import Arrivals
from hindcast.rest.briefer import Briefer
from hindcast.rest.composer import Composer
from hindcast.rest.health import Health
from hindcast.rest.live import Live
from hindcast.rest.settling import settled
from hindcast.rest.syslog import SyslogServer
from hindcast.rest.ticker import Ticker

# Requests that are being parsed or wait for the disk at the same time; more of them wait their turn.
THREADS_MAX = 64


def lifespan_of(
    running: Running, live: Live, turn: threading.Lock, health: Health, settings: Settings
) -> Callable[[FastAPI], AbstractAsyncContextManager[None]]:
    """What FastAPI runs around everything else."""

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        anyio.to_thread.current_default_thread_limiter().total_tokens = THREADS_MAX
        live.attach(asyncio.get_running_loop())
        async with AsyncExitStack() as ending:

            def in_the_end(close: Callable[[], object]) -> None:
                ending.push_async_callback(run_in_threadpool, close)

            in_the_end(app.state.doorkeeper.access.close)
            in_the_end(running.close)
            await run_in_threadpool(running.app.begin)
            composer = Composer(running.app, live)
            composer.start()
            in_the_end(composer.stop)
            briefer = Briefer(running.app, live, briefed=composer.want)
            briefer.start()
            in_the_end(briefer.stop)
            ticker = Ticker(running.app, live, turn, looked=briefer.call)
            ticker.start()
            in_the_end(ticker.stop)
            await ending.enter_async_context(_syslog(running, settings, app.state.arrivals))
            if app.state.simulator is not None:
                in_the_end(app.state.simulator.close)
            await ending.enter_async_context(live_routes.kept(live, running, app.state.doorkeeper.access))
            await ending.enter_async_context(settled())
            health.ticker = ticker
            try:
                yield
            finally:
                health.ticker = None

    return lifespan


@asynccontextmanager
async def _syslog(running: Running, settings: Settings, arrivals: Arrivals) -> AsyncIterator[None]:
    """Syslog beside it, where somebody wants it."""
    syslog = SyslogServer(running.app, IngestLimits(), arrivals)
    try:
        if settings.syslog_port:
            await syslog.start(settings.syslog_host, settings.syslog_port)
    except OSError as error:
        await syslog.stop()
        raise Unavailable(
            f"Syslog cannot be listened for on {settings.syslog_host}:{settings.syslog_port}: {error.strerror}.",
            field="syslog_port",
            remedy="Stop whoever has the port, or set syslog_port to another one (0: no syslog).",
        ) from error
    try:
        yield
    finally:
        await syslog.stop()
