"""How long it takes to be reminded, from the text to the answer, in a memory of very many cases."""

from __future__ import annotations

import gc
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from bench._cases import case, open_large, questions, story
from bench._recall_arms import only
from bench._world import VOCABULARY, read_once
from hindcast.adapters.footprint import GC_THRESHOLDS
from hindcast.build.mind import SWITCH_SECONDS
from hindcast.casebook import Casebook
from hindcast.clues import with_clues
from hindcast.memory import Memory
from hindcast.recall.arms import ARMS
from hindcast.recollect import Recollect

NOW = datetime(2026, 1, 1, tzinfo=UTC)
ASKED = 300
WARMING = 30
FRESH = 20
OTHER_SEED = 6


def measure(console: Console, cases: int) -> dict[str, float]:
    """The table, and the figures with the reranker."""
    with tempfile.TemporaryDirectory(prefix="hindcast-bench-") as folder:
        memory = open_large(Path(folder), cases)
        # As a server does (adapters/footprint.py, rest/settling.py).
        gc.collect()
        gc.freeze()
        gc.set_threshold(*GC_THRESHOLDS)
        sys.setswitchinterval(SWITCH_SECONDS)
        # Some machines drop what was written a minute ago from their memory, and would then measure their disk.
        read_once(Path(folder))
        texts = [one.text for one in questions(ASKED + WARMING)]
        whole = _milliseconds(memory, texts)
        with only(tuple(arm for arm in ARMS if arm != "tokens")):
            # Others: what the model has read lately it does not read again.
            quick = _milliseconds(memory, [one.text for one in questions(ASKED + WARMING, seed=OTHER_SEED)])
        fresh = _fresh(memory, cases)
        memory.close()
    table = Table("from text to answer", "p50 ms", "p99 ms", title=f"{cases:,} cases, {ASKED} questions")
    for name, (middle, p99) in (
        ("with the reranker", whole),
        ("without it", quick),
        ("a record written just now is the answer", fresh),
    ):
        table.add_row(name, f"{middle:.1f}", f"{p99:.1f}")
    console.print(table)
    return {"p50_ms": whole[0], "p99_ms": whole[1]}


def _milliseconds(memory: Memory, texts: Sequence[str]) -> tuple[float, float]:
    """Ask each question once, after some others that nobody counts: what was read lately is remembered."""
    door = Recollect(memory, now=lambda: NOW)
    for text in texts[ASKED:]:
        door.ask(text)
    taken = []
    for text in texts[:ASKED]:
        begin = time.perf_counter()
        door.ask(text)
        taken.append(time.perf_counter() - begin)
    return _told(taken)


def _fresh(memory: Memory, cases: int) -> tuple[float, float]:
    """Remember one more case and ask for it at once; the time counts from the question on."""
    casebook, door = Casebook(memory), Recollect(memory, now=lambda: NOW)
    stories = [story(number) for number in range(100)]
    taken = []
    for number in range(FRESH):
        names = VOCABULARY[-1 - 3 * number - 3 : -1 - 3 * number]
        title = f"{names[0]} stops at {names[1]} with {names[2].title()}Error"
        told = case(cases + number, stories)
        one = with_clues(replace(told, id=f"fresh-{number}", title=title, symptoms=(title,), stack=""))
        casebook.put(one, actor="bench", why="one more")
        begin = time.perf_counter()
        found = door.ask(title).recollection
        taken.append(time.perf_counter() - begin)
        assert found.remembered[0].case.id == one.id, "a new record is found by the next question"
    return _told(taken)


def _told(taken: Sequence[float]) -> tuple[float, float]:
    middle, p99 = np.percentile(np.array(taken) * 1_000, (50, 99))
    return float(middle), float(p99)
