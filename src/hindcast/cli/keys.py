"""`hindcast key`: what programs prove themselves with."""

from __future__ import annotations

from datetime import timedelta
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from hindcast.cli.accounts import opened, organisation_for, scope, scope_named, table, whole_lines
from hindcast.cli.plain import Plain
from hindcast.cli.render import ago, clean
from hindcast.cli.session import Session, verb
from hindcast.model.access import Power
from hindcast.model.errors import Missing

if TYPE_CHECKING:
    from datetime import datetime

    from hindcast.access import Access
    from hindcast.model.account import Key

HELP = (
    "Keys: what programs prove themselves with.\n\n"
    "ingest only sends; read only reads; agent reads and records what it tried; write does all that a maintainer does. "
    "No key administers. A key is for one project (--space) or, unless it ingests, for a whole organisation "
    "(--organisation). Its secret is shown once."
)
app = typer.Typer(no_args_is_help=True, help=HELP, rich_markup_mode="rich")

Name = Annotated[str, typer.Argument(metavar="NAME", help="What uses it, as in collector or triage-bot.")]
PowerOption = Annotated[Power, typer.Option("--power", help="What it is for.")]
Days = Annotated[int | None, typer.Option("--days", min=1, max=3_650, metavar="N", help="Expires after so many days.")]
Whole = Annotated[
    str | None,
    typer.Option("--organisation", "-o", metavar="NAME", help="For this whole organisation, not for one project."),
]
Every = Annotated[bool, typer.Option("--all", help="Revoked and expired ones as well.")]
KeyName = Annotated[str, typer.Argument(metavar="KEY", help="Its id, or its name if no other good key has it.")]


def create(
    session: Session, name: Name, power: PowerOption = Power.INGEST, days: Days = None, organisation: Whole = None
) -> None:
    """Make a key and show its secret, once, with examples to paste."""
    from hindcast.build.accounts import public_url

    whole, project = scope(session, organisation)
    expires_at = session.now() + timedelta(days=days) if days is not None else None
    with opened(session) as access:
        made = access.keys.create(
            name, power, organisation=whole, project=project, expires_at=expires_at, by=access.operator
        )
    url = public_url(session.settings)
    told = f"The key {made.key.name} may {_says(power)} in {scope_named(whole, project)}. It is shown only now:"
    session.answer({**_plain(made.key, session.now()), "secret": made.secret, "url": url}, Text(clean(told)))
    whole_lines(session, f"  export HINDCAST_KEY={made.secret}", *_examples(power, url))


def list_keys(session: Session, every: Every = False, organisation: Whole = None) -> None:
    """List the keys of an organisation, newest first; never their secrets."""
    name, now = organisation_for(session, organisation), session.now()
    with opened(session) as access:
        found = [one for one in access.keys.list(name, by=access.operator) if every or one.is_good(now)]
    shown = table("id", "key", "may", "in", "made", "last used", "")
    for one in found:
        used = ago(one.last_used_at, now) if one.last_used_at is not None else "never"
        where = scope_named(one.organisation, one.project)
        shown.add_row(
            one.id, clean(one.name), one.power, where, ago(one.created_at, now), used, _state(one, now)
        )  # fmt: skip
    session.answer(
        {"keys": [_plain(one, now) for one in found]}, shown if found else Text(f"{name} has no keys to show.")
    )


def revoke(session: Session, key: KeyName, organisation: Whole = None) -> None:
    """Make a key worthless, from the very next request on."""
    name = organisation_for(session, organisation)
    with opened(session) as access:
        found = access.keys.revoke(_id_of(access, key, name, session.now()), by=access.operator)
    session.answer(_plain(found, session.now()), Text(clean(f"The key {found.name} ({found.id}) is worth nothing.")))


verb(app, "create", writes=True, epilog="Example: hindcast key create collector --power ingest --days 365")(create)
verb(app, "list", epilog="Example: hindcast key list --all")(list_keys)
verb(app, "revoke", writes=True, epilog="Example: hindcast key revoke collector")(revoke)


def _id_of(access: Access, key: str, organisation: str, now: datetime) -> str:
    """The id of a key by its name, or what was given where it is an id already."""
    found = access.keys.list(organisation, by=access.operator)
    if any(one.id == key for one in found):
        return key
    named = [one for one in found if one.name == key]
    good = [one for one in named if one.is_good(now)] or named
    if not good:
        raise Missing(
            f"{organisation} has no key {key[:80]!r}.", field="key", remedy="`hindcast key list --all` shows them."
        )
    return good[0].id


def _says(power: Power) -> str:
    return {
        Power.INGEST: "send telemetry, alerts and changes",
        Power.READ: "read",
        Power.AGENT: "read, and record what was tried,",
        Power.WRITE: "read and write",
    }[power]


def _examples(power: Power, url: str) -> tuple[str, ...]:
    """Lines to paste: for senders all the ways that their protocols know, for readers a first question."""
    script = f'  curl -H "Authorization: Bearer $HINDCAST_KEY" {url}/api/v1/incidents'
    if power is Power.INGEST:
        return (
            "OpenTelemetry, as a header:",
            f"  export OTEL_EXPORTER_OTLP_ENDPOINT={url}",
            '  export OTEL_EXPORTER_OTLP_HEADERS="Authorization=Bearer%20$HINDCAST_KEY"',
            "Elasticsearch's and Loki's shippers, as the password of any user:",
            f'  curl -u "hindcast:$HINDCAST_KEY" {url}/_bulk -H "Content-Type: application/json" --data-binary @FILE',
            "Webhooks that can only be told a URL:",
            f"  echo {url}/k/$HINDCAST_KEY/webhooks/alertmanager",
        )
    if power is Power.AGENT:
        header = '{"Authorization": "Bearer ${HINDCAST_KEY}"}'
        return ("An agent, over MCP:", f'  {{"url": "{url}/mcp", "headers": {header}}}', "A script:", script)
    return ("A script:", script)


def _state(one: Key, now: datetime) -> Text:
    if one.revoked_at is not None:
        return Text("revoked", style="red")
    if one.expires_at is None:
        return Text()
    if one.is_good(now):
        return Text(f"expires in {(one.expires_at - now).days} days", style="dim")
    return Text("expired", style="yellow")


def _plain(one: Key, now: datetime) -> Plain:
    return {
        "id": one.id,
        "name": one.name,
        "power": one.power,
        "organisation": one.organisation,
        "project": one.project,
        "created_at": one.created_at,
        "created_by": one.created_by,
        "expires_at": one.expires_at,
        "revoked_at": one.revoked_at,
        "last_used_at": one.last_used_at,
        "good": one.is_good(now),
    }
