"""How well trouble is noticed: single gauges, a recorded day of faults, made-up days of counts, and the time it takes.

`make bench NAME=detect` prints tables and, as its last line, the figures that are promised. The public data sets are
read from `../shared/data` beside the project, or from where HINDCAST_DATA says; what is absent is left out and its
figure is `nan`. `BENCH_ARGS=--quick` makes fewer days up.
"""

from __future__ import annotations

import argparse
import importlib
import importlib.util
import math
import os
import time
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import pyarrow as pa
from rich.console import Console
from rich.table import Table

from bench import _nab, _nezha
from hindcast.detect.anomaly import Anomalies

_ROOT = Path(__file__).resolve().parent.parent
_SERIES = 1_000
_TICKS = 300


def data_folder() -> Path:
    """Where the public data sets are."""
    return Path(os.environ.get("HINDCAST_DATA") or _ROOT.parent / "shared" / "data")


def nab(console: Console, folder: Path) -> float:
    """The first table: the NAB score, and the detectors that prove the scorer right."""
    if not (folder / "windows.json").exists():
        console.print(f"NAB is not at {folder}: left out. Set HINDCAST_DATA to the folder that holds it.")
        return math.nan
    series, weights = _nab.load(folder)
    scorer = _nab.Scorer(series, weights)
    silent = [np.zeros(len(one.values)) for one in series]
    begin = time.perf_counter()
    ours = _nab.hindcast_scores(series)
    taken = time.perf_counter() - begin
    best = scorer.best(ours)
    rows = (
        ("silent", scorer.best(silent)),
        ("perfect", scorer.best(_nab.perfect_scores(series))),
        ("windowed Gaussian", scorer.best(_nab.gaussian_scores(series))),
        ("hindcast, default threshold", scorer.at(ours, _nab.default_threshold())),
        ("hindcast", best),
    )
    points = sum(len(one.values) for one in series)
    title = f"NAB, standard profile: {len(series)} files, {points:,} points in {taken:.1f} s"
    table = Table("detector", "score", "threshold", "windows found", "false points", title=title)
    for name, one in rows:
        table.add_row(name, f"{one.score:.1f}", f"{one.threshold:.4f}", f"{one.found} of {one.windows}", str(one.false))
    console.print(table)
    return best.score


def nezha(console: Console, folder: Path) -> tuple[float, float]:
    """The second table: recall, and false alarm minutes in a healthy hour, of all recorded days together."""
    days = _nezha.load(folder)
    if not days:
        console.print(f"Nezha is not at {folder}: left out. Set HINDCAST_DATA to the folder that holds it.")
        return math.nan, math.nan
    table = Table("way of looking", "recall", "false minutes / h", title="Nezha: injected faults noticed in gauges")
    noticed: list[_nezha.Noticed] = []
    for day in days:
        seconds, breadth, told = _nezha.watch(day)
        peer = _nezha.robust_z(day)
        busy = _nezha.busy(seconds, breadth, day.injected)
        noticed.append(_nezha.curve(seconds, breadth, day.injected))
        rows = (
            ("largest robust z of any gauge", _nezha.curve(*peer, day.injected)),
            ("the same, busy hours only", _nezha.curve(*_nezha.busy(*peer, day.injected), day.injected)),
            ("breadth, busy hours only", _nezha.curve(*busy, day.injected)),
            ("breadth", noticed[-1]),
        )
        for name, one in rows:
            table.add_row(f"{name} ({len(day.injected)} faults)", f"{one.recall:.2f}", f"{one.false_per_hour:.2f}")
        single = _nezha.findings(told, day.injected)
        name = f"findings about single gauges ({single.series} of them), default settings"
        table.add_row(name, f"{single.noticed:.2f}", f"{single.opened_per_healthy_hour:.1f} findings / h")
    console.print(table)
    faults = np.array([len(day.injected) for day in days])
    recall = float(np.average([one.recall for one in noticed], weights=faults))
    return recall, float(np.mean([one.false_per_hour for one in noticed]))


def gauges_tick_ms() -> tuple[float, float]:
    """The median and the 99th percentile of a tick over a thousand gauges, in milliseconds."""
    rng = np.random.default_rng(7)
    anomalies = Anomalies()
    start = int(datetime(2026, 1, 1, tzinfo=UTC).timestamp())
    names = {
        "space": ["bench"] * _SERIES,
        "service": [f"service-{number // 10}" for number in range(_SERIES)],
        "name": [f"gauge-{number % 10}" for number in range(_SERIES)],
    }
    taken = []
    for tick in range(_TICKS):
        step = start + 60 * tick
        steps = pa.array([step] * _SERIES, pa.int64()).cast(pa.timestamp("s", tz="UTC"))
        table = pa.table({**names, "step": steps, "value": 50 + 5 * rng.standard_normal(_SERIES)})
        begin = time.perf_counter()
        anomalies.tick(table, now=datetime.fromtimestamp(step + 60, UTC))
        taken.append((time.perf_counter() - begin) * 1000)
    return float(np.median(taken)), float(np.quantile(taken, 0.99))


def counts(console: Console, *, quick: bool) -> tuple[float, float]:
    """The third table: false alarms and origins over made-up days of counts, and the time of a tick."""
    table = Table("figure", "value", "limit", title="Made-up days of counts, and the time of a tick")
    false_alarms = _part("_detect_rates", "false_alarms")
    alarms, origin = math.nan, math.nan
    if false_alarms is None:
        console.print("bench._detect_rates is not there: counts are left out.")
    else:
        alarms = false_alarms(seeds=2 if quick else 20)
        origin = _call("origin_first", cases=10 if quick else 100)
        table.add_row("false alarms in 24 hours of noise, 20 seeds" if not quick else "2 seeds", f"{alarms:.0f}", "0")
        table.add_row("cascades with their true origin first", f"{origin:.2f}", "≥ 0.90")
        table.add_row("outages named by their service", f"{_call('named', cases=10 if quick else 100):.2f}", "1.00")
        table.add_row("tick, 1,000 services", f"{_call('tick_ms'):.1f} ms", "< 50 ms")
    middle, slow = gauges_tick_ms()
    table.add_row("tick, 1,000 gauges, p50 / p99", f"{middle:.1f} / {slow:.1f} ms", "< 20 ms")
    console.print(table)
    return alarms, origin


def _part(module: str, name: str) -> Callable[..., float] | None:
    """A function of a sister module, if that module is there."""
    if importlib.util.find_spec(f"bench.{module}") is None:
        return None
    found: Callable[..., float] | None = getattr(importlib.import_module(f"bench.{module}"), name, None)
    return found


def _call(name: str, **arguments: int) -> float:
    found = _part("_detect_rates", name)
    return math.nan if found is None else found(**arguments)


def main() -> None:
    """Print every table, then the line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="make fewer days up, to see whether it runs at all")
    quick = parser.parse_args().quick
    console = Console()
    score = nab(console, data_folder() / "nab")
    recall, false_per_h = nezha(console, data_folder() / "nezha_tt")
    alarms, origin = counts(console, quick=quick)
    live = _part("_live", "latency_p99_s")
    latency = math.nan if live is None else live()
    print(
        f"detect: nab={score:.1f} nezha_recall={recall:.2f} nezha_false_per_h={false_per_h:.2f} "
        f"false_alarms={alarms:.0f} origin_first={origin:.2f} latency_p99_s={latency:.2f}"
    )


if __name__ == "__main__":
    main()
