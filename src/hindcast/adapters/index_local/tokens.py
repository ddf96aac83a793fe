"""Late interaction: how well each token of a question is answered by some token of a text, rare ones counting more.

Token vectors of cases and runbooks are kept in a folder of their own, eight bits for each dimension and one scale for
each token. They are derived, and nothing but the candidates of other arms is ever compared with them. They are read,
not mapped: a file that somebody else cuts short is then a short answer and not a crash.
"""

from __future__ import annotations

import os
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from hindcast.adapters.index_local.catalog import Mask
from hindcast.adapters.index_local.files import Mapped
from hindcast.adapters.index_local.meaning import Floats, Rows, grown

# Goes up whenever the files change their meaning; older files are then left alone and made anew.
FORMAT = 1
# What is kept of a text and looked at in a question. Beyond these a case repeats itself, and disk is not free.
TOKENS_PER_TEXT_MAX = 64
TOKENS_PER_QUERY_MAX = 64
# What the model reads of a question, its first sentence first: most have fewer tokens, and its time grows with each. On
# labelled questions reading all of the longest (256) found the right case once more; see docs/decisions/0007.
QUESTION_TOKENS_MAX = 48
# Only these are worth the disk: up to 25 KB for each version.
KINDS = ("case", "runbook")

_LEVELS = 127
# OpenBLAS multiplies matrices of no more than 2^18 products (rows x columns x depth) without further threads.
_ONE_THREAD = 2**18
_ROWS_AS_FLOATS = 320
# Whether this process was told so before numpy was loaded, as the command tells it (see `cli`).
NEVER_THREADED = os.environ.get("OPENBLAS_NUM_THREADS") == "1"
_ROW = np.dtype([("version", "<i8"), ("first", "<i8"), ("count", "<i4"), ("spare", "<i4")])


@runtime_checkable
class TokenEmbedder(Protocol):
    """An embedder that can also give the vectors of a text's tokens, from the same run of its model."""

    @property
    def model(self) -> str:
        """Which model and which weights."""
        ...

    @property
    def dims(self) -> int:
        """The length of a vector."""
        ...

    def embed(self, texts: Sequence[str]) -> Floats:
        """One row for each text, in the order given."""
        ...

    def embed_tokens(
        self,
        texts: Sequence[str],
        *,
        tokens_max: int,
        spans: Sequence[tuple[int, int]] = (),
        read_max: int | None = None,
    ) -> list[tuple[Floats, NDArray[np.int32], Floats]]:
        """For each text its vector, the numbers of its telling tokens, and their vectors of unit length.

        Given `spans`, one for each text, only the tokens that begin between those two characters, if there are any.
        Given `read_max`, only the first so many tokens of each text are read at all.
        """
        ...


class Packed(NamedTuple):
    """The tokens of one text as they are kept."""

    numbers: NDArray[np.int32]
    # For each token its vector in eight bits a dimension, and after it four bytes of scale.
    content: NDArray[np.uint8]


def packed_tokens(numbers: NDArray[np.int32], vectors: Floats) -> Packed:
    """Token vectors as they are kept: each by the scale that its largest coordinate fits."""
    numbers, vectors = numbers[:TOKENS_PER_TEXT_MAX], vectors[:TOKENS_PER_TEXT_MAX]
    if not len(numbers):
        return Packed(np.zeros(0, np.int32), np.zeros((0, vectors.shape[-1] + 4), np.uint8))
    scales = np.maximum(np.abs(vectors).max(axis=1, keepdims=True), 1e-9).astype("<f4") / np.float32(_LEVELS)
    levels = np.rint(vectors / scales).astype(np.int8)
    content = np.concatenate([levels.view(np.uint8), np.ascontiguousarray(scales).view(np.uint8)], axis=1)
    return Packed(numbers.astype(np.int32), content)


