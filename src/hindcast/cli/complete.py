"""What the shell offers after a Tab: branches, snapshots, namespaces, cards. A completion that fails offers nothing."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

import typer

if TYPE_CHECKING:
    from hindcast.memory import Memory

# A list that scrolls off the screen completes nothing.
OFFERS_MAX = 200
ADDRESSES_READ_MAX = 2_000

Offer = tuple[str, str]


def branches(context: typer.Context, incomplete: str) -> list[Offer]:
    """Branches, each with why it was begun."""
    return _offers(context, incomplete, _branches)


def snapshots(context: typer.Context, incomplete: str) -> list[Offer]:
    """Snapshots, each with why it was taken."""
    return _offers(context, incomplete, _snapshots)


def moments(context: typer.Context, incomplete: str) -> list[Offer]:
    """Everything with a name that a read can be made at."""
    return _offers(context, incomplete, lambda memory: [*_branches(memory), *_snapshots(memory)])


def namespaces(context: typer.Context, incomplete: str) -> list[Offer]:
    """Namespaces, each with how many records it holds."""
    return _offers(context, incomplete, _namespaces)


def addresses(context: typer.Context, incomplete: str) -> list[Offer]:
    """Namespaces first, then the addresses inside the one that was chosen."""
    namespace, chosen, _ = incomplete.partition("/")
    if not chosen:
        return [(f"{name}/", count) for name, count in namespaces(context, incomplete)]
    return _offers(context, incomplete, lambda memory: _addresses(memory, namespace))


def cards(context: typer.Context, incomplete: str) -> list[Offer]:
    """Cards, each with what it proposes."""
    return _offers(context, incomplete, _cards)


def _cards(memory: Memory) -> list[Offer]:
    from hindcast.model.query import Filter

    page = memory.now().list(Filter(namespace="cards"), records_max=ADDRESSES_READ_MAX)
    return [(record.path, _line(record.text or "")) for record in page.records]


def _addresses(memory: Memory, namespace: str) -> list[Offer]:
    from hindcast.model.query import Filter

    page = memory.now().list(Filter(namespace=namespace), records_max=ADDRESSES_READ_MAX)
    return [(str(record.address), record.kind) for record in page.records]


def _branches(memory: Memory) -> list[Offer]:
    return [(branch.name, _line(branch.why)) for branch in memory.branches()]


def _snapshots(memory: Memory) -> list[Offer]:
    return [(snapshot.name, _line(snapshot.why)) for snapshot in memory.snapshots()]


def _namespaces(memory: Memory) -> list[Offer]:
    return [(name, f"{count} records") for name, count in memory.now().namespaces().items()]


def _line(text: str) -> str:
    return text.strip().partition("\n")[0]


def _offers(context: typer.Context, incomplete: str, find: Callable[[Memory], list[Offer]]) -> list[Offer]:
    try:
        with _opened(context) as memory:
            found = find(memory)
    # Half a command line may name a store that is not there; a shell must not show a traceback for that.
    except Exception:  # noqa: BLE001
        return []
    return [offer for offer in found if offer[0].startswith(incomplete)][:OFFERS_MAX]


@contextmanager
def _opened(context: typer.Context) -> Iterator[Memory]:
    from hindcast.build import open_memory
    from hindcast.config import read_settings

    said = {**context.find_root().params, **{key: value for key, value in context.params.items() if value}}
    file = said.get("config")
    settings = read_settings(
        {"store": said.get("store"), "space": said.get("space")}, file=Path(file) if file else None
    )
    memory = open_memory(settings, create=False)
    try:
        yield memory
    finally:
        memory.close()
