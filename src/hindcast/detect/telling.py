"""What is worth telling of an incident: its title, and what differs from what was told before."""

from __future__ import annotations

from collections.abc import Iterator

from hindcast.detect import wording
from hindcast.detect.rules import Rules
from hindcast.model.finding import Finding, Rule
from hindcast.model.incident import EventKind, Incident, IncidentState, Sighting

# A peak is told again when it is that many times the one told before.
PEAK_TIMES = 4


def differences(told: Incident | None, now: Incident) -> Iterator[tuple[EventKind, str]]:
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
    known_failures = {one.id for one in told.new_failures}
    for failure in now.new_failures:
        if failure.id not in known_failures:
            return wording.new_since(failure)
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


def title(incident: Incident, rules: Rules, leading: Sighting | None = None) -> str:
    """What an incident is called as it stands: its leading failure where that is known, else what was counted.

    It is the one place that makes titles, so that what Hindcast has written can be told from what people wrote.
    """
    first = incident.affected[0] if incident.affected else None
    own = [one for one in incident.findings if first is not None and one.service == first.service]
    is_loud = first is not None and bool(first.peak) and any(one.rule in (Rule.FIXED, Rule.ADAPTIVE) for one in own)
    if incident.cascade and len(incident.affected) >= rules.cascade_services_min:
        return wording.cascade(incident.origin, incident.affected, leading.text if leading is not None else "")
    title = told_by(own[0] if own else incident.trigger)
    if first is not None and is_loud:
        title = wording.elevated(first.service, first.peak, rules.window_seconds, first.usual)
        if leading is not None and leading.text:
            title = wording.failing(first.service, leading.text)
    return wording.with_others(title, incident.services[1:])


def told_by(finding: Finding) -> str:
    """A finding as a title; one about a metric says nothing of its service by itself."""
    if finding.rule is Rule.METRIC and finding.service:
        return f"{finding.service}: {finding.why or finding.metric}"
    return finding.why
