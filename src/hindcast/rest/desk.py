"""What the routes over incidents and memory work with: one running Hindcast, its spaces, and who has to be told."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any

import msgspec
from fastapi import Query
from starlette.responses import Response

from hindcast.app import App
from hindcast.build.running import Running, redactor
from hindcast.config import Settings
from hindcast.ingest.redact import Redactor
from hindcast.memory import Memory, View
from hindcast.model.errors import Missing
from hindcast.model.incident import Event
from hindcast.model.record import MAIN
from hindcast.register import Register

MOMENT_CHARS_MAX = 300

At = Annotated[
    str | None,
    Query(
        max_length=MOMENT_CHARS_MAX,
        description="As of a moment: a time (2026-11-15T02:03Z, `yesterday`, `2 days ago`), a commit, a snapshot, a "
        "branch. Now if left out.",
    ),
]
OnBranch = Annotated[str, Query(max_length=200, description="On which branch a time is meant.")]


@dataclass(frozen=True, slots=True)
class Desk:
    """One running Hindcast, as routes see it."""

    app: App
    register: Register
    # Takes secrets out of what people paste.
    redactor: Redactor
    # Held while deciding: whoever watches is no place for two at once.
    turn: AbstractContextManager[Any]
    # Tells everybody who listens what happened to an incident.
    tell: Callable[[Event], None]

    def clean(self, text: str) -> str:
        """A text without secrets."""
        return self.redactor.text(text).text

    def now(self) -> datetime:
        """The present."""
        return self.app.now()

    def memory(self, space: str) -> Memory:
        """The memory of a space that somebody has written to. Reading never makes one."""
        found = self.register.existing(space)
        if found is None:
            raise Missing(
                f"Nothing is remembered in {space!r} yet.",
                field="space",
                remedy="The first incident, import or PUT /api/v1/memory/records/… begins its memory.",
            )
        return found

    def view(self, space: str, at: str | None = None, branch: str = MAIN) -> View:
        """What a moment shows; without one, what the branch holds now."""
        memory = self.memory(space)
        return memory.at(at, branch=branch) if at is not None else memory.now(branch)

    def forget(self, space: str) -> None:
        """Keep nothing of a space that may quote what was erased."""
        self.app.forget(space)


def desk(
    running: Running,
    settings: Settings,
    turn: AbstractContextManager[Any],
    tell: Callable[[Event], None],
) -> Desk:
    """The desk of a running Hindcast."""
    return Desk(running.app, running.register, redactor(settings), turn, tell)


def answered(value: object, *, status: int = 200, headers: dict[str, str] | None = None) -> Response:
    """A value as the JSON of an answer, encoded at once."""
    return Response(msgspec.json.encode(value), status, headers, media_type="application/json")
