"""What is usual for each service: its level, its time of day, its traffic and how much it varies.

Minutes are learnt once they have settled, all services at once. Minutes of trouble are not learnt, unless trouble goes
on so long that it is what is usual now.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from hindcast.detect.counts import Bools, Ints
from hindcast.detect.tail import Floats, surprise

# The level follows within an hour or two: slower than any outage is noticed, faster than a day turns.
LEVEL_HALF_LIFE_MINUTES = 60
# How a service varies is its character, and changes slowly.
VARIATION_HALF_LIFE_MINUTES = 24 * 60
QUIRK_HALF_LIFE_MINUTES = 7 * 24 * 60
# What is assumed of a service nobody knows: the rate of its errors wanders by half (a variance of 0.25) from minute to
# minute and by more from one ten seconds to the next. The assumption weighs as much as an hour of watching.
VARIATION_PRIOR = 0.25
VARIATION_PRIOR_SLOT = 0.5
VARIATION_PRIOR_MINUTES = 60
VARIATION_MIN = 0.02
VARIATION_MAX = 10.0
# One minute can say only so much about the next thousand.
VARIATION_SAID_MAX = 100.0
# Errors a minute below which no level is believed.
LEVEL_MIN = 0.05
# More traffic explains more errors, up to this many times the usual.
TRAFFIC_MAX = 10.0
# A time of day is believed after that many minutes in it, and remembers about five days.
PROFILE_MINUTES_MIN = 30
PROFILE_MINUTES_MAX = 300
PROFILE_CELLS = 48
SLOTS = 6

# A minute that is this surprising and this many times the usual is trouble, noticed or not, and not learnt.
UNLEARNT_SURPRISE = 8.0
UNLEARNT_RATIO = 4.0


@dataclass(frozen=True, slots=True)
class Minutes:
    """Counts of one minute, or of a longer step as the mean minute of it, one for each service."""

    # Minutes since 1970.
    minute: int
    errors: Floats
    lines: Floats
    # Errors in each ten seconds, where the counts are that fine.
    slots: Floats | None = None
    # How many minutes this mean stands for.
    weight: int = 1


class Baselines:
    """The usual of every service, as arrays with one row for each."""

    def __init__(self) -> None:
        self.known: Floats = np.zeros(0)
        self.level: Floats = np.zeros(0)
        self.traffic: Floats = np.zeros(0)
        # Sums of squared surprise and of the minutes they come from, by minutes and by slots of ten seconds.
        self.varied: Floats = np.zeros((0, 3))
        # The largest surprise that was no trouble, fading slowly: some services are like that now and then.
        self.quirk: Floats = np.zeros(0)
        # Share of minutes with any line, fading within hours; and the longest pause between lines, fading within a day.
        self.active: Floats = np.zeros(0)
        self.pause: Floats = np.zeros(0)
        self.profile: Floats = np.zeros((0, PROFILE_CELLS, 3))
        self.unlearnt: Floats = np.zeros(0)

    PARTS = ("known", "level", "traffic", "varied", "quirk", "active", "pause", "profile", "unlearnt")

    def fit(self, rows: int) -> None:
        """Make room for services that are new."""
        missing = rows - len(self.known)
        if missing > 0:
            for part in self.PARTS:
                old = getattr(self, part)
                setattr(self, part, np.concatenate([old, np.zeros((missing, *old.shape[1:]))]))

    def drop(self, keep: Bools) -> None:
        """Forget every service that is not to be kept."""
        for part in self.PARTS:
            setattr(self, part, getattr(self, part)[keep])

    def usual(self, at: float) -> tuple[Floats, Floats]:
        """Errors and harmless lines a minute that are usual at a time (seconds since 1970)."""
        by_time, lines_by_time = self._by_time(at)
        errors = np.maximum(np.maximum(self.level, LEVEL_MIN), by_time)
        return errors, np.maximum(np.maximum(self.traffic, lines_by_time), 1.0)

    def expected_lines(self, at: float) -> Floats:
        """Lines a minute that are usual at a time; the lower one where level and time of day disagree."""
        _, by_time = self._by_time(at)
        known = self.profile[:, _cell(at), 2] >= PROFILE_MINUTES_MIN
        found: Floats = np.where(known, np.minimum(self.traffic, by_time), self.traffic)
        return found

    def variation(self, seconds: int) -> Floats:
        """How much the rate of errors wanders in windows of that length, what is not known well included."""
        column, prior = (1, VARIATION_PRIOR_SLOT) if seconds < 60 else (0, VARIATION_PRIOR)
        said, minutes = self.varied[:, column], self.varied[:, 2]
        learnt = (said + prior * VARIATION_PRIOR_MINUTES) / (minutes + VARIATION_PRIOR_MINUTES)
        # The level is itself an estimate from so many errors.
        seen = self.level * np.minimum(self.known, 1.44 * LEVEL_HALF_LIFE_MINUTES)
        found: Floats = np.clip(learnt, VARIATION_MIN, VARIATION_MAX) + 1 / (seen + 1)
        return found

    def learn(self, counts: Minutes, *, watched: Bools, trouble: Bools, adapt_minutes: int) -> None:
        """Take in one settled minute of the services that are watched, leaving out those in trouble."""
        usual, lines = self.usual(counts.minute * 60 + 30)
        mean = usual * busier(counts.lines - counts.errors, lines)
        odd = np.zeros(len(mean))
        look = watched & (counts.errors >= 5) & (counts.errors > 2 * mean) & (self.known > 0)
        if look.any():
            odd[look] = surprise(counts.errors[look], mean[look], self.variation(60)[look])
        strange = (odd >= UNLEARNT_SURPRISE) & (counts.errors >= UNLEARNT_RATIO * mean)
        left_out = watched & (trouble | strange)
        self.unlearnt = np.where(left_out, self.unlearnt + counts.weight, np.where(watched, 0.0, self.unlearnt))
        take = watched & (~left_out | (self.unlearnt > adapt_minutes))
        if not take.any():
            return
        self._learn_variation(counts, mean, take)
        self.quirk = np.where(
            take, np.maximum(self.quirk * _fade(QUIRK_HALF_LIFE_MINUTES, counts.weight), odd), self.quirk
        )
        self._learn_level(counts, take)

    def accept(self, rows: Ints, errors_per_minute: Floats) -> None:
        """Somebody said that this is no trouble: it is what is usual from now on."""
        self.level[rows] = np.maximum(self.level[rows], errors_per_minute)
        self.known[rows] = np.maximum(self.known[rows], 60)

    def _learn_level(self, counts: Minutes, take: Bools) -> None:
        weight = counts.weight
        pace = np.maximum(weight / (self.known + weight), 1 - _fade(LEVEL_HALF_LIFE_MINUTES, weight)) * take
        self.level += pace * (counts.errors - self.level)
        calm = counts.lines - counts.errors
        self.traffic += pace * (calm - self.traffic)
        self.active += pace * ((counts.lines > 0) - self.active)
        cell = self.profile[:, _cell(counts.minute * 60)]
        cell_pace = weight / (np.minimum(cell[:, 2], PROFILE_MINUTES_MAX) + weight) * take
        cell[:, 0] += cell_pace * (counts.errors - cell[:, 0])
        cell[:, 1] += cell_pace * (calm - cell[:, 1])
        cell[:, 2] += weight * take
        self.known += weight * take

    def _learn_variation(self, counts: Minutes, mean: Floats, take: Bools) -> None:
        if counts.weight > 1:
            # The mean of many minutes hides how they differed.
            return
        take = take & (self.known >= 5)
        fade = np.where(take, _fade(VARIATION_HALF_LIFE_MINUTES, 1), 1.0)
        by_minute = _said(counts.errors, mean)
        by_slot = by_minute if counts.slots is None else _said(counts.slots, mean[:, None] / SLOTS).mean(axis=1)
        self.varied *= fade[:, None]
        self.varied[:, 0] += by_minute * take
        self.varied[:, 1] += by_slot * take
        self.varied[:, 2] += take

    def _by_time(self, at: float) -> tuple[Floats, Floats]:
        """Errors and harmless lines a minute at a time of day, between the middles of two hours; 0 where unknown."""
        here, there, share = (
            _cell(at),
            _cell(at + 3600 if at % 3600 >= 1800 else at - 3600),
            abs(at % 3600 / 3600 - 0.5),
        )
        one, other = self.profile[:, here], self.profile[:, there]
        is_known = one[:, 2] >= PROFILE_MINUTES_MIN
        both = is_known & (other[:, 2] >= PROFILE_MINUTES_MIN)
        share_of_other = np.where(both, share, 0.0)
        errors = one[:, 0] * (1 - share_of_other) + other[:, 0] * share_of_other
        lines = one[:, 1] * (1 - share_of_other) + other[:, 1] * share_of_other
        return np.where(is_known, errors, 0.0), np.where(is_known, lines, 0.0)


def busier(lines: Floats, usual: Floats) -> Floats:
    """How many times the usual traffic there is, as far as that explains more errors; never less than 1."""
    found: Floats = np.clip(lines / usual, 1.0, TRAFFIC_MAX)
    return found


def _said(count: Floats, mean: Floats) -> Floats:
    """How much more a count varies than chance alone would have it, in squares of its mean."""
    excess = ((count - mean) ** 2 - mean) / np.maximum(mean, 1.0) ** 2
    found: Floats = np.minimum(excess, VARIATION_SAID_MAX)
    return found


def _fade(half_life: float, minutes: float) -> float:
    return math.exp2(-minutes / half_life)


def _cell(at: float) -> int:
    """The hour of a working day or of a weekend, in UTC."""
    hour = int(at // 3600)
    # 1 January 1970 was a Thursday.
    weekend = (hour // 24 + 3) % 7 >= 5
    return hour % 24 + (24 if weekend else 0)
