"""Rust: panics with or without a backtrace, and errors that print their causes."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from hindcast.ingest.trace import library
from hindcast.ingest.trace.text import MESSAGE_CHARS_MAX, TraceLimits, basename, number
from hindcast.model.trace import Frame, Language, Raised, Relation, Trace

HINTS = ("panicked at", "tack backtrace:")

_PANIC_OLD = re.compile(
    r"thread '([^']{0,200})'(?: \(\d+\))? panicked at '(.{0,600})', ([^\s:][^:]{0,200}):(\d+):(\d+)"
)
_PANIC = re.compile(r"thread '([^']*)'(?: \(\d+\))? panicked at ([^\s:'][^:]*):(\d+):(\d+):\s*$")
_ERROR = re.compile(r"^\s*(?:Error|error): (.*)$")
_BACKTRACE = re.compile(r"^\s*(?:S|s)tack backtrace:\s*$")
_CALL = re.compile(r"^\s*(\d+): +(?:0x[0-9a-f]+ - )?(\S.{0,1000}?)\s*$")
_PLACE = re.compile(r"^\s+at (.+?):(\d+)(?::(\d+))?\s*$")
_CAUSE = re.compile(r"^\s+(?:\d+: )?(\S.*)$")
_NOTE = re.compile(r"^note: |^\s*$")
_ASSERTION = re.compile(r"^assertion (?:failed: (.*)|`(.*?)` failed(?:: (.*))?)")
# What a panic value tells of its kind, before its data.
_KINDS = re.compile(
    r"^(index out of bounds|attempt to [a-z ]+|called `\w+::\w+\(\)` on an? `\w+` value|explicit panic"
    r"|not (?:yet )?implemented|internal error: entered unreachable code|range (?:start|end) index|slice index starts"
    r"|byte index|already (?:mutably )?borrowed|capacity overflow|divide by zero)"
)
_LOOK_BACK_LINES = 24


def read(lines: Sequence[str], limits: TraceLimits) -> list[Trace]:
    """Every panic and every error with a backtrace in the lines."""
    found: list[Trace] = []
    at = first_free = 0
    while at < len(lines) and len(found) < limits.traces_max:
        line = lines[at]
        if "panicked at" in line and (raised := _panic(lines, at)) is not None:
            trace = _with_backtrace(lines, at, at, (raised,), limits)
        elif _BACKTRACE.match(line):
            first, chain = _error(lines, at, first_free)
            trace = _with_backtrace(lines, first, at - 1, chain, limits)
        else:
            at += 1
            continue
        if trace.frames or trace.raised[0].type:
            found.append(trace)
        at = first_free = max(trace.last_line, at) + 1
    return found


def _panic(lines: Sequence[str], at: int) -> Raised | None:
    old = _PANIC_OLD.search(lines[at])
    if old is not None:
        return _raised(old[2], old[3], number(old[4]))
    new = _PANIC.search(lines[at])
    if new is None:
        return None
    message = []
    for line in lines[at + 1 : at + 1 + _LOOK_BACK_LINES]:
        if _NOTE.match(line) or _BACKTRACE.match(line) or "panicked at" in line:
            break
        message.append(line)
    return _raised("\n".join(message), new[2], number(new[3]))


def _raised(message: str, file: str, line: int) -> Raised:
    """A panic names its place even when there is no backtrace."""
    place = Frame("", file=file, line=line, in_app=library.rust("", file))
    assertion = _ASSERTION.match(message)
    if assertion is not None:
        held = assertion[1] or assertion[3] or assertion[2] or ""
        return Raised(
            "assertion failed", message[:MESSAGE_CHARS_MAX], (place,), asserted=held, asserted_in=basename(file)
        )
    kind = _KINDS.match(message)
    return Raised(f"panic: {kind[1]}" if kind else "panic", message[:MESSAGE_CHARS_MAX], (place,))


def _error(lines: Sequence[str], backtrace: int, first_free: int) -> tuple[int, tuple[Raised, ...]]:
    """The error above a backtrace, with its causes."""
    floor = max(first_free, backtrace - _LOOK_BACK_LINES)
    for position in range(backtrace - 1, floor - 1, -1):
        match = _ERROR.match(lines[position])
        if match is None:
            continue
        chain = [Raised("Error", match[1])]
        causes = [line for line in lines[position + 1 : backtrace] if line.strip()]
        if causes and causes[0].strip() == "Caused by:":
            matches = (_CAUSE.match(line) for line in causes[1:])
            chain += [Raised("Error", found[1], relation=Relation.CAUSE) for found in matches if found]
        return position, tuple(chain)
    return backtrace, (Raised("", ""),)


def _with_backtrace(
    lines: Sequence[str], first: int, after: int, chain: tuple[Raised, ...], limits: TraceLimits
) -> Trace:
    """The same, with the frames of the backtrace that follows, if one does."""
    start = next(
        (n for n in range(after, min(after + _LOOK_BACK_LINES, len(lines))) if _BACKTRACE.match(lines[n])), None
    )
    last = after
    frames: list[Frame] = []
    if start is not None:
        position = start + 1
        while position < len(lines):
            call = _CALL.match(lines[position])
            if call is not None:
                if len(frames) < limits.frames_max:
                    frames.append(Frame(call[2], in_app=library.rust(call[2], "")))
            elif frames and (place := _PLACE.match(lines[position])) is not None:
                frames[-1] = _placed(frames[-1], place)
            else:
                break
            last = position
            position += 1
    head = replace(chain[0], frames=tuple(frames)) if frames else chain[0]
    return Trace(Language.RUST, (head, *chain[1:]), first_line=first, last_line=max(last, first))


def _placed(frame: Frame, place: re.Match[str]) -> Frame:
    file = place[1]
    own = frame.in_app and library.rust(frame.function, file)
    return replace(frame, file=file, line=number(place[2]), column=number(place[3]), in_app=own)
