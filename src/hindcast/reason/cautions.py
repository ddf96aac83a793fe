"""What people said not to try, when a card proposed it: a warning though nobody ever tried it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from hindcast.model.case import Outcome
from hindcast.model.diagnosis import Advice
from hindcast.model.recollection import Cue
from hindcast.model.verdict import Caution
from hindcast.reason.pool import Member
from hindcast.reason.tries import Try, same, without
from hindcast.reason.wording import day, full_stop, one_line, plain_name, recorded

ACTION_CHARS_MAX = 400
WHY_CHARS_MAX = 300
# As cards end: "… in config/production.toml."
_IN_FILE = re.compile(r"\s{1,20}in\s{1,20}[^\s.]{0,200}[./]\S{0,300}$")


def concerning(cautions: Sequence[Caution], members: Sequence[Member], cue: Cue) -> tuple[Caution, ...]:
    """Those that were said of this failure: by its fingerprints, or in an incident that is surely the same."""
    fingerprints = set(cue.clues.fingerprints)
    own = {member.case.id for member in members if member.is_occurrence and not member.is_foreign}
    own |= {cue.incident} - {""}
    return tuple(one for one in cautions if fingerprints & set(one.fingerprints) or one.incident in own)


def without_cautioned(tries: Sequence[Try], cautions: Sequence[Caution]) -> tuple[list[Try], tuple[str, ...]]:
    """Tries that worked, less the clauses that somebody has since said not to try, and what was left out of which.

    What they warned of as a whole stays whole: whether it is proposed is decided where all of it is weighed.
    """
    kept: list[Try] = []
    notes: dict[str, None] = {}
    for one in tries:
        said = [caution for caution in cautions if caution.at >= one.member.case.occurred_at]
        left = without(one.action, [_deed(caution) for caution in said]) if one.outcome is Outcome.WORKED else ""
        if not left or left == one.action:
            kept.append(one)
            continue
        kept.append(replace(one, action=left))
        for caution in said:
            if without(one.action, [_deed(caution)]) != one.action:
                notes[_left_out(one, caution)] = None
    return kept, tuple(notes)


def _deed(caution: Caution) -> str:
    """What was warned of, without the file in which the card would have done it: a past fix names none, or another."""
    return _IN_FILE.sub("", caution.action)


def _left_out(one: Try, caution: Caution) -> str:
    what, action = (recorded(text, WHY_CHARS_MAX) for text in (one.action, caution.action))
    return (
        f"{what} is told without a part of it: {plain_name(caution.by)} said on {day(caution.at)} not to try {action}."
    )


def with_cautions(avoid: Sequence[Advice], cautions: Sequence[Caution]) -> tuple[Advice, ...]:
    """What to avoid, with what people warned of: behind what did harm, before what merely had no effect."""
    made = list(avoid)
    new: list[Advice] = []
    for caution in sorted(cautions, key=lambda one: (one.at, one.ref), reverse=True):
        for found in (made, new):
            place = next((at for at, one in enumerate(found) if same(one.action, caution.action)), None)
            if place is not None:
                found[place] = _joined(found[place], caution)
                break
        else:
            new.append(_advice(caution))
    harmful = [one for one in made if one.made_worse]
    return (*harmful, *new, *(one for one in made if not one.made_worse))


def _advice(caution: Caution) -> Advice:
    return Advice(
        one_line(caution.action, ACTION_CHARS_MAX).rstrip("."),
        (),
        worked=0,
        no_effect=0,
        made_worse=0,
        share=0.0,
        share_min=0.0,
        evidence=(caution.ref,),
        by=(caution.by,),
        last_at=caution.at,
        rejected=1,
        remarks=(_told(caution),),
    )


def _joined(advice: Advice, caution: Caution) -> Advice:
    """What is known to be no good, with somebody's word against it."""
    return replace(
        advice,
        remarks=(*advice.remarks, _told(caution)),
        evidence=(*advice.evidence, caution.ref),
        # Of what was tried in an incident, it is still that incident's people who did it.
        by=advice.by if advice.tried else tuple(dict.fromkeys((*advice.by, caution.by))),
        rejected=advice.rejected + 1,
    )


def _told(caution: Caution) -> str:
    why = f": {recorded(caution.why, WHY_CHARS_MAX)}" if caution.why.strip() else ""
    return full_stop(f"{plain_name(caution.by)} said on {day(caution.at)} not to try it{why}")
