"""Metric exports as a sign of life in a whole Hindcast: its preparation, its embedded telemetry, its detection."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Literal

import pyarrow as pa
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest

from hindcast.adapters.clock import ManualClock
from hindcast.build.running import Running, open_app
from hindcast.config import Settings
from hindcast.ingest import otlp
from hindcast.model.columns import LOG, Batch
from hindcast.model.finding import Rule
from hindcast.model.incident import Event, EventKind
from hindcast.model.ingest_limits import IngestLimits
from hindcast.model.signal import Level

SPACE = "shop"
SERVICES = ("web", "worker")
AT = datetime(2026, 11, 16, 2, tzinfo=UTC)
STEP_SECONDS = 5
EXPORT_SECONDS = 10
KNOWN_MINUTES = 45
ALL = frozenset(SERVICES)
WEB = frozenset({"web"})


class Shop:
    """Two services that write a line a second and export metrics every ten."""

    def __init__(self, running: Running, clock: ManualClock) -> None:
        self._running, self._clock = running, clock
        # Who writes lines, and who exports.
        self.speaking, self.exporting = ALL, ALL

    def live(self, seconds: int) -> list[Event]:
        """Let so much time pass."""
        found: list[Event] = []
        for _ in range(seconds // STEP_SECONDS):
            now = self._clock.move(timedelta(seconds=STEP_SECONDS))
            self._take("logs", lines(self.speaking, now))
            if int(now.timestamp()) % EXPORT_SECONDS == 0:
                self._take("metrics", metrics(self.exporting, now))
            found += self._running.app.tick()
        return found

    def _take(self, kind: Literal["logs", "metrics"], body: bytes) -> None:
        self._running.app.take(otlp.parse(kind, body, IngestLimits()), space=SPACE).result(30)


def lines(services: frozenset[str], now: datetime) -> bytes:
    """Harmless lines of the last seconds."""
    request = ExportLogsServiceRequest()
    for service in sorted(services):
        resource = request.resource_logs.add()
        resource.resource.attributes.add(key="service.name").value.string_value = service
        scope = resource.scope_logs.add()
        for ago in range(STEP_SECONDS):
            at = now - timedelta(seconds=ago)
            record = scope.log_records.add(time_unix_nano=int(at.timestamp() * 1e9), severity_number=9)
            record.body.string_value = "order taken"
    return bytes(request.SerializeToString())


def metrics(services: frozenset[str], now: datetime) -> bytes:
    """One export of every service."""
    request = ExportMetricsServiceRequest()
    for service in sorted(services):
        resource = request.resource_metrics.add()
        resource.resource.attributes.add(key="service.name").value.string_value = service
        metric = resource.scope_metrics.add().metrics.add(name="process.memory", unit="By")
        metric.gauge.data_points.add(time_unix_nano=int(now.timestamp() * 1e9), as_double=42.0)
    return bytes(request.SerializeToString())


@contextmanager
def shop(folder: Path) -> Iterator[Shop]:
    """A shop that was watched for a while, and has exported metrics for a minute."""
    clock = ManualClock(AT)
    settings = Settings(store=str(folder / "store"), space=SPACE, model="none", actor="ana")
    running = open_app(settings, clock=clock)
    try:
        running.telemetry.write([Batch(SPACE, logs=known())])
        running.app.begin()
        made = Shop(running, clock)
        assert made.live(60) == []
        yield made
    finally:
        running.close()


def known() -> pa.Table:
    """What both services wrote before."""
    nothing = {"trace": "", "span": "", "template": 0, "fingerprint": 0, "repeated": False, "dependency": ""}
    rows = [
        {
            **nothing,
            "space": SPACE,
            "time": AT - timedelta(seconds=second),
            "arrived": AT - timedelta(seconds=second),
            "service": service,
            "level": Level.INFO,
            "message": "order taken",
            "stack": "",
            "attributes": [],
        }
        for second in range(KNOWN_MINUTES * 60)
        for service in SERVICES
    ]
    return pa.Table.from_pylist(rows, schema=LOG)


def test_a_worker_whose_every_series_stops_is_missed(tmp_path: Path) -> None:
    """It is named within forty seconds; a pause, an exporter that is away and a restart before it open nothing."""
    with shop(tmp_path) as made:
        # It has nothing to do for a while, and goes on exporting.
        made.speaking = WEB
        assert made.live(60) == []
        # Its exporter is away; it works.
        made.speaking, made.exporting = ALL, WEB
        assert made.live(60) == []
        made.exporting = ALL
        assert made.live(60) == []
        # It is started anew.
        made.speaking = made.exporting = WEB
        assert made.live(20) == []
        made.speaking = made.exporting = ALL
        assert made.live(60) == []
        # It hangs.
        made.speaking = made.exporting = WEB
        events = made.live(40)

    (opened,) = (one.incident for one in events if one.kind is EventKind.OPENED)
    assert (opened.rule, opened.services) == (Rule.SILENT, ("worker",))


def test_when_nothing_is_exported_any_more_nobody_is_accused(tmp_path: Path) -> None:
    """A collector that stops takes every service's lines and metrics with it: no service is named for it."""
    with shop(tmp_path) as made:
        made.speaking = made.exporting = frozenset()

        assert made.live(100) == []
