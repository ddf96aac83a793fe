"""What a file is to become when somebody decides about a card, or why that cannot be: it only reads.

A file that is no longer what the card was made for is never overwritten.
"""

from __future__ import annotations

from hindcast.fixes.joining import joined
from hindcast.fixes.keeping import FILE_BYTES_MAX
from hindcast.fixes.patching import patched
from hindcast.model.card import Card, CardState, CardVerdict
from hindcast.model.code import Edit, SourceFile, Tongue
from hindcast.model.errors import Damaged, Malformed, Refused, Stale
from hindcast.propose.faulty import line_of_fault
from hindcast.propose.guard import still_parses

RECHECK = "Re-check the card against today's code: hindcast fix recheck {card}"


def edit_of(card: Card, file: SourceFile | None, text: str | None = None) -> Edit:
    """The change that accepts a card, or applies it with another text."""
    edit = card.proposal.edit
    wanted = edit.text if text is None else text
    if file is None:
        if edit.expected:
            remedy = f"Reject the card, or see whether the code has moved: hindcast fix recheck {card.id}"
            raise Refused(f"{edit.path} is gone.", field="path", remedy=remedy)
        return Edit(edit.path, "", wanted)
    if file.text == wanted:
        raise Refused(
            f"{edit.path} has this change already.", field="card", remedy="There is nothing to apply; reject the card."
        )
    if not edit.expected or file.text != card.before:
        raise changed_since(card)
    return Edit(edit.path, file.digest, wanted)


def edit_on_branch(card: Card, here: SourceFile | None, there: SourceFile | None, text: str | None = None) -> Edit:
    """The same where the change goes to a branch, whose file may be another than the one that is checked out.

    The card has to be one for the file `here`; what it changes is then joined with what the branch has `there`.
    """
    edit = card.proposal.edit
    wanted = edit.text if text is None else text
    if there is None or wanted is None or there.text in (card.before, wanted) or not edit.expected:
        return edit_of(card, there, text)
    if here is None or here.text != card.before:
        raise changed_since(card)
    both = joined(card.before, wanted, there.text)
    if both == there.text:
        raise Refused(f"The branch has this change of {edit.path} already.", field="branch", remedy="Nothing is to do.")
    if both is None or not still_parses(edit.path, there.tongue, there.text, both):
        raise Stale(
            f"{edit.path} is another one on the branch, in the same place.",
            field="branch",
            remedy=f"Commit what is changed in {edit.path} first, or accept the card without a branch.",
        )
    return Edit(edit.path, there.digest, both)


def changed_since(card: Card) -> Stale:
    """A file that is no longer what a card was made for."""
    path = card.proposal.edit.path
    return Stale(f"{path} has changed since the card was made.", field="path", remedy=RECHECK.format(card=card.id))


def check_modified(card: Card, text: str, tongue: Tongue) -> None:
    """Raise Malformed unless a text that somebody wrote may take the place of what a card proposes."""
    path = card.proposal.edit.path
    if card.proposal.edit.text is None:
        raise Refused(f"{path} is to be removed.", field="text", remedy="Accept the card as it is, or reject it.")
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > FILE_BYTES_MAX:
        remedy = f"Change the file itself; a card holds up to {FILE_BYTES_MAX}."
        raise Malformed(f"The text has {size} bytes.", field="text", remedy=remedy)
    if "\0" in text:
        raise Malformed("This is not text.", field="text", remedy="Leave out the zero characters.")
    if text == card.before:
        raise Malformed("Nothing is changed in it.", field="text", remedy="Change something, or reject the card.")
    if not still_parses(path, tongue, card.before, text):
        line = line_of_fault(text, tongue)
        where = f" from line {line} on" if line is not None else ""
        raise Malformed(f"It cannot be read as {tongue}{where}.", field="text", remedy="Mend it, then send it again.")


def applied_text(card: Card, last: CardVerdict) -> str | None:
    """What a card made of its file when it was applied; None where that removed it."""
    if last.state is not CardState.MODIFIED:
        return card.proposal.edit.text
    made = patched(card.before, last.applied)
    if made is None:
        remedy = "Change the file by hand, then say so in a note."
        raise Damaged(f"What was applied for {card.id} cannot be read.", field="applied", remedy=remedy)
    return made


def undo_of(card: Card, last: CardVerdict, file: SourceFile | None) -> Edit | None:
    """The change that takes an applied card back, and leaves what others did since; None where nothing is left of it.

    Raises Stale where the two cannot be told apart.
    """
    path = card.proposal.edit.path
    before = card.before if card.proposal.edit.expected else None
    made = applied_text(card, last)
    there = file.text if file is not None else None
    if there == before:
        return None
    expected = file.digest if file is not None else ""
    if there == made:
        return Edit(path, expected, before)
    both = None if before is None or made is None or there is None else joined(made, before, there)
    if file is None or both is None or not still_parses(path, file.tongue, file.text, both):
        what = f"{path} is gone" if file is None else f"{path} was changed again since, in the same place"
        raise Stale(f"{what}.", field="path", remedy="Change it by hand; what was applied is shown with the card.")
    return None if both == file.text else Edit(path, expected, both)
