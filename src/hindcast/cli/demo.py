"""`hindcast demo`: a running Hindcast, seven simulated services, and an outage to watch."""

from __future__ import annotations

import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from hindcast.cli.session import Session

POLL_SECONDS = 0.5


def demo(
    session: Session,
    scenario: Annotated[
        str, typer.Option("--scenario", metavar="NAME", help="What goes wrong; `hindcast simulate --list` tells.")
    ] = "pool-exhaustion",
    port: Annotated[int, typer.Option("--port", help="Where to listen.")] = 4318,
    rate: Annotated[int, typer.Option("--rate", metavar="N", help="Log lines a second.")] = 200,
    folder: Annotated[
        Path, typer.Option("--folder", help="Where the demo keeps what it learns; delete it to begin anew.")
    ] = Path(".demo"),
) -> None:
    """Start Hindcast with its embedded engines and the simulator, and say what to look at.

    The simulator speaks real OTLP to the real port. After two quiet minutes something breaks, spreads, and recovers.
    """
    from hindcast.rest.server import run

    settings = replace(session.settings, store=str(folder.resolve()), port=port, space="demo", telemetry="")
    url = f"http://{settings.host}:{port}"
    # As it was called, so that what is printed can be pasted.
    program = sys.argv[0]
    for line in (
        f"Seven services begin to log in a moment; {scenario} follows after two minutes.",
        f"  watch    curl -N {url}/api/v1/stream",
        f"  look     {program} --store {folder} --space demo incidents list",
        f"  break    {program} --space demo inject bad-deploy --service payment --to {url}",
        f"  status   {url}/api/v1/status   API  {url}/docs",
        f"  story    {sys.executable} examples/production_debugging.py   (versioned memory, in a minute)",
    ):
        session.hint(line)
    command = [sys.executable, "-m", "hindcast", "simulate", "--scenario", scenario, "--rate", str(rate), "--for", "1h"]
    simulator = _Simulator([*command, "--to", url, "--space", "demo"], url)
    simulator.start()
    try:
        run(settings, tell=session.hint)
    finally:
        simulator.stop()


class _Simulator(threading.Thread):
    """Waits until somebody listens, then lets the simulator send until it is stopped."""

    def __init__(self, command: list[str], url: str) -> None:
        super().__init__(daemon=True)
        self._command = command
        self._url = url
        self._process: subprocess.Popen[bytes] | None = None
        self._stopping = threading.Event()

    def run(self) -> None:
        """Wait, then send."""
        import httpx

        while not self._stopping.wait(POLL_SECONDS):
            with suppress(httpx.HTTPError):
                httpx.get(f"{self._url}/health", timeout=2, trust_env=False)
                self._process = subprocess.Popen(self._command)
                return

    def stop(self) -> None:
        """Send no more."""
        self._stopping.set()
        self.join()
        if self._process is not None:
            self._process.terminate()
            self._process.wait()
