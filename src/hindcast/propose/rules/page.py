"""The page of the manual that lists every rule, written from the packs."""

from __future__ import annotations

from collections.abc import Iterator

from hindcast.model.code import Tongue
from hindcast.model.code_rule import CodeRule
from hindcast.propose.rules.pack import PACKS, pack

INTRODUCTION = """# Rules about code

*Written from the packs by `python -m hindcast.cli.rules_page`; a test compares the two. To write one, see
[write a rule](../how-to/write-a-rule.md).*

When an incident has a trace, these rules are tried on the functions it goes through, and on nothing else. A rule is
shown when it answers the kind of error that was raised. One with a fix gives a card with a diff; one without gives a
warning. Every rule carries code that it finds and code that it leaves alone, and tests try both.
"""
_TITLES = {"python": "Python", "javascript": "JavaScript and TypeScript", "go": "Go"}
# Blocks marked `python` are run by a test of the manual; these are pieces that nothing could run.
_FENCES = {Tongue.PYTHON: "py", Tongue.JAVASCRIPT: "javascript", Tongue.GO: "go"}


def page() -> str:
    """The whole page."""
    parts = [INTRODUCTION]
    for name in PACKS:
        parts += [f"## {_TITLES[name]}", "", "| rule | what to do | answers | fix |", "|---|---|---|---|"]
        parts += [_row(rule) for rule in pack(name)]
        parts.append("")
        for rule in pack(name):
            parts.extend(_rule(rule))
    return "\n".join(parts).rstrip() + "\n"


def _row(rule: CodeRule) -> str:
    answers = ", ".join(rule.answers)
    return f"| [`{rule.id}`](#{rule.id}) | {rule.title} | {answers} | {'yes' if rule.fix is not None else ''} |"


def _rule(rule: CodeRule) -> Iterator[str]:
    fence = _FENCES[rule.tongues[0]]
    example = rule.bad[0]
    yield f"### {rule.id}"
    yield ""
    yield f"{rule.title} {rule.why}"
    yield ""
    yield from (f"```{fence}", example.code.rstrip(), "```", "")
    if example.fixed:
        yield from ("becomes", "", f"```{fence}", example.fixed.rstrip(), "```", "")
    if rule.fix is not None and rule.fix.risk:
        yield from (f"*Mind:* {rule.fix.risk}", "")
