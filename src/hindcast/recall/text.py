"""Words of a text as they are compared: lower case, without their endings, names taken apart as well as whole."""

from __future__ import annotations

import re
from functools import lru_cache

# Words that are in every text and tell none apart.
_STOP_WORDS = """
    a about after all also an and any are as at be been but by can could did do does for from get got had has have he
    her his how i if in into is it its just like me my no not of off on one only or our out over she so some than that
    the their them then there these they this to too up us very was we were what when where which while who why will
    with would you your
"""
STOP_WORDS = frozenset(_STOP_WORDS.split())

_NAME = re.compile(r"[A-Za-z][A-Za-z0-9]*(?:[_.\-/:][A-Za-z0-9]+)*|\d+")
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|\d+")
# Longer runs are encoded data, not words.
WORD_CHARS_MAX = 40
# Endings of English words, the longest first; a stem keeps at least three letters.
_ENDINGS = ("ational", "ations", "ation", "ingly", "ments", "ment", "ings", "ness", "edly", "ing", "ies", "ied", "ions",
            "ers", "ion", "ed", "er", "es", "ly", "s", "e")  # fmt: skip


@lru_cache(maxsize=65_536)
def stem(word: str) -> str:
    """A word without its ending: `refused`, `refusing` and `refuse` are one. Good enough to compare, not to read."""
    for ending in _ENDINGS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            return word[: -len(ending)]
    return word


@lru_cache(maxsize=4_096)
def words_in(text: str) -> tuple[str, ...]:
    """The words of a text in order, without those that every text has. Numbers are left out: they name no failure.

    A name such as `pool_size` gives its parts, so that `pool size` in a sentence is the same two words.
    """
    found: list[str] = []
    for name in _NAME.findall(text):
        if len(name) > WORD_CHARS_MAX:
            continue
        parts = _PART.findall(name)
        for part in parts:
            word = part.lower()
            if len(word) > 1 and not word.isdigit() and word not in STOP_WORDS:
                found.append(stem(word))
    return tuple(found)


def alike(one: str, other: str) -> float:
    """How far two texts use the same words, 0 to 1: shared words over all words."""
    first, second = frozenset(words_in(one)), frozenset(words_in(other))
    if not first or not second:
        return 0.0
    return len(first & second) / len(first | second)


def clean(text: str, *, chars_max: int) -> str:
    """A text that every engine can take: no zero characters, no halves of characters, not too long."""
    plain = text.replace("\0", " ").encode("utf-8", "replace").decode("utf-8")
    return plain[:chars_max].strip()
