"""What became of one change of a hunk: it is there, it can still be made, or today's code is about something else."""

from __future__ import annotations

import itertools
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum

from hindcast.propose.carry.laid import Group, Laid, changed
from hindcast.propose.carry.layout import indent_of
from hindcast.propose.carry.lex import Sort, Token, lex
from hindcast.propose.carry.vocabulary import CONSTANTS, GOVERNS, RELEASES, TURNS

# How many tokens today may have in the midst of an addition that is still the same one.
_SLACK_SHARE = 0.34
# And between the lines of one.
_BETWEEN_MAX = 40
# How much of a line next to a change has to be the same where no function's name says that it is the place.
_NEIGHBOUR_MIN = 0.6


class State(StrEnum):
    """How a change stands."""

    DONE = "done"
    OPEN = "open"
    OTHER = "other"


@dataclass(frozen=True, slots=True)
class Change:
    """A group, taken apart by tokens: what was new in it and what went away."""

    group: Group
    # Tokens of the new side, and of the old side.
    fresh: tuple[int, ...]
    gone: tuple[int, ...]


def change_of(group: Group, old: Laid, new: Laid) -> Change:
    """What a group did, token by token."""
    removed = old.of_lines(group.old_at, group.old_at + len(group.removed))
    added = new.of_lines(group.new_at, group.new_at + len(group.added))
    fresh: list[int] = []
    gone: list[int] = []
    codes = changed([old.tokens[one] for one in removed], [new.tokens[one] for one in added])
    for what, old_from, old_to, new_from, new_to in codes:
        if what != "equal":
            gone += removed[old_from:old_to]
            fresh += added[new_from:new_to]
    return Change(
        group,
        tuple(one for one in fresh if new.tokens[one].sort is not Sort.COMMENT),
        tuple(one for one in gone if old.tokens[one].sort is not Sort.COMMENT),
    )


def state_of(change: Change, old: Laid, new: Laid) -> State:
    """Whether a change is there, can be made, or neither."""
    if _is_done(change, old, new):
        return State.DONE
    if change.group.removed and old.missing(change.gone):
        return State.OTHER
    return State.OPEN


def has_argument(change: Change, new: Laid) -> str:
    """The argument that a change adds, where today's call has one of that name with another value; empty otherwise."""
    if change.gone or len(change.fresh) < 3:
        return ""
    tokens = [new.tokens[one] for one in change.fresh]
    names = [
        token.key
        for token, after in itertools.pairwise(tokens)
        if token.sort is Sort.NAME and after.key in ("=", ":") and token.is_member
    ]
    if len(names) != 1 or tokens[0].key not in (",", names[0]):
        return ""
    name = next(one for one in change.fresh if new.tokens[one].key == names[0])
    before, image = new.image(change.fresh[0] - 1) if change.fresh[0] else -1, new.image(name)
    if image < 0 or before < 0 or new.image(name + 1) != image + 1 or new.today.tokens[image].key != names[0]:
        return ""
    return names[0] if 0 < image - before <= _BETWEEN_MAX else ""


def is_released(change: Change, old: Laid, new: Laid) -> str:
    """What a change releases by hand, where today's code leaves that to `with` or `defer`; empty otherwise."""
    file = old.today.tokens
    for one in change.fresh:
        token = new.tokens[one]
        if token.key not in RELEASES or not token.is_called or one < 2 or new.tokens[one - 1].key != ".":
            continue
        # `conn.close()` lets go of conn, `pool.release(conn)` too.
        owners = [new.tokens[one - 2].key]
        owners += [each.key for each in new.tokens[one + 2 : one + 3] if each.sort is Sort.NAME]
        for owner in owners:
            if _lets_go(owner, file[max(old.spot.first - 60, 0) : old.spot.last + 200], old, new):
                return owner
    return ""


def _lets_go(owner: str, file: Sequence[Token], old: Laid, new: Laid) -> bool:
    """Whether a block or a deferred call of today's code lets go of an object."""
    makers = _makers(owner, new)
    names = {owner, old.naming.of(owner, is_member=False)}
    for at, token in enumerate(file):
        if token.key == "with" and makers & {one.key for one in file[at + 1 : at + 40] if one.line <= token.line + 3}:
            return True
        near = {one.key for one in file[at + 1 : at + 6]} if token.key == "defer" else set()
        if near & names and near & RELEASES:
            return True
    return False


