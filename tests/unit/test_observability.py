"""What a server tells of itself: logs without secrets, bounded figures, and spans that a collector receives."""

from __future__ import annotations

import io
import json
import logging
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest

from hindcast.adapters.figures import NAMES_MAX, Figures
from hindcast.adapters.otel import Collector, check_not_itself
from hindcast.config import Settings
from hindcast.instruments import Work
from hindcast.model.errors import Malformed
from hindcast.rest.logs import begin_logging

KEY = "hc_write_0123456789abcdef_" + "0f" * 32


@pytest.fixture
def quiet() -> Iterator[None]:
    """Logging as it was, afterwards."""
    root = logging.getLogger()
    before, level = root.handlers[:], root.level
    yield
    root.handlers[:], root.level = before, level


def logged(message: str, *arguments: object, form: str = "text", **said: object) -> str:
    """What a line of the log looks like."""
    stream = io.StringIO()
    begin_logging(Settings(log_format=form, log_level="info"), stream)
    logging.getLogger("hindcast").info(message, *arguments, extra=said)
    return stream.getvalue()


@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize(
    "text",
    [
        f"POST /k/{KEY}/v1/logs",
        "POST /k/anything-at-all/v1/logs",
        f"Authorization: Bearer {KEY}",
        "Authorization: Basic dXNlcjpodW50ZXIy",
        "postgresql://ana:hunter2@db/hindcast does not answer",
        "GET /api/v1/session/oidc/callback?code=hunter2&state=hunter2",
        f"cookie hs_0123456789abcdef_{'0f' * 32}",
    ],
)
@pytest.mark.usefixtures("quiet")
def test_no_line_holds_a_secret(text: str, form: str) -> None:
    """Wherever a key, a cookie or a password turns up in a line, something else stands in its place."""
    line = logged("It failed: %s", text, form=form, path=text)

    assert "[redacted]" in line
    for secret in (KEY, "0f" * 32, "hunter2", "anything-at-all", "dXNlcjpodW50ZXIy"):
        assert secret not in line


@pytest.mark.usefixtures("quiet")
def test_nobody_can_write_a_line_of_their_own() -> None:
    """A line break in what a caller sent stays inside the line, for people as for machines."""
    forged = "calm\n2026-11-16T00:00:00Z error all is lost"

    assert len(logged("Asked: %s", forged, space=forged).splitlines()) == 1
    line = logged("Asked: %s", forged, form="json", space=forged)
    assert len(line.splitlines()) == 1
    assert json.loads(line)["space"] == forged


def test_figures_stay_few() -> None:
    """However many names are counted, a bounded number is shown; a method nobody knows is one series."""
    figures = Figures(tuple(Work))
    for number in range(NAMES_MAX * 2):
        figures.counts[f"name-{number}"] += 1
    for number in range(50):
        figures.request("/api/v1/incidents", f"METHOD{number}", 405, 0.001)
    text = figures.rendered().decode()

    assert text.count("hindcast_events_total{") == NAMES_MAX
    assert text.count("hindcast_request_seconds_count{") == 1


def test_work_is_timed_even_when_it_fails() -> None:
    """A piece of work that raises is in the figures like any other."""
    figures = Figures(tuple(Work))
    with pytest.raises(ZeroDivisionError), figures.timed(Work.RECALL, space="ours"):
        _ = 1 / 0

    assert 'hindcast_work_seconds_count{work="recall"} 1.0' in figures.rendered().decode()


class Receiving(BaseHTTPRequestHandler):
    """A collector that keeps what it gets."""

    got: dict[str, list[bytes]]

    def do_POST(self) -> None:
        """Take a request in."""
        body = self.rfile.read(int(self.headers["Content-Length"]))
        self.got.setdefault(self.path, []).append(body)
        self.send_response(200)
        self.send_header("Content-Length", "0")
        self.end_headers()

    def log_message(self, *_: object) -> None:
        """Say nothing."""


def test_a_collector_gets_spans_and_figures() -> None:
    """Work inside work is a span inside a span, and the figures arrive with their labels."""
    got: dict[str, list[bytes]] = {}
    handler = type("Handler", (Receiving,), {"got": got})
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        collector = Collector(f"http://127.0.0.1:{server.server_port}", version="1")
        figures = Figures(tuple(Work), span=collector.span)
        collector.follow(figures.registry)
        with figures.timed(Work.TICK), figures.timed(Work.RECALL, space="ours"):
            figures.counts["ticks"] += 1
        collector.close()
        collector.close()
        server.shutdown()

    traces = [ExportTraceServiceRequest.FromString(body) for body in got["/v1/traces"]]
    found = {
        span.name: span
        for request in traces
        for resource in request.resource_spans
        for scope in resource.scope_spans
        for span in scope.spans
    }
    assert found.keys() == {"hindcast.tick", "hindcast.recall"}
    assert found["hindcast.recall"].parent_span_id == found["hindcast.tick"].span_id
    metrics = [ExportMetricsServiceRequest.FromString(body) for body in got["/v1/metrics"]]
    names = {
        metric.name
        for request in metrics
        for resource in request.resource_metrics
        for scope in resource.scope_metrics
        for metric in scope.metrics
    }
    assert {"hindcast_events_total", "hindcast_work_seconds_count", "hindcast_work_seconds_sum"} <= names


@pytest.mark.parametrize(
    ("endpoint", "host"),
    [
        ("http://127.0.0.1:4318", "127.0.0.1"),
        ("http://localhost:4318", "127.0.0.1"),
        ("http://localhost:4318/", "0.0.0.0"),  # noqa: S104
        ("http://[::1]:4318", "localhost"),
        ("http://hindcast.example:4318", "hindcast.example"),
    ],
)
def test_it_never_reports_to_itself(endpoint: str, host: str) -> None:
    """An endpoint that is the server's own address is refused: every report would be one more request to report."""
    with pytest.raises(Malformed) as caught:
        check_not_itself(endpoint, host=host, port=4318)
    assert caught.value.field == "otel_endpoint"


@pytest.mark.parametrize("endpoint", ["http://127.0.0.1:4319", "http://collector:4318", "https://127.0.0.1"])
def test_another_port_or_machine_is_not_itself(endpoint: str) -> None:
    """A collector beside it, or elsewhere, may be reported to."""
    check_not_itself(endpoint, host="127.0.0.1", port=4318)
