"""Keep: look after memory. Forgetting, checking, moving, indexing."""

from __future__ import annotations

import shutil
import sys
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Group
from rich.table import Table
from rich.text import Text

from hindcast.cli import failure, plain, render
from hindcast.cli.casework import redacted
from hindcast.cli.memory import move
from hindcast.cli.options import Address as AddressArgument
from hindcast.cli.options import MaybeWhy, OnBranch, Why
from hindcast.cli.session import Session, verb
from hindcast.model.errors import Refused
from hindcast.model.ids import Address
from hindcast.model.query import Filter
from hindcast.model.record import MAIN, Commit

RECORDS_SHOWN_MAX = 20
FAULTS_SHOWN_MAX = 100


def install(app: typer.Typer, panel: str) -> None:
    """Put these commands into an app."""
    verb(app, "status", panel=panel)(status)
    verb(app, "decay", panel=panel, writes=True)(decay)
    verb(app, "erase", panel=panel, writes=True)(erase)
    verb(app, "verify", panel=panel)(verify)
    verb(app, "export", panel=panel)(move.export)
    verb(app, "import", panel=panel, fills=True)(move.import_file)
    verb(app, "index", panel=panel)(index)


def status(session: Session) -> None:
    """Say where this memory is, what it holds, and how its index does."""
    from hindcast.build import embedder, index_folder

    memory, settings = session.memory(), session.settings
    spread = memory.now().namespaces()
    newest, head = memory.log(None, commits_max=1), memory.log(MAIN, commits_max=1)
    folder, model = index_folder(settings), embedder(settings)
    document: dict[str, Any] = {
        "space": settings.space,
        "store": _without_password(settings.store),
        "actor": settings.actor,
        "records": sum(spread.values()),
        "namespaces": len(spread),
        "commits": newest[0].seq if newest else 0,
        "branches": len(memory.branches()),
        "snapshots": len(memory.snapshots()),
        "head": plain.commit(head[0]) if head else None,
        "index": {
            "folder": str(folder),
            "there": folder.is_dir(),
            "bytes": _bytes(folder),
            "model": model.model if model is not None else None,
        },
    }
    session.answer(document, _status(document, head[0] if head else None, session))


def _status(document: dict[str, Any], head: Commit | None, session: Session) -> Table:
    def counted(*names: tuple[str, str]) -> str:
        return ", ".join(render.plural(document[key], noun) for key, noun in names)

    index = document["index"]
    kept = f"{render.size(index['bytes'])} in {index['folder']}" if index["there"] else "none yet; a search makes it"
    return render.facts(
        [
            ("space", Text(document["space"], style="bold")),
            ("store", document["store"]),
            ("you are", document["actor"]),
            ("holds", counted(("records", "record"), ("namespaces", "namespace"))),
            ("history", counted(("commits", "commit"), ("branches", "branch"), ("snapshots", "snapshot"))),
            ("head", render.commit_line(head, session.now(), {}) if head is not None else "nothing yet"),
            ("index", kept),
            ("meaning", index["model"] or "words only; `hindcast models prepare` adds it"),
        ]
    )


def _without_password(store: str) -> str:
    """Where the store is, fit to be shown to somebody else."""
    scheme, there, rest = store.partition("://")
    credentials, at, place = rest.rpartition("@")
    return f"{scheme}://{credentials.partition(':')[0]}@{place}" if there and at else store


def _bytes(folder: Path) -> int:
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file()) if folder.is_dir() else 0


def decay(
    session: Session,
    stale_days: Annotated[
        float, typer.Option("--stale-days", metavar="DAYS", help="Not learned anew for so many days.")
    ],
    namespace: Annotated[
        str | None, typer.Option("--namespace", "-n", metavar="NAME", help="Only this namespace.")
    ] = None,
    kind: Annotated[str | None, typer.Option("--kind", metavar="KIND", help="Only records of this kind.")] = None,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only show what would be archived.")] = False,
    why: MaybeWhy = None,
    branch: OnBranch = MAIN,
) -> None:
    """Archive what nobody has learned anew for long. Today's answers lose it; the past keeps it."""
    found = session.memory().decay(
        stale_days=stale_days,
        actor=session.who,
        why=redacted(session, why or "") or f"not learned anew for {stale_days:g} days",
        wanted=Filter(namespace=namespace, kind=kind),
        branch=branch,
        dry_run=dry_run,
    )
    count = render.plural(len(found), "record")
    line = f"{count} would be archived." if dry_run else f"{count} archived."
    parts = [Text(line, style="bold")]
    shown = render.records(found[:RECORDS_SHOWN_MAX], session.now(), wide=session.is_wide)
    session.answer({"dry_run": dry_run, "archived": plain.records(found)}, *parts, *([shown] if found else []))
    if len(found) > RECORDS_SHOWN_MAX:
        session.hint(f"{RECORDS_SHOWN_MAX} of {len(found):,} are shown; --json has all.")
    if found and not dry_run:
        session.hint("See them again: hindcast memory list --archived")


