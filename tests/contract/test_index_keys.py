"""The contract of the index's keys: whole values out of a record's body, found exactly at any moment and branch."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from hindcast.adapters.index_local import LocalIndex, words
from hindcast.adapters.index_local.text import KEY_CHARS_MAX, KEYS_PER_RECORD_MAX
from hindcast.memory import Memory
from hindcast.memory.search import KEYS_PER_QUERY_MAX
from hindcast.model.errors import Malformed
from hindcast.model.ids import Address
from hindcast.model.query import Query
from hindcast.model.record import Change, Json

if TYPE_CHECKING:
    from tests.conftest import Place

Opened = Callable[[], Memory]


@pytest.fixture
def opened(place: Place, tmp_path: Path) -> Opened:
    """Opens the test's space with an index in one and the same folder."""

    def open_one() -> Memory:
        store = place.store()
        return place.memory(store=store, index=LocalIndex(tmp_path / "index", store))

    return open_one


def put(memory: Memory, path: str, keys: Json, *, text: str | None = "something happened") -> None:
    """Write a record with these keys."""
    memory.commit(
        [Change(Address("cases", path), {"title": "x", "keys": keys}, kind="case", text=text)], actor="ana", why="seen"
    )


def found(memory: Memory, *keys: str, hits_max: int = 100) -> list[str]:
    """The paths that these keys find now, best first."""
    return [hit.record.path for hit in memory.now().search(Query("", keys=keys, hits_max=hits_max)).hits]


def test_a_key_is_found_whole_and_as_it_is_written(opened: Opened) -> None:
    """A key matches from its first to its last character, case included; a part of it matches nothing."""
    memory = opened()
    put(memory, "a", ["frame:pool.release", "id:ORA-12519 (listener)"])
    put(memory, "b", ["frame:pool"])

    assert found(memory, "frame:pool.release") == ["a"]
    assert found(memory, "id:ORA-12519 (listener)") == ["a"]
    assert found(memory, "frame:pool") == ["b"]
    assert found(memory, "id:ora-12519 (listener)", "frame:Pool", "pool", "frame:") == []


def test_a_rare_shared_key_counts_for_more_than_a_common_one(opened: Opened) -> None:
    """What few records hold tells more than what most hold, and sharing both tells most."""
    memory = opened()
    for number in range(8):
        put(memory, f"common{number}", ["svc:checkout"])
    put(memory, "rare", ["fp:0001"])
    put(memory, "both", ["fp:0001", "svc:checkout"])

    assert found(memory, "fp:0001", "svc:checkout")[:2] == ["both", "rare"]
    assert set(found(memory, "fp:0001", "svc:checkout")[2:]) == {f"common{number}" for number in range(8)}


def test_other_keys_of_a_record_neither_help_nor_hurt(opened: Opened) -> None:
    """A record with a hundred keys scores as one with a single key if they share the same; the newer comes first."""
    memory = opened()
    put(memory, "many", ["fp:0001", *(f"id:{number}" for number in range(100))])
    put(memory, "one", ["fp:0001", "fp:0001"])

    hits = memory.now().search(Query("", keys=("fp:0001",))).hits

    assert [hit.record.path for hit in hits] == ["one", "many"]
    assert hits[0].ranks["keys"].score == hits[1].ranks["keys"].score > 0
    assert [hit.ranks["keys"].place for hit in hits] == [1, 2]


