"""Outlines: what is left of a line when its numbers and ids are folded into one byte each.

Most lines of a log differ from an earlier one only in numbers and ids. Folding those is done for a whole batch at once,
so that reading a message word by word (`hindcast.ingest.template.reading`) is needed once for each outline and not once
for each line. What is folded is what reading takes for variable whatever stands around it: lines with the same outline
read the same. What is not folded for reasons of speed only makes more outlines.

All work is on arrays with one true or false for each byte, shifted against one another. Places are looked at one by one
only where there are few of them.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from hindcast.ingest.template.lines import Bytes, Flags, Scratch, joined, parted

Places = npt.NDArray[np.int64]

# What an id becomes: a byte that no text has, so that it is never taken for something that stayed.
FOLDED = np.uint8(255)
# The key in front of an equals sign may be a register or a column with a short number: `r24=`, `PSR0=`.
KEY_DIGITS_MAX = 3
# A UUID has groups of four: `beef` is one of them though it has no digit.
HEX_GROUP_CHARS = 4
# Letters as far as 1 + 2 + 4 + 8 bytes from a digit are folded with it.
STEPS = (1, 2, 4, 8)

_UNDERSCORE, _HYPHEN = ord("_"), ord("-")


def outlines(lines: Any, scratch: Scratch) -> Any:  # noqa: ANN401
    """Each line with its numbers and ids folded, or None if there is a newline inside of a line."""
    text = joined(lines, scratch)
    size = len(text)
    if not size:
        return parted(text, 0)
    spare, lower = scratch.take("spare", size), scratch.take("lower", size)
    is_digit, is_word, other = scratch.flags("digit", size), scratch.flags("word", size), scratch.flags("other", size)
    np.less(np.subtract(text, 48, out=spare), 10, out=is_digit)
    np.bitwise_or(text, 32, out=lower)
    np.less(np.subtract(lower, 97, out=spare), 26, out=is_word)
    is_word |= np.equal(text, _UNDERSCORE, out=other)
    is_word |= np.greater(text, 127, out=other)
    folded = scratch.flags("folded", size)
    # A single digit behind a letter may belong to a name. Here, words are still letters only.
    np.greater(is_word[:-2], is_digit[2:], out=other[1:-1])
    other[0] = other[-1] = False
    np.greater(is_digit, other, out=folded)
    is_word |= is_digit
    _spare_keys(text, is_digit, folded)
    _fold_words(is_word, folded, scratch)
    np.greater(is_digit, folded, out=other)
    _fold_hex(lower, is_word, other, folded)
    _fold_joins(text, spare, other, folded)
    _fold_hex_groups(text, lower, spare, other, folded)
    np.multiply(folded.view(np.uint8), FOLDED, out=spare)
    text |= spare
    # Of each fold the first byte stays.
    is_kept = other
    is_kept[0] = True
    np.logical_and(folded[1:], folded[:-1], out=is_kept[1:])
    np.logical_not(is_kept[1:], out=is_kept[1:])
    return parted(text[is_kept], len(lines))


def _fold_hex(lower: Bytes, is_word: Flags, digits: Flags, folded: Flags) -> None:
    """Fold words of nothing but hex, from three characters on: `fe1a` is no name, `C1` may be one, `r24=` a key."""
    ends = np.flatnonzero(digits)
    starts = ends
    while len(ends):
        # One step further in both directions; at the end of its word a place stays where it is.
        can_go_on, can_go_back = is_word[ends + 1], is_word[starts - 1] & (starts > 0)
        is_done = ~(can_go_on | can_go_back)
        found = is_done & (ends - starts >= 2)
        folded[_places(starts[found], ends[found] + 1)] = True
        ends, starts = (ends + can_go_on)[~is_done], (starts - can_go_back)[~is_done]
        is_hex = _is_hex(lower[ends]) & _is_hex(lower[starts])
        ends, starts = ends[is_hex], starts[is_hex]


def _places(starts: Places, ends: Places) -> Places:
    """All places from each start to the end that belongs to it."""
    lengths = ends - starts
    return np.repeat(starts - (np.cumsum(lengths) - lengths), lengths) + np.arange(lengths.sum())


def _is_hex(lower: Bytes) -> Flags:
    """Which of these are digits or one of a to f. Bit 32 is set in all of them, which digits have anyway."""
    is_hex: Flags = (lower - 97 < 6) | (lower - 48 < 10)
    return is_hex


def _spare_keys(text: Bytes, is_digit: Flags, folded: Flags) -> None:
    """Leave the digits of a short key as they are: `r24=` is not `r25=`."""
    at = np.flatnonzero(text == ord("=")) - 1
    for _ in range(KEY_DIGITS_MAX):
        at = at[is_digit[at]]
        folded[at] = False
        at = at - 1


def _fold_words(is_word: Flags, folded: Flags, scratch: Scratch) -> None:
    """Fold the words around what is folded already, as far as the steps reach."""
    size = len(is_word)
    reach, run = scratch.flags("reach", size), scratch.flags("run", size)
    np.copyto(run, is_word)
    for step in STEPS:
        if step >= size:
            break
        # A run is true where a byte and the ones before it, as many as the step has, are all of one word.
        np.logical_and(folded[:-step], run[step:], out=reach[step:])
        folded[step:] |= reach[step:]
        np.logical_and(folded[step:], run[step - 1 : -1], out=reach[:-step])
        folded[:-step] |= reach[:-step]
        np.logical_and(run[step:], run[:-step], out=reach[step:])
        run[step:] = reach[step:]
        run[:step] = False


def _fold_joins(text: Bytes, spare: Bytes, other: Flags, folded: Flags) -> None:
    """Fold a dot or a hyphen between two folds: 10.0.0.7, 2026-03-01 and a UUID are one."""
    np.less(np.subtract(text, _HYPHEN, out=spare), 2, out=other)
    other[1:-1] &= folded[:-2]
    other[1:-1] &= folded[2:]
    other[0] = other[-1] = False
    folded |= other


def _fold_hex_groups(text: Bytes, lower: Bytes, spare: Bytes, other: Flags, folded: Flags) -> None:
    """Fold `-beef-` beside a fold: part of a UUID without a digit."""
    width = HEX_GROUP_CHARS + 1
    if len(text) <= width:
        return
    np.equal(text, _HYPHEN, out=other)
    between = np.flatnonzero(other[:-width] & other[width:])
    for step in range(1, width):
        between = between[lower[between + step] - 97 < 6]
    between = between[folded[between - 1] & (between > 0) | folded[np.minimum(between + width + 1, len(text) - 1)]]
    for step in range(width + 1):
        folded[between + step] = True
