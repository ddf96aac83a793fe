"""A process that decides about cards is killed again and again; files and memory never tell two stories."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import IO

from tests.conftest import Place
from tests.crash.decider import SPACE
from tests.crash.decider import Place as Code
from tests.crash.test_kill import Lines
from tests.deciding import CODE, INCIDENT, TITLE, repository

from hindcast.casebook import Casebook
from hindcast.experience import card_verdicts_on
from hindcast.fixes.intents import file_there, intents_in
from hindcast.fixes.keeping import card_there, changes_of
from hindcast.fixes.patching import patched
from hindcast.fixes.verdicts import Verdicts
from hindcast.memory import Memory
from hindcast.model.card import Card, CardSource, CardState, Proposal
from hindcast.model.case import Case
from hindcast.model.code import Edit, LineSpan
from hindcast.propose.dealt import dealt

DECIDER = Path(__file__).with_name("decider.py")
KILLS = 36
CARDS = 4
LIFE_MS_MAX = 200
# Where a life ends: at any instant, or at its own hand around the change of files.
ENDS = ("", "before", "after")


@contextmanager
def decider(store: str, root: Path, environment: Mapping[str, str]) -> Iterator[tuple[IO[bytes], Lines]]:
    """The program that forks lives: where to send a number, and the lines that come back."""
    command = [sys.executable, str(DECIDER), store, str(root)]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, bufsize=0
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield process.stdin, Lines(process.stdout)
        finally:
            process.stdin.close()
            process.kill()


def begin(memory: Memory, root: Path) -> tuple[Card, ...]:
    """Some files, an incident, and a card for each file."""
    root.mkdir()
    paths = [f"payment/part{number}.py" for number in range(CARDS)]
    repository(root, dict.fromkeys(paths, CODE))
    Casebook(memory).put(
        Case(INCIDENT, "Payments hang", datetime(2026, 7, 3, tzinfo=UTC)), actor="hindcast", why="It hung."
    )
    workspace = Code(root).workspace
    made = []
    for path in paths:
        edit = Edit(path, workspace.read(path).digest, CODE + "TIMEOUT = 5\n")
        proposal = Proposal(CardSource.MODEL, TITLE, edit, LineSpan(1, 1), "It hung.", (), 0.9)
        made.append(dealt(proposal, CODE, incident=INCIDENT, workspace="shop", at=datetime.now(UTC)))
    memory.commit([change for card in made for change in changes_of(card)], actor="hindcast", why="Proposed.")
    return tuple(made)


def check(memory: Memory, code: Code, cards: tuple[Card, ...]) -> None:
    """Every file is what the last decision about its card says, wherever that went, and so is the case."""
    view = memory.now()
    applied = []
    for card in cards:
        state, path = card_there(view, card.id).state, card.proposal.edit.path
        said = card_verdicts_on(view, card.id)
        is_applied = state in (CardState.ACCEPTED, CardState.MODIFIED)
        assert state is not CardState.GONE
        assert not said or said[-1].state is state or said[-1].state is CardState.UNDONE
        assert all(one.undone_by for one in said[:-1] if one.state is not CardState.UNDONE)
        branch = f"fix/{card.id}"
        is_there = file_there(code.workspace, path, branch) is not None
        on_branch = is_applied and said[-1].branch == branch
        wanted = card.before
        if is_applied:
            applied.append(said[-1].attempt)
            wanted = card.after if state is CardState.ACCEPTED else patched(card.before, said[-1].applied) or ""
        here = file_there(code.workspace, path)
        there = file_there(code.workspace, path, branch) if is_there else None
        assert here is not None
        assert here.text == (card.before if on_branch else wanted)
        assert there is None or there.text == (wanted if on_branch else card.before)
    assert sorted(applied) == sorted(one.id for one in Casebook(memory).case(INCIDENT).attempts)


def test_no_kill_leaves_files_that_memory_knows_nothing_of(
    sqlite_place: Place, tmp_path: Path, source_environment: Mapping[str, str]
) -> None:
    """After each kill and what the next begin settles, files, cards and case agree; what was acknowledged is there."""
    chance = random.Random(2026)
    root = tmp_path / "shop"
    cards = begin(sqlite_place.memory(SPACE), root)
    sqlite_place.close()
    acknowledged, left = 0, 0
    with decider(sqlite_place.where, root, source_environment) as (orders, lines):
        for life in range(1, KILLS + 1):
            end = ENDS[life % len(ENDS)]
            orders.write(f"{life} {end}\n".encode())
            told = list(lines.through("began"))
            if not end:
                told += lines.until(time.monotonic() + chance.uniform(0, LIFE_MS_MAX) / 1000)
                os.kill(_process(told), signal.SIGKILL)
            told += lines.through("ended")
            assert told[-1] == f"ended {int(signal.SIGKILL)}"
            fresh = [line.split()[1:] for line in told if line.startswith("decided ")]
            acknowledged += len(fresh)

            memory, code = sqlite_place.memory(SPACE), Code(root)
            left += len(intents_in(memory.now()))
            Verdicts(partial(_itself, memory), code).settle(SPACE, now=datetime.now(UTC))
            assert intents_in(memory.now()) == ()
            check(memory, code, cards)
            for card, state, at in map(_told, fresh):
                assert (state, at) in [(one.state, one.at) for one in card_verdicts_on(memory.now(), card)]
            code.workspace.close()
            sqlite_place.close()

    # Lives that end by their own hand always leave something; this only says that both kinds really happened.
    assert left >= KILLS // 3
    assert acknowledged > KILLS // 3
    assert sqlite_place.memory(SPACE).verify().faults == ()


def _itself(memory: Memory, _: str) -> Memory:
    return memory


def _process(told: list[str]) -> int:
    return next(int(line.split()[1]) for line in told if line.startswith("began "))


def _told(words: list[str]) -> tuple[str, CardState, datetime]:
    card, *state, at = words
    return card, CardState(" ".join(state)), datetime.fromisoformat(at)
