"""PHP: uncaught exceptions, errors with a stack trace, and what loggers such as Monolog make of them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hindcast.ingest.trace import library
from hindcast.ingest.trace.text import MESSAGE_CHARS_MAX, TraceLimits, number
from hindcast.model.trace import Frame, Language, Raised, Relation, Trace

HINTS = (".php(", ".php:", "{main}")

_FRAME = re.compile(r"^\s*#(\d+)\s{1,200}(?:(.+?)\((\d+)\)|\[internal function\]|\{main\})(?:: ?(.*))?$")
_NAMED = re.compile(
    r"(?:Uncaught |Next |exception '|\(|^|\s)([A-Z\\]?[\w\\]*(?:Exception|Error|Throwable|Failure)\w*)"
    r"(?:\(code: [^)]*\))?(?:' with message '|: | )(.{0,1000}?)'? (?:in|at) "
    r"((?:[A-Za-z]:)?[^\s:(]+)(?::(\d+)| on line (\d+)|\((\d+)\))"
)
_START = re.compile(r"^\s*\[?[Ss]tack ?trace\]?:?\s*$")
_CALLED = re.compile(r"^([^(]*(?:\{closure[^}]*\})?)\(")
_LOOK_BACK_LINES = 8


def read(lines: Sequence[str], limits: TraceLimits) -> list[Trace]:
    """Every trace in the lines."""
    found: list[Trace] = []
    at = first_free = 0
    while at < len(lines) and len(found) < limits.traces_max:
        match = _FRAME.match(lines[at]) if "#0" in lines[at] else None
        if match is not None and _is_php(match):
            trace = _trace(lines, at, first_free, limits)
            found.append(trace)
            at = first_free = trace.last_line + 1
        else:
            at += 1
    return found


def _is_php(match: re.Match[str]) -> bool:
    return match[2] is None or ".php" in match[2] or "eval()'d" in match[2]


def _trace(lines: Sequence[str], start: int, first_free: int, limits: TraceLimits) -> Trace:
    # Printed oldest cause first; each "Next" wraps the one before.
    printed: list[Raised] = []
    position, first, last = start, start, start
    floor = first_free
    while True:
        above, named = _named_above(lines, position, floor)
        first = min(first, above)
        last, frames = _frames(lines, position, named, limits)
        printed.append(Raised(named[0], named[1][:MESSAGE_CHARS_MAX], frames))
        following = _next(lines, last + 1)
        if following is None or len(printed) >= limits.raised_max:
            break
        position, floor = following, last + 1
    chain = [
        Raised(one.type, one.message, one.frames, Relation.CAUSE if rank else Relation.RAISED)
        for rank, one in enumerate(reversed(printed))
    ]
    return Trace(Language.PHP, tuple(chain), first_line=first, last_line=last)


def _next(lines: Sequence[str], start: int) -> int | None:
    """Where the frames of the exception begin that wraps the one just read."""
    begun = False
    for position in range(start, min(start + _LOOK_BACK_LINES, len(lines))):
        line = lines[position]
        begun = begun or line.startswith("Next ") or "[previous exception]" in line
        match = _FRAME.match(line)
        if begun and match is not None and match[1] == "0":
            return position
        if line.strip() and not begun:
            return None
    return None


def _named_above(lines: Sequence[str], start: int, floor: int) -> tuple[int, tuple[str, str, str, int]]:
    for position in range(start - 1, max(floor, start - _LOOK_BACK_LINES) - 1, -1):
        match = _NAMED.search(lines[position])
        if match is not None:
            return position, (match[1], match[2].strip(), match[3], number(match[4] or match[5] or match[6]))
        if _START.match(lines[position]) is None and not lines[position].strip():
            break
    return start, ("", "", "", 0)


def _frames(
    lines: Sequence[str], start: int, named: tuple[str, str, str, int], limits: TraceLimits
) -> tuple[int, tuple[Frame, ...]]:
    """PHP prints where each function was *called*; where it stopped is the place of the line above."""
    file, line = named[2], named[3]
    frames: list[Frame] = []
    last = start
    for position in range(start, len(lines)):
        match = _FRAME.match(lines[position])
        if match is None:
            break
        last = position
        if len(frames) < limits.frames_max:
            called = match[4] or ""
            cut = _CALLED.match(called)
            function = (cut[1] if cut else called).strip() or "{main}"
            frames.append(Frame(function, file=file, line=line, in_app=library.php(file)))
        file, line = match[2] or "", number(match[3])
    return last, tuple(frames)
