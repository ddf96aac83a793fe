"""How good recall is on labelled questions: hits, places, false alarms, and what its confidence is worth."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hindcast.model.verdict import Reliability
from hindcast.recall.reliability import LEVELS, tabulate


@dataclass(frozen=True, slots=True)
class Judged:
    """One question, what recall answered, and what would have been right."""

    query_id: str
    # Ids of cases, the best first, without what was gated.
    ranked: tuple[str, ...]
    # In the first of them.
    confidence: float
    # Whether it was called "seen before".
    seen: bool
    # Empty: nothing in memory is the same failure.
    relevant: frozenset[str]


@dataclass(frozen=True, slots=True)
class Measures:
    """Shares of all questions unless they say otherwise; a share of nothing is 0."""

    # Of the questions with a true match: one of them came first, among the first five, among the first ten.
    r1: float
    r5: float
    r10: float
    # The mean of one over the place of the first true match.
    mrr: float
    # Called "seen before" although nothing is, or with another failure in the first place.
    false_recall: float
    # Distance between stated confidence and the share that was right, over ten levels, weighted by their answers.
    ece: float
    # Called "seen before".
    answered: float
    reliability: tuple[Reliability, ...]
    # The same mistakes as a share of what was called "seen before".
    wrong_of_seen: float = 0.0
    # Of the questions without a true match: called "seen before" all the same.
    seen_of_new: float = 0.0
    # Of the questions with a true match: called "seen before" with a true match in the first place.
    found: float = 0.0
    asked: int = 0
    matched: int = 0


def measure(judged: Sequence[Judged]) -> Measures:
    """All measures of a set of judged questions."""
    matched = [one for one in judged if one.relevant]
    new = [one for one in judged if not one.relevant]
    seen = [one for one in judged if one.seen]
    wrong = [one for one in seen if not _first_is_right(one)]
    answers = [(one.confidence, _first_is_right(one)) for one in judged if one.ranked]
    return Measures(
        r1=_share(sum(_within(one, 1) for one in matched), len(matched)),
        r5=_share(sum(_within(one, 5) for one in matched), len(matched)),
        r10=_share(sum(_within(one, 10) for one in matched), len(matched)),
        mrr=_share(sum(_reciprocal(one) for one in matched), len(matched)),
        false_recall=_share(len(wrong), len(judged)),
        ece=calibration_error(answers),
        answered=_share(len(seen), len(judged)),
        reliability=tabulate(answers),
        wrong_of_seen=_share(len(wrong), len(seen)),
        seen_of_new=_share(sum(one.seen for one in new), len(new)),
        found=_share(sum(one.seen and _first_is_right(one) for one in matched), len(matched)),
        asked=len(judged),
        matched=len(matched),
    )


def calibration_error(answers: Sequence[tuple[float, bool]]) -> float:
    """The expected calibration error over ten levels: how far confidence is from the share that was right."""
    if not answers:
        return 0.0
    total = 0.0
    for level in range(LEVELS):
        inside = [one for one in answers if min(int(one[0] * LEVELS), LEVELS - 1) == level]
        if inside:
            stated = sum(confidence for confidence, _ in inside)
            total += abs(stated - sum(correct for _, correct in inside))
    return total / len(answers)


def _first_is_right(one: Judged) -> bool:
    return bool(one.ranked) and one.ranked[0] in one.relevant


def _within(one: Judged, places: int) -> bool:
    return any(case in one.relevant for case in one.ranked[:places])


def _reciprocal(one: Judged) -> float:
    return next((1 / place for place, case in enumerate(one.ranked, 1) if case in one.relevant), 0.0)


def _share(part: float, whole: int) -> float:
    return part / whole if whole else 0.0
