"""Flags for each byte of a text, as single bits: what is asked of all bytes is asked of 64 at once.

The lowest bit of a word is the first of its bytes. A text's length is a multiple of `BITS`. With a thousand lines a
call of numpy costs more than its work, so what counts here is to make few of them.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Bits = npt.NDArray[np.uint64]

BITS = 64
# What is 1 + 2 + 4 + 8 bytes away within a run is reached: hardly a word has more hex letters in a row.
STEPS = (1, 2, 4, 8)

# Numbers of numpy's own: a Python number is made into one at every call, which costs as much as the call.
_COUNTS = tuple(np.arange(BITS + 1, dtype=np.uint64))
_WORD, _WITHIN, _SIZE = np.int64(BITS.bit_length() - 1), np.int64(BITS - 1), np.int64(BITS)

_BYTE, _FLAG = pa.uint8(), pa.bool_()
# Called without the ways around it: looking it up each time takes longer than what it does with a thousand lines.
_FILTER = pc.get_function("array_filter")


def packed(flags: npt.NDArray[np.bool_]) -> Bits:
    """True and false as bits."""
    return np.packbits(flags, bitorder="little").view(np.uint64)


def unpacked(bits: Bits) -> npt.NDArray[np.uint8]:
    """Bits as zero and one."""
    return np.unpackbits(bits.view(np.uint8), bitorder="little")


def later(bits: Bits, by: int) -> Bits:
    """Every flag so many bytes further on."""
    moved = np.left_shift(bits, _COUNTS[by])
    into = moved[1:]
    np.bitwise_or(into, np.right_shift(bits[:-1], _COUNTS[BITS - by]), into)
    return moved


def earlier(bits: Bits, by: int) -> Bits:
    """Every flag so many bytes nearer to the beginning."""
    moved = np.right_shift(bits, _COUNTS[by])
    into = moved[:-1]
    np.bitwise_or(into, np.left_shift(bits[1:], _COUNTS[BITS - by]), into)
    return moved


def bridges(next_to: Bits) -> list[Bits]:
    """For each step where a byte, the one that many bytes before it and all between them are of one run.

    Given is the first: where a byte and the one before it are.
    """
    found = [next_to]
    for step in STEPS[:-1]:
        found.append(found[-1] & later(found[-1], step))
    return found


def spread(bits: Bits, over: list[Bits]) -> Bits:
    """Let what is true of a byte be true of its whole run, as far as the steps reach."""
    bits = bits.copy()
    moved = np.empty_like(bits)
    carried = np.empty_like(bits)[1:]
    all_but_last, firsts, lasts = bits[:-1], moved[:-1], moved[1:]
    for step, bridge in zip(STEPS, over, strict=True):
        by, rest = _COUNTS[step], _COUNTS[BITS - step]
        np.left_shift(bits, by, moved)
        np.right_shift(all_but_last, rest, carried)
        np.bitwise_or(lasts, carried, lasts)
        np.bitwise_and(moved, bridge, moved)
        np.bitwise_or(bits, moved, bits)
        np.bitwise_and(bits, bridge, moved)
        np.left_shift(lasts, rest, carried)
        np.right_shift(moved, by, moved)
        np.bitwise_or(firsts, carried, firsts)
        np.bitwise_or(bits, moved, bits)
    return bits


def chosen(text: npt.NDArray[np.uint8], bits: Bits) -> pa.Buffer:
    """Of a text the bytes whose flag is set."""
    of = pa.Array.from_buffers(_BYTE, len(text), [None, pa.py_buffer(text)])
    flags = pa.Array.from_buffers(_FLAG, len(text), [None, pa.py_buffer(bits)])
    return _FILTER.call([of, flags]).buffers()[1]


def ranks(bits: Bits, places: npt.NDArray[np.int64]) -> npt.NDArray[np.int32]:
    """How many flags are set before each place."""
    before = np.zeros(len(bits) + 1, dtype=np.int32)
    np.cumsum(np.bitwise_count(bits), out=before[1:])
    at = places >> _WORD
    # Of the word in which a place is, the bits below it are moved to the top, and all others out of it.
    above = (_SIZE - (places & _WITHIN)).view(np.uint64)
    below = np.bitwise_count(np.left_shift(bits.take(at, mode="clip"), above))
    found: npt.NDArray[np.int32] = before.take(at) + below
    return found
