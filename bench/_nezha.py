"""Faults injected into TrainTicket: how many are noticed, at how many false alarms in an hour.

The data set has minute metrics of every pod and of the entrance for the whole day, so alarms in healthy hours can be
counted. Its logs and traces are recorded only around the faults: whoever uses them is told when to look, and nothing is
left to raise a false alarm on. They are therefore left out here.

A fault is noticed when an alarm falls between its injection and 5 minutes later: 3 minutes are recorded as faulty, and
2 are given to notice. Every other minute of the day is healthy; an alarm in it is a false alarm minute. The curve is
read where false alarms are at most 2 in an hour: the threshold is found with hindsight, for us as for the comparison.

Most healthy minutes of the day are calmer than the hours in which faults were injected, which flatters whatever grows
with load. So the same figure is also given for those busy hours alone.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
import polars as pl
import pyarrow as pa
from numpy.typing import NDArray

from hindcast.detect.anomaly import Anomalies
from hindcast.model.finding import Finding

WINDOW_SECONDS = 5 * 60
FALSE_PER_HOUR_MAX = 2.0
STEP_SECONDS = 60
_SPACE = "train"
_TEXT_COLUMNS = ("Time", "TimeStamp", "PodName", "ServiceName")
_PEER_POINTS = 120


@dataclass(frozen=True, slots=True)
class Day:
    """The gauges of a day as they were sampled, and the moments of injection."""

    # service, name, second, value
    gauges: pl.DataFrame
    injected: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Noticed:
    """What a way of looking at a day notices."""

    recall: float
    false_per_hour: float
    threshold: float


@dataclass(frozen=True, slots=True)
class Told:
    """What the product's findings about single gauges say in the same day."""

    noticed: float
    opened_per_healthy_hour: float
    series: int


def load(folder: Path) -> list[Day]:
    """Every recorded day below the folder."""
    return [_day(metrics.parent) for metrics in sorted(folder.glob("*/pod_metrics.parquet"))]


def _day(folder: Path) -> Day:
    faults = [
        fault
        for path in sorted(folder.glob("*fault_list.json"))
        for hour in json.loads(path.read_text()).values()
        for fault in hour
    ]
    frames = [_long(pl.read_parquet(folder / "pod_metrics.parquet"), service="PodName")]
    for path in sorted(folder.glob("front_service.csv")):
        with path.open(newline="") as file:
            header, *lines = list(csv.reader(file))
        frames.append(_long(pl.DataFrame(lines, schema=header, orient="row"), service="ServiceName"))
    # The fault list has a broken timestamp beside a time that is right.
    times = [datetime.fromisoformat(fault["inject_time"]).replace(tzinfo=UTC) for fault in faults]
    return Day(pl.concat(frames).sort("second"), tuple(int(time.timestamp()) for time in times))


def _long(table: pl.DataFrame, *, service: str) -> pl.DataFrame:
    names = [name for name in table.columns if name not in _TEXT_COLUMNS]
    return (
        table.select(
            pl.col(service).alias("service"),
            pl.col("TimeStamp").cast(pl.Int64).alias("second"),
            *(pl.col(name).cast(pl.Float64, strict=False) for name in names),
        )
        .unpivot(index=["service", "second"], variable_name="name", value_name="value")
        .filter(pl.col("value").is_finite())
        .select("service", "name", "second", "value")
    )


