"""Fingerprints for columns of log lines: most lines need none, and most of the others have been seen before.

Only lines at ERROR and above, and lines that carry a stack, are looked at. A stack is parsed the first time it is seen,
a line without one the first time its template is. Not safe for several threads: whoever calls holds a lock.
"""

from __future__ import annotations

import re
from collections import OrderedDict
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hindcast.ingest.fingerprint.scheme import of_message, of_template, of_trace
from hindcast.ingest.trace import LIMITS, TraceLimits, parse
from hindcast.model.columns import Pattern
from hindcast.model.signal import Level

# Line numbers, addresses and order numbers; not the numbers in a name (take2) or among template arguments (Ring<8>).
# The look back stands behind the first digit: a search that begins with a digit is quick.
_NUMBER = re.compile(r"\d(?<![\w<$#.-]\d)(?:x[0-9a-f]+|\d*)(?![\w>,.-])")
_UUID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_CONDITIONS = ("heck failed", "CHECK", "ssert", "SSERT", "atal error in")

_Column: TypeAlias = pa.Array | pa.ChunkedArray


@dataclass(frozen=True, slots=True)
class FingerprintLimits:
    """How much is kept. What falls out is computed again, and comes out the same."""

    stacks_kept_max: int = 50_000
    templates_kept_max: int = 100_000
    titles_kept_max: int = 100_000


class Fingerprinter:
    """Gives each line that failed its fingerprint, and tells which fingerprints are new."""

    def __init__(self, limits: FingerprintLimits | None = None, trace_limits: TraceLimits = LIMITS) -> None:
        self._limits = limits or FingerprintLimits()
        self._trace_limits = trace_limits
        # By digest, since stacks are long.
        self._by_text: OrderedDict[bytes, tuple[int, str]] = OrderedDict()
        self._by_template: OrderedDict[int, int] = OrderedDict()
        # With the title that was told last: where one fingerprint has several, the newest is shown.
        self._told: OrderedDict[int, str] = OrderedDict()
        self._fresh: list[Pattern] = []

    def assign(self, levels: _Column, messages: _Column, stacks: _Column, templates: _Column) -> pa.Array:
        """The fingerprint of each line (uint64): 0 for lines below ERROR that carry no stack."""
        numbers = np.zeros(len(levels), dtype=np.uint64)
        has_stack = pc.greater(pc.binary_length(stacks), 0)
        wanted = pc.or_kleene(pc.greater_equal(levels, int(Level.ERROR)), has_stack)
        rows = np.flatnonzero(_numpy(pc.fill_null(wanted, False)))
        if len(rows):
            chosen = pa.array(rows)
            numbers[rows] = self._numbers(messages.take(chosen), stacks.take(chosen), templates.take(chosen))
        return pa.array(numbers)

    def fresh(self) -> tuple[Pattern, ...]:
        """Fingerprints that were given since the last call for the first time or with another title, with it."""
        found, self._fresh = tuple(self._fresh), []
        return found

    def _numbers(self, messages: _Column, stacks: _Column, templates: _Column) -> np.ndarray[Any, Any]:
        """One number for each line: of its stack, of a trace in its message, of its template, of its words."""
        encoded = _whole(pc.fill_null(stacks, "")).dictionary_encode()
        traced = [self._of_trace(stack) for stack in encoded.dictionary.to_pylist()]
        numbers: np.ndarray[Any, Any] = np.array(traced, dtype=np.uint64)[_numpy(encoded.indices)]
        ids = _numpy(pc.fill_null(templates, 0)).astype(np.uint64)
        # A message of several lines may be a trace, whatever its template.
        long = _numpy(pc.fill_null(pc.match_substring(messages, "\n"), False))
        for row in np.flatnonzero((numbers == 0) & (long | (ids == 0))):
            message = messages[int(row)].as_py() or ""
            numbers[row] = self._of_trace(message) or self._of_words(message, int(ids[row]))
        left = np.flatnonzero(numbers == 0)
        distinct, first, back = np.unique(ids[left], return_index=True, return_inverse=True)
        shared = [
            self._of_line(int(template), messages, int(left[at])) for template, at in zip(distinct, first, strict=True)
        ]
        numbers[left] = np.array(shared, dtype=np.uint64)[back] if shared else 0
        for row in np.flatnonzero(numbers == 0):
            message = messages[int(row)].as_py() or ""
            numbers[row] = self._of_trace(message) or self._of_words(message, int(ids[row]))
        return numbers

    def _of_line(self, template: int, messages: _Column, row: int) -> int:
        """What all lines of a template share; 0 when they are traces folded into one line, to be read one by one."""
        known = self._by_template.get(template)
        if known is None:
            message = messages[row].as_py() or ""
            known = 0 if self._of_trace(message) else self._of_words(message, template)
        _put(self._by_template, template, known, self._limits.templates_kept_max)
        return known

    def _of_trace(self, text: str) -> int:
        """The number of the trace in a text; 0 when there is none."""
        if not text:
            return 0
        digest = blake2b(_outline(text).encode("utf-8", "surrogatepass"), digest_size=16).digest()
        known = self._by_text.get(digest)
        if known is None:
            trace = parse(text, self._trace_limits)
            made = of_trace(trace) if trace is not None else None
            known = (made.id, made.title) if made is not None else (0, "")
        _put(self._by_text, digest, known, self._limits.stacks_kept_max)
        return self._told_of(*known) if known[0] else 0

    def _of_words(self, message: str, template: int) -> int:
        made = of_template(template, message) if template else of_message(message)
        return self._told_of(made.id, made.title)

    def _told_of(self, number: int, title: str) -> int:
        if self._told.get(number) != title:
            self._fresh.append(Pattern(number, title))
        _put(self._told, number, title, self._limits.titles_kept_max)
        return number


def _outline(text: str) -> str:
    """A text without the numbers and ids that never count, so that a flood of one failure is parsed once.

    A condition that failed is code, and numbers in it count; such a text is left as it is.
    """
    if any(word in text for word in _CONDITIONS):
        return text
    return _NUMBER.sub("0", _UUID.sub("0", text) if "-" in text else text)


def _put(kept: OrderedDict[Any, Any], key: object, value: object, most: int) -> None:
    kept[key] = value
    kept.move_to_end(key)
    while len(kept) > most:
        kept.popitem(last=False)


def _whole(column: _Column) -> pa.Array:
    return column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column


def _numpy(column: _Column) -> np.ndarray[Any, Any]:
    return np.asarray(_whole(column).to_numpy(zero_copy_only=False))
