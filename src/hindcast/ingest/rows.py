"""Rows of logs put into columns, with the limits applied that hold for every format: the last step of each parser.

What is over a limit is cut, marked where it was cut, and counted; the counts travel with the tables, so that whoever
answers the sender and whoever watches this process can tell.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import orjson
import pyarrow as pa
import pyarrow.compute as pc

from hindcast.model.columns import ATTRIBUTES, RAW_LOG, TIME, Parsed, Rejection
from hindcast.model.errors import Malformed
from hindcast.model.ingest_limits import IngestLimits

# What JSON can say.
Json = Any

# The names under which alterations are counted.
MESSAGE_CUT: Final = "message_cut"
STACK_CUT: Final = "stack_cut"
ATTRIBUTES_CUT: Final = "attributes_cut"
VALUE_CUT: Final = "attribute_value_cut"
TEXT_REPAIRED: Final = "invalid_utf8"
TIME_NAIVE: Final = "time_naive"
TIME_UNREADABLE: Final = "time_unreadable"
SERVICE_CUT: Final = "service_cut"

# Stands where something is nested deeper than anybody reads.
TOO_DEEP: Final = "…[nested too deep]"
# An escape of half a character (left behind where a text was cut), beside those that are whole.
_HALF: Final = re.compile(r"(\\\\|\\u[dD][89abAB]\w\w\\u[dD][c-fC-F]\w\w)|\\u[dD][89a-fA-F]\w\w")
# How much memory one request may spend on repeating what its records share.
SPREAD_BYTES_MAX: Final = 256 * 1024 * 1024

_MICROSECOND: Final = timedelta(microseconds=1)
_EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class Read(Parsed):
    """What a parser made of one request, and how many things it had to alter to take them, by name."""

    altered: Mapping[str, int] = field(default_factory=dict)


def micros(at: datetime | None) -> int | None:
    """Microseconds since 1970, exactly."""
    return None if at is None else (at - _EPOCH) // _MICROSECOND


class LogRows:
    """Collects log rows of formats that are read record by record, and makes one RAW_LOG table of them."""

    def __init__(self, limits: IngestLimits) -> None:
        self.counts: Counter[str] = Counter()
        self._limits = limits
        self._columns: dict[str, list[Any]] = {
            name: [] for name in RAW_LOG.names if name not in {"attributes", "dependency", "bare"}
        }
        self._keys: list[str] = []
        self._values: list[str] = []
        self._lengths: list[int] = []

    def __len__(self) -> int:
        return len(self._lengths)

    def add(
        self,
        *,
        at: datetime | None,
        service: str,
        level: int,
        message: str,
        stack: str = "",
        trace: str = "",
        span: str = "",
        attributes: Mapping[str, str] | None = None,
    ) -> None:
        """Add one row. Texts may be of any length; they are cut when the table is made."""
        columns = self._columns
        columns["time"].append(micros(at))
        columns["service"].append(service)
        columns["level"].append(level)
        columns["trace"].append(trace)
        columns["span"].append(span)
        columns["message"].append(message)
        columns["stack"].append(stack)
        if attributes:
            self._keys.extend(attributes.keys())
            self._values.extend(attributes.values())
        self._lengths.append(len(attributes) if attributes else 0)

    def read(self, rejections: Sequence[Rejection] = ()) -> Read:
        """Everything that was added, as a table."""
        columns = {
            name: pa.array(values, TIME if name == "time" else RAW_LOG.field(name).type)
            for name, values in self._columns.items()
        }
        attributes = Attributes(
            pa.array(self._keys, pa.string()),
            pa.array(self._values, pa.string()),
            np.array(self._lengths, dtype=np.int64),
        )
        table = log_table(columns, attributes, self._limits, self.counts)
        return Read(logs=table, rejections=tuple(rejections), altered=dict(self.counts))


@dataclass(frozen=True, slots=True)
class Attributes:
    """The attributes of many rows, laid end to end: keys, values, and how many belong to each row."""

    keys: pa.Array
    values: pa.Array
    lengths: npt.NDArray[np.int64]

    def picked(self, keep: npt.NDArray[np.bool_]) -> Attributes:
        """Only the pairs that are marked, the rows as they were."""
        rows = np.repeat(np.arange(len(self.lengths)), self.lengths)
        where = pa.array(keep)
        lengths = np.bincount(rows[keep], minlength=len(self.lengths)).astype(np.int64)
        return Attributes(self.keys.filter(where), self.values.filter(where), lengths)

    def taken(self, rows: npt.NDArray[np.int64]) -> Attributes:
        """The attributes of some of the rows, in the order given."""
        where = pa.array(spread(starts(self.lengths)[rows], self.lengths[rows]))
        return Attributes(self.keys.take(where), self.values.take(where), self.lengths[rows])

    def after(self, shared: Attributes, index: npt.NDArray[np.int64]) -> Attributes:
        """Each row's attributes behind those it shares with others; `index` says which shared row is each one's.

        Where a row has a key of its own that is shared as well, its own counts.
        """
        if not len(shared.keys):
            return self
        shared_lengths = shared.lengths[index]
        lengths = shared_lengths + self.lengths
        begin = starts(lengths)
        where = np.empty(int(lengths.sum()), dtype=np.int64)
        where[spread(begin, shared_lengths)] = spread(starts(shared.lengths)[index], shared_lengths)
        own = spread(begin + shared_lengths, self.lengths)
        where[own] = len(shared.keys) + np.arange(len(self.keys))
        keys = pa.concat_arrays([shared.keys, self.keys])
        values = pa.concat_arrays([shared.values, self.values])
        joined = Attributes(keys.take(pa.array(where)), values.take(pa.array(where)), lengths)
        if not pc.any(pc.is_in(pc.unique(self.keys), pc.unique(shared.keys))).as_py():
            return joined
        return joined.picked(_last_of_each(joined))

    @property
    def sizes(self) -> npt.NDArray[np.int64]:
        """How many bytes the values of each row have."""
        if not len(self.lengths):
            return np.zeros(0, dtype=np.int64)
        lengths = np.append(byte_lengths(self.values).astype(np.int64), 0)
        # An empty row has no values of its own, and reduceat would give it the next one's.
        sizes: npt.NDArray[np.int64] = np.add.reduceat(lengths, starts(self.lengths)) * (self.lengths > 0)
        return sizes

    def map(self, limits: IngestLimits, counts: Counter[str]) -> pa.Array:
        """The map column, with the limits on numbers and sizes applied."""
        fitting = self
        if len(self.lengths) and int(self.lengths.max()) > limits.attributes_per_record_max:
            rank = np.arange(len(self.keys)) - np.repeat(starts(self.lengths), self.lengths)
            keep = rank < limits.attributes_per_record_max
            counts[ATTRIBUTES_CUT] += int((~keep).sum())
            fitting = self.picked(keep)
        values = cut(fitting.values, limits.attribute_value_bytes_max, counts, VALUE_CUT)
        keys = cut(fitting.keys, limits.attribute_key_bytes_max, counts, VALUE_CUT)
        offsets = np.zeros(len(fitting.lengths) + 1, dtype=np.int32)
        np.cumsum(fitting.lengths, out=offsets[1:])
        return pa.MapArray.from_arrays(pa.array(offsets), keys, values, ATTRIBUTES)


def _last_of_each(attributes: Attributes) -> npt.NDArray[np.bool_]:
    """Which pairs are the last of their key in their row."""
    encoded = attributes.keys.dictionary_encode()
    rows = np.repeat(np.arange(len(attributes.lengths)), attributes.lengths)
    codes = rows * len(encoded.dictionary) + encoded.indices.to_numpy(zero_copy_only=False)
    _, last = np.unique(codes[::-1], return_index=True)
    keep = np.zeros(len(codes), dtype=np.bool_)
    keep[len(codes) - 1 - last] = True
    return keep


def starts(lengths: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Where each row begins when rows of these lengths stand end to end."""
    begin: npt.NDArray[np.int64] = np.cumsum(lengths) - lengths
    return begin


