"""The queue between senders and store: groups, limits, failures."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import wait
from contextlib import contextmanager
from datetime import UTC, datetime
from typing import TYPE_CHECKING, cast

import pyarrow as pa
import pytest

from hindcast.adapters.intake import Intake, IntakeLimits
from hindcast.model.columns import RAW_LOG, Batch, Parsed
from hindcast.model.errors import Busy, Malformed, Unavailable

if TYPE_CHECKING:
    from hindcast.ports import Telemetry

NOW = datetime(2026, 11, 15, 2, 3, tzinfo=UTC)


def texts(logs: pa.Table | None) -> list[str]:
    """The messages of a table."""
    return logs["message"].to_pylist() if logs is not None else []


class Kept:
    """A store that keeps what it is given, waits when told to, and fails when told to."""

    def __init__(self) -> None:
        self.writes: list[Sequence[Batch]] = []
        self.open = threading.Event()
        self.open.set()
        self.broken = False

    def write(self, batches: Sequence[Batch]) -> None:
        """Keep batches, once the door is open."""
        self.open.wait(10)
        if self.broken:
            raise Unavailable("The disk is full.", remedy="Make room.")
        self.writes.append(batches)

    @property
    def messages(self) -> list[str]:
        """Every message that was kept, in order."""
        return [text for batches in self.writes for batch in batches for text in texts(batch.logs)]


def lines(*messages: str) -> Parsed:
    """A request with these lines."""
    row = {"time": NOW, "service": "payment", "level": 9, "trace": "", "span": "", "stack": "", "attributes": []}
    return Parsed(logs=pa.Table.from_pylist([{**row, "message": message} for message in messages], schema=RAW_LOG))


def as_it_is(arrivals: Sequence[tuple[str, Parsed]]) -> list[Batch]:
    """Prepares nothing, and cannot bear the word poison."""
    for _, parsed in arrivals:
        if "poison" in texts(parsed.logs):
            raise Malformed("This cannot be prepared.", remedy="Leave it out.")
    return [Batch(space, parsed.logs) for space, parsed in arrivals]


@contextmanager
def opened(
    kept: Kept, limits: IntakeLimits | None = None, *, unwritten: Callable[[Sequence[Batch]], None] = lambda _: None
) -> Iterator[Intake]:
    """An intake onto a store, closed in the end."""
    intake = Intake(as_it_is, cast("Telemetry", kept), limits, unwritten=unwritten)
    try:
        yield intake
    finally:
        kept.open.set()
        intake.close()


def test_a_request_is_done_when_it_is_durable() -> None:
    """The future of a request waits for the store, not only for the queue."""
    kept = Kept()
    kept.open.clear()
    with opened(kept) as intake:
        future = intake.take("local", lines("a", "b"))
        assert not wait([future], timeout=0.2).done
        kept.open.set()
        future.result(10)
        assert kept.messages == ["a", "b"]
        assert intake.rows_waiting == 0


def test_what_arrives_together_is_written_together() -> None:
    """A hundred requests that wait for the disk need far fewer writes, and none is lost."""
    kept = Kept()
    with opened(kept) as intake:
        futures = [intake.take("local", lines(f"line {number}")) for number in range(100)]
        for future in futures:
            future.result(10)
    assert {f"line {number}" for number in range(100)} == set(kept.messages)
    assert len(kept.messages) == 100
    assert len(kept.writes) < 10


def test_small_writes_that_follow_each_other_are_made_one() -> None:
    """The first request is written at once; those right behind it wait for each other until they are worth a write."""
    kept = Kept()
    limits = IntakeLimits(apart_ms=60_000, rows_worth_writing=3)
    with opened(kept, limits) as intake:
        intake.take("local", lines("a")).result(10)
        later = [intake.take("local", lines(word)) for word in "bc"]
        assert not wait(later, timeout=0.2).done
        later.append(intake.take("local", lines("d")))
        for future in later:
            future.result(10)
    assert [len(batches) for batches in kept.writes] == [1, 3]


def test_whoever_sends_alone_is_not_kept_waiting_for_others() -> None:
    """A sender who waits for each answer waits for company once, in vain, and then no more."""
    kept = Kept()
    with opened(kept, IntakeLimits(apart_ms=2_000)) as intake:
        intake.take("local", lines("first")).result(10)
        intake.take("local", lines("kept waiting")).result(10)
        alone = [intake.take("local", lines("at once"))]
        assert wait(alone, timeout=1.5).done
    assert len(kept.writes) == 3


def test_closing_does_not_wait_for_company() -> None:
    """What was kept back to share a write is written when the queue closes."""
    kept = Kept()
    with opened(kept, IntakeLimits(apart_ms=60_000)) as intake:
        intake.take("local", lines("first")).result(10)
        last = intake.take("local", lines("last"))
    assert last.done()
    assert kept.messages == ["first", "last"]


def test_a_full_queue_refuses_and_recovers() -> None:
    """Beyond its limit the queue refuses with a time to come back, and takes again when it has drained."""
    kept = Kept()
    kept.open.clear()
    with opened(kept, IntakeLimits(rows_waiting_max=4, rows_per_space_waiting_max=4)) as intake:
        first = intake.take("local", lines("a", "b", "c"))
        with pytest.raises(Busy) as refused:
            intake.take("local", lines("d", "e"))
        assert refused.value.retry_after_seconds > 0
        kept.open.set()
        first.result(10)
        intake.take("local", lines("d", "e")).result(10)
    assert kept.messages == ["a", "b", "c", "d", "e"]


def test_one_loud_space_leaves_room_for_others() -> None:
    """A space that has used up its own share is refused; another one is still taken."""
    kept = Kept()
    kept.open.clear()
    with opened(kept, IntakeLimits(rows_waiting_max=10, rows_per_space_waiting_max=3)) as intake:
        loud = intake.take("loud", lines("a", "b", "c"))
        with pytest.raises(Busy, match="loud"):
            intake.take("loud", lines("d"))
        calm = intake.take("calm", lines("e"))
        kept.open.set()
        loud.result(10)
        calm.result(10)


def test_a_store_that_fails_acknowledges_nothing() -> None:
    """When the store cannot write, every request of the group learns it, and the next one can succeed."""
    kept = Kept()
    kept.broken = True
    intake_told: list[Batch] = []
    with opened(kept, unwritten=intake_told.extend) as intake:
        futures = [intake.take("local", lines(str(number))) for number in range(3)]
        for future in futures:
            with pytest.raises(Unavailable, match="disk is full"):
                future.result(10)
        assert kept.messages == []
        assert intake.rows_waiting == 0
        assert [text for batch in intake_told for text in texts(batch.logs)] == ["0", "1", "2"]
        kept.broken = False
        intake.take("local", lines("again")).result(10)
        assert kept.messages == ["again"]


def test_one_bad_request_does_not_take_its_neighbours_along() -> None:
    """A request that cannot be prepared fails alone; those that came with it are written."""
    kept = Kept()
    with opened(kept) as intake:
        good, bad, fine = (intake.take("local", lines(word)) for word in ("good", "poison", "fine"))
        good.result(10)
        fine.result(10)
        with pytest.raises(Malformed):
            bad.result(10)
    assert sorted(kept.messages) == ["fine", "good"]


def test_closing_writes_what_was_taken() -> None:
    """A queue that closes first writes what it has, and takes nothing more."""
    kept = Kept()
    with opened(kept) as intake:
        future = intake.take("local", lines("last"))
    assert future.done()
    assert kept.messages == ["last"]
    with pytest.raises(Unavailable):
        intake.take("local", lines("too late"))


def test_an_empty_request_needs_no_store() -> None:
    """A request without records is answered at once."""
    kept = Kept()
    with opened(kept) as intake:
        assert intake.take("local", Parsed()).done()
    assert kept.writes == []
