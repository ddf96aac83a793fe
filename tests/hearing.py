"""What was said on a live stream, for tests that listen."""

from __future__ import annotations

import asyncio
from typing import Any

import orjson

from hindcast.rest.listening import Listener


def events(told: bytes) -> list[tuple[str, str, Any]]:
    """Kind, id and data of each event in some bytes."""
    found = []
    for block in told.decode().strip().split("\n\n"):
        fields = dict(line.partition(": ")[::2] for line in block.split("\n"))
        found.append((fields["event"], fields.get("id", ""), orjson.loads(fields["data"])))
    return found


async def heard(listener: Listener) -> list[tuple[str, str, Any]]:
    """Everything that waits for a listener, without the beats."""
    await asyncio.sleep(0)
    found: list[tuple[str, str, Any]] = []
    while not listener.is_idle:
        found += events(await asyncio.wait_for(listener.take(), 5))
    return [one for one in found if one[0] != "beat"]
