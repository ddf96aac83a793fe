"""OTLP/JSON: typed shapes with the names of the protobuf messages, so that one walk reads both.

Ids are hex here and 64-bit numbers may be strings. Unknown fields are ignored, nulls are as good as absent.
"""

from __future__ import annotations

from collections import Counter
from typing import Annotated, Any, Final

import msgspec

from hindcast.ingest.otlp.values import Decoded
from hindcast.ingest.rows import repaired_json
from hindcast.model.errors import Malformed

Int64 = Annotated[int, msgspec.Meta(ge=-(2**63), le=2**63 - 1)]
Count = Annotated[int, msgspec.Meta(ge=0, le=2**63 - 1)]
Int32 = Annotated[int, msgspec.Meta(ge=-(2**31), le=2**31 - 1)]


class _Shape(msgspec.Struct, rename="camel", gc=False):
    """All fields may be absent, as in protobuf."""


class ArrayValue(_Shape):
    """A list inside an AnyValue."""

    values: list[AnyValue] | None = None


class KeyValueList(_Shape):
    """A map inside an AnyValue."""

    values: list[KeyValue] | None = None


class AnyValue(_Shape):
    """A value of any kind."""

    string_value: str | None = None
    bool_value: bool | None = None
    int_value: Int64 | None = None
    double_value: float | None = None
    array_value: ArrayValue | None = None
    kvlist_value: KeyValueList | None = None
    # Base64, as JSON's mapping of protobuf has it.
    bytes_value: str | None = None

    def WhichOneof(self, _name: str) -> str | None:  # noqa: N802 (protobuf's own name)
        """The kind that is set; the commonest are asked for first."""
        if self.string_value is not None:
            return "string_value"
        if self.int_value is not None:
            return "int_value"
        if self.double_value is not None:
            return "double_value"
        if self.bool_value is not None:
            return "bool_value"
        return next((kind for kind in _RARE_KINDS if getattr(self, kind) is not None), None)


_RARE_KINDS: Final = ("array_value", "kvlist_value", "bytes_value")


class KeyValue(_Shape):
    """One attribute."""

    key: str = ""
    value: AnyValue | None = None


class Resource(_Shape):
    """Who sends."""

    attributes: list[KeyValue] | None = None


class Scope(_Shape):
    """The part of the sender, most often a logger or a library."""

    name: str | None = None


class LogRecord(_Shape):
    """One log record."""

    time_unix_nano: int | None = None
    observed_time_unix_nano: int | None = None
    severity_number: int | str | None = None
    severity_text: str | None = None
    body: AnyValue | None = None
    attributes: list[KeyValue] | None = None
    trace_id: str | None = None
    span_id: str | None = None
    event_name: str | None = None


class ScopeLogs(_Shape):
    """The records of one scope."""

    scope: Scope | None = None
    log_records: list[LogRecord] | None = None


class ResourceLogs(_Shape):
    """The records of one resource."""

    resource: Resource | None = None
    scope_logs: list[ScopeLogs] | None = None


class Logs(_Shape):
    """A request of logs."""

    resource_logs: list[ResourceLogs] | None = None


class Status(_Shape):
    """How a span ended."""

    message: str | None = None
    code: int | str | None = None


class Event(_Shape):
    """What happened during a span."""

    time_unix_nano: int | None = None
    name: str | None = None
    attributes: list[KeyValue] | None = None


class Span(_Shape):
    """One span."""

    trace_id: str | None = None
    span_id: str | None = None
    parent_span_id: str | None = None
    name: str | None = None
    kind: int | str | None = None
    start_time_unix_nano: int | None = None
    end_time_unix_nano: int | None = None
    attributes: list[KeyValue] | None = None
    events: list[Event] | None = None
    status: Status | None = None


class ScopeSpans(_Shape):
    """The spans of one scope."""

    scope: Scope | None = None
    spans: list[Span] | None = None


class ResourceSpans(_Shape):
    """The spans of one resource."""

    resource: Resource | None = None
    scope_spans: list[ScopeSpans] | None = None


class Traces(_Shape):
    """A request of traces."""

    resource_spans: list[ResourceSpans] | None = None


class Buckets(_Shape):
    """One side of an exponential histogram."""

    offset: Int32 | None = None
    bucket_counts: list[Count] | None = None


class Quantile(_Shape):
    """One quantile of a summary."""

    quantile: float | None = None
    value: float | None = None


class Point(_Shape):
    """A data point of any kind of metric: the fields of all of them."""

    attributes: list[KeyValue] | None = None
    time_unix_nano: int | None = None
    flags: Count | None = None
    as_double: float | None = None
    as_int: Int64 | None = None
    count: Count | None = None
    sum: float | None = None
    min: float | None = None
    max: float | None = None
    bucket_counts: list[Count] | None = None
    explicit_bounds: list[float] | None = None
    scale: Int32 | None = None
    zero_count: Count | None = None
    positive: Buckets | None = None
    negative: Buckets | None = None
    quantile_values: list[Quantile] | None = None


class Data(_Shape):
    """The data of a metric of any kind."""

    data_points: list[Point] | None = None
    aggregation_temporality: int | str | None = None
    is_monotonic: bool | None = None


class Metric(_Shape):
    """One metric."""

    name: str | None = None
    unit: str | None = None
    gauge: Data | None = None
    sum: Data | None = None
    histogram: Data | None = None
    exponential_histogram: Data | None = None
    summary: Data | None = None

    def WhichOneof(self, _name: str) -> str | None:  # noqa: N802 (protobuf's own name)
        """The kind that is set."""
        return next((kind for kind in METRIC_KINDS if getattr(self, kind) is not None), None)


METRIC_KINDS: Final = ("gauge", "sum", "histogram", "exponential_histogram", "summary")


class ScopeMetrics(_Shape):
    """The metrics of one scope."""

    scope: Scope | None = None
    metrics: list[Metric] | None = None


class ResourceMetrics(_Shape):
    """The metrics of one resource."""

    resource: Resource | None = None
    scope_metrics: list[ScopeMetrics] | None = None


class Metrics(_Shape):
    """A request of metrics."""

    resource_metrics: list[ResourceMetrics] | None = None


_DECODERS: Final[dict[str, msgspec.json.Decoder[Any]]] = {
    # Not strict: 64-bit numbers come as strings.
    "logs": msgspec.json.Decoder(Logs, strict=False),
    "metrics": msgspec.json.Decoder(Metrics, strict=False),
    "traces": msgspec.json.Decoder(Traces, strict=False),
}


def decode(kind: str, body: bytes, counts: Counter[str]) -> Decoded:
    """The request. Invalid UTF-8 is replaced and counted; anything else that is wrong refuses the request."""
    try:
        return _DECODERS[kind].decode(body)
    except (ValueError, RecursionError):
        # Texts may be repaired; what is wrong beside them is told.
        return _decode(kind, repaired_json(body, counts))


def _decode(kind: str, body: bytes) -> Decoded:
    try:
        return _DECODERS[kind].decode(body)
    except (msgspec.DecodeError, RecursionError) as error:
        problem, _, place = str(error).partition(" - at ")
        raise Malformed(
            f"Not OTLP/JSON: {problem}.",
            field=place.strip("`").removeprefix("$.") or "body",
            remedy="Send an Export…ServiceRequest in protobuf's JSON mapping, with hex ids and integer enums.",
        ) from error
