"""Real senders deliver into a running Hindcast: OpenTelemetry's SDK, Alertmanager, rsyslog, syslog-ng."""

from __future__ import annotations

import http.server
import logging
import os
import socket
import subprocess
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from opentelemetry.exporter.otlp.proto.http._log_exporter import OTLPLogExporter
from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
from opentelemetry.exporter.otlp.proto.http.trace_exporter import OTLPSpanExporter
from opentelemetry.sdk._logs import LoggerProvider, LoggingHandler
from opentelemetry.sdk._logs.export import BatchLogRecordProcessor
from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import PeriodicExportingMetricReader
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from tests.serving import Serving, free_port, serving, wait_for

ROOT = Path(__file__).resolve().parent.parent.parent
# `make test` has put them there.
SENDERS = ROOT / ".venv" / "senders" / "root"
RESOURCE = Resource.create({"service.name": "checkout", "host.name": "node-7"})


@pytest.fixture(scope="module")
def hindcast(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Serving]:
    """A running Hindcast."""
    with serving(tmp_path_factory.mktemp("senders")) as running:
        yield running


def _charge() -> None:
    raise ConnectionError("pool exhausted")


@contextmanager
def sender(folder: Path, program: str, *arguments: str) -> Iterator[None]:
    """A program out of Debian's packages, running until the end."""
    libraries = [SENDERS / "usr/lib/x86_64-linux-gnu", SENDERS / "lib/x86_64-linux-gnu", SENDERS / "usr/lib/syslog-ng"]
    environment = {**os.environ, "LD_LIBRARY_PATH": ":".join(map(str, libraries))}
    said = (folder / f"{Path(program).name}.log").open("wb")
    process = subprocess.Popen([SENDERS / program, *arguments], env=environment, stdout=said, stderr=said, cwd=folder)
    try:
        yield
    finally:
        process.terminate()
        process.wait(20)
        said.close()


def lines(hindcast: Serving, words: str) -> list[dict[str, Any]]:
    """The stored lines that hold these words."""
    found: list[dict[str, Any]] = hindcast.get(f"/api/v1/logs?words={words}&limit=1000")["items"]
    return found


def test_opentelemetrys_sdk_delivers_logs(hindcast: Serving) -> None:
    """What Python's logging hands to OpenTelemetry arrives with its service, level, text and stack trace."""
    provider = LoggerProvider(RESOURCE)
    provider.add_log_record_processor(BatchLogRecordProcessor(OTLPLogExporter(f"{hindcast.url}/v1/logs")))
    logger = logging.getLogger("checkout")
    logger.addHandler(LoggingHandler(logger_provider=provider))
    logger.propagate = False
    try:
        _charge()
    except ConnectionError:
        logger.exception("sdkorder 4711 failed")
    provider.force_flush()

    (line,) = wait_for(lambda: lines(hindcast, "sdkorder"), what="the line of the SDK")
    assert (line["service"], line["level"], line["message"]) == ("checkout", 17, "sdkorder 4711 failed")
    assert "ConnectionError: pool exhausted" in line["stack"]
    assert line["fingerprint"] != "0"
    provider.shutdown()


def test_opentelemetrys_sdk_delivers_metrics(hindcast: Serving) -> None:
    """Gauges, counters and histograms of the SDK arrive under their names."""
    exporter = OTLPMetricExporter(f"{hindcast.url}/v1/metrics")
    provider = MeterProvider([PeriodicExportingMetricReader(exporter, 60_000)], RESOURCE)
    meter = provider.get_meter("checkout")
    meter.create_gauge("pool.usage", "%").set(97.5)
    meter.create_counter("orders").add(3)
    meter.create_histogram("latency", "ms").record(12.0)
    provider.force_flush()

    def names() -> dict[str, float]:
        return {row["name"]: row["value"] for row in hindcast.get("/api/v1/metrics")["items"]}

    found = wait_for(lambda: names() if "pool.usage" in names() else None, what="the metrics of the SDK")
    assert found["pool.usage"] == pytest.approx(97.5)
    # Counts that only grow are shown as rates, and percentiles are of the time between two exports: one cannot tell.
    assert not [name for name in found if name.startswith("latency.p")]
    provider.shutdown()


