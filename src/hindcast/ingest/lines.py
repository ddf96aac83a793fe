"""Files and pipes of log lines: JSON lines, and plain text with its time and level recognised.

Lines of a stack trace belong to the line that they follow. Which kind a line is, is decided line by line: a program
that writes JSON prints a bare traceback when it dies.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import UTC, datetime, tzinfo
from typing import Final

from hindcast.ingest.document import add_document, loaded
from hindcast.ingest.level import infer_level
from hindcast.ingest.rows import TIME_NAIVE, Json, LogRows, Read, repaired
from hindcast.ingest.times import Reading, leading_time, read_time, trusted
from hindcast.model.columns import Rejection
from hindcast.model.ingest_limits import IngestLimits
from hindcast.model.signal import Level

# What can only follow another line.
_FOLLOWS: Final = re.compile(
    r"\s{1,200}\S|Caused by: |Suppressed: |\.\.\. \d+ (?:more|common frames)|During handling of the above exception"
    r"|The above exception was the direct cause|stack backtrace:|note: run with `RUST_BACKTRACE|--- End of "
)
# What is part of a stack trace once one has begun, and may be a line of its own elsewhere.
_INSIDE: Final = re.compile(
    r"[A-Za-z_][\w.$]{0,200}(?:Error|Exception|Interrupt|Exit|Warning|Throwable)(?::\s|$)"
    r"|goroutine \d+ \[|created by \S"
    r"|Traceback \(most recent call last\)|(?=[^\n]{1,512}\)$)[\w./*()-]{1,400}\(|exit status \d+|\[signal |#\d+ "
    r"|[)}\]]{1,60};?$"
    r"|from \S+:\d+:in "
)
# What begins a stack trace. After a line that calls itself an error it belongs to that line.
_BEGINS: Final = re.compile(
    r"Traceback \(most recent call last\)|goroutine \d+ \[|panic: |Exception in thread |thread '|Stack trace:"
    r"|[A-Za-z_][\w$]{0,200}(?:\.[\w$]+){1,200}(?:Error|Exception|Throwable)(?::\s|$)"
)
# What shows that the lines after the first are a stack trace.
_TRACE: Final = re.compile(
    r"^[ \t]{1,200}at \S|^[ \t]{0,200}File \"[^\"]+\", line \d+|^[ \t]{0,200}Traceback \(most recent call last\)"
    r"|^goroutine \d+ \[|^[ \t]{1,200}\d+: +0x|^[ \t]{0,200}#\d+ |^[ \t]{0,200}from \S+:\d+:in |^Caused by: "
    r"|^[ \t]{1,200}\S+\.go:\d+|^[ \t]{0,200}\d+: \S+\n\s+at ",
    re.MULTILINE,
)
# A private key goes on to its end, so that it is known as one.
_KEY_BEGINS: Final = re.compile(r"-----BEGIN [A-Z0-9 ]{0,60}PRIVATE KEY")
_KEY_ENDS: Final = "-----END "
_OPENING: Final = re.compile(r"[\[(]?")
_EPOCH: Final = re.compile(r"(\d{10}(?:\.\d{1,9})?|\d{13}|\d{16}|\d{19})(?=[\s,|]|$)")


# How much of a line, and of the lines after it, is looked at to tell what they are.
LOOK_CHARS: Final = 512
TRACE_CHARS: Final = 32_768


@dataclass(slots=True)
class _Open:
    """A record whose last line may not have been seen yet."""

    position: int
    first: str
    reading: Reading | None
    rest: list[str] = field(default_factory=list)
    document: dict[str, Json] | None = None


def parse(
    body: bytes,
    limits: IngestLimits,
    *,
    arrived: datetime | None,
    service: str = "",
    zone: tzinfo = UTC,
) -> Read:
    """The rows of lines. Without `arrived` the lines are history, and times without a zone are taken as they are.

    `service` is who wrote them, where they do not say. Positions of rejections are line numbers from 0.
    """
    rows = LogRows(limits)
    rejections: list[Rejection] = []
    for record in _records(body, rows, limits, arrived, zone):
        if len(rows) >= limits.records_per_request_max:
            rejections.append(Rejection(record.position, "more lines than are taken at once (records_per_request_max)"))
            continue
        if record.document is not None:
            _add_document(rows, record, limits, arrived, service, zone)
        else:
            _add_text(rows, record, limits, arrived, service)
    return rows.read(rejections)


def settled_bytes(buffer: bytes, limits: IngestLimits) -> int:
    """How many bytes from the start hold records that no later line can add to: for whoever follows a growing file.

    The last record stays open until another one begins after it, or until the follower has waited long enough.
    """
    end = buffer.rfind(b"\n") + 1
    fallback = 0
    for _ in range(limits.continuation_lines_max):
        if end <= 0:
            break
        start = buffer.rfind(b"\n", 0, end - 1) + 1
        line = buffer[start:end][:LOOK_CHARS].decode("utf-8", "replace").rstrip("\r\n")
        if line.startswith("{") or _reading(line, None, UTC):
            return start
        if not fallback and line.strip() and not any(it.match(line) for it in (_FOLLOWS, _INSIDE, _BEGINS)):
            fallback = start
        end = start
    return fallback


def _records(
    body: bytes, rows: LogRows, limits: IngestLimits, arrived: datetime | None, zone: tzinfo
) -> Iterator[_Open]:
    open_record: _Open | None = None
    for position, raw in enumerate(body.split(b"\n")):
        line = repaired(raw, rows.counts).rstrip("\r")
        if not line.strip():
            continue
        document = (loaded(line, rows.counts) or None) if line.startswith("{") else None
        reading = _reading(line, arrived, zone) if document is None else None
        if open_record and document is None and _belongs(line, reading, open_record, limits):
            open_record.rest.append(line)
            continue
        if open_record:
            yield open_record
        open_record = _Open(position, line, reading, document=document)
    if open_record:
        yield open_record


def _belongs(line: str, reading: Reading | None, before: _Open, limits: IngestLimits) -> bool:
    """Whether a line continues the record before it: it looks like it, or it alone has no time among lines that do."""
    if reading is not None or len(before.rest) >= limits.continuation_lines_max:
        return False
    look = line[:LOOK_CHARS]
    last = before.rest[-1] if before.rest else before.first
    if _KEY_BEGINS.search(before.first[:LOOK_CHARS]) and _KEY_ENDS not in last:
        return True
    if before.reading is not None or _FOLLOWS.match(look):
        return True
    if before.rest or _BEGINS.match(before.first[:LOOK_CHARS]):
        return _INSIDE.match(look) is not None
    if not _BEGINS.match(look):
        return False
    return before.document is not None or infer_level(before.first) >= Level.ERROR


def _reading(line: str, arrived: datetime | None, zone: tzinfo) -> Reading | None:
    start = _OPENING.match(line)
    begin = start.end() if start else 0
    found = leading_time(line[begin : begin + 64], near=arrived, zone=zone)
    if found is not None:
        return found[0]
    epoch = _EPOCH.match(line, begin)
    return read_time(epoch[1]) if epoch else None


def _add_document(
    rows: LogRows, record: _Open, limits: IngestLimits, arrived: datetime | None, service: str, zone: tzinfo
) -> None:
    document = dict(record.document or {})
    if record.rest:
        document.setdefault("stack_trace", "\n".join(["", *record.rest]))
    add_document(rows, document, arrived=arrived, limits=limits, zone=zone, fallback=service)


def _add_text(rows: LogRows, record: _Open, limits: IngestLimits, arrived: datetime | None, service: str) -> None:
    rest = "\n".join(record.rest)
    is_trace = _TRACE.search(f"{record.first[:LOOK_CHARS]}\n{rest[:TRACE_CHARS]}") is not None if rest else False
    if record.reading is not None:
        rows.counts[TIME_NAIVE] += record.reading.naive
    message, stack = f"{record.first}\n{rest}".rstrip("\n"), ""
    if is_trace:
        message, stack = _told(record)
    rows.add(
        at=trusted(record.reading, arrived=arrived, limits=limits),
        service=service,
        level=infer_level(record.first) or (int(Level.ERROR) if is_trace else 0),
        message=message,
        stack=stack,
    )


def _told(record: _Open) -> tuple[str, str]:
    """The sentence and the stack trace of a record that has one; a bare traceback's sentence is its exception."""
    rest = "\n".join(record.rest)
    if not _BEGINS.match(record.first[:LOOK_CHARS]):
        return record.first, rest
    whole = f"{record.first}\n{rest}"
    if not record.first.startswith("Traceback"):
        return record.first, whole
    flush = [line for line in record.rest if not line[0].isspace()]
    return (flush[-1] if flush else record.first), whole
