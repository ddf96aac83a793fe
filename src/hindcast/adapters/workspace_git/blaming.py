"""Who last touched which lines: each line is followed from today's text back to the commit that brought it."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterator
from difflib import SequenceMatcher

import pygit2
from pygit2.enums import DiffOption

from hindcast.adapters.workspace_git.committing import blob_at
from hindcast.adapters.workspace_git.history import told
from hindcast.adapters.workspace_git.past import Past, Read, entry_id, touches, tree_of
from hindcast.model.code import Blamed, LineSpan


def blamed(repo: pygit2.Repository, past: Past, path: str, text: str, lines: LineSpan) -> tuple[Blamed, ...]:
    """The commits that lines of today's text come from; lines that are not committed, or are very old, have none."""
    if repo.head_is_unborn:
        return ()
    read = past.read(repo)
    found = blob_at(repo, read.head, path)
    if found is None:
        return ()
    committed = found[0].data.decode("utf-8", "replace").replace("\r\n", "\n")
    wanted = _lines_then(_split(committed), _split(text), lines)
    return tuple(_joined(repo, sorted(_followed(repo, past, read, path, wanted))))


def _followed(
    repo: pygit2.Repository, past: Past, read: Read, path: str, wanted: dict[int, int]
) -> Iterator[tuple[int, str]]:
    """Every line of today's text with the commit that brought it."""
    # For versions of the file: which of their lines are which of today's.
    held = {(read.head, path): wanted}
    # The newest first, so that lines from two sides of a merge meet again before they go on.
    waiting = [(0, read.head, path)]
    while waiting:
        _, commit, name = heapq.heappop(waiting)
        mine = held.pop((commit, name), {})
        if not mine:
            continue
        for parent, before, is_same in _sources(repo, past, read, commit, name):
            kept = {line: line for line in mine} if is_same else _kept(repo, (parent, before), (commit, name), mine)
            # A parent that is not known is further back than we look: its lines have nobody.
            if parent in read.number and kept:
                held.setdefault((parent, before), {}).update({was: mine[line] for line, was in kept.items()})
                heapq.heappush(waiting, (read.number[parent], parent, before))
            mine = {line: today for line, today in mine.items() if line not in kept}
        yield from ((today, commit) for today in mine.values())


def _sources(
    repo: pygit2.Repository, past: Past, read: Read, commit: str, path: str
) -> Iterator[tuple[str, str, bool]]:
    """Where a version may have its lines from: a parent, the path there, and whether it is the very same file."""
    parents = read.parents[commit]
    if not touches(repo, read, commit, path):
        same = parents[0]
        if len(parents) > 1:
            now = entry_id(tree_of(repo, commit), path)
            same = next(one for one in parents if one in repo and entry_id(tree_of(repo, one), path) == now)
        yield same, path, True
        return
    for parent in parents:
        if entry_id(tree_of(repo, parent), path) is not None:
            yield parent, path, False
        else:
            renames = past.renames(repo, commit)
            yield from ((parent, before, False) for before, after in renames.items() if path in after)


def _kept(
    repo: pygit2.Repository, before: tuple[str, str], after: tuple[str, str], lines: Collection[int]
) -> dict[int, int]:
    """Lines of a later version that an earlier one has too, and which they are there."""
    old, new = blob_at(repo, *before), blob_at(repo, *after)
    if old is None or new is None:
        return {}
    found: dict[int, int] = {}
    waiting = sorted(lines, reverse=True)
    shift = 0
    for hunk in old[0].diff(new[0], DiffOption.FORCE_TEXT).hunks:
        while waiting and waiting[-1] < hunk.new_start:
            line = waiting.pop()
            found[line] = line + shift
        inside = {line.new_lineno: line.old_lineno for line in hunk.lines if line.origin == " "}
        while waiting and waiting[-1] < hunk.new_start + hunk.new_lines:
            line = waiting.pop()
            if line in inside:
                found[line] = inside[line]
        shift += hunk.old_lines - hunk.new_lines
    return found | {line: line + shift for line in waiting}


def _split(text: str) -> list[str]:
    """The lines of a text; behind the last newline there is none."""
    return text.removesuffix("\n").split("\n")


def _lines_then(before: list[str], now: list[str], lines: LineSpan) -> dict[int, int]:
    """Which lines of the committed text are which of today's; lines of somebody's own are not among them."""
    if before == now:
        return {line: line for line in range(max(lines.first, 1), min(lines.last, len(now)) + 1)}
    found = {}
    for was, at, size in SequenceMatcher(None, before, now).get_matching_blocks():
        for step in range(size):
            if lines.covers(at + step + 1):
                found[was + step + 1] = at + step + 1
    return found


def _joined(repo: pygit2.Repository, by_line: list[tuple[int, str]]) -> Iterator[Blamed]:
    """Lines that follow one another and have one commit, as one."""
    start = 0
    for at, (line, commit) in enumerate(by_line):
        if at + 1 == len(by_line) or by_line[at + 1] != (line + 1, commit):
            yield Blamed(LineSpan(by_line[start][0], line), told(repo[commit].peel(pygit2.Commit)))
            start = at + 1
