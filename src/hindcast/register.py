"""The register of incidents: every step in an incident's life is a commit in the memory of its space.

Incidents are remembered like everything else, so their past can be read at any moment, and a restart finds those that
are not over where they were left.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta

from hindcast.ingest.fingerprint.grouping import Groups, read_rules
from hindcast.memory import Memory
from hindcast.model.errors import Missing
from hindcast.model.ids import Address
from hindcast.model.incident import Event, Incident, from_json, to_json
from hindcast.model.query import Filter
from hindcast.model.record import Change

NAMESPACE = "incidents"
KIND = "incident"
GROUPS = "groups"
GROUPING = "grouping"
ACTOR = "hindcast"
# Older than this, an incident that is not over will not be taken up again: nobody is waiting for it.
TAKEN_UP_WITHIN = timedelta(days=30)
INCIDENTS_PER_PAGE = 1_000


class Register:
    """Incidents of all spaces. A memory is opened when its space is first asked for, and stays open."""

    def __init__(self, open_memory: Callable[[str], Memory]) -> None:
        self._open_memory = open_memory
        self._memories: dict[str, Memory] = {}

    def _memory(self, space: str) -> Memory:
        if space not in self._memories:
            self._memories[space] = self._open_memory(space)
        return self._memories[space]

    def remember(self, event: Event, *, actor: str = ACTOR) -> None:
        """Commit what an event made of its incident."""
        incident = event.incident
        change = Change(
            Address(NAMESPACE, incident.id),
            to_json(incident),
            KIND,
            text=_text(incident),
            occurred_at=incident.onset_at,
        )
        self._memory(incident.space).commit([change], actor=actor, why=event.why or f"The incident was {event.kind}.")

    def incident(self, space: str, incident_id: str) -> Incident:
        """One incident as it stands."""
        found = self._memory(space).now().find(Address(NAMESPACE, incident_id))
        if found is None or not isinstance(found.body, dict):
            raise Missing(
                f"There is no incident {incident_id!r}.", field="incident", remedy="`hindcast incidents` lists them."
            )
        return from_json(found.body)

    def incidents(self, space: str, *, since: datetime | None = None) -> tuple[Incident, ...]:
        """Incidents that began since a time, the newest first."""
        wanted = Filter(namespace=NAMESPACE, kind=KIND, occurred_since=since)
        view, after = self._memory(space).now(), None
        found: list[Incident] = []
        while True:
            page = view.list(wanted, after=after, records_max=INCIDENTS_PER_PAGE)
            found += [from_json(record.body) for record in page.records if isinstance(record.body, dict)]
            after = page.next
            if after is None:
                return tuple(sorted(found, key=lambda incident: incident.onset_at, reverse=True))

    def groups(self, space: str) -> Groups:
        """What people joined and split among the failures of a space, in the order in which they said it."""
        found = self._memory(space).now().every(Filter(namespace=GROUPS, kind=GROUPING))
        return read_rules(record.body for record in sorted(found, key=lambda record: (record.seq, record.version)))

    def recent(self, space: str, *, now: datetime) -> tuple[Incident, ...]:
        """What a restart takes up: incidents that are not over, and those that a recurrence would be linked to."""
        return self.incidents(space, since=now - TAKEN_UP_WITHIN)

    def close(self) -> None:
        """Let go of the memories."""
        for memory in self._memories.values():
            memory.close()
        self._memories.clear()


def _text(incident: Incident) -> str:
    """What a search reads of an incident: its words, not its numbers."""
    seen = [one.text for one in (*incident.fingerprints, *incident.templates)]
    lines = [exemplar.message for exemplar in incident.exemplars[:3]]
    return "\n".join([incident.title, *incident.services, *incident.reasons, *seen, *lines])[:20_000]
