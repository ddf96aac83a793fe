"""Sentences of a text with their places. Wrapped lines belong together; list items and blank lines part them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

# Postmortems are pages, not books; what stands behind this is not read.
TEXT_CHARS_MAX = 400_000
SENTENCE_CHARS_MAX = 2_000

# A block of code.
FENCE = re.compile(r"^[ \t]{0,40}(```|~~~).*?(?:^[ \t]{0,40}\1[ \t]{0,40}$|\Z)", re.M | re.S)
# A mark of a list, a heading, a quotation or a table's cell at the beginning of a line.
_MARK = re.compile(r"[ \t>]*(?:[-*+•·–—]\s{1,20}|\d{1,3}[.)]\s{1,20}|#{1,6}\s{1,20}|\|\s{0,20})?(?:\[[ xX]\]\s{1,20})?")
_STARTS_ITEM = re.compile(r"\n(?=[ \t>]*(?:[-*+•·–—]\s|\d{1,3}[.)]\s|#{1,6}\s|\||\n))|\n[ \t]{0,40}\n")
_STARTS_WITH_TIME = re.compile(r"\n(?=[ \t]{0,40}\[?(?:\d{4}-\d\d-\d\d[T ])?\d{1,2}:\d\d)")
_END = re.compile(r"[.!?…]{1,40}[\"'”’)\]*_`]*(?=\s|$)")
# Words with a full stop that ends no sentence.
_SHORT = re.compile(
    r"(?:\b(?:e\.g|i\.e|etc|approx|vs|cf|no|fig|dr|mr|mrs|ms|st|al|inc|ltd|a\.m|p\.m|min|sec|hr)|\b[A-Z])\.$", re.I
)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence as it was written, with its place, and whether it follows the one before in running text."""

    text: str
    start: int
    # Whether it stands in the same paragraph or item as the sentence before it.
    follows: bool
    # Whether it is an item of a list.
    item: bool = False

    @property
    def is_question(self) -> bool:
        """Whether it asks."""
        return self.text.rstrip("\"'”’)]*_` ").endswith("?")


def sentences_of(text: str) -> tuple[Sentence, ...]:
    """The sentences of a text. Blocks of code are left out."""
    return tuple(_sentences(text[:TEXT_CHARS_MAX]))


def _sentences(text: str) -> Iterator[Sentence]:
    for start, end, fresh in _blocks(text):
        mark = _MARK.match(text, start, end)
        begin = mark.end() if mark else start
        item = begin > start and not text[start:begin].isspace()
        follows = not fresh
        for left, right in _parts(text, begin, end):
            yield Sentence(text[left:right], left, follows, item)
            follows = True


def _blocks(text: str) -> Iterator[tuple[int, int, bool]]:
    """Paragraphs and items between blocks of code, and whether each begins something new."""
    place = 0
    gaps: list[tuple[int, int]] = []
    for fence in FENCE.finditer(text):
        gaps.append((place, fence.start()))
        place = fence.end()
    gaps.append((place, len(text)))
    for left, right in gaps:
        cuts = {
            match.end()
            for pattern in (_STARTS_ITEM, _STARTS_WITH_TIME)
            for match in pattern.finditer(text, left, right)
        }
        edges = [left, *sorted(cuts), right]
        for start, end in pairwise(edges):
            if text[start:end].strip():
                yield start, end, True


def _parts(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """The sentences of one paragraph, without the space around them."""
    left = start
    for match in _END.finditer(text, start, end):
        if _SHORT.search(text[left : match.end()]) and match.group() == ".":
            continue
        follow = text[match.end() : end].lstrip()[:1]
        if match.group() == "." and follow and follow.islower():
            # "in 2.4. the": a full stop before a small letter ends nothing we can be sure of.
            continue
        yield from _trimmed(text, left, match.end())
        left = match.end()
    yield from _trimmed(text, left, end)


def _trimmed(text: str, left: int, right: int) -> Iterator[tuple[int, int]]:
    while left < right and text[left].isspace():
        left += 1
    right = min(right, left + SENTENCE_CHARS_MAX)
    while right > left and text[right - 1].isspace():
        right -= 1
    if right > left:
        yield left, right
