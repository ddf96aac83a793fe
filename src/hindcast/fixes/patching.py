"""The diff of one file, and what it makes of the very text that it was made from."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hindcast.propose.dealt import hunks_of, unified

_OPEN_END = "\\ No newline at end of file"
_HUNK = re.compile(r"@@ -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))? @@")


@dataclass(frozen=True, slots=True)
class Diffed:
    """What makes one text out of another, and how many lines that adds and removes."""

    diff: str
    added: int
    removed: int


def diffed(path: str, before: str | None, after: str | None) -> Diffed:
    """The diff between two texts of a file; None: there is no file."""
    hunks = tuple(hunks_of(before or "", after or ""))
    marks = [line[0] for hunk in hunks for line in hunk.lines]
    made = unified(path, hunks, is_new=before is None, is_removed=after is None)
    return Diffed(made, marks.count("+"), marks.count("-"))


def patched(before: str, diff: str) -> str | None:
    """The text with a diff that was made from it; None where it was made from another."""
    old, made, at = _lines(before), list[str](), 0
    for hunk in _hunks(diff):
        head = _HUNK.match(hunk[0])
        if head is None:
            return None
        lines = _lines_of(hunk[1:])
        # A hunk without old lines names the line that it comes behind.
        first = int(head[1]) - (0 if head[2] == "0" else 1)
        was = [line for sign, line in lines if sign != "+"]
        if first < at or old[first : first + len(was)] != was:
            return None
        made += [*old[at:first], *(line for sign, line in lines if sign != "-")]
        at = first + len(was)
    return "".join([*made, *old[at:]])


def _lines(text: str) -> list[str]:
    """Lines with their ends; only a newline ends one, whatever else a text may hold."""
    parts = text.split("\n")
    return [*(f"{part}\n" for part in parts[:-1]), *([parts[-1]] if parts[-1] else [])]


def _hunks(diff: str) -> list[list[str]]:
    found: list[list[str]] = []
    for line in diff.removesuffix("\n").split("\n"):
        if line.startswith("@@ "):
            found.append([line])
        elif found:
            found[-1].append(line)
    return found


def _lines_of(hunk: list[str]) -> list[tuple[str, str]]:
    """The lines of a hunk, each with its sign and its end."""
    found: list[tuple[str, str]] = []
    for line in hunk:
        if line == _OPEN_END and found:
            sign, text = found[-1]
            found[-1] = (sign, text.removesuffix("\n"))
        else:
            found.append((line[:1], f"{line[1:]}\n"))
    return found
