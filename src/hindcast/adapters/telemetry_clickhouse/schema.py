"""Brings a database to the schema that this code knows, and tables to the retention that was asked for."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from importlib import resources

from hindcast.adapters.telemetry_clickhouse.connection import Engine
from hindcast.model.errors import Damaged, Malformed, Refused

TABLES = ("log", "metric", "span", "rate", "change", "alert", "template", "fingerprint")

# The time by which rows of a table grow old.
AGES = {"log": "time", "metric": "time", "span": "time", "rate": "second", "change": "at", "alert": "told"}
DAYS_MAX = 36_500

# Tables across all shards have the name of their part on each shard, and this.
EVERYWHERE = "_all"

_VERSION_TABLE = """
CREATE TABLE IF NOT EXISTS schema_version (number UInt32)
ENGINE = MergeTree ORDER BY number
SETTINGS fsync_after_insert = 1, fsync_part_directory = 1
"""


@dataclass(frozen=True, slots=True)
class Retention:
    """For how many days rows of each table are kept, by their own time; 0: for ever."""

    log_days: int = 30
    metric_days: int = 30
    span_days: int = 14
    # A second's counts are small, and a year of them shows what a usual Monday is.
    rate_days: int = 400
    change_days: int = 400
    alert_days: int = 400

    def __post_init__(self) -> None:
        for field in fields(self):
            days = getattr(self, field.name)
            if not isinstance(days, int) or isinstance(days, bool) or not 0 <= days <= DAYS_MAX:
                raise Malformed(
                    f"{days!r} is not a number of days.",
                    field=field.name,
                    remedy=f"Give a whole number from 1 to {DAYS_MAX}, or 0 to keep everything.",
                )

    def days(self, table: str) -> int:
        """How many days a table keeps."""
        return int(getattr(self, f"{table}_days"))


def migrations() -> list[tuple[int, str]]:
    """The migrations in order: number and script."""
    folder = resources.files("hindcast.adapters.sql") / "clickhouse"
    scripts = sorted((file for file in folder.iterdir() if file.name[:4].isdigit()), key=lambda file: file.name)
    return [(int(file.name[:4]), file.read_text(encoding="utf-8")) for file in scripts]


def statements(script: str) -> Iterator[str]:
    """The statements of a script. Ours end with a semicolon at the end of a line, and nowhere else."""
    code = "\n".join(line for line in script.splitlines() if not line.lstrip().startswith("--"))
    yield from (part.strip() for part in re.split(r";\s*$", code, flags=re.MULTILINE) if part.strip())


def prepare(engine: Engine, database: str, retention: Retention, *, cluster: str = "") -> None:
    """Make or migrate the tables of one engine; refuse a schema that is newer, and parts that were given up."""
    there = engine.ask("SELECT count() AS n FROM system.databases WHERE name = {name:String}", {"name": database})
    if not there["n"][0].as_py():
        engine.run(f"CREATE DATABASE IF NOT EXISTS {database}")
    engine.use(database)
    _check_parts(engine, database)
    known = migrations()
    present = _present(engine, known[-1][0])
    for number, script in known:
        if number > present:
            # There are no transactions: every statement can be repeated, and the number is written last.
            for statement in statements(script):
                engine.run(statement)
            engine.run(f"INSERT INTO schema_version VALUES ({number})")
    if cluster:
        _join(engine, database, cluster, anew=present < known[-1][0])
    _retain(engine, database, retention)


def _present(engine: Engine, newest: int) -> int:
    engine.run(_VERSION_TABLE)
    present = int(engine.ask("SELECT max(number) AS number FROM schema_version")["number"][0].as_py())
    if present > newest:
        raise Refused(
            f"This telemetry was written by a newer Hindcast (schema {present}; this one knows up to {newest}).",
            field="telemetry",
            remedy="Upgrade Hindcast. Nothing was changed.",
        )
    return present


def _join(engine: Engine, database: str, cluster: str, *, anew: bool) -> None:
    """Make the tables that look at all shards. They hold nothing, so that they can be made anew with other columns."""
    for table in TABLES:
        if anew:
            engine.run(f"DROP TABLE IF EXISTS {table}{EVERYWHERE} SYNC")
        engine.run(
            f"CREATE TABLE IF NOT EXISTS {table}{EVERYWHERE} AS {table}"
            f" ENGINE = Distributed('{cluster}', '{database}', '{table}')"
        )


def _retain(engine: Engine, database: str, retention: Retention) -> None:
    found = engine.ask(
        "SELECT name, extract(create_table_query, 'TTL [^\\n]*toIntervalDay\\\\((\\\\d+)\\\\)') AS days"
        " FROM system.tables WHERE database = {database:String}",
        {"database": database},
    ).to_pylist()
    present: Mapping[str, int] = {row["name"]: int(row["days"] or 0) for row in found}
    for table, age in AGES.items():
        days = retention.days(table)
        if days == present[table]:
            continue
        if days:
            engine.run(f"ALTER TABLE {table} MODIFY TTL toDateTime({age}) + toIntervalDay({days})")
        else:
            engine.run(f"ALTER TABLE {table} REMOVE TTL")


def _check_parts(engine: Engine, database: str) -> None:
    """Parts that the engine could not load are put aside by it without a word; nobody should miss them unknowingly."""
    found = engine.ask(
        "SELECT table, path FROM system.detached_parts"
        " WHERE database = {database:String} AND reason IN ('broken', 'broken-on-start', 'unexpected') ORDER BY path",
        {"database": database},
    ).to_pylist()
    if found:
        places = ", ".join(f"{row['table']}: {row['path']}" for row in found[:3])
        raise Damaged(
            f"{len(found)} parts of telemetry cannot be read and were put aside ({places}).",
            field="telemetry",
            remedy="Restore them from a copy; or, to go on without what they held, move those folders away.",
        )