def _makers(owner: str, laid: Laid) -> set[str]:
    """The functions that the snippet calls to get an object."""
    found: set[str] = set()
    for index, token in enumerate(laid.tokens):
        after = laid.tokens[index + 1].key if index + 1 < len(laid.tokens) else ""
        if token.key == owner and after in ("=", ":="):
            line = [each for each in laid.tokens[index + 2 :] if each.line == token.line]
            found |= {each.key for each in line if each.is_called}
    return found


def meaning_changed(change: Change, old: Laid, lines: Sequence[str]) -> str:
    """Why the code around a change no longer says what it said; empty where it does."""
    group = change.group
    used = {token.key for token in _tokens_of(group, old) if token.sort is Sort.NAME and not token.is_member}
    near = _adjacent(group, lines)
    openers = _openers(group, lines)
    for line in range(len(lines)):
        if group.old_at <= line < group.old_at + len(group.removed):
            continue
        indexes = old.of_lines(line, line + 1)
        defines = _defined(old, indexes) & used
        opens = line in openers
        governs = opens or (line < group.old_at and bool(indexes) and old.tokens[indexes[0]].key in GOVERNS)
        if not indexes or not (line in near or defines or governs):
            continue
        other = [old.tokens[one].key for one in indexes if old.tokens[one].is_called and old.image(one) < 0]
        if defines and other:
            return f"`{min(defines)}` no longer comes from `{other[0]}`"
        if opens and any(old.tokens[one].sort is Sort.STRING and old.place(one) < 0 for one in indexes):
            return f"`{lines[line].strip()}` is another block today"
        if defines and any(_is_other(one, old) for one in indexes):
            return f"`{min(defines)}` no longer comes from the same call"
        if old.support(indexes) < 0.4:
            if defines and not _is_known(defines, old):
                return f"`{lines[line].strip()}` is not there today"
        elif _turned(old, indexes):
            return f"`{lines[line].strip()}` is another condition today"
    return ""


def neighbours_changed(change: Change, old: Laid, lines: Sequence[str]) -> str:
    """Which line next to a change is another one today; empty where both are the same, or the change tells enough."""
    for line in sorted(_adjacent(change.group, lines)):
        indexes = old.of_lines(line, line + 1)
        calls = [one for one in indexes if old.tokens[one].is_called and old.image(one) < 0]
        if calls or old.support(indexes) < _NEIGHBOUR_MIN:
            return f"`{lines[line].strip()}` next to it is another line today"
    return ""


def _is_other(index: int, laid: Laid) -> bool:
    """Whether a text or a name of the snippet is something else today."""
    token = laid.tokens[index]
    if token.sort is Sort.STRING:
        return laid.place(index) < 0
    return token.sort is Sort.NAME and index in laid.naming.strays


def _tokens_of(group: Group, laid: Laid) -> list[Token]:
    return [*lex("\n".join((*group.removed, *group.added)), laid.today.tongue)]


def _adjacent(group: Group, lines: Sequence[str]) -> set[int]:
    before = next((line for line in range(group.old_at - 1, -1, -1) if lines[line].strip()), None)
    after = next((line for line in range(group.old_at + len(group.removed), len(lines)) if lines[line].strip()), None)
    return {line for line in (before, after) if line is not None}


def _openers(group: Group, lines: Sequence[str]) -> set[int]:
    """The lines before a change that open the blocks it is in: each is less deep than what follows it."""
    first = next((line for line in (*group.removed, *group.added) if line.strip()), "")
    depth = len(indent_of(first))
    found = set()
    for line in range(group.old_at - 1, -1, -1):
        if lines[line].strip() and len(indent_of(lines[line])) < depth:
            depth = len(indent_of(lines[line]))
            found.add(line)
    return found


def _defined(laid: Laid, indexes: Sequence[int]) -> set[str]:
    found = set()
    for one in indexes:
        token = laid.tokens[one]
        after = laid.tokens[one + 1] if one + 1 < len(laid.tokens) else None
        before = laid.tokens[one - 1] if one else None
        if token.sort is not Sort.NAME or token.is_member:
            continue
        if (after is not None and after.line == token.line and after.key in ("=", ":=")) or (
            before is not None and before.key == "as"
        ):
            found.add(token.key)
    return found


