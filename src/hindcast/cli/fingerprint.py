"""`hindcast fingerprint`: every stack trace in a text, its fingerprint, and which parts counted and why."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from hindcast.cli.render import clean
from hindcast.cli.session import Session, verb
from hindcast.model.errors import Malformed, Missing

if TYPE_CHECKING:
    from hindcast.ingest.fingerprint import Fingerprint, Part
    from hindcast.model.trace import Frame, Trace

# A file is read whole, so that a trace at its end is found; a log line is never so long.
CHARS_MAX = 64_000_000
LINES_MAX = 1_000_000
TRACES_MAX = 10_000

Source = Annotated[str, typer.Argument(metavar="FILE", help="A file with log lines or a trace; - reads stdin.")]
Frames = Annotated[bool, typer.Option("--frames", help="Show every frame as it was read, with file and line.")]
EPILOG = """[dim]# Why do two failures belong together, and which of them?[/dim]
hindcast fingerprint app.log
kubectl logs payment-7d9f | hindcast fingerprint - --frames"""


def install(app: typer.Typer, panel: str | None = None) -> None:
    """Put the command into an app."""
    verb(app, "fingerprint", panel=panel, epilog=EPILOG)(fingerprint)


def fingerprint(session: Session, source: Source, frames: Frames = False) -> None:
    """Find stack traces in a text and say how each is grouped: what counted, what did not, and why.

    A text without a trace is grouped by its words. Two texts with the same fingerprint are the same failure.
    """
    from hindcast.ingest.fingerprint import of_message, of_trace
    from hindcast.ingest.trace import TraceLimits, parse_all

    text = read_source(source)
    limits = TraceLimits(chars_max=CHARS_MAX, lines_max=LINES_MAX, traces_max=TRACES_MAX)
    traces = parse_all(text, limits)
    found: list[tuple[Trace | None, Fingerprint]] = [(trace, of_trace(trace)) for trace in traces]
    if not found:
        found = [(None, of_message(text))]
    document = {"source": source, "traces": len(traces), "found": [plain(trace, made) for trace, made in found]}
    session.answer(document, *(_shown(trace, made, frames=frames) for trace, made in found))
    if len(text) > CHARS_MAX:
        session.hint(f"Only the first {CHARS_MAX:,} characters were read. Split the file to see the rest.")


def read_source(source: str) -> str:
    """The text of a file or of stdin. Bytes that are no UTF-8 are shown as such and disturb nothing."""
    try:
        content = sys.stdin.buffer.read() if source == "-" else Path(source).read_bytes()
    except FileNotFoundError as error:
        raise Missing(f"There is no file {source}.", field="FILE", remedy="Correct its path.") from error
    except OSError as error:
        raise Malformed(
            f"{source} cannot be read: {error.strerror}.", field="FILE", remedy="Name another one."
        ) from error
    text = content.decode("utf-8", errors="replace")
    if not text.strip():
        raise Malformed(
            "There is nothing to read.", field="FILE", remedy="Give a file with log lines, or pipe them in."
        )
    return text


def plain(trace: Trace | None, made: Fingerprint) -> dict[str, Any]:
    """What `--json` prints of one of them."""
    from hindcast.ingest.fingerprint.grouping import written

    return {
        "fingerprint": written(made.id),
        "app": written(made.app) if made.app else None,
        "system": written(made.system),
        "scheme": made.scheme,
        "title": made.title,
        "nearest": list(made.nearest),
        "parts": [_plain_part(part) for part in made.parts],
        "trace": _plain_trace(trace) if trace is not None else None,
    }


def _plain_part(part: Part) -> dict[str, Any]:
    counts = [variant.value for variant in part.counts]
    return {"kind": part.kind, "value": part.value, "counts": counts, "why": part.why}


def _plain_trace(trace: Trace) -> dict[str, Any]:
    return {
        "language": trace.language.value,
        "first_line": trace.first_line + 1,
        "last_line": trace.last_line + 1,
        "raised": [
            {
                "relation": raised.relation.value,
                "type": raised.type,
                "message": raised.message,
                "asserted": raised.asserted,
                "asserted_in": raised.asserted_in,
                "notes": list(raised.notes),
                "frames": [_plain_frame(frame) for frame in raised.frames],
            }
            for raised in trace.raised
        ],
        "threads": [
            {"name": thread.name, "frames": [_plain_frame(frame) for frame in thread.frames]}
            for thread in trace.threads
        ],
    }


def _plain_frame(frame: Frame) -> dict[str, Any]:
    return {
        "function": frame.function,
        "module": frame.module,
        "file": frame.file,
        "line": frame.line,
        "column": frame.column,
        "in_app": frame.in_app,
        "code": frame.code,
    }


def _shown(trace: Trace | None, made: Fingerprint, *, frames: bool) -> RenderableType:
    from hindcast.ingest.fingerprint.grouping import written

    head = Text.assemble((written(made.id), "bold"), "  ", clean(made.title))
    if trace is None:
        where = Text("  no stack trace; grouped by its words", style="dim")
    else:
        lines = f"lines {trace.first_line + 1} to {trace.last_line + 1}"
        where = Text(f"  {trace.language.value}, {lines}, {trace.frames} frames, scheme {made.scheme}", style="dim")
    shown: list[RenderableType] = [head, where, part_table(made)]
    if made.app and made.app != made.system:
        shown.append(Text(f"  with libraries counted as well: {written(made.system)}", style="dim"))
    if frames and trace is not None:
        shown.append(_frame_table(trace))
    return Group(*shown, Text(""))


def part_table(made: Fingerprint) -> Table:
    """Which parts counted, and why."""
    table = Table(box=None, padding=(0, 2, 0, 0), show_header=True, header_style="dim")
    table.add_column("  counts", no_wrap=True)
    table.add_column("part", no_wrap=True)
    table.add_column("value", overflow="fold", ratio=3)
    table.add_column("why", overflow="fold", ratio=2)
    for part in made.parts:
        names = [variant.value for variant in part.counts]
        counts = "yes" if len(names) > 1 else f"{names[0]} only" if names else "no"
        style = "" if names else "dim"
        table.add_row(f"  {counts}", part.kind, Text(clean(part.value)), Text(part.why), style=style)
    return table


def _frame_table(trace: Trace) -> Table:
    table = Table(box=None, padding=(0, 2, 0, 0), header_style="dim")
    for heading in ("  whose", "function", "place"):
        table.add_column(heading, overflow="fold")
    for raised in trace.raised:
        table.add_row(
            f"  {raised.relation.value}", Text(clean(f"{raised.type}: {raised.message}"[:200]), style="bold"), ""
        )
        for frame in raised.frames:
            place = f"{frame.file}:{frame.line}" if frame.line else frame.file or frame.module
            table.add_row(
                "  app" if frame.in_app else "  library", Text(clean(frame.function or "?")), Text(clean(place))
            )
    return table
