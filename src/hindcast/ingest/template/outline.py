"""Outlines: what is left of a line when its numbers and ids are folded into one byte each.

Most lines of a log differ from an earlier one only in numbers and ids. Folding those is done for a whole batch at once,
so that reading a message word by word (`hindcast.ingest.template.reading`) is needed once for each outline and not once
for each line. What is folded is what reading takes for variable whatever stands around it: lines with the same outline
read the same. What is not folded for reasons of speed only makes more outlines.

A batch is looked at byte by byte only to say which bytes are digits, letters and signs. All else is done with one bit
for each byte (`hindcast.ingest.template.bits`), shifted against one another.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from hindcast.ingest.template.bits import Bits, bridges, chosen, earlier, later, packed, spread, unpacked
from hindcast.ingest.template.lines import Bytes, Scratch, joined, parted

# What an id becomes: a byte that no text has, so that it is never taken for something that stayed.
FOLDED = np.uint8(255)
# The key in front of an equals sign may be a register or a column with a short number: `r24=`, `PSR0=`.
KEY_DIGITS_MAX = 3
# A UUID has groups of four: `beef` is one of them though it has no digit.
HEX_GROUP_CHARS = 4

# The letters a to f and all letters, counted from a; digits counted from zero.
_HEX_LETTERS, _LETTERS, _DIGITS = 6, 26, 10


@dataclass(frozen=True, slots=True)
class Kinds:
    """Which bytes of a text are what. Letters count without their case."""

    digit: Bits
    # Letters and underscores.
    name: Bits
    hex_letter: Bits
    hyphen: Bits
    dot: Bits
    equals: Bits


def outlines(lines: Any, scratch: Scratch) -> Any:  # noqa: ANN401
    """Each line with its numbers and ids folded, or None if there is a newline inside of a line."""
    text, size = joined(lines, scratch)
    if not size:
        return parted(b"", 0)
    kinds = _kinds(text, scratch)
    folded = _folded(kinds)
    mark = unpacked(folded)
    np.multiply(mark, FOLDED, out=mark)
    text |= mark
    # Of each fold the first byte stays.
    kept = np.invert(folded & later(folded, 1))
    return parted(chosen(text, kept, size).buffers()[1], len(lines))


def _kinds(text: Bytes, scratch: Scratch) -> Kinds:
    spare, flags = scratch.take("spare", len(text)), scratch.flags("flags", len(text))

    def is_sign(sign: str) -> Bits:
        return packed(np.equal(text, ord(sign), out=flags))

    np.subtract(text, ord("0"), out=spare)
    digit = packed(np.less(spare, _DIGITS, out=flags))
    # The only bit in which a letter's cases differ.
    np.bitwise_or(text, 32, out=spare)
    np.subtract(spare, ord("a"), out=spare)
    letter = packed(np.less(spare, _LETTERS, out=flags))
    hex_letter = packed(np.less(spare, _HEX_LETTERS, out=flags))
    return Kinds(digit, letter | is_sign("_"), hex_letter, is_sign("-"), is_sign("."), is_sign("="))


def _folded(kinds: Kinds) -> Bits:
    """Which bytes are part of a number or an id."""
    digit = kinds.digit
    # A single digit behind a letter may belong to a name.
    single = digit & later(kinds.name, 1) & ~earlier(digit, 1)
    folded = digit & ~single
    words = digit | kinds.name
    over = bridges(words)
    folded |= _hex_digits(single, words, over, kinds)
    folded &= ~_key_digits(kinds)
    folded = spread(folded, over)
    # 10.0.0.7, 2026-03-01 and a UUID are one.
    folded |= (kinds.hyphen | kinds.dot) & later(folded, 1) & earlier(folded, 1)
    return _with_hex_groups(folded, kinds)


def _hex_digits(single: Bits, words: Bits, over: list[Bits], kinds: Kinds) -> Bits:
    """Single digits in words of nothing but hex, from three characters on: `fe1a` is no name, `C1` may be one."""
    other = words & ~(kinds.digit | kinds.hex_letter)
    # Most names are seen to be none of hex by the letters next to the digit.
    behind, before = earlier(words, 1), later(words, 2)
    single = single & later(kinds.hex_letter, 1) & (behind | before)
    single &= ~(earlier(other, 1) | later(other, 2) & before)
    return single & ~spread(other, over) if single.any() else single


def _key_digits(kinds: Kinds) -> Bits:
    """The digits of a short key: `r24=` is not `r25=`."""
    digits = last = earlier(kinds.equals, 1) & kinds.digit
    for _ in range(KEY_DIGITS_MAX - 1):
        last = earlier(last, 1) & kinds.digit
        digits = digits | last
    return digits


def _with_hex_groups(folded: Bits, kinds: Kinds) -> Bits:
    """Fold `-beef-` beside a fold as well: part of a UUID without a digit."""
    width = HEX_GROUP_CHARS + 1
    hyphens = kinds.hyphen & earlier(kinds.hyphen, width)
    if not hyphens.any():
        return folded
    group = hyphens & (later(folded, 1) | earlier(folded, width + 1))
    for step in range(1, width):
        group &= earlier(kinds.hex_letter, step)
    for step in range(width + 1):
        folded = folded | (later(group, step) if step else group)
    return folded
