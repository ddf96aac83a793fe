"""Indentation: lines of a diff moved to the depth, and into the style, of where they go."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from hindcast.model.code import Tongue
from hindcast.propose.carry.vocabulary import SCRIPTS

_UNITS = {Tongue.GO: "\t", Tongue.PYTHON: "    "}
_OPENS = re.compile(r"[:{(\[]\s*(?:(?:#|//).*)?$")
# A line of a script that ends a statement: a call, a value, a jump; not what opens a block, an item or a comment.
_STATEMENT = re.compile(
    r"^\s*(?:(?:const|let|var|return|throw|await|import|break|continue)\b|if \(.*\) \w|[\w$.]+\(|[\w$.\[\]]+ "
    r"[-+*/|&?]*= )"
    r".*(?<![{(\[,:&|?+=.>])$"
)
_GOES_ON = (".", "?", ":", "&&", "||", "+", ")", "]", "=")
_CLOSES = re.compile(r"^(?:[})\]]|(?:except|finally|else|elif)\b)")


def indent_of(line: str) -> str:
    """The white space that a line begins with."""
    return line[: len(line) - len(line.lstrip(" \t"))]


def unit_of(lines: Iterable[str], tongue: Tongue) -> str:
    """By what a file indents: a tab, or so many spaces."""
    return guess_unit(lines) or _UNITS.get(tongue, "  ")


def guess_unit(lines: Iterable[str]) -> str:
    """The step from a line to a deeper one that is seen most often; empty where none is."""
    steps: Counter[str] = Counter()
    before = None
    for line in lines:
        if not line.strip():
            continue
        indent = indent_of(line)
        if before is not None and len(indent) > len(before) and indent.startswith(before):
            steps[indent[len(before) :]] += 1
        before = indent
    if not steps:
        return ""
    best = max(steps.items(), key=lambda item: (item[1], -len(item[0])))[0]
    return "\t" if "\t" in best else best


class Shift:
    """From the indentation of a diff to that of a file, measured at one line that both have."""

    def __init__(self, old: str, today: str, *, old_unit: str, today_unit: str) -> None:
        self._old, self._today = old, today
        self._old_unit, self._today_unit = old_unit or today_unit, today_unit

    def line(self, text: str) -> str:
        """A line of the diff as it is indented in the file; a blank one has no indentation."""
        if not text.strip():
            return ""
        return self.indent(indent_of(text)) + text.lstrip(" \t")

    def indent(self, indent: str) -> str:
        """An indentation of the diff as it is in the file."""
        if indent == self._old:
            return self._today
        if self._old_unit == self._today_unit and indent.startswith(self._old):
            return self._today + indent[len(self._old) :]
        levels, rest = _depth(indent, self._old_unit)
        old_levels, old_rest = _depth(self._old, self._old_unit)
        return deepened(self._today, levels - old_levels, self._today_unit) + " " * max(rest - old_rest, 0)


def deepened(indent: str, levels: int, unit: str) -> str:
    """An indentation, so many steps deeper, or less deep."""
    if levels >= 0:
        return indent + unit * levels
    for _ in range(-levels):
        indent = indent.removesuffix(unit) if indent.endswith(unit) else indent[: -len(unit)]
    return indent


def steps_between(old: str, new: str, unit: str) -> int:
    """How many steps one indentation is deeper than another."""
    return _depth(new, unit)[0] - _depth(old, unit)[0]


def restored(lines: Sequence[tuple[str, str]], indents: Sequence[str | None], unit: str) -> list[str]:
    """The lines of a diff that lost its indentation: kept ones as they are indented today, added ones by what opens.

    `lines` are marks and texts; `indents` are today's, None where a line is new or not found.
    """
    found: list[str] = []
    before, opened, last = "", False, ""
    for (mark, text), known in zip(lines, indents, strict=True):
        bare = text.strip()
        if known is not None and mark != "+":
            indent = known
        else:
            levels = int(opened) - int(bool(_CLOSES.match(bare)))
            indent = deepened(before, levels, unit) if bare else ""
        found.append(indent + bare)
        if not bare:
            continue
        if mark != "-":
            before, opened = indent, bool(_OPENS.search(bare))
        elif last != "-":
            # What comes for removed lines is as deep as the first of them.
            before, opened = indent, False
        last = mark
    return found


def ended(lines: Sequence[str], today: Sequence[str], tongue: Tongue) -> list[str]:
    """Statements with or without a semicolon, as the file has them."""
    if tongue not in SCRIPTS:
        return list(lines)
    ends = [line.rstrip() for line in today if _STATEMENT.match(line.rstrip())]
    semicolons = sum(line.endswith(";") for line in ends)
    if not ends or semicolons * 2 == len(ends):
        return list(lines)
    found = []
    open_brackets = 0
    for index, line in enumerate(lines):
        open_brackets += sum(line.count(one) for one in "([") - sum(line.count(one) for one in ")]")
        after = next((one.strip() for one in lines[index + 1 :] if one.strip()), "")
        is_whole = open_brackets <= 0 and bool(_STATEMENT.match(line.rstrip())) and not after.startswith(_GOES_ON)
        if not is_whole:
            found.append(line)
        elif semicolons * 2 > len(ends):
            found.append(line if line.rstrip().endswith(";") else f"{line.rstrip()};")
        else:
            found.append(line.rstrip().removesuffix(";"))
    return found


def _depth(indent: str, unit: str) -> tuple[int, int]:
    if unit.startswith("\t"):
        tabs = indent.count("\t")
        return tabs, len(indent) - tabs
    columns = len(indent.expandtabs(len(unit) or 4))
    return divmod(columns, len(unit) or 4)
