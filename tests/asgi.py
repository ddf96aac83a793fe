"""Calls an application without a network or a client library, and hangs up on streams once they have begun."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import quote

from fastapi import FastAPI


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    body: bytes


def _proof(app: FastAPI, headers: Mapping[str, str]) -> dict[str, str]:
    """What proves that somebody is at this machine, in requests that prove nothing else."""
    doorkeeper = getattr(app.state, "doorkeeper", None)
    is_proved = any(name.lower() in ("authorization", "x-hindcast-key", "cookie") for name in headers)
    token = "" if doorkeeper is None or is_proved else doorkeeper.access.token
    return {"Authorization": f"Bearer {token}"} if token else {}


async def ask(app: FastAPI, method: str, path: str, headers: Mapping[str, str], body: bytes = b"") -> Answer:
    """The answer to a request; of a stream only its beginning."""
    where, _, query = path.partition("?")
    begun, events = asyncio.Event(), list[dict[str, Any]]()
    sent = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> dict[str, Any]:
        if sent:
            return sent.pop()
        await asyncio.Event().wait()
        raise AssertionError("nobody hangs up by themselves")

    async def send(event: dict[str, Any]) -> None:
        events.append(event)
        if event["type"] == "http.response.start" and dict(event["headers"]).get(b"content-type", b"").startswith(
            b"text/event-stream"
        ):
            begun.set()

    scope = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "scheme": "http",
        "path": where,
        "raw_path": quote(where).encode(),
        "query_string": query.encode(),
        "root_path": "",
        "headers": [
            (b"host", b"127.0.0.1"),
            *((name.lower().encode(), value.encode()) for name, value in {**_proof(app, headers), **headers}.items()),
        ],
        "client": ("127.0.0.1", 50_000),
        "server": ("127.0.0.1", 80),
        "state": {},
    }
    task = asyncio.create_task(app(scope, receive, send))  # type: ignore[arg-type]
    stream = asyncio.create_task(begun.wait())
    await asyncio.wait({task, stream}, return_when=asyncio.FIRST_COMPLETED)
    if not task.done():
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
    else:
        stream.cancel()
        await task
    start = events[0]
    told = {name.decode().lower(): value.decode() for name, value in start["headers"]}
    return Answer(start["status"], told, b"".join(event.get("body", b"") for event in events[1:]))
