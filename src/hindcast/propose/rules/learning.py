"""A team's own rules: made from one change that was accepted, and as narrow as that change allows.

What differs is found in the syntax trees. Names of variables that stand on both sides become holes; everything else
has to be as it was. A rule is only made if it finds the change it came from, gives exactly that change, and finds
nothing in code that is known to be right.
"""

from __future__ import annotations

import builtins
import re
import string
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from difflib import SequenceMatcher
from typing import TYPE_CHECKING, Any

from hindcast.model.card import CardSeverity
from hindcast.model.code import Tongue
from hindcast.model.code_rule import CodeRule, CodeRuleExample, CodeRuleFix
from hindcast.propose.carry.syntax import faults
from hindcast.propose.rules.pack import rules as packed
from hindcast.propose.rules.search import TONGUES, parsed, places, search

if TYPE_CHECKING:
    from ast_grep_py import SgNode

# A pattern longer than this describes one place and no other.
PATTERN_LINES_MAX = 8
# How many names a pattern has to spell out.
NAMES_MIN = 2
_NAMES = frozenset({"identifier", "field_identifier", "property_identifier", "type_identifier", "package_identifier"})
_CALLS = frozenset({"call", "call_expression"})
_MEMBERS = frozenset({"attribute", "member_expression", "selector_expression"})
# Smaller pieces than these mean nothing by themselves.
_WHOLE = _CALLS | {
    "expression_statement",
    "assignment",
    "return_statement",
    "raise_statement",
    "lexical_declaration",
    "short_var_declaration",
    "assignment_statement",
    "assignment_expression",
    "await",
    "await_expression",
    "throw_statement",
}
_IMPORT = re.compile(r"^(import |from \S+ import |const \w+ = require\(|\t\")")


@dataclass(frozen=True, slots=True)
class NotLearnt:
    """Why no rule was made of a change."""

    reason: str


def learn(
    before: str, after: str, tongue: Tongue, *, name: str, title: str, evidence: tuple[str, ...]
) -> CodeRule | NotLearnt:
    """A rule that finds what was changed and changes it the same way, or why there is none."""
    if tongue not in TONGUES:
        return NotLearnt(f"There are no rules for {tongue.value}.")
    if faults(before, tongue) or faults(after, tongue):
        return NotLearnt("The code before or after the change cannot be parsed.")
    imports, before = _imports(before, after)
    old, new = parsed(before, tongue), parsed(after, tongue)
    pair = None if old is None or new is None else _differing(old, new)
    if pair is None:
        return NotLearnt("The change is in more than one place, or adds and removes whole statements.")
    if missing := _missing_elsewhere(*pair):
        return NotLearnt(f"The fix uses `{missing}`, which other code may not have.")
    made = _added_argument(*pair) or _replaced(*pair, tongue)
    if isinstance(made, NotLearnt):
        return made
    search_for, template, words = made
    needs = "|".join(re.escape(line) for line in imports)
    rule = CodeRule(
        id=name,
        tongues=(tongue,),
        title=title,
        why="The team changed this before.",
        answers=(),
        severity=CardSeverity.WARNING,
        search=search_for,
        fix=CodeRuleFix(
            template,
            needs=f"^({needs})$" if needs else "",
            risk="It was made from one change; look whether it fits here.",
        ),
        bad=(CodeRuleExample(before, after),),
        words=words,
        evidence=evidence,
    )
    return _proven(rule, before, after, tongue)


def _proven(rule: CodeRule, before: str, after: str, tongue: Tongue) -> CodeRule | NotLearnt:
    try:
        found = search([rule], before, tongue)
    except RuntimeError:
        return NotLearnt("What was changed cannot be written as a pattern.")
    if after not in [one.fixed for one in found]:
        return NotLearnt("The pattern does not give the change that it was made from.")
    if len(places(rule, after, tongue)) >= len(found):
        return NotLearnt("The pattern would find the changed code again.")
    for known in packed():
        if tongue in known.tongues and any(places(rule, code, tongue) for code in known.good):
            return NotLearnt(f"It would also find code that is right, as in the examples of {known.id}.")
    return rule


def _imports(before: str, after: str) -> tuple[tuple[str, ...], str]:
    """Imports that only the changed text has, and the text before with them in it."""
    old, new = before.split("\n"), after.split("\n")
    added: list[str] = []
    lines: list[str] = []
    for tag, first, last, start, end in SequenceMatcher(a=old, b=new, autojunk=False).get_opcodes():
        if tag == "insert" and all(_IMPORT.match(line) or not line.strip() for line in new[start:end]):
            added += [line.strip() for line in new[start:end] if line.strip()]
            lines += new[start:end]
        else:
            lines += old[first:last]
    return tuple(added), "\n".join(lines)


def _differing(old: SgNode, new: SgNode) -> tuple[SgNode, SgNode] | None:
    """The smallest pair of nodes that means something and holds all that differs."""
    if old.text() == new.text() or old.kind() != new.kind():
        return None
    best: tuple[SgNode, SgNode] | None = None
    while True:
        if old.kind() in _WHOLE and new.kind() in _WHOLE:
            best = (old, new)
        mine, theirs = old.children(), new.children()
        if len(mine) != len(theirs):
            return best
        unlike = [(a, b) for a, b in zip(mine, theirs, strict=True) if a.text() != b.text()]
        if len(unlike) != 1:
            return best
        old, new = unlike[0]


_Made = tuple[Mapping[str, object], str, tuple[str, ...]]


