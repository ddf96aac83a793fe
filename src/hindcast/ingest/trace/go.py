"""Go: panics, fatal errors and the goroutines that follow them."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from hindcast.ingest.trace import library
from hindcast.ingest.trace.text import MESSAGE_CHARS_MAX, TraceLimits, number
from hindcast.model.trace import Frame, Language, Raised, Relation, Thread, Trace

HINTS = ("goroutine ", "panic: ", "fatal error: ")

_GOROUTINE = re.compile(r"goroutine (\d+)(?: gp=\S+ m=\S+(?: mp=\S+)?)? \[([^\]]{1,200})\]:\s*$")
_PANIC = re.compile(r"(?:^|\s)(panic|fatal error): (.*)$")
_SERVED = re.compile(r"\bhttp2?: panic serving [^ ]+: (.*)$")
# main.(*Server).run(0xc000010000, {0x1, 0x2}) · created by net/http.(*Server).Serve in goroutine 1
_CALL = re.compile(r"^\s*(created by )?([A-Za-z_][^\s]*?)(?:\(([^()]*)\)| in goroutine \d+)?\s*$")
_PLACE = re.compile(r"^\s*(\S.*?):(\d+)(?: \+0x[0-9a-f]+)?(?: .*)?$")
_SIGNAL = re.compile(r"^\s*\[signal (\w+)")
_STACK = re.compile(r"^(?:runtime stack|goroutine .*running, locked to thread\]):")
_DATA = re.compile(r"(?<!\s)\s*(?:\[[^\]]{0,200}\]|0x[0-9a-f]+|\d+).*$")
_LOOK_BACK_LINES = 12


@dataclass(slots=True)
class _Stack:
    name: str
    state: str
    frames: list[Frame] = field(default_factory=list)


def read(lines: Sequence[str], limits: TraceLimits) -> list[Trace]:
    """Every panic in the lines, and every dump of goroutines that nothing explains."""
    found: list[Trace] = []
    at = first_free = 0
    while at < len(lines) and len(found) < limits.traces_max:
        line = lines[at]
        if "goroutine " in line and _GOROUTINE.search(line):
            trace = _trace(lines, at, first_free, limits)
            found.append(trace)
            at = first_free = trace.last_line + 1
        else:
            at += 1
    return found


def _trace(lines: Sequence[str], start: int, first_free: int, limits: TraceLimits) -> Trace:
    first, raised = _head(lines, start, first_free)
    stacks: list[_Stack] = []
    position, last, blanks = start, start, 0
    while position < len(lines):
        line = lines[position]
        header = _GOROUTINE.search(line)
        if header is not None:
            if len(stacks) > limits.threads_max:
                break
            stacks.append(_Stack(f"goroutine {header[1]}", header[2]))
            last, blanks = position, 0
            position += 1
            continue
        taken = _frame(lines, position, stacks[-1], limits)
        if taken:
            position += taken
            last, blanks = position - 1, 0
        elif (not line.strip() and blanks < 1) or line.startswith(("...", "runtime stack:", "\tgoroutine ")):
            blanks += 1
            position += 1
        else:
            break
    crashed, *others = stacks
    chain = tuple(
        Raised(one.type, one.message, tuple(crashed.frames) if not rank else (), one.relation)
        for rank, one in enumerate(raised)
    )
    threads = tuple(Thread(f"{stack.name} [{stack.state}]", tuple(stack.frames)) for stack in others)
    return Trace(Language.GO, chain, threads, first_line=first, last_line=min(last, len(lines) - 1))


def _frame(lines: Sequence[str], position: int, stack: _Stack, limits: TraceLimits) -> int:
    """Take the frame at a position; how many lines it has."""
    call = _CALL.match(lines[position])
    if call is None or (call[3] is None and not call[1]) or call[2] in ("exit", "status"):
        return 0
    place = _PLACE.match(lines[position + 1]) if position + 1 < len(lines) else None
    if place is None and ("." not in call[2] or call[3] is None):
        # Only the last line of a trace that was cut off has a call and no place.
        return 0
    function = call[2]
    if function == "panic":
        # What stands above the call of panic ran because of it: deferred functions, not the way to the failure.
        stack.frames.clear()
    file, row = (place[1], number(place[2])) if place is not None else ("", 0)
    if not call[1] and len(stack.frames) < limits.frames_max:
        stack.frames.append(Frame(function, file=file, line=row, in_app=library.go(function, file)))
    return 2 if place is not None else 1


def _head(lines: Sequence[str], start: int, first_free: int) -> tuple[int, list[Raised]]:
    """The panics above the first goroutine, the one that ended the program first."""
    found: list[Raised] = []
    first, signal = start, ""
    for position in range(start - 1, max(first_free, start - _LOOK_BACK_LINES) - 1, -1):
        line = lines[position]
        panic, served, sent = _PANIC.search(line), _SERVED.search(line), _SIGNAL.match(line)
        if sent is not None:
            signal = sent[1]
        if "[recovered" in line:
            # The same panic once more, on its way through a deferred function.
            first = position
            continue
        if served is not None:
            found.append(_raised("panic", served[1], found))
        elif panic is not None:
            found.append(_raised(panic[1], panic[2], found))
        if panic is not None or served is not None:
            first = position
        elif found and not line.startswith(("\t", " ", "[")):
            break
    if not found:
        found.append(Raised(f"signal {signal}" if signal else "", ""))
    return first, found


def _raised(word: str, text: str, found: Sequence[Raised]) -> Raised:
    text = re.sub(r" \[recovered(?:, repanicked)?\]$", "", text.strip())
    relation = Relation.DURING if found else Relation.RAISED
    kind, message = word, text
    if text.startswith("runtime error: "):
        message = text.removeprefix("runtime error: ")
        # The kind of runtime error is its text up to the numbers: index out of range [5] with length 3.
        kind = f"runtime error: {_DATA.sub('', message)}".rstrip(": ")
    elif word == "fatal error":
        kind = f"fatal error: {text}" if len(text) < 80 else word
    return Raised(kind, message[:MESSAGE_CHARS_MAX], relation=relation)
