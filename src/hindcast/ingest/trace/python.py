"""Python tracebacks: chained, grouped, with notes, of syntax errors, and those printed below their exception."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace

from hindcast.ingest.trace import library
from hindcast.ingest.trace.text import (
    CONTINUATION_LINES_MAX,
    MESSAGE_CHARS_MAX,
    TraceLimits,
    begins_record,
    number,
    without_prefix,
)
from hindcast.model.trace import Frame, Language, Raised, Relation, Trace

HINTS = ('File "',)

_HEADER = re.compile(r"(?:\+ Exception Group )?(?:Traceback|Stack) \(most recent call last\):")
_FRAME = re.compile(r'^\s*File "([^"]*)", line (\d+)(?:, in (.*))?$')
# What faulthandler prints when the interpreter itself dies, newest call first.
_FAULT = re.compile(r"(?:Current thread|Thread) 0x[0-9a-f]+(?: \[[^\]]*\])? \(most recent call first\):")
_FAULT_FRAME = re.compile(r'^\s*File "([^"]*)", line (\d+) in (.*)$')
_FATAL = re.compile(r"Fatal Python error: (.*)$|Windows fatal exception: (.*)$")
_MARK = re.compile(r"^\s*[~^]+\s*$")
_REPEATED = re.compile(r"^\s*\[Previous line repeated \d+ more times?\]")
_EXCEPTION = re.compile(r"^([A-Za-z_][\w.]*(?:\[[\w.]+\])?)(?:: ?(.*))?$")
_ERROR_NAME = re.compile(
    r"(?:Error|Exception|Warning|Interrupt|Exit|Iteration|Group|Fault|Timeout|NotFound)$|^[A-Z]|\.[A-Z]"
)
_SYNTAX = re.compile(r"^\s*(?:\w+\.)*(SyntaxError|IndentationError|TabError)(?:: ?(.*))?$")
_CAUSE = "The above exception was the direct cause of the following exception:"
_DURING = "During handling of the above exception, another exception occurred:"
_MARGIN = re.compile(r"^\s*[|+](?: |$)")
_MEMBER = re.compile(r"^\s*\+(?:-\+)?-+ (?:\d+|\.\.\.) -+$")
_END_OF_GROUP = re.compile(r"^\s*\+-{8,}$")


@dataclass(slots=True)
class _Block:
    """One exception while it is being read."""

    frames: list[Frame] = field(default_factory=list)
    type: str = ""
    message: list[str] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    relation: Relation = Relation.RAISED

    def raised(self, limits: TraceLimits) -> Raised:
        # Python prints the outermost call first; the newest frames are the ones to keep.
        frames = tuple(reversed(self.frames))[: limits.frames_max]
        message = "\n".join(self.message)[:MESSAGE_CHARS_MAX]
        return Raised(self.type, message, frames, self.relation, notes=tuple(self.notes))


def read(lines: Sequence[str], limits: TraceLimits) -> list[Trace]:
    """Every traceback in the lines."""
    found: list[Trace] = []
    at = 0
    while at < len(lines) and len(found) < limits.traces_max:
        header = _HEADER.search(lines[at]) if "(most recent call last)" in lines[at] else None
        if header is not None:
            trace, at = _traceback(lines, at, header, limits)
            found.append(trace)
        elif lines[at].startswith(("Current thread 0x", "Thread 0x")) and _FAULT.match(lines[at]):
            trace, at = _fault(lines, at, limits)
            found.append(trace)
        elif lines[at].lstrip().startswith('File "') and (syntax := _syntax_error(lines, at)) is not None:
            found.append(syntax)
            at = syntax.last_line + 1
        else:
            at += 1
    return found


def _traceback(lines: Sequence[str], start: int, header: re.Match[str], limits: TraceLimits) -> tuple[Trace, int]:
    margin = header.start()
    grouped = header[0].startswith("+")
    if _MARGIN.match(lines[start]) and not grouped:
        margin = 0
    body = without_prefix(lines, start, margin, limits.lines_max)
    reader = _Reader(limits)
    taken = reader.read(body)
    blocks = reader.blocks
    if not blocks[-1].type and not blocks[-1].message:
        _name_from_before(lines, start, blocks[-1])
    trace = Trace(Language.PYTHON, _chain(blocks, limits), first_line=start, last_line=start + taken - 1)
    return trace, start + taken


@dataclass(slots=True)
class _Reader:
    """Goes through the lines of one traceback and everything that is chained to it."""

    limits: TraceLimits
    blocks: list[_Block] = field(default_factory=list)
    _in_frames: bool = False
    _pending: Relation | None = None
    _ended: bool = False

    def read(self, body: Iterable[str]) -> int:
        """How many lines belong to it."""
        taken = 0
        for position, raw in enumerate(body):
            line = self._inside(raw)
            if position == 0 or _HEADER.search(line):
                if len(self.blocks) >= self.limits.raised_max:
                    break
                if position and not self._open_next():
                    break
                if position == 0:
                    self.blocks.append(_Block())
                self._in_frames = True
            elif not self._take(line, raw):
                break
            if line.strip():
                taken = position + 1
        return max(taken, 1)

    def _inside(self, raw: str) -> str:
        return _MARGIN.sub("", raw, count=1) if _MARGIN.match(raw) else raw

    def _open_next(self) -> bool:
        """Begin another exception, if something said that one follows."""
        if self._pending is None:
            return False
        if self._pending is not Relation.GROUP or self.blocks[-1].type or self.blocks[-1].frames:
            self.blocks.append(_Block(relation=self._pending))
        self._pending = None
        return True

    def _take(self, line: str, raw: str) -> bool:
        block = self.blocks[-1]
        if _MEMBER.match(raw):
            self.blocks.append(_Block(relation=Relation.GROUP))
            self._pending, self._in_frames = Relation.GROUP, True
            return len(self.blocks) <= self.limits.raised_max
        if _END_OF_GROUP.match(raw):
            self._in_frames = False
            return True
        text = line.strip()
        if text in (_CAUSE, _DURING):
            # Said of the exception above: it is what the following one came from.
            block.notes[:] = [note for note in block.notes if note]
            self._pending = Relation.CAUSE if text == _CAUSE else Relation.DURING
            self._ended = False
            return True
        if not text:
            # Behind the name only a chained exception may follow an empty line.
            self._ended = self._ended or not (self._in_frames or self._pending)
            return True
        if self._ended or self._pending in (Relation.CAUSE, Relation.DURING):
            return False
        return self._frame_or_name(block, line, text)

    def _frame_or_name(self, block: _Block, line: str, text: str) -> bool:
        if self._in_frames:
            frame = _FRAME.match(line)
            if frame is not None:
                if len(block.frames) < self.limits.lines_max:
                    block.frames.append(_frame(frame))
                return True
            if _MARK.match(line) or _REPEATED.match(line):
                return True
            if line[:1].isspace():
                if block.frames and not block.frames[-1].code:
                    block.frames[-1] = replace(block.frames[-1], code=text)
                return True
            return self._name(block, line)
        # What follows the name directly is the rest of the message, or notes.
        if begins_record(line) or len(block.notes) >= CONTINUATION_LINES_MAX or _MARGIN.match(line):
            return False
        block.notes.append(text)
        return True

    def _name(self, block: _Block, line: str) -> bool:
        match = _EXCEPTION.match(line)
        if match is None or not _ERROR_NAME.search(match[1]) or begins_record(line):
            return False
        block.type, self._in_frames = match[1], False
        if match[2]:
            block.message.append(match[2])
        if self._pending is Relation.GROUP:
            self._pending = None
        return True


def _fault(lines: Sequence[str], start: int, limits: TraceLimits) -> tuple[Trace, int]:
    """A dump of the interpreter's threads: the first one is where it died."""
    stop = start + 1
    frames: list[Frame] = []
    while stop < len(lines) and (match := _FAULT_FRAME.match(lines[stop])) is not None:
        if len(frames) < limits.frames_max:
            frames.append(_frame(match))
        stop += 1
    above = [found for line in lines[max(0, start - 3) : start] if (found := _FATAL.search(line)) is not None]
    first = start - 1 if above else start
    message = (above[0][1] or above[0][2]) if above else ""
    raised = Raised("Fatal Python error" if above else "", message, tuple(frames))
    return Trace(Language.PYTHON, (raised,), first_line=first, last_line=stop - 1), stop


