"""The book of incidents: which there are, what they are called, which one an older one leads to."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import datetime

from hindcast.detect.rules import Rules
from hindcast.model.errors import Malformed, Missing, Refused
from hindcast.model.finding import Finding, Rule
from hindcast.model.incident import Affected, Event, EventKind, Incident, IncidentState

# A space and the id of an incident in it.
Key = tuple[str, str]
# Incidents that are over are kept only to be named as previous ones.
OVER_KEPT_MAX = 10_000


class Book:
    """All incidents that are still of use, by space and id."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self.incidents: dict[Key, Incident] = {}
        # As they were told last.
        self.told: dict[Key, Incident] = {}
        self.told_at: dict[Key, datetime] = {}
        # When a person opened one again: quiet is counted from there.
        self.reopened_at: dict[Key, datetime] = {}
        self._joined: list[tuple[Key, str]] = []

    @property
    def active(self) -> list[Key]:
        """Those that are open or awaiting a word, oldest first."""
        return [key for key, one in self.incidents.items() if not one.state.is_over]

    def in_space(self, space: str) -> list[Incident]:
        """A space's incidents, those that are over included, the newest first."""
        return [one for one in reversed(self.incidents.values()) if one.space == space]

    def put(self, incident: Incident) -> None:
        """Keep an incident as it stands."""
        self.incidents[incident.space, incident.id] = incident

    def find(self, space: str, incident_id: str) -> Incident | None:
        """One incident, if it is known."""
        return self.incidents.get((space, incident_id))

    def get(self, incident_id: str, space: str | None) -> Incident:
        """One incident. Raises Missing, or Malformed when several spaces have one of that name."""
        found = [one for one in self.incidents.values() if one.id == incident_id and space in (None, one.space)]
        if not found:
            raise Missing(
                f"There is no incident {incident_id!r}.", field="incident", remedy="List the incidents and pick one."
            )
        if len(found) > 1:
            raise Malformed(
                f"{len(found)} spaces have an incident {incident_id!r}.", field="space", remedy="Say which space."
            )
        return found[0]

    def free_id(self, space: str, wanted: str) -> str:
        """An id that no incident of the space has."""
        found, number = wanted, 2
        while (space, found) in self.incidents:
            found, number = f"{wanted}-{number}", number + 1
        return found

    def previous(self, trigger: Finding, now: datetime) -> str | None:
        """The latest earlier incident that the same alert or metric opened, or that was as deaf.

        Counts say nothing of what failed: whether errors repeat an earlier incident is told by their evidence.
        """
        best: tuple[datetime, str] | None = None
        for one in self.in_space(trigger.space):
            last = one.closed_at or one.last_trouble_at
            is_recent = (now - last).total_seconds() <= self._rules.recurrence_seconds
            is_past = one.state in (IncidentState.CONFIRMED, IncidentState.AWAITING)
            if is_past and is_recent and _is_same_cause(one, trigger) and (best is None or last > best[0]):
                best = last, one.id
        return best[1] if best is not None else None

    def join(self, other: Incident, home: Incident, now: datetime) -> Incident:
        """Let one incident go on as a part of another; returns the other one with what it gained."""
        key = (other.space, other.id)
        self.incidents[key] = replace(
            other, state=IncidentState.JOINED, joined=home.id, closed_at=now, closed_by="rule", quiet_since=None
        )
        self._joined.append((key, home.id))
        known = set(home.services)
        gained: tuple[Affected, ...] = tuple(one for one in other.affected if one.service not in known)
        return replace(
            home,
            affected=(*home.affected, *gained),
            alerts=(*home.alerts, *other.alerts)[-self._rules.alerts_per_incident_max :],
            findings=(*home.findings, *other.findings)[: self._rules.findings_per_incident_max],
            previous=home.previous or other.previous,
        )

    def take_joined(self, now: datetime) -> Iterator[Event]:
        """Tell of every incident that went on in another since the last time. Those never told of are just gone."""
        joined, self._joined = self._joined, []
        for key, home in joined:
            if key in self.told:
                self.told[key] = self.incidents[key]
                yield Event(EventKind.JOINED, now, self.incidents[key], f"it is part of {home}")
            else:
                del self.incidents[key]

    def close(self, incident: Incident, state: IncidentState, *, by: str, now: datetime) -> Incident:
        """End an incident by somebody's word. Raises Refused when it is already over."""
        if not by.strip():
            raise Malformed("Nobody is named.", field="by", remedy="Say who closes it.")
        self._check_not_joined(incident)
        if incident.state.is_over:
            raise Refused(
                f"{incident.id} is already {incident.state}.",
                field="incident",
                remedy="Reopen it first if it is not over.",
            )
        closed = replace(incident, state=state, closed_at=now, closed_by=by)
        self._tell(closed)
        return closed

    def reopen(self, incident: Incident, *, by: str, now: datetime) -> Incident:
        """Open an incident again by somebody's word. Raises Refused when it is open, or another one has taken over."""
        if not by.strip():
            raise Malformed("Nobody is named.", field="by", remedy="Say who reopens it.")
        self._check_not_joined(incident)
        if incident.state is IncidentState.OPEN:
            raise Refused(f"{incident.id} is open.", field="incident", remedy="There is nothing to reopen.")
        for other in self.in_space(incident.space):
            if other.state is IncidentState.OPEN and set(other.services) & set(incident.services):
                raise Refused(
                    f"{other.id} is open for the same service.",
                    field="incident",
                    remedy=f"Work with {other.id} instead.",
                )
        opened = replace(
            incident,
            state=IncidentState.OPEN,
            closed_at=None,
            closed_by="",
            quiet_since=None,
            relapses=incident.relapses + 1,
        )
        self.reopened_at[incident.space, incident.id] = now
        self._tell(opened)
        return opened

    def forget(self, now: datetime) -> set[Key]:
        """Drop what is over for so long that nothing can be its recurrence any more; says which that was."""
        over = [key for key, one in self.incidents.items() if one.state.is_over]
        old = [key for key in over if self._is_old(self.incidents[key], now)]
        spare = over[: max(0, len(over) - OVER_KEPT_MAX)]
        gone = {*old, *spare}
        for key in gone:
            del self.incidents[key]
            self.told.pop(key, None)
            self.told_at.pop(key, None)
            self.reopened_at.pop(key, None)
        return gone

    def _is_old(self, incident: Incident, now: datetime) -> bool:
        last = incident.closed_at or incident.last_trouble_at
        return (now - last).total_seconds() > self._rules.recurrence_seconds

    def _tell(self, incident: Incident) -> None:
        self.put(incident)
        self.told[incident.space, incident.id] = incident

    def _check_not_joined(self, incident: Incident) -> None:
        if incident.state is IncidentState.JOINED:
            raise Refused(
                f"{incident.id} is part of {incident.joined}.", field="incident", remedy=f"Work with {incident.joined}."
            )


def _is_same_cause(incident: Incident, trigger: Finding) -> bool:
    if trigger.rule is Rule.DEAF:
        return incident.rule is Rule.DEAF
    known = incident.trigger
    return bool(trigger.metric) and (known.rule, known.metric, known.service) == (
        trigger.rule,
        trigger.metric,
        trigger.service,
    )
