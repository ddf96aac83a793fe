"""Builds the int8 graph of a BERT encoder from its weights, with nothing but `onnx` and numpy.

Weights are quantised per output column and activations per token, inside the graph. The usual dynamic quantisation
(`onnxruntime.quantization`) takes one scale for a whole batch, so that a text's vector depends on the texts beside it:
a cosine of .991 between two vectors of the same text, as far off as the quantisation itself. With a scale per token a
text has one vector whatever its neighbours, the error is half, and the speed is the same.

Nothing here depends on the clock or the machine: the same weights make the same bytes, so two machines that prepare a
pack can compare vectors. The graph answers with one vector for each token; pooling is the embedder's, because late
interaction wants the tokens.
"""

from __future__ import annotations

import struct
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray

from hindcast.model.errors import Damaged, Unavailable

Weights = Mapping[str, NDArray[Any]]
Attribute = int | float | list[int]
# Told that one more of so many layers is done.
LayerDone = Callable[[int, int], None]

TOKEN_VECTORS = "token_vectors"  # noqa: S105  (the name of an output)
HEADER_BYTES_MAX = 10_000_000

# 7 bits, not 8: processors with AVX2 but without VNNI add pairs of products in 16 bits, and 255 · 127 · 2 overflows
# there where 255 · 63 · 2 does not. One bit buys the same vectors on every machine.
_WEIGHT_STEPS = 63
_ACTIVATION_STEPS = 127
_ACTIVATION_ZERO = 128
# Added to a scale, so that a row of zeros does not divide by zero.
_SCALE_MIN = 1e-9
# Far below any score: after the softmax, padding weighs nothing.
_MASKED_SCORE = -10_000.0
# Opset 20 is the first with Gelu; both are read by onnxruntime 1.17 and later.
_OPSET = 20
_IR_VERSION = 9
_PARTS = ("query", "key", "value")
_DTYPES = {"F32": "<f4", "F16": "<f2", "I64": "<i8"}


@dataclass(frozen=True, slots=True)
class BertShape:
    """What the weights alone do not tell about an encoder."""

    layers: int
    heads: int
    norm_epsilon: float


def read_safetensors(content: bytes) -> dict[str, NDArray[Any]]:
    """The tensors of a safetensors file: a length, a JSON header, then plain little-endian numbers."""
    try:
        (header_bytes,) = struct.unpack_from("<Q", content)
        # A length that is nonsense leaves a header cut short, which is not JSON.
        header = orjson.loads(content[8 : 8 + min(header_bytes, HEADER_BYTES_MAX)])
        numbers = memoryview(content)[8 + header_bytes :]
        tensors: dict[str, NDArray[Any]] = {}
        for name, about in header.items():
            if name != "__metadata__":
                start, end = about["data_offsets"]
                tensors[name] = np.frombuffer(numbers[start:end], _DTYPES[about["dtype"]]).reshape(about["shape"])
    except (struct.error, ValueError, OverflowError, KeyError, TypeError, AttributeError) as error:
        raise Damaged(
            f"The weights are not a readable safetensors file ({error}).", remedy="Fetch the weights again."
        ) from error
    return tensors


def quantise(matrix: NDArray[np.float32], *, axis: int) -> tuple[NDArray[np.int8], NDArray[np.float32]]:
    """Whole numbers and the scale of each column (axis 0 is summed over) or of each row (axis 1)."""
    scale = np.maximum(np.abs(matrix).max(axis=axis, keepdims=True) / np.float32(_WEIGHT_STEPS), np.float32(_SCALE_MIN))
    return np.rint(matrix / scale).astype(np.int8), scale.astype(np.float32)


def build_bert(weights: Weights, shape: BertShape, *, layer_done: LayerDone = lambda *_: None) -> bytes:
    """The bytes of an ONNX model from (input_ids, attention_mask) to `token_vectors`."""
    try:
        import onnx
    except ImportError as error:
        raise Unavailable(
            "Building a model pack needs the package `onnx`, which is not installed.",
            remedy="Run `pip install 'hindcast[models]'`, or copy a prepared pack from another machine.",
        ) from error
    try:
        graph = _Graph(onnx, weights, shape)
        hidden = graph.embeddings()
        for layer in range(shape.layers):
            hidden = graph.layer(layer, hidden)
            layer_done(layer + 1, shape.layers)
        return graph.finish(hidden)
    except KeyError as error:
        raise Damaged(f"The weights lack the tensor {error}.", remedy="Fetch the weights again.") from error


