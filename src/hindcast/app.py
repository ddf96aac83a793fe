"""The use cases, for whichever face asks: take signals in, watch, and say what became of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta

from hindcast.ingest.fingerprint.grouping import Groups
from hindcast.ingest.rows import Read
from hindcast.memory import View
from hindcast.model.columns import Parsed
from hindcast.model.errors import HindcastError
from hindcast.model.ids import check_name
from hindcast.model.incident import Event, Incident
from hindcast.outcomes import Outcomes
from hindcast.ports import Clock, Telemetry
from hindcast.recollect import Recollect
from hindcast.register import Register
from hindcast.watch import Watch

# A person who has just regrouped something looks again within this time.
GROUPS_EVERY = timedelta(seconds=5)

# Queues one request's records; the future is done when they are durable.
Take = Callable[[str, Parsed], Future[None]]


@dataclass(frozen=True, slots=True)
class Parts:
    """What the use cases stand on."""

    telemetry: Telemetry
    take: Take
    watch: Watch
    register: Register
    clock: Clock
    # What was noticed while preparing, by name.
    noticed: Counter[str]
    # How people want failures grouped, by space; read anew from memory now and then.
    groups: dict[str, Groups]
    outcomes: Outcomes


class App:
    """One running Hindcast."""

    def __init__(self, parts: Parts, *, space: str) -> None:
        self._parts = parts
        self.space = space
        self.counts: Counter[str] = Counter()
        # Steps that could not be committed yet; they are tried again, in order, with every tick.
        self._unremembered: list[Event] = []
        self._spaces: set[str] = set()
        self._asked: dict[str, Recollect] = {}
        self._groups_due = datetime.min.replace(tzinfo=UTC)

    @property
    def telemetry(self) -> Telemetry:
        """Raw telemetry, to read."""
        return self._parts.telemetry

    @property
    def noticed(self) -> Counter[str]:
        """What was noticed on the way in: skewed clocks, secrets, and so on."""
        return self._parts.noticed

    def now(self) -> datetime:
        """The present."""
        return self._parts.clock.now()

    def take(self, parsed: Parsed, *, space: str | None = None) -> Future[None]:
        """Take one request's records in. Raises Busy when too much waits."""
        where = space or self.space
        if where != self.space:
            check_name(where, field="space")
            self._spaces.add(where)
        for table in ("logs", "metrics", "spans"):
            rows = getattr(parsed, table)
            self.counts[table] += rows.num_rows if rows is not None else 0
        self.counts["alerts"] += len(parsed.alerts)
        self.counts["changes"] += len(parsed.changes)
        self.counts["rejected"] += len(parsed.rejections)
        if isinstance(parsed, Read):
            self.noticed.update(parsed.altered)
        return self._parts.take(where, parsed)

    def begin(self, spaces: Iterable[str] = ()) -> None:
        """Take up the incidents that are not over, and learn what is usual, before the first tick."""
        now = self.now()
        known = [
            incident
            for space in dict.fromkeys((self.space, *spaces))
            for incident in self._parts.register.recent(space, now=now)
        ]
        self._parts.watch.begin(known, now=now)

    def tick(self) -> tuple[Event, ...]:
        """Look once: what happened to incidents since the last look, already remembered."""
        now = self.now()
        if now >= self._groups_due:
            self._groups_due = now + GROUPS_EVERY
            self._read_groups()
        events = self._parts.watch.tick(now=now)
        self._remember(events)
        self._measure(now)
        return events

    def _measure(self, now: datetime) -> None:
        """See what came of the attempts whose time has come."""
        try:
            measured = self._parts.outcomes.tick({self.space, *self._spaces}, now=now)
        except HindcastError:
            # It is measured again with the next look; an attempt stays unknown until then.
            self.counts["outcomes_unmeasured"] += 1
        else:
            self.counts["outcomes"] += len(measured)

    def _read_groups(self) -> None:
        """A join or split made on another machine or by a command counts from here on."""
        for space in {self.space, *self._spaces}:
            try:
                self._parts.groups[space] = self._parts.register.groups(space)
            except HindcastError:
                # What was known before goes on counting.
                self.counts["groups_unread"] += 1

    def _remember(self, events: Iterable[Event]) -> None:
        waiting = [*self._unremembered, *events]
        self._unremembered = []
        for position, event in enumerate(waiting):
            try:
                self._parts.register.remember(event)
            except HindcastError:
                # People are told all the same; what is lost on a restart is only what could not be written.
                self.counts["unremembered"] += 1
                self._unremembered = waiting[position:]
                return

    def incidents(self, space: str | None = None, *, since: datetime | None = None) -> tuple[Incident, ...]:
        """Incidents of a space, the newest first."""
        return self._parts.register.incidents(space or self.space, since=since)

    def incident(self, incident_id: str, space: str | None = None) -> Incident:
        """One incident."""
        return self._parts.register.incident(space or self.space, incident_id)

    def recollect(self, space: str | None = None) -> Recollect:
        """Somebody who can be asked what a space remembers."""
        register, where = self._parts.register, space or self.space

        def view(other: str) -> View | None:
            memory = register.existing(other)
            return memory.now() if memory is not None else None

        if where not in self._asked:
            self._asked[where] = Recollect(register.memory(where), now=self.now, others=view)
        return self._asked[where]

    def decide(self, verb: str, incident_id: str, *, by: str, space: str | None = None) -> Event:
        """Confirm, dismiss or reopen an incident in somebody's name."""
        event = self._parts.watch.decide(verb, space or self.space, incident_id, by=by, now=self.now())
        self._parts.register.remember(event, actor=by)
        return event
