"""Reads the JSON of a webhook into a typed shape, and says which field is wrong when it cannot.

Unknown fields are ignored: senders add them all the time. Times come out with their timezone, in UTC.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import TypeVar

import msgspec

from hindcast.model.columns import Rejection
from hindcast.model.errors import Malformed

Shape = TypeVar("Shape")


@dataclass(frozen=True, slots=True)
class SourceLimits:
    """What a webhook may hold. Longer texts are cut, and end in an ellipsis; more of anything is refused."""

    body_bytes_max: int = 4 * 1024 * 1024
    alerts_max: int = 10_000
    labels_max: int = 256
    label_chars_max: int = 4_096
    title_chars_max: int = 1_024
    text_chars_max: int = 65_536
    stack_chars_max: int = 262_144
    # A time further ahead of the arrival than this is a clock gone wrong.
    ahead_seconds_max: int = 600


LIMITS = SourceLimits()

# Some senders write "no time" as the first moment of the year 1, others as that of 1970.
_NO_TIME_BEFORE = datetime(1971, 1, 1, tzinfo=UTC)

_WHERE = re.compile(r"^(?P<what>.*?)(?: - at `\$(?P<where>.{0,400})`)?$", re.DOTALL)
_REQUIRED = re.compile(r"Object missing required field `([^`]+)`")
_TYPES = re.compile(r"Expected `([^`]+)`, got `([^`]+)`")


def read(body: bytes, shape: type[Shape], *, bytes_max: int = LIMITS.body_bytes_max) -> Shape:
    """The body as a value of a shape, or Malformed with the field that is wrong."""
    if len(body) > bytes_max:
        raise Malformed(
            f"The body has {len(body):,} bytes, and {bytes_max:,} are accepted.",
            field="body",
            remedy="Send fewer or shorter entries at once.",
        )
    try:
        return msgspec.json.decode(body, type=shape, strict=True)
    except msgspec.ValidationError as error:
        raise _wrong_field(str(error)) from error
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise Malformed(f"This is not JSON: {error}.", field="body", remedy="Send one JSON object in UTF-8.") from error


def _wrong_field(told: str) -> Malformed:
    found = _WHERE.match(told)
    what, where = (found["what"], found["where"] or "") if found else (told, "")
    field = where.lstrip(".")
    if required := _REQUIRED.search(what):
        field = f"{field}.{required[1]}".lstrip(".")
        return Malformed("This field is required.", field=field, remedy="Send it.")
    if types := _TYPES.search(what):
        return Malformed(
            f"Expected {_plain(types[1])}, and found {_plain(types[2])}.",
            field=field or "body",
            remedy="Send it as the format says.",
        )
    return Malformed(f"{what}.", field=field or "body", remedy="Send it as the format says.")


def _plain(kind: str) -> str:
    names = {
        "str": "a text",
        "int": "a number",
        "float": "a number",
        "array": "a list",
        "null": "null",
        "bool": "a truth value",
    }
    return " or ".join(dict.fromkeys(names.get(one.strip(), f"an {one.strip()}") for one in kind.split("|")))


def moment(value: str | float | None, field: str) -> datetime | None:
    """A time in UTC from ISO 8601 or seconds since 1970; None for what senders write when there is none.

    A time without a timezone is taken as UTC.
    """
    if value is None or value == "":
        return None
    try:
        if isinstance(value, str):
            at = datetime.fromisoformat(value.strip())
            at = at.replace(tzinfo=UTC) if at.tzinfo is None else at
            # The year 1 has no earlier year for a timezone to fall back to.
            at = at.replace(tzinfo=UTC) if at.year in {1, 9999} else at.astimezone(UTC)
        else:
            at = datetime.fromtimestamp(value, UTC)
    except (ValueError, OverflowError, OSError) as error:
        raise Malformed(
            f"{str(value)[:64]!r} is not a time.", field=field, remedy="Send ISO 8601, such as 2026-11-15T02:03:04Z."
        ) from error
    return at if at >= _NO_TIME_BEFORE else None


class Arrival:
    """The moment a request came, by which its times are judged, with a note of each that cannot be."""

    def __init__(self, now: datetime, limits: SourceLimits = LIMITS) -> None:
        self.now = now
        self._ahead_max = timedelta(seconds=limits.ahead_seconds_max)
        self._notes: list[Rejection] = []

    @property
    def notes(self) -> tuple[Rejection, ...]:
        """The times that could not be, in the order they were read."""
        return tuple(self._notes)

    def time(self, value: str | float | None, field: str, *, position: int = 0) -> datetime:
        """A time as the sender says; the arrival where it says none, or one that is ahead of the arrival."""
        at = moment(value, field)
        if at is None:
            return self.now
        if at - self.now > self._ahead_max:
            self._notes.append(Rejection(position, f"{field}: {at.isoformat()} is still to come. The arrival counts."))
            return self.now
        return at


def header(headers: Mapping[str, str], name: str) -> str:
    """A header by its name in any case; empty when it is absent."""
    wanted = name.lower()
    return next((value for key, value in headers.items() if key.lower() == wanted), "")


def clip(text: str, chars_max: int) -> str:
    """The text, or its beginning with an ellipsis."""
    return text if len(text) <= chars_max else text[: chars_max - 1] + "…"


def labelled(labels: Mapping[str, str], limits: SourceLimits = LIMITS) -> dict[str, str]:
    """Labels within their limits: the first so many by name, each value no longer than allowed."""
    names = sorted(labels)[: limits.labels_max]
    return {name: clip(labels[name], limits.label_chars_max) for name in names if labels[name] != ""}


def flat(value: object, prefix: str = "", *, values_max: int = LIMITS.labels_max) -> dict[str, str]:
    """A JSON object as dotted names and texts: {"a": {"b": 1}} is a.b = 1. Lists are written as JSON."""
    found: dict[str, str] = {}
    waiting: deque[tuple[str, object]] = deque([(prefix, value)])
    while waiting and len(found) < values_max:
        name, one = waiting.popleft()
        if isinstance(one, Mapping):
            waiting += ((f"{name}.{key}" if name else str(key), inner) for key, inner in one.items())
        elif one is not None and name:
            found[name] = one if isinstance(one, str) else msgspec.json.encode(one).decode()
    return found
