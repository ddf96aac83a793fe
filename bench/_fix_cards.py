"""How long cards take for an incident whose recall is done, in a repository of 5,000 files.

The demo's project lies among generated packages with configuration of their own, in a real repository. Cold is the
first deck of a workspace that nobody has looked at; again is the deck worked out anew because a file has changed; warm
is the deck that is ready and only has to be found still right.
"""

from __future__ import annotations

import os
import random
import shutil
import tempfile
import time
from datetime import UTC, datetime
from pathlib import Path
from statistics import median

import pygit2

from hindcast.adapters.clock import ManualClock
from hindcast.adapters.runtime import seldom_collecting
from hindcast.build import open_memory
from hindcast.build.fixes import open_fixes
from hindcast.build.workspaces import open_workspaces
from hindcast.casebook import Casebook
from hindcast.clues import with_clues
from hindcast.config import Settings
from hindcast.fixes import Fixes
from hindcast.memory import Memory
from hindcast.model.case import Case
from hindcast.recollect import Recollect
from hindcast.seeding import seed
from hindcast.simulate.history import cases
from hindcast.simulate.shop import files, printed_today

NOW = datetime(2026, 11, 16, 2, 0, tzinfo=UTC)
INCIDENT = "inc-20261116-0200-payment"
SPACE = "team"
FILES = 5_000
# Of the generated ones, every twelfth holds settings, which is more than most projects have.
CONFIGURATION_EVERY = 12
WORKSPACES = 3
WARM_RUNS = 20
AGAIN_RUNS = 7
AN_HOUR_AGO = time.time() - 3600


def measure() -> dict[str, float]:
    """The figures, in milliseconds: the slowest of the cold ones, the median of the others."""
    folder = Path(tempfile.mkdtemp(prefix="bench-cards-"))
    try:
        settings = Settings(store=str(folder / "store"), space=SPACE, model="none")
        memory = open_memory(settings, clock=ManualClock(NOW))
        try:
            # As a server does.
            with seldom_collecting():
                return _measured(folder, settings, memory)
        finally:
            memory.close()
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _measured(folder: Path, settings: Settings, memory: Memory) -> dict[str, float]:
    seed(memory, now=NOW)
    _remember_incident(memory)
    answered = Recollect(memory, now=lambda: NOW).about(INCIDENT)
    workspaces = open_workspaces(settings, lambda _: memory)
    fixes = open_fixes(settings, lambda _: memory, _nobody, workspaces, answered=lambda *_: answered)
    cold, again, warm = [], [], []
    for number in range(WORKSPACES):
        root = folder / f"project-{number}"
        write_project(root, number=number)
        workspaces.add_folder(SPACE, f"project-{number}", str(root), by="bench", now=NOW)
        cold.append(_took(fixes, number))
        warm += [_took(fixes, number) for _ in range(WARM_RUNS)]
        for run in range(AGAIN_RUNS):
            loop = root / "payment/worker/loop.py"
            loop.write_text(f"{loop.read_text(encoding='utf-8')}# {run}\n", encoding="utf-8")
            again.append(_took(fixes, number))
    workspaces.close()
    return {"cards_ms": max(cold), "cards_again_ms": median(again), "cards_warm_ms": median(warm)}


def _nobody(_: str) -> Recollect:
    raise AssertionError("memory was asked before")


def _took(fixes: Fixes, number: int) -> float:
    started = time.perf_counter()
    deck = fixes.decks.deck(SPACE, INCIDENT, workspace=f"project-{number}", now=NOW)
    took = (time.perf_counter() - started) * 1000
    assert len(deck.cards) >= 2, "the cards of the demo are not there"
    return took


def _remember_incident(memory: Memory) -> None:
    story = next(case for case in cases(now=NOW) if case.id == "past-redis-worker-pool")
    case = Case(INCIDENT, "payment fails", NOW, stack=printed_today(story.stack), services=("payment",),
                symptoms=story.symptoms[:1])  # fmt: skip
    Casebook(memory).put(with_clues(case), actor="bench", why="It happens again.")


def write_project(root: Path, *, number: int) -> None:
    """A repository of 5,000 files: the demo's, and packages that were never part of it."""
    made = dict(files())
    chance = random.Random(number)
    for index in range(FILES - len(made)):
        # A dozen files to a folder, one of which holds its settings.
        package = f"packages/team_{index % 20:02}/part_{index // 240:02}"
        if index // 20 % CONFIGURATION_EVERY == 0:
            made[f"{package}/{('production', 'staging')[index % 2]}.yaml"] = _settings(chance)
        else:
            made[f"{package}/module_{index}.py"] = _module(index, chance)
    for path, text in made.items():
        (root / path).parent.mkdir(parents=True, exist_ok=True)
        (root / path).write_text(text, encoding="utf-8")
        # As if it had been written before: what is as young as the index has to be read again by whoever asks git.
        os.utime(root / path, (AN_HOUR_AGO, AN_HOUR_AGO))
    repository = pygit2.init_repository(str(root), initial_head="main")
    repository.index.add_all()
    repository.index.write()
    who = pygit2.Signature("bench", "bench@example.com", int(NOW.timestamp()), 0)
    repository.create_commit("HEAD", who, who, "All of it", repository.index.write_tree(), [])


def _settings(chance: random.Random) -> str:
    parts = ["service:", f"  name: part-{chance.randrange(10_000)}"]
    for name in ("http", "database", "cache", "queue"):
        parts += [f"{name}:", f"  timeout_seconds: {chance.randrange(1, 60)}", f"  retries: {chance.randrange(5)}"]
        parts += [f"  limit: {chance.randrange(10, 500)}", f"  url: {name}://{name}-main:{chance.randrange(9_999)}/0"]
    return "\n".join(parts) + "\n"


def _module(index: int, chance: random.Random) -> str:
    functions = [
        f"def step_{index}_{one}(items, limit={chance.randrange(100)}):\n"
        f'    """Take what fits."""\n'
        f"    return [item for item in items if item.size < limit][: {chance.randrange(2, 50)}]\n"
        for one in range(6)
    ]
    return '"""One step among many."""\n\n\n' + "\n\n".join(functions)


if __name__ == "__main__":
    for name, value in measure().items():
        print(f"{name}={value:.1f}")
