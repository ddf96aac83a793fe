"""MCP over stdin and stdout: a server on the memory of this machine, or a bridge to one that runs elsewhere."""

from __future__ import annotations

import re
from typing import Any

import anyio
import httpx2
from mcp.client.streamable_http import streamable_http_client
from mcp.server.stdio import stdio_server

from hindcast.mcp.server import Reception, Visit, make_server
from hindcast.model.errors import Refused, Unavailable

# Longer than any request may take on the other side.
ANSWER_SECONDS_MAX = 90.0
CONNECT_SECONDS_MAX = 10.0
CONNECT_RETRIES = 4
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
        # A server that is being started again is back within seconds.
        transport = httpx2.AsyncHTTPTransport(retries=CONNECT_RETRIES)
        async with (
            httpx2.AsyncClient(headers=headers, timeout=timeout, transport=transport) as client,
            stdio_server() as (reading, writing),
            streamable_http_client(url, http_client=client) as (answers, requests),
            anyio.create_task_group() as group,
        ):

            async def carry_back() -> None:
                await _carry(answers, writing)

            group.start_soon(carry_back)
            await _carry(reading, requests)
            group.cancel_scope.cancel()
            # Whoever writes to stdout waits for more until it is told that there will be none.
            await writing.aclose()

    _check(url, headers)
    try:
        anyio.run(run)
    except BaseExceptionGroup as group:
        if group.subgroup(httpx2.HTTPError) is None:
            raise
        raise _nothing(url) from group


def _check(url: str, headers: dict[str, str]) -> None:
    """Raise unless somebody answers who lets us in: before a client waits for what will not come."""
    transport = httpx2.HTTPTransport(retries=CONNECT_RETRIES)
    try:
        with httpx2.Client(headers=headers, timeout=CONNECT_SECONDS_MAX, transport=transport) as client:
            status = client.get(url).status_code
    except httpx2.HTTPError as error:
        raise _nothing(url) from error
    if status in (401, 403, 404):
        raise Refused(
            f"{url} does not let us in ({status}).",
            field="--key",
            remedy="Give a key that may read in this space, with HINDCAST_KEY or --key.",
        )


def _nothing(url: str) -> Unavailable:
    return Unavailable(
        f"Nothing answers at {url}.", field="--url", remedy="Start `hindcast serve` there, or correct the address."
    )


async def _carry(source: Any, target: Any) -> None:  # noqa: ANN401
    """Hand messages on. What could not be read on the way is dropped, as the SDK itself does."""
    async for message in source:
        if not isinstance(message, Exception):
            await target.send(message)
