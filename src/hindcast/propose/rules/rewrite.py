"""Writing a fix into a file: a template filled with what a pattern caught, at the indentation of where it goes.

Lines that move deeper are shifted as a whole. A string that goes over several lines would change with them, so nothing
is written where one would have to move.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from hindcast.model.code_rule import CodeRuleFix

if TYPE_CHECKING:
    from ast_grep_py import SgNode

# How deep one level is in the templates of the packs.
_TEMPLATE_UNIT = "    "
_HOLE = re.compile(r"\$\$\$([A-Z_]+)|\$([A-Z_]+)")
# What holds statements side by side.
_BLOCKS = frozenset(
    {"block", "module", "statement_block", "program", "source_file", "statement_list", "switch_case", "class_body"}
)
_STRINGS = frozenset({"string", "template_string", "raw_string_literal"})
_BLANK = re.compile(r"[ \t]*")
_STEP = re.compile(r"[:{]\n([ \t]+)\S")


@dataclass(frozen=True, slots=True)
class _Slot:
    """What is replaced, and what lies between its two ends where it has two."""

    first: int
    last: int
    between: tuple[SgNode, ...] = ()
    through: SgNode | None = None


def rewritten(text: str, found: SgNode, fix: CodeRuleFix) -> str | None:
    """The whole text with the fix in place of what was found; None where it cannot be written safely."""
    if fix.needs and re.search(fix.needs, text, re.MULTILINE) is None:
        return None
    slot = _slot(found, fix.through)
    if slot is None:
        return None
    base = _indent(text, slot.first)
    unit = _unit(text)
    lines: list[str] = []
    for row, line in enumerate(fix.template.rstrip("\n").split("\n")):
        depth = (len(line) - len(line.lstrip(" "))) // len(_TEMPLATE_UNIT)
        indent = base + unit * depth
        filled = _filled(line.lstrip(" "), text, found, slot, indent)
        if filled is None:
            return None
        lines.append(filled if row == 0 or not filled else indent + filled)
    return text[: slot.first] + "\n".join(lines) + text[slot.last :]


def statement(node: SgNode) -> SgNode:
    """The statement that a node belongs to: what stands directly in a block."""
    here = node
    while (above := here.parent()) is not None and above.kind() not in _BLOCKS:
        here = above
    return here


def _slot(found: SgNode, through: tuple[str, ...]) -> _Slot | None:
    if not through:
        span = found.range()
        return _Slot(span.start.index, span.end.index)
    first = statement(found)
    between: list[SgNode] = []
    wanted = {_HOLE.sub(partial(_caught_text, found), one) for one in through}
    for later in first.next_all():
        if later.text().rstrip(";").strip() in wanted:
            if not any(one.is_named() and one.kind() != "comment" for one in between):
                return None
            return _Slot(first.range().start.index, later.range().end.index, tuple(between), later)
        between.append(later)
    return None


def _caught_text(found: SgNode, hole: re.Match[str]) -> str:
    caught = found.get_match(hole.group(2) or "")
    return caught.text() if caught is not None else hole.group(0)


def _filled(line: str, text: str, found: SgNode, slot: _Slot, indent: str) -> str | None:
    """One line of a template with its holes filled; None where something would have to move that must not."""
    parts: list[str] = []
    end = 0
    for hole in _HOLE.finditer(line):
        many, one = hole.groups()
        nodes = _nodes(found, slot, many, one)
        if nodes is None:
            return None
        piece = _piece(nodes, text, indent)
        if piece is None:
            return None
        parts += [line[end : hole.start()], piece]
        end = hole.end()
        if not piece and line.startswith(", ", end):
            # There were no others for what is added to stand behind.
            end += 2
    return "".join([*parts, line[end:]])


def _nodes(found: SgNode, slot: _Slot, many: str | None, one: str | None) -> list[SgNode] | None:
    if many == "BETWEEN" and slot.between:
        return list(slot.between)
    if many:
        return found.get_multiple_matches(many)
    if one == "MATCH":
        return [found]
    if one == "THROUGH" and slot.through is not None:
        return [slot.through]
    caught = found.get_match(one or "")
    return None if caught is None else [caught]


def _piece(nodes: list[SgNode], text: str, indent: str) -> str | None:
    """Code as it stands, its later lines moved to the new depth; without a comma or semicolon at its end."""
    if not nodes:
        return ""
    first, last = nodes[0].range().start.index, nodes[-1].range().end.index
    piece = re.sub(r"(?<![\s,])[\s,]+$", "", text[first:last])
    if "\n" not in piece:
        return piece
    old = _indent(text, first)
    if old == indent:
        return piece
    # A list of arguments keeps its shape; statements move with their block.
    if not _begins_line(text, first):
        return piece
    if any(_has_long_string(node) for node in nodes):
        return None
    rows = piece.split("\n")
    moved = [row if not row.strip() else _moved(row, old, indent) for row in rows[1:]]
    return "\n".join([rows[0], *moved])


def _moved(row: str, old: str, new: str) -> str:
    return new + row[len(old) :] if row.startswith(old) else row


def _has_long_string(node: SgNode) -> bool:
    """Whether there is a string over several lines in a piece of code, whose text would move with it."""
    waiting = [node]
    while waiting:
        one = waiting.pop()
        if one.kind() in _STRINGS and "\n" in one.text():
            return True
        waiting.extend(one.children())
    return False


def _begins_line(text: str, at: int) -> bool:
    return not text[text.rfind("\n", 0, at) + 1 : at].strip()


def _indent(text: str, at: int) -> str:
    """The white space that the line of a position begins with."""
    blank = _BLANK.match(text, text.rfind("\n", 0, at) + 1)
    return blank.group() if blank is not None else ""


def _unit(text: str) -> str:
    """What one level is indented by in a file: the smallest step behind a line that opens a block."""
    steps = [found.group(1) for found in _STEP.finditer(text)]
    if any(step.startswith("\t") for step in steps):
        return "\t"
    return " " * min((len(step) for step in steps if len(step) > 1), default=len(_TEMPLATE_UNIT))
