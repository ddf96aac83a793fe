"""Looking for what rules describe, in whole files or in some lines of them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, cast

from hindcast.model.code import LineSpan, Tongue
from hindcast.model.code_rule import CodeFinding, CodeRule
from hindcast.model.errors import Missing, Refused
from hindcast.ports import Code
from hindcast.propose.carry.syntax import faults
from hindcast.propose.rules.rewrite import rewritten

if TYPE_CHECKING:
    from ast_grep_py import Config, SgNode

# Languages that rules can be written for.
TONGUES = frozenset({Tongue.PYTHON, Tongue.JAVASCRIPT, Tongue.TYPESCRIPT, Tongue.TSX, Tongue.GO})
# A file this long was written by a program.
TEXT_CHARS_MAX = 2_000_000
# One rule that finds this much in one function has met a table, not a mistake.
FINDINGS_PER_RULE_MAX = 20
# A rule that finds more than this in one workspace describes a habit, not a mistake.
MATCHES_MAX = 25
FILES_MAX = 20_000


@dataclass(frozen=True, slots=True)
class Match:
    """A place of a workspace that a rule finds."""

    path: str
    lines: LineSpan


def search(
    rules: Iterable[CodeRule], text: str, tongue: Tongue, lines: LineSpan | None = None
) -> tuple[CodeFinding, ...]:
    """What rules find in a file, or in some lines of it, from top to bottom."""
    wanted = [rule for rule in rules if tongue in rule.tongues]
    if not wanted or len(text) > TEXT_CHARS_MAX:
        return ()
    # A half of a surrogate pair is no text to a parser; a mark of the same length keeps every position.
    readable = text.encode("utf-8", "replace").decode()
    root = parsed(readable, tongue)
    if root is None:
        return ()
    scope = root if lines is None else _scope(root, lines)
    within = scope.text()
    found = [
        finding
        for rule in wanted
        if not rule.words or any(word in within for word in rule.words)
        for finding in _findings(rule, scope, text, tongue, lines)
    ]
    return tuple(sorted(found, key=lambda one: (one.lines, one.rule.id)))


def places(rule: CodeRule, text: str, tongue: Tongue) -> tuple[LineSpan, ...]:
    """Where a rule finds something, without writing its fix."""
    if tongue not in rule.tongues or (rule.words and not any(word in text for word in rule.words)):
        return ()
    root = parsed(text.encode("utf-8", "replace").decode(), tongue)
    return () if root is None else tuple(_span(node) for node in root.find_all(_config(rule)))


def matches(rule: CodeRule, code: Code, *, matches_max: int = MATCHES_MAX) -> tuple[Match, ...]:
    """What a rule finds in a workspace; one more than allowed tells that it is too general."""
    found: list[Match] = []
    for path in code.paths()[:FILES_MAX]:
        try:
            file = code.read(path)
        except (Missing, Refused):
            continue
        found += [Match(path, lines) for lines in places(rule, file.text, file.tongue)]
        if len(found) > matches_max:
            return tuple(found[: matches_max + 1])
    return tuple(found)


def compiles(rule: CodeRule) -> str:
    """Why a rule cannot be searched with; empty where it can."""
    for tongue in rule.tongues:
        root = parsed("", tongue)
        try:
            if root is not None:
                root.find(_config(rule))
        except (RuntimeError, TypeError, ValueError) as error:
            # What follows is a trace of the searcher's own frames.
            return " ".join(str(error).split("Stack backtrace", maxsplit=1)[0].split())
    return ""


@lru_cache(maxsize=8)
def parsed(text: str, tongue: Tongue) -> SgNode | None:
    """The tree of a file; None for a language without rules."""
    # Loaded when it is first needed: a server that never looks at code has no use for it.
    from ast_grep_py import SgRoot

    return SgRoot(text, tongue.value).root() if tongue in TONGUES else None


def _findings(
    rule: CodeRule, scope: SgNode, text: str, tongue: Tongue, lines: LineSpan | None
) -> Iterator[CodeFinding]:
    count = 0
    for node in scope.find_all(_config(rule)):
        span = _span(node)
        if lines is not None and not (lines.first <= span.first and span.last <= lines.last):
            continue
        count += 1
        if count > FINDINGS_PER_RULE_MAX:
            return
        yield CodeFinding(rule, span, node.text(), _fixed(rule, node, text, tongue))


def _fixed(rule: CodeRule, node: SgNode, text: str, tongue: Tongue) -> str | None:
    """The file with the fix, if it can be read as well as before."""
    if rule.fix is None:
        return None
    fixed = rewritten(text, node, rule.fix)
    if fixed is None or fixed == text or faults(fixed, tongue) > faults(text, tongue):
        return None
    return fixed


def _scope(root: SgNode, lines: LineSpan) -> SgNode:
    """The smallest node around some lines."""
    here = root
    while True:
        inner = next((child for child in here.children() if _holds(child, lines)), None)
        if inner is None:
            return here
        here = inner


def _holds(node: SgNode, lines: LineSpan) -> bool:
    span = _span(node)
    return span.first <= lines.first and lines.last <= span.last


def _span(node: SgNode) -> LineSpan:
    where = node.range()
    # A node that ends at the beginning of a line has nothing on it.
    last = where.end.line + 1 if where.end.column or where.end.line == where.start.line else where.end.line
    return LineSpan(where.start.line + 1, last)


def _config(rule: CodeRule) -> Config:
    return cast("Config", {name: part for name, part in rule.search.items() if part})
