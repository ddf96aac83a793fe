"""What listeners of the live stream hear of fixes: enough for a line on a screen; the page asks for the rest."""

from __future__ import annotations

from hindcast.model.card import CardVerdict, Deck
from hindcast.model.record import Json


def deck_event(deck: Deck) -> dict[str, Json]:
    """A deck that is ready."""
    return {
        "incident": deck.incident,
        "workspace": deck.workspace,
        "at": deck.made_at.isoformat(),
        "cards": [card.id for card in deck.cards],
        "title": deck.cards[0].proposal.title if deck.cards else "",
        "warned": len(deck.warned),
        "held_back": len(deck.held_back),
    }


def card_event(verdict: CardVerdict) -> dict[str, Json]:
    """A decision about a card."""
    return {
        "card": verdict.card,
        "incident": verdict.incident,
        "workspace": verdict.workspace,
        "state": verdict.state.value,
        "path": verdict.path,
        "title": verdict.title,
        "by": verdict.by,
        "at": verdict.at.isoformat(),
    }
