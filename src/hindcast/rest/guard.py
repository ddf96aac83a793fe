"""Guards each connection, before there is a request and after: heads that are late or large, answers that stay unread.

An ASGI application sees a request only when its head is complete, so that whoever sends one byte a minute would be
invisible to it. This is uvicorn's own protocol with a watch on its hand; the body is watched over in `pace.py`.
"""

from __future__ import annotations

import asyncio
from asyncio.events import TimerHandle
from dataclasses import dataclass
from typing import Any, ClassVar

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

_TOO_LARGE = (b"431 Request Header Fields Too Large", b"The head of the request is too large.")


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """What a connection may cost before and after its request."""

    # From the first byte, or from connecting, to the end of the head.
    head_seconds_max: float = 10
    # Eight times what proxies usually allow.
    head_bytes_max: int = 65_536
    # Live streams are connections, too: room for two thousand of them and as many again for everything else.
    connections_max: int = 4_096
    # A client that takes nothing for so long is gone, or wants to be expensive.
    unread_seconds_max: float = 60


def protocol(limits: ConnectionLimits) -> type[HttpToolsProtocol]:
    """The protocol to hand to uvicorn as `http`."""
    return type("GuardedProtocol", (Guarded,), {"limits": limits})


class Guarded(HttpToolsProtocol):
    """One connection. uvicorn makes it, which is why its limits belong to the class."""

    limits: ClassVar[ConnectionLimits] = ConnectionLimits()

    def __init__(self, *arguments: Any, **named: Any) -> None:  # noqa: ANN401
        super().__init__(*arguments, **named)
        self._head_timer: TimerHandle | None = None
        self._unread_timer: TimerHandle | None = None
        self._head_bytes = 0
        self._is_first = True

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Somebody connected. One too many is told so at once."""
        super().connection_made(transport)
        if len(self.connections) > self.limits.connections_max:
            self._refuse(b"503 Service Unavailable", b"Too many connections. Try again soon.", b"retry-after: 1\r\n")
            return
        self._watch_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """It is over, whoever ended it."""
        self._unwatch_head()
        self._unwatch_reading()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Some bytes. Outside a request they can only be the beginning of a head."""
        if self.transport.is_closing():
            return
        if self._is_between_requests():
            self._watch_head()
            self._head_bytes += len(data)
        super().data_received(data)
        if self._head_bytes > self.limits.head_bytes_max and not self.transport.is_closing():
            self._refuse(*_TOO_LARGE)

    def on_message_begin(self) -> None:
        """The first byte of a head, which may stand in the same packet as the end of the request before."""
        super().on_message_begin()
        self._watch_head()

    def on_headers_complete(self) -> None:
        """The head is whole; from here on it is a request, unless nobody should read it as one."""
        self._unwatch_head()
        self._head_bytes = 0
        self._check_head()
        self._is_first = False
        super().on_headers_complete()

    def _check_head(self) -> None:
        """Refuse a head that came in one packet and is too large, and one that names two hosts (RFC 9112)."""
        size = len(self.url) + sum(len(name) + len(value) for name, value in self.headers)
        hosts = sum(name == b"host" for name, _ in self.headers)
        if size <= self.limits.head_bytes_max and hosts <= 1:
            return
        if not self._is_between_requests():
            # The answer to the request before is still on its way; there is nothing to say in between.
            self.transport.close()
        elif hosts > 1:
            self._refuse(b"400 Bad Request", b"The request has two Host headers.")
        else:
            self._refuse(*_TOO_LARGE)
        # The parser hears of it and reads no further.
        raise ValueError("The head is refused.")

    def send_400_response(self, msg: str) -> None:
        """What cannot be parsed is told so, unless an answer was given already."""
        if not self.transport.is_closing():
            super().send_400_response(msg)

    def pause_writing(self) -> None:
        """The client does not keep up."""
        super().pause_writing()
        if self._unread_timer is None:
            self._watch_reading()

    def resume_writing(self) -> None:
        """It does again."""
        self._unwatch_reading()
        super().resume_writing()

    def _is_between_requests(self) -> bool:
        return self._is_first or self.cycle.response_complete

    def _watch_head(self) -> None:
        if self._head_timer is None:
            self._head_timer = self.loop.call_later(self.limits.head_seconds_max, self._head_is_late)

    def _unwatch_head(self) -> None:
        if self._head_timer is not None:
            self._head_timer.cancel()
            self._head_timer = None

    def _watch_reading(self) -> None:
        unread = self.transport.get_write_buffer_size()
        self._unread_timer = self.loop.call_later(self.limits.unread_seconds_max, self._look_at_reading, unread)

    def _look_at_reading(self, unread_before: int) -> None:
        """Nothing is written meanwhile, so that what waits can only become less."""
        if self.transport.get_write_buffer_size() >= unread_before:
            self._unread_timer = None
            self.transport.abort()
        else:
            self._watch_reading()

    def _unwatch_reading(self) -> None:
        if self._unread_timer is not None:
            self._unread_timer.cancel()
            self._unread_timer = None

    def _head_is_late(self) -> None:
        self._head_timer = None
        if self.transport.is_closing():
            return
        if not self._is_first:
            # An answer may still be on its way to a client that pipelines; there is nothing to say in between.
            self.transport.close()
            return
        self._refuse(b"408 Request Timeout", b"The head of the request did not come in time.")

    def _refuse(self, status: bytes, words: bytes, headers: bytes = b"") -> None:
        length = str(len(words)).encode()
        head = b"HTTP/1.1 " + status + b"\r\ncontent-type: text/plain; charset=utf-8\r\ncontent-length: " + length
        self.transport.write(head + b"\r\nconnection: close\r\n" + headers + b"\r\n" + words)
        self.transport.close()
