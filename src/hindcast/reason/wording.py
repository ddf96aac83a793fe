"""How answers say things: ages, lengths of time, counts, lists, texts cut to what fits."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime
from functools import lru_cache

MINUTE_SECONDS, HOUR_SECONDS, DAY_SECONDS = 60, 3_600, 86_400
YEAR_DAYS = 365.25
MONTH_DAYS = YEAR_DAYS / 12
# Up to here people count in weeks: nobody says "1.4 months ago".
WEEKS_DAYS_MAX = 70
# From here on an age says less than the month's name.
MONTH_NAMED_DAYS_MIN = 60
# A name of more words may be a sentence.
NAME_WORDS_MAX = 2
QUOTED_NAME_CHARS_MAX = 200
# Longer texts are rare, and keeping thousands of them would not be cheap.
CHARS_KEPT_MAX = 1_000

_MONTHS = (
    "January", "February", "March", "April", "May", "June",
    "July", "August", "September", "October", "November", "December",
)  # fmt: skip
_QUOTES = str.maketrans({"“": "'", "”": "'", "„": "'", "«": "'", "»": "'"})
# The end of a sentence: not a dot inside a version, a path or a number.
_SENTENCE_END = re.compile(r"(?<=[.!?])[\"')\]]*\s+(?=[\"'(\[`]?[A-Z0-9])|(?<=[。！？])")


def age(then: datetime, now: datetime) -> str:
    """How long ago that was, as a person says it: "6 weeks ago", "yesterday"."""
    seconds = (now - then).total_seconds()
    if seconds < 90:
        return "just now"
    if seconds < 90 * MINUTE_SECONDS:
        return f"{round(seconds / MINUTE_SECONDS)} minutes ago"
    days_by_calendar = (now.astimezone(UTC).date() - then.astimezone(UTC).date()).days
    if days_by_calendar == 0 or seconds < 12 * HOUR_SECONDS:
        return f"{round(seconds / HOUR_SECONDS)} hours ago"
    if days_by_calendar == 1:
        return "yesterday"
    days = seconds / DAY_SECONDS
    if days_by_calendar < 14:
        return f"{days_by_calendar} days ago"
    if days <= WEEKS_DAYS_MAX:
        return f"{round(days / 7)} weeks ago"
    if days < 1.9 * YEAR_DAYS:
        return f"{round(days / MONTH_DAYS)} months ago"
    return f"{round(days / YEAR_DAYS)} years ago"


def last(then: datetime, now: datetime) -> str:
    """When something happened for the last time: "yesterday", "in March", "in March 2024"."""
    days = (now - then).total_seconds() / DAY_SECONDS
    if days < MONTH_NAMED_DAYS_MIN:
        return age(then, now)
    month = _MONTHS[then.astimezone(UTC).month - 1]
    return f"in {month}" if days < YEAR_DAYS - MONTH_DAYS else f"in {month} {then.astimezone(UTC).year}"


def day(at: datetime) -> str:
    """A day as people write it: "3 July 2026"."""
    there = at.astimezone(UTC)
    return f"{there.day} {_MONTHS[there.month - 1]} {there.year}"


def duration(minutes: float) -> str:
    """A length of time in at most two units: "34 minutes", "2 hours 5 minutes"."""
    whole = round(minutes)
    if whole < 1:
        return "less than a minute"
    if whole < 60:
        return counted(whole, "minute")
    if whole < 60 * 24:
        hours, rest = divmod(whole, 60)
        return counted(hours, "hour") + (f" {counted(rest, 'minute')}" if rest else "")
    days, rest = divmod(round(whole / 60), 24)
    return counted(days, "day") + (f" {counted(rest, 'hour')}" if rest else "")


def counted(count: int, noun: str) -> str:
    """A count with its noun."""
    return f"{count} {noun}{'' if count == 1 else 's'}"


def times(count: int) -> str:
    """How often: "once", "twice", "3 times"."""
    return {1: "once", 2: "twice"}.get(count, f"{count} times")


def listed(words: Sequence[str], *, most: int = 4) -> str:
    """Several words as a person lists them."""
    shown = list(words[:most])
    if len(words) > most:
        shown.append(f"{len(words) - most} more")
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} and {shown[-1]}" if shown else ""


def one_line(text: str, chars_max: int) -> str:
    """A text without line breaks, cut between words where it gets long."""
    return _one_line(text, chars_max) if len(text) <= CHARS_KEPT_MAX else _in_one_line(text, chars_max)


def _in_one_line(text: str, chars_max: int) -> str:
    # Only the beginning can be shown, however long the text is.
    text = text.strip()
    line = " ".join(text[: 4 * chars_max].split())
    if len(line) <= chars_max and len(text) <= 4 * chars_max:
        return line
    if len(line) < chars_max:
        return f"{line}…"
    kept = line[: chars_max - 1]
    between = kept.rfind(" ")
    return f"{(kept[:between] if between > chars_max // 2 else kept).rstrip(' ,;:')}…"


# Cases of one failure tell the same few things, and an answer shows each of them in several places.
_one_line = lru_cache(maxsize=4_096)(_in_one_line)


def recorded(text: str, chars_max: int) -> str:
    """Recorded text inside a sentence of our own: in quotation marks that it cannot close.

    The sentence around it never stands in quotation marks.
    """
    return f"“{one_line(text, chars_max).translate(_QUOTES).rstrip('.')}”"


def plain_name(text: str, *, words_max: int = NAME_WORDS_MAX) -> str:
    """A name that people chose, inside a sentence of our own: bare where it reads as one, recorded text otherwise."""
    is_plain = len(text.split(" ")) <= words_max and all(char.isalnum() or char in " -_.,@/:()'’" for char in text)
    return text if is_plain and not text.isspace() else recorded(text, QUOTED_NAME_CHARS_MAX)


def sentences(text: str) -> tuple[str, ...]:
    """The sentences of a text, without line breaks."""
    line = " ".join(text.split())
    return tuple(part.strip() for part in _SENTENCE_END.split(line) if part and part.strip())


def first_sentence(text: str, chars_max: int) -> str:
    """The first sentence of a text without its full stop, so that it can stand inside another one."""
    found = sentences(text[: 4 * chars_max])
    return one_line(found[0], chars_max).rstrip(".") if found else ""


def full_stop(text: str) -> str:
    """A text that ends as a sentence does."""
    return text if not text or text[-1] in ".!?…。！？" else f"{text}."
