"""A real Hindcast in a process of its own, for tests that talk to it as a stranger would."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count, islice
from pathlib import Path
from typing import Any

import httpx

import hindcast
from hindcast.config.local_token import FILE, local_link, read_token

START_SECONDS_MAX = 60
STOP_SECONDS_MAX = 30


# Below what the system hands out to whoever connects, so that no connection takes a port between being found free and
# being listened on. Every process of a test run begins somewhere else and never gives the same port twice.
PORTS = range(12_000, 32_000)
_ports = count((os.getpid() * 97) % len(PORTS))


def free_port() -> int:
    """A port that nobody listens on, over TCP or UDP, and that this gives to nobody else."""
    for place in islice(_ports, len(PORTS)):
        port = PORTS[place % len(PORTS)]
        try:
            for kind in (socket.SOCK_STREAM, socket.SOCK_DGRAM):
                with socket.socket(type=kind) as probe:
                    probe.bind(("127.0.0.1", port))
        except OSError:
            continue
        return port
    raise OSError(f"No port of {PORTS} is free.")


@dataclass(frozen=True)
class AtThisMachine:
    """Proves to a server on a store that its tests are at its machine, in requests that prove nothing else."""

    token: Callable[[], str]

    def __call__(self, request: Any) -> Any:
        """A request with the token, where there is one and nothing says who asks."""
        is_proved = any(name in request.headers for name in ("Authorization", "X-Hindcast-Key", "Cookie"))
        token = "" if is_proved or request.url.path.startswith("/k/") else self.token()
        if token:
            request.headers["Authorization"] = f"Bearer {token}"
        return request


@dataclass
class Serving:
    """A running `hindcast serve`, and how to reach it."""

    process: subprocess.Popen[bytes]
    port: int
    syslog_port: int
    folder: Path

    @property
    def url(self) -> str:
        """Where it listens."""
        return f"http://127.0.0.1:{self.port}"

    @property
    def token(self) -> str:
        """What proves that somebody is at its machine; empty where that proves nothing."""
        return read_token(self.folder / "store" / FILE)

    @property
    def proof(self) -> dict[str, str]:
        """The same, as headers."""
        return {"X-Hindcast-Key": self.token} if self.token else {}

    @property
    def link(self) -> str:
        """What opens its pages in a browser, as its start prints it; empty where it prints none."""
        return local_link(self.url, self.token) if self.token else ""

    def client(self) -> httpx.Client:
        """An HTTP client for it, of somebody at its machine."""
        return httpx.Client(base_url=self.url, auth=AtThisMachine(lambda: self.token), timeout=30, trust_env=False)

    def get(self, path: str) -> Any:
        """What it answers to a GET, decoded."""
        with self.client() as client:
            return client.get(path).raise_for_status().json()

    def kill(self) -> None:
        """End it as a power cut would."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait(STOP_SECONDS_MAX)

    def stop(self) -> None:
        """End it as a person would."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
            try:
                self.process.wait(STOP_SECONDS_MAX)
            except subprocess.TimeoutExpired:
                self.kill()


def start(folder: Path, **settings: str) -> Serving:
    """Start one on a store in a folder, and wait until it answers."""
    port, syslog_port = free_port(), free_port()
    environment = {
        **os.environ,
        # The very package that is tested, wherever the server runs: paths may be relative.
        "PYTHONPATH": str(Path(hindcast.__file__).resolve().parents[1]),
        "HINDCAST_STORE": str(folder / "store"),
        "HINDCAST_ACTOR": "test",
        "HINDCAST_MODEL": "none",
        "HINDCAST_CONFIG": os.devnull,
        **{f"HINDCAST_{name.upper()}": value for name, value in settings.items()},
    }
    command = [sys.executable, "-m", "hindcast", "serve", "--port", str(port), "--syslog-port", str(syslog_port)]
    log = (folder / "serve.log").open("ab")
    process = subprocess.Popen(command, env=environment, stdout=log, stderr=log, cwd=folder)
    log.close()
    serving = Serving(process, port, syslog_port, folder)
    wait_for(lambda: _answers(serving), what=f"{folder / 'serve.log'} says why it does not answer")
    return serving


def _answers(serving: Serving) -> bool:
    assert serving.process.poll() is None, (serving.folder / "serve.log").read_text()
    try:
        return bool(httpx.get(f"{serving.url}/readyz", timeout=2, trust_env=False).is_success)
    except httpx.HTTPError:
        return False


@contextmanager
def serving(folder: Path, **settings: str) -> Iterator[Serving]:
    """One that is stopped in the end."""
    running = start(folder, **settings)
    try:
        yield running
    finally:
        running.stop()


def wait_for(condition: Callable[[], Any], *, what: str, seconds_max: float = START_SECONDS_MAX) -> Any:
    """What a condition gives once it holds; an error that says what was waited for when it never does."""
    deadline = time.monotonic() + seconds_max
    while not (found := condition()):
        assert time.monotonic() < deadline, f"Waited {seconds_max} s in vain: {what}"
        time.sleep(0.05)
    return found
