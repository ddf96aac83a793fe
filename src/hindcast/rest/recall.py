"""Asking memory over HTTP: an error, a trace, a question, or an incident under way."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from fastapi import FastAPI, Query
from pydantic import BaseModel, Field

from hindcast.app import App
from hindcast.asking import ASKED_CHARS_MAX
from hindcast.model.record import MAIN
from hindcast.recall.pack import pack
from hindcast.recollect import Answered
from hindcast.rest.incidents import Space

Moment = Annotated[str | None, Query(description="As of a time, a commit, a snapshot or a branch.")]
Tokens = Annotated[int | None, Query(ge=60, le=100_000, description="Also a text of so many tokens for a model.")]
Explain = Annotated[bool, Query(description="Also every memory that came to mind, with the trace of how.")]


class Question(BaseModel):
    """What somebody wants to know."""

    text: str = Field(min_length=1, max_length=ASKED_CHARS_MAX, description="An error, a trace, a log, a question.")
    services: list[str] = Field(default=[], max_length=100, description="Where it was seen, if that is known.")
    at: str | None = Field(default=None, description="As of a time, a commit, a snapshot or a branch.")
    branch: str = MAIN
    hits_max: int | None = Field(default=None, ge=1, le=100)
    tokens_max: int | None = Field(default=None, ge=60, le=100_000)
    explain: bool = False


def add(app: FastAPI, hindcast: App) -> None:
    """Add the routes."""

    @app.post("/api/v1/recall", tags=["recall"])
    def ask(question: Question, space: Space = None) -> dict[str, Any]:
        """Whether this was seen before; its cause, the fix that worked, what not to try, and the evidence."""
        answered = hindcast.recollect(space).ask(
            question.text,
            services=question.services,
            moment=question.at,
            branch=question.branch,
            hits_max=question.hits_max,
        )
        return _told(answered, explain=question.explain, tokens_max=question.tokens_max)

    @app.get("/api/v1/incidents/{incident_id}/recall", tags=["recall"])
    def about(
        incident_id: str, space: Space = None, at: Moment = None, tokens_max: Tokens = None, explain: Explain = False
    ) -> dict[str, Any]:
        """The same about an incident, from before it."""
        answered = hindcast.recollect(space).about(incident_id, moment=at)
        return _told(answered, explain=explain, tokens_max=tokens_max)


def _told(answered: Answered, *, explain: bool, tokens_max: int | None) -> dict[str, Any]:
    told: dict[str, Any] = {"diagnosis": msgspec.to_builtins(answered.diagnosis)}
    if explain:
        told["recollection"] = msgspec.to_builtins(answered.recollection, str_keys=True)
    if tokens_max is not None:
        told["packed"] = msgspec.to_builtins(
            pack(answered.recollection, answered.diagnosis, tokens_max=tokens_max)
        )  # fmt: skip
    return told