def spread(begin: npt.NDArray[np.int64], lengths: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """The positions of all items of rows that begin at `begin`, row after row."""
    within = np.arange(int(lengths.sum())) - np.repeat(starts(lengths), lengths)
    positions: npt.NDArray[np.int64] = np.repeat(begin, lengths) + within
    return positions


def byte_lengths(texts: pa.Array) -> npt.NDArray[np.int32]:
    """The length of each text or binary value in bytes, read off the offsets: nothing is copied."""
    if not len(texts):
        return np.zeros(0, dtype=np.int32)
    offsets = np.frombuffer(texts.buffers()[1], dtype=np.int32, count=len(texts) + 1, offset=4 * texts.offset)
    lengths: npt.NDArray[np.int32] = offsets[1:] - offsets[:-1]
    return lengths


def cut(texts: pa.Array, bytes_max: int, counts: Counter[str], name: str) -> pa.Array:
    """Texts of which none is longer than the limit; what was cut says so at its end and is counted."""
    too_long = byte_lengths(texts) > bytes_max
    if not too_long.any():
        return texts
    rows = np.flatnonzero(too_long).tolist()
    counts[name] += len(rows)
    shortened = [cut_text(texts[row].as_py(), bytes_max) for row in rows]
    return pc.replace_with_mask(texts, pa.array(too_long), pa.array(shortened, pa.string()))


def cut_text(text: str, bytes_max: int) -> str:
    """The start of a text that is too long, with a mark that says how long it was."""
    raw = text.encode()
    mark = f" …[cut, {len(raw)} bytes]"
    return raw[: max(bytes_max - len(mark.encode()), 0)].decode("utf-8", "ignore") + mark


def repaired(raw: bytes, counts: Counter[str]) -> str:
    """Bytes as text; what is not UTF-8 is replaced and counted, so that the rest of the line survives."""
    try:
        return raw.decode()
    except UnicodeDecodeError:
        counts[TEXT_REPAIRED] += 1
        return raw.decode("utf-8", "replace")


def repaired_json(raw: bytes, counts: Counter[str]) -> bytes:
    """JSON whose texts are all valid: bytes that are not UTF-8, and halves of characters, are replaced and counted."""
    text = raw.decode("utf-8", "replace")
    replaced = text.count("\N{REPLACEMENT CHARACTER}")
    whole, halves = _HALF.sub(lambda found: found[1] or r"\ufffd", text), 0
    if whole != text:
        halves = sum(1 for found in _HALF.finditer(text) if not found[1])
    counts[TEXT_REPAIRED] += replaced + halves
    return whole.encode()


def json_text(value: Json) -> str:
    """A JSON value as compact text."""
    try:
        return orjson.dumps(value, option=orjson.OPT_NON_STR_KEYS).decode()
    except TypeError:
        # Deeper than orjson goes, which is far deeper than anybody reads.
        return TOO_DEEP


def check_spread(size: int) -> None:
    """Refuse a request in which many records share much: on the wire it is there once, in columns each time."""
    if size > SPREAD_BYTES_MAX:
        raise Malformed(
            f"Attributes that records share take {size} bytes when each has its own; {SPREAD_BYTES_MAX} are spent.",
            field="attributes",
            remedy="Send smaller batches, or shorter attributes.",
        )


def log_table(
    columns: Mapping[str, pa.Array], attributes: Attributes, limits: IngestLimits, counts: Counter[str]
) -> pa.Table:
    """A RAW_LOG table of columns, with every limit on their texts applied."""
    fitting = {
        "dependency": pa.repeat("", len(columns["message"])),
        "bare": pa.repeat(False, len(columns["message"])),
        **columns,
        "message": cut(columns["message"], limits.message_bytes_max, counts, MESSAGE_CUT),
        "stack": cut(columns["stack"], limits.stack_bytes_max, counts, STACK_CUT),
        "service": cut(columns["service"], limits.service_bytes_max, counts, SERVICE_CUT),
        "attributes": attributes.map(limits, counts),
    }
    return pa.Table.from_arrays([fitting[name] for name in RAW_LOG.names], schema=RAW_LOG)
