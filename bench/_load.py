"""A sender in a process of its own: OTLP requests made beforehand, sent over a few connections that stay open."""

from __future__ import annotations

import json
import random
import socket
import sys
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass

from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue

SERVICES = ("api-gateway", "auth", "database", "payment", "notification", "user", "analytics")
RECORDS_PER_REQUEST = 1_000
# As many different requests as make the caches work for their living.
REQUESTS_MADE = 120
ANSWER_SECONDS_MAX = 60

_SHAPES = (
    "GET /api/v1/users/{n} 200 in {m} ms request_id={h}",
    "POST /api/v1/payments 201 in {m} ms request_id={h} amount={n}.{m} EUR",
    "cache hit for key user:{n}:profile ttl={m}s",
    "acquired connection {n} from pool size={m} waited={m}ms",
    "SELECT id, name FROM orders WHERE customer_id = {n} took {m} ms rows={m}",
    "job {h} finished in {m}.{n} s with {m} retries",
    "token issued for subject {h} expires in {n} s",
    "published message {h} to topic orders partition {m} offset {n}",
    "health check passed in {m} ms",
    "retrying request {h} to http://payment:8080/charge attempt {m}",
)
_FAILURES = (
    "could not acquire connection within {n} ms: pool exhausted (active={m}, idle=0, waiting={m})",
    "upstream http://payment:8080/charge answered 503 after {n} ms request_id={h}",
    "timeout after {n} ms waiting for lock on order {m}",
)


@dataclass(frozen=True, slots=True)
class Sent:
    """What one run of the sender saw."""

    records: int
    seconds: float
    refused: int
    latencies_ms: tuple[float, ...]


def request_bytes(seed: int, records: int = RECORDS_PER_REQUEST) -> bytes:
    """One export request: several services, five attributes, half a percent of errors, times of now."""
    rng = random.Random(seed)
    request = ExportLogsServiceRequest()
    now = time.time_ns()
    per_service = -(-records // len(SERVICES))
    made = 0
    for service in SERVICES:
        resource = request.resource_logs.add()
        resource.resource.attributes.append(KeyValue(key="service.name", value=AnyValue(string_value=service)))
        resource.resource.attributes.append(KeyValue(key="host.name", value=AnyValue(string_value=f"{service}-1")))
        scope = resource.scope_logs.add()
        for _ in range(min(per_service, records - made)):
            made += 1
            draw = rng.random()
            failing = draw < 0.005
            shape = rng.choice(_FAILURES if failing else _SHAPES)
            record = scope.log_records.add(time_unix_nano=now + made * 1_000)
            record.severity_number = 17 if failing else (9 if draw < 0.855 else 5)
            record.body.string_value = shape.format(
                n=rng.randrange(10**6), m=rng.randrange(500), h=f"{rng.getrandbits(64):016x}"
            )
            record.trace_id = rng.randbytes(16)
            record.span_id = rng.randbytes(8)
            record.attributes.append(KeyValue(key="http.method", value=AnyValue(string_value="GET")))
            record.attributes.append(KeyValue(key="http.status_code", value=AnyValue(int_value=200)))
            record.attributes.append(
                KeyValue(key="thread.name", value=AnyValue(string_value=f"worker-{rng.randrange(16)}"))
            )
            record.attributes.append(KeyValue(key="code.function", value=AnyValue(string_value="handle")))
            record.attributes.append(KeyValue(key="user.id", value=AnyValue(int_value=rng.randrange(10**6))))
    return bytes(request.SerializeToString())


def framed(body: bytes, port: int) -> bytes:
    """The bytes of a whole HTTP request."""
    head = f"POST /v1/logs HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/x-protobuf\r\n"
    return f"{head}Content-Length: {len(body)}\r\n\r\n".encode() + body


def _status(connection: socket.socket) -> int:
    """Read one answer whole, and say its status."""
    received = b""
    while b"\r\n\r\n" not in received:
        piece = connection.recv(65_536)
        if not piece:
            return 0
        received += piece
    head, _, rest = received.partition(b"\r\n\r\n")
    length = 0
    for line in head.split(b"\r\n")[1:]:
        name, _, value = line.partition(b":")
        if name.strip().lower() == b"content-length":
            length = int(value)
    while len(rest) < length:
        rest += connection.recv(65_536)
    return int(head.split(b" ", 2)[1])


def send(port: int, requests: Sequence[bytes], *, seconds: float, connections: int, requests_per_s: float) -> Sent:
    """Send for so long over so many connections; a rate of 0 means as fast as answers come."""
    latencies: list[float] = []
    taken: list[int] = []
    refused: list[int] = []
    begin = time.perf_counter()

    def work(number: int) -> None:
        with socket.create_connection(("127.0.0.1", port), timeout=ANSWER_SECONDS_MAX) as connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            turn = number
            while (now := time.perf_counter()) - begin < seconds:
                if requests_per_s:
                    due = begin + turn / requests_per_s
                    if due > now:
                        time.sleep(due - now)
                started = time.perf_counter()
                connection.sendall(requests[turn % len(requests)])
                status = _status(connection)
                latencies.append((time.perf_counter() - started) * 1e3)
                (taken if status == 200 else refused).append(1)
                turn += connections

    threads = [threading.Thread(target=work, args=(number,)) for number in range(connections)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    elapsed = time.perf_counter() - begin
    return Sent(len(taken) * RECORDS_PER_REQUEST, elapsed, len(refused), tuple(latencies))


def main() -> None:
    """Run as a process: port, seconds, connections and rate come as JSON, the figures go out as JSON."""
    asked = json.loads(sys.argv[1])
    port = int(asked["port"])
    requests = [framed(request_bytes(seed), port) for seed in range(REQUESTS_MADE)]
    sent = send(
        port,
        requests,
        seconds=asked["seconds"],
        connections=asked["connections"],
        requests_per_s=asked["requests_per_s"],
    )
    ordered = sorted(sent.latencies_ms)
    figures = {
        "records": sent.records,
        "seconds": sent.seconds,
        "refused": sent.refused,
        "p50_ms": ordered[len(ordered) // 2],
        "p99_ms": ordered[int(len(ordered) * 0.99)],
    }
    print(json.dumps(figures))


if __name__ == "__main__":
    main()
