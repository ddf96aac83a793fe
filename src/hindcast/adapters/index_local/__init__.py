"""The local index of one space: words (tantivy) and meaning (vectors), following history by version number.

Everything here is derived. Deleted or torn files are made anew from the store; nothing of it is ever the only copy.
Several processes may share a folder: whoever finds it behind history brings it up to date, one at a time.
"""

from __future__ import annotations

import hashlib
import shutil
import threading
from collections.abc import Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from pathlib import Path

import numpy as np
import orjson

from hindcast.adapters.index_local.catalog import Catalog, Mask
from hindcast.adapters.index_local.files import alone, write_whole
from hindcast.adapters.index_local.meaning import FORMAT as MEANING_FORMAT
from hindcast.adapters.index_local.meaning import Meaning, packed
from hindcast.adapters.index_local.text import searched
from hindcast.adapters.index_local.words import Words
from hindcast.model.errors import HindcastError, Unavailable
from hindcast.model.query import Candidates, Filter, Query
from hindcast.model.record import Action, Commit, Scope, State
from hindcast.ports import Embedder, Progress, Row, Store

COMMITS_PER_FETCH = 5_000
VECTORS_PER_WRITE = 100_000
VERSIONS_PER_EMBEDDING = 1_024
# A search may wait for so many fresh texts to be embedded; more are left to `follow`, and the answer says so.
EMBEDDED_ON_SEARCH_MAX = 32
# How many new versions are worth writing the catalog anew; it can always catch up from the store.
SAVE_AFTER_VERSIONS = 20_000
# What a model reads of a text; MiniLM stops at 256 word pieces.
EMBEDDED_CHARS_MAX = 2_000


