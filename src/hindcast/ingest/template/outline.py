"""Outlines: what is left of a line when its numbers and ids are folded into one byte each.

Most lines of a log differ from an earlier one only in numbers and ids. Folding those is done for a whole batch at once,
so that reading a message word by word (`hindcast.ingest.template.reading`) is needed once for each outline and not once
for each line. What is folded is what reading takes for variable whatever stands around it: lines with the same outline
read the same. What is not folded for reasons of speed only makes more outlines.

A batch is looked at byte by byte only to say which bytes are digits, letters and signs. All else is done with one bit
for each byte (`hindcast.ingest.template.bits`), shifted against one another.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from hindcast.ingest.template.bits import Bits, bridges, chosen, earlier, later, packed, ranks, spread, unpacked
from hindcast.ingest.template.lines import NEWLINE, Bytes, Scratch, Text

# What an id becomes: a byte that no text has, so that it is never taken for something that stayed.
FOLDED = np.uint8(255)
# The key in front of an equals sign may be a register or a column with a short number: `r24=`, `PSR0=`.
KEY_DIGITS_MAX = 3
# A UUID has groups of four: `beef` is one of them though it has no digit.
HEX_GROUP_CHARS = 4

# The letters a to f and all letters, counted from a; digits counted from zero.
_HEX_LETTERS, _LETTERS, _DIGITS = np.uint8(6), np.uint8(26), np.uint8(10)
_A, _ZERO, _HYPHEN = np.uint8(ord("a")), np.uint8(ord("0")), np.uint8(ord("-"))
_UNDERSCORE, _EQUALS, _TWO = np.uint8(ord("_")), np.uint8(ord("=")), np.uint8(2)
# The one bit in which a letter's cases differ.
_CASE = np.uint8(32)


def outlines(text: Text, scratch: Scratch) -> Any:  # noqa: ANN401
    """Each line with its numbers and ids folded, or None if there is a newline inside of a line. The text is spent."""
    kinds = _kinds(text, scratch)
    if kinds is None:
        return None
    folded = _folded(kinds)
    mark = unpacked(folded)
    np.multiply(mark, FOLDED, mark)
    np.bitwise_or(text.bytes, mark, text.bytes)
    # Of each fold the first byte stays.
    kept = np.invert(folded & later(folded, 1) & kinds.inside)
    offsets = ranks(kept, text.offsets)
    return pa.Array.from_buffers(pa.binary(), len(text), [None, pa.py_buffer(offsets), chosen(text.bytes, kept)])


class _Kinds(NamedTuple):
    """What the bytes of a text are, as bits. Letters count without their case, and an underscore as one."""

    text: Bytes
    name: Bits
    hex_letter: Bits
    digit: Bits
    equals: Bits
    # A dot or a hyphen.
    join: Bits
    # Not the first byte of a line.
    inside: Bits


def _kinds(text: Text, scratch: Scratch) -> _Kinds | None:
    """Look at every byte. None if there is a newline inside of a line."""
    seen = text.bytes
    spare, flags = scratch.take("spare", len(seen)), scratch.flags("flags", len(seen))
    if np.equal(seen, NEWLINE, flags).any():
        return None
    underscore = packed(np.equal(seen, _UNDERSCORE, flags))
    equals = packed(np.equal(seen, _EQUALS, flags))
    join = packed(np.less(np.subtract(seen, _HYPHEN, spare), _TWO, flags))
    digit = packed(np.less(np.subtract(seen, _ZERO, spare), _DIGITS, flags))
    np.subtract(np.bitwise_or(seen, _CASE, spare), _A, spare)
    hex_letter = packed(np.less(spare, _HEX_LETTERS, flags))
    letter = packed(np.less(spare, _LETTERS, flags))
    flags.fill(True)
    flags[text.offsets] = False
    return _Kinds(seen, letter | underscore, hex_letter, digit, equals, join, packed(flags))


def _folded(kinds: _Kinds) -> Bits:
    """Which bytes are part of a number or an id."""
    digit, inside = kinds.digit, kinds.inside
    words = digit | kinds.name
    # Bytes that are of one word with the byte before them.
    runs_on = words & inside
    np.bitwise_and(runs_on, later(words, 1), runs_on)
    over = bridges(runs_on)
    # A single digit behind a letter may belong to a name.
    behind_name = later(kinds.name, 1)
    np.bitwise_and(behind_name, runs_on, behind_name)
    second = digit & (runs_on ^ behind_name)
    single = digit & behind_name
    np.bitwise_and(single, ~earlier(second, 1), single)
    folded = digit ^ single
    _fold_hex(folded, single, words, over, kinds)
    _spare_keys(folded, kinds)
    folded = spread(folded, over)
    # 10.0.0.7, 2026-03-01 and a UUID are one.
    before, behind = later(folded, 1), earlier(folded, 1)
    np.bitwise_and(before, inside, before)
    np.bitwise_and(behind, earlier(inside, 1), behind)
    np.bitwise_or(folded, kinds.join & before & behind, folded)
    _fold_hex_groups(folded, before, behind, kinds)
    return folded


def _fold_hex(folded: Bits, single: Bits, words: Bits, over: list[Bits], kinds: _Kinds) -> None:
    """Fold single digits in words of nothing but hex, from three characters on: `fe1a` is no name, `C1` may be one."""
    single = single & later(kinds.hex_letter, 1)
    if not np.count_nonzero(single):
        return
    other = words & ~(kinds.digit | kinds.hex_letter)
    # Most names are seen to be none of hex by the letters next to the digit.
    third = later(over[0], 1)
    single &= third | earlier(over[0], 1)
    single &= ~(earlier(other & over[0], 1) | later(other, 2) & third)
    if np.count_nonzero(single):
        folded |= single & ~spread(other, over)


def _spare_keys(folded: Bits, kinds: _Kinds) -> None:
    """Leave the digits of a short key as they are: `r24=` is not `r25=`."""
    behind = kinds.equals & kinds.inside
    for _ in range(KEY_DIGITS_MAX):
        last = earlier(behind, 1)
        np.bitwise_and(last, kinds.digit, last)
        if not np.count_nonzero(last):
            return
        folded &= ~last
        behind = last & kinds.inside


def _fold_hex_groups(folded: Bits, before: Bits, behind: Bits, kinds: _Kinds) -> None:
    """Fold `-beef-` beside a fold: part of a UUID without a digit. Given is what is behind a fold and before one."""
    width = HEX_GROUP_CHARS + 1
    starts = earlier(kinds.join, width)
    np.bitwise_and(starts, kinds.join, starts)
    np.bitwise_and(starts, earlier(kinds.hex_letter, 1), starts)
    if not np.count_nonzero(starts):
        return
    starts &= before | earlier(behind, width)
    letters = kinds.hex_letter & kinds.inside
    for step in range(1, width):
        starts &= earlier(letters, step)
    if not np.count_nonzero(starts):
        return
    hyphen = packed(np.equal(kinds.text, _HYPHEN))
    starts &= hyphen & earlier(hyphen & kinds.inside, width)
    folded |= starts
    for step in range(1, width + 1):
        folded |= later(starts, step)
