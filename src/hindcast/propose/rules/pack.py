"""The rules that come with Hindcast: files to read, each rule with code that it finds and code it leaves alone."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Any

import msgspec

from hindcast.model.card import CardSeverity
from hindcast.model.code import Tongue
from hindcast.model.code_rule import CodeRule, CodeRuleExample, CodeRuleFix, ErrorKind
from hindcast.model.reading import ready

PACKS = ("python", "javascript", "go")


class _Written(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A rule as it stands in a file."""

    id: str
    languages: tuple[Tongue, ...]
    title: str
    why: str
    answers: tuple[ErrorKind, ...]
    rule: dict[str, Any]
    bad: tuple[CodeRuleExample, ...]
    good: tuple[str, ...]
    severity: CardSeverity = CardSeverity.WARNING
    constraints: dict[str, Any] = {}
    utils: dict[str, Any] = {}
    words: tuple[str, ...] = ()
    fix: CodeRuleFix | None = None

    def rule_value(self) -> CodeRule:
        """The same as the value that is searched with."""
        search = {"rule": self.rule, "constraints": self.constraints, "utils": self.utils}
        return CodeRule(
            id=self.id,
            tongues=self.languages,
            title=" ".join(self.title.split()),
            why=" ".join(self.why.split()),
            answers=self.answers,
            severity=self.severity,
            search=search,
            fix=self.fix,
            bad=self.bad,
            good=self.good,
            words=self.words,
        )


@cache
def pack(name: str) -> tuple[CodeRule, ...]:
    """The rules of one pack, in the order of its files."""
    folder = files("hindcast.propose.rules").joinpath("packs", name)
    found: list[CodeRule] = []
    for file in sorted(folder.iterdir(), key=lambda one: one.name):
        if file.name.endswith(".yml"):
            written = msgspec.yaml.decode(file.read_bytes(), type=list[_Written])
            found.extend(one.rule_value() for one in written)
    return tuple(found)


@cache
def rules() -> tuple[CodeRule, ...]:
    """Every rule of every pack."""
    return tuple(rule for name in PACKS for rule in pack(name))


ready(list[_Written])
