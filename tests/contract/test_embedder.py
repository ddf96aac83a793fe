"""The contract of `ports.Embedder`, held by a real model pack and by a real server over HTTP."""

from __future__ import annotations

import hashlib
import json
import re
import shutil
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hindcast.adapters import embedder_onnx, model_pack
from hindcast.adapters.embedder_http import HttpEmbedder
from hindcast.adapters.embedder_onnx import OnnxEmbedder
from hindcast.model.errors import Damaged, HindcastError, Malformed, Missing, Refused, Unavailable
from hindcast.ports import Embedder

KEY = "sk-a-key-nobody-may-see"

TEXTS = [
    "connection pool exhausted: timeout after 30000 ms waiting for a connection",
    "no free database connections, requests are queueing",
    "the certificate of the payment gateway expired last night",
    "ERROR",
    "",
    "日本語のログ: データベース接続エラー 🚒",
    "Ошибка: диск заполнен на 100 %",
    "java.lang.NullPointerException\n\tat com.example.Cart.total(Cart.java:41)\n" * 3,
    "\x00\x07 control characters and a half character \ud83d",
]

# One answer of the server: status, headers, body.
Answer = tuple[int, dict[str, str], bytes]


def hashed_vector(text: str, dims: int = 24) -> list[float]:
    """A vector that depends on nothing but the text, and is not of unit length."""
    return [byte - 127.5 for byte in hashlib.sha512(text.encode()).digest()[:dims]]


class EmbeddingServer(ThreadingHTTPServer):
    """Answers /v1/embeddings as the OpenAI protocol has it; scripted answers come first."""

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.script: list[Answer] = []
        self.requests: list[dict[str, Any]] = []
        self.keys: list[str | None] = []
        self.change: Callable[[dict[str, Any]], dict[str, Any]] = lambda answer: answer

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}/v1"

    def answer(self, request: dict[str, Any]) -> Answer:
        if self.script:
            return self.script.pop(0)
        data = [{"index": at, "embedding": hashed_vector(text)} for at, text in enumerate(request["input"])]
        # The protocol has an index because the order is not promised.
        answer = {"object": "list", "data": data[::-1], "model": request["model"]}
        return 200, {}, json.dumps(self.change(answer)).encode()


class _Handler(BaseHTTPRequestHandler):
    server: EmbeddingServer

    def do_POST(self) -> None:
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.server.requests.append(request)
        self.server.keys.append(self.headers["Authorization"])
        status, headers, body = self.server.answer(request)
        self.send_response(status)
        for name, value in {**headers, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: Any) -> None:
        """Say nothing."""


@pytest.fixture
def server() -> Iterator[EmbeddingServer]:
    """A server that is really listening."""
    with EmbeddingServer() as server:
        thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
        thread.start()
        yield server
        server.shutdown()
        thread.join()


@pytest.fixture(scope="session")
def pack() -> Path:
    """The default pack, really prepared; kept between runs where a user's would be."""
    return model_pack.prepare().folder


@pytest.fixture(scope="session")
def onnx(pack: Path) -> OnnxEmbedder:
    """One embedder for all tests: what it loads is read only."""
    return OnnxEmbedder(pack)


def http(server: EmbeddingServer, waits: list[float] | None = None, **options: Any) -> HttpEmbedder:
    """A client that notes its waits and does not wait."""
    noted = waits if waits is not None else []
    return HttpEmbedder(server.url, "hashed", KEY, sleep=noted.append, **options)


@pytest.fixture(params=["onnx", "http"])
def embedder(request: pytest.FixtureRequest) -> Iterator[Embedder]:
    """Every adapter in turn."""
    if request.param == "onnx":
        yield request.getfixturevalue("onnx")
        return
    client = http(request.getfixturevalue("server"), texts_per_request_max=4)
    yield client
    client.close()


def test_every_vector_has_unit_length(embedder: Embedder) -> None:
    """A vector has length one and the promised number of dims, whatever the text."""
    vectors = embedder.embed(TEXTS)

    assert (len(TEXTS), embedder.dims) == vectors.shape
    assert vectors.dtype == np.float32
    np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_rows_keep_the_order_of_the_texts(embedder: Embedder) -> None:
    """Each row belongs to the text at its place, however the texts were put into batches."""
    texts = [f"{'very ' * (at * 7 % 40)}slow request {at}" for at in range(50)]

    together = embedder.embed(texts)

    one_by_one = np.concatenate([embedder.embed([text]) for text in texts])
    np.testing.assert_allclose(together, one_by_one, atol=1e-4)


