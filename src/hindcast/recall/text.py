"""Words of a text as they are compared: lower case, without their endings, names taken apart as well as whole."""

from __future__ import annotations

import re
from functools import lru_cache
from itertools import chain, pairwise

# Words that are in every text and tell none apart.
_STOP_WORDS = """
    a about after all also an and any are as at be been but by can could did do does for from get got had has have he
    her his how i if in into is it its just like me my no not of off on one only or our out over she so some than that
    the their them then there these they this to too up us very was we were what when where which while who why will
    with would you your
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())

# Names are taken apart where their writing changes: `pool_size`, `poolSize` and `HTTPServer` have two parts each.
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
# Everything but letters ends a run of them.
_LETTERS = bytes(code if chr(code).isalpha() and code < 128 else 32 for code in range(256))
# Longer runs are encoded data, not words.
WORD_CHARS_MAX = 30
RUNS_KEPT_MAX = 65_536
# What is longer is no line, but what is known of a case, or a question.
LINE_CHARS_MAX = 400
# Endings of English words, the longest first; a stem keeps at least three letters.
_ENDINGS = ("ational", "ations", "ation", "ingly", "ments", "ment", "ings", "ness", "edly", "ing", "ies", "ied", "ions",
            "ers", "ion", "ed", "er", "es", "ly", "s", "e")  # fmt: skip


def stem(word: str) -> str:
    """A word without its ending: `refused`, `refusing` and `refuse` are one. Good enough to compare, not to read."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


class _Runs(dict[bytes, tuple[str, ...]]):
    """What each run of letters is compared by, part after part; nothing of what tells no texts apart.

    A dictionary that fills itself is asked twice as fast as a function that remembers, thousands of times a question.
    """

    def __missing__(self, run: bytes) -> tuple[str, ...]:
        if len(self) >= RUNS_KEPT_MAX:
            self.clear()
        words = (part.lower() for part in _PART.findall(run.decode()))
        kept = (stem(word) for word in words if 1 < len(word) <= WORD_CHARS_MAX and word not in STOP_WORDS)
        found = self[run] = tuple(kept)
        return found


_words_of = _Runs().__getitem__


def words_in(text: str) -> tuple[str, ...]:
    """The words of a text in order, without those that every text has. Numbers are left out: they name no failure."""
    return _words_of_text(text) if len(text) > LINE_CHARS_MAX else _words_of_line(text)


def _split(text: str) -> tuple[str, ...]:
    # Splitting bytes takes half the time of a pattern, and most of the time to compare cases goes into this.
    return tuple(chain.from_iterable(map(_words_of, text.encode("ascii", "replace").translate(_LETTERS).split())))


def _split_lines(text: str) -> tuple[str, ...]:
    # Cases of one failure repeat whole lines of one another, and symptoms are compared line by line anyway.
    return tuple(chain.from_iterable(map(_in_line, text.split("\n"))))


def _in_line(line: str) -> tuple[str, ...]:
    return _words_of_line(line) if len(line) <= LINE_CHARS_MAX else _split(line)


# Titles and lines push no texts out of memory. A text of a case takes four kilobytes here, with its words.
_words_of_line = lru_cache(maxsize=16_384)(_split)
_words_of_text = lru_cache(maxsize=8_192)(_split_lines)


@lru_cache(maxsize=4_096)
def word_set(text: str) -> frozenset[str]:
    """The different words of a text."""
    return frozenset(words_in(text))


@lru_cache(maxsize=4_096)
def phrase_set(text: str) -> frozenset[tuple[str, str]]:
    """The different pairs of neighbouring words of a text."""
    return frozenset(pairwise(words_in(text)))


def alike(one: str, other: str) -> float:
    """How far two texts use the same words, 0 to 1: shared words over all words."""
    first, second = word_set(one), word_set(other)
    if not first or not second:
        return 0.0
    return len(first & second) / len(first | second)


def clean(text: str, *, chars_max: int) -> str:
    """A text that every engine can take: no zero characters, no halves of characters, not too long."""
    plain = text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
    return plain[:chars_max].strip()
