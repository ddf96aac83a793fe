"""The Numenta anomaly benchmark, scored as its authors score it.

A file has windows around its labelled anomalies. The first detection within a window earns up to 1, the earlier the
more (a scaled sigmoid over the window's length); a window without any costs 1; every detection outside costs up to
0.11, less when it comes shortly after a window. The first 15 % of a file (of at most 5,000 points) are not scored. One
threshold serves all files, the best for the sum; the sum is scaled so that a detector that is always silent has 0 and
a perfect one 100.
"""

from __future__ import annotations

import csv
import json
import math
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from hindcast.detect.series.bank import Bank
from hindcast.detect.series.news import News, NewsSettings
from hindcast.detect.series.score import score_of

Floats = NDArray[np.float64]

_PROBATION_SHARE = 0.15
_PROBATION_POINTS = 5_000
# Positions further behind a window than three times its length all cost the same.
_FAR = 3.0
_GAUSS_POINTS = 6_400
_GAUSS_STEP = 100


@dataclass(frozen=True, slots=True)
class Weights:
    """What a profile pays for a found window, and takes for a missed one and for a false detection."""

    found: float
    missed: float
    false: float


@dataclass(frozen=True, slots=True)
class Series:
    """One file: times in seconds, values, and the first and last position of each window."""

    name: str
    seconds: NDArray[np.int64]
    values: Floats
    windows: tuple[tuple[int, int], ...]

    @property
    def probation(self) -> int:
        """How many points at the start are not scored."""
        return min(math.floor(_PROBATION_SHARE * len(self.values)), int(_PROBATION_SHARE * _PROBATION_POINTS))


@dataclass(frozen=True, slots=True)
class Result:
    """The scaled sum at a threshold, with what it is made of."""

    score: float
    threshold: float
    found: int
    windows: int
    false: int


def load(folder: Path) -> tuple[list[Series], Weights]:
    """Every file that has a line in windows.json, and the standard profile."""
    costs = json.loads((folder / "profiles.json").read_text())["standard"]["CostMatrix"]
    labelled = json.loads((folder / "windows.json").read_text())
    series = [_read(folder / "data" / name, name, windows) for name, windows in labelled.items()]
    return series, Weights(costs["tpWeight"], costs["fnWeight"], costs["fpWeight"])


def _read(path: Path, name: str, windows: list[list[str]]) -> Series:
    with path.open(newline="") as file:
        lines = list(csv.reader(file))[1:]
    seconds = np.array([_seconds(line[0]) for line in lines], dtype=np.int64)
    bounds = [[int(np.flatnonzero(seconds == _seconds(edge))[0]) for edge in window] for window in windows]
    values = np.array([float(line[1]) for line in lines])
    return Series(name, seconds, values, tuple((first, last) for first, last in bounds))


def _seconds(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp())


def _sigmoid(position: Floats) -> Floats:
    return np.where(position > _FAR, -1.0, 2.0 / (1.0 + np.exp(5.0 * np.minimum(position, _FAR))) - 1.0)


def worth(series: Series, weights: Weights) -> tuple[Floats, NDArray[np.int64]]:
    """What a detection at each point is worth, and the window it belongs to (-1: none)."""
    points = np.arange(len(series.values))
    value = np.full(len(points), -weights.false)
    window = np.full(len(points), -1)
    best = float(_sigmoid(np.array(-1.0)))
    for number, (first, last) in enumerate(series.windows):
        width = last - first + 1
        inside = slice(first, last + 1)
        window[inside] = number
        value[inside] = weights.found * _sigmoid(-(last - points[inside] + 1) / width) / best
        until = series.windows[number + 1][0] if number + 1 < len(series.windows) else len(points)
        after = slice(last + 1, until)
        value[after] = weights.false * _sigmoid((points[after] - last) / (width - 1))
    return value, window


