"""`hindcast fix`, as somebody at a keyboard and as a script sees it: on real code, without a server."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pygit2
import pytest
from tests.fixing import (
    INCIDENT,
    LOOP,
    PRODUCTION,
    PUT,
    PUT_LESS,
    RELEASE,
    SPACE,
    STORY,
    WORKSPACE,
    FixKeyboard,
    fix_keyboard,
)
from tests.keyboard import typed

from hindcast import cli


@pytest.fixture
def keyboard(tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> FixKeyboard:
    """A keyboard at a machine with the code of a service that fails again."""
    return fix_keyboard(tmp_path, capsys, monkeypatch)


def test_the_list_says_what_to_change_and_what_comes_next(keyboard: FixKeyboard) -> None:
    """Cards, the warning and the next command stand on one screen; without a name it is the incident under way."""
    said = keyboard.ok(f"list {INCIDENT}")

    assert LOOP in said.out
    assert f"! {PRODUCTION}" in said.out
    assert f"hindcast review {INCIDENT}\n" in said.err
    named = keyboard.ok(f"list {INCIDENT} --workspace {WORKSPACE}")
    assert f"hindcast review {INCIDENT} --workspace {WORKSPACE}\n" in named.err
    assert "\x1b" not in said.out
    assert keyboard.json("list")["incident"] == INCIDENT


def test_a_card_is_shown_with_its_diff_and_its_evidence(keyboard: FixKeyboard) -> None:
    """The sentence, where, how sure, why, the evidence and the diff; a few characters name the card."""
    card = keyboard.card()
    said = keyboard.ok(f"show {card.removeprefix('fix-')[:5]}")

    assert f"+        {RELEASE}" in said.out.splitlines()
    assert STORY in said.out
    assert INCIDENT in said.out
    assert f"hindcast fix accept {card}" in said.err


def test_the_bare_diff_can_be_given_to_git(keyboard: FixKeyboard) -> None:
    """What --diff prints applies to the repository as it is."""
    said = keyboard.ok(f"show {keyboard.card()} --diff")
    git = shutil.which("git")
    assert git is not None
    subprocess.run([git, "apply", "-"], input=said.out, text=True, cwd=keyboard.code, check=True)

    assert RELEASE in keyboard.text()


def test_a_diff_is_coloured_on_a_terminal_only(keyboard: FixKeyboard) -> None:
    """Somebody at a terminal sees colours; a pipe, --no-color and NO_COLOR get plain text."""
    card = keyboard.card()
    keyboard.patch.setenv("FORCE_COLOR", "1")
    coloured, plain = keyboard.ok(f"show {card}"), keyboard.ok(f"show {card} --no-color")

    assert f"\x1b[32m+        {RELEASE}" in coloured.out
    assert "\x1b[3" not in plain.out


def test_accept_changes_the_file_and_undo_brings_it_back(keyboard: FixKeyboard) -> None:
    """Each says what was done and what to type next; the log has both, by name."""
    before, card = keyboard.text(), keyboard.card()
    said = keyboard.ok(f"accept {card}")

    assert f"Accepted: {LOOP} is changed (+1 −0)." in said.out
    assert f"hindcast fix undo {card}" in said.err
    assert RELEASE in keyboard.text()
    assert keyboard.json(f"show {card}")["state"] == "accepted"
    assert "Taken back" in keyboard.ok(f"undo {card}").out
    assert keyboard.text() == before
    line = keyboard.json("log")["lines"][0]
    assert (line["card"], line["state"], line["by"]) == (card, "undone", "ana")


def test_a_decided_card_says_who_decided_and_why(keyboard: FixKeyboard) -> None:
    """Whoever comes second sees by whom, when and why, and is told how to decide anew."""
    card = keyboard.card()
    assert "decided" not in keyboard.ok(f"show {card}").out
    keyboard.ok(f"reject {card} --reason 'not before Monday.'")
    refused = keyboard(f"accept {card}")

    assert refused.code == 4
    assert f"hindcast fix show {card}" in refused.err
    assert re.search(r"^decided   by ana .*; not before Monday$", keyboard.ok(f"show {card}").out, re.M)
    assert keyboard.json(f"show {card}")["line"]["reason"] == "not before Monday."


def test_an_empty_log_says_whether_there_is_anything_else(keyboard: FixKeyboard) -> None:
    """Nothing at all, and nothing under these conditions, are two answers."""
    assert keyboard.ok("log").out == "Nothing was proposed yet.\n"
    keyboard.card()
    assert keyboard.ok("log --workspace nowhere").out == "No proposal is like that.\n"
    assert "No proposal is like that." in keyboard.ok("log --state rejected").out


def test_what_was_decided_at_a_keyboard_is_in_the_audit_trail(keyboard: FixKeyboard) -> None:
    """Each decision has an entry in the name of who typed it; where no trail can be kept, that is said."""
    card = keyboard.card()
    keyboard.ok(f"accept {card}")
    keyboard.ok(f"undo {card}")
    entries = typed(["audit", "list", "--json"], keyboard.capture, keyboard.patch).document["entries"]

    told = [
        (one["what"], one["subject"], one["actor"], one["space"]) for one in entries if one["what"].endswith("card")
    ]
    assert told == [("undo card", card, "ana", SPACE), ("accept card", card, "ana", SPACE)]
    (Path(os.environ["HINDCAST_STORE"]) / ".accounts.db").write_bytes(b"this is no database" * 100)
    said = keyboard.ok(f"reject {card}")
    assert "Rejected" in said.out
    assert "not in the audit trail" in said.err


def test_a_rejected_card_is_held_back_with_its_reason(keyboard: FixKeyboard) -> None:
    """What somebody did not want is told as held back, with the reason; the log can be asked for it, then and now."""
    card = keyboard.card()
    said = keyboard.ok(f"reject {card} --reason 'it hides the leak' --dont-try")

    assert "warns of it" in said.out
    assert "it hides the leak" in keyboard.ok(f"list {INCIDENT}").out
    log = keyboard.json("log --state rejected --source carried-over")
    assert [line["reason"] for line in log["lines"]] == ["it hides the leak"]
    assert log["counts"]["rejected"] == 1
    assert keyboard.json("log --state rejected --at '200 seconds ago'")["lines"] == []
    assert "it hides" in keyboard.ok("log --text leak").out


def test_modify_takes_a_file_a_pipe_or_an_editor(keyboard: FixKeyboard, tmp_path: Path) -> None:
    """The whole file as somebody wrote it is applied; an editor begins with what the card proposes."""
    card = keyboard.card()
    mine = keyboard.json(f"show {card}")["after"].replace(RELEASE, f"{RELEASE}  # always")
    (tmp_path / "mine.py").write_text(mine, encoding="utf-8")

    assert keyboard.json(f"modify {card} --file {tmp_path / 'mine.py'}")["state"] == "modified"
    assert keyboard.text() == mine
    keyboard.ok(f"undo {card}")
    assert keyboard.json(f"modify {card} --file -", stdin=mine)["verdict"]["state"] == "modified"
    keyboard.ok(f"undo {card}")
    script = tmp_path / "editor.py"
    script.write_text(
        "import pathlib, sys\nfile = pathlib.Path(sys.argv[-1])\n"
        f"file.write_text(file.read_text().replace({RELEASE!r}, {RELEASE!r} + '  # edited'))\n"
    )
    keyboard.patch.delenv("VISUAL", raising=False)
    keyboard.patch.setenv("EDITOR", f"{sys.executable} {script}")
    assert "as you wrote it" in keyboard.ok(f"modify {card}", terminal=True).out
    assert f"{RELEASE}  # edited" in keyboard.text()


def test_an_editor_that_changes_nothing_or_fails_decides_nothing(keyboard: FixKeyboard) -> None:
    """What was not edited is not a modification, and an editor that fails leaves the file as it is."""
    before, card = keyboard.text(), keyboard.card()
    keyboard.patch.delenv("VISUAL", raising=False)
    for editor, code, told in (
        ("true", 2, f"fix accept {card}"),
        ("false", 6, "ended with 1"),
        ("no-such-editor", 6, "EDITOR"),
    ):
        keyboard.patch.setenv("EDITOR", editor)
        said = keyboard(f"modify {card}", terminal=True)
        assert said.code == code, said.err
        assert told in said.err
    assert keyboard(f"modify {card}").code == 2
    assert keyboard.text() == before


def test_a_card_of_a_changed_file_is_made_anew(keyboard: FixKeyboard) -> None:
    """Accepting is refused (exit code 4) with the remedy; the new card keeps what was written meanwhile."""
    card = keyboard.card()
    (keyboard.code / LOOP).write_text(f"# Somebody was here.\n{keyboard.text()}", encoding="utf-8")
    said = keyboard(f"accept {card}")

    assert said.code == 4
    assert "recheck" in said.err.replace("-", "")
    fresh = keyboard.json(f"recheck {card}")["id"]
    keyboard.ok(f"accept {fresh}")
    assert keyboard.text().startswith("# Somebody was here.\n")
    assert RELEASE in keyboard.text()


def test_a_card_goes_to_a_branch_and_the_file_stays(keyboard: FixKeyboard) -> None:
    """With --branch the change is a commit elsewhere, and what is checked out is as it was."""
    before = keyboard.text()
    said = keyboard.ok(f"accept {keyboard.card()} --branch fix/redis --message 'Release it'")

    assert "on branch fix/redis, commit" in said.out
    assert keyboard.text() == before
    assert "fix/redis" in pygit2.Repository(str(keyboard.code)).branches.local


def test_what_is_not_there_is_told_with_what_to_type(keyboard: FixKeyboard) -> None:
    """An unknown card, an ambiguous beginning, an unknown incident and rules that cannot be switched are refused."""
    keyboard.card()
    for line, code, told in (
        ("show fix-nothing", 3, "hindcast fix list"),
        ("accept fi", 3, "hindcast fix list"),
        ("list inc-nothing", 3, "inc-nothing"),
        (f"list {INCIDENT} --workspace nowhere", 3, "workspace"),
        ("rules --on", 2, "--on"),
        ("rules team-nothing", 3, "team-nothing"),
        ("log --limit 0", 2, "--limit"),
    ):
        said = keyboard(line)
        assert said.code == code, (line, said.err)
        assert told in said.err, (line, said.err)


def test_a_shell_completes_cards(keyboard: FixKeyboard) -> None:
    """After a Tab the shell is offered the cards that there are."""
    cards = {keyboard.card(path) for path in (LOOP, PRODUCTION)}
    keyboard.patch.setenv("_HINDCAST_COMPLETE", "complete_bash")
    keyboard.patch.setenv("COMP_WORDS", "hindcast fix show ")
    keyboard.patch.setenv("COMP_CWORD", "3")
    keyboard.capture.readouterr()
    with pytest.raises(SystemExit):
        cli.run([])

    assert set(keyboard.capture.readouterr().out.split()) == cards


def test_rules_are_listed_and_switched(keyboard: FixKeyboard) -> None:
    """A rule made from what somebody wrote says what it would find, and finds it once it is on."""
    card = keyboard.card()
    assert "No rule was made here yet" in keyboard.ok("rules").out
    was = keyboard.json(f"show {card}")["before"]
    said = keyboard.ok(f"modify {card} --file -", stdin=was.replace(PUT, PUT_LESS))
    (rule,) = keyboard.json("rules")["rules"]

    assert rule["made_from"] == card
    assert f"hindcast fix rules {rule['id']}" in said.err
    assert rule["id"] in keyboard.ok("rules").out
    assert "--on" in keyboard.ok(f"rules {rule['id']}").err
    assert f"{rule['id']} is on." in keyboard.ok(f"rules {rule['id']} --on").out
    assert keyboard.json(f"rules {rule['id']} --off")["rule"]["is_on"] is False
