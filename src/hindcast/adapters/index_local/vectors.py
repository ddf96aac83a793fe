"""What a model makes of versions: a vector for each, token vectors for cases; made when they are lacking, then kept."""

from __future__ import annotations

import hashlib
import shutil
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hindcast.adapters.index_local.catalog import Catalog, Mask
from hindcast.adapters.index_local.files import alone, alone_if_free
from hindcast.adapters.index_local.meaning import FORMAT as MEANING_FORMAT
from hindcast.adapters.index_local.meaning import Floats, Meaning, packed
from hindcast.adapters.index_local.text import head_of, searched
from hindcast.adapters.index_local.tokens import FORMAT as TOKENS_FORMAT
from hindcast.adapters.index_local.tokens import (
    KINDS,
    QUESTION_TOKENS_MAX,
    TOKENS_PER_QUERY_MAX,
    TOKENS_PER_TEXT_MAX,
    Packed,
    TokenEmbedder,
    Tokens,
    packed_tokens,
)
from hindcast.model.errors import HindcastError
from hindcast.model.record import Record, State
from hindcast.ports import Embedder, Progress, Store

VECTORS_PER_WRITE = 100_000
VERSIONS_PER_EMBEDDING = 1_024
# Before they are packed, the token vectors of so many texts take twelve megabytes.
TEXTS_PER_PACKING = 128
# What a model reads of a text; MiniLM stops at 256 word pieces.
EMBEDDED_CHARS_MAX = 2_000
# Tokens of questions have four or five characters on the average; what has three times as many is no text.
CHARS_PER_TOKEN_MAX = 16


@dataclass(frozen=True, slots=True)
class Asked:
    """What one run of the model made of a question."""

    vector: Floats
    # Empty where the model does not tell them.
    numbers: NDArray[np.int32]
    token_vectors: Floats


@dataclass(frozen=True, slots=True)
class Made:
    """What the model made of some versions, by version."""

    vectors: Mapping[int, bytes]
    tokens: Mapping[int, Packed]


