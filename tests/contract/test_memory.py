"""The door of memory, on SQLite and PostgreSQL: every verb, every bad input, and every way a peer was seen to fail."""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson
import pytest

from hindcast.memory import Memory, View
from hindcast.model.answer import Choice, Conflicts, Instead, Merged, NoTurn, Policy, Turn
from hindcast.model.errors import Damaged, HindcastError, Malformed, Missing, Refused, Stale
from hindcast.model.ids import Address
from hindcast.model.limits import MemoryLimits
from hindcast.model.query import Filter, Query
from hindcast.model.record import Action, Change, Commit, Json, Record, State

if TYPE_CHECKING:
    from tests.conftest import Place, Raw

START = datetime(2026, 1, 1, tzinfo=UTC)
WHO: dict[str, Any] = {"actor": "ana", "why": "because"}


def put(
    memory: Memory, address: str, body: Json, branch: str = "main", actor: str = "ana", why: str = "because"
) -> Commit:
    """Remember one thing."""
    return memory.put(address, body, actor=actor, why=why, branch=branch)


def put_all(memory: Memory, bodies: Mapping[str, Json], branch: str = "main") -> Commit:
    """Remember several things in one commit."""
    changes = [Change(Address.parse(address), body) for address, body in bodies.items()]
    return memory.commit(changes, branch=branch, **WHO)


def shown(memory: Memory, moment: Any = "main", **wanted: Any) -> dict[str, Json]:
    """Everything that a moment shows, by address."""
    return {str(record.address): record.body for record in memory.at(moment).every(Filter(**wanted))}


def canonical(body: Json) -> bytes:
    """A body as text, which tells 1, 1.0 and true apart."""
    return orjson.dumps(body, option=orjson.OPT_SORT_KEYS)


def merged(answer: Merged | Conflicts) -> Merged:
    """The answer, which has to be a merge."""
    assert isinstance(answer, Merged), answer
    return answer


def conflicts(answer: Merged | Conflicts) -> dict[str, tuple[str, ...]]:
    """The fields in conflict by address."""
    assert isinstance(answer, Conflicts), answer
    return {str(conflict.address): conflict.fields for conflict in answer.conflicts}


def number_in(view: View, address: str) -> int:
    """The number that a moment shows at an address."""
    body = view.get(address).body
    assert isinstance(body, int)
    return body


def sound(memory: Memory) -> None:
    """Nothing is wrong with the chain."""
    assert memory.verify().faults == ()


# --- Reading and writing ------------------------------------------------------------------------------------------


def test_what_is_put_is_got(place: Place, memory: Memory) -> None:
    """A record comes back with its body, both clocks, its actor and its commit."""
    commit = put(memory, "user/prefs.ui", {"theme": "dark", "n": [1, None, 2.5, True, "ü"]})
    record = memory.get("user/prefs.ui")

    assert record.body == {"theme": "dark", "n": [1, None, 2.5, True, "ü"]}
    assert record.address == Address("user", "prefs.ui")
    assert (record.namespace, record.path) == ("user", "prefs.ui")
    assert (record.learned_at, record.occurred_at) == (START, START)
    assert (record.actor, record.commit, record.kind, record.state) == ("ana", commit.id, "fact", State.LIVE)
    assert memory.space == place.space
    assert memory.now().find("user/prefs.ui") == record
    assert memory.now().find("user/other") is None
    sound(memory)


@pytest.mark.parametrize("body", [None, 0, -1.5, "", "\0", [], {}, [[]], {"": {"": None}}, 2**63 - 1, -(2**63), True])
def test_any_json_value_can_be_remembered(memory: Memory, body: Json) -> None:
    """Bodies need not be objects, and null is something else than nothing."""
    put(memory, "n/p", body)

    found = memory.get("n/p").body
    assert found == body
    assert type(found) is type(body)
    sound(memory)


def test_a_batch_is_one_commit(memory: Memory) -> None:
    """All changes of a commit share its id, its step and its moment."""
    commit = put_all(memory, {f"n/k{number}": number for number in range(100)})

    assert commit.changes == 100
    assert len(memory.log()) == 1
    assert {record.commit for record in memory.now().every()} == {commit.id}
    assert len(memory.changes(commit).learned) == 100


def test_several_entries_live_under_one_path(memory: Memory) -> None:
    """Entries of one path are told apart, and are listed together without the paths below or beside it."""
    put_all(memory, {"n/p": 0, "n/p#a": 1, "n/p#b.c": 2, "n/p.q": 3, "n/px": 4, "n/p q": 5})

    assert [record.body for record in memory.now().entries("n", "p")] == [0, 1, 2]
    assert memory.get("n/p#b.c").body == 2
    memory.retract("n/p#a", **WHO)
    assert [record.body for record in memory.now().entries("n", "p")] == [0, 2]
    assert memory.now().entries("n", "none") == ()


def test_entries_are_never_cut_short(place: Place) -> None:
    """A path with more entries than a page holds shows all of them."""
    memory = place.memory(limits=MemoryLimits(records_per_page_max=3))
    put_all(memory, {**{f"n/p#e{number}": number for number in range(10)}, "n/p": -1, "n/p.q": -2})

    assert [record.body for record in memory.now().entries("n", "p")] == [-1, *range(10)]


def test_retracting_ends_a_record_today(memory: Memory) -> None:
    """A retracted record is gone now, says so when asked for, and is still in the past."""
    first = put(memory, "n/p", 1)
    memory.retract("n/p", **WHO)

    assert shown(memory) == {}
    with pytest.raises(Missing, match="was retracted"):
        memory.get("n/p")
    assert memory.at(first).get("n/p").body == 1
    assert [record.state for record in memory.history("n/p")] == [State.RETRACTED, State.LIVE]
    assert [str(record.address) for record in memory.now().every(states=(State.RETRACTED,))] == ["n/p"]
    put(memory, "n/p", 2)
    assert memory.get("n/p").body == 2
    sound(memory)


def test_filters_know_both_clocks(place: Place, memory: Memory) -> None:
    """When it happened and when it was learnt are asked for apart, each range with its beginning and not its end."""
    long_ago = START - timedelta(days=300)
    memory.commit([Change(Address("n", "old"), 1, occurred_at=long_ago)], **WHO)
    place.tick(days=1)
    memory.commit([Change(Address("n", "new"), 1, kind="incident")], actor="bo", why="because")

    assert set(shown(memory, occurred_until=START)) == {"n/old"}
    assert set(shown(memory, occurred_since=long_ago, occurred_until=long_ago)) == set()
    assert set(shown(memory, occurred_since=long_ago)) == {"n/old", "n/new"}
    assert set(shown(memory, learned_since=START + timedelta(days=1))) == {"n/new"}
    assert set(shown(memory, learned_until=START + timedelta(days=1))) == {"n/old"}
    assert set(shown(memory, kind="incident")) == {"n/new"}
    assert set(shown(memory, actor="bo")) == {"n/new"}
    elsewhere = timezone(timedelta(hours=5))
    assert set(shown(memory, learned_since=(START + timedelta(days=1)).astimezone(elsewhere))) == {"n/new"}
    assert memory.get("n/old").occurred_at == long_ago


def test_pages_continue_where_they_ended(memory: Memory) -> None:
    """`next` leads through all records once, and is None at the end, also when a page is exactly full."""
    put_all(memory, {f"n/k{number}": number for number in range(6)})
    view = memory.at("main")

    first = view.list(records_max=4)
    assert [record.body for record in first.records] == [0, 1, 2, 3]
    second = view.list(after=first.next, records_max=4)
    assert [record.body for record in second.records] == [4, 5]
    assert second.next is None
    assert view.list(records_max=6).next is None
    assert view.count() == 6
    assert view.namespaces() == {"n": 6}


def test_a_clock_that_was_set_back_does_not_disorder_history(place: Place, memory: Memory) -> None:
    """A commit is never older than the one before it."""
    put(memory, "n/a", 1)
    place.tick(days=-30)
    second = put(memory, "n/a", 2)

    assert second.at == START
    assert memory.at(START).get("n/a").body == 2
    sound(memory)


def test_an_empty_memory_answers(memory: Memory) -> None:
    """Before anything is written there is nothing, and that is no error."""
    assert shown(memory) == {}
    assert (memory.log(), memory.branches(), memory.snapshots()) == ((), (), ())
    assert memory.now().count() == 0
    assert memory.at(START).every() == ()
    assert memory.verify().commits == 0
    with pytest.raises(Missing):
        memory.get("n/p")
    with pytest.raises(Missing, match="Nothing has been remembered"):
        memory.snapshot("first", **WHO)


# --- Moments ------------------------------------------------------------------------------------------------------


def test_every_way_to_name_a_moment(place: Place, memory: Memory) -> None:
    """A time, a commit, the beginning of its id, a snapshot, a branch, words, and `branch@time` all lead there."""
    first = put(memory, "n/p", 1)
    good = memory.snapshot("good", **WHO)
    place.tick(days=2)
    second = put(memory, "n/p", 2)
    fix = memory.branch("fix", start=first, **WHO)
    place.tick(days=2)
    put(memory, "n/p", 3, branch="fix")

    moments: dict[object, Json] = {
        first: 1, first.id: 1, first.id[:10]: 1, "good": 1, good: 1, START: 1, "2026-01-02": 1, "3 days ago": 1,
        "2026-01-02T00:00:00+02:00": 1, second: 2, "main": 2, "now": 2, "main@now": 2, "yesterday": 2, "fix": 3,
        fix: 3, "fix@now": 3, "fix@3 days ago": 1, "fix@2026-01-04T23:59Z": 1, "main@good": 1,
    }  # fmt: skip
    for moment, expected in moments.items():
        assert memory.at(moment).get("n/p").body == expected, moment  # type: ignore[arg-type]
    assert memory.at(START, branch="fix").get("n/p").body == 1
    assert memory.at(place.clock.now(), branch="fix").get("n/p").body == 3
    assert shown(memory, START - timedelta(seconds=1)) == {}


def test_a_moment_is_held_still(memory: Memory) -> None:
    """`at` a branch shows it as it is now, whatever comes later; `now` follows it."""
    put(memory, "n/p", 1)
    still, live = memory.at("main"), memory.now()
    pinned = memory.at(live.moment)
    put(memory, "n/p", 2)

    assert still.get("n/p").body == 1
    assert pinned.get("n/p").body == 1
    assert live.get("n/p").body == 2


