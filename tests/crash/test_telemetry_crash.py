"""A process that writes telemetry is killed at random instants, again and again, and so is the server it writes to.

The writing process is this very file, run as a program. It tells each write after it was acknowledged, never before.
"""

from __future__ import annotations

import os
import random
import select
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from hindcast.adapters.telemetry_clickhouse import Retention, open_telemetry
from hindcast.adapters.telemetry_clickhouse.address import parse
from hindcast.adapters.telemetry_clickhouse.connection import Engine
from hindcast.model.columns import LOG, Batch
from hindcast.model.errors import Unavailable

if TYPE_CHECKING:
    from tests.contract import clickhouse_server

KILLS = 20
SERVER_KILLS = 6
LIFE_MS_MAX = 250
START_SECONDS_MAX = 60
SPACE = "crash"
# Close to midnight, so that many a write has lines of two days and is two parts.
AT = datetime(2026, 1, 1, 23, 59, 50, tzinfo=UTC)
FOR_EVER = Retention(log_days=0, metric_days=0, span_days=0, rate_days=0, change_days=0, alert_days=0)


def lines(chance: random.Random, life: int, marker: str) -> pa.Table:
    """A write's worth of lines, marked with its number."""
    # Every life has arrivals of its own, later than those of the one before.
    arrived = AT + timedelta(minutes=life)
    return pa.Table.from_pylist(
        [
            {
                "space": SPACE,
                "time": AT + timedelta(seconds=chance.uniform(0, 20)),
                "arrived": arrived,
                "service": chance.choice(["api", "web", "db"]),
                "level": chance.choice([9, 17]),
                "trace": marker,
                "span": "",
                "template": 1,
                "fingerprint": 0,
                "repeated": False,
                "dependency": "",
                "message": f"line of {marker}",
                "stack": "",
                "attributes": [("life", str(life))],
            }
            for _ in range(chance.choice([3, 50, 400]))
        ],
        schema=LOG,
    )


def live(dsn: str, life: int) -> None:
    """Write for ever, or until the store says no."""
    chance = random.Random(life)
    store = open_telemetry(dsn, retention=FOR_EVER)
    os.write(1, b"opened\n")
    count = 0
    while True:
        count += 1
        marker = f"{life}-{count}"
        logs = lines(chance, life, marker)
        half = logs.num_rows // 2
        try:
            store.write([Batch(SPACE, logs=logs.slice(0, half)), Batch(SPACE, logs=logs.slice(half))])
        except Unavailable:
            os.write(1, b"refused\n")
            return
        os.write(1, f"wrote {marker} {logs.num_rows}\n".encode())


@contextmanager
def writer(
    dsn: str, life: int, environment: Mapping[str, str]
) -> Iterator[tuple[subprocess.Popen[bytes], bytes, IO[bytes]]]:
    """A process that has opened the store and writes; what it was waited for to have written already, none to three."""
    command = [sys.executable, __file__, dsn, str(life)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, env=dict(environment), bufsize=0) as process:
        assert process.stdout is not None
        try:
            assert select.select([process.stdout], [], [], START_SECONDS_MAX)[0], "the writer did not start"
            assert process.stdout.readline() == b"opened\n"
            # A first write takes longer than others, and is as good a moment to be killed in. The writes of others are
            # waited for: what is killed after a time alone has written nothing yet on a slow machine.
            written = b"".join(process.stdout.readline() for _ in range(life % 4))
            yield process, written, process.stdout
        finally:
            process.kill()


def acknowledged(told: bytes) -> dict[str, int]:
    """The writes that a writer told of as a whole line, with how many lines each had."""
    whole = [line.split() for line in told.decode().split("\n")[:-1]]
    return {words[1]: int(words[2]) for words in whole if words[0] == "wrote"}


