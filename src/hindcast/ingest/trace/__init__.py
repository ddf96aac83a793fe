"""Stack traces inside arbitrary log text, taken apart to frames. `parse` and `parse_all` are the doors.

One file for each family of languages; each has `HINTS` (words without which it need not look) and `read`. They work
line by line with patterns that need no going back, so that time grows with the text; `TraceLimits` bounds the rest.
Nothing here raises on odd input: what is no trace is not found.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from hindcast.ingest.trace import dotnet, go, javascript, jvm, native, php, python, ruby, rust
from hindcast.ingest.trace.text import LIMITS, TraceLimits, split
from hindcast.model.trace import Language, Trace

# How far above a trace it may say that the program ended there.
FATAL_LINES_MAX = 3
# How far below a panic the stack may begin that another tool printed of it.
STACK_LINES_MAX = 40
_FATAL = re.compile(r"FATAL EXCEPTION|\b[Uu]ncaught\b|\b[Uu]nhandled\b|Exception in thread|^panic: |^fatal error: ")

_Reader = Callable[[Sequence[str], TraceLimits], list[Trace]]

# The most particular first: no line belongs to two traces, and the last ones would take almost anything.
_FAMILIES: tuple[tuple[tuple[str, ...], _Reader], ...] = (
    (python.HINTS, python.read),
    (jvm.HINTS, jvm.read),
    (go.HINTS, go.read),
    (php.HINTS, php.read),
    (ruby.HINTS, ruby.read),
    (rust.HINTS, rust.read),
    (dotnet.HINTS, dotnet.read),
    (javascript.HINTS, javascript.read),
    (native.HINTS, native.read),
)


def parse(text: str, limits: TraceLimits = LIMITS) -> Trace | None:
    """The trace in a text, or None. Of several the first one counts; a runtime's own trace before a native one."""
    lines = split(text, limits)
    found = _found(lines, limits)
    return min(found, key=lambda trace: _precedence(trace, lines)) if found else None


def _precedence(trace: Trace, lines: Sequence[str]) -> tuple[bool, bool, bool, int]:
    """What ended the program before what was only logged, and what was named before a bare stack."""
    above = lines[max(0, trace.first_line - FATAL_LINES_MAX) : trace.first_line + 1]
    fatal = any(_FATAL.search(line) for line in above)
    return trace.language is Language.NATIVE, not fatal, not trace.raised[0].type, trace.first_line


def parse_all(text: str, limits: TraceLimits = LIMITS) -> tuple[Trace, ...]:
    """Every trace in a text, in the order in which they stand there."""
    return _found(split(text, limits), limits)


def _found(lines: Sequence[str], limits: TraceLimits) -> tuple[Trace, ...]:
    """Each family in turn gets the lines that no family before it has claimed."""
    found: list[Trace] = []
    left = list(lines)
    for hints, read in _FAMILIES:
        whole = "\n".join(left)
        if not any(hint in whole for hint in hints):
            continue
        traces = read(left, limits)
        for trace in traces:
            size = trace.last_line - trace.first_line + 1
            left[trace.first_line : trace.last_line + 1] = [""] * size
        found += traces
    found.sort(key=lambda trace: trace.first_line)
    return _explained(found)[: limits.traces_max]


def _explained(traces: Sequence[Trace]) -> tuple[Trace, ...]:
    """A panic whose stack was printed by something else, such as a sanitizer, gets that stack."""
    kept: list[Trace] = []
    for trace in traces:
        panic = kept[-1] if kept else None
        follows = panic is not None and trace.first_line - panic.last_line <= STACK_LINES_MAX
        bare = panic is not None and panic.language is Language.RUST and panic.frames <= 1
        if panic is not None and bare and follows and trace.language is Language.NATIVE and trace.frames:
            raised = replace(panic.raised[0], frames=trace.raised[0].frames)
            kept[-1] = replace(panic, raised=(raised,), threads=trace.threads, last_line=trace.last_line)
        else:
            kept.append(trace)
    return tuple(kept)


__all__ = ["LIMITS", "TraceLimits", "parse", "parse_all"]
