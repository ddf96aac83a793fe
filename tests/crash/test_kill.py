"""A writing process is killed at random instants, again and again, on one growing database."""

from __future__ import annotations

import os
import random
import selectors
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

from hindcast.model.record import SEQ_MAX, Action

if TYPE_CHECKING:
    from tests.conftest import Place

    from hindcast.adapters.store_sql import SqlStore
    from hindcast.memory import Memory

WRITER = Path(__file__).with_name("writer.py")
KILLS = 200
LIFE_MS_MAX = 120
LIVES_BETWEEN_VERIFIES = 20
CHANGES_PER_COMMIT = {"small": 5, "large": 300, "secret": 1}


@contextmanager
def writer(folder: str, environment: Mapping[str, str]) -> Iterator[tuple[IO[bytes], Lines]]:
    """The program that forks writers: where to send a number, and the lines that come back."""
    command = [sys.executable, str(WRITER), folder]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment, bufsize=0
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        try:
            yield process.stdin, Lines(process.stdout)
        finally:
            process.stdin.close()
            process.kill()


class Lines:
    """Lines from a pipe, as they come or until an instant."""

    def __init__(self, pipe: IO[bytes]) -> None:
        self._pipe = pipe
        self._lines: deque[str] = deque()
        self._rest = b""
        self._ready = selectors.DefaultSelector()
        self._ready.register(pipe, selectors.EVENT_READ)

    def until(self, instant: float | None) -> Iterator[str]:
        """Every line that arrives before an instant of the monotonic clock; None: for ever."""
        while True:
            while self._lines:
                yield self._lines.popleft()
            if not self._ready.select(None if instant is None else max(0.0, instant - time.monotonic())):
                return
            more = os.read(self._pipe.fileno(), 65_536)
            assert more, "the writer program ended by itself"
            *lines, self._rest = (self._rest + more).split(b"\n")
            self._lines.extend(line.decode() for line in lines)

    def through(self, word: str) -> Iterator[str]:
        """Every line up to and including one that begins with a word."""
        for line in self.until(None):
            yield line
            if line.startswith(word):
                return


def whole(memory: Memory, store: SqlStore, after: int) -> list[str]:
    """The commits since a step, each checked to be all there with one marker in all of its records."""
    commits = store.commits(None, before=SEQ_MAX, after=after, commits_max=10_000, oldest_first=True)
    for commit in commits:
        rows = list(store.rows(after=commit.first_version - 1, until=commit.last_version))
        if commit.action is Action.ERASE:
            assert rows == []
            continue
        namespaces = {row.address.partition("/")[0] for row in rows}
        assert len(namespaces) == 1
        assert len(rows) == commit.changes == CHANGES_PER_COMMIT[namespaces.pop()]
        bodies = {row.body for row in rows}
        assert len(bodies) == 1
        assert commit.why.encode() in (bodies.pop() or commit.why.encode())
    for namespace in ("small", "large"):
        shown = {str(record.body) for record in memory.now().every() if record.namespace == namespace}
        assert len(shown) <= 1
    return [commit.id for commit in commits]


def test_no_kill_loses_or_halves_a_commit(sqlite_place: Place, source_environment: Mapping[str, str]) -> None:
    """After each of 200 kills the memory opens, has every acknowledged commit, at most one more, and none half."""
    chance = random.Random(2026)
    acknowledged: list[str] = []
    there: list[str] = []
    with writer(sqlite_place.where, source_environment) as (orders, lines):
        for life in range(1, KILLS + 1):
            orders.write(f"{life}\n".encode())
            told = list(lines.through("began"))
            process = int(told[-1].split()[1])
            told += lines.until(time.monotonic() + chance.uniform(0, LIFE_MS_MAX) / 1000)
            os.kill(process, signal.SIGKILL)
            told += lines.through("ended")
            fresh = [line.split()[1] for line in told if line.startswith("wrote ")]
            acknowledged += fresh

            store = sqlite_place.store("crash")
            memory = sqlite_place.memory(store=store)
            found = whole(memory, store, after=len(there))
            there += found
            assert found[: len(fresh)] == fresh
            assert len(found) <= len(fresh) + 1
            if life % LIVES_BETWEEN_VERIFIES == 0:
                assert memory.verify().faults == ()
            sqlite_place.close()

    # On a busy machine many lives are too short to write anything; this only says that not all of them were.
    assert len(acknowledged) > KILLS // 10
    memory = sqlite_place.memory("crash")
    verified = memory.verify()
    assert verified.faults == ()
    assert verified.commits == len(there)
    assert set(acknowledged) <= {commit.id for commit in memory.log(None, commits_max=10_000)}
