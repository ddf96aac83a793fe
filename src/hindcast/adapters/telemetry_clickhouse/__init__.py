"""Telemetry on ClickHouse: in this process (chDB), on a server, or spread over the shards of a cluster.

One set of tables and queries serves all three. A write goes as a whole to one shard, straight into its tables; reads go
through tables that look at all shards.
"""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager, suppress
from datetime import UTC, datetime, timedelta
from importlib import import_module
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from hindcast.adapters.telemetry_clickhouse import queries, shape
from hindcast.adapters.telemetry_clickhouse.address import Address, parse
from hindcast.adapters.telemetry_clickhouse.connection import Engine
from hindcast.adapters.telemetry_clickhouse.failed import Failed
from hindcast.adapters.telemetry_clickhouse.merging import merge_politely
from hindcast.adapters.telemetry_clickhouse.recount import recent, recount, token
from hindcast.adapters.telemetry_clickhouse.schema import EVERYWHERE, Retention, prepare
from hindcast.adapters.telemetry_clickhouse.write import Piece, column_pieces, counted, days, numbered, told_pieces
from hindcast.model.columns import RATE, Batch, Pattern
from hindcast.model.errors import Unavailable
from hindcast.model.signal import Alert, Edge, SystemChange
from hindcast.ports import Clock, Counted, Kept, Line, Span

__all__ = ["ClickhouseTelemetry", "Retention", "open_telemetry"]

# For how long a shard that failed is not written to while others are there.
REST_SECONDS = 10

_GAUGES = pa.schema(
    [
        *(pa.field(name, pa.string(), nullable=False) for name in ("space", "service", "name")),
        pa.field("step", pa.timestamp("s", tz="UTC"), nullable=False),
        pa.field("value", pa.float64(), nullable=False),
    ]
)


def open_telemetry(
    dsn: str, *, retention: Retention | None = None, clock: Clock | None = None
) -> ClickhouseTelemetry:  # fmt: skip
    """Open the store at `chdb:///folder` or `clickhouse://user:password@host:port/database[?cluster=name]`.

    Tables are made or migrated, retention is set (None: the defaults), and lines that a crash left uncounted are
    counted. The clock says when alerts and changes were told; None is the machine's.
    """
    address = parse(dsn)
    if address.embedded:
        # Before anything can fail: it puts handlers on signals, and whoever wants others puts them there afterwards.
        import_module("chdb")
    shards = [Engine(address, host) for host in address.hosts] or [Engine(address, None)]
    with ExitStack() as undo:
        for shard in shards:
            undo.callback(shard.close)
            prepare(shard, address.database, retention or Retention(), cluster=address.cluster)
            recount(shard, alone=address.embedded)
        undo.pop_all()
    if address.embedded:
        merge_politely()
    return ClickhouseTelemetry(address, shards, clock)


