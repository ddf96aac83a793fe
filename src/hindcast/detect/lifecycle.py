"""The life of incidents: opened by trouble, an alert or a finding; quiet, awaiting a word, over; back again or not.

Every tick puts evidence where it belongs, works each incident out anew from its evidence, and tells what differs from
what was told before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from datetime import datetime, timedelta

from hindcast.detect import cascade, severity, wording
from hindcast.detect.book import Book, Key
from hindcast.detect.rules import Rules
from hindcast.detect.told import Told
from hindcast.detect.trouble import Trouble, Troubles, moment
from hindcast.model.finding import Finding, Rule
from hindcast.model.incident import Affected, Event, EventKind, Incident, IncidentState
from hindcast.model.signal import Alert, Status

# Services in trouble count as being in it together this long after they were last seen in it.
TOGETHER_SECONDS = 120
# An alert that its sender neither repeats nor resolves is taken to be over.
ALERT_STALE = timedelta(hours=6)
# The same for a finding about a metric.
FINDING_STALE = timedelta(minutes=15)

# A peak is told again when it is that many times the one told before.
PEAK_TIMES = 4

NO_GRAPH = cascade.Graph()


class Lifecycle:
    """Every incident that is not forgotten, and how it got there."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self.book = Book(rules)
        self.told = Told()

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
        for space, alert in self.told.news(alerts):
            self._place_alert(space, alert, now)
        for finding in findings:
            self._place_finding(finding, now)
        self._place_cascades(troubles, now)
        self._place_troubles(troubles, graphs, now)
        events: list[Event] = []
        for key in list(self.book.active):
            incident = self._work_out(self.book.incidents[key], troubles, graphs.get(key[0], NO_GRAPH), now)
            self.book.incidents[key] = incident
            events.extend(self._news(key, incident, now))
            if incident.state is IncidentState.AWAITING:
                self._let_go(incident, troubles)
        events.extend(self.book.take_joined(now))
        self.book.forget(now)
        return tuple(events)

    # --- Placing evidence -----------------------------------------------------------------------------------------

    def _place_alert(self, space: str, alert: Alert, now: datetime) -> None:
        book, rules = self.book, self._rules
        earlier = self.told.incident(space, alert)
        known = book.find(space, earlier) if earlier else None
        if known is not None and known.state is IncidentState.JOINED:
            known = book.find(space, known.joined or "")
        if alert.status is not Status.FIRING:
            if known is not None and not known.state.is_over:
                book.put(_with_alert(known, alert, now, rules))
            return
        target = known if known is not None and self._takes(known, now) else None
        if target is None and known is not None and known.state.is_over and _same_bout(known, alert):
            # Somebody has closed this while the sender goes on repeating it.
            return
        target = target or self._for_alert(space, alert, now)
        if target is None:
            target = self._open(_finding_of(space, alert, now), now)
        elif target.state is IncidentState.AWAITING:
            target = _back(target)
        book.put(_with_alert(target, alert, now, rules))
        self.told.went_to(space, alert, target.id)

    def _for_alert(self, space: str, alert: Alert, now: datetime) -> Incident | None:
        title = _plain(alert.title)
        for incident in self.book.in_space(space):
            if not self._takes(incident, now):
                continue
            if alert.service and alert.service in incident.services:
                return incident
            same_title = any(_plain(one.title) == title and one.service == alert.service for one in incident.alerts)
            if title and same_title:
                return incident
        return None

    def _place_finding(self, finding: Finding, now: datetime) -> None:
        is_strong = finding.ended_at is None and finding.surprise >= self._rules.metric_surprise_min
        for incident in self.book.in_space(finding.space):
            mine = any(one.key == finding.key and one.onset_at == finding.onset_at for one in incident.findings)
            if not incident.state.is_over and (mine or (finding.service and finding.service in incident.services)):
                if incident.state is IncidentState.AWAITING and is_strong and self._takes(incident, now):
                    incident = _back(incident)
                if mine or finding.ended_at is None:
                    self.book.put(_with_finding(incident, finding, self._rules))
                return
            if mine:
                return
        if is_strong:
            self.book.put(_with_finding(self._open(finding, now), finding, self._rules))

    def _place_cascades(self, troubles: Troubles, now: datetime) -> None:
        """Put services in trouble together into one incident, if they are enough."""
        rules = self._rules
        by_space: dict[str, dict[str, int]] = {}
        for (space, service), one in troubles.by_name.items():
            if one.rule is not Rule.DEAF and now.timestamp() - one.last <= TOGETHER_SECONDS:
                by_space.setdefault(space, {})[service] = one.onset
        for space, onsets in by_space.items():
            for group in cascade.together(onsets, spread_seconds=rules.cascade_spread_seconds):
                if len(group) >= rules.cascade_services_min:
                    self._join([troubles.by_name[space, service] for service in group], now)

    def _join(self, group: list[Trouble], now: datetime) -> None:
        space = group[0].name[0]
        found = {one.incident: self.book.find(space, one.incident) for one in group if one.incident}
        homes = [home for home in found.values() if home is not None and not home.state.is_over]
        if len(homes) == 1 and homes[0].cascade and all(one.incident for one in group):
            return
        home = min(homes, key=lambda one: (not one.cascade, one.onset_at, one.id), default=None)
        if home is None:
            earlier = (self._home(one, NO_GRAPH, now) for one in group)
            home = next((one for one in earlier if one is not None), None)
            home = self._open_for(group[0], now) if home is None else home
            home = _back(home) if home.state is IncidentState.AWAITING else home
        for other in homes:
            if other.id != home.id:
                home = self.book.join(other, home, now)
        self.book.put(replace(home, cascade=True))
        for one in group:
            _attach(one, home)

    def _place_troubles(self, troubles: Troubles, graphs: Mapping[str, cascade.Graph], now: datetime) -> None:
        homeless = [one for one in troubles.by_name.values() if one.incident is None]
        for trouble in sorted(homeless, key=lambda one: (one.onset, one.name)):
            home = self._home(trouble, graphs.get(trouble.name[0], NO_GRAPH), now)
            if home is None:
                home = self._open_for(trouble, now)
            elif home.state is IncidentState.AWAITING:
                home = _back(home)
            self.book.put(home)
            _attach(trouble, home)

    def _home(self, trouble: Trouble, graph: cascade.Graph, now: datetime) -> Incident | None:
        space, service = trouble.name
        taking = [one for one in self.book.in_space(space) if self._takes(one, now)]
        for incident in taking:
            if service in incident.services or (not service and incident.rule is Rule.DEAF):
                return incident
        near = graph.neighbours(service)
        for incident in taking:
            onsets = [one.onset_at for one in incident.affected]
            gap = min((abs((moment(trouble.onset) - at).total_seconds()) for at in onsets), default=None)
            is_near = gap is not None and gap <= self._rules.join_seconds and near & set(incident.services)
            if incident.state is IncidentState.OPEN and is_near:
                return incident
        return None

    def _takes(self, incident: Incident, now: datetime) -> bool:
        """Whether new trouble may still be the same: it is open, or has been quiet for a short time only."""
        if incident.state is IncidentState.AWAITING and incident.quiet_since is not None:
            return (now - incident.quiet_since).total_seconds() <= self._rules.relapse_seconds
        return incident.state is IncidentState.OPEN

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
            title=_told_by(trigger),
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
        mine = troubles.of(incident.space, incident.id)
        parts = {one.service: one for one in incident.affected}
        parts.update({one.name[1]: one.affected() for one in mine if one.name[1]})
        spread = cascade.spread(list(parts.values()), graph)
        findings = _merged(incident.findings, [telling for one in mine for telling in one.tellings()])
        findings = findings[: self._rules.findings_per_incident_max]
        judged, reasons = severity.judge(
            spread.order, findings, incident.alerts, cascade=incident.cascade, rules=self._rules
        )
        onsets = [one.onset_at for one in spread.order]
        incident = replace(
            incident,
            affected=spread.order,
            origin=spread.origin,
            origin_reasons=spread.reasons,
            findings=findings,
            onset_at=min(onsets, default=incident.onset_at),
            last_trouble_at=max([incident.last_trouble_at, *(moment(one.last) for one in mine)]),
            # What was once severe stays so until it is over.
            severity=severity.worst([incident.severity, judged]),
            reasons=reasons if severity.worst([incident.severity, judged]) is judged else incident.reasons,
        )
        incident = replace(incident, title=_title(incident, self._rules))
        return self._rest(incident, mine, now)

    def _rest(self, incident: Incident, mine: list[Trouble], now: datetime) -> Incident:
        """Quiet, when all evidence is; awaiting confirmation, when it has been quiet for the hold window."""
        reopened_at = self.book.reopened_at.get((incident.space, incident.id))
        quiet_since = _quiet_since(incident, mine, reopened_at, now, self._rules.metric_surprise_min)
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

    def _let_go(self, incident: Incident, troubles: Troubles) -> None:
        for one in troubles.of(incident.space, incident.id):
            troubles.spend(one)

    def _news(self, key: Key, incident: Incident, now: datetime) -> Iterator[Event]:
        told = self.book.told.get(key)
        found = list(_differences(told, incident))
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


