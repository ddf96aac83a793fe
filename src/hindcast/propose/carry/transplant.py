"""A past diff carried over to today's files: found, woven in, judged; all of it or nothing."""

from __future__ import annotations

import re
from dataclasses import dataclass

from hindcast.model.code import Edit, LineSpan, SourceFile
from hindcast.model.errors import Malformed
from hindcast.ports import Code
from hindcast.propose.carry.choose import named_function
from hindcast.propose.carry.judge import bound_names, generated, still_reads, unknown_names
from hindcast.propose.carry.laid import Today
from hindcast.propose.carry.lex import lex
from hindcast.propose.carry.names import ALIKE_MIN, alike
from hindcast.propose.carry.outcome import (
    NO_HINTS,
    AlreadyFixed,
    Carried,
    CarriedFile,
    Hints,
    NotCarried,
    Outcome,
    Tier,
)
from hindcast.propose.carry.patch import FilePatch, read_patch
from hindcast.propose.carry.settle import Settled, Unsettled, settle
from hindcast.propose.carry.splice import woven
from hindcast.propose.carry.sureness import sureness
from hindcast.propose.carry.syntax import functions
from hindcast.propose.carry.whereabouts import Whereabouts

# A file longer than this is not looked into: whoever wrote the diff did not mean a dump.
FILE_CHARS_MAX = 2_000_000
# What goes along with a fix and is no part of it.
COMPANION = re.compile(
    r"(?:^|/)(?:tests?|__tests__|spec|docs?)/|(?:^|/)test_[^/]*$|_test\.(?:py|go)$|\.(?:test|spec)\.[jt]sx?$"
    r"|(?:^|/)(?:changelog|changes|news|readme)[^/]*$|\.(?:md|rst)$",
    re.IGNORECASE,
)
# A file that was found by its words only has to be this much the same.
_SEARCHED_SUPPORT_MIN = 0.75


@dataclass(frozen=True, slots=True)
class _Fit:
    """A diff's part for one file, settled in one of today's."""

    file: SourceFile
    how: str
    hunks: tuple[Settled, ...]

    @property
    def is_done(self) -> bool:
        return not any(hunk.splices for hunk in self.hunks)

    @property
    def support(self) -> float:
        return sum(hunk.support for hunk in self.hunks) / len(self.hunks)


def transplant(diff: str, code: Code, hints: Hints = NO_HINTS) -> Outcome:
    """Carry a diff over to today's code, or say why not. It never raises for what a diff or a file holds."""
    return transplant_in(diff, Whereabouts(code, hints), hints)


def transplant_in(diff: str, where: Whereabouts, hints: Hints) -> Outcome:
    """The same, for code that several diffs are tried on: what was read for one is not read again for the next."""
    try:
        patches = read_patch(diff)
    except Malformed as error:
        return NotCarried(f"The diff cannot be read: {error}")
    main = [patch for patch in patches if not COMPANION.search(patch.path)] or list(patches)
    found: list[CarriedFile] = []
    there: list[AlreadyFixed] = []
    notes: list[str] = []
    for patch in patches:
        outcome = _carry(patch, where, hints)
        if isinstance(outcome, CarriedFile):
            found.append(outcome)
        elif isinstance(outcome, AlreadyFixed):
            there.append(outcome)
        elif patch in main:
            return outcome
        else:
            notes.append(f"Left out {patch.path}: {outcome.reason}")
    if not found:
        return there[0] if there else NotCarried("Nothing of it has a place in today's code.")
    if len({one.edit.path for one in found}) < len(found):
        return NotCarried("Two of its files are one file today.", found[0].edit.path, found[0].lines)
    if there and all(COMPANION.search(one.edit.path) for one in found):
        return there[0]
    notes += [f"{one.path} has its part already." for one in there]
    return Carried(tuple(found), min(one.confidence for one in found), tuple(notes))


