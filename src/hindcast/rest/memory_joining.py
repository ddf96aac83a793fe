"""Branches, snapshots, merges, reverts, erasure and verification over HTTP."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import FastAPI
from pydantic import Field
from starlette.responses import Response

from hindcast.fixes.erasing import erase as erase_with_cards
from hindcast.memory import Memory
from hindcast.model.answer import Choice, Instead, Policy
from hindcast.model.ids import Address
from hindcast.model.record import MAIN
from hindcast.rest import memory_shapes as shapes
from hindcast.rest.casework import Said
from hindcast.rest.desk import MOMENT_CHARS_MAX, Desk, answered
from hindcast.rest.memory import TAG, WHY_CHARS_MAX, Why
from hindcast.rest.memory_history import commit_moment, numbered
from hindcast.rest.memory_shapes import BranchTold, ErasedTold, MergeTold, SnapshotTold, VerifiedTold
from hindcast.rest.once import Again
from hindcast.rest.paging import ITEMS_IF_UNSAID, Cursor, Limit, Page
from hindcast.rest.seat import Administering, Maintaining, Reading

Name = Annotated[str, Field(min_length=1, max_length=200)]
Moment = Annotated[str | None, Field(default=None, max_length=MOMENT_CHARS_MAX, description="A moment; now if unsaid.")]
MaybeWhy = Annotated[str, Field(default="", max_length=WHY_CHARS_MAX)]


class BranchSaid(Said):
    """A branch to begin."""

    name: Name = Field(examples=["what-if"])
    at: Moment
    branch: Name = MAIN
    why: MaybeWhy


class SnapshotSaid(Said):
    """A moment to name for ever."""

    name: Name = Field(examples=["before-the-migration"])
    at: Moment
    branch: Name = MAIN
    why: MaybeWhy


class Body(Said):
    """A body of one's own, where neither side has it right."""

    body: Any


class MergeSaid(Said):
    """A branch, or any other moment, to join into a branch."""

    source: str = Field(min_length=1, max_length=MOMENT_CHARS_MAX)
    into: Name = MAIN
    policy: Policy = Policy.ASK
    choices: dict[str, Literal["ours", "theirs", "newest"] | Body] = Field(
        default={}, max_length=1_000, description="How single conflicts are settled, by address."
    )
    why: MaybeWhy
    expected_head: str | None = Field(
        default=None, max_length=64, description="Join only if the head of `into` is still this commit; else 409."
    )


class RevertSaid(Said):
    """A commit to undo."""

    commit: str = Field(min_length=6, max_length=64)
    branch: Name = MAIN
    policy: Policy = Policy.ASK
    choices: dict[str, Literal["ours", "theirs", "newest"] | Body] = Field(
        default={}, max_length=1_000, description="How single conflicts are settled, by address."
    )
    why: MaybeWhy


class ErasureSaid(Said):
    """What is to be gone for ever."""

    address: str = Field(min_length=1, max_length=800)
    below: bool = Field(default=False, description="The paths below it as well.")
    why: Why


def add(app: FastAPI, desk: Desk) -> None:
    """Add the routes."""
    _add_branches(app, desk)
    _add_snapshots(app, desk)
    _add_merging(app, desk)
    _add_keeping(app, desk)


def _add_branches(app: FastAPI, desk: Desk) -> None:
    @app.get("/api/v1/memory/branches", tags=[TAG], operation_id="branches_list", response_model=Page[BranchTold])
    def branches_list(seat: Reading, cursor: Cursor = None, limit: Limit = ITEMS_IF_UNSAID) -> Response:
        """Branches and where their heads are, the oldest first."""
        found = tuple(map(shapes.branch, desk.memory(seat.space).branches()))
        return answered(numbered(found, cursor, limit))

    @app.post("/api/v1/memory/branches", tags=[TAG], operation_id="branch_add", response_model=BranchTold)
    def branch_add(said: BranchSaid, seat: Maintaining, again: Again) -> Response:
        """Begin a branch at a moment. It sees what that moment showed; nobody else sees what it adds."""

        def begin() -> Response:
            memory = desk.memory(seat.space)
            start = memory.at(said.at or said.branch, branch=said.branch).moment
            why = desk.clean(said.why or f"branch from {start.name}")
            return answered(shapes.branch(memory.branch(said.name, actor=seat.actor, why=why, start=start)))

        return again.once(seat, said, begin)


