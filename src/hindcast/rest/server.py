"""Runs the HTTP face in this process until somebody stops it."""

from __future__ import annotations

import logging
from collections.abc import Callable
from contextlib import closing, suppress

import uvicorn

from hindcast.build.running import open_app
from hindcast.config import Settings
from hindcast.rest import create_app

# Requests that wait for the disk get this long to be answered before the process ends.
GRACE_SECONDS = 5


def run(settings: Settings, *, tell: Callable[[str], None]) -> None:
    """Open everything, listen, and close everything again."""
    logging.basicConfig(level=logging.WARNING, format="%(asctime)s %(levelname)s %(name)s %(message)s")
    running = open_app(settings)
    tell(f"Hindcast listens on http://{settings.host}:{settings.port} (space {settings.space!r}). Ctrl-C stops it.")
    if settings.syslog_port:
        tell(f"Syslog over UDP and TCP on port {settings.syslog_port}.")
    # A second Ctrl-C cuts the farewell short: then closing is left to us, and nobody needs a traceback.
    with closing(running), suppress(KeyboardInterrupt):
        uvicorn.run(
            create_app(running, settings),
            host=settings.host,
            port=settings.port,
            log_level="warning",
            access_log=False,
            # The sender's own limits apply; these only keep dead connections from piling up.
            timeout_keep_alive=75,
            timeout_graceful_shutdown=GRACE_SECONDS,
        )
