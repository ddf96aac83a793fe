"""What to do next, in order, each step with the records that speak for it."""

from __future__ import annotations

from collections.abc import Sequence

from hindcast.model.diagnosis import Advice, Claim
from hindcast.reason.wording import capped, first_sentence, full_stop, one_line, uncapped

STEP_CHARS_MAX = 240
WARNINGS_MAX = 2
# From here on a fix is told to be done; below it is something to consider.
FIX_SHARE_MIN = 0.5


def steps_when_seen(
    case_ref: str, case_id: str, cause: Claim | None, fixes: Sequence[Advice], avoid: Sequence[Advice],
    people: Sequence[Claim], differs: Sequence[str],
) -> tuple[Claim, ...]:  # fmt: skip
    """Check that it is the same, do what worked, leave what did harm, ask who knows, say whether it was right."""
    found: list[Claim] = []
    if cause is not None:
        what = uncapped(first_sentence(cause.text, STEP_CHARS_MAX))
        found.append(Claim(full_stop(f"Check that the cause is there again: {what}"), cause.evidence))
    elif differs:
        found.append(Claim(full_stop(f"Look first at what differs: {uncapped(differs[0])}"), (case_ref,)))
    if fixes:
        found.append(_do(fixes[0]))
    found += [_do_not(one) for one in avoid if one.made_worse][:WARNINGS_MAX]
    if people:
        name, _, did = people[0].text.partition(": ")
        found.append(Claim(f"Ask {name} ({did}).", people[0].evidence))
    found.append(
        Claim(f"Then say whether this was it: hindcast incident verdict {case_id} --right (or --wrong).", (case_ref,))
    )
    return tuple(found)


def steps_when_maybe(case_ref: str, case_id: str, cause: Claim | None, avoid: Sequence[Advice]) -> tuple[Claim, ...]:
    """Compare first; nothing here is told to be done because it worked then."""
    found: list[Claim] = []
    if cause is not None:
        what = uncapped(first_sentence(cause.text, STEP_CHARS_MAX))
        found.append(Claim(full_stop(f"Find out whether the cause of then is there now: {what}"), cause.evidence))
    found.append(Claim(f"Compare: hindcast incident show {case_id}.", (case_ref,)))
    found += [
        Claim(full_stop(f"Should it be the same, this made it worse then: {_what(one)}"), one.evidence)
        for one in avoid
        if one.made_worse
    ][:WARNINGS_MAX]
    found.append(
        Claim(
            f"Then say whether it was the same: hindcast incident verdict {case_id} --right (or --wrong).", (case_ref,)
        )
    )
    return tuple(found)


def warnings(avoid: Sequence[Advice]) -> tuple[Claim, ...]:
    """What did harm, for when nothing else can be said."""
    return tuple(_do_not(one) for one in avoid if one.made_worse)[:WARNINGS_MAX]


def _do(fix: Advice) -> Claim:
    what = _what(fix)
    known = f"it worked {fix.worked} of {fix.tried} times" if fix.tried > 1 else "it worked then"
    lasted = fix.held_of > 0 and fix.held == 0
    if fix.share < FIX_SHARE_MIN:
        return Claim(
            full_stop(f"Consider what worked {fix.worked} of {fix.tried} times: {uncapped(what)}"), fix.evidence
        )
    if lasted:
        return Claim(
            full_stop(f"Do what ended it then, though it came back soon after: {uncapped(what)}"), fix.evidence
        )
    return Claim(full_stop(f"Do what ended it ({known}): {uncapped(what)}"), fix.evidence)


def _do_not(one: Advice) -> Claim:
    often = f"{one.made_worse} of {one.tried} times" if one.tried > 1 else "then"
    return Claim(full_stop(f"Do not try this, it made it worse {often}: {uncapped(_what(one))}"), one.evidence)


def _what(one: Advice) -> str:
    return one_line(capped(one.action), STEP_CHARS_MAX).rstrip(".")