def _differences(told: Incident | None, now: Incident) -> Iterator[tuple[EventKind, str]]:
    """What is worth telling of an incident, given what was told last."""
    if told is None:
        yield EventKind.OPENED, now.title
        if now.cascade:
            yield EventKind.CASCADE, _spread_words(now)
        return
    if now.state is not told.state:
        match now.state:
            case IncidentState.AWAITING:
                quiet = now.quiet_since or now.last_trouble_at
                yield EventKind.AWAITING, f"back to normal since {wording.clock(quiet)}; awaiting confirmation"
            case IncidentState.OPEN:
                yield EventKind.REOPENED, f"trouble is back, relapse {now.relapses}: {now.title}"
            case IncidentState.CONFIRMED:
                yield EventKind.CONFIRMED, "nobody objected: confirmed by rule"
        return
    if now.state is not IncidentState.OPEN:
        return
    if now.cascade and not told.cascade:
        yield EventKind.CASCADE, _spread_words(now)
    elif new := [one for one in now.services if one not in told.services]:
        yield EventKind.GREW, f"{wording.listed(new)} {'is' if len(new) == 1 else 'are'} affected too"
    elif why := _change(told, now):
        yield EventKind.CHANGED, why


def _change(told: Incident, now: Incident) -> str:
    if told.severity is not now.severity:
        return f"now {now.severity}, was {told.severity}: {now.reasons[0] if now.reasons else now.title}"
    if told.origin != now.origin:
        return f"it looks as if it began in {wording.named(now.origin)}"
    before = {(one.source, one.key): one.status for one in told.alerts}
    for one in now.alerts:
        if before.get((one.source, one.key)) is not one.status:
            return f"{one.source}: {' '.join(one.title.split())} is {one.status}"
    known = {one.key for one in told.findings}
    for finding in now.findings:
        if finding.key not in known and finding.rule in (Rule.METRIC, Rule.SILENT):
            return finding.why or f"{finding.service}: {finding.metric}"
    peak, peak_before = (max((one.peak for one in which.affected), default=0) for which in (now, told))
    return now.title if peak >= PEAK_TIMES * max(peak_before, 1) else ""


