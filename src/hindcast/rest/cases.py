"""Cases over HTTP: read what is known about an incident, and add to it as a person or an agent would."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Annotated, Any

from fastapi import FastAPI, Query
from pydantic import AwareDatetime, BaseModel, Field

from hindcast.build.running import Running, redactor
from hindcast.casebook import Casebook, Kept
from hindcast.casebook.people import TEXT_CHARS_MAX, Fix, attempted, judged, missing_in, noted, resolved
from hindcast.config import Settings
from hindcast.experience import on_proposal, record_verdict, verdict_on
from hindcast.memory import Memory
from hindcast.model.case import Attempt, CaseState, Evidence, Outcome, Witness, to_json
from hindcast.model.errors import Missing
from hindcast.model.verdict import Judgement
from hindcast.recollect import Recollect
from hindcast.rest.incidents import Space

By = Annotated[str, Field(min_length=1, max_length=200, description="Who says so.")]
Text = Annotated[str, Field(max_length=TEXT_CHARS_MAX)]
CASES_MAX = 1_000


class NoteSaid(BaseModel):
    """What somebody wants to be remembered."""

    text: Text = Field(min_length=1)
    by: By


class AttemptSaid(BaseModel):
    """What was tried, and what came of it."""

    action: Text = Field(min_length=1)
    by: By
    outcome: Outcome = Outcome.UNKNOWN
    at: AwareDatetime | None = None
    command: Text = ""
    diff: Text = ""
    config: Text = ""


class OutcomeSaid(BaseModel):
    """What came of an attempt that is known."""

    outcome: Outcome
    by: By
    why: Text = ""


class ResolutionSaid(BaseModel):
    """Why it happened and what ended it; each may be said by itself."""

    by: By
    cause: Text = ""
    fix: Text = ""
    attempt: str = Field(default="", max_length=100, description="The attempt that it was.")
    command: Text = ""
    diff: Text = ""
    config: Text = ""
    minutes: float | None = Field(default=None, ge=0)


class VerdictSaid(BaseModel):
    """Whether a case was the right memory for a question, or a proposal out of it was taken."""

    judgement: Judgement
    by: By
    asked: str = Field(default="", description="What was asked; or give the incident.")
    incident: str = Field(default="", description="The incident that was asked about.")
    action: Text = Field(default="", description="The proposal, if it is about one.")
    why: Text = ""


@dataclass(frozen=True, slots=True)
class Desk:
    """What the routes work with."""

    memory: Callable[[str | None], Memory]
    recollect: Callable[[str | None], Recollect]
    now: Callable[[], datetime]
    # Takes secrets out of what people paste.
    clean: Callable[[str], str]


def desk(running: Running, settings: Settings) -> Desk:
    """The desk of a running Hindcast."""
    secrets = redactor(settings)
    return Desk(
        lambda space: running.register.memory(space or running.app.space),
        running.app.recollect,
        running.app.now,
        lambda text: secrets.text(text).text,
    )


def add(app: FastAPI, at: Desk) -> None:
    """Add the routes."""
    _add_reading(app, at)
    _add_saying(app, at)
    _add_judging(app, at)


def _add_reading(app: FastAPI, at: Desk) -> None:
    @app.get("/api/v1/cases", tags=["cases"])
    def list_cases(
        space: Space = None,
        state: CaseState | None = None,
        since: AwareDatetime | None = None,
        cases_max: Annotated[int, Query(ge=1, le=CASES_MAX)] = 100,
    ) -> list[dict[str, Any]]:
        """What is known about incidents, the newest first."""
        states = tuple(CaseState) if state is None else (state,)
        return [to_json(one) for one in Casebook(at.memory(space)).every(since=since, states=states)[:cases_max]]

    @app.get("/api/v1/cases/{case_id}", tags=["cases"])
    def show_case(case_id: str, space: Space = None) -> dict[str, Any]:
        """Everything known about one incident, and what nobody has said yet."""
        return _told(_kept(at, case_id, space))


def _add_saying(app: FastAPI, at: Desk) -> None:
    @app.post("/api/v1/cases/{case_id}/notes", tags=["cases"])
    def note(case_id: str, said: NoteSaid, space: Space = None) -> dict[str, Any]:
        """Add a note."""
        text, now = at.clean(said.text), at.now()
        casebook = Casebook(at.memory(space))
        casebook.change(case_id, lambda case: noted(case, text, by=said.by, at=now), actor=said.by, why="A note.")
        return _told(_kept(at, case_id, space))

    @app.post("/api/v1/cases/{case_id}/attempts", tags=["cases"])
    def attempt(case_id: str, said: AttemptSaid, space: Space = None) -> dict[str, Any]:
        """Say what was tried."""
        action = at.clean(said.action)
        evidence = () if said.outcome is Outcome.UNKNOWN else (_person(f"{action}: {said.outcome}", at.now()),)
        tried = Attempt(
            "",
            action,
            said.outcome,
            said.at,
            said.by,
            diff=at.clean(said.diff),
            command=at.clean(said.command),
            config=at.clean(said.config),
            evidence=evidence,
        )
        casebook = Casebook(at.memory(space))
        casebook.change(case_id, lambda case: attempted(case, tried), actor=said.by, why="Something was tried.")
        return _told(_kept(at, case_id, space))

    @app.post("/api/v1/cases/{case_id}/attempts/{attempt_id}", tags=["cases"])
    def outcome(case_id: str, attempt_id: str, said: OutcomeSaid, space: Space = None) -> dict[str, Any]:
        """Say what came of an attempt."""
        evidence = _person(at.clean(said.why) or f"{attempt_id}: {said.outcome}", at.now())
        Casebook(at.memory(space)).change(
            case_id,
            lambda case: judged(case, attempt_id, said.outcome, evidence=evidence),
            actor=said.by,
            why=f"What came of {attempt_id}.",
        )
        return _told(_kept(at, case_id, space))

    @app.post("/api/v1/cases/{case_id}/resolution", tags=["cases"])
    def resolution(case_id: str, said: ResolutionSaid, space: Space = None) -> dict[str, Any]:
        """Say why it happened and what ended it."""
        fix = Fix(
            at.clean(said.fix),
            at.clean(said.cause),
            said.attempt,
            at.clean(said.command),
            at.clean(said.diff),
            at.clean(said.config),
            said.minutes,
        )
        now = at.now()
        Casebook(at.memory(space)).change(
            case_id, lambda case: resolved(case, fix, by=said.by, at=now), actor=said.by, why="What ended it."
        )
        return _told(_kept(at, case_id, space))


def _add_judging(app: FastAPI, at: Desk) -> None:
    @app.post("/api/v1/cases/{case_id}/verdicts", tags=["cases"])
    def verdict(case_id: str, said: VerdictSaid, space: Space = None) -> dict[str, Any]:
        """Say whether it was the right memory, or whether a proposal was taken."""
        kept = _kept(at, case_id, space)
        recollect = at.recollect(space)
        found = (recollect.about(said.incident) if said.incident else recollect.ask(said.asked)).recollection
        made = verdict_on(found, case_id, said.judgement, version=kept.version, by=said.by, at=at.now())
        if said.action.strip():
            made = on_proposal(made, at.clean(said.action))
        made = replace(made, asked=at.clean(made.asked), why=at.clean(said.why))
        commit = record_verdict(at.memory(space), made, actor=said.by)
        return {"case": case_id, "matter": made.matter, "judgement": made.judgement, "commit": commit.id}


def _kept(at: Desk, case_id: str, space: str | None) -> Kept:
    kept = Casebook(at.memory(space)).kept(case_id)
    if kept is None:
        raise Missing(f"There is no case {case_id!r}.", field="case_id", remedy="GET /api/v1/cases lists them.")
    return kept


def _person(quote: str, now: datetime) -> Evidence:
    return Evidence(Witness.PERSON, quote, "", now)


def _told(kept: Kept) -> dict[str, Any]:
    return {
        "case": to_json(kept.case),
        "version": kept.version,
        "joined_into": kept.joined_into or None,
        "missing": [what for what, _ in missing_in(kept.case)],
    }
