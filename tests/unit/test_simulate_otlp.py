"""The world as OTLP, read back with the messages of opentelemetry-proto, and the sender that posts it."""

from __future__ import annotations

import gzip
import json
import threading
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest, ExportLogsServiceResponse
from opentelemetry.proto.collector.metrics.v1.metrics_service_pb2 import ExportMetricsServiceRequest
from opentelemetry.proto.collector.trace.v1.trace_service_pb2 import ExportTraceServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import KeyValue

from hindcast.adapters.otlp_sender import Delivery, OtlpSender
from hindcast.model.errors import Malformed, Refused, Unavailable
from hindcast.simulate import Moment, World, burst, scenario
from hindcast.simulate.otlp import PROTOBUF, exports

START = datetime(2026, 3, 3, 14, 0, tzinfo=UTC)
DEPLOYED_AFTER_SECONDS = 110


@pytest.fixture(scope="module")
def moment() -> Moment:
    """Thirty seconds in which a bad deploy goes live and fails."""
    world = World(7, ["bad-deploy"], rate_per_s=50, starts_at=START)
    return world.step(START + timedelta(seconds=DEPLOYED_AFTER_SECONDS), 30)


def text(pairs: list[KeyValue]) -> dict[str, str]:
    """Attributes by name."""
    return {pair.key: pair.value.string_value for pair in pairs}


def bodies(moment: Moment, path: str, **options: int) -> list[bytes]:
    """The bodies that go to one path."""
    return [export.body for export in exports(moment, **options) if export.path == path]


def test_log_records_hold_what_was_written(moment: Moment) -> None:
    """Every line is one record with its time, level, ids, words and exception under its service."""
    seen = []
    for body in bodies(moment, "/v1/logs"):
        for scoped in ExportLogsServiceRequest.FromString(body).resource_logs:
            resource = text(list(scoped.resource.attributes))
            assert resource["deployment.environment"] == "simulation"
            for record in scoped.scope_logs[0].log_records:
                said = text(list(record.attributes))
                seen.append(
                    (
                        record.time_unix_nano,
                        resource["service.name"],
                        record.severity_number,
                        record.body.string_value,
                        record.trace_id.hex(),
                        record.span_id.hex(),
                        said.get("exception.type", ""),
                        said.get("exception.message", ""),
                        said.get("exception.stacktrace", ""),
                    )
                )
                assert record.severity_text == {5: "DEBUG", 9: "INFO", 13: "WARN", 17: "ERROR"}[record.severity_number]

    assert Counter(seen) == Counter((*line[:2], int(line.level), *line[3:]) for line in moment.lines)
    assert any(row[-1] for row in seen)


def test_metrics_hold_what_was_measured(moment: Moment) -> None:
    """Gauges are gauges and counts of requests are monotonic deltas, with name, unit, time and value."""
    seen = []
    for body in bodies(moment, "/v1/metrics"):
        for scoped in ExportMetricsServiceRequest.FromString(body).resource_metrics:
            service = text(list(scoped.resource.attributes))["service.name"]
            for metric in scoped.scope_metrics[0].metrics:
                is_count = metric.HasField("sum")
                point = metric.sum.data_points[0] if is_count else metric.gauge.data_points[0]
                value = float(point.as_int) if is_count else point.as_double
                assert not is_count or (metric.sum.is_monotonic and metric.sum.aggregation_temporality == 1)
                assert not is_count or point.time_unix_nano - point.start_time_unix_nano == 10 * 10**9
                seen.append((point.time_unix_nano, service, metric.name, value, metric.unit, is_count))

    assert Counter(seen) == Counter(moment.gauges)


def test_spans_hold_what_happened(moment: Moment) -> None:
    """Every span keeps its ids, its parent, its times, its kind, its status and whom it called."""
    seen = []
    for body in bodies(moment, "/v1/traces"):
        for scoped in ExportTraceServiceRequest.FromString(body).resource_spans:
            service = text(list(scoped.resource.attributes))["service.name"]
            seen += [
                (
                    span.start_time_unix_nano,
                    span.end_time_unix_nano,
                    service,
                    span.name,
                    span.kind,
                    span.trace_id.hex(),
                    span.span_id.hex(),
                    span.parent_span_id.hex(),
                    text(list(span.attributes)).get("peer.service", ""),
                    span.status.code,
                )
                for span in scoped.scope_spans[0].spans
            ]

    assert Counter(seen) == Counter(moment.spans)
    assert {row[-1] for row in seen} == {1, 2}


