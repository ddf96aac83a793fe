"""What a decision about a card changes in memory: the card, the decision itself, and the case of its incident.

Each is a function from what memory shows to the changes of one commit, so that a decision is written whole or not at
all, and on nothing that somebody else has decided meanwhile.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import datetime

from hindcast.casebook import Kept, kept_in
from hindcast.casebook.layout import change_of as case_change
from hindcast.casebook.people import ATTEMPTS_MAX, TEXT_CHARS_MAX, attempted, numbered
from hindcast.experience import card_verdict_change, card_verdicts_on, caution_address, caution_change
from hindcast.fixes import intents, team_rules
from hindcast.fixes.keeping import address_of, card_there, change_of
from hindcast.fixes.patching import Diffed, diffed
from hindcast.fixes.team_rules import TeamRule
from hindcast.memory import View
from hindcast.model.card import Card, CardState, CardVerdict
from hindcast.model.case import Attempt, Case, Evidence, Outcome, Witness
from hindcast.model.errors import Damaged, Stale
from hindcast.model.record import Change, State

# What may be decided about: nobody has, or somebody took it back.
OPEN = (CardState.PROPOSED, CardState.UNDONE)
APPLIED = (CardState.ACCEPTED, CardState.MODIFIED)
# How a person says it.
SAID: Mapping[CardState, str] = {
    CardState.ACCEPTED: "accepted",
    CardState.MODIFIED: "modified and applied",
    CardState.REJECTED: "rejected",
    CardState.UNDONE: "taken back",
}
# How people write that nobody should try it. What only says why not, or not now, is no warning.
_WARNS = re.compile(
    r"\b(?:do not|don['’]?t|never|nobody should|should not|shouldn['’]?t) (?:ever )?"
    r"(?:try|(?:do|use|apply|repeat) (?:it|this|that))\b"
    r"|\bnever again\b|\b(?:made|makes) (?:it|this|things|everything|matters) (?:much |even |only |a lot )?worse\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Decision:
    """What somebody decided about a card, and where it went."""

    state: CardState
    by: str
    at: datetime
    reason: str = ""
    is_warning: bool = False
    branch: str = ""
    commit: str = ""


def open_card(view: View, card_id: str, *, expected: int | None = None) -> Card:
    """A card that may be decided about. Raises Missing, or Stale where somebody has decided, or does just now."""
    card = card_seen(view, card_id, expected)
    if card.state is CardState.GONE:
        raise Stale(
            f"{card.id} is about code that has moved on.",
            field="card",
            remedy=f"Look at the cards of today's code: hindcast fix list {card.incident}",
        )
    if card.state not in OPEN:
        last = last_verdict(view, card.id)
        who = f" by {last.by}" if last is not None else ""
        raise Stale(
            f"{card.id} was {SAID[card.state]}{who} already.",
            field="card",
            remedy=f"See what was decided: hindcast fix show {card.id}. To decide anew, undo that first.",
        )
    return card


def card_seen(view: View, card_id: str, expected: int | None) -> Card:
    """A card of the version that somebody has read, about which nobody decides just now."""
    card = card_there(view, card_id)
    record = view.find(address_of(card_id))
    if expected is not None and (record is None or record.version != expected):
        raise Stale(f"{card_id} was changed since it was read.", field="version", remedy="Read it again, then decide.")
    intent = intents.intent_on(view, card_id)
    if intent is not None:
        remedy = "Wait a moment, then read it again."
        raise Stale(f"{intent.by} is deciding about {card_id} just now.", field="card", remedy=remedy)
    return card


def warns(reason: str) -> bool:
    """Whether somebody who turned a card down says that others should not try it either."""
    return _WARNS.search(" ".join(reason.split())) is not None


def last_verdict(view: View, card_id: str) -> CardVerdict | None:
    """What was decided about a card last, or None."""
    said = card_verdicts_on(view, card_id)
    return said[-1] if said else None


def applied(
    view: View, card: Card, text: str | None, decision: Decision, rule: TeamRule | None = None
) -> tuple[list[Change], CardVerdict]:
    """A card was applied: as it was, or with the text that somebody made of it. `rule` is what it teaches."""
    was = card.before if card.proposal.edit.expected else None
    is_as_it_was = decision.state is CardState.ACCEPTED
    path = card.proposal.edit.path
    change = Diffed(card.diff, card.added, card.removed) if is_as_it_was else diffed(path, was, text)
    kept = case_of(view, card.incident)
    verdict = _verdict(card, decision, kept, change)
    if decision.state is CardState.MODIFIED:
        verdict = replace(verdict, proposed=card.diff, applied=change.diff)
    changes = [change_of(replace(card, state=decision.state))]
    if kept is not None and len(kept.case.attempts) < ATTEMPTS_MAX:
        free = numbered("a", (one.id for one in kept.case.attempts))
        made = attempted(kept.case, _attempt(card, decision, change))
        changes.append(case_change(replace(kept, case=made)))
        verdict = replace(verdict, attempt=free)
    changes += team_rules.offered(view, rule)
    return [*changes, *_said(view, verdict)], verdict


def rejected(view: View, card: Card, decision: Decision) -> tuple[list[Change], CardVerdict]:
    """A card was turned down."""
    verdict = _verdict(card, decision, case_of(view, card.incident), Diffed(card.diff, card.added, card.removed))
    warning = [caution_change(verdict)] if decision.is_warning else []
    return [change_of(replace(card, state=decision.state)), *warning, *_said(view, verdict)], verdict


def undone(view: View, card: Card, decision: Decision) -> tuple[list[Change], CardVerdict]:
    """What was decided last is taken back: the card may be decided about again, and nobody learns from it any more."""
    said = card_verdicts_on(view, card.id)
    last = said[-1] if said else None
    kept = case_of(view, card.incident)
    verdict = _verdict(card, decision, kept, Diffed("", card.removed, card.added))
    state = CardState.PROPOSED if card.state is CardState.REJECTED else CardState.UNDONE
    changes = [change_of(replace(card, state=state))]
    if last is not None:
        verdict = replace(verdict, added=last.removed, removed=last.added)
        changes.append(card_verdict_change(replace(last, undone_by=decision.by), len(said)))
    if kept is not None and last is not None and last.attempt:
        made = _withdrawn(kept.case, last, decision)
        changes += [case_change(replace(kept, case=made))] if made != kept.case else []
    if (caution := view.find(caution_address(card.id))) is not None:
        changes.append(Change(caution.address, kind=caution.kind, state=State.RETRACTED))
    changes += team_rules.withdrawn(view, card)
    return [*changes, *_said(view, verdict)], verdict


def unclear(view: View, card: Card, decision: Decision) -> tuple[list[Change], CardVerdict]:
    """It was never finished, and the file does not tell what became of it: that is said, and nothing else is done."""
    if card.state in APPLIED:
        # It was to be taken back. What is known for certain is that it was applied; how, the last decision tells.
        said = card_verdicts_on(view, card.id)
        told = replace(said[-1], reason=decision.reason)
        return [card_verdict_change(told, len(said)), *intents.ended(view, card.id)], told
    verdict = _verdict(card, decision, case_of(view, card.incident), Diffed("", 0, 0))
    return [change_of(replace(card, state=decision.state)), *_said(view, verdict)], verdict


def case_of(view: View, incident: str) -> Kept | None:
    """The case that a card's incident is remembered as, or the one that goes on in its place; None where none is."""
    try:
        kept = kept_in(view, incident)
        return kept_in(view, kept.joined_into) if kept is not None and kept.joined_into else kept
    except Damaged:
        # Somebody wrote something else there. What was decided is worth more than a quarrel about its case.
        return None


