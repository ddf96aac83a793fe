"""The local index of one space: words and keys (tantivy), meaning and tokens (vectors), following history by version.

Everything here is derived. Deleted or torn files are made anew from the store; nothing of it is ever the only copy.
Several processes may share a folder: whoever finds it behind history brings it up to date, one at a time.
"""

from __future__ import annotations

import logging
import shutil
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from datetime import timedelta
from pathlib import Path

import numpy as np
import orjson
from numpy.typing import NDArray

from hindcast.adapters.index_local.asking import Asking, wanted_arms
from hindcast.adapters.index_local.catalog import Catalog, Mask
from hindcast.adapters.index_local.files import MAKING, WRITING, alone, alone_if_free, write_whole
from hindcast.adapters.index_local.text import keys_of, searched
from hindcast.adapters.index_local.vectors import VERSIONS_PER_EMBEDDING, Vectors, forget_models
from hindcast.adapters.index_local.words import Words
from hindcast.model.errors import HindcastError, Unavailable
from hindcast.model.query import Candidates, Filter, Query
from hindcast.model.record import Action, Commit, Scope, State
from hindcast.ports import Embedder, Progress, Row, Store

LOG = logging.getLogger("hindcast")

# Goes up whenever what is taken from a record, or the files made of it, change: older folders are then made anew.
FORMAT = 2
COMMITS_PER_FETCH = 5_000
# A search may wait for so many fresh texts to be embedded; more are left to `follow`, and the answer says so.
EMBEDDED_ON_SEARCH_MAX = 32
# Where nobody waits, the model reads so many at a time of whatever is lacking, and then rests for as long as that took.
EMBEDDED_MEANWHILE = 32
# How often to look whether another process has ended what only one may do.
TURN_SECONDS = 0.2
# How many new versions are worth writing the catalog anew; it can always catch up from the store.
SAVE_AFTER_VERSIONS = 20_000
# Questions about everything, and in between some about what has just been learnt.
SEEN_KEPT_MAX = 3

# A version with what is searched of it: its words and its keys.
Text = tuple[int, str, tuple[str, ...]]


