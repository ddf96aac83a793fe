"""One row of an export: fields by any of their names, whatever the spelling, and as the type that is wanted."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime

from hindcast.learn.moments import minutes_in, moments_in
from hindcast.model.errors import Malformed

# Numbers that are times: seconds since 1970 up to the year 5138, milliseconds above.
_SECONDS_END = 10**11
_EPOCH_MIN = 10**8
_JIRA_DAY = re.compile(r"^(\d{1,2})/([A-Z][a-z]{2})/(\d{2,4})\s+(.*)$")


@dataclass(frozen=True, slots=True)
class Row:
    """The fields of one incident."""

    fields: Mapping[str, object]
    place: str = ""
    _by_name: dict[str, object] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, value in self.fields.items():
            self._by_name.setdefault(plain(name), value)

    def get(self, *names: str) -> object:
        """The first field of these names that holds anything; None when none does."""
        for name in names:
            value = self._by_name.get(plain(name))
            if value not in (None, "", [], {}):
                return value
        return None

    def text(self, *names: str) -> str:
        """A field as text; an object gives its name, a list its items."""
        return text_of(self.get(*names))

    def texts(self, *names: str) -> tuple[str, ...]:
        """A field as a list of texts: a list, or a text that lists."""
        value = self.get(*names)
        if isinstance(value, str):
            return tuple(part.strip() for part in re.split(r"[,;\n]", value) if part.strip())
        return tuple(text for item in items_of(value) if (text := text_of(item)))

    def objects(self, *names: str) -> tuple[Mapping[str, object], ...]:
        """A field as a list of objects; what is none is left out."""
        return tuple(item for item in items_of(self.get(*names)) if isinstance(item, dict))

    def time(self, *names: str) -> datetime | None:
        """A field as a moment; None when it is empty. Raises Malformed when it is no time."""
        value = self.get(*names)
        if value is None:
            return None
        at = time_of(value)
        if at is None:
            raise Malformed(
                f"{str(value)[:60]!r} is no time.", field=names[0], remedy="Write times as 2026-11-15T02:03:04Z."
            )
        return at

    def minutes(self, *names: str) -> float | None:
        """A field as a duration in minutes; a bare number counts in the unit that the field's name gives."""
        for name in names:
            value = self.get(name)
            if value is None:
                continue
            number = _number(value)
            if number is not None:
                unit = 1 / 60 if "second" in name else 60.0 if "hour" in name else 1.0
                return round(number * unit, 2)
            return minutes_in(str(value))
        return None

    def required(self, what: str, *names: str) -> str:
        """A field that an incident cannot do without. Raises Malformed when it is empty."""
        value = self.text(*names)
        if not value:
            raise Malformed(
                f"This incident has no {what}.", field=names[0], remedy=f"Give it one in {' or '.join(names)}."
            )
        return value


def plain(name: str) -> str:
    """A field's name in one spelling: `Created At`, `created_at` and `createdAt` are one."""
    return re.sub(r"[^a-z0-9]+", "", name.lower())


def text_of(value: object) -> str:
    """A value as text."""
    if value is None or isinstance(value, bool):
        return ""
    if isinstance(value, str):
        return value.strip()
    if isinstance(value, dict):
        if value.get("type") in (
            "doc",
            "paragraph",
            "text",
            "bulletList",
            "orderedList",
            "listItem",
            "codeBlock",
            "heading",
        ):
            return _rich(value).strip()
        for key in ("summary", "name", "displayName", "value", "title", "text", "content", "body", "self", "id"):
            inside = value.get(key)
            if isinstance(inside, str) and inside.strip():
                return inside.strip()
        return ""
    if isinstance(value, Sequence):
        return ", ".join(text for item in value if (text := text_of(item)))
    return str(value)


def items_of(value: object) -> Iterator[object]:
    """The items of a value: of a list, or the value itself."""
    if value is None:
        return
    if isinstance(value, Sequence) and not isinstance(value, str):
        yield from value
    else:
        yield value


def time_of(value: object) -> datetime | None:
    """A moment out of a number or a text; without a zone it is UTC."""
    if isinstance(value, bool):
        return None
    number = _number(value)
    if number is not None and number >= _EPOCH_MIN:
        try:
            return datetime.fromtimestamp(number if number < _SECONDS_END else number / 1000, tz=UTC)
        except (OverflowError, OSError, ValueError):
            return None
    if not isinstance(value, str):
        return None
    text = value.strip()
    try:
        at = datetime.fromisoformat(text.replace("Z", "+00:00") if text.endswith("Z") else text)
    except ValueError:
        return _written(text)
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).astimezone(UTC)


def _written(text: str) -> datetime | None:
    """A moment as a person or a spreadsheet writes it."""
    day = _JIRA_DAY.match(text)
    if day:
        year = day.group(3) if len(day.group(3)) == 4 else f"20{day.group(3)}"
        text = f"{day.group(1)} {day.group(2)} {year} {day.group(4)}"
    found = moments_in(text)
    return found[0].at if found and found[0].start <= 5 else None


def _number(value: object) -> float | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value)
    if isinstance(value, str) and re.fullmatch(r"\s*\d+(?:\.\d+)?\s*", value):
        return float(value)
    return None


def _rich(node: Mapping[str, object]) -> str:
    """The words of a rich text document, block by block."""
    if node.get("type") == "text":
        return str(node.get("text") or "")
    inside = [_rich(child) for child in items_of(node.get("content")) if isinstance(child, dict)]
    if node.get("type") == "listItem":
        return f"- {''.join(inside).strip()}\n"
    if node.get("type") in ("paragraph", "heading", "codeBlock", "doc"):
        return "".join(inside) + "\n"
    return "".join(inside)
