"""Outcomes from telemetry: errors counted before and after a moment, compared with their own noise in mind.

Errors come in bursts, so their counts scatter more than chance alone would have it. The comparison takes the scatter
it sees, looks whether errors were falling anyway, skips the time a change needs to settle, and says "unknown" with the
reason wherever the numbers do not carry an answer.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from statistics import fmean, median

from hindcast.model.case import Evidence, Outcome, Witness
from hindcast.model.errors import Malformed


@dataclass(frozen=True, slots=True)
class OutcomeLimits:
    """How much has to be seen before an outcome is told."""

    # Fewer buckets on either side of the moment tell nothing.
    buckets_min: int = 3
    # With fewer errors before, there was nothing that could have got better.
    errors_before_min: int = 10
    # What a change needs to take hold: buckets that begin within it are skipped.
    settle_seconds: int = 60
    # Errors have to fall to this share of what they were to say that it worked, and rise to that multiple for worse.
    worked_share_max: float = 0.3
    worse_share_min: float = 1.5
    # How many standard deviations the difference has to have.
    deviations_min: float = 3.0
    # Between these the rate counts as unchanged.
    unchanged_share_min: float = 0.7


USUAL = OutcomeLimits()


@dataclass(frozen=True, slots=True)
class Measured:
    """What telemetry says came of an attempt, how sure it is, and the numbers as a sentence."""

    outcome: Outcome
    confidence: float
    evidence: Evidence
    before_per_second: float
    after_per_second: float


def outcome_of(
    before: Sequence[int],
    after: Sequence[int],
    *,
    bucket_seconds: int,
    action: str = "",
    at: datetime | None = None,
    ref: str = "",
    limits: OutcomeLimits = USUAL,
) -> Measured:
    """What the numbers of errors say came of an attempt.

    `before` ends and `after` begins at the moment of the attempt; each holds one count for each bucket. Raises
    Malformed for counts that are none.
    """
    _check(before, after, bucket_seconds)
    settle = math.ceil(limits.settle_seconds / bucket_seconds)
    settled = after[settle:]
    rate_before = fmean(before) / bucket_seconds if before else 0.0
    rate_after = fmean(settled) / bucket_seconds if settled else 0.0
    outcome, confidence, said = _judged(before, settled, limits)
    named = action or "the change"
    quote = said.format(
        before=_rate(rate_before),
        after=_rate(rate_after),
        action=named,
        minutes=_minutes(len(after) * bucket_seconds),
        within=_minutes(_fallen_after(before, after) * bucket_seconds),
    )
    evidence = Evidence(Witness.TELEMETRY, quote, ref, at)
    return Measured(outcome, confidence, evidence, rate_before, rate_after)


def _check(before: Sequence[int], after: Sequence[int], bucket_seconds: int) -> None:
    if bucket_seconds <= 0:
        raise Malformed("A bucket has to last.", field="bucket_seconds", remedy="Give seconds, 1 or more.")
    for name, counts in (("before", before), ("after", after)):
        if any(count < 0 for count in counts):
            raise Malformed("A count below nothing.", field=name, remedy="Give the number of errors in each bucket.")


def _judged(before: Sequence[int], after: Sequence[int], limits: OutcomeLimits) -> tuple[Outcome, float, str]:
    """The outcome, how sure it is, and the sentence to tell it with."""
    if len(before) < limits.buckets_min or len(after) < limits.buckets_min:
        return Outcome.UNKNOWN, 0.0, "too little was measured around {action} to say what came of it"
    total_before, total_after = sum(before), sum(after)
    if total_before < limits.errors_before_min and total_after < limits.errors_before_min:
        return Outcome.UNKNOWN, 0.0, "there were hardly any errors before {action}, so nothing could have got better"
    expected, deviation = _expected(before, after)
    mean_before, mean_after = fmean(before), fmean(after)
    share = mean_after / max(mean_before, 1 / len(before))
    apart = (total_after - expected) / deviation
    if share >= limits.worse_share_min and apart >= limits.deviations_min:
        return _risen(before, after, limits, apart)
    if share <= limits.worked_share_max and mean_before > 0 and apart <= -limits.deviations_min:
        return _fallen(before, after, limits, apart)
    if mean_before > 0 and limits.unchanged_share_min <= share < limits.worse_share_min:
        sure = 0.8 if len(after) >= 2 * limits.buckets_min else 0.65
        return (
            Outcome.NO_EFFECT,
            sure,
            "errors went on: {before} a second before {action}, {after} in the {minutes} after",
        )
    return (
        Outcome.UNKNOWN,
        0.3,
        "errors went from {before} to {after} a second after {action}: too little, or too unsteady, to say why",
    )


def _fallen(
    before: Sequence[int], after: Sequence[int], limits: OutcomeLimits, apart: float
) -> tuple[Outcome, float, str]:
    """Errors fell far enough. Were they falling anyway, the fall is nobody's merit."""
    if _was_falling(before, after):
        return (
            Outcome.UNKNOWN,
            0.3,
            "errors fell from {before} to {after} a second, but they were falling before {action}",
        )
    if fmean(after[-limits.buckets_min :]) > 0.5 * fmean(before):
        return (
            Outcome.NO_EFFECT,
            0.7,
            "errors fell after {action} and came back: {before} a second before it, {after} on average after",
        )
    return Outcome.WORKED, _sure(apart), "errors fell from {before} to {after} a second within {within} after {action}"


