"""The client that is awaited: the same as the one that waits, for programs that do many things at once."""

from __future__ import annotations

import asyncio
import uuid
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from typing import Any, Self, TypeVar

import httpx

from hindcast.client.call import Call, Patience, answer, asked, error_of
from hindcast.client.connection import (
    CLOSED_FOR_GOOD,
    Paged,
    by_name,
    connecting,
    following,
    may_repeat,
    no_answer,
    refusal,
)
from hindcast.client.events import Event, Reader
from hindcast.client.generated.awaited import AsyncCalls
from hindcast.client.generated.calls import LIVE
from hindcast.model.errors import Busy, Unavailable

T = TypeVar("T")
Item = TypeVar("Item")


class AsyncHindcast(AsyncCalls):
    """A connection to one Hindcast, as one caller, in one space. May be shared between tasks of one loop."""

    def __init__(
        self,
        url: str,
        *,
        key: str = "",
        space: str = "",
        patience: Patience | None = None,
        transport: httpx.AsyncBaseTransport | None = None,
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        self._patience = patience or Patience()
        self._sleep = sleep
        self._client = httpx.AsyncClient(transport=transport, **connecting(url, key, space, self._patience))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    async def close(self) -> None:
        """Let go of the connections."""
        await self._client.aclose()

    async def every(
        self,
        call: Callable[..., Awaitable[Paged[Item]]],
        *given: Any,  # noqa: ANN401
        **named: Any,  # noqa: ANN401
    ) -> AsyncIterator[Item]:
        """Every item of a list, page after page: `every(hindcast.incidents_list, state="open")`."""
        cursor = named.pop("cursor", None)
        while True:
            page = await call(*given, cursor=cursor, **named)
            for item in page.items:
                yield item
            if (cursor := page.next) is None:
                return

    async def live(
        self,
        *,
        kinds: str | Sequence[str] | None = None,
        service: Sequence[str] | None = None,
        level_min: int | None = None,
        words: str | None = None,
        template: str | None = None,
        after: str = "",
    ) -> AsyncIterator[Event]:
        """What happens, as it happens, for as long as it is asked for; from `service` on these are conditions on lines.

        A connection that breaks is made again where it stopped. What could not be had is an event of kind `gap`.
        Raises Refused when the right to listen ends.
        """
        wanted = following(kinds, service, level_min, words, template)
        reader, failed = Reader(last_id=after), 0
        while True:
            try:
                async for event in self._events(LIVE, {**wanted, "last_event_id": reader.last_id or None}, reader):
                    failed = 0
                    if event.kind == "closed" and event.data.get("type") in CLOSED_FOR_GOOD:
                        raise refusal(event.data)
                    if event.kind not in ("beat", "closed"):
                        yield event
            except Unavailable as error:
                failed += 1
                if failed > self._patience.returns_max:
                    raise
                asked_for = error.retry_after_seconds if isinstance(error, Busy) else 0
                await self._sleep(max(reader.retry_seconds or 0, asked_for, self._patience.pause_seconds(failed)))
            else:
                await self._sleep(reader.retry_seconds or self._patience.pause_seconds_min)

    async def stream(self, name: str, **given: Any) -> AsyncIterator[Event]:  # noqa: ANN401
        """The events that an operation answers with: `stream("ask", question="What broke yesterday?")`."""
        async for event in self._events(by_name(name), given, Reader()):
            yield event

    async def _events(self, call: Call[Any], given: Mapping[str, object], reader: Reader) -> AsyncIterator[Event]:
        request = asked(call, given, once=str(uuid.uuid4()))
        headers = {**request.headers, "Accept": "text/event-stream"}
        timeout = httpx.Timeout(self._patience.silence_seconds_max, connect=self._patience.connect_seconds_max)
        try:
            async with self._client.stream(
                request.method,
                request.path,
                params=list(request.query),
                headers=headers,
                content=request.body,
                timeout=timeout,
            ) as response:
                if not response.is_success:
                    raise error_of(response.status_code, response.headers, await response.aread())
                async for line in response.aiter_lines():
                    for event in reader.feed(line):
                        yield event
        except httpx.HTTPError as error:
            raise no_answer(call, error) from error

    async def _run(self, call: Call[T], given: Mapping[str, object]) -> T:
        request = asked(call, given, once=str(uuid.uuid4()))
        for attempt in range(1, self._patience.attempts_max + 1):
            try:
                response = await self._client.request(
                    request.method,
                    request.path,
                    params=list(request.query),
                    headers=dict(request.headers),
                    content=request.body,
                )
            except httpx.HTTPError as error:
                if attempt == self._patience.attempts_max or not may_repeat(call, error):
                    raise no_answer(call, error) from error
                await self._sleep(self._patience.pause_seconds(attempt))
                continue
            pause = self._patience.before_next(call, attempt, response.status_code, response.headers)
            if pause is None:
                return answer(call, response.status_code, response.headers, response.content)
            await self._sleep(pause)
        raise AssertionError("the last attempt returns or raises")
