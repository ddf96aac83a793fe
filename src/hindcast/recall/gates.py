"""Gates: what holds a memory back however well it matches. A gate never changes the confidence in the match."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hindcast.model.case import Case
from hindcast.model.recollection import Cue, Remembered
from hindcast.model.verdict import Experience, Judgement, Matter, Verdict
from hindcast.recall.kinship import claim_weight, fixes, harm_weight, harms, kin, same_deed
from hindcast.recall.text import alike

# From here on two questions are the same one, asked again.
ASKED_ALIKE_MIN = 0.8
# What one person's "right" is worth, in log odds; a second opinion counts again, a third no more.
RIGHT_ODDS = 1.0
RIGHTS_COUNTED_MAX = 2


def retire(remembered: Sequence[Remembered], experience: Experience) -> tuple[Remembered, ...]:
    """Hold back what is about services or components that no longer exist."""
    retired = frozenset(name.lower() for name in experience.retired)
    if not retired:
        return tuple(remembered)
    return tuple(
        replace(one, gates=(*one.gates, *(f"{name} no longer exists" for name in gone)))
        if (gone := _gone(one.case, retired))
        else one
        for one in remembered
    )


def _gone(case: Case, retired: frozenset[str]) -> tuple[str, ...]:
    """The retired names that a case is about: all of its services, or a component of its own."""
    services = [name for name in case.services if name.lower() in retired]
    components = [name for name in case.components if name.lower() in retired]
    if services and len(services) == len(case.services):
        return tuple(dict.fromkeys((*services, *components)))
    return tuple(dict.fromkeys(components))


def judge(remembered: Sequence[Remembered], cue: Cue, experience: Experience) -> tuple[Remembered, ...]:
    """Apply what people said when the same was asked before: wrong holds back, right raises."""
    verdicts = [one for one in experience.verdicts if one.matter is Matter.MEMORY and _same_question(cue, one)]
    if not verdicts:
        return tuple(remembered)
    return tuple(_judged(one, [verdict for verdict in verdicts if verdict.case == one.case.id]) for one in remembered)


def _same_question(cue: Cue, verdict: Verdict) -> bool:
    if set(cue.clues.fingerprints) & set(verdict.fingerprints):
        return True
    return alike(cue.text, verdict.asked) >= ASKED_ALIKE_MIN


def _judged(one: Remembered, verdicts: Sequence[Verdict]) -> Remembered:
    """The last word of each person counts."""
    latest: dict[str, Verdict] = {}
    for verdict in sorted(verdicts, key=lambda said: said.at):
        latest[verdict.by] = verdict
    rights = [said for said in latest.values() if said.judgement is Judgement.RIGHT]
    wrongs = [said for said in latest.values() if said.judgement is Judgement.WRONG]
    if rights:
        odds = RIGHT_ODDS * min(len(rights), RIGHTS_COUNTED_MAX)
        said = " and ".join(sorted(said.by for said in rights))
        one = replace(
            one,
            score=one.score + odds,
            # Applied to the confidence once that is settled.
            features={**one.features, "verdict": odds},
            reasons=(*one.reasons, f"{said} said it was this when the same was asked before"),
        )
    if len(wrongs) <= len(rights):
        # As many say yes as no: that is no reason to hold it back.
        return one
    newest = max(wrongs, key=lambda said: said.at)
    if one.version > newest.version:
        return replace(
            one,
            reasons=(*one.reasons, f"{newest.by} said it was not this, but what is known about it has changed since"),
        )
    why = f": {newest.why}" if newest.why else ""
    return replace(one, gates=(*one.gates, f"{newest.by} said it was not this{why}"))


def contradict(remembered: Sequence[Remembered], *, same_min: float) -> tuple[Remembered, ...]:
    """Hold back what claims as its fix an action that others know to have made the same failure worse.

    The side that is vouched for less is held back; at a tie the warning wins, unless each side accuses the other. Two
    that are both as likely as `same_min` are taken for the same failure whatever they look like.
    """
    warning = [one for one in remembered if harms(one.case)]
    # The same few actions did harm in all of them, and hardly any is somebody's fix.
    harmful = tuple(dict.fromkeys(action for one in warning for action in harms(one.case)))
    return tuple(
        replace(one, gates=(*one.gates, gate))
        if (gate := _contradicted(one, remembered, warning, harmful, same_min))
        else one
        for one in remembered
    )


def _contradicted(
    one: Remembered,
    among: Sequence[Remembered],
    warning: Sequence[Remembered],
    harmful: Sequence[str],
    same_min: float,
) -> str:
    for action in fixes(one.case):
        if not any(same_deed(bad, action) for bad in harmful):
            continue
        accusers = [
            (other, weight)
            for other in warning
            if other is not one
            and other.space == one.space
            and (weight := harm_weight(other.case, action)) > 0
            and (kin(one.case, other.case) or min(one.confidence, other.confidence) >= same_min)
        ]
        if not accusers:
            continue
        accusing = sum(weight for _, weight in accusers)
        vouching = sum(
            weight
            for other in among
            if (weight := claim_weight(other.case, action)) > 0 and (other is one or kin(one.case, other.case))
        )
        mutual = any(_accuses(one.case, other.case) for other, _ in accusers)
        if accusing > vouching or (accusing == vouching and not mutual):
            named = ", ".join(sorted(other.address for other, _ in accusers))
            return f"contradicted by {named}: there it made things worse ({action})"
    return ""


def _accuses(one: Case, other: Case) -> bool:
    """Whether a case says that the other's fix made things worse."""
    return any(harm_weight(one, action) > 0 for action in fixes(other))