def test_a_deploy_is_a_change_event(moment: Moment) -> None:
    """A deploy goes to the path of change events and names its service, version, actor and time."""
    [body] = bodies(moment, "/v2/change/enqueue")
    event = json.loads(body)

    assert event["routing_key"]
    assert event["payload"]["source"] == "user"
    assert event["payload"]["timestamp"] == "2026-03-03T14:01:50Z"
    assert event["payload"]["custom_details"]["version"] == "4.4.0"


def test_a_deployed_version_is_told_with_the_lines() -> None:
    """While the bad version is live, and only then, user calls itself by that version."""
    world = World(7, ["bad-deploy"], rate_per_s=50, starts_at=START)
    told = {}
    for after in (DEPLOYED_AFTER_SECONDS - 1, DEPLOYED_AFTER_SECONDS, DEPLOYED_AFTER_SECONDS + 100, 400):
        [body] = bodies(world.step(START + timedelta(seconds=after)), "/v1/logs")
        resources = [
            text(list(one.resource.attributes)) for one in ExportLogsServiceRequest.FromString(body).resource_logs
        ]
        told[after] = [one["service.version"] for one in resources if one["service.name"] == "user"]

    assert list(told.values()) == [["4.3.2"], ["4.4.0"], ["4.4.0"], ["4.3.2"]]


def test_requests_are_bounded(moment: Moment) -> None:
    """No request holds more records than asked for, and together they hold all."""
    made = list(exports(moment, records_per_request_max=100))

    assert max(export.records for export in made) == 100
    everything = len(moment.lines) + len(moment.gauges) + len(moment.spans) + len(moment.changes)
    assert sum(export.records for export in made) == everything


def test_silence_makes_no_request() -> None:
    """A moment in which nothing was said is no request at all."""
    assert list(exports(Moment(START, 1, (), (), ()))) == []


def test_the_same_world_is_the_same_bytes() -> None:
    """Two worlds of one seed make the same requests, byte for byte."""
    first, again = (World(3, ["flapping"], rate_per_s=80, starts_at=START).step(START, 10) for _ in range(2))

    assert list(exports(first)) == list(exports(again))


def test_an_injected_burst_is_that_many_error_records() -> None:
    """120 injected errors arrive as 120 records of severity 17 under the service that was named."""
    moment = burst(scenario("pool-exhaustion"), "payment", 120, at=START, seed=7)
    [body] = bodies(moment, "/v1/logs")
    [scoped] = ExportLogsServiceRequest.FromString(body).resource_logs

    assert text(list(scoped.resource.attributes))["service.name"] == "payment"
    assert [record.severity_number for record in scoped.scope_logs[0].log_records] == [17] * 120


# --- The sender ---------------------------------------------------------------------------------------------------


@dataclass
class Receiver:
    """A receiver on a real port that answers as it was told and remembers what came."""

    answers: list[tuple[int, Mapping[str, str], bytes]]
    url: str = ""
    came: list[tuple[str, Mapping[str, str], bytes]] = field(default_factory=list)


@contextmanager
def receiver(*answers: tuple[int, Mapping[str, str], bytes]) -> Iterator[Receiver]:
    """A receiver that gives these answers one after the other."""
    kept = Receiver(list(answers))

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            kept.came.append((self.path, dict(self.headers), body))
            status, headers, said = kept.answers.pop(0)
            self.send_response(status)
            for name, value in {**headers, "Content-Length": str(len(said))}.items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(said)

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    kept.url = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield kept
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def send(
    url: str,
    body: bytes = b"",
    *,
    sleep: Callable[[float], None] = lambda _: None,
    space: str | None = None,
    records: int = 5,
) -> Delivery:
    """Post one body as logs."""
    sender = OtlpSender(url, sleep=sleep, space=space)
    try:
        return sender.send("/v1/logs", body, content_type=PROTOBUF, records=records)
    finally:
        sender.close()


