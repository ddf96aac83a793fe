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


def desk_on(
    memory: Memory,
    *,
    actor: str = "agent:test",
    clean: Callable[[str], str] = str,
    telemetry: Telemetry | None = None,
) -> Desk:
    """A desk for somebody."""
    return Desk(memory, Recollect(memory, now=lambda: NOW), NOW, actor, clean, lambda: nullcontext(telemetry))