class _Graph:
    """An ONNX graph being written, node by node. Tokens of all texts lie below one another in one matrix."""

    def __init__(self, onnx: ModuleType, weights: Weights, shape: BertShape) -> None:
        self._onnx = onnx
        self._weights = weights
        self._shape = shape
        self._dims = int(weights["embeddings.word_embeddings.weight"].shape[1])
        self._nodes: list[Any] = []
        self._constants: dict[str, NDArray[Any]] = {}

    def embeddings(self) -> str:
        """Words and places to the first hidden state, and what every layer needs besides it."""
        words, scale = quantise(self._floats("embeddings.word_embeddings.weight"), axis=1)
        # There is one kind of segment, so its vector can be part of the place's.
        places = (
            self._floats("embeddings.position_embeddings.weight")
            + self._floats("embeddings.token_type_embeddings.weight")[0]
        )
        self._node("Gather", [self._constant("words", words), "input_ids"], "words_int8")
        self._node("Cast", ["words_int8"], "words_float", to=self._onnx.TensorProto.FLOAT)
        self._node("Gather", [self._constant("words_scale", scale), "input_ids"], "words_scale_each")
        self._node("Mul", ["words_float", "words_scale_each"], "words_each")
        zero = self._constant("axis_0", np.array([0], np.int64))
        self._node("Shape", ["input_ids"], "tokens_per_text", start=1, end=2)
        self._node("Slice", [self._constant("places", places), zero, "tokens_per_text", zero], "places_each")
        self._node("Add", ["words_each", "places_each"], "embedded")
        self._norm("embedded", "embeddings.LayerNorm", "embedded_norm")
        self._node("Reshape", ["embedded_norm", self._constant("flat", np.array([-1, self._dims], np.int64))], "hidden")
        self._shared()
        return "hidden"

    def layer(self, layer: int, hidden: str) -> str:
        """One block: attention, then the feed-forward part, each added to what came in and normalised."""
        name, out = f"encoder.layer.{layer}.", f"layer{layer}."
        context = self._attention(name + "attention.self.", out, hidden)
        attended = self._dense(context, name + "attention.output.dense", out + "attended")
        self._node("Add", [attended, hidden], out + "attended_sum")
        middle = self._norm(out + "attended_sum", name + "attention.output.LayerNorm", out + "middle")
        wide = self._dense(middle, name + "intermediate.dense", out + "wide")
        self._node("Gelu", [wide], out + "wide_gelu")
        narrow = self._dense(out + "wide_gelu", name + "output.dense", out + "narrow")
        self._node("Add", [narrow, middle], out + "narrow_sum")
        return self._norm(out + "narrow_sum", name + "output.LayerNorm", out + "hidden")

    def finish(self, hidden: str) -> bytes:
        """The model's bytes, always the same for the same weights."""
        helper, kinds = self._onnx.helper, self._onnx.TensorProto
        self._node(
            "Concat", ["ids_shape", self._constant("dims", np.array([self._dims], np.int64))], "out_shape", axis=0
        )
        self._node("Reshape", [hidden, "out_shape"], TOKEN_VECTORS)
        inputs = [
            helper.make_tensor_value_info(name, kinds.INT64, ["texts", "tokens"])
            for name in ("input_ids", "attention_mask")
        ]
        output = helper.make_tensor_value_info(TOKEN_VECTORS, kinds.FLOAT, ["texts", "tokens", self._dims])
        constants = [self._onnx.numpy_helper.from_array(value, name) for name, value in self._constants.items()]
        graph = helper.make_graph(self._nodes, "encoder", inputs, [output], constants)
        opsets = [helper.make_opsetid("", _OPSET), helper.make_opsetid("com.microsoft", 1)]
        model = helper.make_model(graph, opset_imports=opsets, ir_version=_IR_VERSION, producer_name="hindcast")
        content: bytes = model.SerializeToString(deterministic=True)
        return content

    def _shared(self) -> None:
        """Values that every layer reads: shapes, the mask as scores, the zero point of every token."""
        heads = self._shape.heads
        split = self._constant("heads", np.array([heads, self._dims // heads], np.int64))
        self._node("Shape", ["input_ids"], "ids_shape")
        self._node("Concat", ["ids_shape", split], "heads_shape", axis=0)
        self._node("Shape", ["hidden"], "tokens", start=0, end=1)
        self._constant("zero_point", np.array(_ACTIVATION_ZERO, np.uint8))
        self._node("Expand", ["zero_point", "tokens"], "zero_points")
        self._node("Cast", ["attention_mask"], "mask_float", to=self._onnx.TensorProto.FLOAT)
        self._node("Sub", [self._constant("one", np.array(1, np.float32)), "mask_float"], "padding")
        masked = self._constant("masked_score", np.array(_MASKED_SCORE, np.float32))
        self._node("Mul", ["padding", masked], "padding_scores")
        self._node("Unsqueeze", ["padding_scores", self._constant("axes", np.array([1, 2], np.int64))], "mask_scores")

    def _attention(self, name: str, out: str, hidden: str) -> str:
        """Every token looks at every other of its text; query, key and value come from one product."""
        # Dividing the query's weights once spares dividing the scores every time.
        shrink = np.float32((self._dims // self._shape.heads) ** -0.5)
        parts = [(self._floats(f"{name}{part}.weight"), self._floats(f"{name}{part}.bias")) for part in _PARTS]
        parts[0] = (parts[0][0] * shrink, parts[0][1] * shrink)
        matrix, bias = (np.concatenate([part[side] for part in parts]) for side in (0, 1))
        joined = self._linear(hidden, matrix, bias, out + "qkv")
        sizes = self._constant("part_sizes", np.array([self._dims] * len(_PARTS), np.int64))
        self._node("Split", [joined, sizes], [out + part for part in _PARTS], axis=-1)
        for part in _PARTS:
            self._node("Reshape", [out + part, "heads_shape"], f"{out}{part}_heads")
            turned = [0, 2, 3, 1] if part == "key" else [0, 2, 1, 3]
            self._node("Transpose", [f"{out}{part}_heads"], f"{out}{part}_turned", perm=turned)
        self._node("MatMul", [out + "query_turned", out + "key_turned"], out + "scores")
        self._node("Add", [out + "scores", "mask_scores"], out + "scores_masked")
        self._node("Softmax", [out + "scores_masked"], out + "attention", axis=-1)
        self._node("MatMul", [out + "attention", out + "value_turned"], out + "context_heads")
        self._node("Transpose", [out + "context_heads"], out + "context_turned", perm=[0, 2, 1, 3])
        return self._node("Reshape", [out + "context_turned", "flat"], out + "context")

    def _dense(self, hidden: str, name: str, out: str) -> str:
        return self._linear(hidden, self._floats(name + ".weight"), self._floats(name + ".bias"), out)

    def _linear(self, hidden: str, matrix: NDArray[np.float32], bias: NDArray[np.float32], out: str) -> str:
        """The product with a matrix in whole numbers, scaled by token and by column, plus the bias."""
        columns, scale = quantise(np.ascontiguousarray(matrix.T), axis=0)
        step = self._constant("step", np.array(1 / _ACTIVATION_STEPS, np.float32))
        least = self._constant("least", np.array(_SCALE_MIN, np.float32))
        last = self._constant("axis_last", np.array([-1], np.int64))
        self._node("Abs", [hidden], out + ".abs")
        self._node("ReduceMax", [out + ".abs", last], out + ".largest", keepdims=0)
        self._node("Mul", [out + ".largest", step], out + ".scale_bare")
        self._node("Add", [out + ".scale_bare", least], out + ".scale")
        self._node("QuantizeLinear", [hidden, out + ".scale", "zero_points"], out + ".uint8", axis=0)
        inputs = [
            out + ".uint8",
            self._constant(out + ".columns", columns),
            "one",
            self._constant(out + ".columns_scale", scale[0]),
            "zero_point",
        ]
        self._node("MatMulIntegerToFloat", inputs, out + ".product", domain="com.microsoft")
        self._node("Unsqueeze", [out + ".scale", last], out + ".scale_rows")
        self._node("Mul", [out + ".product", out + ".scale_rows"], out + ".scaled")
        return self._node("Add", [out + ".scaled", self._constant(out + ".bias", bias)], out)

    def _norm(self, hidden: str, name: str, out: str) -> str:
        inputs = [
            hidden,
            *(self._constant(f"{out}.{kind}", self._floats(f"{name}.{kind}")) for kind in ("weight", "bias")),
        ]
        return self._node("LayerNormalization", inputs, out, axis=-1, epsilon=self._shape.norm_epsilon)

    def _floats(self, name: str) -> NDArray[np.float32]:
        return self._weights[name].astype(np.float32)

    def _constant(self, name: str, value: NDArray[Any]) -> str:
        self._constants.setdefault(name, value)
        return name

    def _node(
        self, kind: str, inputs: list[str], outputs: str | list[str], *, domain: str = "", **attributes: Attribute
    ) -> str:
        names = [outputs] if isinstance(outputs, str) else outputs
        self._nodes.append(self._onnx.helper.make_node(kind, inputs, names, name=names[0], domain=domain, **attributes))
        return names[0]
