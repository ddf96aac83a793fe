"""One series, point by point: what each view sees, and what is news."""

from __future__ import annotations

import math
from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from hindcast.detect.series.bank import Bank, View
from hindcast.detect.series.news import News, NewsSettings
from hindcast.detect.series.score import surprise_of
from hindcast.detect.series.season import SLOT_SECONDS, Season
from hindcast.detect.series.watcher import Score, Watcher
from hindcast.model.errors import Malformed

START = datetime(2026, 3, 2, tzinfo=UTC)
ROW = np.zeros(1, dtype=np.intp)
DAY = 86_400


def noise(count: int, seed: int = 1) -> list[float]:
    """Values around 100 with a spread of 5."""
    return [float(value) for value in 100 + 5 * np.random.default_rng(seed).standard_normal(count)]


def watch(values: list[float], *, minutes: int = 5, watcher: Watcher | None = None) -> list[Score]:
    """A series with a point every few minutes."""
    watcher = watcher or Watcher()
    return [watcher.score(START + timedelta(minutes=minutes * at), value) for at, value in enumerate(values)]


def at(second: int) -> np.ndarray:
    """A time as the bank wants it."""
    return np.array([second], dtype=np.int64)


def test_a_spike_scores_far_above_noise() -> None:
    """The spike has the highest score of the series, says why, and lies outside what is usual."""
    scores = watch([*noise(500), 300.0])

    assert scores[-1].value > max(score.value for score in scores[:-1])
    assert "spreads above" in scores[-1].why
    assert scores[-1].high < 300.0
    assert scores[-1].expected == pytest.approx(100, abs=1)


def test_nothing_is_said_before_enough_is_known() -> None:
    """The first twenty points score nothing, whatever they are."""
    wild = [float(10**number) for number in range(20)]

    assert [score.value for score in watch(wild)] == [0.0] * 20


def test_a_repetition_is_no_news_but_still_surprises() -> None:
    """The second of two equal spikes is as unusual as the first; only the first is worth telling."""
    scores = watch([*noise(500), 300.0, *noise(10, seed=2), 300.0])

    assert scores[500].value > 0.5
    assert scores[-1].value == 0.0
    assert scores[-1].surprise > 2.0


def test_a_worse_repetition_is_news() -> None:
    """Something that stands out much further than what was just told is told."""
    news = News(size=1)
    first = news.weigh(ROW, np.array([10.0]))[1]
    same = news.weigh(ROW, np.array([10.0]))[1]
    worse = news.weigh(ROW, np.array([25.0]))[1]

    assert first[0] == 10.0
    assert same[0] == 0.0
    assert worse[0] > 20.0


def test_a_series_that_cries_often_has_to_cry_louder() -> None:
    """The same distance weighs less after many cries, and as much as ever after a long calm."""
    settings = NewsSettings()
    news = News(settings, size=1)
    for _ in range(10):
        news.weigh(ROW, np.array([20.0]))
        for _ in range(4 * settings.told_half_life_points):
            news.weigh(ROW, np.array([0.0]))
    hoarse = news.weigh(ROW, np.array([20.0]))[0][0]
    for _ in range(12 * settings.cries_half_life_points):
        news.weigh(ROW, np.array([0.0]))
    rested = news.weigh(ROW, np.array([20.0]))[0][0]

    assert hoarse < 15.0
    assert rested == pytest.approx(20.0, rel=0.01)


def test_a_small_shift_is_seen_by_its_mean() -> None:
    """A shift of two spreads stands out at no point; the drift view sees it within an hour and a half."""
    bank = Bank(size=1)
    values = [*noise(1000), *(value + 10 for value in noise(40, seed=5))]
    judged = [bank.judge(ROW, at(300 * number), np.array([value])) for number, value in enumerate(values)]

    # The ordinary noise before it also reaches four spreads at some point; the drift never does.
    before = max(abs(one.views[0, View.DRIFT]) for one in judged[200:1000])
    after = max(one.views[0, View.DRIFT] for one in judged[1000:1018])
    assert after > 1.5 * before


def test_more_noise_is_seen_as_roughness() -> None:
    """A spread that grows fivefold around the same mean is far away in the rough view, upwards."""
    bank = Bank(size=1)
    values = [*noise(1000), *(100 + 5 * (value - 100) for value in noise(20, seed=5))]
    judged = [bank.judge(ROW, at(300 * number), np.array([value])) for number, value in enumerate(values)]

    assert max(one.views[0, View.ROUGH] for one in judged[1000:]) > 4.0


