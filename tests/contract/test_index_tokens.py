"""The contract of the index's tokens: the best finds of other arms, compared token by token, within a time."""

from __future__ import annotations

import random
import shutil
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest
from numpy.typing import NDArray

from hindcast.adapters.index_local import LocalIndex
from hindcast.adapters.index_local import tokens as tokens_module
from hindcast.adapters.index_local.asking import COMPARED_MAX
from hindcast.adapters.index_local.files import alone
from hindcast.adapters.index_local.tokens import (
    QUESTION_TOKENS_MAX,
    TOKENS_PER_TEXT_MAX,
    Packed,
    TokenEmbedder,
    Tokens,
    packed_tokens,
)
from hindcast.memory import Memory
from hindcast.model.errors import Unavailable
from hindcast.model.ids import Address
from hindcast.model.query import Found, Query
from hindcast.model.record import Change
from hindcast.ports import Embedder

if TYPE_CHECKING:
    from tests.conftest import Place

DIMS = 256
ALL_ARMS = ("words", "meaning", "tokens")
Made = tuple[NDArray[np.float32], NDArray[np.int32], NDArray[np.float32]]


class OnlyVectors:
    """A model of our own that tells one vector for a text: the sum of a fixed vector for each of its words."""

    def __init__(self, model: str = "words-1") -> None:
        self.model = model
        self.dims = DIMS
        self.runs: list[str] = []
        self.broken = False

    def embed(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """One vector of unit length for each text."""
        if self.broken:
            raise Unavailable("The model is away.", remedy="Wait for it.")
        self.runs.extend(texts)
        return np.array([self.vector(text) for text in texts], np.float32).reshape(len(texts), DIMS)

    def vector(self, text: str) -> NDArray[np.float32]:
        """The vector of a text."""
        made = np.asarray(sum((self.word(word) for word in text.lower().split()), np.full(DIMS, 1e-6)), np.float32)
        return np.asarray(made / np.linalg.norm(made), np.float32)

    def word(self, word: str) -> NDArray[np.float64]:
        """The vector of a word; two words mean the same."""
        word = {"valkey": "redis"}.get(word, word)
        made = np.random.default_rng(zlib.crc32(f"{self.model} {word}".encode())).standard_normal(DIMS)
        return np.asarray(made / np.linalg.norm(made))


class WordTokens(OnlyVectors):
    """The same, with a token for each different word."""

    def embed_tokens(
        self,
        texts: Sequence[str],
        *,
        tokens_max: int,
        spans: Sequence[tuple[int, int]] = (),
        read_max: int | None = None,
    ) -> list[Made]:
        """For each text its vector and its tokens."""
        texts = [" ".join(text.split()[:read_max]) if read_max is not None else text for text in texts]
        vectors = self.embed(texts)
        found: list[Made] = []
        for at, (text, vector) in enumerate(zip(texts, vectors, strict=True)):
            start, end = spans[at] if spans else (0, len(text))
            words = list(dict.fromkeys(text[start:end].lower().split()))[:tokens_max]
            numbers = np.array([number(word) for word in words], np.int32)
            found.append((vector, numbers, np.array([self.word(word) for word in words], np.float32).reshape(-1, DIMS)))
        return found


def number(word: str) -> int:
    """The number of a word's token."""
    return zlib.crc32(word.encode()) % 30_000


Opened = Callable[..., Memory]


@pytest.fixture
def opened(place: Place, tmp_path: Path) -> Opened:
    """Opens the test's space with an index in one and the same folder."""

    def open_one(embedder: Embedder | None = None, folder: str = "index") -> Memory:
        store = place.store()
        return place.memory(store=store, index=LocalIndex(tmp_path / folder, store, embedder))

    return open_one


def put(memory: Memory, kind: str = "case", /, **texts: str) -> None:
    """Write records with these texts, in one commit."""
    changes = [Change(Address("cases", path), {}, kind=kind, text=text) for path, text in texts.items()]
    memory.commit(changes, actor="ana", why="seen")


def ask(memory: Memory, text: str, *, tokens_ms_max: float = 10_000, arms: tuple[str, ...] = ALL_ARMS) -> Found:
    """Search with tokens; the time is plenty unless it is what a test is about."""
    return memory.now().search(Query(text, arms=arms, tokens_ms_max=tokens_ms_max, hits_max=100))


def scores(found: Found) -> dict[str, float]:
    """What the tokens said of each hit that they were asked about."""
    return {hit.record.path: hit.ranks["tokens"].score for hit in found.hits if "tokens" in hit.ranks}


def files(tmp_path: Path, name: str, folder: str = "index") -> Path:
    """The one file of token vectors that has this name."""
    (file,) = (tmp_path / folder).glob(f"tokens-*/{name}")
    return file


def test_a_text_that_answers_every_token_scores_one(opened: Opened) -> None:
    """Each token of the question counts by its nearest token in the text: all answered is 1, none is about 0."""
    memory = opened(WordTokens())
    put(memory, all="redis pool timeout and other things", half="redis certificate", none="kafka lag")
    found = ask(memory, "valkey timeout kafkaesque", arms=("words", "meaning", "tokens"))

    told = scores(ask(memory, "redis timeout"))

    assert told["all"] == pytest.approx(1, abs=0.01)
    assert 0.3 < told["half"] < 0.8
    assert found.arms == ALL_ARMS
    assert scores(found)["all"] > scores(found)["half"]


def test_tokens_are_weighed_by_how_rare_they_are(opened: Opened) -> None:
    """Of two texts that answer one token each, the one that answers the rarer token is nearer."""
    memory = opened(WordTokens())
    put(memory, **{f"c{at}": f"timeout number{at}" for at in range(20)})
    put(memory, rare="zanzibar something")

    told = scores(ask(memory, "timeout zanzibar"))

    assert told["rare"] > 2 * max(told[f"c{at}"] for at in range(20))


def test_scores_are_those_of_a_plain_loop(tmp_path: Path) -> None:
    """One product of matrices gives what comparing every pair of tokens gives, within what packing costs."""
    rng = np.random.default_rng(2)
    kept = Tokens(tmp_path / "tokens", DIMS)
    vectors = rng.standard_normal((30, TOKENS_PER_TEXT_MAX, DIMS)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=2, keepdims=True)
    counts = rng.integers(0, TOKENS_PER_TEXT_MAX + 1, 30).tolist()
    numbers = [rng.choice(500, count, replace=False).astype(np.int32) for count in counts]
    kept.add(
        {at + 1: packed_tokens(numbers[at], vectors[at, : counts[at]]) for at in range(30)}
    )  # fmt: skip
    asked = vectors[5, :10] + rng.standard_normal((10, DIMS)).astype(np.float32) * 0.02
    asked_numbers = np.arange(40, 50, dtype=np.int32)

    read = kept.read(range(1, 31))
    found = kept.scores(asked_numbers, asked, [read[at + 1] for at in range(30)])

    held = np.array([sum(token in text for text in numbers) for token in asked_numbers.tolist()])
    weights = np.log(1 + (30 - held + 0.5) / (held + 0.5))
    for at, count in enumerate(counts):
        pairs = asked @ vectors[at, :count].T
        best = [max(0.0, min(1.0, pair.max())) if count else 0.0 for pair in pairs]
        expected = sum(weight * near for weight, near in zip(weights, best, strict=True)) / weights.sum()
        assert expected == pytest.approx(float(found[at]), abs=0.01)


@pytest.mark.parametrize("rows", [0, 1, 319, 320, 1_000])
def test_a_product_is_the_same_in_small_pieces_and_in_large_ones(rows: int) -> None:
    """Whether or not products are threaded in this process, every row is multiplied with every vector."""
    rng = np.random.default_rng(rows)
    levels = rng.integers(-127, 128, (rows, DIMS)).astype(np.int8)
    vectors = rng.standard_normal((30, DIMS)).astype(np.float32)

    expected = levels.astype(np.float64) @ vectors.T.astype(np.float64)

    for never_threaded in (False, True):
        found = tokens_module.product(levels, vectors, never_threaded=never_threaded)
        np.testing.assert_allclose(found, expected, rtol=1e-3, atol=0.05)


def test_a_long_question_is_read_from_the_sentence_it_is_about_on(opened: Opened) -> None:
    """The model reads so much of a question and no more; what a stack leads up to is among it."""
    model = WordTokens()
    memory = opened(model)
    put(memory, asked="the checkout pool is exhausted", below="frame number something")
    memory.index()
    model.runs.clear()
    stack = "".join(f"  File frame{number}\n" for number in range(100))

    told = scores(ask(memory, f"Traceback (most recent call last):\n{stack}the checkout pool is exhausted"))

    assert told["asked"] == pytest.approx(1, abs=0.01)
    (read,) = model.runs
    assert read.startswith("the checkout pool is exhausted")
    assert len(read.split()) == QUESTION_TOKENS_MAX


def test_one_run_of_the_model_reads_a_question(opened: Opened) -> None:
    """The question's vector and its token vectors come from the same run."""
    model = WordTokens()
    memory = opened(model)
    put(memory, a="redis pool")
    memory.index()
    model.runs.clear()

    found = ask(memory, "redis")

    assert set(found.hits[0].ranks) == set(ALL_ARMS)
    assert model.runs == ["redis"]


def test_the_first_line_of_a_question_is_what_tokens_compare(opened: Opened) -> None:
    """A long log below the sentence that matters does not drown it: what answers only the log is behind."""
    memory = opened(WordTokens())
    put(memory, asked="the checkout pool is exhausted", below="kafka lag disk full certificate expired")

    told = scores(ask(memory, "the checkout pool is exhausted\nkafka lag disk full certificate expired"))

    assert told["asked"] == pytest.approx(1, abs=0.01)
    assert told["below"] < 0.5


def test_tokens_take_part_only_when_they_are_named(opened: Opened) -> None:
    """A plain search is as it was: words and meaning."""
    memory = opened(WordTokens())
    put(memory, a="redis pool")

    assert memory.now().search("redis").arms == ("words", "meaning")


def test_only_cases_and_runbooks_have_tokens(opened: Opened) -> None:
    """Other records are found as before, and tokens say nothing of them; that is no fault worth a note."""
    memory = opened(WordTokens())
    put(memory, "case", a="redis pool")
    put(memory, "runbook", b="redis pool")
    put(memory, "note", c="redis pool")

    found = ask(memory, "redis")

    assert {hit.record.path for hit in found.hits} == {"a", "b", "c"}
    assert set(scores(found)) == {"a", "b"}
    assert found.notes == ()


def test_no_more_than_the_best_are_compared(opened: Opened) -> None:
    """Tokens look at the best that the other arms found together, and at no more than a fixed number."""
    memory = opened(WordTokens())
    put(memory, **{f"c{at}": f"redis {'noise ' * (at + 1)}" for at in range(COMPARED_MAX + 20)})
    memory.index()

    found = ask(memory, "redis", arms=("words", "tokens"))

    assert len(found.hits) == COMPARED_MAX + 20
    first = {hit.record.path for hit in found.hits if hit.ranks["words"].place <= COMPARED_MAX}
    assert set(scores(found)) == first


def test_the_past_is_compared_by_its_own_tokens(opened: Opened) -> None:
    """Every version has tokens of its own: at a past moment and on a branch the versions seen there are compared."""
    memory = opened(WordTokens())
    put(memory, a="redis certificate")
    first = memory.log(commits_max=1)[0]
    memory.branch("side", actor="ana", why="try")
    put(memory, a="redis timeout")

    then = memory.at(first).search(Query("redis timeout", arms=ALL_ARMS))
    aside = memory.now("side").search(Query("redis timeout", arms=ALL_ARMS))

    assert scores(ask(memory, "redis timeout"))["a"] == pytest.approx(1, abs=0.01)
    assert scores(then)["a"] == scores(aside)["a"] < 0.9


def test_lost_tokens_are_made_while_one_asks(opened: Opened, tmp_path: Path) -> None:
    """Where token vectors are gone but vectors are kept, a search makes those that it needs, and keeps them."""
    model = WordTokens()
    memory = opened(model)
    put(memory, a="redis pool", b="kafka lag")
    memory.index()
    before = scores(ask(memory, "redis pool", arms=("words", "tokens")))
    memory.close()
    shutil.rmtree(tmp_path / "index")
    model.runs.clear()

    again = opened(model)
    after = scores(ask(again, "redis pool", arms=("words", "tokens")))
    once_more = scores(ask(again, "redis pool", arms=("words", "tokens")))

    assert before.keys() == after.keys() == {"a"}
    assert after["a"] == once_more["a"] == pytest.approx(before["a"])
    assert [run for run in model.runs if run != "redis pool"] == ["a  redis pool"], "made once, and b not at all"


def test_what_time_does_not_allow_stays_unscored_and_is_said(opened: Opened, tmp_path: Path) -> None:
    """With no time left nothing is made; the hits are there, unscored by tokens, and a note tells how many."""
    memory = opened(WordTokens())
    put(memory, a="redis pool", b="redis lag")
    memory.index()
    memory.close()
    shutil.rmtree(tmp_path / "index")

    found = ask(opened(WordTokens()), "redis", tokens_ms_max=0)

    assert {hit.record.path for hit in found.hits} == {"a", "b"}
    assert scores(found) == {}
    assert "2 of the best 2 were not compared by tokens" in found.notes[0]


def test_indexing_makes_all_tokens_that_are_lacking(opened: Opened, tmp_path: Path) -> None:
    """`index` leaves nothing to be made while somebody waits, even where vectors came from the store."""
    model = WordTokens()
    memory = opened(model)
    put(memory, **{f"c{at}": f"redis {at}" for at in range(40)})
    memory.index()
    memory.close()
    shutil.rmtree(tmp_path / "index")

    again = opened(model)
    again.index()

    found = ask(again, "redis", tokens_ms_max=0)
    assert len(scores(found)) == 40
    assert found.notes == ()


def test_a_search_does_not_wait_for_whoever_writes(opened: Opened, tmp_path: Path) -> None:
    """While another process holds the folder, tokens are made for this answer and kept by a later one."""
    memory = opened(WordTokens())
    put(memory, a="redis pool")
    memory.index()
    shutil.rmtree(next((tmp_path / "index").glob("tokens-*")))
    again = opened(WordTokens())
    assert again.now().search("redis").arms == ("words", "meaning")

    with alone(tmp_path / "index"):
        held = scores(ask(again, "redis pool"))
    free = scores(ask(again, "redis pool"))

    assert held == free == {"a": pytest.approx(1, abs=0.01)}


def test_a_model_without_tokens_is_said(opened: Opened) -> None:
    """A model that gives one vector for a text answers by words and meaning, and a note tells what is missing."""
    memory = opened(OnlyVectors())
    put(memory, a="redis pool")

    found = ask(memory, "redis")

    assert not isinstance(OnlyVectors(), TokenEmbedder)
    assert found.arms == ("words", "meaning")
    assert "without tokens" in found.notes[0]


def test_no_model_is_said_once(opened: Opened) -> None:
    """Without a model, words answer, and one note names both arms that took no part."""
    memory = opened()
    put(memory, a="redis pool")

    found = ask(memory, "redis")

    assert found.arms == ("words",)
    assert len(found.notes) == 1
    assert "no embedding model" in found.notes[0]


def test_a_model_that_breaks_costs_only_its_own_arms(opened: Opened) -> None:
    """When the model fails, words still answer."""
    model = WordTokens()
    memory = opened(model)
    put(memory, a="redis pool")
    model.broken = True

    found = ask(memory, "redis")

    assert [hit.record.path for hit in found.hits] == ["a"]
    assert found.arms == ("words",)
    assert "The model is away." in found.notes[0]


def test_another_model_has_tokens_of_its_own(opened: Opened, tmp_path: Path) -> None:
    """Token vectors of different models are never compared: a new model makes its own, beside the old ones."""
    memory = opened(WordTokens("words-1"))
    put(memory, a="redis pool")
    memory.index()
    memory.close()

    again = opened(WordTokens("words-2"))
    again.index()

    assert scores(ask(again, "redis pool", tokens_ms_max=0))["a"] == pytest.approx(1, abs=0.01)
    assert len(list((tmp_path / "index").glob("tokens-*"))) == 2


@pytest.mark.parametrize(
    ("name", "how"),
    [(name, how) for name in ("tokens", "numbers", "rows") for how in ("cut", "gone", "longer")]
    + [("rows", "nonsense"), ("rows", "swapped")],
)
def test_torn_tokens_are_made_anew(opened: Opened, tmp_path: Path, name: str, how: str) -> None:
    """Whichever file is cut, lost, overwritten or followed by half a row, tokens say what they said before."""
    texts = {f"c{at}": f"redis {'pool ' if at % 2 else 'lag '} {at}" for at in range(6)}
    memory = opened(WordTokens())
    put(memory, **texts)
    memory.index()
    before = scores(ask(memory, "redis pool"))
    memory.close()
    file = files(tmp_path, name)
    content = file.read_bytes()
    torn = {
        "cut": content[: len(content) // 2 + 1],
        "longer": content + b"\x07\x07\x07",
        "nonsense": b"\xff" * len(content),
        "swapped": content[-24:] + content[:-24],
    }
    file.unlink()
    if how != "gone":
        file.write_bytes(torn[how])

    again = opened(WordTokens())
    again.index()

    found = ask(again, "redis pool", tokens_ms_max=0)
    assert found.notes == ()
    assert scores(found) == {path: pytest.approx(score, abs=0.001) for path, score in before.items()}


def test_tokens_cut_short_while_they_are_open_are_made_anew(opened: Opened, tmp_path: Path) -> None:
    """Somebody else may cut a file that is in use: answers stay right, and the next write sets it right."""
    memory = opened(WordTokens())
    put(memory, a="redis pool", b="redis lag")
    memory.index()
    before = scores(ask(memory, "redis pool"))
    file = files(tmp_path, "tokens")
    file.write_bytes(file.read_bytes()[:100])

    assert scores(ask(memory, "redis pool")) == before
    put(memory, c="redis disk")
    memory.index()
    memory.close()

    found = ask(opened(WordTokens()), "redis pool", tokens_ms_max=10_000)
    assert {path: score for path, score in scores(found).items() if path != "c"} == {
        path: pytest.approx(score, abs=0.1) for path, score in before.items()
    }


def test_erased_tokens_leave_every_file(sqlite_place: Place, tmp_path: Path) -> None:
    """After an erasure the token vectors and numbers of what was erased are zeros, in every index of the space."""
    store, other = sqlite_place.store(), sqlite_place.store()
    here = sqlite_place.memory(store=store, index=LocalIndex(tmp_path / "here", store, WordTokens()))
    there = sqlite_place.memory(store=other, index=LocalIndex(tmp_path / "there", other, WordTokens()))
    put(here, a="zanzibar secret", b="kafka lag")
    for memory in (here, there):
        memory.index()
    secret = np.array([number("zanzibar")], "<i4").tobytes()
    vector = packed_tokens(np.zeros(1, np.int32), WordTokens().word("zanzibar").astype(np.float32)[None]).content
    for folder in ("here", "there"):
        assert secret in files(tmp_path, "numbers", folder).read_bytes()
        assert vector.tobytes() in files(tmp_path, "tokens", folder).read_bytes()

    here.erase("cases/a", actor="dpo", why="duty")

    for folder, memory in (("here", here), ("there", there)):
        assert set(scores(ask(memory, "zanzibar lag"))) == {"b"}
        assert secret not in files(tmp_path, "numbers", folder).read_bytes()
        assert vector.tobytes() not in files(tmp_path, "tokens", folder).read_bytes()
        assert any(files(tmp_path, "tokens", folder).read_bytes()), "and no other is touched"


def test_an_erasure_drops_what_other_models_made(opened: Opened, tmp_path: Path) -> None:
    """Token vectors of a model that is not at hand cannot be picked over, so they go as a whole."""
    old = opened(WordTokens("words-1"))
    put(old, a="zanzibar", b="kafka lag")
    old.index()
    old.close()
    memory = opened()

    memory.erase("cases/a", actor="dpo", why="duty")

    assert [hit.record.path for hit in memory.now().search("zanzibar lag").hits] == ["b"]
    assert list((tmp_path / "index").glob("tokens-*")) == []


def test_an_erasure_does_not_wait_for_a_model(opened: Opened, tmp_path: Path) -> None:
    """A model that is away when something is erased loses what it made, so that no trace is left; words go on."""

    class Away(WordTokens):
        @property
        def dims(self) -> int:
            """Nobody answers."""
            raise Unavailable("The model is away.", remedy="Wait for it.")

        @dims.setter
        def dims(self, value: int) -> None:
            """It is not told."""

    known = opened(WordTokens())
    put(known, a="zanzibar", b="kafka lag")
    known.index()
    known.close()
    memory = opened(Away())

    memory.erase("cases/a", actor="dpo", why="duty")

    assert [hit.record.path for hit in memory.now().search(Query("zanzibar lag", arms=("words",))).hits] == ["b"]
    assert list((tmp_path / "index").glob("tokens-*")) == list((tmp_path / "index").glob("meaning-*")) == []


def test_two_that_share_a_folder_share_their_tokens(opened: Opened) -> None:
    """What one process has read by token, another finds; each adds to it."""
    one, two = opened(WordTokens()), opened(WordTokens())
    put(one, a="redis pool")
    assert set(scores(ask(one, "redis"))) == {"a"}
    put(two, b="redis lag")
    assert set(scores(ask(two, "redis"))) == {"a", "b"}
    put(one, c="redis leak")

    assert set(scores(ask(one, "redis"))) == {"a", "b", "c"}
    assert set(scores(ask(two, "redis", tokens_ms_max=0))) == {"a", "b", "c"}


def test_texts_and_questions_without_tokens_are_compared_in_peace(opened: Opened) -> None:
    """A text of nothing but punctuation has no token, a question may have none: scores are 0, and nothing fails."""

    class Letters(WordTokens):
        def embed_tokens(
            self,
            texts: Sequence[str],
            *,
            tokens_max: int,
            spans: Sequence[tuple[int, int]] = (),
            read_max: int | None = None,
        ) -> list[Made]:
            """Texts without redis have no token at all."""
            made = super().embed_tokens(texts, tokens_max=tokens_max, spans=spans, read_max=read_max)
            return [
                (vector, *((numbers, tokens) if "redis" in text else (numbers[:0], tokens[:0])))
                for text, (vector, numbers, tokens) in zip(texts, made, strict=True)
            ]

    memory = opened(Letters())
    put(memory, a="pool ??", b="pool redis")

    assert scores(ask(memory, "pool redis"))["a"] == 0
    assert scores(ask(memory, "pool redis"))["b"] > 0.5
    assert set(scores(ask(memory, "pool")).values()) == {0}


def test_tokens_of_versions_in_any_order_are_read_back(tmp_path: Path) -> None:
    """Versions come newest first or one by one; each is read back as it was packed, by this opening and the next."""
    rng = random.Random(4)
    made: dict[int, Packed] = {}
    kept = Tokens(tmp_path / "tokens", 8)
    for version in rng.sample(range(1, 200), 60):
        count = rng.randrange(0, 9)
        vectors = np.random.default_rng(version).standard_normal((count, 8)).astype(np.float32)
        made[version] = packed_tokens(np.arange(count, dtype=np.int32), vectors)
        kept.add({version: made[version]})

    for opening in (kept, Tokens(tmp_path / "tokens", 8)):
        read = opening.read(range(1, 200))
        assert read.keys() == made.keys()
        assert all(np.array_equal(read[version], text.content) for version, text in made.items())
        assert set(np.flatnonzero(opening.has(200)).tolist()) == set(made)


def test_a_text_keeps_no_more_tokens_than_allowed() -> None:
    """Of more tokens than fit, the first are kept."""
    count = tokens_module.TOKENS_PER_TEXT_MAX + 5

    text = packed_tokens(np.arange(count, dtype=np.int32), np.ones((count, 8), np.float32))

    assert text.numbers.tolist() == list(range(TOKENS_PER_TEXT_MAX))
    assert text.content.shape == (TOKENS_PER_TEXT_MAX, 12)
