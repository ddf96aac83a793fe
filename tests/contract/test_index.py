"""The contract of `ports.Index`, kept by the local index over both engines: what is found, and what never is."""

from __future__ import annotations

import random
import re
import shutil
import zlib
from collections.abc import Callable, Sequence
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from numpy.typing import NDArray

from hindcast.adapters.index_local import EMBEDDED_ON_SEARCH_MAX, LocalIndex, meaning
from hindcast.memory import Memory
from hindcast.model.errors import Malformed, Refused, Unavailable
from hindcast.model.ids import Address
from hindcast.model.query import Filter, Query
from hindcast.model.record import Change
from hindcast.ports import Embedder

if TYPE_CHECKING:
    from tests.conftest import Place

WORDS = [
    "timeout",
    "pool",
    "redis",
    "kafka",
    "payment",
    "checkout",
    "memory",
    "leak",
    "disk",
    "full",
    "retry",
    "deploy",
    "rollback",
    "certificate",
    "latency",
]

# Enough for two words to be as good as unrelated.
DIMS = 256


class WordVectors:
    """A small model of our own: a text is the sum of a fixed vector for each of its words. It counts what it embeds."""

    def __init__(self, model: str = "words-1") -> None:
        self.model = model
        self.dims = DIMS
        self.embedded: list[str] = []
        self.broken = False

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One vector of unit length for each text."""
        if self.broken:
            raise Unavailable("The model is away.", remedy="Wait for it.")
        self.embedded.extend(texts)
        rows = [sum((self._vector(word) for word in text.lower().split()), np.full(DIMS, 1e-6)) for text in texts]
        made = np.array(rows, np.float32).reshape(len(texts), DIMS)
        made /= np.linalg.norm(made, axis=1, keepdims=True)
        return made

    def _vector(self, word: str) -> NDArray[np.float64]:
        word = {"valkey": "redis"}.get(word, word)
        return np.random.default_rng(zlib.crc32(f"{self.model} {word}".encode())).standard_normal(DIMS)


Opened = Callable[..., Memory]


@pytest.fixture
def opened(place: Place, tmp_path: Path) -> Opened:
    """Opens the test's space with an index in one and the same folder."""

    def open_one(embedder: Embedder | None = None, folder: str = "index") -> Memory:
        store = place.store()
        return place.memory(store=store, index=LocalIndex(tmp_path / folder, store, embedder))

    return open_one


def paths(memory: Memory, text: str, **filters: object) -> list[str]:
    """The paths that a search finds now, best first."""
    found = memory.now().search(Query(text, Filter(**filters)))  # type: ignore[arg-type]
    return [hit.record.path for hit in found.hits]


def test_a_search_finds_what_was_just_committed(opened: Opened) -> None:
    """Whatever a commit returned for can be found by its words at once."""
    memory = opened()
    memory.put("team/inc.1", {"error": "ConnectionResetError: errno 104"}, actor="ana", why="seen")

    assert paths(memory, "errno 104") == ["inc.1"]


def test_parts_of_an_identifier_are_words(opened: Opened) -> None:
    """ConnectionResetError is found by "connection reset", by its own name, and by its path."""
    memory = opened()
    memory.put("team/checkout.crash", {"error": "ConnectionResetError"}, actor="ana", why="seen")

    for question in ("connection reset", "ConnectionResetError", "checkout"):
        assert paths(memory, question) == ["checkout.crash"]


def test_the_past_answers_as_it_would_have(opened: Opened, place: Place) -> None:
    """A search at a moment sees the versions of that moment and no later ones."""
    memory = opened()
    first = memory.put("team/pool", {"advice": "raise the pool"}, actor="ana", why="first")
    place.tick(days=1)
    memory.put("team/pool", {"advice": "lower the pool"}, actor="bo", why="second")
    place.tick(days=1)
    memory.retract("team/pool", actor="bo", why="neither")

    assert [hit.record.body for hit in memory.at(first).search("pool").hits] == [{"advice": "raise the pool"}]
    assert [hit.record.body for hit in memory.at("2026-01-02").search("pool").hits] == [{"advice": "lower the pool"}]
    assert memory.now().search("pool").hits == ()


