"""Leaves of a structured file become settings: items have names, and a `name` with a `value` is one setting."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from hindcast.propose.settings.entry import Form, Setting
from hindcast.propose.settings.flow import Scalar
from hindcast.propose.settings.inner import assignment, inner

# What tells the item of a list from the others.
_LABELS = ("name", "key", "id")


@dataclass(frozen=True, slots=True)
class Leaf:
    """A value that was read, below names and numbers of items."""

    path: tuple[str | int, ...]
    key: Scalar | None
    value: Scalar
    document: int = 0


def settings_of_leaves(leaves: list[Leaf], form: Form) -> Iterator[Setting]:
    """The settings that leaves are."""
    labels, values = _items(leaves)
    scopes = _scopes(leaves)
    for leaf in leaves:
        path = tuple(labels.get(part, "") if isinstance(part, int) else part for part in leaf.path)
        plain = tuple(part for part in path if part)
        scope = scopes.get(leaf.document, ())
        *_, last = leaf.path
        if isinstance(last, int):
            # An item without a key: `- POOL_SIZE=50`, `- --workers=4`.
            yield from assignment(leaf.value, plain, form, scope)
            yield from inner(leaf.value, plain, scope)
            continue
        owner = leaf.path[-2] if len(leaf.path) > 1 else ""
        if isinstance(owner, int) and values.get(owner) is leaf.value:
            # What an item is called is no setting of it.
            continue
        if last == "value" and isinstance(owner, int) and owner in values and owner in labels:
            # `- name: POOL_SIZE` with `value: "50"` below it sets POOL_SIZE.
            key = values[owner]
            yield _setting(plain[:-1], leaf.value, key, form, scope)
            yield from inner(leaf.value, plain[:-1], scope)
            continue
        if not plain:
            continue
        yield _setting(plain, leaf.value, leaf.key, form, scope)
        yield from inner(leaf.value, plain, scope)


def _setting(path: tuple[str, ...], value: Scalar, key: Scalar | None, form: Form, scope: tuple[str, ...]) -> Setting:
    start, end = (key.start, key.end) if key is not None else (value.start, value.start)
    return Setting(path, value.text, value.start, value.end, form, value.quote, start, end, scope)


def _items(leaves: list[Leaf]) -> tuple[dict[int, str], dict[int, Scalar]]:
    """What the items of lists are called, and where that is written."""
    labels: dict[int, str] = {}
    written: dict[int, Scalar] = {}
    for leaf in leaves:
        if len(leaf.path) < 2 or leaf.path[-1] not in _LABELS:
            continue
        owner = leaf.path[-2]
        if isinstance(owner, int) and owner not in labels and leaf.value.text:
            labels[owner] = leaf.value.text
            written[owner] = leaf.value
    return labels, written


def _scopes(leaves: list[Leaf]) -> dict[int, tuple[str, ...]]:
    """The kind and the name of each document, where it is a manifest of Kubernetes."""
    kinds = {leaf.document: leaf.value.text for leaf in leaves if leaf.path == ("kind",)}
    names = {leaf.document: leaf.value.text for leaf in leaves if leaf.path == ("metadata", "name")}
    return {document: (kind, names.get(document, "")) for document, kind in kinds.items()}
