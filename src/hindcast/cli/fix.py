"""`hindcast fix`: what memory proposes to change in the code, and deciding about it. Nobody has to serve."""

from __future__ import annotations

import sys
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.text import Text

from hindcast.cli import cards, complete, given, noting, options
from hindcast.cli.casework import redacted
from hindcast.cli.deciding_cards import card_id, edited, incident_of, next_steps, opened, rule_from, told, undisturbed
from hindcast.cli.session import Session, verb
from hindcast.model.card import CardSource, CardState
from hindcast.model.errors import Malformed

if TYPE_CHECKING:
    from hindcast.fixes import Fixes
    from hindcast.model.card import Card, CardVerdict, LogLine

HELP = (
    "Fixes as cards: past fixes, settings and rules as diffs of today's code, the best first.\n\n"
    "Accepting a card changes the file; rejecting one teaches. `hindcast review` walks through them one by one."
)
LINES_MAX = 50


class From(StrEnum):
    """Where a card comes from, as it is typed."""

    CARRIED_OVER = "carried-over"
    SETTING = "setting"
    LINTER = "linter"
    TEAM_RULE = "team-rule"
    MODEL = "model"

    @property
    def source(self) -> CardSource:
        """The same in the words of a card."""
        return CardSource(self.value.replace("-", " "))


app = typer.Typer(no_args_is_help=True, help=HELP, rich_markup_mode="rich")

Incident = Annotated[
    str, typer.Argument(metavar="INCIDENT", help="The newest that is under way, if not said.", show_default=False)
]
CardId = Annotated[
    str,
    typer.Argument(
        metavar="CARD", help="As `hindcast fix list` shows it, or its beginning.", autocompletion=complete.cards
    ),
]
Workspace = Annotated[
    str, typer.Option("--workspace", "-w", metavar="NAME", help="Whose code; the only one, if not said.")
]
Reason = Annotated[str, typer.Option("--reason", "-r", metavar="TEXT", help="Why; it stays in memory.")]
FixBranch = Annotated[
    str,
    typer.Option(
        "--branch", metavar="NAME", help="As a commit on this branch of the repository; files stay as they are."
    ),
]
IsCommitted = Annotated[bool, typer.Option("--commit", help="Commit it where the repository stands.")]
Message = Annotated[str, typer.Option("--message", "-m", metavar="TEXT", help="The message of that commit.")]


@verb(app, "list", writes=True, epilog="Example: hindcast fix list inc-20261115-0203-payment")
def list_cards(session: Session, incident: Incident = "", workspace: Workspace = "") -> None:
    """List what there is to change for an incident, what is warned of, and what was held back and why."""
    from hindcast.fixes.telling import deck_told

    name = incident_of(session, incident)
    with opened(session) as fixes:
        found = fixes.decks.deck(session.settings.space, name, workspace=workspace, now=session.now())
    if session.as_json:
        session.answer(_plain(deck_told(found)))
        return
    parts = cards.deck(found)
    session.answer({}, *(parts or [Text(f"Nothing to change in {found.workspace} is known for {found.incident}.")]))
    first = next((card for card in found.cards if card.state in (CardState.PROPOSED, CardState.UNDONE)), None)
    if first is not None:
        # Whoever had to say whose code would have to say it again.
        whose = f" --workspace {found.workspace}" if workspace else ""
        session.hint(f"Look at one: hindcast fix show {first.id}   Walk through them: hindcast review {name}{whose}")
    elif found.cards:
        session.hint(f"What was decided: hindcast fix log --incident {name}")
    else:
        session.hint(f"What is known of it: hindcast recall --incident {name}")


@verb(app, "show", epilog="Example: hindcast fix show 3f2a --diff | git apply --check")
def show(
    session: Session,
    card: CardId,
    diff: Annotated[bool, typer.Option("--diff", help="Only the diff, as it is.")] = False,
) -> None:
    """Show one card: the change, why, how sure that is, and what might go wrong."""
    from hindcast.fixes.log import line_of

    with opened(session) as fixes:
        found = fixes.decks.card(session.settings.space, card_id(session, card))
    line = line_of(session.memory(create=True).now(), found.id)
    if session.as_json:
        _answer_card(session, found, None, line)
    elif diff:
        # For a program: as it is, without a width or colours.
        sys.stdout.write(found.diff if found.diff.endswith("\n") else f"{found.diff}\n")
    else:
        cards.show(session, found, line)
        if found.state in (CardState.PROPOSED, CardState.UNDONE):
            session.hint(f"Take it: hindcast fix accept {found.id}   Not: hindcast fix reject {found.id} --reason …")


