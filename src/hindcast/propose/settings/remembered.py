"""What memory says about settings: those that ended a failure, and those that made it worse."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hindcast.model.case import Outcome
from hindcast.model.recollection import Familiarity, Remembered
from hindcast.propose.settings.wish import Phrase, Wish, phrase, told, wishes
from hindcast.propose.sheet import Sheet, worked_of

# How many remembered fixes are tried. More than this would be more cards than anybody is shown.
FIXES_MAX = 8


@dataclass(frozen=True, slots=True)
class Deed:
    """Something that was set once: what, in whose words, where that is remembered, and how it fared."""

    action: str
    evidence: tuple[str, ...]
    confidence: float
    record: str
    wishes: tuple[Wish, ...]
    # The number that was changed, where no key is named.
    phrase: Phrase | None = None


def helped(sheet: Sheet) -> tuple[Deed, ...]:
    """Settings that ended this failure: those of the answer first, then those of other cases that came to mind."""
    found: list[Deed] = []
    seen: set[object] = set()
    for deed in _helped(sheet):
        key = (deed.wishes, deed.phrase)
        if (deed.wishes or deed.phrase) and key not in seen:
            seen.add(key)
            found.append(deed)
    return tuple(found[:FIXES_MAX])


def harmed(sheet: Sheet) -> tuple[Deed, ...]:
    """Settings that made it worse."""
    found = []
    for advice in sheet.diagnosis.avoid:
        if advice.made_worse:
            times = "once" if advice.made_worse == 1 else f"{advice.made_worse} times"
            record = f"It made it worse {times}"
            found.append(deed(advice.action, advice.config, advice.evidence, sheet.diagnosis.confidence, record))
    for one in sheet.recollection.remembered:
        if one.gates or one.familiarity is Familiarity.NEW:
            continue
        for attempt in one.case.attempts:
            if attempt.outcome is Outcome.MADE_WORSE:
                where = (f"{one.address}@{one.version}",)
                found.append(deed(attempt.action, attempt.config, where, one.confidence, "It made it worse then"))
    return tuple(one for one in found if one.wishes or one.phrase)


def deed(action: str, config: str, evidence: tuple[str, ...], confidence: float, record: str) -> Deed:
    """What an action and the configuration noted with it have set."""
    wanted = wishes(config) or told(action)
    return Deed(action, evidence, confidence, record, wanted, None if wanted else phrase(action))


def _helped(sheet: Sheet) -> Iterator[Deed]:
    for advice in sheet.diagnosis.fixes:
        # A fix with a diff of code is carried over; its words may name numbers that the diff has already.
        if advice.config.strip() or not advice.diff.strip():
            record = worked_of(advice.worked, advice.tried)
            yield deed(advice.action, advice.config, advice.evidence, sheet.diagnosis.confidence, record)
    for one in sheet.recollection.remembered:
        if not one.gates and one.familiarity is not Familiarity.NEW:
            yield from _of_case(one)


def _of_case(one: Remembered) -> Iterator[Deed]:
    evidence = (f"{one.address}@{one.version}",)
    ending = one.case.resolution
    if ending is not None and (ending.config.strip() or not ending.diff.strip()):
        yield deed(ending.text, ending.config, evidence, one.confidence, "It ended it then")
    for attempt in one.case.attempts:
        if attempt.outcome is Outcome.WORKED and (attempt.config.strip() or not attempt.diff.strip()):
            yield deed(attempt.action, attempt.config, evidence, one.confidence, "It worked then")
