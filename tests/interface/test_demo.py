"""The demo: one outage told twice, through the real port."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import httpx
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


def test_the_next_start_remembers_everything(tmp_path: Path, source_environment: Mapping[str, str]) -> None:
    """Ctrl-C ends the demo cleanly; the next one in the same folder knows what happened."""
    port = free_port()
    first = running_demo(tmp_path, source_environment, port)
    told = end_after(first, "Seven services have begun to log")
    assert "Round 1" in told
    assert "Round 2" in told
    seen = told.split(f"http://127.0.0.1:{port}/api/v1/incidents/")[1].split("/")[0]

    second = running_demo(tmp_path, source_environment, port)
    with_url = f"http://127.0.0.1:{port}/api/v1/incidents/{seen}"
    told = end_after(
        second,
        "Seven services have begun to log",
        look=lambda: httpx.get(with_url, params={"space": "demo"}, trust_env=False).raise_for_status(),
    )
    assert "Everything is remembered" in told
    assert "Round 1" not in told


def running_demo(folder: Path, environment: Mapping[str, str], port: int) -> subprocess.Popen[str]:
    """A demo that goes on until somebody ends it."""
    settings = {"HINDCAST_MODEL": "none", "HINDCAST_CONFIG": os.devnull, "COLUMNS": "160", "PYTHONUNBUFFERED": "1"}
    return subprocess.Popen(
        [sys.executable, "-m", "hindcast", "demo", "--port", str(port)],
        env={**environment, **settings},
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        start_new_session=True,
    )


def end_after(process: subprocess.Popen[str], words: str, look: Callable[[], object] = lambda: None) -> str:
    """Read until it says these words, press Ctrl-C as a terminal would, and return all that it said."""
    assert process.stdout is not None
    said: list[str] = []
    try:
        for line in process.stdout:
            said.append(line)
            if words in line or "could not be told" in line:
                break
        assert words in said[-1], "".join(said)
        look()
        os.killpg(process.pid, signal.SIGINT)
        rest, _ = process.communicate(timeout=30)
    finally:
        if process.poll() is None:
            os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    assert process.returncode == 0, "".join((*said, rest))
    assert "Traceback" not in rest, rest
    return "".join((*said, rest))


def test_history_is_seeded_once(tmp_path: Path, source_environment: Mapping[str, str]) -> None:
    """A second seeding finds everything there and writes nothing."""
    first = demo(tmp_path, source_environment, "seed")
    second = demo(tmp_path, source_environment, "seed")

    count = int(first.split(" resolved incidents")[0].split()[-1])
    assert count >= 150
    assert "there already" in second
