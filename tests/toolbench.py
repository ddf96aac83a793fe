"""A desk with the demo's year of history on it, for tests of tools."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

from hindcast.adapters.clock import ManualClock
from hindcast.build import open_memory
from hindcast.build.shop import write_shop
from hindcast.build.workspaces import open_workspaces
from hindcast.config import Settings
from hindcast.fixes.keeping import changes_of
from hindcast.memory import Memory
from hindcast.model.card import Card, CardSource, Proposal
from hindcast.model.code import Edit, LineSpan
from hindcast.ports import Code, Telemetry
from hindcast.propose.dealt import dealt
from hindcast.recollect import Recollect
from hindcast.seeding import seed
from hindcast.toolbox import Desk

NOW = datetime(2026, 11, 16, 2, 0, tzinfo=UTC)
SPACE = "team"
STORY = "past-redis-worker-pool"
# A card of the story's, about a file of the demo's shop.
CARD = "fix-000000000001"
# A call of every tool that finds or records something in the demo's history; every value can be written as text.
CALLS: dict[str, dict[str, str]] = {
    "recall": {"text": "redis.exceptions.ConnectionError: Connection reset by peer"},
    "what_not_to_try": {"incident": STORY},
    "search_incidents": {"words": "redis", "count_max": "3"},
    "incident_get": {"incident": STORY},
    "resolution_patterns": {"about": "redis"},
    "error_correlations": {"about": "postgres"},
    "memory_search": {"words": "certificate", "namespace": "runbooks"},
    "memory_diff": {"before": "1 day ago"},
    "attempt_record": {"incident": STORY, "action": "drained the worker queue", "outcome": "no_effect"},
    "verdict_record": {"incident": STORY, "judgement": "right", "asked": "Connection reset by peer"},
    "fix_cards": {"incident": STORY},
    "fix_verdict": {"card": CARD, "verdict": "reject", "reason": "the acquirer needs ten"},
}
# What takes the last of them back, so that it can be called again.
UNDO = {"card": CARD, "verdict": "undo"}
# What each of them says, among other things.
SAID = {
    "recall": "Seen before",
    "what_not_to_try": "Made it worse in this incident itself",
    "search_incidents": "1 to 3, best matches first",
    "incident_get": "Payment workers lose redis",
    "resolution_patterns": "MADE IT WORSE",
    "error_correlations": "service database",
    "memory_search": "runbooks/certificates@",
    "memory_diff": "learnt",
    "attempt_record": "drained the worker queue",
    "verdict_record": f"{STORY} is right",
    "fix_cards": f"for {STORY} in workspace shop",
    "fix_verdict": f"{CARD} is rejected",
}
ERROR = "redis.exceptions.ConnectionError: Error while reading from redis-main:6379 : (104, 'Connection reset by peer')"


def memory_in(folder: Path, space: str = SPACE) -> Memory:
    """The memory of a space in a folder, without a model."""
    return open_memory(Settings(store=str(folder), space=space, model="none"), clock=ManualClock(NOW))


def seeded(folder: Path, space: str = SPACE) -> Path:
    """A folder in which a space remembers the demo's history."""
    memory = memory_in(folder, space)
    seed(memory, now=NOW)
    memory.close()
    return folder


def seeded_today(folder: Path, space: str = SPACE) -> Path:
    """The same as seen from today, for programs that have a clock of their own; with the code of the demo's shop."""
    settings, now = Settings(store=str(folder), space=space, model="none"), datetime.now(UTC)
    memory = open_memory(settings)
    seed(memory, now=now)
    write_shop(folder.parent / "shop", now=now)
    workspaces = open_workspaces(settings, lambda _: memory)
    workspaces.add_folder(space, "shop", str(folder.parent / "shop"), by="ana", now=now)
    memory.commit(changes_of(card_on(workspaces.open(space, "shop"), now)), actor="hindcast", why="A proposal.")
    workspaces.close()
    memory.close()
    return folder


def card_on(code: Code, now: datetime) -> Card:
    """A card that changes how long the worker waits while nothing is due."""
    file = code.read("payment/worker/loop.py")
    text = file.text.replace("IDLE_SECONDS = 1.0", "IDLE_SECONDS = 5.0")
    edit, lines = Edit(file.path, file.digest, text), LineSpan(9, 9)
    made = Proposal(
        CardSource.TEAM_RULE, "Wait longer while nothing is due.", edit, lines, "It woke too often.", (), 0.7
    )
    return replace(dealt(made, file.text, incident=STORY, workspace="shop", at=now), id=CARD)


def desk_on(
    memory: Memory,
    *,
    actor: str = "agent:test",
    clean: Callable[[str], str] = str,
    telemetry: Telemetry | None = None,
) -> Desk:
    """A desk for somebody."""
    return Desk(memory, Recollect(memory, now=lambda: NOW), NOW, actor, clean, lambda: nullcontext(telemetry))
