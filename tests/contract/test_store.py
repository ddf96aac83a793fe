"""The contract of `ports.Store`, held by SQLite files and by a real PostgreSQL: one suite for both."""

from __future__ import annotations

import random
import sqlite3
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import psycopg
import pytest
from sqlalchemy import create_engine, inspect, text
from sqlalchemy.engine import URL, make_url

from hindcast.adapters.store_sql import SqlStore, open_store
from hindcast.adapters.store_sql import engine as engines
from hindcast.adapters.store_sql.engine import check_space, configure_sqlite, migrate, migrations, postgres_engine
from hindcast.adapters.store_sql.tables import metadata
from hindcast.memory import chain
from hindcast.model.errors import Malformed, Missing, Refused, Unavailable
from hindcast.model.query import EVERYTHING, Filter
from hindcast.model.record import SEQ_MAX, Action, Branch, Commit, Record, Scope, Snapshot, State
from hindcast.ports import Row, Writer

if TYPE_CHECKING:
    from tests.conftest import Place, Postgres

AT = datetime(2026, 1, 1, tzinfo=UTC)
MAIN: Scope = ((1, SEQ_MAX),)
LIVE = (State.LIVE,)
EVERY_STATE = tuple(State)
# Row-level security guards these; `space` itself only lists names.
GUARDED = ("branch", "commit", "version", "snapshot", "vector")


def branch(number: int, name: str, parent: str | None = None, fork_seq: int = 0) -> Branch:
    """A branch that has nothing of its own yet."""
    return Branch(number, name, parent, fork_seq, fork_seq, None, AT, "ana", "because")


def begin(store: SqlStore, *others: Branch) -> None:
    """Make main and other branches."""
    with store.write() as writer:
        for made in (branch(1, "main"), *others):
            writer.add_branch(made, b"seal of " + made.name.encode())


# What a test writes to an address: a body, or the state that ends it.
Written = bytes | State


def append(
    writer: Writer,
    name: str,
    content: dict[str, Written],
    *,
    commit_id: str | None = None,
    action: Action = Action.COMMIT,
    at: datetime | None = None,
    actor: str = "ana",
    kind: str = "fact",
    occurred_at: datetime | None = None,
) -> Commit:
    """Write one commit as `Memory` would, without its checks and seals."""
    tip, on = writer.tip(), writer.branch(name)
    when = at or AT + timedelta(hours=tip.seq)
    replaced = writer.current(on.number, list(content))
    rows = [
        Row(
            id=number,
            branch=on.number,
            address=address,
            kind=kind,
            state=int(written if isinstance(written, State) else State.LIVE),
            from_seq=tip.seq + 1,
            body=None if isinstance(written, State) else written,
            text=None,
            occurred_us=chain.microseconds(occurred_at or when),
            origin=None,
            replaces=replaced.get(address),
            salt=b"salt",
            digest=b"digest",
        )
        for number, (address, written) in enumerate(content.items(), tip.version + 1)
    ]
    commit = Commit(
        seq=tip.seq + 1,
        id=commit_id or f"{tip.seq + 1:064x}",
        branch=name,
        parent=on.head,
        merge_parent=None,
        at=when,
        actor=actor,
        why="because",
        action=action,
        detail={"step": tip.seq + 1},
        first_version=tip.version + 1,
        last_version=tip.version + len(rows),
    )
    writer.append(commit, on, None, rows)
    return commit


def write(store: SqlStore, name: str, content: dict[str, Written]) -> Commit:
    """Write one commit in a transaction of its own."""
    with store.write() as writer:
        return append(writer, name, content)


def addresses(records: Sequence[Record]) -> list[str]:
    """Where records live."""
    return [str(record.address) for record in records]


# --- Writing ------------------------------------------------------------------------------------------------------


def test_an_empty_space_answers_every_question(store: SqlStore) -> None:
    """A space in which nothing was written has a tip at step 0 and nothing else."""
    assert store.tip().seq == store.tip().version == 0
    assert store.tip().id is None
    assert store.tip().at is None
    assert store.branches() == []
    assert store.snapshots() == []
    assert store.seals() == {}
    assert store.get(MAIN, "n/p") is None
    assert store.get_many(MAIN, ["n/p"]) == {}
    assert store.get_many(MAIN, []) == {}
    assert store.page(MAIN, EVERYTHING, after="", records_max=10, states=LIVE) == []
    assert store.count(MAIN, EVERYTHING) == {}
    assert store.commits(None, before=SEQ_MAX, after=0, commits_max=10) == []
    assert list(store.rows(after=0)) == []
    assert store.touched([]) == []
    assert store.seq_at(AT) == 0
    assert store.integrity() == []


def test_a_commit_comes_back_as_it_was_written(store: SqlStore) -> None:
    """A commit, its versions and the moved head are read back exactly."""
    begin(store)
    first = write(store, "main", {"n/a": b'{"x":1}', "n/b": b"null"})
    second = write(store, "main", {"n/a": b'{"x":2}', "n/b": State.RETRACTED})

    assert store.commit(first.id) == first
    assert store.commit(second.id) == second
    assert second.parent == first.id
    assert [found.head for found in store.branches()] == [second.id]
    assert store.tip().id == second.id
    assert store.tip().at == second.at
    assert store.tip().version == 4
    record = store.get(MAIN, "n/a")
    assert record is not None
    assert (record.body, record.commit, record.seq, record.version) == ({"x": 2}, second.id, 2, 3)
    assert (record.learned_at, record.occurred_at, record.actor) == (second.at, second.at, "ana")
    gone = store.get(MAIN, "n/b")
    assert gone is not None
    assert gone.state is State.RETRACTED