def _frame(match: re.Match[str]) -> Frame:
    file, line, function = match[1], number(match[2]), (match[3] or "").strip()
    return Frame(function, file=file, line=line, in_app=library.python(file))


def _name_from_before(lines: Sequence[str], start: int, block: _Block) -> None:
    """Some tools print the exception's name above its traceback."""
    match = _EXCEPTION.match(lines[start - 1].strip()) if start else None
    if match is not None and re.search(r"(?:Error|Exception|Warning|Interrupt|Exit)$", match[1]):
        block.type, block.message = match[1], [match[2] or ""]


def _chain(blocks: Sequence[_Block], limits: TraceLimits) -> tuple[Raised, ...]:
    """The exception that reached the log first, then what led to it; groups are followed by their members."""
    # A relation read before a block says what the block *above* it is; so it moves one exception up.
    sections: list[list[_Block]] = []
    for block in blocks:
        if block.relation is Relation.GROUP and sections:
            sections[-1].append(block)
        else:
            sections.append([block])
    ordered: list[Raised] = []
    relation = Relation.RAISED
    for section in reversed(sections):
        own = section[0].relation
        section[0].relation = relation
        ordered += [block.raised(limits) for block in section if block.type or block.frames]
        relation = own
    return tuple(ordered) or (Raised("", ""),)


def _syntax_error(lines: Sequence[str], start: int) -> Trace | None:
    """A file that could not be compiled is named without a traceback around it."""
    first = _FRAME.match(lines[start])
    if first is None or first[3]:
        return None
    for position in range(start + 1, min(start + 5, len(lines))):
        match = _SYNTAX.match(lines[position])
        if match is not None:
            code = lines[start + 1].strip() if position > start + 1 else ""
            frame = replace(_frame(first), code=code)
            raised = Raised(match[1], match[2] or "", (frame,))
            return Trace(Language.PYTHON, (raised,), first_line=start, last_line=position)
    return None
