"""Embeds texts with a model pack on this machine: no network, no GPU, one thread unless told otherwise.

Importing this module is cheap; onnxruntime and the model are loaded at the first text. Every file is proven against the
manifest then, so that vectors are never made by weights that are not the ones named beside them.

A text longer than the model reads (256 tokens for the default one) is represented by its beginning.
"""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from hindcast.adapters.model_graph import TOKEN_VECTORS
from hindcast.adapters.model_pack import MODEL_FILE, PackInfo, read_file, read_manifest
from hindcast.adapters.model_source import TOKENIZER_FILE
from hindcast.model.errors import Damaged, Malformed, Unavailable

# On one thread a batch of 64 takes two thirds longer per text than one of 16: it no longer fits the caches.
TEXTS_PER_BATCH_MAX = 16
# Memory grows with the square of a text's length: sixteen of the longest took 170 MB, with this limit they take 40.
TOKENS_PER_BATCH_MAX = 1_024
TEXTS_PER_CALL_MAX = 100_000
# A question is asked several times in a row, for the answer, for what not to try, for a verdict; and during an outage
# by everybody and their agents, while what memory says to it changes. One takes up to a hundred kilobytes.
TEXTS_KEPT_MAX = 512
# More than any model here reads, and it keeps a megabyte of log from being split into words for nothing.
TEXT_CHARS_MAX = 20_000
THREADS_MAX = 64
_REMEDY = "Run `hindcast models prepare`."
Kind = TypeVar("Kind")

# The vector of a text, then the numbers of its telling tokens and one vector for each of them, all of unit length.
Tokenised = tuple[NDArray[np.float32], NDArray[np.int32], NDArray[np.float32]]
_NOTHING: Tokenised = (np.zeros(0, np.float32), np.zeros(0, np.int32), np.zeros((0, 0), np.float32))
# Marks such as [CLS], and what stands for all that a tokenizer does not know.
_MARKS = re.compile(r"[\[<].*[\]>]")
# How tokenizers write that a piece continues a word, or begins one.
_PIECE = re.compile(r"^(?:##|\u0120|\u2581)")
PIECE_CHARS_MIN = 2
# English words that hold a sentence together and say nothing about a failure.
_FUNCTION_WORDS = (
    "a an and any are as at be because been but by can could did do does for from had has have he her here his how i "
    "if in into is it its just me my no nor not of off on or our out she should so some such than that the their them "
    "then there these they this those to too up us very was we were what when where which while who why will with "
    "would you your"
)
FUNCTION_WORDS = frozenset(_FUNCTION_WORDS.split())


@dataclass(frozen=True, slots=True)
class _Loaded:
    """A pack in memory. Both parts may be used by several threads at once."""

    session: Any
    tokenizer: Any
    inputs: frozenset[str]
    output: str