def test_branches_do_not_see_each_other(opened: Opened) -> None:
    """A branch finds its own versions and its parent's as of the fork, never what its parent said later."""
    memory = opened()
    memory.put("team/a", "redis eviction", actor="ana", why="shared")
    memory.branch("fix", actor="ana", why="try")
    memory.put("team/a", "redis fragmentation", actor="ana", why="on the branch", branch="fix")
    memory.put("team/b", "redis cluster", actor="ana", why="later on main")

    assert [hit.record.body for hit in memory.now("fix").search("redis").hits] == ["redis fragmentation"]
    assert {"redis eviction", "redis cluster"} == {hit.record.body for hit in memory.now().search("redis").hits}


@pytest.mark.parametrize("embedded", [False, True], ids=["words", "words and meaning"])
def test_a_search_finds_the_same_as_looking_at_everything(opened: Opened, embedded: bool) -> None:
    """At every moment and on every branch a word finds exactly the live records that hold it."""
    memory = opened(WordVectors() if embedded else None)
    rng = random.Random(5)
    moments = []
    branches = ["main"]
    for step in range(60):
        branch = rng.choice(branches)
        changes = {
            f"p{rng.randrange(25)}": " ".join(rng.sample(WORDS, 3)) for _ in range(rng.randrange(1, 4))
        }  # fmt: skip
        commit = memory.commit(
            [Change(Address("team", path), text) for path, text in changes.items()],
            actor="ana",
            why=f"step {step}",
            branch=branch,
        )
        moments.append(commit)
        if step % 15 == 14:
            name = f"side{step}"
            memory.branch(name, actor="ana", why="apart", start=rng.choice(moments))
            branches.append(name)

    for moment in rng.sample(moments, 20):
        view = memory.at(moment)
        records = view.every()
        for word in rng.sample(WORDS, 3):
            holders = {record.path for record in records if word in str(record.body).split()}
            found = view.search(Query(word, hits_max=100, arms=("words",))).hits
            assert holders == {hit.record.path for hit in found}


def test_filters_narrow_a_search(opened: Opened, place: Place) -> None:
    """Namespace, prefix, kind, actor and both clocks each let through what they name, and nothing else."""
    memory = opened()
    place.tick(days=10)
    early, late = place.clock.now(), place.clock.now() + timedelta(days=5)
    memory.commit(
        [
            Change(Address("team", "pool.size"), "redis", kind="fact", occurred_at=early - timedelta(days=9)),
            Change(Address("team", "pool.sizes"), "redis", kind="incident", occurred_at=early),
            Change(Address("other", "pool.size"), "redis", occurred_at=early),
        ],
        actor="ana",
        why="first",
    )
    place.clock.set(late)
    memory.commit([Change(Address("team", "pool.size", "b"), "redis")], actor="bo", why="second")

    def found(**filters: object) -> set[str]:
        hits = memory.now().search(Query("redis", Filter(**filters))).hits  # type: ignore[arg-type]
        return {str(hit.record.address) for hit in hits}

    everything = {"team/pool.size", "team/pool.sizes", "other/pool.size", "team/pool.size#b"}
    assert everything == found()
    assert {"other/pool.size"} == found(namespace="other")
    assert set() == found(namespace="nowhere")
    assert {"team/pool.size", "team/pool.size#b"} == found(namespace="team", prefix="pool.size")
    assert everything - {"other/pool.size"} == found(namespace="team", prefix="pool")
    assert {"team/pool.sizes"} == found(kind="incident")
    assert set() == found(kind="postmortem")
    assert {"team/pool.size#b"} == found(actor="bo")
    assert set() == found(actor="nobody")
    assert {"team/pool.size#b"} == found(learned_since=late)
    assert everything - {"team/pool.size#b"} == found(learned_until=late)
    assert {"team/pool.size"} == found(occurred_until=early)
    assert everything - {"team/pool.size"} == found(occurred_since=early)


def test_every_hit_says_how_it_was_found(opened: Opened) -> None:
    """A hit carries each arm's place and score, and the words of the question that it holds."""
    memory = opened(WordVectors())
    memory.put("team/a", "redis pool timeout", actor="ana", why="seen")
    memory.put("team/b", "kafka lag", actor="ana", why="seen")

    hit = memory.now().search("redis timeout").hits[0]

    assert hit.record.path == "a"
    assert {arm: rank.place for arm, rank in hit.ranks.items()} == {"words": 1, "meaning": 1}
    assert hit.matched == ("redis", "timeout")


