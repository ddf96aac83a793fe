"""Feeds the live stream with what passes by: lines as they become durable, and rates once a second.

A thread of its own, asleep while nobody listens. Lines come from the intake, so the store is not asked for them; rates
are read once a second for everybody. Each set of conditions on lines is looked at once, whoever shares it.
"""

from __future__ import annotations

import logging
import threading
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from hindcast.app import App
from hindcast.model.columns import Batch
from hindcast.model.errors import HindcastError
from hindcast.model.signal import Level
from hindcast.rest.listening import Tail
from hindcast.rest.live import Live

LOG = logging.getLogger("hindcast")

# Four times a second reads as at once, and leaves room for batches.
LINES_EVERY_SECONDS = 0.25
RATES_EVERY_SECONDS = 1.0
# Eight hundred a second: a page folds repeats, so that it shows more than anybody could read. The others are counted.
LINES_PER_EVENT_MAX = 200
LINE_CHARS_MAX = 2_000
# What arrives faster than it can be looked at is counted and not kept.
ROWS_WAITING_MAX = 100_000
# Senders gather for a while, so the last few seconds are told again with what came for them since.
RATE_SECONDS = 5
# Beyond so many, the quietest services are told as one number.
SERVICES_MAX = 200
_SHOWN = ("time", "service", "level", "trace", "template", "fingerprint", "message", "stack")


class Feed:
    """Runs from start to stop."""

    def __init__(self, app: App, live: Live) -> None:
        self._app = app
        self._live = live
        self._turn = threading.Lock()
        self._waiting: list[Batch] = []
        self._rows = 0
        # Lines that were not even looked at, by space.
        self._unseen: Counter[str] = Counter()
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="live-feed", daemon=True)

    def start(self) -> None:
        """Begin to feed whoever listens."""
        self._thread.start()

    def stop(self) -> None:
        """Feed no more."""
        self._stopping.set()
        self._live.is_fed_on.set()
        self._thread.join()

    def heard(self, batches: Sequence[Batch]) -> None:
        """Lines have become durable. Called by whoever writes them, and therefore done at once."""
        tails = self._live.tails
        if not tails:
            return
        spaces = {space for space, _ in tails}
        with self._turn:
            for batch in batches:
                if batch.logs is None or batch.space not in spaces:
                    continue
                if self._rows + batch.logs.num_rows > ROWS_WAITING_MAX and self._waiting:
                    self._unseen[batch.space] += batch.logs.num_rows
                else:
                    self._waiting.append(batch)
                    self._rows += batch.logs.num_rows

    def _run(self) -> None:
        rates_due = 0.0
        while not self._stopping.is_set():
            self._live.is_fed_on.wait()
            if self._stopping.wait(LINES_EVERY_SECONDS):
                return
            try:
                self.tell_lines()
                if time.monotonic() >= rates_due:
                    rates_due = time.monotonic() + RATES_EVERY_SECONDS
                    self.tell_rates()
            # The store may be away for a while; what passes by meanwhile is not told.
            except HindcastError as error:
                self._app.counts["live_unfed"] += 1
                LOG.info("The live stream could not be fed: %s", error)
            # The face of the product: one odd batch must not end it for everybody.
            except Exception as error:
                self._app.counts["live_unfed"] += 1
                LOG.warning("The live stream could not be fed: %s", error, exc_info=error)

    def tell_lines(self) -> None:
        """Tell every tail what came for it since the last time."""
        with self._turn:
            batches, self._waiting, self._rows = self._waiting, [], 0
            unseen, self._unseen = self._unseen, Counter()
        tails = sorted(self._live.tails, key=lambda one: one[0])
        for space in {space for space, _ in tails}:
            tables = [batch.logs.select(_SHOWN) for batch in batches if batch.space == space and batch.logs is not None]
            if not tables and not unseen[space]:
                continue
            lines = pa.concat_tables(tables) if tables else None
            for _, tail in (one for one in tails if one[0] == space):
                told = _told_lines(lines, tail, unseen[space])
                if told is not None:
                    self._live.pass_by(space, "line", told, tail)

    def tell_rates(self) -> None:
        """Tell the counts of the last seconds, by service; one question to the store, however many listen."""
        spaces = self._live.rated
        if not spaces:
            return
        until = self._app.now().replace(microsecond=0) + timedelta(seconds=1)
        since = until - timedelta(seconds=RATE_SECONDS)
        only = next(iter(spaces)) if len(spaces) == 1 else None
        counts = self._app.telemetry.rates(since, until, space=only)
        by_space: dict[str, Counter[tuple[str, str, str]]] = {space: Counter() for space in spaces}
        for row in counts.to_pylist():
            if row["space"] in by_space:
                second = row["second"].isoformat()
                by_space[row["space"]][second, row["service"], _band(row["level"])] += row["count"]
        seconds = [(since + timedelta(seconds=place)).isoformat() for place in range(RATE_SECONDS)]
        for space, found in by_space.items():
            self._live.pass_by(space, "rates", _told_rates(seconds, found))


