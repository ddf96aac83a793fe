"""Three sides of one statement: as it was, as the fix made it, and as it is today, token by token.

What the fix did to tokens that are the same today is done to them today. Where both changed the same tokens there is
no telling what is meant, except for arguments: a new one is put behind those that came since.
"""

from __future__ import annotations

import itertools
import re
from collections.abc import Sequence
from dataclasses import dataclass

from hindcast.propose.carry.laid import Group, Laid, Today, changed
from hindcast.propose.carry.layout import Shift, indent_of
from hindcast.propose.carry.lex import Token, lex
from hindcast.propose.carry.splice import Splice
from hindcast.propose.carry.wording import Wording

_CLOSERS = (")", "]", "}")


@dataclass(frozen=True, slots=True)
class _Cut:
    """Characters of today's file and what takes their place."""

    start: int
    end: int
    text: str


def merged(group: Group, laid: Laid, wording: Wording, shift: Shift | None) -> Splice | None:
    """The lines of today that a change is about, changed where they are the same; None where sides contradict."""
    today = laid.today
    removed = laid.of_lines(group.old_at, group.old_at + len(group.removed))
    text = "\n".join(group.added)
    added = lex(text, today.tongue)
    if any(laid.place(one) < 0 for one in laid.missing(removed)):
        return None
    before = [removed[0] - 1] if removed else [_last_before(laid, group.old_at)]
    base = [*before, *removed, (removed[-1] if removed else before[0]) + 1]
    cuts: list[_Cut] = []
    for what, old_from, old_to, new_from, new_to in changed([laid.tokens[index] for index in removed], added):
        if what == "equal":
            continue
        made = _piece(text, added, new_from, new_to, wording, shift)
        cut = _cut(laid, base, old_from, old_to, made)
        if cut is None:
            return None
        cuts.append(cut)
    if not cuts:
        return None
    return _spliced(today, cuts)


def _last_before(laid: Laid, line: int) -> int:
    return max((index for index, token in enumerate(laid.tokens) if token.line < line), default=-1)


def _piece(text: str, added: Sequence[Token], first: int, after: int, wording: Wording, shift: Shift | None) -> str:
    """Added tokens as text, with the white space before the first of them."""
    if first >= after:
        return ""
    start = added[first - 1].end if first else 0
    piece = text[start : added[after - 1].end]
    piece = wording.text(piece)
    lines = piece.split("\n")
    if len(lines) > 1 and shift is not None:
        lines = [lines[0], *(shift.line(line) for line in lines[1:])]
    return "\n".join(lines) if first else "\n".join(lines).lstrip()


def _cut(laid: Laid, base: Sequence[int], old_from: int, old_to: int, made: str) -> _Cut | None:
    """Where in today's file a change of tokens goes. `base` has one token before the removed ones and one behind."""
    today = laid.today
    images = [laid.place(index) if 0 <= index < len(laid.tokens) else -1 for index in base]
    before, after = images[old_from], images[old_to + 1]
    if old_from == old_to:
        return _insertion(today, before, after, made)
    gone = [laid.image(index) for index in base[old_from + 1 : old_to + 1]]
    if min(gone) < 0:
        return None
    if any(second != first + 1 for first, second in itertools.pairwise(gone)):
        return None
    start = today.tokens[gone[0]].start
    end = today.tokens[gone[-1]].end
    if not made:
        # A token goes with the space before it, unless it begins its line.
        lead = today.text.rfind("\n", 0, start) + 1
        if today.text[lead:start].strip():
            start -= len(today.text[:start]) - len(today.text[:start].rstrip(" \t"))
        return _Cut(start, end, "")
    return _Cut(start, end, made.lstrip() if not made.startswith("\n") else made)


def _insertion(today: Today, before: int, after: int, made: str) -> _Cut | None:
    if before >= 0 and after >= 0 and after != before + 1:
        # Today has something of its own here. Only behind more arguments it is clear where another one goes.
        between = today.tokens[before + 1 : after]
        if not (made.lstrip().startswith(",") and between[0].key == "," and today.tokens[after].key in (")", "}", "]")):
            return None
        names = {token.key for token in between if token.is_member}
        if names & set(re.findall(r"(?<![\w$])[\w$]+(?=\s{0,40}[=:])", made)):
            # A part of it is given today.
            return None
        before = after - 1
    if before < 0 and after < 0:
        return None
    if before >= 0 and after >= 0 and today.last_line(before) == today.tokens[after].line:
        made = _joined(made, today.tokens[before].key, today.tokens[after].key)
    if before < 0:
        start = today.tokens[after].start
        return _Cut(start, start, made.lstrip() + ("" if made.endswith((" ", "(")) else _space(made)))
    at = today.tokens[before].end
    return _argument(today, before, made) or _Cut(at, at, made)


def _joined(made: str, before: str, after: str) -> str:
    """Items that were on lines of their own, for a list that is on one line."""
    if "\n" not in made and not made.rstrip().endswith(","):
        return made
    flat = re.sub(r"(?<!\s)\s*\n\s*", " ", made)
    if after in _CLOSERS:
        flat = flat.rstrip().rstrip(",")
    if before not in ("(", "[", "{", ",") and not flat.startswith(","):
        flat = f", {flat.lstrip()}"
    return flat


def _space(made: str) -> str:
    return " " if re.search(r"\w$", made) else ""


def _argument(today: Today, before: int, made: str) -> _Cut | None:
    """An argument on a line of its own, where today's call has each of them on one."""
    match = re.match(r"^,\s*(\S.*)$", made)
    token = today.tokens[before]
    line = today.last_line(before)
    tail = today.text[token.end :].split("\n", 1)[0]
    if match is None or tail.strip() not in ("", ",") or line + 1 >= len(today.lines):
        return None
    if not today.lines[line + 1].lstrip().startswith((")", "}", "]")):
        return None
    # A line that opens a bracket and holds its first item is no list of one item each.
    indent = indent_of(today.lines[line])
    closing = indent_of(today.lines[line + 1])
    if len(indent) <= len(closing):
        return None
    comma = tail.strip()
    end = token.end + len(tail)
    return _Cut(token.end, end, f",\n{indent}{match[1]}{comma}")


def _spliced(today: Today, cuts: Sequence[_Cut]) -> Splice | None:
    ordered = sorted(cuts, key=lambda one: (one.start, one.end))
    if any(one.end > other.start for one, other in itertools.pairwise(ordered)):
        return None
    first = today.text.count("\n", 0, ordered[0].start)
    last = today.text.count("\n", 0, max(one.end for one in ordered))
    start = today.text.rfind("\n", 0, ordered[0].start) + 1
    end = today.text.find("\n", max(one.end for one in ordered))
    end = len(today.text) if end < 0 else end
    text = today.text[start:end]
    for one in reversed(ordered):
        text = text[: one.start - start] + one.text + text[one.end - start :]
    return Splice(first, last + 1, tuple(text.split("\n")))
