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
# What is 1 + 2 + 4 + 8 bytes away within a word is seen, and folded: hardly a word has more hex letters in a row.
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
    folded = scratch.flags("folded", size)
    # A single digit behind a letter may belong to a name. Up to here, words are letters only.
    np.greater(is_word[:-2], is_digit[2:], out=other[1:-1])
    other[0] = other[-1] = False
    np.greater(is_digit, other, out=folded)
    other &= is_digit
    is_word |= is_digit
    runs = _runs(is_word, scratch)
    _fold_hex(lower, is_word, is_digit, np.flatnonzero(other), runs, folded, scratch)
    _spare_keys(text, is_digit, folded)
    _spread(folded, runs, scratch)
    _fold_joins(text, spare, other, folded)
    _fold_hex_groups(text, lower, other, folded)
    np.multiply(folded.view(np.uint8), FOLDED, out=spare)
    text |= spare
    # Of each fold the first byte stays.
    is_kept = other
    is_kept[0] = True
    np.logical_and(folded[1:], folded[:-1], out=is_kept[1:])
    np.logical_not(is_kept[1:], out=is_kept[1:])
    return parted(text[is_kept], len(lines))


def _fold_hex(
    lower: Bytes, is_word: Flags, is_digit: Flags, single: Places, runs: list[Flags], folded: Flags, scratch: Scratch
) -> None:
    """Fold single digits in words of nothing but hex, from three characters on: `fe1a` is no name, `C1` may be one."""
    # Most names are seen to be none of hex by the letters next to the digit.
    single = single[lower[single - 1] - 97 < 6]
    before, behind = lower[single - 2], lower[single + 1]
    goes_back, goes_on = is_word[single - 2] & (single > 1), is_word[single + 1]
    single = single[(goes_back | goes_on) & (~goes_back | _is_hex(before)) & (~goes_on | _is_hex(behind))]
    if not len(single):
        return
    size = len(lower)
    is_other, spare = scratch.flags("letters", size), scratch.take("spare", size)
    np.less(np.subtract(lower, 97, out=spare), 6, out=is_other)
    is_other |= is_digit
    np.greater(is_word, is_other, out=is_other)
    _spread(is_other, runs, scratch)
    folded[single[~is_other[single]]] = True


def _is_hex(lower: Bytes) -> Flags:
    """Which of these are digits or one of a to f."""
    is_hex: Flags = (lower - 97 < 6) | (lower - 48 < 10)
    return is_hex


def _spare_keys(text: Bytes, is_digit: Flags, folded: Flags) -> None:
    """Leave the digits of a short key as they are: `r24=` is not `r25=`."""
    at = np.flatnonzero(text == ord("=")) - 1
    for _ in range(KEY_DIGITS_MAX):
        at = at[is_digit[at]]
        if not len(at):
            return
        folded[at] = False
        at = at - 1


def _runs(is_word: Flags, scratch: Scratch) -> list[Flags]:
    """For each step where a byte and the ones before it, as many as the step has, are all of one word."""
    runs = [is_word]
    for step in STEPS[:-1]:
        run = scratch.flags(f"run {step}", len(is_word))
        run[:step] = False
        np.logical_and(runs[-1][step:], runs[-1][:-step], out=run[step:])
        runs.append(run)
    return runs


def _spread(flags: Flags, runs: list[Flags], scratch: Scratch) -> None:
    """Let what is true of a byte be true of its whole word, as far as the steps reach."""
    reach = scratch.flags("reach", len(flags))
    for step, run in zip(STEPS, runs, strict=True):
        if step < len(flags):
            np.logical_and(flags[:-step], run[step:], out=reach[step:])
            np.logical_or(flags[step:], reach[step:], out=flags[step:])
            np.logical_and(flags[step:], run[step - 1 : -1], out=reach[:-step])
            np.logical_or(flags[:-step], reach[:-step], out=flags[:-step])


def _fold_joins(text: Bytes, spare: Bytes, other: Flags, folded: Flags) -> None:
    """Fold a dot or a hyphen between two folds: 10.0.0.7, 2026-03-01 and a UUID are one."""
    np.less(np.subtract(text, _HYPHEN, out=spare), 2, out=other)
    other[1:-1] &= folded[:-2]
    other[1:-1] &= folded[2:]
    other[0] = other[-1] = False
    folded |= other


def _fold_hex_groups(text: Bytes, lower: Bytes, other: Flags, folded: Flags) -> None:
    """Fold `-beef-` beside a fold: part of a UUID without a digit."""
    width = HEX_GROUP_CHARS + 1
    if len(text) <= width:
        return
    np.equal(text, _HYPHEN, out=other)
    between = np.flatnonzero(other[:-width] & other[width:])
    if not len(between):
        return
    for step in range(1, width):
        between = between[lower[between + step] - 97 < 6]
    between = between[folded[between - 1] & (between > 0) | folded[np.minimum(between + width + 1, len(text) - 1)]]
    for step in range(width + 1):
        folded[between + step] = True
