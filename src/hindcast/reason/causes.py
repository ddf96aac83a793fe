"""Why it happened, as far as the cases say so, and whether they agree."""

from __future__ import annotations

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache

from hindcast.model.case import Cause
from hindcast.model.diagnosis import Claim
from hindcast.model.recollection import Remembered
from hindcast.reason.pool import ANSWERING_COUNTS, Member, Standing
from hindcast.reason.tries import UNSTATED_WEIGHT, WITNESS_WEIGHTS
from hindcast.reason.wording import full_stop, listed, one_line, sentences

CAUSE_CHARS_MAX = 600
DISPUTED_CHARS_MAX = 240
DISPUTES_MAX = 3
# Whoever recommends what did harm elsewhere has most likely misread the cause as well.
DISCREDITED_COUNTS = 0.2
# "Unknown, some leak" is a cause only where nobody knows better.
GUESS_COUNTS = 0.2
# Two people never word a cause alike. Below this share of words in common they most likely mean two different things.
SHARED_WORDS_MIN = 0.2

_WORD = re.compile(r"[^\W\d_]{3,}|\d+")
# What stands in every cause, whatever it is.
_EMPTY = re.compile(
    r"the|and|was|were|are|for|that|this|with|from|after|because|caused?|root|due|not|had|has|have|been|its|they|into|"
    r"when|which|while|would|could|did|does|but|all|any|one|our|their|there|then|than|too|very|can|under|over|out|off|"
    r"only|also|each|every|more|most|some|such|where|who|why|how|being"
)
_GUESS = re.compile(
    r"\b(?:unknown|unclear|undetermined|unexplained|no idea|not (?:yet )?(?:known|found|clear|understood)|"
    r"never (?:found|understood)|tbd|n/a|probably|maybe|perhaps)\b|\?\s*$",
    re.IGNORECASE,
)
_ENDINGS = re.compile(r"(?:ings?|ions?|ed|es|s|e)$")


@dataclass(frozen=True, slots=True)
class Causes:
    """The cause that is told, and those that other cases give."""

    told: Claim | None
    disputes: tuple[Claim, ...]


def causes(members: Sequence[Member], answering: Remembered, discredited: AbstractSet[str] = frozenset()) -> Causes:
    """The cause that is best vouched for, the answering case counted twice; whoever agrees is its evidence."""
    known = [
        (member, member.case.cause)
        for member in members
        if member.standing is Standing.CURRENT and member.case.cause is not None and member.case.cause.text.strip()
    ]
    if not known:
        return Causes(None, ())
    known.sort(key=lambda one: (one[0].remembered is not answering, -_weight(*one), one[0].ref))
    sides: list[list[tuple[Member, Cause]]] = []
    for member, cause in known:
        side = next((side for side in sides if agree(side[0][1].text, cause.text)), None)
        if side is None:
            sides.append([(member, cause)])
        else:
            side.append((member, cause))
    sides.sort(key=lambda side: -sum(_weight(*one) * _counts(one[0], answering, discredited) for one in side))
    (first, cause), *agreeing = sides[0]
    told = Claim(_told(cause.text, CAUSE_CHARS_MAX), (first.ref, *(member.ref for member, _ in agreeing)))
    return Causes(told, tuple(_dispute(side, first) for side in sides[1 : 1 + DISPUTES_MAX]))


def _counts(member: Member, answering: Remembered, discredited: AbstractSet[str]) -> float:
    if member.ref in discredited:
        return DISCREDITED_COUNTS
    return ANSWERING_COUNTS if member.remembered is answering else 1.0


def _dispute(side: Sequence[tuple[Member, Cause]], against: Member) -> Claim:
    refs = [member.ref for member, _ in side]
    verb = "gives" if len(refs) == 1 else "give"
    text = f"{listed(refs, most=3)} {verb} another cause: {_told(side[0][1].text, DISPUTED_CHARS_MAX)}"
    return Claim(text, (*refs, against.ref))


def agree(a: str, b: str) -> bool:
    """Whether two texts most likely tell the same cause."""
    ours, theirs = _words(a), _words(b)
    if not ours or not theirs:
        return " ".join(a.split()).casefold() == " ".join(b.split()).casefold()
    shorter = min(len(ours), len(theirs))
    # One word in common says little, unless one of them says no more.
    return len(ours & theirs) >= max(SHARED_WORDS_MIN * shorter, min(shorter, 2))


@lru_cache(maxsize=4_096)
def is_guess(text: str) -> bool:
    """Whether a text says of itself that nobody was sure of it."""
    return _GUESS.search(text) is not None


def _told(text: str, chars_max: int) -> str:
    """As many whole sentences as fit."""
    kept = ""
    for one in sentences(text[: 4 * chars_max]):
        if kept and len(kept) + len(one) >= chars_max:
            break
        kept = f"{kept} {one}".strip()
    return full_stop(one_line(kept, chars_max))


def _weight(member: Member, cause: Cause) -> float:
    vouched = max((WITNESS_WEIGHTS[one.witness] for one in cause.evidence), default=UNSTATED_WEIGHT)
    vouched *= GUESS_COUNTS if is_guess(cause.text) else 1.0
    return vouched * cause.confidence * member.remembered.confidence


@lru_cache(maxsize=4_096)
def _words(text: str) -> frozenset[str]:
    return frozenset(_ENDINGS.sub("", word) for word in _WORD.findall(text.casefold()) if not _EMPTY.fullmatch(word))
