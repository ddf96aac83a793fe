"""Past diffs read as they are found in tickets: from git, from `diff -u`, or typed by somebody at night.

Headers may be missing, counts and line numbers wrong, blank context lines stripped. What cannot be read as a change is
refused by name; nothing is guessed. Which lines were removed and added is all that is believed without a check.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace

from hindcast.model.errors import Malformed

# Nobody carries over more than this by hand either, and everything behind it is at most quadratic in a hunk.
DIFF_CHARS_MAX = 200_000
HUNKS_MAX = 100

_HUNK = re.compile(r"^@@+(?: -(\d+)(?:,(\d+))? \+(\d+)(?:,(\d+))?)?(?:.*?@@+)?[ \t]*(.*)$")
_PATH = re.compile(r"^(?:---|\+\+\+) (?:\"(?P<quoted>[^\"]*)\"|(?P<plain>[^\t]*))")
_NOISE = re.compile(
    r"^(?:index [0-9a-f]+\.\.|similarity index|dissimilarity index|old mode|new mode|Index: |=====|copy from|copy to"
    r"|From [0-9a-f]{40}|\*\*\* )"
)


@dataclass(frozen=True, slots=True)
class DiffLine:
    """One line of a hunk: kept (" "), removed ("-") or added ("+")."""

    mark: str
    text: str


@dataclass(frozen=True, slots=True)
class Hunk:
    """Lines that belong together."""

    lines: tuple[DiffLine, ...]
    # Counted from 1, as the header says; 0 where it says nothing.
    old_first: int = 0
    new_first: int = 0
    # What stands behind the second @@: usually the line that opens the function.
    section: str = ""
    # Whether the last line of either side has no newline.
    old_is_open: bool = False
    new_is_open: bool = False

    @property
    def old(self) -> tuple[str, ...]:
        """The lines before the fix."""
        return tuple(line.text for line in self.lines if line.mark != "+")

    @property
    def new(self) -> tuple[str, ...]:
        """The lines after it."""
        return tuple(line.text for line in self.lines if line.mark != "-")


@dataclass(frozen=True, slots=True)
class FilePatch:
    """What a diff does to one file. Both paths are empty where the diff names none."""

    old_path: str
    new_path: str
    hunks: tuple[Hunk, ...]
    creates: bool = False
    removes: bool = False

    @property
    def path(self) -> str:
        """The file's name after the fix, or before it where it was removed."""
        return self.new_path or self.old_path


def read_patch(diff: str) -> tuple[FilePatch, ...]:
    """The files that a diff changes. Raises Malformed where it changes nothing that can be read."""
    if len(diff) > DIFF_CHARS_MAX:
        raise Malformed(
            f"The diff has {len(diff)} characters; {DIFF_CHARS_MAX} are read.", field="diff", remedy="Split it."
        )
    reader = _Reader(_lines(diff))
    files = reader.files()
    if not any(one.hunks or one.creates or one.removes for one in files):
        raise Malformed(
            "The diff has no line that begins with + or -.",
            field="diff",
            remedy="Keep it as `git diff` prints it.",
        )
    if sum(len(one.hunks) for one in files) > HUNKS_MAX:
        raise Malformed(f"The diff has more than {HUNKS_MAX} hunks.", field="diff", remedy="Split it.")
    return files


def _lines(diff: str) -> list[str]:
    lines = diff.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    lines = [line for line in lines if not re.match(r"^(?:```|~~~)", line)]
    while lines and not lines[-1].strip():
        lines.pop()
    while lines and not lines[0].strip():
        lines.pop(0)
    return lines