@pytest.mark.parametrize(("sifted", "named"), [(10_000, 0), (0, 10_000), (0, 0)], ids=["all", "named", "more"])
def test_keys_find_the_same_as_looking_at_everything(
    opened: Opened, monkeypatch: pytest.MonkeyPatch, sifted: int, named: int
) -> None:
    """At every moment and on every branch keys rank exactly as adding up what each shared key tells would.

    So they do however the index singles out what may be seen: of all texts, by naming them, by asking for more.
    """
    monkeypatch.setattr(words, "SIFTED_TEXTS_MAX", sifted)
    monkeypatch.setattr(words, "NAMED_VERSIONS_MAX", named)
    memory = opened()
    rng = random.Random(9)
    names = [f"k{number}" for number in range(12)]
    holders: Counter[str] = Counter()
    versions = 0
    moments = []
    branches = ["main"]
    for step in range(60):
        changes: dict[str, list[Json]] = {}
        for _ in range(rng.randrange(1, 4)):
            changes[f"p{rng.randrange(25)}"] = list(rng.sample(names, rng.randrange(5)))
        moments.append(
            memory.commit(
                [Change(Address("cases", path), {"keys": keys}, text="x") for path, keys in changes.items()],
                actor="ana",
                why=f"step {step}",
                branch=rng.choice(branches),
            )
        )
        versions += len(changes)
        holders.update(str(key) for keys in changes.values() for key in keys)
        if step % 15 == 14:
            branches.append(f"side{step}")
            memory.branch(branches[-1], actor="ana", why="apart", start=rng.choice(moments))
    tells = {name: math.log(1 + (versions - holders[name] + 0.5) / (holders[name] + 0.5)) for name in names}

    for moment in rng.sample(moments, 20):
        view = memory.at(moment)
        asked = rng.sample(names, 3)
        expected = {}
        for record in view.every():
            assert isinstance(record.body, dict)
            shared = set(asked) & set(record.body["keys"])
            if shared:
                expected[record.version] = sum(tells[key] for key in shared)
        hits = view.search(Query("", keys=tuple(asked), hits_max=100)).hits
        order = sorted(expected, key=lambda version: (-round(expected[version], 4), -version))
        assert order == [hit.record.version for hit in hits]
        for hit in hits:
            assert expected[hit.record.version] == pytest.approx(hit.ranks["keys"].score, abs=1e-3)


@pytest.mark.parametrize(
    "keys", ["fp:0001", {"fp:0001": 1}, 7, None, [["fp:0001"]], ["x" * (KEY_CHARS_MAX + 1), "", 1, None, True]]
)
def test_what_is_no_list_of_strings_is_no_key(opened: Opened, keys: Json) -> None:
    """A body may hold anything under `keys`: what cannot be a key is passed over, and the record is found otherwise."""
    memory = opened()
    put(memory, "odd", keys)
    memory.put("team/list", ["fp:0001"], actor="ana", why="seen")
    memory.put("team/plain", "fp:0001", actor="ana", why="seen")
    put(memory, "good", [None, "fp:0001", 5])

    assert found(memory, "fp:0001", "1", "True", "None") == ["good"]
    assert {hit.record.path for hit in memory.now().search("happened").hits} == {"odd", "good"}


def test_the_first_keys_of_too_many_count(opened: Opened) -> None:
    """Of a list that is too long the first keys are taken, doubles and non-keys not counted."""
    memory = opened()
    wanted = [f"id:{number}" for number in range(KEYS_PER_RECORD_MAX + 1)]
    put(memory, "a", [3, *wanted[:5], *wanted])

    assert found(memory, wanted[0]) == ["a"]
    assert found(memory, wanted[KEYS_PER_RECORD_MAX - 1]) == ["a"]
    assert found(memory, wanted[KEYS_PER_RECORD_MAX]) == []


@pytest.mark.parametrize("text", ["something else", None])
def test_keys_are_not_words(opened: Opened, text: str | None) -> None:
    """A word that only stands in a key is not found as a word, whether or not the record has a text of its own."""
    memory = opened()
    put(memory, "a", ["frame:zanzibar"], text=text)

    assert memory.now().search("zanzibar").hits == ()
    assert found(memory, "frame:zanzibar") == ["a"]


def test_keys_take_part_when_there_are_some(opened: Opened) -> None:
    """Without arms named, words answer alone, and keys join them as soon as the question has some."""
    memory = opened()
    put(memory, "a", ["fp:0001"], text="redis pool")

    plain = memory.now().search(Query("redis"))
    keyed = memory.now().search(Query("redis", keys=("fp:0001",)))
    named = memory.now().search(Query("redis", keys=("fp:0001",), arms=("words",)))

    assert plain.arms == named.arms == ("words",)
    assert keyed.arms == ("words", "keys")
    assert set(keyed.hits[0].ranks) == {"words", "keys"}


