"""Outlines: what is left of a message when its numbers and ids are folded into one character each.

Most lines of a log differ from an earlier one only in numbers and ids. Folding those is done for a whole batch at once,
on bytes, so that reading a message word by word (`hindcast.ingest.template.reading`) is needed once for each outline
and not once for each line. An outline folds only what reading takes for variable whatever stands around it: a message
and its outline always read the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Bytes = npt.NDArray[np.uint8]
Places = npt.NDArray[np.int64]

# What every number and id becomes: itself a number, so that an outline reads like a message.
FOLDED = ord("0")
# The key in front of an equals sign may be a register or a column with a short number: `r24=`, `PSR0=`.
KEY_DIGITS_MAX = 3
# Groups of hex letters without a digit, `beef` in a UUID, are folded between hyphens from this length on.
HEX_CHARS_MIN = 4

_NEWLINE = ord("\n")
_DIGIT, _HEX, _OTHER, _UNDERSCORE = 1, 2, 4, 8


def _kinds() -> Bytes:
    """For each byte what it is in a word; 0 where it is none of a word. Bytes beyond ASCII are letters."""
    kinds = np.zeros(256, dtype=np.uint8)
    kinds[128:] = _OTHER
    for char in range(128):
        if chr(char).isdigit():
            kinds[char] = _DIGIT
        elif chr(char).isalpha():
            kinds[char] = _HEX if chr(char) in "abcdefABCDEF" else _OTHER
    kinds[ord("_")] = _UNDERSCORE
    return kinds


_KINDS = _kinds()
_IS_JOIN = np.zeros(256, dtype=np.bool_)
_IS_JOIN[[ord("."), ord("-")]] = True


def outlines(messages: Any, *, message_bytes_max: int) -> pa.BinaryArray:  # noqa: ANN401
    """The outline of each message's first line, cut where it gets too long."""
    lines = first_lines(messages, message_bytes_max=message_bytes_max)
    count = len(lines)
    text = _joined(lines)
    starts, ends = _folds(text)
    # Drops all of a fold but its first byte: a running sum that is 1 from the second byte to the last.
    change = np.zeros(len(text) + 1, dtype=np.int8)
    change[starts + 1] = 1
    change[ends] -= 1
    text[starts] = FOLDED
    kept = text[np.cumsum(change[:-1], dtype=np.int8) == 0]
    offsets = np.zeros(count + 1, dtype=np.int32)
    # A newline closes every line, so that the next one begins behind it; the newline stays in the outline.
    offsets[1:] = np.flatnonzero(kept == _NEWLINE) + 1
    return pa.Array.from_buffers(pa.binary(), count, [None, pa.py_buffer(offsets), pa.py_buffer(kept)])


def first_lines(messages: Any, *, message_bytes_max: int) -> pa.BinaryArray:  # noqa: ANN401
    """The first line of each message that is not blank, as bytes."""
    lines = pc.fill_null(messages, "") if messages.null_count else messages
    lines = lines.cast(pa.binary())
    several = pc.match_substring(lines, "\n")
    if pc.any(several).as_py():
        firsts = [message.strip().partition(b"\n")[0] for message in lines.filter(several).to_pylist()]
        lines = pc.replace_with_mask(lines, several, pa.array(firsts, pa.binary()))
    if (pc.max(pc.binary_length(lines)).as_py() or 0) > message_bytes_max:
        lines = pc.binary_slice(lines, 0, message_bytes_max)
    return lines


def _joined(lines: pa.BinaryArray) -> Bytes:
    """All lines in one writable buffer, each closed by a newline."""
    if not len(lines):
        return np.zeros(0, dtype=np.uint8)
    whole = pa.ListArray.from_arrays(pa.array([0, len(lines)], pa.int32()), lines)
    text = pc.binary_join(whole, b"\n")[0].as_buffer()
    made = np.empty(len(text) + 1, dtype=np.uint8)
    made[:-1] = np.frombuffer(text, dtype=np.uint8)
    made[-1] = _NEWLINE
    return made


