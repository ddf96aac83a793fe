"""Counts of the last minutes: one row for each service, one column for each second.

Counts in the store only grow, so what is read again is joined by the larger number: reading the same seconds twice
changes nothing, and a read that lost rows takes nothing away.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from hindcast.model.errors import Malformed
from hindcast.model.signal import Level

Ints = NDArray[np.int64]
Bools = NDArray[np.bool_]
# Later than any second: a service that has not said anything yet.
NEVER = np.iinfo(np.int64).max
# One service of one space.
Name = tuple[str, str]


class Counts:
    """A sliding window of counts by second. `end` is the newest second it holds."""

    def __init__(self, *, seconds: int, services_per_space_max: int) -> None:
        self.seconds = seconds
        self.end = 0
        self.names: list[Name] = []
        self.rows: dict[Name, int] = {}
        self.spaces: Ints = np.zeros(0, dtype=np.int64)
        self.errors: Ints = np.zeros((0, seconds), dtype=np.int64)
        self.lines: Ints = np.zeros((0, seconds), dtype=np.int64)
        # Errors that have left the window, so that a total since any second of the window can be told.
        self.errors_before: Ints = np.zeros(0, dtype=np.int64)
        # The first and the latest second in which a service said anything.
        self.first_line: Ints = np.zeros(0, dtype=np.int64)
        self.last_line: Ints = np.zeros(0, dtype=np.int64)
        # How many names were left out because their space has too many.
        self.names_ignored = 0
        self._services_per_space_max = services_per_space_max
        self._space_numbers: dict[str, int] = {}
        self._space_sizes: dict[str, int] = {}

    def row(self, name: Name) -> int | None:
        """The row of a service, made when it is new; None when its space has too many."""
        if name not in self.rows:
            self._admit([name])
        return self.rows.get(name)

    def move(self, end: int) -> None:
        """Let time pass until `end` is the newest second."""
        if not self.end:
            self.end = end
        by = end - self.end
        if by <= 0:
            return
        gone = min(by, self.seconds)
        self.errors_before += self.errors[:, :gone].sum(axis=1)
        for matrix in (self.errors, self.lines):
            matrix[:, : self.seconds - gone] = matrix[:, gone:]
            matrix[:, self.seconds - gone :] = 0
        self.end = end

    def join(self, rates: pa.Table) -> None:
        """Take in counts as they were read: seconds outside the window are left out, the others never shrink."""
        if rates.num_rows == 0:
            return
        second = seconds_of(rates)
        column = second - (self.end - self.seconds + 1)
        inside = (column >= 0) & (column < self.seconds)
        row = self._rows_of(rates, inside)
        inside &= row >= 0
        if not inside.any():
            return
        first = int(column[inside].min())
        width = int(column[inside].max()) - first + 1
        count = rates["count"].to_numpy().astype(np.float64)
        level = rates["level"].to_numpy()
        place = row * width + (column - first)
        if not inside.all():
            place, count, level = place[inside], count[inside], level[inside]
        bad = level >= Level.ERROR
        self._widen(self.lines, place, count, first, width)
        self._widen(self.errors, place[bad], count[bad], first, width)
        self._note_lines()

    def drop(self, keep: Bools) -> None:
        """Forget every service that is not to be kept."""
        self.names = [name for name, kept in zip(self.names, keep, strict=True) if kept]
        self.rows = {name: row for row, name in enumerate(self.names)}
        self._space_sizes = {}
        for space, _ in self.names:
            self._space_sizes[space] = self._space_sizes.get(space, 0) + 1
        for part in ("spaces", "errors", "lines", "errors_before", "first_line", "last_line"):
            setattr(self, part, getattr(self, part)[keep])

    def column(self, second: int) -> int:
        """Where a second stands, held inside the window."""
        return min(max(second - (self.end - self.seconds + 1), 0), self.seconds)

    def errors_until(self, row: int, second: int) -> int:
        """Every error of a service up to and including a second of the window, since it is watched."""
        return int(self.errors_before[row] + self.errors[row, : self.column(second + 1)].sum())

    def _widen(self, matrix: Ints, place: Ints, count: NDArray[np.float64], first: int, width: int) -> None:
        size = matrix.shape[0] * width
        read = np.bincount(place, weights=count, minlength=size).reshape(-1, width).astype(np.int64)
        part = matrix[:, first : first + width]
        np.maximum(part, read, out=part)

    def _rows_of(self, rates: pa.Table, inside: Bools) -> Ints:
        space, space_names = codes_of(rates["space"])
        service, service_names = codes_of(rates["service"])
        pairs = space * len(service_names) + service
        known = np.full(len(space_names) * len(service_names), -1, dtype=np.int64)
        present = np.flatnonzero(np.bincount(pairs[inside], minlength=len(known)))
        names = [
            (space_names[pair // len(service_names)], service_names[pair % len(service_names)]) for pair in present
        ]
        self._admit([name for name in names if name not in self.rows])
        known[present] = [self.rows.get(name, -1) for name in names]
        found: Ints = known[pairs]
        return found

    def _admit(self, names: list[Name]) -> None:
        """Give new services their rows, as many as their spaces may have."""
        before = len(self.names)
        for name in names:
            space = name[0]
            size = self._space_sizes.get(space, 0)
            if size >= self._services_per_space_max:
                self.names_ignored += 1
                continue
            self._space_sizes[space] = size + 1
            self.rows[name] = len(self.names)
            self.names.append(name)
        new = self.names[before:]
        if not new:
            return
        numbers = [self._space_numbers.setdefault(space, len(self._space_numbers)) for space, _ in new]
        nothing = np.zeros((len(new), self.seconds), dtype=np.int64)
        self.errors = np.concatenate([self.errors, nothing])
        self.lines = np.concatenate([self.lines, nothing])
        self.spaces = np.append(self.spaces, numbers)
        self.errors_before = np.append(self.errors_before, np.zeros(len(new), dtype=np.int64))
        self.first_line = np.append(self.first_line, np.full(len(new), NEVER))
        self.last_line = np.append(self.last_line, np.zeros(len(new), dtype=np.int64))

    def _note_lines(self) -> None:
        spoke = self.lines > 0
        any_line = spoke.any(axis=1)
        oldest = self.end - self.seconds + 1
        latest = oldest + self.seconds - 1 - spoke[:, ::-1].argmax(axis=1)
        first = oldest + spoke.argmax(axis=1)
        self.last_line = np.where(any_line, np.maximum(self.last_line, latest), self.last_line)
        self.first_line = np.where(any_line, np.minimum(self.first_line, first), self.first_line)


def check(rates: pa.Table) -> None:
    """Raise Malformed unless the columns are those of `hindcast.model.columns.RATE`."""
    wanted = {"space": pa.types.is_string, "second": pa.types.is_timestamp, "service": pa.types.is_string}
    numbers = {"level": pa.types.is_integer, "count": pa.types.is_integer}
    for name, fits in {**wanted, **numbers}.items():
        if name not in rates.column_names:
            raise Malformed("The column is missing.", field=name, remedy="Hand over a table with the RATE columns.")
        kind = rates.schema.field(name).type
        inner = kind.value_type if pa.types.is_dictionary(kind) else kind
        if not (fits(inner) or (fits is pa.types.is_string and pa.types.is_large_string(inner))):
            raise Malformed(f"A column of {kind} does not fit.", field=name, remedy="Use the types of RATE.")
        if rates[name].null_count:
            raise Malformed("The column has empty cells.", field=name, remedy="Give every row a value.")


def seconds_of(rates: pa.Table) -> Ints:
    """The second of each row, counted from 1970."""
    column = rates["second"]
    if column.type.unit != "s":
        column = pc.cast(column, pa.timestamp("s", tz="UTC"), safe=False)
    found: Ints = pc.cast(column, pa.int64()).to_numpy()
    return found


def codes_of(column: pa.ChunkedArray) -> tuple[Ints, list[str]]:
    """A column of words as numbers, and the words they stand for."""
    encoded = column if pa.types.is_dictionary(column.type) else pc.dictionary_encode(column)
    encoded = encoded.unify_dictionaries()
    words: Iterable[str] = encoded.chunk(0).dictionary.to_pylist() if encoded.num_chunks else []
    parts = [chunk.indices.to_numpy(zero_copy_only=False) for chunk in encoded.chunks]
    found: Ints = np.concatenate(parts).astype(np.int64) if parts else np.zeros(0, dtype=np.int64)
    return found, list(words)
