"""Shows answers to a person: times, values and the tables and trees that hold them.

Text that was remembered is shown, never obeyed: control characters and terminal escapes come out as their codes.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime

from rich import box
from rich.console import Group, RenderableType
from rich.highlighter import JSONHighlighter
from rich.table import Table
from rich.text import Text
from rich.tree import Tree

from hindcast.model.ids import Address
from hindcast.model.record import Commit, Json, Record, State

ID_CHARS = 12
VALUE_CHARS_MAX = 60
# No terminal is wider, and what does not fit is cut anyway.
LINE_CHARS_MAX = 400
WHY_CHARS_MAX = 72
# About one screen of a body; --full shows the rest.
BODY_LINES_MAX = 40
BODY_LINE_CHARS_MAX = 400

_UNITS = (("year", 31_557_600), ("month", 2_629_800), ("day", 86_400), ("hour", 3_600), ("minute", 60))
_STATES = {State.LIVE: "", State.RETRACTED: "retracted", State.ARCHIVED: "archived", State.ERASED: "erased"}
_json = JSONHighlighter()


def clean(text: str) -> str:
    """Text that cannot move the cursor, colour the screen or turn the direction of writing."""
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() or char in "\n\t" or unicodedata.category(char) == "Zs" else f"\\u{ord(char):04x}"
        for char in text
    )


def first_line(text: str, chars_max: int = WHY_CHARS_MAX) -> str:
    """The first line of a longer text, cut where it gets long."""
    line, _, rest = clean(text.strip()).partition("\n")
    return cut(line, chars_max) if not rest or len(line) > chars_max else f"{line} …"


def cut(text: str, chars_max: int) -> str:
    """Text with an ellipsis where it was cut."""
    return text if len(text) <= chars_max else f"{text[: chars_max - 1]}…"


def short(commit: str | None) -> str:
    """A commit id as people read it."""
    return commit[:ID_CHARS] if commit is not None else "nothing yet"


def ago(when: datetime, now: datetime) -> str:
    """How long ago that was, in its largest unit."""
    seconds = (now - when).total_seconds()
    for name, size in _UNITS:
        count = int(abs(seconds) // size)
        if count:
            span = f"{count} {name}{'s' if count > 1 else ''}"
            return f"{span} ago" if seconds > 0 else f"in {span}"
    return "just now"


def utc(when: datetime) -> str:
    """A time on the clock that everybody shares, to the second."""
    return when.astimezone(UTC).strftime("%Y-%m-%d %H:%M:%S UTC")


def time(when: datetime, now: datetime) -> Text:
    """A time both ways: relative for the feeling, absolute for the record."""
    return Text.assemble(ago(when, now), (f"  {utc(when)}", "dim"))


def brief_time(when: datetime, now: datetime) -> Text:
    """The same for a table, to the minute."""
    return Text.assemble(ago(when, now), (f" {when.astimezone(UTC):%Y-%m-%d %H:%MZ}", "dim"))


def size(count: int) -> str:
    """A number of bytes in a unit that fits."""
    for unit, scale in (("GB", 1_000_000_000), ("MB", 1_000_000), ("kB", 1_000)):
        if count >= scale:
            return f"{count / scale:.1f} {unit}"
    return f"{count} bytes"


def plural(count: int, noun: str) -> str:
    """A count with its noun."""
    if count == 1:
        return f"1 {noun}"
    return f"{count:,} {noun[:-1]}ies" if noun.endswith("y") else f"{count:,} {noun}{'es' if noun[-1] in 'hs' else 's'}"


def value(body: Json, *, chars_max: int | None = VALUE_CHARS_MAX) -> Text:
    """A value on one line."""
    written = clean(json.dumps(body, ensure_ascii=False))
    return _json(Text(cut(written, chars_max) if chars_max is not None else written))


def body(content: Json, *, full: bool) -> tuple[Text, bool]:
    """A value over several lines, and whether something of it is left out."""
    lines = clean(json.dumps(content, ensure_ascii=False, indent=2)).split("\n")
    if full:
        return _json(Text("\n".join(lines))), False
    kept = [cut(line, BODY_LINE_CHARS_MAX) for line in lines[:BODY_LINES_MAX]]
    is_cut = len(lines) > BODY_LINES_MAX or kept != lines[: len(kept)]
    if len(lines) > BODY_LINES_MAX:
        kept.append(f"… {len(lines) - BODY_LINES_MAX} more lines")
    return _json(Text("\n".join(kept))), is_cut


def table(*columns: str, full: bool = True) -> Table:
    """A table with a thin line under its head. Addresses fold rather than lose their ends.

    Unless everything is wanted in full, a column of bodies comes last and takes the room that the others leave.
    """
    made = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, header_style="bold", expand=not full)
    for column in columns:
        if column == "body" and not full:
            made.add_column(column, no_wrap=True, overflow="ellipsis", ratio=1)
        else:
            made.add_column(
                column,
                overflow="fold",
                no_wrap=column in ("commit", "step", "records", "kind"),
                justify="right" if column in ("records", "step", "changes") else "left",
            )
    return made


def facts(rows: Iterable[tuple[str, RenderableType | str]]) -> Table:
    """Names and what they stand for, without lines."""
    made = Table.grid(padding=(0, 2))
    made.add_column(style="dim", no_wrap=True)
    made.add_column(overflow="fold")
    for name, content in rows:
        made.add_row(name, content)
    return made


def address(record: Record) -> Text:
    """Where a record lives."""
    return place(record.address)


def place(where: Address) -> Text:
    """An address in its colours."""
    shown = Text(overflow="fold")
    shown.append(f"{where.namespace}/", style="cyan")
    shown.append(where.path, style="bold cyan")
    if where.entry:
        shown.append(f"#{where.entry}", style="cyan")
    return shown


def records(found: Iterable[Record], now: datetime, *, wide: bool, full: bool = False) -> Table:
    """Records, one line each. Where there is little room, bodies have more of it than times."""
    made = table("address", "kind", "learned", "by", "body", full=full)
    for record in found:
        learned = brief_time(record.learned_at, now) if wide else Text(ago(record.learned_at, now))
        made.add_row(address(record), record.kind, learned, record.actor, content(record, full=full))
    return made


def content(record: Record, *, full: bool = False) -> Text:
    """What a record holds, on one line, or why it holds nothing."""
    if record.state is not State.LIVE:
        return Text(_STATES[record.state], style="italic dim")
    return value(record.body, chars_max=None if full else LINE_CHARS_MAX)


def tree(found: Iterable[Record], name: str) -> Tree:
    """Records as the tree that their paths make."""
    root = Tree(Text(name, style="bold"), guide_style="dim")
    nodes: dict[tuple[str, ...], Tree] = {(): root}
    for record in found:
        steps = (record.namespace, *record.path.split("."))
        for depth in range(1, len(steps) + 1):
            key = steps[:depth]
            if key not in nodes:
                nodes[key] = nodes[key[:-1]].add(Text(key[-1], style="cyan"))
        if record.address.entry:
            nodes[steps].add(Text.assemble((f"#{record.address.entry} ", "cyan"), value(record.body)))
        else:
            nodes[steps].label = Text.assemble((steps[-1], "cyan"), "  ", value(record.body))
    return root


def record(found: Record, now: datetime, *, full: bool) -> tuple[Group, bool]:
    """One record with everything it says of itself, and whether its body was cut."""
    shown, is_cut = body(found.body, full=full)
    rows: list[tuple[str, RenderableType | str]] = [
        ("kind", found.kind),
        ("learned", Text.assemble(time(found.learned_at, now), f"  by {found.actor}")),
    ]
    if found.occurred_at != found.learned_at:
        rows.append(("happened", time(found.occurred_at, now)))
    rows.append(("commit", Text(short(found.commit), style="yellow")))
    if found.text is not None:
        rows.append(("text", first_line(found.text, BODY_LINE_CHARS_MAX)))
    return Group(address(found), facts(rows), "", shown), is_cut


def commit_line(commit: Commit, now: datetime, names: Mapping[str, list[str]]) -> Text:
    """A commit on one line, with the branches and snapshots that point at it."""
    line = Text.assemble((short(commit.id), "yellow"), "  ")
    if commit.id in names:
        line.append(f"({', '.join(names[commit.id])})  ", style="bold green")
    line.append(first_line(commit.why))
    line.append(f"  {commit.actor}, {ago(commit.at, now)}, {commit.at.astimezone(UTC):%Y-%m-%d %H:%MZ}", style="dim")
    return line


def commit_head(commit: Commit, now: datetime) -> Table:
    """A commit with all it says of itself."""
    rows: list[tuple[str, RenderableType | str]] = [
        ("commit", Text.assemble((commit.id, "yellow"), f"  step {commit.seq} on {commit.branch}")),
        ("when", time(commit.at, now)),
        ("who", commit.actor),
        ("why", Text(clean(commit.why))),
    ]
    if commit.action != "commit":
        rows.append(("action", str(commit.action)))
    if commit.parent is not None:
        rows.append(("after", Text(short(commit.parent), style="yellow")))
    if commit.merge_parent is not None:
        rows.append(("joins", Text(short(commit.merge_parent), style="yellow")))
    return facts(rows)
