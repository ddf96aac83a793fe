"""Works out decks in threads of their own, once what memory says is ready, and tells who listens.

One thread works out decks, which takes a fraction of a second; another asks the model, where there is one, which takes
as long as it takes. Nobody waits for either.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable

from hindcast.app import App
from hindcast.briefing import Key
from hindcast.model.card import Deck
from hindcast.model.errors import HindcastError
from hindcast.rest.fixes_events import deck_event
from hindcast.rest.live import Live

LOG = logging.getLogger("hindcast")

# A project has a few workspaces; whoever has more asks for the deck of one by name.
WORKSPACES_MAX = 4
# Incidents that wait for their deck; the oldest make room, and are worked out when somebody asks.
WAITING_MAX = 500
TOLD_MAX = 500


class _Line:
    """What waits to be done, each once, by one thread."""

    def __init__(self, name: str, do: Callable[[Key], None]) -> None:
        self._do = do
        self._waiting: dict[Key, None] = {}
        self._called = threading.Condition()
        self.is_over = False
        self._thread = threading.Thread(target=self._run, name=name, daemon=True)

    def start(self) -> None:
        """Begin to work."""
        self._thread.start()

    def want(self, key: Key) -> None:
        """Have something done; what waits already is done once."""
        with self._called:
            self._waiting.setdefault(key)
            while len(self._waiting) > WAITING_MAX:
                del self._waiting[next(iter(self._waiting))]
            self._called.notify()

    def stop(self) -> None:
        """Do nothing more, and wait for what is under way."""
        with self._called:
            self.is_over = True
            self._called.notify()
        self._thread.join()

    def _run(self) -> None:
        while True:
            with self._called:
                self._called.wait_for(lambda: self.is_over or bool(self._waiting))
                if self.is_over:
                    return
                key = next(iter(self._waiting))
                del self._waiting[key]
            self._do(key)


class Composer:
    """Works from start to stop. A deck that cannot be made is counted, and made when somebody asks for it."""

    def __init__(self, app: App, live: Live) -> None:
        self._app = app
        self._live = live
        self._told: dict[tuple[str, str, str], object] = {}
        self._decks = _Line("composer", self._compose)
        self._models = _Line("patcher", self._ask_model)

    def start(self) -> None:
        """Begin to work."""
        self._decks.start()
        self._models.start()

    def want(self, key: Key) -> None:
        """What memory says about an incident is ready, or has changed; may be called from any thread."""
        self._decks.want(key)

    def stop(self) -> None:
        """Work no more. A model that is being asked is let go of."""
        self._decks.stop()
        self._models.stop()

    def _compose(self, key: Key) -> None:
        space, incident = key
        workspaces = self._workspaces(space)
        if not workspaces:
            # Without code there is nothing to propose, and what would propose it need not even be loaded.
            return
        decks, wants_model = self._app.fixes.decks, False
        for name in workspaces:

            def made(name: str = name) -> Deck:
                return decks.deck(space, incident, workspace=name, now=self._app.now())

            deck = self._made(made, key)
            if deck is not None:
                self._tell(space, deck)
                wants_model = wants_model or decks.wants_model(space, incident, workspace=name)
        if wants_model:
            self._models.want(key)

    def _ask_model(self, key: Key) -> None:
        space, incident = key
        decks = self._app.fixes.decks
        for name in self._workspaces(space):

            def asked(name: str = name) -> Deck:
                return decks.ask_model(
                    space, incident, workspace=name, now=self._app.now(), is_over=lambda: self._models.is_over
                )

            deck = self._made(asked, key)
            if deck is not None and not self._models.is_over:
                self._tell(space, deck)

    def _workspaces(self, space: str) -> tuple[str, ...]:
        try:
            return tuple(one.name for one in self._app.workspaces.names(space)[:WORKSPACES_MAX])
        except HindcastError as error:
            LOG.warning("The workspaces of %s cannot be read: %s", space, error, extra={"space": space})
            return ()

    def _made(self, make: Callable[[], Deck], key: Key) -> Deck | None:
        # The face of the product: one deck that cannot be made must not end all others.
        try:
            deck = make()
        except Exception as error:
            self._app.counts["decks_failed"] += 1
            is_named = isinstance(error, HindcastError)
            LOG.warning("No deck for %s: %s", key[1], error, exc_info=None if is_named else error,
                        extra={"space": key[0]})  # fmt: skip
            return None
        self._app.counts["decks"] += 1
        return deck

    def _tell(self, space: str, deck: Deck) -> None:
        """A deck that says the same again is no news."""
        key = (space, deck.incident, deck.workspace)
        news = tuple((card.id, card.state) for card in deck.cards), len(deck.warned), len(deck.held_back)
        if self._told.get(key) != news and (self._told.get(key) is not None or any(news)):
            self._told[key] = news
            while len(self._told) > TOLD_MAX:
                del self._told[next(iter(self._told))]
            self._live.tell(space, "deck", deck_event(deck))
