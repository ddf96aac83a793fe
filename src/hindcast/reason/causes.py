"""Why it happened, as far as the cases say so, and whether they agree."""

from __future__ import annotations

import re
from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from functools import lru_cache

from hindcast.model.case import Case, Cause
from hindcast.model.diagnosis import Claim
from hindcast.model.recollection import Remembered
from hindcast.reason.pool import ANSWERING_COUNTS, Member, Standing
from hindcast.reason.tries import UNSTATED_WEIGHT, WITNESS_WEIGHTS
from hindcast.reason.wording import full_stop, listed, one_line, plain_name, recorded, sentences

CAUSE_CHARS_MAX = 600
DISPUTED_CHARS_MAX = 240
DISPUTES_MAX = 3
# Whoever recommends what did harm elsewhere has most likely misread the cause as well.
DISCREDITED_COUNTS = 0.2
# "Unknown, some leak" is a cause only where nobody knows better.
GUESS_COUNTS = 0.2
# Two people never word a cause alike, and these two speak of what is most likely one failure. Only where they have next
# to nothing in common do they mean two different things: `make bench NAME=recall` counts how often that is right.
# Not to contradict one another is all that follows; it makes neither the evidence of the other.
SHARED_WORDS_MIN = 0.1
# From this share of all their words on, two sentences state the same cause.
STATED_ALIKE_MIN = 0.5
# So many cases that state the same cause are heard before the one that answers.
OUTVOTING_MIN = 2

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
    """The cause of the answering case; that of another where it has none, only guesses, or several others agree.

    Its evidence is the one record that says it.
    """
    known = [
        (member, member.case.cause)
        for member in members
        if member.standing is Standing.CURRENT and member.case.cause is not None and member.case.cause.text.strip()
    ]
    if not known:
        return Causes(None, ())
    known.sort(key=lambda one: (one[0].remembered is not answering, -_weight(*one), one[0].ref))
    sides = _sides(known, discredited)
    sides.sort(key=lambda side: -sum(_weight(*one) * _counts(one[0], answering, discredited) for one in side))
    side = next(
        side for side in sides if len(side) >= OUTVOTING_MIN or _may_tell(side[0], sides, answering, discredited)
    )
    first, cause = side[0]
    told = Claim(_told(cause.text, CAUSE_CHARS_MAX), (first.ref,))
    # Two causes may well name what both failures ran on, whatever they are.
    names = _words(" ".join(name for member, _ in known for name in _ran_on(member.case)))
    # Not to know is no other opinion.
    others = [
        other
        for other in sides
        if other is not side
        and (is_guess(cause.text) or not is_guess(other[0][1].text))
        and not _is_another_wording((first, cause), other[0], discredited, names)
    ]
    return Causes(told, tuple(_dispute(other, first) for other in others[:DISPUTES_MAX]))


def _may_tell(
    one: tuple[Member, Cause], sides: Sequence[Sequence[tuple[Member, Cause]]], answering: Remembered,
    discredited: AbstractSet[str],
) -> bool:  # fmt: skip
    """Whether a single case may tell its cause: the answering one may, and another where that one cannot."""
    own = next((each for side in sides for each in side if each[0].remembered is answering), None)
    if own is None or is_guess(own[1].text) or own[0].ref in discredited:
        return True
    return one[0] is own[0]


def _is_another_wording(
    one: tuple[Member, Cause], other: tuple[Member, Cause], discredited: AbstractSet[str], names: AbstractSet[str]
) -> bool:
    """Whether two causes may be one in other words: then neither contradicts the other."""
    (member, cause), (them, theirs) = one, other
    if is_guess(cause.text) != is_guess(theirs.text) or (member.ref in discredited) != (them.ref in discredited):
        return False
    return agree(cause.text, theirs.text, names)


def _sides(known: Sequence[tuple[Member, Cause]], discredited: AbstractSet[str]) -> list[list[tuple[Member, Cause]]]:
    """Those who state the same cause together, in the order in which somebody first does."""
    sides: list[list[tuple[Member, Cause]]] = []
    for member, cause in known:
        for side in sides:
            (first, told), *_ = side
            # Whoever only guesses vouches for nobody, and whose fix did harm elsewhere has misread the cause.
            is_alike = is_guess(told.text) == is_guess(cause.text)
            is_alike = is_alike and (first.ref in discredited) == (member.ref in discredited)
            if is_alike and states_the_same(told.text, cause.text):
                side.append((member, cause))
                break
        else:
            sides.append([(member, cause)])
    return sides


def _ran_on(case: Case) -> tuple[str, ...]:
    return (*case.components, *case.clues.components, *case.services)


def _counts(member: Member, answering: Remembered, discredited: AbstractSet[str]) -> float:
    if member.ref in discredited:
        return DISCREDITED_COUNTS
    return ANSWERING_COUNTS if member.remembered is answering else 1.0


def _dispute(side: Sequence[tuple[Member, Cause]], against: Member) -> Claim:
    refs = [member.ref for member, _ in side]
    verb = "gives" if len(refs) == 1 else "give"
    cause = recorded(_told(side[0][1].text, DISPUTED_CHARS_MAX), DISPUTED_CHARS_MAX)
    text = f"{listed([plain_name(ref) for ref in refs], most=3)} {verb} another cause: {cause}."
    return Claim(text, (*refs, against.ref))


def agree(a: str, b: str, names: AbstractSet[str] = frozenset()) -> bool:
    """Whether two texts most likely tell the same cause of one failure; what both ran on is no agreement by itself."""
    ours, theirs = _words(a), _words(b)
    if not ours or not theirs:
        return " ".join(a.split()).casefold() == " ".join(b.split()).casefold()
    if ours - names and theirs - names:
        ours, theirs = ours - names, theirs - names
    return len(ours & theirs) >= max(SHARED_WORDS_MIN * min(len(ours), len(theirs)), 1)


def states_the_same(a: str, b: str) -> bool:
    """Whether two texts are the same statement, but for the forms of its words."""
    ours, theirs = _words(a), _words(b)
    if not ours or not theirs:
        return " ".join(a.split()).casefold() == " ".join(b.split()).casefold()
    return len(ours & theirs) >= STATED_ALIKE_MIN * len(ours | theirs)


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
