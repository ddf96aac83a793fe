"""The contract of what a search tells early: records that words found, while the model still reads the question."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from numpy.typing import NDArray

from hindcast.adapters.index_local import LocalIndex
from hindcast.adapters.index_local.asking import TOLD_EARLY_MAX
from hindcast.memory import Memory
from hindcast.model.ids import Address
from hindcast.model.query import Query
from hindcast.model.record import Change, Record, State
from hindcast.ports import Embedder

if TYPE_CHECKING:
    from tests.conftest import Place

DIMS = 8
WAIT_SECONDS_MAX = 30.0


class Slow:
    """A model that reads a question only when it is let."""

    model = "slow-1"
    dims = DIMS

    def __init__(self) -> None:
        self.may_read = threading.Event()
        self.may_read.set()

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """The same vector for every text, once it may."""
        assert self.may_read.wait(WAIT_SECONDS_MAX)
        return np.full((len(texts), DIMS), DIMS**-0.5, np.float32)


Opened = Callable[[Embedder | None], Memory]


@pytest.fixture
def opened(place: Place, tmp_path: Path) -> Opened:
    """Opens the test's space with an index."""

    def open_one(embedder: Embedder | None) -> Memory:
        store = place.store()
        return place.memory(store=store, index=LocalIndex(tmp_path / "index", store, embedder))

    return open_one


def put(memory: Memory, **texts: str) -> None:
    """Write records with these texts."""
    changes = [Change(Address("cases", path), {}, kind="case", text=text) for path, text in texts.items()]
    memory.commit(changes, actor="ana", why="seen")


def test_what_words_found_is_told_while_the_model_reads(opened: Opened) -> None:
    """Records that share a word are told before the model has read anything; the rest come with the answer."""
    model = Slow()
    memory = opened(model)
    put(memory, redis="redis pool exhausted", kafka="kafka consumer lag")
    memory.index()
    told: list[str] = []

    def early(records: Sequence[Record]) -> None:
        told.extend(record.path for record in records)
        model.may_read.set()

    model.may_read.clear()
    found = memory.now().look(Query("redis"), early=early)

    assert told == ["redis"]
    assert {record.path for record in memory.now().read(found.sights).values()} == {"redis", "kafka"}


def test_an_answer_does_not_depend_on_whether_anybody_listens(opened: Opened) -> None:
    """Told early or not, the same records answer, with the same trace."""
    model = Slow()
    memory = opened(model)
    put(memory, **{f"c{number}": f"redis pool number{number} {'exhausted' * (number % 3)}" for number in range(60)})
    memory.index()
    told: list[Record] = []

    def early(records: Sequence[Record]) -> None:
        told.extend(records)
        if len(told) >= TOLD_EARLY_MAX:
            model.may_read.set()

    query = Query("redis pool exhausted", hits_max=30)
    alone = memory.now().look(query)
    model.may_read.clear()
    heard = memory.now().look(query, early=early)

    assert heard == alone
    assert len(told) == len({record.version for record in told}) == TOLD_EARLY_MAX


def test_nobody_is_told_early_where_there_is_nothing_to_wait_for(opened: Opened) -> None:
    """Without a model the answer is there at once."""
    memory = opened(None)
    put(memory, redis="redis pool exhausted")
    told: list[Record] = []

    found = memory.now().look(Query("redis"), early=told.extend)

    assert [sight.version for sight in found.sights] == [1]
    assert told == []


def test_only_what_a_moment_shows_is_told_early(opened: Opened) -> None:
    """A record that was written later, or withdrawn before, is told to nobody who asks about a moment."""
    model = Slow()
    memory = opened(model)
    put(memory, kept="redis pool exhausted", gone="redis pool exhausted")
    withdrawn = Change(Address("cases", "gone"), state=State.RETRACTED)
    moment = memory.commit([withdrawn], actor="ana", why="wrong")
    put(memory, later="redis pool exhausted")
    memory.index()
    told: list[str] = []

    def early(records: Sequence[Record]) -> None:
        told.extend(record.path for record in records)
        model.may_read.set()

    model.may_read.clear()
    memory.at(moment.id).look(Query("redis"), early=early)

    assert told == ["kept"]
