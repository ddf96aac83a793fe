"""The use cases, for whichever face asks: take signals in, watch, and say what became of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from concurrent.futures import Future
from dataclasses import dataclass
from datetime import datetime

from hindcast.briefing import Briefing, Briefings
from hindcast.detect.mutes import Mute
from hindcast.fixes import Fixes
from hindcast.ingest.rows import Read
from hindcast.instruments import Instruments, Work
from hindcast.model.columns import Parsed
from hindcast.model.errors import HindcastError
from hindcast.model.ids import check_name
from hindcast.model.incident import Event, Incident
from hindcast.new_failures import NewFailures
from hindcast.pipeline import Course
from hindcast.ports import Clock, Telemetry
from hindcast.recollect import Minds, Recollect
from hindcast.register import Register
from hindcast.workspaces import Workspaces

# Queues one request's records; the future is done when they are durable.
Take = Callable[[str, Parsed], Future[None]]


@dataclass(frozen=True, slots=True)
class Parts:
    """What the use cases stand on."""

    telemetry: Telemetry
    take: Take
    course: Course
    register: Register
    minds: Minds
    briefings: Briefings
    workspaces: Workspaces
    # Made when they are first needed: what reads code takes its time to load, and many never register any.
    fixes: Callable[[], Fixes]
    clock: Clock
    # What was noticed while preparing, by name.
    noticed: Counter[str]
    instruments: Instruments


class App:
    """One running Hindcast."""

    def __init__(self, parts: Parts, *, space: str) -> None:
        self._parts = parts
        self.space = space
        self._spaces = {space}
        self._has_begun = False

    @property
    def telemetry(self) -> Telemetry:
        """Raw telemetry, to read."""
        return self._parts.telemetry

    @property
    def register(self) -> Register:
        """Incidents of all spaces, and their memories."""
        return self._parts.register

    @property
    def briefings(self) -> Briefings:
        """What there is to say about each incident under way."""
        return self._parts.briefings

    @property
    def new_failures(self) -> NewFailures:
        """What memory is asked about failures that began in the midst of incidents."""
        return self._parts.course.new_failures

    @property
    def workspaces(self) -> Workspaces:
        """The code of all spaces."""
        return self._parts.workspaces

    @property
    def fixes(self) -> Fixes:
        """What there is to propose for incidents, and what people decide about it."""
        return self._parts.fixes()

    @property
    def instruments(self) -> Instruments:
        """Where what is done is counted and timed."""
        return self._parts.instruments

    @property
    def counts(self) -> Counter[str]:
        """What was taken in, refused or done since the start."""
        return self._parts.instruments.counts

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
        if where not in self._spaces:
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
        """Take up the incidents that are not over, and learn what is usual, before the first tick; once."""
        if not self._has_begun:
            self._spaces.update(self._parts.course.begin((self.space, *spaces), now=self.now()))
            self._settle()
            self._has_begun = True

    def _settle(self) -> None:
        """Finish or take back what a crash left half-decided about cards."""
        for space in sorted(self._spaces):
            try:
                if self.workspaces.names(space):
                    self.fixes.verdicts.settle(space, now=self.now())
            except HindcastError:
                # A workspace that is away: whoever decides next about that card settles it first.
                self.counts["cards_unsettled"] += 1

    def tick(self) -> tuple[Event, ...]:
        """Look once: what happened to incidents since the last look, already remembered."""
        with self.instruments.timed(Work.TICK):
            if self._has_begun and not self._parts.course.has_learnt:
                self._spaces.update(self._parts.course.resume(tuple(self._spaces), now=self.now()))
            return self._parts.course.tick(tuple(self._spaces), now=self.now())

    def mutes(self, space: str | None = None) -> tuple[Mute, ...]:
        """The services of a space whose trouble somebody has called over and that are not told of for a while."""
        return self._parts.course.mutes(space or self.space)

    def split(self, incident_id: str, failure: int, *, by: str, space: str | None = None) -> tuple[Event, ...]:
        """Let a failure that is new in an incident go on in one of its own: the new incident, and what is left."""
        return self._parts.course.split(space or self.space, incident_id, failure, by=by, now=self.now())

    def incidents(self, space: str | None = None, *, since: datetime | None = None) -> tuple[Incident, ...]:
        """Incidents of a space, the newest first."""
        return self._parts.register.incidents(space or self.space, since=since)

    def incident(self, incident_id: str, space: str | None = None) -> Incident:
        """One incident."""
        return self._parts.register.incident(space or self.space, incident_id)

    def recollect(self, space: str | None = None) -> Recollect:
        """Somebody who can be asked what a space remembers."""
        return self._parts.minds.of(space or self.space)

    def briefing(self, space: str, incident_id: str) -> Briefing:
        """What memory says about an incident: ready for those under way, worked out now for the others."""
        return self._parts.briefings.of(space, incident_id, now=self.now())

    def forget(self, space: str) -> None:
        """Keep nothing of a space that may quote what was erased: it is worked out again from what there is."""
        self._parts.briefings.forget(space)
        self._parts.minds.forget(space)
        if self.workspaces.names(space):
            self.fixes.decks.forget(space)

    def decide(self, verb: str, incident_id: str, *, by: str, space: str | None = None) -> Event:
        """Confirm, dismiss or reopen an incident in somebody's name."""
        return self._parts.course.decide(verb, space or self.space, incident_id, by=by, now=self.now())
