"""What people say about a case: notes, attempts and what came of them, the cause, the fix, whether it is over.

Each is a function from a case to a case, so that it can be applied to the case as it is when it is written.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from hindcast.model.action import same_action
from hindcast.model.case import (
    Acknowledgement,
    Attempt,
    Case,
    CaseState,
    Cause,
    Evidence,
    Note,
    Outcome,
    Resolution,
    Witness,
)
from hindcast.model.errors import Malformed, Missing, Refused

# A record is a lesson, not a log file: more than this belongs behind a link.
TEXT_CHARS_MAX = 20_000
ATTEMPTS_MAX = 200
NOTES_MAX = 500
# Where the evidence of a measurement stands; it also tells that there was one.
MEASURED_REF = "telemetry"
# Between what an agent says came of something and the agent, in the place where its evidence stands.
_CLAIMED = ", said by "
# What is resolved sooner than this after it began ended when somebody said so; later, nobody knows when.
RESOLVED_WITHIN = timedelta(days=7)


@dataclass(frozen=True, slots=True)
class Fix:
    """What somebody says ended an incident."""

    text: str = ""
    cause: str = ""
    # The attempt it was, if it is one of the case's.
    attempt: str = ""
    command: str = ""
    diff: str = ""
    config: str = ""
    minutes: float | None = None


def noted(case: Case, text: str, *, by: str, at: datetime) -> Case:
    """The case with one more note."""
    said = _said(text, field="text", what="a note")
    if len(case.notes) >= NOTES_MAX:
        raise Refused(f"{case.id} has {NOTES_MAX} notes.", field="text", remedy="Keep longer stories behind a link.")
    note = Note(numbered("n", (one.id for one in case.notes)), said, at, by)
    return replace(case, notes=(*case.notes, note))


def acknowledged(case: Case, *, by: str, at: datetime) -> Case:
    """The case with who works on it. The latest to say so is its owner; saying it again changes nothing."""
    who = _said(by, field="by", what="an owner")
    if case.state is not CaseState.OPEN:
        raise Refused(f"{case.id} is {case.state}.", field="id", remedy="Reopen it first if it is not over.")
    if case.acknowledged is not None and case.acknowledged.by == who:
        return case
    return _with_responders(replace(case, acknowledged=Acknowledgement(who, at)), who)


def attempted(case: Case, attempt: Attempt) -> Case:
    """The case with one more attempt, which gets the next free id of the case."""
    action = _said(attempt.action, field="action", what="an attempt")
    for field in ("command", "diff", "config"):
        _short_enough(getattr(attempt, field), field=field)
    if len(case.attempts) >= ATTEMPTS_MAX:
        raise Refused(
            f"{case.id} has {ATTEMPTS_MAX} attempts.",
            field="action",
            remedy="Say the rest as a note: hindcast incident note",
        )
    if attempt.at is not None and attempt.at.tzinfo is None:
        raise Malformed(f"{attempt.at} has no timezone.", field="at", remedy="Write it as 2026-11-15T02:03:04Z.")
    made = replace(attempt, id=numbered("a", (one.id for one in case.attempts)), action=action)
    return _with_responders(replace(case, attempts=(*case.attempts, made)), attempt.by)


def timed(attempt: Attempt, case: Case, *, now: datetime) -> Attempt:
    """What is told while an incident lasts was done now; what is told of an older one, nobody knows when."""
    if attempt.at is not None and attempt.at > now:
        raise Malformed(f"{attempt.at.isoformat()} has not come yet.", field="at", remedy="Say when it was done.")
    lasts = case.state is CaseState.OPEN and now - case.occurred_at <= RESOLVED_WITHIN
    return replace(attempt, at=now) if attempt.at is None and lasts else attempt


def judged(case: Case, attempt_id: str, outcome: Outcome, *, evidence: Evidence, action: str = "") -> Case:
    """The case with what came of an attempt; a person's word stays first among the evidence."""
    known = attempt_of(case, attempt_id)
    made = replace(
        known,
        outcome=outcome,
        action=action.strip() or known.action,
        evidence=(evidence, *(one for one in known.evidence if one != evidence)),
        confidence=1.0 if evidence.witness is Witness.PERSON else known.confidence,
    )
    return replace(case, attempts=tuple(made if one.id == known.id else one for one in case.attempts))


