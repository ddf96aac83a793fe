"""Asking memory over HTTP: an error, a trace, a question, or an incident under way; and saying whether it was right."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Annotated

from fastapi import FastAPI, Path, Query
from pydantic import Field
from starlette.requests import Request
from starlette.responses import Response

from hindcast.ask.intent import failure_in
from hindcast.asking import ASKED_CHARS_MAX, cue_of
from hindcast.casebook.layout import address_of, readable
from hindcast.experience import on_proposal, record_verdict, verdict_on
from hindcast.model.errors import Malformed, Missing
from hindcast.model.recollection import Familiarity, Recollection
from hindcast.model.record import MAIN
from hindcast.model.verdict import NO_EXPERIENCE, Judgement, Matter
from hindcast.reason.answer import diagnose
from hindcast.reason.markdown import markdown
from hindcast.recall.pack import Packed, pack
from hindcast.recollect import Answered
from hindcast.rest import shapes
from hindcast.rest.casework import Id, Said, Text, check_cases
from hindcast.rest.desk import MOMENT_CHARS_MAX, At, Desk, OnBranch, answered
from hindcast.rest.incidents import PAGES, PageFormat, kind_of, page
from hindcast.rest.once import Again
from hindcast.rest.seat import Reading, Recording
from hindcast.rest.shapes import AnswerTold

Tokens = Annotated[int | None, Query(ge=60, le=100_000, description="Also a text of so many tokens for a model.")]
Explain = Annotated[bool, Query(description="Also every memory that came to mind, with the trace of how.")]


class Question(Said):
    """What somebody wants to know."""

    text: str = Field(
        min_length=1,
        max_length=ASKED_CHARS_MAX,
        description="An error, a trace, a log, a question.",
        examples=["ConnectionResetError: [Errno 104] Connection reset by peer"],
    )
    services: list[Annotated[str, Field(max_length=200)]] = Field(
        default=[], max_length=100, description="Where it was seen, if that is known."
    )
    at: str | None = Field(
        default=None, max_length=MOMENT_CHARS_MAX, description="As of a time, a commit, a snapshot or a branch."
    )
    branch: str = Field(default=MAIN, max_length=200)
    hits_max: int | None = Field(default=None, ge=1, le=100)
    tokens_max: int | None = Field(default=None, ge=60, le=100_000)
    explain: bool = False


class VerdictSaid(Said):
    """Whether a case was the right memory for a question, or a proposal out of it was taken."""

    judgement: Judgement
    asked: str = Field(default="", max_length=200_000, description="What was asked; or give the incident.")
    incident: str = Field(default="", max_length=500, description="The incident that was asked about.")
    action: Text = Field(default="", description="The proposal, if it is about one.")
    why: str = Field(default="", max_length=4_000)


@dataclass(frozen=True, slots=True)
class VerdictTold:
    """A verdict that is remembered. Reverting its commit takes it back."""

    case: str
    matter: Matter
    judgement: Judgement
    by: str
    commit: str


def add(app: FastAPI, desk: Desk) -> None:
    """Add the routes."""
    _add_asking(app, desk)
    _add_judging(app, desk)


def _add_asking(app: FastAPI, desk: Desk) -> None:
    @app.post("/api/v1/recall", tags=["recall"], operation_id="recall", response_model=AnswerTold)
    def recall(question: Question, seat: Reading) -> Response:
        """Whether this was seen before; its cause, the fix that worked, what not to try, and the evidence."""
        if desk.register.existing(seat.space) is None:
            return _told(_first_sight(desk, seat.space, question), explain=question.explain, tokens_max=None)
        found = desk.app.recollect(seat.space).ask(
            failure_in(question.text, desk.now()),
            services=question.services,
            moment=question.at,
            branch=question.branch,
            hits_max=question.hits_max,
        )
        return _told(found, explain=question.explain, tokens_max=question.tokens_max)

    @app.get(
        "/api/v1/incidents/{incident_id}/recall",
        tags=["recall"],
        operation_id="incident_recall",
        response_model=AnswerTold,
        responses=PAGES,
    )
    def incident_recall(
        request: Request,
        incident_id: Annotated[str, Path(max_length=500)],
        seat: Reading,
        at: At = None,
        branch: OnBranch = MAIN,
        tokens_max: Tokens = None,
        explain: Explain = False,
        format: PageFormat = None,  # noqa: A002
    ) -> Response:
        """What is known of an incident's failure from before it. Of one under way it is ready before anybody asks."""
        check_cases(desk.memory(seat.space), incident_id)
        ready_at = None
        if at is not None or branch != MAIN:
            found = desk.app.recollect(seat.space).about(incident_id, moment=at, branch=branch)
        else:
            briefing = desk.app.briefing(seat.space, incident_id)
            found = briefing.answered or desk.app.recollect(seat.space).about(incident_id)
            ready_at = briefing.first_at
        if kind_of(request, format) == "markdown":
            return page(
                markdown(found.diagnosis, found.recollection if explain else None), f"{incident_id}-recall.md", format
            )
        told = shapes.answer(found, explain=explain, packed=_packed(found, tokens_max), ready_at=ready_at)
        return answered(told)


