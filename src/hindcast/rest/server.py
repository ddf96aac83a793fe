"""Runs the HTTP face in this process until somebody stops it.

The port is taken before anything is opened, so that a second server fails at once and says why; whoever connects is
answered when everything behind it is ready. The first signal ends it in order: nobody new is let in, streams are told,
requests under way are finished, what was taken in is written. A second one cuts the waiting short, never the writing.
"""

from __future__ import annotations

import errno
import logging
import resource
import socket
import time
from collections.abc import Callable
from contextlib import closing, suppress
from types import FrameType

import uvicorn
from fastapi import FastAPI

from hindcast.access import Access
from hindcast.adapters.runtime import report_crashes, without_pandas
from hindcast.build.accounts import check_auth, public_url
from hindcast.build.running import Running, open_app
from hindcast.config import Settings
from hindcast.config.local_token import announce, local_link, token_file, withdraw
from hindcast.model.errors import HindcastError, Malformed, Unavailable
from hindcast.rest import create_app, guard
from hindcast.rest.logs import begin_logging

LOG = logging.getLogger("hindcast")

# Requests that wait for the disk get this long to be answered before the process ends.
GRACE_SECONDS = 5
# How often a store that is away is tried again, while somebody is willing to wait for it.
RETRY_SECONDS = 1.0
PROBE_SECONDS_MAX = 1.0
BACKLOG = 2_048


def run(
    settings: Settings,
    *,
    tell: Callable[[str], None],
    ready: Callable[[str], None] = lambda _: None,
    wait_seconds: float = 0,
) -> None:
    """Open everything, listen, and close everything again.

    `ready` hears of the moment from which it answers, and the token of this machine (empty where that opens nothing).
    Raises Unavailable when the port is taken, or a store does not answer within the time to wait for it.
    """
    check_auth(settings)
    begin_logging(settings)
    _allow_files()
    with closing(listening_socket(settings)) as listener, without_pandas():
        running = _opened(settings, wait_seconds)
        report_crashes()

        def told() -> None:
            tell(f"Hindcast listens on {url_of(settings)} (space {settings.space!r}). Ctrl-C stops it.")
            if settings.syslog_port:
                tell(f"Syslog over UDP and TCP on {settings.syslog_host}:{settings.syslog_port}.")
            access: Access = app.state.doorkeeper.access
            link = access.first_link(public_url(settings))
            if link is not None:
                tell(f"Nobody can sign in yet. The first admin begins here, once, within a day: {link}")
            token = access.token if access.is_open else ""
            if token:
                tell(f"Open it in a browser: {local_link(url_of(settings), token)}")
                announce(settings.port, token_file(settings))
            ready(token)

        # Where starting failed half-way, closing is left to us; where it did not, closing again does nothing.
        with closing(running):
            app = create_app(running, settings)
            server = Server(app, told)
            try:
                server.run(sockets=[listener])
            finally:
                withdraw(settings.port, token_file(settings))
        LOG.info("Hindcast has stopped.")


def url_of(settings: Settings) -> str:
    """Where it listens, as an address to open."""
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    return f"http://{host}:{settings.port}"


def _config(app: FastAPI) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=guard.protocol(guard.ConnectionLimits()),
        # Nobody is spoken to that way here; what would do it need not be loaded.
        ws="none",
        lifespan="off",
        log_config=None,
        access_log=False,
        server_header=False,
        # The sender's own limits apply; these only keep dead connections from piling up.
        timeout_keep_alive=75,
        timeout_graceful_shutdown=GRACE_SECONDS,
        backlog=BACKLOG,
    )


class Server(uvicorn.Server):
    """Uvicorn, with streams that are told of the end, and a second signal that hurries without losing anything.

    The application's life is run here and not by uvicorn: what goes wrong while it begins is an error like any other,
    and what has to be written at its end is written however much somebody hurries.
    """

    def __init__(self, app: FastAPI, ready: Callable[[], None]) -> None:
        super().__init__(_config(app))
        self._app = app
        self._ready = ready

    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        """From the beginning of the application to its end."""
        with self.capture_signals():
            async with self._app.router.lifespan_context(self._app):
                await self._serve(sockets)

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen, once everything behind it has begun."""
        await super().startup(sockets=sockets)
        self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """End in order: streams first, or everybody would wait for them."""
        self._app.state.live.end("Hindcast is stopping.")
        await super().shutdown(sockets=sockets)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:  # noqa: ARG002
        """Whichever signal, whoever sends it: the first asks, the second hurries."""
        self.force_exit = self.should_exit
        self.should_exit = True


def listening_socket(settings: Settings) -> socket.socket:
    """The port, ours from now on. Whoever connects before everything is ready waits for it."""
    try:
        found = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
    except OSError as error:
        raise Malformed(
            f"{settings.host!r} is no address of this machine: {error.strerror}.",
            field="host",
            remedy="Use 127.0.0.1 for this machine only, or 0.0.0.0 for all its addresses.",
        ) from error
    family, kind, protocol, _, address = found[0]
    listener = socket.socket(family, kind, protocol)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(address)
        # Two may bind it at the same moment; only listening settles who has it.
        listener.listen(BACKLOG)
    except OSError as error:
        listener.close()
        raise _not_ours(error, settings) from error
    return listener


def _not_ours(error: OSError, settings: Settings) -> HindcastError:
    where = f"{settings.host}:{settings.port}"
    if error.errno == errno.EADDRINUSE:
        return Unavailable(
            f"Port {settings.port} on {settings.host} is taken by {who_answers(settings)}.",
            field="port",
            remedy=f"Stop it, or listen elsewhere: --port {settings.port + 1}, or HINDCAST_PORT.",
        )
    if error.errno == errno.EACCES:
        return Malformed(
            f"This user may not listen on {where}.", field="port", remedy="Choose a port above 1023, such as 4318."
        )
    return Malformed(f"Cannot listen on {where}: {error.strerror}.", field="host", remedy="Correct host and port.")


def who_answers(settings: Settings) -> str:
    """Who has the port, as far as asking tells."""
    # Imported here: whoever gets the port never asks.
    import httpx

    try:
        answer = httpx.get(f"{url_of(settings)}/healthz", timeout=PROBE_SECONDS_MAX, trust_env=False)
        said = answer.json()
    except (httpx.HTTPError, ValueError):
        return "another program"
    is_ours = isinstance(said, dict) and {"status", "version"} <= said.keys()
    return f"another Hindcast (version {said['version']})" if is_ours else "another program"


def _opened(settings: Settings, wait_seconds: float) -> Running:
    """Everything opened and begun; a store that is away is waited for as long as somebody wants to."""
    until: float | None = None
    while True:
        try:
            return _begun(open_app(settings))
        except Unavailable as error:
            # Counted from the first refusal: opening takes its time, too.
            until = until if until is not None else time.monotonic() + wait_seconds
            if time.monotonic() >= until:
                raise
            LOG.warning("A store does not answer yet: %s", error)
            time.sleep(RETRY_SECONDS)


def _begun(running: Running) -> Running:
    try:
        running.app.begin()
    except BaseException:
        running.close()
        raise
    return running


def _allow_files() -> None:
    """Every stream is an open file, and the usual limit of 1,024 is meant for programs without any."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    if soft != hard:
        with suppress(ValueError, OSError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
