"""Verdict and retire: what people say about an answer, and about what no longer exists. Both can be taken back."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Annotated

import typer
from rich.text import Text

from hindcast.cli import deciding
from hindcast.cli.options import MaybeWhy
from hindcast.cli.render import clean, first_line
from hindcast.cli.session import Session, verb
from hindcast.model.errors import Malformed, Missing
from hindcast.model.verdict import Judgement

if TYPE_CHECKING:
    from hindcast.model.recollection import Recollection

Case = Annotated[str, typer.Argument(metavar="CASE", help="The case that was shown, as in inc-7 or cases/inc-7.")]


def verdict(
    session: Session,
    case_id: Case,
    right: Annotated[bool, typer.Option("--right", help="It was the right memory.")] = False,
    wrong: Annotated[bool, typer.Option("--wrong", help="It was not.")] = False,
    asked: Annotated[str, typer.Option("--for", metavar="TEXT", help="What you had asked.")] = "",
    incident: Annotated[str, typer.Option("--incident", metavar="ID", help="The incident you had asked about.")] = "",
    action: Annotated[
        str, typer.Option("--action", metavar="TEXT", help="The proposal that you take or reject, if it is about one.")
    ] = "",
    why: MaybeWhy = None,
) -> None:
    """Say whether a remembered case was the right one. The next answers count with it; a revert takes it back."""
    from hindcast.experience import on_proposal, record_verdict, verdict_on

    if right == wrong:
        raise Malformed("Was it right or wrong?", field="--right", remedy="Give either --right or --wrong.")
    if bool(asked.strip()) == bool(incident.strip()):
        raise Malformed(
            "A verdict is about one question." if asked else "Right for what?",
            field="--for",
            remedy="Give what you had asked with --for, or the incident with --incident.",
        )
    name = case_id.removeprefix("cases/").partition("@")[0]
    casebook = deciding.register(session).casebook(session.settings.space)
    kept = casebook.kept(name)
    if kept is None:
        raise Missing(f"There is no case {name!r}.", field="CASE", remedy="`hindcast incident list` shows them.")
    judgement = Judgement.RIGHT if right else Judgement.WRONG
    made = verdict_on(
        _recalled(session, asked, incident), name, judgement, version=kept.version, by=session.who, at=session.now()
    )
    made = replace(on_proposal(made, action) if action.strip() else made, why=why or "")
    commit = record_verdict(session.memory(), made, actor=session.who)
    what = f"{action.strip()!r} from {name}" if action.strip() else name
    said = f"Remembered: {what} is {made.judgement} for {first_line(made.asked)!r}."
    session.answer(
        {"case": name, "judgement": made.judgement, "matter": made.matter, "commit": commit.id, "by": made.by},
        Text(clean(said)),
    )
    session.hint(f"Take it back: hindcast memory revert {commit.id[:12]} --why …")


def retire(
    session: Session,
    name: Annotated[str, typer.Argument(metavar="NAME", help="A service or component; none: list them.")] = "",
    back: Annotated[bool, typer.Option("--back", help="It is there again.")] = False,
    why: MaybeWhy = None,
) -> None:
    """Say that a service or component no longer exists, so that what is known about it is history."""
    from hindcast import experience

    if not name.strip():
        names = sorted({one.lower() for one in experience.retired_in(session.memory(create=True).now())})
        session.answer({"retired": names}, Text("\n".join(names) or "Nothing is retired."))
        return
    memory = session.memory(create=True)
    if back:
        commit = experience.unretire(memory, name, actor=session.who, why=why or f"{name} is there again.")
    else:
        commit = experience.retire(memory, name, actor=session.who, why=why or f"{name} no longer exists.")
    said = f"{name} is there again." if back else f"{name} no longer exists: what is known about it is history."
    session.answer({"name": name, "retired": not back, "commit": commit.id}, Text(clean(said)))


def install(app: typer.Typer) -> None:
    """Add the verbs to a group of commands."""
    verb(
        app,
        "verdict",
        writes=True,
        epilog="Example: hindcast incident verdict inc-7 --right --for 'ConnectionResetError: [Errno 104]'",
    )(verdict)
    verb(app, "retire", writes=True, epilog="Example: hindcast incident retire legacy-auth --why 'replaced by auth'")(
        retire
    )


def _recalled(session: Session, asked: str, incident: str) -> Recollection:
    """What memory has to say to the question now: its fingerprints, and how sure it is of each case."""
    from hindcast.ask.intent import failure_in
    from hindcast.recollect import Recollect

    recollect = Recollect(session.memory(), now=session.now, others=session.other)
    return (recollect.about(incident) if incident else recollect.ask(failure_in(asked, session.now()))).recollection
