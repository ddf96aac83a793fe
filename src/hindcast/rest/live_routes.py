"""`/api/v1/live`: who may listen, to what, and for how long. Server-sent events (WHATWG HTML, section 9.2)."""

from __future__ import annotations

import asyncio
import logging
import secrets
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Annotated

from fastapi import FastAPI, Header, Query
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.types import Receive, Scope, Send

from hindcast.access import Access, Proof
from hindcast.build.running import Running
from hindcast.model.access import CallerKind, Permission
from hindcast.model.errors import Malformed
from hindcast.rest.listening import KINDS, Listener, Pass, Tail, Wish, frame
from hindcast.rest.live import Live
from hindcast.rest.live_feed import Feed
from hindcast.rest.seat import Reading, Seat, doorkeeper_of
from hindcast.rest.telemetry import parts_of

LOG = logging.getLogger("hindcast")

MEDIA_TYPE = "text/event-stream"
HEADERS = {
    "Content-Type": f"{MEDIA_TYPE}; charset=utf-8",
    # No proxy may gather events, keep them or change them.
    "Cache-Control": "no-store, no-transform",
    "X-Accel-Buffering": "no",
    # A stream that has ended leaves no connection behind.
    "Connection": "close",
}
KINDS_IF_UNSAID = "incident,answer,deck,card"
SERVICES_MAX = 50
NUMBER_MAX = 2**64 - 1
STOPPING = "Hindcast is stopping; come back in a moment."
REFUSED = "Your right to listen here has ended."
UNCHECKED = "Nobody could be asked whether you may still listen; come back a little later."
# How long a stream that has been told its last word gets to hear it.
FAREWELL_SECONDS = 2.0

_DESCRIPTION = """Server-sent events of one space, as they happen.

Kinds: `incident` (something happened to an incident), `answer` (what is remembered about one is ready), `deck` (its
cards are ready), `card` (somebody decided about one), `rates` (lines by service, once a second, the last five seconds
each time), `line` (log lines under the conditions given; `matched` and `dropped` say how many of them are shown).
Always: `gap` (what this listener missed and why), `beat` (the line is open), `closed` (the last event: why there are no
more).

All but `rates` and `line` have ids. Come back with the last one as `Last-Event-ID` or `after` and hear what was
missed."""


def add(app: FastAPI, live: Live) -> None:
    """Add the route."""

    @app.get(
        "/api/v1/live",
        tags=["live"],
        operation_id="live",
        summary="Listen to what happens",
        description=_DESCRIPTION,
        status_code=200,
        response_class=StreamingResponse,
        responses={200: {"content": {MEDIA_TYPE: {"schema": {"type": "string"}}}, "description": "Events."}},
    )
    async def listen(
        request: Request,
        seat: Reading,
        kinds: Annotated[
            str, Query(max_length=100, description="What to hear, with commas between.")
        ] = KINDS_IF_UNSAID,
        service: Annotated[list[str] | None, Query(description="Lines of these services only.")] = None,
        level_min: Annotated[int, Query(ge=0, le=24, description="Lines that are at least as bad.")] = 0,
        words: Annotated[str, Query(max_length=500, description="As GET /api/v1/logs has it.")] = "",
        template: Annotated[str, Query(max_length=20, description="Lines of this template.")] = "",
        after: Annotated[str, Query(max_length=60, description="As Last-Event-ID, where no header can be sent.")] = "",
        last_event_id: Annotated[str, Header(max_length=60, description="The id of the last event heard.")] = "",
    ) -> Response:
        tail = Tail(tuple(_services(service or ())), level_min, parts_of(words), _number(template))
        wish = Wish(seat.space, _kinds(kinds), tail)
        return EventStream(live, live.listen(wish, _right(request, seat), after=last_event_id or after))


@asynccontextmanager
async def kept(live: Live, running: Running, access: Access) -> AsyncIterator[None]:
    """While this is entered, the stream is fed, beats, and lets nobody stay who may not."""
    live.attach(asyncio.get_running_loop())
    feed = Feed(running.app, live)
    running.intake.follow(feed.heard)
    feed.start()
    keeping = asyncio.ensure_future(Keeper(live, access).run())
    try:
        yield
    finally:
        live.end(STOPPING)
        keeping.cancel()
        await run_in_threadpool(feed.stop)


