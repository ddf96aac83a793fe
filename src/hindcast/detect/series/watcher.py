"""One series, watched point by point."""

from __future__ import annotations

import math
from dataclasses import dataclass
from datetime import datetime

import numpy as np

from hindcast.detect.series.bank import Bank, BankSettings
from hindcast.detect.series.news import News, NewsSettings
from hindcast.detect.series.score import score_of, sentence, surprise_of
from hindcast.model.errors import Malformed

_ROW = np.zeros(1, dtype=np.intp)
# How many spreads around the usual value are still usual.
_USUAL_SPREADS = 3.0


@dataclass(frozen=True, slots=True)
class Score:
    """What one value means for its series."""

    # 0 to 1: how much it is news. A repetition of what was just told is none.
    value: float
    # The negative decimal logarithm of how often a healthy series is that far from itself, news or not.
    surprise: float
    expected: float
    low: float
    high: float
    # A sentence; empty while the value is usual.
    why: str


class Watcher:
    """The state of one series. The same points in the same order give the same scores."""

    def __init__(self, bank: BankSettings | None = None, news: NewsSettings | None = None) -> None:
        self._bank = Bank(bank, size=1)
        self._news = News(news, size=1)
        self._last_at: datetime | None = None

    def score(self, at: datetime, value: float) -> Score:
        """Judge a value by what came before it, then learn it. What is no number is a gap: nothing is learnt."""
        if at.tzinfo is None or at.utcoffset() is None:
            raise Malformed(f"{at} has no timezone.", field="at", remedy="Add one, for example datetime.now(UTC).")
        if self._last_at is not None and at < self._last_at:
            raise Malformed(
                f"{at} is before the point at {self._last_at}.", field="at", remedy="Hand points over in order of time."
            )
        self._last_at = at
        if not math.isfinite(value):
            return Score(0.0, 0.0, math.nan, math.nan, math.nan, "no value")
        seconds = np.array([int(at.timestamp())], dtype=np.int64)
        judged = self._bank.judge(_ROW, seconds, np.array([value], dtype=np.float64))
        weighed, fresh = self._news.weigh(_ROW, judged.distance)
        expected, spread = float(judged.expected[0]), float(judged.spread[0])
        unusual = float(weighed[0]) > self._news.settings.cry_distance_min
        return Score(
            value=float(score_of(fresh)[0]),
            surprise=surprise_of(float(judged.distance[0])),
            expected=expected,
            low=expected - _USUAL_SPREADS * spread,
            high=expected + _USUAL_SPREADS * spread,
            why=sentence(value, expected, spread, judged.views[0]) if unusual else "",
        )