def _is_known(names: Iterable[str], laid: Laid) -> bool:
    file = laid.today.tokens
    window = {token.key for token in file[max(laid.spot.first - 150, 0) : laid.spot.last + 150]}
    return all(laid.naming.of(name, is_member=False) in window for name in names)


def _turned(laid: Laid, indexes: Sequence[int]) -> bool:
    """Whether a line has lost or gained what makes a condition another one."""
    turns = TURNS | CONSTANTS if laid.tokens[indexes[0]].key in GOVERNS else TURNS
    images = sorted(image for one in indexes if (image := laid.image(one)) >= 0)
    own = set(images)
    lines = {laid.today.tokens[one].line for one in images}
    lost = [laid.tokens[one] for one in indexes if laid.image(one) < 0]
    extra = [laid.today.tokens[one] for one in range(images[0], images[-1] + 1) if one not in own]
    changed_tokens = [*lost, *(token for token in extra if token.line in lines)]
    return any(token.key in turns and token.sort in (Sort.MARK, Sort.KEYWORD) for token in changed_tokens)


def _is_done(change: Change, old: Laid, new: Laid) -> bool:
    if not change.fresh:
        # Something was only taken away: it is done where that is gone and what stood around it is there.
        return bool(change.gone) and old.support(change.gone) < 0.35 and new.support() >= 0.8
    if new.missing(change.fresh) or not _same_words(change, old, new):
        return False
    if change.gone and old.support(change.gone) > 0.999 and not _shared(change, old, new):
        return False
    return all(_is_compact(run, new) for run in _runs(change.fresh))


def _same_words(change: Change, old: Laid, new: Laid) -> bool:
    """Whether what came has its own words: another name for it must be known from elsewhere, or be a local one."""
    fresh = set(change.fresh)
    counts = Counter(new.tokens[one].key for one in range(len(new.tokens)))
    for one in change.fresh:
        token, image = new.tokens[one], new.image(one)
        if image < 0 or token.sort is not Sort.NAME or new.today.tokens[image].key == token.key:
            continue
        if any(index not in fresh and other.key == token.key for index, other in enumerate(new.tokens)):
            continue
        if old.naming.today.get((token.key, token.is_member)) == new.today.tokens[image].key:
            continue
        if token.is_member or token.is_called or counts[token.key] < 2:
            return False
    return True


def _shared(change: Change, old: Laid, new: Laid) -> bool:
    """Whether what went away is found only in what came: `release` in `release_all`'s new place."""
    came = {new.image(one) for one in range(len(new.tokens))}
    return all(old.image(one) in came for one in change.gone)


def _runs(indexes: Sequence[int]) -> list[list[int]]:
    found: list[list[int]] = []
    for one in indexes:
        if found and one == found[-1][-1] + 1:
            found[-1].append(one)
        else:
            found.append([one])
    return found


def _is_compact(run: Sequence[int], laid: Laid) -> bool:
    """Whether an addition is in one place, and next to what it was next to if it tells little."""
    images = [laid.image(one) for one in run if laid.image(one) >= 0]
    if not images:
        return False
    for line in _lines(run, laid):
        own = [laid.image(one) for one in line if laid.image(one) >= 0]
        if own and own[-1] - own[0] + 1 > len(own) * (1 + _SLACK_SHARE) + 2:
            return False
    # Between its lines today may have more: a line or three.
    if images[-1] - images[0] + 1 > len(run) + _BETWEEN_MAX:
        return False
    if len(run) >= 6:
        return True
    before = laid.image(run[0] - 1) if run[0] else -1
    after = laid.image(run[-1] + 1) if run[-1] + 1 < len(laid.tokens) else -1
    return (before >= 0 and images[0] - before <= 2) or (after >= 0 and after - images[-1] <= 2)


def _lines(run: Sequence[int], laid: Laid) -> list[list[int]]:
    """A run of tokens, line by line."""
    found: dict[int, list[int]] = {}
    for one in run:
        found.setdefault(laid.tokens[one].line, []).append(one)
    return list(found.values())
