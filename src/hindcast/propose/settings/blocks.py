"""YAML read by lines and indentation: what templates leave readable, with every value's place.

A parser of YAML gives up on a chart's templates and forgets comments and quotes. Here every line is read for itself;
what is not understood is left alone.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from hindcast.propose.settings.entry import Form, Setting
from hindcast.propose.settings.flat import read_lines
from hindcast.propose.settings.flow import Flow, Scalar, Unreadable
from hindcast.propose.settings.leaves import Leaf, settings_of_leaves

_KEY = re.compile(
    r"""(?:"(?P<double>[^"\n]*)"|'(?P<single>[^'\n]*)'|(?P<plain>[^\s#&*!|>'"%@`{\[\]},-][^\n#]*?|-[^\s\n#:]+))\s*:(?=\s|$)"""
)
_PROPERTY = re.compile(r"(?:[&!][^\s{}\[\],]*[ \t]+|[&!][^\s{}\[\],]*$)")
_BLOCK = re.compile(r"[|>][-+0-9]*[ \t]*(?:#.*)?$")
_DASH = re.compile(r"-(?:[ \t]+|$)")
_QUOTED = re.compile(r'"(?:[^"\\\n]|\\.)*"|\'(?:[^\'\n]|\'\')*\'')
_PLAIN = re.compile(r"[^\n]*?(?=\s+#|\s*$)", re.M)


@dataclass(frozen=True, slots=True)
class _Level:
    """A key or an item that is open, and the column it began in."""

    column: int
    part: str | int

    @property
    def is_item(self) -> bool:
        return isinstance(self.part, int)


def read_yaml(text: str) -> tuple[Setting, ...]:
    """The settings of a YAML text, as far as it can be read."""
    reader = _Reader(text)
    reader.run()
    return (*settings_of_leaves(reader.leaves, Form.YAML), *reader.embedded())


class _Reader:
    """One pass over the lines of a text."""

    def __init__(self, text: str) -> None:
        self.leaves: list[Leaf] = []
        # Block scalars: the key they stand under, and where.
        self._blocks: list[tuple[tuple[str, ...], int, int]] = []
        self._text = text
        self._levels: list[_Level] = []
        self._items = 0
        self._document = 0
        # What lies before this offset has been read.
        self._read_until = 0

    def run(self) -> None:
        """Read every line."""
        at = 0
        for line in self._text.split("\n"):
            if at >= self._read_until:
                self._line(line, at)
            at += len(line) + 1

    def embedded(self) -> Iterator[Setting]:
        """Settings of files that are written into a value, as a ConfigMap has them."""
        for path, start, end in self._blocks:
            part = self._text[start:end]
            inside = read_lines(part) if re.search(r"^\s*[\w.-]+\s*=", part, re.M) else read_yaml(part)
            for one in inside:
                yield Setting(
                    (*path, *one.path),
                    one.value,
                    one.start + start,
                    one.end + start,
                    one.form,
                    one.quote,
                    one.key_start + start,
                    one.key_end + start,
                    one.scope,
                )

    def _line(self, line: str, at: int) -> None:
        body = line.lstrip(" ")
        if not body.strip() or body.startswith(("#", "{{", "%")):
            return
        if line.startswith(("---", "...")):
            self._levels, self._document = [], self._document + 1
            return
        column = len(line) - len(body)
        while (dash := _DASH.match(line, column)) is not None:
            self._open_item(column)
            column = dash.end()
            if column >= len(line):
                return
        key = _KEY.match(line, column)
        if key is None:
            self._value(line, column, at, None)
            return
        kind = key.lastgroup or "plain"
        name = key[kind]
        while self._levels and self._levels[-1].column >= column:
            self._levels.pop()
        self._levels.append(_Level(column, name))
        scalar = Scalar(name, at + key.start(kind), at + key.end(kind))
        rest = key.end() + len(line[key.end() :]) - len(line[key.end() :].lstrip())
        if rest < len(line):
            self._value(line, rest, at, scalar)

    def _open_item(self, column: int) -> None:
        """A dash: it ends what is deeper, and the item before it; the key above may stand in the same column."""
        while self._levels and (
            self._levels[-1].column > column or (self._levels[-1].is_item and self._levels[-1].column == column)
        ):
            self._levels.pop()
        self._levels.append(_Level(column, self._next_item()))

    def _value(self, line: str, column: int, at: int, key: Scalar | None) -> None:
        path = tuple(level.part for level in self._levels)
        while (match := _PROPERTY.match(line, column)) is not None:
            column = match.end()
        rest = line[column:]
        if not rest or rest.startswith(("#", "*")) or not path:
            return
        if _BLOCK.match(rest):
            self._block(line, at, path)
        elif rest[0] in "{[" and not rest.startswith("{{"):
            self._flow(at + column, path)
        elif (quoted := _QUOTED.match(line, column)) is not None:
            if not line[quoted.end() :].strip() or line[quoted.end() :].lstrip().startswith("#"):
                value = Scalar(quoted.group()[1:-1], at + column + 1, at + quoted.end() - 1, rest[0])
                self.leaves.append(Leaf(path, key, value, self._document))
        elif rest[0] not in "\"'" and (plain := _PLAIN.match(line, column)) is not None:
            value = Scalar(plain.group(), at + column, at + plain.end())
            self.leaves.append(Leaf(path, key, value, self._document))

    def _flow(self, at: int, path: tuple[str | int, ...]) -> None:
        """Braces or brackets, over as many lines as they take; left alone where they do not close."""
        found: list[Leaf] = []

        def emit(path: tuple[str | int, ...], key: Scalar | None, value: Scalar) -> None:
            found.append(Leaf(path, key, value, self._document))

        try:
            self._read_until = Flow(self._text, emit, self._next_item).read(at, path)
        except Unreadable:
            return
        self.leaves.extend(found)

    def _block(self, line: str, at: int, path: tuple[str | int, ...]) -> None:
        """A block scalar: every line that is deeper than its key."""
        column = next((level.column for level in reversed(self._levels)), 0)
        start = end = at + len(line) + 1
        for below in self._text[start:].split("\n"):
            if below.strip() and len(below) - len(below.lstrip(" ")) <= column:
                break
            end += len(below) + 1
        end = min(end, len(self._text))
        self._read_until = end
        if start < end:
            self._blocks.append((tuple(part for part in path if isinstance(part, str)), start, end))

    def _next_item(self) -> int:
        self._items += 1
        return self._items
