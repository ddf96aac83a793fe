"""A program that decides about cards until it is killed. Each life is a process of its own, forked from one program.

It reads the number of a life and where it ends, forks, and tells when the life began and when it ended. The child tells
each decision after it was acknowledged, never before. A life ends by a signal from outside, at any instant, or by its
own hand just before or just after the files of a decision are changed.
"""

from __future__ import annotations

import os
import random
import signal
import sys
import traceback
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from hindcast.adapters.clock import WallClock
from hindcast.adapters.store_sql import open_store
from hindcast.adapters.workspace_git import FolderWorkspace, open_workspace
from hindcast.fixes.keeping import card_there, cards_in
from hindcast.fixes.verdicts import Verdicts
from hindcast.memory import Memory
from hindcast.model.card import CardState, CardVerdict
from hindcast.model.code import Edit
from hindcast.model.workspace import Registered, WorkspaceKind
from hindcast.ports import Applied, Workspace

SPACE = "crash"
# Decisions that a life which ends by its own hand makes before.
DECISIONS_BEFORE_MAX = 4


class Place:
    """The one workspace there is; `end` says at which step a life ends by its own hand."""

    def __init__(self, root: Path, end: str = "", after: int = 0) -> None:
        self.workspace = open_workspace(root)
        self._apply = self.workspace.apply
        self._end, self._left = end, after
        self.workspace.apply = self._counted  # type: ignore[method-assign]

    def _counted(self, edits: Sequence[Edit], **named: Any) -> Applied:
        self._left -= 1
        if self._end == "before" and self._left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        done = self._apply(edits, **named)
        if self._end == "after" and self._left < 0:
            os.kill(os.getpid(), signal.SIGKILL)
        return done

    def chosen(self, space: str, name: str = "") -> Registered:
        """The workspace that is there."""
        return Registered(name or "shop", WorkspaceKind.PATH, space, "ana", datetime.now(UTC))

    def open(self, space: str, name: str) -> Workspace:
        """The workspace, whatever it is called."""
        assert (space, name) == (SPACE, "shop")
        opened: FolderWorkspace = self.workspace
        return opened


def say(line: str) -> None:
    """One line, in one write, so that lines of two processes never mix."""
    os.write(1, f"{line}\n".encode())


def decide(verdicts: Verdicts, memory: Memory, card_id: str, chance: random.Random) -> CardVerdict:
    """Decide something about a card that may be decided about it."""
    card = card_there(memory.now(), card_id)
    said: dict[str, Any] = {"by": chance.choice(("ana", "bo")), "now": datetime.now(UTC)}
    if card.state not in (CardState.PROPOSED, CardState.UNDONE):
        return verdicts.undo(SPACE, card_id, **said)
    where = chance.choice(({}, {}, {"is_committed": True}, {"branch": f"fix/{card_id}"}))
    match chance.randrange(4):
        case 0:
            return verdicts.reject(SPACE, card_id, reason="no", is_warning=True, **said)
        case 1:
            return verdicts.modify(SPACE, card_id, f"{card.after}# {chance.random()}\n", **where, **said)
        case _:
            return verdicts.accept(SPACE, card_id, **where, **said)


def live(store: str, root: str, life: int, end: str) -> None:
    """Settle what the last life left, then decide about one card after the other for ever."""
    chance = random.Random(life)
    memory = Memory(open_store(store, SPACE, now=datetime.now(UTC)), clock=WallClock(), entropy=os.urandom)
    verdicts = Verdicts(lambda _: memory, Place(Path(root), end, chance.randrange(DECISIONS_BEFORE_MAX)))
    verdicts.settle(SPACE, now=datetime.now(UTC))
    ids = [card.id for card in cards_in(memory.now())]
    while True:
        made = decide(verdicts, memory, chance.choice(ids), chance)
        say(f"decided {made.card} {made.state} {made.at.isoformat()}")


def main() -> None:
    """Fork a life for every number that comes in."""
    for line in sys.stdin:
        number, _, end = line.strip().partition(" ")
        child = os.fork()
        if child == 0:
            try:
                live(sys.argv[1], sys.argv[2], int(number), end)
            finally:
                # A life never ends by itself: whatever it raised is told before.
                traceback.print_exc()
                os._exit(1)
        say(f"began {child}")
        _, status = os.waitpid(child, 0)
        say(f"ended {os.WTERMSIG(status) if os.WIFSIGNALED(status) else 'by itself'}")


if __name__ == "__main__":
    main()