def _risen(
    before: Sequence[int], after: Sequence[int], limits: OutcomeLimits, apart: float
) -> tuple[Outcome, float, str]:
    if _was_rising(before, after):
        return (
            Outcome.UNKNOWN,
            0.3,
            "errors rose from {before} to {after} a second, but they were rising before {action}",
        )
    if fmean(after[-limits.buckets_min :]) <= limits.worked_share_max * fmean(before):
        return (
            Outcome.UNKNOWN,
            0.4,
            "errors spiked after {action} and then fell below what they were: {before} a second before it",
        )
    return Outcome.MADE_WORSE, _sure(apart), "errors rose from {before} to {after} a second after {action}"


def _expected(before: Sequence[int], after: Sequence[int]) -> tuple[float, float]:
    """How many errors would have come after, had nothing changed, and how far off that may be by chance.

    Chance alone would give the variance of a Poisson count. What was seen before scatters more as a rule; its scatter
    stretches the variance of both sides (a quasi-Poisson comparison), and so does the scatter of what came after.
    """
    mean = max(fmean(before), 0.5 / len(before))
    expected = mean * len(after)
    # Few buckets know their own scatter badly; the correction is that of Student's t, roughly.
    known = (len(before) + 2) / max(len(before) - 1, 1)
    stretched = max(1.0, _scatter(before), _scatter(after)) * known
    variance = stretched * (expected + expected * len(after) / len(before))
    return expected, math.sqrt(max(variance, 1.0))


def _scatter(counts: Sequence[int]) -> float:
    """The variance over the mean, of the differences from one bucket to the next: a trend is no scatter."""
    mean = fmean(counts)
    if len(counts) < 3 or mean <= 0:
        return 1.0
    steps = [(second - first) ** 2 for first, second in pairwise(counts)]
    return fmean(steps) / 2 / mean


def _slope(counts: Sequence[int]) -> tuple[float, float]:
    """The line through the counts: its value at the end, and how much it changes in one bucket."""
    middle = (len(counts) - 1) / 2
    mean = fmean(counts)
    spread = sum((place - middle) ** 2 for place in range(len(counts)))
    slope = sum((place - middle) * (count - mean) for place, count in enumerate(counts)) / spread
    return mean + slope * middle, slope


def _was_falling(before: Sequence[int], after: Sequence[int]) -> bool:
    """Whether the trend before the attempt alone explains most of the fall."""
    last, slope = _slope(before)
    if slope >= 0:
        return False
    going_on = max(last + slope * (len(after) + 1) / 2, 0.0)
    mean = fmean(before)
    steady = abs(slope) * math.sqrt(len(before)) > 2 * math.sqrt(max(_scatter(before), 1.0) * mean / len(before))
    return steady and (mean - going_on) >= 0.5 * (mean - fmean(after))


def _was_rising(before: Sequence[int], after: Sequence[int]) -> bool:
    """Whether the trend before the attempt alone explains most of the rise."""
    last, slope = _slope(before)
    if slope <= 0:
        return False
    going_on = last + slope * (len(after) + 1) / 2
    mean = fmean(before)
    steady = slope * math.sqrt(len(before)) > 2 * math.sqrt(max(_scatter(before), 1.0) * mean / len(before))
    return steady and (going_on - mean) >= 0.5 * (fmean(after) - mean)


def _fallen_after(before: Sequence[int], after: Sequence[int]) -> int:
    """In which bucket after the attempt errors were down to a third, and stayed there; the last, if never."""
    if not before or not after:
        return len(after)
    low = median(before) / 3
    for place in range(len(after)):
        if all(count <= low for count in after[place:]):
            return place + 1
    return len(after)


def _sure(apart: float) -> float:
    """More deviations, more sure; telemetry alone never proves why something changed."""
    return round(min(0.95, 0.7 + 0.03 * (abs(apart) - 3)), 2)


def _rate(per_second: float) -> str:
    return f"{per_second:.1f}" if per_second >= 0.05 or per_second == 0 else f"{per_second:.3f}"


def _minutes(seconds: int) -> str:
    if seconds < 120:
        return f"{seconds} seconds"
    return f"{round(seconds / 60)} minutes"
