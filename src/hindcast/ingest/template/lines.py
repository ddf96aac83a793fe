"""Lines: the first line of every message of a batch, as one run of bytes that can be worked on at once."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from hindcast.ingest.template.bits import BITS

Bytes = npt.NDArray[np.uint8]
Flags = npt.NDArray[np.bool_]

NEWLINE = ord("\n")
SCRATCH_BYTES_MIN = 65_536


def slices(messages: Any, lines_max: int) -> Iterator[Any]:  # noqa: ANN401
    """Parts of a batch that are small enough for a processor's cache."""
    for at in range(0, len(messages), lines_max):
        yield messages.slice(at, lines_max)


def as_bytes(messages: Any, *, bytes_max: int) -> Any:  # noqa: ANN401
    """Messages as bytes, cut where they get too long; none is missing."""
    if messages.null_count:
        messages = pc.fill_null(messages, "")
    lines = messages.cast(pa.binary())
    offsets = np.frombuffer(lines.buffers()[1], dtype=np.int32)[lines.offset : lines.offset + len(lines) + 1]
    if len(lines) and int((offsets[1:] - offsets[:-1]).max()) > bytes_max:
        lines = pc.binary_slice(lines, 0, bytes_max)
    return lines


def first_lines(messages: Any) -> Any:  # noqa: ANN401
    """Of messages with several lines, the first that is not blank."""
    several = pc.match_substring(messages, "\n")
    firsts = [message.strip().partition(b"\n")[0] for message in messages.filter(several).to_pylist()]
    return pc.replace_with_mask(messages, several, pa.array(firsts, pa.binary()))


class Scratch:
    """Memory for arrays that live as long as a batch. Taking it from the system each time costs more than the work."""

    def __init__(self) -> None:
        self._slots: dict[str, Bytes] = {}

    def take(self, slot: str, size: int) -> Bytes:
        """Room for so many bytes, with anything in them; the same room for the same slot."""
        held = self._slots.get(slot)
        if held is None or len(held) < size:
            held = self._slots[slot] = np.empty(max(2 * size, SCRATCH_BYTES_MIN), dtype=np.uint8)
        return held[:size]

    def flags(self, slot: str, size: int) -> Flags:
        """The same for true and false."""
        return self.take(slot, size).view(np.bool_)


def joined(lines: Any, scratch: Scratch) -> tuple[Bytes, int]:  # noqa: ANN401
    """All lines in one writable buffer, each closed by a newline, and their size; behind them are more newlines."""
    if not len(lines):
        return np.zeros(0, dtype=np.uint8), 0
    whole = pa.ListArray.from_arrays(pa.array([0, len(lines)], pa.int32()), lines)
    text = pc.binary_join(whole, b"\n")[0].as_buffer()
    size = len(text)
    made = scratch.take("text", size + BITS - size % BITS)
    made[:size] = np.frombuffer(text, dtype=np.uint8)
    made[size:] = NEWLINE
    return made, size + 1


def parted(text: Any, count: int) -> Any:  # noqa: ANN401
    """The lines of such a buffer, or None if there are more than there should be.

    The newline stays at the end of each line, where it harms nothing.
    """
    ends = np.flatnonzero(np.frombuffer(text, dtype=np.uint8) == NEWLINE)
    if len(ends) != count:
        return None
    offsets = np.zeros(count + 1, dtype=np.int32)
    np.add(ends, 1, out=offsets[1:], casting="same_kind")
    return pa.Array.from_buffers(pa.binary(), count, [None, pa.py_buffer(offsets), pa.py_buffer(text)])
