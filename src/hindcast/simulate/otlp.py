"""What the world says as real OTLP requests: protobuf messages of opentelemetry-proto, one resource for each service.

Deploys are no part of OTLP. They leave as change events of PagerDuty's Events protocol, which has a known path too.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from itertools import groupby
from operator import attrgetter
from typing import Any, TypeVar

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from opentelemetry.proto.metrics.v1.metrics_pb2 import AggregationTemporality

from hindcast.model.signal import SystemChange
from hindcast.simulate.gauges import PERIOD_SECONDS
from hindcast.simulate.moment import Gauge, Line, Moment, Span
from hindcast.simulate.topology import microservice

PROTOBUF = "application/x-protobuf"
JSON = "application/json"
SCOPE = "hindcast.simulate"
RECORDS_PER_REQUEST_MAX = 1_000
# Whoever receives it may tell by it that the change comes from a simulation.
ROUTING_KEY = "hindcast-simulate"

# The version of each service that runs another one than usual.
Versions = Mapping[str, str]

One = TypeVar("One", Line, Gauge, Span)


@dataclass(frozen=True, slots=True)
class Export:
    """One request, ready to be posted to a path of the receiver."""

    path: str
    content_type: str
    body: bytes
    records: int


def exports(moment: Moment, *, records_per_request_max: int = RECORDS_PER_REQUEST_MAX) -> Iterator[Export]:
    """Everything a moment said, as requests of at most so many records; nothing said, no request."""
    versions = dict(moment.versions)
    kinds: tuple[tuple[str, Sequence[Any], Callable[[Any, Versions], bytes]], ...] = (
        ("/v1/logs", moment.lines, logs_request),
        ("/v1/metrics", moment.gauges, metrics_request),
        ("/v1/traces", moment.spans, traces_request),
    )
    for path, records, request in kinds:
        for at in range(0, len(records), records_per_request_max):
            some = records[at : at + records_per_request_max]
            yield Export(path, PROTOBUF, request(some, versions), len(some))
    for change in moment.changes:
        yield Export("/v2/change/enqueue", JSON, change_request(change), 1)


def logs_request(lines: Sequence[Line], versions: Versions) -> bytes:
    """An ExportLogsServiceRequest."""
    request = ExportLogsServiceRequest()
    for service, some in _by_service(lines):
        scoped = request.resource_logs.add()
        _describe(scoped.resource, service, versions)
        logs = scoped.scope_logs.add()
        logs.scope.name = SCOPE
        for line in some:
            record = logs.log_records.add(
                time_unix_nano=line.time_ns,
                observed_time_unix_nano=line.time_ns,
                severity_number=int(line.level),
                severity_text=line.level.name,
                body=AnyValue(string_value=line.message),
                trace_id=bytes.fromhex(line.trace),
                span_id=bytes.fromhex(line.span),
            )
            if line.exception:
                record.attributes.extend(
                    (
                        _pair("exception.type", line.exception),
                        _pair("exception.message", line.exception_text),
                        _pair("exception.stacktrace", line.stack),
                    )
                )
    return _written(request)


def metrics_request(values: Sequence[Gauge], versions: Versions) -> bytes:
    """An ExportMetricsServiceRequest: counts as monotonic deltas, everything else as gauges."""
    request = ExportMetricsServiceRequest()
    for service, some in _by_service(values):
        scoped = request.resource_metrics.add()
        _describe(scoped.resource, service, versions)
        metrics = scoped.scope_metrics.add()
        metrics.scope.name = SCOPE
        for value in some:
            metric = metrics.metrics.add(name=value.name, unit=value.unit)
            if not value.is_count:
                metric.gauge.data_points.add(time_unix_nano=value.time_ns, as_double=value.value)
                continue
            metric.sum.is_monotonic = True
            metric.sum.aggregation_temporality = AggregationTemporality.AGGREGATION_TEMPORALITY_DELTA
            metric.sum.data_points.add(
                start_time_unix_nano=value.time_ns - PERIOD_SECONDS * 1_000_000_000,
                time_unix_nano=value.time_ns,
                as_int=int(value.value),
            )
    return _written(request)


def traces_request(spans: Sequence[Span], versions: Versions) -> bytes:
    """An ExportTraceServiceRequest."""
    request = ExportTraceServiceRequest()
    for service, some in _by_service(spans):
        scoped = request.resource_spans.add()
        _describe(scoped.resource, service, versions)
        traces = scoped.scope_spans.add()
        traces.scope.name = SCOPE
        for span in some:
            made = traces.spans.add(
                trace_id=bytes.fromhex(span.trace),
                span_id=bytes.fromhex(span.span),
                parent_span_id=bytes.fromhex(span.parent),
                name=span.name,
                kind=span.kind,  # type: ignore[arg-type,unused-ignore]
                start_time_unix_nano=span.start_ns,
                end_time_unix_nano=span.end_ns,
            )
            made.status.code = span.status
            if span.peer:
                made.attributes.append(_pair("peer.service", span.peer))
    return _written(request)


def change_request(change: SystemChange) -> bytes:
    """A change event: who put what live, and when."""
    event = {
        "routing_key": ROUTING_KEY,
        "payload": {
            "summary": change.title,
            "source": change.service,
            "timestamp": change.at.astimezone(UTC).isoformat().replace("+00:00", "Z"),
            "custom_details": {
                "service": change.service,
                "version": change.ref,
                "actor": change.actor,
                "kind": str(change.kind),
                "key": change.key,
            },
        },
        "links": [],
    }
    return json.dumps(event).encode()


def _by_service(records: Sequence[One]) -> Iterator[tuple[str, list[One]]]:
    """Records service by service; within one they keep their order."""
    by_service = attrgetter("service")
    for service, some in groupby(sorted(records, key=by_service), key=by_service):
        yield service, list(some)


def _describe(resource: Any, service: str, versions: Versions) -> None:  # noqa: ANN401
    one = microservice(service)
    resource.attributes.extend(
        (
            _pair("service.name", service),
            _pair("service.version", versions.get(service, one.version)),
            _pair("deployment.environment", "simulation"),
            _pair("telemetry.sdk.language", str(one.voice)),
            _pair("host.name", f"{service}-0"),
        )
    )


def _pair(key: str, text: str) -> KeyValue:
    return KeyValue(key=key, value=AnyValue(string_value=text))


def _written(request: Any) -> bytes:  # noqa: ANN401
    written: bytes = request.SerializeToString(deterministic=True)
    return written
