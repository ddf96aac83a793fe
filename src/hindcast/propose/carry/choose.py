"""Which of several places is meant: the function that the diff names decides, then the trace, or nobody does."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hindcast.model.code import Place
from hindcast.propose.carry.laid import Today
from hindcast.propose.carry.names import same_function
from hindcast.propose.carry.outcome import Hints
from hindcast.propose.carry.patch import Hunk
from hindcast.propose.carry.syntax import enclosing, functions

_DEFINITIONS = re.compile(
    r"\bdef\s+(?P<python>\w+)"
    r"|\bfunc\s+(?:\([^)]*\)\s*)?(?P<go>\w+)"
    r"|\bfunction\*?\s+(?P<script>[\w$]+)"
    r"|\b(?:const|let|var)\s+(?P<bound>[\w$]+)(?:\s*:[^=]+)?\s*=\s*(?:async\s*)?(?:function\b|\([^)]*\)[^=]*=>|[\w$]+\s*=>)"
    r"|^\s*(?:(?:async|static|public|private|protected|get|set)\s+)*(?P<method>(?!if\b|for\b|while\b|switch\b|catch\b)[\w$]+)"
    r"\s*\([^)]*\)\s*(?::[^{]+)?\{\s*$"
)


def named_function(hunk: Hunk) -> str:
    """The function that a hunk is in, as its own lines or its header tell; empty where neither does."""
    found = ""
    for line in hunk.lines:
        if line.mark != " " and found:
            break
        if line.mark != "+":
            found = defined(line.text) or found
        if line.mark != " ":
            break
    return found or defined(hunk.section)


def defined(line: str) -> str:
    """The function that a line opens; empty where it opens none."""
    match = _DEFINITIONS.search(line)
    return next((name for name in match.groups() if name), "") if match else ""


class Chooser:
    """Decides between places of one file for one hunk."""

    def __init__(self, hunk: Hunk, today: Today, hints: Hints) -> None:
        self._function = named_function(hunk)
        self._first = max(hunk.old_first - 1, 0)
        self._today = today
        self._places = tuple(place for place in hints.places if place.path == today.path)
        self._is_there = any(one.name == self._function for one in functions(today.text, today.tongue))

    @property
    def function(self) -> str:
        """What the diff calls the function it is in."""
        return self._function

    @property
    def still_has_function(self) -> bool:
        """Whether a function of that name is in the file."""
        return self._is_there

    def confirms(self, line: int, renamed: Sequence[tuple[str, str]] = ()) -> bool:
        """Whether a line is in the function that the diff names, perhaps under a longer name, or on the trace."""
        around = [one for one in functions(self._today.text, self._today.tongue) if one.first <= line <= one.last]
        names = [one.name for one in around]
        called = self._function
        for old, new in ((old, new) for old, new in renamed if old != self._function):
            # Where tasks are jobs today, `run_task` is `run_job`.
            called = re.sub(rf"(?<![^\W_]){re.escape(old)}(?![^\W_])", new, called)
        if self._function in names or (
            self._function
            and not self._is_there
            and any(same_function(name, each) for name in names for each in (self._function, called))
        ):
            return True
        return any(self._is_traced(line, place) for place in self._places)

    def refutes(self, line: int, others: Sequence[int] | None = None, renamed: Sequence[tuple[str, str]] = ()) -> str:
        """Why a line is in the wrong function, although the code is alike; empty where it may be the right one.

        `others` are the other places that are alike; None: nobody has looked.
        """
        around = enclosing(self._today.text, self._today.tongue, line)
        if not self._function or around is None or any(self._is_traced(line, place) for place in self._places):
            return ""
        if not self.confirms(line, renamed):
            return f"only another function than `{self._function}` has code like it"
        twins = [one for one in functions(self._today.text, self._today.tongue) if one.name == self._function]
        if len(twins) < 2 or not self._first:
            return ""
        nearest = min(twins, key=lambda one: max(one.first - self._first, self._first - one.last, 0))
        is_there = nearest.first <= line <= nearest.last
        is_there = is_there or not (others is None or any(nearest.first <= one <= nearest.last for one in others))
        return "" if is_there else f"there are {len(twins)} functions `{self._function}`, and it is not the nearest"

    def choose(self, lines: Sequence[int]) -> tuple[int, str] | None:
        """The index of the one place that is meant, and what decided; None where nothing does."""
        if len(lines) == 1:
            return 0, ""
        inside = [index for index, line in enumerate(lines) if self._in_function(line)]
        if len(inside) == 1:
            return inside[0], f"it is in `{self._function}`"
        pool = inside or range(len(lines))
        for place in self._places:
            traced = [index for index in pool if self._is_traced(lines[index], place)]
            if len(traced) == 1:
                return traced[
                    0
                ], f"the trace goes through `{place.function}`" if place.function else "the trace leads there"
        return None

    def _in_function(self, line: int) -> bool:
        return any(
            one.name == self._function and one.first <= line <= one.last
            for one in functions(self._today.text, self._today.tongue)
        )

    def _is_traced(self, line: int, place: Place) -> bool:
        """Whether the trace went through the function around a line (which is counted from 0, unlike its own)."""
        if place.body is not None:
            return place.body.covers(line + 1)
        if not place.line:
            return False
        around = enclosing(self._today.text, self._today.tongue, line)
        return around is not None and around.first <= place.line - 1 <= around.last
