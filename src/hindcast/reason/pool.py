"""Which of the cases that came to mind are about the same failure, and how much each of them may say.

What recall held back (superseded, retired, said to be wrong) has no fix to offer. Its harm still counts: a warning that
was not needed costs a minute, one that was missing costs the night.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass
from enum import StrEnum

from hindcast.model.case import Case, CaseState
from hindcast.model.recollection import Familiarity, Recollection, Remembered

# More likely than not the same failure.
SAME_CONFIDENCE_MIN = 0.5
# While nothing is sure, one chance in four is enough for a warning: not needed it costs a minute, missing it the night.
NEAR_CONFIDENCE_MIN = 0.25
NEAR_MAX = 3
# The case that answers is the likeliest to be the same failure, so its word comes before that of another single case
# that is vouched for as well; better evidence, or several others that agree, come before it.
ANSWERING_COUNTS = 1.25
# Another case that is nearly as likely as the best has as much to say, on whichever side of a gate it falls.
AS_LIKELY_MIN = 0.9
# Several spaces answered, and nobody said which of them asked. No space can be called so.
UNKNOWN = "?"


class Standing(StrEnum):
    """What a case may still say."""

    CURRENT = "current"
    # More likely than not the same failure, and not sure to be: it warns, and its fix is for comparison only.
    LIKELY = "likely"
    # A newer case tells it better: this one may confirm that one's fix, and offers none of its own.
    SUPERSEDED = "superseded"
    # It warns, and nothing else.
    HELD_BACK = "held back"
    # It may be related: what did harm in it is worth a word, and takes no fix away.
    NEAR = "near"


@dataclass(frozen=True, slots=True)
class Member:
    """One case about the failure that is asked about."""

    remembered: Remembered
    standing: Standing
    # What to cite: address and version, with the space in front when it is not the asker's own.
    ref: str
    is_foreign: bool = False
    # Whether the failure surely happened then, as far as recall can be sure of anything.
    is_occurrence: bool = False

    @property
    def case(self) -> Case:
        """The case itself."""
        return self.remembered.case


def ref_of(remembered: Remembered, own: str | None) -> str:
    """What to cite a case as."""
    is_named = is_foreign(remembered, own) or (own == UNKNOWN and remembered.space)
    space = f"{remembered.space}:" if is_named else ""
    return f"{space}{remembered.address}@{remembered.version}"


def is_foreign(remembered: Remembered, own: str | None) -> bool:
    """Whether a case is another space's. While nobody says whose memory was asked, none is."""
    return bool(remembered.space) and own not in (None, UNKNOWN) and remembered.space != own


def own_space(recollection: Recollection, space: str | None) -> str | None:
    """Whose memory was asked. Without a word about it, hits of several spaces are all cited with theirs."""
    if space is not None:
        return space
    spaces = {one.space for one in recollection.remembered}
    return None if len(spaces) <= 1 else "" if "" in spaces else UNKNOWN


def pool(recollection: Recollection, own: str | None) -> tuple[Member, ...]:
    """The cases about the same failure, oldest first: the order of hits changes nothing that follows from them."""
    best = recollection.best if recollection.familiarity is not Familiarity.NEW else None
    family = _family(best, recollection.remembered) if best is not None else frozenset()
    found = [
        _member(one, best, family, own)
        for one in recollection.remembered
        # Recall leaves out what was no incident; should one answer all the same, the answer is about it.
        if (one is best or one.case.state is not CaseState.DISMISSED)
        and (one is best or _place(one) in family or one.confidence >= SAME_CONFIDENCE_MIN)
        # On first sight nothing answers; what was held back may still warn.
        and (best is not None or one.gates)
    ]
    found += _near(recollection, {id(member.remembered) for member in found}, own)
    return tuple(sorted(found, key=lambda one: (one.case.occurred_at, one.ref, one.remembered.space)))


def _near(recollection: Recollection, told: AbstractSet[int], own: str | None) -> list[Member]:
    is_seen = recollection.familiarity is Familiarity.SEEN
    # Those that some text says came before or after what is told: they may warn, and are no occurrence of it.
    linked = [one for one in recollection.remembered if id(one) in told and recollection.best is not None]
    near = [
        one
        for one in recollection.remembered
        if id(one) not in told
        and (
            (one.familiarity is not Familiarity.NEW if is_seen else one.confidence >= NEAR_CONFIDENCE_MIN)
            or _is_linked(one, linked)
        )
        and one.case.state is not CaseState.DISMISSED
    ]
    near.sort(key=lambda one: (-one.confidence, one.address, one.space))
    return [Member(one, Standing.NEAR, ref_of(one, own), is_foreign(one, own)) for one in near[:NEAR_MAX]]


def _member(one: Remembered, best: Remembered | None, family: AbstractSet[tuple[str, str]], own: str | None) -> Member:
    is_sure = one is best or _place(one) in family or one.familiarity is Familiarity.SEEN
    is_as_likely = best is not None and one.confidence >= AS_LIKELY_MIN * best.confidence
    standing = _standing(one, has_a_say=is_sure or is_as_likely)
    is_occurrence = is_sure and standing in (Standing.CURRENT, Standing.SUPERSEDED)
    return Member(one, standing, ref_of(one, own), is_foreign(one, own), is_occurrence)


def _standing(one: Remembered, *, has_a_say: bool) -> Standing:
    if not one.gates and not one.superseded_by:
        return Standing.CURRENT if has_a_say else Standing.LIKELY
    # A second gate is a second reason, and none of the others leaves it a say.
    return Standing.SUPERSEDED if one.superseded_by and len(one.gates) <= 1 else Standing.HELD_BACK


def _place(one: Remembered) -> tuple[str, str]:
    return one.space, one.case.id


def _family(best: Remembered, remembered: Sequence[Remembered]) -> frozenset[tuple[str, str]]:
    """The best case and all that is tied to it: what replaces it or is replaced, the same stack, and theirs in turn."""
    found = {_place(best)}
    # What recall found to have failed otherwise is no part of it, whatever it shares with one that did not.
    own = [one for one in remembered if one.space == best.space and (one is best or not one.features.get("unlike"))]
    inside, outside = [one for one in own if _place(one) in found], [one for one in own if _place(one) not in found]
    while inside and outside:
        # Only what came in last can tie anything more to it.
        found.update(_place(one) for one in outside if any(_tied(one, kin) for kin in inside))
        inside = [one for one in outside if _place(one) in found]
        outside = [one for one in outside if _place(one) not in found]
    return frozenset(found)


def _tied(one: Remembered, other: Remembered) -> bool:
    """Whether two cases are one failure. A link says only which came before, unless both are like what is asked."""
    names = ({one.case.id, one.address}, {other.case.id, other.address})
    is_like = Familiarity.NEW not in (one.familiarity, other.familiarity)
    for a, b, theirs in ((one, other, names[1]), (other, one, names[0])):
        if (is_like and a.case.previous in theirs) or a.superseded_by in theirs or theirs & set(a.case.supersedes):
            return b.case.id != a.case.id
    return _same_stack(one.case, other.case)


def _is_linked(one: Remembered, told: Sequence[Remembered]) -> bool:
    return not one.features.get("unlike") and any(
        one.space == other.space and (one.case.previous == other.case.id or other.case.previous == one.case.id)
        for other in told
    )


def _same_stack(one: Case, other: Case) -> bool:
    """Whether both failed at the same place. The fingerprint of a mere message says less, and ties nothing."""
    has_frames = bool(set(one.clues.frames) & set(other.clues.frames))
    return has_frames and bool(set(one.clues.fingerprints) & set(other.clues.fingerprints))
