"""The vector index: every version's vector on disk, one bit for each dimension in memory.

A search first compares bits (numpy, under the mask of what may be seen) and then scores the nearest thousand with their
full vectors. No graph, no clusters: an exact scan keeps its recall under any filter, and a filter is what a moment is.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hindcast.adapters.index_local.catalog import Mask

# How many of the nearest by bits are scored in full: at least so many, and at least this share of what is visible.
SCORED_MIN = 1_000
SCORED_SHARE = 0.02
# Fewer visible vectors than this are all scored in full.
BITS_FROM = 4_000

Floats = NDArray[np.float32]


def rotation(dims: int) -> Floats:
    """A fixed turn of the space, after which every bit tells about as much as any other."""
    turned, _ = np.linalg.qr(np.random.default_rng(dims).standard_normal((dims, dims)))
    return turned.astype(np.float32)


class Meaning:
    """Vectors of one model in a folder. Row order is the order of adding; `versions` says whose each row is."""

    def __init__(self, folder: Path, dims: int) -> None:
        self.folder = folder
        self._dims = dims
        self._words = -(-dims // 64)
        self._turn = rotation(dims)
        self._versions = np.zeros(0, np.int64)
        self._row_of = np.zeros(0, np.int32)
        self._bits = np.zeros((0, self._words), np.uint64)
        self._vectors: NDArray[np.float16] = np.zeros((0, dims), np.float16)
        folder.mkdir(parents=True, exist_ok=True)
        self.reload()

    @property
    def _sizes(self) -> tuple[tuple[str, int], ...]:
        """The three files and how many bytes a row has in each; the last one is written last and counts the rows."""
        return ("vectors", self._dims * 2), ("bits", self._words * 8), ("versions", 8)

    def reload(self) -> None:
        """See what is on disk, by whichever process, and cut off what a crash left half-written."""
        rows = min(
            self._file(name).stat().st_size // size if self._file(name).exists() else 0 for name, size in self._sizes
        )
        if rows == len(self._versions):
            return
        self._versions = np.fromfile(self._file("versions"), np.int64, rows)
        self._row_of = np.full(self.version + 1, -1, np.int32)
        self._row_of[self._versions] = np.arange(rows, dtype=np.int32)
        bits = np.fromfile(self._file("bits"), np.uint64, rows * self._words)
        self._bits = bits.reshape(rows, self._words)
        if rows:
            self._vectors = np.memmap(self._file("vectors"), np.float16, "r", shape=(rows, self._dims))

    def _file(self, name: str) -> Path:
        return self.folder / name

    @property
    def version(self) -> int:
        """The newest version that has a vector."""
        return int(self._versions.max()) if len(self._versions) else 0

    def has(self, size: int) -> Mask:
        """Which of the first versions have a vector."""
        known = np.zeros(size, np.bool_)
        there = self._row_of[:size] >= 0
        known[: len(there)] = there
        return known

    def missing(self, mask: Mask) -> int:
        """How many of the visible versions have no vector."""
        return int((mask & ~self.has(len(mask))).sum())

    def add(self, rows: Iterable[tuple[int, bytes]]) -> None:
        """Take in vectors (16-bit floats) by version number. Only one process may do so at a time."""
        found = [(version, vector) for version, vector in rows if len(vector) == self._dims * 2]
        if not found:
            return
        numbers = np.array([version for version, _ in found], np.int64)
        vectors = np.frombuffer(b"".join(vector for _, vector in found), np.float16).reshape(-1, self._dims)
        rows_before = len(self._versions)
        parts = (vectors.tobytes(), self._signs(vectors).tobytes(), numbers.tobytes())
        for (name, size), part in zip(self._sizes, parts, strict=True):
            with self._file(name).open("ab") as file:
                # Whatever lies beyond the whole rows was left by a crash.
                file.truncate(rows_before * size)
                file.seek(0, os.SEEK_END)
                file.write(part)
        self.reload()

    def _signs(self, vectors: NDArray[np.floating]) -> NDArray[np.uint64]:
        turned = np.asarray(vectors, np.float32) @ self._turn
        packed = np.packbits(turned > 0, axis=-1)
        padded = np.zeros((*packed.shape[:-1], self._words * 8), np.uint8)
        padded[..., : packed.shape[-1]] = packed
        return padded.view(np.uint64)

    def forget(self, versions: Sequence[int]) -> None:
        """Overwrite the vectors of these versions with zeros."""
        rows = np.flatnonzero(np.isin(self._versions, np.asarray(versions, np.int64)))
        if not len(rows):
            return
        for name, size in self._sizes[:2]:
            with self._file(name).open("r+b") as file:
                for row in rows.tolist():
                    file.seek(row * size)
                    file.write(bytes(size))
                file.flush()
                os.fsync(file.fileno())
        self._bits[rows] = 0

    def drop(self) -> None:
        """Remove every file."""
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self._versions = np.zeros(0, np.int64)
        self._row_of = np.zeros(0, np.int32)
        self._bits = np.zeros((0, self._words), np.uint64)
        self._vectors = np.zeros((0, self._dims), np.float16)

    def search(self, vector: Floats, mask: Mask, *, hits_max: int) -> tuple[tuple[int, float], ...]:
        """The nearest visible versions with their cosine similarity, nearest first."""
        visible = np.flatnonzero(mask[: len(self._row_of)])
        rows = self._row_of[visible]
        rows = rows[rows >= 0]
        if len(rows) > BITS_FROM:
            rows = self._nearest_by_bits(vector, rows, max(SCORED_MIN, int(len(rows) * SCORED_SHARE), hits_max))
        if not len(rows):
            return ()
        scores = np.asarray(self._vectors[rows], np.float32) @ vector
        best = np.lexsort((-self._versions[rows], -scores))[:hits_max]
        return tuple((int(self._versions[rows[at]]), float(scores[at])) for at in best)

    def _nearest_by_bits(self, vector: Floats, rows: NDArray[np.int32], count: int) -> NDArray[np.int32]:
        if len(rows) <= count:
            return rows
        asked = self._signs(vector[None])[0]
        apart = np.bitwise_count(self._bits[rows] ^ asked).sum(axis=1, dtype=np.uint16)
        return rows[np.argpartition(apart, count)[:count]]
