"""What becomes of an intent that was never finished: its file tells, and memory follows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from hindcast.casebook.writing import write
from hindcast.fixes import deciding, intents
from hindcast.fixes.deciding import Decision
from hindcast.fixes.intents import Found, Intent, Verb
from hindcast.fixes.keeping import ACTOR, card_in, card_there
from hindcast.fixes.team_rules import Landed, learnt
from hindcast.memory import Memory, View
from hindcast.model.card import CardState, CardVerdict
from hindcast.model.code import Tongue
from hindcast.model.errors import HindcastError, Stale, Unavailable
from hindcast.model.record import Change
from hindcast.ports import Workspace

_STATES = {Verb.ACCEPT: CardState.ACCEPTED, Verb.MODIFY: CardState.MODIFIED, Verb.UNDO: CardState.UNDONE}


@dataclass(frozen=True, slots=True)
class _Seen:
    """What there is to see of an intent in its workspace."""

    found: Found
    tongue: Tongue = Tongue.TEXT
    branch: str = ""
    commit: str = ""


def settled(memory: Memory, intent: Intent, open_workspace: Callable[[], Workspace]) -> CardVerdict | None:
    """Finish an intent in the name of who had it, or take it back; what was decided, or None where nothing was.

    A workspace that is not here says nothing: its folder may lie on another machine, or be back tomorrow.
    """
    try:
        workspace = open_workspace()
    except HindcastError:
        return None
    try:
        seen = _seen(intent, workspace)
    except (Unavailable, Stale):
        return None
    except HindcastError:
        seen = _Seen(Found.UNCLEAR)
    if seen.found is Found.NOT_DONE or card_in(memory.now(), intent.card) is None:
        why = f"What {intent.by} decided about {intent.card} was never done; {intent.path} is as it was."
        write(memory, lambda view: ended(view, intent), actor=ACTOR, why=why)
        return None
    made: list[CardVerdict] = []

    def plan(view: View) -> list[Change]:
        made.clear()
        if intents.intent_on(view, intent.card) != intent:
            # Somebody else has settled it.
            return []
        changes, verdict = _finished(view, intent, seen)
        made.append(verdict)
        return changes

    write(memory, plan, actor=intent.by, why=f"Finished what was begun with {intent.card} before a crash.")
    return made[0] if made else None


def ended(view: View, intent: Intent) -> list[Change]:
    """The end of an intent, if it is still this one."""
    return intents.ended(view, intent.card) if intents.intent_on(view, intent.card) == intent else []


def _seen(intent: Intent, workspace: Workspace) -> _Seen:
    file = intents.file_there(workspace, intent.path, intent.branch, head=intent.head)
    found = intents.look(intent, file.text if file is not None else None)
    tongue = file.tongue if file is not None else Tongue.TEXT
    state = workspace.state()
    if intent.branch or not intent.is_committed or state.head == intent.head:
        return _Seen(found, tongue, intent.branch)
    # Whoever committed since has not touched this file, or it would be another.
    commit = next((one.id for one in workspace.commits(intent.path, commits_max=1)), "")
    return _Seen(found, tongue, state.branch, commit)


def _finished(view: View, intent: Intent, seen: _Seen) -> tuple[list[Change], CardVerdict]:
    """The decision that an intent comes to, or the word that nobody can tell."""
    card = card_there(view, intent.card)
    if seen.found is Found.UNCLEAR:
        wanted = "taken back" if intent.verb is Verb.UNDO else "applied"
        reason = (
            f"It stopped while this was being {wanted}, and {intent.path} is neither what it was nor what it should "
            "have become. Nothing was touched since: look at the file."
        )
        return deciding.unclear(view, card, Decision(CardState.GONE, intent.by, intent.at, reason))
    decision = Decision(
        _STATES[intent.verb], intent.by, intent.at, intent.reason, branch=seen.branch, commit=seen.commit
    )
    if intent.verb is Verb.UNDO:
        return deciding.undone(view, card, decision)
    text = intent.text if intent.verb is Verb.MODIFY else card.proposal.edit.text
    rule = learnt(card, Landed(text, seen.tongue), decision.state, by=intent.by, at=intent.at)
    return deciding.applied(view, card, text, decision, rule)
