"""MCP over streamable HTTP: every POST is answered by itself, with JSON, and nothing is kept between two of them.

So a request can go to any process, a restart loses no session, and no stream stays open. The protocol allows a server
that offers no stream of its own to say so to whoever asks for one.
"""

from __future__ import annotations

import asyncio

from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from starlette.types import Receive, Scope, Send

from hindcast.mcp.server import Reception, make_server

BODY_BYTES_MAX = 1 << 20


class Exchange:
    """Answers requests from when it has begun until it is ended; both in the loop that it serves."""

    def __init__(self, receive: Reception) -> None:
        # Host, origin, key and rights were looked at before: by the edge and the doorkeeper of the HTTP face.
        self._manager = StreamableHTTPSessionManager(
            make_server(receive), json_response=True, stateless=True, max_request_body_size=BODY_BYTES_MAX
        )
        self._ended = asyncio.Event()
        self._running: asyncio.Task[None] | None = None

    async def begin(self) -> None:
        """Be ready. What the SDK holds belongs to one task, so it gets one of its own."""
        begun = asyncio.Event()

        async def run() -> None:
            async with self._manager.run():
                begun.set()
                await self._ended.wait()

        self._running = asyncio.create_task(run(), name="mcp")
        await begun.wait()

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer one request."""
        await self._manager.handle_request(scope, receive, send)

    async def end(self) -> None:
        """Stop; requests under way are dropped."""
        self._ended.set()
        if self._running is not None:
            await self._running
