"""Learning confidence: one number for how much memory can be relied on, from three shares that anybody can count.

Coverage (is there anything to remember about what happens to us?) times completeness (does it say why, what ended it
and what came of what was tried?) times accuracy (does it come to mind when it should?). Accuracy is measured on the
team's own incidents that happened again: each is held back, memory is asked as it would have been before it, and the
earlier case has to come first. Where there is too little to count, there is no number, and what is missing is said.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from hindcast.memory import View
from hindcast.model.case import Case, CaseState, Outcome
from hindcast.model.query import Looked, Query, Sight
from hindcast.model.recollection import Recollection
from hindcast.model.record import Record
from hindcast.model.verdict import Reliability
from hindcast.ports import Early
from hindcast.recall.reliability import tabulate

RECENT = timedelta(days=90)
# Fewer than these say more about chance than about memory.
RECENT_MIN = 5
RESOLVED_MIN = 5
HELD_BACK_MIN = 5
# Each costs a question; the newest say most about memory as it is.
HELD_BACK_MAX = 200

# What memory would have said to an incident before it happened.
Recall = Callable[[Case], Recollection]


@dataclass(frozen=True, slots=True)
class Counted:
    """A share as it was counted."""

    part: int
    whole: int

    @property
    def share(self) -> float:
        """The share, 0 where there is nothing."""
        return self.part / self.whole if self.whole else 0.0


@dataclass(frozen=True, slots=True)
class Learning:
    """How much memory can be relied on, and how that was counted."""

    # Incidents of the last 90 days whose failure has a resolved case, their own or another.
    coverage: Counted
    # Resolved cases that say why, what ended it, and what came of everything that was tried.
    completeness: Counted
    # Incidents that happened again, for which an earlier case of the same failure came first.
    accuracy: Counted
    # How often answers of each level of confidence were right, on the same incidents.
    reliability: tuple[Reliability, ...] = ()
    # Why there is no number, in sentences.
    missing: tuple[str, ...] = ()
    # Resolved cases that do not say everything, the newest first.
    incomplete: tuple[str, ...] = ()

    @property
    def confidence(self) -> float | None:
        """The one number, or None where there is too little to count."""
        if self.missing:
            return None
        return self.coverage.share * self.completeness.share * self.accuracy.share


def learning_of(cases: Sequence[Case], recall: Recall, *, now: datetime, recent: timedelta = RECENT) -> Learning:
    """Count all three shares. `recall` is asked once for each incident that is held back."""
    counted = [case for case in cases if case.state is not CaseState.DISMISSED]
    failures = _failures(counted)
    resolved = [case for case in counted if case.state is CaseState.RESOLVED]
    known = {failures[case.id] for case in resolved if teaches(case)}
    fresh = [case for case in counted if now - recent <= case.occurred_at <= now]
    unfinished = [case for case in resolved if not is_complete(case)]
    held = held_back(counted)[:HELD_BACK_MAX]
    answers = [_answer(recall(case), earlier) for case, earlier in held]
    coverage = Counted(sum(failures[case.id] in known for case in fresh), len(fresh))
    completeness = Counted(len(resolved) - len(unfinished), len(resolved))
    accuracy = Counted(sum(right for _, right in answers), len(answers))
    unfinished.sort(key=lambda case: case.occurred_at, reverse=True)
    return Learning(
        coverage,
        completeness,
        accuracy,
        tuple(level for level in tabulate([one for one in answers if one[0] > 0]) if level.asked),
        _missing(coverage, completeness, accuracy, recent),
        tuple(case.id for case in unfinished),
    )


def teaches(case: Case) -> bool:
    """Whether a resolved case says anything that helps the next time."""
    return case.state is CaseState.RESOLVED and (case.cause is not None or case.resolution is not None)


def is_complete(case: Case) -> bool:
    """Whether a case says why, what ended it, and what came of everything that was tried."""
    has_outcomes = all(one.outcome is not Outcome.UNKNOWN for one in case.attempts)
    return case.cause is not None and case.resolution is not None and has_outcomes


def held_back(cases: Iterable[Case]) -> list[tuple[Case, frozenset[str]]]:
    """Resolved incidents that had happened before, each with the earlier resolved cases of it, the newest first."""
    counted = [case for case in cases if case.state is CaseState.RESOLVED]
    failures = _failures(counted)
    alike: dict[str, list[Case]] = {}
    for case in sorted(counted, key=lambda case: (case.occurred_at, case.id)):
        alike.setdefault(failures[case.id], []).append(case)
    found = [
        (case, frozenset(earlier.id for earlier in same[:place] if teaches(earlier)))
        for same in alike.values()
        for place, case in enumerate(same)
    ]
    again = [(case, earlier) for case, earlier in found if earlier]
    return sorted(again, key=lambda one: one[0].occurred_at, reverse=True)


class Earlier:
    """Memory without anything that happened from a time on: what an incident could have been answered with."""

    def __init__(self, view: View, until: datetime) -> None:
        self._view = view
        self._until = until

    def look(self, query: Query, *, early: Early | None = None) -> Looked:
        """What answers best and is earlier."""
        limit = query.filter.occurred_until
        until = min(limit, self._until) if limit is not None else self._until
        return self._view.look(replace(query, filter=replace(query.filter, occurred_until=until)), early=early)

    def read(self, sights: Sequence[Sight]) -> dict[int, Record]:
        """The records of what such a look came upon."""
        return self._view.read(sights)


def _answer(found: Recollection, earlier: frozenset[str]) -> tuple[float, bool]:
    """How sure memory was of what came first, and whether that was right. Nothing at all is wrong, and sure of it."""
    best = found.best
    return (best.confidence, best.case.id in earlier) if best is not None else (0.0, False)


def _missing(coverage: Counted, completeness: Counted, accuracy: Counted, recent: timedelta) -> tuple[str, ...]:
    wanted = (
        (coverage.whole, RECENT_MIN, f"incidents in the last {recent.days} days"),
        (completeness.whole, RESOLVED_MIN, "resolved cases"),
        (accuracy.whole, HELD_BACK_MIN, "incidents that happened again and were resolved both times"),
    )
    return tuple(
        f"There are {have} {what}; {least} is the least to count." for have, least, what in wanted if have < least
    )


def _failures(cases: Sequence[Case]) -> Mapping[str, str]:
    """Which failure each case is of, by the id of one of its cases: one replaces another, or both failed on one stack.

    That one came after another of the same service makes them no one failure. One line of a log ("statement timeout")
    is common to failures that have nothing else in common, so a fingerprint counts only where it comes with a stack.
    """
    home = {case.id: case.id for case in cases}

    def find(one: str) -> str:
        while home[one] != one:
            home[one] = home[home[one]]
            one = home[one]
        return one

    by_fingerprint: dict[int, str] = {}
    for case in cases:
        for replaced in case.supersedes:
            if replaced in home:
                home[find(case.id)] = find(replaced)
        for number in case.clues.fingerprints if case.clues.frames else ():
            home[find(case.id)] = find(by_fingerprint.setdefault(number, case.id))
    return {case.id: find(case.id) for case in cases}