def test_meaning_finds_what_shares_no_word(opened: Opened) -> None:
    """With a model, records that mean the same in other words are found too, and those that mean something else not."""
    memory = opened(WordVectors())
    memory.put("team/a", "redis pool", actor="ana", why="seen")
    memory.put("team/b", "valkey pool", actor="ana", why="seen")
    memory.put("team/c", "kafka lag", actor="ana", why="seen")

    found = memory.now().search("redis")

    assert found.arms == ("words", "meaning")
    assert [hit.record.path for hit in found.hits] == ["a", "b"]
    assert {"meaning"} == set(found.hits[1].ranks)


def test_meaning_scores_what_words_found(opened: Opened) -> None:
    """When every arm scores what any arm found, a record found by a word alone has its similarity, however small."""
    model = WordVectors()
    memory = opened(model)
    text = " ".join(["redis", *(f"word{number}" for number in range(60))])
    memory.put("team/a", text, actor="ana", why="seen")
    memory.put("team/b", "valkey", actor="ana", why="seen")

    plain = {hit.record.path: hit.ranks for hit in memory.now().search(Query("redis")).hits}
    scored = {hit.record.path: hit.ranks for hit in memory.now().search(Query("redis", scored_by_all=True)).hits}

    exact = model.embed(["redis"])[0] @ model.embed([f"a {text}"])[0]
    assert set(plain["a"]) == {"words"}
    assert plain["b"] == scored["b"], "there is no word that b shares, so words say nothing of it"
    assert exact == pytest.approx(scored["a"]["meaning"].score, abs=1e-3)
    assert scored["a"]["meaning"].place == 2
    assert scored["a"]["words"] == plain["a"]["words"]


