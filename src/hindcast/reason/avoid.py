"""What fixed it and what not to try: computed from attempts, pooled over all cases of the same failure.

Three rules come before every number. What made it worse in any of them is never a fix, however often it worked
elsewhere; where both happened, that is a dispute, told with both sides. What only a held-back case says worked is no
fix. What people rejected for this failure is not proposed again while the evidence is what it was.
"""

from __future__ import annotations

from collections.abc import Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from hindcast.model.case import Outcome
from hindcast.model.diagnosis import Advice, Claim, Tried
from hindcast.model.recollection import Cue, Remembered
from hindcast.model.verdict import Caution, Experience, Judgement, Matter, Verdict
from hindcast.reason.cautions import concerning, with_cautions, without_cautioned
from hindcast.reason.held import Lasting, lasting
from hindcast.reason.pool import ANSWERING_COUNTS, AS_LIKELY_MIN, Member, Standing
from hindcast.reason.shares import share
from hindcast.reason.tries import Try, grouped, retells, same, tries_of, without
from hindcast.reason.wording import counted, full_stop, plain_name, recorded

FIXES_MAX = 5
AVOIDED_MAX = 8
HAPPENED_MAX = 3
ELSEWHERE_MAX = 4
# From so many cases on others may speak before the one that is most like what is asked about.
OUTVOTING_MIN = 2
DISPUTED_ACTION_CHARS_MAX = 160


@dataclass(frozen=True, slots=True)
class Weighed:
    """What follows from everything that was tried."""

    fixes: tuple[Advice, ...]
    avoid: tuple[Advice, ...]
    disputes: tuple[Claim, ...]
    notes: tuple[str, ...]
    # Cases whose fix made it worse elsewhere: what they say of the cause is worth little as well.
    discredited: frozenset[str] = frozenset()
    # The case that is told: the one that answers, or the one that outvotes it.
    lead: Remembered | None = None


@dataclass(frozen=True, slots=True)
class _Action:
    """All tries of one action, by what came of them; one for each case, however often it tells of it."""

    worked: tuple[Try, ...]
    no_effect: tuple[Try, ...]
    made_worse: tuple[Try, ...]
    # What only superseded cases call a fix.
    outdated: tuple[Try, ...]
    # What only cases without a say call a fix: one side of a dispute, and nothing else.
    claimed: tuple[Try, ...]
    lasting: Lasting
    strength: float

    @property
    def all(self) -> tuple[Try, ...]:
        return (*self.worked, *self.no_effect, *self.made_worse)

    @property
    def is_worth_a_warning(self) -> bool:
        if self.made_worse or (self.no_effect and not self.worked):
            return True
        return bool(self.outdated) and self.lasting.is_short


def weigh(members: Sequence[Member], cue: Cue, answering: Remembered | None, experience: Experience) -> Weighed:
    """Fixes, best first; what to avoid, the most harmful first; where cases contradict one another."""
    tries = [one for member in members for one in tries_of(member)]
    harmful = [one for one in tries if one.outcome is Outcome.MADE_WORSE and one.member.standing is not Standing.NEAR]
    tries, cut = _without_harm(tries, harmful)
    cautions = concerning(experience.cautions, members, cue)
    tries, left_out = without_cautioned(tries, cautions)
    discredited = _discredited(tries, harmful)
    tries = [_claimed(one, harmful) if one.member.ref in discredited else one for one in tries]
    actions = [_action(group, members, cue, answering) for group in grouped(tries)]
    fixes = sorted((one for one in actions if one.worked and not one.made_worse), key=_by_strength)
    notes = list(left_out)
    proposed = []
    for one in fixes:
        rejected = _rejection(one, members, cue, experience)
        warned = _warned(one, cautions)
        if rejected is not None:
            notes.append(_rejected(one, rejected))
        elif warned is not None:
            notes.append(_rejected(one, warned))
        else:
            proposed.append(one)
    # What did not last is worth a warning, as soon as there is something else to do.
    short_lived = [one for one in proposed if one.lasting.is_short]
    if len(short_lived) < len(proposed):
        proposed = [one for one in proposed if not one.lasting.is_short]
    else:
        short_lived = []
    proposed = _own_first(proposed, answering)
    lead = _lead(proposed, answering, discredited)
    fixes_told = [_fix(one, lead, members, cue) for one in proposed]
    # What else the same incident says worked belongs to what is told of it.
    fixes_told[1:] = sorted(fixes_told[1:], key=lambda one: one.record != fixes_told[0].record)
    avoided = [one for one in actions if one.is_worth_a_warning]
    avoided_told = [_avoided(one, lead, members, cue) for one in sorted([*avoided, *short_lived], key=_by_harm)]
    return Weighed(
        tuple(fixes_told[:FIXES_MAX]),
        with_cautions(avoided_told, cautions)[:AVOIDED_MAX],
        (*(_dispute(one) for one in actions if _sides(one)), *cut, *_outvoted(proposed, answering)),
        tuple(notes),
        discredited,
        lead,
    )