class LocalIndex:
    """See `ports.Index` for what each verb promises."""

    def __init__(self, folder: Path, store: Store, embedder: Embedder | None = None) -> None:
        self._folder = folder
        self._store = store
        self._embedder = embedder
        self._lock = threading.RLock()
        self._opened = False
        self._looked_at = -1
        self._model = ThreadPoolExecutor(max_workers=2, thread_name_prefix="hindcast-model")

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
            self._meaning: Meaning | None = None
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
            seq, commit = orjson.loads((self._folder / "followed").read_bytes())
            found = self._store.commits(None, before=seq + 1, after=seq - 1, commits_max=1)
        except (OSError, ValueError, TypeError):
            return False
        return bool(found) and found[0].id == commit

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
                    write_whole(self._folder / "followed", orjson.dumps([tip.seq, tip.id]))
                self._begins_anew = False
            # A backlog that was too long for one search is not looked at again by the next one.
            if self._embedder is not None and (embed or self._looked_at != self._catalog.version):
                self._looked_at = self._catalog.version
                self._embed_or_wait(self._embedder, progress, None if embed else EMBEDDED_ON_SEARCH_MAX)

    def _embed_or_wait(self, embedder: Embedder, progress: Progress | None, versions_max: int | None) -> None:
        try:
            self._embed(embedder, progress, versions_max)
        except HindcastError:
            # A search can do without; whoever asked for embedding wants to know.
            if versions_max is None:
                raise

    def _take_versions(self, until: int, progress: Progress | None) -> None:
        after = min(self._catalog.version, self._words.version) if self._words_behind() else self._catalog.version
        if after < until:
            # All in one go: every time the word index is written it gains a part that each search has to look into.
            self._words.add(self._texts(self._store.rows(after=after, until=until), progress, until))

    def _words_behind(self) -> bool:
        """Whether the word index lacks versions that the catalog has: it was deleted, torn or dropped."""
        shown = self._catalog.newest_shown()
        return self._words.version < shown

    def _texts(self, rows: Iterator[Row], progress: Progress | None, total: int) -> Iterator[tuple[int, str]]:
        words_have = self._words.version
        for row in rows:
            if row.id > self._catalog.version:
                self._catalog.add(row)
            if row.id > words_have and row.state == State.LIVE and row.body is not None:
                yield row.id, searched(row.address, orjson.loads(row.body), row.text)
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
        for folder in self._folder.glob("meaning-*"):
            if self._embedder is not None and folder == self._vectors(self._embedder).folder:
                self._vectors(self._embedder).forget(erased.tolist())
            else:
                # Vectors of a model that is not at hand go as a whole; the store keeps what is worth keeping.
                shutil.rmtree(folder)
        write_whole(marker, str(erasures[-1].seq).encode())

    def _save(self, *, now: bool = False) -> None:
        if now or self._catalog.version - self._saved >= SAVE_AFTER_VERSIONS:
            self._catalog.save(self._folder / "catalog")
            self._saved = self._catalog.version

    def _vectors(self, embedder: Embedder) -> Meaning:
        if self._meaning is None:
            name = hashlib.sha256(f"{MEANING_FORMAT} {embedder.model}".encode()).hexdigest()[:16]
            self._meaning = Meaning(self._folder / f"meaning-{name}", embedder.dims)
        return self._meaning

    def _embed(self, embedder: Embedder, progress: Progress | None, versions_max: int | None) -> None:
        """Give versions their vectors: those that the store has kept, then those that must be made."""
        meaning = self._vectors(embedder)
        meaning.reload()
        lacking = self._catalog.shown() & ~meaning.has(self._catalog.version + 1)
        if not lacking.any():
            return
        with alone(self._folder):
            meaning.reload()
            lacking &= ~meaning.has(len(lacking))
            self._take_kept(embedder.model, meaning, lacking)
            # The newest first: they are what people ask about while the rest is still on its way.
            pending = np.flatnonzero(lacking)[::-1]
            if versions_max is not None and len(pending) > versions_max:
                return
            for start in range(0, len(pending), VERSIONS_PER_EMBEDDING):
                part = pending[start : start + VERSIONS_PER_EMBEDDING].tolist()
                self._make(embedder, meaning, part)
                if progress is not None:
                    progress(start + len(part), len(pending), "texts embedded")

    def _take_kept(self, model: str, meaning: Meaning, lacking: Mask) -> None:
        kept: list[tuple[int, bytes]] = []
        first = int(np.argmax(lacking))
        for version, vector in self._store.vectors(model, after=first - 1):
            if version < len(lacking) and lacking[version]:
                lacking[version] = False
                kept.append((version, vector))
                if len(kept) == VECTORS_PER_WRITE:
                    meaning.add(kept)
                    kept = []
        meaning.add(kept)

    def _make(self, embedder: Embedder, meaning: Meaning, versions: Sequence[int]) -> None:
        records = self._store.records(versions)
        texts = {
            number: searched(str(record.address), record.body, record.text)[:EMBEDDED_CHARS_MAX]
            for number, record in records.items()
            if record.state is State.LIVE
        }
        distinct = list(dict.fromkeys(texts.values()))
        if not distinct:
            return
        vectors = dict(zip(distinct, packed(embedder.embed(distinct)), strict=True))
        rows = [(number, vectors[text].tobytes()) for number, text in texts.items()]
        self._store.keep_vectors(embedder.model, rows)
        meaning.add(rows)

    def search(self, query: Query, scope: Scope, *, candidates_max: int) -> Candidates:
        """The best versions that a scope sees and the filter lets through, for each arm."""
        wanted = query.arms or ("words", "meaning")
        # The model reads the question while the words are looked up.
        asked = None
        if "meaning" in wanted and self._embedder is not None:
            asked = self._model.submit(self._embedder.embed, [query.text[:EMBEDDED_CHARS_MAX]])
        with self._lock:
            self._open()
            mask = self._catalog.seen(scope, query.filter, learned=self._learned(query.filter))
            words = self._words
        visible = np.flatnonzero(mask)
        terms = words.terms(query.text)
        by_arm: dict[str, tuple[tuple[int, float], ...]] = {}
        notes: tuple[str, ...] = ()
        unembedded = 0
        if "words" in wanted:
            by_arm["words"] = words.search(terms, mask, visible, hits_max=candidates_max)
        if asked is not None and self._embedder is not None:
            try:
                vector = np.asarray(asked.result()[0], np.float32)
                meaning = self._vectors(self._embedder)
            except HindcastError as error:
                notes = (f"Searched without meaning. {error}",)
            else:
                rows = meaning.rows(visible)
                by_arm["meaning"] = meaning.search(vector, rows, hits_max=candidates_max)
                unembedded = len(visible) - len(rows)
        elif query.arms is not None and "meaning" in query.arms:
            notes = ("Searched without meaning: there is no model. `hindcast models prepare` makes one.",)
        return Candidates(by_arm, terms, unembedded, notes)

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
    """Remove everything but the lock that is being held."""
    for item in folder.iterdir():
        if item.is_dir():
            shutil.rmtree(item)
        elif item.name != "lock":
            item.unlink()
