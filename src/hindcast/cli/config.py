"""`hindcast config`: what every setting is, where its value came from, and what it is for."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer
from rich.text import Text

from hindcast.cli.render import table
from hindcast.cli.session import Session, session_of, verb

HELP = (
    "What every setting is, where its value came from, and what it is for.\n\n"
    "Flags beat the environment, the environment beats the file, the file beats the defaults. Secrets are never shown."
)

app = typer.Typer(invoke_without_command=True, help=HELP, rich_markup_mode="rich")


@app.callback()
def config(context: typer.Context) -> None:
    """What every setting is, where its value came from, and what it is for."""
    if context.invoked_subcommand is None:
        show(session_of(context))


@verb(app, "show")
def show(
    session: Session,
    name: Annotated[str | None, typer.Argument(metavar="NAME", help="Only this one.", show_default=False)] = None,
) -> None:
    """Show every setting, or one: its value, where that came from, and what it is for."""
    from hindcast.config.explaining import explained
    from hindcast.config.reading import nearest
    from hindcast.model.errors import Missing

    found = session.read()
    settings = [one for one in explained(found) if name in (None, one.name)]
    if not settings:
        known = tuple(one.name for one in explained(found))
        raise Missing(f"There is no setting {name!r}.", field="name", remedy=nearest(str(name), known))
    shown = table("setting", "value", "from", "what it is for")
    for one in settings:
        style = "bold" if one.source != "default" else ""
        value = str(one.value) if one.value != "" else "–"
        shown.add_row(Text(one.name, style=style), Text(value, style=style), one.source, Text(one.what, style="dim"))
    document = {"file": str(found.file) if found.file else None, "settings": [asdict(one) for one in settings]}
    session.answer(document, shown)
    session.hint(f"File: {found.file or 'none'}. In the environment: HINDCAST_ and the name in capitals.")


@verb(app, "check")
def check(
    session: Session, file: Annotated[Path, typer.Argument(metavar="FILE", help="A settings file in TOML.")]
) -> None:
    """Read a settings file without using it; say what is wrong with it, if anything is."""
    from hindcast.config import read_settings

    read_settings(file=file)
    session.answer({"ok": True, "file": str(file)}, Text(f"{file} can be used."))


@verb(app, "example")
def example(session: Session) -> None:
    """Print a settings file with every setting at its default, commented out and explained."""
    from hindcast.config.explaining import example as written

    if session.as_json:
        session.answer({"toml": written()})
        return
    sys.stdout.write(written())