@pytest.mark.parametrize(
    "moment",
    ["nowhere", "2026-13-01", "2026-02-30", "25:00", "", " ", "@", "main@", "@now", "nowhere@now", "main@nowhere",
     "main@main@main", "main@" * 3000 + "main", "x\0y", "\ud800", "9" * 5000 + " days ago", "99999999999 years ago",
     "abcdef", "f" * 64, "f" * 65, "-1 days ago", "tomorrow"],
)  # fmt: skip
def test_an_unknown_moment_is_missing(memory: Memory, moment: str) -> None:
    """What names no moment is said to be missing, whatever it looks like."""
    put(memory, "n/p", 1)
    with pytest.raises(Missing):
        memory.at(moment)


def test_a_time_needs_its_timezone(memory: Memory) -> None:
    """A datetime without timezone could mean any of them."""
    naive = datetime(2026, 1, 1)  # noqa: DTZ001
    with pytest.raises(Malformed, match="timezone"):
        memory.at(naive)
    with pytest.raises(Malformed, match="timezone"):
        memory.commit([Change(Address("n", "p"), 1, occurred_at=naive)], **WHO)
    with pytest.raises(Malformed, match="timezone"):
        memory.now().list(Filter(learned_since=naive))
    with pytest.raises(Malformed, match="timezone"):
        memory.decay(stale_days=1, wanted=Filter(learned_until=naive), **WHO)


def test_the_beginning_of_an_id_has_to_be_unambiguous(place: Place, memory: Memory) -> None:
    """A beginning that several commits share is refused, and a longer one is taken."""
    put(memory, "n/p", 1)
    put(memory, "n/p", 2)
    for seq, letter in ((1, "a"), (2, "b")):
        with place.raw() as raw:
            raw.run('UPDATE "commit" SET id = :id WHERE seq = :seq', id=bytes.fromhex(f"abcdef{letter * 58}"), seq=seq)

    with pytest.raises(Malformed, match="Several"):
        memory.at("abcdef")
    assert memory.at("abcdefa").get("n/p").body == 1


# --- Bad input ----------------------------------------------------------------------------------------------------

CYCLE: list[Any] = []
CYCLE.append(CYCLE)


@pytest.mark.parametrize(
    "body",
    [math.nan, math.inf, [1, {"x": -math.inf}], 2**64, -(2**63) - 1, {1: 2}, {"x": {None: 1}}, {1, 2}, b"bytes",
     object(), datetime(2026, 1, 1, tzinfo=UTC), "\ud800", {"\udfff": 1}, CYCLE, Path("x"), 1j],
)  # fmt: skip
def test_a_body_that_is_no_json_is_malformed(memory: Memory, body: Any) -> None:
    """Whatever JSON cannot hold is refused, and nothing is written."""
    with pytest.raises(Malformed):
        memory.put("n/p", body, **WHO)
    assert memory.log() == ()


@pytest.mark.parametrize(
    "address",
    ["", "n", "n/", "/p", "n/.", "n/a..b", "n/.a", "n/a.", "n /p", "n/ a", "n/a ", "n/a#b#c", "n/a\nb", "n/a\0b",
     "n/\ud800", "\ud800/p", "n/a\u202eb", "n/a\u2028b", "n/a\x7f", "n/a\x85b", "n/p#e e",
     "n" * 129 + "/p", "n/" + "p" * 513, "n/" + ".".join("p" * 33), "n/p#" + "e" * 129, "a/b\tc", "n/p# "],
)  # fmt: skip
def test_a_malformed_address_is_refused_everywhere(memory: Memory, address: str) -> None:
    """Reading, writing and erasing refuse what cannot be an address."""
    verbs: list[Callable[[], object]] = [
        lambda: put(memory, address, 1),
        lambda: memory.get(address),
        lambda: memory.retract(address, **WHO),
        lambda: memory.history(address),
        lambda: memory.blame(address),
        lambda: memory.erase(address, **WHO),
    ]
    for verb in verbs:
        with pytest.raises(Malformed):
            verb()


def test_the_longest_address_is_kept(memory: Memory) -> None:
    """An address at every limit is written, listed and found."""
    address = f"{'n' * 128}/{'.'.join(['p' * 15] * 32)}#{'e' * 128}"
    put(memory, address, 1)

    assert memory.get(address).body == 1
    assert list(shown(memory)) == [address]


@pytest.mark.parametrize(
    ("words", "field"),
    [
        ({"actor": ""}, "actor"), ({"actor": " "}, "actor"), ({"actor": "a" * 201}, "actor"),
        ({"actor": "a\nb"}, "actor"), ({"actor": "\ud800"}, "actor"), ({"actor": "a\0"}, "actor"),
        ({"why": ""}, "why"), ({"why": "\n "}, "why"),
        ({"why": "w" * 4001}, "why"), ({"why": "a\0b"}, "why"), ({"why": "\udfff"}, "why"),
        ({"branch": ""}, "branch"), ({"branch": "a b"}, "branch"), ({"branch": "x\0y"}, "branch"),
        ({"branch": "\ud800"}, "branch"), ({"branch": "abcdef12"}, "branch"), ({"branch": "2026-01"}, "branch"),
    ],
)  # fmt: skip
def test_who_why_and_where_are_checked(memory: Memory, words: dict[str, str], field: str) -> None:
    """A commit names its actor, its reason and its branch in words that can be kept."""
    put(memory, "n/p", 0)
    with pytest.raises(Malformed) as caught:
        memory.commit([Change(Address("n", "p"), 1)], **{**WHO, **words})
    assert caught.value.field == field
    assert memory.get("n/p").body == 0


def test_reasons_may_be_in_any_language(memory: Memory) -> None:
    """Umlauts, emoji and line breaks in a reason come back as they were."""
    commit = memory.commit([Change(Address("n", "p"), 1)], actor="zoë", why="größer\n日本 🚒")
    assert memory.log()[0] == commit
    sound(memory)


@pytest.mark.parametrize(
    "name", ["", "1a", "_a", "a b", "a@b", "abcdef", "f" * 64, "2026-01-01", "a" * 129, "a\0", "\ud800", "main"]
)
def test_names_that_would_be_mistaken_are_refused(memory: Memory, name: str) -> None:
    """A branch or snapshot cannot look like a commit or a time, nor take a name that is taken."""
    put(memory, "n/p", 1)
    with pytest.raises((Malformed, Refused)):
        memory.branch(name, **WHO)
    with pytest.raises((Malformed, Refused)):
        memory.snapshot(name, **WHO)
    assert len(memory.branches()) == 1
    assert memory.snapshots() == ()


def test_a_name_means_one_moment(memory: Memory) -> None:
    """Branches and snapshots share their names."""
    put(memory, "n/p", 1)
    memory.branch("fix", **WHO)
    memory.snapshot("good", **WHO)

    for taken in ("fix", "good"):
        with pytest.raises(Refused, match="already names"):
            memory.branch(taken, **WHO)
        with pytest.raises(Refused, match="already names"):
            memory.snapshot(taken, **WHO)


@pytest.mark.parametrize(
    "verb",
    [
        lambda memory: memory.now("nowhere"),
        lambda memory: memory.get("n/p", branch="nowhere"),
        lambda memory: put(memory, "n/p", 1, branch="nowhere"),
        lambda memory: memory.retract("n/p", branch="nowhere", **WHO),
        lambda memory: memory.branch("new", start="nowhere", **WHO),
        lambda memory: memory.snapshot("new", moment="nowhere", **WHO),
        lambda memory: memory.merge("nowhere", **WHO),
        lambda memory: memory.merge("main", into="nowhere", **WHO),
        lambda memory: memory.merge("fix", into="good", **WHO),
        lambda memory: memory.revert(memory.log()[0], branch="nowhere", **WHO),
        lambda memory: memory.revert("abcdef0123", **WHO),
        lambda memory: memory.changes("abcdef0123"),
        lambda memory: memory.decay(stale_days=1, branch="nowhere", **WHO),
        lambda memory: memory.log("nowhere"),
        lambda memory: memory.diff("nowhere"),
        lambda memory: memory.diff("main", "nowhere"),
        lambda memory: memory.blame("n/nothing"),
        lambda memory: memory.blame("n/p", "nowhere"),
        lambda memory: memory.history("n/nothing"),
        lambda memory: memory.get("n/nothing"),
        lambda memory: memory.retract("n/nothing", **WHO),
        lambda memory: memory.erase("n/nothing", **WHO),
        lambda memory: memory.bisect(lambda _: 1, since="nowhere"),
    ],
)
def test_whatever_is_not_there_is_missing(memory: Memory, verb: Callable[[Memory], object]) -> None:
    """Unknown branches, moments, commits and addresses are named as missing by every verb, and nothing is written."""
    put(memory, "n/p", 1)
    memory.branch("fix", **WHO)
    memory.snapshot("good", **WHO)
    with pytest.raises(Missing):
        verb(memory)
    assert len(memory.log(None)) == 1
    assert shown(memory) == {"n/p": 1}


@pytest.mark.parametrize(
    "verb",
    [
        lambda memory: memory.commit([], **WHO),
        lambda memory: memory.commit([Change(Address("n", "p"), 1), Change(Address("n", "p"), 2)], **WHO),
        lambda memory: memory.commit([Change(Address("n", "p"), 1, kind="Fact")], **WHO),
        lambda memory: memory.commit([Change(Address("n", "p"), 1, kind="k" * 65)], **WHO),
        lambda memory: memory.commit([Change(Address("n", "p"), 1, text="\ud800")], **WHO),
        lambda memory: memory.commit([Change(Address("n", "p"), 1, text="a\0b")], **WHO),
        lambda memory: memory.commit([Change(Address("n", "p"), state=State.ERASED)], **WHO),
        lambda memory: memory.changes("main"),
        lambda memory: memory.revert("main", **WHO),
        lambda memory: memory.revert("", **WHO),
        lambda memory: memory.decay(stale_days=0, **WHO),
        lambda memory: memory.decay(stale_days=-1, **WHO),
        lambda memory: memory.decay(stale_days=math.nan, **WHO),
        lambda memory: memory.decay(stale_days=math.inf, **WHO),
        lambda memory: memory.now().list(Filter(prefix="p")),
        lambda memory: memory.now().list(Filter(namespace="a/b")),
        lambda memory: memory.now().list(Filter(namespace="n", prefix="a..b")),
        lambda memory: memory.now().list(Filter(kind="\0")),
        lambda memory: memory.now().list(Filter(actor="\ud800")),
        lambda memory: memory.now().list(after="\ud800"),
        lambda memory: memory.now().list(after="a\0"),
        lambda memory: memory.now().namespaces(Filter(actor="a\0")),
        lambda memory: memory.now().entries("n", "a b "),
        lambda memory: memory.now().search(""),
        lambda memory: memory.now().search("x" * 20_001),
        lambda memory: memory.now().search(Query("x", arms=("smell",))),
        lambda memory: memory.bisect(lambda _: 1, since="main", until=memory.log()[-1]),
        lambda memory: memory.bisect(lambda _: 1, since="main"),
    ],
)
def test_whatever_is_wrong_is_malformed(memory: Memory, verb: Callable[[Memory], object]) -> None:
    """Wrong input is named with its field, and nothing is written."""
    put(memory, "n/q", 0)
    put(memory, "n/q", 1)
    with pytest.raises(Malformed) as caught:
        verb(memory)
    assert caught.value.field
    assert caught.value.remedy
    assert len(memory.log()) == 2


