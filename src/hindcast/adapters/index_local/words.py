"""The word index: BM25 over every version that ever was, asked for those a mask allows. Keys are kept beside the words.

A key is a whole value such as `fp:91ab…`. What a question and a text share counts by how rare it is; how many other
keys the text has says nothing.

One index serves every moment and branch: it is asked for more than is wanted, and for still more until enough of what
it gives is visible. The answer is exact: the same versions that scoring every visible version would give.
"""

from __future__ import annotations

import math
import re
import shutil
from collections.abc import Collection, Iterable, Sequence
from contextlib import suppress
from itertools import chain
from pathlib import Path

import numpy as np
import tantivy
from numpy.typing import NDArray

from hindcast.adapters.index_local.catalog import Mask
from hindcast.adapters.index_local.files import seal, sealed
from hindcast.adapters.index_local.text import head_of, with_parts

WRITER_BYTES = 256_000_000
WORD_CHARS_MAX = 80
# More different words than this is a document, not a question; the first ones say what it is about.
QUERY_WORDS_MAX = 200
# Below this, naming the visible versions in the query is cheaper than sifting through the invisible ones.
NAMED_VERSIONS_MAX = 2_000
ONE_BY_ONE_MAX = 500
# Of few texts all that hold a word are looked at: in a team's first year that takes a quarter of the time of naming the
# visible ones, unless those are few among many.
SIFTED_TEXTS_MAX = 2_000
SIFTED_PER_VISIBLE_MAX = 6
FETCH_MIN = 200
# How many times more is asked for than the share of visible versions suggests: asking twice costs more.
FETCH_FACTOR = 4
# A word that a tenth of very many texts hold says little beside rarer ones, and looking at all of those takes its time.
# Among few texts every word counts.
COMMON_SHARE = 0.1
COMMON_TEXTS_MIN = 20_000
# How much more a word of a long question's first line counts than one further down.
HEAD_COUNTS = 4.0
HEAD_REST_CHARS_MIN = 300
FREQUENCIES_KEPT_MAX = 50_000
# Scores are sums of 32-bit floats whose order of addition may differ; beyond this many digits there is only noise.
SCORE_DIGITS = 4

_ANALYZER = "memory"
_WORD = re.compile(r"\w+")


