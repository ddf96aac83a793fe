"""Times as senders write them, read to aware moments in UTC; and clocks that cannot be right, set to the arrival.

A time without a zone is told apart from one with a zone: it is a guess, and whoever uses it counts it. A time in the
far past or the future would put a record into a window that is already closed or never comes, so beyond a limit the
time of arrival is used instead, and that is counted as well.
"""

from __future__ import annotations

import calendar
import re
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta, timezone, tzinfo
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from hindcast.model.columns import TIME
from hindcast.model.ingest_limits import IngestLimits

_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
_MONTHS: Final = {name: number for number, name in enumerate(calendar.month_abbr) if name}
# Bare numbers are told apart by their size: seconds up to the year 5138, then milli-, micro- and nanoseconds.
_SECONDS_END: Final = 10**11
_MILLIS_END: Final = 10**14
_MICROS_END: Final = 10**17
# The last microsecond that a datetime can hold.
_MICROS_MAX: Final = 253_402_300_799_999_999

_ISO: Final = re.compile(
    r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:[T\s_]+(\d{1,2}):(\d{2})(?::(\d{2})(?:[.,:](\d{1,9}))?)?)?"
    r"(?:\s?(Z|UTC|GMT|[+-]\d{2}:?\d{2}|[+-]\d{2}))?(?![\d:])",
    re.IGNORECASE,
)
# 16/Nov/2026:00:03:28 +0200 (Apache), 16-Nov-2026 00:03:28, 16 Nov 2026 00:03:28 +0000 (RFC 2822)
_DAY_FIRST: Final = re.compile(
    r"(?:[A-Z][a-z]{2},\s)?(\d{1,2})[/\s-]([A-Z][a-z]{2})[/\s-](\d{4})[:\s](\d{2}):(\d{2}):(\d{2})(?:[.,](\d{1,9}))?"
    r"(?:\s?(Z|UTC|GMT|[+-]\d{2}:?\d{2}))?",
)
# Nov 16 00:03:28 (RFC 3164), with a year before or after the clock in some senders; Mon Nov 16 00:03:28 2026 (ctime)
_MONTH_FIRST: Final = re.compile(
    r"(?:[A-Z][a-z]{2}\s+)?([A-Z][a-z]{2})\s+(\d{1,2})(?:,?\s+(\d{4}))?\s+(\d{1,2}):(\d{2}):(\d{2})(?:[.,](\d{1,9}))?"
    r"(?:\s(Z|UTC|GMT|[+-]\d{2}:?\d{2}))?(?:\s(\d{4})(?!\d))?",
)
_NUMBER: Final = re.compile(r"\d{9,19}(?:\.\d{1,9})?")


@dataclass(frozen=True, slots=True)
class Reading:
    """A time as it was read: the moment, and whether its zone had to be guessed."""

    at: datetime
    naive: bool = False


def read_time(value: str | float | None, *, near: datetime | None = None, zone: tzinfo = UTC) -> Reading | None:
    """The moment that a text or a number names, or nothing when it names none.

    `near` is a moment the answer must be close to; it gives the year to formats that have none. `zone` is taken for
    times that name none.
    """
    if value is None or isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return _from_number(value)
    text = value.strip()
    if len(text) > 64:
        return None
    if text[4:5] == "-" and text[10:11] == "T" and text[-1:] == "Z":
        # What most senders write, and what Python reads fastest.
        try:
            at = datetime.fromisoformat(text)
        except ValueError:
            pass
        else:
            # The year 1 is how some languages write no time at all.
            return Reading(at) if at >= _EPOCH else None
    if _NUMBER.fullmatch(text):
        return _from_number(float(text) if "." in text else int(text))
    found = leading_time(text, near=near, zone=zone)
    return found[0] if found and found[1] == len(text) else None


def leading_time(line: str, *, near: datetime | None = None, zone: tzinfo = UTC) -> tuple[Reading, int] | None:
    """The time at the start of a line, and where it ends; nothing when the line starts with something else."""
    if not line:
        return None
    if line[0].isdigit():
        if found := _ISO.match(line):
            year, month, day, hour, minute, second, fraction, offset = found.groups()
        elif found := _DAY_FIRST.match(line):
            day, name, year, hour, minute, second, fraction, offset = found.groups()
            month = str(_MONTHS.get(name, 0))
        else:
            return None
    elif found := _MONTH_FIRST.match(line):
        name, day, year, hour, minute, second, fraction, offset, late_year = found.groups()
        month, year = str(_MONTHS.get(name, 0)), year or late_year
    elif found := _DAY_FIRST.match(line):
        day, name, year, hour, minute, second, fraction, offset = found.groups()
        month = str(_MONTHS.get(name, 0))
    else:
        return None
    micros = int((fraction or "0").ljust(6, "0")[:6])
    where = _offset(offset) if offset else zone
    parts = (int(month), int(day), int(hour or 0), int(minute or 0), int(second or 0), micros)
    at = _moment(int(year), *parts, zone=where) if year else _nearest(parts, near, where)
    return (Reading(at.astimezone(UTC), naive=not offset), found.end()) if at else None