def test_no_texts_make_no_rows(embedder: Embedder) -> None:
    """An empty list is answered with an empty matrix of the right width."""
    assert embedder.embed([]).shape == (0, embedder.dims)


def test_a_very_long_text_has_a_vector(embedder: Embedder) -> None:
    """A megabyte of log is embedded by its beginning, and is no error."""
    long = "2024-05-01 12:00:00 ERROR connection refused " * 25_000

    vectors = embedder.embed([long, long + "and something else at the end"])

    np.testing.assert_allclose(vectors[0], vectors[1], atol=1e-6)


def test_the_same_text_has_the_same_vector(embedder: Embedder) -> None:
    """Embedding twice gives the same numbers, to the bit."""
    np.testing.assert_array_equal(embedder.embed(TEXTS), embedder.embed(TEXTS))


def test_threads_do_not_disturb_one_another(embedder: Embedder) -> None:
    """Eight threads that embed at once get what each would get alone."""
    parts = [TEXTS[at:] + TEXTS[:at] for at in range(8)]

    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(embedder.embed, parts))

    for part, vectors in zip(parts, found, strict=True):
        np.testing.assert_allclose(vectors, embedder.embed(part), atol=1e-4)


def test_the_model_is_named(embedder: Embedder) -> None:
    """The model's name says which weights: NAME@WHAT."""
    assert re.fullmatch(r"[^@]+@[^@]+", embedder.model)


# ---- The model pack ----


def test_alike_is_near(onnx: OnnxEmbedder) -> None:
    """Two descriptions of one trouble are nearer to each other than either is to another trouble."""
    pool, queue, certificate = onnx.embed(TEXTS[:3])

    assert pool @ queue > max(pool @ certificate, queue @ certificate) + 0.1


def test_the_pack_is_the_published_model(onnx: OnnxEmbedder) -> None:
    """Texts are as alike as the published weights find them in floating point, within what int8 costs."""
    person, *others = onnx.embed(
        ["That is a happy person", "That is a happy dog", "That is a very happy person", "Today is a sunny day"]
    )

    np.testing.assert_allclose(np.array(others) @ person, [0.6946, 0.9429, 0.2569], atol=0.02)


def test_neighbours_do_not_change_a_vector(onnx: OnnxEmbedder) -> None:
    """A text's vector is the same alone and beside texts with much larger activations."""
    alone = onnx.embed([TEXTS[0]])[0]

    beside = onnx.embed([TEXTS[0], *(f"{word} " * 200 for word in ("!", "segfault", "的", "0x7f", "=")), *TEXTS])[0]

    np.testing.assert_allclose(beside, alone, atol=1e-5)


def test_the_model_reads_more_than_its_tokenizer_file_says(onnx: OnnxEmbedder) -> None:
    """Words between the 128th and the 256th token count, although tokenizer.json cuts at 128."""
    start = "word " * 150

    plain, different = onnx.embed([start + "quiet night", start + "database is on fire"])

    assert plain @ different < 0.999


def test_the_model_carries_its_hash(onnx: OnnxEmbedder, pack: Path) -> None:
    """The model's name ends in the first twelve digits of model.onnx's sha256."""
    digest = hashlib.sha256((pack / "model.onnx").read_bytes()).hexdigest()

    assert onnx.model == f"all-MiniLM-L6-v2-int8@{digest[:12]}"


def test_tokens_come_with_the_same_vector(onnx: OnnxEmbedder) -> None:
    """One run gives a text's vector, bit for bit as `embed` gives it, and a vector of unit length for each token."""
    read = onnx.embed_tokens(TEXTS, tokens_max=64)

    np.testing.assert_array_equal(np.array([vector for vector, _, _ in read]), onnx.embed(TEXTS))
    for _, numbers, vectors in read:
        assert (len(numbers), onnx.dims) == vectors.shape
        assert vectors.dtype == np.float32
        np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1, atol=1e-5)


