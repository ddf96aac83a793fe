"""A hunk settled in one file: applied, found there already, or refused with a reason."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from hindcast.propose.carry.choose import Chooser
from hindcast.propose.carry.exact import TELLING_MIN, settle_exactly
from hindcast.propose.carry.imports import settle_imports
from hindcast.propose.carry.laid import Laid, Today, groups_of, lay, telling
from hindcast.propose.carry.layout import indent_of, restored, unit_of
from hindcast.propose.carry.names import ALIKE_MIN, alike
from hindcast.propose.carry.outcome import Hints, Tier
from hindcast.propose.carry.patch import DiffLine, Hunk
from hindcast.propose.carry.splice import Splice
from hindcast.propose.carry.state import (
    State,
    change_of,
    has_argument,
    is_released,
    meaning_changed,
    neighbours_changed,
    state_of,
)
from hindcast.propose.carry.syntax import has_grammar
from hindcast.propose.carry.weave import Loom

# Below this share of a snippet nobody would say that it is the same code; plain text has no names to go by.
SCORE_MIN = 0.45
SUPPORT_MIN = 0.6
TEXT_SUPPORT_MIN = 0.75
# Code whose names became other words altogether, or that no function's name confirms, has to be the same otherwise.
STRICT_SUPPORT_MIN = 0.8
# Two places whose scores are this close are equally good.
RIVAL_GAP = 0.08
# Where the diff names no function, a likeness that is further off may be the one that is meant.
UNNAMED_GAP = 0.2


@dataclass(frozen=True, slots=True)
class Settled:
    """What a hunk becomes in a file; no splices: all of it is there."""

    splices: tuple[Splice, ...]
    tier: Tier
    # The share of the hunk's own code that is there today.
    support: float
    # Today's lines it is about, counted from 0, the end not included.
    first: int
    after: int
    renamed: tuple[tuple[str, str], ...] = ()
    notes: tuple[str, ...] = ()
    # Whether a part was there already.
    is_partial: bool = False


@dataclass(frozen=True, slots=True)
class Unsettled:
    """Why a hunk has no place, and where it nearly had one; how near, 0 to 1."""

    reason: str
    score: float = 0.0
    line: int = -1


def settle(hunk: Hunk, today: Today, hints: Hints) -> Settled | Unsettled:
    """Find a hunk's place in a file: line by line, then by tokens and names."""
    chooser = Chooser(hunk, today, hints)
    found = settle_exactly(hunk, today, chooser)
    if found is not None:
        notes = (f"Of several places it is this one: {found.decided}.",) if found.decided else ()
        return Settled(found.splices, Tier.EXACT, 1.0, found.first, found.after, notes=notes)
    brought = settle_imports(hunk, today)
    if brought is not None:
        splices, line = brought
        return Settled(splices, Tier.DRIFTED, 0.9, line, line + 1)
    return _by_tokens(hunk, today, chooser)


def _by_tokens(hunk: Hunk, today: Today, chooser: Chooser) -> Settled | Unsettled:
    olds = lay(hunk.old, today, score_min=SCORE_MIN)
    news = lay(hunk.new, today, score_min=SCORE_MIN)
    if not olds and not news:
        return Unsettled("the code that it changed is not there")
    if telling((olds or news)[0].tokens) < TELLING_MIN:
        return Unsettled("its lines are too few to say where it goes")
    candidates = sorted(
        [*((one, False) for one in olds), *((one, True) for one in news)], key=lambda pair: -pair[0].spot.score
    )
    best = candidates[0][0].spot
    gap = RIVAL_GAP if chooser.function else UNNAMED_GAP
    rivals = [one for one, _ in candidates if one.spot.score >= best.score - gap or chooser.still_has_function]
    places = _apart(rivals)
    chosen = chooser.choose([_line_of(one) for one in places])
    if chosen is None:
        close = [one for one in places if one.spot.score >= best.score - gap]
        if len(close) > 1:
            lines = " and ".join(str(_line_of(one) + 1) for one in close[:3])
            return Unsettled(f"several places fit equally well: lines {lines}", best.score, _line_of(close[0]))
        chosen = (places.index(close[0]), "")
    place, decided = places[chosen[0]], chosen[1]
    line = _line_of(place)
    old, new = _nearest(olds, place), _nearest(news, place)
    if old is None or new is None:
        old = old or _window(hunk.old, today, place)
        new = new or _window(hunk.new, today, place)
    if old is None or new is None:
        return Unsettled("only a part of the code that it changed is there", place.spot.score, line)
    at, renamed = _change_line(old, hunk), old.naming.renamed
    refuted = chooser.refutes(at, [_line_of(one) for one, _ in candidates], renamed)
    if refuted:
        return Unsettled(refuted, place.spot.score, line)
    note = f"Of several places it is this one: {decided}." if decided else ""
    return _settled(hunk, today, old, new, note, is_confirmed=chooser.confirms(at, renamed))


