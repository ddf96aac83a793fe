"""Fixes over HTTP: the deck of an incident, one card, and deciding about it.

Who decides is who asks. Each answer to a decision is the card as it stands after it, with the line of the memory log
that the decision wrote, and everybody who listens hears of it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Annotated

from fastapi import FastAPI, Path, Query
from pydantic import Field
from starlette.responses import Response

from hindcast.casebook.layout import address_of as case_address
from hindcast.fixes import Fixes
from hindcast.fixes.keeping import address_of, card_there
from hindcast.fixes.telling import CardTold, DeckTold, card_told, deck_told
from hindcast.memory import View
from hindcast.model.card import CardVerdict
from hindcast.model.ids import Address
from hindcast.model.record import MAIN
from hindcast.rest.casework import Id, Said
from hindcast.rest.conditions import IfMatch, IfNoneMatch, etag, is_known, matching
from hindcast.rest.desk import At, Desk, OnBranch, answered
from hindcast.rest.fixes_events import card_event
from hindcast.rest.incidents import UNCHANGED
from hindcast.rest.live import Live
from hindcast.rest.once import Again
from hindcast.rest.seat import Reading, Responding, Seat

TAG = "fixes"
CARDS = "/api/v1/cards/{card_id}"
REASON_CHARS_MAX = 2_000
MESSAGE_CHARS_MAX = 4_000
BRANCH_CHARS_MAX = 200
NAME_CHARS_MAX = 200
# Larger files have no cards.
TEXT_CHARS_MAX = 600_000

CardId = Annotated[str, Path(max_length=200, description="As GET /api/v1/incidents/{incident_id}/cards shows it.")]
InWorkspace = Annotated[
    str, Query(max_length=NAME_CHARS_MAX, description="The workspace; left out, the only one there is.")
]
Reason = Annotated[str, Field(max_length=REASON_CHARS_MAX, description="Why; it stays in memory.")]


class Applying(Said):
    """Where a change goes."""

    branch: str = Field(
        default="",
        max_length=BRANCH_CHARS_MAX,
        description="As a commit on this branch of the repository; the files that are checked out stay as they are.",
        examples=["fix/redis-release"],
    )
    commit: bool = Field(default=False, description="Commit it where the repository stands.")
    message: str = Field(default="", max_length=MESSAGE_CHARS_MAX, description="The message of that commit.")


class AcceptSaid(Applying):
    """Somebody takes a card as it is."""


class ModifySaid(Applying):
    """Somebody takes a card with changes of their own."""

    text: str = Field(max_length=TEXT_CHARS_MAX, description="The whole file as it shall be, with plain newlines.")
    reason: Reason = ""


class RejectSaid(Said):
    """Somebody says no to a card."""

    reason: Reason = Field(default="", examples=["it hides the leak"])
    dont_try: bool = Field(default=False, description="Warn of it when this failure is recalled again.")


# What a request without a body says.
AS_IT_IS = AcceptSaid()
WITHOUT_REASON = RejectSaid()

# Makes a decision in a space about a card that is still of a version; None: of whichever.
Decision = Callable[[int | None], CardVerdict]


def add(app: FastAPI, desk: Desk, live: Live) -> None:
    """Add the routes."""
    _add_reading(app, desk)
    _add_accepting(app, desk, live)
    _add_refusing(app, desk, live)
    _add_rechecking(app, desk, live)


def _add_reading(app: FastAPI, desk: Desk) -> None:
    @app.get("/api/v1/incidents/{incident_id}/cards", tags=[TAG], operation_id="cards_list", response_model=DeckTold)
    def cards_list(incident_id: Id, seat: Reading, workspace: InWorkspace = "") -> Response:
        """What there is to change in the code for an incident, the best first; what is warned of; what was held back.

        Of an incident under way the cards are ready before anybody asks.
        """
        desk.memory(seat.space)
        deck = _fixes(desk).decks.deck(seat.space, incident_id, workspace=workspace, now=desk.now())
        return answered(deck_told(deck))

    @app.get(CARDS, tags=[TAG], operation_id="card_get", response_model=CardTold, responses=UNCHANGED)
    def card_get(
        card_id: CardId, seat: Reading, at: At = None, branch: OnBranch = MAIN, if_none_match: IfNoneMatch = None
    ) -> Response:
        """One card with its diff, the whole file before and after it, and what was decided about it."""
        return _shown(desk.view(seat.space, at, branch), card_id, if_none_match)


def _add_accepting(app: FastAPI, desk: Desk, live: Live) -> None:
    @app.post(f"{CARDS}/accept", tags=[TAG], operation_id="card_accept", response_model=CardTold)
    def card_accept(
        card_id: CardId, seat: Responding, again: Again, said: AcceptSaid = AS_IT_IS, if_match: IfMatch = None
    ) -> Response:
        """Make the change that a card proposes. A file that changed since the card was made is left alone (409)."""
        now = desk.now()

        def decide(expected: int | None) -> CardVerdict:
            return _fixes(desk).verdicts.accept(
                seat.space,
                card_id,
                by=seat.actor,
                now=now,
                branch=said.branch,
                message=said.message,
                is_committed=said.commit,
                expected=expected,
            )

        return again.once(seat, said, lambda: _decided(desk, live, seat, if_match, decide))

    @app.post(f"{CARDS}/modify", tags=[TAG], operation_id="card_modify", response_model=CardTold)
    def card_modify(
        card_id: CardId, said: ModifySaid, seat: Responding, again: Again, if_match: IfMatch = None
    ) -> Response:
        """Make a change of one's own out of what a card proposes. What was done differently is learnt from."""
        now, reason = desk.now(), desk.clean(said.reason)

        def decide(expected: int | None) -> CardVerdict:
            return _fixes(desk).verdicts.modify(
                seat.space,
                card_id,
                said.text,
                by=seat.actor,
                now=now,
                reason=reason,
                branch=said.branch,
                message=said.message,
                is_committed=said.commit,
                expected=expected,
            )

        return again.once(seat, said, lambda: _decided(desk, live, seat, if_match, decide))