def test_an_acknowledged_request_is_counted() -> None:
    """A body goes to its path packed with gzip, with its type and space, and all its records are acknowledged."""
    body = b"x" * 10_000
    with receiver((200, {}, b"")) as there:
        assert send(there.url, body, space="shop") == Delivery(5, 0, 1)

    [(path, headers, came)] = there.came
    assert path == "/v1/logs"
    assert headers["Content-Encoding"] == "gzip"
    assert headers["Content-Type"] == PROTOBUF
    assert headers["X-Hindcast-Space"] == "shop"
    assert gzip.decompress(came) == body


def test_a_path_before_the_receiver_is_kept() -> None:
    """A receiver behind a proxy's path is reached through that path."""
    with receiver((200, {}, b"")) as there:
        send(f"{there.url}/telemetry/")

    assert there.came[0][0] == "/telemetry/v1/logs"


def test_partial_success_is_counted() -> None:
    """Records that the receiver rejects are not counted as acknowledged, and the reason is kept."""
    answer = ExportLogsServiceResponse()
    answer.partial_success.rejected_log_records = 2
    answer.partial_success.error_message = "too old"
    with receiver((200, {}, answer.SerializeToString())) as there:
        assert send(there.url) == Delivery(3, 2, 1, "too old")


@pytest.mark.parametrize("status", [429, 503])
def test_a_busy_receiver_is_asked_again_when_it_says(status: int) -> None:
    """The sender waits as long as Retry-After asks, in seconds or as a date, then sends the same bytes again."""
    waited: list[float] = []
    later = format_datetime(datetime.now(UTC) + timedelta(seconds=4), usegmt=True)
    with receiver((status, {"Retry-After": "3"}, b""), (status, {"Retry-After": later}, b""), (200, {}, b"")) as there:
        assert send(there.url, b"abc", sleep=waited.append).attempts == 3

    assert waited[0] == 3
    assert 2 < waited[1] <= 4
    assert [body for _, _, body in there.came] == [b"abc"] * 3


def test_pauses_grow_when_the_receiver_does_not_say() -> None:
    """Without Retry-After each pause is twice the one before, and after five attempts it is over."""
    waited: list[float] = []
    with receiver(*[(503, {}, b"")] * 5) as there, pytest.raises(Unavailable, match="status 503") as told:
        send(there.url, sleep=waited.append)

    assert waited == [0.2, 0.4, 0.8, 1.6]
    assert told.value.remedy


def test_a_receiver_that_asks_for_too_long_is_unavailable() -> None:
    """A live stream does not wait for an hour."""
    with receiver((429, {"Retry-After": "3600"}, b"")) as there, pytest.raises(Unavailable, match="3600 seconds"):
        send(there.url)


def test_nothing_listening_says_how_to_start_something() -> None:
    """Where nothing listens, the remedy names the command that would."""
    with receiver() as there:
        pass
    with pytest.raises(Unavailable, match="Nothing listens") as told:
        send(there.url)

    assert "hindcast serve" in told.value.remedy
    assert told.value.field == "--to"


@pytest.mark.parametrize(
    ("status", "kind", "said"),
    [
        (400, Malformed, "status 400: not today"),
        (403, Refused, "refuses"),
        (404, Malformed, "has no /v1/logs"),
        (500, Unavailable, "fails with status 500"),
    ],
)
def test_a_no_is_not_repeated(status: int, kind: type[Exception], said: str) -> None:
    """An answer that means no is told at once and never retried."""
    with receiver((status, {}, b"not\x1b today")) as there, pytest.raises(kind, match=said):
        send(there.url)

    assert len(there.came) == 1


def test_an_answer_that_is_not_otlp_is_noticed() -> None:
    """Some other server that answers 200 to everything is not taken for Hindcast."""
    with receiver((200, {}, b"<html>welcome</html>")) as there, pytest.raises(Malformed, match="not OTLP"):
        send(there.url)


@pytest.mark.parametrize(
    "url", ["localhost:4318", "ftp://localhost", "http://", "http://[", "http://localhost:99999", "http://x:y", ""]
)
def test_an_address_that_is_none_is_named(url: str) -> None:
    """What is no http address is refused before anything is sent."""
    with pytest.raises(Malformed) as told:
        OtlpSender(url)
    assert told.value.field == "--to"
