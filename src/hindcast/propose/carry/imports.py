"""Imports that a fix brings in: they go where today's imports are, whatever stood around them then."""

from __future__ import annotations

import re

from hindcast.model.code import Tongue
from hindcast.propose.carry.laid import Today, groups_of
from hindcast.propose.carry.layout import indent_of
from hindcast.propose.carry.lex import lex
from hindcast.propose.carry.patch import Hunk
from hindcast.propose.carry.splice import Splice
from hindcast.propose.carry.vocabulary import SCRIPTS

_PYTHON = re.compile(r"^(?:import\s+[\w.]+(?:\s+as\s+\w+)?|from\s+[\w.]+\s+import\s+[\w ,*]+)\s*$")
_SCRIPT = re.compile(
    r"^(?:import\s.{1,300}from\s{1,20}['\"].{1,300}['\"]|import\s{1,20}['\"].{1,300}['\"]"
    r"|const\s{1,20}.{1,300}=\s{0,20}require\(.{1,300}\))\s{0,20};?\s{0,20}$"
)
_GO = re.compile(r"^\s+(?:\w+\s+)?\"[\w./-]+\"\s*$")


def settle_imports(hunk: Hunk, today: Today) -> tuple[tuple[Splice, ...], int] | None:
    """The lines that bring in what a hunk does, if imports are all that it adds; none where they are there already.

    Also gives the line that it is about. None where the hunk does anything else.
    """
    form = _PYTHON if today.tongue is Tongue.PYTHON else _SCRIPT if today.tongue in SCRIPTS else None
    form = _GO if today.tongue is Tongue.GO else form
    groups = groups_of(hunk)
    if form is None or any(group.removed for group in groups):
        return None
    added = [line.rstrip() for group in groups for line in group.added if line.strip()]
    if not added or not all(form.match(line) for line in added):
        return None
    there = [index for index, line in enumerate(today.lines) if form.match(line) and _is_top(line, today.tongue)]
    if not there:
        return None
    known = {_key(today.lines[index], today.tongue): index for index in there}
    missing = [line for line in added if _key(line, today.tongue) not in known]
    if not missing:
        return (), known[_key(added[0], today.tongue)]
    indent = indent_of(today.lines[there[0]])
    placed: dict[int, list[str]] = {}
    for line in missing:
        at = _place(line, there, today, _kept_before(hunk, line))
        placed.setdefault(at, []).append(_ended(indent + line.strip(), today.lines[there[0]], today.tongue))
    splices = tuple(Splice(at, at, tuple(lines)) for at, lines in sorted(placed.items()))
    return splices, splices[0].first


def _is_top(line: str, tongue: Tongue) -> bool:
    return tongue is Tongue.GO or not indent_of(line)


def _key(line: str, tongue: Tongue) -> tuple[str, ...]:
    return tuple(token.key for token in lex(line, tongue))


def _kept_before(hunk: Hunk, added: str) -> str:
    """The line of the hunk right before an added one."""
    before = ""
    for line in hunk.lines:
        if line.mark == "+" and line.text.rstrip() == added:
            return before
        if line.text.strip():
            before = line.text
    return before


def _place(line: str, there: list[int], today: Today, before: str) -> int:
    """Where its name belongs among those of its own form, if they are sorted; else behind the one it stood behind."""
    alike = [index for index in there if today.lines[index].split()[:1] == line.split()[:1]] or there
    if today.tongue is Tongue.GO:
        alike = there
    texts = [today.lines[index].strip() for index in alike]
    if today.tongue not in SCRIPTS and _together(alike) and texts == sorted(texts):
        return alike[0] + sum(text <= line.strip() for text in texts)
    key = _key(before, today.tongue)
    behind = [index for index in there if key and _key(today.lines[index], today.tongue) == key]
    if behind:
        return behind[0] + 1
    return alike[-1] + 1


def _together(lines: list[int]) -> bool:
    return lines[-1] - lines[0] == len(lines) - 1


def _ended(line: str, example: str, tongue: Tongue) -> str:
    """With or without a semicolon, as the other imports are."""
    if tongue not in SCRIPTS:
        return line
    bare = line.rstrip().rstrip(";")
    return f"{bare};" if example.rstrip().endswith(";") else bare