class ClickhouseTelemetry:
    """Raw telemetry. See `ports.Telemetry` for what each verb promises."""

    def __init__(self, address: Address, shards: Sequence[Engine], clock: Clock | None) -> None:
        self._address = address
        # In the order of their turns: the one that was written to last comes last.
        self._shards = list(shards)
        self._clock = clock
        self._suffix = EVERYWHERE if address.cluster else ""
        # Writes take turns; reads wait for nobody.
        self._turn = threading.Lock()
        self._failed = Failed()
        self._told = shape.EPOCH
        self._resting: dict[Engine, float] = {}

    def write(self, batches: Sequence[Batch]) -> None:
        """Keep batches: what is told of keys first, then columns, and after each piece of logs its counts."""
        with self._turn:
            told = list(told_pieces(batches, self._now()))
            pieces = list(column_pieces(batches))
            # A piece that comes again keeps its number, so that it can be seen what of it is there.
            before = self._failed.numbers(pieces)
            numbers = [number or secrets.randbits(63) + 1 for number in before]
            shard = self._next_shard()
            with self._failed.unless_done(pieces, numbers), self._watched(shard):
                for piece in told:
                    shard.insert(piece.table, piece.rows)
                for piece, number, earlier in zip(pieces, numbers, before, strict=True):
                    self._keep(shard, piece, number, again=bool(earlier))

    def rates(
        self, since: datetime, until: datetime, *, space: str | None = None, step_seconds: int = 1, words: str = ""
    ) -> pa.Table:
        """Counts of lines, by steps that begin at the first whole second of the window. With words as `lines` has."""
        values = {**_steps(since, until, step_seconds), "space": space or ""}
        if parts := words.split():
            found = self._ask(queries.RATES_OF_SEARCH, {**values, "parts": parts})
        elif step_seconds == 1 and not self._address.cluster:
            return self._ask(queries.RATES_BY_SECOND, values).select(RATE.names).cast(RATE).sort_by("second")
        else:
            found = self._ask(queries.RATES, values)
        columns = [found["space"], found["step"], found["service"], found["level"], found["lines"]]
        return pa.table(columns, RATE.names).cast(RATE)

    def gauges(self, since: datetime, until: datetime, *, space: str | None = None, step_seconds: int = 60) -> pa.Table:
        """Mean values of metrics by steps; counters as rates by second, the series of one counter added up."""
        values = _steps(since, until, step_seconds)
        lookback = max(queries.COUNTER_LOOKBACK_US_MIN, 2 * step_seconds * 1_000_000)
        found = self._ask(queries.GAUGES, {**values, "space": space or "", "lookback_us": lookback})
        columns = [found[name] for name in ("space", "service", "name", "step", "mean")]
        return pa.table(columns, _GAUGES.names).cast(_GAUGES).sort_by([(name, "ascending") for name in _ORDER])

    def calls(self, since: datetime, until: datetime, *, space: str) -> tuple[Edge, ...]:
        """Which service called which, most calls first; a call that both sides tell of counts once."""
        values = {**shape.window(since, until), "space": space, "lookback_us": queries.PARENT_LOOKBACK_US}
        return tuple(map(shape.edge, self._ask(queries.CALLS, values).to_pylist()))

    def top_templates(
        self, space: str, services: Sequence[str], since: datetime, until: datetime, *, level_min: int, count_max: int
    ) -> tuple[Counted, ...]:
        """The most frequent templates of a window, each with the service that has most of it."""
        values = {**_lookup(space, services, since, until, level_min), "count_max": shape.most("count_max", count_max)}
        return tuple(map(shape.counted, self._ask(queries.TOP_TEMPLATES, values).to_pylist()))

    def top_fingerprints(
        self, space: str, services: Sequence[str], since: datetime, until: datetime, *, count_max: int
    ) -> tuple[Counted, ...]:
        """The most frequent fingerprints of a window, each with the service that has most of it."""
        values = {**_lookup(space, services, since, until, 0), "count_max": shape.most("count_max", count_max)}
        return tuple(map(shape.counted, self._ask(queries.TOP_FINGERPRINTS, values).to_pylist()))

    def lines(
        self,
        space: str,
        since: datetime,
        until: datetime,
        *,
        services: Sequence[str] = (),
        level_min: int = 0,
        words: str = "",
        trace: str = "",
        fingerprint: int = 0,
        newest_first: bool = False,
        lines_max: int = 100,
    ) -> tuple[Line, ...]:
        """Log lines of a window. Each of the words is a part of the message or the stack, in capitals or not."""
        values = {
            **_lookup(space, services, since, until, level_min),
            "parts": words.split(),
            "trace": trace,
            "fingerprint": fingerprint,
            "lines_max": shape.most("lines_max", lines_max),
        }
        query = queries.lines(
            words=bool(words.strip()),
            trace=bool(trace),
            fingerprint=bool(fingerprint),
            newest_first=newest_first,
        )
        return tuple(map(shape.line, self._ask(query, values).to_pylist()))

    def spans(self, space: str, trace: str, *, spans_max: int = 1_000) -> tuple[Span, ...]:
        """The spans of one trace, in the order in which they began."""
        values = {"space": space, "trace": trace, "spans_max": shape.most("spans_max", spans_max)}
        return tuple(map(shape.span, self._ask(queries.SPANS, values).to_pylist()))

    def changes(self, space: str, since: datetime, until: datetime) -> tuple[SystemChange, ...]:
        """What was altered in the watched system, oldest first."""
        values = {**shape.window(since, until), "space": space}
        return tuple(map(shape.change, self._ask(queries.CHANGES, values).to_pylist()))

    def alerts(self, space: str | None, since: datetime, until: datetime) -> tuple[tuple[str, Alert], ...]:
        """Alerts whose latest telling arrived in the window, with their space."""
        values = {**shape.window(since, until), "space": space or ""}
        return tuple((row["space"], shape.alert(row)) for row in self._ask(queries.ALERTS, values).to_pylist())

    def kept(self, space: str) -> tuple[Kept, ...]:
        """How much there is of each kind, in the order of kinds."""
        rows = self._ask(queries.KEPT, {"space": space}).to_pylist()
        return tuple(sorted(map(shape.kept, rows), key=lambda one: one.kind))

    def templates(self) -> tuple[Pattern, ...]:
        """Every known template, as it reads now."""
        return tuple(Pattern(row["id"], row["text"]) for row in self._ask(queries.TEMPLATES, {}).to_pylist())

    def close(self) -> None:
        """Let go of the engine."""
        with self._turn:
            for shard in self._shards:
                shard.close()

    def _ask(self, query: str, values: Mapping[str, Any]) -> pa.Table:
        return self._shards[-1].ask(queries.over(query, self._suffix), values)

    def _now(self) -> datetime:
        """The time of telling. It never stands still, because of two tellings the later one counts."""
        now = self._clock.now() if self._clock else datetime.now(UTC)
        self._told = max(now, self._told + timedelta(microseconds=1))
        return self._told

    def _next_shard(self) -> Engine:
        """Shards take turns; one that has failed just now is passed over, unless all have."""
        now = time.monotonic()
        shard = next((each for each in self._shards if self._resting.get(each, now) <= now), self._shards[0])
        self._shards = [*(each for each in self._shards if each is not shard), shard]
        return shard

    @contextmanager
    def _watched(self, shard: Engine) -> Iterator[None]:
        try:
            yield
        except Unavailable:
            self._resting[shard] = time.monotonic() + REST_SECONDS
            # Whoever reads asks another one first.
            self._shards = [shard, *(each for each in self._shards if each is not shard)]
            raise

    def _keep(self, shard: Engine, piece: Piece, number: int, *, again: bool) -> None:
        rows = self._absent(piece, number) if again else piece.rows
        if rows.num_rows:
            shard.insert(piece.table, numbered(rows, number))
        if piece.table != "log":
            return
        if not again:
            shard.insert("rate", counted(piece.rows), token=token(number))
            return
        earliest = recent(pc.min(piece.rows["arrived"]).as_py())
        for each in self._shards:
            with suppress(Unavailable):
                recount(each, alone=self._address.embedded, arrived_since=earliest)

    def _absent(self, piece: Piece, number: int) -> pa.Table:
        """The rows of a piece that an earlier attempt did not leave behind on any shard that answers."""
        span = pc.min_max(piece.rows["time"]).as_py()
        values = {**shape.window(span["min"], span["max"] + timedelta(microseconds=1)), "write": number}
        there: set[int] = set()
        for shard in self._shards:
            with suppress(Unavailable):
                found = shard.ask(queries.PRESENT.replace("$table", piece.table), values)
                there.update(found["day"].to_pylist())
        return piece.rows.filter(pc.invert(pc.is_in(days(piece.rows), pa.array(sorted(there), pa.int64()))))


_ORDER = ("step", "space", "service", "name")


def _steps(since: datetime, until: datetime, step_seconds: int) -> dict[str, int]:
    values = shape.window(since, until)
    # The first whole second that is not before the window.
    return {**values, "origin": -(-values["since_us"] // 1_000_000), "step": shape.steps(step_seconds)}


def _lookup(
    space: str, services: Sequence[str], since: datetime, until: datetime, level_min: int
) -> dict[str, Any]:  # fmt: skip
    values = {"space": space, "services": shape.names("services", services), "level_min": level_min}
    return {**shape.window(since, until), **values}