LIMITS = MemoryLimits(
    body_bytes_max=100, text_chars_max=10, changes_per_commit_max=3, records_per_page_max=5, commits_per_page_max=5,
    branch_depth_max=3, branches_max=4, snapshots_max=2, diff_records_max=4, body_depth_max=3, hits_per_search_max=5,
)  # fmt: skip


@pytest.mark.parametrize(
    "verb",
    [
        lambda memory: put(memory, "n/p", "x" * 99),
        lambda memory: put(memory, "n/p", [[[[]]]]),
        lambda memory: put(memory, "n/p", {"a": {"b": {"c": {}}}}),
        lambda memory: memory.commit([Change(Address("n", "p"), 1, text="x" * 11)], **WHO),
        lambda memory: put_all(memory, {f"n/k{number}": 1 for number in range(4)}),
        lambda memory: memory.now().list(records_max=6),
        lambda memory: memory.now().list(records_max=0),
        lambda memory: memory.log(commits_max=6),
        lambda memory: memory.log(commits_max=0),
        lambda memory: memory.now().search(Query("x", hits_max=6)),
        lambda memory: memory.now().search("x"),
        lambda memory: [memory.branch(f"deep{n}", start=f"deep{n - 1}" if n else "main", **WHO) for n in range(3)],
        lambda memory: [memory.branch(f"wide{n}", **WHO) for n in range(4)],
        lambda memory: [memory.snapshot(f"snap{n}", **WHO) for n in range(3)],
        lambda memory: memory.diff(START - timedelta(days=1)),
    ],
)
def test_every_limit_is_an_error_that_names_it(place: Place, verb: Callable[[Memory], object]) -> None:
    """Reaching a limit is refused in words; nothing is cut short."""
    memory = place.memory(limits=LIMITS)
    put_all(memory, {"n/a": 1, "n/b": 1, "n/c": 1})
    put_all(memory, {"n/d": 1, "n/e": 1})
    with pytest.raises(Refused) as caught:
        verb(memory)
    assert caught.value.remedy
    assert shown(memory) == {f"n/{letter}": 1 for letter in "abcde"}


def test_what_is_within_the_limits_is_kept(place: Place) -> None:
    """A body at every limit is taken; brackets inside texts are no depth."""
    memory = place.memory(limits=LIMITS)
    bodies: list[Json] = ["x" * 98, [[[]]], {"a": {"b": {}}}, "[[[[[[[[{{{{{"]
    for body in bodies:
        put(memory, "n/p", body)
        assert memory.get("n/p").body == body


def test_a_moved_branch_makes_an_expectation_stale(memory: Memory) -> None:
    """Writing on what was read is refused when the branch has moved, also for merges, and nothing is written."""
    first = put(memory, "n/p", 1)
    second = memory.commit([Change(Address("n", "p"), 2)], expected_head=first.id, **WHO)
    memory.branch("fix", **WHO)
    put(memory, "n/q", 1, branch="fix")

    with pytest.raises(Stale, match=second.id[:12]):
        memory.commit([Change(Address("n", "p"), 3)], expected_head=first.id, **WHO)
    with pytest.raises(Stale):
        memory.merge("fix", expected_head=first.id, **WHO)
    assert shown(memory) == {"n/p": 2}
    assert merged(memory.merge("fix", expected_head=second.id, **WHO)).taken == 1


def test_retracting_twice_is_missing(memory: Memory) -> None:
    """What is gone already cannot be taken back, and a batch with such a change is not written at all."""
    put(memory, "n/p", 1)
    memory.retract("n/p", **WHO)

    with pytest.raises(Missing, match="to take back"):
        memory.commit([Change(Address("n", "q"), 1), Change(Address("n", "p"), state=State.RETRACTED)], **WHO)
    assert shown(memory) == {}


def test_every_error_says_what_to_do(memory: Memory) -> None:
    """Problem, field and remedy make one readable sentence."""
    with pytest.raises(HindcastError) as caught:
        memory.get("n/p")
    assert str(caught.value).startswith("address: There is nothing at n/p")
    assert "hindcast memory list n" in str(caught.value)


# --- Branches, snapshots, log -------------------------------------------------------------------------------------


def test_a_branch_is_its_own_world(memory: Memory) -> None:
    """A branch sees what its beginning showed, others do not see what it adds, and it does not see what they add."""
    first = put(memory, "n/p", 1)
    put(memory, "n/p", 2)
    branch = memory.branch("fix", start=first, **WHO)
    put(memory, "n/q", 3, branch="fix")
    put(memory, "n/r", 4)

    assert (branch.parent, branch.head, branch.fork_seq) == ("main", first.id, 1)
    assert shown(memory, "fix") == {"n/p": 1, "n/q": 3}
    assert shown(memory, "main") == {"n/p": 2, "n/r": 4}
    assert [found.name for found in memory.branches()] == ["main", "fix"]


def test_a_branch_from_a_time_follows_its_own_line(place: Place, memory: Memory) -> None:
    """A branch begun at a time hangs on the last commit of its line, not on whatever else was written by then."""
    first = put(memory, "n/p", 1)
    memory.branch("fix", **WHO)
    elsewhere = put(memory, "n/q", 1, branch="fix")
    place.tick(days=1)
    made = memory.branch("later", start=place.clock.now(), **WHO)
    commit = put(memory, "n/r", 1, branch="later")

    assert made.head == first.id != elsewhere.id
    assert commit.parent == first.id
    assert shown(memory, "later") == {"n/p": 1, "n/r": 1}
    sound(memory)


def test_a_branch_from_a_live_view_is_held_still(memory: Memory) -> None:
    """A branch begun at what `now` shows does not see what its parent writes afterwards."""
    put(memory, "n/p", 1)
    memory.branch("fix", start=memory.now().moment, **WHO)
    put(memory, "n/p", 2)

    assert memory.get("n/p", branch="fix").body == 1
    assert merged(memory.merge(memory.now().moment, into="fix", **WHO)).taken == 1
    sound(memory)


def test_a_branch_can_begin_before_its_parent_did(place: Place, memory: Memory) -> None:
    """A branch of a branch, begun at a time before that one, sees the grandparent only up to its own beginning."""
    put(memory, "n/p", 1)
    early = place.clock.now()
    place.tick(days=1)
    put(memory, "n/p", 2)
    memory.branch("fix", **WHO)
    put(memory, "n/q", 1, branch="fix")
    memory.branch("earlier", start=f"fix@{early.isoformat()}", **WHO)
    put(memory, "n/r", 1, branch="earlier")

    assert shown(memory, "earlier") == {"n/p": 1, "n/r": 1}
    assert merged(memory.merge("fix", into="earlier", **WHO)).taken == 2
    assert shown(memory, "earlier") == {"n/p": 2, "n/q": 1, "n/r": 1}
    sound(memory)


def test_a_branch_can_begin_before_everything(memory: Memory) -> None:
    """A branch from before the first commit is empty, and can be merged all the same."""
    put(memory, "n/p", 1)
    memory.branch("blank", start=START - timedelta(days=1), **WHO)
    put(memory, "n/q", 2, branch="blank")

    assert shown(memory, "blank") == {"n/q": 2}
    assert merged(memory.merge("blank", **WHO)).taken == 1
    assert merged(memory.merge("main", into="blank", **WHO)).taken == 1
    assert shown(memory, "blank") == shown(memory) == {"n/p": 1, "n/q": 2}
    sound(memory)


def test_a_snapshot_is_frozen_for_ever(memory: Memory) -> None:
    """A snapshot names a commit, and later writes, retractions, branches and merges do not leak into it."""
    put_all(memory, {f"n/k{number}": number for number in range(50)})
    taken = memory.snapshot("good", **WHO)
    before = shown(memory, "good")
    memory.branch("fix", start="good", **WHO)
    put_all(memory, {f"n/k{number}": -1 for number in range(25)}, branch="fix")
    put(memory, "n/new", 1)
    memory.retract("n/k49", **WHO)
    merged(memory.merge("fix", **WHO))

    assert shown(memory, "good") == shown(memory, taken) == before
    assert len(before) == 50
    assert memory.snapshots() == (taken,)


def test_the_log_is_a_line_newest_first(memory: Memory) -> None:
    """The log shows what led to a moment, in pages; None shows all branches."""
    commits = [put(memory, "n/p", number) for number in range(5)]
    memory.branch("fix", start=commits[1], **WHO)
    last = put(memory, "n/p", 9, branch="fix")

    assert memory.log() == tuple(reversed(commits))
    assert memory.log("fix") == (last, commits[1], commits[0])
    assert memory.log(commits[2]) == (commits[2], commits[1], commits[0])
    assert memory.log(None)[0] == last
    assert len(memory.log(None)) == 6
    page = memory.log(commits_max=2)
    assert memory.log(before=page[-1].seq, commits_max=2) == (commits[2], commits[1])


# --- Diff, blame, bisect ------------------------------------------------------------------------------------------


def test_a_diff_says_learned_changed_forgotten(memory: Memory) -> None:
    """Between any two moments, with values and fields, and the other way round it is the mirror image."""
    first = put_all(memory, {"n/same": 1, "n/change": {"a": 1, "b": {"c": 1}}, "n/forget": 1, "n/back": 1})
    put_all(memory, {"n/learn": 2, "n/change": {"a": 1, "b": {"c": 2}, "d": 0}, "n/back": 2})
    memory.retract("n/forget", **WHO)
    put(memory, "n/back", 1)

    found = memory.diff(first)
    assert [str(record.address) for record in found.learned] == ["n/learn"]
    assert [str(record.address) for record in found.forgotten] == ["n/forget"]
    assert [(str(one.before.address), one.fields) for one in found.changed] == [("n/change", ("b.c", "d"))]
    back = memory.diff("main", first)
    assert [str(record.address) for record in back.learned] == ["n/forget"]
    assert [str(record.address) for record in back.forgotten] == ["n/learn"]
    nothing = memory.diff("main", "main")
    assert (nothing.learned, nothing.changed, nothing.forgotten) == ((), (), ())


