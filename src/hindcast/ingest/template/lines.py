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

NEWLINE, BLANK = np.uint8(ord("\n")), np.uint8(ord(" "))
SCRATCH_BYTES_MIN = 65_536


def slices(messages: Any, lines_max: int) -> Iterator[Any]:  # noqa: ANN401
    """Parts of a batch that are small enough for a processor's cache."""
    for at in range(0, len(messages), lines_max):
        yield messages if len(messages) <= lines_max else messages.slice(at, lines_max)


def present(messages: Any) -> Any:  # noqa: ANN401
    """Messages of which none is missing, with short offsets."""
    if messages.null_count:
        messages = pc.fill_null(messages, "")
    return messages.cast(pa.binary()) if pa.types.is_large_string(messages.type) else messages


def cut(lines: Any, *, bytes_max: int) -> Any:  # noqa: ANN401
    """Lines as bytes, cut where they get too long."""
    return pc.binary_slice(lines.cast(pa.binary()), 0, bytes_max)


def first_lines(messages: Any) -> Any:  # noqa: ANN401
    """Of messages with several lines, the first that is not blank."""
    messages = messages.cast(pa.binary())
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


class Text:
    """The bytes of all lines in one writable buffer, filled up with blanks, and where each line begins and ends."""

    def __init__(self, lines: Any, scratch: Scratch) -> None:  # noqa: ANN401
        _, ends, held = lines.buffers()
        offsets = np.frombuffer(ends, dtype=np.int32)[lines.offset : lines.offset + len(lines) + 1]
        start, end = int(offsets[0]), int(offsets[-1])
        self.offsets = offsets.astype(np.int64) - start
        self.size = size = end - start
        # At least one byte more than the lines have: what is behind the last line can be asked for.
        self.bytes = scratch.take("text", size + BITS - size % BITS)
        self.bytes[size:] = BLANK
        if size:
            self.bytes[:size] = np.frombuffer(held, dtype=np.uint8)[start:end]

    def __len__(self) -> int:
        """How many lines there are."""
        return len(self.offsets) - 1

    @property
    def longest(self) -> int:
        """The bytes of the longest line."""
        return int(np.maximum.reduce(self.offsets[1:] - self.offsets[:-1]))
