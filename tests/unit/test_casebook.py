"""The casebook: one record for each incident, completed without losing what anybody said."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from itertools import count

import pytest
from tests.conftest import Place

from hindcast.casebook import Casebook
from hindcast.casebook.writing import TRIES_MAX, write
from hindcast.memory import Memory
from hindcast.model.case import Attempt, Case, CaseState, Cause, Clues, Evidence, Note, Outcome, Resolution, Witness
from hindcast.model.errors import Damaged, Malformed, Missing, Stale
from hindcast.model.ids import Address
from hindcast.model.record import Change

NOW = datetime(2026, 11, 15, 2, 3, tzinfo=UTC)


def case(case_id: str = "redis-pool", *, hours_ago: float = 0, title: str = "redis resets connections") -> Case:
    """A case with something in every field."""
    at = NOW - timedelta(hours=hours_ago)
    said = Evidence(Witness.TEXT, "raising the pool made it worse", "https://wiki.example/17", at)
    return Case(
        case_id,
        title,
        at,
        services=("payment", "auth"),
        components=("redis",),
        symptoms=("ConnectionResetError: [Errno 104]",),
        clues=Clues((2**64 - 1, 7), ("ConnectionResetError",), ("release",), ("pool_size",), ("redis",)),
        cause=Cause("workers keep their connections", "ana"),
        attempts=(Attempt("a1", "raised the pool to 200", Outcome.MADE_WORSE, at, "bo", evidence=(said,)),),
        resolution=Resolution("release in the teardown", "", at, "ana"),
        notes=(Note("n1", "see the dashboard", at, "bo"),),
    )


@pytest.fixture
def memory(sqlite_place: Place) -> Memory:
    """An empty memory."""
    return sqlite_place.memory()


@pytest.fixture
def casebook(memory: Memory) -> Casebook:
    """An empty casebook."""
    return Casebook(memory)


def test_a_case_comes_back_as_it_was(casebook: Casebook) -> None:
    """Every field of a case survives being remembered, numbers of 64 bits included."""
    casebook.put(case(), actor="ana", why="told")

    assert casebook.case("redis-pool") == case()


def test_a_case_is_one_record_with_its_keys_and_words(casebook: Casebook, memory: Memory) -> None:
    """The record of a case holds the whole case, what finds it exactly, what search reads, and when it happened."""
    casebook.put(case(hours_ago=5), actor="ana", why="told")

    record = memory.get("cases/redis-pool")
    assert isinstance(record.body, dict)
    assert record.kind == "case"
    assert record.occurred_at == NOW - timedelta(hours=5)
    assert {"fp:ffffffffffffffff", "svc:auth", "cmp:redis", "id:pool_size"} <= set(record.body["keys"])
    assert record.text is not None
    assert "raised the pool to 200" in record.text


def test_putting_again_changes_nothing(casebook: Casebook, memory: Memory) -> None:
    """A case that says nothing new is left alone, and if all do there is no commit."""
    first = casebook.put_many([case("a"), case("b")], actor="ana", why="import")
    again = casebook.put_many([case("a"), case("b")], actor="ana", why="import")
    mixed = casebook.put_many([case("a"), case("b", title="other"), case("c")], actor="ana", why="import")

    assert (first.new, again.unchanged) == (("a", "b"), ("a", "b"))
    assert (mixed.new, mixed.changed, mixed.unchanged) == (("c",), ("b",), ("a",))
    assert not again.has_changes
    assert len(memory.log()) == 2


def test_the_same_time_in_another_zone_is_no_change(casebook: Casebook, memory: Memory) -> None:
    """A time that is written differently and means the same is not a new case."""
    casebook.put(case(), actor="ana", why="told")
    elsewhere = replace(case(), occurred_at=NOW.astimezone(timezone(timedelta(hours=2))))

    assert casebook.put(elsewhere, actor="ana", why="told").unchanged == ("redis-pool",)
    assert len(memory.log()) == 1


def test_of_two_with_one_id_the_later_counts(casebook: Casebook) -> None:
    """An export that names a case twice gives the case as it was last told."""
    casebook.put_many([case(title="first"), case(title="second")], actor="ana", why="import")

    assert casebook.case("redis-pool").title == "second"


def test_what_is_known_can_be_settled_with_what_comes(casebook: Casebook) -> None:
    """Whoever imports decides what becomes of a case that people have completed meanwhile."""
    casebook.put(case(), actor="ana", why="told")

    def keep_cause(known: Case, given: Case) -> Case:
        return replace(given, cause=known.cause)

    casebook.put_many([replace(case(title="newer"), cause=None)], actor="import", why="again", settle=keep_cause)

    assert (casebook.case("redis-pool").title, casebook.case("redis-pool").cause) == ("newer", case().cause)


def test_cases_are_listed_newest_first(casebook: Casebook) -> None:
    """Cases can be listed by when they happened and how far they are."""
    told = [case("a", hours_ago=3), case("b", hours_ago=1), replace(case("c", hours_ago=2), state=CaseState.RESOLVED)]
    casebook.put_many(told, actor="ana", why="told")

    assert [one.id for one in casebook.every()] == ["b", "c", "a"]
    assert [one.id for one in casebook.every(since=NOW - timedelta(hours=2))] == ["b", "c"]
    assert [one.id for one in casebook.every(states=[CaseState.RESOLVED])] == ["c"]


def test_detected_cases_are_found_by_their_time(casebook: Casebook, memory: Memory) -> None:
    """Incidents of the last days are found without reading all the others, page by page, whatever else is there."""
    ids = [f"inc-202611{day:02}-0203-payment-{number}" for day in (12, 13, 14) for number in range(150)]
    told = [case(one) for one in (*ids, "imported-1", "past-redis", "zebra")]
    casebook.put_many(told, actor="ana", why="told")
    memory.put("cases/inc-20261114-0500-odd", {"title": 7}, actor="bo", why="by hand", kind="case")

    found = casebook.detected(since=datetime(2026, 11, 13, 1, tzinfo=UTC))
    assert [one.id for one in found] == sorted(ids[150:])
    assert casebook.detected(since=datetime(2026, 11, 15, tzinfo=UTC)) == ()


def test_what_is_no_case_is_named_and_skipped(casebook: Casebook, memory: Memory) -> None:
    """A record among the cases that holds something else is an error when it is asked for, and no hindrance else."""
    casebook.put(case(), actor="ana", why="told")
    memory.put("cases/odd", {"title": 7}, actor="bo", why="by hand", kind="case")

    assert [one.id for one in casebook.every()] == ["redis-pool"]
    with pytest.raises(Damaged, match="cases/odd"):
        casebook.case("odd")
    assert casebook.put(case("odd"), actor="ana", why="mend").changed == ("odd",)
    assert casebook.case("odd") == case("odd")


def test_a_case_that_is_not_there_is_missing(casebook: Casebook) -> None:
    """Asking for an unknown case names it and says how to find the others; looking for it finds nothing."""
    assert casebook.find("nothing") is None
    with pytest.raises(Missing, match=r"nothing.*hindcast incident list"):
        casebook.case("nothing")
    with pytest.raises(Missing):
        casebook.change("nothing", lambda found: found, actor="ana", why="x")


@pytest.mark.parametrize("bad", ["", "a#b", "a..b", "x" * 600, "tab\tbed"])
def test_an_id_that_cannot_be_kept_is_malformed(casebook: Casebook, bad: str) -> None:
    """An id that no record can have is refused by the name of its field, and nothing is written."""
    with pytest.raises(Malformed, match=r"^id: "):
        casebook.put(replace(case(), id=bad), actor="ana", why="told")


def _adding(text: str, at: datetime) -> Callable[[Case], Case]:
    def edit(found: Case) -> Case:
        return replace(found, notes=(*found.notes, Note(f"n{len(found.notes) + 1}", text, at, "bo")))

    return edit


def test_two_writers_lose_nothing(sqlite_place: Place) -> None:
    """Two people who complete a case at the same time are both heard, whoever comes second."""
    here, there = Casebook(sqlite_place.memory()), Casebook(sqlite_place.memory())
    here.put(case(), actor="ana", why="told")
    interrupted = iter([True])

    def slowly(found: Case) -> Case:
        if next(interrupted, False):
            there.change("redis-pool", _adding("theirs", NOW), actor="cy", why="note")
        return _adding("ours", NOW)(found)

    here.change("redis-pool", slowly, actor="bo", why="note")

    assert [note.text for note in here.case("redis-pool").notes] == ["see the dashboard", "theirs", "ours"]


def test_many_writers_at_once_lose_nothing(sqlite_place: Place) -> None:
    """However many people write to one case at the same time, every word of every one of them is kept."""
    Casebook(sqlite_place.memory()).put(replace(case(), notes=()), actor="ana", why="told")
    casebooks = [Casebook(sqlite_place.memory()) for _ in range(4)]

    def write_ten(casebook: Casebook, name: str) -> None:
        for number in range(10):
            casebook.change("redis-pool", _adding(f"{name}{number}", NOW), actor=name, why="note")

    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(write_ten, one, name) for one, name in zip(casebooks, "abcd", strict=True)]:
            done.result()

    notes = casebooks[0].case("redis-pool").notes
    assert sorted(note.text for note in notes) == sorted(f"{name}{number}" for name in "abcd" for number in range(10))
    assert len({note.id for note in notes}) == 40


def test_an_import_does_not_undo_what_is_written_meanwhile(sqlite_place: Place) -> None:
    """What somebody adds while an import runs is settled like everything that was known before it."""
    here, there = Casebook(sqlite_place.memory()), Casebook(sqlite_place.memory())
    here.put(case(), actor="ana", why="told")
    interrupted = iter([True])

    def keep_notes(known: Case, given: Case) -> Case:
        if next(interrupted, False):
            there.change("redis-pool", _adding("theirs", NOW), actor="cy", why="note")
        return replace(given, notes=known.notes)

    here.put_many([replace(case(title="newer"), notes=())], actor="import", why="again", settle=keep_notes)

    found = here.case("redis-pool")
    assert (found.title, [note.text for note in found.notes]) == ("newer", ["see the dashboard", "theirs"])


def test_somebody_who_is_never_alone_is_told(sqlite_place: Place) -> None:
    """Where others write without end, a writer gives up with an error that says to try again."""
    here, there = sqlite_place.memory(), sqlite_place.memory()
    numbers = count()

    def plan(_: object) -> list[Change]:
        there.put("facts/x", next(numbers), actor="bo", why="always")
        return [Change(Address("facts", "y"), 1)]

    there.put("facts/x", -1, actor="bo", why="first")
    with pytest.raises(Stale, match="Try again"):
        write(here, plan, actor="ana", why="once")
    assert next(numbers) == TRIES_MAX


def test_a_case_can_be_completed_on_a_branch(memory: Memory) -> None:
    """What is tried out on a branch stays there until it is merged."""
    Casebook(memory).put(case(), actor="ana", why="told")
    memory.branch("drill", actor="ana", why="try")
    Casebook(memory, branch="drill").change("redis-pool", _adding("drill", NOW), actor="ana", why="note")

    assert len(Casebook(memory).case("redis-pool").notes) == 1
    assert len(Casebook(memory, branch="drill").case("redis-pool").notes) == 2
