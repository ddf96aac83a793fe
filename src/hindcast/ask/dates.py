"""Reads the times that people name: yesterday, last week, on 3 November, between Monday and Friday. All in UTC.

What is no time (`before the deploy`) is not guessed at: nothing is found, and whoever asked is told so.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta

DAY = timedelta(days=1)
_MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
MONTH_NAMES = "|".join(_MONTHS)
_MONTH = rf"({'|'.join(f'{name[:3]}(?:{name[3:]})?' for name in _MONTHS)}|sept)\.?"
_UNITS = {"minute": 1 / 1440, "hour": 1 / 24, "day": 1, "week": 7, "month": 30.4375, "quarter": 91.3125, "year": 365.25}
_UNIT = rf"({'|'.join(_UNITS)})s?"
_COUNT = r"(\d{1,4}|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve|a few|a couple of)"
_COUNTS = {
    "a": 1, "an": 1, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8,
    "nine": 9, "ten": 10, "twelve": 12, "a few": 3, "a couple of": 2,
}  # fmt: skip

_PATTERNS = {
    "iso": r"(?<![\w-])(\d{4})-(\d{1,2})-(\d{1,2})(?:[t ](\d{1,2}):(\d{2})(?::\d{2})?\s*(?:z|utc)?)?(?![\w-])",
    "day_month": rf"(\d{{1,2}})(?:st|nd|rd|th)?(?:\s+of)?\s+{_MONTH}(?:,?\s+(\d{{4}}))?\b",
    "month_day": rf"{_MONTH}\s+(\d{{1,2}})(?:st|nd|rd|th)?\b(?:,?\s+(\d{{4}}))?",
    "month": rf"(?<=in |of |ce |st |nd |by |il )\s*{_MONTH}(?:\s+(\d{{4}}))?\b",
    "ago": rf"{_COUNT}\s+{_UNIT}\s+ago",
    "past": rf"(?:the\s+)?(?:last|past|previous)\s+{_COUNT}\s+{_UNIT}",
    "last": r"(?:the\s+)?(last|past|previous|this)\s+(day|night|week|month|quarter|year)\b",
    "last_day": rf"(?:last\s+|this\s+)?({'|'.join(_DAYS)})\b",
    "word": r"\b(today|yesterday|the day before yesterday|tonight|last night|now)\b",
}
# The word before a time, which says how it is meant.
_LEAD = re.compile(
    r"\b(since|before|after|until|till|by|on|in|at|during|from|as of|around|to)\s+(?:the\s+)?$", re.IGNORECASE
)
# What stands for a time that only people know.
_UNKNOWN = re.compile(
    r"\b(?:before|after|since|until|during)\s+(?:the|our|that|this|we|they)\s+[\w' -]{2,40}", re.IGNORECASE
)
_ANY = re.compile("|".join(f"(?P<{name}>{pattern})" for name, pattern in _PATTERNS.items()), re.IGNORECASE)
_ALONE = {name: re.compile(pattern, re.IGNORECASE) for name, pattern in _PATTERNS.items()}


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of time that somebody named, and the words that named it."""

    start: datetime
    end: datetime
    said: str
    # The word before it, in lower case: since, before, on …
    lead: str = ""


@dataclass(frozen=True, slots=True)
class Window:
    """The time that a question is about: from, to, and the words for it. None: that side is open."""

    since: datetime | None = None
    until: datetime | None = None
    said: str = ""


def spans_in(text: str, now: datetime) -> tuple[tuple[Span, ...], str]:
    """The times that a text names, in its order, and the text without them."""
    found: list[Span] = []
    rest: list[str] = []
    done = 0
    for match in _ANY.finditer(text):
        name = match.lastgroup or ""
        # Only the groups of the alternative itself can be counted on.
        inner = _ALONE[name].search(text, match.start())
        span = _span(name, inner, now.astimezone(UTC)) if inner is not None else None
        if span is not None:
            before = text[done : match.start()]
            lead = _LEAD.search(before)
            said = " ".join(match.group().split())
            found.append(Span(*span, said, lead[1].lower() if lead else ""))
            rest.append(before[: lead.start()] if lead else before)
            done = match.end()
    rest.append(text[done:])
    return tuple(found), " ".join(" ".join(rest).split())


def window_of(spans: Sequence[Span], now: datetime) -> Window:
    """What one or two times mean together: `since A`, `before A`, `between A and B`, or just A."""
    if not spans:
        return Window()
    first = spans[0]
    if len(spans) > 1:
        second = spans[1]
        if second.end <= first.start and first.said.lower().split()[-1] in _DAYS:
            # Between Monday and Friday, asked on a Monday, begins a week earlier.
            first = replace(first, start=first.start - 7 * DAY, end=first.end - 7 * DAY)
        first, second = sorted((first, second), key=lambda span: span.start)
        return Window(first.start, _by_now(second, first.start, now), f"from {first.said} to {second.said}")
    match first.lead:
        case "since" | "from":
            return Window(first.start, None, f"since {first.said}")
        case "after":
            return Window(first.end, None, f"after {first.said}")
        case "before" | "until" | "till" | "by":
            return Window(None, first.start if first.lead == "before" else first.end, f"{first.lead} {first.said}")
        case _:
            lead = f"{first.lead} " if first.lead in ("in", "on", "at", "during") else ""
            return Window(first.start, _by_now(first, first.start, now), lead + first.said)