def _spread_words(incident: Incident) -> str:
    reasons = f" ({incident.origin_reasons[0]})" if incident.origin_reasons else ""
    return f"{len(incident.affected)} services in trouble together; likely origin: {incident.origin}{reasons}"


def _title(incident: Incident, rules: Rules) -> str:
    if incident.cascade and len(incident.affected) >= rules.cascade_services_min:
        return wording.cascade(incident.origin, incident.affected)
    first = incident.affected[0] if incident.affected else None
    title = _told_by(incident.trigger)
    if first is not None:
        own = [one for one in incident.findings if one.service == first.service]
        title = _told_by(own[0]) if own else title
        if any(one.rule in (Rule.FIXED, Rule.ADAPTIVE) for one in own) and first.peak:
            title = wording.elevated(first.service, first.peak, rules.window_seconds, first.usual)
    return wording.with_others(title, incident.services[1:])


def _told_by(finding: Finding) -> str:
    """A finding as a title; one about a metric says nothing of its service by itself."""
    if finding.rule is Rule.METRIC and finding.service:
        return f"{finding.service}: {finding.why or finding.metric}"
    return finding.why


def _quiet_since(
    incident: Incident, mine: list[Trouble], reopened_at: datetime | None, now: datetime, surprise_min: float
) -> datetime | None:
    """Since when nothing of the incident is in trouble any more; None while something is."""
    if any(not one.is_over for one in mine):
        return None
    ends = [moment(one.last + 1) for one in mine]
    for alert in incident.alerts:
        if alert.status is not Status.RESOLVED and now - incident.last_trouble_at < ALERT_STALE:
            return None
    for finding in incident.findings:
        if finding.rule is Rule.METRIC and finding.ended_at is None:
            # A weak one is evidence; it neither opens an incident nor keeps one open.
            if finding.surprise < surprise_min:
                continue
            if now - finding.seen_at < FINDING_STALE:
                return None
            ends.append(finding.seen_at)
        elif finding.ended_at is not None:
            ends.append(finding.ended_at)
    return min(max([incident.last_trouble_at, *ends, *([reopened_at] if reopened_at else [])]), now)


