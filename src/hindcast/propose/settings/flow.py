"""Braces and brackets read by position: JSON, with comments or without, YAML's flow style, and TOML's inline tables."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

# Deeper than this nobody writes settings.
DEPTH_MAX = 40
_BLANK = re.compile(r"(?:[\s,]|//[^\n]*|/\*.*?\*/|#[^\n]*)*", re.S)
_QUOTED = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\n]|\'\')*\'')
_COMMENT = re.compile(r"\s{1,200}//|\s{0,200}/\*")
_PLAIN = re.compile(r"[^,\[\]{}\n#]+")


class Unreadable(ValueError):
    """The text is not what it began as."""


@dataclass(frozen=True, slots=True)
class Scalar:
    """A word or a quoted text and where it stands, quotes not included."""

    text: str
    start: int
    end: int
    quote: str = ""


# Parts of a path are names, or the numbers of items.
Emit = Callable[[tuple[str | int, ...], Scalar | None, Scalar], None]


class Flow:
    """Reads one value that begins at an offset, and tells every leaf of it."""

    def __init__(self, text: str, emit: Emit, next_item: Callable[[], int], *, separator: str = ":") -> None:
        self._text, self._emit, self._next_item, self._separator = text, emit, next_item, separator

    def read(self, at: int, path: tuple[str | int, ...], key: Scalar | None = None, depth: int = 0) -> int:
        """Read the value at an offset; the offset behind it. Raises Unreadable."""
        at = self._skip(at)
        first = self._text[at : at + 1]
        if depth > DEPTH_MAX or not first:
            raise Unreadable
        if first == "{":
            return self._mapping(at + 1, path, depth)
        if first == "[":
            return self._sequence(at + 1, path, depth)
        scalar = self._scalar(at, stops=self._separator if depth < 0 else "")
        self._emit(path, key, scalar)
        return scalar.end + len(scalar.quote)

    def _mapping(self, at: int, path: tuple[str | int, ...], depth: int) -> int:
        while True:
            at = self._skip(at)
            if self._text[at : at + 1] == "}":
                return at + 1
            key = self._scalar(at, stops=self._separator)
            at = self._skip(key.end + len(key.quote))
            if self._text[at : at + 1] != self._separator:
                raise Unreadable
            at = self.read(at + 1, (*path, key.text), key, depth + 1)

    def _sequence(self, at: int, path: tuple[str | int, ...], depth: int) -> int:
        while True:
            at = self._skip(at)
            if self._text[at : at + 1] == "]":
                return at + 1
            at = self.read(at, (*path, self._next_item()), None, depth + 1)

    def _scalar(self, at: int, *, stops: str) -> Scalar:
        quoted = _QUOTED.match(self._text, at)
        if quoted is not None:
            return Scalar(quoted.group()[1:-1], at + 1, quoted.end() - 1, quoted.group()[0])
        plain = _PLAIN.match(self._text, at)
        if plain is None:
            raise Unreadable
        text = plain.group()
        if stops:
            text = text.partition(stops)[0]
        text = _COMMENT.split(text)[0].rstrip()
        if not text:
            raise Unreadable
        return Scalar(text, at, at + len(text))

    def _skip(self, at: int) -> int:
        match = _BLANK.match(self._text, at)
        return match.end() if match is not None else at
