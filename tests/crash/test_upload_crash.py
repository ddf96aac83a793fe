"""A process that uploads is killed at random instants: the workspace is always one version, never a mixture."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import pytest

from hindcast.build import open_memory
from hindcast.build.workspaces import open_workspaces, workspaces_folder
from hindcast.config import Settings

UPLOADER = Path(__file__).with_name("uploader.py")
KILLS = 25
# An upload takes some tens of milliseconds.
MORE_MS_MAX = 80
FILES = 12


@pytest.fixture
def uploader(tmp_path: Path) -> Iterator[tuple[IO[bytes], IO[bytes]]]:
    """The program that forks uploaders: where to send a number, and the lines that come back."""
    command = [sys.executable, str(UPLOADER), str(tmp_path / "store")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield process.stdin, process.stdout
        finally:
            process.stdin.close()
            process.kill()


def lived(uploader: tuple[IO[bytes], IO[bytes]], life: int, *, uploads: int, milliseconds: float) -> tuple[int, int]:
    """The last version that a life acknowledged: it is killed so long after it has acknowledged so many."""
    asked, told = uploader
    asked.write(f"{life}\n".encode())
    asked.flush()
    child, last = int(told.readline().split()[1]), 0
    while last < uploads:
        last = int(told.readline().split()[2])
    time.sleep(milliseconds / 1_000)
    os.kill(child, signal.SIGKILL)
    while (line := told.readline().split())[0] != b"ended":
        last = int(line[2])
    return life, last


def test_a_killed_upload_is_there_or_not(tmp_path: Path, uploader: tuple[IO[bytes], IO[bytes]]) -> None:
    """After every kill all files are of one version, at least the last acknowledged; no other copy stays for long."""
    chance = random.Random(7)
    settings = Settings(store=str(tmp_path / "store"), space="crash", model="none")
    acknowledged = (0, 0)
    for life in range(1, KILLS + 1):
        last = lived(uploader, life, uploads=life % 2, milliseconds=chance.uniform(0, MORE_MS_MAX))
        acknowledged = max(acknowledged, last if last[1] else acknowledged)
        memory = open_memory(settings)
        workspaces = open_workspaces(settings, lambda _, memory=memory: memory)  # type: ignore[misc]
        try:
            code = workspaces.open("crash", "code")
            found = {code.read(path).text for path in code.paths()}
            assert len(code.paths()) == FILES
            assert len(found) == 1, found
            number, count = map(int, found.pop().split("-"))
            assert (number, count) >= acknowledged
            assert code.state().dirty == ()
        finally:
            workspaces.close()
            memory.close()
    # What a kill has left lies there for a day, in case another process still writes it; the next upload clears it.
    home = workspaces_folder(settings)
    for path in home.glob("*/*/*"):
        os.utime(path, (0, 0))
    lived(uploader, KILLS + 1, uploads=2, milliseconds=0)
    assert all(path.stat().st_mtime > 0 for path in home.glob("*/*/*"))
