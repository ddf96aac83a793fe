"""What a model answers when it is asked for a patch, read strictly: what has no place is refused by name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from hindcast.model.errors import Malformed
from hindcast.propose.carry.patch import read_patch

FILES_MAX = 3
BLOCKS_MAX = 20
WORDS_CHARS_MAX = 400

_BLOCK = re.compile(
    r"^<{5,9} ?SEARCH[ \t]*\n(?P<old>.*?)^={5,9}[ \t]*\n(?P<new>.*?)^>{5,9} ?REPLACE[ \t]*$", re.S | re.M
)
_FILE = re.compile(r"^(?:FILE|file|File):[ \t]*`?(?P<path>[^`\n]+?)`?[ \t]*$", re.M)
_SAID = re.compile(r"^(?P<what>TITLE|WHY|RISK):[ \t]*(?P<text>.+)$", re.M)
_NOTHING = re.compile(r"^\s*NONE\b", re.M)
_IS_DIFF = re.compile(r"^--- \S.*\n\+\+\+ \S", re.M)
_REMEDY = "Nothing is changed by it."


@dataclass(frozen=True, slots=True)
class Replacement:
    """Lines of a file, and what they become."""

    path: str
    old: str
    new: str


@dataclass(frozen=True, slots=True)
class PatchAnswer:
    """What a model proposes, in its own words, and the lines it would replace."""

    title: str
    why: str
    risk: str
    replacements: tuple[Replacement, ...]


def read_answer(text: str) -> PatchAnswer | None:
    """The patch in an answer; None where it proposes none. Raises Malformed where it cannot be read as one."""
    said = {match["what"]: " ".join(match["text"].split())[:WORDS_CHARS_MAX] for match in _SAID.finditer(text)}
    found = tuple(_blocks(text)) or (tuple(_hunks(text)) if _IS_DIFF.search(text) else ())
    if not found:
        if _NOTHING.search(text) or not text.strip():
            return None
        raise Malformed("The answer holds neither a patch nor the word NONE.", field="answer", remedy=_REMEDY)
    if len(found) > BLOCKS_MAX or len({one.path for one in found}) > FILES_MAX:
        raise Malformed("The answer changes too much at once.", field="answer", remedy=_REMEDY)
    return PatchAnswer(said.get("TITLE", ""), said.get("WHY", ""), said.get("RISK", ""), found)


def _blocks(text: str) -> Iterator[Replacement]:
    """Blocks of lines to search for and what to put there, each below the name of its file."""
    files = [(match.start(), match["path"]) for match in _FILE.finditer(text)]
    for block in _BLOCK.finditer(text):
        above = [path for at, path in files if at < block.start()]
        if not above:
            raise Malformed("A block does not say which file it is for.", field="answer", remedy=_REMEDY)
        yield Replacement(above[-1].strip(), block["old"], block["new"])


def _hunks(text: str) -> Iterator[Replacement]:
    """The same from a unified diff; its line numbers are not believed."""
    begin = _IS_DIFF.search(text)
    for file in read_patch(text[begin.start() if begin is not None else 0 :]):
        if file.creates or file.removes:
            raise Malformed("The answer makes or removes a file.", field="answer", remedy=_REMEDY)
        for hunk in file.hunks:
            yield Replacement(file.path, "".join(f"{line}\n" for line in hunk.old),
                              "".join(f"{line}\n" for line in hunk.new))  # fmt: skip


def replaced(text: str, replacements: tuple[Replacement, ...]) -> str:
    """A file with its replacements made, one after the other. Raises Malformed where one has not exactly one place."""
    # The last line of a file may have no end; what is searched for has one.
    whole = text if text.endswith("\n") or not text else f"{text}\n"
    for one in replacements:
        if not one.old.strip():
            raise Malformed("A block searches for nothing.", field="answer", remedy=_REMEDY)
        places = _places(whole, one.old)
        if len(places) != 1:
            told = "is nowhere in the file" if not places else f"stands in {len(places)} places"
            first = next(line.strip() for line in one.old.splitlines() if line.strip())
            raise Malformed(f"What it would replace {told}: “{first[:80]}”.", field="answer", remedy=_REMEDY)
        whole = whole[: places[0]] + one.new + whole[places[0] + len(one.old) :]
    return whole if text.endswith("\n") or not whole.endswith("\n") else whole[:-1]


def _places(text: str, old: str) -> list[int]:
    """Where whole lines stand in a text."""
    found, at = [], text.find(old)
    while at >= 0:
        if at == 0 or text[at - 1] == "\n":
            found.append(at)
        at = text.find(old, at + 1)
    return found
