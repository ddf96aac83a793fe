"""`hindcast review`: a walk through cards in a terminal, key by key."""

from __future__ import annotations

import os
import pty
import select
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest
from tests.fixing import INCIDENT, LOOP, PRODUCTION, RELEASE, FixKeyboard, fix_keyboard
from tests.keyboard import Said, typed

from hindcast.fixes.verdicts import Verdicts
from hindcast.model.card import CardVerdict

WAIT_SECONDS_MAX = 60


@pytest.fixture
def keyboard(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> FixKeyboard:
    """A keyboard at a machine with the code of a service that fails again."""
    return fix_keyboard(tmp_path, capsys, monkeypatch)


def walked(keyboard: FixKeyboard, keys: str, *, code: int = 0) -> Said:
    """A walk with these answers, one for each line."""
    lines = "".join(f"{key}\n" for key in keys.split("|"))
    said = typed(["review", INCIDENT], keyboard.capture, keyboard.patch, stdin=lines, terminal=True)
    assert said.code == code, said.err
    return said


def states(keyboard: FixKeyboard) -> dict[str, str]:
    """What became of each card, by its file."""
    return {line["path"]: line["state"] for line in keyboard.json("log")["lines"]}


def first(keyboard: FixKeyboard) -> str:
    """The file that the first card changes."""
    return str(keyboard.json(f"list {INCIDENT}")["cards"][0]["path"])


def test_a_walk_shows_each_card_and_ends_with_a_summary(keyboard: FixKeyboard) -> None:
    """Warnings come first, then one card at a time with its diff; the end says what was decided and what is left."""
    said = walked(keyboard, "a|s")

    assert said.out.index(f"! {PRODUCTION}") < said.out.index("── 1 of 2 ──") < said.out.index("── 2 of 2 ──")
    assert f"+        {RELEASE}" in said.out
    assert "1 accepted, 1 left to decide." in said.out
    assert f"hindcast review {INCIDENT}" in said.err
    assert sorted(states(keyboard).values()) == ["accepted", "proposed"]


def test_rejecting_asks_why_and_whether_to_warn(keyboard: FixKeyboard) -> None:
    """A reason may be given or not; only with one can others be warned."""
    walked(keyboard, "r|it hides the leak|y|r||q")

    log = keyboard.json("log --state rejected")["lines"]
    assert sorted(line["reason"] for line in log) == ["", "it hides the leak"]


def test_who_leaves_before_saying_why_has_decided_nothing(keyboard: FixKeyboard) -> None:
    """An input that ends at the question for the reason rejects nothing."""
    said = typed(["review", INCIDENT], keyboard.capture, keyboard.patch, stdin="r\n", terminal=True)

    assert said.code == 5
    assert "2 left to decide." in said.out
    assert set(states(keyboard).values()) == {"proposed"}


def test_undo_goes_back_to_the_card(keyboard: FixKeyboard) -> None:
    """The key u takes the last decision back and shows its card again; the files are as they were."""
    before = {path: keyboard.text(path) for path in (LOOP, PRODUCTION)}
    said = walked(keyboard, "u|a|u|q")

    assert "Nothing was decided in this walk yet." in said.err
    assert said.out.count("── 1 of 2 ──") == 3
    assert {path: keyboard.text(path) for path in before} == before
    assert "2 left to decide." in said.out


def test_editing_applies_what_was_saved(keyboard: FixKeyboard, tmp_path: Path) -> None:
    """The key e opens the editor with what the card proposes; what it leaves is the file."""
    path = first(keyboard)
    script = tmp_path / "editor.py"
    script.write_text("import sys\nopen(sys.argv[-1], 'a').write('# edited\\n')\n")
    keyboard.patch.delenv("VISUAL", raising=False)
    keyboard.patch.setenv("EDITOR", f"{sys.executable} {script}")
    walked(keyboard, "e|q")

    assert keyboard.text(path).endswith("# edited\n")
    assert states(keyboard)[path] == "modified"


def test_keys_are_explained_and_others_mean_nothing(keyboard: FixKeyboard) -> None:
    """? explains the keys, any other key is asked again, and the end of input decides nothing."""
    said = walked(keyboard, "?|x|")

    assert "undo the last decision" in said.err
    assert "Press one of" in said.err
    assert "2 left to decide." in said.out
    assert set(states(keyboard).values()) == {"proposed"}


def test_a_file_that_changed_meanwhile_is_told_and_passed(keyboard: FixKeyboard) -> None:
    """What cannot be decided says why and what to type, and the walk goes on."""
    path = first(keyboard)
    text = keyboard.text(path)
    script = keyboard.code.parent / "editor.py"
    script.write_text(
        f"import sys\nopen({str(keyboard.code / path)!r}, 'a').write('# theirs\\n')\n"
        "open(sys.argv[-1], 'a').write('# mine\\n')\n"
    )
    keyboard.patch.delenv("VISUAL", raising=False)
    keyboard.patch.setenv("EDITOR", f"{sys.executable} {script}")
    said = walked(keyboard, "e|q")

    assert "hindcast fix recheck" in said.err
    assert keyboard.text(path) == f"{text}# theirs\n"


def test_ctrl_c_during_a_decision_waits_until_it_is_whole(keyboard: FixKeyboard) -> None:
    """Somebody who hits Ctrl-C while a file is being changed finds file and memory agreed, and the end told."""
    path, accept = first(keyboard), Verdicts.accept

    def interrupted(*given: Any, **named: Any) -> CardVerdict:
        os.kill(os.getpid(), signal.SIGINT)
        return accept(*given, **named)

    keyboard.patch.setattr(Verdicts, "accept", interrupted)
    said = walked(keyboard, "a|a", code=130)

    assert "finished first" in said.err
    assert "1 accepted, 1 left to decide." in said.out
    assert states(keyboard)[path] == "accepted"
    assert keyboard.text(path) == keyboard.json(f"show {keyboard.card(path)}")["after"]


def test_in_a_pipe_nobody_is_asked(keyboard: FixKeyboard) -> None:
    """Without a terminal it refuses, and says what a script types instead."""
    said = typed(["review", INCIDENT], keyboard.capture, keyboard.patch, stdin="a\n")

    assert said.code == 5
    assert "hindcast fix list --json" in said.err


def test_single_keys_and_ctrl_c_at_a_real_terminal(keyboard: FixKeyboard) -> None:
    """A key needs no Enter; Ctrl-C between cards leaves what was decided, whole, and says so."""
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "hindcast", "review", INCIDENT],
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        env={**os.environ, "TERM": "xterm"},
    )
    os.close(theirs)
    try:
        heard = heard_until(ours, "1 of 2")
        heard = heard_until(ours, "[?]", heard)
        os.write(ours, b"a")
        heard = heard_until(ours, "2 of 2", heard)
        heard = heard_until(ours, "[?]", heard.rpartition("2 of 2")[2])
        process.send_signal(signal.SIGINT)
        heard = heard_until(ours, "left to decide", heard)
        assert process.wait(WAIT_SECONDS_MAX) == 130
    finally:
        process.kill()
        process.wait()
        os.close(ours)

    assert "1 accepted, 1 left to decide." in heard
    assert sorted(states(keyboard).values()) == ["accepted", "proposed"]


def heard_until(terminal: int, words: str, heard: str = "") -> str:
    """What a program has written by the time that it wrote these words."""
    deadline = time.monotonic() + WAIT_SECONDS_MAX
    while words not in heard:
        assert time.monotonic() < deadline, heard
        if select.select([terminal], [], [], 0.1)[0]:
            heard += os.read(terminal, 65_536).decode(errors="replace")
    return heard
