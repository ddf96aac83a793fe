"""Why vectors are found by bits: our scan beside faiss, under the filter that a moment is.

`make bench NAME=vectors` prints, for vectors of which a tenth are visible, what each way takes in time and memory and
how much of the exact answer it finds. The last line holds the figures of ours as ratios against faiss's 8-bit scan.
"""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import faiss
import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

from bench._world import HashEmbedder, median, texts, timed
from hindcast.adapters.index_local.meaning import CUTS, SIMILARITY_MIN, Meaning, packed

VECTORS = 500_000
VISIBLE_SHARE = 0.1
QUERIES = 40
HITS = 10

Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Way:
    """One way to search, and what it took."""

    name: str
    milliseconds: float
    recall: float
    bytes_per_vector: int


def measure(name: str, size: int, search: Callable[[Floats], list[int]], queries: Floats, truth: list[set[int]]) -> Way:
    """Ask every query once; recall is the share of the exact first ten that were found."""
    found: list[list[int]] = []
    taken = [timed(lambda query=query: found.append(search(query)), 1)[0] for query in queries]  # type: ignore[misc]
    wanted = sum(map(len, truth))
    recall = sum(len(right & set(got)) for right, got in zip(truth, found, strict=True)) / wanted
    return Way(name, median(taken) * 1e3, recall, size)


def by_faiss(vectors: Floats, kind: int, mask: NDArray[np.bool_], rescored: int) -> Callable[[Floats], list[int]]:
    """A scalar-quantised scan under a bitmap, its best rescored exactly."""
    index = faiss.IndexScalarQuantizer(vectors.shape[1], kind, faiss.METRIC_INNER_PRODUCT)
    index.train(vectors[:50_000])
    index.add(vectors)
    bits = np.packbits(mask, bitorder="little")
    chosen = faiss.SearchParameters(sel=faiss.IDSelectorBitmap(bits))  # type: ignore[call-arg,arg-type]

    def search(query: Floats) -> list[int]:
        _, numbers = index.search(query[None], rescored, params=chosen)
        scores = np.einsum("ij,j->i", vectors[numbers[0]], query)
        best: list[int] = numbers[0][np.argsort(-scores)[:HITS]].tolist()
        return best

    return search


def main() -> int:
    """Measure and print."""
    faiss.omp_set_num_threads(1)
    model = HashEmbedder()
    written = texts(VECTORS, 30, seed=1)
    vectors = np.concatenate([model.embed(written[at : at + 10_000]) for at in range(0, VECTORS, 10_000)])
    rng = np.random.default_rng(2)
    mask = rng.random(VECTORS) < VISIBLE_SHARE
    visible = np.flatnonzero(mask)
    queries = model.embed([" ".join(text.split()[:5]) for text in written[:QUERIES]])
    # What is less alike than the floor is no answer, whoever looks.
    truth = []
    for query in queries:
        scores = np.einsum("ij,j->i", vectors[visible], query)
        best = np.argsort(-scores)[:HITS]
        truth.append(set(visible[best[scores[best] >= SIMILARITY_MIN]].tolist()))
    eight, four = faiss.ScalarQuantizer.QT_8bit, faiss.ScalarQuantizer.QT_4bit
    dims = vectors.shape[1]
    with tempfile.TemporaryDirectory(prefix="hindcast-bench-") as folder:
        ours = Meaning(Path(folder) / "vectors", dims)
        for at in range(0, VECTORS, 50_000):
            part = packed(vectors[at : at + 50_000])
            ours.add((at + number, row.tobytes()) for number, row in enumerate(part))
        ways = [
            measure("faiss 8 bits", dims, by_faiss(vectors, eight, mask, 40), queries, truth),
            measure("faiss 4 bits", dims // 2, by_faiss(vectors, four, mask, 200), queries, truth),
            measure(
                f"ours, {len(CUTS)} bits",
                dims * len(CUTS) // 8,
                lambda query: [version for version, _ in ours.search(query, ours.rows(visible), hits_max=HITS)],
                queries,
                truth,
            ),
        ]
    table = Table("way", "ms (median)", f"recall@{HITS}", "bytes in memory for a vector")
    for way in ways:
        table.add_row(way.name, f"{way.milliseconds:.1f}", f"{way.recall:.3f}", f"{way.bytes_per_vector}")
    Console(width=110).print(f"{VECTORS:,} vectors of {dims} dimensions, {len(visible):,} visible", table)
    peer, own = ways[0], ways[-1]
    print(
        f"vectors: time_vs_faiss8={own.milliseconds / peer.milliseconds:.2f} "
        f"memory_vs_faiss8={own.bytes_per_vector / peer.bytes_per_vector:.2f} recall={own.recall:.4f}"
    )
    return 0


if __name__ == "__main__":
    sys.exit(main())