def test_every_arm_scores_what_any_arm_found(opened: Opened) -> None:
    """When asked to, words score what keys found and the reverse; by default each tells only of its own best."""
    memory = opened()
    for number in range(40):
        put(memory, f"words{number}", [], text="redis redis pool")
        put(memory, f"keys{number}", ["fp:0001"], text="kafka lag and nothing else of note")
    put(memory, "both", ["fp:0001", "fp:0002"], text=f"one redis {'among many others ' * 30}")

    def ranks(scored_by_all: bool) -> set[str]:
        query = Query("redis", keys=("fp:0001", "fp:0002"), hits_max=10, scored_by_all=scored_by_all)
        return set(next(hit.ranks for hit in memory.now().search(query).hits if hit.record.path == "both"))

    assert ranks(False) == {"keys"}
    assert ranks(True) == {"keys", "words"}


def test_scores_by_all_are_the_scores_of_a_full_look(opened: Opened) -> None:
    """What an arm says of another's finds is what it would say if it were asked for everything."""
    memory = opened()
    rng = random.Random(3)
    for number in range(120):
        keys: list[Json] = list(rng.sample([f"k{at}" for at in range(20)], 4))
        put(memory, f"p{number}", keys, text=" ".join(rng.choices(["redis", "pool", "kafka", "lag", "disk"], k=8)))
    query = Query("redis lag", keys=("k1", "k2", "k3"), hits_max=10, scored_by_all=True)
    full = {
        arm: {
            hit.record.version: hit.ranks[arm]
            for hit in memory.now().search(Query(query.text, keys=query.keys, hits_max=1000, arms=(arm,))).hits
        }
        for arm in ("words", "keys")
    }

    hits = memory.now().search(query).hits

    assert len(hits) == 10
    for hit in hits:
        for arm, known in full.items():
            rank = known.get(hit.record.version)
            assert (rank and rank.score) == (hit.ranks[arm].score if arm in hit.ranks else None)


def test_erased_keys_leave_every_file(sqlite_place: Place, tmp_path: Path) -> None:
    """After an erasure no file of the index holds the keys of what was erased."""
    store = sqlite_place.store()
    memory = sqlite_place.memory(store=store, index=LocalIndex(tmp_path / "index", store))
    put(memory, "a", ["frame:zanzibar"])
    put(memory, "b", ["frame:other"])
    assert found(memory, "frame:zanzibar") == ["a"]

    memory.erase("cases/a", actor="dpo", why="duty")

    assert found(memory, "frame:zanzibar", "frame:other") == ["b"]
    for file in (tmp_path / "index").rglob("*"):
        assert not file.is_file() or b"zanzibar" not in file.read_bytes(), file


def test_an_index_of_an_older_make_is_made_anew(opened: Opened, tmp_path: Path) -> None:
    """A folder that an earlier release left behind is rebuilt from history, keys included."""
    memory = opened()
    put(memory, "a", ["fp:0001"])
    assert found(memory, "fp:0001") == ["a"]
    memory.close()
    marker = tmp_path / "index" / "followed"
    marker.write_text(marker.read_text().replace("[2,", "[", 1))
    leftover = tmp_path / "index" / "words" / "leftover"
    leftover.write_text("of an earlier release")

    assert found(opened(), "fp:0001") == ["a"]
    assert not leftover.exists()


@pytest.mark.parametrize(
    ("query", "field"),
    [
        (Query("", keys=()), "text"),
        (Query("x", keys=("k",) * (KEYS_PER_QUERY_MAX + 1)), "keys"),
        (Query("x", keys=("",)), "keys"),
        (Query("x", keys=("k" * (KEY_CHARS_MAX + 1),)), "keys"),
        (Query("x", keys=("half \ud83d",)), "keys"),
        (Query("x", keys=("zero \0",)), "keys"),
        (Query("x", arms=("tokens",)), "arms"),
    ],
)
def test_keys_that_make_no_sense_are_refused(opened: Opened, query: Query, field: str) -> None:
    """Too many keys, an empty, endless or unreadable one, and an arm that finds nothing by itself: each is named."""
    with pytest.raises(Malformed) as malformed:
        opened().now().search(query)

    assert malformed.value.field == field
    assert malformed.value.remedy