def said_by_agent(outcome: Outcome, quote: str, *, by: str, at: datetime) -> Evidence:
    """What an agent says came of something: a claim until telemetry or a person says the same."""
    return Evidence(Witness.AGENT, quote, f"{outcome}{_CLAIMED}{by}" if outcome is not Outcome.UNKNOWN else "", at)


def claim_of(attempt: Attempt) -> tuple[Outcome, str]:
    """What an agent said last came of an attempt, and which agent; UNKNOWN: none said so."""
    for said in attempt.evidence:
        outcome, _, agent = said.ref.partition(_CLAIMED)
        if said.witness is Witness.AGENT and agent:
            return Outcome(outcome), agent
    return Outcome.UNKNOWN, ""


def counted(claimed: Outcome, attempt: Attempt | None = None) -> Outcome:
    """The outcome that an agent's claim leaves: that it worked waits for a witness, and no measurement is overruled."""
    known = attempt.outcome if attempt is not None else Outcome.UNKNOWN
    measured = attempt is not None and any(said.ref == MEASURED_REF for said in attempt.evidence)
    if claimed is Outcome.WORKED or (measured and known is not Outcome.UNKNOWN):
        return known if measured or known is Outcome.WORKED else Outcome.UNKNOWN
    return claimed


def attempt_of(case: Case, attempt_id: str) -> Attempt:
    """One attempt of a case, by its id in any spelling. Raises Missing when there is none."""
    for one in case.attempts:
        if one.id.casefold() == attempt_id.strip().casefold():
            return one
    known = ", ".join(one.id for one in case.attempts)
    raise Missing(
        f"{case.id} has no attempt {attempt_id!r}.",
        field="attempt",
        remedy=f"It has {known}." if known else f"Say one: hindcast incident attempt {case.id} 'what was done'",
    )


def resolved(case: Case, fix: Fix, *, by: str, at: datetime) -> Case:
    """The case with its cause and what ended it, as far as somebody says so; what was said before stays otherwise."""
    for field in ("cause", "text", "command", "diff", "config"):
        _short_enough(getattr(fix, field), field="fix" if field == "text" else field)
    if fix.minutes is not None and fix.minutes < 0:
        raise Malformed(f"{fix.minutes:g} minutes is no time.", field="minutes", remedy="Give 0 or more.")
    case = _with_fix(case, fix, by=by, at=at)
    if fix.cause.strip():
        said = Evidence(Witness.PERSON, fix.cause.strip(), "", at)
        case = replace(case, cause=Cause(fix.cause.strip(), by, (said,)))
    return _with_responders(over(case, at=at, minutes=fix.minutes), by)


def over(case: Case, *, at: datetime, minutes: float | None = None) -> Case:
    """The case as one that has ended."""
    ended = case.resolved_at
    if minutes is not None:
        ended = case.occurred_at + timedelta(minutes=minutes)
    elif ended is None and case.occurred_at <= at <= case.occurred_at + RESOLVED_WITHIN:
        ended = at
    return replace(
        case, state=CaseState.RESOLVED, resolved_at=ended, minutes=minutes if minutes is not None else case.minutes
    )


def dismissed(case: Case) -> Case:
    """The case as one that was no incident."""
    return replace(case, state=CaseState.DISMISSED)


def reopened(case: Case) -> Case:
    """The case as one that is not over; what was said about it stays."""
    return replace(case, state=CaseState.OPEN, resolved_at=None, minutes=None)


