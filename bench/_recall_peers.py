"""What everybody has: TF-IDF and BM25 over plain words, to be compared with in the same run."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

# The usual values, those of Lucene.
K1, B = 1.2, 0.75

_WORD = re.compile(r"\w+")

Scores = NDArray[np.float64]


def tfidf(documents: Sequence[str], questions: Sequence[str]) -> Scores:
    """Cosines of words weighted by sublinear frequency and smooth idf: a row for each question."""
    counted = [_counted(text) for text in (*documents, *questions)]
    often = Counter(word for words in counted for word in words)
    number = {word: at for at, word in enumerate(often)}
    rare = np.array([math.log((1 + len(counted)) / (1 + count)) + 1 for count in often.values()])
    vectors = np.zeros((len(counted), len(number)), np.float32)
    for row, words in enumerate(counted):
        at = [number[word] for word in words]
        vectors[row, at] = (1 + np.log(np.array(list(words.values())))) * rare[at]
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    scores: Scores = (vectors[len(documents) :] @ vectors[: len(documents)].T).astype(np.float64)
    return scores


def bm25(documents: Sequence[str], questions: Sequence[str]) -> Scores:
    """Okapi BM25: a row for each question."""
    counted = [_counted(text) for text in documents]
    lengths = np.array([sum(words.values()) for words in counted], np.float64)
    lengths /= max(lengths.mean(), 1e-9)
    where: dict[str, list[tuple[int, int]]] = {}
    for row, words in enumerate(counted):
        for word, count in words.items():
            where.setdefault(word, []).append((row, count))
    scores = np.zeros((len(questions), len(documents)))
    for row, question in enumerate(questions):
        for word, asked in _counted(question).items():
            if word in where:
                at, counts = np.array(where[word]).T
                rare = math.log(1 + (len(documents) - len(at) + 0.5) / (len(at) + 0.5))
                scores[row, at] += asked * rare * counts * (K1 + 1) / (counts + K1 * (1 - B + B * lengths[at]))
    return scores


def orders(scores: Scores, ids: Sequence[str], askers: Sequence[str]) -> list[tuple[str, ...]]:
    """The ids for each question, the best first, without whoever asks."""
    found = []
    for row, asker in zip(scores, askers, strict=True):
        found.append(tuple(ids[at] for at in np.argsort(-row, kind="stable") if ids[at] != asker))
    return found


def _counted(text: str) -> Counter[str]:
    return Counter(_WORD.findall(text.lower()))
