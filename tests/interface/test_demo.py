"""The demo: one outage told twice, through the real port."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from tests.serving import free_port


def demo(folder: Path, environment: Mapping[str, str], *words: str) -> str:
    """What `hindcast demo` prints."""
    command = [sys.executable, "-m", "hindcast", "demo", *words]
    settings = {"HINDCAST_MODEL": "none", "HINDCAST_CONFIG": os.devnull, "COLUMNS": "160"}
    settings["HINDCAST_STORE"] = str(folder / "store")
    done = subprocess.run(
        command, env={**environment, **settings}, cwd=folder, capture_output=True, text=True, timeout=120, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def test_an_outage_is_told_twice(tmp_path: Path, source_environment: Mapping[str, str]) -> None:
    """With an empty memory the outage is new; with a year of history the team's own answer stands beside it."""
    told = demo(tmp_path, source_environment, "--rounds-only", "--port", str(free_port()))

    first, second = told.index("Round 1: memory is empty"), told.index("Round 2: memory is on")
    assert first < second
    assert "Not seen before" in told
    for part in ("6 weeks ago", "task teardown", "Do NOT try", "from 50 to 200", "34", "cases/past-redis-worker-pool@"):
        assert part in told, part


def test_history_is_seeded_once(tmp_path: Path, source_environment: Mapping[str, str]) -> None:
    """A second seeding finds everything there and writes nothing."""
    first = demo(tmp_path, source_environment, "seed")
    second = demo(tmp_path, source_environment, "seed")

    count = int(first.split(" resolved incidents")[0].split()[-1])
    assert count >= 150
    assert "there already" in second
