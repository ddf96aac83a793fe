"""`hindcast ingest`: hands lines of a file or a pipe to a running Hindcast."""

from __future__ import annotations

import hashlib
import os
import sys
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from hindcast.cli.session import Session
from hindcast.config import Settings
from hindcast.config.local_token import find_token
from hindcast.model.errors import Malformed

if TYPE_CHECKING:
    from hindcast.adapters.line_sender import LineSender

POLL_SECONDS = 0.5
# A record that nothing was added to for so many looks is taken for finished.
IDLE_POLLS_MAX = 4
PIPE_BYTES_MAX = 1_000_000


def ingest(
    session: Session,
    file: Annotated[str, typer.Argument(metavar="FILE|-", help="Lines of JSON or plain text; - reads the pipe.")],
    follow: Annotated[bool, typer.Option("--follow", "-f", help="Go on as the file grows, through rotation.")] = False,
    service: Annotated[str, typer.Option("--service", help="Whose lines these are, where they do not say.")] = "",
    to: Annotated[str, typer.Option("--to", metavar="URL", help="Where Hindcast listens.")] = "",
) -> None:
    """Hand lines to a running Hindcast: a file, a pipe, or a file that grows.

    JSON lines and plain text both do; times and levels are recognised, and the lines of a stack trace stay together.
    With --follow it resumes where it stopped, and a line counts as handed over only when it is safe on the other side.
    """
    from hindcast.adapters.line_sender import LineSender

    url = to or address(session.settings)
    sender = LineSender(url, space=session.settings.space, key=key_for(url, session.settings), service=service)
    try:
        if file == "-":
            if follow:
                raise Malformed("A pipe cannot be followed.", field="follow", remedy="Leave --follow out.")
            _tell(session, _pipe(sender))
        elif follow:
            _follow(session, sender, Path(file))
        else:
            _tell(session, _once(sender, Path(file)))
    finally:
        sender.close()


def address(settings: Settings) -> str:
    """Where Hindcast listens on this machine."""
    return f"http://{settings.host}:{settings.port}"


def key_for(url: str, settings: Settings) -> str:
    """What proves to the Hindcast at an address who asks: the key of the settings, or the token of this machine."""
    return settings.key or find_token(url, settings)


def spoken_to(url: str, settings: Settings) -> dict[str, str]:
    """The headers with which a running Hindcast is spoken to: in which space, by whom, and with which proof."""
    who = {"X-Hindcast-Actor": settings.actor} if settings.actor.isascii() and not settings.key else {}
    key = key_for(url, settings)
    return {"X-Hindcast-Space": settings.space} | who | ({"X-Hindcast-Key": key} if key else {})


def _pipe(sender: LineSender) -> tuple[int, int]:
    accepted = rejected = 0
    rest = b""
    while piece := os.read(sys.stdin.fileno(), PIPE_BYTES_MAX):
        rest += piece
        end = rest.rfind(b"\n") + 1
        if end:
            done = sender.send(rest[:end])
            accepted, rejected = accepted + done.accepted, rejected + done.rejected
            rest = rest[end:]
    if rest:
        done = sender.send(rest)
        accepted, rejected = accepted + done.accepted, rejected + done.rejected
    return accepted, rejected


def _once(sender: LineSender, path: Path) -> tuple[int, int]:
    from hindcast.adapters.follow import Follower

    follower = Follower(path)
    try:
        done = [sender.send(chunk.content) for chunk in follower.chunks(whole=True)]
    finally:
        follower.close()
    return sum(one.accepted for one in done), sum(one.rejected for one in done)


def _follow(session: Session, sender: LineSender, path: Path) -> None:
    from platformdirs import user_state_path

    from hindcast.adapters.follow import Follower
    from hindcast.ingest.lines import settled_bytes
    from hindcast.model.ingest_limits import IngestLimits

    # One file may be followed into several spaces or servers, each at its own pace.
    name = hashlib.sha256(f"{path.resolve()} {session.settings.space} {sender.url}".encode()).hexdigest()[:16]
    follower = Follower(
        path,
        user_state_path("hindcast") / "follow" / f"{name}.json",
        settled=partial(settled_bytes, limits=IngestLimits()),
    )
    session.hint(f"Following {path}. Ctrl-C stops; the next run goes on from there.")
    idle_polls = 0
    try:
        while True:
            idle_polls += 1
            for chunk in follower.chunks(patient=idle_polls < IDLE_POLLS_MAX):
                idle_polls = 0
                key = f"{name}-{chunk.after.inode}-{chunk.after.head[:16]}-{chunk.after.offset}"
                done = sender.send(chunk.content, key=key)
                follower.keep(chunk)
                _tell(session, (done.accepted, done.rejected))
            time.sleep(POLL_SECONDS)
    finally:
        follower.close()


def _tell(session: Session, counts: tuple[int, int]) -> None:
    accepted, rejected = counts
    words = f"{accepted:,} lines taken" + (f", {rejected:,} refused" if rejected else "")
    session.answer({"accepted": accepted, "rejected": rejected}, Text(words))
