"""The client that waits for each answer."""

from __future__ import annotations

import time
import uuid
from collections.abc import Callable, Iterator, Mapping, Sequence
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
from hindcast.client.generated.calls import LIVE
from hindcast.client.generated.waiting import Calls
from hindcast.model.errors import Busy, Unavailable

T = TypeVar("T")
Item = TypeVar("Item")


class Hindcast(Calls):
    """A connection to one Hindcast, as one caller, in one space. May be shared between threads."""

    def __init__(
        self,
        url: str,
        *,
        key: str = "",
        space: str = "",
        patience: Patience | None = None,
        transport: httpx.BaseTransport | None = None,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self._patience = patience or Patience()
        self._sleep = sleep
        self._client = httpx.Client(transport=transport, **connecting(url, key, space, self._patience))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the connections."""
        self._client.close()

    def every(self, call: Callable[..., Paged[Item]], *given: Any, **named: Any) -> Iterator[Item]:  # noqa: ANN401
        """Every item of a list, page after page: `every(hindcast.incidents_list, state="open")`."""
        cursor = named.pop("cursor", None)
        while True:
            page = call(*given, cursor=cursor, **named)
            yield from page.items
            if (cursor := page.next) is None:
                return

    def live(
        self,
        *,
        kinds: str | Sequence[str] | None = None,
        service: Sequence[str] | None = None,
        level_min: int | None = None,
        words: str | None = None,
        template: str | None = None,
        after: str = "",
    ) -> Iterator[Event]:
        """What happens, as it happens, for as long as it is asked for; from `service` on these are conditions on lines.

        A connection that breaks is made again where it stopped. What could not be had is an event of kind `gap`.
        Raises Refused when the right to listen ends.
        """
        wanted = following(kinds, service, level_min, words, template)
        reader, failed = Reader(last_id=after), 0
        while True:
            try:
                for event in self._events(LIVE, {**wanted, "last_event_id": reader.last_id or None}, reader):
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
                self._sleep(max(reader.retry_seconds or 0, asked_for, self._patience.pause_seconds(failed)))
            else:
                self._sleep(reader.retry_seconds or self._patience.pause_seconds_min)

    def stream(self, name: str, **given: Any) -> Iterator[Event]:  # noqa: ANN401
        """The events that an operation answers with: `stream("ask", question="What broke yesterday?")`."""
        yield from self._events(by_name(name), given, Reader())

    def _events(self, call: Call[Any], given: Mapping[str, object], reader: Reader) -> Iterator[Event]:
        request = asked(call, given, once=str(uuid.uuid4()))
        headers = {**request.headers, "Accept": "text/event-stream"}
        timeout = httpx.Timeout(self._patience.silence_seconds_max, connect=self._patience.connect_seconds_max)
        try:
            with self._client.stream(
                request.method,
                request.path,
                params=list(request.query),
                headers=headers,
                content=request.body,
                timeout=timeout,
            ) as response:
                if not response.is_success:
                    raise error_of(response.status_code, response.headers, response.read())
                for line in response.iter_lines():
                    yield from reader.feed(line)
        except httpx.HTTPError as error:
            raise no_answer(call, error) from error

    def _run(self, call: Call[T], given: Mapping[str, object]) -> T:
        request = asked(call, given, once=str(uuid.uuid4()))
        for attempt in range(1, self._patience.attempts_max + 1):
            try:
                response = self._client.request(
                    request.method,
                    request.path,
                    params=list(request.query),
                    headers=dict(request.headers),
                    content=request.body,
                )
            except httpx.HTTPError as error:
                if attempt == self._patience.attempts_max or not may_repeat(call, error):
                    raise no_answer(call, error) from error
                self._sleep(self._patience.pause_seconds(attempt))
                continue
            pause = self._patience.before_next(call, attempt, response.status_code, response.headers)
            if pause is None:
                return answer(call, response.status_code, response.headers, response.content)
            self._sleep(pause)
        raise AssertionError("the last attempt returns or raises")
