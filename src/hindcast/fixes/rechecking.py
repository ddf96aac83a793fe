"""A card whose file has changed since, held against the file as it is today.

Three ways, the surest first: the two changes have nothing to do with each other; the code that it changes is found
again, perhaps elsewhere or under other names; or it has no place any more, with the reason.
"""

from __future__ import annotations

from dataclasses import dataclass

from hindcast.fixes.joining import joined
from hindcast.model.card import Card
from hindcast.model.code import Edit, LineSpan, SourceFile
from hindcast.model.errors import Missing, Refused
from hindcast.ports import Code
from hindcast.propose.carry import AlreadyFixed, Carried, transplant
from hindcast.propose.guard import still_parses
from hindcast.propose.lint import changed


@dataclass(frozen=True, slots=True)
class Rechecked:
    """The same change for today's file."""

    edit: Edit
    # The lines of today's file that it is about.
    lines: LineSpan
    # How it was found, as a sentence.
    note: str


@dataclass(frozen=True, slots=True)
class AlreadyThere:
    """Today's code has what the card proposes."""

    why: str


@dataclass(frozen=True, slots=True)
class NoPlace:
    """The card has no certain place in today's code."""

    why: str


def recheck(card: Card, code: Code) -> Rechecked | AlreadyThere | NoPlace:
    """What becomes of a card in today's code. It reads, and changes nothing."""
    path = card.proposal.edit.path
    try:
        file = code.read(path)
    except Missing:
        return _without_file(card, code)
    except Refused as refused:
        return NoPlace(f"{path} cannot be read: {refused.problem}")
    if not card.proposal.edit.expected:
        same = file.text == card.after
        return AlreadyThere(f"{path} is there.") if same else NoPlace(f"{path} is there with other content.")
    if card.proposal.edit.text is None:
        return _removal(card, file)
    if file.text == card.after:
        return AlreadyThere(f"{path} has what it proposes.")
    if file.text == card.before:
        return Rechecked(_edit(file, card.after), card.proposal.lines, f"{path} is as it was.")
    text = joined(card.before, card.after, file.text)
    if text == file.text:
        return AlreadyThere(f"{path} has what it proposes, among other changes.")
    if text is not None and still_parses(path, file.tongue, file.text, text):
        note = f"{path} has changed since, elsewhere than this; both changes fit together."
        return Rechecked(_edit(file, text), changed(file.text, text), note)
    return _carried(card, code)


def _edit(file: SourceFile, text: str | None) -> Edit:
    return Edit(file.path, file.digest, text)


def _removal(card: Card, file: SourceFile) -> Rechecked | NoPlace:
    if file.text == card.before:
        return Rechecked(_edit(file, None), card.proposal.lines, f"{file.path} is as it was.")
    return NoPlace(f"{file.path} has changed since it was to be removed.")


def _without_file(card: Card, code: Code) -> Rechecked | AlreadyThere | NoPlace:
    edit = card.proposal.edit
    if not edit.expected:
        return Rechecked(edit, card.proposal.lines, f"{edit.path} is still not there.")
    if edit.text is None:
        return AlreadyThere(f"{edit.path} is gone.")
    found = _carried(card, code)
    return NoPlace(f"{edit.path} is gone. {found.why}") if isinstance(found, NoPlace) else found


def _carried(card: Card, code: Code) -> Rechecked | AlreadyThere | NoPlace:
    """The change found again by its code, as a past fix is."""
    outcome = transplant(card.diff, code)
    if isinstance(outcome, AlreadyFixed):
        return AlreadyThere(outcome.why)
    if not isinstance(outcome, Carried):
        return NoPlace(outcome.reason)
    if len(outcome.files) != 1:
        return NoPlace("It would change several files today, and a card is about one.")
    file = outcome.files[0]
    return Rechecked(file.edit, file.lines, " ".join(file.why))
