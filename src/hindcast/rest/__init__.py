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
from hindcast.model.incident import Event
from hindcast.model.ingest_limits import IngestLimits
from hindcast.rest import (
    ask,
    audit,
    casework,
    contract,
    edge,
    elastic,
    fixes,
    fixes_log,
    imports,
    incidents,
    installation,
    integrations,
    keys,
    learning,
    lines,
    live_routes,
    loki,
    mcp,
    members,
    memory,
    memory_history,
    memory_joining,
    otlp,
    pages,
    privacy,
    provider,
    recall,
    retention,
    services,
    session,
    spaces,
    status,
    telemetry,
    webhooks,
    workspaces,
    workspaces_code,
)
from hindcast.rest.arrivals import Arrivals
from hindcast.rest.described import DescribedRoute
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

    def tell(event: Event) -> None:
        live.tell(event.incident.space, "incident", told(event))

    desk = desk_of(running, settings, turn, tell)
    arrivals = Arrivals(running.app.now, desk.clean)
    receiver = Receiver(running.app, IngestLimits(), arrivals)
    app = FastAPI(
        title="Hindcast",
        version=__version__,
        summary="Incident memory for engineering teams and their AI agents.",
        # `contract.py` adds a route that asks who wants it.
        openapi_url=None,
        # Their pages would load scripts from elsewhere.
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan_of(running, live, turn, health, settings),
    )
    app.router.route_class = DescribedRoute
    app.state.doorkeeper = Doorkeeper.of(access, settings)
    for routes in (otlp, elastic, loki, lines):
        routes.add(app, receiver, settings)
    webhooks.add(app, receiver, settings)
    status.add(app, running, settings, health, running.figures, live)
    app.state.arrivals = arrivals
    app.state.once = Once(running.app.now)
    for resources in (
        incidents,
        casework,
        imports,
        recall,
        memory,
        memory_history,
        memory_joining,
        telemetry,
        services,
        learning,
    ):
        resources.add(app, desk)
    fixes.add(app, desk, live)
    fixes_log.add(app, desk)
    for code in (workspaces, workspaces_code):
        code.add(app, desk, workspaces.Announcer(live))
    live_routes.add(app, live)
    for looked_after in (integrations, privacy):
        looked_after.add(app, desk, settings, arrivals)
    retention.add(app, desk, settings)
    app.state.live = live
    app.state.simulator = _simulator(app, running, settings)
    _add_accounts(app, access, settings)
    app.state.desks = mcp.desks_of(running, settings, live)
    mcp.add(app, app.state.desks)
    ask.add(app, app.state.desks, open_asker(settings))
    contract.add(app)
    pages.add(app)
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
