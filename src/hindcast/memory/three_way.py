"""Joins two edits of one value, field by field. Pure: values in, values and conflicts out.

A field that one side left alone takes the other side's value. Fields that hold sets (attempts, evidence, tags) keep
what either side added and drop what either removed. What both sides changed differently goes to `settle`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from enum import Enum
from typing import Final

import orjson

from hindcast.memory.chain import same
from hindcast.model.record import Json


class _Absent(Enum):
    ABSENT = "absent"


# A field that is not there, which is something else than null.
ABSENT: Final = _Absent.ABSENT
Value = Json | _Absent

# Asked about a field that cannot be joined: base, ours, theirs in; the value to take out.
Settle = Callable[[str, Value, Value, Value], Value]

# Fields with these names hold sets wherever they stand: their order carries no meaning, and an item is there or not.
SET_FIELDS: Final = frozenset({"attempts", "evidence", "tags", "labels", "links", "responders", "services", "related"})


def equal(left: Value, right: Value) -> bool:
    """Whether two values are the same, absence included."""
    if left is ABSENT or right is ABSENT:
        return left is right
    return same(left, right)


def join(base: Value, ours: Value, theirs: Value, settle: Settle, *, field: str = "", sets: frozenset[str]) -> Value:
    """What both sides agree on, or what `settle` says where they do not."""
    if equal(ours, theirs) or equal(base, theirs):
        return ours
    if equal(base, ours):
        return theirs
    if isinstance(ours, Mapping) and isinstance(theirs, Mapping):
        before = base if isinstance(base, Mapping) else {}
        return _join_objects(before, ours, theirs, settle, field=field, sets=sets)
    if _is_list(ours) and _is_list(theirs) and field.rpartition(".")[2] in sets:
        before_items = base if _is_list(base) else ()
        return _join_sets(before_items, ours, theirs, settle, field=field, sets=sets)  # type: ignore[arg-type]
    return settle(field, base, ours, theirs)


def _is_list(value: Value) -> bool:
    return isinstance(value, list | tuple)


def _join_objects(
    base: Mapping[str, Json],
    ours: Mapping[str, Json],
    theirs: Mapping[str, Json],
    settle: Settle,
    *,
    field: str,
    sets: frozenset[str],
) -> Json:
    joined: dict[str, Json] = {}
    for name in dict.fromkeys((*ours, *theirs)):
        inner = f"{field}.{name}" if field else name
        value = join(
            base.get(name, ABSENT), ours.get(name, ABSENT), theirs.get(name, ABSENT), settle, field=inner, sets=sets
        )
        if value is not ABSENT:
            joined[name] = value
    return joined


def _join_sets(
    base: Sequence[Json],
    ours: Sequence[Json],
    theirs: Sequence[Json],
    settle: Settle,
    *,
    field: str,
    sets: frozenset[str],
) -> Json:
    keyed = _all_have_ids((*base, *ours, *theirs))
    before, left, right = (_by_key(side, keyed=keyed) for side in (base, ours, theirs))
    joined: list[Json] = []
    for key in dict.fromkeys((*left, *right)):
        value = join(
            before.get(key, ABSENT),
            left.get(key, ABSENT),
            right.get(key, ABSENT),
            settle,
            field=f"{field}[{key}]",
            sets=sets,
        )
        if value is not ABSENT:
            joined.append(value)
    return joined


def _all_have_ids(items: Iterable[Json]) -> bool:
    """Items that carry an id can change and still be the same item; others are what they say."""
    return all(isinstance(item, Mapping) and isinstance(item.get("id"), str) for item in items)


def _by_key(items: Sequence[Json], *, keyed: bool) -> dict[str, Json]:
    if keyed:
        return {str(item["id"]): item for item in items if isinstance(item, Mapping)}
    return {orjson.dumps(item, option=orjson.OPT_SORT_KEYS).decode(): item for item in items}


def leaves(value: Json, field: str = "") -> dict[str, Json]:
    """Every dotted field of a value with what it holds. Lists and empty objects count as one field."""
    if not isinstance(value, Mapping) or not value:
        return {field: value}
    found: dict[str, Json] = {}
    for name, inner in value.items():
        found.update(leaves(inner, f"{field}.{name}" if field else name))
    return found


def differing(before: Json, after: Json) -> tuple[str, ...]:
    """The dotted fields in which two values differ."""
    left, right = leaves(before), leaves(after)
    names = dict.fromkeys((*left, *right))
    return tuple(name for name in names if not equal(left.get(name, ABSENT), right.get(name, ABSENT)))
