"""How long it takes to be reminded, from the text to the answer, in a memory of very many cases."""

from __future__ import annotations

import gc
import json
import random
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

from bench._cases import case, open_large, questions, stories
from bench._recall_own import WITHOUT_MODEL, WITHOUT_RERANKER
from bench._train_data import SET
from bench._world import VOCABULARY, read_once
from hindcast.adapters.runtime import GC_THRESHOLDS
from hindcast.casebook import Casebook
from hindcast.clues import with_clues
from hindcast.memory import Memory
from hindcast.recall.limits import LIMITS, RecallLimits
from hindcast.recollect import Recollect
from hindcast.rest.settling import SWITCH_SECONDS

NOW = datetime(2026, 1, 1, tzinfo=UTC)
# What people would type at 2 AM. Questions that nobody looks at while tuning may be timed.
WRITTEN, OTHERS_WRITTEN = ("dev.jsonl", "seed.jsonl"), ("held.jsonl",)
MADE_UP = 330
# The first of each are not counted: files are opened, and what was read lately is remembered.
WARMING = 30
FRESH = 20
OTHER_SEED = 6


def measure(console: Console, cases: int) -> dict[str, float]:
    """The table, and the figures with the reranker."""
    with tempfile.TemporaryDirectory(prefix="hindcast-bench-") as folder:
        memory = open_large(Path(folder), cases)
        # As a server does (adapters/runtime.py, rest/settling.py).
        gc.collect()
        gc.freeze()
        gc.set_threshold(*GC_THRESHOLDS)
        sys.setswitchinterval(SWITCH_SECONDS)
        # Some machines drop what was written a minute ago from their memory, and would then measure their disk.
        read_once(Path(folder))
        whole = _milliseconds(memory, written(*WRITTEN))
        made_up = _milliseconds(memory, [one.text for one in questions(MADE_UP)])
        # Other questions than before: what was read lately is not read again. The first way needs no model.
        theirs = written(*OTHERS_WRITTEN)
        others = [one.text for one in questions(MADE_UP, seed=OTHER_SEED)]
        without, made_up_without = (_milliseconds(memory, texts, WITHOUT_MODEL) for texts in (theirs, others))
        quick, made_up_quick = (_milliseconds(memory, texts, WITHOUT_RERANKER) for texts in (theirs, others))
        fresh = _fresh(memory, cases)
        memory.close()
    table = Table("from text to answer", "questions", "p50 ms", "p99 ms", title=f"{cases:,} cases")
    for name, taken in (
        ("as people ask, with the reranker", whole),
        ("  without a model", without),
        ("  without it, the model reading all the same", quick),
        ("in words that are in no dictionary, with the reranker", made_up),
        ("  without a model", made_up_without),
        ("  without it, the model reading all the same", made_up_quick),
        ("a record written just now is the answer", fresh),
    ):
        table.add_row(name, str(len(taken)), f"{np.percentile(taken, 50):.1f}", f"{np.percentile(taken, 99):.1f}")
    console.print(table)
    return {"p50_ms": float(np.percentile(whole, 50)), "p99_ms": float(np.percentile(whole, 99))}


def written(*names: str) -> list[str]:
    """Labelled questions, in an order that is always the same and mixes short with long ones."""
    lines = [line for name in names for line in (SET / name).read_text(encoding="utf-8").splitlines() if line.strip()]
    texts = [str(json.loads(line)["text"]) for line in lines]
    return random.Random(1).sample(texts, len(texts))


def _milliseconds(memory: Memory, texts: Sequence[str], limits: RecallLimits = LIMITS) -> list[float]:
    """Ask each question once, after some others that nobody counts."""
    door = Recollect(memory, now=lambda: NOW, limits=limits)
    taken = []
    for turn, text in enumerate(texts):
        begin = time.perf_counter()
        door.ask(text)
        if turn >= WARMING:
            taken.append((time.perf_counter() - begin) * 1e3)
    return taken


def _fresh(memory: Memory, cases: int) -> list[float]:
    """Remember one more case and ask for it at once; the time counts from the question on."""
    casebook, door = Casebook(memory), Recollect(memory, now=lambda: NOW)
    known = stories(100)
    taken = []
    for number in range(FRESH):
        names = VOCABULARY[-1 - 3 * number - 3 : -1 - 3 * number]
        title = f"{names[0]} stops at {names[1]} with {names[2].title()}Error"
        told = case(cases + number, known)
        one = with_clues(replace(told, id=f"fresh-{number}", title=title, symptoms=(title,), stack=""))
        casebook.put(one, actor="bench", why="one more")
        begin = time.perf_counter()
        found = door.ask(title).recollection
        taken.append((time.perf_counter() - begin) * 1e3)
        assert found.remembered[0].case.id == one.id, "a new record is found by the next question"
    return taken