def _moment(
    year: int, month: int, day: int, hour: int, minute: int, second: int, micros: int, *, zone: tzinfo
) -> datetime | None:
    try:
        # A leap second is the last moment of its minute.
        at = datetime(year, month, day, hour, minute, min(second, 59), micros, tzinfo=zone)
        return at if _EPOCH - timedelta(days=2) <= at else None
    except (ValueError, OverflowError):
        return None


def _nearest(parts: tuple[int, int, int, int, int, int], near: datetime | None, zone: tzinfo) -> datetime | None:
    """A date without a year is in the year that brings it closest: in January, December is last year's."""
    if near is None:
        return None
    found = (_moment(near.year + step, *parts, zone=zone) for step in (-1, 0, 1))
    return min((at for at in found if at), key=lambda at: abs(at - near), default=None)


def _offset(text: str) -> tzinfo:
    if text[0] not in "+-":
        return UTC
    digits = text[1:].replace(":", "")
    minutes = int(digits[:2]) * 60 + int(digits[2:] or 0)
    # No place on earth is further than 18 hours from UTC; beyond that it is not a zone.
    minutes = min(minutes, 18 * 60)
    return timezone(timedelta(minutes=-minutes if text[0] == "-" else minutes))


def _from_number(value: float) -> Reading | None:
    micros = micros_of(value)
    return None if micros is None else Reading(_EPOCH + timedelta(microseconds=micros))


def micros_of(value: float) -> int | None:
    """Microseconds since 1970 of a number of seconds, milli-, micro- or nanoseconds; nothing for zero and nonsense."""
    if not 0 < value < 1e20:
        return None
    if value < _SECONDS_END:
        micros = int(value * 1_000_000)
    elif value < _MILLIS_END:
        micros = int(value * 1_000)
    else:
        micros = int(value) if value < _MICROS_END else int(value) // 1_000
    return micros if micros <= _MICROS_MAX else None


def trusted(reading: Reading | None, *, arrived: datetime | None, limits: IngestLimits) -> datetime | None:
    """A reading's moment; none when its zone was guessed and the guess is too far from the arrival to be right.

    A naive clock in another zone is hours away. Taken for UTC it would put its records into another window.
    """
    if reading is None:
        return None
    if reading.naive and arrived is not None:
        away = (arrived - reading.at).total_seconds()
        if not -limits.ahead_seconds_max <= away <= limits.naive_behind_seconds_max:
            return None
    return reading.at


@dataclass(frozen=True, slots=True)
class Normalised:
    """Times that are all there and all plausible, and how many had to be replaced by the arrival, by reason."""

    times: pa.Array
    skewed: int
    naive: int
    missing: int


def normalised(times: pa.Array, arrived: datetime, limits: IngestLimits) -> Normalised:
    """Set times that are missing, or too far ahead of or behind the arrival, to the arrival; and count them.

    Times without a zone (an Arrow column that has none) are taken for UTC and counted as naive, wherever they end up.
    """
    if isinstance(times, pa.ChunkedArray):
        times = times.combine_chunks()
    naive = 0
    if times.type.tz is None:
        naive = len(times) - times.null_count
        times = pc.assume_timezone(times, "UTC")
    times = times.cast(TIME, safe=False)
    arrival = pa.scalar(arrived, TIME)
    earliest = pa.scalar(arrived - timedelta(seconds=limits.behind_seconds_max), TIME)
    latest = pa.scalar(arrived + timedelta(seconds=limits.ahead_seconds_max), TIME)
    plausible = pc.and_(pc.greater_equal(times, earliest), pc.less_equal(times, latest))
    missing = times.null_count
    skewed = len(times) - missing - (pc.sum(plausible).as_py() or 0)
    if skewed or missing:
        times = pc.if_else(pc.fill_null(plausible, False), times, arrival)
    return Normalised(times, skewed, naive, missing)
