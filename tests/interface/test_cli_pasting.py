"""Every command that the command line prints can be pasted: store, space and path stand in it."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from hindcast.cli.commands import NAMES, parted, to_paste
from hindcast.cli.tree import command_tree

ROOT = Path(__file__).resolve().parents[2]
SCRIPT = Path(sys.executable).with_name("hindcast")
# What a person has to put something in the place of: only they have it.
PLACEHOLDER = re.compile(r"…|\b[A-Z]{4,}\b")
REVIEW = """# Checkout was down for 20 minutes

Date: 2026-10-02 10:00 UTC

Checkout printed `PoolTimeout: connection pool exhausted` for every order.

## Resolution

We stopped the job and capped its pool at five connections.
"""
OPTIONS = {"HINDCAST_MODEL": "none", "COLUMNS": "100", "NO_COLOR": "1", "PATH": "/usr/bin:/bin"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder with a blank in its name, in which a store has the demo's year in the space `demo`."""
    made = tmp_path_factory.mktemp("pasted") / "on call"
    made.mkdir()
    (made / "review.md").write_text(REVIEW)
    ran = shell(f"{SCRIPT} --store 'our store' demo seed", made)
    assert ran.returncode == 0, ran.stderr
    yield made
    shutil.rmtree(made)


def shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    """Paste a line into a shell that has neither the program on its path nor any setting."""
    env = {**OPTIONS, "HOME": str(folder)}
    return subprocess.run(
        ["/bin/bash", "-c", command], cwd=folder, env=env, capture_output=True, text=True, timeout=60, check=False
    )


def printed(ran: subprocess.CompletedProcess[str]) -> list[str]:
    """The commands in what a run printed."""
    called = re.escape(str(SCRIPT))
    found = re.findall(rf"{called} [^`\n]*?(?=`|\n|   |$| \(or)", ran.stdout + ran.stderr)
    return [one.strip() for one in found]


@pytest.mark.parametrize(
    "words",
    [
        "recall 'ConnectionResetError: [Errno 104] Connection reset by peer in payment'",
        "recall --incident past-redis-worker-pool",
        "incident show past-unclear-segfault",
        "incident show past-nothing",
        "recall 'ConnectionResetError in payment' --format markdown",
        "fix list past-redis-worker-pool",
        "memory log --limit 2",
        "learning",
    ],
)
def test_every_printed_command_can_be_pasted(words: str, folder: Path, tmp_path: Path) -> None:
    """What is printed runs as it stands, in any folder, and finds the same space of the same store."""
    ran = shell(f"{SCRIPT} --store 'our store' --space demo {words}", folder)
    commands = printed(ran)

    assert not re.findall(r"(?<![\w/.-])hindcast (?:" + "|".join(NAMES) + r") \w", ran.stdout + ran.stderr)
    for command in commands:
        if not PLACEHOLDER.search(command) and " review " not in command:
            pasted = shell(command, tmp_path)
            assert pasted.returncode == 0, f"{command}\n{pasted.stderr}"


def test_the_verdict_that_recall_asks_for_is_recorded(folder: Path) -> None:
    """The command under an answer says which case and which question, so that pasting it is the verdict."""
    asked = "redis says it's full: ConnectionResetError while settling"
    ran = shell(f'{SCRIPT} --store "our store" --space demo recall "{asked}"', folder)
    verdict = next(one for one in printed(ran) if "incident verdict" in one)

    assert "--space demo" in verdict
    assert f"--store '{folder / 'our store'}'" in verdict
    assert shell(verdict, folder.parent).returncode == 0


def test_a_program_called_by_a_relative_path_is_printed_in_full(folder: Path, tmp_path: Path) -> None:
    """A path that holds in one folder only is not printed: neither the program's nor the store's."""
    called = os.path.relpath(SCRIPT, folder)
    commands = printed(shell(f"{called} --store 'our store' --space demo incident show past-unclear-segfault", folder))
    shown = [one for one in commands if not PLACEHOLDER.search(one)]

    assert commands
    assert all(shell(one, tmp_path).returncode == 0 for one in shown)


def test_what_an_import_prints_can_be_pasted(folder: Path, tmp_path: Path) -> None:
    """The incident that was brought in is shown by the printed command; what an answer misses is asked for by one."""
    here = f"{SCRIPT} --store 'our store' --space own"
    (shown,) = printed(shell(f"{here} import review.md", folder))
    asked = printed(shell(f"{here} recall 'PoolTimeout in checkout: connection pool exhausted'", folder))

    assert shell(shown, tmp_path).returncode == 0
    note = next(one for one in asked if one.endswith("--cause …"))
    ran = shell(note.replace("…", "'a job kept its connections'"), tmp_path)
    assert ran.returncode == 0, ran.stderr


def test_a_space_that_is_not_there_is_an_error(folder: Path) -> None:
    """A mistyped space is not answered like an empty one: the known ones are named, with the code of a wrong input."""
    for words in ("incident list", "recall redis"):
        ran = shell(f"{SCRIPT} --store 'our store' --space demoo {words}", folder)

        assert ran.returncode == 2, words
        assert "There is no space 'demoo'" in ran.stderr
        assert "Did you mean 'demo'?" in ran.stderr


def test_older_incidents_are_told_with_how_to_list_them(folder: Path) -> None:
    """A short list says how many older ones there are, and the days that show all of them."""
    ran = shell(f"{SCRIPT} --store 'our store' --space demo incident list --days 1", folder)
    told = re.search(r"179 older ones: --days (\d+)", ran.stdout + ran.stderr)

    assert told
    longer = shell(f"{SCRIPT} --store 'our store' --space demo incident list --days {told[1]}", folder)
    assert "older one" not in longer.stdout + longer.stderr


def test_the_names_of_commands_are_all_there_are() -> None:
    """No command was added that texts could not be made to name as it has to be typed."""
    assert set(NAMES) >= {name for name, command in command_tree().commands.items() if not command.hidden}


@pytest.mark.parametrize(
    ("text", "where", "pasted"),
    [
        ("See `hindcast incident list`.", {"space": "demo"}, "See `hindcast --space demo incident list`."),
        (
            "A: hindcast fix show 1   B: hindcast review x",
            {"store": "a b"},
            "A: hindcast --store 'a b' fix show 1   B: hindcast --store 'a b' review x",
        ),
        ("hindcast share take x --space y", {"space": "demo"}, "hindcast share take x --space y"),
        ("Nothing hindcast says is lost.", {"space": "demo"}, "Nothing hindcast says is lost."),
    ],
)
def test_a_text_is_told_with_commands_as_they_are_typed(text: str, where: dict[str, str], pasted: str) -> None:
    """Only commands are changed, and an option that stands in one is not said twice."""
    assert to_paste(text, where) == pasted


def test_a_command_at_the_end_of_a_sentence_stands_alone() -> None:
    """A sentence is told without the command that it ends in."""
    text = "Say whether this was it: hindcast incident verdict x --right --for 'a b' (or --wrong)"

    assert parted(text) == ("Say whether this was it (or --wrong)", "hindcast incident verdict x --right --for 'a b'")
