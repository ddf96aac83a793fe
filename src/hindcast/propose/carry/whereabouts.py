"""In which of today's files a past fix may belong, the likeliest first and no more than can be read in time."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from hindcast.model.code import SourceFile, Tongue
from hindcast.model.errors import HindcastError
from hindcast.ports import Code
from hindcast.propose.carry.outcome import Hints
from hindcast.propose.carry.patch import FilePatch

# How many files are read to find code that moved without history telling where. Beyond it the answer would be late.
SEARCHED_FILES_MAX = 300
SEARCHED_CHARS_MAX = 400_000
# The share of a fix's own words that a file must have to be looked at closely.
_WORDS_SHARE = 0.6
_WORD = re.compile(r"[^\W\d]\w{3,}")

_ENDINGS = {
    Tongue.PYTHON: (".py",),
    Tongue.JAVASCRIPT: (".js", ".mjs", ".cjs", ".jsx", ".ts", ".tsx"),
    Tongue.TYPESCRIPT: (".ts", ".tsx", ".js"),
    Tongue.GO: (".go",),
}


class Whereabouts:
    """The files of a workspace, asked for by what a diff says about one of them."""

    def __init__(self, code: Code, hints: Hints) -> None:
        self._code, self._hints = code, hints
        self._paths: tuple[str, ...] | None = None
        self._read: dict[str, SourceFile | None] = {}

    @property
    def paths(self) -> tuple[str, ...]:
        """Every file there is."""
        if self._paths is None:
            self._paths = tuple(self._code.paths())
        return self._paths

    def read(self, path: str) -> SourceFile | None:
        """A file, or None where there is none or it is no text."""
        if path not in self._read:
            try:
                self._read[path] = self._code.read(path) if path else None
            except HindcastError:
                self._read[path] = None
        return self._read[path]

    def rounds(self, patch: FilePatch) -> Iterator[tuple[str, tuple[SourceFile, ...]]]:
        """Files to look at, round by round, with what they were found by; a later round is a weaker guess."""
        seen: set[str] = set()
        for how, paths in self._rounds(patch):
            files = []
            for path in paths:
                if path in seen:
                    continue
                seen.add(path)
                if (file := self.read(path)) is not None:
                    files.append(file)
            if files:
                yield how, tuple(files)

    def beside(self, path: str, ending: str) -> tuple[str, ...]:
        """The texts of the other files of a folder."""
        folder = path.rpartition("/")[0]
        near = [one for one in self.paths if one.endswith(ending) and one.rpartition("/")[0] == folder]
        found = [self.read(one) for one in near[:20] if one != path]
        return tuple(one.text for one in found if one is not None)

    def _rounds(self, patch: FilePatch) -> Iterator[tuple[str, Sequence[str]]]:
        names = [name for name in dict.fromkeys((patch.new_path, patch.old_path)) if name]
        for name in names:
            yield "path", (name,)
        for name in names:
            yield "history", self._moved(name)
        traced = tuple(dict.fromkeys(place.path for place in self._hints.places))
        if names:
            yield "name", self._alike(names)
        yield ("trace" if names else "trace only"), traced
        yield "search", self._searched(patch, names)

    def _moved(self, name: str) -> tuple[str, ...]:
        try:
            return self._code.now_at(name)
        except HindcastError:
            return ()

    def _alike(self, names: Sequence[str]) -> list[str]:
        """Files whose path ends as the diff's does, those with the longest end in common first."""
        ends = [name.split("/") for name in names]
        lasts = tuple(end[-1] for end in ends)
        found = []
        for path in self.paths:
            if not path.endswith(lasts):
                continue
            parts = path.split("/")
            shared = max(_shared_end(parts, end) for end in ends)
            if shared:
                found.append((-shared, path))
        if not found:
            return []
        most = min(found)[0]
        return [path for shared, path in sorted(found) if shared == most][:SEARCHED_FILES_MAX]

    def _searched(self, patch: FilePatch, names: Sequence[str]) -> list[str]:
        """Files that have most of the words of the fix, nearest to where it was first."""
        words = {word for hunk in patch.hunks for line in hunk.old for word in _WORD.findall(line)}
        if len(words) < 2:
            return []
        endings = _endings(names)
        near = names[0].split("/")[:-1] if names else []
        pool = [path for path in self.paths if not endings or path.endswith(endings)]
        pool.sort(key=lambda path: (-_shared_begin(path.split("/"), near), path))
        found = []
        for path in pool[:SEARCHED_FILES_MAX]:
            file = self.read(path)
            if file is None or len(file.text) > SEARCHED_CHARS_MAX:
                continue
            if sum(word in file.text for word in words) >= _WORDS_SHARE * len(words):
                found.append(path)
        return found


def _endings(names: Sequence[str]) -> tuple[str, ...]:
    for endings in _ENDINGS.values():
        if names and names[0].endswith(endings):
            return endings
    _, dot, suffix = names[0].rpartition("/")[2].rpartition(".") if names else ("", "", "")
    return (f".{suffix}",) if dot else ()


def _shared_end(one: Sequence[str], other: Sequence[str]) -> int:
    count = 0
    for left, right in zip(reversed(one), reversed(other), strict=False):
        if left != right:
            break
        count += 1
    return count


def _shared_begin(one: Sequence[str], other: Sequence[str]) -> int:
    return _shared_end(one[::-1], other[::-1])
