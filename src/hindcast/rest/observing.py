"""Every request gets an id, a line in the log, a place in the figures and, where somebody collects them, a span."""

from __future__ import annotations

import logging
import re
import secrets
import time
from contextlib import ExitStack
from typing import Any

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hindcast.adapters.figures import Figures

LOG = logging.getLogger("hindcast.request")
REQUEST_ID = b"x-request-id"
# What other machines make up for ids; anything else could be meant for whoever reads the log.
_SANE = re.compile(rb"[A-Za-z0-9._:/+=-]{1,128}")
# A path that nobody declared, in the figures: otherwise a scanner would make a series of each that it tries.
NO_ROUTE = "(none)"


class Observing:
    """An ASGI middleware. It sees the answer last, so what it tells is what the client got."""

    def __init__(self, app: ASGIApp, figures: Figures) -> None:
        self._app = app
        self._figures = figures

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Serve one request, and tell of it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        request_id = _request_id(scope)
        scope.setdefault("state", {})["request_id"] = request_id.decode()
        begin = time.perf_counter()
        status = 0

        async def answer(message: Message) -> None:
            nonlocal status
            if message["type"] == "http.response.start":
                status = message["status"]
                message["headers"] = [*message.get("headers", ()), (REQUEST_ID, request_id)]
            await send(message)

        with ExitStack() as stack:
            span = self._figures.span("hindcast.request", {"method": scope["method"]})
            entered: Any = stack.enter_context(span) if span is not None else None
            try:
                await self._app(scope, receive, answer)
            finally:
                # An answer that never began is a failure, whoever it was that went away.
                self._tell(scope, status or 500, time.perf_counter() - begin, entered)

    def _tell(self, scope: Scope, status: int, seconds: float, span: Any) -> None:  # noqa: ANN401
        route = getattr(scope.get("route"), "path", "") or NO_ROUTE
        self._figures.request(route, scope["method"], status, seconds)
        if span is not None:
            span.set_attribute("http.route", route)
            span.set_attribute("http.response.status_code", status)
        if LOG.isEnabledFor(logging.INFO):
            state = scope.get("state", {})
            caller = state.get("caller")
            LOG.info(
                "%s %s",
                scope["method"],
                route,
                extra={
                    "route": route,
                    "status": status,
                    "ms": round(seconds * 1e3, 1),
                    "actor": caller.actor if caller is not None else "",
                    "space": state.get("space", ""),
                    "request_id": state["request_id"],
                },
            )


def _request_id(scope: Scope) -> bytes:
    """The id that the sender gave, if it is one; otherwise one of our own."""
    given = next((value for name, value in scope["headers"] if name == REQUEST_ID), b"")
    return given if _SANE.fullmatch(given) else secrets.token_hex(8).encode()