class LocalIndex:
    """See `ports.Index` for what each verb promises."""

    def __init__(
        self, folder: Path, store: Store, embedder: Embedder | None = None, *, makes_meanwhile: bool = False
    ) -> None:
        """With `makes_meanwhile` no search waits for the model to read what is new: others wait for their answers."""
        self._folder = folder
        self._makes_meanwhile = makes_meanwhile
        self._store = store
        self._embedder = embedder
        self._vectors = Vectors(folder, store, embedder) if embedder is not None else None
        self._lock = threading.RLock()
        self._opened = False
        # What the last question saw, and what it was: several megabytes in a large memory, so only of one.
        self._seen: dict[tuple[Scope, Filter, int, int], tuple[Mask, NDArray[np.int64]]] = {}
        self._looked_at = -1
        self._closing = threading.Event()
        self._model = ThreadPoolExecutor(max_workers=2, thread_name_prefix="hindcast-model")
        self._making = ThreadPoolExecutor(max_workers=1, thread_name_prefix="hindcast-vectors")

    def _open(self) -> None:
        """Read what is there, on first use: a command that does not search does not wait for it."""
        if self._opened:
            return
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            with alone(self._folder):
                if not self._describes_this_history():
                    _clear(self._folder)
                self._catalog = Catalog.load(self._folder / "catalog") or Catalog()
                self._saved = self._catalog.version
                self._words = Words(self._folder / "words")
            if self._embedder is not None:
                self._vectors = Vectors(self._folder, self._store, self._embedder)
        except OSError as error:
            raise Unavailable(
                f"The index in {self._folder} cannot be used: {error}.",
                remedy="Name another folder for it, or ask for permission to write there.",
            ) from error
        # A word index that was deleted or torn has begun anew and lacks what the catalog knows.
        self._begins_anew = self._words_behind()
        self._opened = True

    def _describes_this_history(self) -> bool:
        """Whether the last step this folder has followed is a step of the store: its id covers all that came before.

        A database may have been restored, replaced or begun anew beside the index of the old one.
        """
        try:
            layout, seq, commit = orjson.loads((self._folder / "followed").read_bytes())
            found = self._store.commits(None, before=seq + 1, after=seq - 1, commits_max=1)
        except (OSError, ValueError, TypeError):
            return False
        return layout == FORMAT and bool(found) and found[0].id == commit

    def follow(self, *, progress: Progress | None = None, embed: bool = True) -> None:
        """Take in what history has gained. With `embed`, give every version its vector; otherwise only a few."""
        with self._lock:
            self._open()
            tip = self._store.tip()
            if tip.seq != self._catalog.seq or self._begins_anew:
                with alone(self._folder):
                    self._words.reload()
                    self._forget()
                    self._take_versions(tip.version, progress)
                    self._take_commits(tip.seq)
                    self._save()
                    write_whole(self._folder / "followed", orjson.dumps([FORMAT, tip.seq, tip.id]))
                self._begins_anew = False
            vectors = self._vectors
            # A backlog that was too long for one search is not looked at again by the next one.
            if vectors is None or (not embed and self._looked_at == self._catalog.version):
                return
            self._looked_at = self._catalog.version
        if embed:
            self._embed(vectors, progress)
        elif self._makes_meanwhile:
            self._making.submit(self._embed_meanwhile, vectors).add_done_callback(_tell_failure)
        else:
            self._embed_few(vectors)

    def _embed(self, vectors: Vectors, progress: Progress | None) -> None:
        """Give all versions the vectors that they lack.

        One process at a time, whoever is second finds nothing left to do. While the model reads, everybody else may
        search and write.
        """
        with alone(self._folder, MAKING):
            pending = self._lacking(vectors)
            for start in range(0, len(pending), VERSIONS_PER_EMBEDDING):
                part = pending[start : start + VERSIONS_PER_EMBEDDING]
                self._make(vectors, part)
                if progress is not None:
                    progress(start + len(part), len(pending), "texts embedded")
            with self._lock:
                vectors.complete_tokens(self._catalog, progress)

    def _embed_few(self, vectors: Vectors) -> None:
        """The same if they are few, and nobody else is at it: a search can do without."""
        with suppress(HindcastError), alone_if_free(self._folder, MAKING) as may_make:
            pending = self._lacking(vectors) if may_make else []
            if 0 < len(pending) <= EMBEDDED_ON_SEARCH_MAX:
                self._make(vectors, pending)

    def _embed_meanwhile(self, vectors: Vectors) -> None:
        """However many they are, as soon as nobody else is at it."""
        is_done = False
        while not is_done and not self._closing.is_set():
            with suppress(HindcastError), alone_if_free(self._folder, MAKING) as is_done:
                if is_done:
                    self._embed_bit_by_bit(vectors)
            if not is_done:
                self._closing.wait(TURN_SECONDS)

    def _embed_bit_by_bit(self, vectors: Vectors) -> None:
        """The newest first; what is written meanwhile comes before the rest."""
        seen = self._catalog.version
        pending = self._lacking(vectors)
        if len(pending) > EMBEDDED_ON_SEARCH_MAX:
            LOG.info("The model reads %d texts that can be found only by their words so far.", len(pending))
        while pending and not self._closing.is_set():
            part, pending = pending[:EMBEDDED_MEANWHILE], pending[EMBEDDED_MEANWHILE:]
            begin = time.monotonic()
            self._make(vectors, part)
            if pending:
                # Whoever asks needs the processor more.
                self._closing.wait(time.monotonic() - begin)
            if seen != self._catalog.version:
                seen, pending = self._catalog.version, self._lacking(vectors)

    def _lacking(self, vectors: Vectors) -> list[int]:
        with self._lock:
            return vectors.lacking(self._catalog)

    def _make(self, vectors: Vectors, versions: Sequence[int]) -> None:
        made = vectors.read_texts(versions)
        with self._lock:
            vectors.keep(made)

    def _take_versions(self, until: int, progress: Progress | None) -> None:
        after = min(self._catalog.version, self._words.version) if self._words_behind() else self._catalog.version
        if after < until:
            # All in one go: every time the word index is written it gains a part that each search has to look into.
            self._words.add(self._texts(self._store.rows(after=after, until=until), progress, until))

    def _words_behind(self) -> bool:
        """Whether the word index lacks versions that the catalog has: it was deleted, torn or dropped."""
        shown = self._catalog.newest_shown()
        return self._words.version < shown

    def _texts(self, rows: Iterator[Row], progress: Progress | None, total: int) -> Iterator[Text]:
        words_have = self._words.version
        for row in rows:
            if row.id > self._catalog.version:
                self._catalog.add(row)
            if row.id > words_have and row.state == State.LIVE and row.body is not None:
                body = orjson.loads(row.body)
                yield row.id, searched(row.address, body, row.text), keys_of(body)
            if progress is not None and row.id % 1_000 == 0:
                progress(row.id, total, "versions indexed")

    def _take_commits(self, until: int) -> None:
        """Learn who made each step."""
        while self._catalog.seq < until:
            commits = self._store.commits(
                None,
                before=until + 1,
                after=self._catalog.seq,
                commits_max=COMMITS_PER_FETCH,
                oldest_first=True,
            )
            for commit in commits:
                self._catalog.add_commit(commit.seq, commit.actor)
            if not commits:
                return

    def _forget(self) -> None:
        """Drop every trace of what has been erased since the last time, by whichever process."""
        erasures = self._store.commits_of(Action.ERASE, after=self._catalog.seq)
        erased = np.array([number for erasure in erasures for number in _erased(erasure)], np.int64)
        if not len(erased):
            return
        self._catalog.hide(erased)
        marker = self._folder / "forgotten"
        done = int(marker.read_text()) if marker.exists() else 0
        if erasures[-1].seq > done and int(erased.min()) <= self._words.version:
            # The words of a text live on in the files of an index, so those are written anew.
            self._words.drop()
        if self._vectors is not None:
            self._vectors.forget(erased.tolist())
        else:
            forget_models(self._folder)
        write_whole(marker, str(erasures[-1].seq).encode())

    def _save(self, *, now: bool = False) -> None:
        if now or self._catalog.version - self._saved >= SAVE_AFTER_VERSIONS:
            self._catalog.save(self._folder / "catalog")
            self._saved = self._catalog.version

    def search(
        self,
        query: Query,
        scope: Scope,
        *,
        candidates_max: int,
        early: Callable[[Sequence[int]], None] | None = None,
    ) -> Candidates:
        """The best versions that a scope sees and the filter lets through, for each arm; some of them early."""
        wanted = wanted_arms(query)
        # The model reads the question while the words are looked up.
        reading = None
        if self._vectors is not None and ("meaning" in wanted or "tokens" in wanted):
            reading = self._model.submit(self._vectors.read, query.text)
        with self._lock:
            self._open()
            mask, visible = self._visible(scope, query.filter)
            words, vectors = self._words, self._vectors
        asking = Asking(query, words, vectors, mask, visible, candidates_max, self._makes_meanwhile)
        return asking.answer(reading, early)

    def _visible(self, scope: Scope, wanted: Filter) -> tuple[Mask, NDArray[np.int64]]:
        """Which versions a question may see. One question follows another, mostly about the same."""
        asked = (scope, wanted, self._catalog.seq, self._catalog.version)
        if asked not in self._seen:
            if len(self._seen) >= SEEN_KEPT_MAX:
                del self._seen[next(iter(self._seen))]
            mask = self._catalog.seen(scope, wanted, learned=self._learned(wanted))
            self._seen[asked] = (mask, np.flatnonzero(mask))
        return self._seen[asked]

    def _learned(self, wanted: Filter) -> tuple[int, int]:
        """The steps (after, up to) that a filter on learning time allows. Times are in order, so steps are a range."""
        tick = timedelta(microseconds=1)
        after = self._store.seq_at(wanted.learned_since - tick) if wanted.learned_since is not None else 0
        until = (
            self._store.seq_at(wanted.learned_until - tick) if wanted.learned_until is not None else self._catalog.seq
        )
        return after, until

    def close(self) -> None:
        """Write down how far it has come, and let go of files."""
        # Waits for what is being made, which needs the lock, and for no more of it.
        self._closing.set()
        self._making.shutdown(cancel_futures=True)
        with self._lock:
            if self._opened and self._catalog.version != self._saved:
                with alone(self._folder):
                    self._save(now=True)
            self._model.shutdown()
            self._opened = False


def _erased(erasure: Commit) -> list[int]:
    detail = erasure.detail
    numbers = detail.get("versions", ()) if isinstance(detail, dict) else ()
    return [int(str(number)) for number in numbers] if isinstance(numbers, list | tuple) else []


def _clear(folder: Path) -> None:
    """Remove everything but the locks, which may be held."""
    for item in folder.iterdir():
        if item.is_dir():
            shutil.rmtree(item)
        elif item.name not in (WRITING, MAKING):
            item.unlink()


def _tell_failure(making: Future[None]) -> None:
    """Whoever asked has their answer already, so that nobody else would hear of it."""
    if not making.cancelled() and (error := making.exception()) is not None:
        LOG.warning("Texts were not read by the model: %s", error, exc_info=error)