@verb(app, "accept", writes=True, epilog="Example: hindcast fix accept 3f2a --branch fix/redis-release")
def accept(
    session: Session, card: CardId, branch: FixBranch = "", commit: IsCommitted = False, message: Message = ""
) -> None:
    """Make the change that a card proposes. A file that changed since is left alone; recheck then."""
    with opened(session) as fixes, undisturbed(session):
        made = fixes.verdicts.accept(
            session.settings.space,
            card_id(session, card),
            by=session.who,
            now=session.now(),
            branch=branch,
            message=message,
            is_committed=commit,
        )
        _answer(session, fixes, made)


@verb(app, "allow", writes=True, epilog="Example: hindcast fix allow 3f2a")
def allow(session: Session, card: CardId) -> None:
    """Let an agent change the file that a card is about, for an hour: accept it, write its own version, undo it."""
    from hindcast.fixes.consent import LASTS, record_consent
    from hindcast.fixes.keeping import card_there

    memory = session.memory(create=True)
    found = card_there(memory.now(), card_id(session, card))
    now = session.now()
    commit = record_consent(memory, found.id, by=session.who, now=now)
    until = now + LASTS
    text = Text(f"Until {until:%H:%M} UTC an agent may change {found.proposal.edit.path} by card {found.id}.")
    session.answer({"card": found.id, "by": session.who, "until": until.isoformat(), "commit": commit.id}, text)


@verb(app, "reject", writes=True, epilog="Example: hindcast fix reject 3f2a --reason 'it hides the leak' --dont-try")
def reject(
    session: Session,
    card: CardId,
    reason: Reason = "",
    dont_try: Annotated[
        bool, typer.Option("--dont-try", help="Warn of it when this failure is recalled again.")
    ] = False,
) -> None:
    """Say no to a card: it is not proposed again for this failure; with --dont-try, others are warned of it."""
    with opened(session) as fixes, undisturbed(session):
        made = fixes.verdicts.reject(
            session.settings.space,
            card_id(session, card),
            by=session.who,
            now=session.now(),
            reason=redacted(session, reason),
            # Where it is not said, the reason may say it.
            is_warning=dont_try or None,
        )
        _answer(session, fixes, made)


@verb(
    app, "modify", writes=True, epilog="Example: hindcast fix modify 3f2a --reason 'close it, do not only release it'"
)
def modify(
    session: Session,
    card: CardId,
    file: Annotated[
        str,
        typer.Option("--file", "-f", metavar="FILE|-", help="The whole file as it shall be; not said: your EDITOR."),
    ] = "",
    reason: Reason = "",
    branch: FixBranch = "",
    commit: IsCommitted = False,
    message: Message = "",
) -> None:
    """Make a change of your own out of what a card proposes. What you did differently is learnt from."""
    space = session.settings.space
    with opened(session) as fixes:
        found = fixes.decks.card(space, card_id(session, card))
        text = _written(session, found, file)
        if text == found.after:
            raise Malformed(
                "That is what the card proposes.", field="--file", remedy=f"Take it: hindcast fix accept {found.id}"
            )
        with undisturbed(session):
            made = fixes.verdicts.modify(
                space,
                found.id,
                text,
                by=session.who,
                now=session.now(),
                reason=redacted(session, reason),
                branch=branch,
                message=message,
                is_committed=commit,
            )
            _answer(session, fixes, made)


@verb(app, "undo", writes=True, epilog="Example: hindcast fix undo 3f2a")
def undo(session: Session, card: CardId) -> None:
    """Take a decision back: the file is as it was, and what was remembered of the decision is withdrawn."""
    with opened(session) as fixes, undisturbed(session):
        made = fixes.verdicts.undo(session.settings.space, card_id(session, card), by=session.who, now=session.now())
        _answer(session, fixes, made)


@verb(app, "recheck", writes=True, epilog="Example: hindcast fix recheck 3f2a")
def recheck(session: Session, card: CardId) -> None:
    """Make a card anew for the file as it is today, after somebody changed it."""
    with opened(session) as fixes:
        found = fixes.decks.recheck(session.settings.space, card_id(session, card), by=session.who, now=session.now())
    if session.as_json:
        _answer_card(session, found, None)
        return
    cards.show(session, found)
    if found.state is CardState.PROPOSED:
        session.hint(f"Take it: hindcast fix accept {found.id}")


