"""What differs between the files of two commits: folders that are the same are never looked into.

libgit2 compares every file of two trees; of fifty thousand files, mostly one or two have changed. Here trees are read
as they are stored, and only those whose ids differ.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache

import pygit2

# Pairs of files that are compared line by line; in a commit with more, only files that are the same are renames.
PAIRS_COMPARED_MAX = 2_500
BLOB_BYTES_MAX = 1_000_000
# As much of the larger one as has to be in both; git's own measure.
SIMILAR_MIN = 0.5

_ENTRY = re.compile(rb"([0-7]+) ([^\0]+)\0(.{20})", re.DOTALL)
_FOLDER = b"40000"
_SUBMODULE = b"160000"


@dataclass(slots=True)
class TreeChanges:
    """Files that one tree has and the other has not or otherwise, with the ids of their contents."""

    removed: dict[str, bytes] = field(default_factory=dict)
    added: dict[str, bytes] = field(default_factory=dict)
    modified: set[str] = field(default_factory=set)

    def __len__(self) -> int:
        return len(self.removed) + len(self.added) + len(self.modified)


class TreeReader:
    """Reads trees of one repository handle, and keeps the last ones: neighbours in history share most of them."""

    def __init__(self, repo: pygit2.Repository) -> None:
        self._odb = repo.odb
        self._repo = repo
        self._entries = lru_cache(maxsize=512)(self._parsed)

    def _parsed(self, tree: bytes) -> frozenset[tuple[bytes, bytes, bytes]]:
        _, raw = self._odb.read(pygit2.Oid(raw=tree))
        return frozenset(_ENTRY.findall(raw))

    def changes(self, old: bytes, new: bytes, *, paths_max: int) -> TreeChanges | None:
        """What differs between two trees; None where that is more than so many files."""
        found = TreeChanges()
        waiting: list[tuple[str, bytes | None, bytes | None]] = [("", old, new)]
        while waiting:
            folder, before, after = waiting.pop()
            theirs = self._entries(before) if before is not None else frozenset()
            ours = self._entries(after) if after is not None else frozenset()
            gone = {name: (mode, what) for mode, name, what in theirs - ours}
            come = {name: (mode, what) for mode, name, what in ours - theirs}
            for name in gone.keys() | come.keys():
                waiting.extend(
                    _compared(folder + name.decode("utf-8", "replace"), gone.get(name), come.get(name), found)
                )
            if len(found) > paths_max:
                return None
        return found

    def renames(self, changes: TreeChanges) -> dict[str, list[str]]:
        """Which files that went away are which that came, from old to new paths."""
        found: dict[str, list[str]] = {}
        left = dict(changes.added)
        by_id: dict[bytes, list[str]] = {}
        for path, what in sorted(changes.added.items()):
            by_id.setdefault(what, []).append(path)
        unmatched = []
        for path, what in sorted(changes.removed.items()):
            same = [new for new in by_id.get(what, ()) if new in left]
            if same:
                # Of several that are the same, the one that is still called so.
                new = min(same, key=lambda one: (_name(one) != _name(path), one))
                found[path] = [new]
                del left[new]
            else:
                unmatched.append(path)
        if len(unmatched) * len(left) <= PAIRS_COMPARED_MAX:
            for path, new in self._alike(unmatched, left, changes):
                found[path] = [new]
        return found

    def _alike(self, removed: list[str], added: dict[str, bytes], changes: TreeChanges) -> Iterator[tuple[str, str]]:
        """Pairs of files that are alike, the most alike first, each file in one pair."""
        lines = {path: self._lines(changes.removed[path]) for path in removed}
        lines |= {path: self._lines(what) for path, what in added.items()}
        pairs = []
        for path in removed:
            for new in added:
                score = _similarity(lines[path], lines[new])
                if score >= SIMILAR_MIN:
                    pairs.append((-score, _name(path) != _name(new), path, new))
        seen: set[str] = set()
        for _, _, path, new in sorted(pairs):
            if path not in seen and new not in seen:
                seen |= {path, new}
                yield path, new

    def _lines(self, what: bytes) -> Counter[bytes]:
        blob = self._repo.get(pygit2.Oid(raw=what))
        if not isinstance(blob, pygit2.Blob) or blob.size > BLOB_BYTES_MAX or blob.is_binary:
            return Counter()
        return Counter(blob.data.splitlines())


def _compared(
    path: str, gone: tuple[bytes, bytes] | None, come: tuple[bytes, bytes] | None, found: TreeChanges
) -> Iterator[tuple[str, bytes | None, bytes | None]]:
    """Note what differs at one path; folders that are to be looked into."""
    before = gone[1] if gone and gone[0] == _FOLDER else None
    after = come[1] if come and come[0] == _FOLDER else None
    if before is not None or after is not None:
        yield path + "/", before, after
    old = gone[1] if gone and gone[0] not in (_FOLDER, _SUBMODULE) else None
    new = come[1] if come and come[0] not in (_FOLDER, _SUBMODULE) else None
    if old is not None and new is not None:
        found.modified.add(path)
    elif old is not None:
        found.removed[path] = old
    elif new is not None:
        found.added[path] = new


def _name(path: str) -> str:
    return path.rpartition("/")[2]


def _similarity(one: Counter[bytes], other: Counter[bytes]) -> float:
    """How much of the larger of two files is in both, line by line."""
    if not one or not other:
        return 0.0
    shared = sum(len(line) * count for line, count in (one & other).items())
    larger = max(sum(len(line) * count for line, count in each.items()) for each in (one, other))
    return shared / larger if larger else 0.0
