"""A server that is started and stopped again and again, and what one that crashes or hangs leaves behind."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import httpx
import pytest
from tests.serving import Serving, serving, start

# Each part is a test of its own, so that one time limit holds for all tests.
PARTS = 10 if os.environ.get("FULL") else 1
CYCLES = 20
LINES = 300
PROJECT = Path(__file__).parents[2] / "pyproject.toml"
# A crashed process that stands on is one that no supervisor starts again.
END_SECONDS_MAX = 10


def load(hindcast: Serving, word: str) -> None:
    """Some lines to take in, a look at them, and a question."""
    lines = "\n".join(f"ERROR {word} number {number}: connection reset by peer" for number in range(LINES))
    with hindcast.client() as client:
        sent = client.post("/api/v1/lines", params={"service": "ledger"}, content=lines)
        sent.raise_for_status()
        found = client.get("/api/v1/logs", params={"words": word, "limit": 1_000}).raise_for_status().json()
        assert len(found["items"]) == LINES
        client.post("/api/v1/recall", json={"text": "connection reset by peer"}).raise_for_status()


def test_a_test_that_hangs_ends_with_its_stacks(tmp_path: Path) -> None:
    """A test that never comes back from a call, all threads held up with it, ends its process and shows where."""
    hanging = tmp_path / "test_hanging.py"
    # Holds the interpreter's lock while it sleeps, as a library can.
    hanging.write_text("import ctypes\n\ndef test_hang():\n    ctypes.PyDLL(None).sleep(600)\n")
    command = [sys.executable, "-m", "pytest", "-c", str(PROJECT), "-o", "faulthandler_timeout=1", str(hanging)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False, cwd=PROJECT.parent)

    assert done.returncode == 1
    assert "Timeout (0:00:01)!" in done.stderr
    assert "in test_hang" in done.stderr
    assert tomllib.loads(PROJECT.read_text())["tool"]["pytest"]["ini_options"]["faulthandler_exit_on_timeout"] is True


def log_of(hindcast: Serving) -> str:
    """What it has told so far."""
    return (hindcast.folder / "serve.log").read_text()


@pytest.mark.parametrize("part", range(PARTS))
def test_a_server_starts_works_and_stops_every_time(tmp_path: Path, part: int) -> None:
    """Started, loaded and stopped on one folder again and again, it ends by itself every time, and loses nothing."""
    for cycle in range(CYCLES):
        hindcast = start(tmp_path)
        try:
            load(hindcast, f"cycleword{cycle}")
        finally:
            hindcast.stop()
        assert hindcast.process.returncode == 0, f"cycle {cycle}: {log_of(hindcast)[-4_000:]}"
    assert "Fatal Python error" not in log_of(hindcast)


def test_a_crash_ends_the_process_and_is_reported(tmp_path: Path) -> None:
    """A segmentation fault leaves the stacks of all threads on stderr, and the process is gone within seconds."""
    hindcast = start(tmp_path)
    hindcast.process.send_signal(signal.SIGSEGV)

    assert hindcast.process.wait(END_SECONDS_MAX) == -signal.SIGSEGV
    assert "Fatal Python error: Segmentation fault" in log_of(hindcast)
    assert "most recent call first" in log_of(hindcast)


def test_a_running_server_shows_its_stacks_when_asked(tmp_path: Path) -> None:
    """SIGUSR1 writes the stack of every thread to stderr, and the server goes on."""
    with serving(tmp_path) as hindcast:
        hindcast.process.send_signal(signal.SIGUSR1)
        deadline = time.monotonic() + END_SECONDS_MAX
        while "most recent call first" not in log_of(hindcast):
            assert time.monotonic() < deadline
            time.sleep(0.05)
        assert httpx.get(f"{hindcast.url}/healthz", trust_env=False).is_success
