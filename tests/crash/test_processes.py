"""Several processes write one space at once."""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.conftest import Place

COUNTER = Path(__file__).with_name("counter.py")
PROCESSES = 4
COMMITS_EACH = 50


def test_four_processes_lose_no_update(place: Place, source_environment: Mapping[str, str]) -> None:
    """Four processes that each add one fifty times, reading before they write, arrive at two hundred."""
    memory = place.memory()
    memory.put("shared/counter", 0, actor="test", why="begin")
    with ExitStack() as stack:
        running = [
            stack.enter_context(
                subprocess.Popen(
                    [sys.executable, str(COUNTER), place.where, place.space, f"process{number}", str(COMMITS_EACH)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    env=source_environment,
                    text=True,
                )
            )
            for number in range(PROCESSES)
        ]
        for process in running:
            assert process.stdout is not None
            assert process.stdout.readline() == "ready\n"
        for process in running:
            assert process.stdin is not None
            process.stdin.write("go\n")
            process.stdin.flush()
        stale = [int(process.communicate()[0]) for process in running]

    assert [process.returncode for process in running] == [0] * PROCESSES
    # They were in one another's way, or this would prove nothing.
    assert sum(stale) > 0
    assert memory.get("shared/counter").body == PROCESSES * COMMITS_EACH
    commits = memory.log(commits_max=1_000)
    assert len(commits) == PROCESSES * COMMITS_EACH + 1
    per_actor = Counter(commit.actor for commit in commits[:-1])
    assert per_actor == {f"process{number}": COMMITS_EACH for number in range(PROCESSES)}
    values = [record.body for record in memory.history("shared/counter")]
    assert values == list(range(PROCESSES * COMMITS_EACH, -1, -1))
    assert memory.verify().faults == ()
