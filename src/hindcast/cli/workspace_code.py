"""`hindcast workspace show|tree|search|blame`: what there is in the code of a workspace."""

from __future__ import annotations

from typing import Annotated

import typer
from rich.text import Text

from hindcast.cli import options, render
from hindcast.cli.plain import Plain
from hindcast.cli.session import Session, verb
from hindcast.cli.workspace import app, opened, told
from hindcast.model.errors import Malformed

# The same commands, with those of this module among them.
__all__ = ["app"]

FOUND_MAX = 100
DIRTY_SHOWN_MAX = 20
LINES_MAX = 1_000_000

Workspace = Annotated[
    str, typer.Option("--workspace", "-w", metavar="NAME", help="Whose code; the only one, if not said.")
]
Folder = Annotated[str, typer.Argument(metavar="FOLDER", help="A folder in it; all of it if not said.")]
File = Annotated[str, typer.Argument(metavar="FILE", help="As `hindcast workspace tree` shows it.")]
MaybeFile = Annotated[str, typer.Argument(metavar="FILE", help="A file; how the workspace stands if not said.")]
AtCommit = Annotated[str, typer.Option("--at", metavar="COMMIT", help="As a commit of the repository has it.")]
Lines = Annotated[str, typer.Option("--lines", "-L", metavar="FIRST-LAST", help="Only these lines, as in 10-40.")]


def show(session: Session, file: MaybeFile = "", workspace: Workspace = "", at: AtCommit = "") -> None:
    """Show how a workspace stands, or a file of it."""
    with opened(session) as workspaces:
        registered = workspaces.chosen(session.settings.space, workspace)
        code = workspaces.open(session.settings.space, registered.name)
        if not file:
            state = code.state()
            session.answer(
                {
                    **told(registered),
                    "branch": state.branch,
                    "head": state.head,
                    "dirty": list(state.dirty),
                    "busy_with": state.busy_with,
                },
                render.facts(
                    (
                        ("workspace", registered.name),
                        ("where", render.clean(registered.root)),
                        ("branch", render.clean(state.branch) or "no repository"),
                        ("head", state.head[:12] or "no commit yet"),
                        ("changed", _dirty(state.dirty)),
                        ("under way", state.busy_with or "nothing"),
                    )
                ),
            )
            return
        found = code.read_at(file, at) if at else code.read(file)
    session.answer(
        {
            "path": found.path,
            "text": found.text,
            "digest": found.digest,
            "language": str(found.tongue),
            "newline": found.newline,
            "encoding": found.encoding,
            "has_mark": found.has_mark,
        },
        Text("\n".join(map(render.clean, found.lines)).removesuffix("\n")),
    )


def _dirty(paths: tuple[str, ...]) -> str:
    if not paths:
        return "nothing"
    shown = ", ".join(map(render.clean, paths[:DIRTY_SHOWN_MAX]))
    return shown + (f" and {len(paths) - DIRTY_SHOWN_MAX} more" if len(paths) > DIRTY_SHOWN_MAX else "")


def tree(session: Session, folder: Folder = "", workspace: Workspace = "") -> None:
    """List what lies in a folder, folders first; a * marks what differs from the last commit."""
    with opened(session) as workspaces:
        entries = workspaces.open(session.settings.space, workspace).entries(folder.rstrip("/"))
    document: Plain = {
        "entries": [
            {"path": one.path, "is_folder": one.is_folder, "size": one.size, "is_dirty": one.is_dirty}
            for one in entries
        ]
    }
    shown = [
        Text.assemble(
            ("* " if one.is_dirty else "  ", "yellow"),
            (render.clean(one.path) + ("/" if one.is_folder else ""), "bold" if one.is_folder else ""),
            ("" if one.is_folder else f"  {render.size(one.size)}", "dim"),
        )
        for one in entries
    ]
    session.answer(document, *(shown or [Text("It is empty.")]))


def search(
    session: Session,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What a line has to hold, as it is.")],
    workspace: Workspace = "",
    limit: options.Limit = FOUND_MAX,
) -> None:
    """Find lines that hold a text."""
    with opened(session) as workspaces:
        found = workspaces.open(session.settings.space, workspace).search(text, lines_max=limit)
    document: Plain = {"lines": [{"path": one.path, "line": one.line, "text": one.text} for one in found]}
    shown = [
        Text.assemble((f"{render.clean(one.path)}:{one.line}", "cyan"), "  ", render.clean(one.text.strip()))
        for one in found
    ]
    session.answer(document, *(shown or [Text("No line holds it.")]))
    if len(found) == limit:
        session.hint("There may be more: --limit shows them.")


def blame(session: Session, file: File, lines: Lines = "", workspace: Workspace = "") -> None:
    """Say who last touched which lines of a file."""
    from hindcast.model.code import LineSpan

    first, last = _span(lines)
    with opened(session) as workspaces:
        code = workspaces.open(session.settings.space, workspace)
        texts = code.read(file).lines
        found = code.blame(file, LineSpan(first, min(last, len(texts)))) if first <= len(texts) else ()
    document: Plain = {
        "blamed": [
            {
                "first": one.lines.first,
                "last": one.lines.last,
                "commit": one.commit.id,
                "author": one.commit.author,
                "at": one.commit.at,
                "subject": one.commit.subject,
            }
            for one in found
        ]
    }
    shown = [
        Text.assemble(
            (
                f"{one.commit.id[:8]} {render.clean(one.commit.author)[:16]:16} {one.commit.at:%Y-%m-%d} {number:5} ",
                "dim",
            ),
            render.clean(texts[number - 1]),
        )
        for one in found
        for number in range(one.lines.first, one.lines.last + 1)
    ]
    session.answer(document, *(shown or [Text("There is no history of these lines.")]))


def _span(text: str) -> tuple[int, int]:
    if not text:
        return 1, LINES_MAX
    first, dash, last = text.partition("-")
    if not first.isdigit() or (dash and not last.isdigit()) or int(first) < 1 or (dash and int(last) < int(first)):
        raise Malformed(f"{text!r} names no lines.", field="--lines", remedy="Write 10-40, or 10 for one line.")
    return int(first), int(last) if dash else int(first)


for _name, _command in (("show", show), ("tree", tree), ("search", search), ("blame", blame)):
    verb(app, _name)(_command)
