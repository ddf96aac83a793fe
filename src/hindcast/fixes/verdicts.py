"""Verdicts: what people decide about cards, done to the files of a workspace and remembered.

Every decision is one commit: the card, the decision, and the case of the incident. Where files are changed, an intent
is committed before and the decision after (see `intents`), so that no crash leaves files that memory knows nothing of.
Of two people who decide about one card at once, one does, and the other is told.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from typing import Protocol

from hindcast.casebook.summaries import Lock
from hindcast.casebook.writing import write
from hindcast.fixes import deciding, intents, team_rules
from hindcast.fixes.deciding import APPLIED, SAID, Decision
from hindcast.fixes.intents import Intent, Verb
from hindcast.fixes.keeping import card_there
from hindcast.fixes.messages import message_of, revert_of
from hindcast.fixes.settling import ended, settled
from hindcast.fixes.team_rules import Landed, TeamRule
from hindcast.fixes.wanted import changed_since, check_modified, edit_of, edit_on_branch, undo_of
from hindcast.memory import Memory, View
from hindcast.model.card import Card, CardState, CardVerdict
from hindcast.model.code import Edit, SourceFile, Tongue
from hindcast.model.errors import HindcastError, Malformed, Refused, Stale
from hindcast.model.record import Change
from hindcast.model.workspace import FoundLine, Registered
from hindcast.ports import Workspace
from hindcast.ports.code import Applied

REASON_CHARS_MAX = 2_000
WHY_CHARS_MAX = 1_000
# Changing a few files takes no longer; whoever began longer ago is gone.
INTENT_LASTS = timedelta(minutes=1)

Making = Callable[[View, Card], tuple[list[Change], CardVerdict]]


class Places(Protocol):
    """Where the code of a space lies."""

    def chosen(self, space: str, name: str = "") -> Registered:
        """The workspace of that name, or the only one there is."""
        ...

    def open(self, space: str, name: str) -> Workspace:
        """A workspace, shared by all who ask; nobody closes it."""
        ...


@dataclass(frozen=True, slots=True)
class _Wish:
    """Who wants a card applied, where, and with which words."""

    by: str
    at: datetime
    expected: int | None = None
    reason: str = ""
    branch: str = ""
    message: str = ""
    is_committed: bool = False


@dataclass(frozen=True, slots=True)
class _Act:
    """What is done to a file for a card, and what its commit says; empty: there is none."""

    card: Card
    intent: Intent
    edit: Edit
    wish: _Wish
    message: str


class Verdicts:
    """Decisions about the cards of all spaces. Several threads and processes may decide at once."""

    def __init__(
        self,
        memory: Callable[[str], Memory],
        workspaces: Places,
        *,
        lock: Lock = nullcontext,
        process: str = "",
        is_gone: Callable[[str], bool] = lambda _: False,
    ) -> None:
        """`memory` opens the memory of a space. `lock` makes locks, for those who decide from several threads.

        `process` names the one that decides here, and `is_gone` knows of another one that it has ended.
        """
        self._memory = memory
        self._workspaces = workspaces
        self._process, self._is_gone = process, is_gone
        self._turn = lock()
        # What this process is doing just now; its intents are nobody else's to settle.
        self._under_way: set[tuple[str, str]] = set()

    # Deciding

    def accept(
        self,
        space: str,
        card_id: str,
        *,
        by: str,
        now: datetime,
        branch: str = "",
        message: str = "",
        is_committed: bool = False,
        expected: int | None = None,
    ) -> CardVerdict:
        """Apply a card: to the files as they are checked out, or as a commit there or on a branch.

        Raises Stale where the file has changed since, or somebody else has decided; Refused where it is there already
        or the file is gone.
        """
        is_committed = is_committed or bool(branch or message.strip())
        return self._apply(space, card_id, _Wish(by, now, expected, "", branch, message, is_committed))

    def modify(
        self,
        space: str,
        card_id: str,
        text: str,
        *,
        by: str,
        now: datetime,
        reason: str = "",
        branch: str = "",
        message: str = "",
        is_committed: bool = False,
        expected: int | None = None,
    ) -> CardVerdict:
        """Apply a card with another text, which is the whole file as it shall be."""
        is_committed = is_committed or bool(branch or message.strip())
        wish = _Wish(by, now, expected, _reason(reason), branch, message, is_committed)
        return self._apply(space, card_id, wish, text.replace("\r\n", "\n"))

    def reject(
        self,
        space: str,
        card_id: str,
        *,
        by: str,
        now: datetime,
        reason: str = "",
        is_warning: bool | None = None,
        expected: int | None = None,
    ) -> CardVerdict:
        """Turn a card down, so that it is not proposed for this failure again; as a warning, nobody should try it.

        Where nobody says whether it is a warning, the reason does.
        """
        is_warning = deciding.warns(reason) if is_warning is None else is_warning
        decision = Decision(CardState.REJECTED, by, now, _reason(reason), is_warning)
        with self._alone(space, card_id, now):
            return self._decided(
                space,
                lambda view: deciding.open_card(view, card_id, expected=expected),
                lambda view, card: deciding.rejected(view, card, decision),
                decision,
            )

    def undo(self, space: str, card_id: str, *, by: str, now: datetime, expected: int | None = None) -> CardVerdict:
        """Take back what was decided about a card, with its files; what others changed in them since stays."""
        decision = Decision(CardState.UNDONE, by, now)
        with self._alone(space, card_id, now):
            view = self._memory(space).now()
            card = deciding.card_seen(view, card_id, expected)
            if card.state is CardState.REJECTED:
                return self._decided(
                    space,
                    lambda view: _still(view, card_id, CardState.REJECTED),
                    lambda view, there: deciding.undone(view, there, decision),
                    decision,
                )
            last = deciding.last_verdict(view, card_id)
            if card.state not in APPLIED or last is None:
                remedy = "Accept it again." if card.state is CardState.UNDONE else "Decide about it first."
                raise Refused(f"There is nothing to take back: {card_id} is {card.state}.", field="card", remedy=remedy)
            return self._undo(space, card, last, decision)

    # Learning

    def rules(self, space: str) -> tuple[TeamRule, ...]:
        """The rules that were made from what the team applied, the newest first."""
        return team_rules.rules_in(self._memory(space).now())

    def rule_matches(self, space: str, rule_id: str, *, workspace: str = "") -> tuple[FoundLine, ...]:
        """What a rule would find in a workspace today."""
        rule = team_rules.rule_in(self._memory(space).now(), rule_id)
        name = self._workspaces.chosen(space, workspace).name
        return team_rules.found_by(rule, self._workspaces.open(space, name))

    def switch_rule(self, space: str, rule_id: str, *, is_on: bool, by: str, now: datetime) -> TeamRule:
        """Let a rule find something from now on, or no longer."""
        made: list[TeamRule] = []

        def plan(view: View) -> list[Change]:
            changes, rule = team_rules.switched(view, rule_id, is_on=is_on, by=by, at=now)
            made[:] = [rule]
            return changes

        why = f"The rule {rule_id} was switched {'on' if is_on else 'off'}."
        write(self._memory(space), plan, actor=by, why=why)
        return made[0]

    # Settling

    def settle(self, space: str, *, now: datetime, lasts: timedelta = timedelta(0)) -> tuple[CardVerdict, ...]:
        """Finish, or take back, what a crash left half done; the decisions that came of it.

        Intents younger than `lasts` may be somebody's who is still at it, unless their process is known to be gone.
        """
        return self._settled(space, now, lasts)

    def _settled(self, space: str, now: datetime, lasts: timedelta, mine: str = "") -> tuple[CardVerdict, ...]:
        """Settle all but what this process is at; who has only begun with the card `mine` intends nothing yet."""
        memory = self._memory(space)
        waiting = [
            intent
            for intent in intents.intents_in(memory.now())
            if (intent.card == mine or (space, intent.card) not in self._under_way)
            and (now - intent.at >= lasts or (bool(intent.process) and self._is_gone(intent.process)))
        ]
        places = self._workspaces
        made = [settled(memory, one, partial(places.open, space, one.workspace)) for one in waiting]
        return tuple(verdict for verdict in made if verdict is not None)

    # Carrying out

    def _apply(self, space: str, card_id: str, wish: _Wish, text: str | None = None) -> CardVerdict:
        with self._alone(space, card_id, wish.at):
            memory = self._memory(space)
            card = deciding.open_card(memory.now(), card_id, expected=wish.expected)
            workspace = self._workspaces.open(space, card.workspace)
            head = workspace.state().head
            path = card.proposal.edit.path
            # Without any commit there is nothing a branch could begin with, which the workspace says best.
            branch = wish.branch if head else ""
            file = intents.file_there(workspace, path, branch, head=head)
            if text is not None:
                check_modified(card, text, file.tongue if file is not None else Tongue.TEXT)
            here = intents.file_there(workspace, path) if branch else file
            edit = edit_on_branch(card, here, file, text) if branch else edit_of(card, file, text)
            # Whoever changes nothing about it has accepted it.
            is_modified = text is not None and text != card.proposal.edit.text
            state = CardState.MODIFIED if is_modified else CardState.ACCEPTED
            verb = Verb.MODIFY if is_modified else Verb.ACCEPT
            wanted = text if is_modified else card.proposal.edit.text
            intent = replace(_intent(card, verb, wish, file, edit, head), text=text if is_modified else None)
            # Learnt before anything is changed: what cannot be read is found out now.
            landed = Landed(wanted, file.tongue if file is not None else Tongue.TEXT)
            rule = team_rules.learnt(card, landed, state, by=wish.by, at=wish.at)
            act = _Act(card, intent, edit, wish, message_of(card, wish.message) if wish.is_committed else "")
            return self._carried_through(
                space,
                workspace,
                act,
                Decision(state, wish.by, wish.at, wish.reason),
                lambda view: deciding.open_card(view, card_id),
                lambda view, decision: deciding.applied(view, _not_overtaken(view, card), wanted, decision, rule),
            )

    def _undo(self, space: str, card: Card, last: CardVerdict, decision: Decision) -> CardVerdict:
        workspace = self._workspaces.open(space, card.workspace)
        state = workspace.state()
        # A branch that is checked out by now is changed in its files.
        branch = last.branch if last.branch != state.branch else ""
        file = intents.file_there(workspace, card.proposal.edit.path, branch)
        if file is None and branch and card.proposal.edit.text is not None:
            raise Stale(
                f"The branch {branch} is gone, or has no {last.path} any more.",
                field="branch",
                remedy="Take the change back where it went, by hand.",
            )
        edit = undo_of(card, last, file)
        wish = _Wish(decision.by, decision.at, branch=branch, is_committed=bool(last.commit or last.branch))

        def check(view: View) -> Card:
            return _still(view, card.id, card.state)

        if edit is None:
            return self._decided(space, check, lambda view, there: deciding.undone(view, there, decision), decision)
        intent = _intent(card, Verb.UNDO, wish, file, edit, state.head)
        act = _Act(card, intent, edit, wish, revert_of(last) if wish.is_committed else "")
        return self._carried_through(
            space, workspace, act, decision, check, lambda view, made: deciding.undone(view, check(view), made)
        )

    def _carried_through(
        self,
        space: str,
        workspace: Workspace,
        act: _Act,
        decision: Decision,
        check: Callable[[View], Card],
        make: Callable[[View, Decision], tuple[list[Change], CardVerdict]],
    ) -> CardVerdict:
        """Intent, files, decision, in this order; where the decision cannot be written, the files come back."""
        memory, wish = self._memory(space), act.wish
        act = replace(act, intent=replace(act.intent, process=self._process))
        with self._intended(memory, act.intent, check):
            done = _carried_out(workspace, act)
        decision = replace(decision, branch=done.branch, commit=done.commit)
        try:
            return self._decided(
                space, lambda view: card_there(view, act.card.id), lambda view, _: make(view, decision), decision
            )
        except (Stale, Malformed, Refused):
            said = deciding.last_verdict(memory.now(), act.card.id)
            if said is not None and (said.state, said.by, said.at) == (decision.state, wish.by, wish.at):
                # Somebody took the intent for one of a crash and has finished it.
                return said
            message = "Take back what could not be remembered" if wish.is_committed else ""
            workspace.apply(done.undo, branch=wish.branch, message=message, author=wish.by)
            write(memory, lambda view: ended(view, act.intent), actor=wish.by, why="It could not be remembered.")
            raise

    def _decided(self, space: str, check: Callable[[View], Card], make: Making, decision: Decision) -> CardVerdict:
        """Write a decision as one commit, on nothing that somebody has decided meanwhile."""
        memory = self._memory(space)
        made: list[CardVerdict] = []

        def plan(view: View) -> list[Change]:
            changes, verdict = make(view, check(view))
            made[:] = [verdict]
            return changes

        write(memory, plan, actor=decision.by, why=_why(check(memory.now()), decision))
        return made[0]

    @contextmanager
    def _intended(self, memory: Memory, intent: Intent, check: Callable[[View], Card]) -> Iterator[None]:
        """Remember an intent while its files are changed, and take it back where they could not be."""

        def plan(view: View) -> list[Change]:
            check(view)
            return [intents.change_of(intent)]

        write(memory, plan, actor=intent.by, why=f"About to {intent.verb} {intent.card}: {intent.path}.")
        try:
            yield
        except HindcastError as error:
            why = f"{intent.path} could not be changed: {error.problem}"
            write(memory, lambda view: ended(view, intent), actor=intent.by, why=why[:REASON_CHARS_MAX])
            raise

    @contextmanager
    def _alone(self, space: str, card_id: str, now: datetime) -> Iterator[None]:
        """Decide about a card while nobody else in this process does, on a memory without leftovers."""
        key = (space, card_id)
        with self._turn:
            if key in self._under_way:
                raise Stale(f"Somebody is deciding about {card_id} just now.", field="card", remedy="Read it again.")
            self._under_way.add(key)
        try:
            self._settled(space, now, INTENT_LASTS, card_id)
            yield
        finally:
            with self._turn:
                self._under_way.discard(key)


def _intent(card: Card, verb: Verb, wish: _Wish, file: SourceFile | None, edit: Edit, head: str) -> Intent:
    return Intent(
        card.id,
        card.workspace,
        verb,
        wish.by,
        wish.at,
        edit.path,
        intents.digest_of(file.text if file is not None else None),
        intents.digest_of(edit.text),
        head,
        wish.branch,
        wish.is_committed,
        wish.reason,
    )


def _carried_out(workspace: Workspace, act: _Act) -> Applied:
    try:
        return workspace.apply([act.edit], branch=act.wish.branch, message=act.message, author=act.wish.by)
    except Stale as error:
        # Whoever came in between, the remedy is the same.
        raise changed_since(act.card) from error


def _not_overtaken(view: View, card: Card) -> Card:
    """The card as its files were changed for it, unless somebody has decided about it since."""
    there = card_there(view, card.id)
    if there.state in SAID and there.state is not CardState.UNDONE:
        raise Stale(f"{card.id} was {SAID[there.state]} meanwhile.", field="card", remedy="Read it again.")
    return card


def _still(view: View, card_id: str, state: CardState) -> Card:
    """The card, as long as what is to be taken back is what was decided last."""
    there = card_there(view, card_id)
    if there.state is not state:
        raise Stale(f"{card_id} is {there.state} by now.", field="card", remedy="Read it again.")
    return there


def _reason(text: str) -> str:
    said = text.strip()
    if len(said) > REASON_CHARS_MAX:
        remedy = f"Give the point of it, up to {REASON_CHARS_MAX}, and keep the rest as a note of the incident."
        raise Malformed(f"The reason has {len(said)} characters.", field="reason", remedy=remedy)
    return said


def _why(card: Card, decision: Decision) -> str:
    said = SAID.get(decision.state, decision.state.value)
    because = f": {decision.reason}" if decision.reason else "."
    title = card.proposal.title.rstrip(".")
    return f"{said.capitalize()}: {title} ({card.proposal.edit.path}){because}"[:WHY_CHARS_MAX]
