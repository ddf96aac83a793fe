"""MCP on the same port, at `/mcp`: the door of the HTTP face in front of it, and the same desks behind it.

The SDK is loaded when the first agent comes, so that a start does not wait for it.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractContextManager, asynccontextmanager, nullcontext
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from hindcast.build.running import Running, redactor
from hindcast.config import Settings
from hindcast.memory import Memory
from hindcast.model.access import Permission
from hindcast.model.errors import Malformed, Missing
from hindcast.ports import Telemetry
from hindcast.rest.fixes_events import card_event
from hindcast.rest.live import Live
from hindcast.rest.seat import SPACE_HEADER, Doorkeeper, Seat, peer_of
from hindcast.toolbox import Desk, Desks

if TYPE_CHECKING:
    from hindcast.mcp.exchange import Exchange
    from hindcast.mcp.server import Visit

PATH = "/mcp"
_SEAT = "hindcast_seat"


def desks_of(running: Running, settings: Settings, live: Live) -> Desks:
    """Desks for tools, in any space of a running Hindcast that somebody has written to."""
    secrets = redactor(settings)

    def memory(space: str) -> Memory:
        found = running.register.existing(space)
        if found is None:
            raise Missing(
                f"Nothing is remembered in {space!r} yet.",
                field="space",
                remedy="The first incident, import or commit begins its memory.",
            )
        return found

    def telemetry() -> AbstractContextManager[Telemetry | None]:
        return nullcontext(running.app.telemetry)

    return Desks(
        memory,
        running.app.recollect,
        running.app.now,
        lambda text: secrets.text(text).text,
        telemetry,
        running.register.summaries,
        lambda: running.app.fixes,
        lambda space, verdict: live.tell(space, "card", card_event(verdict)),
    )


def add(app: FastAPI, desks: Desks) -> None:
    """Add the route, and end what it began when the application ends."""
    door = Door(desks, lambda: app.state.doorkeeper)
    for path in (PATH, f"{PATH}/"):
        app.router.routes.append(Route(path, door, include_in_schema=False))
    outer = app.router.lifespan_context

    @asynccontextmanager
    async def lifespan(served: Any) -> AsyncIterator[Any]:  # noqa: ANN401
        async with outer(served) as state:
            try:
                yield state
            finally:
                await door.close()

    app.router.lifespan_context = lifespan


class Door:
    """Seats whoever calls, as an ASGI application of its own; only what may come in reaches the SDK."""

    def __init__(self, desks: Desks, doorkeeper: Callable[[], Doorkeeper]) -> None:
        self._desks = desks
        self._doorkeeper = doorkeeper
        self._exchange: Exchange | None = None
        self._opening = asyncio.Lock()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        request = Request(scope, receive)
        space = _space_of(request)
        # A caller without any right to read has nothing to ask here, not even which tools there are.
        seat = await run_in_threadpool(self._doorkeeper().seat, request, Permission.READ, space)
        if request.method != "POST":
            # No stream is offered, and there are no sessions to end.
            await Response(status_code=405, headers={"Allow": "POST"})(scope, receive, send)
            return
        scope.setdefault("state", {})[_SEAT] = seat
        exchange = await self._opened()
        await exchange.answer(scope, receive, send)

    async def _opened(self) -> Exchange:
        async with self._opening:
            if self._exchange is None:
                self._exchange = await run_in_threadpool(self._made)
                await self._exchange.begin()
        return self._exchange

    def _made(self) -> Exchange:
        from hindcast.mcp.exchange import Exchange

        return Exchange(self._received)

    def _received(self, visit: Visit, permission: Permission) -> Desk:
        """A desk for one call of somebody who was seated, if they may do this as well."""
        seat: Seat = visit.request.scope["state"][_SEAT]
        access, peer = self._doorkeeper().access, peer_of(visit.request)
        access.authorise(seat.caller, permission, seat.space, what=visit.what, peer=peer)
        return self._desks.at(seat.space, actor=seat.actor)

    async def close(self) -> None:
        """End what was begun."""
        if self._exchange is not None:
            await self._exchange.end()
            self._exchange = None


def _space_of(request: Request) -> str | None:
    header, query = request.headers.get(SPACE_HEADER), request.query_params.get("space")
    if header and query and header != query:
        raise Malformed("Two spaces are named.", field="space", remedy=f"Give one: {SPACE_HEADER} or ?space=.")
    return header or query
