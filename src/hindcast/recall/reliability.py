"""How often answers of one level of confidence were right: the team's own count where there is one, ours otherwise."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hindcast.model.verdict import Reliability

# Fewer answers than this are no measurement of a level.
ASKED_MIN = 5
LEVELS = 10


def level_of(confidence: float, table: Sequence[Reliability]) -> Reliability | None:
    """The level of a table that a confidence belongs to."""
    for level in table:
        if level.confidence_min <= confidence < level.confidence_max or confidence == level.confidence_max == 1:
            return level
    return None


def reliability_of(confidence: float, own: Sequence[Reliability], shipped: Sequence[Reliability]) -> Reliability | None:
    """The team's own count once it has enough answers at this level; otherwise what was measured before shipping.

    Each says which of them it is: a figure of our own test set was never measured in the asker's memory.
    """
    for table, is_own in ((own, True), (shipped, False)):
        level = level_of(confidence, table)
        if level is not None and level.asked >= ASKED_MIN:
            return replace(level, is_own=is_own)
    return None


def tabulate(answers: Sequence[tuple[float, bool]]) -> tuple[Reliability, ...]:
    """Ten levels of confidence, each with how many answers it had and how many of them were right."""
    asked, right = [0] * LEVELS, [0] * LEVELS
    for confidence, correct in answers:
        level = min(int(confidence * LEVELS), LEVELS - 1)
        asked[level] += 1
        right[level] += correct
    return tuple(
        Reliability(level / LEVELS, (level + 1) / LEVELS, asked[level], right[level]) for level in range(LEVELS)
    )
