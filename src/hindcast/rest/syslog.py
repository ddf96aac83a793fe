"""Syslog over UDP and TCP on one port.

Syslog knows no acknowledgement. Over TCP a sender is slowed down: nothing more is read from it until what it sent is
durable. Over UDP whatever cannot be taken is lost, and counted.
"""

from __future__ import annotations

import asyncio
import logging

from hindcast.app import App
from hindcast.ingest import syslog
from hindcast.model.errors import HindcastError, Unavailable
from hindcast.model.ingest_limits import IngestLimits
from hindcast.rest.arrivals import Arrivals

LOG = logging.getLogger("hindcast")

READ_BYTES_MAX = 262_144
# Datagrams that arrive within this time are taken together.
GATHER_SECONDS = 0.05
DATAGRAMS_WAITING_MAX = 50_000
RETRY_SECONDS = 1.0
# What it is counted as among the ways in.
WAY = "syslog"


class SyslogServer:
    """Listens from start to stop."""

    def __init__(self, app: App, limits: IngestLimits, arrivals: Arrivals) -> None:
        self._app = app
        self._arrivals = arrivals
        self._limits = limits
        self._datagrams: list[tuple[bytes, str]] = []
        self._server: asyncio.Server | None = None
        self._transport: asyncio.DatagramTransport | None = None
        self._flushing: asyncio.Task[None] | None = None
        self._connections: set[asyncio.Task[None]] = set()

    async def start(self, host: str, port: int) -> None:
        """Begin to listen on both transports."""
        loop = asyncio.get_running_loop()
        self._server = await asyncio.start_server(self._converse, host, port, limit=READ_BYTES_MAX)
        self._transport, _ = await loop.create_datagram_endpoint(lambda: _Datagrams(self), local_addr=(host, port))
        self._flushing = asyncio.create_task(self._flush_often())

    async def stop(self) -> None:
        """Listen no more; what has been read is still taken."""
        if self._server is not None:
            self._server.close()
        if self._transport is not None:
            self._transport.close()
        if self._flushing is not None:
            self._flushing.cancel()
        for task in self._connections:
            task.cancel()
        await asyncio.gather(*self._connections, return_exceptions=True)
        await self._flush()

    async def _converse(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        if task is not None:
            self._connections.add(task)
        peer = str((writer.get_extra_info("peername") or ("",))[0])
        framer = syslog.Framer(self._limits)
        try:
            while data := await reader.read(READ_BYTES_MAX):
                await self._take_patiently(framer.feed(data), peer)
            await self._take_patiently(framer.flush(), peer)
        except (ConnectionError, asyncio.CancelledError):
            self._app.counts["syslog_disconnected"] += 1
        finally:
            if task is not None:
                self._connections.discard(task)
            writer.close()

    async def _take_patiently(self, messages: list[bytes], peer: str) -> None:
        """Take messages, however long the store needs: the sender waits meanwhile."""
        while messages:
            try:
                await self._take(messages, peer)
            except Unavailable:
                self._app.counts["syslog_waited"] += 1
                await asyncio.sleep(RETRY_SECONDS)
            else:
                return

    async def _take(self, messages: list[bytes], peer: str) -> None:
        parsed = syslog.parse(messages, self._limits, arrived=self._app.now(), peer=peer)
        await asyncio.wrap_future(self._app.take(parsed))
        self._arrivals.took(self._app.space, WAY, parsed)

    def hear(self, message: bytes, peer: str) -> None:
        """One datagram came."""
        if len(self._datagrams) >= DATAGRAMS_WAITING_MAX:
            self._app.counts["syslog_lost"] += 1
        else:
            self._datagrams.append((message, peer))

    async def _flush_often(self) -> None:
        while True:
            await asyncio.sleep(GATHER_SECONDS)
            await self._flush()

    async def _flush(self) -> None:
        waiting, self._datagrams = self._datagrams, []
        by_peer: dict[str, list[bytes]] = {}
        for message, peer in waiting:
            by_peer.setdefault(peer, []).append(message)
        for peer, messages in by_peer.items():
            try:
                await self._take(messages, peer)
            except HindcastError as error:
                self._app.counts["syslog_lost"] += len(messages)
                self._arrivals.refused(self._app.space, WAY, error, count=len(messages))
                LOG.warning("%d syslog datagrams were lost: %s", len(messages), error)


class _Datagrams(asyncio.DatagramProtocol):
    """Hands datagrams on."""

    def __init__(self, server: SyslogServer) -> None:
        self._server = server

    def datagram_received(self, data: bytes, addr: tuple[str, int]) -> None:
        """One came."""
        self._server.hear(data, addr[0])
