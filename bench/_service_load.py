"""Cheap clients for the service benchmark: requests made beforehand, sent over plain sockets at a fixed pace."""

from __future__ import annotations

import asyncio
import json
import socket
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

ANSWER_SECONDS_MAX = 60
SLEEP_SECONDS = 0.005


def framed(method: str, path: str, port: int, body: bytes = b"", *, token: str = "") -> bytes:
    """The bytes of a whole HTTP request of somebody at this machine."""
    head = f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
    head += f"X-Hindcast-Key: {token}\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


def answered(connection: socket.socket) -> tuple[int, bytes]:
    """One answer, whole: its status and its body."""
    received = b""
    while b"\r\n\r\n" not in received:
        piece = connection.recv(262_144)
        assert piece, "the server closed the connection"
        received += piece
    head, _, body = received.partition(b"\r\n\r\n")
    lengths = [line for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")]
    length = int(lengths[0].partition(b":")[2])
    while len(body) < length:
        body += connection.recv(262_144)
    return int(head.split(b" ", 2)[1]), body


def paced(port: int, requests: Sequence[bytes], *, seconds: float, per_second: float, connections: int) -> list[float]:
    """Seconds from when each request was due to its answer: a server that stalls is charged for all who wait."""
    taken: list[float] = []
    begin = time.perf_counter() + 0.1

    def work(number: int) -> None:
        with socket.create_connection(("127.0.0.1", port), timeout=ANSWER_SECONDS_MAX) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            turn = number
            while (due := begin + turn / per_second) < begin + seconds:
                if (wait := due - time.perf_counter()) > 0:
                    time.sleep(wait)
                connection.sendall(requests[turn % len(requests)])
                status, body = answered(connection)
                assert status == 200, body[:500]
                taken.append(time.perf_counter() - due)
                turn += connections

    threads = [threading.Thread(target=work, args=(number,)) for number in range(connections)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return taken


class Sleeper:
    """Wakes every few milliseconds and notes how late: a stall that it sees as well is the machine's."""

    def __init__(self) -> None:
        self._worst = 0.0
        threading.Thread(target=self._sleep, daemon=True).start()

    def _sleep(self) -> None:
        while True:
            begin = time.perf_counter()
            time.sleep(SLEEP_SECONDS)
            self._worst = max(self._worst, time.perf_counter() - begin - SLEEP_SECONDS)

    def worst_ms(self) -> float:
        """How late it woke at the worst since it was asked last."""
        worst, self._worst = self._worst, 0.0
        return worst * 1e3


class Crowd:
    """Many listeners of the live stream in one event loop; each notes when it heard of what."""

    def __init__(self, port: int, space: str, count: int, token: str) -> None:
        self._request = framed("GET", f"/api/v1/live?space={space}&kinds=incident,answer", port, token=token)
        self._port = port
        self.connected = 0
        # By (kind, incident): when each listener heard of it first.
        self.heard: dict[tuple[str, str], list[float]] = {}
        # When the server said that an incident began to be one.
        self.opened_at: dict[str, str] = {}
        self.services: dict[str, str] = {}
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(
            target=self._loop.run_until_complete, args=(self._listen_all(count),), daemon=True
        )
        self._thread.start()

    async def _listen_all(self, count: int) -> None:
        await asyncio.gather(*(self._listen() for _ in range(count)), return_exceptions=True)

    async def _listen(self) -> None:
        reader, writer = await asyncio.open_connection("127.0.0.1", self._port, limit=1 << 20)
        writer.write(self._request)
        await reader.readuntil(b"\r\n\r\n")
        self.connected += 1
        kind, known = "", set[tuple[str, str]]()
        while line := await reader.readline():
            now = time.time()
            if line.startswith(b"event: "):
                kind = line[7:].strip().decode()
            elif line.startswith(b"data: ") and kind in ("incident", "answer"):
                self._note(kind, line[6:], now, known)

    def _note(self, kind: str, data: bytes, now: float, known: set[tuple[str, str]]) -> None:
        # Reading the JSON five hundred times would measure this reader; the id is all that most of them need.
        at = data.find(b'"id":"' if kind == "incident" else b'"incident":"')
        begin = data.index(b'":"', at) + 3
        name = data[begin : data.index(b'"', begin)].decode()
        key = (kind, name)
        if key in known:
            return
        known.add(key)
        if kind == "incident" and name not in self.opened_at:
            told = json.loads(data)
            self.opened_at[name] = told["at"]
            self.services[told["incident"]["affected"][0]["service"]] = name
        self.heard.setdefault(key, []).append(now)


def with_children(pid: int) -> list[int]:
    """A process, and those that it has started and that still run."""
    found = Path(f"/proc/{pid}/task").glob("*/children")
    return [pid, *(int(child) for file in found for child in file.read_text().split())]


def resident_mb(pid: int) -> float:
    """What a process and its children hold in memory, in megabytes as `ps` and `top` count them."""
    return sum(_resident_mb(one) for one in with_children(pid))


def _resident_mb(pid: int) -> float:
    for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
        if line.startswith("Rss:"):
            return int(line.split()[1]) / 1024
    return float("nan")


def processor_seconds(pid: int) -> float:
    """What a process and its children have used of the processors so far."""
    used = 0
    for one in with_children(pid):
        fields = Path(f"/proc/{one}/stat").read_text().rpartition(")")[2].split()
        used += int(fields[11]) + int(fields[12])
    return used / 100


def withheld_seconds() -> float:
    """What this machine wanted of its processors and was not given so far, because others on the same host were."""
    return int(Path("/proc/stat").read_text().split(maxsplit=9)[8]) / 100


def waited(condition: Callable[[], bool], seconds_max: float) -> bool:
    """Whether a condition came to hold in time."""
    deadline = time.monotonic() + seconds_max
    while not condition():
        if time.monotonic() > deadline:
            return False
        time.sleep(0.02)
    return True