def minutes(day: Day) -> Iterator[tuple[int, pa.Table]]:
    """The day minute by minute: when its samples were all there, and the table the store would hand over."""
    stepped = day.gauges.with_columns((pl.col("second") // STEP_SECONDS).alias("minute"))
    for (minute,), part in sorted(stepped.partition_by("minute", as_dict=True).items()):
        known_at = int(part["second"].max())  # type: ignore[arg-type]
        yield (
            known_at,
            pa.table(
                {
                    "space": pa.array([_SPACE] * len(part), pa.string()),
                    "service": pa.array(part["service"].to_list(), pa.string()),
                    "name": pa.array(part["name"].to_list(), pa.string()),
                    "step": pa.array([int(minute) * STEP_SECONDS] * len(part), pa.int64()).cast(
                        pa.timestamp("s", tz="UTC")
                    ),
                    "value": pa.array(part["value"].to_list(), pa.float64()),
                }
            ),
        )


def watch(day: Day) -> tuple[NDArray[np.int64], NDArray[np.float64], list[tuple[int, tuple[Finding, ...]]]]:
    """Run the product's own door over a day: the seconds, the breadth at each, and the findings told."""
    anomalies = Anomalies()
    seconds, breadth, told = [], [], []
    for known_at, table in minutes(day):
        # A minute is complete when the next one has begun; its samples were all taken by `known_at`.
        end = (known_at // STEP_SECONDS + 1) * STEP_SECONDS
        told.append((known_at, anomalies.tick(table, now=datetime.fromtimestamp(end, UTC))))
        seconds.append(known_at)
        breadth.append(anomalies.breadth(_SPACE))
    return np.array(seconds), np.array(breadth), told


def robust_z(day: Day) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """What everybody tries first, to compare with: the largest robust z-score of any gauge over the last two hours."""
    wide = day.gauges.with_columns((pl.col("second") // STEP_SECONDS).alias("minute"))
    seconds = wide.group_by("minute").agg(pl.col("second").max()).sort("minute")["second"].to_numpy()
    pivot = wide.pivot(on=["service", "name"], index="minute", values="value", aggregate_function="last")
    values = pivot.sort("minute").drop("minute").to_numpy()
    strongest = np.zeros(len(values))
    with np.errstate(all="ignore"):
        for at in range(5, len(values)):
            past = values[max(0, at - _PEER_POINTS) : at]
            seen = np.isfinite(past).sum(axis=0) >= 5
            middle = np.nanmedian(past[:, seen], axis=0)
            spread = 1.4826 * np.nanmedian(np.abs(past[:, seen] - middle), axis=0)
            z = np.abs(values[at, seen] - middle) / (spread + 0.001 * np.abs(middle) + 1e-9)
            strongest[at] = np.nan_to_num(z, posinf=0.0).max(initial=0.0)
    return seconds, strongest


def curve(seconds: NDArray[np.int64], strength: NDArray[np.float64], injected: tuple[int, ...]) -> Noticed:
    """The recall at the lowest threshold that keeps false alarm minutes within the limit."""
    within = np.zeros(len(seconds), dtype=bool)
    for moment in injected:
        within |= (seconds >= moment) & (seconds <= moment + WINDOW_SECONDS)
    hours = float((~within).sum()) * STEP_SECONDS / 3600
    healthy = np.sort(strength[~within])[::-1]
    allowed = math.floor(FALSE_PER_HOUR_MAX * hours)
    threshold = float(healthy[allowed]) if allowed < len(healthy) else -1.0
    alarms = strength > threshold
    noticed = [bool(alarms[(seconds >= at) & (seconds <= at + WINDOW_SECONDS)].any()) for at in injected]
    assert hours > 0, "a day without a healthy minute cannot be judged"
    return Noticed(float(np.mean(noticed)), float((alarms & ~within).sum()) / hours, threshold)


def busy(
    seconds: NDArray[np.int64], strength: NDArray[np.float64], injected: tuple[int, ...]
) -> tuple[NDArray[np.int64], NDArray[np.float64]]:
    """Only what lies between the first injection and the end of the last one's window."""
    wanted = (seconds >= min(injected)) & (seconds <= max(injected) + WINDOW_SECONDS)
    return seconds[wanted], strength[wanted]


def findings(told: list[tuple[int, tuple[Finding, ...]]], injected: tuple[int, ...]) -> Told:
    """How findings about single gauges do, at the product's default settings."""
    opened: dict[tuple[str, str, datetime], int] = {}
    for second, some in told:
        for finding in some:
            opened.setdefault((finding.service, finding.metric, finding.onset_at), second)
    moments = np.array(sorted(opened.values()), dtype=np.int64)
    seconds = np.array([second for second, _ in told])
    within = np.zeros(len(seconds), dtype=bool)
    for at in injected:
        within |= (seconds >= at) & (seconds <= at + WINDOW_SECONDS)
    healthy = set(seconds[~within].tolist())
    noticed = [bool(((moments >= at) & (moments <= at + WINDOW_SECONDS)).any()) for at in injected]
    false = sum(1 for moment in moments.tolist() if moment in healthy)
    hours = len(healthy) * STEP_SECONDS / 3600
    return Told(float(np.mean(noticed)), false / hours, len({key[:2] for key in opened}))
