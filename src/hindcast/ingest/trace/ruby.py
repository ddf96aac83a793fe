"""Ruby: what the interpreter prints, and what Rails and other loggers make of an exception's backtrace."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hindcast.ingest.trace import library
from hindcast.ingest.trace.text import MESSAGE_CHARS_MAX, TraceLimits, number
from hindcast.model.trace import Frame, Language, Raised, Relation, Trace

HINTS = (":in `", ":in '")

_TOP = re.compile(
    r"(?:^|\s)((?:[A-Za-z]:)?[^\s:][^:]*?):(\d+):in [`']([^']{0,200}(?:'[^':]*)*)': (.*?)(?: \(([A-Z][\w:]*)\))?$"
)
_FRAME = re.compile(r"(?:^|\s)(?:from |\d+: from )?((?:[A-Za-z]:)?[^\s:`'][^:`']{0,200}?):(\d+):in [`'](.+)'\s*$")
_NAMED = re.compile(r"(?:^|\s)([A-Z]\w*(?:::[A-Z]\w*)*)(?: \((.*)\)|: (.*)):?\s*$")
_CAUSES = re.compile(r"^\s*Causes?:\s*$")
_LOOK_BACK_LINES = 4
_ERROR_NAME = re.compile(
    r"(?:Error|Exception|Invalid|NotFound|Timeout|Interrupt|Exit|Missing|Denied|Refused|Failed)\w{0,60}$|::E[A-Z]+$"
)


def read(lines: Sequence[str], limits: TraceLimits) -> list[Trace]:
    """Every trace in the lines."""
    found: list[Trace] = []
    at = first_free = 0
    while at < len(lines) and len(found) < limits.traces_max:
        if ":in " in lines[at] and (_FRAME.search(lines[at]) or _top(lines[at])):
            trace = _trace(lines, at, first_free, limits)
            found.append(trace)
            at = first_free = trace.last_line + 1
        else:
            at += 1
    return found


def _top(line: str) -> re.Match[str] | None:
    """The first line of what the interpreter prints: place, method, message and class together."""
    match = _TOP.search(line)
    return match if match is not None and match[5] else None


def _trace(lines: Sequence[str], start: int, first_free: int, limits: TraceLimits) -> Trace:
    chain: list[Raised] = []
    frames: list[Frame] = []
    head = _top(lines[start])
    first, named = start, ("", "")
    if head is None:
        first, named = _named_above(lines, start, first_free)
    last = start
    for position in range(start, len(lines)):
        line = lines[position]
        top = _top(line) if ":in " in line else None
        match = _FRAME.search(line) if ":in " in line and top is None else None
        if top is not None:
            if position != start:
                if len(chain) + 1 >= limits.raised_max:
                    break
                chain.append(_raised(named, frames, chain))
                frames = []
            named = (top[5], top[4])
            frames.append(_frame(top))
        elif match is not None:
            if len(frames) < limits.frames_max:
                frames.append(_frame(match))
        elif line.strip() and not line.strip().startswith("..."):
            break
        else:
            continue
        last = position
    chain.append(_raised(named, frames, chain))
    return Trace(Language.RUBY, tuple(chain), first_line=first, last_line=last)


def _raised(named: tuple[str, str], frames: Sequence[Frame], chain: Sequence[Raised]) -> Raised:
    relation = Relation.CAUSE if chain else Relation.RAISED
    return Raised(named[0], named[1][:MESSAGE_CHARS_MAX], tuple(frames), relation)


def _named_above(lines: Sequence[str], start: int, first_free: int) -> tuple[int, tuple[str, str]]:
    for position in range(start - 1, max(first_free, start - _LOOK_BACK_LINES) - 1, -1):
        match = _NAMED.search(lines[position])
        if match is not None and _ERROR_NAME.search(match[1]):
            return position, (match[1], (match[2] or match[3] or "").strip())
    return start, ("", "")


def _frame(match: re.Match[str]) -> Frame:
    return Frame(match[3], file=match[1], line=number(match[2]), in_app=library.ruby(match[1]))
