"""Draws branches beside commits, as git does: a line for each branch, bends where they part and join.

Pure: commits in (newest first), rows of coloured text out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rich.text import Text

from hindcast.model.record import Action, Commit

# Neighbouring lines never share a colour, and none of these means success or failure elsewhere.
COLOURS = ("cyan", "magenta", "yellow", "blue", "green", "bright_red")
_MARKS = {Action.MERGE: "◆", Action.REVERT: "◇", Action.ERASE: "×", Action.ARCHIVE: "○"}


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the drawing. A row without a commit only bends lines."""

    drawing: Text
    commit: Commit | None = None


def draw(commits: Iterable[Commit]) -> Iterator[Row]:
    """The rows for commits that come newest first."""
    # For each line, from left to right: the commit it leads down to, or None where the place is free.
    lines: list[str | None] = []
    for commit in commits:
        here = [place for place, wanted in enumerate(lines) if wanted == commit.id]
        if not here:
            here = [_free(lines, commit.id)]
        place, *others = here
        if others:
            yield Row(_bend(lines, place, others, closing=True))
            for other in others:
                lines[other] = None
            _trim(lines)
        yield Row(_straight(lines, place, _MARKS.get(commit.action, "●")), commit)
        lines[place] = commit.parent
        if commit.merge_parent is not None:
            yield from _open(lines, place, commit.merge_parent)
        _trim(lines)


def _open(lines: list[str | None], place: int, parent: str) -> Iterator[Row]:
    """Lead a line from a merge to the commit that it took in."""
    if lines[place] == parent:
        return
    target = next((other for other, wanted in enumerate(lines) if wanted == parent), None)
    known = target is not None
    if target is None:
        target = _free(lines, parent, beyond=place)
    yield Row(_bend(lines, place, [target], closing=False, joining=known))


def _free(lines: list[str | None], wanted: str, *, beyond: int = -1) -> int:
    """Take the first free place right of another one, or a new one."""
    for place in range(beyond + 1, len(lines)):
        if lines[place] is None:
            lines[place] = wanted
            return place
    lines.append(wanted)
    return len(lines) - 1


def _trim(lines: list[str | None]) -> None:
    while lines and lines[-1] is None:
        lines.pop()


def _straight(lines: list[str | None], place: int, mark: str) -> Text:
    drawing = Text()
    for column, wanted in enumerate(lines):
        if column == place:
            drawing.append(mark, style=f"bold {_colour(column)}")
        else:
            drawing.append("│" if wanted is not None else " ", style=_colour(column))
        drawing.append(" ")
    return drawing


def _bend(lines: list[str | None], place: int, others: list[int], *, closing: bool, joining: bool = False) -> Text:
    """Connect one line with others: closing brings them home, otherwise one is led out to them."""
    first, last = min(place, *others), max(place, *others)
    drawing = Text()
    for column, wanted in enumerate(lines):
        colour = _colour(others[-1] if column == place else column)
        if column == place:
            drawing.append("├" if place < last else "┤", style=_colour(place))
        elif column in others:
            drawing.append(_corner(column, place, last, closing=closing, joining=joining), style=_colour(column))
        elif first < column < last:
            drawing.append("┼" if wanted is not None else "─", style=_colour(others[-1]))
        else:
            drawing.append("│" if wanted is not None else " ", style=colour)
        drawing.append("─" if first <= column < last else " ", style=_colour(others[-1]))
    return drawing


def _corner(column: int, place: int, last: int, *, closing: bool, joining: bool) -> str:
    right = column > place
    if joining:
        return "┤" if right else "├"
    if closing:
        return ("╯" if column == last else "┴") if right else "╰"
    return "╮" if right else "╭"


def _colour(column: int) -> str:
    return COLOURS[column % len(COLOURS)]
