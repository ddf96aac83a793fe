"""The one place that knows the order of the stages.

On the way in: times, secrets, templates, fingerprints (`Preparation`). It writes nothing. What it holds between
requests is what the stages have learnt; the store keeps that too, so that a restart goes on where the last run stopped.

From there on: detect, incident, memory, recall, answer (`Course`). Every look goes as far as telling that a briefing is
due; recalling and answering take longer than a look may, and follow in a thread of whoever runs it.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from itertools import groupby
from operator import itemgetter

import pyarrow as pa
import pyarrow.compute as pc

from hindcast.briefing import Briefings
from hindcast.detect.mutes import Mute
from hindcast.ingest.dependency import Dependencies, Failures, count_once
from hindcast.ingest.fingerprint.columns import Fingerprinter
from hindcast.ingest.fingerprint.grouping import Groups, Join, observed
from hindcast.ingest.histogram_window import Windows, with_buckets
from hindcast.ingest.pulse import Pulses
from hindcast.ingest.redact import Redactor
from hindcast.ingest.redact.signals import redacted_alert, redacted_change
from hindcast.ingest.template import Miner
from hindcast.ingest.times import normalised
from hindcast.model.columns import LOG, RAW_LOG, RAW_METRIC, SPAN, Batch, Parsed, Pattern
from hindcast.model.errors import HindcastError, Missing, Refused, Unavailable
from hindcast.model.incident import Event, EventKind, Incident
from hindcast.model.ingest_limits import IngestLimits
from hindcast.model.signal import Alert, Level, SystemChange
from hindcast.new_failures import NewFailures
from hindcast.outcomes import Outcomes
from hindcast.ports import Clock
from hindcast.register import Register
from hindcast.watch import Watch

# While the store is down every attempt owes a little more; a miner knows no more templates than this.
PATTERNS_OWED_MAX = 20_000
# What a line is filed under when its sender gives no name.
UNNAMED = "unnamed"
# A person who has just regrouped something looks again within this time.
GROUPS_EVERY = timedelta(seconds=5)
# Detection waits for a clock that was set back by less than this; one that was set back further was wrong before.
CLOCK_BACK_MAX = timedelta(seconds=60)


@dataclass(frozen=True, slots=True)
class Stages:
    """What lines pass through, in this order."""

    redactor: Redactor
    miner: Miner
    fingerprinter: Fingerprinter


class Preparation:
    """Turns what parsers read into what the store keeps. One thread at a time: templates are learnt in order."""

    def __init__(self, stages: Stages, clock: Clock, limits: IngestLimits | None = None) -> None:
        self._stages = stages
        self._clock = clock
        self._limits = limits or IngestLimits()
        # What was noticed on the way, for the operator: skewed clocks, secrets by kind, and so on.
        self.noticed: Counter[str] = Counter()
        # What people joined and split, by space; replaced as a whole by whoever reads it from memory.
        self.groups: dict[str, Groups] = {}
        # When each service last exported metrics: a sign of life for detection.
        self.pulses = Pulses()
        self._windows = Windows()
        self._dependencies = Dependencies()
        self._failures = Failures()
        self._owed_templates: deque[Pattern] = deque(maxlen=PATTERNS_OWED_MAX)
        self._owed_fingerprints: deque[Pattern] = deque(maxlen=PATTERNS_OWED_MAX)

    def __call__(self, arrivals: Sequence[tuple[str, Parsed]]) -> list[Batch]:
        """One batch for each space, whatever came for it together."""
        now = self._clock.now()
        ordered = sorted(arrivals, key=itemgetter(0))
        return [
            self._batch(space, [parsed for _, parsed in group], now)
            for space, group in groupby(ordered, key=itemgetter(0))
        ]

    def _batch(self, space: str, parsed: Sequence[Parsed], now: datetime) -> Batch:
        logs = _joined((one.logs for one in parsed), RAW_LOG)
        raw = _joined((with_buckets(one.metrics) for one in parsed), RAW_METRIC)
        metrics = self._windows.values(space, raw) if raw is not None else None
        if metrics is not None:
            self.pulses.beat(space, pc.unique(_named(metrics["service"])).to_pylist(), now)
        spans = self._called(space, _joined((one.spans for one in parsed), SPAN), (logs, metrics))
        prepared = self._logs(space, logs, now) if logs is not None else None
        return Batch(
            space,
            prepared,
            self._timed(space, metrics, now),
            self._timed(space, spans, now),
            tuple(self._alert(alert) for one in parsed for alert in one.alerts),
            tuple(self._change(change) for one in parsed for change in one.changes),
            (*self._owed(self._owed_templates), *self._stages.miner.fresh()),
            (*self._owed(self._owed_fingerprints), *self._stages.fingerprinter.fresh()),
        )

    def _called(
        self, space: str, spans: pa.Table | None, others: Iterable[pa.Table | None]
    ) -> pa.Table | None:  # fmt: skip
        """Spans whose callees have the names of services; who sends, and who calls what, is known from here on."""
        for table in (*others, spans):
            if table is not None:
                self._dependencies.meet(space, table["service"])
        if spans is None:
            return None
        self._dependencies.learn(space, spans)
        return spans.set_column(
            spans.schema.get_field_index("peer"), SPAN.field("peer"), self._dependencies.names(space, spans["peer"])
        )

    def owe(self, batches: Sequence[Batch]) -> None:
        """These could not be written: what was new in them is told again with the next batch."""
        self._failures.forget()
        for batch in batches:
            self._owed_templates.extend(batch.templates)
            self._owed_fingerprints.extend(batch.fingerprints)

    @staticmethod
    def _owed(waiting: deque[Pattern]) -> list[Pattern]:
        """Everything that waits, taken one by one: another thread may be adding to it."""
        taken: list[Pattern] = []
        while waiting:
            taken.append(waiting.popleft())
        return taken

    def _logs(self, space: str, raw: pa.Table, now: datetime) -> pa.Table:
        stages = self._stages
        times = self._times(raw, now)
        messages, stacks = self._texts(raw, "message"), self._texts(raw, "stack")
        attributes = self._attributes(raw)
        # What only names an operation has no template and no fingerprint.
        bare, none = pc.fill_null(raw["bare"], False), pa.scalar(0, pa.uint64())
        templates = pc.if_else(bare, none, stages.miner.assign(messages))
        fingerprints = pc.if_else(bare, none, stages.fingerprinter.assign(raw["level"], messages, stacks, templates))
        services = _named(self._names(raw, "service"))
        if space in self.groups:
            fingerprints = regrouped(self.groups[space], fingerprints, services, messages, stacks, templates)
        rows = raw.num_rows
        columns = {
            "space": pa.repeat(space, rows),
            "time": times,
            "arrived": pa.repeat(pa.scalar(now, LOG.field("arrived").type), rows),
            "service": services,
            "level": raw["level"],
            "trace": raw["trace"],
            "span": raw["span"],
            "template": templates,
            "fingerprint": fingerprints,
            "repeated": pa.repeat(False, rows),
            "dependency": pc.fill_null(self._names(raw, "dependency"), ""),
            "message": messages,
            "stack": stacks,
            "attributes": attributes,
        }
        logs = pa.table([columns[name] for name in LOG.names], schema=LOG)
        counted = count_once(space, logs, self._dependencies, self._failures, error_level=int(Level.ERROR))
        for name, column in zip(("repeated", "dependency"), counted, strict=True):
            logs = logs.set_column(LOG.get_field_index(name), LOG.field(name), column)
        return logs

    def _timed(self, space: str, table: pa.Table | None, now: datetime) -> pa.Table | None:
        """Metrics or spans: they get their space, times that can be true, and names."""
        if table is None:
            return None
        names = {name: self._names(table, name) for name in ("service", "name", "peer") if name in table.schema.names}
        changed = {
            **names,
            "space": pa.repeat(space, table.num_rows),
            "time": self._times(table, now),
            "service": _named(names["service"]),
            "attributes": self._attributes(table),
        }
        return pa.table([changed.get(name, table[name]) for name in table.schema.names], schema=table.schema)

    def _texts(self, table: pa.Table, column: str) -> pa.Array:
        """A column of texts without secrets."""
        clean, found = self._stages.redactor.column(table[column])
        self._notice("redacted", found)
        return clean

    def _names(self, table: pa.Table, column: str) -> pa.Array:
        """A column of names without secrets. Names are few and repeat, so each is read once."""
        encoded = table[column].combine_chunks().dictionary_encode()
        clean, found = self._stages.redactor.column(encoded.dictionary)
        self._notice("redacted", found)
        return clean.take(encoded.indices)

    def _attributes(self, table: pa.Table) -> pa.Array:
        """The attributes of every row without secrets."""
        clean, found = self._stages.redactor.attributes(table["attributes"])
        self._notice("redacted", found)
        return clean

    def _times(self, table: pa.Table, now: datetime) -> pa.Array:
        """When each row happened, as far as that can be true; what is reported is never silently another window."""
        found = normalised(table["time"], now, self._limits)
        self._notice("time", {"skewed": found.skewed, "naive": found.naive, "missing": found.missing})
        return found.times

    def _alert(self, alert: Alert) -> Alert:
        clean, found = redacted_alert(self._stages.redactor, alert)
        self._notice("redacted", found)
        return clean

    def _change(self, change: SystemChange) -> SystemChange:
        clean, found = redacted_change(self._stages.redactor, change)
        self._notice("redacted", found)
        return clean

    def _notice(self, what: str, counts: Mapping[str, int]) -> None:
        for kind, count in counts.items():
            if count:
                self.noticed[f"{what}_{kind}"] += count


def _joined(tables: Iterable[pa.Table | None], schema: pa.Schema) -> pa.Table | None:
    given = [table for table in tables if table is not None and table.num_rows]
    if not given:
        return None
    return pa.concat_tables(given).cast(schema) if len(given) > 1 or given[0].schema != schema else given[0]


def regrouped(
    groups: Groups,
    fingerprints: pa.Array,
    services: pa.Array,
    messages: pa.Array,
    stacks: pa.Array,
    templates: pa.Array,
) -> pa.Array:
    """Fingerprints as people want them grouped. Only rows that a rule may move are looked at one by one."""
    asked = {number for rule in groups.rules for number in (rule.ids if isinstance(rule, Join) else (rule.id,))}
    rows = pc.indices_nonzero(pc.is_in(fingerprints, pa.array(sorted(asked), pa.uint64())))
    if not len(rows):
        return fingerprints
    numbers = fingerprints.to_numpy().copy()
    taken = (column.take(rows).to_pylist() for column in (services, messages, stacks, templates))
    for row, service, message, stack, template in zip(rows.to_pylist(), *taken, strict=True):
        occurrence, _ = observed(message, stack=stack, service=service, template=template)
        numbers[row] = groups.regroup(replace(occurrence, fingerprint=int(numbers[row])))
    return pa.array(numbers)


def _named(services: pa.Array) -> pa.Array:
    return pc.if_else(pc.equal(services, ""), UNNAMED, services)


class Course:
    """What becomes of what was taken in: each look detects, remembers, and has the answers to it worked out.

    One thread at a time, like detection itself.
    """

    def __init__(
        self,
        watch: Watch,
        register: Register,
        briefings: Briefings,
        outcomes: Outcomes,
        groups: dict[str, Groups],
        counts: Counter[str],
        new_failures: NewFailures,
    ) -> None:
        """`groups` is where the way in looks up what people regrouped; `counts` is told of what had to wait."""
        self._watch = watch
        self._register = register
        self._briefings = briefings
        self._outcomes = outcomes
        self._groups = groups
        self._counts = counts
        self.new_failures = new_failures
        self._groups_due = datetime.min.replace(tzinfo=UTC)
        self._looked_at = datetime.min.replace(tzinfo=UTC)
        # Whether it knows what is usual; without, nothing can be watched.
        self.has_learnt = False
        # Steps that could not be committed yet; they are tried again, in order, with every look.
        self._unremembered: list[Event] = []

    def begin(self, spaces: Iterable[str], *, now: datetime) -> tuple[str, ...]:
        """Go on after a restart: learn what is usual, take up what is not over, and brief about it again.

        Says which spaces are watched: those named, and whichever sent something lately.
        """
        try:
            watched, known = self._learn(self._watch, spaces, now)
            self.has_learnt = True
        except Unavailable:
            # What is remembered is taken up all the same; what is usual is learnt as soon as it can be.
            watched, self.has_learnt = tuple(dict.fromkeys(spaces)), False
            known = self._known(watched, {}, now)
        return self._take_up(watched, known, now)

    def resume(self, spaces: Iterable[str], *, now: datetime) -> tuple[str, ...]:
        """Learn what is usual, which could not be done when it began. Raises Unavailable as long as it cannot."""
        watch = self._watch.anew()
        watched, known = self._learn(watch, spaces, now)
        self._watch, self.has_learnt = watch, True
        return self._take_up(watched, known, now)

    def _learn(self, watch: Watch, spaces: Iterable[str], now: datetime) -> tuple[tuple[str, ...], list[Incident]]:
        """Which spaces are watched and what is known in them, once what is usual was learnt."""
        recent: dict[str, tuple[Incident, ...]] = {}
        learnt = watch.learn(now=now, known_in=lambda some: self._known(some, recent, now))
        watched = tuple(dict.fromkeys((*spaces, *learnt)))
        return watched, self._known(watched, recent, now)

    def _known(self, spaces: Iterable[str], recent: dict[str, tuple[Incident, ...]], now: datetime) -> list[Incident]:
        """The incidents of late in some spaces; each space is read once."""
        for space in spaces:
            if space not in recent and self._register.existing(space) is not None:
                recent[space] = self._register.recent(space, now=now)
        return [incident for space in spaces for incident in recent.get(space, ())]

    def _take_up(self, watched: tuple[str, ...], known: Sequence[Incident], now: datetime) -> tuple[str, ...]:
        self._watch.take_up(known)
        self._briefings.take_up(known, now=now)
        return watched

    def tick(self, spaces: Iterable[str], *, now: datetime) -> tuple[Event, ...]:
        """Look once: what happened to incidents since the last look, remembered, its briefings asked for."""
        spaces = set(spaces)
        if self._looked_at - now > CLOCK_BACK_MAX:
            # Detection counts forward only. As after a restart, it learns again what is usual before this moment.
            self._counts["clock_set_back"] += 1
            self._watch = self._watch.anew()
            self.begin(spaces, now=now)
        self._looked_at = now
        if now >= self._groups_due or self._groups_due - now > GROUPS_EVERY:
            self._groups_due = now + GROUPS_EVERY
            self._read_groups(spaces)
        events = (*self._watch.tick(now=now), *self._parted(now))
        self._remember(events)
        for event in events:
            self._briefings.hear(event)
            self.new_failures.hear(event)
        self._measure(spaces, now)
        return events

    def decide(self, verb: str, space: str, incident_id: str, *, by: str, now: datetime) -> Event:
        """Somebody confirms, dismisses or reopens an incident."""
        event = self._watch.decide(verb, space, incident_id, by=by, now=now)
        self._register.remember(event, actor=by)
        self._briefings.hear(event)
        return event

    def split(self, space: str, incident_id: str, failure: int, *, by: str, now: datetime) -> tuple[Event, ...]:
        """Somebody says that a failure which is new in an incident is another one: the new incident comes first."""
        events = self._watch.split(space, incident_id, failure, why=f"{by} said that it is another failure", now=now)
        for event in events:
            self._register.remember(event, actor=by)
            self._briefings.hear(event)
        return events

    def _parted(self, now: datetime) -> Iterator[Event]:
        """Failures that memory knows as others than the incidents in which they began, each in one of its own."""
        for other in self.new_failures.others():
            try:
                yield from self._watch.split(other.space, other.incident, other.failure, why=other.why, now=now)
            except (Missing, Refused):
                # Over, or split off meanwhile.
                self._counts["failures_not_split"] += 1

    def mutes(self, space: str) -> tuple[Mute, ...]:
        """The services of a space whose trouble somebody has called over and that are not told of for a while."""
        return tuple(one for one in self._watch.mutes() if one.space == space)

    def _read_groups(self, spaces: Iterable[str]) -> None:
        """A join or split made on another machine or by a command counts from here on."""
        for space in spaces:
            try:
                self._groups[space] = self._register.groups(space)
            except HindcastError:
                # What was known before goes on counting.
                self._counts["groups_unread"] += 1

    def _remember(self, events: Iterable[Event]) -> None:
        waiting = [*self._unremembered, *events]
        self._unremembered = []
        for position, event in enumerate(waiting):
            try:
                self._register.remember(event)
            except HindcastError:
                # People are told all the same; what is lost on a restart is only what could not be written.
                self._counts["unremembered"] += 1
                self._unremembered = waiting[position:]
                return
            if event.kind is EventKind.OPENED:
                self._counts["incidents_opened"] += 1

    def _measure(self, spaces: Iterable[str], now: datetime) -> None:
        """See what came of the attempts whose time has come."""
        try:
            measured = self._outcomes.tick(spaces, now=now)
        except HindcastError:
            # It is measured again with the next look; an attempt stays unknown until then.
            self._counts["outcomes_unmeasured"] += 1
        else:
            self._counts["outcomes"] += len(measured)
