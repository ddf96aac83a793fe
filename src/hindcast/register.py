"""The register of incidents: every step in an incident's life is a commit in the memory of its space.

Incidents are remembered like everything else, so their past can be read at any moment, and a restart finds those that
are not over where they were left. With each step goes what it teaches: the incident's case in the casebook.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterable, Iterator
from contextlib import nullcontext
from datetime import datetime, timedelta

from hindcast.casebook import Casebook
from hindcast.casebook.incident import carried_over, case_of
from hindcast.casebook.layout import address_of, change_of, readable, says_the_same
from hindcast.casebook.summaries import EMPTY, INCIDENT_KIND, INCIDENT_NAMESPACE, Lock, Summaries, Table
from hindcast.casebook.writing import write
from hindcast.ingest.fingerprint.grouping import Groups, read_rules
from hindcast.memory import Memory, View
from hindcast.model.errors import Missing
from hindcast.model.ids import Address
from hindcast.model.incident import Event, Incident, bare, from_json, to_json
from hindcast.model.query import Filter
from hindcast.model.record import Change

NAMESPACE = INCIDENT_NAMESPACE
KIND = INCIDENT_KIND
GROUPS = "groups"
GROUPING = "grouping"
ACTOR = "hindcast"
# Older than this, an incident that is not over will not be taken up again: nobody is waiting for it.
TAKEN_UP_WITHIN = timedelta(days=30)
INCIDENTS_PER_PAGE = 1_000
# What a restart reads it keeps little of. Read by the thousand, the rest would leave holes that are never given back;
# a store reads no fewer than this at once.
TAKEN_UP_PER_PAGE = 100
# Of all spaces together, a kilobyte or two for each; the spaces that nobody asked about for longest make room.
SUMMARIES_MAX = 200_000


class Register:
    """Incidents of all spaces. A memory is opened when its space is first asked for, and stays open."""

    def __init__(self, open_memory: Callable[..., Memory], *, lock: Lock = nullcontext) -> None:
        """`open_memory` opens a space by its name; asked with `create=False` it raises Missing where there is none.

        `lock` makes locks, for those who ask from several threads.
        """
        self._open_memory = open_memory
        self._memories: dict[str, Memory] = {}
        self._followed: OrderedDict[str, Summaries] = OrderedDict()
        self._lock, self._turn = lock, lock()

    def _memory(self, space: str) -> Memory:
        with self._turn:
            if space not in self._memories:
                self._memories[space] = self._open_memory(space)
            return self._memories[space]

    def remember(self, event: Event, *, actor: str = ACTOR) -> None:
        """Commit what an event made of its incident, and what there is to learn from it, as one step."""
        incident = event.incident
        change = Change(
            Address(NAMESPACE, incident.id),
            to_json(incident),
            KIND,
            text=_text(incident),
            occurred_at=incident.onset_at,
        )
        write(
            self._memory(incident.space),
            lambda view: [change, *_learnt(event, view)],
            actor=actor,
            why=event.why or f"The incident was {event.kind}.",
        )

    def memory(self, space: str) -> Memory:
        """The memory of a space."""
        return self._memory(space)

    def existing(self, space: str) -> Memory | None:
        """The memory of a space, or None where nobody has written one."""
        with self._turn:
            if space not in self._memories:
                try:
                    self._memories[space] = self._open_memory(space, create=False)
                except Missing:
                    return None
            return self._memories[space]

    def summaries(self, space: str) -> Table:
        """The incidents of a space at a glance, as they are now; none where nobody has written anything."""
        memory = self.existing(space)
        if memory is None:
            return EMPTY
        with self._turn:
            followed = self._followed.pop(space, None) or Summaries(memory, lock=self._lock)
            self._followed[space] = followed
            others = sum(map(len, self._followed.values())) - len(followed)
            while others > SUMMARIES_MAX:
                _, dropped = self._followed.popitem(last=False)
                others -= len(dropped)
        return followed.now()

    def casebook(self, space: str) -> Casebook:
        """What is known about the incidents of a space."""
        return Casebook(self._memory(space))

    def find(self, space: str, incident_id: str) -> Incident | None:
        """One incident as it stands, or None. A space that nobody has written to stays unwritten."""
        memory = self.existing(space)
        found = memory.now().find(Address(NAMESPACE, incident_id)) if memory is not None else None
        return from_json(found.body) if found is not None and isinstance(found.body, dict) else None

    def incident(self, space: str, incident_id: str) -> Incident:
        """One incident as it stands. Raises Missing when there is none."""
        found = self.find(space, incident_id)
        if found is None:
            raise Missing(
                f"There is no incident {incident_id!r}.",
                field="incident",
                remedy="`hindcast incident list` shows them.",
            )
        return found

    def incidents(self, space: str, *, since: datetime | None = None) -> tuple[Incident, ...]:
        """Incidents that began since a time, the newest first."""
        return _newest_first(self._read(space, since, INCIDENTS_PER_PAGE))

    def _read(self, space: str, since: datetime | None, per_page: int) -> Iterator[Incident]:
        wanted = Filter(namespace=NAMESPACE, kind=KIND, occurred_since=since)
        view, after = self._memory(space).now(), None
        while True:
            page = view.list(wanted, after=after, records_max=per_page)
            for record in page.records:
                if isinstance(record.body, dict):
                    yield from_json(record.body)
            after = page.next
            if after is None:
                return

    def groups(self, space: str) -> Groups:
        """What people joined and split among the failures of a space, in the order in which they said it."""
        found = self._memory(space).now().every(Filter(namespace=GROUPS, kind=GROUPING))
        return read_rules(record.body for record in sorted(found, key=lambda record: (record.seq, record.version)))

    def recent(self, space: str, *, now: datetime) -> tuple[Incident, ...]:
        """What a restart takes up: incidents that are not over, and those that a recurrence would be linked to.

        Of the latter without their evidence: there may be thousands, and history has it.
        """
        read = self._read(space, now - TAKEN_UP_WITHIN, TAKEN_UP_PER_PAGE)
        return _newest_first(bare(one) if one.state.is_over else one for one in read)

    def close(self) -> None:
        """Let go of the memories."""
        for memory in self._memories.values():
            memory.close()
        self._memories.clear()
        self._followed.clear()


def _newest_first(incidents: Iterable[Incident]) -> tuple[Incident, ...]:
    return tuple(sorted(incidents, key=lambda incident: incident.onset_at, reverse=True))


def _learnt(event: Event, view: View) -> list[Change]:
    """The changes to cases that an event makes; none when it says nothing new."""
    record = view.find(address_of(event.incident.id))
    known = readable(record)
    if record is not None and known is None:
        # Somebody wrote something else there. The incident itself is worth more than a quarrel about its case.
        return []
    case = case_of(event, known)
    home = readable(view.find(address_of(case.joined_into))) if case.joined_into else None
    is_new = known is None or known.joined_into != case.joined_into
    made = [case] if home is None else [case, carried_over(home, case.case, whole=is_new)]
    return [
        change_of(kept)
        for kept in made
        if (found := view.find(address_of(kept.case.id))) is None or not says_the_same(found, kept)
    ]


def _text(incident: Incident) -> str:
    """What a search reads of an incident: its words, not its numbers."""
    seen = [one.text for one in (*incident.fingerprints, *incident.templates)]
    lines = [exemplar.message for exemplar in incident.exemplars[:3]]
    return "\n".join([incident.title, *incident.services, *incident.reasons, *seen, *lines])[:20_000]
