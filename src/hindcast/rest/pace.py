"""How large a request may be and how long it may take: to be sent, and to be answered.

It answers for the application when a limit is passed: what was asked for may then still be done, since a thread that
writes to a store is not torn away from it.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from hindcast.ingest.body import TooLarge
from hindcast.model.errors import HindcastError, Unavailable
from hindcast.rest.limits import BODY_BYTES_MAX, BYTES_PER_SECOND_MIN, body_bytes_max_of, seconds_max_of

API = "/api/v1/"
# Ingest in its own words, with limits of its own.
LINES = "/api/v1/lines"
MCP = "/mcp"


class SentTooSlowly(Unavailable):
    """The body did not come in time: send it again, faster (HTTP 408)."""


class TookTooLong(Unavailable):
    """The answer was not ready in time: ask for less, or later."""


def is_api(path: str) -> bool:
    """Whether a path belongs to the REST face, with its limits and its way to tell of failures."""
    return path.startswith(API) and path != LINES


def body_bytes_max(path: str) -> int | None:
    """How large a body may be; None where whoever reads it has limits of its own."""
    if path == MCP or is_api(path):
        return body_bytes_max_of(path)
    return None


@dataclass(frozen=True, slots=True)
class Pace:
    """The middleware."""

    app: ASGIApp
    # None: as long as it takes.
    seconds_max: float | None
    # The answer to a request that failed, in the words of its path.
    answer: Callable[[str, HindcastError], Response]
    # Raises unless somebody is known to have made the request: a body beyond the usual size is read from nobody else.
    recognise: Callable[[Scope], None]
    # Paths whose answers may take longer.
    seconds_max_by_path: Mapping[str, float] = field(default_factory=dict)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, watched."""
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        longer = self.seconds_max_by_path.get(scope["path"]) or seconds_max_of(scope["path"])
        seconds_max = None if self.seconds_max is None else max(longer, self.seconds_max)
        exchange = _Exchange(scope, receive, send, self, seconds_max)
        try:
            async with asyncio.timeout(seconds_max) as timer:
                exchange.timer = timer
                await self.app(scope, exchange.receive, exchange.send)
        except ClientDisconnect:
            # It reads as if the client had gone, and the client has its answer.
            if not exchange.is_refused:
                raise
        except TimeoutError:
            if not timer.expired():
                raise
            await exchange.refuse(
                TookTooLong(
                    f"The answer took longer than {seconds_max:g} s; what was asked for may still be done.",
                    remedy="Ask for less at once, or try again a little later.",
                )
            )


class _Exchange:
    """One request and its answer."""

    def __init__(self, scope: Scope, receive: Receive, send: Send, pace: Pace, seconds_max: float | None) -> None:
        self._scope, self._receive, self._send, self._pace = scope, receive, send, pace
        self._loop = asyncio.get_running_loop()
        self._seconds_max = seconds_max
        self._began = self._loop.time()
        self._bytes = 0
        self._bytes_max = body_bytes_max(scope["path"])
        self._is_sent = False
        self._is_known = False
        # Whether the application, or this, has begun to answer.
        self._is_answered = False
        self.is_refused = False
        self.timer: asyncio.Timeout | None = None

    async def receive(self) -> Message:
        """The next piece of the body, within its limits."""
        if self.is_refused:
            return {"type": "http.disconnect"}
        if self._is_sent:
            # All that can come now is that the client leaves, and it may take its time.
            return await self._receive()
        # While the body is on its way, only the sender's pace counts.
        self._answer_by(None)
        try:
            await self._check_size(self._announced())
            async with asyncio.timeout_at(self._sent_by()) as timer:
                message = await self._receive()
            self._bytes += len(message.get("body", b""))
            await self._check_size(self._bytes)
        except TimeoutError:
            if not timer.expired():
                raise
            return await self._cut(_too_slow())
        except HindcastError as error:
            return await self._cut(error)
        self._is_sent = message["type"] == "http.disconnect" or not message.get("more_body", False)
        if self._seconds_max is not None and not self._is_answered:
            self._answer_by(self._loop.time() + self._seconds_max)
        return message

    async def send(self, message: Message) -> None:
        """A piece of the answer, unless this has answered instead."""
        if self.is_refused:
            return
        if message["type"] == "http.response.start":
            self._is_answered = True
            # A stream may last; whoever reads too slowly is `guard.py`'s matter.
            self._answer_by(None)
        await self._send(message)

    async def refuse(self, error: HindcastError) -> None:
        """Answer in the application's place, unless it has begun to."""
        if self._is_answered:
            return
        self._is_answered = self.is_refused = True
        response = self._pace.answer(self._scope["path"], error)
        if isinstance(error, SentTooSlowly):
            response.headers["Connection"] = "close"
        await response(self._scope, self._receive, self._send)

    async def _check_size(self, size: int) -> None:
        if self._bytes_max is None or size <= BODY_BYTES_MAX:
            return
        if size > self._bytes_max:
            raise TooLarge(
                f"The body is larger than {self._bytes_max} bytes.", field="body", remedy="Send less at once."
            )
        if not self._is_known:
            await run_in_threadpool(self._pace.recognise, self._scope)
            self._is_known = True

    async def _cut(self, error: HindcastError) -> Message:
        await self.refuse(error)
        self.is_refused = True
        return {"type": "http.disconnect"}

    def _answer_by(self, when: float | None) -> None:
        """Until when the answer has to begin."""
        if self.timer is not None and not self.timer.expired():
            self.timer.reschedule(when)

    def _sent_by(self) -> float | None:
        """Until when the whole body has to be here: a sender that keeps its pace is given the time it needs."""
        if self._pace.seconds_max is None:
            return None
        return self._began + self._pace.seconds_max + self._bytes / BYTES_PER_SECOND_MIN

    def _announced(self) -> int:
        given = next((value for name, value in self._scope["headers"] if name == b"content-length"), b"")
        return int(given) if given.isdigit() else 0


def _too_slow() -> SentTooSlowly:
    return SentTooSlowly(
        "The body did not come in time.",
        field="body",
        remedy=f"Send it in one go; a large one at {BYTES_PER_SECOND_MIN} bytes a second or more.",
    )