class Words:
    """Full text in a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        builder = tantivy.SchemaBuilder()
        builder.add_unsigned_field("version", indexed=True, fast=True)
        builder.add_text_field("text", tokenizer_name=_ANALYZER, index_option="freq")
        builder.add_text_field("key", tokenizer_name="raw", index_option="basic")
        self._schema = builder.build()
        self._analyzer = (
            tantivy.TextAnalyzerBuilder(tantivy.Tokenizer.simple())
            .filter(tantivy.Filter.remove_long(WORD_CHARS_MAX))
            .filter(tantivy.Filter.lowercase())
            .filter(tantivy.Filter.ascii_fold())
            .filter(tantivy.Filter.stemmer("english"))
            .build()
        )
        self._frequencies: dict[tuple[str, str], int] = {}
        self._index = self._open()
        self._searcher = self._index.searcher()
        self.version = self._newest()

    def _open(self) -> tantivy.Index:
        """Open what is there, or begin anew where it is missing, torn, altered or of another make."""
        self._folder.mkdir(parents=True, exist_ok=True)
        # Checked here, because the engine trusts its files: a flipped bit would be a wrong answer or a crash.
        known = sealed(self._folder)
        if known is not None:
            self._sums = known
            with suppress(ValueError):
                return self._attach()
        shutil.rmtree(self._folder)
        self._folder.mkdir(parents=True)
        self._sums = {}
        return self._attach()

    def _attach(self) -> tantivy.Index:
        index = tantivy.Index(self._schema, path=str(self._folder))
        index.register_tokenizer(_ANALYZER, self._analyzer)
        index.config_reader("manual")
        index.reload()
        return index

    def _newest(self, known: int = 0) -> int:
        """The newest version that is here. From one that was here on, looking takes no longer in a large index."""
        everything = tantivy.Query.all_query()
        onwards = tantivy.Query.range_query(
            self._schema, "version", tantivy.FieldType.Unsigned, lower_bound=known, use_inverted_index=True
        )
        for query in (onwards, everything) if known else (everything,):
            found = self._searcher.search(query, 1, count=False, order_by_field="version").hits
            if found:
                return int(found[0][0])
        return 0

    def add(self, texts: Iterable[tuple[int, str, Sequence[str]]]) -> None:
        """Take in texts and keys by version number, in growing order, and make them searchable."""
        remaining = iter(texts)
        first = next(remaining, None)
        if first is None:
            return
        writer = self._index.writer(heap_size=WRITER_BYTES, num_threads=1)
        for version, text, keys in chain([first], remaining):
            document = tantivy.Document()
            document.add_unsigned("version", version)
            document.add_text("text", text)
            for key in keys:
                document.add_text("key", key)
            writer.add_document(document)
        writer.commit()
        writer.wait_merging_threads()
        self._sums = seal(self._folder, self._sums)
        self.reload()

    def reload(self) -> None:
        """See what has been added, by whichever process."""
        self._index.reload()
        self._searcher = self._index.searcher()
        self._frequencies.clear()
        self.version = self._newest(self.version)

    def drop(self) -> None:
        """Remove every file: words of an erased text live on in an index until it is written anew."""
        shutil.rmtree(self._folder, ignore_errors=True)
        self._index = self._open()
        self.reload()

    def terms(self, text: str) -> dict[str, str]:
        """The words of a question, by the form in which they are indexed."""
        found: dict[str, str] = {}
        for word in _WORD.findall(with_parts(text)):
            for term in self._analyzer.analyze(word):
                found.setdefault(term, word)
            if len(found) >= QUERY_WORDS_MAX:
                break
        return found

    def heavy(self, text: str) -> Collection[str]:
        """The words of a long question's first line; none where the question is no longer than that."""
        start, stop = head_of(text)
        rest = len(text) - (stop - start)
        return self.terms(text[start:stop]) if rest > HEAD_REST_CHARS_MIN else ()

    def telling(self, terms: Collection[str], *, field: str = "text") -> Collection[str]:
        """The words (or keys) that tell texts apart: what most texts hold is left out, unless there is nothing else."""
        limit = max(COMMON_SHARE * self._searcher.num_docs, COMMON_TEXTS_MIN)
        rare = tuple(term for term in terms if self._holders(field, term) <= limit)
        return rare or terms

    def _holders(self, field: str, term: str) -> int:
        """How many texts hold a word; asked once, since looking it up costs as much as a small search."""
        known = self._frequencies.get((field, term))
        if known is None:
            if len(self._frequencies) >= FREQUENCIES_KEPT_MAX:
                self._frequencies.clear()
            known = self._frequencies[field, term] = self._searcher.doc_freq(field, term)
        return known

    def search(
        self,
        terms: Collection[str],
        mask: Mask,
        visible: NDArray[np.int64],
        *,
        hits_max: int,
        heavy: Collection[str] = (),
        one_look: bool = False,
    ) -> tuple[tuple[int, float], ...]:
        """The best visible versions with their scores, best first, the newer one where scores are equal.

        Words among `heavy` count for more: in a long question those of its first line say what it is about. With
        `one_look`, of more equals than anybody will read not every one is looked at to find the newest.
        """
        if not terms or not len(visible):
            return ()
        return self._best(self._query(self.telling(terms), heavy), mask, visible, hits_max, one_look)

    def search_keys(
        self, keys: Collection[str], mask: Mask, visible: NDArray[np.int64], *, hits_max: int, one_look: bool = False
    ) -> tuple[tuple[int, float], ...]:
        """The same for whole keys. The score is the sum of what each shared key tells: the fewer hold it, the more."""
        if not keys or not len(visible):
            return ()
        query = self._keys_query(self.telling(dict.fromkeys(keys), field="key"))
        return self._best(query, mask, visible, hits_max, one_look) if query is not None else ()

    def _best(
        self, query: tantivy.Query, mask: Mask, visible: NDArray[np.int64], hits_max: int, one_look: bool
    ) -> tuple[tuple[int, float], ...]:
        texts = self._searcher.num_docs
        # One more than can come, so that a full answer is known to be complete.
        if texts <= min(SIFTED_TEXTS_MAX, SIFTED_PER_VISIBLE_MAX * len(visible)):
            fetch = texts + 1
        elif len(visible) <= NAMED_VERSIONS_MAX:
            unscored = tantivy.Query.const_score_query(self._named(visible.tolist()), 0.0)
            query = tantivy.Query.boolean_query([(tantivy.Occur.Must, query), (tantivy.Occur.Must, unscored)])
            fetch = len(visible) + 1
        else:
            fetch = max(FETCH_MIN, int(FETCH_FACTOR * hits_max * texts / len(visible)))
        while True:
            versions, scores = self._fetch(query, fetch)
            known = versions < len(mask)
            shown = np.flatnonzero(known)[mask[versions[known]]]
            # Complete once nothing is left, or nothing that is left can score as high as the last one wanted.
            is_full = len(shown) >= hits_max
            if len(versions) < fetch or (is_full and (one_look or scores[-1] < scores[shown[hits_max - 1]])):
                break
            fetch *= 4
        versions, scores = versions[shown], scores[shown]
        best = np.lexsort((-versions, -scores))[:hits_max]
        return tuple(zip(versions[best].tolist(), scores[best].tolist(), strict=True))

    def _query(self, terms: Collection[str], heavy: Collection[str] = ()) -> tantivy.Query:
        one_each = []
        for term in terms:
            query = tantivy.Query.term_query(self._schema, "text", term, index_option="freq")
            weighed = tantivy.Query.boost_query(query, HEAD_COUNTS) if term in heavy else query
            one_each.append((tantivy.Occur.Should, weighed))
        return tantivy.Query.boolean_query(one_each)

    def _named(self, versions: list[int]) -> tantivy.Query:
        """Just these versions. Few are quicker one by one, many as a set."""
        if len(versions) > ONE_BY_ONE_MAX:
            return tantivy.Query.term_set_query(self._schema, "version", versions)
        one_each = [
            (tantivy.Occur.Should, tantivy.Query.term_query(self._schema, "version", version, index_option="basic"))
            for version in versions
        ]
        return tantivy.Query.boolean_query(one_each)

    def _keys_query(self, keys: Collection[str]) -> tantivy.Query | None:
        """Any of those keys that some text holds; None when none of them is known."""
        one_each = []
        for key in keys:
            holders = self._holders("key", key)
            if holders:
                term = tantivy.Query.term_query(self._schema, "key", key, index_option="basic")
                tells = math.log(1 + (self._searcher.num_docs - holders + 0.5) / (holders + 0.5))
                one_each.append((tantivy.Occur.Should, tantivy.Query.const_score_query(term, tells)))
        return tantivy.Query.boolean_query(one_each) if one_each else None

    def _fetch(self, query: tantivy.Query, limit: int) -> tuple[np.ndarray, np.ndarray]:
        hits = self._searcher.search(query, limit, count=False).hits
        versions = self._searcher.fast_field_values("version", [address for _, address in hits])
        scores = np.fromiter((score for score, _ in hits), np.float64, len(hits)).round(SCORE_DIGITS)
        return np.array(versions, np.int64), scores