def _added_argument(old: SgNode, new: SgNode) -> _Made | None:
    """A call that was given more keywords: any call of the same function without them."""
    mine, theirs = _arguments(old), _arguments(new)
    if mine is None or theirs is None or not mine or theirs[: len(mine)] != mine or len(theirs) == len(mine):
        return None
    function, other = old.field("function"), new.field("function")
    added = theirs[len(mine) :]
    names = [found.group(1) for one in added if (found := re.match(r"(\w+)\s*=(?!=)", one))]
    if function is None or other is None or function.text() != other.text() or len(names) != len(added):
        return None
    called = function.text()
    if not re.fullmatch(r"\w+(\.\w+)+", called):
        return None
    given = f"^({'|'.join(names)})$"
    has_it: dict[str, object] = {
        "has": {
            "kind": "argument_list",
            "any": [
                {"has": {"kind": "keyword_argument", "has": {"field": "name", "regex": given}}},
                {"has": {"kind": "dictionary_splat"}},
            ],
        }
    }
    owner = called.partition(".")[0]
    # A module may share its name with somebody's variable, which is another thing.
    is_other = [] if _is_own(old, owner) else [{"inside": {**_owning(owner), "stopBy": "end"}}]
    search_for = {"rule": {"pattern": f"{called}($$$ARGS)", "not": {"any": [has_it, *is_other]}}}
    return search_for, f"{called}($$$ARGS, {', '.join(added)})", (called,)


def _owning(name: str) -> dict[str, Any]:
    """What finds functions of Python that have a parameter or a variable of this name."""
    return {
        "kind": "function_definition",
        "any": [
            {"has": {"field": "parameters", "regex": rf"\b{name}\b"}},
            {"has": {"kind": "assignment", "has": {"field": "left", "regex": f"^{name}$"}, "stopBy": "end"}},
        ],
    }


def _is_own(node: SgNode, name: str) -> bool:
    """Whether a name belongs to the function that a piece of code is in."""
    return any(one.matches(**_owning(name)) for one in node.ancestors())


def _arguments(node: SgNode) -> list[str] | None:
    """The arguments of a call of Python as they are written."""
    if node.kind() != "call":
        return None
    given = node.field("arguments")
    return None if given is None else [one.text() for one in given.named_children() if one.kind() != "comment"]


def _replaced(old: SgNode, new: SgNode, tongue: Tongue) -> _Made | NotLearnt:
    """Code that was written otherwise: the same code with other variables."""
    if max(old.text().count("\n"), new.text().count("\n")) >= PATTERN_LINES_MAX:
        return NotLearnt("Too much was changed at once for a pattern.")
    theirs = {node.text() for node in _variables(new)}
    holes = dict(_holes(sorted({node.text() for node in _variables(old)} & theirs)))
    spelled = [node.text() for node in _leaves(old) if node.text() not in holes]
    if len(spelled) < NAMES_MIN:
        return NotLearnt("The pattern would be too general: it spells out too few names.")
    pattern, template = _with_holes(old, holes), _with_holes(new, holes)
    wanted: object = pattern
    if tongue is Tongue.GO:
        # Outside of a function, Go reads a call as a conversion.
        wanted = {"context": f"func f() {{ {pattern} }}", "selector": old.kind()}
    return {"rule": {"pattern": wanted}}, template, (max(spelled, key=len),)


def _leaves(node: SgNode) -> Iterator[SgNode]:
    """The names in a piece of code."""
    if node.kind() in _NAMES:
        yield node
    for child in node.children():
        yield from _leaves(child)


def _free(node: SgNode) -> Iterator[SgNode]:
    """The names that have to exist where a piece of code stands: neither keywords nor parts of others."""
    for leaf in _leaves(node):
        above = leaf.parent()
        if leaf.kind() != "identifier" or above is None or leaf.text() == "self" or hasattr(builtins, leaf.text()):
            continue
        keyword = above.field("name") if above.kind() == "keyword_argument" else None
        member = above.field("attribute") if above.kind() == "attribute" else None
        if not _same(keyword, leaf) and not _same(member, leaf):
            yield leaf


def _variables(node: SgNode) -> Iterator[SgNode]:
    """The names that may be others elsewhere: what is called, or asked for one of its parts, is meant by name."""
    for leaf in _free(node):
        above = leaf.parent()
        meant = None
        if above is not None and above.kind() in _CALLS:
            meant = above.field("function")
        elif above is not None and above.kind() in _MEMBERS:
            meant = above.field("object") or above.field("operand")
        if not _same(meant, leaf) and leaf.text()[:1].islower():
            yield leaf


def _missing_elsewhere(old: SgNode, new: SgNode) -> str:
    """A name that the new code uses and that other code may not have: neither there before, nor imported."""
    known = {leaf.text() for leaf in _leaves(old)}
    top = new.get_root().root().text()
    for leaf in _free(new):
        name = re.escape(leaf.text())
        if leaf.text() not in known and not re.search(
            rf"^(import|from) .*\b{name}\b|^\s*\"(.*/)?{name}\"$", top, re.MULTILINE
        ):
            return leaf.text()
    return ""


def _same(one: SgNode | None, other: SgNode) -> bool:
    return one is not None and one.range().start.index == other.range().start.index


def _holes(names: list[str]) -> Iterator[tuple[str, str]]:
    """A hole for each name: $A, $B and so on."""
    return zip(names, (f"${letter}" for letter in string.ascii_uppercase), strict=False)


def _with_holes(node: SgNode, holes: Mapping[str, str]) -> str:
    """A piece of code with holes in place of its variables, moved to the left edge."""
    text, start = node.text(), node.range().start
    for leaf in sorted(_variables(node), key=lambda one: one.range().start.index, reverse=True):
        hole = holes.get(leaf.text())
        if hole is not None:
            first = leaf.range().start.index - start.index
            text = text[:first] + hole + text[first + len(leaf.text()) :]
    indent = " " * start.column
    return "\n".join(line.removeprefix(indent) for line in text.split("\n"))