def test_rows_come_back_as_they_were_written(store: SqlStore) -> None:
    """Stored versions keep every byte: body, text, salt, digest and what they replace."""
    begin(store)
    write(store, "main", {"n/a": b'"\xc3\xa9\\u0000"', "n/b": b"[]"})
    write(store, "main", {"n/a": State.ARCHIVED})

    rows = list(store.rows(after=0))

    assert [row.id for row in rows] == [1, 2, 3]
    assert [row.body for row in rows] == [b'"\xc3\xa9\\u0000"', b"[]", None]
    assert [row.replaces for row in rows] == [None, None, 1]
    assert rows[2].state == State.ARCHIVED
    assert {row.salt for row in rows} == {b"salt"}
    assert {row.digest for row in rows} == {b"digest"}
    assert [row.id for row in store.rows(after=1)] == [2, 3]
    assert [row.id for row in store.rows(after=0, until=2)] == [1, 2]


def test_a_failed_transaction_leaves_nothing(store: SqlStore) -> None:
    """When anything fails inside `write`, neither commit nor versions nor branch stay."""
    begin(store)
    write(store, "main", {"n/a": b"1"})

    def half_way() -> None:
        with store.write() as writer:
            append(writer, "main", {f"n/{number}": b"2" for number in range(50)})
            writer.add_branch(branch(2, "fix", "main", 1), b"s")
            raise Unavailable("The power went.", remedy="Wait.")

    with pytest.raises(Unavailable):
        half_way()

    assert store.tip().seq == 1
    assert len(list(store.rows(after=0))) == 1
    assert [found.name for found in store.branches()] == ["main"]


def test_readers_do_not_see_what_is_not_committed(store: SqlStore) -> None:
    """Until a transaction ends, everybody else reads what was there before."""
    begin(store)
    with store.write() as writer:
        append(writer, "main", {"n/a": b"1"})

        assert writer.tip().seq == 1
        assert store.tip().seq == 0
        assert store.get(MAIN, "n/a") is None

    assert store.tip().seq == 1


def test_writers_wait_for_one_another(place: Place) -> None:
    """Two stores on one space never write at the same time: the steps are numbered without gaps or doubles."""
    stores = [place.store() for _ in range(4)]
    begin(stores[0])

    def work(store: SqlStore) -> None:
        for number in range(10):
            write(store, "main", {f"n/{number}": b"1"})

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, stores))

    commits = stores[0].commits(None, before=SEQ_MAX, after=0, commits_max=100, oldest_first=True)
    assert [commit.seq for commit in commits] == list(range(1, 41))
    assert [row.id for row in stores[0].rows(after=0)] == list(range(1, 41))


def test_many_threads_write_through_one_store(store: SqlStore) -> None:
    """More writing threads than there are connections all finish, though each also reads while it writes."""
    begin(store)

    def work(number: int) -> None:
        with store.write() as writer:
            assert store.get_many(MAIN, ["n/a"]) is not None
            append(writer, "main", {f"n/{number}": b"1"})

    with ThreadPoolExecutor(40) as pool:
        list(pool.map(work, range(80)))

    assert store.tip().seq == 80