def _own_first(fixes: Sequence[_Action], answering: Remembered | None) -> list[_Action]:
    """The fixes with the one that leads in front: the answering case's own, unless others have more to say.

    Several cases that agree have, and a single one that is as likely the same failure and better vouched for.
    """
    if not any(_is_of(one, answering) for one in fixes) or answering is None:
        return list(fixes)
    least = AS_LIKELY_MIN * answering.confidence
    first = next(one for one in fixes if _is_of(one, answering) or _outvotes(one, least))
    return [first, *(one for one in fixes if one is not first)]


def _outvotes(one: _Action, confidence_min: float) -> bool:
    """Whether several other cases agree on a fix, or one does that is as likely the same failure."""
    sure = [each.member for each in one.worked if each.member.is_occurrence]
    return len(sure) >= OUTVOTING_MIN or any(member.remembered.confidence >= confidence_min for member in sure)


def _lead(
    fixes: Sequence[_Action], answering: Remembered | None, discredited: AbstractSet[str]
) -> Remembered | None:  # fmt: skip
    """The case that is told: where others have more to say of what ends it, one of them, and no mixture of two."""
    if not fixes or answering is None or _is_of(fixes[0], answering):
        return answering
    is_discredited = any(ref.rpartition("@")[0].endswith(answering.address) for ref in discredited)
    if not is_discredited and not any(_is_of(one, answering) for one in fixes):
        return answering
    found = _shown(fixes[0].worked)
    return found.member.remembered if found.member.is_occurrence else answering


def _is_of(one: _Action, answering: Remembered | None) -> bool:
    return any(each.member.remembered is answering for each in one.worked)


def _discredited(tries: Sequence[Try], harmful: Sequence[Try]) -> frozenset[str]:
    """Cases whose fix retells, in whatever words, an action that made the failure worse elsewhere."""
    found = set()
    for one in tries:
        if one.outcome is not Outcome.WORKED or one.member.ref in found:
            continue
        if any(bad.member.ref != one.member.ref and one.is_same(bad) for bad in harmful):
            ending = one.member.case.resolution
            if ending is None or retells(ending.text, one.action):
                found.add(one.member.ref)
    return frozenset(found)


def _claimed(one: Try, harmful: Sequence[Try]) -> Try:
    """What a discredited case says worked, in words of its own: no fix. In those of the harm it is counted there."""
    if one.outcome is not Outcome.WORKED or any(one.is_same(bad) for bad in harmful):
        return one
    return replace(one, member=replace(one.member, standing=Standing.HELD_BACK))


def _without_harm(tries: Sequence[Try], harmful: Sequence[Try]) -> tuple[list[Try], list[Claim]]:
    """Tries that worked, less the clauses that made it worse in another case."""
    kept: list[Try] = []
    disputes: list[Claim] = []
    for one in tries:
        elsewhere = [bad for bad in harmful if bad.member is not one.member]
        left = without(one.action, [bad.action for bad in elsewhere]) if one.outcome is Outcome.WORKED else one.action
        # An action that is harmful as a whole stays whole: its own group says so.
        if left == one.action or any(one.is_same(bad) for bad in elsewhere):
            kept.append(one)
        else:
            against = [bad.member.ref for bad in elsewhere if without(one.action, [bad.action]) != one.action]
            what = recorded(one.action, DISPUTED_ACTION_CHARS_MAX)
            there = ", ".join(plain_name(ref) for ref in dict.fromkeys(against))
            text = f"{what} ended it in {plain_name(one.member.ref)}, but a part of it made it worse in {there}."
            disputes.append(Claim(text, tuple(dict.fromkeys((one.member.ref, *against)))))
            kept += [replace(one, action=left)] if left else []
    return kept, disputes


