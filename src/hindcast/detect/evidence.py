"""Evidence and incidents: what an incident is with one more alert, finding or service in trouble."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from datetime import datetime, timedelta

from hindcast.detect import wording
from hindcast.detect.rules import Rules
from hindcast.detect.trouble import Trouble, moment
from hindcast.model.finding import Finding, Rule
from hindcast.model.incident import Affected, Incident, IncidentState
from hindcast.model.signal import Alert, Status

# An alert that its sender neither repeats nor resolves is taken to be over.
ALERT_STALE = timedelta(hours=6)
# The same for a finding about a metric.
FINDING_STALE = timedelta(minutes=15)
# A metric is judged by steps of a minute, and its onset is the beginning of one.
FINDING_LEAD = timedelta(minutes=2)


def quiet_since(
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
            if finding.surprise < surprise_min or is_earlier(finding, incident):
                continue
            if now - finding.seen_at < FINDING_STALE:
                return None
            ends.append(finding.seen_at)
        elif finding.ended_at is not None:
            ends.append(finding.ended_at)
    return min(max([incident.last_trouble_at, *ends, *([reopened_at] if reopened_at else [])]), now)


def merged(old: Iterable[Finding], new: Iterable[Finding]) -> tuple[Finding, ...]:
    """Each finding once, in its latest telling; a new bout of the same kind takes the place of the last."""
    found = {one.key: one for one in old}
    for one in new:
        found[one.key] = one
    return tuple(found.values())


def attach(trouble: Trouble, home: Incident) -> None:
    """Let trouble belong to an incident; what the incident already counted of its service stays counted."""
    if trouble.incident == home.id:
        return
    moved = trouble.incident is not None
    trouble.incident = home.id
    if not moved:
        earlier = next((one for one in home.affected if one.service == trouble.name[1]), None)
        # An incident that this very trouble has opened holds nothing from before it.
        if earlier is not None and earlier.onset_at != moment(trouble.onset):
            trouble.before = earlier


def with_alert(incident: Incident, alert: Alert, now: datetime, rules: Rules) -> Incident:
    """The incident with the latest telling of an alert."""
    others = [one for one in incident.alerts if (one.source, one.key) != (alert.source, alert.key)]
    alerts = (*others, alert)[-rules.alerts_per_incident_max :]
    last = alert.ended_at if alert.status is Status.RESOLVED and alert.ended_at else now
    affected = incident.affected
    if alert.service and alert.service not in incident.services and alert.status is Status.FIRING:
        affected = (*affected, Affected(alert.service, min(alert.started_at, now), now))
    return replace(
        incident, alerts=alerts, affected=affected, last_trouble_at=max(incident.last_trouble_at, min(last, now))
    )


def with_finding(incident: Incident, finding: Finding, rules: Rules) -> Incident:
    """The incident with the latest telling of a finding."""
    findings = merged(incident.findings, [finding])[: rules.findings_per_incident_max]
    last = incident.last_trouble_at if is_earlier(finding, incident) else max(incident.last_trouble_at, finding.seen_at)
    return replace(incident, findings=findings, last_trouble_at=last)


def is_earlier(finding: Finding, incident: Incident) -> bool:
    """Whether a finding is from before an incident: it is of other trouble, whose end is not the end of this."""
    return finding.onset_at < incident.onset_at - FINDING_LEAD


def back(incident: Incident) -> Incident:
    """The same incident, open again."""
    return replace(
        incident,
        state=IncidentState.OPEN,
        quiet_since=None,
        closed_at=None,
        closed_by="",
        relapses=incident.relapses + 1,
    )


def finding_of(space: str, alert: Alert, now: datetime) -> Finding:
    """An alert as a finding, for the incident that it opens."""
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


def same_bout(incident: Incident, alert: Alert) -> bool:
    """Whether an incident already knows this firing of the alert."""
    return any(
        (one.source, one.key, one.started_at) == (alert.source, alert.key, alert.started_at) for one in incident.alerts
    )


def plain(title: str) -> str:
    """A title as it is compared: two systems write the same one differently."""
    return " ".join(title.casefold().split())
