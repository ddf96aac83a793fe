"""Which of the cases at hand are the same failure, what they agree on, and how well each is vouched for."""

from __future__ import annotations

import re
from functools import lru_cache

from hindcast.model.action import same_action
from hindcast.model.case import Case, Evidence, Outcome, Witness
from hindcast.recall.evidence import say_otherwise
from hindcast.recall.reading import title_of
from hindcast.recall.text import alike, word_set

# From here on two lists of frames are one stack that was cut or grew a little.
FRAMES_SHARED_MIN = 0.6
# From here on two descriptions of what was seen are one.
SEEN_ALIKE_MIN = 0.45
# From here on two sentences state the same cause.
CAUSE_ALIKE_MIN = 0.3

# How people write that they do not know.
_UNKNOWN = re.compile(
    r"\b(?:unknown|not (?:yet )?known|unclear|no idea|not found|never found|undetermined)\b|\?\s*$", re.I
)

# What was counted before and after weighs most; what was only read out of prose least.
WITNESS_WEIGHTS = {
    Witness.TELEMETRY: 3.0,
    Witness.VERDICT: 2.0,
    Witness.PERSON: 2.0,
    Witness.TEXT: 1.0,
    Witness.AGENT: 1.0,
}
# A statement for which nobody gave a reason.
UNVOUCHED_WEIGHT = 0.5


def is_replacement(one: Case, other: Case) -> bool:
    """Whether a person said that one of the two replaces the other. That one came after the other says nothing."""
    return one.id in other.supersedes or other.id in one.supersedes


def same_stack(one: Case, other: Case) -> bool:
    """Whether both failed at the same place, the same way: a fingerprint of a stack, or nearly the same frames."""
    if not one.clues.frames or not other.clues.frames or say_otherwise(one.clues.errors, other.clues.errors):
        return False
    if _share_a_fingerprint(one, other):
        return True
    mine, theirs = _set_of(one.clues.frames), _set_of(other.clues.frames)
    shared = len(mine & theirs)
    return shared >= FRAMES_SHARED_MIN * (len(mine) + len(theirs) - shared)


@lru_cache(maxsize=4_096)
def _set_of(names: tuple[str, ...]) -> frozenset[str]:
    """Every case is compared with every other, and its names are put into a set once."""
    return frozenset(names)


def _share_a_fingerprint(one: Case, other: Case) -> bool:
    return not frozenset(one.clues.fingerprints).isdisjoint(other.clues.fingerprints)


def kin(one: Case, other: Case) -> bool:
    """Whether two cases look like the same failure from outside, whatever each says of its cause."""
    if is_replacement(one, other) or same_stack(one, other):
        return True
    if _share_a_fingerprint(one, other) and not (one.clues.frames and other.clues.frames):
        return True
    return alike(_seen(one), _seen(other)) >= SEEN_ALIKE_MIN


def is_recurrence(newer: Case, older: Case) -> bool:
    """Whether the older failure came back in the newer case. A link counts only where both look alike."""
    return same_stack(newer, older) or (newer.previous == older.id and kin(newer, older))


@lru_cache(maxsize=65_536)
def same_deed(one: str, other: str) -> bool:
    """Whether two texts name the same action. Texts without a word we can read are the same only to the letter."""
    if not word_set(one) or not word_set(other):
        return one.strip().casefold() == other.strip().casefold()
    return same_action(one, other)


def same_cause(one: Case, other: Case) -> bool | None:
    """Whether two cases state the same cause; None when one of them states none, or only that it is not known."""
    if one.cause is None or other.cause is None or _is_unknown(one.cause.text) or _is_unknown(other.cause.text):
        return None
    return alike(one.cause.text, other.cause.text) >= CAUSE_ALIKE_MIN


@lru_cache(maxsize=4_096)
def _is_unknown(cause: str) -> bool:
    return _UNKNOWN.search(cause) is not None


def fixes(case: Case) -> tuple[str, ...]:
    """What a case says ended it: the resolution, and the attempts that worked."""
    found = [case.resolution.text] if case.resolution is not None else []
    found += [attempt.action for attempt in case.attempts if attempt.outcome is Outcome.WORKED]
    return tuple(dict.fromkeys(text for text in found if text))


def harms(case: Case) -> tuple[str, ...]:
    """What a case says made things worse."""
    return tuple(attempt.action for attempt in case.attempts if attempt.outcome is Outcome.MADE_WORSE)


def same_fix(one: Case, other: Case) -> bool | None:
    """Whether two cases were ended by the same action; None when one of them does not say how it ended."""
    mine, theirs = fixes(one), fixes(other)
    if not mine or not theirs:
        return None
    return any(same_deed(first, second) for first in mine for second in theirs)


def claim_weight(case: Case, action: str) -> float:
    """How well a case vouches for this action having ended it; 0 when it says no such thing."""
    weights = [
        _vouched(attempt.evidence, attempt.confidence)
        for attempt in case.attempts
        if attempt.outcome is Outcome.WORKED and same_deed(attempt.action, action)
    ]
    if case.resolution is not None and case.resolution.text and same_deed(case.resolution.text, action):
        weights.append(_vouched(case.resolution.evidence, case.resolution.confidence))
    return max(weights, default=0.0)


def harm_weight(case: Case, action: str) -> float:
    """How well a case vouches for this action having made things worse; 0 when it says no such thing."""
    return max(
        (
            _vouched(attempt.evidence, attempt.confidence)
            for attempt in case.attempts
            if attempt.outcome is Outcome.MADE_WORSE and same_deed(attempt.action, action)
        ),
        default=0.0,
    )


def _vouched(evidence: tuple[Evidence, ...], confidence: float) -> float:
    best = max((WITNESS_WEIGHTS[one.witness] for one in evidence), default=UNVOUCHED_WEIGHT)
    return best * confidence


def trust(case: Case) -> float:
    """How well a case's own lesson is vouched for: the best witness of its cause and of its fix."""
    weights: list[float] = []
    if case.cause is not None:
        weights.append(_vouched(case.cause.evidence, case.cause.confidence))
    if case.resolution is not None:
        weights.append(_vouched(case.resolution.evidence, case.resolution.confidence))
    weights += [
        _vouched(attempt.evidence, attempt.confidence) for attempt in case.attempts if attempt.outcome is Outcome.WORKED
    ]
    return max(weights, default=0.0)


def _seen(case: Case) -> str:
    return "\n".join((title_of(case), *case.symptoms))