class OnnxEmbedder:
    """Runs one model pack. The same text has the same vector, whatever it is embedded together with."""

    def __init__(self, folder: Path, *, threads: int = 1) -> None:
        if not 1 <= threads <= THREADS_MAX:
            raise Malformed(f"{threads} threads.", remedy=f"Choose 1 to {THREADS_MAX}.", field="threads")
        self._pack = read_manifest(folder)
        self._threads = threads
        self._lock = threading.Lock()
        self._loaded: _Loaded | None = None
        self._read_lately = lru_cache(maxsize=TEXTS_KEPT_MAX)(self._tokenised_one)

    @property
    def model(self) -> str:
        """The pack's name and the beginning of its weights' sha256."""
        return self._pack.model

    @property
    def dims(self) -> int:
        """The length of a vector."""
        return self._pack.dims

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One row of unit length for each text, in the order given."""
        self._check_count(texts)
        vectors = np.empty((len(texts), self.dims), np.float32)
        if not texts:
            return vectors
        loaded = self._load()
        encodings = loaded.tokenizer.encode_batch([_clean(text) for text in texts])
        for batch in batches([len(encoding.ids) for encoding in encodings]):
            token_vectors, mask = self._run(loaded, [encodings[at].ids for at in batch])
            vectors[batch] = unit(pool(token_vectors, mask, self._pack.pooling))
        return vectors

    def embed_tokens(
        self,
        texts: Sequence[str],
        *,
        tokens_max: int,
        spans: Sequence[tuple[int, int]] = (),
        read_max: int | None = None,
    ) -> list[Tokenised]:
        """For each text its vector, and the numbers and vectors of its telling tokens, all from one run of the model.

        Given `spans`, one for each text, the tokens that begin between those two characters are taken, read in the
        light of the whole text; where there is none of them, all count. Given `read_max`, the model reads the first so
        many tokens of each text, its closing mark among them.
        """
        self._check_count(texts)
        if len(texts) == 1:
            return [self._read_lately(_clean(texts[0]), spans[0] if spans else None, tokens_max, read_max)]
        return self._tokenised([_clean(text) for text in texts], spans, tokens_max, read_max)

    def _tokenised_one(
        self, text: str, span: tuple[int, int] | None, tokens_max: int, read_max: int | None
    ) -> Tokenised:
        (found,) = self._tokenised([text], (span,) if span is not None else (), tokens_max, read_max)
        for part in found:
            # Whoever asks the same next gets these very arrays.
            part.flags.writeable = False
        return found

    def _tokenised(
        self, texts: Sequence[str], spans: Sequence[tuple[int, int]], tokens_max: int, read_max: int | None
    ) -> list[Tokenised]:
        found: list[Tokenised] = [_NOTHING] * len(texts)
        if not texts:
            return found
        loaded = self._load()
        encodings = loaded.tokenizer.encode_batch(texts)
        numbered = [_first(encoding.ids, read_max) for encoding in encodings]
        for batch in batches(list(map(len, numbered))):
            token_vectors, mask = self._run(loaded, [numbered[at] for at in batch])
            pooled = unit(pool(token_vectors, mask, self._pack.pooling))
            for row, at in enumerate(batch):
                tokens, offsets = (_first(all_, read_max) for all_ in (encodings[at].tokens, encodings[at].offsets))
                places = _places(tokens, offsets, spans[at] if spans else None, tokens_max)
                numbers = np.array(numbered[at], np.int32)[places]
                found[at] = (pooled[row], numbers, unit(token_vectors[row, places]))
        return found

    def _check_count(self, texts: Sequence[str]) -> None:
        if len(texts) > TEXTS_PER_CALL_MAX:
            raise Malformed(
                f"{len(texts)} texts at once.", remedy=f"Embed at most {TEXTS_PER_CALL_MAX} in one call.", field="texts"
            )

    def _run(self, loaded: _Loaded, ids: Sequence[Sequence[int]]) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
        """Run the model over token numbers: a vector for each token, and which of them are not padding."""
        tokens, mask = _pad(ids)
        given = {"input_ids": tokens, "attention_mask": mask, "token_type_ids": np.zeros_like(tokens)}
        feed = {name: value for name, value in given.items() if name in loaded.inputs}
        token_vectors: NDArray[np.float32] = loaded.session.run([loaded.output], feed)[0]
        if token_vectors.shape != (*tokens.shape, self.dims):
            raise Damaged(
                f"{self._pack.folder / MODEL_FILE} answers with vectors of shape {token_vectors.shape}, "
                f"but its manifest says {self.dims} dims for each token.",
                remedy=_REMEDY,
            )
        return token_vectors, mask

    def _load(self) -> _Loaded:
        with self._lock:
            if self._loaded is None:
                self._loaded = _load(self._pack, self._threads)
            return self._loaded


def batches(lengths: Sequence[int]) -> Iterator[list[int]]:
    """The places of all texts, shortest first: texts of one length share a batch, so that little of it is padding."""
    batch: list[int] = []
    for at in sorted(range(len(lengths)), key=lambda at: lengths[at]):
        if batch and (len(batch) == TEXTS_PER_BATCH_MAX or (len(batch) + 1) * lengths[at] > TOKENS_PER_BATCH_MAX):
            yield batch
            batch = []
        batch.append(at)
    if batch:
        yield batch


def _first(tokens: Sequence[Kind], count: int | None) -> Sequence[Kind]:
    """The first so many of a text's tokens, and in the last place the mark that closes it."""
    return tokens if count is None or len(tokens) <= count else [*tokens[: count - 1], tokens[-1]]


