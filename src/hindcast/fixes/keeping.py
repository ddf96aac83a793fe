"""Cards as records: written when they are first proposed, rewritten when something became of them.

A card is two records. The small one says everything but the whole file; lists and logs read only that. The other one
holds the file as the card was made for it, once, and what of it is replaced.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

from hindcast.casebook.writing import write
from hindcast.fixes.intents import intent_on
from hindcast.memory import Memory, View
from hindcast.model.card import Card, CardState
from hindcast.model.errors import Malformed, Missing
from hindcast.model.ids import Address
from hindcast.model.query import Filter
from hindcast.model.reading import check_time, read_value
from hindcast.model.record import Change, Record

NAMESPACE = "cards"
KIND = "card"
# Who proposes.
ACTOR = "hindcast"
# The texts of a card's file lie apart.
TEXTS_NAMESPACE = "card-texts"
TEXTS_KIND = "card-text"
# Which cards a deck has: one record for each incident and workspace.
DECKS_NAMESPACE = "decks"
DECK_KIND = "deck"
CARDS = Filter(namespace=NAMESPACE, kind=KIND)
# A record may have a million bytes, and a card holds its file about once; larger files have no cards.
FILE_BYTES_MAX = 300_000

_REMEDY = "Hand over what was kept; `hindcast fix list` makes cards anew."


def address_of(card_id: str) -> Address:
    """Where a card is kept. Raises Malformed when this cannot be a card's id."""
    try:
        return Address(NAMESPACE, card_id)
    except Malformed as error:
        raise Malformed(
            f"{card_id[:80]!r} cannot be the id of a card.",
            field="card",
            remedy="Write it as `hindcast fix list` shows it, as in fix-1a2b3c4d5e6f.",
        ) from error


def to_json(card: Card) -> dict[str, Any]:
    """The card as JSON values, without the texts of its file."""
    body: dict[str, Any] = msgspec.to_builtins(card)
    body["proposal"]["edit"].pop("text")
    del body["before"], body["after"]
    return body


def texts_to_json(card: Card) -> dict[str, Any]:
    """The file as it was, and what of it is replaced; None: the file goes."""
    text = card.proposal.edit.text
    return {"before": card.before, "splice": None if text is None else _splice(card.before, text)}


def from_json(body: Mapping[str, Any], texts: Mapping[str, Any] | None = None) -> Card:
    """The card that `to_json` wrote, with the texts of its file where they are given, else with empty ones.

    Raises Malformed where it is none.
    """
    proposal = body.get("proposal")
    edit = proposal.get("edit") if isinstance(proposal, Mapping) else None
    if not isinstance(proposal, Mapping) or not isinstance(edit, Mapping):
        raise Malformed("This is no card: it changes nothing.", field="proposal", remedy=_REMEDY)
    before, text = _texts(texts) if texts is not None else ("", None)
    whole = {**body, "proposal": {**proposal, "edit": {**edit, "text": text}}, "before": before, "after": text or ""}
    card = read_value(Card, whole, what="card", remedy=_REMEDY)
    check_time(card.made_at, field="made_at")
    return card


def _texts(texts: Mapping[str, Any]) -> tuple[str, str | None]:
    before = texts.get("before")
    if not isinstance(before, str):
        raise Malformed("These are no texts of a card.", field="before", remedy=_REMEDY)
    return before, _spliced(before, texts.get("splice"))


def change_of(card: Card) -> Change:
    """The change that keeps what a card says and what became of it; its texts stay as they are."""
    proposal = card.proposal
    # Code is found in the workspace; memory is searched for what it is about.
    text = "\n".join((proposal.title, proposal.edit.path, proposal.action, proposal.why))
    return Change(address_of(card.id), to_json(card), KIND, text=text, occurred_at=card.made_at)


def changes_of(card: Card) -> list[Change]:
    """The changes that keep a card whole: for one that is new, or made for another version of its file."""
    where = Address(TEXTS_NAMESPACE, card.id)
    texts = Change(where, texts_to_json(card), TEXTS_KIND, text=card.proposal.edit.path, occurred_at=card.made_at)
    return [change_of(card), texts]


def readable(record: Record | None) -> Card | None:
    """The card in a record, without the texts of its file; None where there is none or something else."""
    if record is None or not isinstance(record.body, Mapping):
        return None
    try:
        return from_json(record.body)
    except Malformed:
        return None


