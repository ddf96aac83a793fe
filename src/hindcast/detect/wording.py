"""The words of an incident: its title, its reasons, its id. The same numbers always give the same words."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, datetime

from hindcast.model.incident import Affected, NewFailure
from hindcast.model.signal import Alert

SLUG_CHARS_MAX = 40
SERVICES_NAMED_MAX = 4
FAILURE_CHARS_MAX = 100
# What varies in a text, as its template has it: <int>, <uuid>.
_PLACEHOLDER = re.compile(r"<[a-z_]{1,20}>")


def incident_id(onset_at: datetime, name: str) -> str:
    """The id of an incident that began then, as in `inc-20261115-0203-payment`."""
    slug = re.sub(r"[^a-z0-9]+", "-", name.casefold()).strip("-")[:SLUG_CHARS_MAX].strip("-")
    return f"inc-{onset_at.astimezone(UTC):%Y%m%d-%H%M}-{slug or 'unnamed'}"


def span(seconds: int) -> str:
    """A length of time as a person says it."""
    for size, word in ((86_400, "day"), (3600, "hour"), (60, "minute")):
        if seconds >= size and (seconds % size == 0 or seconds >= 3 * size):
            count = round(seconds / size)
            return f"{count} {word}{'s' if count != 1 else ''}"
    return f"{seconds} second{'s' if seconds != 1 else ''}"


def number(value: float) -> str:
    """A count or a mean, no more exact than it is useful."""
    return f"{value:,.0f}" if value >= 0.95 or value < 0.05 else f"{value:.1f}"


def errors(count: int) -> str:
    """So many errors."""
    return f"{count:,} error{'s' if count != 1 else ''}"


def elevated(service: str, count: int, window_seconds: int, expected: float | None) -> str:
    """What a spike is called. What is usual is left out while nobody knows it."""
    usual = "" if expected is None else f" (usually {number(expected)})"
    return f"{named(service)}: {errors(count)} in {span(window_seconds)}{usual}"


def failing(service: str, failure: str) -> str:
    """What a failure of a service is called."""
    words = _PLACEHOLDER.sub("…", " ".join(failure.split()))
    if len(words) > FAILURE_CHARS_MAX:
        words = f"{words[: FAILURE_CHARS_MAX - 1].rstrip()}…"
    return f"{named(service)}: {words}"


def began_within(failure: NewFailure, incident: str) -> str:
    """What a failure is called that began in the midst of an incident."""
    return f"{failing(failure.service, failure.text)}, since {clock(failure.first_at)} within {incident}"


def new_since(failure: NewFailure) -> str:
    """That a failure began in the midst of an incident."""
    at = f"{failure.first_at.astimezone(UTC):%H:%M}"
    return f"new since {at} UTC in {failing(failure.service, failure.text)} ({errors(failure.count)})"


def silent(service: str, seconds: int, lines_per_minute: float) -> str:
    """What a silence is called."""
    if not service:
        return f"nothing comes in any more: no line from any service for {span(seconds)}"
    return f"{service} has gone silent: no line for {span(seconds)} (usually {number(lines_per_minute)} a minute)"


def alerted(alert: Alert) -> str:
    """What an alert of another system is called."""
    title = " ".join(alert.title.split()) or alert.key
    return f"{alert.service}: {title}" if alert.service and alert.service not in title else title


def cascade(origin: str, affected: Sequence[Affected], failure: str = "") -> str:
    """What a cascade is called: with the failure that it began with, where that is known."""
    rest = [one.service for one in affected if one.service != origin]
    began = failing(origin, failure) if failure else named(origin)
    return f"cascade from {began}: {len(affected)} services ({listed([origin, *rest])})"


def with_others(title: str, others: Sequence[str]) -> str:
    """The title of an incident with a few more services."""
    return f"{title}, with {listed(others)}" if others else title


def listed(names: Sequence[str]) -> str:
    """Names in a row, the first few in full."""
    shown = [named(one) for one in names[:SERVICES_NAMED_MAX]]
    more = len(names) - len(shown)
    return ", ".join(shown) + (f" and {more} more" if more else "")


def named(service: str) -> str:
    """A service's name, or what stands for none."""
    return service or "(no service)"


def clock(at: datetime) -> str:
    """The time of day, to the second, in UTC."""
    return f"{at.astimezone(UTC):%H:%M:%S}"
