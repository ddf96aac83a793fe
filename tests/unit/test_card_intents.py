"""What a crash leaves between files and memory, and how it is settled."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from tests.deciding import CODE, FIXED, QUICK, SLOW, SPACE, WORKER, Shop, git, shop

from hindcast.adapters.processes import identity, is_gone
from hindcast.experience import card_verdicts_of
from hindcast.fixes.intents import Verb, intents_in
from hindcast.fixes.log import lines
from hindcast.fixes.verdicts import INTENT_LASTS, Verdicts
from hindcast.model.card import CardState
from hindcast.model.code import Edit
from hindcast.model.errors import Stale, Unavailable
from hindcast.ports import Applied


class PowerCutError(BaseException):
    """The machine stops: nothing that runs may do anything about it."""


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Shop]:
    """The service with one open incident."""
    made = shop(tmp_path)
    yield made
    made.close()


def cut(here: Shop, decide: Callable[[], object], *, is_done: bool) -> None:
    """Decide, and lose power just before or just after the files are changed."""
    workspace = here.places.open(SPACE, "shop")
    apply = workspace.apply

    def stopping(edits: Sequence[Edit], **named: Any) -> Applied:
        if is_done:
            apply(edits, **named)
        raise PowerCutError

    workspace.apply = stopping  # type: ignore[method-assign]
    with pytest.raises(PowerCutError):
        decide()
    workspace.apply = apply  # type: ignore[method-assign]
    (intent,) = intents_in(here.view)
    assert intent.path == WORKER


def test_what_was_done_is_completed_in_the_name_of_who_decided(here: Shop) -> None:
    """The file is what was wanted, so the decision is remembered as if nothing had happened, at its own time."""
    card, now = here.card(), here.now
    cut(here, lambda: here.verdicts.accept(SPACE, card.id, by="bo", now=now), is_done=True)

    (verdict,) = here.again().settle(SPACE, now=now + timedelta(hours=1))

    assert (verdict.state, verdict.by, verdict.at) == (CardState.ACCEPTED, "bo", now)
    assert here.memory.log(commits_max=1)[0].actor == "bo"
    assert here.state(card) is CardState.ACCEPTED
    assert [one.id for one in here.case.attempts] == [verdict.attempt]
    assert here.read() == FIXED
    assert here.again().settle(SPACE, now=now + timedelta(hours=2)) == ()


def test_what_was_never_done_is_taken_back(here: Shop) -> None:
    """The file is what it was, so nobody has decided anything, and the card is open."""
    card, now = here.card(), here.now
    cut(here, lambda: here.verdicts.accept(SPACE, card.id, by="bo", now=now), is_done=False)

    assert here.again().settle(SPACE, now=now + timedelta(hours=1)) == ()

    assert intents_in(here.view) == ()
    assert card_verdicts_of(here.view) == ()
    assert here.state(card) is CardState.PROPOSED
    here.verdicts.accept(SPACE, card.id, by="cy", now=here.now)


def test_a_file_that_is_neither_is_left_alone_and_the_log_says_so(here: Shop) -> None:
    """Somebody changed it since: nothing is touched, and a person is asked to look."""
    card, now = here.card(), here.now
    cut(here, lambda: here.verdicts.accept(SPACE, card.id, by="bo", now=now), is_done=True)
    here.write(FIXED + "# and more\n")

    (verdict,) = here.again().settle(SPACE, now=now + timedelta(hours=1))

    assert here.read() == FIXED + "# and more\n"
    assert verdict.state is CardState.GONE
    (line,) = lines(here.view)
    assert (line.state, line.by) == (CardState.GONE, "bo")
    assert f"{WORKER} is neither what it was nor what it should have become" in line.reason
    assert here.case.attempts == ()


@pytest.mark.parametrize("is_done", [True, False])
def test_a_modification_is_settled_like_any_other(here: Shop, is_done: bool) -> None:
    """What was written and applied is read back from the file itself."""
    card, now = here.card(), here.now
    text = CODE.replace(SLOW, QUICK.replace("timeout=5", "timeout=8"))
    cut(here, lambda: here.verdicts.modify(SPACE, card.id, text, by="bo", now=now, reason="slower"), is_done=is_done)

    settled = here.again().settle(SPACE, now=now + timedelta(hours=1))

    assert [(one.state, one.reason) for one in settled] == ([(CardState.MODIFIED, "slower")] if is_done else [])
    assert here.read() == (text if is_done else CODE)
    if is_done:
        assert "timeout=8" in settled[0].applied
        here.verdicts.undo(SPACE, card.id, by="cy", now=here.now)
        assert here.read() == CODE


@pytest.mark.parametrize("is_done", [True, False])
def test_taking_back_is_settled_too(here: Shop, is_done: bool) -> None:
    """Either the file and the card are back, or both are as they were decided."""
    card, now = here.card(), here.now
    here.verdicts.accept(SPACE, card.id, by="bo", now=now)
    cut(here, lambda: here.verdicts.undo(SPACE, card.id, by="cy", now=now), is_done=is_done)

    here.again().settle(SPACE, now=now + timedelta(hours=1))

    assert here.state(card) is (CardState.UNDONE if is_done else CardState.ACCEPTED)
    assert here.read() == (CODE if is_done else FIXED)
    assert len(here.case.attempts) == (0 if is_done else 1)


def test_an_undo_that_nobody_can_judge_leaves_the_card_as_it_was_decided(here: Shop) -> None:
    """What is known for certain stays, and the log tells the rest; once the file is mended, it can be taken back."""
    card, now = here.card(), here.now
    text = FIXED.replace("timeout=5", "timeout=6")
    here.verdicts.modify(SPACE, card.id, text, by="bo", now=now)
    cut(here, lambda: here.verdicts.undo(SPACE, card.id, by="cy", now=now), is_done=True)
    here.write("nothing of it\n")

    here.again().settle(SPACE, now=now + timedelta(hours=1))

    assert here.state(card) is CardState.MODIFIED
    assert "while this was being taken back" in lines(here.view)[0].reason
    here.write(text)
    here.verdicts.undo(SPACE, card.id, by="cy", now=here.now)
    assert here.read() == CODE


@pytest.mark.parametrize("is_done", [True, False])
@pytest.mark.parametrize("branch", ["", "fix/bank"])
def test_commits_are_settled_too(here: Shop, branch: str, is_done: bool) -> None:
    """On a branch the branch is looked at, and where the workspace stands, its head."""
    card, now = here.card(), here.now

    def decide() -> None:
        here.verdicts.accept(SPACE, card.id, by="bo", now=now, branch=branch, is_committed=True)

    cut(here, decide, is_done=is_done)
    settled = here.again().settle(SPACE, now=now + timedelta(hours=1))

    assert [one.branch for one in settled] == ([branch or "main"] if is_done else [])
    assert here.state(card) is (CardState.ACCEPTED if is_done else CardState.PROPOSED)
    if is_done and not branch:
        assert settled[0].commit == git(here.root, "rev-parse", "HEAD").strip()


def test_a_crash_is_settled_before_the_next_decision(here: Shop) -> None:
    """Whoever decides next, about whichever card, finds no leftovers; who is still at it is left in peace."""
    card, other, now = here.card(), here.card(CODE + "x = 1\n", title="Add x."), here.now
    cut(here, lambda: here.verdicts.accept(SPACE, card.id, by="bo", now=now), is_done=True)

    soon = now + INTENT_LASTS / 2
    with pytest.raises(Stale, match="bo is deciding about"):
        here.again().reject(SPACE, card.id, by="cy", now=soon)
    here.again().reject(SPACE, other.id, by="cy", now=now + INTENT_LASTS)

    assert here.state(card) is CardState.ACCEPTED
    assert intents_in(here.view) == ()


def test_a_crash_is_settled_by_whoever_decides_about_the_same_card(here: Shop) -> None:
    """Nobody has to decide about something else first, or to start anything anew."""
    card, now = here.card(), here.now
    cut(here, lambda: here.verdicts.accept(SPACE, card.id, by="bo", now=now), is_done=False)

    made = here.again().reject(SPACE, card.id, by="cy", now=now + INTENT_LASTS)

    assert (made.state, here.state(card)) == (CardState.REJECTED, CardState.REJECTED)


@pytest.mark.parametrize("is_waited_for", [True, False])
def test_who_was_killed_is_not_waited_for(here: Shop, is_waited_for: bool) -> None:
    """A process that lives is left in peace; as soon as it is known to be gone, what it began is finished.

    It makes no difference whether whoever started it has taken notice of its end.
    """
    card, now = here.card(), here.now
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        theirs = Verdicts(lambda _: here.memory, here.places, process=identity(other.pid))
        ours = Verdicts(lambda _: here.memory, here.places, process=identity(), is_gone=is_gone)
        cut(here, lambda: theirs.accept(SPACE, card.id, by="bo", now=now), is_done=True)
        with pytest.raises(Stale, match="bo is deciding about"):
            ours.reject(SPACE, card.id, by="cy", now=now)
        other.kill()
        if is_waited_for:
            other.wait()
        else:
            os.waitid(os.P_PID, other.pid, os.WEXITED | os.WNOWAIT)

        assert ours.undo(SPACE, card.id, by="cy", now=now).state is CardState.UNDONE
    assert here.read() == CODE
    assert [one.by for one in card_verdicts_of(here.view)] == ["bo", "cy"]


def test_only_what_is_known_to_be_gone_is_said_to_be() -> None:
    """Nothing is said of another machine, another container, or no process; a number given again names another one."""
    mine = identity()
    boot, counted, number, began = mine.split("/")

    assert not is_gone(mine)
    assert is_gone(f"{boot}/{counted}/{number}/{int(began) + 1}")
    assert is_gone(f"{boot}/{counted}/{2**22 + 1}/{began}")
    for unknown in (
        f"x{mine}",
        f"{boot}/pid:[1]/{number}/1",
        f"{boot}/{counted}/-1/1",
        f"{boot}/{counted}",
        "",
        "/" * 9,
    ):
        assert not is_gone(unknown), unknown
    assert identity(2**22 + 1) == ""


def test_a_workspace_that_does_not_answer_is_asked_again_later(here: Shop) -> None:
    """Nothing is concluded from a folder that is not here; from a file that cannot be read, that nobody can tell."""
    card, now = here.card(), here.now
    cut(here, lambda: here.verdicts.accept(SPACE, card.id, by="bo", now=now), is_done=True)
    opened = here.places.open

    def away(space: str, name: str) -> Any:
        raise Unavailable("The disk is away.", remedy="Bring it back.")

    here.places.open = away  # type: ignore[method-assign]
    assert here.again().settle(SPACE, now=now) == ()
    assert [one.verb for one in intents_in(here.view)] == [Verb.ACCEPT]
    here.places.open = opened  # type: ignore[method-assign]
    here.places.name = "renamed"
    assert here.again().settle(SPACE, now=now) == ()
    here.places.name = "shop"
    (here.root / WORKER).write_bytes(b"\0\1\2")

    (verdict,) = here.again().settle(SPACE, now=now)
    assert verdict.state is CardState.GONE
    assert (here.root / WORKER).read_bytes() == b"\0\1\2"
