"""Erasing for legal duty: bodies leave every version on every branch, and the chain still says that they were there."""

from __future__ import annotations

from collections.abc import Sequence

from hindcast.memory.history import History, Step
from hindcast.model.answer import Erased
from hindcast.model.errors import Missing, Stale
from hindcast.model.ids import Address, split_stored
from hindcast.model.record import MAIN, Action, Branch, State
from hindcast.ports import Store, Writer


def erase(
    store: Store, history: History, where: Address, *, actor: str, why: str, below: bool, along: Sequence[Address] = ()
) -> Erased:
    """Blank every version of an address (a path means all its entries) by a commit that lists them.

    What is to go `along` with it, because it quotes it, is blanked by the same commit. Whoever calls this still has to
    remove the traces in files, and says whether that worked.
    """
    asked = [str(one) for one in (where, *along)]
    found = store.versions_of(asked, below=True)
    others = {(one.namespace, one.path) for one in along}
    meant = {
        number: record
        for number, record in store.records(found).items()
        if (record.namespace, record.path) in others or _is_meant(record.address, where, below=below)
    }
    held = {number: record for number, record in meant.items() if record.state is not State.ERASED}
    if not held:
        return _erased_before(store, where, sorted(meant))
    numbers, names = sorted(held), sorted({str(record.address) for record in held.values()})

    def blank(writer: Writer, _branch: Branch) -> None:
        if store.versions_of(asked, below=True) != found:
            raise Stale(f"{where} was written meanwhile.", field="address", remedy="Erase it again.")
        writer.blank(numbers)

    step = Step(actor, why, MAIN, Action.ERASE, detail={"versions": list(numbers), "addresses": list(names)})
    commit = history.commit([], step, check=blank)
    return Erased(commit, len(numbers), tuple(map(split_stored, names)), traces_gone=False)


def _is_meant(address: Address, where: Address, *, below: bool) -> bool:
    if address == where:
        return True
    is_under = address.path == where.path or (below and address.path.startswith(f"{where.path}."))
    return address.namespace == where.namespace and not where.entry and is_under


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