def test_a_diff_tells_kinds_of_numbers_apart(memory: Memory) -> None:
    """1, 1.0 and true are three values, though Python thinks them equal."""
    first = put(memory, "n/p", {"a": 1})
    second = put(memory, "n/p", {"a": True})
    put(memory, "n/p", {"a": 1.0})

    assert len(memory.diff(first, second).changed) == 1
    assert len(memory.diff(second).changed) == 1
    assert len(memory.diff(first).changed) == 1


def test_a_diff_across_branches(memory: Memory) -> None:
    """Two branches are compared by what each shows."""
    put_all(memory, {"n/a": 1, "n/b": 1})
    memory.branch("fix", **WHO)
    put(memory, "n/a", 2, branch="fix")
    put(memory, "n/c", 1)

    found = memory.diff("main", "fix")
    assert [one.after.body for one in found.changed] == [2]
    assert [str(record.address) for record in found.forgotten] == ["n/c"]


def test_blame_names_the_commit_of_each_field(memory: Memory) -> None:
    """Each field is blamed on the commit that gave it the value it has, not on the last that touched the record."""
    first = put(memory, "n/p", {"a": 1, "b": {"c": 1}})
    second = put(memory, "n/p", {"a": 1, "b": {"c": 2}})
    third = put(memory, "n/p", {"a": 1, "b": {"c": 2}, "d": []})

    found = {one.field: (one.value, one.commit.id) for one in memory.blame("n/p")}
    assert found == {"a": (1, first.id), "b.c": (2, second.id), "d": ([], third.id)}
    assert {one.field: one.commit.id for one in memory.blame("n/p", first)} == {"a": first.id, "b.c": first.id}


def test_blame_notices_that_a_value_came_back(memory: Memory) -> None:
    """A value that was replaced or retracted and said again is blamed on who said it again."""
    put(memory, "n/p", {"a": 1})
    put(memory, "n/p", {"a": 2})
    again = put(memory, "n/p", {"a": 1})
    assert [one.commit.id for one in memory.blame("n/p")] == [again.id]
    memory.retract("n/p", **WHO)
    anew = put(memory, "n/p", {"a": 1})
    assert [one.commit.id for one in memory.blame("n/p")] == [anew.id]


def test_blame_goes_through_merges(memory: Memory) -> None:
    """A merged record's fields are blamed on the commits of the branches they came from, also merge after merge."""
    first = put(memory, "n/p", {"a": 1, "b": 1, "c": 1})
    memory.branch("one", **WHO)
    memory.branch("two", start="one", **WHO)
    on_one = put(memory, "n/p", {"a": 2, "b": 1, "c": 1}, branch="one")
    on_two = put(memory, "n/p", {"a": 1, "b": 2, "c": 1}, branch="two")
    merged(memory.merge("two", into="one", **WHO))
    merged(memory.merge("one", **WHO))

    found = {one.field: one.commit.id for one in memory.blame("n/p")}
    assert found == {"a": on_one.id, "b": on_two.id, "c": first.id}


def test_blame_is_right_past_a_thousand_commits(memory: Memory) -> None:
    """The commit that set a field is found however many came after it."""
    first = put(memory, "n/p", {"a": 1, "n": -1})
    for number in range(1_050):
        last = put(memory, "n/p", {"a": 1, "n": number})

    assert {one.field: one.commit.id for one in memory.blame("n/p")} == {"a": first.id, "n": last.id}
    assert len(memory.history("n/p")) == 1_051
    assert memory.at(first).get("n/p").body == {"a": 1, "n": -1}


def test_bisect_finds_the_commit_that_turned_an_answer(memory: Memory) -> None:
    """For every place where it may have happened, the very commit is found in few looks."""
    commits = [put(memory, "n/other", number) for number in range(20)]
    for turn in (1, 2, 10, 18, 19):

        def question(view: Any, turn: int = turn) -> Json:
            return bool(view.get("n/other").body >= turn)

        found = memory.bisect(question, since=commits[0])
        assert isinstance(found, Turn)
        assert (found.commit.id, found.before, found.after) == (commits[turn].id, False, True)
        assert found.looks <= 8
    same = memory.bisect(lambda view: number_in(view, "n/other") < 100, since=commits[0])
    assert isinstance(same, NoTurn)
    assert same.answer is True


def test_bisect_walks_one_line(memory: Memory) -> None:
    """Commits of other branches between two moments are not looked at."""
    first = put(memory, "n/p", 0)
    memory.branch("fix", **WHO)
    turning = None
    for number in range(1, 8):
        put(memory, "n/p", number * 100)
        commit = put(memory, "n/p", number, branch="fix")
        turning = commit if number == 5 else turning

    found = memory.bisect(lambda view: number_in(view, "n/p") >= 5, since=first, until="fix")
    assert isinstance(found, Turn)
    assert found.commit == turning
    with pytest.raises(Malformed, match="not part of"):
        memory.bisect(lambda _: 1, since=memory.log()[0], until="fix")


# --- Merging ------------------------------------------------------------------------------------------------------


def forked(memory: Memory, base: Json, ours: Any, theirs: Any) -> None:
    """One record, changed on main and on a branch since they parted. An Ellipsis: retracted there."""
    put(memory, "n/p", base)
    memory.branch("fix", **WHO)
    for body, branch in ((ours, "main"), (theirs, "fix")):
        if body is ...:
            memory.retract("n/p", branch=branch, **WHO)
        elif canonical(body) != canonical(base):
            put(memory, "n/p", body, branch=branch)


def test_a_merge_has_two_parents_and_joins_fields(memory: Memory) -> None:
    """Fields changed on either side are joined, and the commit names both parents."""
    forked(
        memory,
        {"a": 1, "b": {"c": 1, "d": 1}},
        {"a": 2, "b": {"c": 1, "d": 1}},
        {"a": 1, "b": {"c": 1, "d": 2, "e": 3}},
    )
    ours, theirs = memory.log()[0], memory.log("fix")[0]
    answer = merged(memory.merge("fix", **WHO))

    assert answer.commit is not None
    assert (answer.commit.parent, answer.commit.merge_parent) == (ours.id, theirs.id)
    assert (answer.commit.action, answer.taken, answer.settled) == (Action.MERGE, 1, ())
    assert memory.get("n/p").body == {"a": 2, "b": {"c": 1, "d": 2, "e": 3}}
    assert shown(memory, "fix") == {"n/p": {"a": 1, "b": {"c": 1, "d": 2, "e": 3}}}
    sound(memory)


def test_merging_twice_changes_nothing_more(memory: Memory) -> None:
    """A second merge of the same branch writes nothing, and a third after further work takes only that work."""
    forked(memory, {"a": 1, "b": 1}, {"a": 2, "b": 1}, {"a": 1, "b": 2})
    merged(memory.merge("fix", **WHO))
    steps = len(memory.log(None))

    assert merged(memory.merge("fix", **WHO)) == Merged(None, 0)
    assert len(memory.log(None)) == steps
    put(memory, "n/p", {"a": 2, "b": 3}, branch="main")
    assert merged(memory.merge("fix", **WHO)) == Merged(None, 0)
    put(memory, "n/q", 1, branch="fix")
    assert merged(memory.merge("fix", **WHO)).taken == 1
    assert shown(memory) == {"n/p": {"a": 2, "b": 3}, "n/q": 1}


def test_merging_back_and_forth_ends_in_one_state(memory: Memory) -> None:
    """After merging each way both branches show the same, and further merges write nothing."""
    forked(memory, {"a": 1, "b": 1}, {"a": 2, "b": 1}, {"a": 1, "b": 2})
    merged(memory.merge("fix", **WHO))
    assert merged(memory.merge("main", into="fix", **WHO)).taken == 1

    assert shown(memory) == shown(memory, "fix")
    assert merged(memory.merge("fix", **WHO)).taken == 0
    assert merged(memory.merge("main", into="fix", **WHO)).taken == 0


def test_a_conflict_is_an_answer_and_nothing_is_written(memory: Memory) -> None:
    """By default a true conflict names every address and field with all three sides, and drops no edit."""
    forked(memory, {"a": 1, "b": {"c": 1}}, {"a": 2, "b": {"c": 2}}, {"a": 3, "b": {"c": 3}})
    put(memory, "n/free", 1, branch="fix")
    steps = len(memory.log(None))
    answer = memory.merge("fix", **WHO)

    assert conflicts(answer) == {"n/p": ("a", "b.c")}
    assert isinstance(answer, Conflicts)
    conflict = answer.conflicts[0]
    sides = [side.body if side else None for side in (conflict.base, conflict.ours, conflict.theirs)]
    assert sides == [{"a": 1, "b": {"c": 1}}, {"a": 2, "b": {"c": 2}}, {"a": 3, "b": {"c": 3}}]
    assert len(memory.log(None)) == steps
    assert shown(memory) == {"n/p": {"a": 2, "b": {"c": 2}}}


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "fields"),
    [
        (1, 2, 3, ("",)),
        ({"a": 1}, {"a": 2}, ..., ("",)),
        ({"a": 1}, ..., {"a": 2}, ("",)),
        ({"a": 1}, {}, {"a": 2}, ("a",)),
        ({"a": {"x": 1}}, {"a": 5}, {"a": {"x": 2}}, ("a",)),
        ({"a": [1]}, {"a": [1, 2]}, {"a": [1, 3]}, ("a",)),
        ({"a": 1}, {"a": 1.0}, {"a": True}, ("a",)),
        ({}, {"a": 1}, {"a": 2}, ("a",)),
        ({"attempts": [{"id": "x", "o": 1}]}, {"attempts": []}, {"attempts": [{"id": "x", "o": 2}]}, ("attempts[x]",)),
    ],
)  # fmt: skip
def test_what_cannot_be_joined_is_a_conflict(
    memory: Memory, base: Json, ours: Any, theirs: Any, fields: tuple[str, ...]
) -> None:
    """Two different edits of one field, or an edit and an end, are never settled silently."""
    forked(memory, base, ours, theirs)
    assert conflicts(memory.merge("fix", **WHO)) == {"n/p": fields}