def test_a_locked_space_is_unavailable(place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """A writer that never gets its turn is told so, and reading goes on meanwhile."""
    monkeypatch.setattr(engines, "LOCK_WAIT_MS_MAX", 200)
    holder, waiting = place.store(), place.store()
    begin(holder)
    with holder.write() as writer:
        append(writer, "main", {"n/a": b"1"})
        with pytest.raises(Unavailable, match="locked"), waiting.write():
            pass
        assert waiting.tip().seq == 0

    assert waiting.tip().seq == 1
    write(waiting, "main", {"n/a": b"2"})


def test_a_writer_asks_only_its_own_branch(store: SqlStore) -> None:
    """`current` names the newest version on the very branch, never a parent's."""
    begin(store)
    write(store, "main", {"n/a": b"1", "n/b": b"1"})
    write(store, "main", {"n/a": b"2"})
    with store.write() as writer:
        writer.add_branch(branch(2, "fix", "main", 2), b"s")
        append(writer, "fix", {"n/b": b"3"})

        assert writer.current(1, ["n/a", "n/b", "n/c"]) == {"n/a": 3, "n/b": 2}
        assert writer.current(2, ["n/a", "n/b"]) == {"n/b": 4}
        assert writer.current(2, []) == {}


def test_an_unknown_branch_is_missing(store: SqlStore) -> None:
    """A writer asked for a branch that nobody began says so."""
    begin(store)
    with pytest.raises(Missing, match="nowhere"), store.write() as writer:
        writer.branch("nowhere")


# --- Reading at a scope -------------------------------------------------------------------------------------------


def family(store: SqlStore) -> None:
    """Main with two steps, a branch after the first, a branch of that branch, and later steps on main."""
    begin(store)
    write(store, "main", {"n/a": b'"main1"', "n/b": b'"main1"'})
    with store.write() as writer:
        writer.add_branch(branch(2, "fix", "main", 1), b"s")
    write(store, "main", {"n/a": b'"main2"', "n/c": b'"main2"'})
    write(store, "fix", {"n/b": b'"fix3"', "n/d": b'"fix3"'})
    with store.write() as writer:
        writer.add_branch(branch(3, "deep", "fix", 3), b"s")
    write(store, "deep", {"n/d": State.RETRACTED, "m/e": b'"deep4"'})
    write(store, "main", {"n/b": b'"main5"'})


FAMILY: dict[str, tuple[Scope, dict[str, str]]] = {
    "main now": (MAIN, {"n/a": "main2", "n/b": "main5", "n/c": "main2"}),
    "main at step 1": (((1, 1),), {"n/a": "main1", "n/b": "main1"}),
    "main before everything": (((1, 0),), {}),
    "fix now": (((2, SEQ_MAX), (1, 1)), {"n/a": "main1", "n/b": "fix3", "n/d": "fix3"}),
    "fix before it wrote": (((2, 2), (1, 1)), {"n/a": "main1", "n/b": "main1"}),
    "deep now": (((3, SEQ_MAX), (2, 3), (1, 1)), {"m/e": "deep4", "n/a": "main1", "n/b": "fix3"}),
}


@pytest.mark.parametrize("name", FAMILY)
def test_a_scope_sees_the_nearest_branch(store: SqlStore, name: str) -> None:
    """Through forks of forks, every read gives the nearest branch's newest version up to its step."""
    family(store)
    scope, expected = FAMILY[name]

    live = store.page(scope, EVERYTHING, after="", records_max=100, states=LIVE)
    assert {str(record.address): record.body for record in live} == expected
    assert addresses(live) == sorted(expected)
    everywhere = ["m/e", "n/a", "n/b", "n/c", "n/d", "n/never"]
    many = store.get_many(scope, everywhere)
    for address in everywhere:
        one = store.get(scope, address)
        assert one == many.get(address)
        assert (one.body if one is not None and one.state is State.LIVE else None) == expected.get(address)
    counted = {space: count for space, (count, _) in store.count(scope, EVERYTHING).items()}
    assert counted == {
        space: sum(address.startswith(f"{space}/") for address in expected)
        for space in {address.partition("/")[0] for address in expected}
    }


def test_a_page_can_show_what_ended(store: SqlStore) -> None:
    """Retracted records are in a page when they are asked for, and only then."""
    family(store)
    scope = FAMILY["deep now"][0]

    found = store.page(scope, EVERYTHING, after="", records_max=100, states=(State.RETRACTED,))
    assert addresses(found) == ["n/d"]
    assert addresses(store.page(scope, EVERYTHING, after="", records_max=100, states=EVERY_STATE)) == [
        "m/e", "n/a", "n/b", "n/d",
    ]  # fmt: skip


def test_a_trail_is_the_story_of_one_address(store: SqlStore) -> None:
    """Every version of an address that a scope includes, newest first, and none of other branches."""
    family(store)

    assert [record.body for record in store.trail(MAIN, "n/b")] == ["main5", "main1"]
    assert [record.body for record in store.trail(FAMILY["fix now"][0], "n/b")] == ["fix3", "main1"]
    assert [record.state for record in store.trail(FAMILY["deep now"][0], "n/d")] == [State.RETRACTED, State.LIVE]
    assert store.trail(MAIN, "n/never") == []


def test_touched_names_what_was_written_between_steps(store: SqlStore) -> None:
    """Spans are open at their beginning, closed at their end, and belong to one branch each."""
    family(store)

    assert store.touched([(1, 0, 1)]) == ["n/a", "n/b"]
    assert store.touched([(1, 1, 5)]) == ["n/a", "n/b", "n/c"]
    assert store.touched([(1, 2, SEQ_MAX)]) == ["n/b"]
    assert store.touched([(2, 0, SEQ_MAX), (3, 0, 4)]) == ["m/e", "n/b", "n/d"]
    assert store.touched([(1, 5, 5)]) == []


def test_records_by_number(store: SqlStore) -> None:
    """Versions are found by number, and numbers nobody gave are left out."""
    family(store)

    found = store.records([1, 3, 999])
    assert {number: (str(record.address), record.body) for number, record in found.items()} == {
        1: ("n/a", "main1"),
        3: ("n/a", "main2"),
    }
    assert store.records([]) == {}


def test_versions_of_an_address_on_every_branch(store: SqlStore) -> None:
    """All versions of an address are found, and with `below` those of entries and deeper paths, not of neighbours."""
    begin(store, branch(2, "fix", "main", 0))
    write(store, "main", {"n/p": b"1", "n/p#e": b"2", "n/p.q": b"3", "n/px": b"4", "n/p/q": b"5"})
    write(store, "fix", {"n/p": b"6", "n/p.q#e": b"7"})

    assert store.versions_of(["n/p"], below=False) == [1, 6]
    assert store.versions_of(["n/p"], below=True) == [1, 2, 3, 6, 7]
    assert store.versions_of(["n/none"], below=True) == []


# --- Filters and pages --------------------------------------------------------------------------------------------


def test_filters_cut_by_every_property(store: SqlStore) -> None:
    """Namespace, prefix, kind, actor and both clocks each let through exactly what they name."""
    begin(store)
    with store.write() as writer:
        append(writer, "main", {"n/p": b"1", "n/p#e": b"1", "n/p.q": b"1", "n/px": b"1", "nn/p": b"1"})
        append(writer, "main", {"n/kind": b"1"}, kind="incident")
        append(writer, "main", {"n/actor": b"1"}, actor="bo")
        append(writer, "main", {"n/early": b"1"}, occurred_at=AT - timedelta(days=400))

    def found(**wanted: object) -> list[str]:
        chosen = Filter(**wanted)  # type: ignore[arg-type]
        page = store.page(MAIN, chosen, after="", records_max=100, states=LIVE)
        assert sum(count for count, _ in store.count(MAIN, chosen).values()) == len(page)
        return addresses(page)

    assert found(namespace="nn") == ["nn/p"]
    assert found(namespace="n", prefix="p") == ["n/p", "n/p#e", "n/p.q"]
    assert found(namespace="n", prefix="p.q") == ["n/p.q"]
    assert found(kind="incident") == ["n/kind"]
    assert found(actor="bo") == ["n/actor"]
    assert found(occurred_until=AT - timedelta(days=1)) == ["n/early"]
    assert "n/early" not in found(occurred_since=AT)
    # Each range holds its beginning and not its end.
    assert found(learned_since=AT + timedelta(hours=3)) == ["n/early"]
    assert "n/early" not in found(learned_until=AT + timedelta(hours=3))
    assert found(namespace="none") == []


def test_five_thousand_keys_are_listed_through_pages(store: SqlStore) -> None:
    """Walking pages of any size shows every key once, in order, and no more."""
    begin(store, branch(2, "fix", "main", 1))
    keys = [f"n/k{number:04d}" for number in range(5_000)]
    write(store, "main", dict.fromkeys(random.Random(7).sample(keys, len(keys)), b"1"))
    write(store, "fix", dict.fromkeys(keys[::3], b"2"))
    scope: Scope = ((2, SEQ_MAX), (1, 1))

    for size in (7_000, 1_024, 333):
        seen: list[str] = []
        while True:
            page = store.page(scope, EVERYTHING, after=seen[-1] if seen else "", records_max=size, states=LIVE)
            seen.extend(addresses(page))
            if len(page) < size:
                break
        assert seen == keys

    everything = store.get_many(scope, keys)
    assert len(everything) == 5_000
    assert sum(record.body == 2 for record in everything.values()) == len(keys[::3])
    assert store.count(scope, EVERYTHING)["n"][0] == 5_000


def test_a_page_is_filled_past_what_the_filter_drops(store: SqlStore) -> None:
    """Hundreds of dropped records in a row neither shorten a page nor end the listing."""
    begin(store)
    keys = [f"n/k{number:04d}" for number in range(1_500)]
    write(store, "main", dict.fromkeys(keys, b"1"))
    write(store, "main", dict.fromkeys(keys[5:1490], State.RETRACTED))

    page = store.page(MAIN, EVERYTHING, after="", records_max=12, states=LIVE)
    assert addresses(page) == keys[:5] + keys[1_490:1_497]


def test_addresses_are_ordered_by_code_point(store: SqlStore) -> None:
    """Both engines sort addresses alike, whatever the language of the machine."""
    begin(store)
    names = ["n/Z", "n/a", "n/é", "n/z", "n/ß", "n/日本", "n/😀", "n/a b", "n/a-b", "n/a.b", "n/a#b", "n/0"]
    write(store, "main", dict.fromkeys(names, b"1"))

    assert addresses(store.page(MAIN, EVERYTHING, after="", records_max=100, states=LIVE)) == sorted(names)
    after = addresses(store.page(MAIN, EVERYTHING, after="n/z", records_max=100, states=LIVE))
    assert after == [name for name in sorted(names) if name > "n/z"]


@pytest.mark.parametrize("seed", range(4))
def test_all_reads_agree_on_random_histories(store: SqlStore, seed: int) -> None:
    """On random branches and steps, get, get_many, page, count, trail and touched tell one and the same story."""
    chance = random.Random(seed)
    keys = [f"{space}/{path}" for space in "nm" for path in ("a", "a#x", "a.b", "b", "c")]
    begin(store)
    # The model: what each branch holds after each step, as plain dictionaries.
    scopes: dict[str, Scope] = {"main": MAIN}
    states: dict[tuple[str, int], dict[str, Written]] = {("main", 0): {}}
    written: list[tuple[int, int, set[str]]] = []
    heads = {"main": 0}
    for step in range(1, 26):
        name = chance.choice(list(scopes))
        outcomes: list[Written] = [f"{step}".encode(), State.RETRACTED, State.ARCHIVED]
        content = {key: chance.choice(outcomes) for key in chance.sample(keys, chance.randint(1, 4))}
        write(store, name, content)
        number = list(scopes).index(name) + 1
        written.append((number, step, set(content)))
        states[name, step] = {**states[name, heads[name]], **content}
        heads[name] = step
        if step % 6 == 0 and len(scopes) < 4:
            fresh = f"b{len(scopes) + 1}"
            with store.write() as writer:
                writer.add_branch(branch(len(scopes) + 1, fresh, name, step), b"s")
            scopes[fresh] = ((len(scopes) + 1, SEQ_MAX), *((num, min(last, step)) for num, last in scopes[name]))
            states[fresh, step] = states[name, step]
            heads[fresh] = step

    for (name, step), expected in states.items():
        scope = tuple((number, min(last, step)) for number, last in scopes[name])
        many = store.get_many(scope, keys)
        assert {key: store.get(scope, key) for key in many} == many
        assert set(many) == set(expected)
        shown = {
            key: str(record.body).encode() if record.state is State.LIVE else record.state
            for key, record in many.items()
        }
        assert shown == expected
        every = store.page(scope, EVERYTHING, after="", records_max=100, states=EVERY_STATE)
        assert {str(record.address): record for record in every} == many
        live = [key for key, value in expected.items() if isinstance(value, bytes)]
        assert addresses(store.page(scope, EVERYTHING, after="", records_max=100, states=LIVE)) == sorted(live)
        assert sum(count for count, _ in store.count(scope, EVERYTHING).values()) == len(live)
        for key, record in many.items():
            assert store.trail(scope, key)[0] == record
    for number in range(1, len(scopes) + 1):
        low, high = sorted((chance.randint(0, 26), chance.randint(0, 26)))
        hit = set().union(*(names for on, step, names in written if on == number and low < step <= high))
        assert store.touched([(number, low, high)]) == sorted(hit)


# --- Commits ------------------------------------------------------------------------------------------------------


def test_a_commit_is_found_by_the_beginning_of_its_id(store: SqlStore) -> None:
    """Any unambiguous beginning names a commit; an ambiguous one and an unknown one say what is wrong."""
    begin(store)
    with store.write() as writer:
        first = append(writer, "main", {"n/a": b"1"}, commit_id="abcdef01" + "0" * 56)
        second = append(writer, "main", {"n/a": b"2"}, commit_id="abcdef02" + "f" * 56)

    assert store.commit("abcdef01") == first
    assert store.commit("abcdef02f") == second
    assert store.commit(first.id) == first
    with pytest.raises(Malformed, match="Several"):
        store.commit("abcdef0")
    with pytest.raises(Missing):
        store.commit("abcdef03")


@pytest.mark.parametrize("prefix", ["", "main", "zz", "0" * 65, "12\x0034", "\ud800", "１２"])
def test_what_is_no_commit_id_is_malformed(store: SqlStore, prefix: str) -> None:
    """Text that can be no commit id is refused before any engine is asked."""
    with pytest.raises(Malformed, match="not a commit id"):
        store.commit(prefix)


def test_commits_come_in_order_and_in_pages(store: SqlStore) -> None:
    """Commits of a scope or of all branches, between two steps, from either end."""
    family(store)

    def steps(scope: Scope | None, before: int, after: int, commits_max: int, *, oldest_first: bool) -> list[int]:
        found = store.commits(
            scope, before=before, after=after, commits_max=commits_max, oldest_first=oldest_first
        )  # fmt: skip
        return [commit.seq for commit in found]

    assert steps(None, SEQ_MAX, 0, 10, oldest_first=False) == [5, 4, 3, 2, 1]
    assert steps(None, 5, 1, 2, oldest_first=True) == [2, 3]
    assert steps(FAMILY["deep now"][0], SEQ_MAX, 0, 10, oldest_first=False) == [4, 3, 1]
    assert steps(MAIN, 5, 0, 1, oldest_first=False) == [2]


def test_commits_of_one_action(store: SqlStore) -> None:
    """Rare commits are found by what they did, oldest first, beyond a step."""
    begin(store)
    actions = [Action.COMMIT, Action.MERGE, Action.ERASE, Action.MERGE, Action.COMMIT, Action.REVERT]
    for action in actions:
        with store.write() as writer:
            append(writer, "main", {"n/a": b"1"}, action=action)

    assert [commit.seq for commit in store.commits_of(Action.MERGE, after=0)] == [2, 4]
    assert [commit.seq for commit in store.commits_of(Action.MERGE, after=2)] == [4]
    assert [commit.seq for commit in store.commits_of(Action.ERASE, after=0)] == [3]


def test_the_step_at_a_time(store: SqlStore) -> None:
    """The last step at or before a time, also when several steps share it."""
    begin(store)
    times = [AT, AT + timedelta(microseconds=1), AT + timedelta(microseconds=1), AT + timedelta(days=1)]
    for time in times:
        with store.write() as writer:
            append(writer, "main", {"n/a": b"1"}, at=time)

    assert store.seq_at(AT - timedelta(microseconds=1)) == 0
    assert store.seq_at(AT) == 1
    assert store.seq_at(AT + timedelta(microseconds=1)) == 3
    assert store.seq_at(AT + timedelta(hours=23)) == 3
    assert store.seq_at(datetime.max.replace(tzinfo=UTC)) == 4
    assert store.seq_at(datetime.min.replace(tzinfo=UTC)) == 0


def test_times_keep_their_microseconds(store: SqlStore) -> None:
    """Times from the year 1 to 9999 come back exact."""
    begin(store)
    times = [datetime(1, 1, 1, tzinfo=UTC), datetime(1969, 12, 31, 23, 59, 59, 999999, tzinfo=UTC),
             datetime(9999, 12, 31, 23, 59, 59, 999999, tzinfo=UTC)]  # fmt: skip
    for number, time in enumerate(times):
        with store.write() as writer:
            append(writer, "main", {f"n/{number}": b"1"}, occurred_at=time)

    assert [record.occurred_at for record in store.records([1, 2, 3]).values()] == times


# --- Names, vectors, erasing --------------------------------------------------------------------------------------


def test_branches_and_snapshots_come_back(store: SqlStore) -> None:
    """Branches know parent, fork and head; snapshots know commit and branch; both keep their seals."""
    family(store)
    head = store.branches()[1].head
    assert head is not None
    taken = Snapshot("good", head, "fix", 3, AT, "ana", "because")
    with store.write() as writer:
        writer.add_snapshot(taken, b"seal of good")

    assert [(found.name, found.parent, found.fork_seq, found.head_seq) for found in store.branches()] == [
        ("main", None, 0, 5),
        ("fix", "main", 1, 3),
        ("deep", "fix", 3, 4),
    ]
    assert store.snapshots() == [taken]
    assert store.seals() == {
        "branch main": b"seal of main",
        "branch fix": b"s",
        "branch deep": b"s",
        "snapshot good": b"seal of good",
    }


def test_a_branch_begins_at_its_parents_commit(store: SqlStore) -> None:
    """The head of a branch without commits of its own is the commit where it was begun."""
    begin(store)
    first = write(store, "main", {"n/a": b"1"})
    write(store, "main", {"n/a": b"2"})
    with store.write() as writer:
        writer.add_branch(branch(2, "fix", "main", 1), b"s")

        assert writer.branch("fix").head == first.id


def test_blanking_takes_content_and_vectors(store: SqlStore) -> None:
    """Erased versions lose body, text, salt and vector, keep digest and place, and read as erased."""
    begin(store)
    write(store, "main", {"n/a": b'"secret"', "n/b": b'"kept"'})
    store.keep_vectors("model", [(1, b"one"), (2, b"two")])

    with store.write() as writer:
        writer.blank([1])

    gone, kept = list(store.rows(after=0))
    assert (gone.body, gone.text, gone.salt) == (None, None, None)
    assert gone.digest == b"digest"
    assert kept.body == b'"kept"'
    found = store.get(MAIN, "n/a")
    assert found is not None
    assert found.state is State.ERASED
    assert list(store.vectors("model", after=0)) == [(2, b"two")]
    assert addresses(store.page(MAIN, EVERYTHING, after="", records_max=9, states=LIVE)) == ["n/b"]
    assert addresses(store.page(MAIN, EVERYTHING, after="", records_max=9, states=(State.ERASED,))) == ["n/a"]
    assert store.count(MAIN, EVERYTHING)["n"][0] == 1
    assert store.scrub() is True


def test_vectors_are_kept_per_model_and_only_for_what_is_there(store: SqlStore) -> None:
    """Vectors come back in order beyond a number, models apart, and an erased version gets none."""
    begin(store)
    write(store, "main", {f"n/{number:03d}": b"1" for number in range(100)})
    with store.write() as writer:
        writer.blank([50])

    store.keep_vectors("a", [(number, bytes([number])) for number in range(1, 101)])
    store.keep_vectors("b", [(3, b"other"), (999, b"nobody")])
    store.keep_vectors("a", [(1, b"again")])

    found = dict(store.vectors("a", after=0))
    assert list(found) == [number for number in range(1, 101) if number != 50]
    assert found[1] == b"again"
    assert [number for number, _ in store.vectors("a", after=98)] == [99, 100]
    assert list(store.vectors("b", after=0)) == [(3, b"other")]
    assert list(store.vectors("c", after=0)) == []


# --- Spaces -------------------------------------------------------------------------------------------------------


def test_two_spaces_share_nothing(place: Place) -> None:
    """Whatever one space holds, another space in the same place shows none of it, and numbers begin anew."""
    mine, yours = place.store(), place.store(place.other())
    family(mine)
    mine.keep_vectors("m", [(1, b"v")])
    with mine.write() as writer:
        writer.add_snapshot(Snapshot("good", f"{1:064x}", "main", 1, AT, "ana", "because"), b"s")

    assert mine.space != yours.space
    assert yours.tip().seq == 0
    assert yours.branches() == []
    assert yours.snapshots() == []
    assert yours.seals() == {}
    assert yours.get(MAIN, "n/a") is None
    assert yours.get_many(MAIN, ["n/a"]) == {}
    assert yours.records([1, 2]) == {}
    assert yours.page(MAIN, EVERYTHING, after="", records_max=9, states=EVERY_STATE) == []
    assert yours.count(MAIN, EVERYTHING) == {}
    assert yours.touched([(1, 0, SEQ_MAX)]) == []
    assert yours.trail(MAIN, "n/a") == []
    assert yours.versions_of(["n/a"], below=True) == []
    assert list(yours.rows(after=0)) == []
    assert list(yours.vectors("m", after=0)) == []
    assert yours.seq_at(AT + timedelta(days=99)) == 0
    assert yours.commits(None, before=SEQ_MAX, after=0, commits_max=9) == []
    assert yours.commits_of(Action.MERGE, after=0) == []
    with pytest.raises(Missing):
        yours.commit(f"{1:064x}")

    begin(yours)
    assert write(yours, "main", {"n/a": b'"yours"'}).seq == 1
    with yours.write() as writer:
        writer.blank([2, 3, 4])
    kept = mine.get(MAIN, "n/a")
    assert kept is not None
    assert kept.body == "main2"


def test_a_space_is_found_again(place: Place) -> None:
    """What was written is there when the space is opened again, and `create=False` opens only what exists."""
    first = place.store()
    family(first)
    first.close()

    assert place.store(create=False).tip().seq == 5
    with pytest.raises(Missing):
        place.store(place.other("never"), create=False)


@pytest.mark.parametrize(
    "name", ["", "Acme", "a b", "../x", "a//b", "/a", "a/", "a/b/c", "a.b", "é", "a" * 201, "a\0b"]
)
def test_names_that_cannot_be_spaces(name: str) -> None:
    """A space's name is lower-case words with at most one slash: it also names files."""
    with pytest.raises(Malformed):
        check_space(name)


@pytest.mark.parametrize("name", ["local", "acme/payments", "0", "a-b_c/d-e"])
def test_names_that_can_be_spaces(name: str) -> None:
    """Organisation and project, or one word."""
    assert check_space(name) == name


def test_row_level_security_hides_other_spaces(postgres_place: Place) -> None:
    """SQL that forgets its predicate sees the rows of its own space alone, and none when it names no space."""
    mine, yours = postgres_place.store(), postgres_place.store(postgres_place.other())
    for store in (mine, yours):
        family(store)
        store.keep_vectors("m", [(1, b"v")])
        with store.write() as writer:
            writer.add_snapshot(Snapshot("good", f"{1:064x}", "main", 1, AT, "ana", "because"), b"s")

    with psycopg.connect(make_url(postgres_place.where).render_as_string(hide_password=False)) as fresh:
        row = fresh.execute("SELECT rolsuper, rolbypassrls FROM pg_roles WHERE rolname = current_user").fetchone()
        assert row == (False, False)
        for table in GUARDED:
            assert fresh.execute(f'SELECT count(*) FROM "{table}"').fetchone() == (0,)
    with postgres_place.raw() as raw:
        for table in GUARDED:
            assert [row[0] for row in raw.ask(f'SELECT DISTINCT space FROM "{table}"')] == [raw.space]


def test_row_level_security_refuses_rows_for_other_spaces(postgres_place: Place) -> None:
    """A row for another space cannot be inserted, moved there, changed or deleted, whatever the SQL says."""
    mine, yours = postgres_place.store(), postgres_place.store(postgres_place.other())
    family(mine)
    family(yours)
    with postgres_place.raw() as raw:
        other = raw.ask("SELECT id FROM space WHERE name = :name", name=yours.space)[0][0]
        attempts = [
            f"INSERT INTO version SELECT {other}, 9, 1, 'x', 'k', 0, 1, body, text, 0, 1, 1, salt, digest FROM version",
            f"INSERT INTO vector VALUES ({other}, 'm', 1, 'v')",
            f"INSERT INTO snapshot VALUES ({other}, 's', 1, 1, 'a', 'w', 's')",
            f"INSERT INTO branch VALUES ({other}, 9, 's', 1, 1, 1, 1, 'a', 'w', 's')",
            f'UPDATE "commit" SET space = {other}',
        ]
        for attempt in attempts:
            with pytest.raises(Exception, match="row-level security"):
                raw.run(attempt)
        assert raw.run(f"DELETE FROM version WHERE space = {other}") == 0
        assert raw.run(f"UPDATE branch SET head_seq = 0 WHERE space = {other}") == 0

    assert yours.tip().seq == 5
    assert yours.branches()[0].head_seq == 5


def test_a_copied_file_opens_by_its_new_name(sqlite_place: Place) -> None:
    """A SQLite file copied or renamed as a backup holds the same history and can be written on."""
    original = sqlite_place.store()
    family(original)
    original.close()
    sqlite_place.file.rename(sqlite_place.file.with_name("restored.db"))

    copy = sqlite_place.store("restored")

    assert copy.tip().seq == 5
    assert addresses(copy.page(MAIN, EVERYTHING, after="", records_max=9, states=LIVE)) == ["n/a", "n/b", "n/c"]
    assert write(copy, "main", {"n/new": b"1"}).seq == 6
    assert copy.get(MAIN, "n/new") is not None


@pytest.mark.parametrize("name", ["what?", "50%", "a#b", "two words", "ünï", "a&b=c"])
def test_any_folder_name_will_do(sqlite_place: Place, name: str) -> None:
    """Characters that mean something in an address mean nothing in a folder's name."""
    where = f"{sqlite_place.where}/{name}"
    store = open_store(where, "test", now=AT)
    begin(store)
    write(store, "main", {"n/a": b"1"})

    assert store.get(MAIN, "n/a") is not None
    store.close()
    again = open_store(where, "test", now=AT, create=False)
    assert again.tip().seq == 1
    again.close()


# --- Migrations ---------------------------------------------------------------------------------------------------


def empty_database(place: Place, postgres: Postgres | None, name: str) -> URL:
    """The address of a database that nobody has migrated."""
    if postgres is None:
        return URL.create("sqlite", database=f"{place.where}-{name}.db")
    admin, owner = make_url(postgres.admin), make_url(postgres.address)
    database = f"{owner.database}_{name}"
    with psycopg.connect(postgres.admin, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {database} WITH (FORCE)")
        connection.execute(f"CREATE DATABASE {database} OWNER {owner.username} TEMPLATE template0")
    assert admin.database == owner.database
    return owner.set(drivername="postgresql+psycopg", database=database)


@pytest.fixture
def fresh(place: Place, request: pytest.FixtureRequest) -> URL:
    """A database that nobody has migrated, on both engines."""
    server = request.getfixturevalue("postgres") if place.engine == "postgres" else None
    return empty_database(place, server, f"m{abs(hash(request.node.name)) % 10**6}")


def test_the_sum_of_the_migrations_is_the_schema(fresh: URL) -> None:
    """A migrated database has exactly the tables and columns that the code speaks of, of the same types and keys."""
    engine = create_engine(fresh)
    migrate(engine)
    found = inspect(engine)

    tables = set(found.get_table_names()) - {"hindcast_schema"}
    assert tables == set(metadata.tables)
    for name, table in metadata.tables.items():
        columns = {column["name"]: column["type"] for column in found.get_columns(name)}
        assert columns.keys() == {column.name for column in table.columns}
        for column in table.columns:
            affinity = columns[column.name]._type_affinity
            assert affinity is column.type._type_affinity, f"{name}.{column.name}"
    engine.dispose()


def test_migrating_twice_is_harmless(fresh: URL) -> None:
    """A database that is up to date is left alone."""
    engine = create_engine(fresh)
    migrate(engine)
    with engine.begin() as connection:
        connection.execute(text("INSERT INTO space (name, created_us) VALUES ('kept', 1)"))
    migrate(engine)

    with engine.connect() as connection:
        assert connection.execute(text("SELECT name FROM space")).scalars().all() == ["kept"]
    engine.dispose()


@pytest.mark.parametrize("_round", range(5))
def test_everybody_may_open_a_new_place_at_once(place: Place, _round: int) -> None:
    """Eight who open the same new space at the same instant all succeed, and find one and the same space."""
    barrier = threading.Barrier(8)
    where = f"{place.where}-{_round}" if place.engine == "sqlite" else place.where

    def work(number: int) -> int:
        barrier.wait()
        store = open_store(where, place.other("new"), now=AT)
        try:
            with store.write() as writer:
                if not store.branches():
                    writer.add_branch(branch(1, "main"), b"s")
                return append(writer, "main", {f"n/{number}": b"1"}).seq
        finally:
            store.close()

    with ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(work, range(8))) == list(range(1, 9))


def test_nobody_is_turned_away_from_a_new_file(tmp_path: Path) -> None:
    """Of eight who connect to a new file at the same instant none fails, as SQLite alone lets some do now and then."""

    def connect(file: Path, barrier: threading.Barrier) -> str:
        barrier.wait()
        with closing(sqlite3.connect(file)) as raw:
            configure_sqlite(raw)
            return str(raw.execute("PRAGMA journal_mode").fetchone()[0])

    with ThreadPoolExecutor(8) as pool:
        for number in range(100):
            file, barrier = tmp_path / f"{number}.db", threading.Barrier(8)
            assert set(pool.map(lambda _, f=file, b=barrier: connect(f, b), range(8))) == {"wal"}


def test_everybody_may_migrate_at_once(fresh: URL) -> None:
    """Eight migrations of one empty database at the same instant leave one complete schema."""
    barrier = threading.Barrier(8)

    def work(_number: int) -> None:
        if fresh.drivername == "sqlite":
            assert fresh.database is not None
            engine = engines.sqlite_engine(Path(fresh.database), create=True)
        else:
            engine = postgres_engine(fresh.render_as_string(hide_password=False))
        barrier.wait()
        migrate(engine)
        engine.dispose()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(work, range(8)))

    engine = create_engine(fresh)
    assert set(metadata.tables) <= set(inspect(engine).get_table_names())
    engine.dispose()


