"""More errors than there should be: the fixed rule, the adaptive rule, and whether trouble is still going on."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hindcast.detect.baseline import Baselines, busier
from hindcast.detect.counts import Counts, Ints
from hindcast.detect.onset import onset
from hindcast.detect.rules import Rules
from hindcast.detect.tail import Floats, surprise
from hindcast.model.finding import Rule

SLOT_SECONDS = 10
# Errors that came all at once are clearest in a short window, those of a slow trouble in a long one.
SHORT_WINDOWS_SECONDS = (10, 30, 60)
ADAPTIVE_WINDOWS_SECONDS = (60, 120)
# Counts may arrive late, so windows that ended a little earlier are looked at again.
LOOK_BACK_SECONDS = 30

# The fixed rule in a service whose usual is known: its count has to be unlike that usual. In the whole window little is
# asked, since the count has already passed the line; a shorter one has more chances to look odd.
FIXED_SURPRISE_MIN = 4.0
FIXED_RATIO_MIN = 4.0
FIXED_SHORT_SURPRISE_MIN = 8.0
FIXED_SHORT_RATIO_MIN = 10.0
# A noisy service passes the line often. Below that ratio it has to be high throughout, and by this much.
FIXED_STEADY_RATIO_MIN = 2.5

# A service nobody knows yet: its errors are trouble if they are this share of its lines, or began suddenly.
STRANGER_SHARE_MIN = 0.05
STRANGER_SECONDS_MIN = 10
# After the first few minutes at least its level is known.
STRANGER_MINUTES_MIN = 3

# Trouble is not over while a minute is still this odd.
STILL_SURPRISE_MIN = 3.0
STILL_RATIO_MIN = 1.5
STILL_EXCESS_MIN = 3.0
STILL_SECONDS = 60


@dataclass(frozen=True, slots=True)
class Elevation:
    """One service above its usual: by which rule, in which window, with what numbers."""

    row: int
    rule: Rule
    window_seconds: int
    count: int
    # Usual in such a window.
    expected: float
    limit: float
    surprise: float
    # Whether the usual was known, or taken from the seconds before.
    known: bool = True


class Spikes:
    """A look at all services at one moment."""

    def __init__(self, counts: Counts, spent: Ints, baselines: Baselines, rules: Rules, *, since_seconds: int) -> None:
        self._counts = counts
        self._baselines = baselines
        self._rules = rules
        self._errors = _unspent(counts, spent)
        self._sums = np.concatenate([np.zeros((len(spent), 1), dtype=np.int64), self._errors.cumsum(axis=1)], axis=1)
        calm = counts.lines - counts.errors
        self._calm_sums = np.concatenate([np.zeros((len(spent), 1), dtype=np.int64), calm.cumsum(axis=1)], axis=1)
        # A second, as errors that are usual on ordinary traffic, and as harmless lines that are ordinary traffic.
        self._usual, self._traffic = (per_minute / 60 for per_minute in baselines.usual(counts.end))
        # Errors a second that are usual with the traffic of the last minute.
        self.usual: Floats = self._expected(60, 0) / 60
        self._known = baselines.known >= rules.known_minutes_min
        self._back = min(max(since_seconds, LOOK_BACK_SECONDS), 120)

    def fixed(self) -> list[Elevation]:
        """Services past the fixed rule's line, and past what is usual for them."""
        rules = self._rules
        found: dict[int, Elevation] = {}
        literal = {
            row: rules.services[name[1]]
            for row, name in enumerate(self._counts.names)
            if rules.services and name[1] in rules.services
        }
        for row, own in literal.items():
            counts, ago = self._highest(own.window_seconds)
            if counts[row] >= own.errors_min and not own.ignored:
                found[row] = self._elevation(row, own.window_seconds, int(counts[row]), int(ago[row]), own.errors_min)
        for window in (rules.window_seconds, *(w for w in SHORT_WINDOWS_SECONDS if w < rules.window_seconds)):
            counts, ago = self._highest(window)
            for row in np.flatnonzero(counts >= rules.errors_min).tolist():
                if row in found or row in literal:
                    continue
                one = self._elevation(row, window, int(counts[row]), int(ago[row]), rules.errors_min)
                if not rules.knows_usual or (self._is_unusual(one) if one.known else self._is_strange(one)):
                    found[row] = one
        return list(found.values())

    def adaptive(self) -> list[Elevation]:
        """Services whose errors their own noise does not explain."""
        rules = self._rules
        if not rules.adaptive:
            return []
        found: dict[int, Elevation] = {}
        bar = np.maximum(rules.surprise_min, 1.25 * self._baselines.quirk + 1)
        for window in ADAPTIVE_WINDOWS_SECONDS:
            counts = (self._sums[:, -1] - self._sums[:, -1 - window]).astype(np.float64)
            mean = self._expected(window, 0)
            high = self._known & (counts >= rules.ratio_min * mean) & (counts - mean >= rules.excess_min)
            rows = np.flatnonzero(high)
            if not len(rows):
                continue
            odd = surprise(counts[rows], mean[rows], self._baselines.variation(window)[rows])
            for row, sureness in zip(rows.tolist(), odd.tolist(), strict=True):
                own = rules.services.get(self._counts.names[row][1])
                if sureness < bar[row] or not self._is_steady(row, window, 2.0) or (own and own.ignored):
                    continue
                if row not in found or sureness > found[row].surprise:
                    usual = float(mean[row])
                    limit = max(rules.ratio_min * usual, usual + rules.excess_min)
                    found[row] = Elevation(row, Rule.ADAPTIVE, window, int(counts[row]), usual, limit, sureness)
        return list(found.values())

    def still(self, rows: Ints, usual: Floats) -> tuple[Floats, Floats]:
        """For services in trouble: the surprise of the last minute, 0 where it is back to normal, and its count."""
        count = self._counts.errors[rows, -STILL_SECONDS:].sum(axis=1).astype(np.float64)
        mean = np.maximum(self.usual[rows] * self._known[rows], usual) * STILL_SECONDS
        odd = surprise(count, mean, self._baselines.variation(STILL_SECONDS)[rows])
        goes_on = (odd >= STILL_SURPRISE_MIN) & (count >= STILL_RATIO_MIN * mean) & (count - mean >= STILL_EXCESS_MIN)
        return np.where(goes_on, odd, 0.0), count

    def _highest(self, window: int) -> tuple[Ints, Ints]:
        """The largest count of any window of that length that ended within the look back, and how long ago it did."""
        back = max(1, min(self._back, self._counts.seconds - window))
        width = self._sums.shape[1]
        inside = self._sums[:, width - back :] - self._sums[:, width - back - window : width - window]
        # Of equal ones the newest.
        ago: Ints = inside[:, ::-1].argmax(axis=1)
        return inside[:, ::-1].max(axis=1), ago

    def _expected(self, window: int, ago: int | Ints) -> Floats:
        """Errors that are usual in a window that ended so long ago, with the traffic that there was in it."""
        rows = np.arange(len(self._usual))
        end = self._calm_sums.shape[1] - 1 - ago
        calm = (self._calm_sums[rows, end] - self._calm_sums[rows, end - window]) / window
        found: Floats = self._usual * busier(calm, self._traffic) * window
        return found

    def _elevation(self, row: int, window: int, count: int, ago: int, limit: int) -> Elevation:
        known = bool(self._known[row])
        end = self._calm_sums.shape[1] - 1 - ago
        calm = (self._calm_sums[row, end] - self._calm_sums[row, end - window]) / window
        more = busier(np.array([calm]), self._traffic[row : row + 1])[0]
        mean = float(self._usual[row] * more * window)
        odd = 0.0
        if known:
            variation = self._baselines.variation(window)[row : row + 1]
            odd = float(surprise(np.array([float(count)]), np.array([mean]), variation)[0])
        return Elevation(row, Rule.FIXED, window, count, mean, limit, odd, known)

    def _is_unusual(self, one: Elevation) -> bool:
        rules = self._rules
        whole = one.window_seconds == rules.window_seconds
        ratio, odd = (
            (FIXED_RATIO_MIN, FIXED_SURPRISE_MIN) if whole else (FIXED_SHORT_RATIO_MIN, FIXED_SHORT_SURPRISE_MIN)
        )
        if one.count >= ratio * one.expected:
            return one.surprise >= odd
        return (
            whole
            and one.count >= FIXED_STEADY_RATIO_MIN * one.expected
            and one.surprise >= max(rules.surprise_min, 1.25 * self._baselines.quirk[one.row] + 1)
            and self._is_steady(one.row, one.window_seconds, 1.5)
        )

    def _is_strange(self, one: Elevation) -> bool:
        """Errors of a service nobody knows yet: many among its lines, or begun while it was already being watched."""
        row, counts = one.row, self._counts
        if self._baselines.known[row] >= STRANGER_MINUTES_MIN and one.count < FIXED_STEADY_RATIO_MIN * one.expected:
            return False
        window = min(one.window_seconds + self._back, counts.seconds)
        lines = int(counts.lines[row, -window:].sum())
        if one.count >= STRANGER_SHARE_MIN * lines:
            return True
        first = max(int(counts.first_line[row]), counts.end - counts.seconds + 1)
        column = counts.column(first)
        began = onset(counts.errors[row, column:], 0.0)
        before = counts.errors[row, column : column + began]
        after = counts.errors[row, column + began :]
        if len(before) < STRANGER_SECONDS_MIN:
            return False
        rate_before = (before.sum() + 1) / len(before)
        odd = surprise(
            np.array([float(after.sum())]), np.array([rate_before * len(after)]), np.array([VARIATION_OF_A_STRANGER])
        )
        return bool(odd[0] >= self._rules.surprise_min and after.mean() >= self._rules.ratio_min * rate_before)

    def _is_steady(self, row: int, window: int, times: float) -> bool:
        """Whether errors are high in most of a window's slots: a single clump is no trouble that lasts."""
        slots = self._errors[row, -(window - window % SLOT_SECONDS) :].reshape(-1, SLOT_SECONDS).sum(axis=1)
        high = int((slots >= max(2.0, times * self.usual[row] * SLOT_SECONDS)).sum())
        return high >= max(3, -(-2 * len(slots) // 3))


# Before anything is known of a service, its rate may wander as much as it is itself.
VARIATION_OF_A_STRANGER = 0.5


def _unspent(counts: Counts, spent: Ints) -> Ints:
    """The errors that have not been told of yet: those after the trouble that is already over."""
    rows = np.flatnonzero(spent > counts.end - counts.seconds)
    if not len(rows):
        return counts.errors
    errors = counts.errors.copy()
    for row in rows:
        errors[row, : counts.column(int(spent[row]) + 1)] = 0
    return errors
