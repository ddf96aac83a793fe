"""What other spaces know about a component they share with this one, by explicit grant, and nothing else of theirs."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from hindcast.model.case import Case
from hindcast.model.recollection import Cue, Recollection, Remembered
from hindcast.model.verdict import NO_EXPERIENCE, Experience
from hindcast.ports import Searchable
from hindcast.recall.limits import LIMITS, RecallLimits
from hindcast.recall.remember import recall


@dataclass(frozen=True, slots=True)
class Grant:
    """Another space's memory, and the components about which it shares its cases."""

    memory: Searchable
    space: str
    components: frozenset[str]


def recall_shared(
    memory: Searchable,
    cue: Cue,
    experience: Experience = NO_EXPERIENCE,
    *,
    grants: Sequence[Grant],
    limits: RecallLimits = LIMITS,
    space: str = "",
) -> Recollection:
    """What the own memory has to say, joined by what others share about the components that the cue mentions."""
    found = [recall(memory, cue, experience, limits=limits, space=space)]
    for grant in grants:
        components = mentioned(cue, grant.components)
        if components:
            found.append(_foreign(grant, components, cue, experience, limits))
    return merge(found, limits=limits)


def merge(recollections: Sequence[Recollection], *, limits: RecallLimits = LIMITS) -> Recollection:
    """Several memories' answers to one cue as one. The first is the asker's own: at equal confidence it goes first.

    Scores of different memories cannot be compared; confidences can. A case is known by its space and its address, so
    two spaces may use the same ids.
    """
    own, *others = recollections
    if not others:
        return own
    everything = [one for recollection in recollections for one in recollection.remembered]
    free = sorted((one for one in everything if not one.gates), key=_surest)
    held = sorted((one for one in everything if one.gates), key=_surest)
    remembered = (*free[: limits.hits_max], *held[: limits.hits_max])
    best = free[0] if free else None
    source = next((found for found in recollections if best is not None and best is found.best), own)
    return replace(
        own,
        familiarity=source.familiarity,
        remembered=remembered,
        reliability=source.reliability,
        arms=tuple(dict.fromkeys(arm for found in recollections for arm in found.arms)),
        notes=tuple(dict.fromkeys(note for found in recollections for note in found.notes)),
    )


def mentioned(cue: Cue, components: frozenset[str]) -> frozenset[str]:
    """Those of the components that a cue is about: found as clues, or named in its text."""
    known = {name.lower() for name in cue.clues.components}
    return frozenset(
        name
        for name in components
        if name.lower() in known
        or re.search(rf"(?<![\w-]){re.escape(name.lower())}(?![\w-])", cue.text.lower()) is not None
    )


def about(case: Case, components: frozenset[str]) -> bool:
    """Whether a case is about one of these components."""
    wanted = {name.lower() for name in components}
    return any(name.lower() in wanted for name in (*case.components, *case.clues.components))


def _foreign(
    grant: Grant, components: frozenset[str], cue: Cue, experience: Experience, limits: RecallLimits
) -> Recollection:
    # Ids are unique within a space only: neither the asking incident nor a verdict here is about a case there.
    asking = replace(cue, incident="")
    known = Experience(reliability=experience.reliability, retired=experience.retired)
    found = recall(
        grant.memory, asking, known, limits=limits, space=grant.space, allowed=lambda case: about(case, components)
    )
    shared = ", ".join(sorted(components))
    return replace(
        found,
        cue=cue,
        remembered=tuple(
            replace(one, reasons=(*one.reasons, f"shared by {grant.space}, about {shared}")) for one in found.remembered
        ),
    )


def _surest(one: Remembered) -> float:
    return -one.confidence
