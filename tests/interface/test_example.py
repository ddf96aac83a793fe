"""The example is a program like any other: it is run from outside and has to tell the whole story."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from datetime import UTC, datetime
from pathlib import Path

import pytest

from hindcast.adapters.clock import ManualClock
from hindcast.build import open_memory
from hindcast.config import Settings

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "examples" / "production_debugging.py"


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the example as a reader would, in a pipe and with nothing but its own settings."""
    clean = {name: value for name, value in os.environ.items() if not name.startswith("HINDCAST_")}
    environment = {**clean, "PYTHONPATH": str(ROOT / "src"), "COLUMNS": "100", "PYTHONIOENCODING": "utf-8"}
    command = [sys.executable, str(EXAMPLE), *arguments]
    return subprocess.run(command, capture_output=True, text=True, encoding="utf-8", env=environment, check=False)


@pytest.fixture(scope="module")
def told() -> str:
    """What the example prints."""
    done = run()
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_the_timeline_is_counted_from_memory(told: str) -> None:
    """The entries at the ends of days 1, 2, 3 and at the review come out as the story says."""
    assert "Entries: 145 → 147 → 147 → 167" in told


def test_the_moment_of_the_advice_can_be_visited(told: str) -> None:
    """At the moment of the advice there were 147 entries and memory said 50."""
    assert "Memory as of day 3 14:20: 147 entries" in told
    assert re.search(r"^pool_size +50 *$", told, flags=re.MULTILINE)


def test_bisection_names_the_job_that_did_it(told: str) -> None:
    """The commit that changed the answer is found, with its actor and its reason."""
    assert re.search(r"20 became 50 in\s+[0-9a-f]{12}  day 3 03:00  job:config-sync: Nightly sync from staging", told)


def test_blame_tells_fields_apart(told: str) -> None:
    """The wrong number is the job's, and the owner beside it is a person's."""
    assert re.search(r"^pool_size +50 +job:config-sync ", told, flags=re.MULTILINE)
    assert re.search(r"^owner +team-payments-core +ana ", told, flags=re.MULTILINE)


def test_the_fix_is_tried_while_main_stands_still(told: str) -> None:
    """On its branch the fix answers 22 while main still answers 50."""
    assert re.search(r"^fix/pool-size +22 +88 of 90 *\nmain +50 +untouched", told, flags=re.MULTILINE)


def test_the_fix_arrives_and_the_past_stays(told: str) -> None:
    """After the merge main answers 22, the moment of the advice still answers 50, and the chain is whole."""
    assert "Asked now: 22." in told
    assert "Asked as of day 3 14:20: 50" in told
    assert re.search(r"verify: \d+ commits, \d+ versions, 0 faults", told)


def test_what_is_piped_is_plain(told: str) -> None:
    """Nothing but text reaches a pipe, in a length that somebody reads."""
    assert "\x1b" not in told
    assert 60 <= len(told.splitlines()) <= 100


def test_a_kept_memory_can_be_explored(tmp_path: Path) -> None:
    """With --folder the memory stays: it verifies, holds the branch of the fix, and answers as of then."""
    done = run("--folder", str(tmp_path / "story"))
    assert done.returncode == 0, done.stderr
    clock = ManualClock(datetime(2026, 6, 16, tzinfo=UTC))
    settings = Settings(store=str(tmp_path / "story"), space="production", model="none")

    memory = open_memory(settings, create=False, clock=clock)
    try:
        assert memory.verify().faults == ()
        assert [branch.name for branch in memory.branches()] == ["main", "fix/pool-size"]
        assert memory.at("2026-03-04T14:20Z").count() == 147
        assert memory.now().count() == 167
    finally:
        memory.close()


def test_a_kept_story_is_not_told_twice_into_one_folder(tmp_path: Path) -> None:
    """A folder that holds the story already is refused in words, and left as it is."""
    (tmp_path / "production.db").write_bytes(b"kept")

    done = run("--folder", str(tmp_path))

    assert done.returncode == 2
    assert "name another folder" in done.stderr
    assert (tmp_path / "production.db").read_bytes() == b"kept"
