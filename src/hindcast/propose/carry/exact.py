"""A hunk whose lines are there as they were: applied, or found to be applied already."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hindcast.propose.carry.choose import Chooser
from hindcast.propose.carry.laid import Today, groups_of, telling
from hindcast.propose.carry.lex import lex
from hindcast.propose.carry.patch import Hunk
from hindcast.propose.carry.splice import Splice

# How much the lines of a hunk must tell before their mere presence says where it goes: two names, say.
TELLING_MIN = 2.0


@dataclass(frozen=True, slots=True)
class Found:
    """Where a hunk is, line by line: to be applied by its splices, or applied already where it has none."""

    splices: tuple[Splice, ...]
    # Today's lines that it is about, counted from 0, the end not included.
    first: int
    after: int
    decided: str = ""


def settle_exactly(hunk: Hunk, today: Today, chooser: Chooser) -> Found | None:
    """Apply a hunk where its old lines stand, or see its new ones; None where neither is certain."""
    old, new = hunk.old, hunk.new
    olds, news = places(old, today.lines), places(new, today.lines)
    here, there = hunk.old_first - 1 in olds, hunk.new_first - 1 in news
    if hunk.old_first and hunk.new_first and here != there and (len(olds) == 1 or len(news) == 1 or here):
        return _applied(hunk, hunk.old_first - 1) if here else _done(hunk, hunk.new_first - 1)
    if hunk.old_first and here and there:
        return _applied(hunk, hunk.old_first - 1) if len(old) > len(new) else _done(hunk, hunk.new_first - 1)
    if telling(lex("\n".join((*old, *new)), today.tongue)) < TELLING_MIN:
        return None
    # The old lines may be a part of the new ones: where those stand, it is applied.
    olds = [at for at in olds if not any(place <= at and at + len(old) <= place + len(new) for place in news)]
    if not news and not olds:
        return None
    lines = [*(at + _change_at(hunk, "-") for at in olds), *(at + _change_at(hunk, "+") for at in news)]
    chosen = chooser.choose(lines)
    if chosen is None:
        return _done(hunk, news[0]) if news and not olds else None
    index, decided = chosen
    if index >= len(olds):
        return _done(hunk, news[index - len(olds)])
    if chooser.refutes(lines[index]):
        return None
    return _applied(hunk, olds[index], decided)


def places(block: Sequence[str], lines: Sequence[str]) -> list[int]:
    """Where a run of lines stands in a file; white space at line ends counts only where it decides."""
    if not block or not any(line.strip() for line in block):
        return []
    exact = _places(block, lines)
    return exact or _places([line.rstrip() for line in block], [line.rstrip() for line in lines])


def _places(block: Sequence[str], lines: Sequence[str]) -> list[int]:
    size = len(block)
    rarest = max(range(size), key=lambda index: len(block[index]))
    return [
        at - rarest
        for at, line in enumerate(lines)
        if line == block[rarest]
        and 0 <= at - rarest <= len(lines) - size
        and list(lines[at - rarest : at - rarest + size]) == list(block)
    ]


def _change_at(hunk: Hunk, mark: str) -> int:
    """How far into a side of the hunk its first change is."""
    passed = 0
    for line in hunk.lines:
        if line.mark != " ":
            return max(passed - 1, 0) if line.mark != mark else passed
        passed += 1
    return passed


def _applied(hunk: Hunk, at: int, decided: str = "") -> Found:
    splices = tuple(
        Splice(at + group.old_at, at + group.old_at + len(group.removed), group.added) for group in groups_of(hunk)
    )
    return Found(splices, splices[0].first, max(splices[-1].after, splices[0].first + 1), decided)


def _done(hunk: Hunk, at: int) -> Found:
    groups = groups_of(hunk)
    last = groups[-1].new_at + len(groups[-1].added)
    return Found((), at + groups[0].new_at, max(at + last, at + groups[0].new_at + 1))