def _by_now(span: Span, start: datetime, now: datetime) -> datetime:
    """The end of a span as far as it has come; what lies in the future is left as it is."""
    return span.end if start >= now else min(span.end, now)


def unknown_time(text: str) -> str:
    """The words that name a time only people know, such as `before the deploy`; empty if there are none."""
    found = _UNKNOWN.search(text)
    return " ".join(found.group().split()) if found else ""


def _span(name: str, match: re.Match[str], now: datetime) -> tuple[datetime, datetime] | None:
    try:
        return next(_READERS[name](match, now), None)
    except (ValueError, OverflowError):
        # The 31st of November is no day.
        return None


def _midnight(at: datetime) -> datetime:
    return at.replace(hour=0, minute=0, second=0, microsecond=0)


def _iso(match: re.Match[str], _: datetime) -> Iterator[tuple[datetime, datetime]]:
    year, month, day = (int(part) for part in match.groups()[:3])
    if match[4] is not None:
        moment = datetime(year, month, day, int(match[4]), int(match[5]), tzinfo=UTC)
        yield moment, moment
    else:
        start = datetime(year, month, day, tzinfo=UTC)
        yield start, start + DAY


def _month_number(name: str) -> int:
    return next(number for number, month in enumerate(_MONTHS, 1) if month.startswith(name.lower().rstrip(".")[:3]))


def _day(day: str, month: str, year: str | None, now: datetime) -> Iterator[tuple[datetime, datetime]]:
    start = datetime(int(year or now.year), _month_number(month), int(day), tzinfo=UTC)
    if year is None and start > now:
        # Nobody asks what will have been known.
        start = start.replace(year=start.year - 1)
    yield start, start + DAY


def _whole_month(match: re.Match[str], now: datetime) -> Iterator[tuple[datetime, datetime]]:
    month = _month_number(match[1])
    year = int(match[2]) if match[2] else now.year - (month > now.month)
    start = datetime(year, month, 1, tzinfo=UTC)
    yield start, _months_later(start, 1)


def _months_later(start: datetime, months: int) -> datetime:
    count = start.year * 12 + start.month - 1 + months
    return start.replace(year=count // 12, month=count % 12 + 1, day=1)


def _counted(match: re.Match[str]) -> timedelta:
    said = match[1].lower()
    number = int(said) if said.isdigit() else _COUNTS[said]
    return timedelta(days=number * _UNITS[match[2].lower()])


def _ago(match: re.Match[str], now: datetime) -> Iterator[tuple[datetime, datetime]]:
    moment = now - _counted(match)
    if _UNITS[match[2].lower()] < 1:
        yield moment, moment
    else:
        yield _midnight(moment), _midnight(moment) + DAY


def _past(match: re.Match[str], now: datetime) -> Iterator[tuple[datetime, datetime]]:
    yield now - _counted(match), now


def _last(match: re.Match[str], now: datetime) -> Iterator[tuple[datetime, datetime]]:
    which, unit, today = match[1].lower(), match[2].lower(), _midnight(now)
    if unit == "night" and which != "this":
        yield today - timedelta(hours=6), min(today + timedelta(hours=8), now)
        return
    if unit in ("day", "night"):
        yield from _word_span("yesterday" if which != "this" else "today", now)
        return
    if unit == "week":
        start = today - timedelta(days=today.weekday())
        step = timedelta(days=7)
        yield (start, now) if which == "this" else (start - step, start)
        return
    months = {"month": 1, "quarter": 3, "year": 12}[unit]
    first = today.replace(day=1)
    start = _months_later(first, -((first.month - 1) % months))
    yield (start, now) if which == "this" else (_months_later(start, -months), start)


def _last_day(match: re.Match[str], now: datetime) -> Iterator[tuple[datetime, datetime]]:
    back = (now.weekday() - _DAYS.index(match[1].lower())) % 7
    start = _midnight(now) - timedelta(days=back)
    yield start, start + DAY


def _word_span(word: str, now: datetime) -> Iterator[tuple[datetime, datetime]]:
    if word == "now":
        yield now, now
        return
    back = {"today": 0, "tonight": 0, "yesterday": 1, "last night": 1, "the day before yesterday": 2}[word]
    start = _midnight(now) - back * DAY
    yield start, start + DAY


_READERS: Mapping[str, Callable[[re.Match[str], datetime], Iterator[tuple[datetime, datetime]]]] = {
    "iso": _iso,
    "day_month": lambda match, now: _day(match[1], match[2], match[3], now),
    "month_day": lambda match, now: _day(match[2], match[1], match[3], now),
    "month": _whole_month,
    "ago": _ago,
    "past": _past,
    "last": _last,
    "last_day": _last_day,
    "word": lambda match, now: _word_span(match[1].lower(), now),
}
