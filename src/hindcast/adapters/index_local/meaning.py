"""The vector index: every version's vector on disk, five bits for each dimension in memory.

A search compares bits of what may be seen: some of the first bits of everything, more bits of what is near, all bits of
what is nearer still, and scores the nearest few hundred with their full vectors. There is no graph and there are no
clusters: those lose their recall under a filter, and a moment is a filter. docs/decisions/0004-vectors-by-bits.md has
the comparison.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from hindcast.adapters.index_local.catalog import Mask
from hindcast.adapters.index_local.files import Mapped
from hindcast.model.errors import Damaged

# Goes up whenever the files or the bits in them change their meaning; older files are then left alone and made anew.
FORMAT = 2
# Fewer visible vectors than this are all scored in full.
BITS_FROM = 4_000
# How many 64-bit words of the first plane everything visible is compared by: two thirds of them tell almost as much.
FIRST_WORDS_SHARE = 2 / 3
# Which of the other blocks of bits each look after the first adds.
LOOKS = (slice(0, 0), slice(0, 1), slice(1, 3), slice(3, None))
# From which share of all vectors on it is cheaper to count the bits of every one than to pick out the visible ones.
DENSE_SHARE = 0.4
# Of the best that were found, the distances in bits spread about their mean; what a look leaves behind should begin at
# least so many of their deviations beyond it. Of searches among a hundred thousand about one in seven then looks again.
DOUBT_DEVIATIONS = 2.2
# The first so many must not be missed. Further down neighbours differ by little and are worth no second look.
DOUBTED_MAX = 30
# Where the planes cut a coordinate, in its standard deviations: in the middle first, then further and further out.
CUTS = (0.0, -0.45, 0.45, -1.0, 1.0)
# Coordinates lie between -1 and 1; as 16-bit integers they take half the space of floats and are quick to convert.
SCALE = 32_767
# Nearer than this, or not alike at all: unrelated sentences of the default model seldom come closer.
SIMILARITY_MIN = 0.2
_GROWTH = 1.5
# Reading everything at once would need the memory twice.
ROWS_PER_READ = 100_000
ROWS_PER_COUNT = 16_384
# From so many distances it is told how far apart a share of all of them is.
ROWS_SAMPLED = 16_384


@dataclass(frozen=True, slots=True)
class Looks:
    """How wide to look: which share of what is visible comes through each look; the last of them is scored in full."""

    shares: tuple[float, float, float, float]
    rows_min: int


NEAR = Looks((0.35, 0.12, 0.03, 0.006), 600)
# Where one look has to do, it takes half the time: of the ten nearest among a hundred thousand that are hard to tell
# apart it misses one in fifty more.
NEAR_AT_A_GLANCE = Looks((0.25, 0.06, 0.02, 0.006), 600)
NEAR_IN_DOUBT = Looks((0.5, 0.25, 0.08, 0.025), 2_500)

Kind = TypeVar("Kind", bound=np.generic)
Floats = NDArray[np.float32]
# Numbers of rows, in the type that numpy looks things up by: any other would be converted each time.
Rows = NDArray[np.intp]


def packed(vectors: Floats) -> NDArray[np.int16]:
    """Vectors of unit length as they are kept."""
    return np.rint(np.clip(vectors, -1, 1) * SCALE).astype(np.int16)


def rotation(dims: int) -> Floats:
    """A fixed turn of the space, after which every coordinate tells about as much as any other.

    Signs and order at random, then Hadamard's matrix on blocks: as good as a random turn here, and made in no time.
    """
    block = dims & -dims
    hadamard = np.ones((1, 1), np.float32)
    while len(hadamard) < block:
        hadamard = np.block([[hadamard, hadamard], [hadamard, -hadamard]])
    turn = np.kron(np.eye(dims // block, dtype=np.float32), hadamard / np.float32(block**0.5))
    rng = np.random.default_rng(dims)
    mixed: Floats = turn[rng.permutation(dims)] * rng.choice(np.array([-1, 1], np.float32), dims)[:, None]
    return mixed


class Meaning:
    """Vectors of one model in a folder. Rows are in the order of adding; `versions` says whose each row is."""

    def __init__(self, folder: Path, dims: int) -> None:
        self.folder = folder
        self._dims = dims
        self._words = -(-dims // 64)
        first = max(1, int(self._words * FIRST_WORDS_SHARE))
        # How many words each block of bits has: the first plane in two parts, then the other planes.
        self._widths = [first, self._words - first, *[self._words] * (len(CUTS) - 1)]
        starts = [0, *np.cumsum(self._widths).tolist()]
        self._parts = [slice(start, stop) for start, stop in pairwise(starts)]
        self._turn = rotation(dims) * np.float32(dims**0.5)
        self._empty()
        folder.mkdir(parents=True, exist_ok=True)
        self._mapped = Mapped(self._files[0][0])
        self.reload()

    def _empty(self) -> None:
        self._rows = 0
        # The first block is looked at whole, so it lies column by column; rows are taken out of the others.
        self._columns = [np.zeros(0, np.uint64) for _ in range(self._widths[0])]
        # Contiguous, each: taking rows out of a slice would copy the slice first.
        self._blocks = [np.zeros((0, width), np.uint64) for width in self._widths[1:]]
        self._versions = np.zeros(0, np.int64)
        self._row_of = np.zeros(0, np.intp)
        # The versions that were looked up last, how many rows there were, and theirs.
        self._looked_up: tuple[NDArray[np.int64], int, Rows] | None = None

    @property
    def _files(self) -> tuple[tuple[Path, int], ...]:
        """The files and how many bytes a row has in each; the last one is written last and counts the rows."""
        bits = len(CUTS) * self._words * 8
        names = (("vectors", self._dims * 2), ("bits", bits), ("versions", 8))
        return tuple((self.folder / name, size) for name, size in names)

    def reload(self) -> None:
        """See what has been added, by whichever process; what a crash left half-written is not counted."""
        rows = min(file.stat().st_size // size if file.exists() else 0 for file, size in self._files)
        if rows < self._rows:
            self._empty()
        if rows == self._rows:
            return
        _, (bits, bits_size), (versions, _) = self._files
        while self._rows < rows:
            count = min(rows - self._rows, ROWS_PER_READ)
            fresh = np.fromfile(versions, np.int64, count, offset=self._rows * 8)
            planes = np.fromfile(bits, np.uint64, count * bits_size // 8, offset=self._rows * bits_size)
            self._take(fresh, planes.reshape(count, -1), room=rows)

    def _take(self, versions: NDArray[np.int64], bits: NDArray[np.uint64], *, room: int) -> None:
        rows = self._rows + len(versions)
        self._versions = grown(self._versions, room)
        self._versions[self._rows : rows] = versions
        first, *others = (bits[:, part] for part in self._parts)
        for number in range(len(self._columns)):
            self._columns[number] = grown(self._columns[number], room)
            self._columns[number][self._rows : rows] = first[:, number]
        for number, block in enumerate(others):
            self._blocks[number] = grown(self._blocks[number], room)
            self._blocks[number][self._rows : rows] = block
        known = len(self._row_of)
        self._row_of = grown(self._row_of, int(versions.max()) + 1)
        self._row_of[known:] = -1
        self._row_of[versions] = np.arange(self._rows, rows, dtype=np.intp)
        self._rows = rows

    def has(self, size: int) -> Mask:
        """Which of the first versions have a vector."""
        known = np.zeros(size, np.bool_)
        there = self._row_of[:size] >= 0
        known[: len(there)] = there
        return known

    def rows(self, versions: NDArray[np.int64]) -> Rows:
        """The rows of those versions that have one, in the order in which they lie.

        One question follows another, mostly about the very same versions: those are looked up once.
        """
        known = self._looked_up
        if known is not None and known[0] is versions and known[1] == self._rows:
            return known[2]
        count = self._rows
        rows = self._row_of.take(versions[: np.searchsorted(versions, len(self._row_of))])
        # Looking for gaps is cheaper than closing none. What was there before the model was lies newest first.
        rows = rows[rows >= 0] if len(rows) and rows.min() < 0 else rows
        if (rows[1:] < rows[:-1]).any():
            rows.sort()
        if len(rows) > BITS_FROM:
            self._looked_up = (versions, count, rows)
        return rows

    def vectors(self, rows: Rows) -> Floats:
        """Full vectors, SCALE times as long."""
        kept = self._mapped.bytes()
        whole = kept[: len(kept) // (self._dims * 2) * self._dims * 2].view(np.int16).reshape(-1, self._dims)
        if len(rows) and rows.max() >= len(whole):
            raise Damaged(f"The vectors in {self.folder} were cut short.", remedy="Delete it: it is made anew.")
        found: Floats = whole.take(rows, axis=0).astype(np.float32)
        return found

    def add(self, rows: Iterable[tuple[int, bytes]]) -> None:
        """Take in `packed` vectors by version number. Only one process may do so at a time."""
        found = [(version, vector) for version, vector in rows if len(vector) == self._dims * 2]
        if not found:
            return
        vectors = np.frombuffer(b"".join(vector for _, vector in found), np.int16).reshape(-1, self._dims)
        numbers = np.array([version for version, _ in found], np.int64)
        parts = (vectors.tobytes(), self._bits(vectors).tobytes(), numbers.tobytes())
        for (name, size), part in zip(self._files, parts, strict=True):
            with name.open("ab") as file:
                # Whatever lies beyond the whole rows was left by a crash.
                file.truncate(self._rows * size)
                file.write(part)
        self.reload()

    def _bits(self, vectors: NDArray[np.int16] | Floats) -> NDArray[np.uint64]:
        """For each vector, cut after cut: one bit for each coordinate, whether it lies above."""
        turned = np.asarray(vectors, np.float32) @ self._turn
        if vectors.dtype == np.int16:
            turned /= SCALE
        above = np.packbits(turned[:, None, :] > np.array(CUTS, np.float32)[:, None], axis=-1)
        padded = np.zeros((len(vectors), len(CUTS), self._words * 8), np.uint8)
        padded[..., : above.shape[-1]] = above
        return padded.reshape(len(vectors), -1).view(np.uint64)

    def forget(self, versions: Sequence[int]) -> None:
        """Overwrite the vectors of these versions with zeros, in memory and on disk."""
        known = [version for version in versions if version < len(self._row_of) and self._row_of[version] >= 0]
        rows = self._row_of[np.array(known, np.int64)]
        for name, size in self._files[:2] if known else ():
            with name.open("r+b") as file:
                for row in rows.tolist():
                    file.seek(row * size)
                    file.write(bytes(size))
                file.flush()
                os.fsync(file.fileno())
        for part in (*self._columns, *self._blocks):
            part[rows] = 0

    def search(
        self, vector: Floats, rows: Rows, *, hits_max: int, one_look: bool = False
    ) -> tuple[tuple[int, float], ...]:
        """Of these rows the nearest versions with their cosine similarity, the newer one where they tie.

        Bits may mislead, and what they lead to tells how far to trust them: where the best that were found lie close to
        what a look left behind, others like them may have been left behind too, and the search looks again, wider,
        unless one look has to do.
        """
        if not len(rows):
            return ()
        if len(rows) > BITS_FROM:
            bits = self._bits(vector[None])[0]
            asked = [bits[part] for part in self._parts]
            # Everything is looked at once, however often what is near is.
            first = self._first_apart(rows, asked[0])
            looks = NEAR_AT_A_GLANCE if one_look else NEAR
            near, scores, doubtful = self._looked(vector, asked, rows, first, looks, hits_max, doubting=not one_look)
            if doubtful:
                near, scores, _ = self._looked(vector, asked, rows, first, NEAR_IN_DOUBT, hits_max, doubting=False)
        else:
            near, scores = rows, self._scores(vector, rows)
        best = self._best(near, scores, hits_max)
        return tuple(zip(self._versions[near[best]].tolist(), scores[best].tolist(), strict=True))

    def scored(self, vector: Floats, versions: NDArray[np.int64]) -> tuple[tuple[int, float], ...]:
        """The similarity of each of these versions (in growing order) that has a vector, however small it is."""
        rows = self.rows(versions)
        scores = self._scores(vector, rows) if len(rows) else np.zeros(0, np.float32)
        return tuple(zip(self._versions[rows].tolist(), scores.tolist(), strict=True))

    def _scores(self, vector: Floats, rows: Rows) -> Floats:
        # Not `@`: a threaded matrix product waits for its threads longer than this takes.
        scores: Floats = np.einsum("ij,j->i", self.vectors(rows), vector) / SCALE
        return scores

    def _best(self, rows: Rows, scores: Floats, hits_max: int) -> Rows:
        order = np.lexsort((-self._versions[rows], -scores))[:hits_max]
        return order[scores[order] >= SIMILARITY_MIN]

    def _first_apart(self, rows: Rows, bits: NDArray[np.uint64]) -> NDArray[np.uint16]:
        """In how many bits of the first block each row differs from what is asked."""
        if len(rows) < self._rows * DENSE_SHARE:
            apart = np.zeros(len(rows), np.uint16)
            for start in range(0, len(rows), ROWS_PER_COUNT):
                part = rows[start : start + ROWS_PER_COUNT]
                _add_differing(apart[start : start + ROWS_PER_COUNT], (each.take(part) for each in self._columns), bits)
            return apart
        # Counting what nobody asked for is cheaper than picking the rest out. All rows are in their order.
        apart = np.zeros(self._rows, np.uint16)
        for start in range(0, self._rows, ROWS_PER_COUNT):
            until = min(start + ROWS_PER_COUNT, self._rows)
            _add_differing(apart[start:until], (each[start:until] for each in self._columns), bits)
        return apart if len(rows) == self._rows else apart.take(rows)

    def _apart(
        self, rows: Rows, asked: Sequence[NDArray[np.uint64]], blocks: slice, before: NDArray[np.uint16]
    ) -> NDArray[np.uint16]:
        """In how many bits of some blocks, and of those counted before, each row differs from what is asked."""
        apart = before.copy()
        for block, bits in zip(self._blocks[blocks], asked[1:][blocks], strict=True):
            _count_differing(block, rows, bits, into=apart)
        return apart

    def _looked(
        self,
        vector: Floats,
        asked: Sequence[NDArray[np.uint64]],
        rows: Rows,
        apart: NDArray[np.uint16],
        looks: Looks,
        hits_max: int,
        *,
        doubting: bool,
    ) -> tuple[Rows, Floats, bool]:
        """The rows whose bits differ least from the vector's, their scores, and whether some may have been missed.

        Four looks, each at fewer rows and more bits; how far apart they are at the first is known. Where nobody would
        look again, nobody has to know whether to.
        """
        visible = len(rows)
        # How far apart, at each look, the rows were that have come this far, and from where on rows were left behind.
        passed: list[tuple[int, NDArray[np.uint16]]] = []
        for number, (blocks, share) in enumerate(zip(LOOKS, looks.shares, strict=True)):
            if number:
                apart = self._apart(rows, asked, blocks, apart)
            limit = _limit(apart, max(looks.rows_min, int(visible * share), hits_max))
            near = np.flatnonzero(apart <= limit)
            if doubting:
                passed = [(earlier, distances[near]) for earlier, distances in (*passed, (limit, apart))]
            rows, apart = rows[near], apart[near]
        scores = self._scores(vector, rows)
        if not doubting:
            return rows, scores, False
        best = self._best(rows, scores, min(hits_max, DOUBTED_MAX))
        doubtful = any(
            limit < distances[best].mean() + DOUBT_DEVIATIONS * distances[best].std()
            for limit, distances in (passed if len(best) else ())
        )
        return rows, scores, doubtful


def _count_differing(
    block: NDArray[np.uint64], rows: Rows, bits: NDArray[np.uint64], *, into: NDArray[np.uint16]
) -> None:
    """Add to each row's count in how many bits it differs.

    A few thousand rows at a time stay in the processor's cache, and column after column beats summing short rows.
    """
    for start in range(0, len(rows), ROWS_PER_COUNT):
        found = block.take(rows[start : start + ROWS_PER_COUNT], axis=0)
        _add_differing(into[start : start + ROWS_PER_COUNT], found.T, bits)


def _add_differing(counts: NDArray[np.uint16], columns: Iterable[NDArray[np.uint64]], bits: NDArray[np.uint64]) -> None:
    for column, word in zip(columns, bits, strict=True):
        counts += np.bitwise_count(column ^ word)


def _limit(apart: NDArray[np.uint16], count: int) -> int:
    """How far apart the first so many are at most. Counting beats sorting here, and of very many some tell enough."""
    every = max(1, len(apart) // ROWS_SAMPLED)
    wanted = min(count, len(apart)) // every
    return int(np.searchsorted(np.cumsum(np.bincount(apart[::every])), wanted))


def grown(array: NDArray[Kind], rows: int) -> NDArray[Kind]:
    """The array with room for so many rows, and for some more, so that growing stays cheap."""
    if rows <= len(array):
        return array
    grown = np.zeros((int(rows * _GROWTH), *array.shape[1:]), array.dtype)
    grown[: len(array)] = array
    return grown