def _settled(hunk: Hunk, today: Today, old: Laid, new: Laid, note: str, *, is_confirmed: bool) -> Settled | Unsettled:
    line = _line_of(old)
    splices: list[Splice] = []
    notes = [note] if note else []
    done = 0
    hunk, was_trimmed = _with_indents(hunk, old)
    loom = Loom(hunk.old, hunk.new, old)
    groups = groups_of(hunk)
    needed = SUPPORT_MIN if has_grammar(today.tongue) else TEXT_SUPPORT_MIN
    for group in groups:
        change = change_of(group, old, new)
        state = state_of(change, old, new)
        if state is State.DONE and new.support() >= needed:
            done += 1
            continue
        argument, released = has_argument(change, new), is_released(change, old, new)
        if argument or released:
            notes.append(
                f"`{argument}` is given today, with another value."
                if argument
                else f"`{released}` is released by its block."
            )
            done += 1
            continue
        torn = old.naming.torn & {new.tokens[one].key for one in change.fresh}
        if torn:
            return Unsettled(f"`{min(torn)}` is more than one thing today", old.spot.score, line)
        if state is State.OTHER:
            return Unsettled("the lines that it replaced are different today", old.spot.score, line)
        is_strict = has_grammar(today.tongue) and (_renamed_at_will(old) or not is_confirmed)
        if old.support() < (STRICT_SUPPORT_MIN if is_strict else needed):
            return Unsettled("too little of the code around it is left", old.spot.score, line)
        reason = meaning_changed(change, old, hunk.old) or (
            "" if is_confirmed else neighbours_changed(change, old, hunk.old)
        )
        if reason:
            return Unsettled(reason, old.spot.score, line)
        splice = loom.weave(group)
        if splice is None:
            return Unsettled("today's code was changed in the very place that it changed", old.spot.score, line)
        splices.append(splice)
    if not splices:
        return Settled(
            (),
            Tier.SYNTAX if new.naming.renamed else Tier.DRIFTED,
            new.support(),
            *_range(new),
            new.naming.renamed,
            tuple(notes),
        )
    tier = Tier.SYNTAX if old.naming.renamed or was_trimmed else Tier.DRIFTED
    first = min(one.first for one in splices)
    after = max(max(one.after for one in splices), first + 1)
    return Settled(
        tuple(splices), tier, old.support(), first, after, old.naming.renamed, tuple(notes), is_partial=done > 0
    )


def _with_indents(hunk: Hunk, old: Laid) -> tuple[Hunk, bool]:
    """The hunk, with its indentation brought back where somebody's mail program took it."""
    bare = all(not indent_of(line.text) for line in hunk.lines)
    file = old.today
    indents: list[str | None] = []
    at = 0
    for line in hunk.lines:
        if line.mark == "+":
            indents.append(None)
            continue
        images = old.images(at, at + 1)
        indents.append(indent_of(file.lines[file.tokens[images[0]].line]) if images else None)
        at += 1
    if (
        not bare
        or len(hunk.lines) < 2
        or not any(indents)
        or not (len({one for one in indents if one is not None}) > 1 or _opens(hunk))
    ):
        return hunk, False
    unit = unit_of(file.lines, file.tongue)
    texts = restored([(line.mark, line.text) for line in hunk.lines], indents, unit)
    lines = tuple(DiffLine(line.mark, text) for line, text in zip(hunk.lines, texts, strict=True))
    return replace(hunk, lines=lines), True


def _renamed_at_will(laid: Laid) -> bool:
    return any(alike(old, new) < ALIKE_MIN for old, new in laid.naming.renamed)


def _opens(hunk: Hunk) -> bool:
    return any(line.mark == "+" and line.text.rstrip().endswith((":", "{", "(", "[")) for line in hunk.lines)


def _apart(laid: Sequence[Laid]) -> list[Laid]:
    """Places that do not overlap, the best of each."""
    found: list[Laid] = []
    for one in laid:
        if not any(one.spot.first <= other.spot.last and other.spot.first <= one.spot.last for other in found):
            found.append(one)
    return found


def _nearest(laid: Sequence[Laid], place: Laid) -> Laid | None:
    return next((one for one in laid if one.spot.first <= place.spot.last and place.spot.first <= one.spot.last), None)


def _window(lines: Sequence[str], today: Today, place: Laid) -> Laid | None:
    """The other side of the hunk at a place, however little of it is there."""
    return _nearest(lay(lines, today, score_min=-1.0), place)


def _line_of(laid: Laid) -> int:
    return laid.today.tokens[laid.spot.first].line


def _change_line(laid: Laid, hunk: Hunk) -> int:
    """The line of today that stands next to the first change: the hunk may begin in the function before."""
    group = groups_of(hunk)[0]
    for first, after in ((group.old_at, group.old_at + len(group.removed)), (max(group.old_at - 1, 0), group.old_at)):
        images = laid.images(first, after)
        if images:
            return laid.today.tokens[images[-1]].line
    return _line_of(laid)


def _range(laid: Laid) -> tuple[int, int]:
    tokens = laid.today.tokens
    return tokens[laid.spot.first].line, tokens[max(laid.spot.last, 0)].line + 1
