"""Where many are answered, nobody waits for the model to read what was written just now: it is read meanwhile."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from numpy.typing import NDArray
from tests.contract.test_index import WordVectors, paths
from tests.serving import wait_for

from hindcast.adapters.index_local import EMBEDDED_MEANWHILE, EMBEDDED_ON_SEARCH_MAX, LocalIndex
from hindcast.adapters.index_local.files import MAKING, alone
from hindcast.adapters.index_local.meaning import packed
from hindcast.memory import Memory
from hindcast.model.ids import Address
from hindcast.model.query import Query
from hindcast.model.record import Change

if TYPE_CHECKING:
    from tests.conftest import Place

SECONDS_MAX = 30.0


class SlowVectors(WordVectors):
    """A model that takes as long as it is let for whatever tells of zanzibar."""

    def __init__(self) -> None:
        super().__init__()
        self.has_begun, self.may_end = threading.Event(), threading.Event()

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One vector for each text, once that is allowed."""
        if any("zanzibar" in text for text in texts):
            self.has_begun.set()
            assert self.may_end.wait(SECONDS_MAX)
        return super().embed(texts)


@pytest.fixture
def model() -> SlowVectors:
    """A model that waits to be let go on."""
    return SlowVectors()


@pytest.fixture
def memory(place: Place, tmp_path: Path, model: SlowVectors) -> Memory:
    """A memory with a record, in a process that many ask."""
    store = place.store()
    made = place.memory(store=store, index=LocalIndex(tmp_path / "index", store, model, makes_meanwhile=True))
    made.put("team/a", "redis pool", actor="ana", why="seen")
    wait_for(lambda: unembedded(made) == 0, what="the vector of the first")
    return made


def unembedded(memory: Memory) -> int:
    """How many could be found by words alone."""
    return memory.now().search("redis").unembedded


def test_what_is_new_is_found_by_its_words_before_the_model_has_read_it(memory: Memory, model: SlowVectors) -> None:
    """A search answers while the model reads; once it has read, meaning finds the record, too."""
    memory.put("team/b", "zanzibar valkey", actor="ana", why="seen")
    by_words = memory.now().search(Query("zanzibar", arms=("words",)))
    assert [hit.record.path for hit in by_words.hits] == ["b"]
    found = memory.now().search("redis")
    assert [hit.record.path for hit in found.hits] == ["a"]
    assert found.unembedded == 1
    assert model.has_begun.wait(SECONDS_MAX)

    model.may_end.set()

    wait_for(lambda: unembedded(memory) == 0, what="the vector of the second")
    assert set(paths(memory, "redis")) == {"a", "b"}
    assert sum("zanzibar" in text for text in model.embedded) == 1


def test_what_is_written_meanwhile_gets_its_vector_as_well(memory: Memory, model: SlowVectors) -> None:
    """While the model reads one record, another one is written and searched for; both are read in the end."""
    memory.put("team/b", "zanzibar valkey", actor="ana", why="seen")
    assert unembedded(memory) == 1
    assert model.has_begun.wait(SECONDS_MAX)
    memory.put("team/c", "valkey again", actor="ana", why="seen")
    assert unembedded(memory) == 2

    model.may_end.set()

    wait_for(lambda: unembedded(memory) == 0, what="the vectors of both")
    assert set(paths(memory, "redis")) == {"a", "b", "c"}


def test_what_is_erased_while_the_model_reads_it_leaves_no_vector(
    memory: Memory, model: SlowVectors, tmp_path: Path
) -> None:
    """The model may know it for a moment longer; nothing of it is kept, neither in the index nor in the store."""
    memory.put("team/b", "zanzibar valkey", actor="ana", why="seen")
    assert unembedded(memory) == 1
    assert model.has_begun.wait(SECONDS_MAX)

    memory.erase("team/b", actor="dpo", why="duty")
    model.may_end.set()
    memory.put("team/c", "kafka lag", actor="ana", why="seen")
    wait_for(lambda: unembedded(memory) == 0, what="the vector of the last")

    read = [text for text in model.embedded if "zanzibar" in text]
    assert read, "the model has read it"
    secret = packed(model.embed(read[:1])[0]).tobytes()
    (kept,) = (tmp_path / "index").glob("meaning-*/vectors")
    assert secret not in kept.read_bytes()
    assert any(kept.read_bytes()), "and the others are there"
    assert secret not in [vector for _, vector in memory._store.vectors(model.model, after=0)]
    memory.close()