def test_an_ordinary_value_at_the_wrong_time_of_day_is_seen_by_the_season() -> None:
    """Noon's value at midnight is within the usual range, but not at that time of the day."""
    bank = Bank(size=1)
    rng = np.random.default_rng(4)

    def daily(second: int) -> float:
        return 100 + 50 * math.sin(2 * math.pi * second / DAY) + float(rng.standard_normal())

    for second in range(0, 5 * DAY, 300):
        bank.judge(ROW, at(second), np.array([daily(second)]))
    judged = [bank.judge(ROW, at(5 * DAY + 300 * number), np.array([150.0])) for number in range(3)]

    assert abs(judged[-1].views[0, View.LEVEL]) < 2
    assert judged[-1].views[0, View.SEASON] > 5


def test_a_season_remembers_a_week_and_no_longer() -> None:
    """A slot answers a day and a week later; what was replaced or never seen answers with nothing."""
    season = Season(1)
    season.add(ROW, at(0), np.array([2.0]))
    season.add(ROW, at(SLOT_SECONDS - 1), np.array([4.0]))

    assert season.before(ROW, at(DAY), days=1)[0] == 3.0
    assert season.before(ROW, at(7 * DAY), days=7)[0] == 3.0
    assert math.isnan(season.before(ROW, at(DAY + SLOT_SECONDS), days=1)[0])
    season.add(ROW, at(7 * DAY), np.array([9.0]))
    assert math.isnan(season.before(ROW, at(7 * DAY), days=7)[0])
    assert season.before(ROW, at(14 * DAY), days=7)[0] == 9.0


def test_a_gap_is_no_value_and_teaches_nothing() -> None:
    """Points that are no number leave the next score as it would have been without them."""
    plain, gappy = Watcher(), Watcher()
    for number, value in enumerate(noise(100)):
        plain.score(START + timedelta(minutes=number), value)
        gappy.score(START + timedelta(minutes=number), value)
        assert gappy.score(START + timedelta(minutes=number, seconds=30), math.nan).value == 0.0
    later = START + timedelta(minutes=200)

    assert plain.score(later, 130.0) == gappy.score(later, 130.0)


def test_a_longer_distance_never_surprises_less() -> None:
    """Surprise grows with distance from nothing at all."""
    surprises = [surprise_of(distance) for distance in (0.0, 1.0, 5.0, 20.0, 60.0)]

    assert surprises[0] == 0.0
    assert surprises == sorted(surprises)


def test_points_out_of_order_are_refused() -> None:
    """An earlier point than the last names the field and says what to do."""
    watcher = Watcher()
    watcher.score(START, 1.0)

    with pytest.raises(Malformed, match="order") as refused:
        watcher.score(START - timedelta(seconds=1), 1.0)
    assert refused.value.field == "at"


def test_a_time_without_a_timezone_is_refused() -> None:
    """A naive time could belong to any hour of the day."""
    with pytest.raises(Malformed, match="timezone"):
        Watcher().score(datetime(2026, 3, 2), 1.0)  # noqa: DTZ001


def test_growing_keeps_what_is_known() -> None:
    """A bank that makes room judges its old series as if nothing had happened."""
    small, grown = Bank(size=1), Bank(size=1)
    for number, value in enumerate(noise(100)):
        small.judge(ROW, at(60 * number), np.array([value]))
        grown.judge(ROW, at(60 * number), np.array([value]))
    grown.grow(50)
    one, other = (bank.judge(ROW, at(6000), np.array([140.0])) for bank in (small, grown))

    assert grown.size == 50
    assert one.distance[0] == other.distance[0] > 0


def test_a_forgotten_row_starts_from_nothing() -> None:
    """A row that is given to another series knows nothing of the first."""
    used, new = Bank(size=1), Bank(size=1)
    for number, value in enumerate(noise(300)):
        used.judge(ROW, at(60 * number), np.array([value]))
    used.forget(ROW)
    for number, value in enumerate(noise(100, seed=9)):
        one, other = (bank.judge(ROW, at(60 * number), np.array([value])) for bank in (used, new))
        assert one.distance[0] == other.distance[0]