def _folds(text: Bytes) -> tuple[Places, Places]:
    """Where the numbers and ids begin and end."""
    kinds = _KINDS[text]
    # Ends of words and of what is between them, by turns; the text ends with a newline, which is none of a word.
    is_word = kinds != 0
    edges = np.flatnonzero(is_word[1:] != is_word[:-1]) + 1
    if len(text) and is_word[0]:
        edges = np.concatenate((np.zeros(1, dtype=edges.dtype), edges))
    starts, ends = edges[::2], edges[1::2]
    if not len(starts):
        return starts, ends
    inside = np.bitwise_or.reduceat(kinds, edges)[::2]
    suspects = np.flatnonzero((inside & _DIGIT != 0) | (inside == _HEX))
    starts, ends, inside = starts[suspects], ends[suspects], inside[suspects]
    folded = _is_id(text, kinds, starts, ends, inside)
    return _without_joins(text, starts[folded], ends[folded])


def _is_id(text: Bytes, kinds: Bytes, starts: Places, ends: Places, inside: Bytes) -> npt.NDArray[np.bool_]:
    """Which of these words are numbers or ids, whatever stands around them. `reading` has the same rules in words."""
    lengths = ends - starts
    digits = _digits(kinds, starts, ends)
    last = [kinds[np.maximum(ends - back, 0)] == _DIGIT for back in range(1, KEY_DIGITS_MAX + 1)]
    begins_with_letter = kinds[starts] & (_HEX | _OTHER) != 0
    # A word with one digit in it, `SOCKS5`, `log4j`, `L3`, is a name until it is seen to vary; hex is not.
    is_name = (digits == 1) & begins_with_letter & ((inside & _OTHER != 0) | (lengths == 2))
    is_name &= ~(last[0] & (kinds[ends - 2] == _UNDERSCORE))
    is_key = begins_with_letter & (text[ends] == ord("=")) & (digits <= KEY_DIGITS_MAX) & last[0]
    for count in range(2, KEY_DIGITS_MAX + 1):
        is_key &= (digits < count) | last[count - 1]
    is_id = (digits > 0) & ~is_name & ~is_key
    hyphen = ord("-")
    is_group = (inside == _HEX) & (lengths >= HEX_CHARS_MIN) & (text[ends] == hyphen) & (text[starts - 1] == hyphen)
    # Only beside an id: `-face-` alone is a word like any other.
    is_beside = np.zeros(len(starts), dtype=np.bool_)
    touches = ends[:-1] + 1 == starts[1:]
    is_beside[1:] = touches & is_id[:-1]
    is_beside[:-1] |= touches & is_id[1:]
    return is_id | (is_group & is_beside)


def _digits(kinds: Bytes, starts: Places, ends: Places) -> Places:
    """How many digits each of these words has."""
    edges = np.stack((starts, ends), axis=1).ravel()
    counted: Places = np.add.reduceat(kinds & _DIGIT, edges, dtype=np.int64)[::2]
    return counted


def _without_joins(text: Bytes, starts: Places, ends: Places) -> tuple[Places, Places]:
    """Folds that only a dot or a hyphen keeps apart are one: 10.0.0.7, 2026-03-01, a UUID."""
    if not len(starts):
        return starts, ends
    joined = (starts[1:] == ends[:-1] + 1) & _IS_JOIN[text[ends[:-1]]]
    edge = np.ones(1, dtype=np.bool_)
    return starts[np.concatenate((edge, ~joined))], ends[np.concatenate((~joined, edge))]


def slices(messages: Any, lines_max: int) -> Iterator[Any]:  # noqa: ANN401
    """Parts of a batch that are small enough for a processor's cache."""
    for at in range(0, len(messages), lines_max):
        yield messages.slice(at, lines_max)
