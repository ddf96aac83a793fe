"""Changes of lines, and a text with all of them."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Splice:
    """Lines of today's file, counted from 0, the end not included, and what takes their place."""

    first: int
    after: int
    lines: tuple[str, ...]


def woven(today: Sequence[str], splices: Sequence[Splice]) -> str | None:
    """Today's lines with every change; None where two of them meet."""
    lines = list(today)
    ordered = sorted(splices, key=lambda one: (one.first, one.after))
    for one, other in itertools.pairwise(ordered):
        if one.after > other.first or (one.first == other.first and one.after == other.after):
            return None
    for one in reversed(ordered):
        lines[one.first : one.after] = one.lines
    return "\n".join(lines)