@pytest.mark.parametrize(
    ("base", "ours", "theirs", "joined"),
    [
        (1, 1, 2, 2),
        (1, 2, 1, 2),
        (1, 2, 2, 2),
        (1, 1, ..., None),
        (1, ..., ..., None),
        ({"a": 1}, {"a": 1}, {"a": True}, {"a": True}),
        ({"a": 1, "b": 1}, {"b": 1}, {"a": 1}, {}),
        ({"tags": ["a", "b"]}, {"tags": ["a", "b", "c"]}, {"tags": ["b", "d"]}, {"tags": ["b", "c", "d"]}),
        (
            {"attempts": [{"id": "1", "outcome": "unknown"}]},
            {"attempts": [{"id": "1", "outcome": "unknown"}, {"id": "2", "outcome": "worked"}]},
            {"attempts": [{"id": "1", "outcome": "made worse"}, {"id": "3", "outcome": "no effect"}]},
            {"attempts": [{"id": "1", "outcome": "made worse"}, {"id": "2", "outcome": "worked"},
                          {"id": "3", "outcome": "no effect"}]},
        ),
        (
            {"attempts": [{"id": "1", "evidence": ["x"]}]},
            {"attempts": [{"id": "1", "evidence": ["x", "y"]}]},
            {"attempts": [{"id": "1", "evidence": ["z"]}]},
            {"attempts": [{"id": "1", "evidence": ["y", "z"]}]},
        ),
        ({"evidence": [{"l": 1}]}, {"evidence": [{"l": 1}, {"l": 2}]}, {"evidence": []}, {"evidence": [{"l": 2}]}),
        ({"tags": None}, {"tags": ["a"]}, {"tags": ["b"]}, {"tags": ["a", "b"]}),
    ],
)  # fmt: skip
def test_what_can_be_joined_is_joined(memory: Memory, base: Json, ours: Any, theirs: Any, joined: Json) -> None:
    """One-sided edits are taken, the same edit twice is one edit, and sets keep what either side added."""
    forked(memory, base, ours, theirs)
    merged(memory.merge("fix", **WHO))

    found = memory.now().find("n/p")
    assert canonical(found.body if found else None) == canonical(joined)
    sound(memory)


@pytest.mark.parametrize(
    ("policy", "body"),
    [
        (Policy.OURS, {"a": 2, "b": 1, "c": 9}),
        (Policy.THEIRS, {"a": 3, "b": 1, "c": 9}),
        (Policy.NEWEST, {"a": 3, "b": 1, "c": 9}),
    ],
)
def test_a_policy_settles_only_what_is_disputed(memory: Memory, policy: Policy, body: Json) -> None:
    """The policy decides the disputed field; the rest is joined as always, and what was settled is told."""
    forked(memory, {"a": 1, "b": 1}, {"a": 2, "b": 1}, {"a": 3, "b": 1, "c": 9})
    answer = merged(memory.merge("fix", policy=policy, **WHO))

    assert memory.get("n/p").body == body
    assert [conflict.fields for conflict in answer.settled] == [("a",)]
    sound(memory)


@pytest.mark.parametrize(("first", "body"), [("main", None), ("fix", {"a": 2})])
def test_the_newest_word_may_be_a_retraction(memory: Memory, first: str, body: Json) -> None:
    """Under `newest` a later retraction wins over an earlier edit, and a later edit over an earlier retraction."""
    put(memory, "n/p", {"a": 1})
    memory.branch("fix", **WHO)
    for branch in (first, "fix" if first == "main" else "main"):
        if branch == "main":
            put(memory, "n/p", {"a": 2})
        else:
            memory.retract("n/p", branch="fix", **WHO)
    merged(memory.merge("fix", policy=Policy.NEWEST, **WHO))

    found = memory.now().find("n/p")
    assert (found.body if found else None) == body


def test_choices_settle_conflicts_one_by_one(memory: Memory) -> None:
    """Each conflict can be given to a side or to a body of one's own; a choice without a conflict is malformed."""
    for name in "abc":
        put(memory, f"n/{name}", {"x": 1})
    memory.branch("fix", **WHO)
    for name in "abc":
        put(memory, f"n/{name}", {"x": 2})
        put(memory, f"n/{name}", {"x": 3}, branch="fix")

    assert set(conflicts(memory.merge("fix", choices={"n/a": Policy.OURS}, **WHO))) == {"n/b", "n/c"}
    with pytest.raises(Malformed, match="no conflict at n/none"):
        memory.merge("fix", policy=Policy.OURS, choices={"n/none": Policy.OURS}, **WHO)
    choices: dict[str, Choice] = {"n/a": Policy.OURS, "n/b": Policy.THEIRS, "n/c": Instead({"x": "both"})}
    answer = merged(memory.merge("fix", choices=choices, **WHO))
    assert shown(memory) == {"n/a": {"x": 2}, "n/b": {"x": 3}, "n/c": {"x": "both"}}
    assert len(answer.settled) == 3
    assert merged(memory.merge("fix", **WHO)).taken == 0


def test_kind_and_text_can_be_in_conflict(memory: Memory) -> None:
    """What a record is and what search reads of it are merged like fields."""
    address = Address("n", "p")
    memory.commit([Change(address, 1, text="base")], **WHO)
    memory.branch("fix", **WHO)
    memory.commit([Change(address, 1, kind="incident", text="ours")], **WHO)
    memory.commit([Change(address, 1, text="theirs")], branch="fix", **WHO)

    assert conflicts(memory.merge("fix", **WHO)) == {"n/p": ("@text",)}
    merged(memory.merge("fix", policy=Policy.THEIRS, **WHO))
    record = memory.get("n/p")
    assert (record.kind, record.text, record.body) == ("incident", "theirs", 1)


def test_a_corrected_time_is_merged(memory: Memory) -> None:
    """When only one side says that it happened at another time, the merge takes that over; it is no lost edit."""
    address = Address("n", "p")
    early, late = START - timedelta(days=9), START + timedelta(days=9)
    memory.commit([Change(address, {"a": 1}, occurred_at=START)], **WHO)
    memory.branch("same", **WHO)
    memory.branch("other", **WHO)
    memory.commit([Change(address, {"a": 1}, occurred_at=early)], branch="same", **WHO)
    memory.commit([Change(address, {"a": 1, "b": 2}, occurred_at=late)], branch="other", **WHO)

    merged(memory.merge("same", **WHO))
    assert memory.get("n/p").occurred_at == early
    merged(memory.merge("other", **WHO))
    assert (memory.get("n/p").occurred_at, memory.get("n/p").body) == (late, {"a": 1, "b": 2})
    assert merged(memory.merge("same", **WHO)).taken == 0


def test_crossed_merges_leave_no_single_base(memory: Memory) -> None:
    """When both sides merged each other's different past, a later double edit is a conflict and never a guess."""
    put(memory, "n/p", {"a": 0})
    memory.branch("fix", **WHO)
    put(memory, "n/p", {"a": 1})
    put(memory, "n/p", {"a": 2}, branch="fix")
    left, right = memory.log()[0], memory.log("fix")[0]
    merged(memory.merge(right, policy=Policy.OURS, **WHO))
    merged(memory.merge(left, into="fix", policy=Policy.OURS, **WHO))
    assert (memory.get("n/p").body, memory.get("n/p", branch="fix").body) == ({"a": 1}, {"a": 2})

    assert conflicts(memory.merge("fix", **WHO)) == {"n/p": ("",)}
    merged(memory.merge("fix", policy=Policy.THEIRS, **WHO))
    assert memory.get("n/p").body == {"a": 2}
    assert merged(memory.merge("main", into="fix", **WHO)).taken == 0
    sound(memory)


def test_a_branch_cannot_be_merged_with_itself(memory: Memory) -> None:
    """Merging main into main, by name, by commit or by an earlier moment, is refused."""
    first = put(memory, "n/p", 1)
    put(memory, "n/p", 2)
    for source in ("main", first, first.id, START):
        with pytest.raises(Refused, match="itself"):
            memory.merge(source, **WHO)


def test_a_merge_of_a_moment_takes_only_what_it_shows(memory: Memory) -> None:
    """An earlier moment of a branch can be merged, and the rest later."""
    put(memory, "n/p", 0)
    memory.branch("fix", **WHO)
    first = put(memory, "n/a", 1, branch="fix")
    put(memory, "n/b", 1, branch="fix")

    assert merged(memory.merge(first, **WHO)).taken == 1
    assert shown(memory) == {"n/p": 0, "n/a": 1}
    assert merged(memory.merge("fix", **WHO)).taken == 1
    assert merged(memory.merge(first, **WHO)).commit is None


def test_a_writer_that_comes_between_is_not_overwritten(place: Place) -> None:
    """Whatever is committed while a merge or a revert is being worked out is merged with, never lost."""
    quiet = place.memory()
    put(quiet, "n/p", {"a": 1, "b": 1})
    quiet.branch("fix", **WHO)
    put(quiet, "n/p", {"a": 1, "b": 2}, branch="fix")
    for calls in range(1, 12):
        put(quiet, "n/p", {"a": 1, "b": 1})
        put(quiet, "n/p", {"a": 1, "b": 10 + calls}, branch="fix")
        between = Between(place.store(), calls, lambda calls=calls: put(quiet, "n/p", {"a": -calls, "b": 1}))  # type: ignore[misc]
        answer = place.memory(store=between).merge("fix", policy=Policy.THEIRS, **WHO)
        between.act()

        assert isinstance(answer, Merged)
        assert quiet.get("n/p").body == {"a": -calls, "b": 10 + calls if between.acted_inside else 1}
    sound(quiet)


class Between:
    """A store on which somebody else does something just before the n-th look at the branches."""

    def __init__(self, store: Any, calls: int, deed: Callable[[], object]) -> None:
        self._store = store
        self._left = calls
        self._deed: Callable[[], object] | None = deed
        self.acted_inside = False

    def __getattr__(self, name: str) -> Any:
        return getattr(self._store, name)

    def branches(self) -> Any:
        self._left -= 1
        if self._left == 0:
            self.acted_inside = True
            self.act()
        return self._store.branches()

    def act(self) -> None:
        """Do it, if it was not done yet."""
        deed, self._deed = self._deed, None
        if deed is not None:
            deed()


# --- Reverting ----------------------------------------------------------------------------------------------------


def test_reverting_undoes_one_commit_and_keeps_the_rest(memory: Memory) -> None:
    """What a commit learned, changed and forgot is undone; what others did stays."""
    put_all(memory, {"n/change": {"a": 1, "b": 1}, "n/forget": 1})
    bad = memory.commit(
        [
            Change(Address("n", "change"), {"a": 2, "b": 1}),
            Change(Address("n", "learn"), 1),
            Change(Address("n", "forget"), state=State.RETRACTED),
        ],
        **WHO,
    )
    put_all(memory, {"n/change": {"a": 2, "b": 5}, "n/other": 1})
    answer = merged(memory.revert(bad, **WHO))

    assert answer.commit is not None
    assert answer.commit.action is Action.REVERT
    assert answer.commit.detail == {"reverts": bad.id}
    assert shown(memory) == {"n/change": {"a": 1, "b": 5}, "n/forget": 1, "n/other": 1}
    again = merged(memory.revert(answer.commit, **WHO))
    assert again.taken == 3
    assert shown(memory) == {"n/change": {"a": 2, "b": 5}, "n/learn": 1, "n/other": 1}
    sound(memory)