def card_in(view: View, card_id: str) -> Card | None:
    """A whole card as a moment shows it, or None."""
    record = view.find(address_of(card_id))
    texts = view.find(Address(TEXTS_NAMESPACE, card_id)) if record is not None else None
    if record is None or texts is None or not isinstance(record.body, Mapping) or not isinstance(texts.body, Mapping):
        return None
    try:
        return from_json(record.body, texts.body)
    except Malformed:
        return None


def card_there(view: View, card_id: str) -> Card:
    """A whole card as a moment shows it. Raises Missing where there is none."""
    found = card_in(view, card_id)
    if found is None:
        raise Missing(
            f"There is no card {card_id[:80]!r}.",
            field="card",
            remedy="`hindcast fix list` shows those of an incident.",
        )
    return found


def cards_in(view: View) -> tuple[Card, ...]:
    """Every card that a moment shows, in the order of their ids, without texts. What is none is left out."""
    found = (readable(record) for record in view.every(CARDS))
    return tuple(card for card in found if card is not None)


@dataclass(frozen=True, slots=True)
class Read:
    """A card as it is to be kept, and the state it was read in; None: it is new."""

    card: Card
    was: CardState | None = None


def keep(memory: Memory, incident: str, workspace: str, cards: Iterable[Read], ids: Sequence[str]) -> int | None:
    """Write what is new or no longer what is kept, and which cards the deck has, in one commit; None: nothing is.

    What somebody decided meanwhile stands: a card that is no longer in the state it was read in is left alone, and one
    whose file is being changed just now as well.
    """
    given = tuple(cards)

    def plan(view: View) -> list[Change]:
        changes: list[Change] = []
        for one in given:
            known = card_in(view, one.card.id)
            if (known.state if known is not None else None) is not one.was or intent_on(view, one.card.id) is not None:
                continue
            if known is None or not says_the_same(known, one.card):
                changes += changes_of(one.card)
        if tuple(ids) != ids_in(view, incident, workspace):
            body: dict[str, Any] = {"incident": incident, "workspace": workspace, "cards": list(ids)}
            changes.append(Change(deck_address(incident, workspace), body, DECK_KIND, text=f"{incident} {workspace}"))
        return changes

    new = sum(one.was is None for one in given)
    why = f"{new} new card{'' if new == 1 else 's'} for {incident} in {workspace}."
    commit = write(memory, plan, actor=ACTOR, why=why)
    return commit.seq if commit is not None else None


def deck_address(incident: str, workspace: str) -> Address:
    """Where it is remembered which cards a deck has."""
    return Address(DECKS_NAMESPACE, f"{workspace}.{incident}")


def ids_in(view: View, incident: str, workspace: str) -> tuple[str, ...]:
    """The cards that a deck had when it was last worked out."""
    record = view.find(deck_address(incident, workspace))
    ids = record.body.get("cards") if record is not None and isinstance(record.body, Mapping) else None
    return tuple(str(one) for one in ids) if isinstance(ids, list | tuple) else ()


def says_the_same(one: Card, other: Card) -> bool:
    """Whether two cards differ in nothing that anybody decides by: numbers that move by themselves do not count."""
    return _told(one) == _told(other)


def _told(card: Card) -> tuple[object, ...]:
    proposal = card.proposal
    evidence = frozenset(ref.partition("@")[0] for ref in proposal.evidence)
    lines = proposal.lines
    return card.state, card.before, proposal.edit, lines, proposal.source, proposal.title, evidence, card.again


def _splice(before: str, after: str) -> list[Any]:
    """What of a text is replaced, and by what: from, to, and the new piece."""
    most = min(len(before), len(after))
    head = bisect_left(range(1, most + 1), True, key=lambda size: before[:size] != after[:size])
    most -= head
    tail = bisect_left(
        range(1, most + 1), True, key=lambda size: before[len(before) - size :] != after[len(after) - size :]
    )
    return [head, len(before) - tail, after[head : len(after) - tail]]


def _spliced(before: str, splice: object) -> str | None:
    if splice is None:
        return None
    match splice:
        case [int(first), int(last), str(piece)] if 0 <= first <= last <= len(before):
            return before[:first] + piece + before[last:]
        case _:
            raise Malformed("This is no card: its change does not fit.", field="splice", remedy=_REMEDY)
