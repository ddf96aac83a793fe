"""Cards made of proposals: the diff people read, its counts, and an id that is the same for the same change."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from difflib import SequenceMatcher
from hashlib import sha256

from hindcast.model.card import Card, CardState, Proposal

# Lines around a change that are shown, and that say where it belongs.
CONTEXT_LINES = 3
# Twelve hex digits tell all cards of a team apart, and can be read out over the phone.
ID_CHARS = 12
ID_PREFIX = "fix-"
_OPEN_END = "\\ No newline at end of file"


@dataclass(frozen=True, slots=True)
class Hunk:
    """A piece of a diff: where it begins in both texts, from 0, and its lines with their marks."""

    old_first: int
    old_count: int
    new_first: int
    new_count: int
    # Marked " ", "-" or "+"; a line without its newline says so behind it.
    lines: tuple[str, ...]


def dealt(proposal: Proposal, before: str, *, incident: str, workspace: str, at: datetime) -> Card:
    """A proposal as a card; `before` is the whole file as it is."""
    edit = proposal.edit
    after = edit.text or ""
    hunks = tuple(hunks_of(before, after))
    marks = [line[0] for hunk in hunks for line in hunk.lines]
    return Card(
        id=card_id(incident, workspace, edit.path, before, hunks),
        incident=incident,
        workspace=workspace,
        proposal=proposal,
        before=before,
        after=after,
        diff=unified(edit.path, hunks, is_new=not edit.expected, is_removed=edit.text is None),
        added=marks.count("+"),
        removed=marks.count("-"),
        made_at=at,
        state=CardState.PROPOSED,
    )


def card_id(incident: str, workspace: str, path: str, before: str, hunks: tuple[Hunk, ...]) -> str:
    """The id of a change: where in which file it is made does not count, what it changes does.

    A file that has grown elsewhere has the same card. Of places that look alike, each has its own.
    """
    told = [incident, workspace, path]
    lines = before.split("\n")
    for hunk in hunks:
        told += [*hunk.lines, f"@{_alike_above(hunk, lines)}"]
    return ID_PREFIX + sha256("\0".join(told).encode("utf-8", "surrogatepass")).hexdigest()[:ID_CHARS]


def _alike_above(hunk: Hunk, lines: list[str]) -> int:
    """How many places above a hunk have the very lines that it begins with."""
    block = lines[hunk.old_first : hunk.old_first + hunk.old_count]
    size = len(block)
    if not size:
        return 0
    return sum(lines[at : at + size] == block for at in range(hunk.old_first) if lines[at] == block[0])


def unified(path: str, hunks: tuple[Hunk, ...], *, is_new: bool = False, is_removed: bool = False) -> str:
    """A unified diff as git writes it; empty where nothing changes."""
    if not hunks:
        return ""
    rows = [f"--- {'/dev/null' if is_new else f'a/{path}'}", f"+++ {'/dev/null' if is_removed else f'b/{path}'}"]
    for hunk in hunks:
        old, new = _range(hunk.old_first, hunk.old_count), _range(hunk.new_first, hunk.new_count)
        rows.append(f"@@ -{old} +{new} @@")
        rows += hunk.lines
    return "\n".join(rows) + "\n"


def _range(first: int, count: int) -> str:
    """A range as diffs count: an empty one begins at the line before it."""
    return f"{first + 1 if count else first}" + ("" if count == 1 else f",{count}")


def hunks_of(before: str, after: str) -> Iterator[Hunk]:
    """What differs between two texts, with the lines around it."""
    old, new = _lines(before), _lines(after)
    head = _shared(old, new)
    tail = _shared(old[head:][::-1], new[head:][::-1])
    # What is alike at both ends is most of a file, and comparing it closely would take most of the time.
    first = max(head - CONTEXT_LINES, 0)
    spare = max(tail - CONTEXT_LINES, 0)
    left, right = old[first : len(old) - spare], new[first : len(new) - spare]
    for group in SequenceMatcher(None, left, right, autojunk=False).get_grouped_opcodes(CONTEXT_LINES):
        rows: list[str] = []
        for tag, i1, i2, j1, j2 in group:
            if tag == "equal":
                rows += [_row(" ", line) for line in left[i1:i2]]
                continue
            rows += [_row("-", line) for line in left[i1:i2]]
            rows += [_row("+", line) for line in right[j1:j2]]
        old_first, new_first = group[0][1], group[0][3]
        old_count, new_count = group[-1][2] - old_first, group[-1][4] - new_first
        yield Hunk(first + old_first, old_count, first + new_first, new_count, tuple(rows))


def _lines(text: str) -> list[str]:
    """Lines with their ends: the last one may have none."""
    parts = text.split("\n")
    last = parts.pop()
    return [f"{part}\n" for part in parts] + ([last] if last else [])


def _row(mark: str, line: str) -> str:
    return f"{mark}{line[:-1]}" if line.endswith("\n") else f"{mark}{line}\n{_OPEN_END}"


def _shared(one: list[str], other: list[str]) -> int:
    count = 0
    for left, right in zip(one, other, strict=False):
        if left != right:
            break
        count += 1
    return count
