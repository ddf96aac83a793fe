"""The desk at which tools work: the memory of one space, for one caller, at one time."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING

from hindcast.casebook.summaries import Table, table_in
from hindcast.memory import Memory, View, When
from hindcast.memory.moments import read_time
from hindcast.model.card import CardVerdict
from hindcast.model.errors import Missing
from hindcast.model.record import MAIN
from hindcast.ports import Telemetry
from hindcast.recollect import Recollect

if TYPE_CHECKING:
    from hindcast.fixes import Fixes

NAMES_SHOWN_MAX = 10


@dataclass(frozen=True, slots=True)
class Desk:
    """What tools work with."""

    memory: Memory
    recollect: Recollect
    now: datetime
    # Who acts: the actor of whatever is written.
    actor: str
    # Takes secrets out of what is written down.
    clean: Callable[[str], str]
    # For the length of one call. None: there is none here. Raises Unavailable while another process holds it.
    telemetry: Callable[[], AbstractContextManager[Telemetry | None]]
    # The incidents of now at a glance, where somebody keeps them at hand; else they are read each time.
    summaries: Callable[[], Table] | None = None
    space: str = ""
    # Cards of the space's code, and deciding about them; opened when a tool needs it. None: there is no code here.
    fixes: Callable[[], Fixes] | None = None
    # Hears of every decision about a card.
    decided: Callable[[CardVerdict], None] = lambda _: None

    def table(self, at: str = "", branch: str = MAIN) -> Table:
        """The incidents of a moment at a glance."""
        is_now = not at.strip() and branch == MAIN
        return self.summaries() if is_now and self.summaries is not None else table_in(self.view(at, branch))

    def view(self, at: str = "", branch: str = MAIN) -> View:
        """What a moment shows; without one, what the branch holds now."""
        moment = self.moment(at)
        try:
            return self.memory.now(branch) if moment is None else self.memory.at(moment, branch=branch)
        except Missing as error:
            raise self._unknown(at, error) from error

    def moment(self, at: str) -> When | None:
        """The moment that a text names; a time as such, so that ages are counted from it. None: now."""
        return (read_time(at, self.now) or at.strip()) if at.strip() else None

    def _unknown(self, at: str, error: Missing) -> Missing:
        """The same in the words of the tools' arguments, with what there is."""
        names = [one.name for one in self.memory.branches()] or [MAIN]
        if error.field == "branch":
            return Missing(
                error.problem, field="branch", remedy=f"Branches are {_some(names)}. Without it, main is meant."
            )
        names += [one.name for one in self.memory.snapshots()]
        return Missing(
            f"{at[:80]!r} is no time, commit, snapshot or branch.",
            field="at",
            remedy=f"Give a time such as 2026-03-03T10:00Z or '2 days ago', a commit id, or a name: {_some(names)}. "
            "Without it, now is meant.",
        )


@dataclass(frozen=True, slots=True)
class Desks:
    """Desks for whoever comes, of one running Hindcast."""

    memory: Callable[[str], Memory]
    recollect: Callable[[str], Recollect]
    now: Callable[[], datetime]
    clean: Callable[[str], str]
    telemetry: Callable[[], AbstractContextManager[Telemetry | None]]
    summaries: Callable[[str], Table]
    fixes: Callable[[], Fixes] | None = None
    # Hears of every decision about a card, and in which space.
    decided: Callable[[str, CardVerdict], None] = lambda _, __: None

    def at(self, space: str, *, actor: str) -> Desk:
        """A desk in a space, for a caller who may be there."""
        return Desk(
            self.memory(space),
            self.recollect(space),
            self.now(),
            actor,
            self.clean,
            self.telemetry,
            lambda: self.summaries(space),
            space,
            self.fixes,
            lambda verdict: self.decided(space, verdict),
        )


def _some(names: list[str]) -> str:
    more = f" and {len(names) - NAMES_SHOWN_MAX} more" if len(names) > NAMES_SHOWN_MAX else ""
    return ", ".join(names[:NAMES_SHOWN_MAX]) + more
