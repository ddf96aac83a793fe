"""What the benchmarks of memory share: made-up incident text, a stand-in embedder, memories in a folder."""

from __future__ import annotations

import gc
import os
import random
import statistics
import time
import zlib
from collections.abc import Callable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import islice
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hindcast.adapters.clock import ManualClock
from hindcast.adapters.index_local import LocalIndex
from hindcast.adapters.store_sql import SqlStore, open_store
from hindcast.memory import Memory
from hindcast.model.limits import MemoryLimits
from hindcast.ports import Embedder

NAMESPACE = "team"
START = datetime(2026, 1, 1, tzinfo=UTC)
SPACE = "bench"
_WORDS = 60_000
_RNG = random.Random(7)
_SYLLABLES = (
    "ba",
    "ce",
    "di",
    "fo",
    "gu",
    "ka",
    "le",
    "mi",
    "no",
    "pu",
    "ser",
    "vice",
    "pay",
    "data",
    "base",
    "time",
    "out",
)
VOCABULARY = ["".join(_RNG.choices(_SYLLABLES, k=3)) + f"{number:x}" for number in range(_WORDS)]
# Word frequencies fall off as in real text (Zipf), so that queries meet very common and very rare words.
_WEIGHTS = 1 / np.arange(1, _WORDS + 1) ** 1.05
_CUMULATIVE = np.cumsum(_WEIGHTS / _WEIGHTS.sum())


def texts(count: int, words: int, seed: int) -> list[str]:
    """Made-up texts of so many words on average, some short and some long, with the word frequencies of real ones."""
    rng = np.random.default_rng(seed)
    lengths = rng.integers(words // 2, words + words // 2 + 1, count)
    drawn = iter(np.searchsorted(_CUMULATIVE, rng.random(int(lengths.sum()))).tolist())
    return [
        " ".join(VOCABULARY[min(word, _WORDS - 1)] for word in islice(drawn, length)) for length in lengths.tolist()
    ]


class HashEmbedder:
    """Stands in for a model: a text is the sum of one fixed random vector for each of its words.

    It costs almost nothing, so that what is measured is the search; a real model adds milliseconds of its own.
    """

    model = "bench-hash"
    dims = 384

    def __init__(self) -> None:
        self._table = np.random.default_rng(1).standard_normal((4_096, self.dims)).astype(np.float32)
        self._rows: dict[str, int] = {}

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One vector of unit length for each text."""
        made = np.empty((len(texts), self.dims), np.float32)
        for at, text in enumerate(texts):
            self._table[[self._row(word) for word in text.split()[:64]]].sum(axis=0, out=made[at])
        made /= np.linalg.norm(made, axis=1, keepdims=True)
        return made

    def _row(self, word: str) -> int:
        known = self._rows.get(word)
        if known is None:
            known = self._rows[word] = zlib.crc32(word.encode()) % 4_096
        return known


def open_bench(
    folder: Path, *, index: bool = False, embedder: Embedder | None = None
) -> tuple[Memory, SqlStore, ManualClock]:
    """A memory in a folder, with a clock that the benchmark moves."""
    clock = ManualClock(START)
    store = open_store(folder, SPACE, now=START)
    local = LocalIndex(folder / "index", store, embedder) if index else None
    limits = MemoryLimits(changes_per_commit_max=200_000)
    return Memory(store, clock=clock, entropy=os.urandom, index=local, limits=limits), store, clock


def tick(clock: ManualClock) -> None:
    """Let a minute pass, so that every commit has a time of its own."""
    clock.move(timedelta(minutes=1))


def timed(work: Callable[[], object], repeats: int) -> list[float]:
    """Seconds of each run, with the garbage collector held back."""
    taken = []
    gc.collect()
    gc.disable()
    try:
        for _ in range(repeats):
            begin = time.perf_counter()
            work()
            taken.append(time.perf_counter() - begin)
    finally:
        gc.enable()
    return taken


def median(seconds: Sequence[float]) -> float:
    """The middle one."""
    return statistics.median(seconds)


def read_once(folder: Path) -> None:
    """Have all files of a folder in the machine's memory, as those are that somebody works with all day."""
    for file in folder.rglob("*"):
        if file.is_file():
            with file.open("rb") as opened:
                while opened.read(1 << 24):
                    pass
