"""What there is to know about a place before changing it: who owns it, what changed there lately, what broke there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from hindcast.model.case import Case
from hindcast.model.code import CodeCommit, Context, LineSpan, PastTrouble, Place
from hindcast.model.errors import HindcastError
from hindcast.ports import Code
from hindcast.propose.owners import owners_of
from hindcast.propose.printed import path_parts, simple_name

COMMITS_MAX = 5
TROUBLES_MAX = 5
# Without a function, the lines around the one that failed are looked at.
_AROUND_LINES = 10
_DIFF_FILE = re.compile(r"^(?:\+\+\+|---) (?:[ab]/)?(\S+)", re.M)
_HUNK_FUNCTION = re.compile(r"^@@[^@]*@@ (.*)$", re.M)


def context_of(place: Place, code: Code, cases: Iterable[Case]) -> Context:
    """Owners, recent commits and past incidents of a place. Cases are those that the caller knows, in any order."""
    lines = place.body
    if lines is None and place.line:
        lines = LineSpan(max(place.line - _AROUND_LINES, 1), place.line + _AROUND_LINES)
    return Context(
        owners=owners_of(place.path, code, lines=lines),
        commits=_commits(place, code, lines),
        troubles=troubles(place, cases),
    )


def troubles(place: Place, cases: Iterable[Case]) -> tuple[PastTrouble, ...]:
    """The incidents whose trace or fix touched this function before, the latest first."""
    found = [trouble for case in cases if (trouble := _trouble(place, case)) is not None]
    return tuple(sorted(found, key=lambda one: (one.at, one.case), reverse=True)[:TROUBLES_MAX])


def broke_before(past: tuple[PastTrouble, ...]) -> str:
    """How often a place broke, in words; empty for a place that never did."""
    if not past:
        return ""
    times = {1: "once", 2: "twice"}.get(len(past), f"{len(past)} times")
    return f"It broke {times} before, last on {past[0].at:%Y-%m-%d}: {past[0].title}"


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


def _trouble(place: Place, case: Case) -> PastTrouble | None:
    name = simple_name(place.function)
    for how, path, functions in _touched(case):
        if not _is_same_file(path, place.path):
            continue
        if not name or not functions or name in functions:
            return PastTrouble(case.id, case.title, case.occurred_at, how)
    return None


def _touched(case: Case) -> Iterator[tuple[str, str, frozenset[str]]]:
    """Files that a case names, with the functions it names in them, as far as it does."""
    fixes = [case.resolution.diff if case.resolution is not None else ""]
    fixes += [attempt.diff for attempt in case.attempts]
    for diff in fixes:
        told = _HUNK_FUNCTION.findall(diff)
        functions = frozenset(word for line in told for word in re.findall(r"[^\W\d]\w*", line))
        for path in dict.fromkeys(_DIFF_FILE.findall(diff)):
            if path != "/dev/null":
                yield "its fix changed it", path, functions
    frames = frozenset(simple_name(frame) for frame in case.clues.frames)
    for path in dict.fromkeys(re.findall(r"[\w./\\-]+\.\w{1,5}(?=[\"':),\s])", case.stack[:20_000])):
        yield "its trace went through it", path, frames


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
