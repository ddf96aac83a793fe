"""Asking in tests: a desk on a real memory, and somebody who answers, with a scripted model or without one."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from tests.openai_server import OpenAIServer

from hindcast.adapters.clock import ManualClock
from hindcast.adapters.llm_model import ModelLLM
from hindcast.ask import Asker, AskLimits
from hindcast.ask.events import Answer, Called, Done, Event, Found
from hindcast.build import open_memory
from hindcast.config import Settings
from hindcast.memory import Memory
from hindcast.recollect import Recollect
from hindcast.seeding import seed
from hindcast.toolbox import Desk

# A Monday.
NOW = datetime(2026, 11, 16, 8, 0, tzinfo=UTC)
# When the demo's history was learnt.
LEARNT = datetime(2026, 11, 2, 12, 0, tzinfo=UTC)


@contextmanager
def seeded(folder: Path, space: str = "local", *, now: datetime = NOW) -> Iterator[Memory]:
    """A memory with the demo's year of history, without a model that gives texts a meaning."""
    settings = Settings(store=str(folder), space=space, model="none", actor="ana")
    clock = ManualClock(LEARNT)
    memory = open_memory(settings, clock=clock)
    seed(memory, now=now)
    clock.set(now)
    try:
        yield memory
    finally:
        memory.close()


def desk_of(memory: Memory, *, now: datetime = NOW) -> Desk:
    """A desk without telemetry."""
    return Desk(memory, Recollect(memory, now=lambda: now), now, "ana", str, lambda: nullcontext(None))


@dataclass(frozen=True)
class Asked:
    """Everything that happened while a question was answered."""

    events: tuple[Event, ...]

    @property
    def answer(self) -> Answer:
        """The answer."""
        done = self.events[-1]
        assert isinstance(done, Done), done
        return done.answer

    @property
    def calls(self) -> list[str]:
        """The tools that were called, in order."""
        return [event.tool for event in self.events if isinstance(event, Called)]

    @property
    def refused(self) -> list[str]:
        """The tools whose calls were refused."""
        return [event.tool for event in self.events if isinstance(event, Found) and event.is_error]

    @property
    def cited(self) -> list[str]:
        """The sentences that pass as resting on a record."""
        return [sentence.text for sentence in self.answer.sentences if sentence.citations]

    @property
    def text(self) -> str:
        """Everything that a reader of the answer sees."""
        return "\n".join([*(sentence.text for sentence in self.answer.sentences), *self.answer.notes])


def asked(
    question: str,
    desk: Desk,
    server: OpenAIServer | None = None,
    *,
    at: str = "",
    tokens_max: int = 50_000,
    seconds_max: float = 30.0,
    calls_max: int = 12,
) -> Asked:
    """Ask a question, of a scripted model or of nobody but the tools."""
    llm = ModelLLM("openai:scripted", url=server.url) if server is not None else None
    limits = AskLimits(tokens_max, seconds_max, calls_max)
    asker = Asker(llm, limits, seconds=time.monotonic, entropy=os.urandom)
    return Asked(tuple(asker.ask(question, desk, at=at)))
