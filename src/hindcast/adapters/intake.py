"""The queue between the senders and the store: requests that arrive together share one preparation and one write.

A request is acknowledged when its rows are durable, so a write costs one wait for the disk. Two threads take turns: one
prepares the next group while the other writes the last one. What waits is bounded, in all and for each space, so that
neither a slow disk nor one loud tenant can use up the memory or keep the others out.

Every write leaves a part on disk that is merged with others later, which takes more of the processors than writing it.
So small writes keep their distance from each other, unless keeping it has brought nobody else along.
"""

from __future__ import annotations

import threading
import time
from collections import Counter, deque
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from hindcast.model.columns import Batch, Parsed
from hindcast.model.errors import Busy, HindcastError, Unavailable
from hindcast.ports import Telemetry

# Sooner than a second a queue is seldom empty again.
RETRY_AFTER_SECONDS = 1
# One group may be prepared while another is written; a third would only wait in a dearer form.
GROUPS_AHEAD_MAX = 2
# For how long at most nobody waits for company, after it has not come again and again.
ALONE_SECONDS_MAX = 60.0


@dataclass(frozen=True, slots=True)
class IntakeLimits:
    """How much may wait, and how much is written at once."""

    # At 300 bytes each about 150 MB, and a few seconds of work.
    rows_waiting_max: int = 400_000
    # One space may fill half of it.
    rows_per_space_waiting_max: int = 200_000
    # More than this in one write delays everybody in it; less wastes waits for the disk.
    rows_per_write_max: int = 50_000
    # What arrives at the same time is written together.
    gather_ms: int = 20
    # Writes of fewer rows than are worth one are at least so far apart. A sender hardly notices; of ten requests a
    # second it saves half of what they cost.
    apart_ms: int = 240
    rows_worth_writing: int = 3_000


@dataclass(frozen=True, slots=True)
class Arrival:
    """One request's records, on their way."""

    space: str
    parsed: Parsed
    rows: int
    done: Future[None] = field(default_factory=Future)


# Turns what came together into batches, one for each space.
Prepare = Callable[[Sequence[tuple[str, Parsed]]], Sequence[Batch]]


