"""Memory when it has grown: a million versions of a hundred thousand paths, read and searched at random moments."""

from __future__ import annotations

import json
import random
import resource
import sqlite3
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from bench._world import NAMESPACE, HashEmbedder, median, open_bench, read_once, texts, tick, timed
from hindcast.adapters.clock import ManualClock
from hindcast.adapters.index_local import LocalIndex
from hindcast.adapters.index_local.meaning import SCALE, SIMILARITY_MIN
from hindcast.adapters.store_sql import SqlStore
from hindcast.memory import Memory, View
from hindcast.memory.search import CANDIDATES_MIN, fuse
from hindcast.model.ids import Address
from hindcast.model.query import Query
from hindcast.model.record import Change, Commit
from hindcast.ports import Embedder

PATHS_SHARE = 0.1
VERSIONS_PER_COMMIT = 100
COMMITS_PER_ROUND = 100
WORDS_PER_TEXT = 30
WORDS_PER_QUERY = 5
SEARCHES = 300
# A process that has just begun reads its index from the disk; once the files are in the machine's memory and so many
# searches are made, it answers as it will all day. What the first ones take is printed too.
WARM_UP = 50
CHECKED = 60
READS = 2_000


@dataclass(frozen=True, slots=True)
class Grown:
    """What was measured on a memory of one size."""

    versions: int
    get_seconds: float
    search_ms: tuple[float, float]
    # The very first search of a process, and the middle one of those that follow while it warms up.
    cold_ms: tuple[float, float]
    words_ms: tuple[float, float]
    # Searches whose hits were those of an exhaustive check, and how many were checked.
    same: int
    words_same: int
    meaning_recall: float
    checked: int
    rss_mb: float
    bytes_per_version: float
    index_bytes_per_version: float
    build_seconds: float


def build(memory: Memory, versions: int, clock: ManualClock) -> None:
    """Write a history: every path is there early, and is then written over at random."""
    rng = random.Random(versions)
    paths = int(versions * PATHS_SHARE)
    fresh = iter(range(paths))
    size = VERSIONS_PER_COMMIT * COMMITS_PER_ROUND
    for start in range(0, versions, size):
        words = texts(size, WORDS_PER_TEXT, seed=start)
        for commit in range(COMMITS_PER_ROUND):
            chosen: dict[int, None] = {}
            while len(chosen) < VERSIONS_PER_COMMIT:
                # A third of what is written is new, until all paths are there.
                new = next(fresh, None) if rng.random() < 1 / 3 or not start else None
                chosen[new if new is not None else rng.randrange(paths)] = None
            part = words[commit * VERSIONS_PER_COMMIT : (commit + 1) * VERSIONS_PER_COMMIT]
            changes = [
                Change(Address(NAMESPACE, f"p{path}"), {"note": text}) for path, text in zip(chosen, part, strict=True)
            ]
            tick(clock)
            memory.commit(changes, actor="bench", why="grow")


def measure(folder: Path, versions: int, *, search: bool) -> Grown:
    """Build a memory of this size and measure it."""
    memory, _, clock = open_bench(folder, index=search, embedder=HashEmbedder() if search else None)
    begin = time.perf_counter()
    build(memory, versions, clock)
    if search:
        memory.index()
    built = time.perf_counter() - begin
    get_seconds = _as_of_reads(memory, versions)
    file = sum(part.stat().st_size for part in folder.glob("bench.db*"))
    if not search:
        memory.close()
        return Grown(versions, get_seconds, (0, 0), (0, 0), (0, 0), 0, 0, 0, 0, 0, file / versions, 0, built)
    memory.close()
    index = sum(part.stat().st_size for part in (folder / "index").rglob("*") if part.is_file())
    measured = _in_fresh_process(folder)
    return Grown(
        versions=versions,
        get_seconds=get_seconds,
        search_ms=(measured["p50"], measured["p99"]),
        cold_ms=(measured["first"], measured["warming"]),
        words_ms=(measured["words_p50"], measured["words_p99"]),
        same=int(measured["same"]),
        words_same=int(measured["words_same"]),
        meaning_recall=measured["meaning_recall"],
        checked=int(measured["checked"]),
        rss_mb=measured["rss_mb"],
        bytes_per_version=file / versions,
        index_bytes_per_version=index / versions,
        build_seconds=built,
    )


