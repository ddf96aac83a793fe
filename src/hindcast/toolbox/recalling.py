"""Tools that ask memory about a failure: what it is and what ended it, and what not to try."""

from __future__ import annotations

from typing import Annotated, Any

from msgspec import Meta

from hindcast.model.case import Attempt, Outcome
from hindcast.model.diagnosis import Advice, Diagnosis, OtherCase
from hindcast.model.errors import Malformed
from hindcast.model.recollection import Familiarity
from hindcast.model.record import MAIN
from hindcast.reason.headline import percent, track_record
from hindcast.reason.wording import counted, one_line
from hindcast.recall.pack import ours, pack
from hindcast.recollect import Answered
from hindcast.toolbox.desk import Desk
from hindcast.toolbox.naming import At, Branch, known, ref_of
from hindcast.toolbox.quoting import cited, quoted
from hindcast.toolbox.sheet import TOKENS_MAX, Sheet, Tokens, refs_text
from hindcast.toolbox.tool import Arguments, Tool, ToolAnswer

TEXT_CHARS_MAX = 400_000
CLAIM_CHARS_MAX = 400
MEANS_CHARS_MAX = 4_000
HEADLINE_CHARS_MAX = 300
TITLE_CHARS_MAX = 200

Asked = Annotated[
    str,
    Meta(
        max_length=TEXT_CHARS_MAX,
        description="The error, stack trace, log lines or question, pasted as it is. Give this or `incident`.",
        examples=["redis.exceptions.ConnectionError: Connection reset by peer"],
    ),
]
AskedIncident = Annotated[
    str,
    Meta(
        max_length=600,
        description="Instead of `text`: the id of an incident to ask about.",
        examples=["inc-20260930-0203-payment"],
    ),
]
Services = Annotated[
    tuple[str, ...],
    Meta(max_length=50, description="Where it happens, if that is known.", examples=[["payment"]]),
]


class FailureArguments(Arguments, frozen=True, kw_only=True):
    """Which failure."""

    text: Asked = ""
    incident: AskedIncident = ""
    services: Services = ()
    at: At = ""
    branch: Branch = MAIN
    tokens_max: Tokens = 1_000


def asked(desk: Desk, given: FailureArguments) -> Answered:
    """What memory has to say to what was given."""
    if bool(given.text.strip()) == bool(given.incident.strip()):
        raise Malformed(
            "Both a text and an incident are given." if given.text.strip() else "Nothing is asked.",
            field="text",
            remedy='Give either {"text": "the error as it was printed"} or {"incident": "inc-20260930-0203-payment"}.',
        )
    # Both say what is wrong with a moment or an id in words that name the argument.
    view = desk.view(given.at, given.branch)
    moment = desk.moment(given.at)
    if given.incident.strip():
        name = known(view, given.incident).case.id
        return desk.recollect.about(name, moment=moment, branch=given.branch)
    return desk.recollect.ask(given.text, services=given.services, moment=moment, branch=given.branch)


def _recall(desk: Desk, given: FailureArguments) -> ToolAnswer:
    found = asked(desk, given)
    packed = pack(found.recollection, found.diagnosis, tokens_max=given.tokens_max - 30)
    text = packed.text
    for ref in packed.evidence:
        # Most are plain. One that is not has to stand in quotes, as every other word that somebody else chose.
        text = text.replace(ref, cited(ref))
    lines = [text]
    if not found.recollection.remembered:
        lines.append("Nothing like it is remembered.")
    if packed.left_out:
        larger = min(2 * given.tokens_max, TOKENS_MAX)
        lines.append(f"Left out for lack of room: {len(packed.left_out)} parts. Get them with tokens_max={larger}.")
    data = {**_told(found.diagnosis), "left_out": list(packed.left_out)}
    return ToolAnswer("\n".join(lines), data, packed.evidence, bool(packed.left_out))


