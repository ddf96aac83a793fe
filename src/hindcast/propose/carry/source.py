"""Carry-over as a source of cards: every fix that memory recalls with a diff, tried on today's code."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from hindcast.model.card import CardSeverity, CardSource, Proposal, Warned
from hindcast.model.case import Outcome as Came
from hindcast.model.code import LineSpan
from hindcast.model.recollection import Familiarity, Remembered
from hindcast.propose.carry.outcome import AlreadyFixed, Carried, CarriedFile, Hints, NotCarried, Tier
from hindcast.propose.carry.transplant import COMPANION, transplant_in
from hindcast.propose.carry.whereabouts import Whereabouts
from hindcast.propose.sheet import Sheet, worked_of

# How many remembered fixes are tried. More than this would be more cards than anybody is shown.
FIXES_MAX = 8
# How much of a proposal's confidence is that memory recalled the right case.
_MEMORY_SHARE = 0.3

# Where one deed of a fix ends and the next begins, and the numbers in it.
_CLAUSES = re.compile(r",? and (?=[a-z])|; ")
_NUMBERS = re.compile(r"(?<![\w.])\d+(?:\.\d+)?")
_CHANGED = re.compile(r"[+-](?!\+\+ |-- )")


@dataclass(frozen=True, slots=True)
class _Fix:
    """A diff that helped once: what was done, and where that is remembered."""

    diff: str
    action: str
    evidence: tuple[str, ...]
    # How likely it is that the case it comes from is the same failure, and how it fared.
    confidence: float
    record: str


def carry_over(sheet: Sheet) -> Iterable[Proposal | Warned]:
    """The past fixes of this failure as changes of today's code, and what is there already."""
    hints = Hints(sheet.places)
    where = Whereabouts(sheet.code, hints)
    # Several cases may remember one fix in several diffs or in several words; that it is there is said once.
    there: set[tuple[str, LineSpan | str]] = set()
    for fix in _fixes(sheet):
        outcome = transplant_in(fix.diff, where, hints)
        if isinstance(outcome, Carried):
            yield from _proposals(fix, outcome, sheet)
        elif isinstance(outcome, AlreadyFixed):
            did = _in_diff(fix.action, fix.diff).rstrip(".")
            at, named = (outcome.path, outcome.lines), (outcome.path, did.casefold())
            if at in there or named in there:
                continue
            there.update((at, named))
            text = f"The fix “{did}” is in this code already. {outcome.why}"
            yield Warned(outcome.path, outcome.lines, text, fix.evidence, is_there=True)
        else:
            yield from _told(fix, outcome)


def _fixes(sheet: Sheet) -> Iterator[_Fix]:
    """What to try: the answer's own fixes first, then what ended the other cases that came to mind."""
    seen: set[str] = set()
    for fix in _remembered(sheet):
        text = "\n".join(line.rstrip() for line in fix.diff.strip().splitlines())
        if text and text not in seen:
            seen.add(text)
            yield fix
            if len(seen) >= FIXES_MAX:
                return


def _remembered(sheet: Sheet) -> Iterator[_Fix]:
    for advice in sheet.diagnosis.fixes:
        if advice.diff.strip():
            record = worked_of(advice.worked, advice.tried)
            yield _Fix(advice.diff, advice.action, advice.evidence, sheet.diagnosis.confidence, record)
    harmful = {advice.diff.strip() for advice in sheet.diagnosis.avoid if advice.diff.strip()}
    for one in sheet.recollection.remembered:
        if one.gates or one.familiarity is Familiarity.NEW:
            continue
        yield from (fix for fix in _of_case(one) if fix.diff.strip() not in harmful)


def _of_case(one: Remembered) -> Iterator[_Fix]:
    evidence = (f"{one.address}@{one.version}",)
    worse = {attempt.diff.strip() for attempt in one.case.attempts if attempt.outcome is Came.MADE_WORSE}
    ending = one.case.resolution
    if ending is not None and ending.diff.strip() and ending.diff.strip() not in worse:
        yield _Fix(ending.diff, ending.text, evidence, one.confidence, "It ended it then")
    for attempt in one.case.attempts:
        if attempt.outcome is Came.WORKED and attempt.diff.strip():
            yield _Fix(attempt.diff, attempt.action, evidence, one.confidence, "It worked then")


def _proposals(fix: _Fix, carried: Carried, sheet: Sheet) -> Iterator[Proposal]:
    tests = tuple(one.edit.path for one in carried.files if COMPANION.search(one.edit.path) and "test" in one.edit.path)
    together = [one.edit.path for one in carried.files]
    for one in carried.files:
        severity, reason = _severity(one, sheet)
        others = [path for path in together if path != one.edit.path]
        why = [f"{fix.record}.", *one.why, *carried.notes]
        if others:
            why.append(f"It belongs together with the change of {', '.join(others)}.")
        yield Proposal(
            source=CardSource.CARRIED_OVER,
            title=_title(_in_diff(fix.action, fix.diff), one.edit.path, is_one_of_many=len(together) > 1),
            edit=one.edit,
            lines=one.lines,
            why=" ".join(why),
            evidence=fix.evidence,
            confidence=round(one.confidence * (1 - _MEMORY_SHARE + _MEMORY_SHARE * fix.confidence), 3),
            severity=severity,
            severity_reason=reason,
            action=fix.action,
            risk=_risk(one),
            tests=tests,
        )


def _told(fix: _Fix, outcome: NotCarried) -> Iterator[Warned]:
    """A fix that has no place is worth a word where it nearly had one."""
    if outcome.path:
        text = f"The fix “{_in_diff(fix.action, fix.diff).rstrip('.')}” could not be carried over. {outcome.reason}"
        yield Warned(outcome.path, outcome.lines or LineSpan(1, 1), text, fix.evidence)


def _in_diff(action: str, diff: str) -> str:
    """What a fix did, without the parts that its diff cannot have done: those that name a number it does not have.

    “Release the connection, and cap the pool at 20” was a line of code and a setting; a card promises what it does.
    """
    clauses = _CLAUSES.split(action)
    # Numbers of lines are none of what was changed.
    changed = "\n".join(line[1:] for line in diff.splitlines() if _CHANGED.match(line))
    done = [one for one in clauses if set(_NUMBERS.findall(one)) <= set(_NUMBERS.findall(changed))]
    return action if not done or len(done) == len(clauses) else " and ".join(one.strip(" ,;") for one in done)


def _title(action: str, path: str, *, is_one_of_many: bool) -> str:
    """The deed as a sentence."""
    first = " ".join(action.split()) or "Carry over the past fix"
    sentence = first[:1].upper() + first[1:].rstrip(".")
    return f"{sentence} (in {path})." if is_one_of_many else f"{sentence}."


def _severity(one: CarriedFile, sheet: Sheet) -> tuple[CardSeverity, str]:
    for place in sheet.places:
        if place.path != one.edit.path:
            continue
        if place.body is not None and place.body.first <= one.lines.last and one.lines.first <= place.body.last:
            return CardSeverity.CRITICAL, f"The trace goes through `{place.function}`, which it changes."
        return CardSeverity.WARNING, "The trace goes through this file."
    return CardSeverity.WARNING, "It ended the same failure before."


def _risk(one: CarriedFile) -> str:
    if one.tier is Tier.EXACT:
        return ""
    if one.mapped:
        return "Identifiers were renamed since; please check."
    return "The lines around it have changed since; look whether it still belongs there."
