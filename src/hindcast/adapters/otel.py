"""Hindcast's own metrics and traces, sent to a collector by OTLP over HTTP. Loaded only when a collector is named."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from ipaddress import ip_address
from urllib.parse import urlsplit

from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.metrics import CallbackOptions, Observation
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from prometheus_client import CollectorRegistry
from prometheus_client.metrics_core import Metric

from hindcast.model.errors import Malformed

EXPORT_SECONDS = 15
# A collector that does not answer costs a thread this long, and nothing else.
ANSWER_SECONDS_MAX = 5
SPANS_WAITING_MAX = 2_048

_UNSPECIFIED = frozenset({"0.0.0.0", "::"})  # noqa: S104


def check_not_itself(endpoint: str, *, host: str, port: int) -> None:
    """Refuse an endpoint that is this very Hindcast: each export would be a request that is exported again."""
    address = urlsplit(endpoint)
    if (address.port or (443 if address.scheme == "https" else 80)) != port:
        return
    theirs = address.hostname or ""
    if theirs == host or (_is_here(theirs) and (_is_here(host) or host in _UNSPECIFIED)):
        raise Malformed(
            f"{endpoint} is where this Hindcast itself listens.",
            field="otel_endpoint",
            remedy="Name a collector, or another Hindcast; a server that reports to itself reports for ever.",
        )


def _is_here(host: str) -> bool:
    if host in ("localhost", *_UNSPECIFIED):
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


class Collector:
    """Sends to one collector until it is closed."""

    def __init__(self, endpoint: str, *, version: str) -> None:
        resource = Resource.create({"service.name": "hindcast", "service.version": version})
        where = endpoint.rstrip("/")
        self._endpoint = where
        self._resource = resource
        exporter = OTLPSpanExporter(endpoint=f"{where}/v1/traces", timeout=ANSWER_SECONDS_MAX)
        self._traces = TracerProvider(resource=resource, shutdown_on_exit=False)
        self._traces.add_span_processor(BatchSpanProcessor(exporter, max_queue_size=SPANS_WAITING_MAX))
        self._tracer = self._traces.get_tracer("hindcast", version)
        self._metrics: MeterProvider | None = None
        self._is_open = True

    def span(self, name: str, said: Mapping[str, str]) -> AbstractContextManager[object]:
        """A span around a piece of work; what is begun inside it belongs to it."""
        found: AbstractContextManager[object] = self._tracer.start_as_current_span(name, attributes=dict(said))
        return found

    def follow(self, registry: CollectorRegistry) -> None:
        """Send what a registry holds as well, every so often. Histograms go as their count and sum."""
        exporter = OTLPMetricExporter(endpoint=f"{self._endpoint}/v1/metrics", timeout=ANSWER_SECONDS_MAX)
        reader = PeriodicExportingMetricReader(exporter, export_interval_millis=EXPORT_SECONDS * 1_000)
        self._metrics = MeterProvider([reader], resource=self._resource, shutdown_on_exit=False)
        meter = self._metrics.get_meter("hindcast")
        for family in registry.collect():
            if family.type == "gauge":
                meter.create_observable_gauge(
                    family.name, [_read(registry, family.name, "")], description=family.documentation
                )
                continue
            suffixes = ("_count", "_sum") if family.type == "histogram" else ("_total",)
            for suffix in suffixes:
                name = family.name + suffix
                meter.create_observable_counter(
                    name, [_read(registry, family.name, suffix)], description=family.documentation
                )

    def close(self) -> None:
        """Send what waits, and stop. A collector that is away holds nothing up for long."""
        if not self._is_open:
            return
        self._is_open = False
        self._traces.shutdown()
        if self._metrics is not None:
            self._metrics.shutdown(timeout_millis=ANSWER_SECONDS_MAX * 1_000)


def _read(registry: CollectorRegistry, family: str, suffix: str) -> Callable[[CallbackOptions], Iterable[Observation]]:
    def observe(_: CallbackOptions) -> Iterable[Observation]:
        found: Iterable[Metric] = registry.collect()
        return [
            Observation(sample.value, sample.labels)
            for metric in found
            if metric.name == family
            for sample in metric.samples
            if sample.name == family + suffix
        ]

    return observe
