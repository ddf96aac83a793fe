"""Note, ack, attempt, resolve: what people add to an incident, so that it is known when it happens again.

On a terminal `resolve` asks for the few things worth asking. In a pipe nothing ever asks.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from dataclasses import replace
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer
from rich.console import RenderableType
from rich.text import Text

from hindcast.cli import casepage, deciding, given
from hindcast.cli.render import clean
from hindcast.cli.session import Session, verb
from hindcast.model.case import Attempt, Case, Evidence, Outcome, Witness, to_json
from hindcast.model.errors import Malformed

if TYPE_CHECKING:
    from collections.abc import Callable

    from hindcast.casebook import Casebook
    from hindcast.casebook.people import Fix
    from hindcast.ingest.redact import Redactor


class Came(StrEnum):
    """What came of an attempt, as it is typed."""

    WORKED = "worked"
    NO_EFFECT = "no-effect"
    MADE_WORSE = "made-worse"
    UNKNOWN = "unknown"

    @property
    def outcome(self) -> Outcome:
        """The same in the words of a case."""
        return Outcome(self.value.replace("-", " "))


Id = Annotated[str, typer.Argument(metavar="ID", help="As `hindcast incident list` shows it.")]
Command = Annotated[str, typer.Option("--command", metavar="LINE", help="The command that was run.")]
DiffFile = Annotated[str, typer.Option("--diff", metavar="FILE", help="A file with the diff; - reads stdin.")]
Setting = Annotated[str, typer.Option("--setting", metavar="TEXT", help="The setting that was changed.")]
By = Annotated[str, typer.Option("--by", metavar="NAME", help="Who did it; you, if not said.")]


def note(
    session: Session,
    incident_id: Id,
    text: Annotated[str, typer.Argument(metavar="TEXT", help="What is worth remembering; - reads stdin.")],
    by: By = "",
) -> None:
    """Add a note to an incident."""
    from hindcast.casebook.people import noted

    said = redacted(session, _read(text, field="TEXT"))
    now, who = session.now(), by or session.who
    made = _change(session, incident_id, lambda case: noted(case, said, by=who, at=now), why=f"{who} noted something.")
    _answer(session, made, Text(f"Noted on {made.id}."))


def ack(
    session: Session,
    incident_id: Id,
    by: Annotated[str, typer.Option("--by", metavar="NAME", help="Who works on it; you, if not said.")] = "",
) -> None:
    """Acknowledge an open incident: say who works on it."""
    from hindcast.casebook.people import acknowledged

    now, who = session.now(), redacted(session, by) or session.who
    made = _change(session, incident_id, lambda case: acknowledged(case, by=who, at=now), why=f"{who} works on it.")
    _answer(session, made, Text(clean(f"{who} works on {made.id}.")))


def attempt(
    session: Session,
    incident_id: Id,
    action: Annotated[str, typer.Argument(metavar="ACTION", help="What was done, in a few words.")] = "",
    outcome: Annotated[Came | None, typer.Option("--outcome", help="What came of it.")] = None,
    set_id: Annotated[str, typer.Option("--set", metavar="a2", help="Say it of an attempt that is there.")] = "",
    command: Command = "",
    diff: DiffFile = "",
    setting: Setting = "",
    at: Annotated[str | None, typer.Option("--at", metavar="TIME", help="When; now, if it still lasts.")] = None,
    by: By = "",
) -> None:
    """Say what was tried and what came of it. What made it worse is worth as much as what helped."""
    when = given.read_when(at, session.now(), field="--at")
    if when is not None and when > session.now():
        raise Malformed(f"{when.isoformat()} has not come yet.", field="--at", remedy="Say when it was done.")
    tried = Attempt(
        "",
        redacted(session, action),
        outcome.outcome if outcome is not None else Outcome.UNKNOWN,
        when,
        by or session.who,
        diff=redacted(session, _read(diff, field="--diff", is_file=True)),
        command=redacted(session, command),
        config=redacted(session, setting),
    )
    if set_id:
        made = _change(session, incident_id, _saying(tried, set_id, outcome, session), why=f"What came of {set_id}.")
    else:
        from hindcast.casebook.people import attempted, timed

        said = _person(f"{tried.action}: {tried.outcome}", session) if outcome is not None else ()
        whole, now = replace(tried, evidence=said), session.now()
        made = _change(
            session,
            incident_id,
            lambda case: attempted(case, timed(whole, case, now=now)),
            why=f"{tried.by} tried something.",
        )
    shown = next((one for one in made.attempts if one.id.casefold() == set_id.casefold()), made.attempts[-1])
    _answer(session, made, Text(clean(f"{shown.id} on {made.id}: {shown.action} ({shown.outcome})")))
    if shown.outcome is Outcome.UNKNOWN:
        session.hint(f"When it is known: hindcast incident attempt {made.id} --set {shown.id} --outcome worked")


def resolve(
    session: Session,
    incident_id: Id,
    cause: Annotated[str, typer.Option("--cause", metavar="TEXT", help="Why it happened.")] = "",
    fix: Annotated[str, typer.Option("--fix", metavar="TEXT", help="What ended it.")] = "",
    attempt_id: Annotated[str, typer.Option("--attempt", metavar="a2", help="The attempt that it was.")] = "",
    command: Command = "",
    diff: DiffFile = "",
    setting: Setting = "",
    minutes: Annotated[float | None, typer.Option("--minutes", metavar="N", help="How long it took.")] = None,
    by: By = "",
    from_text: Annotated[
        str, typer.Option("--from-text", metavar="FILE|-", help="Prose to read attempts, cause and fix out of.")
    ] = "",
    yes: Annotated[bool, typer.Option("--yes", help="Take what the prose says without asking.")] = False,
    to: deciding.To = "",
) -> None:
    """Say why it happened and what ended it. On a terminal it asks for what is missing; in a pipe it never does.

    What is still watched is confirmed as over with it, by the running Hindcast where there is one.
    """
    from hindcast.casebook.people import Fix, attempted, resolved
    from hindcast.cli import resolving, retelling

    known = _casebook(session).case(incident_id)
    asks = not session.as_json and sys.stdin.isatty() and from_text != "-"
    read: Sequence[Attempt] = ()
    if from_text:
        prose = redacted(session, _read(from_text, field="--from-text", is_file=True))
        told = retelling.read(prose, known, ref=from_text if from_text != "-" else "")
        cause, fix = cause or told.cause, fix or told.fix
        if not retelling.is_taken(session, told, yes=yes, asks=asks):
            session.answer(retelling.document(told), *retelling.shown(told))
            session.hint("Nothing was written. Take it with --yes, or correct it with --cause and --fix.")
            return
        read = told.sure
    said = Fix(
        text=redacted(session, fix),
        cause=redacted(session, cause),
        attempt=attempt_id,
        command=redacted(session, command),
        diff=redacted(session, _read(diff, field="--diff", is_file=True)),
        config=redacted(session, setting),
        minutes=minutes,
    )
    worse = ""
    if asks and not from_text:
        said, worse = resolving.asked(session, known, said)
        worse = redacted(session, worse)
    _check_says_something(known, said, read)
    now, who = session.now(), by or session.who
    harmful = Attempt("", worse, Outcome.MADE_WORSE, None, who, evidence=_person(f"{worse}: made worse", session))

    def edit(case: Case) -> Case:
        for one in [*read, *([harmful] if worse else [])]:
            if all(there.action.casefold() != one.action.casefold() for there in case.attempts):
                case = attempted(case, one)
        return resolved(case, said, by=who, at=now)

    made = _change(session, incident_id, edit, why=f"{who} said what ended it.")
    if deciding.end(session, made.id, to):
        made = _casebook(session).case(made.id)
    _answer(session, made, Text(f"{made.id} is {made.state}."), *casepage.missing(casepage.typed(session, _gaps(made))))


def install(app: typer.Typer) -> None:
    """Add the verbs to a group of commands."""
    example = "hindcast incident"
    verb(app, "note", writes=True, epilog=f"Example: {example} note inc-7 'only in eu-west, since the failover'")(note)
    verb(app, "ack", writes=True, epilog=f"Example: {example} ack inc-7 --by priya")(ack)
    verb(
        app,
        "attempt",
        writes=True,
        epilog=f"Example: {example} attempt inc-7 'raised the pool to 200' --outcome made-worse. "
        f"Later: {example} attempt inc-7 --set a2 --outcome worked",
    )(attempt)
    verb(
        app,
        "resolve",
        writes=True,
        epilog=f"Example: {example} resolve inc-7 --cause 'workers kept their connections' "
        "--fix 'release them in the teardown' --minutes 34",
    )(resolve)


def _casebook(session: Session) -> Casebook:
    return deciding.register(session).casebook(session.settings.space)


def _change(session: Session, case_id: str, edit: Callable[[Case], Case], *, why: str) -> Case:
    return _casebook(session).change(case_id, edit, actor=session.who, why=why)


def _saying(tried: Attempt, set_id: str, outcome: Came | None, session: Session) -> Callable[[Case], Case]:
    """What a later word changes of an attempt that is there: its outcome, its words, and what was run."""
    from hindcast.casebook.people import attempt_of, judged

    means = {name: text for name in ("command", "diff", "config") if (text := getattr(tried, name))}
    if outcome is None and not means and not tried.action.strip():
        raise Malformed(
            f"Nothing is said about {set_id}.",
            field="--outcome",
            remedy="Add --outcome worked, no-effect or made-worse.",
        )

    def edit(case: Case) -> Case:
        known = attempt_of(case, set_id)
        if outcome is not None or tried.action.strip():
            came = outcome.outcome if outcome is not None else known.outcome
            (said,) = _person(f"{tried.action.strip() or known.action}: {came}", session)
            case = judged(case, known.id, came, evidence=said, action=tried.action)
        made = replace(attempt_of(case, set_id), **means)
        return replace(case, attempts=tuple(made if one.id == made.id else one for one in case.attempts))

    return edit


def _person(quote: str, session: Session) -> tuple[Evidence, ...]:
    return (Evidence(Witness.PERSON, quote, "", session.now()),)


def _check_says_something(case: Case, said: Fix, read: Sequence[Attempt]) -> None:
    parts = (said.text, said.cause, said.attempt, said.command, said.diff, said.config)
    if any(parts) or said.minutes is not None or read or (case.cause and case.resolution):
        return
    raise Malformed(
        "Nothing was said about why it happened or what ended it.",
        field="--fix",
        remedy="Give --cause and --fix, or --from-text with the story. `confirm` only says that it is over.",
    )


def _gaps(case: Case) -> tuple[tuple[str, str], ...]:
    from hindcast.casebook.people import missing_in

    return missing_in(case)


def _answer(session: Session, case: Case, *shown: RenderableType) -> None:
    gaps = [{"what": what, "command": how} for what, how in _gaps(case)]
    session.answer({"case": to_json(case), "missing": gaps}, *shown)


def _read(text: str, *, field: str, is_file: bool = False) -> str:
    """What was typed, or what a file or stdin holds."""
    if text == "-" or (is_file and text):
        try:
            return given.read_text("-", None)[0] if text == "-" else given.read_text(None, Path(text))[0]
        except Malformed as error:
            raise Malformed(error.problem, field=field, remedy=error.remedy) from error
    return text


def redacted(session: Session, text: str) -> str:
    """What people paste may hold secrets; they are taken out before anything is stored."""
    if not text.strip():
        return ""
    return redactor_of(session).text(text).text


def redactor_of(session: Session) -> Redactor:
    """What takes secrets out, as the settings want it."""
    # Loaded when needed: what it comes with takes a moment.
    from hindcast.ingest.redact import Redactor

    settings = session.settings
    on, off, allow = (
        [word.strip() for word in names.split(",") if word.strip()]
        for names in (settings.redact_on, settings.redact_off, settings.redact_allow)
    )
    return Redactor.chosen(on=on, off=off, allow=allow)
