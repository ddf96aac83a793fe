"""Laws of the pure parts: canonical bytes, addresses, three-way joins, and moving a history elsewhere."""

from __future__ import annotations

import json
import os
import random
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta, timezone
from typing import TYPE_CHECKING, Any

import orjson
from hypothesis import given, settings
from hypothesis import strategies as st

from hindcast.memory import chain
from hindcast.memory.moments import clip, read_time
from hindcast.memory.three_way import ABSENT, SET_FIELDS, Value, differing, join, leaves
from hindcast.model.ids import Address, split_stored
from hindcast.model.record import Change, Json

if TYPE_CHECKING:
    from tests.conftest import Place

NOW = datetime(2026, 6, 1, tzinfo=UTC)

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
scalars = st.one_of(
    st.none(), st.booleans(), st.integers(-(2**63), 2**64 - 1), st.floats(allow_nan=False, allow_infinity=False), texts
)
values: st.SearchStrategy[Any] = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=4) | st.dictionaries(texts, inner, max_size=4), max_leaves=12
)
names = st.sampled_from(["a", "b", "tags", "attempts", "deep"])
items = st.one_of(st.integers(0, 3), st.fixed_dictionaries({"id": st.sampled_from("xyz"), "o": st.integers(0, 2)}))
objects: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.integers(0, 2), st.lists(items, max_size=3)),
    lambda inner: st.dictionaries(names, inner, max_size=4),
    max_leaves=8,
)
sides = st.one_of(st.just(ABSENT), objects)


def shuffled(value: Any, chance: random.Random) -> Any:
    """The same value with its keys in another order."""
    if isinstance(value, dict):
        keys = list(value)
        chance.shuffle(keys)
        return {key: shuffled(value[key], chance) for key in keys}
    return [shuffled(item, chance) for item in value] if isinstance(value, list) else value


def text_of(value: Value) -> str:
    """A value as text that tells 1, 1.0 and true apart."""
    return "absent" if value is ABSENT else json.dumps(value, sort_keys=True)


def loose(value: Any) -> Any:
    """A value in which lists are bags: what is left when the order of sets does not count."""
    if isinstance(value, dict):
        return {key: loose(inner) for key, inner in value.items()}
    return sorted(text_of(loose(item)) for item in value) if isinstance(value, list) else value


def joined(base: Value, ours: Value, theirs: Value) -> tuple[Value, list[str]]:
    """A join in which our side wins, and the fields that were disputed."""
    disputed: list[str] = []

    def settle(name: str, _base: Value, left: Value, _right: Value) -> Value:
        disputed.append(name)
        return left

    return join(base, ours, theirs, settle, sets=SET_FIELDS), disputed


@given(values)
def test_a_body_survives_being_written(value: Json) -> None:
    """What is encoded is decoded to the same value, type for type."""
    assert text_of(orjson.loads(chain.canonical(value))) == text_of(value)


@given(values, st.randoms(use_true_random=False))
def test_the_order_of_keys_does_not_count(value: Json, chance: random.Random) -> None:
    """The canonical bytes, and so the digest, are the same however an object was put together."""
    other = shuffled(value, chance)
    assert chain.canonical(value) == chain.canonical(other)
    assert chain.same(value, other)


@given(values, values)
def test_different_values_have_different_bytes(left: Json, right: Json) -> None:
    """Two bodies have the same bytes exactly when they are the same JSON."""
    assert (chain.canonical(left) == chain.canonical(right)) == (text_of(left) == text_of(right))


@given(st.binary(max_size=30), st.one_of(st.none(), texts), st.binary(min_size=16, max_size=16))
def test_a_digest_covers_body_text_and_salt(body: bytes, text: str | None, salt: bytes) -> None:
    """Changing any of the three changes the digest; no text and an empty text differ."""
    if b"\0" in body or (text and "\0" in text):
        return
    digest = chain.digest(body, text, salt)
    assert digest != chain.digest(body + b"x", text, salt)
    assert digest != chain.digest(body, (text or "") + "x", salt)
    assert digest != chain.digest(body, text, bytes([salt[0] ^ 1]) + salt[1:])
    assert chain.digest(body, None, salt) != chain.digest(body, "", salt)


@given(values)
def test_depth_counts_what_stands_inside(value: Json) -> None:
    """A list around a value is one level more, and brackets in its bytes are never fewer than its levels."""
    depth = chain.depth(value)
    written = chain.canonical(value)
    assert chain.depth([value]) == depth + 1
    assert written.count(b"[") + written.count(b"{") >= depth


segments = st.from_regex(r"[a-zA-Z0-9é日_/@:-]([a-z A-Z0-9é日/_-]{0,6}[a-z0-9])?", fullmatch=True)
addresses = st.builds(
    Address,
    st.from_regex(r"[\w@:+~-][\w@:+~.-]{0,10}", fullmatch=True),
    st.lists(segments, min_size=1, max_size=5).map(".".join),
    st.one_of(st.just(""), st.from_regex(r"[\w@:+~.-]{1,8}", fullmatch=True)),
)


