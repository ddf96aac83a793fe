"""One question to the index: what each arm finds, what it says of others' finds, and the best compared by tokens."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import dataclass
from operator import itemgetter

import numpy as np
from numpy.typing import NDArray

from hindcast.adapters.index_local.catalog import Mask
from hindcast.adapters.index_local.vectors import Asked, Vectors
from hindcast.adapters.index_local.words import Words
from hindcast.model.errors import HindcastError
from hindcast.model.query import Candidates, Query

# How many of the best are compared by tokens: beyond these a right answer is seldom found, and time grows with each.
COMPARED_MAX = 50
# How many versions are told early. Of the first so many, words and keys are right about four in five; of the next six
# about every other, and whoever reads those meanwhile only slows the model down.
TOLD_EARLY_MAX = 6
# As in the fusion of memory: agreement between arms counts, and no single arm's first place decides.
_RANK_OFFSET = 60
_DEFAULT = ("words", "meaning")
_BY_SCORE = itemgetter(1, 0)

Scored = tuple[tuple[int, float], ...]


def wanted_arms(query: Query) -> tuple[str, ...]:
    """The arms that take part. Without a text only keys can be looked for."""
    arms = query.arms or (*_DEFAULT, *(("keys",) if query.keys else ()))
    return arms if query.text.strip() else tuple(arm for arm in arms if arm == "keys")


@dataclass(frozen=True, slots=True)
class Asking:
    """A question, and the part of the index that it may see."""

    query: Query
    words: Words
    vectors: Vectors | None
    mask: Mask
    visible: NDArray[np.int64]
    candidates_max: int
    # Whether somebody makes the vectors that are lacking while this is answered.
    makes_meanwhile: bool = False

    def answer(self, reading: Future[Asked] | None, early: Callable[[Sequence[int]], None] | None = None) -> Candidates:
        """Ask every arm that is wanted; the model may still be reading the question while the words are looked up."""
        wanted = wanted_arms(self.query)
        one_look, depth = self.query.one_look, self.candidates_max
        terms = self.words.terms(self.query.text)
        by_words: dict[str, Scored] = {}
        if "words" in wanted:
            heavy = self.words.heavy(self.query.text)
            by_words["words"] = self.words.search(
                terms, self.mask, self.visible, hits_max=depth, heavy=heavy, one_look=one_look
            )
        if "keys" in wanted:
            by_words["keys"] = self.words.search_keys(
                self.query.keys, self.mask, self.visible, hits_max=depth, one_look=one_look
            )
        if reading is not None and early is not None:
            self._tell_early(by_words, reading, early)
        notes: list[str] = []
        asked = self._asked(reading, wanted, notes)
        unembedded = 0
        found: dict[str, Scored] = {"words": by_words["words"]} if "words" in wanted else {}
        if asked is not None and self.vectors is not None and "meaning" in wanted:
            rows = self.vectors.meaning.rows(self.visible)
            found["meaning"] = self.vectors.meaning.search(asked.vector, rows, hits_max=depth, one_look=one_look)
            unembedded = len(self.visible) - len(rows)
        if "keys" in wanted:
            found["keys"] = by_words["keys"]
        if self.query.scored_by_all:
            found = self._scored_by_all(found, terms, asked)
        if "tokens" in wanted and asked is not None:
            compared = self._compared(found, asked, notes)
            if compared is not None:
                found["tokens"] = compared
        return Candidates(found, terms, unembedded, tuple(notes))

    def _tell_early(
        self, found: Mapping[str, Scored], reading: Future[Asked], early: Callable[[Sequence[int]], None]
    ) -> None:
        """Tell what is likely to be in the answer, while the model still reads."""
        likely = best_of(found, min(self.query.hits_max, TOLD_EARLY_MAX))
        if likely and not reading.done():
            early(likely)

    def _asked(self, reading: Future[Asked] | None, wanted: Sequence[str], notes: list[str]) -> Asked | None:
        """What the model made of the question, or a note why it made nothing."""
        if reading is not None:
            try:
                return reading.result()
            except HindcastError as error:
                notes.append(f"Searched without meaning. {error}")
                return None
        named = [arm for arm in ("meaning", "tokens") if self.query.arms is not None and arm in wanted]
        if named:
            notes.append("Keyword search only: no embedding model installed.")
        return None

    def _scored_by_all(
        self, found: Mapping[str, Scored], terms: Mapping[str, str], asked: Asked | None
    ) -> dict[str, Scored]:
        """Every arm's opinion of whatever any arm found. Of what has nothing in common with it, an arm says nothing."""
        known = {arm: {version for version, _ in scored} for arm, scored in found.items()}
        everything = set[int]().union(*known.values())
        complete: dict[str, Scored] = {}
        for arm, scored in found.items():
            others = everything - known[arm]
            if others:
                scored = _sorted((*scored, *self._scored(arm, np.array(sorted(others), np.int64), terms, asked)))
            complete[arm] = scored
        return complete

    def _scored(self, arm: str, versions: NDArray[np.int64], terms: Mapping[str, str], asked: Asked | None) -> Scored:
        """One arm's scores of certain versions."""
        if arm == "meaning":
            assert asked is not None
            assert self.vectors is not None
            return self.vectors.meaning.scored(asked.vector, versions)
        only = np.zeros_like(self.mask)
        only[versions] = True
        if arm == "keys":
            return self.words.search_keys(self.query.keys, only, versions, hits_max=len(versions))
        heavy = self.words.heavy(self.query.text)
        return self.words.search(terms, only, versions, hits_max=len(versions), heavy=heavy)

    def _compared(self, found: Mapping[str, Scored], asked: Asked, notes: list[str]) -> Scored | None:
        """The best of all arms by what their tokens say; tokens that are lacking are made, as far as time allows."""
        until = time.monotonic() + self.query.tokens_ms_max / 1_000
        tokens = self.vectors.tokens if self.vectors is not None else None
        if self.vectors is None or tokens is None:
            notes.append("Searched without tokens: this model gives one vector for a text and none for its tokens.")
            return None
        best = best_of(found, COMPARED_MAX)
        texts = tokens.read(best)
        if len(texts) < len(best):
            # Another process may have made them meanwhile.
            tokens.reload()
            texts = tokens.read(best)
        lacking = [version for version in best if version not in texts]
        if lacking and self.makes_meanwhile:
            known = self.vectors.meaning.has(max(lacking) + 1)
            lacking = [version for version in lacking if known[version]]
        if lacking:
            try:
                made, late = self.vectors.make_now(lacking, until=until)
            except HindcastError as error:
                notes.append(f"Some were not compared by tokens. {error}")
            else:
                texts |= made
                if late:
                    notes.append(
                        f"{late} of the best {len(best)} were not compared by tokens: "
                        f"{self.query.tokens_ms_max:g} ms were not enough to read them for the first time."
                    )
        versions = list(texts)
        scores = tokens.scores(asked.numbers, asked.token_vectors, [texts[version] for version in versions])
        return _sorted(tuple(zip(versions, scores.tolist(), strict=True)))


def best_of(found: Mapping[str, Scored], count: int) -> list[int]:
    """The versions that all arms together put first."""
    scores: dict[int, float] = {}
    for scored in found.values():
        for place, (version, _) in enumerate(scored, 1):
            scores[version] = scores.get(version, 0.0) + 1 / (_RANK_OFFSET + place)
    best = sorted((-score, -version) for version, score in scores.items())[:count]
    return [-version for _, version in best]


def _sorted(scored: Scored) -> Scored:
    """Best first, the newer one where scores are equal."""
    return tuple(sorted(scored, key=_BY_SCORE, reverse=True))