def test_a_newer_schema_is_refused_and_left_alone(fresh: URL) -> None:
    """Code that meets a database from the future says so and changes nothing."""
    engine = create_engine(fresh)
    migrate(engine)
    newest = migrations(engine.dialect.name)[-1][0]
    with engine.begin() as connection:
        if engine.dialect.name == "sqlite":
            connection.execute(text(f"PRAGMA user_version = {newest + 1}"))
        else:
            connection.execute(text(f"INSERT INTO hindcast_schema VALUES ({newest + 1})"))

    with pytest.raises(Refused, match=f"schema {newest + 1}"):
        migrate(engine)
    assert set(metadata.tables) <= set(inspect(engine).get_table_names())
    engine.dispose()


def test_both_engines_have_the_same_migrations() -> None:
    """Every migration exists for SQLite and for PostgreSQL, numbered from 1 without gaps."""
    numbers = [number for number, _ in migrations("sqlite")]

    assert numbers == [number for number, _ in migrations("postgresql")]
    assert numbers == list(range(1, len(numbers) + 1))


# --- A server on a bad day ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("address", "error"),
    [
        ("postgresql://nobody@localhost:1/x?connect_timeout=2", Unavailable),
        ("postgresql://[broken", Unavailable),
        ("postgresql://", Unavailable),
        ("postgresql://user:pass@host:notaport/x", Malformed),
    ],
)
def test_a_server_that_cannot_be_reached(address: str, error: type[Exception]) -> None:
    """A server that is not there is unavailable, and an address that is none is malformed."""
    with pytest.raises(error):
        open_store(address, "test", now=AT)


