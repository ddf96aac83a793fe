"""What to do next, in order, each step with the records that speak for it."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from hindcast.model.diagnosis import Advice, Claim
from hindcast.model.recollection import Cue
from hindcast.reason.causes import is_guess
from hindcast.reason.wording import first_sentence, full_stop, listed, one_line, plain_name

STEP_CHARS_MAX = 240
WARNINGS_MAX = 2
# From here on a fix is told to be done; below it is something to consider.
FIX_SHARE_MIN = 0.5
# A longer question is better pasted again than quoted.
QUESTION_CHARS_MAX = 60


def steps_when_seen(
    ref: str, cause: Claim | None, fixes: Sequence[Advice], avoid: Sequence[Advice], people: Sequence[Claim],
    differs: Sequence[str],
) -> tuple[Claim, ...]:  # fmt: skip
    """Check that it is the same, do what worked, leave what did harm, ask who knows."""
    found: list[Claim] = []
    if cause is not None:
        what = first_sentence(cause.text, STEP_CHARS_MAX)
        said = (
            "Look for the cause; all that was known then" if is_guess(what) else "Check that the cause is there again"
        )
        found.append(Claim(full_stop(f"{said}: {what}"), cause.evidence))
    elif differs:
        found.append(Claim(full_stop(f"Look first at what differs: {differs[0]}"), (ref,)))
    if fixes:
        found.append(_do(fixes[0], ref))
    found += warnings(avoid)
    if people:
        name, _, did = people[0].text.partition(": ")
        found.append(Claim(f"Ask {name} ({did.partition('; ')[0]}).", people[0].evidence[:1]))
    return tuple(found)


def steps_when_maybe(ref: str, case: str, cause: Claim | None, avoid: Sequence[Advice]) -> tuple[Claim, ...]:
    """Compare first; nothing here is told to be done because it worked then."""
    found: list[Claim] = []
    if cause is not None:
        what = first_sentence(cause.text, STEP_CHARS_MAX)
        found.append(Claim(full_stop(f"Find out whether the cause of then is there now: {what}"), cause.evidence))
    if case:
        found.append(Claim(f"Compare: hindcast incident show {case}", (ref,)))
    found += [
        Claim(full_stop(f"Should it be the same, this made it worse then: {_what(one)}"), one.evidence[:1])
        for one in avoid
        if one.made_worse
    ][:WARNINGS_MAX]
    return tuple(found)


def judging(ref: str, case: str, cue: Cue) -> Claim:
    """How to say whether the answer was right: that is what the next answer learns from."""
    text = cue.text.strip()
    if cue.incident:
        what = f"--incident {cue.incident}"
    elif len(text) <= QUESTION_CHARS_MAX and text.isprintable():
        what = f"--for {shlex.quote(text)}"
    else:
        what = "--for TEXT"
    return Claim(f"Say whether this was it: hindcast incident verdict {case} --right {what} (or --wrong)", (ref,))


def asking(ref: str, space: str) -> Claim:
    """What to do about a case of another space: its verdicts are not ours to give."""
    return Claim(f"Ask {space} for what is not told here.", (ref,))


def warnings(avoid: Sequence[Advice]) -> tuple[Claim, ...]:
    """What did harm, the worst first."""
    return tuple(_do_not(one) for one in avoid if one.made_worse or not one.tried)[:WARNINGS_MAX]


def cautions(avoid: Sequence[Advice]) -> tuple[Claim, ...]:
    """What did harm in cases that are near, where nothing is known to be the same."""
    return tuple(
        Claim(full_stop(f"Think twice, it made a case that is near worse: {_what(one)}"), one.evidence[:1])
        for one in avoid
        if one.made_worse
    )[:WARNINGS_MAX]


def _do(fix: Advice, ref: str) -> Claim:
    """What ended one incident; how often the same worked is counted behind it."""
    where = "it" if fix.record == ref else plain_name(fix.record)
    if fix.share < FIX_SHARE_MIN:
        said = f"Consider what ended {where} then"
    elif fix.held_of > 0 and fix.held == 0:
        said = f"Do what ended {where} then, though it came back soon after"
    else:
        said = f"Do what ended {where}{' (it worked then)' if fix.tried < 2 else ''}"
    return _counted(said, fix, f"worked in {fix.worked} of {fix.tried}")


def _do_not(one: Advice) -> Claim:
    if not one.made_worse:
        return Claim(full_stop(f"Do not try this, {listed(one.by)} said so: {_what(one)}"), one.evidence)
    return _counted("Do not try this, it made it worse then", one, f"worse in {one.made_worse} of {one.tried}")


def _counted(said: str, one: Advice, often: str) -> Claim:
    if one.tried < 2:
        return Claim(full_stop(f"{said}: {_what(one)}"), one.evidence[:1])
    return Claim(f"{said}: {_what(one)} ({often} incidents).", one.evidence)


def _what(one: Advice) -> str:
    return one_line(one.action, STEP_CHARS_MAX).rstrip(".")
