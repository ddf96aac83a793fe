"""Figures of a running Hindcast, for Prometheus: a registry of its own, and a bounded number of series.

Labels take values from closed lists only (the route as it is declared, the kind of work, the name of a count), so that
no caller can make the figures grow.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager

from prometheus_client import CollectorRegistry, Gauge, Histogram, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily
from prometheus_client.registry import Collector

# From a cached answer to what nobody should have to wait for.
REQUEST_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
WORK_SECONDS = (0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0)
# Counts are named by the code, some with a status or a kind of secret in them; this is far beyond what it can name.
NAMES_MAX = 500
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})

# Opens a span with a name and attributes; None where nobody collects traces.
Span = Callable[[str, Mapping[str, str]], AbstractContextManager[object]]


class Figures:
    """Counts and times; `rendered` is what Prometheus reads."""

    def __init__(self, works: Iterable[str], *, span: Span | None = None) -> None:
        """`works` are the kinds of work that will be timed; no others can be."""
        self.registry = CollectorRegistry(auto_describe=False)
        self.counts: Counter[str] = Counter()
        self._span = span
        self._work = Histogram(
            "hindcast_work_seconds",
            "How long a piece of work took, by its kind.",
            ["work"],
            registry=self.registry,
            buckets=WORK_SECONDS,
        )
        self._requests = Histogram(
            "hindcast_request_seconds",
            "How long requests took, by route, method and status.",
            ["route", "method", "status"],
            registry=self.registry,
            buckets=REQUEST_SECONDS,
        )
        self._by_work = {work: self._work.labels(str(work)) for work in works}
        ProcessCollector(namespace="hindcast", registry=self.registry)
        self.expose_counts("hindcast_events", "What was taken in, refused or done, by name.", self.counts)

    def timed(self, work: str, **said: str) -> AbstractContextManager[object]:
        """Time a piece of work, and trace it where somebody collects traces."""
        if self._span is None:
            return self._by_work[work].time()
        return self._traced(work, said)

    @contextmanager
    def _traced(self, work: str, said: Mapping[str, str]) -> Iterator[None]:
        assert self._span is not None
        with self._by_work[work].time(), self._span(f"hindcast.{work}", said):
            yield

    def took(self, work: str, seconds: float) -> None:
        """A piece of work took so long."""
        self._by_work[work].observe(seconds)

    def request(self, route: str, method: str, status: int, seconds: float) -> None:
        """A request was answered. `route` is the path as it is declared, never as it came."""
        known = method if method in METHODS else "other"
        self._requests.labels(route, known, str(status)).observe(seconds)

    def span(self, name: str, said: Mapping[str, str]) -> AbstractContextManager[object] | None:
        """A span, or None where nobody collects traces."""
        return self._span(name, said) if self._span is not None else None

    def gauge(self, name: str, what: str, read: Callable[[], float]) -> None:
        """Show a number that somebody else keeps, read when it is asked for."""
        Gauge(name, what, registry=self.registry).set_function(read)

    def expose_counts(self, name: str, what: str, counts: Mapping[str, int]) -> None:
        """Show counts that somebody else keeps, by their names."""
        self.registry.register(_Counts(name, what, counts))

    def rendered(self) -> bytes:
        """Everything, as Prometheus reads it."""
        return generate_latest(self.registry)


class _Counts(Collector):
    """A counter by name, read from where it is counted."""

    def __init__(self, name: str, what: str, counts: Mapping[str, int]) -> None:
        self._name = name
        self._what = what
        self._counts = counts

    def collect(self) -> Iterator[CounterMetricFamily]:
        """The counts as they are now."""
        family = CounterMetricFamily(self._name, self._what, labels=["name"])
        for name, count in sorted(dict(self._counts).items())[:NAMES_MAX]:
            family.add_metric([name], count)
        yield family
