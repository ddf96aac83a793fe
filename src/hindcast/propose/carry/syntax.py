"""Whole files by their grammar: the functions they have, and whether a change leaves them readable."""

from __future__ import annotations

import ast
import warnings
from dataclasses import dataclass
from functools import lru_cache

import tree_sitter_go
import tree_sitter_javascript
import tree_sitter_python
import tree_sitter_typescript
from tree_sitter import Language, Node, Parser, Tree

from hindcast.model.code import Tongue

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
    return tongue in _LANGUAGES


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


def _compiles(text: str) -> bool:
    """Whether Python itself reads it: indentation and names used before `global` are beyond the grammar."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compile(text, "<today>", "exec", flags=ast.PyCF_ALLOW_TOP_LEVEL_AWAIT, dont_inherit=True)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True


def _parsed(text: str, tongue: Tongue) -> Tree | None:
    language = _LANGUAGES.get(tongue)
    return Parser(language).parse(text.encode("utf-8", "replace")) if language is not None else None


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


_LANGUAGES = {
    Tongue.PYTHON: Language(tree_sitter_python.language()),
    Tongue.JAVASCRIPT: Language(tree_sitter_javascript.language()),
    Tongue.TYPESCRIPT: Language(tree_sitter_typescript.language_typescript()),
    Tongue.TSX: Language(tree_sitter_typescript.language_tsx()),
    Tongue.GO: Language(tree_sitter_go.language()),
}