def missing_in(case: Case) -> tuple[tuple[str, str], ...]:
    """What nobody has said about a case yet, each with the command that says it."""
    gaps: list[tuple[str, str]] = []
    if case.state is CaseState.DISMISSED:
        return ()
    if case.cause is None:
        gaps.append(("the cause", f"hindcast incident resolve {case.id} --cause '…'"))
    if case.resolution is None:
        gaps.append(("what ended it", f"hindcast incident resolve {case.id} --fix '…'"))
    if not case.attempts and case.resolution is None:
        gaps.append(("what was tried", f"hindcast incident attempt {case.id} '…' --outcome no-effect"))
    gaps += [
        (
            f"what came of {one.id} ({one.action[:60]})",
            f"hindcast incident attempt {case.id} --set {one.id} --outcome …",
        )
        for one in case.attempts
        if one.outcome is Outcome.UNKNOWN
    ]
    if case.state is CaseState.OPEN and case.resolution is not None:
        gaps.append(("whether it is over", f"hindcast incident confirm {case.id}"))
    if case.state is CaseState.RESOLVED and case.minutes_to_resolve is None:
        gaps.append(("how long it took", f"hindcast incident resolve {case.id} --minutes …"))
    return tuple(gaps)


def numbered(prefix: str, taken: Iterable[str]) -> str:
    """The next free id, as in a3; an id is the same in any spelling."""
    numbers = [one[len(prefix) :] for one in taken if one[: len(prefix)].casefold() == prefix.casefold()]
    return f"{prefix}{max((int(one) for one in numbers if one.isdecimal()), default=0) + 1}"


def _with_fix(case: Case, fix: Fix, *, by: str, at: datetime) -> Case:
    known = attempt_of(case, fix.attempt) if fix.attempt else _named_by(case, fix.text)
    text = fix.text.strip() or (known.action if known is not None else "")
    if not text:
        if case.resolution is None or not (fix.command or fix.diff or fix.config):
            return case
        text = case.resolution.text
    said = Evidence(Witness.PERSON, text, "", at)
    if known is not None:
        case = judged(case, known.id, Outcome.WORKED, evidence=said)
    before = case.resolution if case.resolution is not None and case.resolution.text == text else None
    made = Resolution(
        text,
        known.id if known is not None else (before.attempt if before else ""),
        at=before.at if before else at,
        by=by,
        diff=fix.diff or (before.diff if before else "") or (known.diff if known else ""),
        command=fix.command or (before.command if before else "") or (known.command if known else ""),
        config=fix.config or (before.config if before else "") or (known.config if known else ""),
        evidence=(said,),
    )
    return replace(case, resolution=made)


def _named_by(case: Case, text: str) -> Attempt | None:
    """The attempt that a fix names, word for word or as the same deed; the latest, if there were several."""
    if not text.strip():
        return None
    words = " ".join(text.casefold().split())
    exact = [one for one in case.attempts if " ".join(one.action.casefold().split()) == words]
    # What made it worse may share its deed with what helped ("raised the limit"), so only its very words name it.
    alike = [one for one in case.attempts if one.outcome is not Outcome.MADE_WORSE and same_action(one.action, text)]
    return next(iter([*reversed(exact), *reversed(alike)]), None)


def _with_responders(case: Case, *names: str) -> Case:
    new = [name for name in names if name and name not in case.responders]
    return replace(case, responders=(*case.responders, *dict.fromkeys(new)))


def _said(text: str, *, field: str, what: str) -> str:
    if not text.strip():
        raise Malformed(f"There is nothing in it: {what} needs words.", field=field, remedy="Say it in a sentence.")
    _short_enough(text, field=field)
    return text.strip()


def _short_enough(text: str, *, field: str) -> None:
    if len(text) > TEXT_CHARS_MAX:
        raise Malformed(
            f"It has {len(text)} characters.",
            field=field,
            remedy=f"Keep what is worth remembering, up to {TEXT_CHARS_MAX} characters, and link to the rest.",
        )
