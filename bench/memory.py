"""How fast and how large memory is: against bare SQLite, against a peer, and when it has grown to a million versions.

`make bench NAME=memory` prints tables and, as its last line, the figures that are promised. `BENCH_ARGS=--quick` leaves
out the peer and grows to a tenth of the size, to see whether it runs at all.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

from rich.console import Console
from rich.table import Table

from bench import _bare, _million
from bench._world import NAMESPACE, median, open_bench, texts, tick, timed
from bench.peer import CASES, KEYS, PeerResult, fastest, peer_results
from hindcast.model.ids import Address
from hindcast.model.record import Change

CHANGED = 1_000
GROWN_VERSIONS = 1_000_000
SMALL_VERSIONS = 10_000


def own_cases(folder: Path, keys: int) -> dict[str, float]:
    """Our seconds for the peer's cases, on a memory with so many keys."""
    memory, _, clock = open_bench(folder)
    bodies = texts(keys, 12, seed=keys)
    load = [Change(Address(NAMESPACE, f"k{at}"), {"note": text}) for at, text in enumerate(bodies)]
    memory.commit(load, actor="bench", why="load")
    tick(clock)
    memory.snapshot("then", actor="bench", why="to read from")
    touched = [Change(Address(NAMESPACE, f"k{at}"), {"note": "changed"}) for at in range(min(CHANGED, keys))]
    memory.branch("side", actor="bench", why="to merge from")
    memory.commit(touched, actor="bench", why="on the side", branch="side")
    memory.commit([Change(Address(NAMESPACE, "other"), 1)], actor="bench", why="main moves on")
    view = memory.at("then")
    rng = random.Random(1)
    numbers = iter(range(10**6))

    def commit() -> None:
        memory.put(f"{NAMESPACE}/k{rng.randrange(keys)}", {"note": "one"}, actor="bench", why="one")

    cases: dict[str, tuple[Callable[[], object], int]] = {
        "commit": (commit, 50),
        "asof_get": (lambda: view.get(f"{NAMESPACE}/k{rng.randrange(keys)}"), 500),
        "asof_list": (lambda: view.list(records_max=1_000), 10),
        "branch": (lambda: memory.branch(f"b{next(numbers)}", actor="bench", why="one more"), 20),
        "diff": (lambda: memory.diff("then", "side"), 5),
        "merge": (lambda: memory.merge("side", actor="bench", why="join"), 1),
    }
    seconds = {case: median(timed(work, repeats)) for case, (work, repeats) in cases.items()}
    memory.close()
    return seconds


def against_bare(console: Console, folder: Path) -> list[_bare.Against]:
    """The first table."""
    results = _bare.measure(folder)
    table = Table("operation", "hindcast", "bare SQLite", "ratio", "limit", title="Against the limit")
    for one in results:
        table.add_row(
            one.name, f"{one.ours * 1e6:,.1f} µs", f"{one.bare * 1e6:,.1f} µs", f"{one.ratio:.2f} ×", one.limit
        )
    console.print(table)
    return results


def against_peer(console: Console, folder: Path) -> dict[str, str]:
    """The second table; for each case how many times longer the peer takes, at the largest size it finishes."""
    theirs = peer_results(KEYS, CASES)
    table = Table(
        "case", "keys", "hindcast", "peer", "door", "peer takes", "note", title="Against memoir-ai / prollytree"
    )
    times: dict[str, str] = {}
    for keys in KEYS:
        ours = own_cases(folder / f"own-{keys}", keys)
        for case in CASES:
            best = fastest(theirs, case, keys)
            tried = [one for one in theirs if (one.case, one.keys) == (case, keys)]
            table.add_row(case, f"{keys:,}", f"{ours[case] * 1e3:,.3f} ms", *_peer_cells(best, tried, ours[case]))
            if best is not None and best.seconds is not None:
                times[case] = f"{best.seconds / ours[case]:.0f}x@{keys}"
    console.print(table)
    return times


def _peer_cells(best: PeerResult | None, tried: list[PeerResult], ours: float) -> tuple[str, str, str, str]:
    notes = "; ".join(dict.fromkeys(one.note for one in tried if one.note))
    if best is None or best.seconds is None:
        return "–", "", "", notes
    return f"{best.seconds * 1e3:,.3f} ms", best.door, f"{best.seconds / ours:,.1f} ×", notes


def grown(console: Console, folder: Path, versions: int) -> tuple[_million.Grown, float]:
    """The third table, and how much slower a read at an old moment is than in a small memory."""
    small = _million.measure(folder / "small", SMALL_VERSIONS, search=False)
    large = _million.measure(folder / "large", versions, search=True)
    growth = large.get_seconds / small.get_seconds
    paths = f"{int(versions * _million.PATHS_SHARE):,} paths"
    table = Table("figure", "value", "limit", title=f"Grown to {versions:,} versions of {paths}")
    rows = (
        ("get at a random moment", f"{large.get_seconds * 1e6:.1f} µs", ""),
        (f"the same with {SMALL_VERSIONS:,} versions", f"{small.get_seconds * 1e6:.1f} µs", ""),
        ("growth", f"{growth:.2f} ×", "≤ 2 ×"),
        ("search, words and meaning, p50 / p99", _both(large.search_ms), "≤ 10 / 50 ms"),
        ("the first search of a process / while it warms up", _both(large.cold_ms), ""),
        ("search, words alone, p50 / p99", _both(large.words_ms), ""),
        ("words: hits equal to an exhaustive check", f"{large.words_same} of {large.checked}", "all"),
        ("meaning: share of the exhaustive first ten found", f"{large.meaning_recall:.4f}", ""),
        ("both: hits equal to an exhaustive check", f"{large.same} of {large.checked}", "all"),
        ("resident memory, opened and searched", f"{large.rss_mb:.0f} MB", "≤ 600 MB"),
        ("disk for each version, history with vectors", f"{large.bytes_per_version:,.0f} bytes", ""),
        ("disk for each version, index", f"{large.index_bytes_per_version:,.0f} bytes", ""),
        ("time to write and index it all", f"{large.build_seconds:.0f} s", ""),
    )
    for row in rows:
        table.add_row(*row)
    console.print(table)
    return large, growth


def _both(milliseconds: tuple[float, float]) -> str:
    return f"{milliseconds[0]:.1f} / {milliseconds[1]:.1f} ms"


def main() -> int:
    """Run everything and print the line that is promised."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--quick", action="store_true", help="without the peer, and a tenth of the size")
    chosen = parser.parse_args()
    console = Console(width=150)
    with tempfile.TemporaryDirectory(prefix="hindcast-bench-") as name:
        folder = Path(name)
        commit, batch, asof = against_bare(console, folder)
        large, growth = grown(console, folder, GROWN_VERSIONS // 10 if chosen.quick else GROWN_VERSIONS)
        peer = {} if chosen.quick else against_peer(console, folder)
    figures = {
        "commit_vs_bare": f"{commit.ratio:.2f}",
        "asof_get_vs_bare": f"{asof.ratio:.2f}",
        # Throughput: a third of the bare one is .33.
        "batch_vs_bare": f"{1 / batch.ratio:.2f}",
        "growth": f"{growth:.2f}",
        "search_p50_ms": f"{large.search_ms[0]:.1f}",
        "search_p99_ms": f"{large.search_ms[1]:.1f}",
        "rss_mb": f"{large.rss_mb:.0f}",
        "peer_commit": peer.get("commit", "none"),
        "peer_asof": peer.get("asof_get", "none"),
        "peer_merge": peer.get("merge", "none"),
    }
    print("memory:", " ".join(f"{figure}={value}" for figure, value in figures.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
