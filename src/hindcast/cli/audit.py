"""`hindcast audit`: who did and saw what."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from hindcast.cli import failure
from hindcast.cli.accounts import opened, organisation_for, table
from hindcast.cli.given import read_when
from hindcast.cli.render import ago, clean, cut
from hindcast.cli.session import Session, verb
from hindcast.model.errors import Unavailable

HELP = (
    "The audit trail: who did and saw what, and who was kept from what.\n\n"
    "Each organisation has a trail of its own. Every entry is sealed to the one before it, so that verify notices "
    "what was changed or taken out. The same thing seen again within a minute is one entry with a count."
)
app = typer.Typer(no_args_is_help=True, help=HELP, rich_markup_mode="rich")

Whole = Annotated[
    str | None, typer.Option("--organisation", "-o", metavar="NAME", help="Whose trail; that of the space if not said.")
]
Since = Annotated[str | None, typer.Option("--since", metavar="TIME", help="At or after this time.")]
Until = Annotated[str | None, typer.Option("--until", metavar="TIME", help="Before this time.")]
Who = Annotated[str | None, typer.Option("--who", metavar="ACTOR", help="Only what this actor did.")]
What = Annotated[str | None, typer.Option("--what", metavar="TEXT", help="Only what has this in it: a route, a verb.")]
Refused = Annotated[bool, typer.Option("--refused", help="Only what somebody was kept from.")]
Limit = Annotated[int, typer.Option("--limit", "-l", min=1, max=1_000, metavar="N", help="At most so many.")]
Form = Annotated[str, typer.Option("--form", metavar="csv|jsonl", help="csv for spreadsheets, jsonl for programs.")]
Into = Annotated[Path | None, typer.Option("--into", metavar="FILE", help="A file; stdout if not said.")]


def list_entries(
    session: Session,
    since: Since = None,
    until: Until = None,
    who: Who = None,
    what: What = None,
    refused: Refused = False,
    limit: Limit = 50,
    organisation: Whole = None,
) -> None:
    """Show the newest entries."""
    from hindcast.access.audit import plain

    now = session.now()
    with opened(session) as access:
        found = access.audit.entries(
            organisation_for(session, organisation),
            by=access.operator,
            limit=limit,
            since=read_when(since, now, field="--since"),
            until=read_when(until, now, field="--until"),
            actor=who or "",
            what=what or "",
            outcome="refused" if refused else "",
        )
    shown = table("", "when", "who", "what", "space", "about", "from", "times")
    for one in found:
        mark = Text("refused", style="red") if one.outcome == "refused" else Text()
        times = str(one.count) if one.count > 1 else ""
        words = (clean(one.actor), cut(clean(one.what), 60), clean(one.space), clean(one.subject), clean(one.peer))
        shown.add_row(mark, ago(one.at, now), *words, times)
    session.answer({"entries": [plain(one) for one in found]}, shown if found else Text("Nothing of that kind."))


def verify(session: Session, organisation: Whole = None) -> None:
    """Recompute the whole trail and say what is wrong with it.

    Write down the head that it shows: a trail that was cut short or made anew verifies as well, with another head.
    """
    with opened(session) as access:
        found = access.audit.verify(organisation_for(session, organisation), by=access.operator)
    document = {
        "organisation": found.organisation,
        "sound": not found.faults,
        "entries": found.entries,
        "first": found.first,
        "last": found.last,
        "head": found.head,
        "faults": list(found.faults),
    }
    said = f"The trail of {found.organisation}: {found.entries} entries, up to number {found.last}."
    faults = [Text(fault, style="red") for fault in found.faults[:20]]
    session.answer(document, Text(said), Text(f"head {found.head}"), *(faults or [Text("Nothing was changed.")]))
    if found.faults:
        raise typer.Exit(failure.FAULTS)


def export(
    session: Session,
    form: Form = "csv",
    into: Into = None,
    since: Since = None,
    until: Until = None,
    organisation: Whole = None,
) -> None:
    """Write the trail to a file or to stdout, oldest entry first."""
    now, lines = session.now(), 0
    with opened(session) as access:
        found = access.audit.export(
            organisation_for(session, organisation),
            form,
            by=access.operator,
            since=read_when(since, now, field="--since"),
            until=read_when(until, now, field="--until"),
        )
        if into is None:
            for line in found:
                typer.echo(line, nl=False)
            return
        try:
            with into.open("w", encoding="utf-8", newline="") as file:
                for line in found:
                    file.write(line)
                    lines += 1
        except OSError as error:
            raise Unavailable(f"{into} cannot be written: {error}.", field="--into", remedy="Name another.") from error
    entries = lines - (form == "csv")
    session.answer({"file": str(into), "form": form, "entries": entries}, Text(f"{entries} entries are in {into}."))


verb(app, "list", epilog="Example: hindcast audit list --since yesterday --refused")(list_entries)
verb(app, "verify", epilog="Example: hindcast audit verify --json")(verify)
verb(app, "export", epilog="Example: hindcast audit export --form jsonl --into audit.jsonl")(export)
