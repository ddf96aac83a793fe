"""`hindcast serve`: one process that takes signals in, watches them, and answers."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Any

import typer
from typer.main import get_command

from hindcast.cli.browser import OpenBrowser, open_pages
from hindcast.cli.session import Session, quiet, verb

PANEL = "See"


def serve(
    session: Session,
    host: Annotated[str | None, typer.Option("--host", help="Address to listen on.")] = None,
    port: Annotated[int | None, typer.Option("--port", help="Port for every protocol over HTTP.")] = None,
    syslog_port: Annotated[
        int | None, typer.Option("--syslog-port", help="Port for syslog, UDP and TCP; 0: none.")
    ] = None,
    telemetry: Annotated[
        str | None, typer.Option("--telemetry", metavar="WHERE", help="chdb:///folder or clickhouse://…")
    ] = None,
    browser: OpenBrowser = True,
    wait: Annotated[
        int, typer.Option("--wait", metavar="SECONDS", min=0, help="How long to wait for a store that is away.")
    ] = 0,
) -> None:
    """Listen on one port for telemetry, alerts and changes; watch them; tell of incidents.

    OpenTelemetry, Elasticsearch's _bulk, Loki, syslog, and the webhooks of Alertmanager, Grafana, PagerDuty, Sentry and
    GitHub are understood on their usual paths. Stop with Ctrl-C: what was acknowledged is already safe.
    """
    from hindcast.adapters.runtime import seldom_collecting, share_heaps

    share_heaps()
    said = {"host": host, "port": port, "syslog_port": syslog_port, "telemetry": telemetry}
    settings = replace(session.settings, **{name: value for name, value in said.items() if value is not None})  # type: ignore[arg-type]
    with seldom_collecting():
        # Imported here: it is most of the start.
        from hindcast.rest.server import run, url_of

        def ready(token: str) -> None:
            open_pages(url_of(settings), token, is_terminal=browser and session.err.is_terminal)

        run(settings, tell=session.hint, ready=ready, wait_seconds=wait)


def alone() -> Any:  # noqa: ANN401
    """This command as the only one of `hindcast`, which says and does the same as among all others."""
    app = typer.Typer(rich_markup_mode="rich", pretty_exceptions_enable=False)
    # With something before it, its name stays a word to say.
    app.callback()(lambda: None)
    verb(app, "serve", panel=PANEL)(serve)
    return quiet(get_command(app))
