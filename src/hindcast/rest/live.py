"""The live stream: what happens to incidents, told to every browser and script that listens (server-sent events)."""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncIterator
from dataclasses import dataclass

import orjson

from hindcast.model.record import Json

# A listener that is this far behind is cut off: it comes back, says what it heard last, and is told the rest.
EVENTS_PER_LISTENER_MAX = 1_000
EVENTS_KEPT_MAX = 10_000
# Proxies close connections on which nothing happens.
BEAT_SECONDS = 15


@dataclass(frozen=True, slots=True)
class Told:
    """One event with its number, so that a listener can say where it stopped."""

    number: int
    space: str
    kind: str
    data: Json

    @property
    def frame(self) -> bytes:
        """As it goes over the wire."""
        return f"id: {self.number}\nevent: {self.kind}\ndata: ".encode() + orjson.dumps(self.data) + b"\n\n"


class Live:
    """Keeps the last events and hands each new one to everybody who listens to its space."""

    def __init__(self) -> None:
        self._kept: deque[Told] = deque(maxlen=EVENTS_KEPT_MAX)
        self._listeners: dict[asyncio.Queue[Told | None], str] = {}
        self._number = 0
        self._loop: asyncio.AbstractEventLoop | None = None

    def attach(self, loop: asyncio.AbstractEventLoop) -> None:
        """Say in which loop the listeners live."""
        self._loop = loop

    def tell(self, space: str, kind: str, data: Json) -> None:
        """Tell everybody; may be called from any thread."""
        if self._loop is not None:
            self._loop.call_soon_threadsafe(self._tell, space, kind, data)

    def _tell(self, space: str, kind: str, data: Json) -> None:
        self._number += 1
        event = Told(self._number, space, kind, data)
        self._kept.append(event)
        for queue in [queue for queue, wanted in self._listeners.items() if wanted == space]:
            if queue.qsize() >= EVENTS_PER_LISTENER_MAX:
                del self._listeners[queue]
                queue.put_nowait(None)
            else:
                queue.put_nowait(event)

    async def listen(self, space: str, *, after: int | None = None) -> AsyncIterator[bytes]:
        """Frames for one listener: what came after the number it names, then whatever happens."""
        queue: asyncio.Queue[Told | None] = asyncio.Queue()
        self._listeners[queue] = space
        missed = [event for event in self._kept if after is not None and event.number > after and event.space == space]
        try:
            yield b": listening\n\n"
            for event in missed:
                yield event.frame
            while True:
                try:
                    event_or_end = await asyncio.wait_for(queue.get(), BEAT_SECONDS)
                except TimeoutError:
                    yield b": still here\n\n"
                    continue
                if event_or_end is None:
                    return
                yield event_or_end.frame
        finally:
            self._listeners.pop(queue, None)
