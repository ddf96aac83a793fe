"""`hindcast review`: walks through the cards of an incident in a terminal, one at a time.

Every decision is whole when the next card is shown. Leaving at any point, by q or Ctrl-C, leaves what was decided as it
is and the rest undecided, and the end says which was which.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import typer
from rich.text import Text

from hindcast.cli import cards, noting
from hindcast.cli.casework import redacted
from hindcast.cli.deciding_cards import edited, incident_of, next_steps, opened, rule_from, told, undisturbed
from hindcast.cli.fix import Incident, Workspace
from hindcast.cli.keypad import Keypad
from hindcast.cli.render import clean, plural
from hindcast.cli.session import Session, verb
from hindcast.model.card import CardState
from hindcast.model.errors import HindcastError, Refused, Stale

if TYPE_CHECKING:
    from hindcast.fixes import Fixes
    from hindcast.model.card import Card, CardVerdict, Deck

KEYS = "aresuq?"
KEYS_SHOWN = "[a]ccept [r]eject [e]dit [s]kip [u]ndo [q]uit [?]"
LEGEND = """a  accept: make the change
r  reject: it is not proposed again for this failure; you may say why
e  edit: change it in your EDITOR first
s  skip: decide later
u  undo the last decision of this walk
q  stop here"""
EPILOG = """[dim]# One card at a time, with its diff and its evidence. Ctrl-C leaves nothing half done.[/dim]
hindcast review
hindcast review inc-20261115-0203-payment --workspace shop"""


def install(app: typer.Typer, panel: str | None = None) -> None:
    """Put the command into an app."""
    verb(app, "review", panel=panel, writes=True, epilog=EPILOG)(review)


def review(session: Session, incident: Incident = "", workspace: Workspace = "") -> None:
    """Walk through what there is to change for an incident: look at each card and accept, reject or edit it."""
    if session.as_json or not sys.stdin.isatty():
        raise Refused(
            "Nobody is there to decide.",
            field="review",
            remedy="In a script: hindcast fix list --json, then hindcast fix accept CARD or hindcast fix reject CARD.",
        )
    name = incident_of(session, incident)
    with opened(session) as fixes:
        deck = fixes.decks.deck(session.settings.space, name, workspace=workspace, now=session.now())
        walk = Walk(session, fixes, deck)
        try:
            walk.begin()
            walk.go()
        finally:
            # Also after Ctrl-C: whoever left in a hurry wants to know what was done.
            walk.end()


@dataclass
class Walk:
    """One walk through the cards of a deck."""

    session: Session
    fixes: Fixes
    deck: Deck
    # What was decided in it and stands.
    made: list[CardVerdict] = field(default_factory=list)

    def begin(self) -> None:
        """Say what there is, and what to watch out for before anything is changed."""
        out, deck = self.session.out, self.deck
        waiting = self._waiting()
        head = f"{plural(len(waiting), 'card')} to decide for {deck.incident} in {deck.workspace}."
        out.print(Text(head if waiting else f"No card waits for {deck.incident} in {deck.workspace}.", style="bold"))
        for part in cards.asides(deck):
            out.print(part)

    def go(self) -> None:
        """Card by card, until the last one or until somebody has enough."""
        keypad, waiting, place = Keypad(self.session), self._waiting(), 0
        while place < len(waiting):
            card = waiting[place]
            self._show(card, place + 1, len(waiting))
            key = keypad.key(f"{KEYS_SHOWN} ", KEYS)
            if key in ("", "q"):
                return
            if key == "?":
                self.session.err.print(Text(LEGEND))
            elif key == "u":
                place = self._undone(waiting, place)
            elif key == "s" or self._decided(card, key, keypad):
                place += 1

    def end(self) -> None:
        """What was decided, what is left, and what to type next."""
        counted = Counter(one.state for one in self.made)
        parts = [f"{counted[state]} {state.value}" for state in CardState if counted[state]]
        left = len({card.id for card in self._waiting()} - {one.card for one in self.made})
        parts += [f"{left} left to decide"] if left else []
        self.session.out.print(Text(f"\n{', '.join(parts) or 'Nothing to decide'}.", style="bold"))
        if self.made:
            last = self.made[-1]
            for step in next_steps(last, self._tests(last.card), rule_from(self.session, self.fixes, last)):
                self.session.hint(step)
        if left:
            self.session.hint(f"Go on: hindcast review {self.deck.incident} --workspace {self.deck.workspace}")

    def _waiting(self) -> list[Card]:
        return [card for card in self.deck.cards if card.state in (CardState.PROPOSED, CardState.UNDONE)]

    def _tests(self, card_id: str) -> tuple[str, ...]:
        return next((card.proposal.tests for card in self.deck.cards if card.id == card_id), ())

    def _show(self, card: Card, place: int, of: int) -> None:
        self.session.out.print(Text(f"\n── {place} of {of} ──", style="dim"))
        cards.show(self.session, card)

    def _decided(self, card: Card, key: str, keypad: Keypad) -> bool:
        """Make one decision. False: it could not be made, and somebody has to choose again."""
        try:
            make = self._wanted(card, key, keypad)
            if make is None:
                self.session.err.print(Text("That is what the card proposes; a takes it as it is.", style="yellow"))
                return False
            with undisturbed(self.session):
                made = make()
                self.made.append(made)
                noting.decided(self.session, made)
                style = "green" if made.state is not CardState.REJECTED else ""
                self.session.out.print(Text(told(made), style=style))
        except Stale as error:
            self._tell(error)
            self.session.hint(f"It changed meanwhile: hindcast fix recheck {card.id}")
        except HindcastError as error:
            self._tell(error)
            return False
        return True

    def _wanted(self, card: Card, key: str, keypad: Keypad) -> Callable[[], CardVerdict] | None:
        """What is to be done about a card, with everything that has to be asked before; None: nothing was edited."""
        session, verdicts = self.session, self.fixes.verdicts
        space, who, now = session.settings.space, session.who, session.now
        if key == "a":
            return lambda: verdicts.accept(space, card.id, by=who, now=now())
        if key == "e":
            text = edited(card)
            return None if text == card.after else lambda: verdicts.modify(space, card.id, text, by=who, now=now())
        reason = redacted(session, keypad.line("Why not? (Enter: no reason)"))
        warns = bool(reason) and keypad.key("Warn others not to try it? y/n", "yn") == "y"
        return lambda: verdicts.reject(space, card.id, by=who, now=now(), reason=reason, is_warning=warns)

    def _undone(self, waiting: list[Card], place: int) -> int:
        """Take the last decision of this walk back, and go to its card again."""
        if not self.made:
            self.session.err.print(Text("Nothing was decided in this walk yet.", style="dim"))
            return place
        session, last = self.session, self.made[-1].card
        try:
            with undisturbed(session):
                made = self.fixes.verdicts.undo(session.settings.space, last, by=session.who, now=session.now())
                self.made.pop()
                noting.decided(session, made)
                session.out.print(Text(told(made), style="yellow"))
        except HindcastError as error:
            self._tell(error)
            return place
        return next((number for number, card in enumerate(waiting) if card.id == last), place)

    def _tell(self, error: HindcastError) -> None:
        self.session.err.print(Text(f"{clean(error.problem)} {clean(error.remedy)}", style="yellow"))
