"""What the demo tells beside a running server: one outage twice, then the traffic of seven services."""

from __future__ import annotations

import signal
import subprocess
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from hindcast.cli import rounds
from hindcast.model.errors import HindcastError

if TYPE_CHECKING:
    from hindcast.cli.session import Session

QUESTION = "What fixed the connection resets of the Redis worker pool?"
# Where the outage meets no memory; it is played there only once.
EMPTY_SPACE = "empty"


@dataclass(frozen=True, slots=True)
class Words:
    """What commands to try are made of, as the demo itself was called, so that they can be pasted."""

    program: str
    folder: Path
    space: str
    scenario: str

    def to_try(self, url: str, incident: str) -> tuple[str, ...]:
        """Three things to try, and where to look on."""
        here = f"{self.program} --store {self.folder} --space {self.space}"
        answer = f"{url}/api/v1/incidents/{incident}/recall?space={self.space}&format=markdown"
        return (
            f"What memory says to this incident: {answer}",
            "",
            "Three things to try in another terminal:",
            f"  ask      {here} ask '{QUESTION}'",
            f"  break    {self.program} --space {self.space} inject bad-deploy --service payment --to {url}",
            f"  watch    curl -N '{url}/api/v1/live?space={self.space}&kinds=incident,answer'",
            "",
            f"Seven services begin to log in a moment; {self.scenario} follows after two minutes.",
            f"More: {here} incident list · {here} recall '…' · agents: {here} mcp · API: {url}/openapi.json",
        )


class Story(threading.Thread):
    """Begins once the server of this very process listens, and ends with it."""

    def __init__(self, session: Session, url: str, words: Words, *, is_first: bool, world: Sequence[str]) -> None:
        """`world` is the command that plays the services; without one the demo ends with the rounds."""
        super().__init__(name="story", daemon=True)
        self._session = session
        self._url = url
        self._words = words
        self._is_first = is_first
        self._world = list(world)
        self._process: subprocess.Popen[bytes] | None = None
        # Held while deciding whether a process may still begin.
        self._turn = threading.Lock()
        self._is_over = False
        self.failure: Exception | None = None

    def run(self) -> None:
        """Tell the rounds, then let life go on."""
        import httpx

        try:
            incident = self._tell_rounds()
        except (HindcastError, httpx.HTTPError) as error:
            if not self._is_over:
                # The command tells it again when it ends, by its exit code.
                self.failure = error
                self._session.hint(f"The two rounds could not be played: {error}")
        else:
            for line in self._words.to_try(self._url, incident) if self._world else ():
                self._session.hint(line)
        if not self._world:
            # As Ctrl-C would: the server runs in this very process.
            signal.raise_signal(signal.SIGINT)
            return
        with self._turn:
            if not self._is_over:
                # Apart from the terminal: its Ctrl-C is for the server, and whoever stops the story stops this too.
                self._process = subprocess.Popen(self._world, start_new_session=True)

    def _tell_rounds(self) -> str:
        """Both rounds the first time; later, only what memory says now. The incident that it said it to."""
        session, space = self._session, self._words.space
        if self._is_first:
            session.hint("The Redis outage of six weeks ago happens again, twice …")
            first = rounds.play(self._url, EMPTY_SPACE, now=session.now, seed=1)
        else:
            session.hint("Everything is remembered. The Redis outage happens once more …")
        second = rounds.play(self._url, space, now=session.now, seed=2)
        told = rounds.beside(first, second, session.out.width) if self._is_first else rounds.alone(second)
        session.out.print(told, Text(""), sep="\n")
        incident: str = second[0]["id"]
        return incident

    def stop(self) -> None:
        """Send no more, and leave nothing running."""
        with self._turn:
            self._is_over = True
            if self._process is not None:
                self._process.terminate()
        if self.is_alive():
            self.join()
        if self._process is not None:
            self._process.wait()