def _carry(patch: FilePatch, where: Whereabouts, hints: Hints) -> CarriedFile | AlreadyFixed | NotCarried:
    if patch.creates:
        return _created(patch, where)
    if patch.removes:
        return _removed(patch, where)
    nearest = Unsettled("none of today's files has the code that it changed")
    nearest_path = ""
    for how, files in where.rounds(patch):
        fits: list[_Fit] = []
        for file in files:
            if len(file.text) > FILE_CHARS_MAX:
                continue
            fit = _fit(patch, file, how, hints)
            if isinstance(fit, _Fit):
                fits.append(fit)
            elif fit.score >= nearest.score and not nearest_path:
                nearest, nearest_path = fit, file.path
        chosen = _chosen(fits, hints)
        if isinstance(chosen, NotCarried):
            return chosen
        if chosen is not None:
            return _judged(patch, chosen, where)
    line = LineSpan(nearest.line + 1, nearest.line + 1) if nearest.line >= 0 else None
    return NotCarried(f"{patch.path or 'The fix'}: {nearest.reason}.", nearest_path, line)


def _fit(patch: FilePatch, file: SourceFile, how: str, hints: Hints) -> _Fit | Unsettled:
    today = Today(file.path, file.text, file.tongue)
    hunks: list[Settled] = []
    for hunk in patch.hunks:
        settled = settle(hunk, today, hints)
        if isinstance(settled, Unsettled):
            return settled
        hunks.append(settled)
    fit = _Fit(file, how, tuple(hunks))
    if how == "search" and not _is_certain(patch, fit):
        return Unsettled("only distant likenesses of the code that it changed are there", 0.3)
    return fit


def _is_certain(patch: FilePatch, fit: _Fit) -> bool:
    """Whether a file that only its words led to has the same code: its function by name, or nothing renamed at will."""
    if fit.support < _SEARCHED_SUPPORT_MIN:
        return False
    named = {name for hunk in patch.hunks if (name := named_function(hunk))}
    if named & {one.name for one in functions(fit.file.text, fit.file.tongue)}:
        return True
    return all(alike(old, new) >= ALIKE_MIN for hunk in fit.hunks for old, new in hunk.renamed)


def _chosen(fits: list[_Fit], hints: Hints) -> _Fit | NotCarried | None:
    """The one file that is meant; several are none unless the trace goes through one of them."""
    if not fits:
        return None
    best = max(fit.support for fit in fits)
    close = [fit for fit in fits if fit.support >= best - 0.08]
    if len(close) == 1:
        return close[0]
    traced = [place.path for place in hints.places]
    named = sorted((traced.index(fit.file.path), index) for index, fit in enumerate(close) if fit.file.path in traced)
    if named:
        return close[named[0][1]]
    done = [fit for fit in close if fit.is_done]
    if done and len(done) == len(close):
        return done[0]
    paths = " and ".join(fit.file.path for fit in close[:3])
    return NotCarried(f"Several files fit equally well: {paths}.", close[0].file.path)


def _judged(patch: FilePatch, fit: _Fit, where: Whereabouts) -> CarriedFile | AlreadyFixed | NotCarried:
    file = fit.file
    span = _span(fit)
    if fit.is_done:
        return AlreadyFixed(file.path, span, _told_done(patch, fit))
    if generated(file.path, file.text):
        return NotCarried(f"{file.path} is written by a program; change what it is made from.", file.path, span)
    text = woven(file.text.split("\n"), [splice for hunk in fit.hunks for splice in hunk.splices])
    if text is None:
        return NotCarried("Two of its changes fall on the same lines today.", file.path, span)
    text = _ended(patch, fit, text)
    if text == file.text:
        return AlreadyFixed(file.path, span, "The change makes no difference to today's code.")
    if not still_reads(file.text, text, file.tongue):
        return NotCarried("With the change the file could not be parsed.", file.path, span)
    missing = _missing(file, fit, where)
    if missing:
        return NotCarried(f"It uses `{missing[0]}`, which {file.path} does not have there.", file.path, span)
    tier = max((hunk.tier for hunk in fit.hunks), key=list(Tier).index)
    mapped = tuple(dict.fromkeys(pair for hunk in fit.hunks for pair in hunk.renamed))
    confidence = sureness(tier, fit.support, mapped, how=fit.how, is_named=bool(patch.path))
    why = _why(patch, fit, tier, mapped)
    return CarriedFile(Edit(file.path, file.digest, text), span, tier, confidence, why, mapped)