def _told(diagnosis: Diagnosis) -> dict[str, Any]:
    """A diagnosis as JSON values, without what only a person's screen needs."""
    cause = diagnosis.cause
    return {
        "familiarity": diagnosis.familiarity.value,
        "confidence": round(diagnosis.confidence, 3),
        "reliability": track_record(diagnosis.reliability),
        "headline": one_line(diagnosis.headline, HEADLINE_CHARS_MAX),
        "incident": diagnosis.case.rpartition("/")[2].partition("@")[0],
        "times_seen": diagnosis.times_seen,
        "under_way": [
            {"text": one_line(one.text, CLAIM_CHARS_MAX), "evidence": list(one.evidence)} for one in diagnosis.under_way
        ],
        "cause": {"text": one_line(cause.text, CLAIM_CHARS_MAX), "evidence": list(cause.evidence)} if cause else None,
        "fixes": [advice_told(one) for one in diagnosis.fixes],
        "avoid": [advice_told(one) for one in diagnosis.avoid],
        "who_knows": [one_line(one.text, CLAIM_CHARS_MAX) for one in diagnosis.people],
        "who_knows_evidence": [list(one.evidence) for one in diagnosis.people],
        "minutes": diagnosis.minutes,
        "minutes_median": diagnosis.minutes_median,
        "others": [_other_told(one) for one in diagnosis.others],
        "disputes": [
            {"text": one_line(one.text, CLAIM_CHARS_MAX), "evidence": list(one.evidence)} for one in diagnosis.disputes
        ],
        "nearest": [
            {"record": one.address, "title": one_line(one.title, 200), "confidence": round(one.confidence, 3)}
            for one in diagnosis.nearest
        ],
    }


def _other_told(one: OtherCase) -> dict[str, Any]:
    """Another incident of the same failure, as it was."""
    return {
        "record": one.evidence,
        "title": one_line(one.title, TITLE_CHARS_MAX),
        "occurred_at": one.occurred_at.isoformat(),
        "minutes": one.minutes,
        "fix": one_line(one.fix, CLAIM_CHARS_MAX),
        "by": one.by,
        "is_same_fix": one.is_same_fix,
    }


def advice_told(one: Advice) -> dict[str, Any]:
    """Something to do, or not to do, as JSON values: all but the counts stands in its first record."""
    told: dict[str, Any] = {
        "action": one_line(one.action, CLAIM_CHARS_MAX),
        "record": one.record,
        "outcome": one.outcome.value,
        "by": list(one.by),
        "worked": one.worked,
        "no_effect": one.no_effect,
        "made_worse": one.made_worse,
        "rejected": one.rejected,
        "share": round(one.share, 3),
        "share_min": round(one.share_min, 3),
        "evidence": list(one.evidence),
    }
    if one.fixed_at is not None:
        told["fixed_at"] = one.fixed_at.isoformat()
    if one.elsewhere:
        told["elsewhere"] = [
            {"action": one_line(each.action, CLAIM_CHARS_MAX), "outcome": each.outcome.value, "record": each.evidence}
            for each in one.elsewhere
        ]
    means = {"command": one.command, "config": one.config, "diff": one.diff}
    return told | {name: text[:MEANS_CHARS_MAX] for name, text in means.items() if text.strip()}


def _what_not_to_try(desk: Desk, given: FailureArguments) -> ToolAnswer:
    diagnosis = asked(desk, given).diagnosis
    sheet = Sheet(given.tokens_max)
    own = _own(desk, given)
    sheet.say(_avoid_head(diagnosis, len(own[1])))
    told = [_own_told(one, own[0]) for one in own[1] if _say_own(sheet, one, own[0])]
    for one in diagnosis.avoid:
        line = f"- {_verdict(one)}: {quoted(one.action, CLAIM_CHARS_MAX)} {_counts(one)}{refs_text(one.evidence)}"
        if not sheet.say(line, *one.evidence, what="thing not to try", quotes=True):
            continue
        told.append(advice_told(one))
        for quote in one.happened[:1]:
            sheet.say(f"  What happened: {quoted(quote, CLAIM_CHARS_MAX)}", what="what happened")
        for remark in one.remarks[:1]:
            sheet.say(f"  {ours(one_line(remark, CLAIM_CHARS_MAX))}", what="what happened")
        for each in one.elsewhere:
            said = f"  In another incident, {each.outcome.value}: {quoted(each.action, CLAIM_CHARS_MAX)}"
            sheet.say(f"{said}{refs_text((each.evidence,))}", each.evidence, what="what happened")
    for claim in diagnosis.disputes:
        line = f"- Disputed: {ours(one_line(claim.text, CLAIM_CHARS_MAX))}{refs_text(claim.evidence)}"
        sheet.say(line, *claim.evidence, what="dispute", quotes=True)
    if told:
        sheet.say("Do none of these before a person has agreed.")
    return sheet.answer({"familiarity": diagnosis.familiarity.value, "avoid": told})


