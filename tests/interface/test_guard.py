"""Connections that want to be expensive, over real sockets: late heads, large heads, too many, unread answers."""

from __future__ import annotations

import asyncio
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import pytest
import uvicorn
from starlette.types import Receive, Scope, Send
from tests.serving import wait_for

from hindcast.rest.guard import ConnectionLimits, protocol

LIMITS = ConnectionLimits(
    head_seconds_max=0.3, head_bytes_max=4_096, connections_max=8, unread_seconds_max=0.5
)  # fmt: skip
REQUEST = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n"
# More than the buffers of both sides hold.
PIECE = b"x" * 8_000_000
SECONDS_MAX = 20


async def answer(scope: Scope, receive: Receive, send: Send) -> None:
    """Answers with a little, or at /much with more than anybody reads."""
    if scope["type"] == "lifespan":
        return
    await send({"type": "http.response.start", "status": 200, "headers": [(b"content-type", b"text/plain")]})
    for _ in range(4 if scope["path"] == "/much" else 0):
        await send({"type": "http.response.body", "body": PIECE, "more_body": True})
    await send({"type": "http.response.body", "body": b"ok", "more_body": False})


class Guarded:
    """A server in a thread, and how many connections it holds."""

    def __init__(self) -> None:
        self.listener = socket.create_server(("127.0.0.1", 0))
        config = uvicorn.Config(answer, http=protocol(LIMITS), log_config=None, lifespan="off")
        self.server = uvicorn.Server(config)
        self.thread = threading.Thread(target=lambda: asyncio.run(self.server.serve([self.listener])), daemon=True)

    @property
    def connections(self) -> int:
        """How many connections there are."""
        return len(self.server.server_state.connections)

    @contextmanager
    def connected(self) -> Iterator[socket.socket]:
        """A connection to it."""
        with socket.create_connection(self.listener.getsockname(), timeout=SECONDS_MAX) as made:
            yield made


@pytest.fixture(scope="module")
def guarded() -> Iterator[Guarded]:
    """A server with small limits."""
    made = Guarded()
    made.thread.start()
    wait_for(lambda: made.server.started, what="the server to start")
    yield made
    made.server.should_exit = True
    made.thread.join(SECONDS_MAX)
    made.listener.close()


@pytest.fixture(autouse=True)
def _alone(guarded: Guarded) -> None:
    wait_for(lambda: guarded.connections == 0, what="the connections of the test before to end")


def read_all(connection: socket.socket) -> bytes:
    """Whatever comes until the server hangs up."""
    read = b""
    with suppress(ConnectionResetError):
        while piece := connection.recv(65_536):
            read += piece
    return read


def read_answer(connection: socket.socket) -> bytes:
    """One short answer, to its end."""
    read = b""
    while not read.endswith(b"0\r\n\r\n") and (piece := connection.recv(1_000)):
        read += piece
    return read


def test_a_head_that_never_ends_is_hung_up_on(guarded: Guarded) -> None:
    """Who begins a request and does not finish its head is told so (408) and cut off."""
    with guarded.connected() as connection:
        connection.sendall(REQUEST + b"X-Slow: ")
        assert read_all(connection).startswith(b"HTTP/1.1 408 ")


def test_a_byte_now_and_then_does_not_help(guarded: Guarded) -> None:
    """The time for a head counts from its first byte, however often another one comes."""
    with guarded.connected() as connection:
        connection.settimeout(0.02)
        said, sent = b"", 0
        while not said and sent < 1_000:
            with suppress(BrokenPipeError, ConnectionResetError):
                connection.send(REQUEST[sent : sent + 1] or b"x")
            sent += 1
            with suppress(TimeoutError):
                said = connection.recv(1_000)
        assert said.startswith(b"HTTP/1.1 408 ")


def test_who_only_connects_is_hung_up_on(guarded: Guarded) -> None:
    """A connection on which nothing is said at all ends as well."""
    with guarded.connected() as connection:
        assert read_all(connection).startswith(b"HTTP/1.1 408 ")


def test_an_idle_connection_cannot_be_kept_with_blank_lines(guarded: Guarded) -> None:
    """After an answer a connection may rest; bytes that begin no request do not keep it open for ever."""
    with guarded.connected() as connection:
        connection.sendall(REQUEST + b"\r\n")
        assert b"200 OK" in read_answer(connection)
        connection.sendall(b"\r\n")
        read_all(connection)


