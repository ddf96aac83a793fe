"""Rules: what kind of code causes which kind of incident, and how it is written instead.

A rule is data. Those that come with Hindcast lie in readable packs; those of a team were made from fixes it accepted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum

from hindcast.model.card import CardSeverity
from hindcast.model.code import LineSpan, Tongue
from hindcast.model.reading import ready


class ErrorKind(StrEnum):
    """What an incident was about, as far as its errors tell."""

    TIMEOUT = "timeout"
    CONNECTION = "connection"
    POOL = "pool exhausted"
    LEAK = "resource leak"
    DEADLOCK = "deadlock"
    MEMORY = "memory"
    OVERLOAD = "overload"
    STALLED = "stalled loop"
    DATA = "wrong data"
    CRASH = "crash"
    # What was hidden: nothing was logged, or far from where it happened.
    SILENT = "hidden error"


@dataclass(frozen=True, slots=True)
class CodeRuleExample:
    """Code that a rule finds, and what its fix makes of it, where it has one."""

    code: str
    fixed: str = ""


@dataclass(frozen=True, slots=True)
class CodeRuleFix:
    """How what a rule found is written instead.

    The template replaces what was found; `$NAME` and `$$$NAMES` in it stand for what the pattern caught. With
    `through`, everything up to a later statement of the same block is replaced as well. `$MATCH` is all that was found,
    `$THROUGH` the later statement, and `$$$BETWEEN` what lies between the two.
    """

    template: str
    # How the later statement may be written; empty: only what was found is replaced.
    through: tuple[str, ...] = ()
    # A regular expression that has to be found in the file, such as an import; empty: nothing is needed.
    needs: str = ""
    # What might go wrong with it.
    risk: str = ""


@dataclass(frozen=True, slots=True)
class CodeRule:
    """A kind of code that causes incidents."""

    id: str
    tongues: tuple[Tongue, ...]
    # What to do, as one plain sentence.
    title: str
    # How this comes to cause incidents.
    why: str
    answers: tuple[ErrorKind, ...]
    severity: CardSeverity
    # What ast-grep looks for: its `rule`, with `constraints` and `utils`.
    search: Mapping[str, object]
    fix: CodeRuleFix | None = None
    bad: tuple[CodeRuleExample, ...] = ()
    good: tuple[str, ...] = ()
    # Words of which one has to stand in the code for the rule to be tried at all; empty: it is always tried.
    words: tuple[str, ...] = ()
    # Records it was made from, for a team's rule.
    evidence: tuple[str, ...] = field(default=())


@dataclass(frozen=True, slots=True)
class CodeFinding:
    """Code that a rule found, and the whole file with the fix in it, where there is a safe one."""

    rule: CodeRule
    lines: LineSpan
    # What was found, as it stands there.
    text: str
    fixed: str | None


ready(CodeRule)