def _as_of_reads(memory: Memory, versions: int) -> float:
    """Seconds for one `get`, at random moments: random addresses, most of them written over since."""
    rng = random.Random(11)
    last = memory.log(commits_max=1)[0].seq
    views = [memory.at(commit) for commit in memory.log(commits_max=50, before=last - last // 4)]
    places = [f"{NAMESPACE}/p{rng.randrange(int(versions * PATHS_SHARE))}" for _ in range(READS)]

    def read() -> None:
        for at, place in enumerate(places):
            views[at % len(views)].find(place)

    read()
    return median(timed(read, 7)) / READS


def _in_fresh_process(folder: Path) -> dict[str, float]:
    """Open what was built in a process that built nothing: its memory is what opening and searching take."""
    command = [sys.executable, "-m", "bench._million", str(folder)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    answer: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return answer


def _questions(store: SqlStore, count: int) -> list[tuple[int, str]]:
    """Random moments, each with a few words of a text from somewhere in the history."""
    rng = random.Random(23)
    tip = store.tip()
    asked = []
    for _ in range(count):
        version = rng.randrange(1, tip.version + 1)
        note = str(next(store.rows(after=version - 1, until=version)).body)
        words = note.split('"')[3].split()
        asked.append((rng.randrange(1, tip.seq + 1), " ".join(rng.sample(words, WORDS_PER_QUERY))))
    return asked


def main() -> None:
    """Search an existing memory, check some answers against an exhaustive look, and print the figures as JSON."""
    folder = Path(sys.argv[1])
    embedder = HashEmbedder()
    memory, store, _ = open_bench(folder, index=True, embedder=embedder)
    questions = _questions(store, WARM_UP + SEARCHES)
    commits = {commit.seq: commit for commit in _commits(store, {seq for seq, _ in questions})}
    views = [(memory.at(commits[seq]), text) for seq, text in questions]
    cold = [timed(lambda view=view, text=text: view.search(text), 1)[0] for view, text in views[:WARM_UP]]  # type: ignore[misc]
    views = views[WARM_UP:]
    read_once(folder / "index")
    both = [timed(lambda view=view, text=text: view.search(text), 1)[0] for view, text in views]  # type: ignore[misc]
    rss_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    only = [
        timed(lambda view=view, text=text: view.search(Query(text, arms=("words",))), 1)[0]  # type: ignore[misc]
        for view, text in views
    ]
    index = memory._index
    assert isinstance(index, LocalIndex)
    exact = Exhaustive(folder, index, embedder)
    checks = [exact.compare(view, text) for view, text in views[:CHECKED]]
    figures = {
        "p50": float(np.percentile(both, 50) * 1e3),
        "p99": float(np.percentile(both, 99) * 1e3),
        "first": cold[0] * 1e3,
        "warming": float(np.percentile(cold[1:], 50) * 1e3),
        "words_p50": float(np.percentile(only, 50) * 1e3),
        "words_p99": float(np.percentile(only, 99) * 1e3),
        "rss_mb": rss_mb,
        "same": sum(same for same, _, _ in checks),
        "words_same": sum(same for _, same, _ in checks),
        "meaning_recall": sum(recall for _, _, recall in checks) / CHECKED,
        "checked": CHECKED,
    }
    print(json.dumps(figures))


def _commits(store: SqlStore, wanted: set[int]) -> list[Commit]:
    return [store.commits(None, before=seq + 1, after=seq - 1, commits_max=1)[0] for seq in wanted]


class Exhaustive:
    """Scores every visible version. Which are visible comes from plain SQL, not from the index."""

    def __init__(self, folder: Path, index: LocalIndex, embedder: Embedder) -> None:
        self._raw = sqlite3.connect(folder / "bench.db")
        self._words = index._words
        assert index._vectors is not None
        self._meaning = index._vectors.meaning
        self._vectors = np.memmap(self._meaning.folder / "vectors", np.int16).reshape(-1, embedder.dims)
        self._embedder = embedder

    def compare(self, view: View, text: str) -> tuple[bool, bool, float]:
        """Whether the search finds the same, whether its words do, and how many of the nearest ten it finds."""
        query = "SELECT max(id) FROM version WHERE from_seq <= ? GROUP BY address"
        visible = np.array([row[0] for row in self._raw.execute(query, (view.moment.seq,))])
        words, meaning = self._by_words(text, set(visible.tolist())), self._by_meaning(text, visible)
        expected = [sight.version for sight in fuse({"words": words, "meaning": meaning})[:10]]
        found = {arms: view.search(Query(text, arms=arms)) for arms in (None, ("words",), ("meaning",))}
        numbers = {arms: [hit.record.version for hit in answer.hits] for arms, answer in found.items()}
        nearest = {version for version, _ in meaning[:10]}
        return (
            numbers[None] == expected,
            numbers["words",] == [version for version, _ in words[:10]],
            len(nearest & set(numbers["meaning",])) / len(nearest) if nearest else 1.0,
        )

    def _by_words(self, text: str, visible: set[int]) -> tuple[tuple[int, float], ...]:
        searcher = self._words._searcher
        query = self._words._query(self._words.telling(self._words.terms(text)))
        hits = searcher.search(query, searcher.num_docs, count=False).hits
        numbers = searcher.fast_field_values("version", [address for _, address in hits])
        scored = ((int(str(number)), round(float(score), 4)) for number, (score, _) in zip(numbers, hits, strict=True))
        return tuple(
            sorted((one for one in scored if one[0] in visible), key=lambda one: (-one[1], -one[0]))[:CANDIDATES_MIN]
        )

    def _by_meaning(self, text: str, visible: NDArray[np.int64]) -> tuple[tuple[int, float], ...]:
        asked = np.asarray(self._embedder.embed([text])[0], np.float32)
        visible = np.sort(visible)
        rows = self._meaning.rows(visible)
        scores = np.empty(len(rows), np.float32)
        for at in range(0, len(rows), 10_000):
            part = self._vectors[rows[at : at + 10_000]].astype(np.float32)
            scores[at : at + 10_000] = np.einsum("ij,j->i", part, asked) / SCALE
        best = np.lexsort((-visible, -scores))[:CANDIDATES_MIN]
        return tuple((int(visible[at]), float(scores[at])) for at in best if scores[at] >= SIMILARITY_MIN)


if __name__ == "__main__":
    main()