def erase(
    session: Session,
    address: AddressArgument,
    why: Why,
    below: Annotated[bool, typer.Option("--below", help="The paths below it as well.")] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Do not ask.")] = False,
) -> None:
    """Remove a record's bodies everywhere and for ever, on every branch and in the past.

    For legal duty. Use retract for what is merely wrong. The chain still verifies, and shows that something was there.
    With a case or an incident go the cards that quote it, and what was decided about them.
    """
    from hindcast.fixes.erasing import erase as erase_with_cards

    where = Address.parse(address)
    memory = session.memory()
    if not yes:
        _confirm(session, where, below=below)
    done = erase_with_cards(memory, where, actor=session.who, why=redacted(session, why), below=below)
    found = done.erased
    line = Text("It is erased already, and so are its traces now." if found.traces_gone else "It is erased already.")
    if found.versions:
        line = Text.assemble(
            (render.short(found.commit.id), "yellow"),
            f": erased {render.plural(found.versions, 'version')} of {render.plural(len(found.addresses), 'address')}.",
        )
    session.answer(plain.erased(found), line)
    if done.told_in:
        session.hint(f"A fix made from it was applied, and is told there: {', '.join(done.told_in)}. May that stay?")
    if not found.traces_gone:
        session.hint("Another process still reads an older state of the file. Erase again when it is done.")


def _confirm(session: Session, where: Address, *, below: bool) -> None:
    """Let somebody type the address, which no one does by accident."""
    if session.as_json or not sys.stdin.isatty():
        raise Refused(
            "Erasing cannot be undone, and nobody is there to ask.", remedy="Add --yes to erase all the same."
        )
    what = f"{where} and everything below it" if below else f"{where} and all its entries"
    session.err.print(Text(f"This removes {what} from every branch and from the past, for ever."))
    session.err.print(Text("To go on, type the address: "), end="")
    if sys.stdin.readline().strip() != str(where):
        raise Refused("That was not the address. Nothing was erased.", remedy="Run it again, or leave it.")


def verify(session: Session) -> None:
    """Recompute the whole chain and name every fault (exit code 7 if there is one)."""
    with session.progress("Verifying") as report:
        found = session.memory().verify(report)
    seen = f"{render.plural(found.commits, 'commit')} and {render.plural(found.versions, 'version')}"
    if not found.faults:
        head = Text.assemble(
            ("Sound. ", "bold green"), f"{seen} are what was written; head {render.short(found.head)}."
        )
        session.answer(plain.verified(found), head)
        return
    made = render.table("where", "what is wrong")
    for fault in found.faults[:FAULTS_SHOWN_MAX]:
        made.add_row(render.clean(fault.where), render.clean(fault.what))
    head = Text.assemble((f"{render.plural(len(found.faults), 'fault')} ", "bold red"), f"in {seen}.")
    session.answer(plain.verified(found), Group(head, made))
    session.hint("Keep the file aside and restore a copy; `hindcast memory export` saves what can still be read.")
    raise typer.Exit(failure.FAULTS)


def index(
    session: Session,
    rebuild: Annotated[bool, typer.Option("--rebuild", help="Throw the index away and make it anew.")] = False,
) -> None:
    """Bring the index up to date, meaning included. Nothing in it is the only copy."""
    from hindcast.build import index_folder

    folder = index_folder(session.settings)
    memory = session.memory()
    if rebuild and folder.is_dir():
        shutil.rmtree(folder)
    with session.progress("Indexing") as report:
        memory.index(report)
    used = _bytes(folder)
    document = {"folder": str(folder), "bytes": used, "rebuilt": rebuild}
    session.answer(document, Text(f"The index is up to date: {render.size(used)} in {folder}."))
