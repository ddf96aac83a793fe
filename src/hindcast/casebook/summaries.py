"""Incidents at a glance: a short value for each, newest first, kept in memory and following history.

It is a view like every other: whatever it holds is read from history, by its steps, and can be thrown away at any
time. A list of ten thousand incidents is answered from here without reading a single record. A moment of the past is
read from history as it is asked for, which takes longer and is kept nowhere.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from enum import StrEnum
from typing import Any, TypeVar

import msgspec

from hindcast.casebook.layout import CASES, address_of
from hindcast.memory import Memory, View
from hindcast.model.answer import Moment
from hindcast.model.case import NAMESPACE as CASE_NAMESPACE
from hindcast.model.case import CaseState
from hindcast.model.ids import Address
from hindcast.model.incident import IncidentState
from hindcast.model.query import Filter
from hindcast.model.reading import ready
from hindcast.model.record import MAIN, Action, Record
from hindcast.model.signal import Severity

# Where detection's side of an incident is remembered, and as what.
INCIDENT_NAMESPACE = "incidents"
INCIDENT_KIND = "incident"
INCIDENTS = Filter(namespace=INCIDENT_NAMESPACE, kind=INCIDENT_KIND)

RECORDS_PER_PAGE = 1_000
# A summary is a glance; who wants to know more opens the incident.
TITLE_CHARS_MAX = 300
HEADLINE_CHARS_MAX = 200
SERVICES_MAX = 50
PEOPLE_MAX = 20
# Further behind than this, reading everything anew is quicker than reading every step.
STEPS_FOLLOWED_MAX = 2_000

Key = tuple[int, str]
Part = TypeVar("Part")
Lock = Callable[[], AbstractContextManager[Any]]
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Standing(StrEnum):
    """Where an incident stands: what whoever watches says while it lasts, what people said once it is over."""

    OPEN = "open"
    # Back to normal; somebody, or a rule, still has to say that it is over.
    AWAITING = "awaiting"
    RESOLVED = "resolved"
    DISMISSED = "dismissed"
    # It is part of another one, which goes on in its place.
    JOINED = "joined"


@dataclass(frozen=True, slots=True)
class Summary:
    """One incident at a glance: what detection saw and what people know, each as far as there is anything."""

    id: str
    title: str
    state: Standing
    severity: Severity | None
    services: tuple[str, ...]
    onset_at: datetime
    resolved_at: datetime | None
    minutes: float | None
    # The beginning of what is known; empty while nobody has said.
    cause: str
    fix: str
    # How many things were tried.
    attempts: int
    # Who dealt with it.
    who: tuple[str, ...]
    # The case that goes on in its place; empty: it stands for itself.
    joined_into: str
    # Of what is known and of what was seen; either is 0 where there is nothing.
    case_version: int
    detection_version: int

    @property
    def version(self) -> str:
        """Changes whenever anything about the incident does."""
        return f"{self.case_version}-{self.detection_version}"


@dataclass(frozen=True, slots=True)
class Wanted:
    """Which incidents count. Everything left out lets everything through."""

    states: frozenset[Standing] = frozenset()
    severities: frozenset[Severity] = frozenset()
    service: str = ""
    since: datetime | None = None
    until: datetime | None = None
    # Every word has to be part of the id, the title, a service, the cause, the fix or a name.
    text: str = ""


class Table:
    """The summaries of one space at one moment; it never changes."""

    def __init__(
        self,
        order: list[Key],
        rows: dict[str, tuple[Summary, str]],
        by_state: dict[Standing, list[Key]] | None = None,
    ) -> None:
        """`order` has the oldest first; a row is a summary with the words that can be looked for in it.

        The same order for each state is worked out where it is not given: of thousands, a few are under way, and those
        are what most people ask for.
        """
        self._order = order
        self._rows = rows
        self._by_state = by_state if by_state is not None else _by_state(order, rows)

    def __len__(self) -> int:
        return len(self._order)

    def find(self, incident_id: str) -> Summary | None:
        """One incident, or None."""
        row = self._rows.get(incident_id)
        return row[0] if row is not None else None

    def newest(self, wanted: Wanted = Wanted(), *, before: Key | None = None) -> Iterator[Summary]:  # noqa: B008
        """The incidents that count, the newest first, from below a place on."""
        order = self._order if len(wanted.states) != 1 else self._by_state[next(iter(wanted.states))]
        place = len(order) if before is None else bisect_left(order, before)
        if wanted.until is not None:
            place = min(place, bisect_left(order, (_microseconds(wanted.until), "")))
        first = 0 if wanted.since is None else bisect_left(order, (_microseconds(wanted.since), ""))
        # The longest word is the rarest, mostly: it alone decides about nearly all of them.
        rarest, *others = sorted(wanted.text.casefold().split(), key=len, reverse=True) or [""]
        rows = self._rows
        for number in range(place - 1, first - 1, -1):
            summary, sought = rows[order[number][1]]
            if rarest in sought and _counts(summary, wanted) and all(word in sought for word in others):
                yield summary

    def counts(self) -> dict[Standing, int]:
        """How many incidents stand where."""
        return {state: len(order) for state, order in self._by_state.items()}

    def altered(self, changes: Iterable[tuple[str, Summary | None]]) -> Table:
        """The same table with some incidents as they are now; None: it is gone."""
        order, rows = list(self._order), dict(self._rows)
        by_state = {state: list(places) for state, places in self._by_state.items()}
        for incident_id, summary in changes:
            known = rows.pop(incident_id, None)
            if known is not None:
                for places in (order, by_state[known[0].state]):
                    del places[bisect_left(places, place_of(known[0]))]
            if summary is not None:
                for places in (order, by_state[summary.state]):
                    insort(places, place_of(summary))
                rows[incident_id] = (summary, _sought(summary))
        return Table(order, rows, by_state)


def _by_state(order: Iterable[Key], rows: Mapping[str, tuple[Summary, str]]) -> dict[Standing, list[Key]]:
    found: dict[Standing, list[Key]] = {state: [] for state in Standing}
    for place in order:
        found[rows[place[1]][0].state].append(place)
    return found


EMPTY = Table([], {})


def place_of(summary: Summary) -> Key:
    """Where an incident stands in the order: when it began, and its id."""
    return _microseconds(summary.onset_at), summary.id


class Summaries:
    """The summaries of one space, following the history of its main branch."""

    def __init__(self, memory: Memory, *, lock: Lock = nullcontext) -> None:
        """`lock` makes what keeps two readers from doing the same work at once; without one they both do it."""
        self._memory = memory
        self._lock = lock()
        self._known: tuple[Moment, Table] | None = None

    def now(self) -> Table:
        """What is true now: reads only what was written since the last time."""
        with self._lock:
            head = self._memory.at(MAIN).moment
            known = self._known
            if known is not None and known[0].seq == head.seq:
                return known[1]
            table = self._followed(known, head) if known is not None else None
            if table is None:
                table = table_in(self._memory.at(head))
            self._known = (head, table)
            return table

    def __len__(self) -> int:
        return len(self._known[1]) if self._known is not None else 0

    def _followed(self, known: tuple[Moment, Table], head: Moment) -> Table | None:
        """The table with what came since; None when it has to be read anew."""
        before, table = known
        behind = head.seq - before.seq
        if not 0 < behind <= STEPS_FOLLOWED_MAX:
            return None
        commits = self._memory.log(None, before=head.seq + 1, commits_max=behind)
        # What was erased must leave this view too, and a comparison of two moments does not show it.
        if any(commit.action is Action.ERASE for commit in commits):
            return None
        difference = self._memory.diff(before, head)
        touched = [*difference.learned, *(one.after for one in difference.changed), *difference.forgotten]
        ids = {record.path for record in touched if _is_ours(record)}
        view = self._memory.at(head)
        return table.altered((one, summary_in(view, one)) for one in ids) if ids else table


def table_in(view: View) -> Table:
    """All summaries as a moment shows them."""
    seen = dict(_parts(view, INCIDENTS, _Seen))
    # A case is large while it is read, so that no more of them are held at once than a page has.
    made = [_summary(one, case, seen.pop(one, None)) for one, case in _parts(view, CASES, _Case)]
    made += [_summary(one, None, part) for one, part in seen.items()]
    rows = {summary.id: (summary, _sought(summary)) for summary in made if summary is not None}
    return Table(sorted(place_of(summary) for summary, _ in rows.values()), rows)


def summary_in(view: View, incident_id: str) -> Summary | None:
    """One incident at a glance as a moment shows it, or None."""
    return _summary(
        incident_id,
        _part(view.find(address_of(incident_id)), _Case),
        _part(view.find(Address(INCIDENT_NAMESPACE, incident_id)), _Seen),
    )


class _Said(msgspec.Struct):
    text: str = ""


class _Case(msgspec.Struct):
    """As much of a case as a glance needs; decoding all of it takes ten times as long."""

    title: str
    occurred_at: datetime
    state: CaseState = CaseState.OPEN
    services: tuple[str, ...] = ()
    cause: _Said | None = None
    resolution: _Said | None = None
    attempts: list[Any] = []
    resolved_at: datetime | None = None
    minutes: float | None = None
    severity: Severity | None = None
    responders: tuple[str, ...] = ()
    joined_into: str | None = None
    version: int = 0


class _Affected(msgspec.Struct):
    service: str = ""


class _Seen(msgspec.Struct):
    """As much of what detection saw as a glance needs."""

    title: str
    state: IncidentState
    onset_at: datetime
    severity: Severity
    affected: tuple[_Affected, ...] = ()
    quiet_since: datetime | None = None
    closed_at: datetime | None = None
    joined: str | None = None
    version: int = 0


def _parts(view: View, wanted: Filter, kind: type[Part]) -> Iterator[tuple[str, Part]]:
    after: str | None = None
    while True:
        page = view.list(wanted, after=after, records_max=RECORDS_PER_PAGE)
        for record in page.records:
            part = _part(record, kind)
            if part is not None:
                yield record.path, part
        after = page.next
        if after is None:
            return


def _part(record: Record | None, kind: type[Part]) -> Part | None:
    """What a glance needs of a record; None where there is none or something else."""
    if record is None or record.address.entry or not isinstance(record.body, dict):
        return None
    try:
        return msgspec.convert({**record.body, "version": record.version}, kind)
    except msgspec.ValidationError:
        return None


def _summary(incident_id: str, case: _Case | None, seen: _Seen | None) -> Summary | None:
    onset = seen.onset_at if seen is not None else case.occurred_at if case is not None else None
    if onset is None or onset.tzinfo is None:
        return None
    title = case.title if case is not None else seen.title if seen is not None else ""
    severity = seen.severity if seen is not None else case.severity if case is not None else None
    services = case.services if case is not None else tuple(one.service for one in seen.affected) if seen else ()
    ended = case.resolved_at if case is not None else (seen.quiet_since or seen.closed_at) if seen else None
    resolved_at = ended if ended is not None and ended.tzinfo is not None else None
    return Summary(
        incident_id,
        title[:TITLE_CHARS_MAX],
        standing(case.state if case is not None else None, seen.state if seen is not None else None)
        if case is None or not case.joined_into
        else Standing.JOINED,
        severity,
        services[:SERVICES_MAX],
        onset,
        resolved_at,
        _minutes(case, onset, resolved_at),
        headline(case.cause.text) if case is not None and case.cause is not None else "",
        headline(case.resolution.text) if case is not None and case.resolution is not None else "",
        len(case.attempts) if case is not None else 0,
        case.responders[:PEOPLE_MAX] if case is not None else (),
        (case.joined_into or "") if case is not None else (seen.joined or "") if seen is not None else "",
        case.version if case is not None else 0,
        seen.version if seen is not None else 0,
    )


def standing(case: CaseState | None, seen: IncidentState | None) -> Standing:
    """Where an incident stands, from what people said and what detection says; either may be missing."""
    if seen is IncidentState.JOINED:
        return Standing.JOINED
    if seen is not None and not seen.is_over and case in (None, CaseState.OPEN):
        return Standing(seen.value)
    if case is not None:
        return Standing(case.value)
    return Standing.DISMISSED if seen is IncidentState.DISMISSED else Standing.RESOLVED


def headline(text: str) -> str:
    """The first line of what somebody wrote, cut to a glance."""
    line = text.strip().partition("\n")[0].strip()
    return line if len(line) <= HEADLINE_CHARS_MAX else f"{line[: HEADLINE_CHARS_MAX - 1].rstrip()}…"


def _minutes(case: _Case | None, onset: datetime, resolved_at: datetime | None) -> float | None:
    if case is not None and case.minutes is not None:
        return case.minutes
    return max((resolved_at - onset).total_seconds() / 60, 0) if resolved_at is not None else None


def _counts(summary: Summary, wanted: Wanted) -> bool:
    return (
        (not wanted.states or summary.state in wanted.states)
        and (not wanted.severities or summary.severity in wanted.severities)
        and (not wanted.service or wanted.service in summary.services)
    )


def _sought(summary: Summary) -> str:
    parts = (summary.id, summary.title, *summary.services, summary.cause, summary.fix, *summary.who)
    return "\n".join(parts).casefold()


def _is_ours(record: Record) -> bool:
    return record.namespace in (CASE_NAMESPACE, INCIDENT_NAMESPACE) and not record.address.entry


def _microseconds(time: datetime) -> int:
    return (time - _EPOCH) // timedelta(microseconds=1)


ready(_Case, _Seen)
