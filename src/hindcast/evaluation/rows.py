"""Lines of other people's files: JSON lines, one JSON list or CSV, each row with the line on which it stands.

A row that cannot be read is told with its line and its reason, and the others still count.
"""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

# More than this is no row of a table but a file that lost its line ends.
FIELD_CHARS_MAX = 1_000_000
_SEPARATORS = re.compile(r"[;,|\n]")
_ODD = re.compile(r"[^a-z0-9]+")


@dataclass(frozen=True, slots=True)
class Row:
    """What one line says, by the names of its fields in lower case with underscores: `Issue id` is `issue_id`."""

    line: int
    fields: Mapping[str, Any]
    # The same as it was written.
    written: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Rejected:
    """A line that could not be used, and why."""

    line: int
    why: str


def rows(content: str) -> Iterator[Row | Rejected]:
    """Every row of a file, whichever of the three ways it is written in."""
    text = content.removeprefix("\ufeff")
    first = text.lstrip()[:1]
    if first == "[":
        yield from _from_list(text)
    elif first in ("{", '"'):
        yield from _from_lines(text)
    else:
        yield from _from_csv(text)


def named(fields: Mapping[str, Any], names: Sequence[str]) -> Any:  # noqa: ANN401
    """The first of these fields that says something."""
    return next((fields[name] for name in names if fields.get(name) not in (None, "", [], {})), None)


def texts_of(value: Any) -> tuple[str, ...]:  # noqa: ANN401
    """A text, or a list of them, as texts; what is no text is left out."""
    values = value if isinstance(value, list | tuple) else [value]
    return tuple(str(one).strip() for one in values if isinstance(one, str | int | float) and str(one).strip())


def names_of(value: Any) -> tuple[str, ...]:  # noqa: ANN401
    """Several names: a list, or one text with commas, semicolons or bars between them."""
    if isinstance(value, str):
        value = _SEPARATORS.split(value)
    return tuple(dict.fromkeys(texts_of(value))) if value is not None else ()


def _from_lines(text: str) -> Iterator[Row | Rejected]:
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        try:
            yield _row(number, json.loads(line))
        except ValueError as error:
            yield Rejected(number, f"not JSON: {error}")
        except RecursionError:
            yield Rejected(number, "nested too deeply")


def _from_list(text: str) -> Iterator[Row | Rejected]:
    try:
        found = json.loads(text)
    except ValueError as error:
        yield Rejected(getattr(error, "lineno", 1), f"not JSON: {error}")
        return
    except RecursionError:
        yield Rejected(1, "nested too deeply")
        return
    for number, one in enumerate(found, 1):
        yield _row(number, one)


def _from_csv(text: str) -> Iterator[Row | Rejected]:
    reader = csv.DictReader(text.splitlines(keepends=True), strict=True)
    limit = csv.field_size_limit(FIELD_CHARS_MAX)
    try:
        for fields in reader:
            if None in fields:
                yield Rejected(reader.line_num, "more values than the first line has names")
            else:
                yield _row(reader.line_num, fields)
    except csv.Error as error:
        yield Rejected(reader.line_num, f"not CSV: {error}")
    finally:
        csv.field_size_limit(limit)


def _row(number: int, value: Any) -> Row | Rejected:  # noqa: ANN401
    if not isinstance(value, Mapping):
        return Rejected(number, "not an object")
    try:
        written = _without_zeros(value)
    except RecursionError:
        return Rejected(number, "nested too deeply")
    fields = {_ODD.sub("_", str(name).strip().lower()).strip("_"): one for name, one in written.items()}
    return Row(number, fields, written)


def _without_zeros(value: Any) -> Any:  # noqa: ANN401
    """The same without zero characters: they come from binary logs, say nothing, and no text in memory may hold one."""
    if isinstance(value, str):
        return value.replace("\0", "")
    if isinstance(value, list):
        return [_without_zeros(one) for one in value]
    if isinstance(value, Mapping):
        return {name: _without_zeros(one) for name, one in value.items()}
    return value