def test_reverting_succeeds_while_others_write(place: Place) -> None:
    """While something fails detection commits all the time: who takes a word back then is not told to try again."""
    quiet = place.memory()
    insides = []
    for calls in range(1, 8):
        bad = put(quiet, "n/said", {"wrong": calls})
        between = Between(place.store(), calls, lambda calls=calls: put(quiet, "n/other", {"seen": calls}))  # type: ignore[misc]
        answer = place.memory(store=between).revert(bad, **WHO)
        between.act()
        insides.append(between.acted_inside)

        assert isinstance(answer, Merged)
        assert shown(quiet) == {"n/other": {"seen": calls}}
    assert any(insides)
    sound(quiet)


def test_reverting_what_was_changed_again_is_a_conflict(memory: Memory) -> None:
    """A field that was set again since is a conflict, unless a policy or a choice says who wins."""
    put(memory, "n/p", {"a": 1})
    bad = put(memory, "n/p", {"a": 2})
    put(memory, "n/p", {"a": 3})

    assert conflicts(memory.revert(bad, **WHO)) == {"n/p": ("a",)}
    merged(memory.revert(bad, choices={"n/p": Instead({"a": "chosen"})}, **WHO))
    assert memory.get("n/p").body == {"a": "chosen"}
    merged(memory.revert(bad, policy=Policy.THEIRS, **WHO))
    assert memory.get("n/p").body == {"a": 1}


def test_reverting_a_merge_takes_back_what_it_brought(memory: Memory) -> None:
    """A merge is one commit and can be undone as one."""
    forked(memory, {"a": 1, "b": 1}, {"a": 2, "b": 1}, {"a": 1, "b": 2})
    put(memory, "n/q", 1, branch="fix")
    answer = merged(memory.merge("fix", **WHO))
    assert answer.commit is not None
    merged(memory.revert(answer.commit, **WHO))

    assert shown(memory) == {"n/p": {"a": 2, "b": 1}}


def test_only_what_is_part_of_a_branch_can_be_reverted(memory: Memory) -> None:
    """A commit of another branch, and an erasure, are refused."""
    put(memory, "n/p", 1)
    memory.branch("fix", **WHO)
    other = put(memory, "n/q", 1, branch="fix")
    erased = memory.erase("n/p", **WHO)

    with pytest.raises(Refused, match="not part of"):
        memory.revert(other, **WHO)
    with pytest.raises(Refused, match="gone"):
        memory.revert(erased.commit, **WHO)


# --- Decay and erasure --------------------------------------------------------------------------------------------


def test_decay_is_gone_today_and_present_in_the_past(place: Place, memory: Memory) -> None:
    """What nobody learnt anew for long is archived: today's answers lose it, the past keeps it, it can come back."""
    put_all(memory, {"n/old": 1, "n/renewed": 1, "m/old": 1})
    place.tick(days=40)
    put_all(memory, {"n/renewed": 2, "n/new": 1})
    before = memory.snapshot("before", **WHO)

    stale = memory.decay(stale_days=30, wanted=Filter(namespace="n"), dry_run=True, **WHO)
    assert [str(record.address) for record in stale] == ["n/old"]
    assert len(memory.log()) == 2
    assert memory.decay(stale_days=30, wanted=Filter(namespace="n"), **WHO) == stale
    assert set(shown(memory)) == {"m/old", "n/new", "n/renewed"}
    assert set(shown(memory, before)) == {"m/old", "n/new", "n/old", "n/renewed"}
    with pytest.raises(Missing, match="was archived"):
        memory.get("n/old")
    assert memory.decay(stale_days=30, wanted=Filter(namespace="n"), **WHO) == ()
    assert memory.log()[0].action is Action.ARCHIVE
    merged(memory.revert(memory.log()[0], **WHO))
    assert memory.get("n/old").body == 1
    sound(memory)


def test_decay_spares_what_is_learnt_anew_meanwhile(place: Place) -> None:
    """A record that is written while decay decides is not archived: decay says that it is stale."""
    quiet = place.memory()
    put(quiet, "n/p", 1)
    place.tick(days=40)
    store = Meanwhile(place.store(), lambda: put(quiet, "n/p", 2))

    with pytest.raises(Stale, match="written meanwhile"):
        place.memory(store=store).decay(stale_days=30, **WHO)
    assert quiet.get("n/p").body == 2


class Meanwhile(Between):
    """A store on which somebody else does something just before a write begins."""

    def __init__(self, store: Any, deed: Callable[[], object]) -> None:
        super().__init__(store, 0, deed)

    def write(self) -> Any:
        self.act()
        return self._store.write()


def test_a_large_decay_takes_several_commits(place: Place) -> None:
    """More stale records than one commit holds are archived all the same."""
    memory = place.memory(limits=MemoryLimits(changes_per_commit_max=4, records_per_page_max=3))
    for start in (0, 4, 8):
        put_all(memory, {f"n/k{number}": 1 for number in range(start, start + 4)})
    place.tick(days=2)

    assert len(memory.decay(stale_days=1, **WHO)) == 12
    assert shown(memory) == {}
    assert len(memory.log()) == 6


SECRET = "bank-account-0815-4711"


def test_erasing_removes_every_version_on_every_branch(place: Place, memory: Memory) -> None:
    """Bodies of an address are gone from every moment and branch, and the chain verifies and says what was erased."""
    first = put(memory, "n/p", {"iban": SECRET})
    memory.branch("fix", **WHO)
    put(memory, "n/p", {"iban": SECRET, "x": 1}, branch="fix")
    put(memory, "n/kept", 1)
    memory.retract("n/p", **WHO)
    done = memory.erase("n/p", actor="dpo", why="article 17")

    assert (done.versions, done.addresses, done.traces_gone) == (3, (Address("n", "p"),), True)
    assert done.commit.detail == {"versions": [1, 2, 4], "addresses": ["n/p"]}
    assert (done.commit.action, done.commit.actor, done.commit.why) == (Action.ERASE, "dpo", "article 17")
    for moment in (first, "fix", "main"):
        with pytest.raises(Missing, match="was erased"):
            memory.at(moment).get("n/p")
    assert shown(memory, "fix") == {}
    assert shown(memory) == {"n/kept": 1}
    assert SECRET.encode() not in b"".join(memory.export())
    found = memory.verify()
    assert (found.faults, found.erased) == ((), 3)
    put(memory, "n/p", "anew")
    assert memory.get("n/p").body == "anew"
    sound(memory)


def test_an_erased_secret_is_in_no_file(sqlite_place: Place) -> None:
    """After erasing, the bytes are neither in the database nor in its write-ahead log."""
    memory = sqlite_place.memory()
    for number in range(50):
        memory.commit([Change(Address("n", f"k{number}"), {"iban": f"{SECRET}-{number}" * 40}, text=SECRET)], **WHO)
    files = [sqlite_place.file, Path(f"{sqlite_place.file}-wal")]
    assert any(SECRET.encode() in file.read_bytes() for file in files if file.exists())
    for number in range(50):
        assert memory.erase(f"n/k{number}", **WHO).traces_gone

    assert not any(SECRET.encode() in file.read_bytes() for file in files if file.exists())
    sound(memory)


def test_erasing_again_finishes_what_a_reader_held_up(sqlite_place: Place, monkeypatch: pytest.MonkeyPatch) -> None:
    """While somebody reads an older state traces stay and are told of; erasing once more removes them."""
    monkeypatch.setattr("hindcast.adapters.store_sql.engine.LOCK_WAIT_MS_MAX", 50)
    memory = sqlite_place.memory()
    put(memory, "n/p", SECRET)
    with sqlite_place.raw() as raw, raw.engine.connect() as reader:
        reader.exec_driver_sql("BEGIN")
        reader.exec_driver_sql("SELECT * FROM version").fetchone()
        assert memory.erase("n/p", **WHO).traces_gone is False
        reader.exec_driver_sql("ROLLBACK")

    again = memory.erase("n/p", **WHO)
    assert (again.traces_gone, again.versions) == (True, 0)
    assert again.commit == memory.log()[0]
    assert SECRET.encode() not in Path(f"{sqlite_place.file}-wal").read_bytes() + sqlite_place.file.read_bytes()


def test_erasing_reaches_what_it_names_and_no_more(memory: Memory) -> None:
    """An entry means itself, a path its entries, `below` the paths under it, and neighbours are never touched."""
    everything: dict[str, Json] = {"n/p": 0, "n/p#a": 1, "n/p#a.b": 2, "n/p#ab": 3, "n/p.q": 4, "n/px": 5, "n/p.q#z": 6}
    put_all(memory, everything)

    assert [str(address) for address in memory.erase("n/p#a", **WHO).addresses] == ["n/p#a"]
    assert [str(address) for address in memory.erase("n/p", **WHO).addresses] == ["n/p", "n/p#a.b", "n/p#ab"]
    assert set(shown(memory)) == {"n/p.q", "n/px", "n/p.q#z"}
    memory.erase("n/p", below=True, **WHO)
    assert set(shown(memory)) == {"n/px"}
    sound(memory)


def test_a_write_that_comes_between_stops_an_erasure(place: Place) -> None:
    """When the address is written while it is being erased, nothing is erased and the caller is told."""
    quiet = place.memory()
    put(quiet, "n/p", 1)
    store = Meanwhile(place.store(), lambda: put(quiet, "n/p", 2))

    with pytest.raises(Stale, match="written meanwhile"):
        place.memory(store=store).erase("n/p", **WHO)
    assert [record.body for record in quiet.history("n/p")] == [2, 1]
    quiet.erase("n/p", **WHO)
    sound(quiet)


def test_merging_and_reverting_around_an_erasure(memory: Memory) -> None:
    """What is erased does not come back by a merge or a revert, and does not stand in the way of either."""
    put_all(memory, {"n/p": {"a": 1}, "n/q": 1})
    memory.branch("fix", **WHO)
    changed = put_all(memory, {"n/p": {"a": 2}, "n/q": 2})
    put(memory, "n/p", {"a": 3}, branch="fix")
    memory.erase("n/p", **WHO)

    merged(memory.merge("fix", **WHO))
    merged(memory.revert(changed, **WHO))
    assert shown(memory) == {"n/q": 1}
    sound(memory)


