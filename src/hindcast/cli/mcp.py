"""`hindcast mcp`: the tools for agents, over stdin and stdout."""

from __future__ import annotations

import sys
import threading
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlencode, urlsplit

import typer

from hindcast.cli.session import Session, verb
from hindcast.config.local_token import find_token
from hindcast.model.errors import Malformed

if TYPE_CHECKING:
    from hindcast.mcp.server import Visit
    from hindcast.model.access import Permission
    from hindcast.toolbox import Desk, Desks

Url = Annotated[
    str,
    typer.Option("--url", metavar="URL", help="Speak to a running Hindcast instead, as in http://127.0.0.1:4318."),
]
Key = Annotated[
    str,
    typer.Option("--key", metavar="KEY", envvar="HINDCAST_KEY", help="The key to speak to it with.", show_envvar=True),
]
EPILOG = """[dim]# What an agent's configuration runs; nobody types into it.[/dim]
hindcast mcp --space shop
hindcast mcp --url https://hindcast.example.com --space acme/shop"""


def install(app: typer.Typer, panel: str | None = None) -> None:
    """Put the command into an app."""
    verb(app, "mcp", panel=panel, writes=True, epilog=EPILOG)(mcp)


def mcp(session: Session, url: Url = "", key: Key = "") -> None:
    """Give an agent the tools of Hindcast (Model Context Protocol), over stdin and stdout.

    On this machine's own memory, or, with --url, on a Hindcast that runs elsewhere. The same tools are at /mcp of
    `hindcast serve`, for agents that speak HTTP. The address of a page: docs/how-to/connect-an-agent.md.
    """
    from hindcast.mcp import stdio

    if sys.stdin.isatty():
        session.hint("An agent speaks here, and nobody types: put the command into its configuration. Ctrl-C ends it.")
    if url:
        space = session.space or ""
        proof = key or find_token(url, session.settings)
        stdio.bridge(endpoint(url, space), {"Authorization": f"Bearer {proof}"} if proof else {})
        return
    opened: list[Desks] = []
    # Calls come at the same time, and the first of them opens the store for all.
    turn = threading.Lock()

    def receive(visit: Visit, _: Permission) -> Desk:
        # Who can start this command can open the store: there is nobody to ask for permission.
        actor = session.actor or stdio.actor_of(visit, session.who)
        with turn:
            if not opened:
                opened.append(_desks(session))
            return opened[0].at(session.settings.space, actor=actor)

    stdio.serve(receive)


def _desks(session: Session) -> Desks:
    """Desks on the store itself, made with the first call: a client waits for the greeting before that."""
    from hindcast.build.desks import open_desks

    return open_desks(session.settings, lambda: session.memory(create=True), now=session.now, others=session.other)


def endpoint(url: str, space: str) -> str:
    """The address of the tools, from the address of the server."""
    parts = urlsplit(url)
    if parts.scheme not in ("http", "https") or not parts.netloc:
        raise Malformed(f"{url!r} is no address.", field="--url", remedy="Write http://127.0.0.1:4318 or https://….")
    path = parts.path.rstrip("/")
    path = path if path.endswith("/mcp") else f"{path}/mcp"
    query = "&".join(part for part in (parts.query, urlencode({"space": space}) if space else "") if part)
    return parts._replace(path=path, query=query).geturl()
