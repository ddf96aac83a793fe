"""Tools that write: what was tried and what came of it, and whether a memory was the right one. They only ever add."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated, Literal

from msgspec import Meta

from hindcast.casebook import Casebook
from hindcast.casebook.people import TEXT_CHARS_MAX, attempt_of, attempted, claim_of, counted, judged, said_by_agent
from hindcast.experience import on_proposal, record_verdict, verdict_on
from hindcast.model.access import Permission
from hindcast.model.case import Attempt, Case, Evidence, Outcome, Witness
from hindcast.model.errors import Malformed, Refused
from hindcast.model.verdict import Judgement, Matter
from hindcast.reason.wording import one_line
from hindcast.toolbox.desk import Desk
from hindcast.toolbox.naming import IncidentId, known, ref_of
from hindcast.toolbox.quoting import cited, named, quoted
from hindcast.toolbox.tool import Arguments, Tool, ToolAnswer

SHOWN_CHARS_MAX = 200
WHY_CHARS_MAX = 400

Means = Annotated[str, Meta(max_length=TEXT_CHARS_MAX, description="How exactly, if there is more to say.")]
Said = Literal["worked", "no_effect", "made_worse", "unknown"]


class AttemptArguments(Arguments, frozen=True, kw_only=True):
    """What was tried."""

    incident: IncidentId
    action: Annotated[
        str,
        Meta(
            max_length=TEXT_CHARS_MAX,
            description="What was done, in one sentence. Leave it out only together with `attempt`.",
            examples=["raised the pool size to 200"],
        ),
    ] = ""
    outcome: Annotated[
        Said, Meta(description="What came of it; unknown while nobody can tell.", examples=["no_effect"])
    ] = "unknown"
    attempt: Annotated[
        str,
        Meta(
            max_length=100,
            description="To say what came of an attempt that is recorded already: its id.",
            examples=["a2"],
        ),
    ] = ""
    why: Annotated[
        str,
        Meta(
            max_length=TEXT_CHARS_MAX,
            description="What shows that it came out so: a number, a log line, an observation.",
            examples=["error rate fell from 120 to 3 per minute"],
        ),
    ] = ""
    command: Means = ""
    diff: Means = ""
    config: Means = ""


class VerdictArguments(Arguments, frozen=True, kw_only=True):
    """What to judge."""

    incident: Annotated[
        str,
        Meta(
            max_length=600,
            description="The remembered incident that recall answered with.",
            examples=["inc-20260930-0203-payment"],
        ),
    ]
    judgement: Annotated[
        Literal["right", "wrong"], Meta(description="Whether it was the right memory for what was asked.")
    ]
    asked: Annotated[
        str,
        Meta(
            max_length=400_000,
            description="What recall was asked: the same text. Give this or `for_incident`.",
            examples=["redis.exceptions.ConnectionError: Connection reset by peer"],
        ),
    ] = ""
    for_incident: Annotated[
        str,
        Meta(max_length=600, description="Instead of `asked`: the id of the incident that recall was asked about."),
    ] = ""
    action: Annotated[
        str,
        Meta(
            max_length=TEXT_CHARS_MAX,
            description="To accept (right) or reject (wrong) one proposed action instead of the whole memory.",
            examples=["raise the pool size"],
        ),
    ] = ""
    why: Annotated[str, Meta(max_length=2_000, description="Why, in a sentence.")] = ""


def _attempt(desk: Desk, given: AttemptArguments) -> ToolAnswer:
    kept = known(desk.memory.now(), given.incident)
    name = kept.case.id
    outcome = Outcome(given.outcome.replace("_", " "))
    book = Casebook(desk.memory)
    if given.attempt.strip():
        evidence = _said(desk, given.why or f"{given.attempt}: {outcome}", outcome)

        def judge(case: Case) -> Case:
            told = attempt_of(case, given.attempt)
            _check_own(told, outcome, desk.actor)
            return judged(case, given.attempt, counted(outcome, told), evidence=evidence)

        case = book.change(name, judge, actor=desk.actor, why=f"What came of {given.attempt.strip()}.")
        return _recorded(desk, case, attempt_of(case, given.attempt), is_new=False)
    if not given.action.strip():
        raise Malformed(
            "Nothing is said to have been done.",
            field="action",
            remedy='Give {"action": "restarted the payment workers"}, or the id of a recorded `attempt`.',
        )
    made = _made(desk, given, outcome)
    before = {one.id for one in kept.case.attempts}

    def edit(case: Case) -> Case:
        # Looked for in the case as it is when it is written: an agent that calls twice at once has tried once.
        return case if _same(case, made) is not None else attempted(case, made)

    case = book.change(name, edit, actor=desk.actor, why=_why(desk, given) or "Something was tried.")
    told = _same(case, made)
    assert told is not None, "what was just recorded is there"
    return _recorded(desk, case, told, is_new=told.id not in before)


def _why(desk: Desk, given: AttemptArguments) -> str:
    return one_line(desk.clean(given.why), WHY_CHARS_MAX)


def _check_own(attempt: Attempt, outcome: Outcome, actor: str) -> None:
    """Raise where another's word would be overruled: an agent may add to what people said, and not unsay it."""
    is_confirmed = bool(attempt.evidence) and attempt.evidence[0].witness is Witness.PERSON
    if attempt.outcome not in (Outcome.UNKNOWN, outcome) and (attempt.by != actor or is_confirmed):
        said = f"{attempt.by} said" if attempt.by else "it is recorded"
        raise Refused(
            f"{attempt.id} has an outcome already: {said} that it {_told(attempt.outcome)}.",
            field="attempt",
            remedy="Leave `attempt` out and record what you did as an attempt of its own.",
        )


