"""Memory over HTTP: records by address, by filter and by search, at any moment; writing and taking back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Annotated, Any

from fastapi import Depends, FastAPI, Path, Query
from pydantic import AwareDatetime, Field
from starlette.responses import Response

from hindcast.casebook.writing import Plan, write
from hindcast.ingest.redact import redacted_record
from hindcast.memory import Memory, View
from hindcast.model.errors import Malformed, Missing, Stale
from hindcast.model.ids import Address, check_name
from hindcast.model.query import Filter
from hindcast.model.query import Query as Asked
from hindcast.model.record import DEFAULT_KIND, MAIN, Change, Commit, State
from hindcast.rest import memory_shapes as shapes
from hindcast.rest.casework import Said
from hindcast.rest.conditions import IfMatch, IfNoneMatch, Unmatched, etag, is_known, matching
from hindcast.rest.desk import At, Desk, OnBranch, answered
from hindcast.rest.memory_shapes import CommitTold, FoundTold, NamespaceTold, RecordTold, WrittenTold
from hindcast.rest.once import Again
from hindcast.rest.paging import ITEMS_IF_UNSAID, Cursor, Limit, Page, cursor_of, position_of
from hindcast.rest.seat import Maintaining, Reading, Seat

WHY_CHARS_MAX = 4_000
CHANGES_MAX = 1_000
HITS_MAX = 100
TAG = "memory"

AddressIn = Annotated[
    str, Path(max_length=800, description="namespace/path, or namespace/path#entry with # written as %23.")
]
Why = Annotated[str, Field(min_length=1, max_length=WHY_CHARS_MAX, description="Why; it stays in history.")]


class RecordSaid(Said):
    """What is to be remembered at an address."""

    body: Any = Field(description="Any JSON value.", examples=[{"size": 40}])
    why: Why
    kind: str | None = Field(default=None, max_length=64, description="What is there keeps its kind if left out.")
    text: str | None = Field(default=None, max_length=200_000, description="What search reads instead of the body.")
    occurred_at: AwareDatetime | None = Field(default=None, description="When it happened, if not now.")
    branch: str = Field(default=MAIN, max_length=200)


class ChangeSaid(Said):
    """One change among several: a body, or its end."""

    address: str = Field(max_length=800)
    body: Any = None
    retract: bool = Field(default=False, description="It is no longer true; then without a body.")
    kind: str | None = Field(default=None, max_length=64)
    text: str | None = Field(default=None, max_length=200_000)
    occurred_at: AwareDatetime | None = None


class CommitSaid(Said):
    """Several changes that are written as one step: all of them, or none."""

    changes: list[ChangeSaid] = Field(min_length=1, max_length=CHANGES_MAX)
    why: Why
    branch: str = Field(default=MAIN, max_length=200)
    expected_head: str | None = Field(
        default=None, max_length=64, description="Write only if the branch's head is still this commit; else 409."
    )


def filtered(
    namespace: Annotated[str | None, Query(max_length=200, description="Only this namespace.")] = None,
    prefix: Annotated[str | None, Query(max_length=600, description="Only this path and what is below it.")] = None,
    kind: Annotated[str | None, Query(max_length=64, description="Only records of this kind.")] = None,
    actor: Annotated[str | None, Query(max_length=200, description="Only what this actor remembered.")] = None,
    since: Annotated[AwareDatetime | None, Query(description="Learned then or later.")] = None,
    until: Annotated[AwareDatetime | None, Query(description="Learned before.")] = None,
    happened_since: Annotated[AwareDatetime | None, Query(description="Happened then or later.")] = None,
    happened_until: Annotated[AwareDatetime | None, Query(description="Happened before.")] = None,
) -> Filter:
    """Which records count."""
    return Filter(namespace, prefix, kind, actor, happened_since, happened_until, since, until)


Filtered = Annotated[Filter, Depends(filtered)]


def add(app: FastAPI, desk: Desk) -> None:
    """Add the routes."""
    _add_lists(app, desk)
    _add_search(app, desk)
    _add_record(app, desk)
    _add_writing(app, desk)


def _add_lists(app: FastAPI, desk: Desk) -> None:
    @app.get("/api/v1/memory/records", tags=[TAG], operation_id="records_list", response_model=Page[RecordTold])
    def records_list(
        seat: Reading,
        wanted: Filtered,
        archived: Annotated[bool, Query(description="What was archived, instead of what is live.")] = False,
        at: At = None,
        branch: OnBranch = MAIN,
        cursor: Cursor = None,
        limit: Limit = ITEMS_IF_UNSAID,
    ) -> Response:
        """Records in the order of their addresses."""
        after = str(position_of(cursor, str)[0]) if cursor is not None else None
        states = (State.ARCHIVED,) if archived else (State.LIVE,)
        page = desk.view(seat.space, at, branch).list(wanted, after=after, records_max=limit, states=states)
        following = cursor_of(page.next) if page.next is not None else None
        return answered(Page(tuple(map(shapes.record, page.records)), following))

    @app.get(
        "/api/v1/memory/namespaces", tags=[TAG], operation_id="namespaces_list", response_model=Page[NamespaceTold]
    )
    def namespaces_list(
        seat: Reading,
        wanted: Filtered,
        at: At = None,
        branch: OnBranch = MAIN,
        cursor: Cursor = None,
        limit: Limit = ITEMS_IF_UNSAID,
    ) -> Response:
        """Namespaces and how many live records each holds, in the order of their names."""
        after = str(position_of(cursor, str)[0]) if cursor is not None else ""
        counts = desk.view(seat.space, at, branch).namespaces(wanted)
        names = sorted(name for name in counts if name > after)
        items = tuple(NamespaceTold(name, counts[name]) for name in names[:limit])
        return answered(Page(items, cursor_of(names[limit - 1]) if len(names) > limit else None))


def _add_search(app: FastAPI, desk: Desk) -> None:
    @app.get("/api/v1/memory/search", tags=[TAG], operation_id="memory_search", response_model=FoundTold)
    def memory_search(
        seat: Reading,
        text: Annotated[str, Query(min_length=1, max_length=20_000, description="What to find.")],
        wanted: Filtered,
        at: At = None,
        branch: OnBranch = MAIN,
        arm: Annotated[list[str] | None, Query(max_length=4, description="Only words, or only meaning.")] = None,
        limit: Annotated[int, Query(ge=1, le=HITS_MAX, description="How many hits at most.")] = 10,
    ) -> Response:
        """What answers a question, by its words and by its meaning, at any moment, each with how it was found."""
        view = desk.view(seat.space, at, branch)
        return answered(shapes.found(view.search(Asked(text, wanted, limit, tuple(arm) if arm else None)), view.moment))


def _add_record(app: FastAPI, desk: Desk) -> None:
    path = "/api/v1/memory/records/{address:path}"

    @app.get(
        path,
        tags=[TAG],
        operation_id="record_get",
        response_model=RecordTold,
        responses={304: {"description": "It is still what you have."}},
    )
    def record_get(
        address: AddressIn, seat: Reading, at: At = None, branch: OnBranch = MAIN, if_none_match: IfNoneMatch = None
    ) -> Response:
        """The record at an address."""
        found = desk.view(seat.space, at, branch).get(Address.parse(address))
        tag = etag(found.version)
        if is_known(if_none_match, tag):
            return Response(status_code=304, headers={"ETag": tag})
        return answered(shapes.record(found), headers={"ETag": tag})

    @app.put(path, tags=[TAG], operation_id="record_put", response_model=WrittenTold)
    def record_put(
        address: AddressIn,
        said: RecordSaid,
        seat: Maintaining,
        if_match: IfMatch = None,
        if_none_match: IfNoneMatch = None,
    ) -> Response:
        """Remember something at an address. What was there before stays in the past.

        With `If-None-Match: *` only where nothing is; with `If-Match` only over the version that was read.
        """
        where = Address.parse(address)
        memory = _written_to(desk, seat)
        wanted = Change(where, said.body, said.kind or DEFAULT_KIND, said.text, said.occurred_at)
        change, redacted = redacted_record(desk.redactor, wanted)

        def plan(view: View) -> list[Change]:
            known = view.find(where)
            if known is not None and if_none_match is not None and is_known(if_none_match, etag(known.version)):
                raise Unmatched(
                    f"There is a record at {where}.", field="If-None-Match", remedy="Read it, or leave the header out."
                )
            kind = said.kind or (known.kind if known is not None else DEFAULT_KIND)
            return [replace(change, kind=kind)]

        made = _write(memory, where, plan, seat, if_match, desk.clean(said.why), said.branch)
        record = memory.at(made.id).get(where)
        written = WrittenTold(shapes.commit(made), shapes.record(record), redacted)
        return answered(written, headers={"ETag": etag(record.version)})

    @app.delete(path, tags=[TAG], operation_id="record_retract", response_model=WrittenTold)
    def record_retract(
        address: AddressIn,
        seat: Maintaining,
        why: Annotated[str, Query(min_length=1, max_length=WHY_CHARS_MAX, description="Why; it stays in history.")],
        branch: OnBranch = MAIN,
        if_match: IfMatch = None,
    ) -> Response:
        """Say that something is no longer true. The past still shows it."""
        where = Address.parse(address)
        memory = desk.memory(seat.space)
        change = [Change(where, state=State.RETRACTED)]
        made = _write(memory, where, lambda _: change, seat, if_match, desk.clean(why), branch)
        return answered(WrittenTold(shapes.commit(made), None))


def _add_writing(app: FastAPI, desk: Desk) -> None:
    @app.post("/api/v1/memory/commits", tags=[TAG], operation_id="commit_add", response_model=CommitTold)
    def commit_add(said: CommitSaid, seat: Maintaining, again: Again) -> Response:
        """Write several changes as one step: all of them, or none."""
        wanted = (_change(one, place) for place, one in enumerate(said.changes))
        changes = [redacted_record(desk.redactor, one)[0] for one in wanted]

        def commit() -> Response:
            made = _written_to(desk, seat).commit(
                changes,
                actor=seat.actor,
                why=desk.clean(said.why),
                branch=said.branch,
                expected_head=said.expected_head,
            )
            return answered(shapes.commit(made))

        return again.once(seat, said, commit)


def _change(said: ChangeSaid, place: int) -> Change:
    where = Address.parse(said.address)
    if said.retract and said.body is not None:
        raise Malformed(
            "A change has a body and takes it back at once.",
            field=f"changes.{place}.retract",
            remedy="Give a body, or `retract`.",
        )
    state = State.RETRACTED if said.retract else State.LIVE
    return Change(where, said.body, said.kind or DEFAULT_KIND, said.text, said.occurred_at, state)


def _write(
    memory: Memory, where: Address, plan: Plan, seat: Seat, if_match: str | None, why: str, branch: str
) -> Commit:
    """Write what a plan makes of the present, if the record is still of the version that was read."""
    with matching(if_match) as expected:

        def checked(view: View) -> Sequence[Change]:
            known = view.find(where)
            if if_match is not None and (known is None or expected not in (None, known.version)):
                raise Stale(f"{where} is not what was read.", field="If-Match", remedy="Read it again, then decide.")
            return plan(view)

        made = write(memory, checked, actor=seat.actor, why=why, branch=branch)
    if made is None:
        raise Missing(f"There is nothing to write at {where}.", field="address", remedy="Check its spelling.")
    return made


def _written_to(desk: Desk, seat: Seat) -> Memory:
    """The memory of a space, begun by whoever writes to it first."""
    check_name(seat.space, field="space")
    return desk.register.memory(seat.space)