def check(dsn: str, expected: Mapping[str, int]) -> int:
    """Every acknowledged line is there, and the rates are the counts of lines; how many lines there are."""
    store = open_telemetry(dsn, retention=FOR_EVER)
    address = parse(dsn)
    engine = Engine(address, address.hosts[0] if address.hosts else None)
    engine.use(address.database)
    try:
        found = engine.ask("SELECT trace, count() AS lines FROM log GROUP BY trace").to_pylist()
        there = {row["trace"]: row["lines"] for row in found}
        assert {marker: there.get(marker, 0) for marker in expected} == dict(expected)
        counted = engine.ask("SELECT toInt64(time) AS second, service, level, count() AS lines FROM log GROUP BY ALL")
        rates = store.rates(AT, AT + timedelta(hours=1)).to_pylist()
        assert Counter({key(row, row["second"].timestamp()): row["count"] for row in rates}) == Counter(
            {key(row, row["second"]): row["lines"] for row in counted.to_pylist()}
        )
        return sum(there.values())
    finally:
        engine.close()
        store.close()


def key(row: Mapping[str, Any], second: float) -> tuple[int, str, int]:
    """What lines are counted by."""
    return int(second), row["service"], row["level"]


def settle(dsn: str) -> None:
    """Wait until a server has ended what a killed process had asked of it."""
    address = parse(dsn)
    engine = Engine(address, address.hosts[0])
    running = "SELECT count() AS n FROM system.processes WHERE query_kind = 'Insert'"
    while engine.ask(running)["n"][0].as_py():
        time.sleep(0.01)
    engine.close()


@pytest.fixture
def clickhouse() -> Iterator[clickhouse_server.Server]:
    """A server of our own, which may be killed."""
    from contract import clickhouse_server as servers  # type: ignore[import-not-found]

    with tempfile.TemporaryDirectory(prefix="hindcast-ch-") as folder, servers.running(Path(folder)) as (server,):
        yield server


def test_no_kill_loses_a_line_or_a_count(tmp_path: Path, source_environment: Mapping[str, str]) -> None:
    """After each of 20 kills every acknowledged line is there, and the rates are the counts of lines."""
    dsn, chance = f"chdb://{tmp_path}/telemetry", random.Random(2026)
    expected: dict[str, int] = {}
    for life in range(1, KILLS + 1):
        with writer(dsn, life, source_environment) as (process, first, told):
            time.sleep(chance.uniform(0, LIFE_MS_MAX) / 1000)
            process.kill()
            expected |= acknowledged(first + told.read())
        check(dsn, expected)
    assert len(expected) > KILLS


def test_a_killed_writer_leaves_a_server_consistent(
    clickhouse: clickhouse_server.Server, source_environment: Mapping[str, str]
) -> None:
    """After each kill of a process that writes to a server, nothing acknowledged is missing, nothing miscounted."""
    dsn, chance = clickhouse.dsn("killed_writer"), random.Random(7)
    expected: dict[str, int] = {}
    for life in range(1, SERVER_KILLS + 1):
        with writer(dsn, life, source_environment) as (process, first, told):
            time.sleep(chance.uniform(0, LIFE_MS_MAX) / 1000)
            process.kill()
            expected |= acknowledged(first + told.read())
        settle(dsn)
        check(dsn, expected)
    assert len(expected) > SERVER_KILLS


def test_a_killed_server_has_every_acknowledged_line(
    clickhouse: clickhouse_server.Server, source_environment: Mapping[str, str]
) -> None:
    """After each kill of the server itself, the writer is told no, and what it was told yes for is there."""
    dsn, chance = clickhouse.dsn("killed_server"), random.Random(11)
    expected: dict[str, int] = {}
    for life in range(1, SERVER_KILLS + 1):
        with writer(dsn, life, source_environment) as (process, first, told):
            time.sleep(chance.uniform(0, LIFE_MS_MAX) / 1000)
            clickhouse.kill()
            said = first + told.read()
            assert process.wait(START_SECONDS_MAX) == 0
        assert said.endswith(b"refused\n")
        expected |= acknowledged(said)
        assert clickhouse.start()
        check(dsn, expected)
    assert len(expected) > SERVER_KILLS


if __name__ == "__main__":
    live(sys.argv[1], int(sys.argv[2]))