def _verdict(card: Card, decision: Decision, kept: Kept | None, change: Diffed) -> CardVerdict:
    proposal = card.proposal
    return CardVerdict(
        card.id,
        card.incident,
        card.workspace,
        decision.state,
        proposal.source,
        proposal.title,
        proposal.edit.path,
        change.added,
        change.removed,
        decision.by,
        decision.at,
        decision.reason,
        decision.is_warning,
        branch=decision.branch,
        commit=decision.commit,
        fingerprints=kept.case.clues.fingerprints if kept is not None else (),
        action=proposal.action or proposal.title,
        evidence=proposal.evidence,
    )


def _said(view: View, verdict: CardVerdict) -> list[Change]:
    """The decision as a record of its own, and the end of the intent that led to it."""
    number = len(card_verdicts_on(view, verdict.card)) + 1
    return [card_verdict_change(verdict, number), *intents.ended(view, verdict.card)]


def _attempt(card: Card, decision: Decision, change: Diffed) -> Attempt:
    """What was applied, as something that was tried. It has no time yet: it is tried once it is deployed.

    It is called what this card did. The past fix may have done more than that, and somebody may have turned the rest of
    it down.
    """
    proposal = card.proposal
    quote = f"{decision.by} {SAID[decision.state]} it: {proposal.title}"
    told = Evidence(Witness.VERDICT, quote, str(address_of(card.id)), decision.at)
    diff = change.diff if len(change.diff) <= TEXT_CHARS_MAX else ""
    action = proposal.title[:TEXT_CHARS_MAX].rstrip(".")
    return Attempt("", action, by=decision.by, diff=diff, evidence=(told,))


def _withdrawn(case: Case, last: CardVerdict, decision: Decision) -> Case:
    """The case without an attempt that was taken back; one that has ended the incident, or was judged, stays."""
    known = next((one for one in case.attempts if one.id == last.attempt), None)
    if known is None:
        return case
    is_ending = case.resolution is not None and case.resolution.attempt == known.id
    if not is_ending and known.outcome is Outcome.UNKNOWN:
        return replace(case, attempts=tuple(one for one in case.attempts if one is not known))
    quote = f"{decision.by} took it back: {last.title}"
    told = Evidence(Witness.VERDICT, quote, str(address_of(last.card)), decision.at)
    made = replace(known, evidence=(*known.evidence, told))
    return replace(case, attempts=tuple(made if one is known else one for one in case.attempts))
