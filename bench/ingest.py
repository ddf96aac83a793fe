"""Ingest against the engine: OTLP over HTTP from another process, beside chDB alone with the same rows ready-made.

Everything is included: decoding, redaction, templates, fingerprints, counts by second, and the wait for the disk.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from rich.console import Console
from rich.table import Table
from tests.serving import serving

from bench._load import RECORDS_PER_REQUEST, request_bytes

SECONDS = 20
WARM_UP_SECONDS = 5
CONNECTIONS = 16
# The rate at half of which a request's time is measured.
RATE_MIN = 40_000
ENGINE_ROUNDS = 12
ROWS_PER_INSERT = 20_000


def load(port: int, *, seconds: float, requests_per_s: float = 0, connections: int = CONNECTIONS) -> dict[str, float]:
    """Let another process send for so long."""
    asked = {"port": port, "seconds": seconds, "connections": connections, "requests_per_s": requests_per_s}
    command = [sys.executable, "-m", "bench._load", json.dumps(asked)]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    figures: dict[str, float] = json.loads(done.stdout)
    return figures


def engine_alone(folder: Path) -> float:
    """Rows a second that chDB takes of the same rows, ready-made, with the same settings for durability."""
    done = subprocess.run(
        [sys.executable, "-m", "bench.ingest", "engine", str(folder)], check=True, capture_output=True, text=True
    )
    return float(done.stdout.splitlines()[-1])


def _engine(folder: Path) -> float:
    from hindcast.adapters.clock import WallClock
    from hindcast.adapters.telemetry_clickhouse import open_telemetry
    from hindcast.ingest import otlp
    from hindcast.ingest.fingerprint.columns import Fingerprinter
    from hindcast.ingest.redact import Redactor
    from hindcast.ingest.template import Miner
    from hindcast.model.ingest_limits import IngestLimits
    from hindcast.pipeline import Preparation, Stages

    prepare = Preparation(Stages(Redactor(), Miner(), Fingerprinter()), WallClock())
    requests = ROWS_PER_INSERT // RECORDS_PER_REQUEST
    rounds = [
        prepare(
            [
                ("local", otlp.parse("logs", request_bytes(turn * requests + at), IngestLimits()))
                for at in range(requests)
            ]
        )
        for turn in range(ENGINE_ROUNDS)
    ]
    telemetry = open_telemetry(f"chdb://{folder}")
    telemetry.write(rounds[0])
    begin = time.perf_counter()
    for batches in rounds[1:]:
        telemetry.write(batches)
    seconds = time.perf_counter() - begin
    telemetry.close()
    return (ENGINE_ROUNDS - 1) * ROWS_PER_INSERT / seconds


def main() -> None:
    """Measure, and print a table and one line."""
    console = Console(width=100)
    with tempfile.TemporaryDirectory(prefix="hindcast-bench-") as name:
        folder = Path(name)
        before = engine_alone(folder / "engine")
        with serving(folder) as running:
            load(running.port, seconds=WARM_UP_SECONDS)
            half_rate = RATE_MIN / 2 / RECORDS_PER_REQUEST
            half = load(running.port, seconds=SECONDS, requests_per_s=half_rate)
            full = load(running.port, seconds=SECONDS)
            kept = running.get("/api/v1/status")["counts"]["logs"]
        after = engine_alone(folder / "engine-again")
    engine = (before + after) / 2
    rate = full["records"] / full["seconds"]
    table = Table(
        "figure", "value", "limit", title="OTLP protobuf logs, batches of 1,000, over HTTP from another process"
    )
    table.add_row("records a second", f"{rate:,.0f}", "≥ 40,000")
    table.add_row("chDB alone, the same rows ready-made", f"{engine:,.0f}", "")
    table.add_row("share of chDB alone", f"{rate / engine:.2f}", "≥ 0.20")
    table.add_row("request at full speed, p50 / p99", f"{full['p50_ms']:.0f} / {full['p99_ms']:.0f} ms", "")
    half_name = f"request at {RATE_MIN // 2:,} records a second, p50 / p99"
    table.add_row(half_name, f"{half['p50_ms']:.0f} / {half['p99_ms']:.0f} ms", "p99 ≤ 250 ms")
    table.add_row("reached at that rate", f"{half['records'] / half['seconds']:,.0f}", "")
    table.add_row("refused", f"{full['refused'] + half['refused']:.0f} requests", "")
    table.add_row("taken in all", f"{kept:,} records", "")
    console.print(table)
    print(f"ingest: records_per_s={rate:.0f} vs_chdb={rate / engine:.2f} p99_ms={half['p99_ms']:.0f}")


if __name__ == "__main__":
    if sys.argv[1:2] == ["engine"]:
        print(_engine(Path(sys.argv[2])))
    else:
        main()
