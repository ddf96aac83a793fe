"""Missing data: a steady service that has stopped speaking, and a space from which nothing comes at all."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

import numpy as np

from hindcast.detect.baseline import Baselines
from hindcast.detect.counts import Bools, Counts, Ints
from hindcast.detect.rules import Rules
from hindcast.detect.tail import Floats

# A service is steady if it speaks in nearly every minute, several times.
ACTIVE_MIN = 0.98
LINES_PER_MINUTE_MIN = 6.0
# One whose metrics stop as well need not speak that often.
ACTIVE_WITH_PULSE_MIN = 0.9
# A process that is started anew exports again within this time, however often it does.
PULSE_MISSED_SECONDS_MIN = 20.0
# Lines that were under way when the process stopped.
PULSE_LINES_SECONDS = 2
# Its silence has to outlast the pauses that it is known for by this much.
PAUSES_MIN = 5.0
# The pause that a service is known for fades within days.
PAUSE_FADE_PER_SECOND = 1 - 1 / (3 * 86_400)
# A whole space that pauses this long and then speaks again may be catching up: silence is counted from there on.
SPACE_PAUSE_SECONDS = 30


class Pulse(Protocol):
    """The metric exports of one service, by the time of their arrival."""

    @property
    def space(self) -> str:
        """Its space."""

    @property
    def service(self) -> str:
        """Its service."""

    @property
    def last_at(self) -> datetime:
        """When the last one came."""

    @property
    def interval_seconds(self) -> float | None:
        """The usual time between two; None until enough have come."""


@dataclass(frozen=True, slots=True)
class Silent:
    """A service without a line: since which second, and how many lines a minute would be usual."""

    row: int
    since: int
    lines_per_minute: float


class Silences:
    """Who is silent now. Keeps the pauses that every service and every space is known for."""

    def __init__(self) -> None:
        self._gap: Ints = np.zeros(0, dtype=np.int64)
        self._alive_since: Ints = np.zeros(0, dtype=np.int64)
        self._space_paused: Bools = np.zeros(0, dtype=np.bool_)

    def look(
        self,
        counts: Counts,
        baselines: Baselines,
        rules: Rules,
        *,
        blind: bool,
        passed_seconds: int,
        pulses: Iterable[Pulse] = (),
        in_trouble: Collection[str] = (),
    ) -> tuple[list[Silent], dict[int, int]]:
        """Silent services, and for each space number from which nothing comes the second since when.

        `blind` says that time has passed unwatched, so that no silence can be older than this moment. What pauses in a
        space that is in trouble pauses because of it, and is no habit.
        """
        self._fit(counts)
        spaces = len(self._alive_since)
        heard = np.zeros(spaces, dtype=np.int64)
        np.maximum.at(heard, counts.spaces, counts.last_line)
        paused = counts.end - heard > SPACE_PAUSE_SECONDS
        back = self._space_paused & ~paused
        self._alive_since[back | blind] = counts.end
        self._space_paused = paused
        gap = counts.end - np.maximum(counts.last_line, self._alive_since[counts.spaces])
        usual = baselines.expected_lines(counts.end)
        steady = (
            (baselines.known >= rules.silence_known_minutes_min)
            & (baselines.active >= ACTIVE_MIN)
            & (usual >= LINES_PER_MINUTE_MIN)
        )
        long_enough = (gap >= rules.silence_seconds) & (gap >= PAUSES_MIN * baselines.pause)
        troubled = np.fromiter((space in in_trouble for space, _ in counts.names), np.bool_, len(counts.names))
        self._learn(baselines, gap, (back | blind)[counts.spaces] | troubled, rules, passed_seconds)
        deaf = self._deaf(counts, usual * steady, heard, rules)
        silent = np.flatnonzero(steady & long_enough & ~paused[counts.spaces])
        found = [Silent(int(row), int(counts.last_line[row]) + 1, float(usual[row])) for row in silent]
        known = (baselines.known >= rules.silence_known_minutes_min) & (baselines.active >= ACTIVE_WITH_PULSE_MIN)
        gone = [row for row in _gone(pulses, counts, rules) if known[row] and not blind and row not in silent]
        return [*found, *(Silent(row, int(counts.last_line[row]) + 1, float(usual[row])) for row in gone)], deaf

    def drop(self, keep: Bools) -> None:
        """Forget every service that is not to be kept."""
        self._gap = self._gap[keep] if len(self._gap) == len(keep) else self._gap[:0]

    def _deaf(self, counts: Counts, usual: Floats, heard: Ints, rules: Rules) -> dict[int, int]:
        lines = np.bincount(counts.spaces, weights=usual, minlength=len(heard))
        deaf = (lines >= LINES_PER_MINUTE_MIN) & (counts.end - heard >= rules.silence_seconds)
        deaf &= counts.end - self._alive_since >= rules.silence_seconds
        return {int(space): int(heard[space]) + 1 for space in np.flatnonzero(deaf)}

    def _learn(self, baselines: Baselines, gap: Ints, unheard: Bools, rules: Rules, passed_seconds: int) -> None:
        # A pause is known once it has ended, and only if its space went on speaking. A longer one was a silence.
        ended = (gap < self._gap) & (self._gap < rules.silence_seconds) & ~unheard
        baselines.pause *= PAUSE_FADE_PER_SECOND**passed_seconds
        baselines.pause = np.where(ended, np.maximum(baselines.pause, self._gap), baselines.pause)
        self._gap = gap

    def _fit(self, counts: Counts) -> None:
        missing = len(counts.names) - len(self._gap)
        if missing > 0:
            self._gap = np.append(self._gap, np.zeros(missing, dtype=np.int64))
        spaces = int(counts.spaces.max()) + 1 if len(counts.spaces) else 0
        new = spaces - len(self._alive_since)
        if new > 0:
            self._alive_since = np.append(self._alive_since, np.full(new, counts.end))
            self._space_paused = np.append(self._space_paused, np.zeros(new, dtype=np.bool_))


def _gone(pulses: Iterable[Pulse], counts: Counts, rules: Rules) -> Iterator[int]:
    """The rows of services whose metrics and lines have stopped while the metrics of others in their space go on.

    What is missed is counted up to the last export of any other: where all have stopped, it is their way that has.
    """
    known = tuple(pulses)
    latest: dict[str, datetime] = {}
    for one in known:
        latest[one.space] = max(one.last_at, latest.get(one.space, one.last_at))
    for one in known:
        row = counts.rows.get((one.space, one.service))
        if row is None or not one.interval_seconds:
            continue
        missed_seconds = min(latest[one.space].timestamp(), counts.end) - one.last_at.timestamp()
        if missed_seconds >= max(rules.exports_missed_min * one.interval_seconds, PULSE_MISSED_SECONDS_MIN):
            # It may have written lines until just before the first export that did not come.
            lines_until = one.last_at.timestamp() + one.interval_seconds + PULSE_LINES_SECONDS
            if 0 < counts.last_line[row] <= lines_until:
                yield row