def _add_refusing(app: FastAPI, desk: Desk, live: Live) -> None:
    @app.post(f"{CARDS}/reject", tags=[TAG], operation_id="card_reject", response_model=CardTold)
    def card_reject(
        card_id: CardId, seat: Responding, again: Again, said: RejectSaid = WITHOUT_REASON, if_match: IfMatch = None
    ) -> Response:
        """Say no to a card: it is not proposed again for this failure; with `dont_try` others are warned of it."""
        now, reason = desk.now(), desk.clean(said.reason)
        is_warning = said.dont_try if "dont_try" in said.model_fields_set else None

        def decide(expected: int | None) -> CardVerdict:
            return _fixes(desk).verdicts.reject(
                seat.space,
                card_id,
                by=seat.actor,
                now=now,
                reason=reason,
                is_warning=is_warning,
                expected=expected,
            )

        return again.once(seat, said, lambda: _decided(desk, live, seat, if_match, decide))

    @app.post(f"{CARDS}/undo", tags=[TAG], operation_id="card_undo", response_model=CardTold)
    def card_undo(card_id: CardId, seat: Responding, again: Again, if_match: IfMatch = None) -> Response:
        """Take a decision back: the file is as it was, and what was remembered of the decision is withdrawn."""
        now = desk.now()

        def decide(expected: int | None) -> CardVerdict:
            return _fixes(desk).verdicts.undo(seat.space, card_id, by=seat.actor, now=now, expected=expected)

        return again.once(seat, None, lambda: _decided(desk, live, seat, if_match, decide))


def _add_rechecking(app: FastAPI, desk: Desk, live: Live) -> None:
    @app.post(f"{CARDS}/recheck", tags=[TAG], operation_id="card_recheck", response_model=CardTold)
    def card_recheck(card_id: CardId, seat: Responding, again: Again) -> Response:
        """Make a card anew for the file as it is today. The answer is the card that goes on, often another one."""

        def recheck() -> Response:
            desk.memory(seat.space)
            made = _fixes(desk).decks.recheck(seat.space, card_id, by=seat.actor, now=desk.now())
            live.tell(seat.space, "card", {"card": card_id, "incident": made.incident, "became": made.id})
            return _shown(desk.view(seat.space), made.id)

        return again.once(seat, None, recheck)


def _decided(desk: Desk, live: Live, seat: Seat, if_match: str | None, decide: Decision) -> Response:
    """Decide, tell whoever listens, and show what became of the card."""
    desk.memory(seat.space)
    with matching(if_match) as expected:
        verdict = decide(expected)
    live.tell(seat.space, "card", card_event(verdict))
    return _shown(desk.view(seat.space), verdict.card)


def _shown(view: View, card_id: str, if_none_match: str | None = None) -> Response:
    # Whatever decides is loaded with the first card: a start does not wait for it.
    from hindcast.fixes.log import line_of

    card = card_there(view, card_id)
    # What came of it stands in the case of its incident, which moves on by itself.
    tag = etag(f"{_version(view, address_of(card_id))}-{_version(view, case_address(card.incident))}")
    if is_known(if_none_match, tag):
        return Response(status_code=304, headers={"ETag": tag})
    return answered(card_told(card, line_of(view, card_id)), headers={"ETag": tag})


def _version(view: View, address: Address) -> int:
    record = view.find(address)
    return record.version if record is not None else 0


def _fixes(desk: Desk) -> Fixes:
    return desk.app.fixes
