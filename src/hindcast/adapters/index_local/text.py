"""What search reads of a record: its words, and the words inside its identifiers."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping

from hindcast.model.ids import split_stored
from hindcast.model.record import Json

# A body may be a megabyte of numbers; its first words say what it is about.
SEARCHED_CHARS_MAX = 20_000

# A body's list `keys` holds whole values to be found by, at most so many of at most so many characters.
KEYS = "keys"
KEYS_PER_RECORD_MAX = 400
KEY_CHARS_MAX = 200

# A first line of fewer words is a name; the next line belongs to it.
HEAD_WORDS_MIN = 4
HEAD_CHARS_MAX = 300
_LINE = re.compile(r"^.*\S.*$", re.MULTILINE)
_STACK = re.compile(r"\s|Traceback \(most recent|File \"|at \S+\(|goroutine \d|Stack trace:", re.IGNORECASE)

# ConnectionResetError is found by "connection reset", too.
_INNER_CAPITAL = re.compile(r"[a-z][A-Z]")
_WORD = re.compile(r"[A-Za-z0-9]+")
_PART = re.compile(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+|\d+")


def searched(address: str, body: Json, text: str | None) -> str:
    """The text of a record: what its writer gave for it, or else all words of its body, and its path in either case."""
    where = split_stored(address)
    words = text if text is not None else " ".join(_words(_without_keys(body)))
    return with_parts(f"{where.path.replace('.', ' ')} {where.entry} {words}"[:SEARCHED_CHARS_MAX])


def keys_of(body: Json) -> tuple[str, ...]:
    """The keys of a record: the strings in its body's list `keys`. Whatever else stands there is no key."""
    listed = body.get(KEYS) if isinstance(body, Mapping) else None
    if not isinstance(listed, list | tuple):
        return ()
    keys = dict.fromkeys(key for key in listed if isinstance(key, str) and 0 < len(key) <= KEY_CHARS_MAX)
    return tuple(keys)[:KEYS_PER_RECORD_MAX]


def _without_keys(body: Json) -> Json:
    """The body as far as its words count: a list of keys is looked for whole, not word by word."""
    if isinstance(body, Mapping) and isinstance(body.get(KEYS), list | tuple):
        return {name: value for name, value in body.items() if name != KEYS}
    return body


def head_of(text: str) -> tuple[int, int]:
    """Where the sentence stands that a question is about: from which character up to which.

    It is the first line, two if the first is very short. Lines of a stack, which are indented, and the announcement of
    one are passed over: what follows a Python stack says what happened. A log or a long report below would drown it.
    """
    lines = [match.span() for match in _LINE.finditer(text)]
    told = [span for span in lines if not _STACK.match(text, span[0])] or lines
    if not told:
        return 0, len(text)
    start, end = told[0]
    if len(text[start:end].split()) < HEAD_WORDS_MIN and len(told) > 1:
        end = told[1][1]
    return start, min(end, start + HEAD_CHARS_MAX)


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