def _add_judging(app: FastAPI, desk: Desk) -> None:
    @app.post(
        "/api/v1/incidents/{incident_id}/verdicts",
        tags=["recall"],
        operation_id="verdict_add",
        response_model=VerdictTold,
    )
    def verdict_add(incident_id: Id, said: VerdictSaid, seat: Recording, again: Again) -> Response:
        """Say whether this incident was the right memory for a question, or whether a proposal out of it was taken."""
        if bool(said.asked.strip()) == bool(said.incident.strip()):
            raise Malformed(
                "A verdict is about one question." if said.asked.strip() else "Right for what?",
                field="asked",
                remedy="Give either what was asked or the incident that was asked about.",
            )
        return again.once(seat, said, lambda: answered(_judged(desk, seat.space, seat.actor, incident_id, said)))


def _judged(desk: Desk, space: str, actor: str, case_id: str, said: VerdictSaid) -> VerdictTold:
    memory = desk.memory(space)
    kept = readable(memory.now().find(address_of(case_id)))
    if kept is None:
        raise Missing(
            f"There is no incident {case_id[:100]!r}.", field="incident_id", remedy="GET /api/v1/incidents lists them."
        )
    check_cases(memory, *([said.incident] if said.incident.strip() else []))
    recollect = desk.app.recollect(space)
    asked = (
        recollect.about(said.incident) if said.incident.strip() else recollect.ask(failure_in(said.asked, desk.now()))
    )
    made = verdict_on(asked.recollection, case_id, said.judgement, version=kept.version, by=actor, at=desk.now())
    if said.action.strip():
        made = on_proposal(made, desk.clean(said.action))
    made = replace(made, asked=desk.clean(made.asked), why=desk.clean(said.why))
    commit = record_verdict(memory, made, actor=actor)
    return VerdictTold(case_id, made.matter, made.judgement, actor, commit.id)


def _first_sight(desk: Desk, space: str, question: Question) -> Answered:
    """The answer of a space in which nothing was ever written; asking must not begin its memory."""
    cue, notes = cue_of(question.text, at=desk.now(), services=question.services)
    found = Recollection(cue, Familiarity.NEW, notes=(*notes, "Nothing is remembered in this space yet."))
    return Answered(found, diagnose(found, runbooks=(), experience=NO_EXPERIENCE, space=space))


def _told(found: Answered, *, explain: bool, tokens_max: int | None) -> Response:
    return answered(shapes.answer(found, explain=explain, packed=_packed(found, tokens_max)))


def _packed(found: Answered, tokens_max: int | None) -> Packed | None:
    return pack(found.recollection, found.diagnosis, tokens_max=tokens_max) if tokens_max is not None else None
