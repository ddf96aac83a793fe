"""The HTTP face: every protocol on its own well-known paths, one port for all of them."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from fastapi import FastAPI

from hindcast import __version__
from hindcast.access import Access
from hindcast.build.accounts import open_accounts
from hindcast.build.ask import open_asker
from hindcast.build.running import Running
from hindcast.config import Settings
from hindcast.model.ingest_limits import IngestLimits
from hindcast.rest import (
    ask,
    audit,
    casework,
    contract,
    edge,
    elastic,
    incidents,
    installation,
    keys,
    lines,
    live_routes,
    loki,
    mcp,
    members,
    memory,
    memory_history,
    memory_joining,
    otlp,
    provider,
    recall,
    services,
    session,
    spaces,
    status,
    telemetry,
    webhooks,
)
from hindcast.rest.desk import desk as desk_of
from hindcast.rest.health import Health
from hindcast.rest.life import lifespan_of
from hindcast.rest.live import Live
from hindcast.rest.observing import Observing
from hindcast.rest.once import Once
from hindcast.rest.receiving import Receiver
from hindcast.rest.seat import Doorkeeper
from hindcast.rest.ticker import told

if TYPE_CHECKING:
    from hindcast.rest.simulator import Simulator


def create_app(running: Running, settings: Settings, access: Access | None = None) -> FastAPI:
    """The application, which begins to watch when it starts and closes what it stands on when it ends."""
    access = access or open_accounts(settings)
    live, turn, health = Live(), threading.Lock(), Health(running)
    receiver = Receiver(running.app, IngestLimits())
    app = FastAPI(
        title="Hindcast",
        version=__version__,
        summary="Incident memory for engineering teams and their AI agents.",
        # Their pages would load scripts from elsewhere.
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan_of(running, live, turn, health, settings),
    )
    app.state.doorkeeper = Doorkeeper.of(access, settings)
    for routes in (otlp, elastic, loki, lines):
        routes.add(app, receiver, settings)
    webhooks.add(app, receiver, settings)
    status.add(app, running, health, running.figures, live)
    desk = desk_of(running, settings, turn, lambda event: live.tell(event.incident.space, "incident", told(event)))
    app.state.once = Once(running.app.now)
    for resources in (incidents, casework, recall, memory, memory_history, memory_joining, telemetry, services):
        resources.add(app, desk)
    live_routes.add(app, live)
    app.state.live = live
    app.state.simulator = _simulator(app, running, settings)
    _add_accounts(app, access, settings)
    app.state.desks = mcp.desks_of(running, settings)
    mcp.add(app, app.state.desks)
    ask.add(app, app.state.desks, open_asker(settings))
    contract.add(app)
    edge.add(app, settings)
    app.add_middleware(Observing, figures=running.figures)
    # Last, so that it is outermost: nobody behind it sees, and writes down, the key in a path.
    edge.add_path_keys(app)
    running.observe()
    return app


def _simulator(app: FastAPI, running: Running, settings: Settings) -> Simulator | None:
    """What can be made to fail on purpose: in demo mode, and nowhere else."""
    if settings.mode != "demo":
        return None
    # A whole world takes its time to load.
    from hindcast.rest import simulator

    return simulator.add(app, running.app)


def _add_accounts(app: FastAPI, access: Access, settings: Settings) -> None:
    """Who there is, and what this installation is set to."""
    for with_settings in (session, provider, members):
        with_settings.add(app, access, settings)
    for routes in (spaces, keys, audit):
        routes.add(app, access)
    installation.add(app, settings)
