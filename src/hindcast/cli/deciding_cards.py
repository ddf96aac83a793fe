"""What commands about cards share: finding a card, deciding in one piece, saying what became of it and what is next."""

from __future__ import annotations

import os
import shlex
import signal
import subprocess
import tempfile
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from hindcast.cli.render import clean
from hindcast.cli.session import Session
from hindcast.model.card import CardState, CardVerdict
from hindcast.model.errors import Malformed, Missing, Unavailable

if TYPE_CHECKING:
    from types import FrameType

    from hindcast.fixes import Fixes
    from hindcast.model.card import Card

# How every id of a card begins; nobody has to type it.
PREFIX = "fix-"
# The least that names a card: fewer characters hit several sooner or later.
PREFIX_CHARS_MIN = 4
NEAR_SHOWN_MAX = 5


@contextmanager
def opened(session: Session) -> Iterator[Fixes]:
    """Cards and verdicts of this run's space; nobody has to serve."""
    from hindcast.build.fixes import open_fixes
    from hindcast.build.workspaces import open_workspaces
    from hindcast.recollect import Recollect

    with closing(open_workspaces(session.settings, lambda _: session.memory(create=True))) as workspaces:
        yield open_fixes(
            session.settings,
            memory=lambda _: session.memory(create=True),
            recollect=lambda _: Recollect(session.memory(), now=session.now, others=session.other),
            workspaces=workspaces,
        )


def incident_of(session: Session, named: str) -> str:
    """The incident that is meant: the named one, or else the newest that is not over."""
    from itertools import islice

    from hindcast.casebook.summaries import Standing, Wanted
    from hindcast.cli.deciding import register

    if named:
        return named.removeprefix("incidents/").removeprefix("cases/").partition("@")[0]
    newest = register(session).summaries(session.settings.space).newest(Wanted())
    found = next(islice((one for one in newest if one.state in (Standing.OPEN, Standing.AWAITING)), 1), None)
    if found is None:
        raise Missing(
            "No incident is under way.", field="INCIDENT", remedy="Name one; `hindcast incident list` shows them."
        )
    return found.id


def card_id(session: Session, typed: str) -> str:
    """The id of a card that was named by its beginning, as commits are."""
    from hindcast.fixes.keeping import address_of, cards_in

    view = session.memory(create=True).now()
    try:
        if view.find(address_of(typed)) is not None:
            return typed
    except Malformed:
        pass
    bare = typed.removeprefix(PREFIX)
    is_enough = len(bare) >= PREFIX_CHARS_MIN
    near = [card.id for card in cards_in(view) if is_enough and card.id.removeprefix(PREFIX).startswith(bare)]
    if len(near) == 1:
        return near[0]
    if near:
        raise Malformed(
            f"{typed!r} is the beginning of {len(near)} cards.",
            field="CARD",
            remedy=f"Give more of it: {', '.join(sorted(near)[:NEAR_SHOWN_MAX])}.",
        )
    raise Missing(f"There is no card {typed!r}.", field="CARD", remedy="`hindcast fix list` shows them.")


@contextmanager
def undisturbed(session: Session) -> Iterator[None]:
    """A decision is made whole: a Ctrl-C meanwhile is heard when it is done."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    heard: list[int] = []

    def wait(number: int, _: FrameType | None) -> None:
        heard.append(number)
        session.hint("A moment: what was begun is finished first.")

    before = signal.signal(signal.SIGINT, wait)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)
    if heard:
        raise KeyboardInterrupt


def edited(card: Card) -> str:
    """The file as somebody's editor leaves it, beginning with what the card proposes."""
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR") or "vi"
    name = PurePosixPath(card.proposal.edit.path).name
    with tempfile.TemporaryDirectory(prefix="hindcast-") as folder:
        file = Path(folder) / name
        file.write_text(card.after, encoding="utf-8", newline="\n")
        try:
            code = subprocess.run([*shlex.split(editor), str(file)], check=False).returncode
        except (OSError, ValueError) as error:
            raise Unavailable(
                f"The editor {editor!r} cannot be started.",
                field="EDITOR",
                remedy="Set EDITOR, or give the whole file with --file.",
            ) from error
        if code != 0:
            raise Unavailable(
                f"{editor} ended with {code}. Nothing was changed.", field="EDITOR", remedy="Try again, or use --file."
            )
        try:
            return file.read_bytes().decode("utf-8").replace("\r\n", "\n")
        except UnicodeDecodeError as error:
            raise Malformed(f"Byte {error.start} is not UTF-8.", field="text", remedy="Save it as UTF-8.") from error


def told(verdict: CardVerdict) -> str:
    """What became of a card, in a sentence."""
    path = clean(verdict.path)
    changed = f"{path} is changed (+{verdict.added} −{verdict.removed})"
    if verdict.branch:
        changed = f"{changed} on branch {clean(verdict.branch)}"
    if verdict.commit:
        changed = f"{changed}, commit {verdict.commit[:12]}"
    match verdict.state:
        case CardState.ACCEPTED:
            return f"Accepted: {changed}."
        case CardState.MODIFIED:
            return f"Accepted as you wrote it: {changed}."
        case CardState.REJECTED:
            after = ", and the next recall warns of it" if verdict.is_warning else ""
            return f"Rejected: {path} stays as it is. It is not proposed again for this failure{after}."
        case CardState.UNDONE:
            return f"Taken back: {path}, and what was remembered of it."
        case _:
            return f"{clean(verdict.title)}: {verdict.state.value}."


def rule_from(session: Session, fixes: Fixes, verdict: CardVerdict) -> str:
    """The rule that was made from what somebody applied, or an empty text."""
    if verdict.state not in (CardState.ACCEPTED, CardState.MODIFIED):
        return ""
    made = (rule for rule in fixes.verdicts.rules(session.settings.space) if rule.made_from == verdict.card)
    return next((rule.id for rule in made), "")


def next_steps(verdict: CardVerdict, tests: tuple[str, ...] = (), rule: str = "") -> Iterator[str]:
    """What somebody types next."""
    if verdict.state in (CardState.ACCEPTED, CardState.MODIFIED):
        if tests:
            yield f"Test it: {clean(tests[0])}"
        if rule:
            yield f"It can be a rule. What that would find elsewhere: hindcast fix rules {rule}"
        yield f"Take it back: hindcast fix undo {verdict.card}"
        attempt = f" --attempt {verdict.attempt}" if verdict.attempt else ""
        yield f"When it is deployed and over: hindcast incident resolve {verdict.incident}{attempt}"
    elif verdict.state is CardState.REJECTED:
        yield f"Take it back: hindcast fix undo {verdict.card}"
        yield f"What else there is: hindcast fix list {verdict.incident}"
    elif verdict.state is CardState.UNDONE:
        yield f"Decide again: hindcast fix show {verdict.card}"