def test_opentelemetrys_sdk_delivers_traces(hindcast: Serving) -> None:
    """Spans of two services become a call from one to the other, and an exception in a span becomes a line."""
    providers = [TracerProvider(resource=Resource.create({"service.name": name})) for name in ("checkout", "stock")]
    for provider in providers:
        provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(f"{hindcast.url}/v1/traces")))
    outer, inner = (provider.get_tracer("test") for provider in providers)
    with outer.start_as_current_span("POST /orders"), inner.start_as_current_span("reserve") as span:
        span.record_exception(TimeoutError("sdkstock does not answer"))
    for provider in providers:
        provider.force_flush()

    def called() -> set[tuple[str, str]]:
        return {(edge["caller"], edge["callee"]) for edge in hindcast.get("/api/v1/calls")["items"]}

    wait_for(lambda: ("checkout", "stock") in called(), what="the call between two services")
    assert lines(hindcast, "sdkstock")[0]["service"] == "stock"
    for provider in providers:
        provider.shutdown()


class Victim(http.server.BaseHTTPRequestHandler):
    """Something for Prometheus to scrape: it says of itself whether it is well."""

    failing = 0

    def do_GET(self) -> None:
        """Answer with one metric."""
        self.send_response(200)
        self.send_header("Content-Type", "text/plain; version=0.0.4")
        self.end_headers()
        self.wfile.write(f"victim_failing {type(self).failing}\n".encode())

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def test_alertmanager_fires_and_resolves(hindcast: Serving, tmp_path: Path) -> None:
    """An alert that Prometheus raises opens an incident; when Prometheus is content again, the alert is resolved."""
    victim = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Victim)
    threading.Thread(target=victim.serve_forever, daemon=True).start()
    alerting = free_port()
    (tmp_path / "alertmanager.yml").write_text(
        "route: {receiver: hindcast, group_wait: 0s, group_interval: 1s, repeat_interval: 1m}\n"
        "receivers:\n- name: hindcast\n  webhook_configs:\n"
        f"  - {{url: '{hindcast.url}/webhooks/alertmanager', send_resolved: true}}\n"
    )
    (tmp_path / "prometheus.yml").write_text(
        "global: {scrape_interval: 1s, evaluation_interval: 1s}\nrule_files: [rules.yml]\n"
        f"alerting: {{alertmanagers: [{{static_configs: [{{targets: ['127.0.0.1:{alerting}']}}]}}]}}\n"
        f"scrape_configs: [{{job_name: v, static_configs: [{{targets: ['127.0.0.1:{victim.server_port}']}}]}}]\n"
    )
    (tmp_path / "rules.yml").write_text(
        "groups:\n- name: g\n  rules:\n  - alert: VictimFailing\n    expr: victim_failing == 1\n"
        "    labels: {severity: critical, service: victim}\n    annotations: {summary: The victim is failing}\n"
    )

    def status() -> str:
        found = [alert for alert in hindcast.get("/api/v1/alerts")["items"] if alert["service"] == "victim"]
        return found[-1]["status"] if found else ""

    Victim.failing = 1
    manager = (f"--web.listen-address=127.0.0.1:{alerting}", "--storage.path=am", "--cluster.listen-address=")
    server = (f"--web.listen-address=127.0.0.1:{free_port()}", "--storage.tsdb.path=prom")
    with (
        sender(tmp_path, "usr/bin/prometheus-alertmanager", "--config.file=alertmanager.yml", *manager),
        sender(tmp_path, "usr/bin/prometheus", "--config.file=prometheus.yml", *server),
    ):
        wait_for(lambda: status() == "firing", what="the alert to fire")
        incident = wait_for(
            lambda: [one for one in hindcast.get("/api/v1/incidents")["items"] if "victim" in one["title"].lower()],
            what="an incident for the alert",
        )[0]
        assert incident["severity"] == "critical"
        (alert,) = hindcast.get(f"/api/v1/incidents/{incident['id']}")["detection"]["alerts"]
        assert (alert["title"], alert["text"].splitlines()[0]) == ("VictimFailing", "The victim is failing")
        Victim.failing = 0
        wait_for(lambda: status() == "resolved", what="the alert to be resolved")
    victim.shutdown()