def test_tokens_are_parts_of_words_each_once(onnx: OnnxEmbedder) -> None:
    """Marks, punctuation, function words and repetitions have no token: what is left are pieces of words."""
    (once, twice, nothing, empty) = onnx.embed_tokens(
        ["pool exhausted", "[ERROR] the pool... a pool!! was exhausted -- (pool) 🚒", "?!… --- the ***", ""],
        tokens_max=64,
    )

    assert len(once[1]) == 2
    assert set(once[1].tolist()) < set(twice[1].tolist())
    assert len(twice[1]) == 3
    assert len(nothing[1]) == len(empty[1]) == 0


def test_a_long_text_has_its_first_tokens(onnx: OnnxEmbedder) -> None:
    """No more tokens than asked for, and those of a prefix are the first."""
    text = " ".join(f"word{number} {chr(97 + number % 26)}bc" for number in range(100))

    ((_, few, _),) = onnx.embed_tokens([text], tokens_max=8)
    ((_, many, _),) = onnx.embed_tokens([text], tokens_max=64)

    assert (len(few), len(many)) == (8, 64)
    assert many[:8].tolist() == few.tolist()


def test_a_question_asked_again_is_not_read_again(onnx: OnnxEmbedder) -> None:
    """Who asks the same gets the very same vectors, which nobody can change; another part of it is another question."""
    text = "payment workers: connection pool exhausted\nafter the deploy"

    ((first, _, _),) = onnx.embed_tokens([text], tokens_max=64)
    ((again, _, vectors),) = onnx.embed_tokens([text], tokens_max=64)
    ((_, part, _),) = onnx.embed_tokens([text], tokens_max=64, spans=[(0, 15)])
    ((_, among, _), _) = onnx.embed_tokens([text, "something else"], tokens_max=64)

    assert again is first
    assert not vectors.flags.writeable
    assert part.tolist() == among.tolist()[: len(part)] != among.tolist()


def test_tokens_of_a_part_are_read_in_the_light_of_the_whole(onnx: OnnxEmbedder) -> None:
    """A span names the part whose tokens are wanted; their vectors are those of the whole text's run."""
    text = "checkout fails\nthe certificate of the gateway expired"

    ((vector, numbers, vectors),) = onnx.embed_tokens([text], tokens_max=64, spans=[(0, 14)])
    ((whole, all_numbers, all_vectors),) = onnx.embed_tokens([text], tokens_max=64)
    ((_, without, _),) = onnx.embed_tokens([text], tokens_max=64, spans=[(900, 990)])

    np.testing.assert_array_equal(vector, whole)
    assert numbers.tolist() == all_numbers[: len(numbers)].tolist() != all_numbers.tolist()
    np.testing.assert_array_equal(vectors, all_vectors[: len(numbers)])
    assert without.tolist() == all_numbers.tolist(), "a part without tokens leaves the whole"


def test_no_more_of_a_text_is_read_than_was_asked_for(onnx: OnnxEmbedder) -> None:
    """Given how many tokens to read, what comes after them changes neither the vector nor the tokens."""
    words = "connection pool exhausted after deploy"

    ((short, few, _),) = onnx.embed_tokens([words], tokens_max=64, read_max=7)
    ((cut, first, _),) = onnx.embed_tokens([f"{words} kafka lag disk full"], tokens_max=64, read_max=7)
    ((whole, _, _),) = onnx.embed_tokens([f"{words} kafka lag disk full"], tokens_max=64)
    batch = onnx.embed_tokens([f"{words} kafka lag disk full", words], tokens_max=64, read_max=7)

    np.testing.assert_array_equal(cut, short)
    assert first.tolist() == few.tolist()
    assert not np.array_equal(whole, short)
    assert [numbers.tolist() for _, numbers, _ in batch] == [few.tolist()] * 2


def test_an_answer_is_nearest_to_its_own_words(onnx: OnnxEmbedder) -> None:
    """A word's token is nearer to the same word in another sentence than to the words around it."""
    (_, asked, question), (_, numbers, vectors) = onnx.embed_tokens(
        ["certificate", "last night the certificate of the payment gateway expired"], tokens_max=64
    )

    nearest = numbers[(vectors @ question.T).argmax(axis=0)]
    assert asked.tolist() == nearest.tolist()


