"""Cards for files of every kind: line ends, marks, encodings, read-only files, folders without history."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.deciding import CODE, FIXED, QUICK, SLOW, SPACE, WORKER, Shop, shop

from hindcast.experience import card_verdicts_on
from hindcast.fixes.intents import intents_in
from hindcast.model.card import CardState
from hindcast.model.errors import Refused


@pytest.fixture
def here(tmp_path: Path) -> Iterator[Shop]:
    """The service with one open incident."""
    made = shop(tmp_path)
    yield made
    made.close()


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        (CODE.replace("\n", "\r\n"), "utf-8"),
        (CODE, "utf-8-sig"),
        (CODE.removesuffix("\n"), "utf-8"),
        (CODE.replace("    ", "\t"), "utf-8"),
        (CODE.replace("Takes payments", "Nimmt Zahlungen für Läden"), "cp1252"),
        (CODE.replace("Takes payments", "お支払い"), "utf-16"),
    ],
    ids=["crlf", "mark", "no newline at the end", "tabs", "cp1252", "utf-16"],
)
def test_a_file_keeps_how_it_is_written(here: Shop, text: str, encoding: str) -> None:
    """Line ends, marks and encodings stay; accepting changes one line of bytes, and taking it back none at all."""
    raw = text.encode(encoding)
    (here.root / WORKER).write_bytes(raw)
    plain = text.replace("\r\n", "\n")
    card = here.card(plain.replace(SLOW, QUICK))

    here.verdicts.accept(SPACE, card.id, by="bo", now=here.now)
    assert (here.root / WORKER).read_bytes() == text.replace(SLOW, QUICK).encode(encoding)

    here.verdicts.undo(SPACE, card.id, by="bo", now=here.now)
    assert (here.root / WORKER).read_bytes() == raw


def test_a_file_that_may_not_be_written_is_refused(here: Shop) -> None:
    """Read-only is somebody's wish; the card stays open."""
    card = here.card()
    (here.root / WORKER).chmod(0o444)

    with pytest.raises(Refused, match="read-only"):
        here.verdicts.accept(SPACE, card.id, by="bo", now=here.now)

    assert (here.read(), here.state(card)) == (CODE, CardState.PROPOSED)
    assert intents_in(here.view) == ()


def test_a_folder_without_history_takes_changes_and_no_branches(here: Shop) -> None:
    """Where there is no repository, files are changed and taken back, and a branch is refused with the reason."""
    here.places.close()
    shutil.rmtree(here.root / ".git")
    card = here.card()

    with pytest.raises(Refused, match="is no repository"):
        here.verdicts.accept(SPACE, card.id, by="bo", now=here.now, branch="fix/bank")
    assert (here.read(), here.state(card)) == (CODE, CardState.PROPOSED)
    assert intents_in(here.view) == ()

    here.verdicts.accept(SPACE, card.id, by="bo", now=here.now)
    assert here.read() == FIXED
    here.verdicts.undo(SPACE, card.id, by="bo", now=here.now)
    assert [one.state for one in card_verdicts_on(here.view, card.id)] == [CardState.ACCEPTED, CardState.UNDONE]
    assert here.read() == CODE
