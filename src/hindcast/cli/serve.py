"""`hindcast serve`: one process that takes signals in, watches them, and answers."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

import typer

from hindcast.cli.session import Session


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
    wait: Annotated[
        int, typer.Option("--wait", metavar="SECONDS", min=0, help="How long to wait for a store that is away.")
    ] = 0,
) -> None:
    """Listen on one port for telemetry, alerts and changes; watch them; tell of incidents.

    OpenTelemetry, Elasticsearch's _bulk, Loki, syslog, and the webhooks of Alertmanager, Grafana, PagerDuty, Sentry and
    GitHub are understood on their usual paths. Stop with Ctrl-C: what was acknowledged is already safe.
    """
    from hindcast.rest.server import run

    said = {"host": host, "port": port, "syslog_port": syslog_port, "telemetry": telemetry}
    settings = replace(session.settings, **{name: value for name, value in said.items() if value is not None})  # type: ignore[arg-type]
    run(settings, tell=session.hint, wait_seconds=wait)
