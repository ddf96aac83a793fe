"""Whole files by their grammar: the functions they have, and whether a change leaves them readable."""

from __future__ import annotations

import ast
import warnings
from dataclasses import dataclass
from functools import cache, lru_cache, partial
from importlib import import_module
from typing import TYPE_CHECKING

from hindcast.model.code import Tongue

if TYPE_CHECKING:
    from collections.abc import Callable

    from tree_sitter import Node, Parser, Tree

_FUNCTIONS = frozenset(
    {
        "function_definition",
        "function_declaration",
        "generator_function_declaration",
        "method_definition",
        "method_declaration",
        "variable_declarator",
        "pair",
        "field_definition",
        "public_field_definition",
    }
)
# Where each grammar is, and what gives it.
_GRAMMARS = {
    Tongue.PYTHON: ("tree_sitter_python", "language"),
    Tongue.JAVASCRIPT: ("tree_sitter_javascript", "language"),
    Tongue.TYPESCRIPT: ("tree_sitter_typescript", "language_typescript"),
    Tongue.TSX: ("tree_sitter_typescript", "language_tsx"),
    Tongue.GO: ("tree_sitter_go", "language"),
}
# What makes a variable, a pair or a field a function.
_BODIES = frozenset({"arrow_function", "function_expression", "generator_function"})


@dataclass(frozen=True, slots=True)
class Function:
    """A function of a file: its name and its lines, counted from 0, both included, decorators too."""

    name: str
    first: int
    last: int


def has_grammar(tongue: Tongue) -> bool:
    """Whether files of this language are read by their grammar."""
    return tongue in _GRAMMARS


@lru_cache(maxsize=64)
def functions(text: str, tongue: Tongue) -> tuple[Function, ...]:
    """The functions of a file, outer ones before inner ones."""
    tree = _parsed(text, tongue)
    if tree is None:
        return ()
    found: list[Function] = []
    waiting = [tree.root_node]
    while waiting:
        node = waiting.pop()
        if node.type in _FUNCTIONS:
            named = _function(node)
            if named is not None:
                found.append(named)
        waiting.extend(reversed(node.children))
    return tuple(sorted(found, key=lambda one: (one.first, -one.last)))


def enclosing(text: str, tongue: Tongue, line: int) -> Function | None:
    """The innermost function around a line, counted from 0."""
    around = [one for one in functions(text, tongue) if one.first <= line <= one.last]
    return around[-1] if around else None


@lru_cache(maxsize=64)
def faults(text: str, tongue: Tongue) -> int:
    """How many places of a file its grammar cannot read; 0 for a language without a grammar here."""
    tree = _parsed(text, tongue)
    if tree is None:
        return 0
    count = 0
    waiting = [tree.root_node]
    while waiting:
        node = waiting.pop()
        count += node.is_error or node.is_missing
        if node.has_error:
            waiting.extend(node.children)
    if tongue is Tongue.PYTHON and not count:
        count += not _compiles(text)
    return count


def fault_line(text: str, tongue: Tongue) -> int | None:
    """The first line that its grammar cannot read, counted from 1; None where it reads all, or there is no grammar."""
    if tongue is Tongue.PYTHON:
        # Python says it as people know it.
        return _uncompiled(text)
    tree = _parsed(text, tongue)
    if tree is None or not tree.root_node.has_error:
        return None
    waiting, lines = [tree.root_node], list[int]()
    while waiting:
        node = waiting.pop()
        if node.is_error or node.is_missing:
            lines.append(node.start_point[0] + 1)
        elif node.has_error:
            waiting.extend(node.children)
    return min(lines, default=1)


def _compiles(text: str) -> bool:
    return _uncompiled(text) is None


def _uncompiled(text: str) -> int | None:
    """Where Python itself stops reading: indentation and names used before `global` are beyond the grammar."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, "<today>", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    except SyntaxError as error:
        return error.lineno or 1
    except (ValueError, RecursionError, MemoryError):
        return 1
    return None


def _parsed(text: str, tongue: Tongue) -> Tree | None:
    return _parser_of(tongue)().parse(text.encode("utf-8", "replace")) if tongue in _GRAMMARS else None


@cache
def _parser_of(tongue: Tongue) -> Callable[[], Parser]:
    """What makes a parser of a language. Loaded when it is first needed: who never looks at code needs no grammar."""
    from tree_sitter import Language, Parser

    module, function = _GRAMMARS[tongue]
    return partial(Parser, Language(getattr(import_module(module), function)()))


def _function(node: Node) -> Function | None:
    name = node.child_by_field_name("name") or node.child_by_field_name("key")
    if name is None and node.type in ("field_definition", "public_field_definition"):
        name = node.child_by_field_name("property")
    value = node.child_by_field_name("value")
    if node.type in ("variable_declarator", "pair", "field_definition", "public_field_definition") and (
        value is None or value.type not in _BODIES
    ):
        return None
    if name is None or name.text is None:
        return None
    first = node.parent if node.parent is not None and node.parent.type == "decorated_definition" else node
    return Function(name.text.decode("utf-8", "replace"), first.start_point[0], node.end_point[0])