class Tokens:
    """Token vectors of one model in a folder, by version. Rows are in the order of adding."""

    def __init__(self, folder: Path, dims: int) -> None:
        self.folder = folder
        self._dims = dims
        self._lock = threading.RLock()
        self._empty()
        folder.mkdir(parents=True, exist_ok=True)
        self._mapped = Mapped(self._sizes[0][0])
        self.reload()

    def _empty(self) -> None:
        self._rows = 0
        self._table = np.zeros(0, _ROW)
        self._row_of = np.zeros(0, np.intp)
        self._held = np.zeros(0, np.int64)
        self._counted = 0

    @property
    def _sizes(self) -> tuple[tuple[Path, int], tuple[Path, int]]:
        """The files that hold something for each token, and how many bytes that is."""
        return (self.folder / "tokens", self._dims + 4), (self.folder / "numbers", 4)

    @property
    def _row_file(self) -> Path:
        """Which tokens are whose. Written last, so that it never tells of tokens that are not there."""
        return self.folder / "rows"

    @property
    def _tokens(self) -> int:
        """How many tokens all rows have together."""
        return int(self._table[self._rows - 1]["first"] + self._table[self._rows - 1]["count"]) if self._rows else 0

    def reload(self) -> None:
        """See what has been added, by whichever process. What does not hold together is not counted."""
        with self._lock:
            rows = _size(self._row_file) // _ROW.itemsize
            if rows < self._rows:
                self._empty()
            if rows == self._rows:
                return
            fresh = np.fromfile(self._row_file, _ROW, rows - self._rows, offset=self._rows * _ROW.itemsize)
            there = min(_size(name) // size for name, size in self._sizes)
            first, count = fresh["first"], fresh["count"]
            sound = (count >= 0) & (count <= TOKENS_PER_TEXT_MAX) & (fresh["version"] > 0) & (first + count <= there)
            sound &= first == self._tokens + np.concatenate([[0], np.cumsum(count[:-1], dtype=np.int64)])
            self._take(fresh if sound.all() else fresh[: int(np.argmin(sound))])

    def _take(self, fresh: NDArray[np.void]) -> None:
        if not len(fresh):
            return
        rows = self._rows + len(fresh)
        self._table = grown(self._table, rows)
        self._table[self._rows : rows] = fresh
        known = len(self._row_of)
        self._row_of = grown(self._row_of, int(fresh["version"].max()) + 1)
        self._row_of[known:] = -1
        self._row_of[fresh["version"]] = np.arange(self._rows, rows, dtype=np.intp)
        self._rows = rows

    def has(self, size: int) -> Mask:
        """Which of the first versions have their tokens here."""
        known = np.zeros(size, np.bool_)
        there = self._row_of[:size] >= 0
        known[: len(there)] = there
        return known

    def add(self, texts: Mapping[int, Packed]) -> None:
        """Take in tokens by version number. Only one process may do so at a time, and has to `reload` before."""
        with self._lock:
            if any(_size(name) < self._tokens * size for name, size in self._sizes):
                # Cut short under our eyes: what is left is looked at again.
                self._empty()
                self.reload()
            new = {
                version: text
                for version, text in texts.items()
                if not self.has(version + 1)[version] and text.content.shape[1] == self._dims + 4
            }
            if not new:
                return
            begin = self._tokens
            parts = (b"".join(text.content.tobytes() for text in new.values()),
                     b"".join(text.numbers.astype("<i4").tobytes() for text in new.values()))  # fmt: skip
            for (name, size), part in zip(self._sizes, parts, strict=True):
                _append(name, begin * size, part)
            fresh = np.zeros(len(new), _ROW)
            fresh["version"] = list(new)
            fresh["count"] = [len(text.numbers) for text in new.values()]
            fresh["first"] = begin + np.cumsum(fresh["count"]) - fresh["count"]
            _append(self._row_file, self._rows * _ROW.itemsize, fresh.tobytes())
            self._take(fresh)

    def forget(self, versions: Sequence[int]) -> None:
        """Overwrite the tokens of these versions with zeros."""
        with self._lock:
            known = [version for version in versions if version < len(self._row_of) and self._row_of[version] >= 0]
            for name, size in self._sizes if known else ():
                with name.open("r+b") as file:
                    for row in self._table[self._row_of[known]].tolist():
                        file.seek(row[1] * size)
                        file.write(bytes(row[2] * size))
                    file.flush()
                    os.fsync(file.fileno())
            # How many texts hold a token is counted anew.
            self._held, self._counted = np.zeros(0, np.int64), 0

    def read(self, versions: Sequence[int]) -> dict[int, NDArray[np.uint8]]:
        """The token vectors of those versions that have their tokens here, as they are kept."""
        size = self._dims + 4
        with self._lock:
            known = [version for version in versions if version < len(self._row_of) and self._row_of[version] >= 0]
            rows = self._table[self._row_of[known]].tolist() if known else []
        if not rows:
            return {}
        found: dict[int, NDArray[np.uint8]] = {}
        kept = self._mapped.bytes()
        for version, (_, first, count, _) in zip(known, rows, strict=True):
            content = kept[first * size : (first + count) * size]
            if len(content) == count * size:
                found[version] = content.reshape(count, size)
        return found

    def rarity(self, numbers: NDArray[np.int32]) -> Floats:
        """How much each token tells: the fewer of the kept texts hold it, the more."""
        with self._lock:
            self._count()
            held = np.zeros(len(numbers))
            inside = numbers < len(self._held)
            held[inside] = self._held[numbers[inside]]
            tells: Floats = np.log(1 + (self._rows - held + 0.5) / (held + 0.5)).astype(np.float32)
            return tells

    def _count(self) -> None:
        """Count in how many texts each token occurs, those counted before left out: a text has each token once."""
        tokens = self._tokens
        if self._counted < tokens:
            numbers = np.fromfile(self._sizes[1][0], "<i4", tokens - self._counted, offset=self._counted * 4)
            held = np.bincount(np.maximum(numbers, 0))
            size = max(len(held), len(self._held))
            self._held = np.pad(self._held, (0, size - len(self._held))) + np.pad(held, (0, size - len(held)))
            self._counted = tokens

    def scores(self, numbers: NDArray[np.int32], vectors: Floats, texts: Sequence[NDArray[np.uint8]]) -> Floats:
        """How well each text answers a question's tokens, 0 to 1: one matrix product over all of them.

        For each token of the question the nearest token of the text counts, weighed by how much the token tells.
        """
        counts = np.array([len(text) for text in texts], np.intp)
        scores = np.zeros(len(texts), np.float32)
        told = np.flatnonzero(counts)
        if not len(told) or not len(numbers):
            return scores
        content = np.concatenate(texts)
        scales = content[:, self._dims :].copy().view("<f4")
        alike = product(content[:, : self._dims].view(np.int8), vectors) * scales
        starts: Rows = np.concatenate([[0], np.cumsum(counts[told])[:-1]])
        nearest = np.clip(np.maximum.reduceat(alike, starts, axis=0), 0, 1)
        weights = self.rarity(numbers)
        scores[told] = nearest @ (weights / weights.sum())
        return scores


def product(levels: NDArray[np.int8], vectors: Floats, *, never_threaded: bool = NEVER_THREADED) -> Floats:
    """Every row of levels times every vector, in pieces that are multiplied by one thread.

    A threaded product is twice as fast on an idle machine. On a busy one it waits for its threads, ten times as long.
    Where no product is threaded, pieces may be as large as the cache allows, which takes half the time.
    """
    piece = _ROWS_AS_FLOATS if never_threaded else max(1, _ONE_THREAD // vectors.size)
    # As floats they take four times the room; some hundred rows at a time stay in the processor's cache.
    rows = max(1, _ROWS_AS_FLOATS // piece) * piece
    floats = np.empty((rows, levels.shape[1]), np.float32)
    found = np.empty((-(-len(levels) // piece) * piece, len(vectors)), np.float32)
    for start in range(0, len(levels), rows):
        part = levels[start : start + rows]
        size = -(-len(part) // piece) * piece
        np.copyto(floats[: len(part)], part)
        floats[len(part) : size] = 0
        into = found[start : start + size].reshape(-1, piece, len(vectors))
        np.matmul(floats[:size].reshape(-1, piece, levels.shape[1]), vectors.T, out=into)
    return found[: len(levels)]


def _size(file: Path) -> int:
    return file.stat().st_size if file.exists() else 0


def _append(file: Path, size: int, content: bytes) -> None:
    """Write after so many bytes; whatever lies beyond them was left by a crash."""
    with file.open("ab") as opened:
        opened.truncate(size)
        opened.write(content)
