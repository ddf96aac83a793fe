"""Reads somebody's story of an incident, and proposes what it says: attempts, the cause, the fix."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import msgspec
import typer
from rich.console import RenderableType
from rich.text import Text

from hindcast.cli.casepage import OUTCOMES
from hindcast.cli.render import clean, cut
from hindcast.cli.session import Session
from hindcast.model.case import Attempt, Case, Outcome
from hindcast.model.errors import Malformed

QUOTE_CHARS_MAX = 120


@dataclass(frozen=True, slots=True)
class Told:
    """What a story says, as far as it could be read."""

    cause: str = ""
    fix: str = ""
    # What the reading is sure of, and what a person should look at first.
    sure: tuple[Attempt, ...] = ()
    unsure: tuple[Attempt, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing was found in it."""
        return not (self.cause or self.fix or self.sure or self.unsure)


def read(text: str, case: Case, *, ref: str) -> Told:
    """What a story says about a case that is not known of it yet. Raises Malformed when it says nothing."""
    from hindcast.learn.postmortem import case_of
    from hindcast.learn.prose import unsure

    # Times of day in the story belong to the day of the incident.
    found = case_of(text, name=ref or case.id, fallback_at=case.occurred_at)
    known = {one.action.casefold() for one in case.attempts}
    new = [one for one in found.attempts if one.action.casefold() not in known]
    doubtful = {one.id for one in unsure(new)}
    worked = [one.action for one in found.attempts if one.outcome is Outcome.WORKED and one.id not in doubtful]
    told = Told(
        cause=found.cause.text if found.cause is not None else "",
        fix=found.resolution.text if found.resolution is not None else (worked[-1] if worked else ""),
        sure=tuple(one for one in new if one.id not in doubtful),
        unsure=tuple(one for one in new if one.id in doubtful),
    )
    if told.is_empty:
        raise Malformed(
            "Nothing in it says what was tried, why it happened or what ended it.",
            field="--from-text",
            remedy="Say it yourself: --cause '…' --fix '…'.",
        )
    return told


def is_taken(session: Session, told: Told, *, yes: bool, asks: bool) -> bool:
    """Whether somebody wants it written: said ahead, or asked on a terminal."""
    if yes or not asks:
        return yes
    for line in shown(told):
        session.err.print(line)
    return typer.confirm("Write this?", default=True, err=True)


def document(told: Told) -> dict[str, Any]:
    """A proposal as plain values."""
    said: dict[str, Any] = {"written": False, "proposed": msgspec.to_builtins(told)}
    return said


def shown(told: Told) -> list[RenderableType]:
    """A proposal as a person reads it."""
    return list(_lines(told))


def _lines(told: Told) -> Iterator[RenderableType]:
    if told.cause:
        yield Text.assemble(("cause  ", "bold"), clean(told.cause))
    if told.fix:
        yield Text.assemble(("fix    ", "bold"), clean(told.fix))
    for one, doubt in [
        *((one, "") for one in told.sure),
        *((one, " (not sure: it is left out)") for one in told.unsure),
    ]:
        mark, style = OUTCOMES[one.outcome]
        yield Text.assemble((f"{mark} {one.outcome}", style), f"  {clean(one.action)}{doubt}")
        for said in one.evidence[:1]:
            yield Text(f"    {cut(clean(' '.join(said.quote.split())), QUOTE_CHARS_MAX)}", style="dim")
