"""How cards stand: what was decided about each before, what is gone, what was applied, and what a model once said.

Everything here is read from memory at one moment.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from hindcast.fixes.composing import Composed
from hindcast.fixes.keeping import Read, card_in, ids_in
from hindcast.fixes.reading import Looked
from hindcast.memory import View
from hindcast.model.card import Card, CardSource, CardState, CardVerdict, HeldBack, Proposal
from hindcast.model.errors import HindcastError
from hindcast.propose.guard import Rejection
from hindcast.propose.model_patch import Patched

APPLIED_SHOWN_MAX = 7
_APPLIED = (CardState.ACCEPTED, CardState.MODIFIED)


def rejections(
    view: View, verdicts: Sequence[CardVerdict], incident: str, fingerprints: frozenset[int]
) -> Iterator[Rejection]:
    """What was rejected for this failure: by its fingerprints, or in this very incident; the last word counts."""
    last = {verdict.card: verdict for verdict in verdicts}
    for verdict in last.values():
        is_same = verdict.incident == incident or bool(fingerprints & set(verdict.fingerprints))
        if is_same and verdict.state is CardState.REJECTED and not verdict.undone_by:
            yield Rejection(verdict, card_in(view, verdict.card))


def of_model(view: View, incident: str, name: str, patched: Patched, looked: Looked) -> tuple[Proposal, ...]:
    """What a model proposed: just now, or as its cards remember it, as long as the file is what it was."""
    known = [card_in(view, one) for one in ids_in(view, incident, name)]
    found = [one.proposal for one in known if one is not None and one.proposal.source is CardSource.MODEL]
    return tuple(one for one in (*patched.proposals, *found) if digest_of(looked, one.edit.path) == one.edit.expected)


def digest_of(looked: Looked, path: str) -> str:
    """The digest of a file; empty where there is none to read."""
    try:
        return looked.read(path).digest
    except HindcastError:
        return ""


def as_decided(view: View, composed: Composed) -> tuple[tuple[Card, ...], tuple[Read, ...], tuple[HeldBack, ...]]:
    """Each card with what became of it before; what is to be written of that; and what was rejected once for all."""
    shown: list[Card] = []
    reads: list[Read] = []
    held: list[HeldBack] = []
    for card in composed.cards:
        known = card_in(view, card.id)
        if known is None:
            shown.append(card)
            reads.append(Read(card))
            continue
        if known.state is CardState.REJECTED and not card.again:
            proposal = card.proposal
            reason = "It was rejected before."
            held.append(HeldBack(proposal.source, proposal.title, proposal.edit.path, reason, proposal.evidence))
            continue
        is_anew = known.state in (CardState.GONE, CardState.REJECTED)
        now = replace(card, made_at=known.made_at, state=CardState.PROPOSED if is_anew else known.state)
        shown.append(now)
        if now.state not in _APPLIED:
            reads.append(Read(now, known.state))
    return tuple(shown), tuple(reads), tuple(held)


def gone(view: View, incident: str, name: str, shown: set[str], looked: Looked) -> Iterator[Read]:
    """Cards that were proposed, and are no longer, because their file has moved on."""
    for one in ids_in(view, incident, name):
        if one in shown:
            continue
        card = card_in(view, one)
        is_moved = card is not None and digest_of(looked, card.proposal.edit.path) != card.proposal.edit.expected
        if card is not None and is_moved and card.state is CardState.PROPOSED:
            yield Read(replace(card, state=CardState.GONE), CardState.PROPOSED)


def applied(view: View, verdicts: Sequence[CardVerdict], incident: str, name: str, shown: set[str]) -> Iterator[Card]:
    """What was applied for this incident and is no longer proposed, the latest first."""
    last = {verdict.card: verdict for verdict in verdicts}
    ours = [one for one in last.values() if (one.incident, one.workspace) == (incident, name)]
    applied = [one for one in ours if one.state in _APPLIED and not one.undone_by and one.card not in shown]
    for verdict in sorted(applied, key=lambda one: one.at, reverse=True)[:APPLIED_SHOWN_MAX]:
        card = card_in(view, verdict.card)
        if card is not None:
            yield card
