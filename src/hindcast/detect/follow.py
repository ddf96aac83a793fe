"""Following trouble: does it go on, since when is it over, how much of it was there, and is it still the same bout."""

from __future__ import annotations

import numpy as np

from hindcast.detect.cascade import PAUSE_SECONDS
from hindcast.detect.counts import Counts, Ints
from hindcast.detect.onset import end
from hindcast.detect.spike import STILL_SECONDS, STRANGER_SHARE_MIN, Spikes
from hindcast.detect.tail import Floats
from hindcast.detect.trouble import ONSET_SETTLES_SECONDS, Trouble, Troubles, heard_at, onset_of, rows_of

# So many errors more than usual are trouble that went on unwatched, and not the noise after it.
UNWATCHED_ERRORS_MIN = 10
# A service that usually speaks and says less than this share of it has not recovered: nobody knows.
LINES_SHARE_MIN = 0.1
# What is taken as usual in a stranger, as a share of its lines. It may vary so much that ten times of it, half of what
# makes a stranger's errors trouble, are just odd enough for trouble to go on: so it does not come and go.
STRANGER_USUAL_SHARE = STRANGER_SHARE_MIN / 20
# A pause is one if so many errors would have come in it, had the trouble gone on as it was: chance leaves out ten of
# them once in twenty thousand times.
PAUSE_ERRORS_MIN = 10


def follow(troubles: Troubles, counts: Counts, spikes: Spikes, lines_usual: Floats, *, window_seconds: int) -> None:
    """Look at everything in trouble again."""
    for trouble in troubles.by_name.values():
        if trouble.is_silent:
            _follow_silence(trouble, counts)
    loud = [one for one in troubles.by_name.values() if not one.is_silent and one.name in counts.rows]
    if loud:
        rows = np.array([counts.rows[one.name] for one in loud])
        lines = counts.lines[rows, -STILL_SECONDS:].mean(axis=1)
        usual = [
            STRANGER_USUAL_SHARE * rate if one.is_stranger else one.usual
            for one, rate in zip(loud, lines.tolist(), strict=True)
        ]
        odd, _ = spikes.still(rows, np.array(usual))
        for trouble, row, sureness in zip(loud, rows.tolist(), odd.tolist(), strict=True):
            _follow_errors(trouble, row, sureness, counts, float(lines_usual[row]))
            _note_peak(trouble, counts.errors[row, -window_seconds:], float(spikes.usual[row]))
    troubles.unmute(counts, spikes)


def _follow_silence(trouble: Trouble, counts: Counts) -> None:
    rows = rows_of(counts, trouble.name)
    heard = heard_at(counts, rows)
    if heard < trouble.silent_since:
        trouble.last = counts.end
    elif not trouble.is_over:
        # The silence lasted until the first line.
        trouble.is_over = True
        spoke = counts.lines[rows, counts.column(trouble.silent_since) :].any(axis=0)
        first = max(trouble.silent_since, counts.end - counts.seconds + 1) + int(spoke.argmax())
        trouble.last = min(first if spoke.any() else heard, counts.end) - 1


def _follow_errors(trouble: Trouble, row: int, odd: float, counts: Counts, lines_usual: float) -> None:
    settles = trouble.before is None or trouble.bout_from
    if not trouble.is_over and settles and counts.end - trouble.noticed <= ONSET_SETTLES_SECONDS:
        trouble.onset = min(onset_of(counts, row, trouble.usual, since=trouble.bout_from), trouble.noticed)
    if trouble.onset > counts.end - counts.seconds:
        trouble.errors_before = counts.errors_until(row, trouble.onset - 1)
    heard = int(counts.lines[row, -60:].sum()) >= LINES_SHARE_MIN * lines_usual
    if odd > 0:
        # Only the last minute: of trouble that comes in waves, the end of the newest wave counts.
        since = max(trouble.onset, counts.end - STILL_SECONDS + 1)
        until = since + end(counts.errors[row, counts.column(since) :], trouble.usual) - 1
        _part_bouts(trouble, row, until, counts)
        trouble.is_over = False
        trouble.last = max(trouble.last, until)
        trouble.surprise = max(trouble.surprise, odd)
    elif heard:
        if not trouble.is_over:
            _catch_up(trouble, row, counts)
        trouble.is_over = True
    elif not trouble.is_over:
        trouble.last = counts.end
    if trouble.last > counts.end - counts.seconds:
        # Errors after the last of it are noise; counting ends where the trouble does.
        before = trouble.errors_before + trouble.errors_elsewhere
        trouble.errors = max(counts.errors_until(row, trouble.last) - before, 0)


def _part_bouts(trouble: Trouble, row: int, until: int, counts: Counts) -> None:
    """Begin another bout if trouble that goes on until now had paused for longer than its errors ever did."""
    first = trouble.last + 1
    if until - first < PAUSE_SECONDS or first <= counts.end - counts.seconds:
        return
    began = onset_of(counts, row, trouble.usual, since=first)
    rate = trouble.errors / max(trouble.last - trouble.onset + 1, 1)
    if PAUSE_SECONDS <= began - first < counts.end - first and rate * (began - first) >= PAUSE_ERRORS_MIN:
        trouble.resume(began, now=counts.end)
        trouble.errors_before = counts.errors_until(row, began - 1)


def _catch_up(trouble: Trouble, row: int, counts: Counts) -> None:
    """Find the last of it after time that nobody watched: a restart, or ticks that were lost."""
    since = max(trouble.last + 1, counts.end - counts.seconds + 1)
    rest = counts.errors[row, counts.column(since) :]
    lines = float(counts.lines[row, counts.column(since) :].sum())
    usual = STRANGER_SHARE_MIN * lines if trouble.is_stranger else 2 * trouble.usual * len(rest)
    if rest.sum() >= usual + UNWATCHED_ERRORS_MIN:
        trouble.last = max(trouble.last, since + end(rest, trouble.usual) - 1)


def _note_peak(trouble: Trouble, errors: Ints, usual: float) -> None:
    count = int(errors.sum())
    if count > trouble.peak:
        trouble.peak = count
        trouble.usual_in_window = (usual if trouble.is_known else trouble.usual) * len(errors)
