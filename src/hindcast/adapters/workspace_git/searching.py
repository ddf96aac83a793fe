"""Lines that hold a text, found by looking: nothing is indexed, and every answer is of this moment."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from itertools import groupby
from pathlib import Path

from hindcast.adapters.workspace_git.names import parts_of
from hindcast.adapters.workspace_git.rooted import folder, read_in
from hindcast.adapters.workspace_git.texts import decode
from hindcast.model.errors import HindcastError, Malformed
from hindcast.model.workspace import FoundLine

TEXT_CHARS_MAX = 500
LINE_CHARS_MAX = 400
FILE_BYTES_MAX = 1_000_000
# As much as is read for one question; what lies behind it is not found.
READ_BYTES_MAX = 300_000_000
# Other files are not UTF-8, whatever is searched for in them.
_WIDE_MARKS = (b"\xff\xfe", b"\xfe\xff")


def search(root: Path, paths: Sequence[str], text: str, *, lines_max: int) -> tuple[FoundLine, ...]:
    """The first lines that hold a text, letter by letter. Raises Malformed for what no line can hold."""
    if not text or len(text) > TEXT_CHARS_MAX or "\n" in text or "\0" in text:
        remedy = f"Search for 1 to {TEXT_CHARS_MAX} characters of one line."
        raise Malformed("That cannot be searched for.", field="text", remedy=remedy)
    needles = {text.encode("utf-8", "replace"), text.encode("cp1252", "replace")}
    found: list[FoundLine] = []
    left = READ_BYTES_MAX
    # A folder is opened once for all its files that follow one another.
    for place, group in groupby(paths, key=lambda path: path.rpartition("/")[0]):
        if len(found) >= lines_max or left <= 0:
            break
        # A folder that has gone since, or become a link, is left out.
        with suppress(HindcastError), folder(root, parts_of(place) if place else ()) as parent:
            for path in group:
                try:
                    raw = read_in(parent, path.rpartition("/")[2], path, bytes_max=FILE_BYTES_MAX).raw
                    left -= len(raw)
                    if raw.startswith(_WIDE_MARKS) or any(needle in raw for needle in needles):
                        found.extend(_lines(path, decode(raw, path).text, text, lines_max - len(found)))
                except HindcastError:
                    # Gone since, no text, or too large: left out, as the port says.
                    continue
                if len(found) >= lines_max or left <= 0:
                    break
    return tuple(found)


def _lines(path: str, whole: str, text: str, lines_max: int) -> Iterator[FoundLine]:
    at, line, counted = whole.find(text), 1, 0
    found = 0
    while at >= 0 and found < lines_max:
        line += whole.count("\n", counted, at)
        start = whole.rfind("\n", 0, at) + 1
        end = whole.find("\n", at)
        end = len(whole) if end < 0 else end
        # Of a long line, what is around it.
        start = max(start, at - LINE_CHARS_MAX // 2) if end - start > LINE_CHARS_MAX else start
        yield FoundLine(path, line, whole[start:end][: max(LINE_CHARS_MAX, len(text))])
        found += 1
        counted = end
        at = whole.find(text, end)
