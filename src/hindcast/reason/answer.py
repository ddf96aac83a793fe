"""From a recollection to the answer: what this is, what ended it last time, what not to try, who knows, what next.

Everything here is put together from cases, never guessed. One past incident is told as it was: its cause, fix, people,
date and duration stand in one record. Others of the same failure are lines of their own, and what is counted over
several is called a count. A claim without a record behind it is not made: each carries
the addresses and versions it rests on, as in `cases/inc-20260930-0203-payment@412`. What may only be related is told
as what happened then, never as something to do.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta
from statistics import median

from hindcast.model.case import Outcome
from hindcast.model.diagnosis import Advice, Claim, Diagnosis, Nearest, OtherCase, Tried
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
from hindcast.reason.wording import age, full_stop, listed, one_line, plain_name

TRIED_MAX = 20
OTHERS_MAX = 5
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
    lead = weighed.lead or answering
    # For what is likelier still and tells nothing another case answers; one that outvotes it speaks for itself.
    confidence = ((recollection.best or answering) if lead is answering else lead).confidence
    return _answered(recollection, lead, confidence, members, now, weighed, runbooks, own, changes)


def _answered(
    recollection: Recollection, best: Remembered, confidence: float, members: Sequence[Member],
    now: Sequence[Remembered], weighed: Weighed, runbooks: Sequence[Record], own: str | None, changes: Sequence[str],
) -> Diagnosis:  # fmt: skip
    """What `best` tells, and the other cases beside it."""
    cue, case = recollection.cue, best.case
    ref = ref_of(best, own)
    occurrences = [member for member in members if member.is_occurrence]
    why = causes(members, best, weighed.discredited)
    known = people(occurrences, best, cue.at)
    other = differs(cue, case, changes)
    is_seen = recollection.familiarity is Familiarity.SEEN
    whose = best.space if is_foreign(best, own) else ""
    # How often "your team" hit it before: what happened to others is theirs, and what goes on now is no memory yet.
    ours = [one.case for one in occurrences if one.remembered.space == best.space and one.remembered not in now]
    middle = _median_minutes(occurrences)
    if is_seen:
        headline = seen_headline(best, ref, ours, weighed.fixes, middle, cue.at, whose)
        steps = steps_when_seen(ref, why.told, weighed.fixes, weighed.avoid, known, other)
    else:
        headline = maybe_headline(best, ref, weighed.fixes, cue.at, whose)
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
        minutes=case.minutes_to_resolve,
        minutes_median=middle,
        others=_others([one for one in occurrences if one.remembered not in now], best, weighed.fixes),
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


def _median_minutes(occurrences: Sequence[Member]) -> float | None:
    """How long it usually took: the median, which one long night does not move; of one case there is none."""
    known = [took for member in occurrences if (took := member.case.minutes_to_resolve) is not None]
    return round(median(known), 1) if len(known) > 1 else None


def _others(occurrences: Sequence[Member], lead: Remembered, fixes: Sequence[Advice]) -> tuple[OtherCase, ...]:
    """The other incidents of this failure, the newest first, each as it was."""
    others = [member for member in occurrences if member.remembered is not lead]
    others.sort(key=lambda member: (member.case.occurred_at, member.ref), reverse=True)
    return tuple(_other(member, fixes) for member in others[:OTHERS_MAX])


def _other(member: Member, fixes: Sequence[Advice]) -> OtherCase:
    case = member.case
    title = one_line(case.title, TITLE_CHARS_MAX)
    for fix in fixes:
        own = [(fix.action, listed(fix.by))] if fix.record == member.ref else []
        own += [(one.action, one.by) for one in fix.elsewhere if one.evidence == member.ref and _worked(one)]
        for action, by in own[:1]:
            is_same = fix is fixes[0]
            return OtherCase(member.ref, title, case.occurred_at, case.minutes_to_resolve, action, by, is_same)
    withheld = case.resolution is not None and bool(case.resolution.text.strip())
    return OtherCase(member.ref, title, case.occurred_at, case.minutes_to_resolve, is_withheld=withheld)


def _worked(one: Tried) -> bool:
    return one.outcome is Outcome.WORKED


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
        found.append(f"Nobody wrote down the cause: hindcast incident resolve {plain_name(case.id)} --cause …")
    if not weighed.fixes and not weighed.notes and case.resolution is None and not whose:
        found.append(f"Nobody wrote down what ended it: hindcast incident resolve {plain_name(case.id)} --fix …")
    unknown = [one.id for one in case.attempts if one.outcome.value == "unknown"]
    if unknown and not whose:
        what, name = listed([plain_name(one) for one in unknown]), plain_name(case.id)
        command = f"hindcast incident attempt {name} --set {plain_name(unknown[0])} --outcome …"
        found.append(f"What came of {what} is not known: {command}")
    return (*found, *_held_back(members), *recollection.notes)


def _components(one: Remembered) -> tuple[str, ...]:
    return tuple(dict.fromkeys((*one.case.components, *one.case.clues.components)))


def _held_back(members: Sequence[Member]) -> tuple[str, ...]:
    """Why cases about the same failure do not count."""
    held = [member for member in members if member.remembered.gates]
    return tuple(
        full_stop(f"{plain_name(member.ref)} counts only as a warning: {'; '.join(member.remembered.gates)}")
        if member.standing is Standing.HELD_BACK
        else full_stop(f"{plain_name(member.ref)}: {'; '.join(member.remembered.gates)}")
        for member in held[:HELD_BACK_TOLD_MAX]
    )


def claims_of(diagnosis: Diagnosis) -> tuple[Claim, ...]:
    """Every statement of an answer that rests on records, advice included, for whoever checks them."""
    advice = tuple(Claim(one.action, one.evidence) for one in (*diagnosis.fixes, *diagnosis.avoid))
    cause = (diagnosis.cause,) if diagnosis.cause is not None else ()
    tried = tuple(Claim(one.action, (one.evidence,)) for one in diagnosis.tried)
    tried += tuple(Claim(one.title, (one.evidence,)) for one in diagnosis.others)
    rest = (*diagnosis.people, *diagnosis.disputes, *diagnosis.under_way, *diagnosis.next_steps)
    return (*cause, *advice, *tried, *rest)
