"""Raw telemetry, with its own store and retention."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Protocol

from hindcast.model.signal import Alert, Edge, SystemChange

if TYPE_CHECKING:
    # Loading these takes longer than most commands on memory run.
    import pyarrow as pa

    from hindcast.model.columns import Batch, Pattern


@dataclass(frozen=True, slots=True)
class Counted:
    """A template or fingerprint with how often it was seen in a window, and when first."""

    id: int
    text: str
    count: int
    first_at: datetime
    service: str


@dataclass(frozen=True, slots=True)
class Line:
    """One stored log line."""

    time: datetime
    service: str
    level: int
    message: str
    stack: str
    trace: str
    template: int
    fingerprint: int
    attributes: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Span:
    """One stored span: a piece of work of one service, within a trace."""

    time: datetime
    duration_us: int
    service: str
    name: str
    # OTLP's span kind: 1 internal, 2 server, 3 client, 4 producer, 5 consumer.
    kind: int
    trace: str
    span: str
    parent: str
    peer: str
    # OTLP's status: 0 unset, 1 ok, 2 error.
    status: int
    attributes: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Kept:
    """How much of one kind of telemetry is there for a space, and how old the oldest of it is."""

    # log, metric, span, rate, alert or change.
    kind: str
    # An alert or a change that was told several times is one.
    rows: int
    # None where there is nothing.
    oldest_at: datetime | None


class Telemetry(Protocol):
    """Raw telemetry with its own retention: logs, metrics, spans, alerts, changes, and counts of lines by second."""

    def write(self, batches: Sequence[Batch]) -> None:
        """Keep batches, and the counts of their logs: durable on return; on an error none may be assumed to be.

        Raises Unavailable when the engine cannot take them now (down, disk full).
        """
        ...

    def rates(
        self, since: datetime, until: datetime, *, space: str | None = None, step_seconds: int = 1, words: str = ""
    ) -> pa.Table:
        """Counts of lines (RATE columns) with since <= second < until, summed by steps, oldest first.

        With words, only of lines that `lines` finds by them, as long as lines are kept.
        """
        ...

    def gauges(self, since: datetime, until: datetime, *, space: str | None = None, step_seconds: int = 60) -> pa.Table:
        """Mean values of metrics (space, service, name, step, value); cumulative ones as rates by second."""
        ...

    def calls(self, since: datetime, until: datetime, *, space: str) -> tuple[Edge, ...]:
        """Which service called which, from spans: by parent and child, or by the span's own `peer`."""
        ...

    def top_templates(
        self, space: str, services: Sequence[str], since: datetime, until: datetime, *, level_min: int, count_max: int
    ) -> tuple[Counted, ...]:
        """The most frequent templates of a window, most frequent first."""
        ...

    def top_fingerprints(
        self, space: str, services: Sequence[str], since: datetime, until: datetime, *, count_max: int
    ) -> tuple[Counted, ...]:
        """The most frequent fingerprints of a window, most frequent first."""
        ...

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
        """Log lines of a window that satisfy every condition given.

        Words are separated by spaces; each is a part of the message or of the stack, in capitals or not.
        """
        ...

    def spans(self, space: str, trace: str, *, spans_max: int = 1_000) -> tuple[Span, ...]:
        """The spans of one trace, in the order in which they began."""
        ...

    def changes(self, space: str, since: datetime, until: datetime) -> tuple[SystemChange, ...]:
        """What was altered in the watched system, oldest first; each key once, its latest telling."""
        ...

    def alerts(self, space: str | None, since: datetime, until: datetime) -> tuple[tuple[str, Alert], ...]:
        """Alerts with their space whose latest telling arrived in the window, oldest first; each key once."""
        ...

    def kept(self, space: str) -> tuple[Kept, ...]:
        """How much there is of each kind, and since when. Raises Unavailable when counting takes too long."""
        ...

    def templates(self) -> tuple[Pattern, ...]:
        """Every known template, so that mining continues where it stopped."""
        ...

    def close(self) -> None:
        """Let go of the engine; whatever was acknowledged is already durable."""
        ...
