"""The queue in front of the audit trail: requests leave their entries here and do not wait for the disk.

What was seen once is durable within about a second. The same again within a minute is counted and written as one entry
when the minute is over. What waits is bounded; what does not fit while the store is gone is counted, and the count is
the first thing written when it is back.
"""

from __future__ import annotations

import logging
import threading
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from hindcast.model.audit import AuditEntry
from hindcast.model.errors import HindcastError
from hindcast.ports import Accounts, Clock

WINDOW = timedelta(minutes=1)
# At 500 bytes each about 10 MB.
ENTRIES_WAITING_MAX = 20_000
# How many different things are told apart within one minute; what comes beyond is counted together.
WINDOWS_MAX = 20_000
# As many as one transaction writes within some tens of milliseconds; others wait for it.
ENTRIES_PER_WRITE_MAX = 1_000
FLUSH_SECONDS = 1.0
PRUNE_EVERY = timedelta(hours=1)

_log = logging.getLogger(__name__)


@dataclass(slots=True)
class _Window:
    """A minute of one thing: when it is over, and what came after the first time."""

    until: datetime
    repeats: AuditEntry | None = None


class AuditTrail:
    """See `ports.Trail`. Safe to use from many threads."""

    def __init__(self, accounts: Accounts, clock: Clock) -> None:
        self._accounts = accounts
        self._clock = clock
        self._lock = threading.Lock()
        # One writer at a time, so that entries are written in the order in which they came.
        self._writing = threading.Lock()
        self._waiting: list[AuditEntry] = []
        self._windows: dict[tuple[str, ...], _Window] = {}
        self._lost: Counter[str] = Counter()
        self._ended = threading.Event()
        self._thread: threading.Thread | None = None
        self._pruned_at: datetime | None = None

    def start(self) -> None:
        """Begin to write every second."""
        self._thread = threading.Thread(target=self._run, name="audit", daemon=True)
        self._thread.start()

    def note(self, entry: AuditEntry, *, is_repeated: bool) -> None:
        """Keep an entry, durable within about a second."""
        with self._lock:
            if not (is_repeated and self._is_repeat(entry)):
                self._wait(entry)

    def write(self, entry: AuditEntry, *, is_repeated: bool = False) -> None:
        """Keep an entry, durable on return."""
        if is_repeated:
            with self._lock:
                if self._is_repeat(entry):
                    return
        with self._accounts.write() as ledger:
            ledger.append(entry)

    def flush(self, *, is_last: bool = False) -> None:
        """Write what waits, and the counts of minutes that are over. What cannot be written waits on."""
        with self._writing:
            now = self._clock.now()
            with self._lock:
                self._end_windows(now, everything=is_last)
                waiting, self._waiting = self._waiting, []
                lost, self._lost = self._lost, Counter()
            while waiting or lost:
                some = waiting[:ENTRIES_PER_WRITE_MAX]
                try:
                    with self._accounts.write() as ledger:
                        ledger.append(*(_loss(whose, count, now) for whose, count in lost.items()), *some)
                except HindcastError:
                    with self._lock:
                        self._lost.update(lost)
                        self._waiting[:0] = waiting
                        self._shed()
                    raise
                lost.clear()
                del waiting[: len(some)]

    def close(self) -> None:
        """Write what was noted, and end."""
        self._ended.set()
        if self._thread is not None:
            self._thread.join()
            self._thread = None
        try:
            self.flush(is_last=True)
        except HindcastError as error:
            # Nobody is left to wait for the store.
            _log.error("%d entries of the audit trail are lost: %s", len(self._waiting), error)

    def _run(self) -> None:
        failing = False
        while not self._ended.wait(FLUSH_SECONDS):
            try:
                self.flush()
                now = self._clock.now()
                if self._pruned_at is None or not timedelta(0) <= now - self._pruned_at < PRUNE_EVERY:
                    self._pruned_at = now
                    self._accounts.prune(now=now)
                failing = False
            except HindcastError as error:
                # Said once for each time that the store goes away; entries wait meanwhile.
                if not failing:
                    _log.warning("The audit trail cannot be written and waits: %s", error)
                failing = True

    def _is_repeat(self, entry: AuditEntry) -> bool:
        """Count an entry with the one that came before it within a minute; False if there was none."""
        same = entry.sameness
        window = self._windows.get(same)
        if window is None and len(self._windows) >= WINDOWS_MAX:
            # Somebody makes up names faster than they can be listed: how many there were is what counts.
            entry = replace(entry, caller="", actor="several", what="many things", space="", subject="", peer="")
            same = entry.sameness
            window = self._windows.get(same)
        if window is None or not window.until - WINDOW <= entry.at < window.until:
            if window is not None and window.repeats is not None:
                self._wait(window.repeats)
            self._windows[same] = _Window(entry.at + WINDOW)
            return False
        if window.repeats is None:
            window.repeats = replace(entry, until=entry.at)
        else:
            kept = window.repeats
            window.repeats = replace(kept, count=kept.count + 1, until=entry.at)
        return True

    def _end_windows(self, now: datetime, *, everything: bool) -> None:
        over = [same for same, one in self._windows.items() if everything or not one.until - WINDOW <= now < one.until]
        for same in over:
            window = self._windows.pop(same)
            if window.repeats is not None:
                self._wait(window.repeats)

    def _wait(self, entry: AuditEntry) -> None:
        self._waiting.append(entry)
        self._shed()

    def _shed(self) -> None:
        extra: Sequence[AuditEntry] = self._waiting[ENTRIES_WAITING_MAX:]
        if extra:
            del self._waiting[ENTRIES_WAITING_MAX:]
            self._lost.update(entry.organisation for entry in extra)


def _loss(organisation: str, count: int, now: datetime) -> AuditEntry:
    """What stands where entries should."""
    return AuditEntry(now, organisation, "hindcast", "hindcast", "", "audit entries lost", count=count, until=now)
