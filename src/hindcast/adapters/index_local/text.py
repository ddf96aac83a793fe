"""What search reads of a record: its words, and the words inside its identifiers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from hindcast.model.ids import split_stored
from hindcast.model.record import Json

# A body may be a megabyte of numbers; its first words say what it is about.
SEARCHED_CHARS_MAX = 20_000

# ConnectionResetError is found by "connection reset", too.
_INNER_CAPITAL = re.compile(r"[a-z][A-Z]")
_WORD = re.compile(r"[A-Za-z0-9]+")
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")


def searched(address: str, body: Json, text: str | None) -> str:
    """The text of a record: what its writer gave for it, or else all words of its body, and its path in either case."""
    where = split_stored(address)
    words = text if text is not None else " ".join(_words(body))
    return with_parts(f"{where.path.replace('.', ' ')} {where.entry} {words}"[:SEARCHED_CHARS_MAX])


def with_parts(text: str) -> str:
    """The text, and after it the parts of every word that is written in camel case."""
    if not _INNER_CAPITAL.search(text):
        return text
    camels = [word for word in _WORD.findall(text) if _INNER_CAPITAL.search(word)]
    return " ".join((text, *(part for word in camels for part in _PART.findall(word))))


def _words(value: Json) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for name, inner in value.items():
            yield name
            yield from _words(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from _words(inner)
    elif value is not None:
        yield str(value)
