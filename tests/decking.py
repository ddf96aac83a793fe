"""An incident of the demo's project, the memory of the same outage, and the project as a repository: decks for real."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from hindcast.adapters.clock import ManualClock
from hindcast.build import open_memory
from hindcast.build.fixes import open_fixes
from hindcast.build.shop import write_shop
from hindcast.build.workspaces import open_workspaces
from hindcast.casebook import Casebook
from hindcast.clues import with_clues
from hindcast.config import Settings
from hindcast.fixes import Fixes
from hindcast.memory import Memory
from hindcast.model.card import Card, CardSource, Deck
from hindcast.model.case import Case
from hindcast.recollect import Recollect
from hindcast.simulate.history import cases
from hindcast.simulate.shop import printed_today
from hindcast.workspaces import Workspaces

NOW = datetime(2026, 11, 16, 2, 0, tzinfo=UTC)
SPACE = "team"
STORY = "past-redis-worker-pool"
INCIDENT = "inc-20261116-0200-payment"
LOOP = "payment/worker/loop.py"
PRODUCTION = "config/production.toml"


@dataclass
class Decking:
    """A team with a memory, its project, and an incident under way."""

    settings: Settings
    memory: Memory
    clock: ManualClock
    workspaces: Workspaces
    fixes: Fixes
    root: Path

    def restart(self) -> None:
        """Another process: nothing is known but what was remembered."""
        self.fixes = _fixes(self.settings, self.memory, self.clock, self.workspaces)

    def deck(self, incident: str = INCIDENT) -> Deck:
        """What there is to propose now."""
        return self.fixes.decks.deck(SPACE, incident, now=self.clock.now())

    def card(self, source: CardSource, incident: str = INCIDENT) -> Card:
        """The card of one source."""
        (card,) = [card for card in self.deck(incident).cards if card.proposal.source is source]
        return card

    def text(self, path: str) -> str:
        """A file as it lies there."""
        return (self.root / path).read_text(encoding="utf-8")

    def write(self, path: str, text: str) -> None:
        """Somebody edits a file."""
        (self.root / path).write_text(text, encoding="utf-8")

    def happens(self, incident: str) -> None:
        """The same failure, under another name."""
        story = _story(self.clock.now())
        case = Case(
            incident, "payment fails", self.clock.now(), stack=printed_today(story.stack), services=("payment",)
        )
        Casebook(self.memory).put(with_clues(replace(case, symptoms=story.symptoms[:1])), actor="hindcast", why="Seen.")

    def later(self, **time: float) -> None:
        """Time passes."""
        self.clock.move(timedelta(**time))


def _fixes(settings: Settings, memory: Memory, clock: ManualClock, workspaces: Workspaces) -> Fixes:
    mind = Recollect(memory, now=clock.now)
    return open_fixes(settings, lambda _: memory, lambda _: mind, workspaces)


def _story(now: datetime) -> Case:
    return next(case for case in cases(now=now) if case.id == STORY)


@contextmanager
def decking(folder: Path, *, edit: Callable[[Case], Case] = lambda case: case, **settings: Any) -> Iterator[Decking]:
    """One that is closed in the end; `edit` changes what is remembered of the past outage."""
    chosen = Settings(**{"store": str(folder / "store"), "space": SPACE, "model": "none", **settings})
    clock = ManualClock(NOW)
    memory = open_memory(chosen, clock=clock)
    workspaces = open_workspaces(chosen, lambda _: memory)
    try:
        Casebook(memory).put(edit(with_clues(_story(NOW))), actor="ana", why="It is over.")
        root = folder / "shop"
        write_shop(root, now=NOW)
        workspaces.add_folder(SPACE, "shop", str(root), by="ana", now=NOW)
        fixes = _fixes(chosen, memory, clock, workspaces)
        made = Decking(chosen, memory, clock, workspaces, fixes, root)
        made.happens(INCIDENT)
        yield made
    finally:
        workspaces.close()
        memory.close()