def telling(tokens: Sequence[str], tokens_max: int) -> list[int]:
    """The places of the first so many tokens that tell something: pieces of words of two letters or more, each once.

    Where a text repeats itself, its first mention speaks for all. Which tokens are kept matters more than how many:
    without marks, punctuation and function words, 64 of them reach as far as 128 of all.
    """
    places: dict[str, int] = {}
    for place, token in enumerate(tokens):
        piece = _PIECE.sub("", token)
        if token in places or len(piece) < PIECE_CHARS_MIN or piece.lower() in FUNCTION_WORDS:
            continue
        if any(map(str.isalnum, piece)) and not _MARKS.fullmatch(token):
            places[token] = place
            if len(places) == tokens_max:
                break
    return list(places.values())


def _places(
    tokens: Sequence[str], offsets: Sequence[tuple[int, int]], span: tuple[int, int] | None, tokens_max: int
) -> list[int]:
    """The places of a text's telling tokens, those of a span if it has any."""
    if span is not None:
        start, end = span
        inside = [start <= begin < end for begin, _ in offsets]
        found = telling([token if within else "" for token, within in zip(tokens, inside, strict=True)], tokens_max)
        if found:
            return found
    return telling(tokens, tokens_max)


def pool(token_vectors: NDArray[np.float32], mask: NDArray[np.int64], pooling: str) -> NDArray[np.float32]:
    """One vector for each text: the mean of its tokens' vectors, or the first of them."""
    if pooling == "cls":
        first: NDArray[np.float32] = token_vectors[:, 0]
        return first
    weights = mask.astype(np.float32)
    weights /= weights.sum(axis=1, keepdims=True)
    mean: NDArray[np.float32] = np.einsum("btd,bt->bd", token_vectors, weights)
    return mean


def unit(vectors: NDArray[np.float32]) -> NDArray[np.float32]:
    """The same directions at length one."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    scaled: NDArray[np.float32] = vectors / np.maximum(lengths, np.float32(1e-12))
    return scaled


def _pad(ids: Sequence[Sequence[int]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    longest = max(len(each) for each in ids)
    tokens = np.zeros((len(ids), longest), np.int64)
    mask = np.zeros((len(ids), longest), np.int64)
    for row, each in enumerate(ids):
        tokens[row, : len(each)] = each
        mask[row, : len(each)] = 1
    return tokens, mask


def _clean(text: str) -> str:
    """At most so much text, without the half characters that a log decoded by guesswork can hold."""
    return text[:TEXT_CHARS_MAX].encode("utf-8", "replace").decode("utf-8")


def _load(pack: PackInfo, threads: int) -> _Loaded:
    """Read, prove and start a pack."""
    try:
        import onnxruntime  # type: ignore[import-untyped]
        import tokenizers
        from onnxruntime.capi import onnxruntime_pybind11_state as native  # type: ignore[import-untyped]
    except ImportError as error:
        raise Unavailable(
            f"Running a model pack needs {error.name}, which is not installed.", remedy="Run `pip install hindcast`."
        ) from error
    words = read_file(pack, TOKENIZER_FILE)
    # Proven here and loaded from the file: handed over as bytes, the runtime would keep a second copy of them.
    read_file(pack, MODEL_FILE)
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    # An arena keeps the room of the longest text it has ever read; without one a run takes no longer.
    options.enable_cpu_mem_arena = False
    # Waiting threads sleep: spinning is faster in a benchmark and heats a shared machine for nothing.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    options.log_severity_level = 3
    # onnxruntime's errors have no class in common but Exception.
    broken = (
        native.Fail,
        native.InvalidGraph,
        native.InvalidProtobuf,
        native.InvalidArgument,
        native.NotImplemented,
        native.RuntimeException,
        ValueError,
    )
    try:
        session = onnxruntime.InferenceSession(
            str(pack.folder / MODEL_FILE), options, providers=["CPUExecutionProvider"]
        )
        tokenizer = tokenizers.Tokenizer.from_buffer(words)
    except broken as error:
        raise Damaged(f"The model pack in {pack.folder} does not load: {error}.", remedy=_REMEDY) from error
    # The file that comes with the default model pads to and cuts at 128 tokens, whatever the model can do.
    tokenizer.no_padding()
    tokenizer.enable_truncation(pack.tokens_max)
    outputs = [output.name for output in session.get_outputs()]
    return _Loaded(
        session=session,
        tokenizer=tokenizer,
        inputs=frozenset(given.name for given in session.get_inputs()),
        output=TOKEN_VECTORS if TOKEN_VECTORS in outputs else outputs[0],
    )
