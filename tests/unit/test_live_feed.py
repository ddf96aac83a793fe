"""What passes by on the live stream: which lines are told to whom, and what is said about those that are not."""

from __future__ import annotations

import asyncio
from collections import Counter
from datetime import UTC, datetime, timedelta
from typing import Any

import pyarrow as pa
import pytest
from tests.hearing import heard

from hindcast.model.columns import LOG, RATE, Batch
from hindcast.rest import live_feed
from hindcast.rest.listening import Tail, Wish
from hindcast.rest.live import Live
from hindcast.rest.live_feed import Feed, matching

NOW = datetime(2026, 11, 15, 2, 3, 4, tzinfo=UTC)


def lines(
    *messages: str, service: str = "payment", level: int = 9, template: int = 2**63 + 1, stack: str = ""
) -> pa.Table:
    """Lines as they are stored."""
    row: dict[str, Any] = {"space": "ours", "time": NOW, "arrived": NOW, "service": service, "level": level}
    row |= {"trace": "t1", "span": "", "template": template, "fingerprint": 0, "stack": stack, "attributes": []}
    return pa.Table.from_pylist([{**row, "message": message} for message in messages], schema=LOG)


class Counts:
    """A store that has nothing but counts of one service, and the time."""

    def __init__(self) -> None:
        self.counts: Counter[str] = Counter()
        self.telemetry = self
        self.asked = 0

    def now(self) -> datetime:
        return NOW

    def rates(self, _since: datetime, _until: datetime, **_: object) -> pa.Table:
        self.asked += 1
        rows = [
            {"space": "ours", "second": NOW, "service": "payment", "level": 17, "count": 3},
            {"space": "ours", "second": NOW, "service": "payment", "level": 9, "count": 40},
            {"space": "ours", "second": NOW - timedelta(seconds=1), "service": "user", "level": 13, "count": 2},
            {"space": "theirs", "second": NOW, "service": "secret", "level": 17, "count": 9},
        ]
        return pa.Table.from_pylist(rows, schema=RATE)


def fed(wishes: list[Wish], *batches: Batch, rates: bool = False) -> list[list[Any]]:
    """What each listener hears when these batches have become durable."""

    async def story() -> list[list[Any]]:
        live = Live(epoch="e")
        live.attach(asyncio.get_running_loop())
        listeners = [live.listen(wish) for wish in wishes]
        feed = Feed(Counts(), live)  # type: ignore[arg-type]
        for batch in batches:
            feed.heard([batch])
        await asyncio.to_thread(feed.tell_rates if rates else feed.tell_lines)
        return [await heard(listener) for listener in listeners]

    return asyncio.run(story())


def following(tail: Tail | None = None, space: str = "ours") -> Wish:
    """Somebody who wants lines."""
    return Wish(space, frozenset({"line"}), tail or Tail())


@pytest.mark.parametrize(
    ("tail", "count"),
    [
        (Tail(), 3),
        (Tail(level_min=17), 1),
        (Tail(services=("user", "auth")), 1),
        (Tail(words=("pool",)), 3),
        (Tail(words=("exhausted!", "pool")), 1),
        (Tail(words=("ool: ex",)), 1),
        (Tail(words=("at hold", "waits")), 1),
        (Tail(words=("p.ol",)), 0),
        (Tail(template=7), 1),
        (Tail(level_min=17, words=("waits",)), 0),
    ],
)
def test_every_condition_on_lines_has_to_hold(tail: Tail, count: int) -> None:
    """Services, level, parts of message or stack in any case and template narrow the lines down, together."""
    table = pa.concat_tables(
        [
            lines("Pool waits", stack="E\n  AT HOLD"),
            lines("POOL: exhausted!", level=17),
            lines("poolside", service="user", template=7),
        ]
    )

    assert len(matching(table, tail)) == count


def test_lines_reach_those_who_follow_them() -> None:
    """A line that became durable is told to whoever follows its space, with 64-bit numbers as text."""
    batches = (Batch("ours", lines("all is well")), Batch("ours", lines("it broke", level=17)))
    found, others = fed([following(Tail(level_min=17, words=("broke",))), following(space="theirs")], *batches)

    ((kind, event_id, data),) = found
    assert (kind, event_id, data["matched"], data["dropped"], data["unseen"]) == ("line", "", 1, 0, 0)
    assert data["lines"][0]["message"] == "it broke"
    assert data["lines"][0]["template"] == str(2**63 + 1)
    assert others == []


def test_a_sample_says_how_much_it_leaves_out() -> None:
    """Of too many lines an even sample is told, with how many there were and how many are not shown."""
    ((_, _, data),) = fed([following()], Batch("ours", lines(*map(str, range(5_000)))))[0]

    assert (len(data["lines"]), data["matched"], data["dropped"]) == (200, 5_000, 4_800)
    assert [data["lines"][0]["message"], data["lines"][-1]["message"]] == ["0", "4999"]


def test_lines_nobody_had_time_for_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    """What arrives faster than it can be looked at is not kept, and its number is told."""
    monkeypatch.setattr(live_feed, "ROWS_WAITING_MAX", 10)
    batch = Batch("ours", lines(*["x"] * 8))
    ((_, _, data),) = fed([following()], batch, batch, batch)[0]

    assert (data["matched"], data["unseen"]) == (8, 16)


def test_nothing_is_kept_while_nobody_follows_lines() -> None:
    """Without a listener the intake's lines are not held on to, and those of other spaces never are."""
    live = Live()
    feed = Feed(Counts(), live)  # type: ignore[arg-type]
    feed.heard([Batch("ours", lines("x"))])

    assert feed._rows == 0
    assert fed([following(space="theirs")], Batch("ours", lines("x"))) == [[]]


def test_a_long_line_is_cut_and_says_so() -> None:
    """A line longer than a screen is cut, and the cut is told."""
    ((_, _, data),) = fed([following()], Batch("ours", lines("x" * 10_000)))[0]

    assert (len(data["lines"][0]["message"]), data["lines"][0]["is_cut"]) == (2_000, True)


def test_rates_are_counted_by_service_and_second() -> None:
    """Everybody who listens to rates gets the last five seconds of their own space, from one question to the store."""
    wish = Wish("ours", frozenset({"rates"}))
    first, second = fed([wish, wish], rates=True)

    ((kind, _, data),) = first
    assert first == second
    assert (kind, data["seconds"][-1], len(data["seconds"])) == ("rates", NOW.isoformat(), 5)
    assert data["services"] == {
        "payment": {"errors": [0, 0, 0, 0, 3], "warnings": [0] * 5, "others": [0, 0, 0, 0, 40]},
        "user": {"errors": [0] * 5, "warnings": [0, 0, 0, 2, 0], "others": [0] * 5},
    }
