"""A tunnel for a library that connects by itself: it leads only to addresses that were judged, for so long and so much.

Git's library resolves names and follows redirects on its own. Given this as its proxy, it has to ask for every
connection; what it asks for is judged at that moment, and the connection goes to the address that was judged.
"""

from __future__ import annotations

import selectors
import socket
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from types import TracebackType
from typing import Self

from hindcast.adapters.outbound import Outbound
from hindcast.model.errors import HindcastError, Refused, Unavailable

HEAD_BYTES_MAX = 8_192
PIECE_BYTES = 65_536
CONNECT_SECONDS_MAX = 10.0
CONNECTIONS_MAX = 8
END_SECONDS_MAX = 1.0
# How often a connection that is quiet looks at the clock.
_LOOK_SECONDS = 0.25


class Tunnel:
    """Open within `with`; `problem` says afterwards why it refused or ended something."""

    def __init__(
        self, guard: Outbound, *, bytes_max: int, seconds_max: float, seconds: Callable[[], float] = time.monotonic
    ) -> None:
        self._guard = guard
        self._bytes_left, self._bytes_max = bytes_max, bytes_max
        self._seconds, self._seconds_max = seconds, seconds_max
        self._until = seconds() + seconds_max
        self._turn = threading.Lock()
        self._is_over = False
        self._open: set[socket.socket] = set()
        self._threads: list[threading.Thread] = []
        self.problem: HindcastError | None = None

    def __enter__(self) -> Self:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._start(self._accept)
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._end()
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for thread in self._threads:
            # One may still ask the system for a name's addresses, which nobody can cut short.
            thread.join(END_SECONDS_MAX)

    @property
    def url(self) -> str:
        """Where it is, as a proxy's address."""
        return f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def check_time(self) -> None:
        """Raise Unavailable once its time is over."""
        if self._seconds() > self._until:
            raise self.late()

    def _start(self, run: Callable[[], None]) -> None:
        thread = threading.Thread(target=run, name="tunnel", daemon=True)
        self._threads.append(thread)
        thread.start()

    def _accept(self) -> None:
        while True:
            try:
                caller, _ = self._listener.accept()
            except OSError:
                return
            with self._turn:
                if self._is_over or len(self._open) >= 2 * CONNECTIONS_MAX:
                    caller.close()
                    continue
                self._open.add(caller)
            self._start(lambda caller=caller: self._serve(caller))  # type: ignore[misc]

    def _serve(self, caller: socket.socket) -> None:
        far: socket.socket | None = None
        try:
            caller.settimeout(CONNECT_SECONDS_MAX)
            host, port, rest = _asked(caller)
            far = self._connect(host, port)
            caller.sendall(b"HTTP/1.1 200 Connection established\r\n\r\n")
            far.sendall(rest)
            self._pass(caller, far)
        except HindcastError as error:
            self._note(error)
            with suppress(OSError):
                caller.sendall(b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\nConnection: close\r\n\r\n")
        except OSError:
            # One of both has hung up, or this has ended: whoever is left finds out by itself.
            pass
        finally:
            self._close(caller)
            if far is not None:
                self._close(far)

    def _connect(self, host: str, port: int) -> socket.socket:
        trouble: OSError | None = None
        for address in self._guard.addresses(host, port, field="url"):
            try:
                far = socket.create_connection((address, port), timeout=CONNECT_SECONDS_MAX)
            except OSError as error:
                trouble = error
                continue
            with self._turn:
                self._open.add(far)
            return far
        raise Unavailable(f"{host} does not answer.", field="url", remedy="Try again later.") from trouble

    def _pass(self, caller: socket.socket, far: socket.socket) -> None:
        """Carry bytes both ways until one side ends."""
        with selectors.DefaultSelector() as ready:
            ready.register(caller, selectors.EVENT_READ, far)
            ready.register(far, selectors.EVENT_READ, caller)
            while True:
                self.check_time()
                for key, _ in ready.select(_LOOK_SECONDS):
                    source = key.fileobj
                    assert isinstance(source, socket.socket)
                    piece = source.recv(PIECE_BYTES)
                    if not piece:
                        return
                    if source is far:
                        self._count(len(piece))
                    key.data.sendall(piece)

    def _count(self, size: int) -> None:
        with self._turn:
            self._bytes_left -= size
            is_too_much = self._bytes_left < 0
        if is_too_much:
            raise Refused(
                f"The repository is larger than {self._bytes_max} bytes.",
                field="url",
                remedy="Upload the part that matters, or register a clone of your own by its path.",
            )

    def late(self) -> Unavailable:
        """It took too long."""
        return Unavailable(
            f"It took longer than {self._seconds_max:g} s.",
            field="url",
            remedy="Try again later, or register a clone of your own by its path.",
        )

    def _note(self, error: HindcastError) -> None:
        with self._turn:
            self.problem = self.problem or error

    def _end(self) -> None:
        with self._turn:
            self._is_over = True
            held = tuple(self._open)
        for one in held:
            with suppress(OSError):
                one.shutdown(socket.SHUT_RDWR)

    def _close(self, one: socket.socket) -> None:
        with self._turn:
            self._open.discard(one)
        one.close()


def _asked(caller: socket.socket) -> tuple[str, int, bytes]:
    """Where somebody wants to be connected to. Anything but CONNECT would be plain text on the network."""
    head = b""
    while b"\r\n\r\n" not in head:
        piece = caller.recv(PIECE_BYTES)
        head += piece
        if not piece or len(head) > HEAD_BYTES_MAX:
            raise OSError("no request")
    line, _, rest = head.partition(b"\r\n\r\n")
    method, _, target = line.partition(b"\r\n")[0].partition(b" ")
    host, _, port = target.partition(b" ")[0].decode("latin-1").rpartition(":")
    if method != b"CONNECT" or not port.isdigit() or not host:
        raise Refused(
            "The repository leads to an address without https.", field="url", remedy="Give an address with https."
        )
    return host, int(port), rest