class Scorer:
    """Scores a detector's output over all files at once."""

    def __init__(self, series: Sequence[Series], weights: Weights) -> None:
        self._weights = weights
        self._kept = [np.arange(len(one.values)) >= one.probation for one in series]
        values, windows, before = [], [], 0
        for one, kept in zip(series, self._kept, strict=True):
            value, window = worth(one, weights)
            values.append(value[kept])
            windows.append(np.where(window >= 0, window + before, -1)[kept])
            before += len(one.windows)
        self._value = np.concatenate(values)
        self._window = np.concatenate(windows)
        self._windows = before

    def best(self, scores: Sequence[Floats]) -> Result:
        """The score at the threshold that suits all files best."""
        flat = self._flat(scores)
        order = np.argsort(-flat, kind="stable")
        sorted_scores, gain = flat[order], self._gains(order)
        total = np.cumsum(gain)
        # Equal scores cross the threshold together.
        last = np.append(sorted_scores[1:] != sorted_scores[:-1], True)
        at = int(np.argmax(np.where(last, total, -np.inf)))
        return self.at(scores, float(sorted_scores[at]) if total[at] > 0 else math.inf)

    def at(self, scores: Sequence[Floats], threshold: float) -> Result:
        """The score at a given threshold."""
        detected = self._flat(scores) >= threshold
        order = np.flatnonzero(detected)
        perfect = self._windows * (self._weights.found + self._weights.missed)
        return Result(
            score=100.0 * float(self._gains(order).sum()) / perfect,
            threshold=threshold,
            found=len(set(self._window[order].tolist()) - {-1}),
            windows=self._windows,
            false=int((self._window[order] < 0).sum()),
        )

    def _flat(self, scores: Sequence[Floats]) -> Floats:
        return np.concatenate([score[kept] for score, kept in zip(scores, self._kept, strict=True)])

    def _gains(self, order: NDArray[np.intp]) -> Floats:
        """By how much each further detection, in this order, changes the sum of a silent detector."""
        value, window = self._value[order], self._window[order]
        gain = np.where(window < 0, value, 0.0)
        for number in range(self._windows):
            inside = np.flatnonzero(window == number)
            reached = np.maximum.accumulate(value[inside])
            gain[inside] = np.diff(reached, prepend=-self._weights.missed)
        return gain


def hindcast_scores(series: Sequence[Series]) -> list[Floats]:
    """Our detector, streaming: all files side by side, each point judged by the points before it."""
    bank, news = Bank(size=len(series)), News(size=len(series))
    lengths = np.array([len(one.values) for one in series])
    scores = [np.zeros(length) for length in lengths]
    for point in range(int(lengths.max())):
        rows = np.flatnonzero(lengths > point)
        seconds = np.array([series[row].seconds[point] for row in rows.tolist()])
        values = np.array([series[row].values[point] for row in rows.tolist()])
        _, fresh = news.weigh(rows, bank.judge(rows, seconds, values).distance)
        for row, score in zip(rows, score_of(fresh), strict=True):
            scores[row][point] = score
    return scores


def default_threshold() -> float:
    """The score from which the product itself speaks of something unusual."""
    return float(score_of(np.array(NewsSettings().cry_distance_min)))


def perfect_scores(series: Sequence[Series]) -> list[Floats]:
    """Detections at the first point of each window and nowhere else, to check the scorer."""
    scores = [np.zeros(len(one.values)) for one in series]
    for one, score in zip(series, scores, strict=True):
        score[[first for first, _ in one.windows]] = 1.0
    return scores


def gaussian_scores(series: Sequence[Series]) -> list[Floats]:
    """The benchmark's own simplest detector, to check the scorer: the tail of a bell curve over a sliding window."""
    return [_gaussian(one.values) for one in series]


def _gaussian(values: Floats) -> Floats:
    scores = np.zeros(len(values))
    mean, spread = 0.0, 1.0
    begin = 0
    for point, value in enumerate(values):
        if point:
            scores[point] = 1.0 - 0.5 * math.erfc(abs(value - mean) / spread / 1.4142)
        if point < _GAUSS_POINTS:
            seen = values[: point + 1]
        elif (point + 1 - _GAUSS_POINTS) % _GAUSS_STEP == 0:
            begin += _GAUSS_STEP
            seen = values[begin : begin + _GAUSS_POINTS]
        else:
            continue
        mean, spread = float(seen.mean()), float(seen.std()) or 0.000001
    return scores
