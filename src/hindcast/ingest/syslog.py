"""Syslog: messages of RFC 5424 and RFC 3164, and the framing of a TCP stream. No sockets here.

Whatever arrives on a syslog port is a line that somebody wanted kept, so a message that follows neither standard is
kept as it is, with the level its own words show.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime, tzinfo
from typing import Final

from hindcast.ingest.level import Scale, infer_level, read_level
from hindcast.ingest.rows import TIME_NAIVE, TIME_UNREADABLE, LogRows, Read, repaired
from hindcast.ingest.times import Reading, leading_time, read_time, trusted
from hindcast.model.ingest_limits import IngestLimits

FACILITIES: Final = (
    *("kern", "user", "mail", "daemon", "auth", "syslog", "lpr", "news", "uucp", "cron", "authpriv", "ftp"),
    *("ntp", "audit", "alert", "clock", "local0", "local1", "local2", "local3", "local4", "local5", "local6", "local7"),
)
_PRI: Final = re.compile(r"<(\d{1,3})>")
_PRI_MAX: Final = 191
_HEADER: Final = re.compile(r"1 (\S{1,64}) (\S{1,255}) (\S{1,255}) (\S{1,128}) (\S{1,32}) ?")
_ELEMENT: Final = re.compile(r"\[([^\s=\]\"]{1,128})((?: [^\s=\]\"]{1,128}=\"(?:[^\"\\\]]|\\.)*\")*)\s?\]")
_PARAMETER: Final = re.compile(r" ([^\s=\]\"]{1,128})=\"((?:[^\"\\\]]|\\.)*)\"")
_ESCAPED: Final = re.compile(r"\\([\"\\\]])")
# host tag[pid]: message; some senders leave the host out.
_TAG: Final = re.compile(r"([\w./@-]{1,64})(?:\[([\w.-]{1,32})\])?: ?")
_HOST: Final = re.compile(r"([\w.:-]{1,255}) ")
_NIL: Final = "-"
_BOM: Final = "\ufeff"


def parse(
    messages: Sequence[bytes], limits: IngestLimits, *, arrived: datetime, peer: str = "", zone: tzinfo = UTC
) -> Read:
    """The rows of messages as they came in datagrams or frames; `peer` is who sent them, if they do not say."""
    rows = LogRows(limits)
    for message in messages:
        text = repaired(message, rows.counts).rstrip("\r\n\0")
        if text:
            _add(rows, text, limits, arrived, peer, zone)
    return rows.read()


def _add(rows: LogRows, text: str, limits: IngestLimits, arrived: datetime, peer: str, zone: tzinfo) -> None:
    attributes: dict[str, str] = {}
    level = 0
    rest = text
    if (found := _PRI.match(text)) and int(found[1]) <= _PRI_MAX:
        facility, severity = divmod(int(found[1]), 8)
        attributes["syslog.facility"] = FACILITIES[facility]
        level = read_level(severity, scale=Scale.SYSLOG)
        rest = text[found.end() :]
    header = _HEADER.match(rest)
    if header and level:
        reading, service, message = _modern(header, rest, attributes)
        if reading is None and header[1] != _NIL:
            rows.counts[TIME_UNREADABLE] += 1
    else:
        reading, service, message = _old(rest, attributes, arrived, zone)
    if reading is not None:
        rows.counts[TIME_NAIVE] += reading.naive
    if peer:
        attributes.setdefault("host.name", peer)
    rows.add(
        at=trusted(reading, arrived=arrived, limits=limits),
        service=service,
        level=level or infer_level(message),
        message=message,
        attributes=attributes,
    )


def _modern(header: re.Match[str], rest: str, attributes: dict[str, str]) -> tuple[Reading | None, str, str]:
    """RFC 5424. The elements of structured data become attributes, `element.parameter`."""
    time, host, app, process, kind = header.groups()
    named = (("host.name", host), ("process.pid", process), ("syslog.msgid", kind))
    attributes.update({key: value for key, value in named if value != _NIL})
    at = header.end()
    if rest.startswith(_NIL, at):
        at += 1
    else:
        while element := _ELEMENT.match(rest, at):
            for name, value in _PARAMETER.findall(element[2]):
                attributes[f"{element[1]}.{name}"] = _ESCAPED.sub(r"\1", value)
            at = element.end()
    message = rest[at:].removeprefix(" ").removeprefix(_BOM)
    return read_time(time) if time != _NIL else None, "" if app == _NIL else app, message


def _old(rest: str, attributes: dict[str, str], arrived: datetime, zone: tzinfo) -> tuple[Reading | None, str, str]:
    """RFC 3164, as far as the message follows it: a time, a host, a tag, each where there is one."""
    reading = None
    found = leading_time(rest, near=arrived, zone=zone)
    if found is not None:
        reading, end = found
        rest = rest[end:].removeprefix(":").lstrip(" ")
        host = _HOST.match(rest)
        if host and not _TAG.match(rest):
            attributes["host.name"] = host[1]
            rest = rest[host.end() :]
    tag = _TAG.match(rest)
    if tag is None:
        return reading, "", rest
    if tag[2]:
        attributes["process.pid"] = tag[2]
    return reading, tag[1].rpartition("/")[2], rest[tag.end() :]


class Framer:
    """Cuts a TCP stream into messages, by octet counts or by line ends, whichever each message uses.

    It never holds more than one message of the largest size. What is longer is handed out up to the limit, the rest of
    it is skipped, and `cut_count` says how often that happened.
    """

    def __init__(self, limits: IngestLimits) -> None:
        self.cut_count = 0
        self._bytes_max = limits.frame_bytes_max
        self._buffer = bytearray()
        # Octets that still belong to a message that was cut; -1 while they last until the next line end.
        self._skip = 0

    def feed(self, data: bytes) -> list[bytes]:
        """Every message that is complete now."""
        self._buffer += data
        messages: list[bytes] = []
        while self._skipped():
            message = self._next()
            if message is None:
                break
            if message.strip(b"\r\n\0 "):
                messages.append(message)
        return messages

    def flush(self) -> list[bytes]:
        """What is left when the stream ends: a last line without its end, or a message that was cut off."""
        rest = bytes(self._buffer)
        self._buffer.clear()
        is_over = self._skip != 0
        self._skip = 0
        if is_over or not rest.strip(b"\r\n\0 "):
            return []
        counted = _OCTETS.match(rest)
        return [rest[counted.end() :] if counted else rest]

    def _skipped(self) -> bool:
        """Drop what belongs to a message that was cut; whether there is anything after it."""
        if self._skip > 0:
            dropped = min(self._skip, len(self._buffer))
            del self._buffer[:dropped]
            self._skip -= dropped
        elif self._skip < 0:
            end = _line_end(self._buffer)
            del self._buffer[: end + 1 if end >= 0 else len(self._buffer)]
            self._skip = 0 if end >= 0 else -1
        return self._skip == 0 and bool(self._buffer)

    def _next(self) -> bytes | None:
        counted = _OCTETS.match(self._buffer)
        if counted:
            return self._counted(int(counted[1]), counted.end())
        # Digits that may still become an octet count are waited for.
        if len(self._buffer) <= _OCTET_DIGITS_MAX and self._buffer.isdigit():
            return None
        return self._line()

    def _counted(self, octets: int, begin: int) -> bytes | None:
        taken = min(octets, self._bytes_max)
        if len(self._buffer) < begin + taken:
            return None
        message = bytes(self._buffer[begin : begin + taken])
        del self._buffer[: begin + taken]
        if taken < octets:
            self.cut_count += 1
            self._skip = octets - taken
        return message

    def _line(self) -> bytes | None:
        end = _line_end(self._buffer)
        if 0 <= end <= self._bytes_max:
            message = bytes(self._buffer[:end])
            del self._buffer[: end + 1]
            return message
        if len(self._buffer) <= self._bytes_max:
            return None
        self.cut_count += 1
        message = bytes(self._buffer[: self._bytes_max])
        del self._buffer[: self._bytes_max]
        self._skip = -1
        return message


_OCTET_DIGITS_MAX: Final = 9
# A count, a space, and the message it counts, which starts with its priority.
_OCTETS: Final = re.compile(rb"([1-9]\d{0,8}) (?=<|$)")


def _line_end(buffer: bytearray) -> int:
    """Where the first line ends: line feed, or the zero byte that some senders use instead."""
    ends = [at for at in (buffer.find(b"\n"), buffer.find(b"\0")) if at >= 0]
    return min(ends, default=-1)
