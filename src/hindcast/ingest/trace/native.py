"""Native crashes: C, C++, kernels. One report may hold several reasons and several stacks; here they are sorted out.

The stack that counts is the first one with names in it. The stacks of other threads, and those that tell where memory
was freed or allocated, are kept beside it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from hindcast.ingest.trace.native_errors import Weight, Why, why
from hindcast.ingest.trace.native_frames import UNNUMBERED, read_frame
from hindcast.ingest.trace.text import TraceLimits
from hindcast.model.trace import Frame, Language, Raised, Relation, Thread, Trace

HINTS = ("#", "0x", "!", "ssert", "SSERT", "atal", "FATAL", "heck failed", "rror", "ignal", "ault", "BUG: ")

# Lines between two frames of one stack that has no numbers: a symbolizer's complaint, a wrapped name.
_GAP_LINES_MAX = 1
# The same for numbered stacks, which tell by their number whether they go on.
_NUMBERED_GAP_LINES_MAX = 24
# A reason without a stack belongs to the stack that follows so soon.
_REASON_LINES_MAX = 400
_SIDE = re.compile(
    r"freed by|allocated by|[Aa]llocated at|stored to memory|[Uu]ninitialized value was|created by|created at"
    r"|[Pp]revious \w+ of size"
    r"|was destroyed|Freed by task|Last potentially|is located|Mutex M\d+"
)


@dataclass(slots=True)
class _Stack:
    start: int
    label: str
    side: bool
    frames: list[Frame] = field(default_factory=list)
    last: int = 0
    number: int = UNNUMBERED

    @property
    def named(self) -> int:
        return sum(1 for frame in self.frames if frame.function)


@dataclass(slots=True)
class _Report:
    start: int
    reasons: list[tuple[int, Why]] = field(default_factory=list)
    stacks: list[_Stack] = field(default_factory=list)
    last: int = 0


def read(lines: Sequence[str], limits: TraceLimits) -> list[Trace]:
    """Every crash report in the lines."""
    reports: list[_Report] = []
    current: _Report | None = None
    counter: Frame | None = None
    label = ""
    for at, line in enumerate(lines):
        found = read_frame(line)
        if found is not None:
            if found.is_counter:
                counter = found.frame
                continue
            if current is None:
                current = _Report(at)
                reports.append(current)
            stack = _stack_for(current, at, found.number, label, limits)
            if counter is not None and not stack.frames:
                stack.frames.append(counter)
                if found.frame is not None and found.frame.function == counter.function:
                    counter, stack.last, current.last = None, at, at
                    continue
            counter = None
            _put(stack, found.frame, limits)
            stack.last = current.last = at
            stack.number = found.number
            continue
        reason = why(lines, at)
        if reason is not None:
            current = _report_for(reports, current, at, reason)
            current.reasons.append((at, reason))
            current.last = at
            if len(reports) > limits.traces_max:
                break
        if line.strip():
            label = line.strip()
    return [trace for report in reports if (trace := _trace(report, limits)) is not None][: limits.traces_max]


def _put(stack: _Stack, frame: Frame | None, limits: TraceLimits) -> None:
    if frame is not None and len(stack.frames) < limits.frames_max:
        stack.frames.append(frame)


def _stack_for(report: _Report, at: int, position: int, label: str, limits: TraceLimits) -> _Stack:
    """The stack a frame belongs to: the one before it, unless lines stand between and its number starts anew."""
    last = report.stacks[-1] if report.stacks else None
    if last is not None:
        gap = at - last.last - 1
        goes_on = position > last.number if position != UNNUMBERED else last.number == UNNUMBERED
        limit = _NUMBERED_GAP_LINES_MAX if position != UNNUMBERED else _GAP_LINES_MAX
        reason_between = bool(report.reasons) and report.reasons[-1][0] > last.last
        if gap == 0 or (goes_on and gap <= limit and not reason_between) or len(report.stacks) > limits.threads_max:
            return last
    report.stacks.append(_Stack(at, label, _SIDE.search(label) is not None))
    return report.stacks[-1]


def _report_for(reports: list[_Report], current: _Report | None, at: int, reason: Why) -> _Report:
    """A reason begins a report of its own, unless it belongs to one that has no stack yet or explains an abort."""
    if current is not None:
        near = at - current.last <= _REASON_LINES_MAX
        explained = any(one.weight is not Weight.CONSEQUENCE for _, one in current.reasons)
        if near and (not current.stacks or reason.weight is Weight.CONSEQUENCE or not explained):
            return current
        if near and current.reasons[-1][1].weight is Weight.ASSERTION and reason.weight is Weight.REPORT:
            return current
    reports.append(_Report(at))
    return reports[-1]


def _trace(report: _Report, limits: TraceLimits) -> Trace | None:
    main = _main_stack(report)
    if main is None and not any(_is_enough(reason) for _, reason in report.reasons):
        return None
    if not report.reasons and (main is None or main.named < 2):
        return None
    best = _best_reason(report, main.start if main is not None else report.last + 1)
    frames = tuple(main.frames) if main is not None else ()
    raised = [Raised(best.type, best.message, frames, Relation.RAISED, best.asserted, best.asserted_in)]
    others = tuple(
        Thread(stack.label[:200], tuple(stack.frames)) for stack in report.stacks if stack is not main and stack.frames
    )
    first = min([report.start, *(line for line, _ in report.reasons)])
    return Trace(Language.NATIVE, tuple(raised), others[: limits.threads_max], first_line=first, last_line=report.last)


def _best_reason(report: _Report, stack_start: int) -> Why:
    """The weightiest reason; of several, the last one before the stack, else the first one after it."""
    if not report.reasons:
        return Why("", "", Weight.CONSEQUENCE)
    most = max(reason.weight for _, reason in report.reasons)
    weighty = [(at, reason) for at, reason in report.reasons if reason.weight is most]
    before = [reason for at, reason in weighty if at < stack_start]
    return before[-1] if before else weighty[0][1]


def _is_enough(reason: Why) -> bool:
    """Whether a reason is a crash by itself, without any stack."""
    said = reason.message
    return bool(reason.asserted) or "anitizer" in said or "libFuzzer" in said or "control flow integrity" in said


def _main_stack(report: _Report) -> _Stack | None:
    """The first stack most of whose frames have names, of those that are to the point; else the first of all."""
    ordered = sorted(
        report.stacks,
        key=lambda stack: (stack.side, stack.named * 2 < len(stack.frames) or not stack.named, stack.start),
    )
    return ordered[0] if ordered else None
