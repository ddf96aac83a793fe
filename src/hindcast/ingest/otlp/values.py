"""OTLP's values of any kind as text: one by one for decoded messages, and whole columns at once for Arrow."""

from __future__ import annotations

import base64
import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc
from google.protobuf.message import DecodeError
from opentelemetry.proto.common.v1 import common_pb2

from hindcast.ingest.rows import TEXT_REPAIRED, TOO_DEEP, Attributes, Json, byte_lengths, json_text, repaired

# A protobuf message, or its twin decoded from JSON: the same names, another class.
Decoded = Any

# Values nested deeper are not spelled out.
DEPTH_MAX: Final = 32
TRACE_HEX: Final = 32
SPAN_HEX: Final = 16

# From which to which power of ten Arrow writes a float without an exponent.
_PLACE_MIN: Final = -6
_PLACE_END: Final = 10

# Where a body that is a map keeps its sentence and its level, the first that is there.
MESSAGE_KEYS: Final = ("message", "msg", "log", "body", "text")
LEVEL_KEYS: Final = ("level", "severity", "lvl", "log.level", "loglevel", "levelname")


def plain(value: Decoded, depth: int = 0) -> Json:
    """A decoded AnyValue (a protobuf message or its JSON twin) as JSON."""
    if depth > DEPTH_MAX:
        return TOO_DEEP
    kind = value.WhichOneof("value")
    match kind:
        case None:
            return None
        case "array_value":
            return [plain(item, depth + 1) for item in value.array_value.values or ()]
        case "kvlist_value":
            return {pair.key: _inner(pair.value, depth) for pair in value.kvlist_value.values or ()}
        case "bytes_value":
            raw = value.bytes_value
            return raw if isinstance(raw, str) else base64.b64encode(raw).decode()
        case "double_value":
            # JSON has no other way to say it.
            return value.double_value if math.isfinite(value.double_value) else float_text(value.double_value)
    return getattr(value, kind)


def _inner(value: Decoded | None, depth: int) -> Json:
    return None if value is None else plain(value, depth + 1)


def text(value: Decoded | None) -> str:
    """A decoded AnyValue as text: strings as they are, nested values as compact JSON."""
    if value is None:
        return ""
    # A string that is set and not empty is what most values are; both classes show it alike.
    if written := value.string_value:
        return str(written)
    match value.WhichOneof("value"):
        case "int_value":
            return str(value.int_value)
        case "double_value":
            return float_text(value.double_value)
    return plain_text(plain(value))


def plain_text(value: Json) -> str:
    """A JSON value as text."""
    match value:
        case str():
            return value
        case None:
            return ""
        case bool():
            return "true" if value else "false"
        case int():
            return str(value)
        case float():
            return float_text(value)
    return json_text(value)


def float_text(value: float) -> str:
    """A float as Arrow writes it, so that every path writes it alike: the shortest digits that mean this number."""
    if 1e-4 <= value < 1e10 or -1e10 < value <= -1e-4:
        # In this range Python writes the same digits, and a point that Arrow leaves out where nothing follows it.
        return repr(value).removesuffix(".0")
    if not math.isfinite(value):
        return str(value)
    sign, digits, exponent = Decimal(repr(value)).as_tuple()
    assert isinstance(exponent, int), "a finite number has a finite exponent"
    shortest = "".join(map(str, digits)).rstrip("0") or "0"
    place = len(digits) + exponent - 1 if shortest != "0" else 0
    minus = "-" if sign else ""
    if not _PLACE_MIN <= place < _PLACE_END:
        fraction = f".{shortest[1:]}" if len(shortest) > 1 else ""
        return f"{minus}{shortest[0]}{fraction}e{place:+d}"
    if place < 0:
        return f"{minus}0.{'0' * (-place - 1)}{shortest}"
    whole, rest = shortest[: place + 1].ljust(place + 1, "0"), shortest[place + 1 :]
    return f"{minus}{whole}.{rest}" if rest else f"{minus}{whole}"


def body_parts(value: Json) -> tuple[str, str, str]:
    """A body that is a map: its sentence, its level, and the whole map as JSON where the sentence is a part of it."""
    if not isinstance(value, Mapping):
        return plain_text(value), "", ""
    level = next((plain_text(value[key]) for key in LEVEL_KEYS if key in value), "")
    sentence = next((value[key] for key in MESSAGE_KEYS if isinstance(value.get(key), str) and value[key]), None)
    whole = json_text(value)
    return (whole, level, "") if sentence is None else (sentence, level, whole)


# --- Whole columns ------------------------------------------------------------------------------------------------


