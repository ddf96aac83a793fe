"""Chooses the incidents that a count goes over: the newest that stand for themselves, and never more than a limit."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from hindcast.casebook.layout import CASES, Kept, address_of, readable
from hindcast.casebook.summaries import Standing, Summary, Wanted
from hindcast.memory import View
from hindcast.model.case import Case
from hindcast.model.query import Query
from hindcast.recall.keys import COMPONENT
from hindcast.toolbox.desk import Desk


@dataclass(frozen=True, slots=True)
class Chosen:
    """Incidents to count over, the newest first, and how many older ones were left out."""

    kept: tuple[Kept, ...]
    older: int = 0


def newest(
    desk: Desk, at: str, branch: str, *, wanted: Wanted, most: int, is_wanted: Callable[[Summary], bool] | None = None
) -> Chosen:
    """The newest incidents that count. Only those are read whole, however many there are."""
    found = [
        one.id
        for one in desk.table(at, branch).newest(wanted)
        if one.case_version and one.state is not Standing.JOINED and (is_wanted is None or is_wanted(one))
    ]
    return Chosen(read(desk.view(at, branch), found[:most]), max(len(found) - most, 0))


def read(view: View, ids: Iterable[str]) -> tuple[Kept, ...]:
    """What is known about these incidents at a moment; what cannot be read is left out."""
    found = (readable(view.find(address_of(one))) for one in ids)
    return tuple(kept for kept in found if kept is not None and not kept.joined_into)


def on_component(desk: Desk, view: View, names: frozenset[str]) -> frozenset[str]:
    """The ids of incidents of any of these components (in lower case)."""
    most = desk.memory.limits.hits_per_search_max
    keys = tuple(f"{COMPONENT}:{name}" for name in sorted(names))
    found = view.search(Query("", CASES, most, arms=("keys",), keys=keys)).hits
    if len(found) < most:
        return frozenset(hit.record.path for hit in found)
    # More than a search gives: then every case is looked at, which takes longer and leaves none out.
    every = (readable(record) for record in view.every(CASES))
    return frozenset(kept.case.id for kept in every if kept is not None and names & _components(kept.case))


def _components(case: Case) -> frozenset[str]:
    """What a case ran on, as people said it and as its words tell, in lower case."""
    return frozenset(name.casefold() for name in (*case.components, *case.clues.components))
