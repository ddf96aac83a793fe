"""The columns in which telemetry travels from a parser to the store.

A parser makes RAW_LOG, METRIC and SPAN tables. Preparing turns RAW_LOG into LOG: times checked against the arrival,
secrets taken out, templates and fingerprints given. The store keeps the columns as they are.
"""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from hindcast.model.signal import Alert, SystemChange

TIME = pa.timestamp("us", tz="UTC")
ATTRIBUTES = pa.map_(pa.string(), pa.string())

# As a parser read it. No time (null) means that the sender gave none that can be read.
RAW_LOG = pa.schema(
    [
        pa.field("time", TIME),
        # Empty when the sender names none.
        pa.field("service", pa.string(), nullable=False),
        # A `Level`, any number from 0 to 24.
        pa.field("level", pa.uint8(), nullable=False),
        # Lower-case hex, or empty.
        pa.field("trace", pa.string(), nullable=False),
        pa.field("span", pa.string(), nullable=False),
        pa.field("message", pa.string(), nullable=False),
        # A stack trace that came in a field of its own, or empty.
        pa.field("stack", pa.string(), nullable=False),
        # What the failing call asked, by every name it may have (`ingest.dependency`), or empty. It begins with the
        # separator of names where a span tells of the failure.
        pa.field("dependency", pa.string(), nullable=False),
        # Whether it only names an operation that failed: that counts, and does not say what failed.
        pa.field("bare", pa.bool_()),
        pa.field("attributes", ATTRIBUTES, nullable=False),
    ]
)

LOG = pa.schema(
    [
        pa.field("space", pa.string(), nullable=False),
        pa.field("time", TIME, nullable=False),
        pa.field("arrived", TIME, nullable=False),
        pa.field("service", pa.string(), nullable=False),
        pa.field("level", pa.uint8(), nullable=False),
        pa.field("trace", pa.string(), nullable=False),
        pa.field("span", pa.string(), nullable=False),
        # 0 where there is none.
        pa.field("template", pa.uint64(), nullable=False),
        pa.field("fingerprint", pa.uint64(), nullable=False),
        # Whether it repeats a failure of its trace that another line of its service counts for.
        pa.field("repeated", pa.bool_(), nullable=False),
        # The service that it counts for besides its own: the one that failed it, or empty.
        pa.field("dependency", pa.string(), nullable=False),
        pa.field("message", pa.string(), nullable=False),
        pa.field("stack", pa.string(), nullable=False),
        pa.field("attributes", ATTRIBUTES, nullable=False),
    ]
)

METRIC = pa.schema(
    [
        pa.field("space", pa.string(), nullable=False),
        pa.field("time", TIME, nullable=False),
        pa.field("service", pa.string(), nullable=False),
        # Histograms become several rows: name.count, name.sum, name.p50, name.p99 and so on.
        pa.field("name", pa.string(), nullable=False),
        pa.field("value", pa.float64(), nullable=False),
        pa.field("unit", pa.string(), nullable=False),
        # Whether the value only ever grows until a restart, so that its rate is what tells.
        pa.field("cumulative", pa.bool_(), nullable=False),
        pa.field("attributes", ATTRIBUTES, nullable=False),
    ]
)

# As a parser read it. A cumulative histogram's quantiles are known by what came since its last export, so it comes as a
# row of its buckets (JSON: lower end, upper end, count), which preparing turns into quantiles. Empty for every value.
RAW_METRIC = METRIC.append(pa.field("buckets", pa.string(), nullable=False))

SPAN = pa.schema(
    [
        pa.field("space", pa.string(), nullable=False),
        pa.field("time", TIME, nullable=False),
        pa.field("duration_us", pa.int64(), nullable=False),
        pa.field("service", pa.string(), nullable=False),
        pa.field("name", pa.string(), nullable=False),
        # OTLP's span kind: 1 internal, 2 server, 3 client, 4 producer, 5 consumer.
        pa.field("kind", pa.uint8(), nullable=False),
        pa.field("trace", pa.string(), nullable=False),
        pa.field("span", pa.string(), nullable=False),
        pa.field("parent", pa.string(), nullable=False),
        # The service that was called, where the span itself says so (peer.service); else empty.
        pa.field("peer", pa.string(), nullable=False),
        # OTLP's status: 0 unset, 1 ok, 2 error.
        pa.field("status", pa.uint8(), nullable=False),
        pa.field("attributes", ATTRIBUTES, nullable=False),
    ]
)

# Lines counted by second, service and level: what detection reads.
RATE = pa.schema(
    [
        pa.field("space", pa.string(), nullable=False),
        pa.field("second", pa.timestamp("s", tz="UTC"), nullable=False),
        pa.field("service", pa.string(), nullable=False),
        pa.field("level", pa.uint8(), nullable=False),
        pa.field("count", pa.uint64(), nullable=False),
    ]
)


@dataclass(frozen=True, slots=True)
class Rejection:
    """A record that was not taken: where it stood in the request, and what is wrong with it."""

    position: int
    problem: str


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a parser made of one request. Metrics and spans leave `space` empty; preparing fills it in."""

    logs: pa.Table | None = None
    metrics: pa.Table | None = None
    spans: pa.Table | None = None
    alerts: tuple[Alert, ...] = ()
    changes: tuple[SystemChange, ...] = ()
    rejections: tuple[Rejection, ...] = ()


@dataclass(frozen=True, slots=True)
class Pattern:
    """A template or a fingerprint by its number, with the words a person reads."""

    id: int
    text: str


@dataclass(frozen=True, slots=True)
class Batch:
    """What is written to the store in one step: all of it durable, or none of it acknowledged."""

    space: str
    logs: pa.Table | None = None
    metrics: pa.Table | None = None
    spans: pa.Table | None = None
    alerts: tuple[Alert, ...] = ()
    changes: tuple[SystemChange, ...] = ()
    # Templates and fingerprints that are new in this batch, or that now read differently.
    templates: tuple[Pattern, ...] = ()
    fingerprints: tuple[Pattern, ...] = ()