def _missing(file: SourceFile, fit: _Fit, where: Whereabouts) -> list[str]:
    """Names that the change uses and today's code does not have where it goes."""
    beside = where.beside(file.path, ".go") if file.path.endswith(".go") else ()
    splices = [splice for hunk in fit.hunks for splice in hunk.splices]
    # What any part brings in, every part may use.
    brought = bound_names([line for splice in splices for line in splice.lines], file.tongue)
    return [
        name
        for splice in splices
        for name in unknown_names(splice.lines, splice.first, file.text, file.tongue, beside)
        if name not in brought
    ]


def _span(fit: _Fit) -> LineSpan:
    changed = [hunk for hunk in fit.hunks if hunk.splices] or list(fit.hunks)
    return LineSpan(min(hunk.first for hunk in changed) + 1, max(max(hunk.after for hunk in changed), 1))


def _ended(patch: FilePatch, fit: _Fit, text: str) -> str:
    """With or without a newline at the end, where that is what the diff changed."""
    last = patch.hunks[-1]
    if last.old_is_open == last.new_is_open or not fit.hunks[-1].splices:
        return text
    reaches = fit.hunks[-1].after >= len(fit.file.text.rstrip("\n").split("\n"))
    if not reaches:
        return text
    return text.removesuffix("\n") if last.new_is_open else text if text.endswith("\n") else text + "\n"


def _why(patch: FilePatch, fit: _Fit, tier: Tier, mapped: tuple[tuple[str, str], ...]) -> tuple[str, ...]:
    told = {
        Tier.EXACT: "The code is as it was before the fix",
        Tier.DRIFTED: "The code that was fixed is there, with other lines around it",
        Tier.SYNTAX: "The code that was fixed is there under other names or in another form",
    }[tier]
    found = [f"{told} ({fit.support:.0%} of its tokens)." if tier is not Tier.EXACT else f"{told}."]
    if patch.path and patch.path != fit.file.path:
        found.append(f"It was in {patch.path} then.")
    found += [f"`{old}` is called `{new}` today." for old, new in mapped]
    found += [note for hunk in fit.hunks for note in hunk.notes]
    if any(hunk.is_partial or not hunk.splices for hunk in fit.hunks):
        found.append("A part of the fix is there already; this is the rest.")
    return tuple(found)


def _told_done(patch: FilePatch, fit: _Fit) -> str:
    renamed = [pair for hunk in fit.hunks for pair in hunk.renamed]
    where = f" It was in {patch.path} then." if patch.path and patch.path != fit.file.path else ""
    names = "".join(f" `{old}` is called `{new}` today." for old, new in dict.fromkeys(renamed))
    notes = "".join(f" {note}" for hunk in fit.hunks for note in hunk.notes)
    return f"What the fix did is there today.{where}{names}{notes}"


def _created(patch: FilePatch, where: Whereabouts) -> CarriedFile | AlreadyFixed | NotCarried:
    text = "\n".join(line for hunk in patch.hunks for line in hunk.new)
    if not (patch.hunks and patch.hunks[-1].new_is_open):
        text += "\n"
    there = where.read(patch.path)
    if there is None:
        if patch.path in where.paths:
            return NotCarried(f"{patch.path} is there and cannot be read.", patch.path)
        why = ("The fix brought this file in, and it is not there.",)
        return CarriedFile(Edit(patch.path, "", text), LineSpan(1, 1), Tier.EXACT, 0.9, why)
    keys = [token.key for token in lex(there.text, there.tongue)]
    if keys == [token.key for token in lex(text, there.tongue)]:
        return AlreadyFixed(patch.path, LineSpan(1, len(there.lines)), "The file that the fix brought in is there.")
    return NotCarried(f"{patch.path} is there with other content.", patch.path)


def _removed(patch: FilePatch, where: Whereabouts) -> CarriedFile | AlreadyFixed | NotCarried:
    there = where.read(patch.path)
    if there is None:
        return AlreadyFixed(patch.path, LineSpan(1, 1), "The file that the fix took away is gone.")
    old = [line for hunk in patch.hunks for line in hunk.old]
    if [line.rstrip() for line in old] != [line.rstrip() for line in there.text.removesuffix("\n").split("\n")]:
        return NotCarried(f"{patch.path} is not what it was when the fix took it away.", patch.path)
    why = ("The fix took this file away, and it is as it was.",)
    return CarriedFile(Edit(patch.path, there.digest, None), LineSpan(1, len(old) or 1), Tier.EXACT, 0.9, why)
