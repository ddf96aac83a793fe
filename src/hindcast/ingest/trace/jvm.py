"""Traces of the JVM and of Android: Java, Kotlin, Scala, with causes, suppressed exceptions and frames left out."""

from __future__ import annotations

import re
from collections.abc import Sequence

from hindcast.ingest.trace import library
from hindcast.ingest.trace.block import Block
from hindcast.ingest.trace.text import CONTINUATION_LINES_MAX, MESSAGE_CHARS_MAX, TraceLimits, after_at, number
from hindcast.model.trace import Frame, Language, Raised, Relation, Trace

HINTS = ("at ",)

# `at app//com.acme.Pool.take(Pool.java:31) ~[pool.jar:1.2]`, with whatever a logger put before it.
_FRAME = re.compile(
    r"(?:[\w.@-]*/{1,2})?(?:[\w.-]+@[\w.+-]+/)?([\w$<>./-]+)"
    r"\(([\w$.\- ]+\.(?:java|kts?|scala|groovy|clj|aj)(?::\d+)?|Native [Mm]ethod|Unknown Source|<generated>"
    r"|SourceFile(?::\d+)?|Unknown|\w[\w$-]*:\d+)\)"
)
_MORE = re.compile(r"\.\.\. \d+ (?:more|common frames omitted|frames? (?:truncated|excluded))")
_NAMED = re.compile(
    r"(Caused by: |Suppressed: |Wrapped by: )?(?:\[CIRCULAR REFERENCE: ?)?"
    r"(?<![\w.$/])((?:[A-Za-z_$][\w$]*\.)+[A-Za-z_$][\w$]*|[A-Z]\w*(?:Exception|Error|Throwable))(?:: (.*)|:?\s*)$"
)
_ERROR_NAME = re.compile(
    r"(?:Exception|Error|Throwable|Fault|Failure|Timeout|Interrupted\w{0,40}|Death|Issue\w{0,40}|[A-Z]\w{0,200})$"
)
_LOOK_BACK_LINES = 8


def read(lines: Sequence[str], limits: TraceLimits) -> list[Trace]:
    """Every trace in the lines."""
    found: list[Trace] = []
    at = first_free = 0
    while at < len(lines) and len(found) < limits.traces_max:
        if _call(lines[at]) is not None:
            trace = _trace(lines, at, first_free, limits)
            found.append(trace)
            at = first_free = trace.last_line + 1
        else:
            at += 1
    return found


def _trace(lines: Sequence[str], start: int, first_free: int, limits: TraceLimits) -> Trace:
    first, head = _head(lines, start, first_free)
    blocks = [head]
    last, quiet = start, 0
    for position in range(start, len(lines)):
        line = lines[position]
        match = _call(line)
        if match is not None:
            if len(blocks[-1].frames) < limits.frames_max:
                blocks[-1].frames.append(_frame(match))
            last, quiet = position, 0
        elif "Caused by: " in line or "Suppressed: " in line or "Wrapped by: " in line:
            named = _NAMED.search(line)
            if named is None or len(blocks) >= limits.raised_max:
                break
            blocks.append(_block(named))
            last, quiet = position, 0
        elif "..." in line and _MORE.search(line):
            last, quiet = position, 0
        else:
            # The rest of a cause's message stands between its name and its frames.
            quiet += 1
            if blocks[-1].frames or quiet > CONTINUATION_LINES_MAX:
                break
            if line.strip():
                blocks[-1].message = f"{blocks[-1].message}\n{line.strip()}"[:MESSAGE_CHARS_MAX]
    raised = tuple(Raised(b.type, b.message, tuple(b.frames), b.relation) for b in blocks)
    return Trace(Language.JVM, raised, first_line=first, last_line=last)


def _head(lines: Sequence[str], start: int, first_free: int) -> tuple[int, Block]:
    """The exception's own line is the nearest above its first frame that names one."""
    for position in range(start - 1, max(first_free, start - _LOOK_BACK_LINES) - 1, -1):
        if position + 1 < start and not lines[position].strip():
            break
        named = _NAMED.search(lines[position])
        if named is not None and _ERROR_NAME.search(named[2]):
            rest = [line.strip() for line in lines[position + 1 : start] if line.strip()]
            block = _block(named)
            block.relation = Relation.RAISED
            block.message = "\n".join([block.message, *rest])[:MESSAGE_CHARS_MAX]
            return position, block
    return start, Block("", "", Relation.RAISED)


def _block(named: re.Match[str]) -> Block:
    word = named[1] or ""
    relation = Relation.SUPPRESSED if word.startswith("Suppressed") else Relation.CAUSE
    return Block(named[2], (named[3] or "").strip(), relation)


def _call(line: str) -> re.Match[str] | None:
    begin = after_at(line) if "at " in line else -1
    return _FRAME.match(line, begin) if begin >= 0 else None


def _frame(match: re.Match[str]) -> Frame:
    function, place = match[1].rpartition("/")[2], match[2]
    file, _, line = place.partition(":")
    known = place not in ("Native Method", "Unknown Source", "<generated>", "Unknown")
    return Frame(
        function,
        file=file if known else "",
        line=number(line),
        in_app=library.jvm(function),
    )
