"""A desk with the demo's year of history on it, for tests of tools."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import nullcontext
from datetime import UTC, datetime
from pathlib import Path

from hindcast.adapters.clock import ManualClock
from hindcast.build import open_memory
from hindcast.config import Settings
from hindcast.memory import Memory
from hindcast.ports import Telemetry
from hindcast.recollect import Recollect
from hindcast.seeding import seed
from hindcast.toolbox import Desk

NOW = datetime(2026, 11, 16, 2, 0, tzinfo=UTC)
SPACE = "team"
STORY = "past-redis-worker-pool"
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
}
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
    """The same as seen from today, for programs that have a clock of their own."""
    memory = open_memory(Settings(store=str(folder), space=space, model="none"))
    seed(memory, now=datetime.now(UTC))
    memory.close()
    return folder


def desk_on(
    memory: Memory,
    *,
    actor: str = "agent:test",
    clean: Callable[[str], str] = str,
    telemetry: Telemetry | None = None,
) -> Desk:
    """A desk for somebody."""
    return Desk(memory, Recollect(memory, now=lambda: NOW), NOW, actor, clean, lambda: nullcontext(telemetry))