class _Reader:
    """Goes through the lines of a diff once, from header to hunk."""

    def __init__(self, lines: list[str]) -> None:
        self._lines = lines
        self._at = 0

    def files(self) -> tuple[FilePatch, ...]:
        """Every file, in the diff's order; hunks before any header belong to a file without a name."""
        found: list[FilePatch] = []
        current = FilePatch("", "", ())
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if line.startswith("diff --git ") or self._is_header(self._at) or _binary(line):
                found.append(current)
                current = self._header()
            elif (match := _HUNK.match(line)) is not None:
                self._at += 1
                current = _with(current, self._hunk(match))
            elif not current.hunks and line.strip() and (line[:1] in ("+", "-", " ") or current.path):
                current = _with(current, self._body(Hunk((), section="")))
            else:
                # Prose, a commit message, git's own words.
                self._at += 1
        found.append(current)
        return tuple(one for one in found if one.hunks or one.creates or one.removes)

    def _is_header(self, at: int) -> bool:
        return (
            self._lines[at].startswith("--- ") and at + 1 < len(self._lines) and self._lines[at + 1].startswith("+++ ")
        )

    def _header(self) -> FilePatch:
        """The names of a file, as far as its header goes."""
        old = new = ""
        creates = removes = False
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if line.startswith("diff --git "):
                if old or new:
                    break
                old, new = _git_names(line)
            elif self._is_header(self._at):
                before, after = _name(line), _name(self._lines[self._at + 1])
                creates, removes = creates or before == "/dev/null", removes or after == "/dev/null"
                old, new = _plain(before, "a/"), _plain(after, "b/")
                self._at += 2
                break
            elif line.startswith("rename from "):
                old = line.removeprefix("rename from ")
            elif line.startswith("rename to "):
                new = line.removeprefix("rename to ")
            elif line.startswith("new file mode"):
                creates = True
            elif line.startswith("deleted file mode"):
                removes = True
            elif _binary(line):
                raise Malformed(
                    "The diff changes a binary file.", field="diff", remedy="Only text can be carried over."
                )
            elif not _NOISE.match(line):
                break
            self._at += 1
        return FilePatch("" if creates else old, "" if removes else new, (), creates, removes)

    def _hunk(self, match: re.Match[str]) -> Hunk:
        first, count, new_first, new_count, section = match.groups()
        begun = Hunk((), int(first or 0), int(new_first or 0), section.strip())
        if first is None:
            return self._body(begun)
        exact = self._counted(begun, int(count or 1), int(new_count or 1))
        return exact if exact is not None else self._body(begun)

    def _counted(self, begun: Hunk, old: int, new: int) -> Hunk | None:
        """The hunk that the counts of its header describe; None where they are wrong."""
        taken: list[DiffLine] = []
        at, open_old, open_new = self._at, False, False
        while (old > 0 or new > 0) and at < len(self._lines):
            line = self._lines[at]
            mark, text = (line[:1] or " "), line[1:]
            if mark == "\\":
                open_old, open_new = _opened(taken, open_old, open_new)
                at += 1
                continue
            if mark not in (" ", "+", "-") or self._is_header(at):
                return None
            old -= mark != "+"
            new -= mark != "-"
            taken.append(DiffLine(mark, text))
            at += 1
        if at < len(self._lines) and self._lines[at].startswith("\\"):
            open_old, open_new = _opened(taken, open_old, open_new)
            at += 1
        if old or new or self._goes_on(at):
            return None
        self._at = at
        return replace(begun, lines=tuple(taken), old_is_open=open_old, new_is_open=open_new)

    def _goes_on(self, at: int) -> bool:
        """Whether there are more changes before the next header than the counts let in."""
        while at < len(self._lines):
            line = self._lines[at]
            if line.startswith(("diff --git ", "@@")) or self._is_header(at):
                return False
            if line.startswith("-- ") or line == "--":
                # The signature at the end of a patch that was mailed.
                return False
            if line[:1] in ("+", "-"):
                return True
            at += 1
        return False

    def _body(self, begun: Hunk) -> Hunk:
        """Lines until something else begins, whatever a header says about their number."""
        taken: list[DiffLine] = []
        open_old = open_new = False
        while self._at < len(self._lines):
            line = self._lines[self._at]
            if line.startswith(("diff --git ", "@@", "Index: ")) or self._is_header(self._at) or _binary(line):
                break
            if line.startswith("\\"):
                open_old, open_new = _opened(taken, open_old, open_new)
            elif line.strip() in ("...", "…"):
                # Somebody left something out: what follows is another hunk.
                self._at += 1
                break
            else:
                mark = line[:1] if line[:1] in ("+", "-", " ") else " "
                taken.append(DiffLine(mark, line[1:] if line[:1] in ("+", "-", " ") else line))
            self._at += 1
        while taken and taken[-1].mark == " " and not taken[-1].text.strip():
            taken.pop()
        return replace(begun, lines=tuple(taken), old_is_open=open_old, new_is_open=open_new)


def _opened(taken: list[DiffLine], old: bool, new: bool) -> tuple[bool, bool]:
    mark = taken[-1].mark if taken else " "
    return old or mark != "+", new or mark != "-"


def _with(patch: FilePatch, hunk: Hunk) -> FilePatch:
    if not any(line.mark != " " for line in hunk.lines):
        return patch
    return replace(patch, hunks=(*patch.hunks, hunk))


def _binary(line: str) -> bool:
    return line.startswith(("GIT binary patch", "Binary files "))


def _name(line: str) -> str:
    match = _PATH.match(line)
    return (match["quoted"] or match["plain"] or "").strip() if match else ""


def _plain(name: str, prefix: str) -> str:
    if name == "/dev/null":
        return ""
    return name.removeprefix(prefix).removeprefix("./").replace("\\", "/")


def _git_names(line: str) -> tuple[str, str]:
    match = re.match(r"^diff --git \"?a/(.+?)\"? \"?b/(.+?)\"?$", line)
    return (match[1], match[2]) if match else ("", "")
