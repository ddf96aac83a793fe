"""History over HTTP, to read: commits, what moments mean, differences, blame, versions, and when an answer changed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Annotated, TypeVar

from fastapi import FastAPI, Query
from pydantic import Field
from starlette.responses import Response

from hindcast.memory import Memory, View
from hindcast.memory.compare import value_at
from hindcast.model.answer import Moment
from hindcast.model.errors import Malformed
from hindcast.model.ids import Address, is_commit_prefix
from hindcast.model.query import Filter
from hindcast.model.query import Query as Asked
from hindcast.model.record import MAIN, Json
from hindcast.rest import memory_shapes as shapes
from hindcast.rest.desk import MOMENT_CHARS_MAX, At, Desk, OnBranch, answered
from hindcast.rest.memory import TAG
from hindcast.rest.memory_shapes import (
    BlameTold,
    CommitChanges,
    CommitTold,
    DifferenceTold,
    RecordTold,
    ResolvedTold,
    TurnTold,
)
from hindcast.rest.paging import ITEMS_IF_UNSAID, Cursor, Limit, Page, cursor_of, position_of
from hindcast.rest.seat import Reading

T = TypeVar("T")

SHOWN_MAX = 1_000
# Before anything could have been remembered.
BEGINNING = "1970-01-01T00:00:00+00:00"

AddressAsked = Annotated[
    str, Query(min_length=1, max_length=800, description="namespace/path or namespace/path#entry.")
]
MomentAsked = Annotated[
    str, Query(min_length=1, max_length=MOMENT_CHARS_MAX, description="A time, a commit, a snapshot or a branch.")
]
Shown = Annotated[int, Query(ge=0, le=SHOWN_MAX, description="How many of each part to show; all are counted.")]


def add(app: FastAPI, desk: Desk) -> None:
    """Add the routes."""
    _add_commits(app, desk)
    _add_moments(app, desk)
    _add_versions(app, desk)
    _add_bisect(app, desk)


def _add_commits(app: FastAPI, desk: Desk) -> None:
    @app.get("/api/v1/memory/commits", tags=[TAG], operation_id="commits_list", response_model=Page[CommitTold])
    def commits_list(
        seat: Reading,
        at: At = None,
        branch: OnBranch = MAIN,
        every: Annotated[bool, Query(description="Commits of all branches.")] = False,
        cursor: Cursor = None,
        limit: Limit = ITEMS_IF_UNSAID,
    ) -> Response:
        """Steps of history, the newest first: who changed what, when and why."""
        memory = desk.memory(seat.space)
        before = _step(cursor)
        if every and at is not None:
            before = min(before or _after(memory, at, branch), _after(memory, at, branch))
        moment = None if every else _moment(memory, at, branch)
        found = memory.log(moment, before=before, commits_max=limit + 1)
        more = cursor_of(found[limit - 1].seq) if len(found) > limit else None
        return answered(Page(tuple(map(shapes.commit, found[:limit])), more))

    @app.get("/api/v1/memory/commits/{commit}", tags=[TAG], operation_id="commit_get", response_model=CommitChanges)
    def commit_get(
        commit: Annotated[str, Field(max_length=64, description="Its id, or the beginning of it.")],
        seat: Reading,
        shown: Shown = 100,
    ) -> Response:
        """One commit with what it learned, changed and forgot."""
        memory = desk.memory(seat.space)
        found = memory.log(commit_moment(memory, commit), commits_max=1)[0]
        difference = shapes.difference(memory.changes(found), shown_max=shown)
        return answered(CommitChanges(shapes.commit(found), difference))


def _add_moments(app: FastAPI, desk: Desk) -> None:
    @app.get("/api/v1/memory/moments/resolve", tags=[TAG], operation_id="moment_resolve", response_model=ResolvedTold)
    def moment_resolve(seat: Reading, moment: MomentAsked = MAIN, branch: OnBranch = MAIN) -> Response:
        """What somebody's word for a moment means: the branch, the step, and the last commit that it includes."""
        memory = desk.memory(seat.space)
        place = memory.at(moment, branch=branch).moment
        last = memory.log(place, commits_max=1)
        return answered(ResolvedTold(shapes.moment(place), shapes.commit(last[0]) if last else None))

    @app.get("/api/v1/memory/diff", tags=[TAG], operation_id="memory_diff", response_model=DifferenceTold)
    def memory_diff(
        seat: Reading, before: MomentAsked, after: MomentAsked = MAIN, branch: OnBranch = MAIN, shown: Shown = 100
    ) -> Response:
        """What was learned, changed and forgotten between two moments."""
        memory = desk.memory(seat.space)
        left, right = memory.at(before, branch=branch).moment, memory.at(after, branch=branch).moment
        return answered(shapes.difference(memory.diff(left, right), shown_max=shown))