def _told(outcome: Outcome) -> str:
    return {Outcome.NO_EFFECT: "had no effect", Outcome.MADE_WORSE: "made it worse"}.get(outcome, str(outcome))


def _made(desk: Desk, given: AttemptArguments, outcome: Outcome) -> Attempt:
    action = desk.clean(given.action).strip()
    is_known = outcome is not Outcome.UNKNOWN
    evidence = (_said(desk, given.why or f"{action}: {outcome}", outcome),) if is_known or given.why.strip() else ()
    return Attempt(
        "",
        action,
        counted(outcome),
        desk.now,
        desk.actor,
        diff=desk.clean(given.diff),
        command=desk.clean(given.command),
        config=desk.clean(given.config),
        evidence=evidence,
    )


def _said(desk: Desk, quote: str, outcome: Outcome) -> Evidence:
    return said_by_agent(outcome, desk.clean(quote).strip(), by=desk.actor, at=desk.now)


def _claimed(attempt: Attempt) -> Outcome:
    """What was said of it, whether that counts yet or not."""
    claimed, _ = claim_of(attempt)
    return claimed if claimed is not Outcome.UNKNOWN else attempt.outcome


def _same(case: Case, made: Attempt) -> Attempt | None:
    """The very same thing said before by the same caller: an agent that calls twice has tried once."""
    fields = ("action", "by", "diff", "command", "config")
    return next(
        (
            one
            for one in case.attempts
            if _claimed(one) is _claimed(made) and all(getattr(one, name) == getattr(made, name) for name in fields)
        ),
        None,
    )


def _recorded(desk: Desk, case: Case, attempt: Attempt, *, is_new: bool) -> ToolAnswer:
    kept = known(desk.memory.now(), case.id)
    done = "Recorded" if is_new else "On record"
    claimed, agent = claim_of(attempt)
    said = f" ({claimed}, said by {named(agent)})" if claimed not in (Outcome.UNKNOWN, attempt.outcome) else ""
    what = f"{quoted(attempt.action, SHOWN_CHARS_MAX)} → {attempt.outcome}{said}"
    text = f"{done} as {named(attempt.id)} of {cited(case.id)}: {what}. [{cited(ref_of(kept))}]"
    if said:
        text += (
            "\nIt does not count as a fix until telemetry of the incident's services shows it, or a person says so: "
            f"hindcast incident attempt {named(case.id)} --set {named(attempt.id)} --outcome {_option(claimed)}"
        )
    elif attempt.outcome is Outcome.UNKNOWN:
        text += (
            f"\nWhen you know what came of it, call attempt_record with attempt={named(attempt.id)} and the outcome."
        )
    data = {
        "incident": case.id,
        "attempt": attempt.id,
        "outcome": attempt.outcome.value.replace(" ", "_"),
        # What an agent said, which counts once telemetry or a person says the same.
        "claimed": claimed.value.replace(" ", "_"),
        "is_new": is_new,
        "record": ref_of(kept),
    }
    return ToolAnswer(text, data, (ref_of(kept),))


def _option(outcome: Outcome) -> str:
    return outcome.value.replace(" ", "-")


def _verdict(desk: Desk, given: VerdictArguments) -> ToolAnswer:
    view = desk.memory.now()
    kept = known(view, given.incident)
    if bool(given.asked.strip()) == bool(given.for_incident.strip()):
        raise Malformed(
            "Right or wrong for what?" if not given.asked.strip() else "A verdict is about one question.",
            field="asked",
            remedy="Give what recall was asked as `asked`, or the incident it was asked about as `for_incident`.",
        )
    if given.for_incident.strip():
        about = known(view, given.for_incident, field="for_incident").case.id
        found = desk.recollect.about(about).recollection
    else:
        found = desk.recollect.ask(given.asked).recollection
    judgement = Judgement(given.judgement)
    made = verdict_on(found, kept.case.id, judgement, version=kept.version, by=desk.actor, at=desk.now)
    if given.action.strip():
        made = on_proposal(made, desk.clean(given.action))
    made = replace(made, asked=desk.clean(made.asked), why=desk.clean(given.why))
    commit = record_verdict(desk.memory, made, actor=desk.actor)
    of = f"{quoted(made.action, SHOWN_CHARS_MAX)} from " if made.matter is Matter.PROPOSAL else ""
    asked = quoted(made.asked, SHOWN_CHARS_MAX)
    text = f"Recorded: {of}{cited(kept.case.id)} is {judgement} for {asked}. [{cited(ref_of(kept))}]"
    data = {
        "incident": kept.case.id,
        "matter": made.matter.value,
        "judgement": judgement.value,
        "commit": commit.id,
        "record": ref_of(kept),
    }
    return ToolAnswer(text, data, (ref_of(kept),))


ATTEMPT_RECORD = Tool(
    name="attempt_record",
    title="Record what was tried",
    description=(
        "Write down an action that was tried during an incident and what came of it, so that the next answer counts "
        "with it. That something worked counts once telemetry or a person confirms it. "
        "Record failures and harm too: they are what nobody should try again. To add the outcome of an "
        "attempt that is recorded already, give its id as `attempt`. The same words said twice are recorded once."
    ),
    arguments=AttemptArguments,
    run=_attempt,
    permission=Permission.RECORD,
)

VERDICT_RECORD = Tool(
    name="verdict_record",
    title="Say whether a memory was right",
    description=(
        "Say whether the incident that recall answered with was the right one for what was asked, or, with `action`, "
        "whether a proposed action is accepted (right) or rejected (wrong). A rejected action is not proposed again "
        "for the same failure. Saying it again replaces what you said before."
    ),
    arguments=VerdictArguments,
    run=_verdict,
    permission=Permission.RECORD,
)
