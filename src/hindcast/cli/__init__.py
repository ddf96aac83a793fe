"""The command line: `hindcast …`. A thin translation; whatever it says, another part of Hindcast has found out.

Importing this is cheap. What is heavy (databases, indexes, models) is imported by the command that needs it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Annotated, Any

import typer
from typer.core import TyperGroup
from typer.main import get_command

from hindcast import __version__
from hindcast.cli import accounts, ask, audit, failure, fingerprint, importing, mcp, recall, simulate, template
from hindcast.cli.config import app as config_app
from hindcast.cli.demo import demo
from hindcast.cli.doctor import doctor
from hindcast.cli.evaluate import app as evaluate_app
from hindcast.cli.group import app as group_app
from hindcast.cli.incidents import app as incidents_app
from hindcast.cli.ingest import ingest
from hindcast.cli.keys import app as keys_app
from hindcast.cli.learning import learning
from hindcast.cli.memory import app as memory_app
from hindcast.cli.people import app as people_app
from hindcast.cli.serve import serve
from hindcast.cli.session import Actor, AsJson, Config, NoColor, Space, Store, remember_globals, verb
from hindcast.cli.share import app as share_app

SEE = "See"
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
importing.install(app, RECALL)
verb(app, "learning", panel=RECALL, writes=True)(learning)
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
    return _quiet(command)


def command_tree() -> Any:  # noqa: ANN401
    """All commands, ready to run or to be read."""
    return _quiet(get_command(app))


def _quiet(command: Any) -> Any:  # noqa: ANN401
    """Keep help from calling a flag a <bool>: a flag takes no value, and somebody would try to give it one."""
    for param in command.get_params(typer.Context(command)):
        if getattr(param, "is_flag", False):
            param.metavar = ""
    for inner in getattr(command, "commands", {}).values():
        _quiet(inner)
    return command


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


def run(words: Sequence[str]) -> int:
    """Run one command line and return its exit code; every failure ends here."""
    options = words[: words.index("--")] if "--" in words else words
    as_json = "--json" in options
    try:
        code = command_tree().main(args=list(words), prog_name="hindcast", standalone_mode=False, obj={"words": words})
    # The face of the product: whatever comes up here has nobody else to be told to.
    except Exception as error:  # noqa: BLE001
        if type(error).__name__ == "NoArgsIsHelpError":
            return 0
        return failure.tell(error, as_json=as_json)
    except KeyboardInterrupt:
        return failure.INTERRUPTED
    return code if isinstance(code, int) else 0


def main() -> None:
    """What the `hindcast` command runs."""
    if "--no-color" in sys.argv:
        os.environ["NO_COLOR"] = "1"
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot write a character shows a question mark instead of a traceback.
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    code = run(sys.argv[1:])
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever was reading has seen enough; there is nobody left to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)
