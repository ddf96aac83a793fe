"""Two changes of one text joined, line by line, where they have nothing to do with each other.

Lines that both sides left alone hold the text together. Between them, what only one side changed is taken; what both
changed alike is taken once; anything else is for a person, and nothing is made up.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from difflib import SequenceMatcher

# Comparing takes time by the square of the lines that differ; longer files are data.
LINES_MAX = 50_000


@dataclass(frozen=True, slots=True)
class _Held:
    """Lines that are the same in all three texts: where they begin in each, and how many there are."""

    base: int
    ours: int
    theirs: int
    count: int


def joined(base: str, ours: str, theirs: str) -> str | None:
    """The text with both changes in it; None where they touch each other, or the text is too long to tell."""
    if ours in (base, theirs):
        return theirs
    if theirs == base:
        return ours
    old, mine, other = base.split("\n"), ours.split("\n"), theirs.split("\n")
    if max(len(old), len(mine), len(other)) > LINES_MAX:
        return None
    made: list[str] = []
    at = _Held(0, 0, 0, 0)
    for held in _held(old, mine, other):
        piece = _between(old[at.base : held.base], mine[at.ours : held.ours], other[at.theirs : held.theirs])
        if piece is None:
            return None
        made += [*piece, *old[held.base : held.base + held.count]]
        at = _Held(held.base + held.count, held.ours + held.count, held.theirs + held.count, 0)
    return "\n".join(made)


def _between(old: list[str], mine: list[str], other: list[str]) -> list[str] | None:
    if mine == old:
        return other
    return mine if other in (old, mine) else None


def _held(old: list[str], mine: list[str], other: list[str]) -> Iterator[_Held]:
    """Runs of lines that neither side touched, from top to bottom; the end of all three comes last."""
    ours, theirs = _matches(old, mine), _matches(old, other)
    left = right = 0
    while left < len(ours) and right < len(theirs):
        (base, in_mine, count), (start, in_other, length) = ours[left], theirs[right]
        first, after = max(base, start), min(base + count, start + length)
        if first < after:
            yield _Held(first, in_mine + first - base, in_other + first - start, after - first)
        if base + count < start + length:
            left += 1
        else:
            right += 1
    yield _Held(len(old), len(mine), len(other), 0)


def _matches(old: list[str], new: list[str]) -> list[tuple[int, int, int]]:
    blocks = SequenceMatcher(None, old, new, autojunk=False).get_matching_blocks()
    return [(block.a, block.b, block.size) for block in blocks if block.size]