@verb(app, "log", epilog="Example: hindcast fix log --state rejected --at '2 weeks ago'")
def log(
    session: Session,
    workspace: Annotated[
        str, typer.Option("--workspace", "-w", metavar="NAME", help="Only of this workspace; all, if not said.")
    ] = "",
    state: Annotated[list[CardState] | None, typer.Option("--state", help="Only these; repeat it.")] = None,
    source: Annotated[From | None, typer.Option("--source", help="Only cards from there.")] = None,
    incident: Annotated[str, typer.Option("--incident", metavar="ID", help="Only of this incident.")] = "",
    text: Annotated[str, typer.Option("--text", metavar="WORDS", help="Only with these words.")] = "",
    at: options.At = None,
    branch: options.OnBranch = "main",
    limit: options.Limit = LINES_MAX,
) -> None:
    """Show every proposal and what was decided about it, the newest first, at any moment."""
    from hindcast.fixes.log import counts, lines

    view = session.memory(create=True).now(branch) if at is None else session.view(at, branch)
    wanted_source = source.source if source is not None else None
    every = lines(view, workspace=workspace, source=wanted_source, incident=incident, text=text)
    counted = counts(every)
    wanted = [line for line in every if not state or line.state in state]
    if session.as_json:
        told_lines = [_plain(line) for line in wanted[:limit]]
        session.answer({"lines": told_lines, "counts": {one.value: n for one, n in counted.items()}})
        return
    summary = "   ".join(f"{one.value} {n}" for one, n in counted.items() if n)
    is_narrow = bool(workspace or state or source or incident or text or at)
    none = "No proposal is like that." if is_narrow else "Nothing was proposed yet."
    told_log = cards.log(wanted[:limit], session.now()) or [Text(none)]
    session.answer({}, *told_log, *([Text(f"\n{summary}", style="dim")] if summary else []))
    if len(wanted) > limit:
        session.hint(f"{len(wanted) - limit} more: --limit {len(wanted)}")


@verb(app, "rules", writes=True, epilog="Example: hindcast fix rules team-1a2b3c4d5e6f --on")
def rules(
    session: Session,
    rule: Annotated[str, typer.Argument(metavar="RULE", help="One of them; none: list them.", show_default=False)] = "",
    workspace: Workspace = "",
    on: Annotated[bool, typer.Option("--on", help="Make cards by it from now on.")] = False,
    off: Annotated[bool, typer.Option("--off", help="Make none by it any more.")] = False,
) -> None:
    """Show the rules that were made from fixes here, what one would find in the code, and switch it on or off."""
    from hindcast.fixes.team_rules import rule_in
    from hindcast.fixes.telling import rule_told

    space = session.settings.space
    if (on or off) and (on == off or not rule):
        raise Malformed(
            "Which rule is to be switched?" if not rule else "On or off?",
            field="--on",
            remedy="Give a rule and either --on or --off.",
        )
    with opened(session) as fixes:
        if not rule:
            every = fixes.verdicts.rules(space)
            session.answer({"rules": [_plain(rule_told(one)) for one in every]}, cards.rules(every, session.now()))
            if every:
                session.hint(f"What one would find: hindcast fix rules {every[0].id}")
            return
        if on or off:
            made = fixes.verdicts.switch_rule(space, rule, is_on=on, by=session.who, now=session.now())
            session.answer({"rule": _plain(rule_told(made))}, Text(f"{made.id} is {'on' if made.is_on else 'off'}."))
            return
        found = rule_in(session.memory(create=True).now(), rule)
        matches = fixes.verdicts.rule_matches(space, rule, workspace=workspace)
    document = {"rule": _plain(rule_told(found)), "matches": [_plain(one) for one in matches]}
    session.answer(document, *cards.rule(found, matches))
    if not found.is_on:
        session.hint(f"Make cards by it: hindcast fix rules {found.id} --on")


def _written(session: Session, card: Card, file: str) -> str:
    """The whole file as it shall be: out of a file, a pipe or an editor."""
    if file:
        return given.read_text("-", None)[0] if file == "-" else given.read_text(None, Path(file))[0]
    if session.as_json or not sys.stdin.isatty():
        raise Malformed(
            "Nobody is there to edit it.", field="--file", remedy="Give the whole file as it shall be, or - for stdin."
        )
    return edited(card)


def _answer(session: Session, fixes: Fixes, made: CardVerdict) -> None:
    card = fixes.decks.card(session.settings.space, made.card)
    noting.decided(session, made)
    if session.as_json:
        _answer_card(session, card, made)
        return
    session.answer({}, Text(told(made)))
    for step in next_steps(made, card.proposal.tests, rule_from(session, fixes, made)):
        session.hint(step)


def _answer_card(session: Session, card: Card, made: CardVerdict | None, line: LogLine | None = None) -> None:
    from hindcast.fixes.telling import card_told

    document = _plain(card_told(card, line))
    if made is not None:
        document["verdict"] = _plain(made)
    session.answer(document)


def _plain(value: Any) -> dict[str, Any]:  # noqa: ANN401
    import msgspec

    made: dict[str, Any] = msgspec.to_builtins(value)
    return made