def _add_versions(app: FastAPI, desk: Desk) -> None:
    @app.get("/api/v1/memory/history", tags=[TAG], operation_id="record_history", response_model=Page[RecordTold])
    def record_history(
        seat: Reading,
        address: AddressAsked,
        at: At = None,
        branch: OnBranch = MAIN,
        cursor: Cursor = None,
        limit: Limit = ITEMS_IF_UNSAID,
    ) -> Response:
        """Every version of one address, the newest first."""
        memory = desk.memory(seat.space)
        found = memory.history(Address.parse(address), _moment(memory, at, branch))
        before = _step(cursor)
        rows = [one for one in found if before is None or one.version < before]
        more = cursor_of(rows[limit - 1].version) if len(rows) > limit else None
        return answered(Page(tuple(map(shapes.record, rows[:limit])), more))

    @app.get("/api/v1/memory/blame", tags=[TAG], operation_id="record_blame", response_model=Page[BlameTold])
    def record_blame(
        seat: Reading,
        address: AddressAsked,
        at: At = None,
        branch: OnBranch = MAIN,
        cursor: Cursor = None,
        limit: Limit = ITEMS_IF_UNSAID,
    ) -> Response:
        """Which commit gave each field of a record the value it has."""
        memory = desk.memory(seat.space)
        found = memory.blame(Address.parse(address), _moment(memory, at, branch))
        return answered(numbered(tuple(map(shapes.blame, found)), cursor, limit))


def _add_bisect(app: FastAPI, desk: Desk) -> None:
    @app.get("/api/v1/memory/bisect", tags=[TAG], operation_id="memory_bisect", response_model=TurnTold)
    def memory_bisect(
        seat: Reading,
        text: Annotated[str | None, Query(max_length=20_000, description="A question, as for search.")] = None,
        address: Annotated[str | None, Query(max_length=800, description="Ask for the value here instead.")] = None,
        field: Annotated[str, Query(max_length=500, description="Only this dotted field of it.")] = "",
        namespace: Annotated[str | None, Query(max_length=200, description="Search only here.")] = None,
        top: Annotated[int, Query(ge=1, le=100, description="How many hits make the answer.")] = 1,
        since: Annotated[str | None, Query(max_length=MOMENT_CHARS_MAX, description="Where to begin.")] = None,
        until: Annotated[str | None, Query(max_length=MOMENT_CHARS_MAX, description="Where to end; now.")] = None,
        branch: OnBranch = MAIN,
    ) -> Response:
        """When the answer to a question changed, and which commit did it: twenty looks for a million commits."""
        if (text is None) == (address is None):
            raise Malformed("A bisection needs one question.", field="text", remedy="Give either text or address.")
        memory = desk.memory(seat.space)
        last = _moment(memory, until, branch)
        question: Asked | Callable[[View], Json] = Asked(text or "", Filter(namespace=namespace), top)
        if address is not None:
            where = Address.parse(address)
            question = value_at(where, field)
            # That it came into being is no answer to when it changed.
            since = since or memory.history(where, last)[-1].commit
        first = _moment(memory, since or BEGINNING, branch)
        return answered(shapes.turn(memory.bisect(question, since=first, until=last)))


def numbered(items: Sequence[T], cursor: str | None, limit: int) -> Page[T]:
    """A page of a list that does not move: its cursor is a place in it."""
    place = int(position_of(cursor, int)[0]) if cursor is not None else 0
    if place < 0:
        raise Malformed("That is no place in a list.", field="cursor", remedy="Use `next` of the page before as it is.")
    more = cursor_of(place + limit) if len(items) > place + limit else None
    return Page(tuple(items[place : place + limit]), more)


def _moment(memory: Memory, at: str | None, branch: str) -> Moment:
    """The moment itself, held still."""
    return memory.at(at if at is not None else branch, branch=branch).moment


def _after(memory: Memory, at: str, branch: str) -> int:
    return _moment(memory, at, branch).seq + 1


def commit_moment(memory: Memory, text: str) -> Moment:
    """A commit by its id or the beginning of it; no other word for a moment will do."""
    if not is_commit_prefix(text):
        raise Malformed(
            f"{text[:40]!r} is not a commit id.", field="commit", remedy="GET /api/v1/memory/commits lists them."
        )
    return memory.at(text).moment


def _step(cursor: str | None) -> int | None:
    """The step that a cursor continues below."""
    if cursor is None:
        return None
    step = int(position_of(cursor, int)[0])
    # No engine counts further.
    return min(max(step, 0), 2**62)
