"""Neighbours: a caller and what it calls, in trouble at the same time, are in it together.

Of several services that are noticed within one tick, the one that stands between two others may be placed last, and who
calls whom may be told only later. By then either side has an incident of its own, and they have to go on as one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from hindcast.detect import cascade
from hindcast.detect.book import Book
from hindcast.detect.trouble import Trouble, Troubles
from hindcast.model.incident import Incident, IncidentState


def apart(
    troubles: Troubles, graphs: Mapping[str, cascade.Graph], book: Book, *, join_seconds: int
) -> Iterator[list[Trouble]]:
    """All trouble of the incident of a caller and of that of what it calls, where both began and last together."""
    for caller, called in _pairs(troubles, graphs):
        ours, theirs = _home(caller, book), _home(called, book)
        if ours is None or theirs is None or ours.id == theirs.id:
            continue
        if _are_together(caller, called, join_seconds):
            yield [one for home in (theirs, ours) for one in troubles.of(home.space, home.id)]


def _pairs(troubles: Troubles, graphs: Mapping[str, cascade.Graph]) -> Iterator[tuple[Trouble, Trouble]]:
    """Every two services in trouble of which one calls the other."""
    for (space, service), caller in troubles.by_name.items():
        callees = graphs[space].callees.get(service, set()) if space in graphs else set()
        for callee in sorted(callees):
            called = troubles.by_name.get((space, callee))
            if called is not None:
                yield caller, called


def _home(trouble: Trouble, book: Book) -> Incident | None:
    """The open incident that trouble belongs to, unless it is one of a single failure that was split off."""
    found = book.find(trouble.name[0], trouble.incident) if trouble.incident else None
    return found if found is not None and found.state is IncidentState.OPEN and not found.failures else None


def _are_together(caller: Trouble, called: Trouble, join_seconds: int) -> bool:
    one, other = caller.bout(), called.bout()
    lead_seconds = abs((one.onset_at - other.onset_at).total_seconds())
    is_over = cascade.was_over(one, other.onset_at) or cascade.was_over(other, one.onset_at)
    return lead_seconds <= join_seconds and not is_over
