"""The life of incidents: opened by trouble, an alert or a finding; quiet, awaiting a word, over; back again or not.

Every tick puts evidence where it belongs, works each incident out anew from its evidence, and tells what differs from
what was told before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime

from hindcast.detect import bouts, cascade, evidence, neighbours, severity, telling, wording
from hindcast.detect.book import Book, Key
from hindcast.detect.failures import Failures
from hindcast.detect.parts import Parts
from hindcast.detect.rules import Rules
from hindcast.detect.told import Told
from hindcast.detect.trouble import Trouble, Troubles, moment
from hindcast.model.finding import Finding, Rule
from hindcast.model.incident import Affected, Event, EventKind, Incident, IncidentState, NewFailure
from hindcast.model.signal import Alert, Status

# Services in trouble count as being in it together this long after they were last seen in it.
TOGETHER_SECONDS = 120

NO_GRAPH = cascade.Graph()


class Lifecycle:
    """Every incident that is not forgotten, and how it got there."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self.book = Book(rules)
        self.told = Told()
        self.failures = Failures(rules)
        self.parts = Parts()

    def step(
        self,
        troubles: Troubles,
        *,
        now: datetime,
        alerts: Iterable[tuple[str, Alert]] = (),
        findings: Iterable[Finding] = (),
        graphs: Mapping[str, cascade.Graph] | None = None,
    ) -> tuple[Event, ...]:
        """One tick: place the evidence, work out every open incident, tell what is new."""
        graphs = graphs or {}
        self.parts.follow(troubles, self.failures.look, now)
        for space, alert in self.told.news(alerts):
            self._place_alert(space, alert, now)
        for finding in findings:
            self._place_finding(finding, now)
        self._place_cascades(troubles, now)
        self._place_troubles(troubles, graphs, now)
        for group in neighbours.apart(troubles, graphs, self.book, join_seconds=self._rules.join_seconds):
            self._join(group, now)
        events: list[Event] = [*self._part_again(troubles, now)]
        for key in list(self.book.active):
            incident = self._work_out(self.book.incidents[key], troubles, graphs.get(key[0], NO_GRAPH), now)
            self.book.incidents[key] = incident
            events.extend(self._news(key, incident, now))
            if incident.state is IncidentState.AWAITING:
                self._let_go(incident, troubles, now)
            elif incident.new_failures:
                events.extend(self._part_by_graph(incident, troubles, graphs.get(key[0], NO_GRAPH), now))
        events.extend(self.book.take_joined(now))
        for key in self.book.forget(now):
            self.failures.forget(key)
        return tuple(events)

    def _mine(self, troubles: Troubles, incident: Incident) -> list[Trouble]:
        """The trouble that an incident is about."""
        return [*troubles.of(incident.space, incident.id), *self.parts.of(incident.space, incident.id)]

    # --- Placing evidence -----------------------------------------------------------------------------------------

    def _place_alert(self, space: str, alert: Alert, now: datetime) -> None:
        book, rules = self.book, self._rules
        earlier = self.told.incident(space, alert)
        known = book.find(space, earlier) if earlier else None
        if known is not None and known.state is IncidentState.JOINED:
            known = book.find(space, known.joined or "")
        if alert.status is not Status.FIRING:
            if known is not None and not known.state.is_over:
                book.put(evidence.with_alert(known, alert, now, rules))
            return
        target = known if known is not None and self._takes(known, now) else None
        if target is None and known is not None and known.state.is_over and evidence.same_bout(known, alert):
            # Somebody has closed this while the sender goes on repeating it.
            return
        target = target or self._for_alert(space, alert, now)
        if target is None:
            target = self._open(evidence.finding_of(space, alert, now), now)
        elif target.state is IncidentState.AWAITING:
            target = evidence.back(target)
        book.put(evidence.with_alert(target, alert, now, rules))
        self.told.went_to(space, alert, target.id)

    def _for_alert(self, space: str, alert: Alert, now: datetime) -> Incident | None:
        title = evidence.plain(alert.title)
        for incident in self.book.in_space(space):
            if not self._takes(incident, now):
                continue
            if alert.service and alert.service in incident.services:
                return incident
            same_title = any(
                evidence.plain(one.title) == title and one.service == alert.service for one in incident.alerts
            )
            if title and same_title:
                return incident
        return None

    def _place_finding(self, finding: Finding, now: datetime) -> None:
        is_strong = finding.ended_at is None and finding.surprise >= self._rules.metric_surprise_min
        for incident in self.book.in_space(finding.space):
            mine = any(one.key == finding.key and one.onset_at == finding.onset_at for one in incident.findings)
            if not incident.state.is_over and (mine or (finding.service and finding.service in incident.services)):
                is_new = is_strong and not evidence.is_earlier(finding, incident)
                if incident.state is IncidentState.AWAITING and is_new and self._takes(incident, now):
                    incident = evidence.back(incident)
                if mine or finding.ended_at is None:
                    self.book.put(evidence.with_finding(incident, finding, self._rules))
                return
            if mine:
                return
        if is_strong:
            self.book.put(evidence.with_finding(self._open(finding, now), finding, self._rules))

    def _place_cascades(self, troubles: Troubles, now: datetime) -> None:
        """Put services in trouble together into one incident, if they are enough."""
        rules = self._rules
        by_space: dict[str, dict[str, tuple[int, int]]] = {}
        for (space, service), one in troubles.by_name.items():
            if one.rule is not Rule.DEAF and now.timestamp() - one.last <= TOGETHER_SECONDS:
                by_space.setdefault(space, {})[service] = one.onset, one.last
        for space, spans in by_space.items():
            for group in cascade.together(spans, spread_seconds=rules.cascade_spread_seconds):
                if len(group) >= rules.cascade_services_min:
                    self._join([troubles.by_name[space, service] for service in group], now, is_cascade=True)

    def _join(self, group: list[Trouble], now: datetime, *, is_cascade: bool = False) -> None:
        space = group[0].name[0]
        bouts.part(group, self.book)
        found = {one.incident: self.book.find(space, one.incident) for one in group if one.incident}
        homes = [home for home in found.values() if home is not None and not home.state.is_over]
        if len(homes) == 1 and homes[0].cascade and all(one.incident for one in group):
            return
        home = min(homes, key=lambda one: (not one.cascade, one.opened_at, one.onset_at), default=None)
        if home is None:
            earlier = (self._home(one, NO_GRAPH, now) for one in group)
            home = next((one for one in earlier if one is not None and one.cascade), None)
            home = self._open_for(group[0], now) if home is None else home
            home = evidence.back(home) if home.state is IncidentState.AWAITING else home
        for other in homes:
            if other.id != home.id:
                home = self.book.join(other, home, now)
        self.book.put(replace(home, cascade=home.cascade or is_cascade))
        for one in group:
            evidence.attach(one, home)

    def _place_troubles(self, troubles: Troubles, graphs: Mapping[str, cascade.Graph], now: datetime) -> None:
        for trouble in troubles.by_name.values():
            if trouble.is_resumed:
                self._move_on(trouble, graphs.get(trouble.name[0], NO_GRAPH), now)
        homeless = [one for one in troubles.by_name.values() if one.incident is None]
        for trouble in sorted(homeless, key=lambda one: (one.onset, one.name)):
            home = self._home(trouble, graphs.get(trouble.name[0], NO_GRAPH), now)
            if home is None:
                home = self._open_for(trouble, now)
            elif trouble.name[1] not in home.services and bouts.are_newer(troubles.of(home.space, home.id), trouble):
                opened = self._open_for(trouble, now)
                bouts.move(troubles.of(home.space, home.id), home, opened, self.book)
                home = opened
            elif home.state is IncidentState.AWAITING:
                home = evidence.back(home)
            self.book.put(home)
            self.parts.end(home.space, home.id)
            evidence.attach(trouble, home)

    def _home(self, trouble: Trouble, graph: cascade.Graph, now: datetime) -> Incident | None:
        space, service = trouble.name
        taking = [one for one in self.book.in_space(space) if self._takes(one, now)]
        near = self._near(trouble, graph, taking)
        for incident in taking:
            if service in incident.services or (not service and incident.rule is Rule.DEAF):
                is_asked = incident.state is IncidentState.AWAITING or incident.failures
                if is_asked and not self.failures.are_of(incident, service, moment(trouble.onset), now):
                    continue
                # What is quiet already does not come back while something near it is in trouble.
                return near if near is not None and incident.state is IncidentState.AWAITING else incident
        return near

    def _near(self, trouble: Trouble, graph: cascade.Graph, taking: Iterable[Incident]) -> Incident | None:
        """The open incident of a service that it calls or that calls it, still in trouble when this one began."""
        near, onset_at = graph.neighbours(trouble.name[1]), moment(trouble.onset)
        for incident in taking:
            is_near = incident.state is IncidentState.OPEN and near & set(incident.services)
            if is_near and any(
                abs((onset_at - one.onset_at).total_seconds()) <= self._rules.join_seconds
                and not cascade.was_over(one, onset_at)
                for one in incident.affected
            ):
                return incident
        return None

    def _move_on(self, trouble: Trouble, graph: cascade.Graph, now: datetime) -> None:
        """A service is hit again: by what has begun near it meanwhile, if there is such a thing."""
        trouble.is_resumed = False
        home = self.book.find(trouble.name[0], trouble.incident) if trouble.incident else None
        others = [one for one in self.book.in_space(trouble.name[0]) if one is not home and self._takes(one, now)]
        near = self._near(trouble, graph, others)
        if home is None:
            return
        if near is not None and bouts.is_separate(trouble, near.onset_at):
            bouts.move([trouble], home, near, self.book)
        elif home.quiet_since is not None and not self.failures.are_of(
            home, trouble.name[1], moment(trouble.onset), now
        ):
            # All of it was quiet already, and this is something else.
            bouts.move([trouble], home, self._open_for(trouble, now), self.book)

    def _takes(self, incident: Incident, now: datetime) -> bool:
        """Whether new trouble may still be the same: it is open, or has been quiet for a short time only."""
        if incident.state is IncidentState.AWAITING and incident.quiet_since is not None:
            return (now - incident.quiet_since).total_seconds() <= self._rules.relapse_seconds
        return incident.state is IncidentState.OPEN

    # --- Failures that begin in the midst of others ------------------------------------------------------------

    def split(
        self, incident: Incident, failure: NewFailure, now: datetime, *, why: str, previous: str | None = None
    ) -> Iterator[Event]:
        """Let a failure that began in the midst of an incident go on in one of its own."""
        trigger = Finding(
            incident.space,
            failure.service,
            Rule.FIXED,
            failure.first_at,
            now,
            float(failure.count),
            0.0,
            float(self._rules.new_failure_errors_min),
            max(int((now - failure.first_at).total_seconds()), 1),
            why=wording.began_within(failure, incident.id),
        )
        opened = replace(self._open(trigger, now), failures=(failure.id, *failure.also), previous=previous)
        self.failures.hand_over(failure, opened)
        self.parts.begin(failure, trigger, opened, now)
        opened = self._work_out(opened, Troubles(), NO_GRAPH, now)
        self.book.put(opened)
        told = tuple(replace(one, incident=opened.id) if one.id == failure.id else one for one in incident.new_failures)
        left = replace(incident, new_failures=told)
        self.book.put(left)
        for one in (left, opened):
            self.book.told[one.space, one.id] = one
            self.book.told_at[one.space, one.id] = now
        yield Event(EventKind.OPENED, now, opened, why)
        yield Event(EventKind.CHANGED, now, left, f"{failure.text} goes on in {opened.id}: {why}")

    def _part_again(self, troubles: Troubles, now: datetime) -> Iterator[Event]:
        """Tell again of what was split off, called over and muted, and goes on all the same."""
        for trouble, waved, errors in self.parts.listen(troubles, now):
            rest = troubles.by_name.get(trouble.name)
            left = self.book.find(trouble.name[0], rest.incident) if rest is not None and rest.incident else None
            known = left.new_failures if left is not None else ()
            failure = next((one for one in known if one.incident == waved.incident), None)
            if left is not None and failure is not None and not left.state.is_over:
                anew = replace(failure, count=errors, first_at=moment(waved.since))
                yield from self.split(left, anew, now, why="it goes on", previous=waved.incident)

    def _part_by_graph(
        self, incident: Incident, troubles: Troubles, graph: cascade.Graph, now: datetime
    ) -> Iterator[Event]:
        """Split off what no trouble that still goes on can have caused, by who calls whom."""
        going = {one.name[1] for one in self._mine(troubles, incident) if not one.is_over}
        for failure in incident.new_failures:
            service = failure.service
            if failure.incident or service == incident.origin or not graph.knows(service):
                continue
            if len(incident.services) > 1 and graph.reached_from(service, set(incident.services)) & going <= {service}:
                current = self.book.incidents[incident.space, incident.id]
                yield from self.split(current, failure, now, why=f"nothing that {service} calls is still in trouble")

    # --- Opening and working out ----------------------------------------------------------------------------------

    def _open_for(self, trouble: Trouble, now: datetime) -> Incident:
        trigger = next(iter(trouble.findings.values()))
        incident = self._open(trigger, now)
        if trouble.name[1]:
            incident = replace(incident, affected=(trouble.affected(),))
        self.book.put(incident)
        return incident

    def _open(self, trigger: Finding, now: datetime) -> Incident:
        onset_at = min(trigger.onset_at, now)
        spoken = trigger.service or {Rule.DEAF: "no-data", Rule.ALERT: trigger.why}.get(trigger.rule, trigger.metric)
        affected = (Affected(trigger.service, onset_at, trigger.seen_at),) if trigger.service else ()
        incident = Incident(
            id=self.book.free_id(trigger.space, wording.incident_id(onset_at, spoken)),
            space=trigger.space,
            title=telling.told_by(trigger),
            state=IncidentState.OPEN,
            trigger=trigger,
            affected=affected,
            onset_at=onset_at,
            opened_at=now,
            last_trouble_at=min(trigger.seen_at, now),
            severity=severity.ORDER[0],
            origin=trigger.service,
            previous=self.book.previous(trigger, now),
        )
        self.book.put(incident)
        return incident

    def _work_out(self, incident: Incident, troubles: Troubles, graph: cascade.Graph, now: datetime) -> Incident:
        """The incident as its evidence has it now."""
        if incident.state is not IncidentState.OPEN:
            return self._confirm_by_rule(incident, now)
        mine = self._mine(troubles, incident)
        incident = self.failures.follow(incident, mine, now)
        for failure in incident.new_failures:
            self.parts.widen(incident.space, failure)
        parts = {one.service: one for one in incident.affected}
        parts.update({one.name[1]: one.affected() for one in mine if one.name[1]})
        spread = cascade.spread(bouts.for_origin(parts, mine), graph)
        order = tuple(parts[one.service] for one in spread.order)
        findings = evidence.merged(incident.findings, [told for one in mine for told in one.tellings()])
        findings = findings[: self._rules.findings_per_incident_max]
        judged, reasons = severity.judge(order, findings, incident.alerts, cascade=incident.cascade, rules=self._rules)
        onsets = [one.onset_at for one in order]
        incident = replace(
            incident,
            affected=order,
            origin=spread.origin,
            origin_reasons=spread.reasons,
            findings=findings,
            onset_at=min(onsets, default=incident.onset_at),
            last_trouble_at=max([incident.last_trouble_at, *(moment(one.last) for one in mine)]),
            # What was once severe stays so until it is over.
            severity=severity.worst([incident.severity, judged]),
            reasons=reasons if severity.worst([incident.severity, judged]) is judged else incident.reasons,
        )
        incident = replace(incident, title=telling.title(incident, self._rules, self.failures.leading(incident)))
        return self._rest(incident, mine, now)

    def _rest(self, incident: Incident, mine: list[Trouble], now: datetime) -> Incident:
        """Quiet, when all evidence is; awaiting confirmation, when it has been quiet for the hold window."""
        reopened_at = self.book.reopened_at.get((incident.space, incident.id))
        quiet_since = evidence.quiet_since(incident, mine, reopened_at, now, self._rules.metric_surprise_min)
        if quiet_since is None:
            return replace(incident, quiet_since=None)
        hold = self._rules.hold_for(incident.relapses)
        state = IncidentState.AWAITING if (now - quiet_since).total_seconds() >= hold else IncidentState.OPEN
        return replace(incident, quiet_since=quiet_since, state=state)

    def _confirm_by_rule(self, incident: Incident, now: datetime) -> Incident:
        after = self._rules.confirm_after_seconds
        quiet = incident.quiet_since
        if incident.state is not IncidentState.AWAITING or after is None or quiet is None:
            return incident
        if (now - quiet).total_seconds() < max(after, self._rules.hold_for(incident.relapses)):
            return incident
        return replace(incident, state=IncidentState.CONFIRMED, closed_at=now, closed_by="rule")

    def _let_go(self, incident: Incident, troubles: Troubles, now: datetime) -> None:
        for one in troubles.of(incident.space, incident.id):
            troubles.spend(one)
            if self.parts.has(one.name):
                # What came meanwhile is counted where it was split off to.
                troubles.spent[one.name] = int(now.timestamp())
        self.parts.finish(incident.space, incident.id, troubles)

    def _news(self, key: Key, incident: Incident, now: datetime) -> Iterator[Event]:
        told = self.book.told.get(key)
        found = list(telling.differences(told, incident))
        if not found and told is not None and self._is_due(key, told, incident, now):
            found = [(EventKind.CHANGED, incident.title)]
        for kind, why in found:
            self.book.told[key] = incident
            self.book.told_at[key] = now
            yield Event(kind, now, incident, why)

    def _is_due(self, key: Key, told: Incident, incident: Incident, now: datetime) -> bool:
        """Whether errors have gone on for so long that their number should be told again."""
        since = (now - self.book.told_at.get(key, told.opened_at)).total_seconds()
        goes_on = incident.state is IncidentState.OPEN and incident.errors > told.errors
        return goes_on and since >= self._rules.retell_seconds
