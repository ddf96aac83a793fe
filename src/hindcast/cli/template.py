"""`hindcast template`: which templates the lines of a file have, how often, and why."""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, BinaryIO

import orjson
import typer
from rich import box
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from hindcast.cli import render
from hindcast.cli.plain import Plain
from hindcast.cli.session import Session, verb
from hindcast.model.errors import Malformed, Missing, Unavailable

if TYPE_CHECKING:
    from hindcast.ingest.template import Explanation, Miner

LINES_PER_BATCH = 1_000
TOP = 20
# A line that is longer was never written by a person for a person; what is behind this is left out.
LINE_BYTES_MAX = 1_000_000
EXAMPLE_CHARS_MAX = 400
# Where structured logs keep what was said.
MESSAGE_KEYS = ("message", "msg", "body", "log", "event")
EPILOG = """[dim]# What is this log made of, and what is rare in it?[/dim]
hindcast template app.log
kubectl logs payment-7d9f | hindcast template - --top 100 --explain"""


def install(app: typer.Typer, panel: str | None = None) -> None:
    """Put the command into an app."""
    verb(app, "template", panel=panel, epilog=EPILOG)(template)


@dataclass(frozen=True, slots=True)
class Counted:
    """A template with how many lines it has, and the first of them."""

    id: int
    text: str
    count: int
    example: str


def template(
    session: Session,
    file: Annotated[str, typer.Argument(metavar="FILE|-", help="A log, one message a line; - reads the pipe.")],
    top: Annotated[int, typer.Option("--top", "-n", min=1, metavar="N", help="Show the most frequent ones.")] = TOP,
    explain: Annotated[bool, typer.Option("--explain", help="Say what varies in each one, and why.")] = False,
) -> None:
    """Show which templates the lines of a log have.

    A template is what lines of one origin have in common, with <*> where they differ. Of JSON lines the message counts.
    Nothing is stored: it shows what Hindcast would make of these lines.
    """
    from hindcast.ingest.template import Miner

    miner = Miner()
    with _opened(file) as source:
        found = _mined(miner, _messages(source))
    lines = sum(one.count for one in found)
    shown = [(one, miner.explain(one.example) if explain else None) for one in found[:top]]
    document: Plain = {
        "lines": lines,
        "templates": len(found),
        "top": [_plain(one, lines, explanation) for one, explanation in shown],
    }
    session.answer(document, *_rendered(shown, lines, len(found)))
    if not explain and found:
        session.hint("What varies in each one, and why: --explain")


@contextmanager
def _opened(file: str) -> Iterator[BinaryIO]:
    """The file, or the pipe."""
    if file == "-":
        yield sys.stdin.buffer
        return
    try:
        with Path(file).open("rb") as source:
            yield source
    except FileNotFoundError as error:
        raise Missing(f"There is no file {file}.", field="FILE", remedy="Look at its name.") from error
    except IsADirectoryError as error:
        raise Malformed(f"{file} is a folder.", field="FILE", remedy="Name a file in it.") from error
    except OSError as error:
        raise Unavailable(f"{file} cannot be read: {error.strerror}.", field="FILE", remedy="Repair that.") from error


def _messages(source: BinaryIO) -> Iterator[str]:
    """What each line says. Blank lines say nothing; bytes that are no text are replaced."""
    while line := source.readline(LINE_BYTES_MAX):
        text = line.decode("utf-8", "replace").strip()
        if text:
            yield _said(text)
        while line and not line.endswith(b"\n"):
            line = source.readline(LINE_BYTES_MAX)


def _said(line: str) -> str:
    """The message inside of a JSON line; any other line as it is."""
    if not line.startswith("{"):
        return line
    try:
        record: Any = orjson.loads(line)
    except orjson.JSONDecodeError:
        return line
    values = (record.get(key) for key in MESSAGE_KEYS)
    return next((value for value in values if isinstance(value, str) and value.strip()), line)


def _mined(miner: Miner, messages: Iterator[str]) -> list[Counted]:
    """The templates of all messages, most frequent first, as they read in the end."""
    import pyarrow as pa

    counts: Counter[int] = Counter()
    examples: dict[int, str] = {}
    texts: dict[int, str] = {}
    while batch := list(islice(messages, LINES_PER_BATCH)):
        ids = miner.assign(pa.array(batch, pa.string())).to_pylist()
        counts.update(ids)
        for number, message in zip(ids, batch, strict=True):
            examples.setdefault(number, message[:EXAMPLE_CHARS_MAX])
        texts.update({pattern.id: pattern.text for pattern in miner.fresh()})
    # Ids that came to read the same are one template.
    joined: dict[str, Counted] = {}
    for number, count in counts.items():
        text = texts[number]
        one = joined.get(text, Counted(number, text, 0, examples[number]))
        joined[text] = Counted(one.id, text, one.count + count, one.example)
    return sorted(joined.values(), key=lambda one: (-one.count, one.text))


def _plain(one: Counted, lines: int, explanation: Explanation | None) -> Plain:
    told: Plain = {
        # As text: a number of 64 bits does not survive every reader of JSON.
        "id": f"{one.id:016x}",
        "template": one.text,
        "count": one.count,
        "share": round(one.count / lines, 6),
        "example": one.example,
    }
    if explanation is not None:
        told["parts"] = [{"text": part.text, "variable": bool(part.why), "why": part.why} for part in explanation.parts]
    return told


def _rendered(shown: list[tuple[Counted, Explanation | None]], lines: int, templates: int) -> Iterable[RenderableType]:
    if not shown:
        yield Text("There are no lines.")
        return
    table = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold")
    table.add_column("lines", justify="right", no_wrap=True)
    table.add_column("share", justify="right", no_wrap=True)
    table.add_column("template, and an example", overflow="fold")
    for one, explanation in shown:
        below = _reasons(explanation) if explanation is not None else _example(one)
        table.add_row(f"{one.count:,}", f"{one.count / lines:.1%}", Group(_template(one.text), below))
    yield table
    rest = templates - len(shown)
    more = f"; {rest:,} more with --top {templates}" if rest else ""
    yield Text(f"\n{render.plural(lines, 'line')}, {render.plural(templates, 'template')}{more}", style="dim")


def _template(text: str) -> Text:
    made = Text(render.clean(text) or "(empty)", overflow="fold")
    made.highlight_words(["<*>"], style="cyan")
    return made


def _example(one: Counted) -> Text:
    return Text(render.clean(one.example), style="dim", no_wrap=True, overflow="ellipsis")


def _reasons(explanation: Explanation) -> RenderableType:
    """What varies, with its reason."""
    rows = [(part.text, part.why) for part in explanation.parts if part.why]
    if not rows:
        return Text("nothing varies", style="dim")
    grid = Table.grid(padding=(0, 2))
    grid.add_column(style="dim", overflow="fold")
    grid.add_column(style="dim")
    for text, why in rows:
        grid.add_row(render.cut(render.clean(text), render.VALUE_CHARS_MAX) or "(nothing)", why)
    return grid