class Vectors:
    """The vectors that one model made, in the folder of an index."""

    def __init__(self, folder: Path, store: Store, embedder: Embedder) -> None:
        self._folder = folder
        self._store = store
        self._embedder = embedder
        self._meaning: Meaning | None = None
        self._tokens: Tokens | None = None

    @property
    def meaning(self) -> Meaning:
        """The vectors of all versions."""
        if self._meaning is None:
            self._meaning = Meaning(self._named("meaning", MEANING_FORMAT), self._embedder.dims)
        return self._meaning

    @property
    def tokens(self) -> Tokens | None:
        """The token vectors of cases; None when the model does not tell them."""
        if self._tokens is None and isinstance(self._embedder, TokenEmbedder):
            self._tokens = Tokens(self._named("tokens", TOKENS_FORMAT), self._embedder.dims)
        return self._tokens

    def _named(self, what: str, layout: int) -> Path:
        name = hashlib.sha256(f"{layout} {self._embedder.model}".encode()).hexdigest()[:16]
        return self._folder / f"{what}-{name}"

    def read(self, text: str) -> Asked:
        """Let the model read a question, once: the sentence it is about first, then the rest as far as it goes."""
        text = text[:EMBEDDED_CHARS_MAX]
        begin, end = head_of(text)
        if begin:
            text = f"{text[begin:end]}\n{text[:begin]}{text[end:]}"
        # Splitting two thousand characters into tokens takes a good part of the time in which the first few are read.
        text = text[: QUESTION_TOKENS_MAX * CHARS_PER_TOKEN_MAX]
        if isinstance(self._embedder, TokenEmbedder):
            ((vector, numbers, vectors),) = self._embedder.embed_tokens(
                [text], tokens_max=TOKENS_PER_QUERY_MAX, spans=[(0, end - begin)], read_max=QUESTION_TOKENS_MAX
            )
            return Asked(np.asarray(vector, np.float32), numbers, vectors)
        nothing = np.zeros((0, self._embedder.dims), np.float32)
        return Asked(np.asarray(self._embedder.embed([text])[0], np.float32), np.zeros(0, np.int32), nothing)

    def forget(self, versions: Sequence[int]) -> None:
        """Overwrite what was made of these versions, and drop what other models made of any."""
        try:
            own = self._forget_own(versions)
        except HindcastError:
            # A model that cannot even tell how long its vectors are is as good as not at hand.
            own = []
        forget_models(self._folder, keep=own)

    def _forget_own(self, versions: Sequence[int]) -> list[Path]:
        own = [self._named("meaning", MEANING_FORMAT), self._named("tokens", TOKENS_FORMAT)]
        if own[0].exists():
            self.meaning.reload()
            self.meaning.forget(versions)
        if own[1].exists() and self.tokens is not None:
            self.tokens.reload()
            self.tokens.forget(versions)
        return own

    def lacking(self, catalog: Catalog) -> list[int]:
        """The versions that have no vector, the newest first; those whose vectors the store has kept get them now."""
        meaning = self.meaning
        meaning.reload()
        lacking = catalog.shown() & ~meaning.has(catalog.version + 1)
        if not lacking.any():
            return []
        with alone(self._folder):
            meaning.reload()
            lacking &= ~meaning.has(len(lacking))
            self._take_kept(meaning, lacking)
        # The newest first: they are what people ask about while the rest is still on its way.
        found: list[int] = np.flatnonzero(lacking)[::-1].tolist()
        return found

    def _take_kept(self, meaning: Meaning, lacking: Mask) -> None:
        kept: list[tuple[int, bytes]] = []
        first = int(np.argmax(lacking))
        for version, vector in self._store.vectors(self._embedder.model, after=first - 1):
            if version < len(lacking) and lacking[version]:
                lacking[version] = False
                kept.append((version, vector))
                if len(kept) == VECTORS_PER_WRITE:
                    meaning.add(kept)
                    kept = []
        meaning.add(kept)

    def read_texts(self, versions: Sequence[int]) -> Made:
        """Let the model read the texts of some versions, which takes its time and writes nothing."""
        live = self._live(versions)
        texts = {number: _text(record) for number, record in live.items()}
        told = [number for number, record in live.items() if record.kind in KINDS]
        vectors, tokens = self._with_tokens({number: texts[number] for number in told})
        others = [text for text in dict.fromkeys(texts.values()) if text not in vectors]
        if others:
            vectors |= dict(zip(others, self._embedder.embed(others), strict=True))
        return Made({number: packed(vectors[text]).tobytes() for number, text in texts.items()}, tokens)

    def keep(self, made: Made) -> None:
        """Keep what was read, but for what was erased or kept by somebody else meanwhile."""
        with alone(self._folder):
            self.meaning.reload()
            live = self._live(list(made.vectors))
            known = self.meaning.has(max(live, default=-1) + 1)
            lacking = {number for number in live if not known[number]}
            rows = [(number, vector) for number, vector in made.vectors.items() if number in lacking]
            self._store.keep_vectors(self._embedder.model, rows)
            self.meaning.add(rows)
            tokens = {number: packed for number, packed in made.tokens.items() if number in lacking}
            if tokens and self.tokens is not None:
                self.tokens.reload()
                self.tokens.add(tokens)

    def _live(self, versions: Sequence[int]) -> dict[int, Record]:
        return {number: one for number, one in self._store.records(versions).items() if one.state is State.LIVE}

    def _with_tokens(self, texts: dict[int, str]) -> tuple[dict[str, Floats], dict[int, Packed]]:
        """Vectors by text and tokens by version, as far as the model tells tokens; each distinct text is read once."""
        if not isinstance(self._embedder, TokenEmbedder):
            return {}, {}
        vectors: dict[str, Floats] = {}
        tokens: dict[str, Packed] = {}
        distinct = list(dict.fromkeys(texts.values()))
        for start in range(0, len(distinct), TEXTS_PER_PACKING):
            part = distinct[start : start + TEXTS_PER_PACKING]
            read = self._embedder.embed_tokens(part, tokens_max=TOKENS_PER_TEXT_MAX)
            for text, (vector, numbers, token_vectors) in zip(part, read, strict=True):
                vectors[text] = vector
                tokens[text] = packed_tokens(numbers, token_vectors)
        return vectors, {number: tokens[text] for number, text in texts.items()}

    def complete_tokens(self, catalog: Catalog, progress: Progress | None) -> None:
        """Make the tokens that are lacking although their version has its vector: files were lost, or are new."""
        tokens = self.tokens
        if tokens is None:
            return
        tokens.reload()
        pending = np.flatnonzero(catalog.shown_of(KINDS) & ~tokens.has(catalog.version + 1))[::-1]
        for start in range(0, len(pending), TEXTS_PER_PACKING):
            part = pending[start : start + TEXTS_PER_PACKING].tolist()
            # Read and written while nobody else may: an erasure comes before both, or after.
            with alone(self._folder):
                texts = {number: _text(one) for number, one in self._told(part).items()}
                tokens.reload()
                tokens.add(self._with_tokens(texts)[1])
            if progress is not None:
                progress(start + len(part), len(pending), "texts read by token")

    def _told(self, versions: Sequence[int]) -> dict[int, Record]:
        """Those versions that may have tokens."""
        found = self._store.records(versions)
        return {number: found[number] for number in versions if number in found and _may_have_tokens(found[number])}

    def make_now(self, versions: Sequence[int], *, until: float) -> tuple[dict[int, NDArray[np.uint8]], int]:
        """Make and keep the tokens of these versions, the first ones first, as long as the (monotonic) clock allows.

        Gives what was made, and how many could have been made and were not. What would take longer than is left is
        not begun, going by the longest so far.
        """
        made: dict[int, Packed] = {}
        late = 0
        longest = 0.0
        with alone_if_free(self._folder) as may_write:
            for number, record in self._told(versions).items():
                begin = time.monotonic()
                if begin + longest >= until:
                    late += 1
                    continue
                made |= self._with_tokens({number: _text(record)})[1]
                longest = max(longest, time.monotonic() - begin)
            if may_write and made and self.tokens is not None:
                self.tokens.reload()
                self.tokens.add(made)
        return {number: text.content for number, text in made.items()}, late


def forget_models(folder: Path, *, keep: Sequence[Path] = ()) -> None:
    """Vectors of a model that is not at hand go as a whole; the store keeps what is worth keeping."""
    for what in ("meaning-*", "tokens-*"):
        for found in folder.glob(what):
            if found not in keep:
                shutil.rmtree(found)


def _may_have_tokens(record: Record) -> bool:
    return record.state is State.LIVE and record.kind in KINDS


def _text(record: Record) -> str:
    """What the model reads of a record."""
    return searched(str(record.address), record.body, record.text)[:EMBEDDED_CHARS_MAX]
