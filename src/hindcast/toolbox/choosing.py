"""Chooses the incidents that a count goes over: the newest that stand for themselves, and never more than a limit."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from hindcast.casebook.layout import CASES, Kept, address_of, readable
from hindcast.casebook.summaries import Standing, Summary, Wanted
from hindcast.memory import View
from hindcast.model.case import Case
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


def on_component(view: View, names: frozenset[str]) -> dict[str, Kept]:
    """What is known about incidents of any of these components (in lower case), by id; every case is looked at."""
    every = (readable(record) for record in view.every(CASES))
    return {kept.case.id: kept for kept in every if kept is not None and names & components_of(kept.case)}


def components_of(case: Case) -> frozenset[str]:
    """What a case ran on, as people said it and as its words tell, in lower case."""
    return frozenset(name.casefold() for name in (*case.components, *case.clues.components))
