"""Shows what differs: differences between moments, conflicts side by side, the turn that a bisection found."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from datetime import datetime

from rich.console import Group, RenderableType
from rich.table import Table
from rich.text import Text

from hindcast.cli import render
from hindcast.model.answer import Alteration, Conflict, Conflicts, Difference, NoTurn, Turn
from hindcast.model.record import Json, Record, inside

# Beyond this a difference is for a program: --json has all of it.
CHANGES_SHOWN_MAX = 200
SIDE_CHARS_MAX = 40

_ABSENT = Text("(nothing)", style="italic dim")


def difference(found: Difference, *, full: bool) -> Group:
    """What was learned, changed and forgotten, with values."""
    made = Table.grid(padding=(0, 2))
    made.add_column(no_wrap=True)
    made.add_column(overflow="fold")
    made.add_column(overflow="fold")
    made.add_column(overflow="fold")
    left = CHANGES_SHOWN_MAX if not full else len(found.learned) + len(found.changed) + len(found.forgotten)
    for record in found.learned[:left]:
        made.add_row(Text("+", "bold green"), render.address(record), "", _held(record, full=full))
    left = max(0, left - len(found.learned))
    for change in found.changed[:left]:
        _alteration(made, change, full=full)
    left = max(0, left - len(found.changed))
    for record in found.forgotten[:left]:
        made.add_row(Text("-", "bold red"), render.address(record), "", _held(record, full=full))
    return Group(made) if made.row_count else Group()


def _held(record: Record, *, full: bool) -> Text:
    return render.value(record.body, chars_max=None if full else render.VALUE_CHARS_MAX)


def tally(found: Difference) -> Text:
    """How much was learned, changed and forgotten."""
    return Text.assemble(
        (f"{len(found.learned)} learned", "green"),
        ", ",
        (f"{len(found.changed)} changed", "yellow"),
        ", ",
        (f"{len(found.forgotten)} forgotten", "red"),
    )


def _alteration(made: Table, change: Alteration, *, full: bool) -> None:
    mark: RenderableType = Text("~", "bold yellow")
    where: RenderableType = render.address(change.after)
    limit = None if full else SIDE_CHARS_MAX
    rows: list[tuple[str, Json, Json]] = []
    if change.before.kind != change.after.kind:
        rows.append(("@kind", change.before.kind, change.after.kind))
    if change.before.text != change.after.text:
        rows.append(("@text", change.before.text, change.after.text))
    shown = [(name, field(change.before, name), field(change.after, name)) for name in change.fields]
    for name, was, is_now in [*((n, (w, True), (i, True)) for n, w, i in rows), *shown]:
        arrow = Text.assemble(_side(was, limit), (" → ", "dim"), _side(is_now, limit))
        made.add_row(mark, where, Text(name), arrow)
        mark, where = "", ""


def _side(found: tuple[Json, bool], limit: int | None) -> Text:
    held, there = found
    return render.value(held, chars_max=limit) if there else _ABSENT


def field(record: Record | None, name: str) -> tuple[Json, bool]:
    """What a record holds in one dotted field, and whether it has that field at all."""
    if record is None:
        return None, False
    if name in ("@kind", "@text"):
        return (record.kind if name == "@kind" else record.text), True
    return inside(record.body, name)


def conflicts(found: Conflicts, words: Sequence[str], *, full: bool) -> Group:
    """Every conflict in two columns, and the commands that settle them."""
    parts: list[RenderableType] = []
    for conflict in found.conflicts:
        parts.extend((_conflict(conflict, found, full=full), ""))
    parts.append(Text("Settle it with one of these, or with a body of your own:", style="bold"))
    if len(found.conflicts) > 1:
        parts[-1] = Text("Choose for each address (ours, theirs, newest or a body of your own), for example:", "bold")
    parts.extend(
        Text(f"  {command(words, found.conflicts, side)}", no_wrap=True, overflow="ignore")
        for side in ("ours", "theirs")
    )
    own = f"{found.conflicts[0].address}={{…}}"
    parts.append(Text(f"  … --choose {shlex.quote(own)}", style="dim"))
    parts.append(Text("Or one rule for all of them: --policy ours, --policy theirs or --policy newest.", style="dim"))
    return Group(*parts)


def command(words: Sequence[str], settled: Sequence[Conflict], side: str) -> str:
    """The command that was given, with a choice for each conflict."""
    choices = [part for conflict in settled for part in ("--choose", f"{conflict.address}={side}")]
    return shlex.join(["hindcast", *words, *choices])


def _conflict(conflict: Conflict, found: Conflicts, *, full: bool) -> Group:
    limit = None if full else SIDE_CHARS_MAX
    made = render.table("field", "before", f"ours ({found.ours.branch})", f"theirs ({found.theirs.name[:24]})")
    for name in conflict.fields:
        sides = [_side(field(side, name), limit) for side in (conflict.base, conflict.ours, conflict.theirs)]
        made.add_row(name or "(the whole body)", *sides)
    who = [
        f"{side.actor} wrote {name}" for name, side in (("ours", conflict.ours), ("theirs", conflict.theirs)) if side
    ]
    return Group(Text.assemble(render.place(conflict.address), (f"   {', '.join(who)}", "dim")), made)


def turn(found: Turn | NoTurn, now: datetime, *, full: bool) -> Group:
    """The commit at which an answer changed, with the answers on both sides of it."""
    if isinstance(found, NoTurn):
        return Group(
            Text(f"The answer is the same at both ends ({render.plural(found.looks, 'look')}):"),
            _told(found.answer, full=full),
        )
    return Group(
        Text(f"The answer changed here, found in {render.plural(found.looks, 'look')}:", style="bold"),
        "",
        render.commit_head(found.commit, now),
        "",
        render.facts([("before", _told(found.before, full=full)), ("after", _told(found.after, full=full))]),
    )


def _told(answer: Json, *, full: bool) -> RenderableType:
    """An answer in short: hits as address and body, everything else as its value."""
    if isinstance(answer, Mapping) and set(answer) == {"there", "value"}:
        return render.body(answer["value"], full=full)[0] if answer["there"] else _ABSENT
    if not isinstance(answer, list | tuple):
        return render.value(answer)
    if not answer:
        return Text("(no record answers)", style="italic dim")
    made = Table.grid(padding=(0, 2))
    made.add_column(overflow="fold", style="cyan")
    made.add_column(overflow="fold")
    for hit in (one for one in answer if isinstance(one, Mapping)):
        made.add_row(str(hit["address"]), render.value(hit["body"], chars_max=None if full else render.VALUE_CHARS_MAX))
    return made
