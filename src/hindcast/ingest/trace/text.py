"""The text a trace is looked for in: cut to its limits, unescaped, split into lines.

Log shippers fold a trace into one line in a few well-known ways; they are undone here, so that no parser has to know.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TraceLimits:
    """How much of a text is read. What lies beyond is left out; the beginning of a trace is what tells most."""

    chars_max: int = 262_144
    lines_max: int = 20_000
    # A longer line is no frame: it is a dump of data that happens to stand between frames.
    line_chars_max: int = 4_000
    # Of one exception. A stack overflow prints a thousand and more, all alike.
    frames_max: int = 512
    # Of one trace: causes, suppressed ones and members of groups together.
    raised_max: int = 64
    threads_max: int = 64
    # Of one text.
    traces_max: int = 64


LIMITS = TraceLimits()

# A message over several lines is kept up to here.
MESSAGE_CHARS_MAX = 2_000
CONTINUATION_LINES_MAX = 12

_FOLDED = re.compile(r"(?<!\\)(?:\\r)?\\n")
_NEW_RECORD = re.compile(
    r"""\W{0,3}(?:
        \d{4}[-/]\d\d[-/]\d\d | \d\d:\d\d:\d\d | [A-Z][a-z]{2}\s+\d{1,2}\s\d\d:\d\d |
        (?:TRACE|DEBUG|INFO|NOTICE|WARN|WARNING|ERROR|CRITICAL|FATAL)\b | \{"
    )""",
    re.VERBOSE,
)
_ANSI = re.compile(r"\x1b\[[0-9;]{0,16}[A-Za-z]")


def split(text: str, limits: TraceLimits = LIMITS) -> list[str]:
    """The lines of a text, within the limits, without colours and carriage returns."""
    text = text[: limits.chars_max]
    if "\x1b" in text:
        text = _ANSI.sub("", text)
    if text.count("\n") <= 1:
        text = _unfold(text)
    lines = text.split("\n", limits.lines_max)[: limits.lines_max]
    return [line[: limits.line_chars_max].rstrip("\r") for line in lines]


def _unfold(text: str) -> str:
    """Undo what JSON encoders (backslash n) and rsyslog (#012) make of the ends of lines."""
    if "#012" in text:
        return text.replace("#015", "").replace("#012", "\n").replace("#011", "\t")
    if len(_FOLDED.findall(text, 0, 20_000)) > 1:
        return _FOLDED.sub("\n", text).replace("\\t", "\t").replace('\\"', '"')
    return text


def without_prefix(lines: Sequence[str], start: int, column: int, lines_max: int) -> Iterator[str]:
    """Lines from `start` on, less what a shipper put before each: as long and of the same shape as on the first."""
    shape = _shape(lines[start][:column])
    for position in range(start, min(start + lines_max, len(lines))):
        line = lines[position]
        yield line[column:] if column and _shape(line[:column]) == shape else line


def _shape(text: str) -> str:
    return re.sub(r"[0-9a-f]", "0", text)


def after_at(line: str) -> int:
    """Where the call begins that a line names after `at`, whatever a logger put before it; -1 if it names none."""
    lead = len(line) - len(line.lstrip())
    if line.startswith("at ", lead):
        return lead + 3
    for mark in ("\tat ", "  at ", ": at ", "| at "):
        found = line.find(mark)
        if found >= 0:
            return found + len(mark)
    return -1


def begins_record(line: str) -> bool:
    """Whether a line looks like the beginning of another log record rather than the rest of a message."""
    return _NEW_RECORD.match(line) is not None


def basename(path: str) -> str:
    """The last part of a path, whichever way its slashes lean."""
    return path.rstrip("/\\").replace("\\", "/").rpartition("/")[2]


def number(digits: str | None) -> int:
    """A line number. What is absent or absurd is 0."""
    return int(digits) if digits and len(digits) <= 9 and digits.isascii() and digits.isdigit() else 0