class EventStream(Response):
    """Writes what waits for a listener to its client, until one of them ends."""

    media_type = MEDIA_TYPE

    def __init__(self, live: Live, listener: Listener) -> None:
        super().__init__(headers=HEADERS)
        del self.headers["content-length"]
        self._live = live
        self._listener = listener

    async def __call__(self, _scope: Scope, receive: Receive, send: Send) -> None:
        """As ASGI wants it."""
        listener, limits = self._listener, self._live.limits
        leaving = asyncio.ensure_future(self._leave_with_client(receive))
        retry_ms = limits.retry_ms_min + secrets.randbelow(limits.retry_ms_max - limits.retry_ms_min + 1)
        try:
            await send({"type": "http.response.start", "status": 200, "headers": self.raw_headers})
            await send({"type": "http.response.body", "body": f"retry: {retry_ms}\n\n".encode(), "more_body": True})
            while told := await listener.take():
                await send({"type": "http.response.body", "body": told, "more_body": True})
            with suppress(TimeoutError):
                async with asyncio.timeout(FAREWELL_SECONDS):
                    await send({"type": "http.response.body", "body": b"", "more_body": False})
        finally:
            leaving.cancel()
            self._live.leave(listener)

    async def _leave_with_client(self, receive: Receive) -> None:
        while (await receive())["type"] != "http.disconnect":
            pass
        self._live.leave(self._listener)


class Keeper:
    """Beats, and ends the streams of those who may no longer listen, while it runs."""

    def __init__(self, live: Live, access: Access) -> None:
        self._live = live
        self._access = access
        self._revision: int | None = None
        self._beat_due = time.monotonic() + live.limits.beat_seconds
        self._check_due = 0.0
        # Since when nobody could be asked.
        self._unchecked_since: float | None = None

    async def run(self) -> None:
        """Go on until it is cancelled."""
        limits = self._live.limits
        while True:
            await asyncio.sleep(min(limits.check_seconds, limits.beat_seconds))
            if time.monotonic() >= self._beat_due:
                self._beat_due = time.monotonic() + limits.beat_seconds
                self._live.beat()
            if listeners := self._live.listeners:
                await self._check(listeners)

    async def _check(self, listeners: Sequence[Listener]) -> None:
        try:
            refused = await run_in_threadpool(self._refused, listeners)
        # The face of the product: streams must not go on for ever because nobody can be asked, nor end at once.
        except Exception as error:
            LOG.warning("The rights of listeners could not be checked: %s", error, exc_info=error)
            self._revision = None
            self._unchecked_since = self._unchecked_since or time.monotonic()
            if time.monotonic() - self._unchecked_since >= self._live.limits.unchecked_seconds_max:
                for listener in listeners:
                    listener.end(_closed(UNCHECKED, "unavailable"))
            return
        self._unchecked_since = None
        for listener in refused:
            listener.end(_closed(REFUSED, "refused"))

    def _refused(self, listeners: Sequence[Listener]) -> list[Listener]:
        """Who may no longer listen. Looked at when anything about rights has changed, and once in a while for time."""
        revision = self._access.revision()
        if revision == self._revision and time.monotonic() < self._check_due:
            return []
        known: dict[tuple[Proof, str], bool] = {}
        for listener in listeners:
            proof, space = listener.right.proof, listener.wish.space
            if (proof, space) not in known:
                known[proof, space] = self._access.admits(proof, Permission.READ, space)
        self._revision = revision
        self._check_due = time.monotonic() + self._live.limits.expiry_seconds
        return [one for one in listeners if not known[one.right.proof, one.wish.space]]


def _closed(why: str, kind: str) -> bytes:
    return frame("closed", {"why": why, "type": kind})


def _right(request: Request, seat: Seat) -> Pass:
    is_local = seat.caller.kind is CallerKind.LOCAL
    return Pass(doorkeeper_of(request).proof(request), None if is_local else (seat.caller.kind, seat.caller.id))


def _kinds(text: str) -> frozenset[str]:
    wanted = frozenset(part.strip() for part in text.split(",") if part.strip())
    if not wanted or wanted - KINDS:
        raise Malformed(
            f"{text[:60]!r} is not a list of kinds.", field="kinds", remedy=f"Use some of {', '.join(sorted(KINDS))}."
        )
    return wanted


def _services(names: Sequence[str]) -> list[str]:
    if len(names) > SERVICES_MAX:
        raise Malformed(
            f"{len(names)} services are too many.", field="service", remedy=f"Name at most {SERVICES_MAX}, or none."
        )
    return sorted(set(names))


def _number(text: str) -> int:
    if not text:
        return 0
    number = int(text) if text.isascii() and text.isdigit() else 0
    if not 0 < number <= NUMBER_MAX:
        raise Malformed(f"{text!r} is no template.", field="template", remedy="Copy its number from a line.")
    return number
