"""`hindcast workspace`: the code of a project, registered under a name. Nobody has to serve."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from hindcast.cli import render
from hindcast.cli.noting import noted
from hindcast.cli.plain import Plain
from hindcast.cli.session import Session, verb
from hindcast.model.errors import Malformed, Missing

if TYPE_CHECKING:
    from hindcast.memory import Memory
    from hindcast.model.workspace import Registered
    from hindcast.ports.grounds import Incoming
    from hindcast.workspaces import Workspaces

HELP = (
    "Workspaces: where the code of a project lies, so that past fixes become diffs of it.\n\n"
    "A workspace is a folder of this machine (mostly a repository), a clone, or files that were uploaded. It is "
    "remembered under a name like everything else; nothing is copied from a registered folder."
)
PIECE_BYTES = 65_536
NAME_CHARS_MAX = 64

app = typer.Typer(no_args_is_help=True, help=HELP, rich_markup_mode="rich")

Where = Annotated[str, typer.Argument(metavar="WHERE", help="A folder, or the https address of a repository to clone.")]
Source = Annotated[Path, typer.Argument(metavar="FILES", help="A folder, or a zip.")]
Named = Annotated[
    str, typer.Option("--name", "-n", metavar="NAME", help="What to call it; like the folder if not said.")
]
One = Annotated[str, typer.Argument(metavar="NAME", help="As `hindcast workspace list` shows it.")]


def add(session: Session, where: Where, name: Named = "") -> None:
    """Register a folder of this machine, or clone a repository (where workspace_clones is on)."""
    with opened(session, create=True) as workspaces:
        space, who, now = session.settings.space, session.who, session.now()
        if "://" in where:
            chosen = name or name_of(where.rstrip("/").rpartition("/")[2].removesuffix(".git"))
            made = workspaces.add_clone(space, chosen, where, by=who, now=now)
        else:
            folder = Path(where).expanduser().absolute()
            made = workspaces.add_folder(space, name or name_of(folder.resolve().name), str(folder), by=who, now=now)
        noted(session, "add workspace", f"{made.name} {made.url or made.root}")
        session.answer(told(made), Text(render.clean(f"{made.name} is the code in {made.root}.")))
        session.hint(f"Look at it: hindcast workspace tree -w {made.name}")


def list_workspaces(session: Session) -> None:
    """List the workspaces of this space."""
    with opened(session) as workspaces:
        found = workspaces.names(session.settings.space)
    document: Plain = {"workspaces": [told(one) for one in found]}
    if not found:
        session.answer(document, Text("There is no workspace yet."))
        session.hint("Add one: hindcast workspace add PATH")
        return
    table = render.table("name", "kind", "where", "by", "since")
    now = session.now()
    for one in found:
        where = Text(render.clean(one.root if not one.url else f"{one.url} in {one.root}"))
        table.add_row(one.name, str(one.kind), where, Text(render.clean(one.by)), render.time(one.at, now))
    session.answer(document, table)


def remove(
    session: Session,
    name: One,
    files: Annotated[
        bool,
        typer.Option("--files", help="Remove a clone or uploaded files from the disk, too; never your own folder."),
    ] = False,
) -> None:
    """Forget a workspace. Your folder stays as it is; so does a copy of ours, unless you say --files."""
    with opened(session) as workspaces:
        gone = workspaces.remove(session.settings.space, name, by=session.who, with_files=files)
    noted(session, "remove workspace", f"{name} with its files" if files else name)
    rest = ", and its files are gone" if files else f"; its files stay in {gone.root}"
    session.answer({**told(gone), "files_removed": files}, Text(render.clean(f"{name} is forgotten{rest}.")))


def refresh(session: Session, name: One) -> None:
    """Bring a clone up to what its origin has by now; one with changes of its own is left alone."""
    with opened(session) as workspaces:
        head = workspaces.refresh(session.settings.space, name)
    noted(session, "refresh workspace", f"{name} {head}")
    session.answer({"name": name, "head": head}, Text(f"{name} stands at {head[:12]}."))


def upload(
    session: Session,
    source: Source,
    name: Named = "",
    drop_top: Annotated[
        bool, typer.Option("--drop-top", help="Leave out the one folder that all files of a zip lie in.")
    ] = False,
) -> None:
    """Keep a copy of files as a workspace: a folder or a zip, as a whole. Again: the next commit of its history."""
    from hindcast.adapters.upload import without_top
    from hindcast.build.workspaces import UPLOAD_LIMITS

    with opened(session, create=True) as workspaces, files_in(source) as found:
        chosen = name or name_of(source.resolve().stem)
        files = without_top(found, UPLOAD_LIMITS) if drop_top else found
        taken = workspaces.upload(session.settings.space, chosen, files, by=session.who, now=session.now())
    noted(session, "upload workspace", f"{chosen} {taken.commit}".strip())
    document: Plain = {"name": chosen, "files": taken.files, "bytes": taken.bytes, "commit": taken.commit}
    what = f"{render.plural(taken.files, 'file')}, {render.size(taken.bytes)}"
    said = (
        f"{chosen} has {what}, commit {taken.commit[:12]}." if taken.commit else f"{chosen} has them already: {what}."
    )
    session.answer(document, Text(render.clean(said)))


@contextmanager
def files_in(source: Path) -> Iterator[Iterator[Incoming]]:
    """The files of a folder or of a zip."""
    from hindcast.adapters.upload_zip import read_zip
    from hindcast.build.workspaces import UPLOAD_LIMITS

    if source.is_dir():
        yield _walked(source)
        return
    try:
        archive = source.open("rb")
    except OSError as error:
        raise Missing(
            f"{source} cannot be read: {error.strerror}.", field="FILES", remedy="Give a folder or a zip."
        ) from error
    with archive:
        yield read_zip(archive, UPLOAD_LIMITS)


def _walked(root: Path) -> Iterator[Incoming]:
    """Plain files below a folder. Links are left out: they would bring in what lies elsewhere."""
    from hindcast.ports.grounds import Incoming

    for path in sorted(root.rglob("*")):
        inside = path.relative_to(root)
        if ".git" in inside.parts or path.is_symlink() or not path.is_file():
            continue
        yield Incoming(inside.as_posix(), _pieces(path), bool(path.stat().st_mode & 0o100))


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while piece := file.read(PIECE_BYTES):
            yield piece


@contextmanager
def opened(session: Session, *, create: bool = False) -> Iterator[Workspaces]:
    """The workspaces of this run's space, closed in the end."""
    from hindcast.build.workspaces import open_workspaces

    def memory(_: str) -> Memory:
        return session.memory(create=create)

    workspaces = open_workspaces(session.settings, memory)
    with ExitStack() as ending:
        ending.callback(workspaces.close)
        yield workspaces


def name_of(folder: str) -> str:
    """A name for a workspace out of that of a folder."""
    made = re.sub(r"[^a-z0-9_-]+", "-", folder.lower()).strip("-_")[:NAME_CHARS_MAX]
    if not made:
        raise Malformed(f"{folder!r} makes no name.", field="--name", remedy="Say what to call it: --name shop")
    return made


def told(one: Registered) -> Plain:
    """A workspace as a document."""
    return {"name": one.name, "kind": str(one.kind), "root": one.root, "url": one.url, "by": one.by, "at": one.at}


for _name, _command, _writes in (
    ("add", add, True),
    ("list", list_workspaces, False),
    ("remove", remove, True),
    ("refresh", refresh, True),
    ("upload", upload, True),
):
    verb(app, _name, writes=_writes)(_command)