def test_closing_waits_for_what_is_being_read(memory: Memory, model: SlowVectors) -> None:
    """Nothing writes into the folder of an index that was closed."""
    memory.put("team/b", "zanzibar valkey", actor="ana", why="seen")
    assert unembedded(memory) == 1
    assert model.has_begun.wait(SECONDS_MAX)
    closing = threading.Thread(target=memory.close)
    closing.start()
    assert closing.is_alive()
    model.may_end.set()
    closing.join(SECONDS_MAX)
    assert not closing.is_alive()
    assert any("zanzibar" in text for text in model.embedded)


MANY = 3 * EMBEDDED_MEANWHILE + 5


def remember(memory: Memory, count: int, words: str) -> None:
    """Many records in one commit, as an import writes them."""
    changes = [Change(Address("bulk", f"n{number}"), f"{words} number{number}") for number in range(count)]
    memory.commit(changes, actor="import", why="a year of them")


def test_what_was_imported_is_read_bit_by_bit(memory: Memory, model: SlowVectors) -> None:
    """However much is new, a server works it off by itself, the newest first, and answers by words meanwhile."""
    remember(memory, MANY, "zanzibar")
    assert unembedded(memory) == MANY
    assert model.has_begun.wait(SECONDS_MAX)
    assert unembedded(memory) == MANY, "and nobody waits for it"

    model.may_end.set()

    wait_for(lambda: unembedded(memory) == 0, what="the vectors of all")
    read = [text for text in model.embedded if "zanzibar" in text]
    assert len(read) == MANY
    assert f"number{MANY - 1}" in " ".join(read[:EMBEDDED_MEANWHILE]).split()
    assert "number0" in " ".join(read[-(MANY % EMBEDDED_MEANWHILE) :]).split()


def test_what_is_written_meanwhile_comes_before_the_rest(memory: Memory, model: SlowVectors) -> None:
    """A record of this minute does not wait until all of an import was read."""
    remember(memory, MANY, "zanzibar")
    assert unembedded(memory) == MANY
    assert model.has_begun.wait(SECONDS_MAX)
    memory.put("team/new", "valkey fresh", actor="ana", why="seen")
    assert unembedded(memory) == MANY + 1

    model.may_end.set()

    wait_for(lambda: unembedded(memory) == 0, what="the vectors of all")
    order = [number for number, text in enumerate(model.embedded) if "fresh" in text]
    rest = [number for number, text in enumerate(model.embedded) if "zanzibar" in text]
    assert order[0] < rest[2 * EMBEDDED_MEANWHILE], "it is of the next few that are read"


def test_closing_does_not_wait_for_all_of_it(memory: Memory, model: SlowVectors) -> None:
    """What is left when it closes is left for the next time."""
    remember(memory, MANY, "zanzibar")
    assert unembedded(memory) == MANY
    assert model.has_begun.wait(SECONDS_MAX)
    closing = threading.Thread(target=memory.close)
    closing.start()
    index = memory._index
    assert isinstance(index, LocalIndex)
    wait_for(index._closing.is_set, what="closing to begin")
    model.may_end.set()
    closing.join(SECONDS_MAX)

    assert not closing.is_alive()
    assert sum("zanzibar" in text for text in model.embedded) == EMBEDDED_MEANWHILE


@pytest.mark.parametrize("count", [1, EMBEDDED_ON_SEARCH_MAX])
def test_a_command_does_not_wait_for_who_makes_vectors(place: Place, tmp_path: Path, count: int) -> None:
    """While another process lets the model read, a search in this one answers by words; afterwards it reads itself."""
    store, folder = place.store(), tmp_path / "index"
    memory = place.memory(store=store, index=LocalIndex(folder, store, WordVectors()))
    assert memory.now().search("redis").hits == ()
    with alone(folder, MAKING):
        remember(memory, count, "redis")
        found = memory.now().search("redis")
    assert len(found.hits) > 0
    assert found.unembedded == count

    memory.put("team/b", "kafka lag", actor="ana", why="seen")
    assert unembedded(memory) == (0 if count < EMBEDDED_ON_SEARCH_MAX else count + 1)
    memory.close()


def test_a_server_waits_its_turn_to_make_vectors(memory: Memory, tmp_path: Path) -> None:
    """While another process lets the model read, searches answer by words; as soon as it has ended, this one reads."""
    with alone(tmp_path / "index", MAKING):
        memory.put("team/b", "redis again", actor="ana", why="seen")
        assert unembedded(memory) == 1

    wait_for(lambda: unembedded(memory) == 0, what="its turn")