class Intake:
    """Takes requests from many threads; each one's future is done when its rows are durable."""

    def __init__(
        self,
        prepare: Prepare,
        telemetry: Telemetry,
        limits: IntakeLimits | None = None,
        *,
        unwritten: Callable[[Sequence[Batch]], None] = lambda _: None,
        timed: Callable[[], AbstractContextManager[object]] = nullcontext,
    ) -> None:
        """`unwritten` is told of batches that could not be written, before their senders are; `timed` times writing."""
        self._timed = timed
        self._prepare = prepare
        self._unwritten = unwritten
        self._written: Callable[[Sequence[Batch]], None] = lambda _: None
        self._telemetry = telemetry
        self._limits = limits or IntakeLimits()
        self._arrivals: deque[Arrival] = deque()
        self._waiting: Counter[str] = Counter()
        self._groups_ahead = 0
        self._groups_done = 0
        self._refused: tuple[float, HindcastError] | None = None
        self._changed = threading.Condition()
        self._closing = False
        # When the last group was handed on, how often waiting was in vain, and until when it is not tried again.
        self._handed_on = -float("inf")
        self._in_vain = 0
        self._alone_until = -float("inf")
        # Executors keep whatever is raised inside them, so that one bad request ends neither thread.
        self._preparing = ThreadPoolExecutor(1, "intake-prepare")
        self._writing = ThreadPoolExecutor(1, "intake-write")
        self._gathering = threading.Thread(target=self._gather_all, name="intake-gather", daemon=True)
        self._gathering.start()

    @property
    def rows_waiting(self) -> int:
        """How many rows have been taken and are not durable yet."""
        return self._waiting.total()

    @property
    def groups_done(self) -> int:
        """How many groups were written, or given up, since the start: while rows wait, it should go up."""
        return self._groups_done

    @property
    def refused(self) -> tuple[float, HindcastError] | None:
        """When the last write was refused, by the monotonic clock, and why; None: it was not."""
        return self._refused

    def follow(self, written: Callable[[Sequence[Batch]], None]) -> None:
        """Hand every group of batches that has become durable to somebody, who must be quick and must not fail."""
        self._written = written

    def take(self, space: str, parsed: Parsed) -> Future[None]:
        """Queue one request. Raises Busy when too much waits already; nothing of the request is kept then."""
        rows = _rows(parsed)
        arrival = Arrival(space, parsed, rows)
        if not rows:
            arrival.done.set_result(None)
            return arrival.done
        with self._changed:
            if self._closing:
                raise Unavailable("Hindcast is stopping.", remedy="Send it again to the one that starts next.")
            self._check_room(space, rows)
            self._waiting[space] += rows
            self._arrivals.append(arrival)
            self._changed.notify_all()
        return arrival.done

    def _check_room(self, space: str, rows: int) -> None:
        limits = self._limits
        # A single request always fits into an empty queue: it has been read, and its own limit let it through.
        if self._waiting[space] and self._waiting[space] + rows > limits.rows_per_space_waiting_max:
            raise Busy(
                f"{self._waiting[space]} rows of {space!r} wait to be written already.",
                remedy="Send it again a little later; larger and fewer requests are taken faster.",
                retry_after_seconds=RETRY_AFTER_SECONDS,
            )
        if self.rows_waiting and self.rows_waiting + rows > limits.rows_waiting_max:
            raise Busy(
                f"{self.rows_waiting} rows wait to be written already.",
                remedy="Send it again a little later.",
                retry_after_seconds=RETRY_AFTER_SECONDS,
            )

    def _gather_all(self) -> None:
        while group := self._gather():
            self._attempt(group)

    def _gather(self) -> list[Arrival]:
        """What is there, once enough has come or the oldest has waited long enough; nothing when all is over."""
        limits = self._limits
        with self._changed:
            self._changed.wait_for(lambda: self._groups_ahead < GROUPS_AHEAD_MAX and (self._arrivals or self._closing))
            self._changed.wait_for(
                lambda: self._closing or self._rows_arrived() >= limits.rows_per_write_max,
                timeout=limits.gather_ms / 1000,
            )
            self._wait_for_company()
            group: list[Arrival] = []
            rows = 0
            while self._arrivals and (not group or rows + self._arrivals[0].rows <= limits.rows_per_write_max):
                group.append(self._arrivals.popleft())
                rows += group[-1].rows
            self._handed_on = time.monotonic()
        return group

    def _rows_arrived(self) -> int:
        return sum(arrival.rows for arrival in self._arrivals)

    def _wait_for_company(self) -> None:
        """Keep small writes apart. A sender who sends again only when it was answered would wait for itself."""
        now, enough = time.monotonic(), self._limits.rows_worth_writing
        seconds = self._handed_on + self._limits.apart_ms / 1000 - now
        if seconds <= 0 or now < self._alone_until or self._rows_arrived() >= enough:
            return
        before = len(self._arrivals)
        self._changed.wait_for(lambda: self._closing or self._rows_arrived() >= enough, timeout=seconds)
        self._in_vain = self._in_vain + 1 if len(self._arrivals) == before else 0
        if self._in_vain:
            self._alone_until = time.monotonic() + min(2.0**self._in_vain, ALONE_SECONDS_MAX)

    def _attempt(self, group: list[Arrival]) -> None:
        with self._changed:
            self._groups_ahead += 1
        given = [(arrival.space, arrival.parsed) for arrival in group]
        self._preparing.submit(self._prepare, given).add_done_callback(partial(self._prepared, group))

    def _prepared(self, group: list[Arrival], made: Future[Sequence[Batch]]) -> None:
        if made.exception() is None:
            self._writing.submit(self._write, made.result()).add_done_callback(partial(self._finish, group))
        elif len(group) > 1:
            # One request that cannot be prepared must not take its neighbours along.
            for arrival in group:
                self._attempt([arrival])
            self._finish([], made)
        else:
            self._finish(group, made)

    def _write(self, batches: Sequence[Batch]) -> None:
        try:
            with self._timed():
                self._telemetry.write(batches)
        except HindcastError as error:
            self._refused = (time.monotonic(), error)
            self._unwritten(batches)
            raise
        self._refused = None
        self._written(batches)

    def _finish(self, group: Sequence[Arrival], outcome: Future[Any]) -> None:
        with self._changed:
            self._groups_ahead -= 1
            self._groups_done += 1
            for arrival in group:
                self._waiting[arrival.space] -= arrival.rows
            self._changed.notify_all()
        problem = outcome.exception()
        for arrival in group:
            if problem is None:
                arrival.done.set_result(None)
            else:
                arrival.done.set_exception(problem)

    def close(self) -> None:
        """Write what has been taken, then stop."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
            self._changed.wait_for(lambda: not self.rows_waiting)
        self._gathering.join()
        self._preparing.shutdown()
        self._writing.shutdown()


def _rows(parsed: Parsed) -> int:
    tables: int = sum(table.num_rows for table in (parsed.logs, parsed.metrics, parsed.spans) if table is not None)
    return tables + len(parsed.alerts) + len(parsed.changes)
