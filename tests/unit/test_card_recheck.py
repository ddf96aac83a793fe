"""A card held against a file that has changed since: joined, found again, there already, or without a place."""

from __future__ import annotations

from dataclasses import replace

import pytest
from tests.carrying import Shelf
from tests.deciding import CODE, FIXED, NOW, QUICK, SLOW, TITLE, WORKER

from hindcast.fixes.messages import message_of
from hindcast.fixes.rechecking import AlreadyThere, NoPlace, Rechecked, recheck
from hindcast.model.card import Card, CardSource, Proposal
from hindcast.model.code import Edit, LineSpan
from hindcast.model.errors import Malformed
from hindcast.propose.dealt import dealt


def card(before: str = CODE, after: str | None = FIXED, *, path: str = WORKER) -> Card:
    """A card that makes one text out of another."""
    expected = Shelf({path: before}).read(path).digest if before else ""
    proposal = Proposal(
        CardSource.CARRIED_OVER, TITLE, Edit(path, expected, after), LineSpan(8, 8), "It hung.", ("cases/past@4",), 0.9
    )
    return dealt(proposal, before, incident="inc-7", workspace="shop", at=NOW)


def code(text: str | None, **others: str) -> Shelf:
    """Today's code, with the worker as it is by now."""
    return Shelf({**({WORKER: text} if text is not None else {}), **others})


def test_a_change_elsewhere_is_joined() -> None:
    """Both changes are in the result, and the edit is for today's bytes."""
    today = CODE.replace("Give it back.", "Give the money back.")

    found = recheck(card(), code(today))

    assert isinstance(found, Rechecked)
    assert found.edit == Edit(WORKER, code(today).read(WORKER).digest, today.replace(SLOW, QUICK))
    assert found.lines == LineSpan(8, 8)
    assert "both changes fit together" in found.note


def test_code_that_moved_and_was_renamed_is_found_again() -> None:
    """Where lines no longer match, the code is looked for as a past fix is."""
    today = CODE.replace("answer = requests.post(", "reply = requests.post(").replace("answer.json", "reply.json")

    found = recheck(card(), code(today))

    assert isinstance(found, Rechecked)
    assert found.edit.text == today.replace(SLOW, QUICK)


@pytest.mark.parametrize("today", [FIXED, FIXED + "# later\n"])
def test_what_is_there_already_is_said(today: str) -> None:
    """As it was proposed, or among other changes."""
    assert isinstance(recheck(card(), code(today)), AlreadyThere)


@pytest.mark.parametrize("today", [None, "print('another program')\n"])
def test_code_that_is_gone_has_no_place(today: str | None) -> None:
    """The reason is a sentence; nothing is guessed."""
    found = recheck(card(), code(today))

    assert isinstance(found, NoPlace)
    assert found.why.endswith(".")


def test_two_changes_that_do_not_parse_together_have_no_place() -> None:
    """Lines that fit and a file that cannot be read are no fix."""
    base = "x = [\n    1,\n    2,\n    3,\n    4,\n]\n"
    made = card(base, base.replace("]\n", "    5,\n]\n"), path="list.py")
    today = base.replace("x = [", "x = (").replace("]\n", ")\n")

    assert not isinstance(recheck(made, Shelf({"list.py": today})), Rechecked)


def test_files_that_are_made_or_removed_are_checked_too() -> None:
    """A new file must not be there with other content, and a removed one has to be what it was."""
    new, gone = card("", "x = 1\n", path="new.py"), card(CODE, None)

    assert isinstance(recheck(new, Shelf({})), Rechecked)
    assert isinstance(recheck(new, Shelf({"new.py": "x = 1\n"})), AlreadyThere)
    assert isinstance(recheck(new, Shelf({"new.py": "x = 2\n"})), NoPlace)
    assert isinstance(recheck(gone, code(CODE)), Rechecked)
    assert isinstance(recheck(gone, code(None)), AlreadyThere)
    assert isinstance(recheck(gone, code(FIXED)), NoPlace)


def test_a_file_that_is_as_it_was_needs_nothing_new() -> None:
    """Checking again without need gives the same change."""
    made = card()

    assert recheck(made, code(CODE)) == Rechecked(made.proposal.edit, made.proposal.lines, f"{WORKER} is as it was.")


@pytest.mark.parametrize(
    ("said", "expected"),
    [
        ("", "Give the call to the bank a timeout\n\nIt hung.\n\nFixes-Incident: inc-7\n"),
        ("Wait less", "Wait less\n\nFixes-Incident: inc-7\n"),
        ("Wait less\r\n\r\nCc: cy", "Wait less\n\nCc: cy\nFixes-Incident: inc-7\n"),
        ("Wait less\n\nFixes-Incident: inc-7\n", "Wait less\n\nFixes-Incident: inc-7\n"),
        ("fix: wait less", "fix: wait less\n\nFixes-Incident: inc-7\n"),
    ],
)
def test_a_commit_names_its_incident_once(said: str, expected: str) -> None:
    """As the last trailer, where git finds it, whatever somebody wrote above."""
    assert message_of(card(), said) == expected


def test_a_message_that_is_none_is_malformed() -> None:
    """It is bounded, and text."""
    for said in ("x" * 5_000, "a\0b"):
        with pytest.raises(Malformed, match="message of a commit"):
            message_of(card(), said)
    long = card()
    long = replace(long, proposal=replace(long.proposal, title="word " * 40))
    assert len(message_of(long).split("\n")[0]) <= 72