def _action(group: Sequence[Try], members: Sequence[Member], cue: Cue, answering: Remembered | None) -> _Action:
    current = _each_case(group, Outcome.WORKED, Standing.CURRENT)
    # A superseded case may confirm what a current one says, and has no fix of its own.
    older = _each_case(group, Outcome.WORKED, Standing.SUPERSEDED)
    worked, outdated = (current + older, ()) if current else ((), older)
    no_effect = _each_case(group, Outcome.NO_EFFECT, Standing.CURRENT, Standing.SUPERSEDED)
    sure = [standing for standing in Standing if standing is not Standing.NEAR]
    made_worse = _each_case(group, Outcome.MADE_WORSE, *sure)
    if not made_worse and not worked:
        made_worse = _each_case(group, Outcome.MADE_WORSE, Standing.NEAR)
    counts = [one.weight * (ANSWERING_COUNTS if one.member.remembered is answering else 1.0) for one in worked]
    strength = share(sum(counts), sum(one.weight for one in no_effect)).least
    claimed = _each_case(group, Outcome.WORKED, Standing.HELD_BACK, Standing.LIKELY)
    lasted = lasting(worked or outdated, members, cue)
    return _Action(worked, no_effect, made_worse, outdated, claimed, lasted, strength)


def _each_case(group: Sequence[Try], outcome: Outcome, *standings: Standing) -> tuple[Try, ...]:
    """The weightiest try of each case with this outcome: prose tells the same thing twice."""
    found: dict[str, Try] = {}
    for one in group:
        if one.outcome is outcome and one.member.standing in standings:
            kept = found.get(one.member.ref)
            if kept is None or (one.is_ending, one.weight) > (kept.is_ending, kept.weight):
                found[one.member.ref] = one
    return tuple(found.values())


def _by_strength(one: _Action) -> tuple[bool, bool, float, float, str]:
    """What lasted first, what ended a case before what only helped, then by how sure it is and how new."""
    newest = max(each.at.timestamp() for each in one.worked)
    ends = any(each.is_ending for each in one.worked)
    return one.lasting.is_short, not ends, -one.strength, -newest, _shown(one.worked).action


def _by_harm(one: _Action) -> tuple[bool, float, int, str]:
    harm = share(_sum(one.made_worse), _sum(one.worked) + _sum(one.no_effect)).least
    return not one.made_worse, -harm, -len(one.no_effect), _shown(_telling(one)).action


def _telling(one: _Action) -> tuple[Try, ...]:
    """The tries that say why an action is to be avoided."""
    return one.made_worse or one.no_effect or one.worked or one.outdated


def _sum(tries: Sequence[Try]) -> float:
    return sum(one.weight for one in tries)


def _shown(tries: Sequence[Try], lead: Remembered | None = None) -> Try:
    """The telling of an action that is shown: that of the leading case, then the weightiest, then the newest."""
    return max(
        tries,
        key=lambda one: (
            one.member.remembered is lead,
            one.member.standing is Standing.CURRENT,
            one.is_ending,
            one.weight,
            one.at,
            one.action,
        ),
    )


def _fix(one: _Action, lead: Remembered | None, members: Sequence[Member], cue: Cue) -> Advice:
    estimated = share(_sum(one.worked), _sum(one.no_effect))
    shown = _shown(one.worked, lead)
    then = lasting([shown], members, cue)
    made = _advice(one, shown, estimated.mean, estimated.least)
    return replace(made, fixed_at=then.ended_at, held_until=then.back_at)


def _avoided(one: _Action, lead: Remembered | None, members: Sequence[Member], cue: Cue) -> Advice:
    estimated = share(_sum(one.made_worse), _sum(one.worked) + _sum(one.no_effect))
    shown = _shown(_telling(one), lead)
    made = _advice(one, shown, estimated.mean, estimated.least)
    made = replace(made, worked=len(one.worked or one.outdated), remarks=one.lasting.told[:HAPPENED_MAX])
    then = lasting([shown], members, cue) if shown.outcome is Outcome.WORKED else None
    if then is not None:
        made = replace(made, fixed_at=then.ended_at, held_until=then.back_at)
    return replace(made, diff="", command="", config="")


def _advice(one: _Action, shown: Try, mean: float, least: float) -> Advice:
    """An action as one try tells it; what is counted is counted over all."""
    every = (*one.all, *one.outdated)
    others = sorted(
        (each for each in every if each.member is not shown.member),
        key=lambda each: (each.at, each.member.ref),
        reverse=True,
    )
    return Advice(
        shown.action,
        shown.quotes[:HAPPENED_MAX],
        worked=len(one.worked),
        no_effect=len(one.no_effect),
        made_worse=len(one.made_worse),
        share=mean,
        share_min=least,
        evidence=tuple(dict.fromkeys((shown.member.ref, *(each.member.ref for each in others)))),
        by=(shown.by,) if shown.by else (),
        last_at=shown.at,
        held=one.lasting.held,
        held_of=one.lasting.held_of,
        diff=shown.diff,
        command=shown.command,
        config=shown.config,
        outcome=shown.outcome,
        elsewhere=tuple(Tried(each.action, each.outcome, each.by, each.member.ref) for each in others[:ELSEWHERE_MAX]),
    )


