""".NET: exceptions with those inside them, and without the noise that async methods leave on a stack."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hindcast.ingest.trace import library
from hindcast.ingest.trace.block import Block
from hindcast.ingest.trace.text import MESSAGE_CHARS_MAX, TraceLimits, after_at, number
from hindcast.model.trace import Frame, Language, Raised, Relation, Trace

HINTS = ("at ", "--->")

_FRAME = re.compile(
    r"([^\s(][^()]*?)\(([^()]*(?:\([^()]*\)[^()]*)*)\)(?: \[0x[0-9a-f]+\])?"
    r"(?: in (.+?)(?::line (\d+)|:(\d+))?)?$"
)
_NOT_JAVA = re.compile(
    r"\.(?:java|kts?|scala|groovy|clj)(?::\d+)?$|^(?:Native Method|Unknown Source|<generated>)$|^\w+:\d+$"
)
_NAMED = re.compile(r"(?<![\w.])((?:[A-Za-z_]\w*\.)+[A-Za-z_]\w*(?:`\d+)?|[A-Z]\w*Exception)(?: \([^)]*\))?: ?(.*)$")
_ARROW = re.compile(r"\s{0,20}---> (?:\(Inner Exception #\d+\) )?")
_INNER_END = "--- End of inner exception stack trace ---"
_RETHROWN = re.compile(r"^\s*--- End of stack trace from previous location")
_LOOK_BACK_LINES = 12


def read(lines: Sequence[str], limits: TraceLimits) -> list[Trace]:
    """Every trace in the lines."""
    found: list[Trace] = []
    at = first_free = 0
    while at < len(lines) and len(found) < limits.traces_max:
        if "at " in lines[at] and _frame(lines[at]) is not None:
            trace = _trace(lines, at, first_free, limits)
            # `at` alone is nobody's; a name above, or a file with a line behind it, makes it a trace.
            placed = any(frame.line for frame in trace.raised[0].frames)
            if trace.raised[0].type or (placed and trace.frames > 1):
                found.append(trace)
                first_free = trace.last_line + 1
            at = trace.last_line + 1
        else:
            at += 1
    return found


def _trace(lines: Sequence[str], start: int, first_free: int, limits: TraceLimits) -> Trace:
    first, blocks = _head(lines, start, first_free, limits)
    # The innermost exception's frames are printed first; each "end of inner" goes one level out.
    level = len(blocks) - 1
    last = start
    for position in range(start, len(lines)):
        line = lines[position]
        frame = _frame(line) if "at " in line else None
        if frame is not None:
            if len(blocks[level].frames) < limits.frames_max:
                blocks[level].frames.append(frame)
        elif _INNER_END in line:
            level = max(0, level - 1)
        elif _RETHROWN.match(line):
            pass
        elif "---> " in line and _NAMED.search(line) and len(blocks) < limits.raised_max:
            # Members of an AggregateException after the first one.
            named = _NAMED.search(_ARROW.split(line, maxsplit=1)[-1])
            if named is None:
                break
            blocks.append(Block(named[1], named[2].strip(), Relation.GROUP))
            level = len(blocks) - 1
        elif line.strip():
            break
        else:
            continue
        last = position
    raised = tuple(Raised(b.type, b.message, tuple(b.frames), b.relation) for b in blocks)
    return Trace(Language.DOTNET, raised, first_line=first, last_line=last)


def _head(lines: Sequence[str], start: int, first_free: int, limits: TraceLimits) -> tuple[int, list[Block]]:
    """The exceptions above the first frame, outermost first."""
    floor = max(first_free, start - _LOOK_BACK_LINES)
    for position in range(start - 1, floor - 1, -1):
        line = lines[position]
        if line.lstrip().startswith("--->"):
            continue
        if _NAMED.search(line) is None:
            if not line.strip():
                break
            continue
        text = "\n".join(lines[position:start])
        blocks: list[Block] = []
        for part in _ARROW.split(text)[: limits.raised_max]:
            named = _NAMED.search(part.partition("\n")[0])
            if named is not None:
                rest = part.partition("\n")[2]
                message = f"{named[2]}\n{rest}".strip()[:MESSAGE_CHARS_MAX]
                blocks.append(Block(named[1], message, Relation.CAUSE if blocks else Relation.RAISED))
        if blocks:
            return position, blocks
    return start, [Block("", "", Relation.RAISED)]


def _frame(line: str) -> Frame | None:
    begin = after_at(line)
    match = _FRAME.match(line.rstrip(), begin) if begin >= 0 else None
    if match is None or "." not in match[1] or (match[2] and _NOT_JAVA.search(match[2])):
        return None
    if re.search(r":\d+:\d+$", match[2]) or (" " in match[1].strip() and "[" not in match[1] and "`" not in match[1]):
        return None
    function = match[1].strip()
    return Frame(
        function,
        file=match[3] or "",
        line=number(match[4] or match[5]),
        in_app=library.dotnet(function),
    )
