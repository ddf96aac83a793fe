"""Watching: on every tick, what the store counted goes to detection, and what detection says gets its evidence.

`now` is an argument, so a day of watching is a loop in a test. Nothing here remembers or tells; whoever ticks does.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

import pyarrow as pa
import pyarrow.compute as pc

from hindcast.detect import Detector
from hindcast.detect.anomaly import Anomalies
from hindcast.detect.mutes import Mute
from hindcast.detect.recurrence import latest_like
from hindcast.detect.silence import Pulse
from hindcast.model.errors import Malformed
from hindcast.model.finding import Finding
from hindcast.model.incident import Event, EventKind, Exemplar, Incident, NewFailure, Sighting, bare
from hindcast.model.signal import Course, Edge, Level, SystemChange
from hindcast.ports import Counted, Line, Telemetry

# A little more than the detection window, so that rows which arrive late are still seen in it.
LOOK_BACK = timedelta(seconds=150)
# Most rows are counted within a second or two; with a thousand services the whole window is too much for every tick.
LOOK_BACK_SHORT = timedelta(seconds=20)
LOOK_BACK_EVERY = timedelta(seconds=5)
# Clocks of senders run a little ahead of ours, and their rows count as soon as they are here.
LOOK_AHEAD = timedelta(seconds=5)
# Alerts are asked for again a little further back than needed: telling one twice is harmless, missing one is not.
ALERT_OVERLAP = timedelta(seconds=10)
GAUGE_STEP_SECONDS = 60
# Exporters send once a minute or so, and a step is judged once: wait for the slow ones.
GAUGE_SETTLE = timedelta(seconds=15)
# What the metrics did before a restart tells what is usual for them.
GAUGES_FROM = timedelta(hours=6)
EDGES_EVERY = timedelta(seconds=60)
EDGES_WITHIN = timedelta(hours=1)
# How far back baselines are learnt from after a restart, and how coarsely.
LEARN_FROM = timedelta(days=14)
LEARN_STEP_SECONDS = 3600
LEARN_FINELY_FROM = timedelta(days=2)
LEARN_FINE_STEP_SECONDS = 60

CHANGES_BEFORE = timedelta(hours=1)
# An onset is an estimate, and a deploy is announced when it is done.
CHANGES_AFTER = timedelta(minutes=2)
CHANGES_MAX = 20
SIGHTINGS_MAX = 10
EXEMPLARS_MAX = 5
# So many failures of one service are told apart.
FAILURES_MAX = 50
SAMPLED_WITHIN = timedelta(hours=1)
SAMPLE_CHARS_MAX = 500
# In how many of the commonest failures a stack is looked for, where the first lines have none.
STACK_LOOKS_MAX = 3
EXEMPLAR_CHARS_MAX = 8_000
INCIDENTS_KEPT_MAX = 1_000
# The course of an incident is drawn beside the next one of its kind: the calm before it, all of it, the calm after it.
COURSE_BEFORE = timedelta(minutes=10)
COURSE_AFTER = timedelta(minutes=5)
COURSE_STEPS_MAX = 120
COURSE_STEP_SECONDS_MIN = 10
# Evidence is gathered when an incident turns into something else, not with every count.
TOLD_WITH_EVIDENCE = frozenset(
    {EventKind.OPENED, EventKind.GREW, EventKind.CASCADE, EventKind.AWAITING, EventKind.REOPENED}
)
# When there is something to look back on.
TOLD_WITH_COURSE = frozenset({EventKind.AWAITING, EventKind.CONFIRMED})


class Watch:
    """Reads telemetry and lets detection judge it."""

    def __init__(
        self,
        telemetry: Telemetry,
        detector: Detector,
        anomalies: Anomalies,
        *,
        pulses: Callable[[], Iterable[Pulse]] = tuple,
    ) -> None:
        """`pulses` says when each service last exported metrics, where somebody keeps that."""
        self._pulses = pulses
        self._telemetry = telemetry
        self._detector = detector
        self._anomalies = anomalies
        self._alerts_until: datetime | None = None
        self._gauges_until: datetime | None = None
        self._edges_at: datetime | None = None
        self._looked_back_at: datetime | None = None
        # The incidents as they were last told, by space and id, for the evidence in them.
        self._evidence: OrderedDict[tuple[str, str], Incident] = OrderedDict()
        # Those that were over at the start, with no more than which failures they had.
        self._earlier: tuple[Incident, ...] = ()

    def anew(self) -> Watch:
        """One that has seen nothing yet, by the same rules."""
        anomalies = Anomalies(self._anomalies.rules)
        return Watch(self._telemetry, Detector(self._detector.rules), anomalies, pulses=self._pulses)

    def learn(
        self, *, now: datetime, known_in: Callable[[Sequence[str]], Iterable[Incident]] = lambda _: ()
    ) -> tuple[str, ...]:
        """Go on after a restart: learn what is usual from the counts. Says which spaces were counted in.

        What `known_in` knows of incidents in some spaces is left out: an outage is not usual.
        """
        spaces: dict[str, None] = {}
        for since, until, step_seconds in (
            (now - LEARN_FROM, now - LEARN_FINELY_FROM, LEARN_STEP_SECONDS),
            (now - LEARN_FINELY_FROM, now - LOOK_BACK, LEARN_FINE_STEP_SECONDS),
        ):
            past = self._telemetry.rates(since, until, step_seconds=step_seconds)
            counted_in = pc.unique(past["space"]).to_pylist()
            self._detector.backfill(past, now=now, step_seconds=step_seconds, incidents=known_in(counted_in))
            spaces |= dict.fromkeys(counted_in)
        self._alerts_until = now - LOOK_BACK
        self._gauges_until = _step(now - GAUGE_SETTLE)
        gauges = self._telemetry.gauges(
            self._gauges_until - GAUGES_FROM, self._gauges_until, step_seconds=GAUGE_STEP_SECONDS
        )
        if gauges.num_rows:
            self._anomalies.learn(gauges, now=now)
        return tuple(spaces)

    def take_up(self, incidents: Iterable[Incident]) -> None:
        """Take up the incidents that are not over, and know those that a recurrence would be linked to."""
        known = tuple(one if not one.state.is_over else bare(one) for one in incidents)
        self._detector.restore(known)
        self._earlier = tuple(one for one in known if one.state.is_over)[:INCIDENTS_KEPT_MAX]
        for incident in known:
            if not incident.state.is_over:
                self._note(incident)

    def tick(self, *, now: datetime) -> tuple[Event, ...]:
        """Everything that happened to incidents since the last tick, with evidence."""
        rates = self._telemetry.rates(self._since(now), now + LOOK_AHEAD)
        told = self._telemetry.alerts(None, (self._alerts_until or now) - ALERT_OVERLAP, now + LOOK_AHEAD)
        alerts = tuple(one for one in told if not one[1].is_test)
        events = self._detector.tick(
            rates,
            now=now,
            alerts=alerts,
            findings=self._metric_findings(now),
            edges=self._calls(rates, now),
            look=self._failures,
            pulses=self._pulses(),
        )
        self._alerts_until = now
        return tuple(self._with_evidence(event) for event in events)

    def _since(self, now: datetime) -> datetime:
        """From when on to read counts: what has just come, and now and then the whole window for what came late."""
        if self._looked_back_at is not None and now - self._looked_back_at < LOOK_BACK_EVERY:
            return now - LOOK_BACK_SHORT
        self._looked_back_at = now
        return now - LOOK_BACK

    def mutes(self) -> tuple[Mute, ...]:
        """Every service whose trouble somebody has called over and that is not told of for a while."""
        return self._detector.mutes

    def decide(self, verb: str, space: str, incident_id: str, *, by: str, now: datetime) -> Event:
        """Somebody confirms, dismisses or reopens an incident."""
        verbs: dict[str, Callable[..., Event]] = {
            "confirm": self._detector.confirm,
            "dismiss": self._detector.dismiss,
            "reopen": self._detector.reopen,
        }
        if verb not in verbs:
            raise Malformed(f"{verb!r} is no decision.", field="verb", remedy=f"Use one of: {', '.join(verbs)}.")
        return self._with_evidence(verbs[verb](incident_id, by=by, now=now, space=space))

    def split(self, space: str, incident_id: str, failure: int, *, why: str, now: datetime) -> tuple[Event, ...]:
        """Let a failure that is new in an incident go on in one of its own: the new incident, and what is left."""
        events = self._detector.split(incident_id, failure, why=why, now=now, space=space)
        return tuple(self._with_evidence(event) for event in events)

    def new_failures(self, space: str, incident_id: str) -> tuple[NewFailure, ...]:
        """The failures that began in the midst of an incident, as they were told last."""
        known = self._evidence.get((space, incident_id))
        return known.new_failures if known is not None else ()

    def _failures(self, space: str, service: str, since: datetime, until: datetime) -> tuple[Sighting, ...]:
        """What the errors of a service are, the commonest first."""
        counted = self._telemetry.top_fingerprints(space, (service,), since, until + LOOK_AHEAD, count_max=FAILURES_MAX)
        return _sightings(counted)

    def _sampled(self, incident: Incident, known: Incident | None) -> tuple[NewFailure, ...]:
        """The new failures of an incident, each with a line of it."""
        samples = {one.id: one for one in known.new_failures} if known is not None else {}
        found = []
        for one in incident.new_failures:
            sample = samples.get(one.id)
            if one.sample or (sample is not None and sample.sample):
                text, stack = (one.sample, one.stack) if one.sample or sample is None else (sample.sample, sample.stack)
            else:
                text, stack = self._sample(incident.space, one)
            found.append(replace(one, sample=text, stack=stack))
        return tuple(found)

    def _sample(self, space: str, failure: NewFailure) -> tuple[str, str]:
        lines = self._telemetry.lines(
            space,
            failure.first_at,
            failure.first_at + SAMPLED_WITHIN,
            services=(failure.service,),
            fingerprint=failure.id,
            lines_max=1,
        )
        return (lines[0].message[:SAMPLE_CHARS_MAX], lines[0].stack[:EXEMPLAR_CHARS_MAX]) if lines else ("", "")

    def _metric_findings(self, now: datetime) -> tuple[Finding, ...]:
        """What the metrics of the steps that are over say; each step is looked at once, when its stragglers are in."""
        until = _step(now - GAUGE_SETTLE)
        since = self._gauges_until or until - timedelta(seconds=GAUGE_STEP_SECONDS)
        if since >= until:
            return ()
        self._gauges_until = until
        gauges = self._telemetry.gauges(since, until, step_seconds=GAUGE_STEP_SECONDS)
        return tuple(self._anomalies.tick(gauges, now=now)) if gauges.num_rows else ()

    def _calls(self, rates: pa.Table, now: datetime) -> tuple[tuple[str, Edge], ...]:
        """Who calls whom, asked for now and then: dependencies change by deploys, not by the second."""
        if self._edges_at is not None and now - self._edges_at < EDGES_EVERY:
            return ()
        self._edges_at = now
        spaces = pc.unique(rates["space"]).to_pylist()
        return tuple(
            (space, edge)
            for space in spaces
            for edge in self._telemetry.calls(now - EDGES_WITHIN, now + LOOK_AHEAD, space=space)
        )

    def _with_evidence(self, event: Event) -> Event:
        """The event with what was seen; detection itself knows counts only, so what was found before is kept here."""
        incident = event.incident
        key = (incident.space, incident.id)
        known = self._evidence.get(key)
        incident = replace(incident, new_failures=self._sampled(incident, known))
        if event.kind in TOLD_WITH_EVIDENCE or known is None:
            known = self._repeating(self._gathered(incident), known)
        known = replace(known, new_failures=incident.new_failures)
        if event.kind in TOLD_WITH_COURSE:
            # What was counted may be gone when somebody comes to confirm it.
            known = replace(known, course=self._course(incident) or known.course)
        # A recurrence asks whether it was over, and when.
        known = replace(known, state=incident.state, closed_at=incident.closed_at)
        self._note(known)
        found = replace(
            incident,
            templates=known.templates,
            fingerprints=known.fingerprints,
            exemplars=known.exemplars,
            changes=known.changes,
            course=known.course,
            previous=known.previous,
        )
        return replace(event, incident=found)

    def _repeating(self, gathered: Incident, known: Incident | None) -> Incident:
        """What was gathered, with the earlier incident that it repeats, as far as its evidence tells."""
        previous = gathered.previous or (known.previous if known is not None else None)
        if previous is None:
            within = timedelta(seconds=self._detector.rules.recurrence_seconds)
            previous = latest_like(gathered, (*self._earlier, *self._evidence.values()), within=within)
        return replace(gathered, course=known.course if known is not None else None, previous=previous)

    def _note(self, incident: Incident) -> None:
        self._evidence[incident.space, incident.id] = incident
        while len(self._evidence) > INCIDENTS_KEPT_MAX:
            self._evidence.popitem(last=False)

    def _gathered(self, incident: Incident) -> Incident:
        """What the telemetry of its window shows: the commonest lines and failures, the first of each, the changes."""
        since, until = incident.onset_at, incident.last_trouble_at + LOOK_AHEAD
        space, services, errors = incident.space, incident.services, int(Level.ERROR)
        if not services:
            return replace(incident, changes=self._changes(incident))
        asked = self._telemetry
        templates = asked.top_templates(space, services, since, until, level_min=errors, count_max=SIGHTINGS_MAX)
        fingerprints = asked.top_fingerprints(space, services, since, until, count_max=SIGHTINGS_MAX)
        if incident.failures:
            # It is about one failure of a service that has others, too.
            templates, fingerprints = (), tuple(one for one in fingerprints if one.id in incident.failures)
        else:
            elsewhere = {number for one in incident.new_failures if one.incident for number in one.ids}
            fingerprints = tuple(one for one in fingerprints if one.id not in elsewhere)
        return replace(
            incident,
            templates=_sightings(templates),
            fingerprints=_sightings(fingerprints),
            exemplars=tuple(_exemplar(line) for line in self._lines(incident, fingerprints)),
            changes=self._changes(incident),
        )

    def _lines(self, incident: Incident, failures: Sequence[Counted]) -> tuple[Line, ...]:
        """The first lines that say error, and one with a stack wherever there is one: it says where it failed.

        A stack comes with some lines only. By it a past incident is recognised, and code is found.
        """
        asked = partial(
            self._telemetry.lines,
            incident.space,
            incident.onset_at,
            incident.last_trouble_at + LOOK_AHEAD,
            services=incident.services,
            level_min=int(Level.ERROR),
        )
        if incident.failures:
            return asked(fingerprint=incident.failures[0], lines_max=EXEMPLARS_MAX)
        lines = asked(lines_max=EXEMPLARS_MAX)
        if any(line.stack for line in lines):
            return lines
        for failure in failures[:STACK_LOOKS_MAX]:
            for line in asked(fingerprint=failure.id, lines_max=1):
                if line.stack:
                    return (*lines[: EXEMPLARS_MAX - 1], line)
        return lines

    def _changes(self, incident: Incident) -> tuple[SystemChange, ...]:
        """What was altered in the hour before: the first thing that anybody asks."""
        changes = self._telemetry.changes(
            incident.space, incident.onset_at - CHANGES_BEFORE, incident.onset_at + CHANGES_AFTER
        )
        return tuple(change for change in changes if not change.is_test)[-CHANGES_MAX:]

    def _course(self, incident: Incident) -> Course | None:
        """How the errors of its services rose and fell; None where none were counted, as when an alert opened it."""
        since = (incident.onset_at - COURSE_BEFORE).replace(microsecond=0)
        until = (incident.quiet_since or incident.last_trouble_at) + COURSE_AFTER
        step = max(COURSE_STEP_SECONDS_MIN, -int(-(until - since).total_seconds() // COURSE_STEPS_MAX))
        rates = self._telemetry.rates(since, until, space=incident.space, step_seconds=step)
        of_it = pc.and_(
            pc.is_in(rates["service"], pa.array(incident.services, pa.string())),
            pc.greater_equal(rates["level"], int(Level.ERROR)),
        )
        counted = rates.filter(of_it).select(["second", "count"]).to_pylist()
        if not counted:
            return None
        errors = [0] * -int(-(until - since).total_seconds() // step)
        for row in counted:
            errors[int((row["second"] - since).total_seconds()) // step] += row["count"]
        return Course(since, step, tuple(errors))


def _exemplar(line: Line) -> Exemplar:
    return Exemplar(
        line.time,
        line.service,
        line.level,
        line.message[:EXEMPLAR_CHARS_MAX],
        line.stack[:EXEMPLAR_CHARS_MAX],
        line.trace,
        line.template,
        line.fingerprint,
        line.attributes,
    )


def _sightings(counted: Iterable[Counted]) -> tuple[Sighting, ...]:
    return tuple(Sighting(one.id, one.text, one.count, one.first_at, one.service) for one in counted)


def _step(now: datetime) -> datetime:
    """The beginning of the step that a time lies in."""
    return now - timedelta(seconds=now.timestamp() % GAUGE_STEP_SECONDS)