def _merged(old: Iterable[Finding], new: Iterable[Finding]) -> tuple[Finding, ...]:
    """Each finding once, in its latest telling; a new bout of the same kind takes the place of the last."""
    found = {one.key: one for one in old}
    for one in new:
        found[one.key] = one
    return tuple(found.values())


def _attach(trouble: Trouble, home: Incident) -> None:
    if trouble.incident == home.id:
        return
    moved = trouble.incident is not None
    trouble.incident = home.id
    if not moved:
        earlier = next((one for one in home.affected if one.service == trouble.name[1]), None)
        # An incident that this very trouble has opened holds nothing from before it.
        if earlier is not None and earlier.onset_at != moment(trouble.onset):
            trouble.before = earlier


def _with_alert(incident: Incident, alert: Alert, now: datetime, rules: Rules) -> Incident:
    others = [one for one in incident.alerts if (one.source, one.key) != (alert.source, alert.key)]
    alerts = (*others, alert)[-rules.alerts_per_incident_max :]
    last = alert.ended_at if alert.status is Status.RESOLVED and alert.ended_at else now
    affected = incident.affected
    if alert.service and alert.service not in incident.services and alert.status is Status.FIRING:
        affected = (*affected, Affected(alert.service, min(alert.started_at, now), now))
    return replace(
        incident, alerts=alerts, affected=affected, last_trouble_at=max(incident.last_trouble_at, min(last, now))
    )


def _with_finding(incident: Incident, finding: Finding, rules: Rules) -> Incident:
    findings = _merged(incident.findings, [finding])[: rules.findings_per_incident_max]
    last = max(incident.last_trouble_at, finding.seen_at)
    return replace(incident, findings=findings, last_trouble_at=last)


def _back(incident: Incident) -> Incident:
    """The same incident, open again."""
    return replace(
        incident,
        state=IncidentState.OPEN,
        quiet_since=None,
        closed_at=None,
        closed_by="",
        relapses=incident.relapses + 1,
    )


def _finding_of(space: str, alert: Alert, now: datetime) -> Finding:
    return Finding(
        space=space,
        service=alert.service,
        rule=Rule.ALERT,
        onset_at=min(alert.started_at, now),
        seen_at=now,
        value=1.0,
        expected=0.0,
        limit=1.0,
        unit="alert",
        metric=f"{alert.source}:{alert.key}",
        why=wording.alerted(alert),
    )


def _same_bout(incident: Incident, alert: Alert) -> bool:
    return any(
        (one.source, one.key, one.started_at) == (alert.source, alert.key, alert.started_at) for one in incident.alerts
    )


def _plain(title: str) -> str:
    return " ".join(title.casefold().split())
