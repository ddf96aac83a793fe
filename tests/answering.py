"""A Hindcast in this process that answers on a real socket: for tests of connections, clocks and stores that fail."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import httpx
import uvicorn
from fastapi import FastAPI
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from tests.serving import AtThisMachine, wait_for

from hindcast.access import Access
from hindcast.build.accounts import open_accounts
from hindcast.build.running import Running, open_app
from hindcast.client import Hindcast
from hindcast.config import Settings
from hindcast.ports import Clock
from hindcast.rest import create_app, guard
from hindcast.rest.listening import LiveLimits
from hindcast.rest.live import Live

# Long enough for a machine that does other things, too; what is waited for comes much sooner.
SECONDS_MAX = 30
# Rights are looked at again more often than in life, so that a test need not wait.
LIMITS = LiveLimits(check_seconds=0.1, expiry_seconds=0.2, beat_seconds=0.5)


PROTOBUF = {"Content-Type": "application/x-protobuf"}


def otlp(name: str, *messages: str, level: int = 9) -> bytes:
    """Lines of one service, as an exporter sends them."""
    request = ExportLogsServiceRequest()
    resource = request.resource_logs.add()
    resource.resource.attributes.append(KeyValue(key="service.name", value=AnyValue(string_value=name)))
    scope = resource.scope_logs.add()
    for message in messages:
        record = scope.log_records.add(time_unix_nano=time.time_ns(), severity_number=level)
        record.body.string_value = message
    return bytes(request.SerializeToString())


@dataclass
class Answering:
    """The application, what it stands on, and where it listens."""

    app: FastAPI
    running: Running
    access: Access
    port: int
    _open: list[socket.socket] = field(default_factory=list)

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def live(self) -> Live:
        """The live stream itself."""
        live: Live = self.app.state.live
        return live

    @property
    def proof(self) -> dict[str, str]:
        """What proves that somebody is at its machine, as headers."""
        return {"X-Hindcast-Key": self.access.token} if self.access.token else {}

    def head(self, path: str, **headers: str) -> bytes:
        """The head of a GET, of somebody at its machine unless the headers say who asks."""
        proof = {} if {"Authorization", "Cookie"} & headers.keys() else self.proof
        lines = "".join(f"{name}: {value}\r\n" for name, value in {**proof, **headers}.items())
        return f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{lines}\r\n".encode()

    def client(self, **named: Any) -> Hindcast:
        """Somebody who asks."""
        return Hindcast(self.url, **{"key": self.access.token, **named})

    def post(self, path: str, content: bytes, **headers: str) -> httpx.Response:
        """Send something."""
        url, auth = f"{self.url}{path}", AtThisMachine(lambda: self.access.token)
        return httpx.post(url, content=content, headers=headers, auth=auth, timeout=SECONDS_MAX, trust_env=False)

    def connect(self, said: bytes = b"", *, receive_bytes: int | None = None) -> socket.socket:
        """A connection of one's own, on which something was said; closed in the end."""
        made = socket.socket()
        self._open.append(made)
        if receive_bytes is not None:
            made.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_bytes)
        made.settimeout(SECONDS_MAX)
        made.connect(("127.0.0.1", self.port))
        made.sendall(said)
        return made

    def listen(self, query: str = "", **headers: str) -> Ears:
        """Listen to the live stream on a connection of one's own."""
        return Ears(self.connect(self.head(f"/api/v1/live?{query}", **headers)))

    def hang_up(self) -> None:
        """Close every connection that a test left."""
        for one in self._open:
            one.close()
        self._open.clear()


@dataclass
class Ears:
    """Hears one stream, as bytes."""

    connection: socket.socket
    heard: bytes = b""

    def until(self, wanted: bytes) -> bytes:
        """Listen until something is said; everything heard so far. Fails when the stream ends before."""
        while wanted not in self.heard:
            more = self.connection.recv(65_536)
            assert more, f"It ended without {wanted!r}: {self.heard[-500:]!r}"
            self.heard += more
        return self.heard

    def told(self, kind: str, wanted: Callable[[Any], object] = bool) -> Any:
        """The data of the first event of a kind that is as wanted, waited for."""
        while True:
            for found in self.events(kind):
                if wanted(found):
                    return found
            more = self.connection.recv(65_536)
            assert more, f"It ended without {kind}: {self.heard[-500:]!r}"
            self.heard += more

    def events(self, kind: str) -> list[Any]:
        """The data of every whole event of a kind that was heard so far."""
        blocks = self.heard.decode().replace("\r\n", "\n").split("\n\n")[:-1]
        named = [dict(line.partition(": ")[::2] for line in block.split("\n") if ": " in line) for block in blocks]
        return [json.loads(one["data"]) for one in named if one.get("event") == kind]

    def to_the_end(self) -> bytes:
        """Listen until the other side ends it."""
        while more := self.connection.recv(65_536):
            self.heard += more
        return self.heard


@contextmanager
def answering(
    folder: Path,
    *,
    clock: Clock | None = None,
    limits: LiveLimits = LIMITS,
    head_seconds_max: float = 10,
    **settings: Any,
) -> Iterator[Answering]:
    """One that is stopped in the end. Nobody at this machine has to say who they are, unless a setting says so."""
    chosen = Settings(
        **{"store": str(folder / "store"), "model": "none", "actor": "ana", "auth": "open", "mode": "demo", **settings}
    )
    access = open_accounts(chosen, clock=clock)
    running = open_app(chosen, clock=clock)
    app = create_app(running, chosen, access)
    app.state.live.limits = limits
    listener = socket.create_server(("127.0.0.1", 0), backlog=2_048)
    protocol = guard.protocol(guard.ConnectionLimits(head_seconds_max=head_seconds_max))
    server = uvicorn.Server(uvicorn.Config(app, http=protocol, log_config=None, timeout_graceful_shutdown=2))
    thread = threading.Thread(target=lambda: asyncio.run(server.serve(sockets=[listener])), daemon=True)
    thread.start()
    made = Answering(app, running, access, listener.getsockname()[1])
    try:
        wait_for(lambda: server.started or not thread.is_alive(), what="the server to start")
        yield made
    finally:
        made.hang_up()
        app.state.live.end("the test is over")
        server.should_exit = True
        thread.join(SECONDS_MAX)
        assert not thread.is_alive(), "the server did not stop"
