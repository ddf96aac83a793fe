"""Remembers which pieces of a write may be there although the write failed, so that they are not kept twice.

Whoever gets an error sends the same again, soon or never. A piece is known by its content: the same batches in the same
order make the same pieces.
"""

from __future__ import annotations

import time
from collections import OrderedDict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from hindcast.adapters.telemetry_clickhouse.write import Piece

PIECES_MAX = 1_000
# Looking for known pieces costs a tenth of a write, so that nothing is remembered for longer than callers try.
SECONDS_MAX = 600


class Failed:
    """Pieces of failed writes by their content, each with the number under which it may be there."""

    def __init__(self) -> None:
        self._pieces: OrderedDict[bytes, tuple[int, float]] = OrderedDict()

    def numbers(self, pieces: Sequence[Piece]) -> list[int]:
        """The number of each piece that failed before; 0 for any other."""
        oldest = time.monotonic() - SECONDS_MAX
        while self._pieces and next(iter(self._pieces.values()))[1] < oldest:
            self._pieces.popitem(last=False)
        if not self._pieces:
            return [0] * len(pieces)
        return [self._pieces.get(piece.digest(), (0, 0.0))[0] for piece in pieces]

    @contextmanager
    def unless_done(self, pieces: Sequence[Piece], numbers: Sequence[int]) -> Iterator[None]:
        """Remember pieces if what follows does not come to its end; otherwise forget them."""
        done = False
        try:
            yield
            done = True
        finally:
            if not done:
                self._remember(pieces, numbers)
            elif self._pieces:
                for piece in pieces:
                    self._pieces.pop(piece.digest(), None)

    def _remember(self, pieces: Sequence[Piece], numbers: Sequence[int]) -> None:
        now = time.monotonic()
        for piece, number in zip(pieces, numbers, strict=True):
            digest = piece.digest()
            self._pieces[digest] = (number, now)
            self._pieces.move_to_end(digest)
        while len(self._pieces) > PIECES_MAX:
            self._pieces.popitem(last=False)
