"""The demo's payment service failing as it did before, with its code beside it: for tests of cards."""

from __future__ import annotations

import shlex
import shutil
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from tests.keyboard import Said, typed

from hindcast.adapters.clock import ManualClock
from hindcast.build import open_memory
from hindcast.build.shop import write_shop
from hindcast.build.workspaces import open_workspaces
from hindcast.casebook import Casebook
from hindcast.cli import session
from hindcast.clues import clues_of
from hindcast.config import Settings
from hindcast.memory import Memory
from hindcast.model.case import Case
from hindcast.seeding import seed
from hindcast.simulate.history import cases
from hindcast.simulate.shop import printed_today

NOW = datetime(2026, 11, 16, 2, 0, tzinfo=UTC)
STORY = "past-redis-worker-pool"
INCIDENT = "inc-redis-again"
NEXT = "inc-redis-once-more"
LOOP = "payment/worker/loop.py"
PRODUCTION = "config/production.toml"
RELEASE = "ctx.redis.connection_pool.release(ctx.redis.connection)"
WORKSPACE = "shop"
# What somebody might write instead of a card, and a rule can be made of.
PUT = "self.queue.put(task, delay_s=self.retry_s)"
PUT_LESS = "self.queue.put(task, delay_s=self.retry_s, tries_max=3)"
SPACE = "team"


@cache
def stack() -> str:
    """What the worker prints when it fails today."""
    story = next(case for case in cases(now=NOW) if case.id == STORY)
    return printed_today(story.stack)


def code_in(folder: Path) -> Path:
    """The service's repository."""
    write_shop(folder, now=NOW)
    return folder


def begun(memory: Memory, *incidents: str) -> None:
    """Let a memory know a year of history, and the same failure again under each of these names."""
    seed(memory, now=NOW)
    for number, name in enumerate(incidents or (INCIDENT,)):
        fail(memory, name, at=NOW - timedelta(minutes=30 - number))


def fail(memory: Memory, incident: str, *, at: datetime = NOW) -> None:
    """Let the worker fail once more."""
    last = stack().strip().splitlines()[-1]
    case = Case(
        incident,
        "Payment workers lose redis again",
        at,
        services=("payment",),
        symptoms=(last,),
        stack=stack(),
        clues=clues_of(last, stack=stack()),
    )
    Casebook(memory).put(case, actor="hindcast", why="It failed.")


@dataclass
class FixKeyboard:
    """Types command lines about fixes, a minute after the other."""

    capture: pytest.CaptureFixture[str]
    patch: pytest.MonkeyPatch
    clock: ManualClock
    code: Path

    def __call__(self, line: str, *, stdin: str = "", terminal: bool = False) -> Said:
        """Run `hindcast fix LINE`."""
        self.clock.move(timedelta(minutes=1))
        return typed(["fix", *shlex.split(line)], self.capture, self.patch, stdin=stdin, terminal=terminal)

    def ok(self, line: str, *, stdin: str = "", terminal: bool = False) -> Said:
        """A command that has to work."""
        said = self(line, stdin=stdin, terminal=terminal)
        assert said.code == 0, said.err
        return said

    def json(self, line: str, *, stdin: str = "") -> dict[str, Any]:
        """What a command answers to a script."""
        return self.ok(f"{line} --json", stdin=stdin).document

    def card(self, path: str = LOOP) -> str:
        """The id of the card that changes a file."""
        (found,) = [one["id"] for one in self.json(f"list {INCIDENT}")["cards"] if one["path"] == path]
        return str(found)

    def text(self, path: str = LOOP) -> str:
        """A file as it is."""
        return (self.code / path).read_text(encoding="utf-8")


def memory_begun(folder: Path) -> Path:
    """A store in a folder that knows the history and the failure; made once for all tests of a run, and copied."""
    made = folder.parent / "begun-once"
    if not made.exists():
        memory = open_memory(Settings(store=str(made), space=SPACE, actor="ana", model="none"), clock=ManualClock(NOW))
        begun(memory)
        memory.close()
    shutil.copytree(made, folder / "memory")
    return folder / "memory"


def fix_keyboard(folder: Path, capture: pytest.CaptureFixture[str], patch: pytest.MonkeyPatch) -> FixKeyboard:
    """A keyboard at a machine with the code of a service that fails again, and nothing that listens."""
    clock = ManualClock(NOW)
    settings = Settings(store=str(memory_begun(folder)), space=SPACE, actor="ana", model="none")
    code = code_in(folder / "shop")
    memory = open_memory(settings, clock=clock)
    workspaces = open_workspaces(settings, lambda _: memory)
    workspaces.add_folder(SPACE, WORKSPACE, str(code), by="ana", now=NOW)
    workspaces.close()
    memory.close()
    for name, value in {
        "HINDCAST_STORE": settings.store,
        "HINDCAST_SPACE": SPACE,
        "HINDCAST_ACTOR": "ana",
        "HINDCAST_MODEL": "none",
        "HINDCAST_CONFIG": str(folder / "none.toml"),
        "COLUMNS": "160",
    }.items():
        patch.setenv(name, value)
    (folder / "none.toml").write_text("")
    patch.setattr(session, "clock", clock)
    return FixKeyboard(capture, patch, clock, code)
