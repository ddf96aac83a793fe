"""What the demo tells beside a running server: one outage twice, then the traffic of seven services."""

from __future__ import annotations

import shlex
import signal
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from hindcast.cli import commands, outage, rounds
from hindcast.config.local_token import FILE, local_link
from hindcast.model.errors import HindcastError

if TYPE_CHECKING:
    from hindcast.cli.session import Session

CAUSE = "workers kept their connections"
FIX = "released them in the task teardown"
QUESTION = "What fixed the connection resets of the Redis worker pool?"
# Where the outage meets no memory; it is played there only once.
EMPTY_SPACE = "empty"
# Long enough to look around; then something breaks.
QUIET_SECONDS = 120
# How long a server takes to be stopped, at most.
ENDING_SECONDS_MAX = 10


@dataclass(frozen=True, slots=True)
class Words:
    """What commands to try are about: they can be pasted in any folder, into any shell."""

    # Of everything the demo keeps, in full.
    folder: Path
    space: str
    scenario: str
    # Where the demo's own code lies.
    shop: Path

    def to_try(self, url: str, incident: str, token: str, *, has_cards: bool) -> tuple[str, ...]:
        """What to look at, three things to try, and where to look on."""
        page = local_link(url, token, f"/incidents/{incident}?space={self.space}")
        answer = f"{url}/api/v1/incidents/{incident}/recall?space={self.space}&format=markdown"
        proof = f'-H "Authorization: Bearer $(cat {shlex.quote(str(self.folder / FILE))})"'
        # Nothing is proposed for an outage that is part of another, and there may be nothing left to propose.
        cards = (
            f"Its fix, as changes of the code in {self.shop}:",
            f"  look     hindcast fix list {incident}",
            f"  decide   hindcast review {incident}",
            f"  end it   hindcast incident resolve {incident} --cause '{CAUSE}' --fix '{FIX}'",
            "Started again, the demo plays the same outage once more, and answers: “Fixed on … by …, held until",
            "…”. What you reject is not proposed again; with a reason not to try it, it is told under “Do NOT try”.",
            "",
        )
        lines = (
            f"Look at it in a browser:            {page}",
            f"What memory says to it, as a file:  {answer}",
            "",
            *(cards if has_cards else ()),
            "Three things to try in another terminal:",
            f"  ask      hindcast ask '{QUESTION}'",
            f"  break    hindcast inject bad-deploy --service user --to {url}",
            f"  watch    curl -N {proof} '{url}/api/v1/live?space={self.space}&kinds=incident,answer'",
            "",
            f"Seven services have begun to log; {self.scenario} follows in {QUIET_SECONDS // 60} minutes.",
            f"More, beside the API at {url}/openapi.json:",
            "  list     hindcast incident list",
            "  recall   hindcast recall 'ConnectionResetError: [Errno 104] Connection reset by peer'",
            "  agents   hindcast mcp",
        )
        where = {"store": str(self.folder), "space": self.space}
        return tuple(commands.to_paste(line, where) for line in lines)


class Story(threading.Thread):
    """Begins once the server of this very process listens, and ends with it."""

    def __init__(self, session: Session, url: str, words: Words, *, is_first: bool, rate_per_s: int | None) -> None:
        """`rate_per_s` is how much seven services log afterwards; None: the demo ends with the rounds."""
        super().__init__(name="story", daemon=True)
        self._session = session
        self._url = url
        self._words = words
        self._is_first = is_first
        self._rate_per_s = rate_per_s
        self._token = ""
        self._over = threading.Event()
        self.failure: Exception | None = None

    def begin(self, token: str) -> None:
        """Begin: the server answers, and this proves that we are at its machine."""
        self._token = token
        self.start()

    def run(self) -> None:
        """Tell the rounds, then let life go on until something breaks."""
        import httpx

        try:
            told = self._tell_rounds()
            if self._rate_per_s is not None:
                self._go_on(told, self._rate_per_s)
        except (HindcastError, httpx.HTTPError) as error:
            # A server that is being stopped refuses to be asked a moment before it is known to be over.
            if not self._over.wait(ENDING_SECONDS_MAX):
                # The command tells it again when it ends, by its exit code.
                self.failure = error
                self._session.hint(f"The story could not be told: {error}")
        if self._rate_per_s is None:
            # As Ctrl-C would: the server runs in this very process.
            signal.raise_signal(signal.SIGINT)

    def _tell_rounds(self) -> outage.Round:
        """Both rounds the first time; later, only what memory says now. The last one that was played."""
        session, space = self._session, self._words.space
        if self._is_first:
            session.hint("The Redis outage of six weeks ago happens again, twice …")
            first = outage.play(self._url, EMPTY_SPACE, now=session.now, seed=1, key=self._token)
        else:
            session.hint("Everything is remembered. The Redis outage happens once more …")
        second = outage.play(self._url, space, now=session.now, seed=2, key=self._token)
        told = rounds.beside(first, second, session.out.width) if self._is_first else rounds.alone(second)
        session.out.print(told, Text(""), sep="\n")
        return second

    def _go_on(self, told: outage.Round, rate_per_s: int) -> None:
        import httpx

        headers = {"X-Hindcast-Space": self._words.space, "X-Hindcast-Key": self._token}
        with httpx.Client(base_url=self._url, headers=headers, trust_env=False) as client:
            client.post("/api/v1/simulator", json={"rate_per_s": rate_per_s}).raise_for_status()
            incident, has_cards = told.incident["id"], bool(told.changes)
            for line in self._words.to_try(self._url, incident, self._token, has_cards=has_cards):
                self._session.hint(line)
            if self._over.wait(QUIET_SECONDS):
                return
            wanted = {"scenario": self._words.scenario, "rate_per_s": rate_per_s}
            answer = client.post("/api/v1/simulator", json=wanted)
            # Somebody may have broken something else meanwhile, and then that is the story.
            if answer.status_code != httpx.codes.CONFLICT:
                answer.raise_for_status()

    def stop(self) -> None:
        """Tell no more."""
        self._over.set()
        if self.is_alive():
            self.join()
