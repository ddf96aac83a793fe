"""`hindcast demo`: a running Hindcast, seven simulated services, and an outage to watch."""

from __future__ import annotations

import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from hindcast.cli.session import Session

QUIET_SECONDS = 5


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
    for line in (
        f"Seven services begin to log in a moment; {scenario} follows after two minutes.",
        f"  watch    curl -N {url}/api/v1/stream",
        f"  look     hindcast --store {folder} --space demo incidents list",
        f"  break    hindcast inject bad-deploy --service payment --to {url}",
        f"  status   {url}/api/v1/status   API  {url}/docs",
        "  story    python examples/production_debugging.py   (versioned memory, in a minute)",
    ):
        session.hint(line)
    command = [sys.executable, "-m", "hindcast.cli.demo", url, scenario, str(rate)]
    simulator = subprocess.Popen(command)
    try:
        run(settings, tell=session.hint)
    finally:
        simulator.terminate()
        simulator.wait()


def _simulate(url: str, scenario: str, rate: str) -> int:
    """Wait until somebody listens, then let the simulator send until it is stopped."""
    import time

    import httpx

    from hindcast.cli import run

    while True:
        try:
            httpx.get(f"{url}/health", timeout=2, trust_env=False)
        except httpx.HTTPError:
            time.sleep(0.5)
        else:
            break
    return run(["simulate", "--scenario", scenario, "--rate", rate, "--to", url, "--space", "demo", "--for", "1h"])


if __name__ == "__main__":
    try:
        sys.exit(_simulate(*sys.argv[1:]))
    except KeyboardInterrupt:
        sys.exit(0)
