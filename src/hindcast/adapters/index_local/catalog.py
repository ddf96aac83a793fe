"""A few columns about every version, in memory: enough to say, for a million of them at once, which a search may see.

"As of this commit on that branch" is an arbitrary filter over versions. Here it is a handful of comparisons on arrays,
about one millisecond for a million versions. Whoever holds this can answer without asking the database.
"""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import orjson
from numpy.typing import NDArray

from hindcast.adapters.index_local.files import write_whole
from hindcast.model.query import Filter
from hindcast.model.record import Scope, State
from hindcast.ports import Row

Mask = NDArray[np.bool_]

# Later than any step: this version is still the newest of its address on its branch.
_OPEN = np.uint32(2**32 - 1)
_GROWTH = 1.5
_ROWS_MIN = 1_024
_FORMAT = 1

_COLUMNS: dict[str, type[np.generic]] = {
    "key": np.int32,
    "branch": np.int32,
    "since": np.uint32,
    "until": np.uint32,
    "kind": np.uint16,
    "shown": np.bool_,
    "occurred_us": np.int64,
}


class Names:
    """Strings by number, numbers by string."""

    def __init__(self, names: list[str]) -> None:
        self.names = names
        self._numbers = {name: number for number, name in enumerate(names)}

    def number(self, name: str) -> int:
        """The number of a name, a new one if need be."""
        known = self._numbers.get(name)
        if known is None:
            known = self._numbers[name] = len(self.names)
            self.names.append(name)
        return known

    def known(self, name: str) -> int:
        """The number of a name, or -1."""
        return self._numbers.get(name, -1)


