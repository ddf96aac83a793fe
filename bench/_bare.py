"""Memory against the limit: the same bytes in bare SQLite, with the same pragmas, taken in turns in one run."""

from __future__ import annotations

import random
import sqlite3
from dataclasses import dataclass
from itertools import count
from pathlib import Path

import orjson

from bench._world import NAMESPACE, median, open_bench, texts, tick, timed
from hindcast.adapters.store_sql.engine import configure_sqlite
from hindcast.memory import Memory, View
from hindcast.model.ids import Address
from hindcast.model.record import Change, Json

ROUNDS = 30
COMMITS_PER_ROUND = 20
READS_PER_ROUND = 500
BATCH = 10_000
BATCH_ROUNDS = 7


@dataclass(frozen=True, slots=True)
class Against:
    """One measurement of ours beside the bare one, in seconds for each operation."""

    name: str
    ours: float
    bare: float
    # At most (times) or at least (share) this much.
    limit: str

    @property
    def ratio(self) -> float:
        """Ours as a multiple of the bare time."""
        return self.ours / self.bare


def body(text: str, number: int) -> dict[str, Json]:
    """A record of ordinary size: about 250 bytes of JSON."""
    return {"error": text[:60], "note": text, "service": "payment", "attempt": number}


def bare_database(file: Path) -> sqlite3.Connection:
    """The least that could hold the same bytes durably: a key and a body."""
    connection = sqlite3.connect(file)
    configure_sqlite(connection)
    connection.execute("CREATE TABLE bare (path TEXT PRIMARY KEY, body BLOB)")
    return connection


def measure(folder: Path) -> list[Against]:
    """One-record commits, batches and reads at an old moment, each against bare SQLite."""
    memory, _, clock = open_bench(folder / "ours")
    bare = bare_database(folder / "bare.db")
    bodies = [body(text, number) for number, text in enumerate(texts(2_000, 12, seed=3))]
    results = [_commits(memory, bare, bodies), _batches(memory, bare)]
    tick(clock)
    results.append(_reads(memory, bare, bodies))
    memory.close()
    bare.close()
    return results


def _commits(memory: Memory, bare: sqlite3.Connection, bodies: list[dict[str, Json]]) -> Against:
    numbers = count()

    def ours() -> None:
        number = next(numbers)
        change = Change(Address(NAMESPACE, f"one.{number}"), bodies[number % len(bodies)])
        memory.commit([change], actor="bench", why="one record")

    def theirs() -> None:
        number = next(numbers)
        bare.execute("BEGIN IMMEDIATE")
        bare.execute(
            "INSERT INTO bare VALUES (?, ?)", (f"{NAMESPACE}/one.{number}", orjson.dumps(bodies[number % len(bodies)]))
        )
        bare.execute("COMMIT")

    mine: list[float] = []
    limit: list[float] = []
    for _ in range(ROUNDS):
        mine += timed(ours, COMMITS_PER_ROUND)
        limit += timed(theirs, COMMITS_PER_ROUND)
    return Against("commit of one record", median(mine), median(limit), "≤ 4 ×")


def _batches(memory: Memory, bare: sqlite3.Connection) -> Against:
    mine: list[float] = []
    limit: list[float] = []
    for batch in range(BATCH_ROUNDS):
        rows = [(f"batch{batch}.item{at}", body(text, at)) for at, text in enumerate(texts(BATCH, 12, seed=batch))]
        changes = [Change(Address(NAMESPACE, path), value) for path, value in rows]

        def theirs(rows: list[tuple[str, dict[str, Json]]] = rows) -> None:
            bare.execute("BEGIN IMMEDIATE")
            bare.executemany(
                "INSERT INTO bare VALUES (?, ?)", [(f"{NAMESPACE}/{path}", orjson.dumps(value)) for path, value in rows]
            )
            bare.execute("COMMIT")

        mine += timed(lambda changes=changes: memory.commit(changes, actor="bench", why="a batch"), 1)  # type: ignore[misc]
        limit += timed(theirs, 1)
    return Against(f"batch of {BATCH:,} records", median(mine) / BATCH, median(limit) / BATCH, "≤ 3 ×")


def _reads(memory: Memory, bare: sqlite3.Connection, bodies: list[dict[str, Json]]) -> Against:
    """Read as of a moment that later commits have written over, every address of it once more."""
    old = memory.log(commits_max=1)[0]
    paths = [f"batch0.item{at}" for at in range(BATCH)]
    memory.commit([Change(Address(NAMESPACE, path), bodies[0]) for path in paths], actor="bench", why="write over")
    view: View = memory.at(old)
    chosen = [f"{NAMESPACE}/{path}" for path in random.Random(5).choices(paths, k=READS_PER_ROUND)]

    def ours() -> None:
        for address in chosen:
            view.get(address)

    def theirs() -> None:
        for address in chosen:
            found = bare.execute("SELECT body FROM bare WHERE path = ?", (address,)).fetchone()
            orjson.loads(found[0])

    ours()
    theirs()
    mine: list[float] = []
    limit: list[float] = []
    for _ in range(ROUNDS):
        mine += timed(ours, 1)
        limit += timed(theirs, 1)
    return Against("get at an old moment", median(mine) / READS_PER_ROUND, median(limit) / READS_PER_ROUND, "≤ 4 ×")