# --- What the peer failed at --------------------------------------------------------------------------------------


def test_a_listing_is_not_capped(memory: Memory) -> None:
    """More than 1,024 keys are listed, now and at an older moment."""
    first = put_all(memory, {f"n/k{number:05d}": number for number in range(3_000)})
    put_all(memory, {f"n/k{number:05d}": -1 for number in range(0, 3_000, 2)})

    assert len(memory.now().list(records_max=3_000).records) == 3_000
    assert shown(memory, first) == {f"n/k{number:05d}": number for number in range(3_000)}


def test_ten_thousand_keys_are_read_as_of_every_moment(memory: Memory) -> None:
    """With 10,000 keys and many commits after them, none of 200 random keys is missed at any of the moments."""
    keys = [f"n/k{number:05d}" for number in range(10_000)]
    commits = [put_all(memory, dict.fromkeys(keys[step :: 7 if step else 1], step)) for step in range(6)]
    chosen = random.Random(1).sample(range(10_000), 200)

    for step, commit in enumerate(commits):
        view = memory.at(commit)
        for number in chosen:
            expected = max(
                (past for past in range(1, step + 1) if number >= past and (number - past) % 7 == 0), default=0
            )
            assert view.get(keys[number]).body == expected
        assert view.count() == 10_000


def test_reading_by_date(place: Place, memory: Memory) -> None:
    """Every day of a year shows what was known on it."""
    for day in range(365):
        put(memory, "n/p", day)
        place.tick(days=1)
    for day in range(365):
        assert memory.at(START + timedelta(days=day, hours=12)).get("n/p").body == day
    assert memory.at("2026-03-01T12:00Z").get("n/p").body == 59


def test_reads_never_write(place: Place, memory: Memory) -> None:
    """After every reading verb the history has the same steps and the same rows."""
    first = put(memory, "n/p", {"a": 1})
    put(memory, "n/p", {"a": 2})
    memory.branch("fix", start=first, **WHO)
    before = list(memory.export())
    memory.at(first).every()
    memory.diff(first)
    memory.blame("n/p")
    memory.bisect(lambda view: view.get("n/p").body, since=first)
    memory.history("n/p")
    memory.log(None)
    memory.changes(first)
    memory.verify()
    memory.now("fix").namespaces()

    assert list(memory.export()) == before


# --- Verify -------------------------------------------------------------------------------------------------------


def lived_in(memory: Memory) -> None:
    """A history with everything in it: batches, branches, merges, retractions, erasure, snapshots, texts, origins."""
    memory.commit([Change(Address("n", "p"), {"a": 1}, text="words"), Change(Address("n", "q"), 1)], **WHO)
    memory.branch("fix", **WHO)
    put(memory, "n/p", {"a": 1, "b": 2}, branch="fix")
    put(memory, "n/p", {"a": 2})
    memory.snapshot("good", **WHO)
    memory.merge("fix", **WHO)
    memory.retract("n/q", **WHO)
    put(memory, "n/secret", 1)
    memory.erase("n/secret", **WHO)
    put(memory, "n/r", "last")


# Table, column, a new value, which row, and what a fault has to name.
FLIPS: list[tuple[str, str, Any, str, str]] = [
    ("commit", "id", b"\x01" * 32, "seq = 2", "step 2"),
    ("commit", "seq", 999, "seq = 8", "step 999"),
    ("commit", "branch", 2, "seq = 3", "step 3"),
    ("commit", "branch", 77, "seq = 3", "step 3"),
    ("commit", "parent", 1, "seq = 6", "step 6"),
    ("commit", "parent", None, "seq = 6", "step 6"),
    ("commit", "merge_parent", 1, "seq = 4", "step 4"),
    ("commit", "merge_parent", None, "seq = 4", "step 4"),
    ("commit", "merge_parent", 1, "seq = 5", "step 5"),
    ("commit", "at_us", 1, "seq = 1", "step 1"),
    ("commit", "at_us", 2**62, "seq = 2", "step 2"),
    ("commit", "actor", "mallory", "seq = 8", "step 8"),
    ("commit", "why", "altered", "seq = 1", "step 1"),
    ("commit", "action", "revert", "seq = 2", "step 2"),
    ("commit", "action", "nonsense", "seq = 2", "step 2"),
    ("commit", "action", "commit", "seq = 7", "step 7"),
    ("commit", "detail", b'{"reverts":"x"}', "seq = 4", "step 4"),
    ("commit", "detail", b"{broken", "seq = 4", "step 4"),
    ("commit", "detail", b'{"versions":["x"]}', "seq = 7", "step 7"),
    ("commit", "first_version", 1, "seq = 3", "step 3"),
    ("commit", "last_version", 99, "seq = 3", "step 3"),
    ("commit", "last_version", 0, "seq = 8", "step 8"),
    ("version", "id", 999, "id = 8", "version 999"),
    ("version", "branch", 2, "id = 1", "version 1 "),
    ("version", "address", "n/other", "id = 1", "step 1"),
    ("version", "kind", "incident", "id = 1", "step 1"),
    ("version", "state", 1, "id = 1", "step 1"),
    ("version", "state", 77, "id = 1", "step 1"),
    ("version", "from_seq", 2, "id = 1", "version 1 "),
    ("version", "body", b'{"a":9}', "id = 1", "version 1 "),
    ("version", "body", b"{broken", "id = 1", "version 1 "),
    ("version", "body", None, "id = 1", "version 1 "),
    ("version", "body", b"1", "id = 6", "version 6 "),
    ("version", "text", "altered", "id = 1", "version 1 "),
    ("version", "text", None, "id = 1", "version 1 "),
    ("version", "text", "", "id = 2", "version 2 "),
    ("version", "occurred_us", 1, "id = 1", "step 1"),
    ("version", "origin", 1, "id = 2", "step 1"),
    ("version", "origin", None, "id = 5", "step 4"),
    ("version", "replaces", None, "id = 4", "version 4 "),
    ("version", "replaces", 2, "id = 4", "version 4 "),
    ("version", "salt", b"\x01" * 16, "id = 1", "version 1 "),
    ("version", "salt", b"", "id = 1", "version 1 "),
    ("version", "salt", None, "id = 1", "version 1 "),
    ("version", "salt", b"\x01" * 16, "id = 7", "version 7 "),
    ("version", "digest", b"\x01" * 32, "id = 1", "step 1"),
    ("version", "digest", b"\x01" * 32, "id = 7", "step 6"),
    ("version", "body", b"1", "id = 7", "version 7 "),
    ("branch", "number", 77, "number = 2", "branch fix"),
    ("branch", "name", "other", "number = 2", "branch other"),
    ("branch", "parent", None, "number = 2", "branch fix"),
    ("branch", "fork_seq", 0, "number = 2", "branch fix"),
    ("branch", "head_seq", 1, "number = 1", "branch main"),
    ("branch", "head_seq", 999, "number = 2", "branch fix"),
    ("branch", "created_us", 1, "number = 2", "branch fix"),
    ("branch", "actor", "mallory", "number = 1", "branch main"),
    ("branch", "why", "altered", "number = 2", "branch fix"),
    ("branch", "seal", b"\x01", "number = 2", "branch fix"),
    ("snapshot", "name", "bad", "name = 'good'", "snapshot bad"),
    ("snapshot", "seq", 1, "name = 'good'", "snapshot good"),
    ("snapshot", "seq", 999, "name = 'good'", "snapshot good"),
    ("snapshot", "created_us", 1, "name = 'good'", "snapshot good"),
    ("snapshot", "actor", "mallory", "name = 'good'", "snapshot good"),
    ("snapshot", "why", "altered", "name = 'good'", "snapshot good"),
    ("snapshot", "seal", b"\x01", "name = 'good'", "snapshot good"),
]  # fmt: skip


@pytest.mark.parametrize(("table", "column", "value", "row", "named"), FLIPS)
def test_verify_finds_every_altered_column(
    place: Place, memory: Memory, table: str, column: str, value: Any, row: str, named: str
) -> None:
    """Whatever column of whatever table is altered behind its back, verify says so and names the place."""
    lived_in(memory)
    sound(memory)
    with place.raw() as raw:
        assert raw.run(f'UPDATE "{table}" SET {column} = :value WHERE {row}', value=value) == 1

    faults = memory.verify().faults
    assert any(named in fault.where + " " for fault in faults), faults


def test_every_column_is_among_the_flips(place: Place) -> None:
    """The list above leaves no column out, save the number of the space, which is the same in every row."""
    place.store()
    with place.raw() as raw:
        for table in ("commit", "version", "branch", "snapshot"):
            columns = set(_columns(raw, table)) - {"space"}
            assert columns == {column for name, column, *_ in FLIPS if name == table}


def _columns(raw: Raw, table: str) -> list[str]:
    with raw.engine.connect() as connection:
        return list(connection.exec_driver_sql(f'SELECT * FROM "{table}"').keys())


@pytest.mark.parametrize(
    ("statement", "named"),
    [
        ('DELETE FROM "commit" WHERE seq = 3', "step 4"),
        ('DELETE FROM "commit" WHERE seq = 1', "step 2"),
        ('DELETE FROM "commit" WHERE seq = 8', "version 8"),
        ("DELETE FROM version WHERE id = 1", "step 1"),
        ("DELETE FROM version WHERE id = 8", "step 8"),
        ("DELETE FROM version", "step 1"),
        ('DELETE FROM "commit"', "version 1"),
        ("DELETE FROM branch WHERE number = 2", "step 2"),
        ("DELETE FROM branch", "step 1"),
    ],
)
def test_verify_finds_deleted_rows(place: Place, memory: Memory, statement: str, named: str) -> None:
    """Commits, versions and branches that history needs cannot vanish unnoticed."""
    lived_in(memory)
    with place.raw() as raw:
        assert raw.run(statement) > 0

    faults = memory.verify().faults
    assert any(named in fault.where for fault in faults), faults


def test_verify_finds_added_rows(place: Place, memory: Memory) -> None:
    """A version that no commit wrote is found, wherever it claims to belong."""
    lived_in(memory)
    for number, seq in ((99, 8), (100, 99)):
        with place.raw() as raw:
            raw.run(
                "INSERT INTO version "
                "(space, id, branch, address, kind, state, from_seq, body, occurred_us, salt, digest) "
                "SELECT space, :id, branch, 'n/forged', kind, state, :seq, body, occurred_us, salt, digest "
                "FROM version WHERE id = 8",
                id=number,
                seq=seq,
            )
        assert any(f"version {number}" in fault.where for fault in memory.verify().faults)