def _own(desk: Desk, given: FailureArguments) -> tuple[str, tuple[Attempt, ...]]:
    """What failed in the very incident that is asked about, the harm first, and what to cite for it."""
    if not given.incident.strip():
        return "", ()
    kept = known(desk.view(given.at, given.branch), given.incident)
    failed = [one for one in kept.case.attempts if one.outcome in (Outcome.MADE_WORSE, Outcome.NO_EFFECT)]
    return ref_of(kept), tuple(sorted(failed, key=lambda one: one.outcome is not Outcome.MADE_WORSE))


def _say_own(sheet: Sheet, one: Attempt, ref: str) -> bool:
    what = "Made it worse" if one.outcome is Outcome.MADE_WORSE else "No effect"
    line = f"- {what} in this incident itself: {quoted(one.action, CLAIM_CHARS_MAX)}{refs_text((ref,))}"
    return sheet.say(line, ref, what="thing not to try", quotes=True)


def _own_told(one: Attempt, ref: str) -> dict[str, Any]:
    is_harm = one.outcome is Outcome.MADE_WORSE
    counts = {"worked": 0, "no_effect": int(not is_harm), "made_worse": int(is_harm)}
    return {"action": one_line(one.action, CLAIM_CHARS_MAX), **counts, "evidence": [ref], "in_this_incident": True}


def _avoid_head(diagnosis: Diagnosis, own: int) -> str:
    harm = sum(1 for one in diagnosis.avoid if one.made_worse)
    here = f"{counted(own, 'thing')} failed in this incident already. " if own else ""
    if not diagnosis.avoid and own:
        return f"{here}Of earlier incidents nothing is recorded to warn of."
    if not diagnosis.avoid:
        why = (
            "This failure was not seen before."
            if diagnosis.familiarity is Familiarity.NEW
            else "Nothing that was tried for it is recorded as harmful or useless."
        )
        return f"Nothing to warn of. {why} That is no proof that an action is safe."
    near = "" if diagnosis.case else " in incidents that look near to this one"
    warned = sum(1 for one in diagnosis.avoid if not one.tried)
    useless = len(diagnosis.avoid) - harm - warned
    turned_down = f" {warned} proposed as a card {'was' if warned == 1 else 'were'} turned down." if warned else ""
    return f"{here}Before, {harm} made it worse and {useless} did not help{near}.{turned_down}"


def _verdict(one: Advice) -> str:
    if one.made_worse:
        return "Made it worse"
    if not one.tried:
        return "Not to be tried"
    return "Did not last" if one.worked else "No effect"


def _counts(one: Advice) -> str:
    if one.made_worse:
        likely = f"harmful {percent(one.share)} of the time, at least {percent(one.share_min)}"
        return f"({one.made_worse} of {one.tried} tries; estimated {likely})"
    if not one.tried:
        return f"(turned down by {quoted(', '.join(one.by), CLAIM_CHARS_MAX)})"
    if one.worked:
        return f"(held {one.held} of {one.held_of})"
    return f"({one.no_effect} of {one.tried} tries)"


RECALL = Tool(
    name="recall",
    title="Recall what the team knows about a failure",
    description=(
        "Use this first when something fails. Paste an error, a stack trace, log lines or a question into `text`, "
        "or give the id of an `incident`. The answer says whether the team has seen this failure before, how sure that "
        "is, its cause, the fix that worked, what not to try, and who knows about it. Every line ends with the ids of "
        "the records it rests on, in square brackets: cite them. 'Not seen before' is an answer too: then nothing "
        "recorded applies, so do not invent a past incident."
    ),
    arguments=FailureArguments,
    run=_recall,
)

WHAT_NOT_TO_TRY = Tool(
    name="what_not_to_try",
    title="What made this failure worse, or did not help",
    description=(
        "Use this before you propose or run a fix. For an error, a trace or an `incident` it lists the actions that "
        "made the same failure worse, had no effect or did not last, each with how often that happened and the ids of "
        "the records. An empty list is no proof that an action is safe."
    ),
    arguments=FailureArguments,
    run=_what_not_to_try,
)
