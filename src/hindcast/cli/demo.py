"""`hindcast demo`: a running Hindcast with a year of history, one outage told twice, and seven services to watch."""

from __future__ import annotations

import signal
import subprocess
import sys
import threading
from contextlib import suppress
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from hindcast.cli import rounds
from hindcast.cli.session import Session
from hindcast.model.errors import HindcastError

if TYPE_CHECKING:
    from collections.abc import Callable

    from hindcast.config import Settings

SPACE = "demo"
POLL_SECONDS = 0.5
QUESTION = "ConnectionResetError: [Errno 104] Connection reset by peer"


class Part(StrEnum):
    """What of the demo is wanted."""

    RUN = "run"
    SEED = "seed"


def demo(
    session: Session,
    part: Annotated[
        Part, typer.Argument(help="`run` everything, or only `seed` a memory with a year of history.")
    ] = Part.RUN,
    scenario: Annotated[
        str, typer.Option("--scenario", metavar="NAME", help="What goes wrong; `hindcast simulate --list` tells.")
    ] = "pool-exhaustion",
    port: Annotated[int, typer.Option("--port", help="Where to listen.")] = 4318,
    rate: Annotated[int, typer.Option("--rate", metavar="N", help="Log lines a second.")] = 200,
    folder: Annotated[
        Path, typer.Option("--folder", help="Where the demo keeps what it learns; delete it to begin anew.")
    ] = Path(".demo"),
    rounds_only: Annotated[bool, typer.Option("--rounds-only", help="Stop after the two rounds.")] = False,
) -> None:
    """Start Hindcast with its embedded engines, and show one outage twice: without memory, and with it.

    The Redis outage of six weeks ago happens again through the real port, in a space whose memory is empty and in one
    with a year of history. Then the simulator goes on; after two quiet minutes something breaks, spreads, and recovers.

    `hindcast demo seed` only writes that year of history, into the space `demo` of your store unless you name another.
    """
    if part is Part.SEED:
        _seed(session, replace(session.settings, space=session.space or SPACE))
        return
    from hindcast.rest.server import run

    settings = replace(session.settings, store=str(folder.resolve()), port=port, space=SPACE, telemetry="")
    _seed(session, settings)
    url = f"http://{settings.host}:{port}"
    # As it was called, so that what is printed can be pasted.
    program = sys.argv[0]
    command = [sys.executable, "-m", "hindcast", "simulate", "--scenario", scenario, "--rate", str(rate), "--for", "1h"]

    def after_rounds() -> None:
        for line in (
            "",
            f"Seven services begin to log in a moment; {scenario} follows after two minutes.",
            f'  ask      {program} --store {folder} --space {SPACE} recall "{QUESTION}"',
            f"  watch    curl -N {url}/api/v1/live",
            f"  look     {program} --store {folder} --space {SPACE} incident list",
            f"  break    {program} --space {SPACE} inject bad-deploy --service payment --to {url}",
            f"  status   {url}/api/v1/status   API  {url}/docs",
            f"  story    {sys.executable} examples/production_debugging.py   (versioned memory, in a minute)",
        ):
            session.hint(line)

    story = _Story(session, url, [] if rounds_only else [*command, "--to", url, "--space", SPACE], after_rounds)
    story.start()
    try:
        run(settings, tell=session.hint)
    finally:
        story.stop()
    if story.failure is not None:
        raise story.failure


def _seed(session: Session, settings: Settings) -> None:
    from hindcast.build import open_memory
    from hindcast.seeding import seed

    memory = open_memory(settings)
    try:
        with session.progress("Seeding") as progress:
            seeded = seed(memory, now=session.now(), progress=progress)
    finally:
        memory.close()
    session.hint(
        f"{seeded.cases} resolved incidents and {seeded.runbooks} runbooks were written to space {settings.space!r}."
        if seeded.cases or seeded.runbooks
        else f"The history is there already, in space {settings.space!r}."
    )


class _Story(threading.Thread):
    """Waits until somebody listens, plays the two rounds, then lets the simulator send until it is stopped."""

    def __init__(self, session: Session, url: str, command: list[str], after_rounds: Callable[[], None]) -> None:
        super().__init__(daemon=True)
        self._session = session
        self._url = url
        # Empty: nothing follows the rounds.
        self._command = command
        self._after_rounds = after_rounds
        self._process: subprocess.Popen[bytes] | None = None
        self._stopping = threading.Event()
        self.failure: Exception | None = None

    def run(self) -> None:
        """Wait, tell the rounds, then send."""
        import httpx

        while not self._stopping.wait(POLL_SECONDS):
            with suppress(httpx.HTTPError):
                httpx.get(f"{self._url}/health", timeout=2, trust_env=False)
                break
        if self._stopping.is_set():
            return
        try:
            self._tell_rounds()
        except (HindcastError, httpx.HTTPError) as error:
            # The command tells it again when it ends, by its exit code.
            self.failure = error
            self._session.hint(f"The two rounds could not be played: {error}")
        finally:
            if not self._command:
                # As Ctrl-C would: the server runs in this very process.
                signal.raise_signal(signal.SIGINT)
        if self._command and not self._stopping.is_set():
            self._after_rounds()
            self._process = subprocess.Popen(self._command)

    def _tell_rounds(self) -> None:
        session = self._session
        session.hint("The Redis outage of six weeks ago happens again, twice …")
        begun = session.now()
        # A space of its own for every run: what the last run left there would be a memory.
        first = rounds.play(self._url, f"empty-{begun:%Y%m%d-%H%M%S}", now=session.now, seed=1)
        second = rounds.play(self._url, SPACE, now=session.now, seed=2)
        session.out.print(rounds.beside(first, second, session.out.width), Text(""), sep="\n")

    def stop(self) -> None:
        """Send no more."""
        self._stopping.set()
        self.join()
        if self._process is not None:
            self._process.terminate()
            self._process.wait()
