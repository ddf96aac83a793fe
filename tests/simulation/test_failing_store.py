"""A store that fails on its n-th call, for every n: each failure leaves memory whole, and the story can go on."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import pytest

from hindcast.memory import Memory
from hindcast.model.answer import Merged, Policy
from hindcast.model.errors import Unavailable
from hindcast.model.ids import Address
from hindcast.model.query import Filter
from hindcast.model.record import Change, State

if TYPE_CHECKING:
    from tests.conftest import Place

START = datetime(2026, 1, 1, tzinfo=UTC)
START_LATER = START + timedelta(days=60)
# What no call of the store is: it neither reads nor writes.
UNCOUNTED = frozenset({"space", "close"})


class Failing:
    """A store, or a writer of it, that fails on the n-th of all calls: before it does what it should, or just after."""

    def __init__(self, inner: Any, count: Countdown) -> None:
        self._inner = inner
        self._count = count

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._inner, name)
        if name in UNCOUNTED or not callable(found):
            return found
        return self._write if name == "write" else self._count.around(found)

    @contextmanager
    def _write(self) -> Iterator[Failing]:
        chosen = self._count.before()
        with self._inner.write() as writer:
            yield Failing(writer, self._count)
        # The transaction has ended well, and the news of it is lost on the way.
        self._count.after(chosen)


class Countdown:
    """How many calls are left until one fails."""

    def __init__(self, calls: int, *, late: bool) -> None:
        self.left = calls
        self._late = late

    def before(self) -> bool:
        """A call begins; whether it is the one that fails late."""
        self.left -= 1
        if self.left == 0 and not self._late:
            self._fail()
        return self.left == 0

    def after(self, chosen: bool) -> None:
        """A call has ended."""
        if chosen:
            self._fail()

    def _fail(self) -> None:
        raise Unavailable("The connection was lost.", remedy="Retry.")

    def around(self, verb: Callable[..., Any]) -> Callable[..., Any]:
        """The same verb, counted."""

        def counted(*given: Any, **named: Any) -> Any:
            chosen = self.before()
            try:
                return verb(*given, **named)
            finally:
                self.after(chosen)

        return counted


def done(memory: Memory, why: str) -> bool:
    """Whether a step of the story has happened already."""
    return any(commit.why == why for commit in memory.log(None))


def tell(memory: Memory, place: Place) -> None:
    """A little story that uses every verb that writes. Whoever was interrupted can tell it again from its beginning."""

    def step(why: str, deed: Callable[[dict[str, str]], object]) -> None:
        if not done(memory, why):
            deed({"actor": "ana", "why": why})

    def put(branch: str, **bodies: Any) -> Callable[[dict[str, str]], object]:
        changes = [Change(Address("n", name), body) for name, body in bodies.items()]
        return lambda who: memory.commit(changes, branch=branch, actor=who["actor"], why=who["why"])

    step("begin", put("main", p={"a": 1, "tags": ["x"]}, q=1, secret="iban"))
    if "fix" not in {branch.name for branch in memory.branches()}:
        memory.branch("fix", actor="ana", why="try")
    step("on fix", put("fix", p={"a": 1, "b": 2, "tags": ["x", "y"]}, r=1))
    step("on main", put("main", p={"a": 2, "tags": ["x", "z"]}))
    if "good" not in {snapshot.name for snapshot in memory.snapshots()}:
        memory.snapshot("good", actor="ana", why="keep")
    step("bad", put("main", q=666))
    step("join", lambda who: merged(memory.merge("fix", policy=Policy.ASK, actor=who["actor"], why=who["why"])))
    bad = next(commit for commit in memory.log(None) if commit.why == "bad")
    step("undo", lambda who: merged(memory.revert(bad, actor=who["actor"], why=who["why"])))
    step("forget", lambda who: memory.erase("n/secret", actor=who["actor"], why=who["why"]))
    place.clock.set(START_LATER)
    step("renew", put("main", q=2))
    step(
        "fade",
        lambda who: memory.decay(
            stale_days=30, wanted=Filter(namespace="n", prefix="r"), actor=who["actor"], why=who["why"]
        ),
    )
    step("end", lambda who: memory.retract("n/q", actor=who["actor"], why=who["why"]))


def merged(answer: object) -> None:
    """The answer has to be a merge."""
    assert isinstance(answer, Merged), answer


def outcome(memory: Memory) -> dict[str, object]:
    """All that the story comes to, save the ids and times that differ from one telling to another."""
    shown = {
        moment: {str(record.address): record.body for record in memory.at(moment).every()}
        for moment in ("main", "fix", "good")
    }
    steps = [(commit.why, commit.branch, commit.changes, commit.action) for commit in memory.log(None)]
    states = {str(record.address): record.state for record in memory.now().every(states=tuple(State))}
    return {"shown": shown, "steps": steps, "states": states, "branches": [one.name for one in memory.branches()]}


def interrupted(place: Place, name: str, calls: int, *, late: bool) -> tuple[dict[str, object], bool]:
    """Tell the story with a failure at one call, look whether memory is whole, and tell it to its end."""
    place.clock.set(START)
    count = Countdown(calls, late=late)
    failed = False
    try:
        tell(place.memory(store=Failing(place.store(name), count)), place)
    except Unavailable:
        failed = True
    assert failed == (count.left <= 0)
    again = place.memory(name)
    assert again.verify().faults == ()
    place.clock.set(max(place.clock.now(), START))
    tell(again, place)
    assert again.verify().faults == ()
    end = outcome(again)
    place.close()
    return end, failed


@pytest.mark.parametrize("late", [False, True], ids=["before", "after"])
def test_a_failure_at_any_call_leaves_memory_whole(sqlite_place: Place, late: bool) -> None:
    """Whichever call fails, before or after it did its work: memory verifies, and the story comes to the same end."""
    expected, _ = interrupted(sqlite_place, "undisturbed", 10**9, late=late)
    calls, failed = 0, True
    while failed:
        calls += 1
        end, failed = interrupted(sqlite_place, f"story{calls}", calls, late=late)
        assert end == expected, f"call {calls}"
    assert calls > 50


@pytest.mark.parametrize("late", [False, True], ids=["before", "after"])
def test_a_failure_leaves_memory_whole_on_postgres(postgres_place: Place, late: bool) -> None:
    """The same holds on PostgreSQL, at every ninth call."""
    expected, _ = interrupted(postgres_place, postgres_place.other("undisturbed"), 10**9, late=late)
    calls, failed = 0, True
    while failed:
        calls += 9
        end, failed = interrupted(postgres_place, postgres_place.other(f"story{calls}"), calls, late=late)
        assert end == expected, f"call {calls}"
