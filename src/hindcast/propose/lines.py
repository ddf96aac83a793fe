"""Where the line that a frame names is in a file today: by its function and its own words, then by its number."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from hindcast.model.code import LineSpan, SourceFile
from hindcast.model.trace import Frame
from hindcast.propose.carry.syntax import Function, functions, has_grammar
from hindcast.propose.printed import simple_name

# Beyond this a file is data or was made by a tool; only its line numbers are used.
FILE_CHARS_MAX = 1_000_000


@dataclass(frozen=True, slots=True)
class Located:
    """A line of today's file, the function around it, and what speaks for that."""

    # 0 when only the file is certain.
    line: int
    body: LineSpan | None
    # How sure the line is, given that the file is the right one, 0 to 1.
    certainty: float
    how: str
    # Whether the file itself has what the frame names: its function or its line.
    is_confirmed: bool = False


def line_today(frame: Frame, file: SourceFile) -> Located:
    """Where the line of a frame is in a file today."""
    lines = file.lines
    name = simple_name(frame.function)
    wanted = " ".join(frame.code.split())
    alike = [number for number, line in enumerate(lines, 1) if wanted and " ".join(line.split()) == wanted]
    if not has_grammar(file.tongue) or len(file.text) > FILE_CHARS_MAX:
        return _by_words(frame, file, name, alike)
    known = functions(file.text, file.tongue)
    named = [one for one in known if name and one.name == name]
    if named:
        return _in_function(frame, named, alike)
    if alike:
        line = _nearest(alike, frame.line)
        body = _enclosing(known, line)
        if name and body is not None:
            how = f"`{name}` is gone, and its line stands in `{body.name}`"
            return Located(line, _span(body), 0.75 if len(alike) == 1 else 0.5, how, is_confirmed=len(alike) == 1)
        return Located(
            line, _span(body), 0.97 if line == frame.line else 0.9, "the line is the same", is_confirmed=True
        )
    if name:
        return Located(0, None, 0.4, f"`{name}` is not in it today")
    if wanted:
        return Located(0, None, 0.5, "the line is not in it today")
    if 0 < frame.line <= len(lines):
        return Located(frame.line, _span(_enclosing(known, frame.line)), 0.8, "by the number of the line")
    return Located(0, None, 0.6, "the file is shorter today" if frame.line else "the trace names no line")


def _in_function(frame: Frame, named: Sequence[Function], alike: Sequence[int]) -> Located:
    """A line of a function that is still there, perhaps elsewhere in the file."""
    inside = [(number, one) for one in named for number in alike if _holds(one, number)]
    if inside:
        line, one = min(inside, key=lambda pair: (abs(pair[0] - frame.line), pair[0], -pair[1].first))
        moved = "" if line == frame.line else f"the line was {frame.line} when it was printed"
        return Located(line, _span(one), 1.0, moved, is_confirmed=True)
    around = [one for one in named if _holds(one, frame.line)]
    if around:
        # Innermost: the last that began before the line.
        span = _span(around[-1])
        if frame.code:
            return Located(frame.line, span, 0.85, "the line reads differently today", is_confirmed=True)
        return Located(frame.line, span, 0.97, "", is_confirmed=True)
    if len(named) == 1 or not frame.line:
        how = f"`{named[0].name}` begins at line {named[0].first + 1} today" if frame.line else ""
        certainty = (0.85 if frame.line else 0.9) if len(named) == 1 else 0.6
        return Located(named[0].first + 1, _span(named[0]), certainty, how, is_confirmed=True)
    nearest = min(named, key=lambda one: abs(one.first + 1 - frame.line))
    how = f"{len(named)} functions of the file are called `{nearest.name}`; the nearest is taken"
    return Located(nearest.first + 1, _span(nearest), 0.6, how, is_confirmed=True)


def _by_words(frame: Frame, file: SourceFile, name: str, alike: Sequence[int]) -> Located:
    """A file whose grammar is not known here: its words have to do."""
    if alike:
        return Located(_nearest(alike, frame.line), None, 0.95, "the line is the same", is_confirmed=True)
    lines = file.lines
    has_name = bool(name) and re.search(rf"(?<![\w$]){re.escape(name)}(?![\w$])", file.text) is not None
    if 0 < frame.line <= len(lines):
        if has_name:
            return Located(frame.line, None, 0.9, "by the number of the line", is_confirmed=True)
        return Located(frame.line, None, 0.5 if name else 0.8, "by the number of the line")
    return Located(0, None, 0.75 if has_name else 0.4, "the file is shorter today" if frame.line else "", has_name)


def _holds(function: Function, line: int) -> bool:
    return function.first + 1 <= line <= function.last + 1


def _enclosing(known: Sequence[Function], line: int) -> Function | None:
    around = [one for one in known if _holds(one, line)]
    return around[-1] if around else None


def _span(function: Function | None) -> LineSpan | None:
    return LineSpan(function.first + 1, function.last + 1) if function is not None else None


def _nearest(numbers: Sequence[int], line: int) -> int:
    return min(numbers, key=lambda number: (abs(number - line), number))
