"""The detector: counts in, events out. It has no clock; the same ticks always give the same events."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime

import numpy as np
import pyarrow as pa

from hindcast.detect.baseline import SLOTS, Baselines, Minutes
from hindcast.detect.cascade import Graph
from hindcast.detect.counts import Bools, Counts, Name, check
from hindcast.detect.failures import LOOK_EVERY_SECONDS, Look, look_nowhere
from hindcast.detect.follow import follow
from hindcast.detect.lifecycle import Lifecycle
from hindcast.detect.mutes import Mute
from hindcast.detect.past import past
from hindcast.detect.rules import Rules
from hindcast.detect.silence import Pulse, Silences
from hindcast.detect.spike import Elevation, Spikes
from hindcast.detect.trouble import Trouble, Troubles, moment
from hindcast.model.errors import Malformed, Missing, Refused
from hindcast.model.finding import Finding, Rule
from hindcast.model.incident import Event, EventKind, Incident, IncidentState
from hindcast.model.signal import Alert, Edge

# A minute is learnt when it is this old: counts may arrive late.
SETTLE_SECONDS = 60
# What is held beyond the longest window: late counts, the look back, the minute that settles.
SPARE_SECONDS = 180
# A service that has been quiet this long is forgotten when its space is full.
UNSEEN_SECONDS = 600
# And in any case after this long.
GONE_SECONDS = 14 * 86_400
# Clocks are set back by seconds now and then. Time that goes back further is somebody's mistake.
CLOCK_STEP_SECONDS_MAX = 60
EDGES_PER_SPACE_MAX = 100_000


class Detector:
    """Watches the counts of every space: what is usual, what is in trouble, which incidents there are."""

    def __init__(self, rules: Rules | None = None) -> None:
        self.rules = rules or Rules()
        self._counts = Counts(
            seconds=self.rules.windows_seconds_max + SPARE_SECONDS,
            services_per_space_max=self.rules.services_per_space_max,
        )
        self._baselines = Baselines()
        self._silences = Silences()
        self._troubles = Troubles()
        self._lifecycle = Lifecycle(self.rules)
        self._graphs: dict[str, Graph] = {}
        self._ticked: int | None = None
        # The next minute to be learnt, counted from 1970.
        self._minute: int | None = None

    @property
    def incidents(self) -> tuple[Incident, ...]:
        """Every incident that is open or awaiting a word, with its numbers as of the last tick, oldest first."""
        book = self._lifecycle.book
        return tuple(book.incidents[key] for key in book.active)

    @property
    def mutes(self) -> tuple[Mute, ...]:
        """Every service whose trouble somebody has called over and that is not told of for a while."""
        return (*self._troubles.mutes.as_told(self._counts), *self._lifecycle.parts.mutes())

    @property
    def names_ignored(self) -> int:
        """How many times a new service was left out because its space already has too many."""
        return self._counts.names_ignored

    def backfill(
        self, rates: pa.Table, *, now: datetime, step_seconds: int | None = None, incidents: Iterable[Incident] = ()
    ) -> None:
        """Learn what is usual from counts of the past, after a restart. Opens nothing.

        The counts may be sums over steps of any length; without `step_seconds` it is read off the rows. While a service
        was affected by one of these incidents it was not as usual.
        """
        check(rates)
        counts = self._counts
        now_second = _second(now, "now")
        if not counts.end:
            counts.move(now_second)
        outages = tuple(_outages(incidents))
        for minutes, watched in past(rates, counts, until=now_second - SETTLE_SECONDS, step_seconds=step_seconds):
            self._baselines.fit(len(counts.names))
            trouble = np.zeros(len(watched), dtype=np.bool_)
            for name, since, until in outages:
                if name in counts.rows and since < minutes.minute + minutes.weight and until >= minutes.minute:
                    trouble[counts.rows[name]] = True
            self._learn(minutes, watched, trouble)

    def restore(self, incidents: Iterable[Incident]) -> None:
        """Go on with incidents from before a restart: those that are open, and those that a new one may repeat."""
        book, troubles = self._lifecycle.book, self._troubles
        for incident in sorted(incidents, key=lambda one: (one.opened_at, one.id)):
            key = (incident.space, incident.id)
            book.incidents[key] = incident
            book.told[key] = incident
            self._lifecycle.told.restore(incident)
            if not incident.state.is_over:
                self._lifecycle.failures.restore(incident)
            if incident.state is IncidentState.OPEN and incident.failures:
                self._lifecycle.parts.restore(incident)
                continue
            for one in incident.affected:
                name = (incident.space, one.service)
                last = int(one.last_trouble_at.timestamp())
                self._counts.row(name)
                if incident.state is IncidentState.OPEN and _has_trouble(incident, one.service):
                    troubles.by_name[name] = _restored(incident, one.service, last)
                elif incident.state is not IncidentState.JOINED:
                    troubles.spent[name] = max(last, troubles.spent.get(name, 0))
            if incident.state is IncidentState.OPEN and incident.rule is Rule.DEAF:
                last = int(incident.last_trouble_at.timestamp())
                troubles.by_name[incident.space, ""] = _restored(incident, "", last)
        self._baselines.fit(len(self._counts.names))

    def tick(
        self,
        rates: pa.Table,
        *,
        now: datetime,
        alerts: Iterable[tuple[str, Alert]] = (),
        findings: Iterable[Finding] = (),
        edges: Iterable[tuple[str, Edge]] = (),
        look: Look = look_nowhere,
        pulses: Iterable[Pulse] = (),
    ) -> tuple[Event, ...]:
        """Look at the counts of the last minutes, and tell what is new.

        `look` says what failures there are, and `pulses` when services exported metrics.
        Counts that were read before may be read again, in whole or in part, and may have grown meanwhile. Alerts may be
        told again. Edges add to those known. Time goes forward; a clock set back by seconds is waited for.
        """
        check(rates)
        second = _second(now, "now")
        if self._ticked is not None and self._ticked - CLOCK_STEP_SECONDS_MAX <= second < self._ticked:
            # A clock was set back a little: wait for it.
            second = self._ticked
        if self._ticked is not None and second < self._ticked:
            raise Malformed(
                f"{now.isoformat()} is before the last tick.",
                field="now",
                remedy="Let time go forward from tick to tick.",
            )
        counts, troubles = self._counts, self._troubles
        passed = second - self._ticked if self._ticked is not None else 0
        blind = self._ticked is None or passed > counts.seconds
        self._ticked = second
        counts.move(second)
        counts.join(rates)
        self._baselines.fit(len(counts.names))
        self._know(edges)
        self._settle(blind=blind)
        spikes = Spikes(counts, troubles.spent_rows(counts), self._baselines, self.rules, since_seconds=passed)
        self._lifecycle.failures.look = look
        elevations = [*spikes.fixed(), *spikes.adaptive()]
        self._hear_others(elevations, now)
        troubles.elevate(elevations, counts, spikes)
        silents, deaf = self._silences.look(
            counts,
            self._baselines,
            self.rules,
            blind=blind,
            passed_seconds=passed,
            pulses=pulses,
            in_trouble={name[0] for name, one in troubles.by_name.items() if not one.is_over},
        )
        if self.rules.silence:
            troubles.silence(silents, deaf, counts)
        lines_usual = self._baselines.expected_lines(second)
        follow(troubles, counts, spikes, lines_usual, window_seconds=self.rules.window_seconds)
        return self._lifecycle.step(troubles, now=now, alerts=alerts, findings=findings, graphs=self._graphs)

    def confirm(self, incident_id: str, *, by: str, now: datetime, space: str | None = None) -> Event:
        """Somebody says that it is over. Raises Missing for an unknown incident, Refused when it already is."""
        return self._close(incident_id, IncidentState.CONFIRMED, EventKind.CONFIRMED, by, now, space)

    def dismiss(self, incident_id: str, *, by: str, now: datetime, space: str | None = None) -> Event:
        """Somebody says that it was none. What its services do now is taken as usual from here on."""
        found = self._lifecycle.book.get(incident_id, space)
        event = self._close(incident_id, IncidentState.DISMISSED, EventKind.DISMISSED, by, now, found.space)
        rows = np.array(
            [self._counts.rows[found.space, one] for one in found.services if (found.space, one) in self._counts.rows],
            dtype=np.int64,
        )
        if len(rows):
            self._baselines.accept(rows, self._counts.errors[rows, -120:].sum(axis=1) / 2)
        return event

    def reopen(self, incident_id: str, *, by: str, now: datetime, space: str | None = None) -> Event:
        """Somebody says that it is not over after all."""
        book = self._lifecycle.book
        _second(now, "now")
        opened = book.reopen(book.get(incident_id, space), by=by, now=now)
        return Event(EventKind.REOPENED, now, opened, f"reopened by {by}")

    def split(self, incident_id: str, failure: int, *, why: str, now: datetime, space: str) -> tuple[Event, ...]:
        """Let a failure that began in the midst of an incident go on in one of its own.

        Raises Missing when the incident tells of no such failure, Refused when it has an incident already.
        """
        incident = self._lifecycle.book.get(incident_id, space)
        _second(now, "now")
        found = next((one for one in incident.new_failures if one.id == failure), None)
        if found is None:
            raise Missing(
                f"{incident_id} tells of no new failure {failure}.",
                field="failure",
                remedy=f"`hindcast incident show {incident_id}` lists those that are new in it.",
            )
        if found.incident or incident.state.is_over:
            raise Refused(
                f"{found.incident or incident_id} is {'about it' if found.incident else 'over'} already.",
                field="failure",
                remedy=f"Work with {found.incident or incident_id}.",
            )
        return tuple(self._lifecycle.split(incident, found, now, why=why))

    def _close(
        self, incident_id: str, state: IncidentState, kind: EventKind, by: str, now: datetime, space: str | None
    ) -> Event:
        book = self._lifecycle.book
        second = _second(now, "now")
        closed = book.close(book.get(incident_id, space), state, by=by, now=now)
        for one in self._troubles.of(closed.space, closed.id):
            self._troubles.wave_aside(one, at=second, counts=self._counts, rules=self.rules)
        self._end_part(closed, second)
        return Event(kind, now, closed, f"{state} by {by}")

    def _end_part(self, closed: Incident, second: int) -> None:
        """What was split off is called over: while it goes on beside other trouble of its service only it is muted."""
        parts, troubles = self._lifecycle.parts, self._troubles
        for one in parts.of(closed.space, closed.id):
            if not one.is_over and one.name in troubles.by_name:
                parts.wave_aside(closed.space, closed.id, at=second, seconds=self.rules.mute_seconds)
                return
            if one.name not in troubles.by_name and one.name not in troubles.mutes.errors:
                troubles.wave_aside(one, at=second, counts=self._counts, rules=self.rules)
        parts.finish(closed.space, closed.id, troubles)

    def _hear_others(self, elevations: Iterable[Elevation], now: datetime) -> None:
        """End the mute of a service that shows failures which the incident that was called over is not about."""
        for name in {self._counts.names[one.row] for one in elevations}:
            waved = self._troubles.mutes.errors.get(name)
            if waved is not None and self._ticked is not None and self._ticked - waved.looked >= LOOK_EVERY_SECONDS:
                waved.looked = self._ticked
                key = (name[0], waved.incident)
                others = self._lifecycle.failures.unlike(key, name[1], moment(waved.since), now)
                if others:
                    began = min(one.first_at for one in others)
                    self._troubles.listen(name, waved, until=max(int(began.timestamp()) - 1, waved.since))

    def _know(self, edges: Iterable[tuple[str, Edge]]) -> None:
        for space, edge in edges:
            graph = self._graphs.setdefault(space, Graph())
            if graph.size < EDGES_PER_SPACE_MAX:
                graph.add(edge)

    def _settle(self, *, blind: bool) -> None:
        """Learn every minute that is old enough."""
        counts = self._counts
        last = (counts.end - SETTLE_SECONDS) // 60
        oldest = (counts.end - counts.seconds) // 60 + 1
        if self._minute is None:
            self._minute = max(last, oldest)
        elif blind:
            self._minute = max(self._minute, last)
        self._minute = max(self._minute, oldest)
        while self._minute < last:
            start = counts.column(self._minute * 60)
            errors = counts.errors[:, start : start + 60].reshape(-1, SLOTS, 10).sum(axis=2).astype(np.float64)
            lines = counts.lines[:, start : start + 60].sum(axis=1).astype(np.float64)
            trouble = np.zeros(len(counts.names), dtype=np.bool_)
            trouble[list(self._troubles.in_minute(self._minute, counts))] = True
            # A space from which nothing came at all was not listened to.
            heard = np.bincount(counts.spaces, weights=lines)[counts.spaces] > 0
            watched = (counts.first_line < self._minute * 60 + 60) & heard
            self._learn(Minutes(self._minute, errors.sum(axis=1), lines, errors), watched, trouble)
            self._minute += 1
            if self._minute % 10 == 0:
                self._tidy()

    def _learn(self, minutes: Minutes, watched: Bools, trouble: Bools) -> None:
        self._baselines.learn(minutes, watched=watched, trouble=trouble, adapt_minutes=self.rules.adapt_seconds // 60)

    def _tidy(self) -> None:
        """Forget services that are gone, sooner where a space is full."""
        counts = self._counts
        sizes = np.bincount(counts.spaces)[counts.spaces]
        full = sizes >= self.rules.services_per_space_max
        unseen = counts.end - counts.last_line
        keep = unseen < np.where(full & (self._baselines.known < 60), UNSEEN_SECONDS, GONE_SECONDS)
        for name in self._troubles.by_name:
            if name in counts.rows:
                keep[counts.rows[name]] = True
        if not keep.all():
            counts.drop(keep)
            self._baselines.drop(keep)
            self._silences.drop(keep)


def _second(at: datetime, field: str) -> int:
    if at.tzinfo is None:
        raise Malformed("The time has no timezone.", field=field, remedy="Give a time with its timezone.")
    return int(at.timestamp() // 1)


def _outages(incidents: Iterable[Incident]) -> Iterator[tuple[Name, int, int]]:
    """Who was in trouble in incidents that were some, and in which minutes since 1970."""
    for incident in incidents:
        if incident.state is not IncidentState.DISMISSED:
            for one in incident.affected:
                since, until = (int(at.timestamp()) // 60 for at in (one.onset_at, one.last_trouble_at))
                yield (incident.space, one.service), since, until


def _has_trouble(incident: Incident, service: str) -> bool:
    own = (Rule.FIXED, Rule.ADAPTIVE, Rule.SILENT)
    return any(one.service == service and one.rule in own for one in incident.findings)


def _restored(incident: Incident, service: str, last: int) -> Trouble:
    before = next((one for one in incident.affected if one.service == service), None)
    own: dict[Rule, Finding] = {
        one.rule: one for one in incident.findings if one.service == service and one.rule is not Rule.METRIC
    }
    rule = next(iter(own), incident.rule)
    onset = int(before.onset_at.timestamp()) if before is not None else int(incident.onset_at.timestamp())
    trouble = Trouble((incident.space, service), rule, last + 1, onset, last, findings=own, incident=incident.id)
    trouble.silent_since = last + 1
    if before is not None:
        trouble.before = before
        finding = own.get(rule)
        trouble.is_known = before.usual is not None
        if finding is not None and finding.window_seconds and not trouble.is_silent:
            trouble.usual = finding.expected / finding.window_seconds
    return trouble
