"""The memory log over HTTP: every proposal and what was decided about it, at any moment; and the rules of a team."""

from __future__ import annotations

import threading
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from functools import cache
from typing import TYPE_CHECKING, Annotated

from fastapi import FastAPI, Path, Query
from starlette.responses import Response

from hindcast.fixes.telling import RuleTold, rule_told
from hindcast.model.card import CardSource, CardState, LogLine
from hindcast.model.errors import Malformed
from hindcast.model.record import MAIN
from hindcast.model.workspace import FoundLine
from hindcast.rest.casework import Said
from hindcast.rest.desk import At, Desk, OnBranch, answered
from hindcast.rest.fixes import NAME_CHARS_MAX, TAG, InWorkspace
from hindcast.rest.incidents import TEXT_CHARS_MAX
from hindcast.rest.once import Again
from hindcast.rest.paging import ITEMS_IF_UNSAID, Cursor, Limit, Page, cursor_of, position_of
from hindcast.rest.seat import Maintaining, Reading

if TYPE_CHECKING:
    from hindcast.fixes.log import Logbook

EPOCH = datetime(1970, 1, 1, tzinfo=UTC)

RuleId = Annotated[str, Path(max_length=200, description="As GET /api/v1/code-rules shows it.")]


@dataclass(frozen=True, slots=True)
class LogTold:
    """Some lines of the memory log, and how many there are of each state under the other conditions."""

    items: tuple[LogLine, ...]
    counts: dict[CardState, int]
    # Opaque; None at the end.
    next: str | None = None


@dataclass(frozen=True, slots=True)
class RuleMatchesTold:
    """A rule, and what it would find in a workspace today."""

    rule: RuleTold
    matches: tuple[FoundLine, ...]


class RuleSaid(Said):
    """Whether cards are made by a rule."""

    is_on: bool


def add(app: FastAPI, desk: Desk) -> None:
    """Add the routes."""
    _add_log(app, desk)
    _add_rules(app, desk)


def _add_log(app: FastAPI, desk: Desk) -> None:
    @cache
    def book() -> Logbook:
        from hindcast.fixes.log import Logbook

        return Logbook(lock=threading.Lock)

    @app.get("/api/v1/memory-log", tags=[TAG], operation_id="memory_log", response_model=LogTold)
    def memory_log(
        seat: Reading,
        workspace: Annotated[str, Query(max_length=NAME_CHARS_MAX, description="Only of this workspace.")] = "",
        state: Annotated[list[CardState] | None, Query(max_length=10, description="Only these; repeat it.")] = None,
        source: Annotated[CardSource | None, Query(description="Only cards from there.")] = None,
        incident: Annotated[str, Query(max_length=500, description="Only of this incident.")] = "",
        q: Annotated[
            str, Query(max_length=TEXT_CHARS_MAX, description="Each word in title, file, reason or name.")
        ] = "",
        at: At = None,
        branch: OnBranch = MAIN,
        cursor: Cursor = None,
        limit: Limit = ITEMS_IF_UNSAID,
    ) -> Response:
        """Every proposal and what was decided about it, the newest first, with how many there are of each state."""
        # Loaded with the first reader: a start does not wait for it.
        from hindcast.fixes.log import Wanted, counts, lines, page

        view = desk.view(seat.space, at, branch)
        if at is None and branch == MAIN:
            chosen = Wanted(workspace, (), source, incident, q)
            found = book().lines(seat.space, view, chosen)
        else:
            found = lines(view, workspace=workspace, source=source, incident=incident, text=q)
        wanted = [line for line in found if not state or line.state in state]
        shown = page(wanted, after=_after(cursor), lines_max=limit)
        more = cursor_of(_microseconds(shown.next[0]), shown.next[1]) if shown.next is not None else None
        return answered(LogTold(shown.lines, counts(found), more))


def _microseconds(at: datetime) -> int:
    return (at - EPOCH) // timedelta(microseconds=1)


def _after(cursor: str | None) -> tuple[datetime, str] | None:
    """The place in the log that a cursor names."""
    if cursor is None:
        return None
    moment, card = position_of(cursor, int, str)
    try:
        return EPOCH + timedelta(microseconds=int(moment)), str(card)
    except OverflowError as error:
        raise Malformed(
            f"{cursor[:40]!r} is not a cursor of this list.", field="cursor", remedy="Leave it out to begin anew."
        ) from error


def _add_rules(app: FastAPI, desk: Desk) -> None:
    @app.get("/api/v1/code-rules", tags=[TAG], operation_id="code_rules_list", response_model=Page[RuleTold])
    def code_rules_list(seat: Reading, cursor: Cursor = None, limit: Limit = ITEMS_IF_UNSAID) -> Response:
        """The rules that this team made from its fixes, in the order of their ids, switched on or not."""
        desk.memory(seat.space)
        after = str(position_of(cursor, str)[0]) if cursor is not None else ""
        rows = [rule_told(rule) for rule in desk.app.fixes.verdicts.rules(seat.space) if rule.id > after]
        rows.sort(key=lambda rule: rule.id)
        return answered(Page(tuple(rows[:limit]), cursor_of(rows[limit - 1].id) if len(rows) > limit else None))

    @app.get("/api/v1/code-rules/{rule_id}", tags=[TAG], operation_id="code_rule_get", response_model=RuleMatchesTold)
    def code_rule_get(rule_id: RuleId, seat: Reading, workspace: InWorkspace = "") -> Response:
        """A rule, and what it would find in a workspace today."""
        from hindcast.fixes.team_rules import rule_in

        rule = rule_told(rule_in(desk.view(seat.space), rule_id))
        return answered(
            RuleMatchesTold(rule, desk.app.fixes.verdicts.rule_matches(seat.space, rule_id, workspace=workspace))
        )

    @app.post("/api/v1/code-rules/{rule_id}", tags=[TAG], operation_id="code_rule_switch", response_model=RuleTold)
    def code_rule_switch(rule_id: RuleId, said: RuleSaid, seat: Maintaining, again: Again) -> Response:
        """Say whether cards are made by a rule from now on."""

        def switch() -> Response:
            desk.memory(seat.space)
            made = desk.app.fixes.verdicts.switch_rule(
                seat.space, rule_id, is_on=said.is_on, by=seat.actor, now=desk.now()
            )
            return answered(rule_told(made))

        return again.once(seat, said, switch)
