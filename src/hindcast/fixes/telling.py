"""What decks and cards look like to whoever asks, over REST, on the command line and to agents: a card lies flat.

The texts of the whole file come with one card and not with a deck of them; a diff says what a list has to say.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import datetime
from typing import TYPE_CHECKING

from hindcast.model.card import Card, CardSeverity, CardSource, CardState, Deck, HeldBack, LogLine, Warned
from hindcast.model.code import LineSpan
from hindcast.model.code_rule import CodeRuleExample

if TYPE_CHECKING:
    from hindcast.fixes.team_rules import TeamRule


@dataclass(frozen=True, slots=True)
class CardGlance:
    """One card among others: what it proposes, why, and how sure that is. The texts of the file come with the card."""

    id: str
    incident: str
    workspace: str
    state: CardState
    source: CardSource
    # One plain sentence.
    title: str
    path: str
    # Of the file as it was when the card was made.
    lines: LineSpan
    severity: CardSeverity
    severity_reason: str
    why: str
    # Records as in `cases/inc-7@412`, rules as in `rule/py-unclosed-connection`.
    evidence: tuple[str, ...]
    confidence: float
    # How cards of this source fared with this team: "accepted 7 of 9".
    record: str
    risk: str
    tests: tuple[str, ...]
    rule: str
    # Why something that was rejected before is shown again.
    again: str
    undo: str
    # Unified, with three lines around.
    diff: str
    added: int
    removed: int
    made_at: datetime


@dataclass(frozen=True, slots=True)
class CardTold(CardGlance):
    """One card with the texts it was made from and for, and what came of it."""

    # The whole file, with plain newlines; None where the change makes or removes the file.
    before: str | None = None
    after: str | None = None
    # What was decided last, by whom and why, and what came of it.
    line: LogLine | None = None


@dataclass(frozen=True, slots=True)
class RuleTold:
    """A rule that a team made from a fix."""

    id: str
    title: str
    why: str
    # Whether cards are made by it.
    is_on: bool
    # The card that it was made from.
    made_from: str
    by: str
    at: datetime
    # What it looks for, and what it makes of it, as an example.
    before: str
    after: str


@dataclass(frozen=True, slots=True)
class DeckTold:
    """Everything there is to propose for an incident in one workspace, the best first, and what was held back."""

    incident: str
    workspace: str
    cards: tuple[CardGlance, ...]
    warned: tuple[Warned, ...]
    held_back: tuple[HeldBack, ...]
    made_at: datetime
    notes: tuple[str, ...]


def glance(card: Card) -> CardGlance:
    """A card as a deck tells it."""
    proposal = card.proposal
    return CardGlance(
        id=card.id,
        incident=card.incident,
        workspace=card.workspace,
        state=card.state,
        source=proposal.source,
        title=proposal.title,
        path=proposal.edit.path,
        lines=proposal.lines,
        severity=proposal.severity,
        severity_reason=proposal.severity_reason,
        why=proposal.why,
        evidence=proposal.evidence,
        confidence=proposal.confidence,
        record=card.record,
        risk=proposal.risk,
        tests=proposal.tests,
        rule=proposal.rule,
        again=card.again,
        undo=card.undo,
        diff=card.diff,
        added=card.added,
        removed=card.removed,
        made_at=card.made_at,
    )


def card_told(card: Card, line: LogLine | None = None) -> CardTold:
    """A card by itself, with what was decided about it last."""
    seen = glance(card)
    flat = {one.name: getattr(seen, one.name) for one in fields(seen)}
    before = card.before if card.proposal.edit.expected else None
    after = card.after if card.proposal.edit.text is not None else None
    return CardTold(**flat, before=before, after=after, line=line)


def deck_told(deck: Deck) -> DeckTold:
    """A deck."""
    return DeckTold(
        deck.incident,
        deck.workspace,
        tuple(map(glance, deck.cards)),
        deck.warned,
        deck.held_back,
        deck.made_at,
        deck.notes,
    )


def rule_told(rule: TeamRule) -> RuleTold:
    """A rule of a team, with the change that it was made from."""
    example = rule.rule.bad[0] if rule.rule.bad else CodeRuleExample("")
    return RuleTold(
        rule.id, rule.title, rule.why, rule.is_on, rule.made_from, rule.by, rule.at, example.code, example.fixed
    )
