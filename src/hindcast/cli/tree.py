"""All commands as one tree, which is what help, completion and the reference in the docs are made from.

What is heavy (databases, indexes, models) is imported by the command that needs it, so that building the tree is cheap.
"""

from __future__ import annotations

from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from hindcast import __version__
from hindcast.cli import accounts, ask, audit, fingerprint, importing, mcp, recall, review, simulate, template
from hindcast.cli.config import app as config_app
from hindcast.cli.demo import demo
from hindcast.cli.doctor import doctor
from hindcast.cli.evaluate import app as evaluate_app
from hindcast.cli.fix import app as fix_app
from hindcast.cli.group import app as group_app
from hindcast.cli.incidents import app as incidents_app
from hindcast.cli.ingest import ingest
from hindcast.cli.keys import app as keys_app
from hindcast.cli.learning import learning
from hindcast.cli.memory import app as memory_app
from hindcast.cli.people import app as people_app
from hindcast.cli.serve import PANEL as SEE
from hindcast.cli.serve import serve
from hindcast.cli.session import Actor, AsJson, Config, NoColor, Space, Store, quiet, remember_globals, verb
from hindcast.cli.share import app as share_app
from hindcast.cli.workspace_code import app as workspace_app

RECALL = "Recall"
ADMINISTER = "Administer"
OPERATE = "Operate"
HELP = """Incident memory for engineering teams and their AI agents. Never start from zero again."""


class _Root(TyperGroup):
    """The root, which imports models only when somebody asks for them."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:  # noqa: ANN401
        name, command, rest = super().resolve_command(ctx, args)
        return name, models_command() if name == "models" else command, rest


app = typer.Typer(
    cls=_Root,
    no_args_is_help=True,
    help=HELP,
    epilog="Begin with: hindcast memory --help",
    rich_markup_mode="rich",
    pretty_exceptions_enable=False,
)
app.add_typer(memory_app, name="memory", short_help="Versioned memory: remember, look, go back in time, branch, merge.")
app.add_typer(typer.Typer(), name="models", help="Models that turn texts into vectors, on this machine.")
recall.install(app, RECALL)
ask.install(app, RECALL)
mcp.install(app, RECALL)
app.add_typer(incidents_app, name="incident", rich_help_panel=RECALL)
app.add_typer(incidents_app, name="incidents", hidden=True)
app.add_typer(fix_app, name="fix", rich_help_panel=RECALL)
review.install(app, RECALL)
importing.install(app, RECALL)
verb(app, "learning", panel=RECALL, writes=True)(learning)
app.add_typer(workspace_app, name="workspace", rich_help_panel=RECALL)
app.add_typer(share_app, name="share", rich_help_panel=RECALL)
app.add_typer(evaluate_app, name="evaluate", rich_help_panel=RECALL)
verb(app, "serve", panel=SEE)(serve)
verb(app, "ingest", panel=SEE)(ingest)
simulate.install(app, SEE)
template.install(app, SEE)
fingerprint.install(app, SEE)
app.add_typer(
    group_app, name="group", rich_help_panel=SEE, short_help="Join and split groups of failures; that sticks."
)
app.add_typer(accounts.organisations, name="organisation", rich_help_panel=ADMINISTER)
app.add_typer(accounts.projects, name="project", rich_help_panel=ADMINISTER)
app.add_typer(people_app, name="person", rich_help_panel=ADMINISTER)
app.add_typer(keys_app, name="key", rich_help_panel=ADMINISTER)
app.add_typer(audit.app, name="audit", rich_help_panel=ADMINISTER)
verb(app, "demo", panel=SEE)(demo)
app.add_typer(config_app, name="config", rich_help_panel=OPERATE)
verb(app, "doctor", panel=OPERATE)(doctor)


def models_command() -> Any:  # noqa: ANN401
    """The commands of `hindcast models`."""
    from hindcast.cli import models

    command = get_command(models.app)
    command.name = "models"
    return quiet(command)


def command_tree() -> Any:  # noqa: ANN401
    """All commands, ready to run or to be read."""
    return quiet(get_command(app))


def _say_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"hindcast {__version__}")
        raise typer.Exit


@app.callback()
def root(
    context: typer.Context,
    store: Store = None,
    space: Space = None,
    actor: Actor = None,
    config: Config = None,
    as_json: AsJson = False,
    no_color: NoColor = False,
    _version: Annotated[
        bool, typer.Option("--version", help="Show the version and exit.", callback=_say_version, is_eager=True)
    ] = False,
) -> None:
    """Keep what was said before the command's name."""
    said = {"store": store, "space": space, "actor": actor, "config": config, "as_json": as_json, "no_color": no_color}
    remember_globals(context, said)