def _sides(one: _Action) -> bool:
    """Whether somebody says that it worked where somebody else says that it did harm."""
    return bool(one.made_worse and (one.worked or one.outdated or one.claimed))


def _dispute(one: _Action) -> Claim:
    sides = ((*one.worked, *one.outdated, *one.claimed), one.made_worse)
    worked, worse = ([each.member.ref for each in side] for side in sides)
    helped, harmed = (_in_own_words(side) for side in sides)
    if helped.keys() == harmed.keys() and len(helped) == 1:
        (what,) = helped
        text = f"{what} worked in {helped[what]} and made it worse in {harmed[what]}."
    else:
        told = [f"{what} worked in {where}" for what, where in helped.items()]
        told += [f"{what} made it worse in {where}" for what, where in harmed.items()]
        text = f"{'; '.join(told)}."
    return Claim(text, tuple(dict.fromkeys((*worked, *worse))))


def _in_own_words(tries: Sequence[Try]) -> dict[str, str]:
    """What was done, as each record words it, and the records that word it so."""
    found: dict[str, list[str]] = {}
    for one in tries:
        found.setdefault(recorded(one.action, DISPUTED_ACTION_CHARS_MAX), []).append(plain_name(one.member.ref))
    return {what: ", ".join(refs) for what, refs in found.items()}


def _outvoted(fixes: Sequence[_Action], answering: Remembered | None) -> list[Claim]:
    """What the nearest case says ended it, where others agree on something else."""
    if not fixes or answering is None:
        return []
    first = fixes[0]
    if any(one.member.remembered is answering for one in first.worked):
        return []
    own = next((fix for fix in fixes if any(one.member.remembered is answering for one in fix.worked)), None)
    if own is None or len(first.worked) < 2:
        return []
    ours = [one.member.ref for one in own.worked]
    theirs = [one.member.ref for one in first.worked]
    mine, other = (recorded(_shown(fix.worked).action, DISPUTED_ACTION_CHARS_MAX) for fix in (own, first))
    text = f"The nearest case ended with {mine}; {counted(len(theirs), 'other case')} agree on {other}."
    return [Claim(text, tuple(dict.fromkeys((*ours, *theirs))))]


def _rejection(one: _Action, members: Sequence[Member], cue: Cue, experience: Experience) -> Verdict | None:
    """The last word of people about proposing this for this failure, when it was no and nothing is new since."""
    said = [
        verdict for verdict in experience.verdicts if verdict.matter is Matter.PROPOSAL and _about(verdict, one, cue)
    ]
    if not said:
        return None
    final = max(said, key=lambda verdict: (verdict.at, verdict.judgement is Judgement.WRONG))
    if final.judgement is Judgement.RIGHT:
        return None
    named = final.case.rpartition("/")[2].partition("@")[0]
    versions = [member.remembered.version for member in members if member.case.id == named]
    is_changed = bool(versions) and final.version not in versions
    is_newer = any(each.member.case.occurred_at > final.at for each in one.worked)
    return None if is_changed or is_newer else final


def _about(verdict: Verdict, one: _Action, cue: Cue) -> bool:
    """Whether a verdict was about this action and this failure."""
    if not any(same(verdict.action, each.action) for each in one.worked):
        return False
    if verdict.fingerprints and cue.clues.fingerprints:
        return bool(set(verdict.fingerprints) & set(cue.clues.fingerprints))
    return " ".join(verdict.asked.split()) == " ".join(cue.text.split())


def _warned(one: _Action, cautions: Sequence[Caution]) -> Caution | None:
    """The last word of people against doing this, where nobody was helped by it since."""
    said = [caution for caution in cautions if any(same(caution.action, each.action) for each in one.worked)]
    final = max(said, key=lambda caution: caution.at, default=None)
    is_newer = final is not None and any(each.member.case.occurred_at > final.at for each in one.worked)
    return None if is_newer else final


def _rejected(one: _Action, verdict: Verdict | Caution) -> str:
    what = recorded(_shown(one.worked).action, DISPUTED_ACTION_CHARS_MAX)
    why = f": {recorded(verdict.why, DISPUTED_ACTION_CHARS_MAX)}" if verdict.why.strip() else ""
    return full_stop(f"{what} is not proposed again; {plain_name(verdict.by)} rejected it for this failure{why}")