def strings(raw: pa.Array, counts: Counter[str]) -> pa.Array:
    """Bytes as text, nulls kept; what is not UTF-8 is replaced and counted."""
    try:
        return raw.cast(pa.string())
    except pa.ArrowInvalid:
        return pa.array([None if item is None else repaired(item, counts) for item in raw.to_pylist()], pa.string())


def hex_ids(raw: pa.Array, digits: int) -> pa.Array:
    """Ids as lower-case hex; those of the wrong length, and those that are all zero, are no ids and become empty."""
    lengths = byte_lengths(raw)
    if not len(lengths):
        return pa.array([], pa.string())
    offsets = np.frombuffer(raw.buffers()[1], dtype=np.int32, count=len(raw) + 1, offset=4 * raw.offset)
    data = raw.buffers()[2]
    low, high = int(offsets[0]), int(offsets[-1])
    found = memoryview(data)[low:high] if data is not None else memoryview(b"")
    written = pa.StringArray.from_buffers(
        len(raw), pa.py_buffer((offsets - low) * np.int32(2)), pa.py_buffer(found.hex().encode())
    )
    if (lengths * 2 == digits).all():
        nonzero = np.frombuffer(found, dtype=np.uint64).reshape(len(raw), -1).any(axis=1)
        return written if nonzero.all() else pc.if_else(pa.array(nonzero), written, "")
    valid = pc.and_(pa.array(lengths * 2 == digits), pc.not_equal(written, "0" * digits))
    return pc.if_else(valid, written, "")


def checked_ids(written: pa.Array, digits: int) -> pa.Array:
    """Ids that are hex already: `hex_ids` for decoded messages, whose ids may be anything in JSON."""
    lower = pc.utf8_lower(written)
    is_id = pc.and_(pc.match_substring_regex(lower, f"^[0-9a-f]{{{digits}}}$"), pc.not_equal(lower, "0" * digits))
    return pc.if_else(is_id, lower, "")


def any_texts(values: pa.StructArray, counts: Counter[str]) -> pa.Array:
    """A column of AnyValues as text; every kind at once, each only where it occurs."""
    kinds = dict(zip((field.name for field in values.type), values.flatten(), strict=True))
    found = strings(kinds["string_value"], counts)
    if found.null_count == 0:
        return found
    scalars = (kinds[name] for name in ("int_value", "double_value", "bool_value"))
    found = pc.coalesce(found, *(one.cast(pa.string()) for one in scalars if one.null_count < len(values)), "")
    for name, row, value in _rare(kinds):
        found = _with_value(found, row, _nested_text(name, value, counts))
    return found


def _rare(kinds: Mapping[str, pa.Array]) -> Iterable[tuple[str, list[int], list[bytes]]]:
    for name in ("array_value", "kvlist_value", "bytes_value"):
        if kinds[name].null_count < len(kinds[name]):
            rows = pc.indices_nonzero(pc.is_valid(kinds[name]))
            yield name, rows.to_pylist(), kinds[name].take(rows).to_pylist()


def _with_value(texts: pa.Array, rows: Sequence[int], values: Sequence[str]) -> pa.Array:
    mask = np.zeros(len(texts), dtype=np.bool_)
    mask[np.array(rows, dtype=np.int64)] = True
    return pc.replace_with_mask(texts, pa.array(mask), pa.array(values, pa.string()))


def _nested_text(name: str, values: Sequence[bytes], counts: Counter[str]) -> list[str]:
    return [plain_text(nested(name, value, counts)) for value in values]


def nested(name: str, raw: bytes, counts: Counter[str]) -> Json:
    """A nested value that was left as bytes, as JSON. One that cannot be read is kept as base64 and counted."""
    if name == "bytes_value":
        return base64.b64encode(raw).decode()
    try:
        if name == "array_value":
            return [plain(item, 1) for item in common_pb2.ArrayValue.FromString(raw).values]
        return {pair.key: plain(pair.value, 1) for pair in common_pb2.KeyValueList.FromString(raw).values}
    except DecodeError:
        counts[TEXT_REPAIRED] += 1
        return base64.b64encode(raw).decode()


def opened(lists: pa.ListArray) -> tuple[npt.NDArray[np.int64], pa.Array]:
    """A list column as the length of each list, and all their items end to end."""
    return np.diff(lists.offsets.to_numpy()).astype(np.int64), lists.flatten()


def attributes_of(lists: pa.ListArray, counts: Counter[str]) -> Attributes:
    """A column of lists of KeyValue as keys and texts."""
    lengths, pairs = opened(lists)
    return Attributes(strings(pairs.field("key"), counts), any_texts(pairs.field("value"), counts), lengths)
