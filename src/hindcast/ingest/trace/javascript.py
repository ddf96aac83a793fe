"""JavaScript and TypeScript traces as V8 (Node, Chrome), Firefox and Safari print them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hindcast.ingest.trace import library
from hindcast.ingest.trace.block import Block
from hindcast.ingest.trace.text import MESSAGE_CHARS_MAX, TraceLimits, after_at, number
from hindcast.model.trace import Frame, Language, Raised, Relation, Trace

HINTS = ("at ", "@")

_PLACE = r"((?:[a-z][a-z-]*:/{0,3}|[A-Za-z]:\\|webpack[\w-]*:///?)?[^\s()][^()]*?|<anonymous>|native|eval at .*)"
_V8 = re.compile(
    rf"(?:async )?(?:(new )?([^()]+?(?: \[as [^\]]+\])?) \({_PLACE}?"
    rf"(?::(\d+))?(?::(\d+))?\)|{_PLACE}:(\d+):(\d+))$"
)
_PROMISE = re.compile(r"(?:async )?(Promise\.\w+) \(index \d+\)$")
_GECKO = re.compile(r"^\s*([^\s@]*?)@((?:[a-z][a-z-]*:/|/|\.|\[native code\])[^@]*?)(?::(\d+))?(?::(\d+))?$")
_NAMED = re.compile(
    r"(\[(?:cause|errors|\w+)\]: |Caused by: |caused by: )?(?<![\w.$])(?:Uncaught (?:\(in promise\) )?)?"
    r"([A-Z][\w$]*(?:Error|Exception|Warning|Rejection|Failure|Timeout)|Error|[A-Z]\w*Error \[\w+\])"
    r"(?: \[\w+\])?(?:: (.*)|:?\s*)$"
)
_LOOK_BACK_LINES = 10


def read(lines: Sequence[str], limits: TraceLimits) -> list[Trace]:
    """Every trace in the lines."""
    found: list[Trace] = []
    at = first_free = 0
    while at < len(lines) and len(found) < limits.traces_max:
        if _frame(lines[at]) is not None:
            trace = _trace(lines, at, first_free, limits)
            at = first_free = trace.last_line + 1
            # One such line alone, with nothing raised above it, could be anything.
            if trace.raised[0].type or trace.frames > 1:
                found.append(trace)
        else:
            at += 1
    return found


def _trace(lines: Sequence[str], start: int, first_free: int, limits: TraceLimits) -> Trace:
    first, head = _head(lines, start, first_free)
    blocks = [head]
    last = position = start
    while position < len(lines):
        line = lines[position]
        frame = _frame(line)
        if frame is not None:
            if len(blocks[-1].frames) < limits.frames_max:
                blocks[-1].frames.append(frame)
            last = position
        elif line.strip() in ("{", "}", "},", "]", "") or line.strip().startswith("..."):
            pass
        else:
            named = _NAMED.search(line)
            if named is None or not named[1] or len(blocks) >= limits.raised_max:
                break
            relation = Relation.GROUP if named[1].startswith("[errors") else Relation.CAUSE
            blocks.append(Block(named[2], (named[3] or "").strip(), relation))
            last = position
        position += 1
    raised = tuple(Raised(b.type, b.message, tuple(b.frames), b.relation) for b in blocks)
    return Trace(Language.JAVASCRIPT, raised, first_line=first, last_line=last)


def _head(lines: Sequence[str], start: int, first_free: int) -> tuple[int, Block]:
    for position in range(start - 1, max(first_free, start - _LOOK_BACK_LINES) - 1, -1):
        named = _NAMED.search(lines[position])
        if named is not None:
            message = "\n".join([(named[3] or "").strip(), *(line.strip() for line in lines[position + 1 : start])])
            return position, Block(named[2], message[:MESSAGE_CHARS_MAX].strip(), Relation.RAISED)
        if not lines[position].strip():
            break
    return start, Block("", "", Relation.RAISED)


def _frame(line: str) -> Frame | None:
    begin = after_at(line) if "at " in line else -1
    if begin >= 0:
        promise = _PROMISE.match(line, begin)
        if promise is not None:
            return Frame(promise[1], in_app=False)
        match = _V8.match(line, begin)
        if match is not None:
            function = (match[2] or "").strip()
            file, row, column = (match[3] or "", match[4], match[5]) if match[2] else (match[6], match[7], match[8])
            if match[2] and not row and file not in ("<anonymous>", "native", "node:internal"):
                return _unplaced(file, function)
            return Frame(
                f"new {function}" if match[1] else function,
                file=file,
                line=number(row),
                column=number(column),
                in_app=library.javascript(file),
            )
        return None
    if "@" not in line:
        return None
    match = _GECKO.match(line)
    if match is None or (match[3] is None and match[2] != "[native code]"):
        return None
    return Frame(
        match[1],
        file=match[2],
        line=number(match[3]),
        column=number(match[4]),
        in_app=library.javascript(match[2]),
    )


def _unplaced(file: str, function: str) -> Frame | None:
    """A frame of code that was made while running names the place of the eval instead of its own."""
    return Frame(function, file="", in_app=False) if file.startswith("eval at ") else None