def test_a_database_that_does_not_exist(postgres: Postgres) -> None:
    """A wrong database name is named as such."""
    wrong = make_url(postgres.address).set(database="nowhere").render_as_string(hide_password=False)

    with pytest.raises(Unavailable, match="nowhere"):
        open_store(wrong, "test", now=AT)


def test_a_lost_connection_is_unavailable_and_then_forgotten(postgres_place: Place, postgres: Postgres) -> None:
    """When the server drops a transaction nothing of it stays, and the next call works again."""
    store = postgres_place.store()
    begin(store)

    def cut_off() -> None:
        with store.write() as writer:
            append(writer, "main", {"n/a": b"1"})
            with psycopg.connect(postgres.admin, autocommit=True) as admin:
                admin.execute(
                    "SELECT pg_terminate_backend(pid) FROM pg_stat_activity "
                    "WHERE usename = %s AND pid <> pg_backend_pid()",
                    [make_url(postgres.address).username],
                )
            append(writer, "main", {"n/b": b"1"})

    with pytest.raises(Unavailable):
        cut_off()

    assert store.tip().seq == 0
    assert write(store, "main", {"n/a": b"2"}).seq == 1


def test_a_read_only_server_refuses_writing(postgres_place: Place) -> None:
    """On a standby reading works and writing is refused by name."""
    family(postgres_place.store())
    standby = make_url(postgres_place.where).update_query_dict({"options": "-c default_transaction_read_only=on"})
    store = open_store(standby.render_as_string(hide_password=False), postgres_place.space, now=AT)

    assert store.tip().seq == 5
    with pytest.raises(Refused, match="read-only"):
        write(store, "main", {"n/a": b"1"})
    store.close()