@given(addresses)
def test_an_address_is_read_as_it_is_written(address: Address) -> None:
    """Writing and parsing an address gives the same address, also without checks."""
    assert Address.parse(str(address)) == address
    assert split_stored(str(address)) == address


@given(st.datetimes(datetime(1970, 1, 2), datetime(2200, 1, 1)), st.integers(-14, 14))  # noqa: DTZ001
def test_a_time_means_the_same_in_every_timezone(naive: datetime, hours: int) -> None:
    """Microseconds since 1970 do not depend on where a time was written, and ISO text is read back exactly."""
    when = naive.replace(tzinfo=UTC)
    there = when.astimezone(timezone(timedelta(hours=hours)))
    assert chain.microseconds(when) == chain.microseconds(there)
    assert read_time(there.isoformat(), NOW) == when
    assert read_time(naive.isoformat(), NOW) == when


@given(st.text(max_size=30))
def test_any_text_is_a_time_or_none(text: str) -> None:
    """Reading a time never raises, and what it gives has a timezone."""
    found = read_time(text, NOW)
    assert found is None or found.tzinfo is not None


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(0, 99)), max_size=4), st.integers(0, 99), st.integers(0, 99))
def test_clipping_is_going_back(scope: list[tuple[int, int]], first: int, second: int) -> None:
    """Going back twice is going back to the earlier of the two steps."""
    assert clip(clip(tuple(scope), first), second) == clip(tuple(scope), min(first, second))


@given(sides, sides)
def test_a_one_sided_edit_is_taken(base: Value, edited: Value) -> None:
    """What only one side changed is taken as it is, whichever side that was, and nothing is disputed."""
    assert joined(base, edited, base) == (edited, [])
    result, disputed = joined(base, base, edited)
    assert (text_of(result), disputed) == (text_of(edited), [])


@given(sides, sides)
def test_the_same_edit_twice_is_one_edit(base: Value, edited: Value) -> None:
    """Two sides that agree have nothing to dispute."""
    assert joined(base, edited, edited) == (edited, [])


@given(sides, sides, sides)
def test_a_join_without_conflict_does_not_depend_on_the_side(base: Value, ours: Value, theirs: Value) -> None:
    """Swapping the sides gives the same content up to the order of sets, and the same disputes."""
    one, disputed = joined(base, ours, theirs)
    other, swapped = joined(base, theirs, ours)
    assert sorted(disputed) == sorted(swapped)
    if not disputed:
        assert loose(one) == loose(other)


@given(sides, sides, sides)
def test_joining_again_changes_nothing_more(base: Value, ours: Value, theirs: Value) -> None:
    """Once joined, joining the same side on its own base again leaves the result as it is."""
    result, _ = joined(base, ours, theirs)
    again, disputed = joined(theirs, result, theirs)
    assert (text_of(again), disputed) == (text_of(result), [])


@given(sides, sides, sides)
def test_our_side_wins_only_what_is_disputed(base: Value, ours: Value, theirs: Value) -> None:
    """Without a dispute, every set-free field of the result is one that a side has."""
    result, disputed = joined(base, ours, theirs)
    if disputed or not isinstance(result, dict) or not isinstance(ours, dict) or not isinstance(theirs, dict):
        return
    for name, value in result.items():
        if not isinstance(value, dict | list):
            assert text_of(value) in (text_of(ours.get(name, ABSENT)), text_of(theirs.get(name, ABSENT)))


@given(objects, objects)
def test_differing_is_empty_exactly_for_the_same(left: Json, right: Json) -> None:
    """Two values differ in some field exactly when they are not the same JSON."""
    assert (differing(left, right) == ()) == (text_of(left) == text_of(right))
    assert set(differing(left, right)) == set(differing(right, left))
    assert set(differing(left, right)) <= set(leaves(left)) | set(leaves(right))


changes = st.lists(
    st.dictionaries(st.sampled_from(["n/a", "n/b", "m/c#1"]), values, min_size=1, max_size=3), min_size=1, max_size=5
)


def check_moved(place: Place, batches: Sequence[dict[str, Json]]) -> None:
    """Write batches, move them, compare."""
    token = os.urandom(5).hex()
    first, second = place.memory(f"law-{token}-a"), place.memory(f"law-{token}-b")
    for batch in batches:
        first.commit([Change(Address.parse(where), body) for where, body in batch.items()], actor="ana", why="because")
    lines = list(first.export())
    assert second.import_lines(lines) == len(batches)
    assert list(second.export())[1:] == lines[1:]
    assert second.now().every() == first.now().every()
    assert second.verify() == first.verify()
    assert second.verify().faults == ()
    place.close()


@settings(max_examples=30)
@given(batches=changes)
def test_a_moved_history_is_the_same_history(sqlite_place: Place, batches: Any) -> None:
    """Whatever was remembered, exporting and importing it gives the same lines, records and chain."""
    check_moved(sqlite_place, batches)


@settings(max_examples=10)
@given(batches=changes)
def test_a_moved_history_is_the_same_history_on_postgres(postgres_place: Place, batches: Any) -> None:
    """PostgreSQL keeps every body as exactly as SQLite does."""
    check_moved(postgres_place, batches)
