"""Erasing for legal duty: bodies leave every version on every branch, and the chain still says that they were there."""

from __future__ import annotations

from collections.abc import Sequence

from hindcast.memory.history import History, Step
from hindcast.model.answer import Erased
from hindcast.model.errors import Missing, Stale
from hindcast.model.ids import Address, split_stored
from hindcast.model.record import MAIN, Action, Branch, State
from hindcast.ports import Store, Writer


def erase(store: Store, history: History, where: Address, *, actor: str, why: str, below: bool) -> Erased:
    """Blank every version of an address (a path means all its entries) by a commit that lists them.

    Whoever calls this still has to remove the traces in files, and says whether that worked.
    """
    found = store.versions_of([str(where)], below=True)
    meant = {
        number: record
        for number, record in store.records(found).items()
        if record.address == where or (not where.entry and (below or record.path == where.path))
    }
    held = {number: record for number, record in meant.items() if record.state is not State.ERASED}
    if not held:
        return _erased_before(store, where, sorted(meant))
    numbers, names = sorted(held), sorted({str(record.address) for record in held.values()})

    def blank(writer: Writer, _branch: Branch) -> None:
        if store.versions_of([str(where)], below=True) != found:
            raise Stale(f"{where} was written meanwhile.", field="address", remedy="Erase it again.")
        writer.blank(numbers)

    step = Step(actor, why, MAIN, Action.ERASE, detail={"versions": list(numbers), "addresses": list(names)})
    commit = history.commit([], step, check=blank)
    return Erased(commit, len(numbers), tuple(map(split_stored, names)), traces_gone=False)


def _erased_before(store: Store, where: Address, numbers: Sequence[int]) -> Erased:
    """What was said when it was erased, for those who come again to remove the last traces."""
    said = [
        commit
        for commit in store.commits_of(Action.ERASE, after=0)
        if isinstance(commit.detail, dict) and not set(numbers).isdisjoint(commit.detail["versions"])
    ]
    if not said:
        raise Missing(f"Nothing is kept at {where}.", field="address", remedy="Check its spelling.")
    return Erased(said[-1], 0, (), traces_gone=False)