def test_a_second_request_has_its_time_as_well(guarded: Guarded) -> None:
    """On a connection that is kept, each request is served, and one that does not end is cut off."""
    with guarded.connected() as connection:
        for _ in range(2):
            connection.sendall(REQUEST + b"\r\n")
            assert b"200 OK" in read_answer(connection)
        connection.sendall(REQUEST)
        read_all(connection)


def test_a_head_that_is_too_large_is_refused(guarded: Guarded) -> None:
    """Headers without end cost no memory without end (431)."""
    with guarded.connected() as connection:
        connection.sendall(REQUEST)
        with suppress(BrokenPipeError, ConnectionResetError):
            for number in range(100):
                connection.sendall(f"X-{number}: {'x' * 100}\r\n".encode())
        assert read_all(connection).startswith(b"HTTP/1.1 431 ")


@pytest.mark.parametrize("before", [b"", REQUEST + b"\r\n"])
def test_a_large_head_in_one_packet_is_refused(guarded: Guarded, before: bytes) -> None:
    """The limit holds however the head arrives, also behind another request in the same packet; none is answered."""
    with guarded.connected() as connection:
        connection.sendall(before + REQUEST + b"X-Large: " + b"x" * 5_000 + b"\r\n\r\n")
        read = read_all(connection)

    assert read.startswith(b"HTTP/1.1 431 ") or (before and read.count(b"HTTP/1.1 ") <= 1)
    assert read.count(b"200 OK") <= bool(before)


def test_a_head_of_just_the_limit_is_served_with_a_large_body(guarded: Guarded) -> None:
    """What follows the head in the same packet does not count as part of it."""
    head = REQUEST.replace(b"GET", b"POST") + b"Content-Length: 50000\r\nX-Large: " + b"x" * 3_900 + b"\r\n\r\n"
    with guarded.connected() as connection:
        connection.sendall(head + b"y" * 50_000)
        assert b"200 OK" in read_answer(connection)


@pytest.mark.parametrize("second", [b"Host: 127.0.0.1", b"host: evil.example", b"HOST:"])
def test_two_hosts_are_refused(guarded: Guarded, second: bytes) -> None:
    """A request that names two hosts is answered with 400, whichever of them it means (RFC 9112)."""
    with guarded.connected() as connection:
        connection.sendall(REQUEST + second + b"\r\n\r\n")
        assert read_all(connection).startswith(b"HTTP/1.1 400 ")


def test_one_connection_too_many_is_told_to_come_back(guarded: Guarded) -> None:
    """When all places are taken the next one hears it at once (503), and those who have one are served."""
    held = [socket.create_connection(guarded.listener.getsockname()) for _ in range(LIMITS.connections_max)]
    try:
        wait_for(lambda: guarded.connections == LIMITS.connections_max, what="everybody to be connected")
        with guarded.connected() as connection:
            assert read_all(connection).startswith(b"HTTP/1.1 503 ")
        held[0].sendall(REQUEST + b"\r\n")
        assert b"200 OK" in read_answer(held[0])
    finally:
        for one in held:
            one.close()


def test_an_answer_that_nobody_reads_is_given_up(guarded: Guarded) -> None:
    """A client that asks for much and takes nothing is let go, with what was meant for it."""
    with guarded.connected() as connection:
        connection.sendall(REQUEST.replace(b"/", b"/much", 1) + b"\r\n")
        wait_for(lambda: guarded.connections == 1, what="it to be connected")
        wait_for(lambda: guarded.connections == 0, what="it to be let go")


def test_who_reads_slowly_is_served_to_the_end(guarded: Guarded) -> None:
    """A client that takes longer than the limit for everything, and keeps taking something, gets everything."""
    with guarded.connected() as connection:
        connection.sendall(REQUEST.replace(b"/", b"/much", 1) + b"Connection: close\r\n\r\n")
        read, last = 0, b""
        while piece := connection.recv(262_144):
            read, last = read + len(piece), (last + piece)[-20:]
            # It is the slowness that is tried here: about a second for all of it.
            time.sleep(0.01)
        assert read > 4 * len(PIECE)
        assert last.endswith(b"ok\r\n0\r\n\r\n")
