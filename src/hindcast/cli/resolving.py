"""What `hindcast incident resolve` asks on a terminal: the few things worth asking, and what memory knows of them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

import typer

from hindcast.cli.render import clean
from hindcast.cli.session import Session
from hindcast.model.case import Case, Outcome
from hindcast.model.errors import HindcastError
from hindcast.model.recollection import Familiarity

if TYPE_CHECKING:
    from hindcast.casebook.people import Fix


def asked(session: Session, case: Case, said: Fix) -> tuple[Fix, str]:
    """The few things worth asking, each only if nobody has said it. An empty answer is no answer."""
    if case.cause is None and not said.cause:
        said = replace(said, cause=_cause_again(session, case) or _prompt("Why did it happen?"))
    if case.resolution is None and not (said.text or said.attempt):
        said = replace(said, text=_prompt("What ended it?"))
    if any(one.outcome is Outcome.MADE_WORSE for one in case.attempts):
        return said, ""
    return said, _prompt("Did anything make it worse? (Enter: no)")


def _cause_again(session: Session, case: Case) -> str:
    """The cause of the last time, once somebody has said that it is this one again: silence is no evidence."""
    from hindcast.recollect import Recollect

    try:
        found = Recollect(session.memory(), now=session.now, others=session.other).about(case.id).diagnosis
    except HindcastError:
        # Not being reminded is no reason not to write down what somebody knows.
        return ""
    if found.cause is None or found.familiarity is not Familiarity.SEEN:
        return ""
    typer.echo(clean(f"Last time: {found.cause.text} ({', '.join(found.cause.evidence)})"), err=True)
    return found.cause.text if typer.confirm("Was it the same again?", default=False, err=True) else ""


def _prompt(question: str) -> str:
    answer: str = typer.prompt(question, default="", show_default=False, err=True)
    return answer.strip()
