"""MCP over stdin and stdout: a server on the memory of this machine, or a bridge to one that runs elsewhere."""

from __future__ import annotations

import re
from typing import Any

import anyio
import httpx2
from mcp.client.streamable_http import streamable_http_client
from mcp.server.stdio import stdio_server

from hindcast.mcp.server import Reception, Visit, make_server

# Longer than any request may take on the other side.
ANSWER_SECONDS_MAX = 90.0
CONNECT_SECONDS_MAX = 10.0
_CLIENT = re.compile(r"[^\w.@+-]+")
CLIENT_CHARS_MAX = 40


def actor_of(visit: Visit, person: str) -> str:
    """Who acts: the person at this machine, through the client that called."""
    client = _CLIENT.sub("-", visit.client).strip("-")[:CLIENT_CHARS_MAX]
    return f"{person} via {client}" if client else person


def serve(receive: Reception) -> None:
    """Answer on stdin and stdout until stdin ends."""

    async def run() -> None:
        server = make_server(receive)
        async with stdio_server() as (reading, writing):
            await server.run(reading, writing, server.create_initialization_options())

    anyio.run(run)


def bridge(url: str, headers: dict[str, str]) -> None:
    """Carry every message between stdin and stdout and a server at a URL, until stdin ends."""

    async def run() -> None:
        timeout = httpx2.Timeout(ANSWER_SECONDS_MAX, connect=CONNECT_SECONDS_MAX)
        async with (
            httpx2.AsyncClient(headers=headers, timeout=timeout) as client,
            stdio_server() as (reading, writing),
            streamable_http_client(url, http_client=client) as (answers, requests),
            anyio.create_task_group() as group,
        ):

            async def carry_back() -> None:
                await _carry(answers, writing)

            group.start_soon(carry_back)
            await _carry(reading, requests)
            group.cancel_scope.cancel()

    anyio.run(run)


async def _carry(source: Any, target: Any) -> None:  # noqa: ANN401
    """Hand messages on. What could not be read on the way is dropped, as the SDK itself does."""
    async for message in source:
        if not isinstance(message, Exception):
            await target.send(message)
