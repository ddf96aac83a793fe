"""Intents: what somebody is about to do to the files of a workspace, remembered before it is done.

Files and memory cannot be written in one step. So the intent is committed first, then the files are changed, and the
decision itself, which takes the intent back, comes last. A crash in between leaves an intent behind, and the file tells
what became of it: it is what was wanted, or what it was, or something else that nobody here may touch.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum
from hashlib import sha256

import msgspec

from hindcast.memory import View
from hindcast.model.code import SourceFile
from hindcast.model.errors import Malformed, Missing
from hindcast.model.ids import Address
from hindcast.model.query import Filter
from hindcast.model.reading import check_time, read_value, ready
from hindcast.model.record import Change, Record, State
from hindcast.ports import Workspace

NAMESPACE = "card-intents"
KIND = "card-intent"
INTENTS = Filter(namespace=NAMESPACE, kind=KIND)
# The digest of a file that is not there.
NO_FILE = ""


class Verb(StrEnum):
    """What is being done with a card."""

    ACCEPT = "accept"
    MODIFY = "modify"
    UNDO = "undo"


class Found(StrEnum):
    """What the file says about an intent that was never finished."""

    DONE = "done"
    NOT_DONE = "not done"
    # Somebody changed the file since; whether before or after, nobody can tell.
    UNCLEAR = "unclear"


@dataclass(frozen=True, slots=True)
class Intent:
    """What somebody decided about a card, while its file is being changed."""

    card: str
    workspace: str
    verb: Verb
    by: str
    at: datetime
    path: str
    # Of the texts, not of the bytes: what a file was, and what it is to become.
    before: str
    after: str
    # Where the workspace stood.
    head: str = ""
    branch: str = ""
    is_committed: bool = False
    reason: str = ""
    # What somebody wrote instead of what the card proposes; None: nothing.
    text: str | None = None
    # The process that is at it, where that can be told: one that is known to be gone is not waited for.
    process: str = ""


def digest_of(text: str | None) -> str:
    """What tells one text of a file from another; None: there is no file."""
    return NO_FILE if text is None else sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def address_of(card: str) -> Address:
    """Where the intent about a card is remembered while it lasts."""
    return Address(NAMESPACE, card)


def change_of(intent: Intent) -> Change:
    """The change that remembers an intent."""
    text = f"{intent.verb} {intent.path}"
    return Change(address_of(intent.card), msgspec.to_builtins(intent), KIND, text=text, occurred_at=intent.at)


def ended(view: View, card: str) -> list[Change]:
    """The change that takes the intent about a card back; none where there is none."""
    there = view.find(address_of(card))
    return [] if there is None else [Change(there.address, kind=KIND, state=State.RETRACTED)]


def intent_on(view: View, card: str) -> Intent | None:
    """What is being done with a card at a moment, or None."""
    record = view.find(address_of(card))
    return _readable(record) if record is not None else None


def intents_in(view: View) -> tuple[Intent, ...]:
    """Every intent that is not finished, the oldest first."""
    found = [intent for record in view.every(INTENTS) if (intent := _readable(record)) is not None]
    return tuple(sorted(found, key=lambda intent: (intent.at, intent.card)))


def look(intent: Intent, text: str | None) -> Found:
    """What became of an intent, as the text of its file tells; None: there is no file."""
    there = digest_of(text)
    if there == intent.after:
        return Found.DONE
    return Found.NOT_DONE if there == intent.before else Found.UNCLEAR


def file_there(workspace: Workspace, path: str, branch: str = "", *, head: str = "") -> SourceFile | None:
    """A file as it is checked out, or as a branch has it; None where there is none.

    A branch that is not there yet begins at the head.
    """
    for where in [one for one in (branch, head) if one] if branch else [""]:
        try:
            return workspace.read_at(path, where) if where else workspace.read(path)
        except Missing:
            continue
    return None


def _readable(record: Record) -> Intent | None:
    """The intent in a record; what somebody else wrote there is none."""
    if not isinstance(record.body, Mapping):
        return None
    try:
        intent = read_value(Intent, record.body, what="intent", remedy="Take it back: hindcast memory retract")
        check_time(intent.at, field="at")
    except Malformed:
        return None
    return intent


ready(Intent)
