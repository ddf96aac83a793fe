"""The files of a workspace that hold settings, read once, the ones that count most first."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache

from hindcast.model.code import SourceFile
from hindcast.model.errors import HindcastError
from hindcast.propose.settings.add import may_have_siblings
from hindcast.propose.settings.entry import Setting, words_of
from hindcast.propose.settings.matching import standing
from hindcast.propose.settings.reading import FILE_CHARS_MAX, is_configuration, settings_in
from hindcast.propose.settings.wish import Wish
from hindcast.propose.sheet import Sheet

# More files of settings than these are not read: an answer that is late helps nobody.
FILES_MAX = 400
_CODE = (".py", ".js", ".mjs", ".cjs", ".ts")

Read = tuple[SourceFile, Sequence[Setting]]


class ConfigurationFiles:
    """Files of settings, and the code that the trace goes through: settings are kept there as well."""

    def __init__(self, sheet: Sheet) -> None:
        self._sheet = sheet
        self._texts: list[tuple[SourceFile, str]] | None = None

    def about(self, wish: Wish) -> Iterator[Read]:
        """The files that may hold what is wanted, with their settings; others are not taken apart."""
        for file, low in self._read():
            if _may_name(wish, low):
                yield file, settings_in(file.path, file.text)

    def with_number(self, *values: str) -> Iterator[Read]:
        """The files that have one of these numbers, however it goes on; every file where none is given."""
        numbers = [match.group() for value in values if (match := re.match(r"\d+", value)) is not None]
        for file, low in self._read():
            if not numbers or any(number in low for number in numbers):
                yield file, settings_in(file.path, file.text)

    def beside(self, wish: Wish) -> Iterator[Read]:
        """The files that may hold a key like it, or siblings of it: where neither is named there is neither."""
        parents = tuple(part.lower() for part in wish.path[:-1] if not part.isdigit())
        around = parents or words_of(wish.path[-1])[:1]
        has_siblings = may_have_siblings(wish)
        for file, low in self._read():
            if _may_name(wish, low) or (has_siblings and all(name in low for name in around)):
                yield file, settings_in(file.path, file.text)

    def _read(self) -> list[tuple[SourceFile, str]]:
        if self._texts is None:
            self._texts = []
            for path in self._paths():
                try:
                    file = self._sheet.code.read(path)
                except HindcastError:
                    continue
                if len(file.text) <= FILE_CHARS_MAX:
                    self._texts.append((file, file.text.lower()))
        return self._texts

    def _paths(self) -> list[str]:
        traced = {place.path for place in self._sheet.places if place.path.endswith(_CODE)}
        paths = [path for path in self._sheet.code.paths() if path in traced or is_configuration(path)]
        return sorted(paths, key=lambda path: (-standing(path), path.count("/"), path))[:FILES_MAX]


def _may_name(wish: Wish, low: str) -> bool:
    """Whether a text, in small letters, may hold a key that is like what is wanted; `likeness` says which ones are.

    The last words of both are the same. Every file of a project has `timeout_seconds` somewhere; a wish for `timeout`
    is not about any of those, and taking them apart to see that takes most of the time.
    """
    if not wish.words or not all(word in low for word in (*words_of(wish.path[-1]), *wish.words[-2:])):
        return False
    return _ending(wish.words[-1]).search(low) is not None


@lru_cache(maxsize=1_024)
def _ending(word: str) -> re.Pattern[str]:
    """A word with which a name ends: what follows is no further word of it."""
    return re.compile(rf"{re.escape(word)}[_.-]*(?![a-z_.-])")