def _band(level: int) -> str:
    if level >= Level.ERROR:
        return "errors"
    return "warnings" if level >= Level.WARN else "others"


def _told_rates(seconds: Sequence[str], found: Mapping[tuple[str, str, str], int]) -> dict[str, Any]:
    """Counts by service, one number for each of the seconds."""
    places = {second: place for place, second in enumerate(seconds)}
    services: dict[str, dict[str, list[int]]] = {}
    for (second, service, band), count in found.items():
        if second in places:
            empty = {name: [0] * len(seconds) for name in ("errors", "warnings", "others")}
            services.setdefault(service, empty)[band][places[second]] += int(count)
    by_size = sorted(services, key=lambda name: (-sum(map(sum, services[name].values())), name))
    return {
        "seconds": list(seconds),
        "services": {name: services[name] for name in sorted(by_size[:SERVICES_MAX])},
        "services_left_out": max(0, len(by_size) - SERVICES_MAX),
    }


def matching(lines: pa.Table, tail: Tail) -> NDArray[np.int64]:
    """The places of the lines that satisfy every condition. Rows are not moved: of most of them nothing is shown."""
    wanted = np.ones(lines.num_rows, np.bool_)
    for condition in _conditions(lines, tail):
        wanted &= condition.to_numpy()
    return np.flatnonzero(wanted)


def _conditions(lines: pa.Table, tail: Tail) -> Iterator[pa.ChunkedArray]:
    if tail.level_min:
        yield pc.greater_equal(lines["level"], tail.level_min)
    if tail.services:
        yield pc.is_in(lines["service"], pa.array(tail.services, pa.string()))
    if tail.template:
        yield pc.equal(lines["template"], pa.scalar(tail.template, pa.uint64()))
    for word in tail.words:
        found = [pc.match_substring(lines[column], word, ignore_case=True) for column in ("message", "stack")]
        yield pc.or_(*found)


def _told_lines(lines: pa.Table | None, tail: Tail, unseen: int) -> dict[str, Any] | None:
    """An event with lines, evenly taken where there are too many; nothing when there is nothing to say."""
    found = matching(lines, tail) if lines is not None else np.arange(0)
    matched = len(found)
    if not matched and not unseen:
        return None
    if matched > LINES_PER_EVENT_MAX:
        found = found[np.linspace(0, matched - 1, LINES_PER_EVENT_MAX).astype(np.int64)]
    shown = [_line(row) for row in lines.take(found).to_pylist()] if lines is not None else []
    return {"lines": shown, "matched": matched, "dropped": matched - len(shown), "unseen": unseen}


def _line(row: Mapping[str, Any]) -> dict[str, Any]:
    message = row["message"]
    return {
        "time": row["time"].isoformat(),
        "service": row["service"],
        "level": row["level"],
        "message": message[:LINE_CHARS_MAX],
        "is_cut": len(message) > LINE_CHARS_MAX,
        "has_stack": bool(row["stack"]),
        "trace": row["trace"],
        # Numbers of 64 bits do not survive JavaScript; as text they do.
        "template": str(row["template"]),
        "fingerprint": str(row["fingerprint"]),
    }