def _add_snapshots(app: FastAPI, desk: Desk) -> None:
    @app.get("/api/v1/memory/snapshots", tags=[TAG], operation_id="snapshots_list", response_model=Page[SnapshotTold])
    def snapshots_list(seat: Reading, cursor: Cursor = None, limit: Limit = ITEMS_IF_UNSAID) -> Response:
        """Snapshots and the commits that they name, the oldest first."""
        found = tuple(map(shapes.snapshot, desk.memory(seat.space).snapshots()))
        return answered(numbered(found, cursor, limit))

    @app.post("/api/v1/memory/snapshots", tags=[TAG], operation_id="snapshot_add", response_model=SnapshotTold)
    def snapshot_add(said: SnapshotSaid, seat: Maintaining, again: Again) -> Response:
        """Give a moment a name that never moves."""

        def name() -> Response:
            memory = desk.memory(seat.space)
            place = memory.at(said.at or said.branch, branch=said.branch).moment
            why = desk.clean(said.why or f"snapshot of {place.name}")
            return answered(shapes.snapshot(memory.snapshot(said.name, actor=seat.actor, why=why, moment=place)))

        return again.once(seat, said, name)


def _add_merging(app: FastAPI, desk: Desk) -> None:
    @app.post("/api/v1/memory/merge", tags=[TAG], operation_id="memory_merge", response_model=MergeTold)
    def memory_merge(said: MergeSaid, seat: Maintaining, again: Again) -> Response:
        """Join a branch, or any other moment, into a branch.

        Fields that only one side changed are joined without asking. A true conflict is an answer (`outcome` is
        `conflicts`), and then nothing was written: send it again with `choices` or a `policy`.
        """
        choices = _choices(said.choices, desk)

        def join() -> Response:
            memory = desk.memory(seat.space)
            found = memory.merge(
                memory.at(said.source, branch=said.into).moment,
                said.into,
                actor=seat.actor,
                why=desk.clean(said.why or f"merge {said.source} into {said.into}"),
                policy=said.policy,
                choices=choices,
                expected_head=_head(memory, said.expected_head),
            )
            return answered(shapes.merge(found))

        return again.once(seat, said, join)

    @app.post("/api/v1/memory/revert", tags=[TAG], operation_id="memory_revert", response_model=MergeTold)
    def memory_revert(said: RevertSaid, seat: Maintaining, again: Again) -> Response:
        """Undo one commit by a new one, keeping what came after it. What was changed again since is a conflict."""
        choices = _choices(said.choices, desk)

        def undo() -> Response:
            memory = desk.memory(seat.space)
            commit = _head(memory, said.commit) or said.commit
            found = memory.revert(
                commit,
                actor=seat.actor,
                why=desk.clean(said.why or f"revert {commit[:12]}"),
                branch=said.branch,
                policy=said.policy,
                choices=choices,
            )
            return answered(shapes.merge(found))

        return again.once(seat, said, undo)


def _add_keeping(app: FastAPI, desk: Desk) -> None:
    @app.post("/api/v1/memory/erase", tags=[TAG], operation_id="memory_erase", response_model=ErasedTold)
    def memory_erase(said: ErasureSaid, seat: Administering, again: Again) -> Response:
        """Remove a record's bodies everywhere and for ever, on every branch and in the past.

        For legal duty. Retract what is merely wrong. The chain still verifies, and shows that something was there. With
        a case or an incident go the cards that quote it, and what was decided about them.
        """

        def erase() -> Response:
            where, memory = Address.parse(said.address), desk.memory(seat.space)
            found = erase_with_cards(memory, where, actor=seat.actor, why=desk.clean(said.why), below=said.below).erased
            # Answers that are kept for those who ask again may quote what is gone now.
            again.kept.forget(seat.space)
            desk.forget(seat.space)
            return answered(shapes.erased(found))

        return again.once(seat, said, erase)

    @app.get("/api/v1/memory/verify", tags=[TAG], operation_id="memory_verify", response_model=VerifiedTold)
    def memory_verify(seat: Maintaining) -> Response:
        """Recompute the whole chain and name every fault. It reads everything, so it takes its time."""
        return answered(shapes.verified(desk.memory(seat.space).verify()))


def _choices(said: dict[str, Literal["ours", "theirs", "newest"] | Body], desk: Desk) -> dict[str, Choice]:
    return {
        str(Address.parse(address)): Instead(desk.redactor.document(choice.body)[0])
        if isinstance(choice, Body)
        else Policy(choice)
        for address, choice in said.items()
    }


def _head(memory: Memory, text: str | None) -> str | None:
    """The whole id of a commit that was named by its beginning."""
    return commit_moment(memory, text).name if text is not None else None