def test_rsyslog_ships_to_what_it_takes_for_elasticsearch(hindcast: Serving, tmp_path: Path) -> None:
    """Rsyslog's Elasticsearch output delivers its lines in bulk, with their program and severity."""
    port = free_port()
    (tmp_path / "rsyslog.conf").write_text(
        'module(load="imudp")\nmodule(load="omelasticsearch")\n'
        f'input(type="imudp" address="127.0.0.1" port="{port}")\n'
        'template(name="line" type="list" option.jsonf="on") {\n'
        '  property(outname="@timestamp" name="timereported" dateFormat="rfc3339" format="jsonf")\n'
        '  property(outname="message" name="msg" format="jsonf")\n'
        '  property(outname="severity" name="syslogseverity-text" format="jsonf")\n'
        '  property(outname="programname" name="programname" format="jsonf")\n}\n'
        f'action(type="omelasticsearch" server="127.0.0.1" serverport="{hindcast.port}" template="line" '
        'searchIndex="logs" searchType="" bulkmode="on" errorfile="errors.log" action.resumeRetryCount="-1")\n'
    )
    modules = str(SENDERS / "usr/lib/x86_64-linux-gnu/rsyslog")
    with (
        sender(tmp_path, "usr/sbin/rsyslogd", "-n", "-f", "rsyslog.conf", "-i", "rsyslog.pid", "-M", modules),
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as wire,
    ):

        def arrived() -> list[dict[str, Any]]:
            # UDP: before it listens, it hears nothing.
            message = f"<11>{_now()} node-7 billing[42]: rsyslogorder could not be charged"
            wire.sendto(message.encode(), ("127.0.0.1", port))
            return lines(hindcast, "rsyslogorder")

        line = wait_for(arrived, what="a line by way of rsyslog")[0]
    assert (line["service"], line["level"]) == ("billing", 17)
    assert "rsyslogorder could not be charged" in line["message"]


@pytest.mark.parametrize("transport", ["udp", "tcp"])
def test_syslog_ng_forwards(hindcast: Serving, tmp_path: Path, transport: str) -> None:
    """syslog-ng forwards over UDP and over TCP, and what its sender called an error is one."""
    port = free_port()
    (tmp_path / "syslog-ng.conf").write_text(
        "@version: 3.35\noptions { keep-hostname(yes); };\n"
        f'source s {{ network(ip("127.0.0.1") port({port}) transport("tcp")); }};\n'
        f'destination d {{ syslog("127.0.0.1" port({hindcast.syslog_port}) transport("{transport}")); }};\n'
        "log { source(s); destination(d); };\n"
    )
    word = f"ngorder{transport}"
    options = ["-F", "-f", f"{tmp_path}/syslog-ng.conf", "--no-caps"]
    options += ["-R", f"{tmp_path}/persist", "-p", f"{tmp_path}/pid", "-c", f"{tmp_path}/control"]
    modules = f"--module-path={SENDERS}/usr/lib/syslog-ng/3.38"
    with (
        sender(tmp_path, "usr/sbin/syslog-ng", *options, modules),
        wait_for(lambda: _connected(port), what="syslog-ng to listen") as wire,
    ):
        wire.sendall(f"<11>{_now()} node-7 shipping[7]: {word} was lost\n".encode())
        line = wait_for(lambda: lines(hindcast, word), what="a line by way of syslog-ng")[0]
    assert (line["service"], line["level"]) == ("shipping", 17)
    assert f"{word} was lost" in line["message"]


def _now() -> str:
    """The time as old syslog writes it."""
    return f"{datetime.now(UTC):%b %e %H:%M:%S}"


def _connected(port: int) -> socket.socket | None:
    try:
        return socket.create_connection(("127.0.0.1", port), timeout=2)
    except OSError:
        return None
