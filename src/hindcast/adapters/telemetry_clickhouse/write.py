"""Turns batches into inserts: columns for each table, lines counted by second, and a number for each insert."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

import pyarrow as pa
import pyarrow.compute as pc

from hindcast.adapters.telemetry_clickhouse.faults import unreadable
from hindcast.model.columns import ATTRIBUTES, LOG, METRIC, RATE, SPAN, TIME, Batch, Pattern
from hindcast.model.errors import Malformed

# One insert is one part for each day only while the engine takes it as one block: below a million rows and 256 MiB.
ROWS_PER_INSERT_MAX = 400_000
BYTES_PER_INSERT_MAX = 128 * 1024 * 1024

# What the engine's times can hold.
TIME_MIN, TIME_MAX = datetime(1900, 1, 1, tzinfo=UTC), datetime(2299, 12, 31, tzinfo=UTC)

CHANGE = pa.schema(
    [
        *(pa.field(name, pa.string()) for name in ("space", "source", "key", "kind")),
        pa.field("at", TIME),
        *(pa.field(name, pa.string()) for name in ("service", "title", "actor", "ref", "url")),
        pa.field("labels", ATTRIBUTES),
        pa.field("told", TIME),
    ]
)

ALERT = pa.schema(
    [
        *(pa.field(name, pa.string()) for name in ("space", "source", "key", "status", "title", "service", "severity")),
        pa.field("started_at", TIME),
        pa.field("ended_at", TIME),
        pa.field("url", pa.string()),
        pa.field("labels", ATTRIBUTES),
        pa.field("text", pa.string()),
        pa.field("stack", pa.string()),
        pa.field("told", TIME),
    ]
)

PATTERN = pa.schema([pa.field("id", pa.uint64()), pa.field("text", pa.string()), pa.field("told", TIME)])


@dataclass(frozen=True, slots=True)
class Piece:
    """Rows of one table that go into one insert."""

    table: str
    rows: pa.Table

    def digest(self) -> bytes:
        """The same for the same rows, so that a piece that comes again is known."""
        sink = pa.BufferOutputStream()
        with pa.ipc.new_file(sink, self.rows.schema) as writer:
            writer.write_table(self.rows.combine_chunks())
        return hashlib.sha256(self.table.encode() + sink.getvalue()).digest()


def told_pieces(batches: Sequence[Batch], told: datetime) -> Iterator[Piece]:
    """The few rows that come as values. Writing them again changes nothing: the latest telling of a key counts."""
    # Words come first: no line ever refers to a template that is not there.
    for table, patterns in (
        ("template", [pattern for batch in batches for pattern in batch.templates]),
        ("fingerprint", [pattern for batch in batches for pattern in batch.fingerprints]),
    ):
        if patterns:
            yield Piece(table, _patterns(patterns, told))
    # Of two tellings in one write the later one counts, and they have the same time.
    changes = {
        (batch.space, change.source, change.key): {
            **{name: getattr(change, name) for name in ("source", "key", "service", "title", "actor", "ref", "url")},
            "space": batch.space,
            "kind": str(change.kind),
            "at": change.at,
            "labels": list(change.labels.items()),
            "told": told,
        }
        for batch in batches
        for change in batch.changes
    }
    if changes:
        yield Piece("change", _checked("change", pa.Table.from_pylist(list(changes.values()), schema=CHANGE)))
    alerts = {
        (batch.space, alert.source, alert.key): {
            **{name: getattr(alert, name) for name in ("source", "key", "title", "service", "url", "text", "stack")},
            "space": batch.space,
            "status": str(alert.status),
            "severity": str(alert.severity),
            "started_at": alert.started_at,
            "ended_at": alert.ended_at,
            "labels": list(alert.labels.items()),
            "told": told,
        }
        for batch in batches
        for alert in batch.alerts
    }
    if alerts:
        yield Piece("alert", _checked("alert", pa.Table.from_pylist(list(alerts.values()), schema=ALERT)))


def _patterns(patterns: Sequence[Pattern], told: datetime) -> pa.Table:
    texts = {pattern.id: pattern.text for pattern in patterns}
    columns = [list(texts), list(texts.values()), [told] * len(texts)]
    return pa.table([pa.array(column, field.type) for column, field in zip(columns, PATTERN, strict=True)], PATTERN)


def column_pieces(batches: Sequence[Batch]) -> Iterator[Piece]:
    """The rows that come as columns; logs last, since their counts follow them."""
    for table, schema, given in (
        ("metric", METRIC, [batch.metrics for batch in batches]),
        ("span", SPAN, [batch.spans for batch in batches]),
        ("log", LOG, [batch.logs for batch in batches]),
    ):
        tables = [_shaped(table, schema, rows) for rows in given if rows is not None and rows.num_rows]
        if tables:
            for rows in _cut(pa.concat_tables(tables)):
                yield Piece(table, _checked(table, rows))


def _shaped(table: str, schema: pa.Schema, rows: pa.Table) -> pa.Table:
    if rows.schema.equals(schema):
        return rows
    try:
        return rows.select(schema.names).cast(schema)
    except (pa.ArrowInvalid, pa.ArrowNotImplementedError, pa.ArrowTypeError, KeyError, ValueError) as error:
        raise unreadable(table, error) from error


def _cut(rows: pa.Table) -> Iterator[pa.Table]:
    """Tables of a size that one insert can take."""
    pieces = max(1, -(-rows.num_rows // ROWS_PER_INSERT_MAX), -(-rows.nbytes // BYTES_PER_INSERT_MAX))
    size = -(-rows.num_rows // pieces)
    for start in range(0, rows.num_rows, size):
        yield rows.slice(start, size)


def _checked(table: str, rows: pa.Table) -> pa.Table:
    for field in rows.schema:
        if field.type == TIME:
            span = pc.min_max(rows[field.name]).as_py()
            if span["min"] is not None and not (span["min"] >= TIME_MIN and span["max"] <= TIME_MAX):
                raise Malformed(
                    f"A time lies outside {TIME_MIN:%Y} to {TIME_MAX:%Y}.",
                    field=f"{table}.{field.name}",
                    remedy="Correct the sender's clock, or put the time of arrival in its place.",
                )
    for name in ("space", "time"):
        if name in rows.column_names and rows[name].null_count:
            raise unreadable(table, f"{name} is missing in {rows[name].null_count} rows")
    return rows


def counted(logs: pa.Table) -> pa.Table:
    """Lines by space, second, service and level: each failure once, and for what failed it as well."""
    own = logs.filter(pc.invert(pc.fill_null(logs["repeated"], False)))
    others = logs.filter(pc.not_equal(pc.fill_null(logs["dependency"], ""), ""))
    keys = pa.concat_tables([_keys(own, "service"), _keys(others, "dependency")])
    found = keys.group_by(keys.column_names).aggregate([([], "count_all")])
    return found.rename_columns({"count_all": "count"}).select(RATE.names).cast(RATE)


def _keys(logs: pa.Table, service: str) -> pa.Table:
    seconds = pc.floor_temporal(logs["time"], unit="second").cast(RATE.field("second").type)
    return pa.table([logs["space"], seconds, logs[service], logs["level"]], ["space", "second", "service", "level"])


def numbered(rows: pa.Table, number: int) -> pa.Table:
    """Rows with the number of their insert."""
    return rows.append_column("write", pa.repeat(pa.scalar(number, pa.uint64()), rows.num_rows))


def days(rows: pa.Table) -> pa.Array:
    """The day of each row, as the number that its partition has: 20261231."""
    time = rows["time"]
    return pc.add(
        pc.add(pc.multiply(pc.year(time), 10_000), pc.multiply(pc.month(time), 100)), pc.day(time)
    )  # fmt: skip