def test_too_many_texts_at_once_are_refused(onnx: OnnxEmbedder, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both doors name the limit; no text is read."""
    monkeypatch.setattr(embedder_onnx, "TEXTS_PER_CALL_MAX", 2)

    for door in (onnx.embed, lambda texts: onnx.embed_tokens(texts, tokens_max=64)):
        with pytest.raises(Malformed, match="at most 2"):
            door(["a", "b", "c"])
    assert onnx.embed_tokens([], tokens_max=64) == []


def test_no_pack_is_missing(tmp_path: Path) -> None:
    """Where no pack is, the error names the folder and the command that makes one."""
    with pytest.raises(Missing, match=r"pack\.json.*hindcast models prepare"):
        OnnxEmbedder(tmp_path)


@pytest.fixture
def copy(pack: Path, tmp_path: Path) -> Path:
    """A pack that may be broken."""
    return Path(shutil.copytree(pack, tmp_path / "pack"))


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_an_altered_file_is_damage(copy: Path, name: str) -> None:
    """One changed byte in a pack is found before a vector is made, and the file is named."""
    content = bytearray((copy / name).read_bytes())
    content[len(content) // 2] ^= 1
    (copy / name).write_bytes(content)

    with pytest.raises(Damaged, match=rf"{re.escape(name)}.*hindcast models prepare"):
        OnnxEmbedder(copy).embed(["text"])
    with pytest.raises(Damaged, match=re.escape(name)):
        model_pack.verify(copy)


@pytest.mark.parametrize("name", ["model.onnx", "tokenizer.json"])
def test_a_lost_file_is_missing(copy: Path, name: str) -> None:
    """A pack that lacks a file says which."""
    (copy / name).unlink()

    with pytest.raises(Missing, match=rf"{re.escape(name)}.*hindcast models prepare"):
        OnnxEmbedder(copy).embed(["text"])


@pytest.mark.parametrize(("name", "content"), [("model.onnx", b"no graph"), ("tokenizer.json", b"{}")])
def test_a_file_that_is_no_model_is_damage(copy: Path, name: str, content: bytes) -> None:
    """A file that agrees with its manifest and still is no model is told apart from a bug."""
    manifest = json.loads((copy / "pack.json").read_text())
    manifest["sha256"][name] = hashlib.sha256(content).hexdigest()
    (copy / name).write_bytes(content)
    (copy / "pack.json").write_text(json.dumps(manifest))

    with pytest.raises(Damaged, match="does not load"):
        OnnxEmbedder(copy).embed(["text"])


def test_a_manifest_with_the_wrong_width_is_damage(copy: Path) -> None:
    """Vectors of another width than the manifest says are refused."""
    manifest = json.loads((copy / "pack.json").read_text())
    (copy / "pack.json").write_text(json.dumps({**manifest, "dims": 100}))

    with pytest.raises(Damaged, match="100 dims"):
        OnnxEmbedder(copy).embed(["text"])


# ---- The server ----


def test_texts_are_sent_in_batches_with_the_key(server: EmbeddingServer) -> None:
    """No request has more texts than allowed, and each carries the key."""
    http(server, texts_per_request_max=4).embed([str(at) for at in range(10)])

    assert [len(request["input"]) for request in server.requests] == [4, 4, 2]
    assert {f"Bearer {KEY}"} == set(server.keys)


def test_the_width_is_asked_for_once(server: EmbeddingServer) -> None:
    """A width that is not configured is learnt from the first answer."""
    embedder = http(server)

    assert (embedder.dims, embedder.dims) == (24, 24)
    assert len(server.requests) == 1


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_is_not_shown(server: EmbeddingServer, status: int) -> None:
    """A refused key is an error of its own, made without a second try and without the key."""
    server.script = [(status, {}, f"Incorrect API key provided: {KEY}".encode())]

    with pytest.raises(Refused) as caught:
        http(server).embed(["text"])

    assert KEY not in _everything_said(caught.value)
    assert len(server.requests) == 1


def test_a_busy_server_is_asked_again_when_it_says(server: EmbeddingServer) -> None:
    """After a 429 the client waits as long as Retry-After says, then succeeds."""
    server.script = [(429, {"Retry-After": "7"}, b"slow down")]
    waits: list[float] = []

    vectors = http(server, waits).embed(["text"])

    assert vectors.shape == (1, 24)
    assert waits == [7.0]


def test_a_server_that_wants_too_long_a_pause_is_unavailable(server: EmbeddingServer) -> None:
    """Nobody waits an hour inside a call: a Retry-After beyond the limit ends it at once."""
    server.script = [(429, {"Retry-After": "3600"}, b"")]
    waits: list[float] = []

    with pytest.raises(Unavailable, match="3600 seconds"):
        http(server, waits).embed(["text"])

    assert waits == []


def test_a_broken_server_is_given_up(server: EmbeddingServer) -> None:
    """A server that always fails is tried a limited number of times, with growing pauses."""
    server.script = [(500, {}, f"boom {KEY}".encode())] * 20
    waits: list[float] = []

    with pytest.raises(Unavailable, match="status 500: boom") as caught:
        http(server, waits, attempts_max=4).embed(["text"])

    assert len(server.requests) == 4
    assert waits == [0.5, 1.0, 2.0]
    assert KEY not in _everything_said(caught.value)


def test_a_closed_port_is_unavailable(server: EmbeddingServer) -> None:
    """Where nobody listens, the error says so after the last attempt."""
    embedder = http(server, attempts_max=2)
    server.shutdown()
    server.server_close()

    with pytest.raises(Unavailable, match="ConnectError"):
        embedder.embed(["text"])


def test_an_unknown_model_is_malformed(server: EmbeddingServer) -> None:
    """A request the server rejects is not repeated; what the server said is passed on."""
    server.script = [(404, {}, b'{"error": "model not found"}')]

    with pytest.raises(Malformed, match="model not found"):
        http(server).embed(["text"])

    assert len(server.requests) == 1


def test_a_redirect_is_not_followed(server: EmbeddingServer) -> None:
    """The key goes to the configured address and to no other."""
    server.script = [(307, {"Location": "/elsewhere"}, b"")]

    with pytest.raises(Malformed, match="status 307"):
        http(server).embed(["text"])

    assert len(server.requests) == 1


def _drop_last(answer: dict[str, Any]) -> dict[str, Any]:
    return {**answer, "data": answer["data"][1:]}


def _same_index(answer: dict[str, Any]) -> dict[str, Any]:
    return {**answer, "data": [{**item, "index": 0} for item in answer["data"]]}


def _ragged(answer: dict[str, Any]) -> dict[str, Any]:
    first, *rest = answer["data"]
    return {**answer, "data": [{**first, "embedding": [1.0]}, *rest]}


def _zero(answer: dict[str, Any]) -> dict[str, Any]:
    return {**answer, "data": [{**item, "embedding": [0.0] * 24} for item in answer["data"]]}


def _narrow(answer: dict[str, Any]) -> dict[str, Any]:
    return {**answer, "data": [{**item, "embedding": [1.0, 2.0]} for item in answer["data"]]}


def _no_data(answer: dict[str, Any]) -> dict[str, Any]:
    return {"choices": []}


@pytest.mark.parametrize("change", [_drop_last, _same_index, _ragged, _zero, _narrow, _no_data])
def test_a_wrong_answer_is_not_believed(
    server: EmbeddingServer, change: Callable[[dict[str, Any]], dict[str, Any]]
) -> None:
    """Too few vectors, one twice, of several or another width, or of no direction: none is taken."""
    server.change = change

    with pytest.raises(Malformed):
        http(server, dims=24).embed(["one", "two", "three"])


@pytest.mark.parametrize("body", [b"<html>hello</html>", b"", b"[]", b"null", b'{"data": 5}', b'{"data": [1, 2]}'])
def test_an_answer_in_another_language_is_malformed(server: EmbeddingServer, body: bytes) -> None:
    """A page or JSON that is not of the protocol is an error that names the server."""
    server.script = [(200, {}, body)]

    with pytest.raises(Malformed, match=re.escape(f"127.0.0.1:{server.server_port}/v1/embeddings")):
        http(server).embed(["text"])


def test_a_key_that_cannot_be_sent_is_not_shown() -> None:
    """A key with a line break is refused before any request, without repeating it."""
    with pytest.raises(Malformed) as caught:
        HttpEmbedder("http://localhost/v1", "any", KEY + "\n")

    assert KEY not in _everything_said(caught.value)


def _everything_said(error: HindcastError) -> str:
    """The words of an error and of whatever caused it, as a log would show them."""
    said, step = "", error.__cause__
    while step is not None:
        said, step = said + repr(step), step.__cause__
    return f"{error} {error!r} {said}"
