"""A team's own rules: made from fixes that it applied, and used once somebody has switched them on.

A rule is offered with the decision that it was made from. Until a person has looked at what it would find, it finds
nothing.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

import msgspec

from hindcast.memory import View
from hindcast.model.card import Card, CardSource, CardState
from hindcast.model.code import Tongue
from hindcast.model.code_rule import CodeRule
from hindcast.model.errors import Malformed, Missing, Refused
from hindcast.model.ids import Address
from hindcast.model.query import Filter
from hindcast.model.reading import ready
from hindcast.model.record import Change, Record, State
from hindcast.model.workspace import FoundLine
from hindcast.ports import Code
from hindcast.propose import rules
from hindcast.propose.dealt import hunks_of

NAMESPACE = "code-rules"
KIND = "code-rule"
RULES = Filter(namespace=NAMESPACE, kind=KIND)
TITLE_CHARS_MAX = 200
LINE_CHARS_MAX = 200
# What came from a rule as it was needs no second one.
_FROM_RULES = (CardSource.LINTER, CardSource.TEAM_RULE)


@dataclass(frozen=True, slots=True)
class Landed:
    """What a file became; None as text: it was removed."""

    text: str | None
    tongue: Tongue


@dataclass(frozen=True, slots=True)
class TeamRule:
    """A rule that was made from a fix of the team's own."""

    id: str
    title: str
    why: str
    is_on: bool
    # The card it was made from.
    made_from: str
    # Who applied that card, or switched the rule since, and when.
    by: str
    at: datetime
    rule: CodeRule


def learnt(card: Card, landed: Landed, state: CardState, *, by: str, at: datetime) -> TeamRule | None:
    """The rule that a fix teaches, switched off; None where there is nothing to learn from it."""
    is_known = state is CardState.ACCEPTED and card.proposal.source in _FROM_RULES
    if is_known or landed.text is None or not card.proposal.edit.expected:
        return None
    name, title = rule_id(card), card.proposal.title
    if state is CardState.MODIFIED:
        # What the card had promised is not what was done.
        title = f"Write it as in {card.proposal.edit.path}: `{_first_new(card.before, landed.text)}`."
    title = title[:TITLE_CHARS_MAX]
    evidence = (f"cards/{card.id}", *card.proposal.evidence)
    made = rules.learn(card.before, landed.text, landed.tongue, name=name, title=title, evidence=evidence)
    if isinstance(made, rules.NotLearnt):
        return None
    return TeamRule(name, title, f"{by} applied it for {card.incident}.", False, card.id, by, at, made)


def _first_new(before: str, after: str) -> str:
    """The first line that a change brings."""
    rows = (row for hunk in hunks_of(before, after) for row in hunk.lines)
    return next((row[1:].strip() for row in rows if row.startswith("+") and row[1:].strip()), "")


def offered(view: View, rule: TeamRule | None) -> list[Change]:
    """The change that offers a rule; none where it is there already."""
    is_new = rule is not None and view.find(_address_of(rule.id)) is None
    return [_change_of(rule)] if rule is not None and is_new else []


def withdrawn(view: View, card: Card) -> list[Change]:
    """The change that takes back a rule made from a card, unless somebody has switched it on."""
    known = _readable(view.find(_address_of(rule_id(card))))
    if known is None or known.is_on:
        return []
    return [Change(_address_of(known.id), kind=KIND, state=State.RETRACTED)]


def switched(view: View, name: str, *, is_on: bool, by: str, at: datetime) -> tuple[list[Change], TeamRule]:
    """The change that switches a rule on or off; none where it is so already. Raises Missing."""
    known = rule_in(view, name)
    if known.is_on is is_on:
        return [], known
    made = TeamRule(known.id, known.title, known.why, is_on, known.made_from, by, at, known.rule)
    return [_change_of(made)], made


def rules_in(view: View) -> tuple[TeamRule, ...]:
    """Every rule of a team that a moment shows, the newest first."""
    found = [rule for record in view.every(RULES) if (rule := _readable(record)) is not None]
    return tuple(sorted(found, key=lambda rule: (rule.at, rule.id), reverse=True))


def switched_on(view: View) -> tuple[CodeRule, ...]:
    """The rules that find something."""
    return tuple(one.rule for one in rules_in(view) if one.is_on)


def rule_in(view: View, name: str) -> TeamRule:
    """One rule of a team. Raises Missing."""
    found = _readable(view.find(_address_of(name)))
    if found is None:
        remedy = "`hindcast fix rules` shows those that there are."
        raise Missing(f"There is no rule {name[:80]!r}.", field="rule", remedy=remedy)
    return found


def found_by(rule: TeamRule, code: Code) -> tuple[FoundLine, ...]:
    """What a rule would find in a workspace; one more than a rule may find tells that it is too general."""
    lines: list[FoundLine] = []
    for match in rules.matches(rule.rule, code):
        try:
            text = code.read(match.path).lines[match.lines.first - 1]
        except (Missing, Refused, IndexError):
            # The file changed between the two looks; where it was found is still worth telling.
            text = ""
        lines.append(FoundLine(match.path, match.lines.first, text.strip()[:LINE_CHARS_MAX]))
    return tuple(lines)


def rule_id(card: Card) -> str:
    """The id of the rule that may be made from a card."""
    return f"team-{card.id.removeprefix('fix-')}"


def _address_of(name: str) -> Address:
    try:
        return Address(NAMESPACE, name)
    except Malformed as error:
        raise Malformed(
            f"{name[:80]!r} cannot be the id of a rule.", field="rule", remedy="Write it as team-1a2b3c4d5e6f."
        ) from error


def _change_of(rule: TeamRule) -> Change:
    body = {**msgspec.to_builtins(rule), "rule": rules.to_json(rule.rule)}
    return Change(_address_of(rule.id), body, KIND, text=f"{rule.title}\n{rule.why}", occurred_at=rule.at)


def _readable(record: Record | None) -> TeamRule | None:
    if record is None or not isinstance(record.body, Mapping):
        return None
    try:
        made = msgspec.convert(record.body, TeamRule)
        rules.from_json(record.body["rule"])
    except (msgspec.ValidationError, Malformed):
        return None
    return made if made.at.tzinfo is not None else None


ready(TeamRule)
