"""From the record that crosses the line to the event on the live stream, while 20,000 others arrive each second."""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from pathlib import Path

import httpx
from opentelemetry.proto.collector.logs.v1.logs_service_pb2 import ExportLogsServiceRequest
from opentelemetry.proto.common.v1.common_pb2 import AnyValue, KeyValue
from tests.serving import Serving, serving

from bench._load import RECORDS_PER_REQUEST

RECORDS_PER_S = 20_000
PROBES = 40
ERRORS_PER_PROBE = 120
PROBE_EVERY_SECONDS = 1.3
SETTLE_SECONDS = 5
WAIT_SECONDS_MAX = 20


def burst(service: str) -> bytes:
    """Errors of one service, all at once: more than the fixed rule allows in two minutes."""
    request = ExportLogsServiceRequest()
    resource = request.resource_logs.add()
    resource.resource.attributes.append(KeyValue(key="service.name", value=AnyValue(string_value=service)))
    scope = resource.scope_logs.add()
    for number in range(ERRORS_PER_PROBE):
        record = scope.log_records.add(time_unix_nano=time.time_ns(), severity_number=17)
        record.body.string_value = f"could not acquire connection {number}: pool exhausted"
    return bytes(request.SerializeToString())


class Listener:
    """Hears the live stream, and notes when each service was first named."""

    def __init__(self, running: Serving) -> None:
        self.named: dict[str, float] = {}
        self._url = f"{running.url}/api/v1/live?kinds=incident"
        self._headers = running.proof
        threading.Thread(target=self._listen, daemon=True).start()

    def _listen(self) -> None:
        with (
            # The stream ends when the server does.
            suppress(httpx.HTTPError),
            httpx.stream("GET", self._url, headers=self._headers, timeout=None, trust_env=False) as answer,  # noqa: S113
        ):
            for line in answer.iter_lines():
                if line.startswith("data: "):
                    heard = time.perf_counter()
                    for affected in json.loads(line[6:]).get("incident", {}).get("affected", ()):
                        self.named.setdefault(affected["service"], heard)


def latencies() -> list[float]:
    """Seconds from sending a burst to hearing its service named, for each probe."""
    with tempfile.TemporaryDirectory(prefix="hindcast-bench-") as name, serving(Path(name)) as running:
        listener = Listener(running)
        seconds = SETTLE_SECONDS + PROBES * PROBE_EVERY_SECONDS + WAIT_SECONDS_MAX
        asked = {
            "port": running.port,
            "seconds": seconds,
            "connections": 8,
            "requests_per_s": RECORDS_PER_S / RECORDS_PER_REQUEST,
        }
        sender = subprocess.Popen([sys.executable, "-m", "bench._load", json.dumps(asked)], stdout=subprocess.DEVNULL)
        try:
            time.sleep(SETTLE_SECONDS)
            sent: dict[str, float] = {}
            with running.client() as client:
                for number in range(PROBES):
                    service = f"probe-{number}"
                    body = burst(service)
                    sent[service] = time.perf_counter()
                    client.post("/v1/logs", content=body, headers={"Content-Type": "application/x-protobuf"})
                    time.sleep(PROBE_EVERY_SECONDS)
            deadline = time.perf_counter() + WAIT_SECONDS_MAX
            while sent.keys() - listener.named.keys() and time.perf_counter() < deadline:
                time.sleep(0.1)
        finally:
            sender.terminate()
            sender.wait()
    return [listener.named.get(service, float("inf")) - begin for service, begin in sent.items()]


def latency_p99_s() -> float:
    """The 99th percentile over all probes: with forty of them, the slowest."""
    return sorted(latencies())[int(PROBES * 0.99)]


if __name__ == "__main__":
    found = sorted(latencies())
    print(f"live: p50={found[len(found) // 2]:.2f} s, slowest={found[-1]:.2f} s of {len(found)} probes")
