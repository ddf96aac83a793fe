"""What there is to know about a place before changing it: who owns it, what changed there lately, what broke there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from hindcast.model.case import Case
from hindcast.model.code import CodeCommit, Context, LineSpan, PastTrouble, Place
from hindcast.model.errors import HindcastError, Malformed
from hindcast.ports import Code
from hindcast.propose.carry.patch import FilePatch, read_patch
from hindcast.propose.owners import owners_of
from hindcast.propose.printed import path_parts, simple_name

COMMITS_MAX = 5
TROUBLES_MAX = 5
# Without a function, the lines around the one that failed are looked at.
_AROUND_LINES = 10
_FIXED = "its fix changed it"
_NAME = re.compile(r"[^\W\d]\w*")
# A line that opens a function, as far as one line tells, and its name; and one that opens what functions lie in.
_OPENS = re.compile(
    r"^\s*(?:(?:export|default|public|private|protected|static|async|pub)\s+)*"
    r"(?:(?:def|function\*?|fn|fun|func(?:\s*\([^)]*\))?)\s+(\w+)|(?:const|let|var)\s+(\w+)\s*=.*=>\s*\{?\s*$"
    r"|(?!(?:if|for|while|switch|catch|with|return|else)\b)(\w+)\s*\([^;]*\)\s*(?::[^;{]*)?\{\s*$)"
)
_HOLDER = re.compile(r"^\s*(?:export\s+|default\s+|public\s+|abstract\s+)*(?:class|struct|impl|interface|module)\b")


@dataclass(frozen=True, slots=True)
class _Touched:
    """A file that a case names, and what of it: functions by name, or else lines as they were numbered then."""

    how: str
    path: str
    functions: frozenset[str] = frozenset()
    lines: tuple[LineSpan, ...] = ()

    def holds(self, name: str, body: LineSpan | None) -> bool:
        """Whether a function is among what was touched; where the case tells nothing of functions, it may be."""
        if name in self.functions:
            return True
        if body is not None and any(one.first <= body.last and body.first <= one.last for one in self.lines):
            return True
        return not self.functions and not self.lines


def context_of(place: Place, code: Code, cases: Iterable[Case]) -> Context:
    """Owners, recent commits and past incidents of a place. Cases are those that the caller knows, in any order."""
    lines = place.body
    if lines is None and place.line:
        lines = LineSpan(max(place.line - _AROUND_LINES, 1), place.line + _AROUND_LINES)
    return Context(
        owners=owners_of(place.path, code, lines=lines),
        commits=_commits(place, code, lines),
        troubles=troubles(place, cases, code),
    )


def troubles(place: Place, cases: Iterable[Case], code: Code | None = None) -> tuple[PastTrouble, ...]:
    """The incidents whose trace or fix touched this function before, the latest first.

    With its code, what a fix changed is followed to where the file is today. Traces are not: most of their files are
    those of libraries, which no history knows.
    """
    found = [trouble for case in cases if (trouble := _trouble(place, case, code)) is not None]
    return tuple(sorted(found, key=lambda one: (one.at, one.case), reverse=True)[:TROUBLES_MAX])


def broke_before(past: tuple[PastTrouble, ...]) -> str:
    """How often a place broke, in words; empty for a place that never did."""
    if not past:
        return ""
    times = {1: "once before, on", 2: "twice before, last on"}.get(len(past), f"{len(past)} times before, last on")
    return f"It broke {times} {past[0].at:%Y-%m-%d}: {past[0].title}"


def _commits(place: Place, code: Code, lines: LineSpan | None) -> tuple[CodeCommit, ...]:
    """The commits that the lines of a function are from, newest first; those of the file where lines say nothing."""
    try:
        blamed = code.blame(place.path, lines) if lines is not None else ()
        if blamed:
            commits = {one.commit.id: one.commit for one in blamed}
            return tuple(sorted(commits.values(), key=lambda one: (one.at, one.id), reverse=True)[:COMMITS_MAX])
        return code.commits(place.path, commits_max=COMMITS_MAX)
    except HindcastError:
        return ()


def _trouble(place: Place, case: Case, code: Code | None) -> PastTrouble | None:
    name = simple_name(place.function)
    for touched in _touched(case):
        if name and not touched.holds(name, place.body):
            continue
        if _is_same_file(touched.path, place.path) or (code is not None and _has_moved(touched, place.path, code)):
            return PastTrouble(case.id, case.title, case.occurred_at, touched.how)
    return None


def _has_moved(touched: _Touched, path: str, code: Code) -> bool:
    """Whether the file that a fix changed then is this one today."""
    # What is still there has not moved; reading all of history to hear so takes its time.
    if touched.how != _FIXED or touched.path in code.paths():
        return False
    try:
        return path in code.now_at(touched.path)
    except HindcastError:
        return False


def _touched(case: Case) -> Iterator[_Touched]:
    """Files that a case names, with what it names in them, as far as it does."""
    fixes = [case.resolution.diff if case.resolution is not None else ""]
    fixes += [attempt.diff for attempt in case.attempts]
    for diff in dict.fromkeys(one for one in fixes if one.strip()):
        try:
            files = read_patch(diff)
        except Malformed:
            continue
        for one in files:
            yield from (_changed(one, path) for path in dict.fromkeys((one.path, one.old_path)) if path)
    frames = frozenset(simple_name(frame) for frame in case.clues.frames)
    for path in dict.fromkeys(re.findall(r"[\w./\\-]{1,300}\.\w{1,5}(?=[\"':),\s])", case.stack[:20_000])):
        yield _Touched("its trace went through it", path, frames)


def _changed(file: FilePatch, path: str) -> _Touched:
    """What a fix changed in a file. The line that opens a function, above a change, says which one it is in."""
    functions: set[str] = set()
    spans: list[LineSpan] = []
    for hunk in file.hunks:
        inside = frozenset() if _HOLDER.match(hunk.section) else frozenset(_NAME.findall(hunk.section))
        number = hunk.new_first
        for line in hunk.lines:
            if (opens := _OPENS.match(line.text)) is not None:
                inside = frozenset(name for name in opens.groups() if name)
            elif line.text[:1].strip(" \t)]}"):
                # What begins at the edge is in no function.
                inside = frozenset()
            if line.mark != " ":
                functions |= inside
                spans += [LineSpan(number, number)] if number and not inside else []
            if number and line.mark != "-":
                number += 1
    return _Touched(_FIXED, path, frozenset(functions), tuple(spans))


def _is_same_file(printed: str, path: str) -> bool:
    """Whether two paths are of one file: where it ran, or what is called the root, does not matter."""
    theirs, ours = path_parts(printed), tuple(path.split("/"))
    shared = 0
    for left, right in zip(reversed(theirs), reversed(ours), strict=False):
        if left != right:
            break
        shared += 1
    # A path of a machine begins with where it ran; one of a repository is the same, or the root lies elsewhere.
    is_whole = shared == min(len(theirs), len(ours))
    return shared >= 2 if printed.startswith(("/", "\\")) or ":" in printed else is_whole and shared > 0
