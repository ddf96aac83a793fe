"""Rules as JSON, so that a team's own can be kept as records."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from hindcast.model.code_rule import CodeRule
from hindcast.model.errors import Malformed
from hindcast.propose.rules.search import TONGUES, compiles

_PARTS = frozenset({"rule", "constraints", "utils"})
_MAPS = frozenset({"not", "inside", "has", "precedes", "follows"})
_LISTS = frozenset({"all", "any"})
_PLAIN = frozenset({"pattern", "kind", "regex", "nthChild", "range", "matches", "stopBy", "field"})


def to_json(rule: CodeRule) -> dict[str, Any]:
    """A rule as what JSON can hold."""
    made: dict[str, Any] = msgspec.to_builtins(rule)
    return made


def from_json(value: object) -> CodeRule:
    """A rule that was kept. Raises Malformed for what is none, or cannot be searched with."""
    try:
        rule = msgspec.convert(value, CodeRule)
    except msgspec.ValidationError as error:
        raise Malformed(f"This is no rule: {error}.", field="rule", remedy="Give it as it was kept.") from error
    if not rule.tongues or not set(rule.tongues) <= TONGUES:
        known = ", ".join(sorted(TONGUES))
        raise Malformed(
            "A rule is for a language that can be searched.", field="tongues", remedy=f"Use one of {known}."
        )
    problem = _misshapen(rule.search) or compiles(rule)
    if problem:
        remedy = "Write it as ast-grep reads it."
        raise Malformed(f"This cannot be searched with: {problem}.", field="search", remedy=remedy)
    return rule


def _misshapen(search: Mapping[str, object]) -> str:
    """What is not where it belongs, before the searcher is asked; empty where nothing is."""
    if not isinstance(search.get("rule"), Mapping) or not search["rule"]:
        return "there is no rule in it"
    if unknown := sorted(set(search) - _PARTS):
        return f"`{unknown[0]}` is no part of a rule"
    named: list[object] = [search["rule"]]
    for part in ("constraints", "utils"):
        inner = search.get(part) or {}
        if not isinstance(inner, Mapping):
            return f"`{part}` does not name rules"
        named += inner.values()
    return next((problem for one in named if (problem := _misshapen_rule(one))), "")


def _misshapen_rule(rule: object) -> str:
    if not isinstance(rule, Mapping):
        return f"{rule!r} is no rule"
    for key, value in rule.items():
        if key in _MAPS:
            inner = [value]
        elif key in _LISTS and isinstance(value, list | tuple):
            inner = list(value)
        elif key in _PLAIN:
            inner = [value] if key == "stopBy" and not isinstance(value, str) else []
        else:
            return f"`{key}` is nothing that can be looked for"
        if problem := next((found for one in inner if (found := _misshapen_rule(one))), ""):
            return problem
    return ""
