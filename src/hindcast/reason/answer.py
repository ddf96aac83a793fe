"""From a recollection to the answer: what this is, what ended it last time, what not to try, who knows, what next.

Everything here is put together from cases, never guessed. A claim without a record behind it is not made: each carries
the addresses and versions it rests on, as in `cases/inc-20260930-0203-payment@412`. What may only be related is told
as what happened then, never as something to do.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from statistics import median

from hindcast.model.diagnosis import Claim, Diagnosis, Nearest, Tried
from hindcast.model.recollection import Familiarity, Recollection, Remembered
from hindcast.model.record import Record
from hindcast.model.verdict import NO_EXPERIENCE, Experience
from hindcast.reason.avoid import Weighed, weigh
from hindcast.reason.causes import Causes, causes
from hindcast.reason.compare import alike, differs
from hindcast.reason.headline import maybe_headline, new_headline, seen_headline
from hindcast.reason.people import people
from hindcast.reason.pool import SAME_CONFIDENCE_MIN, Member, Standing, is_foreign, own_space, pool, ref_of
from hindcast.reason.runbooks import checks
from hindcast.reason.steps import asking, cautions, judging, steps_when_maybe, steps_when_seen
from hindcast.reason.under_way import before, goes_on, telling, told
from hindcast.reason.wording import age, full_stop, listed, one_line

TRIED_MAX = 20
NEAREST_MAX = 3
# Beside an answer, other cases are a footnote.
NEAREST_WHEN_SEEN_MAX = 2
HELD_BACK_TOLD_MAX = 3
ACTION_CHARS_MAX = 400
TITLE_CHARS_MAX = 160
# Systems change: after a year somebody should look whether what it names is still there.
STALE_DAYS_MIN = 365
# What is shown for comparison though it has a say in what not to try.
_COMPARED = (Standing.LIKELY, Standing.NEAR)


def diagnose(
    recollection: Recollection,
    *,
    runbooks: Sequence[Record] = (),
    experience: Experience = NO_EXPERIENCE,
    space: str | None = None,
    changes: Sequence[str] = (),
) -> Diagnosis:
    """The answer. `space` is the asker's own; `changes` are those of the watched system just before, in words.

    Ages are counted from when the question was asked.
    """
    own = own_space(recollection, space)
    members, now = pool(recollection, own), goes_on(recollection, own)
    best = recollection.best
    if recollection.familiarity is Familiarity.NEW or best is None:
        return _first_sight(recollection, members, (), runbooks, experience, own)
    answering = telling(best, recollection.remembered, members)
    if answering is None and best.case.cause is None and best in now:
        # Nothing but itself is so much like it. What was tried so far is known all the same, and counts.
        recollection = before(recollection, now)
        answering = recollection.best
        if recollection.familiarity is Familiarity.NEW or answering is None:
            return _first_sight(recollection, members, now, runbooks, experience, own)
        members = (*pool(recollection, own), *(member for member in members if member.remembered in now))
    answering = answering or best
    weighed = weigh(members, recollection.cue, answering, experience)
    return _answered(recollection, answering, members, now, weighed, runbooks, own, changes)


def _answered(
    recollection: Recollection, best: Remembered, members: Sequence[Member], now: Sequence[Remembered],
    weighed: Weighed, runbooks: Sequence[Record], own: str | None, changes: Sequence[str],
) -> Diagnosis:  # fmt: skip
    """`best` answers, for what is likelier still and cannot tell anything yet."""
    cue, case = recollection.cue, best.case
    confidence = (recollection.best or best).confidence
    ref = ref_of(best, own)
    occurrences = [member for member in members if member.is_occurrence]
    why = causes(members, best, weighed.discredited)
    known = people(occurrences, cue.at)
    other = differs(cue, case, changes)
    is_seen = recollection.familiarity is Familiarity.SEEN
    whose = best.space if is_foreign(best, own) else ""
    # How often "your team" hit it before: what happened to others is theirs, and what goes on now is no memory yet.
    ours = [one.case for one in occurrences if one.remembered.space == best.space and one.remembered not in now]
    if is_seen:
        headline = seen_headline(best, ref, ours, weighed.fixes, cue.at, whose)
        steps = steps_when_seen(ref, why.told, weighed.fixes, weighed.avoid, known, other)
    else:
        headline = maybe_headline(best, weighed.fixes, cue.at, whose)
        steps = steps_when_maybe(ref, "" if whose else case.id, why.told, weighed.avoid)
    if not is_seen or not weighed.fixes:
        steps = (*steps, *checks(cue, runbooks))
    steps = (*steps, asking(ref, whose) if whose else judging(ref, case.id, cue))
    return Diagnosis(
        cue.text,
        cue.at,
        recollection.familiarity,
        confidence,
        recollection.reliability,
        headline,
        reasons=best.reasons,
        # Ids are unique within a space only.
        case=f"{whose}:{case.id}" if whose else case.id,
        occurred_at=case.occurred_at,
        times_seen=len(ours),
        under_way=told(now, cue.at, own),
        cause=why.told,
        # What is less likely than not the same failure is told in the headline, and offers nothing to do.
        fixes=weighed.fixes if is_seen or confidence >= SAME_CONFIDENCE_MIN else (),
        avoid=weighed.avoid,
        tried=_tried(best, ref),
        people=known,
        minutes=_minutes(occurrences),
        differs=other,
        disputes=(*why.disputes, *weighed.disputes),
        next_steps=steps,
        nearest=_nearest(recollection, members, own, NEAREST_WHEN_SEEN_MAX if is_seen else NEAREST_MAX),
        notes=(*weighed.notes, *_notes(recollection, best, members, why, weighed, whose)),
    )


def _first_sight(
    recollection: Recollection, members: Sequence[Member], now: Sequence[Remembered], runbooks: Sequence[Record],
    experience: Experience, own: str | None,
) -> Diagnosis:  # fmt: skip
    """Nothing answers: say so, show what is nearest, give the generic checks, and warn of what did harm.

    Of what goes on already, what was tried so far is told, whatever came of it.
    """
    cue = recollection.cue
    weighed = weigh(members, cue, None, experience)
    harmful = tuple(one for one in weighed.avoid if now or one.made_worse or one.rejected)
    nearest = _nearest(recollection, (), own, NEAREST_MAX)
    return Diagnosis(
        cue.text,
        cue.at,
        Familiarity.NEW,
        recollection.best.confidence if recollection.best is not None else 0.0,
        recollection.reliability,
        new_headline(recollection.remembered),
        under_way=told(now, cue.at, own),
        fixes=weighed.fixes if now else (),
        avoid=harmful,
        next_steps=(*checks(cue, runbooks), *cautions(harmful)),
        nearest=nearest,
        notes=(*_held_back(members), *recollection.notes),
    )


def _tried(best: Remembered, ref: str) -> tuple[Tried, ...]:
    return tuple(
        Tried(one_line(one.action, ACTION_CHARS_MAX), one.outcome, one.by, ref)
        for one in best.case.attempts[:TRIED_MAX]
        if one.action.strip()
    )


def _minutes(occurrences: Sequence[Member]) -> float | None:
    """How long it usually took: the median, which one long night does not move."""
    known = [took for member in occurrences if (took := member.case.minutes_to_resolve) is not None]
    return round(median(known), 1) if known else None


def _nearest(recollection: Recollection, members: Sequence[Member], own: str | None, most: int) -> tuple[Nearest, ...]:
    """Cases that are shown for comparison: what came to mind and does not answer."""
    told = {id(member.remembered) for member in members if member.standing not in _COMPARED}
    others = [one for one in recollection.remembered if id(one) not in told]
    return tuple(
        Nearest(
            ref_of(one, own),
            one_line(one.case.title, TITLE_CHARS_MAX),
            one.confidence,
            one.case.occurred_at,
            alike(recollection.cue, one),
            (*map(full_stop, one.gates), *differs(recollection.cue, one.case)),
        )
        for one in others[:most]
    )


def _notes(
    recollection: Recollection, best: Remembered, members: Sequence[Member], why: Causes, weighed: Weighed, whose: str
) -> tuple[str, ...]:
    case, now = best.case, recollection.cue.at
    found: list[str] = []
    if whose:
        shared = listed([name for name in _components(best) if name in recollection.cue.clues.components])
        found.append(f"This is from {whose}, which shares what it knows about {shared or 'this component'}.")
    if now - case.occurred_at >= timedelta(days=STALE_DAYS_MIN):
        found.append(f"This is from {age(case.occurred_at, now)}: look whether what it names is still there.")
    if why.told is None and not whose:
        found.append(f"Nobody wrote down the cause: hindcast incident resolve {case.id} --cause …")
    if not weighed.fixes and not weighed.notes and case.resolution is None and not whose:
        found.append(f"Nobody wrote down what ended it: hindcast incident resolve {case.id} --fix …")
    unknown = [one.id for one in case.attempts if one.outcome.value == "unknown"]
    if unknown and not whose:
        what = listed(unknown)
        found.append(
            f"What came of {what} is not known: hindcast incident attempt {case.id} --set {unknown[0]} --outcome …"
        )
    return (*found, *_held_back(members), *recollection.notes)


def _components(one: Remembered) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*one.case.components, *one.case.clues.components)))


def _held_back(members: Sequence[Member]) -> tuple[str, ...]:
    """Why cases about the same failure do not count."""
    held = [member for member in members if member.remembered.gates]
    return tuple(
        full_stop(f"{member.ref} counts only as a warning: {'; '.join(member.remembered.gates)}")
        if member.standing is Standing.HELD_BACK
        else full_stop(f"{member.ref}: {'; '.join(member.remembered.gates)}")
        for member in held[:HELD_BACK_TOLD_MAX]
    )


def claims_of(diagnosis: Diagnosis) -> tuple[Claim, ...]:
    """Every statement of an answer that rests on records, advice included, for whoever checks them."""
    advice = tuple(Claim(one.action, one.evidence) for one in (*diagnosis.fixes, *diagnosis.avoid))
    cause = (diagnosis.cause,) if diagnosis.cause is not None else ()
    tried = tuple(Claim(one.action, (one.evidence,)) for one in diagnosis.tried)
    rest = (*diagnosis.people, *diagnosis.disputes, *diagnosis.under_way, *diagnosis.next_steps)
    return (*cause, *advice, *tried, *rest)
