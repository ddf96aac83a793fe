"""Outlines: what is left of a message when its numbers and ids are folded into one character each.

Most lines of a log differ from an earlier one only in numbers and ids. Folding those is done for a whole batch at once,
on bytes, so that reading a message word by word (`hindcast.ingest.template.reading`) is needed once for each outline
and not once for each line. An outline folds only what reading takes for variable whatever stands around it: a message
and its outline always read the same.

The bytes of a batch are cut into stretches of one kind: letters, digits, a dot or a hyphen, and the rest. Whether a
stretch is folded is seen from the two stretches on each side of it, which is what makes this fast: nearly all work is
on arrays of true and false.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

Bytes = npt.NDArray[np.uint8]
Flags = npt.NDArray[np.bool_]
Places = npt.NDArray[np.int64]

# What every number and id becomes: itself a number, so that an outline reads like a message.
FOLDED = ord("0")
# The key in front of an equals sign may be a register or a column with a short number: `r24=`, `PSR0=`.
KEY_DIGITS_MAX = 3
# Groups of hex letters without a digit, `beef` in a UUID, are folded between hyphens from this length on.
HEX_CHARS_MIN = 4

_NEWLINE, _UNDERSCORE, _HYPHEN = ord("\n"), ord("_"), ord("-")
_LETTER, _DIGIT, _JOIN, _EQUALS = 1, 2, 3, 4


def outlines(messages: Any, *, message_bytes_max: int) -> pa.BinaryArray:  # noqa: ANN401
    """The outline of each message's first line, cut where it gets too long."""
    count = len(messages)
    text = _joined(_single_lines(messages, message_bytes_max))
    if np.count_nonzero(text == _NEWLINE) > count:
        text = _joined(_first_lines(messages, message_bytes_max))
    kept = text[_kept(text)]
    offsets = np.zeros(count + 1, dtype=np.int32)
    # A newline closes every line, so that the next one begins behind it; it stays in the outline and harms nothing.
    offsets[1:] = np.flatnonzero(kept == _NEWLINE) + 1
    return pa.Array.from_buffers(pa.binary(), count, [None, pa.py_buffer(offsets), pa.py_buffer(kept)])


def _single_lines(messages: Any, bytes_max: int) -> Any:  # noqa: ANN401
    """Messages as bytes, none of them missing or too long."""
    lines = (pc.fill_null(messages, "") if messages.null_count else messages).cast(pa.binary())
    if (pc.max(pc.binary_length(lines)).as_py() or 0) > bytes_max:
        lines = pc.binary_slice(lines, 0, bytes_max)
    return lines


def _first_lines(messages: Any, bytes_max: int) -> Any:  # noqa: ANN401
    """The same where some messages have several lines: the first that is not blank counts."""
    lines = (pc.fill_null(messages, "") if messages.null_count else messages).cast(pa.binary())
    several = pc.match_substring(lines, "\n")
    firsts = [message.strip().partition(b"\n")[0][:bytes_max] for message in lines.filter(several).to_pylist()]
    return _single_lines(pc.replace_with_mask(lines, several, pa.array(firsts, pa.binary())), bytes_max)


def _joined(lines: Any) -> Bytes:  # noqa: ANN401
    """All lines in one writable buffer, each closed by a newline."""
    if not len(lines):
        return np.zeros(0, dtype=np.uint8)
    whole = pa.ListArray.from_arrays(pa.array([0, len(lines)], pa.int32()), lines)
    text = pc.binary_join(whole, b"\n")[0].as_buffer()
    made = np.empty(len(text) + 1, dtype=np.uint8)
    made[:-1] = np.frombuffer(text, dtype=np.uint8)
    made[-1] = _NEWLINE
    return made


def _kept(text: Bytes) -> Flags:
    """Which bytes stay. The first byte of each fold is overwritten in the text, and the rest of it goes."""
    lower = text | 32
    is_digit = text - 48 < 10
    kinds = ((lower - 97 < 26) | (text == _UNDERSCORE) | (text > 127)).view(np.uint8)
    kinds += is_digit.view(np.uint8) * np.uint8(_DIGIT)
    kinds += ((text - 45) < 2).view(np.uint8) * np.uint8(_JOIN)
    kinds += (text == ord("=")).view(np.uint8) * np.uint8(_EQUALS)
    stretches = _Stretches(text, lower, kinds)
    folded = stretches.folded()
    keep = ~is_digit
    keep[stretches.spared] = True
    inside = np.flatnonzero(folded & (stretches.kinds != _DIGIT))
    keep[_places(stretches.starts[inside], stretches.ends[inside])] = False
    first = folded.copy()
    first[1:] &= ~folded[:-1]
    begins = stretches.starts[first]
    keep[begins] = True
    text[begins] = FOLDED
    return keep