def test_vectors_are_read_in_the_order_asked_for(tmp_path: Path) -> None:
    """Rows that lie side by side are read together, and still each belongs to the version it was asked for."""
    rng = np.random.default_rng(6)
    vectors = rng.standard_normal((40, 64)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    kept = meaning.Meaning(tmp_path / "vectors", 64)
    kept.add((number + 1, meaning.packed(vector).tobytes()) for number, vector in enumerate(vectors))

    for rows in (rng.permutation(40), np.arange(40), np.arange(39, -1, -1), np.array([7, 3, 4, 30, 5])):
        np.testing.assert_allclose(kept.vectors(rows) / meaning.SCALE, vectors[rows], atol=1e-4)


def test_many_near_vectors_are_found_through_their_bits(tmp_path: Path) -> None:
    """Beyond a few thousand vectors the bits choose whom to score, and the nearest are still the nearest."""
    rng = np.random.default_rng(4)
    vectors = rng.standard_normal((meaning.BITS_FROM * 3, 384)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    kept = meaning.Meaning(tmp_path / "vectors", 384)
    kept.add((number + 1, meaning.packed(vector).tobytes()) for number, vector in enumerate(vectors))
    mask = rng.random(len(vectors) + 1) < 0.7

    for number in (np.flatnonzero(mask[1:])[::997]).tolist():
        asked = vectors[number] + rng.standard_normal(384).astype(np.float32) * 0.04
        asked /= np.linalg.norm(asked)
        exact = np.where(mask[1:], vectors @ asked, -1)
        found = kept.search(asked, kept.rows(np.flatnonzero(mask)), hits_max=5)
        assert int(np.argmax(exact)) + 1 == found[0][0]
        assert exact.max() == pytest.approx(found[0][1], abs=1e-3)


@pytest.mark.parametrize("newest_first", [False, True])
def test_vectors_are_found_in_whichever_order_they_were_made(tmp_path: Path, newest_first: bool) -> None:
    """What was there before a model was is embedded newest first, and each version is still found by its own vector."""
    rng = np.random.default_rng(6)
    vectors = rng.standard_normal((meaning.BITS_FROM + 1_000, 64)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    rows = [(number, meaning.packed(vector).tobytes()) for number, vector in enumerate(vectors, 1)]
    kept = meaning.Meaning(tmp_path / "vectors", 64)
    kept.add(rows[::-1] if newest_first else rows)
    every = np.arange(1, len(vectors) + 1)

    for version in every[::500].tolist():
        assert kept.search(vectors[version - 1], kept.rows(every), hits_max=3)[0][0] == version


def test_one_look_among_many_vectors_finds_the_nearest(tmp_path: Path) -> None:
    """Whoever asks for one look gets the same first answer, and what is added in between is seen by the next one."""
    rng = np.random.default_rng(7)
    vectors = rng.standard_normal((meaning.BITS_FROM + 500, 64)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    rows = [(number, meaning.packed(vector).tobytes()) for number, vector in enumerate(vectors, 1)]
    kept = meaning.Meaning(tmp_path / "vectors", 64)
    kept.add(rows[:-1])
    every = np.arange(1, len(vectors) + 1)
    last = vectors[-1]

    assert kept.search(vectors[99], kept.rows(every), hits_max=3, one_look=True)[0][0] == 100
    assert len(vectors) not in dict(kept.search(last, kept.rows(every), hits_max=3, one_look=True))
    kept.add(rows[-1:])
    assert kept.search(last, kept.rows(every), hits_max=3, one_look=True)[0][0] == len(vectors)


def test_where_bits_mislead_a_search_looks_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the first look is too narrow for vectors that are hardly alike, a second one brings back what it missed."""
    rng = np.random.default_rng(8)
    words = rng.standard_normal((400, 384)).astype(np.float32)
    texts = rng.integers(0, len(words), (20_000, 24))
    vectors = words[texts].sum(axis=1)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    kept = meaning.Meaning(tmp_path / "vectors", 384)
    kept.add((number + 1, meaning.packed(vector).tobytes()) for number, vector in enumerate(vectors))
    rows = kept.rows(np.arange(1, len(vectors) + 1))

    def missed() -> int:
        count = 0
        for number in range(0, len(texts), 700):
            asked = words[texts[number, :4]].sum(axis=0)
            asked /= np.linalg.norm(asked)
            nearest = np.argsort(-(vectors @ asked))[:20] + 1
            found = {version for version, _ in kept.search(asked, rows, hits_max=20)}
            count += len(set(nearest.tolist()) - found)
        return count

    monkeypatch.setattr(meaning, "NEAR", meaning.Looks((0.1, 0.03, 0.01, 0.004), 80))
    in_doubt = missed()
    monkeypatch.setattr(meaning, "DOUBT_DEVIATIONS", -100)
    assert in_doubt < missed() / 10


def test_a_long_backlog_is_said_and_then_worked_off(opened: Opened) -> None:
    """A search does not wait for hundreds of texts to be embedded; it says how many it could only find by words."""
    memory = opened(WordVectors())
    count = EMBEDDED_ON_SEARCH_MAX + 10
    memory.commit(
        [Change(Address("team", f"p{at}"), f"redis {at}") for at in range(count)], actor="ana", why="many"
    )  # fmt: skip

    assert count == memory.now().search("redis").unembedded
    memory.index()
    assert memory.now().search("redis").unembedded == 0


def test_a_model_that_is_away_costs_only_its_own_arm(opened: Opened) -> None:
    """When embedding fails, words still answer and the answer says what is missing."""
    model = WordVectors()
    memory = opened(model)
    memory.put("team/a", "redis pool", actor="ana", why="seen")
    model.broken = True

    found = memory.now().search("redis")

    assert [hit.record.path for hit in found.hits] == ["a"]
    assert "The model is away." in found.notes[0]
    with pytest.raises(Unavailable):
        memory.index()


def test_asking_for_meaning_without_a_model_is_answered_with_a_note(opened: Opened) -> None:
    """Memory works on words alone and says so when somebody wanted more."""
    memory = opened()
    memory.put("team/a", "redis pool", actor="ana", why="seen")

    found = memory.now().search(Query("redis", arms=("words", "meaning")))

    assert [hit.record.path for hit in found.hits] == ["a"]
    assert found.notes == ("Keyword search only: no embedding model installed.",)


def test_a_deleted_index_comes_back_without_embedding_again(opened: Opened, tmp_path: Path) -> None:
    """Deleting the index loses nothing: words are read from history, vectors from where the store keeps them."""
    model = WordVectors()
    memory = opened(model)
    memory.put("team/a", "redis pool", actor="ana", why="seen")
    memory.index()
    memory.close()
    shutil.rmtree(tmp_path / "index")
    model.embedded.clear()

    again = opened(model)

    assert paths(again, "redis") == ["a"]
    assert model.embedded == ["redis"], "only the question needed the model"


def test_another_model_embeds_anew(opened: Opened) -> None:
    """Vectors of different models are never compared: a new model makes its own."""
    old, new = WordVectors("words-1"), WordVectors("words-2")
    memory = opened(old)
    memory.put("team/a", "redis pool", actor="ana", why="seen")
    memory.index()
    memory.close()

    again = opened(new)
    again.index()

    assert [" ".join(text.split()) for text in new.embedded] == ["a redis pool"]


def _torn(file: Path, how: str) -> None:
    content = file.read_bytes()
    middle = len(content) // 2
    if how == "cut":
        file.write_bytes(content[:middle])
    elif how == "flipped" and content:
        file.write_bytes(content[:middle] + bytes([content[middle] ^ 0xFF]) + content[middle + 1 :])
    elif how == "gone":
        file.unlink()


@pytest.mark.parametrize("how", ["cut", "flipped", "gone"])
def test_a_torn_index_is_made_anew(place: Place, opened: Opened, tmp_path: Path, how: str) -> None:
    """Whichever file of the word index or the catalog is cut, altered or lost, searches answer as before."""
    memory = opened()
    for number in range(5):
        memory.put(f"team/p{number}", f"redis {WORDS[number]}", actor="ana", why="seen")
    assert len(paths(memory, "redis")) == 5
    memory.close()
    whole = tmp_path / "whole"
    shutil.copytree(tmp_path / "index", whole)
    files = [file.relative_to(whole) for file in whole.rglob("*") if file.is_file() and file.name != "lock"]
    assert len(files) > 5

    for number, name in enumerate(files):
        shutil.copytree(whole, tmp_path / f"torn{number}")
        _torn(tmp_path / f"torn{number}" / name, how)
        assert len(paths(opened(None, f"torn{number}"), "redis")) == 5, f"{name} was {how}"


@pytest.mark.parametrize("name", ["vectors", "bits", "versions"])
def test_half_written_vectors_are_written_again(opened: Opened, tmp_path: Path, name: str) -> None:
    """A crash between the files of the vector index leaves rows that are simply added once more."""
    model = WordVectors()
    memory = opened(model)
    memory.put("team/a", "redis pool", actor="ana", why="seen")
    memory.put("team/b", "kafka lag", actor="ana", why="seen")
    memory.index()
    memory.close()
    (file,) = (tmp_path / "index").glob(f"meaning-*/{name}")
    file.write_bytes(file.read_bytes()[:-3])

    again = opened(model)

    assert {"a", "b"} == set(paths(again, "redis lag"))
    assert again.now().search("redis").unembedded == 0


def test_two_that_share_a_folder_see_each_others_work(opened: Opened) -> None:
    """Several processes may use one index: whoever comes second finds what the first has indexed, and adds to it."""
    one, two = opened(WordVectors()), opened(WordVectors())
    one.put("team/a", "redis pool", actor="ana", why="seen")
    assert paths(one, "redis") == ["a"]
    two.put("team/b", "redis lag", actor="bo", why="seen")
    assert {"a", "b"} == set(paths(two, "redis"))
    one.put("team/c", "redis leak", actor="ana", why="seen")

    assert {"a", "b", "c"} == set(paths(one, "redis"))
    assert {"a", "b", "c"} == set(paths(two, "redis"))


@pytest.mark.parametrize("written", [1, 3, 5], ids=["shorter", "as long", "longer"])
def test_an_index_of_another_history_is_not_believed(place: Place, tmp_path: Path, written: int) -> None:
    """An index that was left beside a database begun anew starts over, however much has been written since."""
    first, second = place.store(place.other("first")), place.store(place.other("second"))
    known = place.memory(store=first, index=LocalIndex(tmp_path / "index", first, WordVectors()))
    for number in range(3):
        known.put(f"team/p{number}", "redis", actor="ana", why="seen")
    assert len(paths(known, "redis")) == 3
    known.close()
    unknown = place.memory(store=second, index=LocalIndex(tmp_path / "index", second, WordVectors()))
    for number in range(written):
        unknown.put(f"team/q{number}", "kafka", actor="ana", why="seen")

    assert paths(unknown, "redis") == []
    assert len(paths(unknown, "kafka")) == written


def test_erased_words_and_vectors_leave_every_file(sqlite_place: Place, tmp_path: Path) -> None:
    """After an erasure no file of the space or its index holds the text, and no search finds it, then or now."""
    store = sqlite_place.store()
    memory = sqlite_place.memory(store=store, index=LocalIndex(tmp_path / "index", store, WordVectors()))
    moment = memory.put("team/a", "zanzibar secret", actor="ana", why="seen")
    memory.put("team/b", "kafka lag", actor="ana", why="seen")
    memory.index()
    assert set(paths(memory, "zanzibar lag")) == {"a", "b"}

    erased = memory.erase("team/a", actor="dpo", why="duty")

    assert erased.traces_gone
    assert paths(memory, "zanzibar lag") == ["b"]
    assert [hit.record.path for hit in memory.at(moment).search("zanzibar").hits] == []
    for folder in (tmp_path / "index", Path(sqlite_place.where)):
        for file in folder.rglob("*"):
            assert not file.is_file() or not re.search(rb"zanzibar", file.read_bytes(), re.IGNORECASE), file


def test_an_erasure_elsewhere_reaches_this_index(opened: Opened, place: Place) -> None:
    """A process that did not do the erasing still stops finding what was erased."""
    memory, other = opened(), place.memory()
    memory.put("team/a", "zanzibar", actor="ana", why="seen")
    assert paths(memory, "zanzibar") == ["a"]

    other.erase("team/a", actor="dpo", why="duty")

    assert paths(memory, "zanzibar") == []


def test_an_erasure_elsewhere_leaves_no_trace_in_this_index(opened: Opened, tmp_path: Path) -> None:
    """Another index of the same space, say on another host, rewrites its files when it hears of an erasure."""
    here, there = opened(WordVectors(), "here"), opened(WordVectors(), "there")
    here.put("team/a", "zanzibar", actor="ana", why="seen")
    here.put("team/b", "kafka lag", actor="ana", why="seen")
    for memory in (here, there):
        memory.index()
    before = {file.name for file in (tmp_path / "there" / "words").glob("*.term")}
    (vectors,) = (tmp_path / "there").glob("meaning-*/vectors")
    assert before
    assert bytes(DIMS * 2) not in _rows_of(vectors)

    here.erase("team/a", actor="dpo", why="duty")

    assert paths(there, "zanzibar lag") == ["b"]
    assert not before & {file.name for file in (tmp_path / "there" / "words").glob("*.term")}
    assert bytes(DIMS * 2) in _rows_of(vectors), "the erased vector is overwritten"
    assert any(vectors.read_bytes()), "and no other"


def _rows_of(vectors: Path) -> list[bytes]:
    content = vectors.read_bytes()
    return [content[at : at + DIMS * 2] for at in range(0, len(content), DIMS * 2)]


def test_a_search_that_makes_no_sense_is_refused(opened: Opened, place: Place) -> None:
    """An empty question, too many hits, an unknown arm, a prefix without namespace: each is named."""
    memory = opened()
    for query, field in (
        (Query(" "), "text"),
        (Query("x" * 50_000), "text"),
        (Query("x", arms=("smell",)), "arms"),
        (Query("x", Filter(prefix="a")), "prefix"),
    ):
        with pytest.raises(Malformed) as malformed:
            memory.now().search(query)
        assert field == malformed.value.field
    with pytest.raises(Refused) as refused:
        memory.now().search(Query("x", hits_max=10_000))
    assert refused.value.field == "hits_max"
    with pytest.raises(Refused):
        place.memory().now().search("x")


def test_an_empty_memory_is_searched_in_peace(opened: Opened) -> None:
    """Before anything is written a search finds nothing, and does not fail."""
    assert opened(WordVectors()).now().search("anything").hits == ()


def test_which_namespaces_held_something_like_this(opened: Opened, place: Place) -> None:
    """Across namespaces a search tells who held something alike at a moment, with counts and the newest time."""
    memory = opened()
    memory.put("ana/notes", "redis pool", actor="ana", why="seen")
    memory.put("bo/notes", "kafka lag", actor="bo", why="seen")
    moment = place.tick(days=1)
    memory.put("cy/notes", "redis pool exhausted", actor="cy", why="seen")

    assert [found.namespace for found in memory.at("2026-01-01T12:00").presence("redis")] == ["ana"]
    now = {found.namespace: found for found in memory.now().presence("redis")}
    assert {"ana", "cy"} == set(now)
    assert (1, moment) == (now["cy"].records, now["cy"].last_learned_at)