def test_verify_counts_what_it_saw(memory: Memory) -> None:
    """A sound history is reported with its size, its erasures and its head, and progress is told on the way."""
    lived_in(memory)
    for number in range(1_000):
        last = put(memory, "n/many", number)
    told: list[tuple[int, int, str]] = []
    found = memory.verify(lambda *news: told.append(news))

    assert (found.commits, found.versions, found.erased, found.head) == (1_008, 1_008, 1, last.id)
    assert found.faults == ()
    assert told == [(1_000, 1_008, "commits")]


@pytest.mark.parametrize(
    ("verb", "calls"),
    [("tip", 1), ("tip", 2), ("branches", 1), ("rows", 1), ("rows", 2), ("commits", 1), ("commits_of", 1), ("seals", 1),
     ("snapshots", 1), ("snapshots", 2)],
)  # fmt: skip
def test_verify_is_not_alarmed_by_writers(place: Place, memory: Memory, verb: str, calls: int) -> None:
    """Commits, branches and erasures made while verify looks are no faults."""
    lived_in(memory)

    def busy() -> None:
        put(memory, "n/meanwhile", 1)
        memory.branch(f"meanwhile{calls}", **WHO)
        put(memory, "n/p", 1, branch=f"meanwhile{calls}")
        memory.erase("n/p", **WHO)
        memory.snapshot(f"snap{calls}", **WHO)

    assert place.memory(store=Busy(place.store(), verb, calls, busy)).verify().faults == ()
    sound(memory)


class Busy:
    """A store on which others are busy just before the n-th call of one verb."""

    def __init__(self, store: Any, verb: str, calls: int, deed: Callable[[], object]) -> None:
        self._store = store
        self._verb = verb
        self._left = calls
        self._deed = deed

    def __getattr__(self, name: str) -> Any:
        if name == self._verb:
            self._left -= 1
            if self._left == 0:
                self._deed()
        return getattr(self._store, name)


def test_reading_altered_bytes_is_damaged(place: Place, memory: Memory) -> None:
    """A body that is no JSON any more, and a version whose commit is gone, are never shown as something else."""
    put(memory, "n/p", 1)
    put(memory, "n/q", 1)
    with place.raw() as raw:
        raw.run("UPDATE version SET body = :value WHERE id = 1", value=b"{broken")

    with pytest.raises(Damaged, match="Version 1 of n/p"):
        memory.get("n/p")
    with pytest.raises(Damaged):
        memory.now().every()
    assert memory.get("n/q").body == 1
    with place.raw() as raw:
        raw.run('DELETE FROM "commit" WHERE seq = 2')
    with pytest.raises(Damaged):
        memory.retract("n/q", **WHO)


# --- Export and import --------------------------------------------------------------------------------------------


def test_an_export_is_lossless(place: Place, memory: Memory) -> None:
    """Branches, merges, erasures, snapshots and ids arrive as they were, and a second export has the same lines."""
    lived_in(memory)
    lines = list(memory.export())
    copy = place.memory(place.other())

    assert copy.import_lines(lines) == 8
    assert list(copy.export())[1:] == lines[1:]
    assert copy.verify() == memory.verify()
    for moment in ("main", "fix", "good", *(commit.id for commit in memory.log(None))):
        assert shown(copy, moment) == shown(memory, moment)
    assert copy.branches() == memory.branches()
    assert copy.snapshots() == memory.snapshots()
    assert copy.log(None) == memory.log(None)
    assert copy.blame("n/p") == memory.blame("n/p")
    with pytest.raises(Missing, match="was erased"):
        copy.get("n/secret")
    put(copy, "n/p", "onwards")
    merged(copy.merge("fix", **WHO))
    sound(copy)


def test_an_export_moves_between_engines(sqlite_place: Place, postgres_place: Place) -> None:
    """SQLite to PostgreSQL and back is the same history."""
    first = sqlite_place.memory()
    lived_in(first)
    second = postgres_place.memory()
    second.import_lines(first.export())
    third = sqlite_place.memory("back")
    third.import_lines(second.export())

    assert list(third.export())[1:] == list(first.export())[1:]
    assert third.verify() == first.verify()


def test_an_import_needs_an_empty_space(place: Place, memory: Memory) -> None:
    """A space that has a history of its own takes none from elsewhere."""
    lived_in(memory)
    other = place.memory(place.other())
    put(other, "n/mine", 1)

    with pytest.raises(Refused, match="already has a history"):
        other.import_lines(memory.export())
    assert shown(other) == {"n/mine": 1}


Tamper = Callable[[list[dict[str, Any]]], object]


def line_of(lines: list[dict[str, Any]], what: str, number: int = 0) -> dict[str, Any]:
    """The content of the n-th line of a kind."""
    found: dict[str, Any] = [line for line in lines if what in line][number][what]
    return found


@pytest.mark.parametrize(
    "tamper",
    [
        lambda lines: lines.clear(),
        lambda lines: lines.pop(0),
        lambda lines: lines.pop(),
        lambda lines: lines.pop(1),
        lambda lines: lines.pop(2),
        lambda lines: lines.pop(3),
        lambda lines: lines.pop(len(lines) // 2),
        lambda lines: lines.insert(4, lines[4]),
        lambda lines: lines.insert(2, lines[2]),
        lambda lines: lines.append(lines[-1]),
        lambda lines: lines.reverse(),
        lambda lines: lines[0].update(hindcast_memory=2),
        lambda lines: lines[0].update(commits=7),
        lambda lines: lines[0].update(commits="many"),
        lambda lines: lines.append({"nonsense": 1}),
        lambda lines: lines.append([]),
        lambda lines: lines.append(None),
        lambda lines: line_of(lines, "commit").update(why="altered"),
        lambda lines: line_of(lines, "commit").update(at="yesterday"),
        lambda lines: line_of(lines, "commit").update(action="nonsense"),
        lambda lines: line_of(lines, "commit", 2).update(parent=None),
        lambda lines: line_of(lines, "commit", 2).update(branch="nowhere"),
        lambda lines: line_of(lines, "commit", 7).update(branch="nowhere"),
        lambda lines: line_of(lines, "commit", 7).update(extra=1),
        lambda lines: line_of(lines, "version").update(body={"a": 9}),
        lambda lines: line_of(lines, "version").update(text="altered"),
        lambda lines: line_of(lines, "version").update(text=None),
        lambda lines: line_of(lines, "version").update(address="n/altered"),
        lambda lines: line_of(lines, "version").update(state=1),
        lambda lines: line_of(lines, "version").update(state=77),
        lambda lines: line_of(lines, "version").update(branch=2),
        lambda lines: line_of(lines, "version").update(from_seq=10**30),
        lambda lines: line_of(lines, "version").update(id=10**30),
        lambda lines: line_of(lines, "version").update(salt=None, body="forged"),
        lambda lines: line_of(lines, "version").update(salt=None, body=None, has_body=False, text=None),
        lambda lines: line_of(lines, "version").update(salt="!"),
        lambda lines: line_of(lines, "version").pop("digest"),
        lambda lines: line_of(lines, "version", 3).update(replaces=None),
        lambda lines: line_of(lines, "version", 6).update(body="forged", has_body=True),
        lambda lines: line_of(lines, "branch", 1).update(fork_seq=3),
        lambda lines: line_of(lines, "branch", 1).update(parent="nowhere"),
        lambda lines: line_of(lines, "branch", 1).update(why="altered"),
        lambda lines: line_of(lines, "branch", 1).update(number=77),
        lambda lines: line_of(lines, "snapshot").update(seq=1),
        lambda lines: line_of(lines, "snapshot").update(commit="0" * 64),
        lambda lines: line_of(lines, "snapshot").update(actor="mallory"),
    ],
)
def test_a_tampered_export_is_refused_and_nothing_is_written(place: Place, memory: Memory, tamper: Tamper) -> None:
    """A line altered, lost, doubled or moved stops the import, and the space stays empty and usable."""
    lived_in(memory)
    lines = [orjson.loads(line) for line in memory.export()]
    tamper(lines)
    copy = place.memory(place.other())

    with pytest.raises(Malformed) as caught:
        copy.import_lines(_dumped(line) for line in lines)
    assert caught.value.field == "file"
    assert (copy.branches(), copy.log(None), copy.snapshots()) == ((), (), ())
    assert copy.import_lines(memory.export()) == 8


def _dumped(line: Any) -> bytes:
    # The standard library writes whole numbers of any size; orjson would refuse to.
    return json.dumps(line).encode()


@pytest.mark.parametrize("garbage", [b"", b"\n", b"{", b"\xff\xfe", b"[" * 5000, b'{"hindcast_memory":1'])
def test_a_file_that_is_no_export_is_malformed(memory: Memory, garbage: bytes) -> None:
    """Bytes that are no JSON lines are refused with the number of the line."""
    with pytest.raises(Malformed, match="Line 1"):
        memory.import_lines([garbage])
    assert memory.branches() == ()


@pytest.mark.parametrize("calls", range(1, 4))
def test_an_export_is_of_one_moment(place: Place, memory: Memory, calls: int) -> None:
    """Whatever is written while an export goes on is left out of it, and what it holds can be imported."""
    lived_in(memory)

    def busy() -> None:
        memory.branch(f"meanwhile{calls}", **WHO)
        put(memory, "n/meanwhile", 1, branch=f"meanwhile{calls}")
        memory.snapshot(f"snap{calls}", moment=f"meanwhile{calls}", **WHO)

    verb = ("branches", "snapshots", "commits")[calls - 1]
    lines = list(place.memory(store=Busy(place.store(), verb, 1, busy)).export())
    copy = place.memory(place.other())

    assert copy.import_lines(lines) == 8
    assert "n/meanwhile" not in shown(copy)
    sound(copy)


# --- Opening ------------------------------------------------------------------------------------------------------


def test_another_process_sees_everything(place: Place, memory: Memory) -> None:
    """What one memory wrote, another one opened on the same space reads, branches it did not know included."""
    other = place.memory()
    put(memory, "n/p", 1)
    assert other.get("n/p").body == 1
    memory.branch("fix", **WHO)
    put(memory, "n/p", 2, branch="fix")

    assert other.get("n/p", branch="fix").body == 2
    assert merged(other.merge("fix", **WHO)).taken == 1
    assert memory.get("n/p").body == 2
    memory.close()
    other.close()
    assert place.memory().get("n/p").body == 2


def test_a_record_is_a_value(memory: Memory) -> None:
    """Records of the same version are equal, wherever they were read."""
    put(memory, "n/p", {"a": 1})
    record: Record = memory.get("n/p")

    assert record == memory.history("n/p")[0] == memory.now().every()[0]
    assert replace(record, actor="bo") != record