def _places(starts: Places, ends: Places) -> Places:
    """All places from each start to the end that belongs to it."""
    lengths = ends - starts
    before = np.cumsum(lengths) - lengths
    return np.repeat(starts - before, lengths) + np.arange(lengths.sum())


class _Stretches:
    """A text cut into stretches of one kind, and which of them are folded."""

    def __init__(self, text: Bytes, lower: Bytes, kinds: Bytes) -> None:
        self._text = text
        self._lower = lower
        cuts = np.flatnonzero(kinds[1:] != kinds[:-1])
        edges = np.empty(len(cuts) + 2, dtype=np.int64)
        edges[0], edges[-1] = 0, len(text)
        np.add(cuts, 1, out=edges[1:-1])
        if not len(text):
            edges = edges[:1]
        self.starts, self.ends = edges[:-1], edges[1:]
        self.kinds = kinds[self.starts]
        # Where single digits are that belong to a name or a key.
        self.spared: Places = np.zeros(0, dtype=np.int64)

    def folded(self) -> Flags:
        """The stretches that belong to a number or an id. `reading` has the same rules in words."""
        is_digits, is_letters = self.kinds == _DIGIT, self.kinds == _LETTER
        is_join = (self.kinds == _JOIN) & (self.ends - self.starts == 1)
        spared = self._spared(is_digits, is_letters)
        self.spared = _places(self.starts[spared], self.ends[spared])
        folded = is_digits.copy()
        folded[spared] = False
        folded |= is_letters & (_back(folded, 1) | _ahead(folded, 1))
        self._fold_hex_groups(folded, is_letters, is_join)
        # What only a dot or a hyphen keeps apart is one: 10.0.0.7, 2026-03-01, a UUID.
        folded |= is_join & _back(folded, 1) & _ahead(folded, 1)
        return folded

    def _spared(self, is_digits: Flags, is_letters: Flags) -> Places:
        """Digits that vary only if something else says so: in a name, `SOCKS5`, or in a key, `r24=`."""
        lengths = self.ends - self.starts
        after_word = is_digits & _back(is_letters, 1) & ~_back(is_digits, 2)
        is_key = after_word & (lengths <= KEY_DIGITS_MAX) & _ahead(self.kinds == _EQUALS, 1)
        is_name = after_word & (lengths == 1) & ~(_ahead(is_letters, 1) & _ahead(is_digits, 2))
        at = np.flatnonzero(is_key | is_name)
        if not len(at):
            return at
        text, begin, digit = self._text, self.starts[at - 1], self.starts[at]
        ends_word = ~_ahead(is_letters, 1)[at]
        end = np.where(ends_word, self.ends[at], self.ends[np.minimum(at + 1, len(self.ends) - 1)])
        is_plain = (end - begin == 2) | self._has_other_letters(begin, end)
        is_plain &= ~(ends_word & (text[digit - 1] == _UNDERSCORE))
        return at[(text[begin] != _UNDERSCORE) & (is_key[at] | is_plain)]

    def _fold_hex_groups(self, folded: Flags, is_letters: Flags, is_join: Flags) -> None:
        """Fold `beef` in a UUID, but not beside anything else: `-face-` alone is a word."""
        between = is_letters & _back(is_join, 1) & _ahead(is_join, 1)
        at = np.flatnonzero(between & (_back(folded, 2) | _ahead(folded, 2)))
        begin, end = self.starts[at], self.ends[at]
        at = at[
            (end - begin >= HEX_CHARS_MIN)
            & (self._text[begin - 1] == _HYPHEN)
            & (self._text[np.minimum(end, len(self._text) - 1)] == _HYPHEN)
        ]
        folded[at[~self._has_other_letters(self.starts[at], self.ends[at], underscore=True)]] = True

    def _has_other_letters(self, starts: Places, ends: Places, *, underscore: bool = False) -> Flags:
        """Which of these words have a letter that is none of hex."""
        if not len(starts):
            return np.zeros(0, dtype=np.bool_)
        lengths = ends - starts
        places = _places(starts, ends)
        chars = self._lower[places]
        other = (chars - 103 < 20) | (chars > 127)
        if underscore:
            other |= self._text[places] == _UNDERSCORE
        found: Flags = np.logical_or.reduceat(other, np.cumsum(lengths) - lengths)
        return found


def _back(flags: Flags, steps: int) -> Flags:
    """What is true of the stretch so many steps before."""
    moved = np.zeros(len(flags), dtype=np.bool_)
    moved[steps:] = flags[:-steps]
    return moved


def _ahead(flags: Flags, steps: int) -> Flags:
    """What is true of the stretch so many steps behind."""
    moved = np.zeros(len(flags), dtype=np.bool_)
    moved[:-steps] = flags[steps:]
    return moved


def slices(messages: Any, lines_max: int) -> Iterator[Any]:  # noqa: ANN401
    """Parts of a batch that are small enough for a processor's cache."""
    for at in range(0, len(messages), lines_max):
        yield messages.slice(at, lines_max)