class Catalog:
    """Row n describes version n; row 0 describes nothing."""

    def __init__(self) -> None:
        self._columns = {name: np.zeros(_ROWS_MIN, kind) for name, kind in _COLUMNS.items()}
        self._keys, self._kinds, self._actors = Names([]), Names([]), Names([])
        self._actor_of_seq = np.zeros(_ROWS_MIN, np.int32)
        self._branches: set[int] = set()
        self._prefixes: dict[tuple[str, str | None], tuple[int, Mask]] = {}
        self.version = 0
        self.seq = 0

    def add(self, row: Row) -> None:
        """Take in the next version; the one that it replaces ends here."""
        self._grow(row.id + 1)
        columns = self._columns
        columns["key"][row.id] = self._keys.number(row.address)
        columns["branch"][row.id] = row.branch
        self._branches.add(row.branch)
        columns["since"][row.id] = row.from_seq
        columns["until"][row.id] = _OPEN
        columns["kind"][row.id] = self._kinds.number(row.kind)
        columns["shown"][row.id] = row.state == State.LIVE and row.salt is not None
        columns["occurred_us"][row.id] = row.occurred_us
        if row.replaces is not None:
            columns["until"][row.replaces] = row.from_seq
        self.version = row.id

    def add_commit(self, seq: int, actor: str) -> None:
        """Take in who made a step."""
        if seq >= len(self._actor_of_seq):
            self._actor_of_seq = np.resize(self._actor_of_seq, int(seq * _GROWTH) + 1)
        self._actor_of_seq[seq] = self._actors.number(actor)
        self.seq = seq

    def _grow(self, rows: int) -> None:
        if rows > len(self._columns["key"]):
            size = int(rows * _GROWTH)
            for name, column in self._columns.items():
                grown = np.zeros(size, column.dtype)
                grown[: len(column)] = column
                self._columns[name] = grown

    def hide(self, versions: NDArray[np.int64]) -> None:
        """Erased versions are never seen again."""
        self._columns["shown"][versions[versions <= self.version]] = False

    def shown(self) -> Mask:
        """Which versions hold something that a search may ever find."""
        return self._columns["shown"][: self.version + 1].copy()

    def shown_of(self, kinds: Sequence[str]) -> Mask:
        """Those of them that are of certain kinds."""
        numbers = [self._kinds.known(kind) for kind in kinds]
        mask = self.shown()
        mask &= np.isin(self._columns["kind"][: self.version + 1], [number for number in numbers if number >= 0])
        return mask

    def newest_shown(self) -> int:
        """The newest version that holds something, or 0."""
        backwards = self._columns["shown"][self.version :: -1]
        return self.version - int(backwards.argmax()) if backwards.any() else 0

    def seen(self, scope: Scope, wanted: Filter, *, learned: tuple[int, int]) -> Mask:
        """Which versions a scope shows and a filter lets through; `learned` are the steps (after, up to) it allows.

        Versions are numbered in the order of steps, so whatever is later than the moment is simply cut off.
        """
        if not self.version:
            # Nothing was ever written: there are no names yet that a filter could be looked up by.
            return np.zeros(1, np.bool_)
        since = self._columns["since"][: self.version + 1]
        newest = np.uint32(min(max(last for _, last in scope), 2**32 - 2))
        size = int(np.searchsorted(since, newest, side="right"))
        until = self._columns["until"][:size]
        if len(scope) == 1 and self._branches == {scope[0][0]}:
            # The usual case, and a quarter of the time: one branch is all there is.
            mask = until > newest
        else:
            mask = self._seen_through(scope, size)
        mask &= self._columns["shown"][:size]
        return self._filtered(mask, wanted, learned)

    def _seen_through(self, scope: Scope, size: int) -> Mask:
        since, until = self._columns["since"][:size], self._columns["until"][:size]
        branch, key = self._columns["branch"][:size], self._columns["key"][:size]
        mask = np.zeros(size, np.bool_)
        nearer: list[NDArray[np.int32]] = []
        for number, last in scope:
            step = np.uint32(min(last, 2**32 - 2))
            own = branch == number
            if len(scope) > 1:
                own &= since <= step
            found = own & (until > step)
            if nearer:
                # A nearer branch speaks for every address that it has ever written.
                found &= ~np.isin(key, np.concatenate(nearer))
            if len(scope) > 1:
                nearer.append(np.unique(key[own]))
            mask |= found
        return mask

    def _filtered(self, mask: Mask, wanted: Filter, learned: tuple[int, int]) -> Mask:
        size = len(mask)
        since = self._columns["since"][:size]
        after, until = learned
        if after > 0:
            mask &= since > after
        if until < self.seq:
            mask &= since <= until
        if wanted.namespace is not None:
            mask &= self._below(wanted.namespace, wanted.prefix)[self._columns["key"][:size]]
        if wanted.kind is not None:
            known = self._kinds.known(wanted.kind)
            mask &= (self._columns["kind"][:size] == known) if known >= 0 else False
        if wanted.actor is not None:
            mask &= self._actor_of_seq[since] == self._actors.known(wanted.actor)
        happened = self._columns["occurred_us"][:size]
        if wanted.occurred_since is not None:
            mask &= happened >= _microseconds(wanted.occurred_since.timestamp())
        if wanted.occurred_until is not None:
            mask &= happened < _microseconds(wanted.occurred_until.timestamp())
        return mask

    def _below(self, namespace: str, prefix: str | None) -> Mask:
        """Which addresses lie in a namespace and below a prefix; addresses only ever get more."""
        start = f"{namespace}/" if prefix is None else f"{namespace}/{prefix}"
        ends = ("",) if prefix is None else ("", "#", ".")
        count, known = self._prefixes.get((namespace, prefix), (0, np.zeros(0, np.bool_)))
        if count < len(self._keys.names):
            exact = tuple(f"{start}{end}" for end in ends if end) or (start,)
            fresh = [
                name.startswith(exact) or (prefix is not None and name == start) for name in self._keys.names[count:]
            ]
            known = np.concatenate([known, np.array(fresh, np.bool_)])
            # A handful of filters is in use at a time; an unbounded memory of them would be a leak.
            if len(self._prefixes) > 64:
                self._prefixes.clear()
            self._prefixes[namespace, prefix] = (len(self._keys.names), known)
        return known

    def save(self, file: Path) -> None:
        """Write everything to one file, whole or not at all."""
        size = self.version + 1
        names = orjson.dumps([self._keys.names, self._kinds.names, self._actors.names])
        parts = [column[:size].tobytes() for column in self._columns.values()]
        parts += [self._actor_of_seq[: self.seq + 1].tobytes(), names]
        content = b"".join(parts)
        head = {
            "format": _FORMAT,
            "version": self.version,
            "seq": self.seq,
            "sizes": [len(part) for part in parts],
            "check": zlib.crc32(content),
        }
        write_whole(file, orjson.dumps(head) + b"\n" + content)

    @classmethod
    def load(cls, file: Path) -> Catalog | None:
        """Read what was saved; None when there is nothing, or not all of it."""
        try:
            head_line, _, content = file.read_bytes().partition(b"\n")
            head = orjson.loads(head_line)
            if head["format"] != _FORMAT or zlib.crc32(content) != head["check"]:
                return None
            catalog = cls()
            catalog.version, catalog.seq = head["version"], head["seq"]
            start = 0
            parts = []
            for size in head["sizes"]:
                parts.append(content[start : start + size])
                start += size
            for (name, kind), part in zip(_COLUMNS.items(), parts, strict=False):
                catalog._columns[name] = np.frombuffer(part, kind).copy()
            catalog._branches = set(np.unique(catalog._columns["branch"][1:]).tolist())
            catalog._actor_of_seq = np.frombuffer(parts[-2], np.int32).copy()
            catalog._keys, catalog._kinds, catalog._actors = map(Names, orjson.loads(parts[-1]))
        except (OSError, ValueError, KeyError, IndexError, TypeError):
            return None
        return catalog


def _microseconds(seconds: float) -> int:
    return round(seconds * 1_000_000)
