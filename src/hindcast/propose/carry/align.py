"""Where in a file a snippet is, token by token, when neither is quite what it was.

The whole snippet is laid against any stretch of the file, as a gene against a genome: equal tokens count by how much
they tell, two names may stand for each other at a small gain, whatever was added today costs little however long
it is, and what is missing today costs half of what it would have told. Rows are numpy arrays: a hunk against a file of
some thousand tokens takes milliseconds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from hindcast.propose.carry.lex import Sort, Token

# A table of this many cells is the most that is filled in; a longer file is looked at where the snippet's names are.
CELLS_MAX = 3_000_000
# How many places are worth comparing before a snippet is called ambiguous.
SPOTS_MAX = 6

WEIGHTS = {
    Sort.NAME: 1.0,
    Sort.KEYWORD: 0.6,
    Sort.NUMBER: 0.8,
    Sort.STRING: 1.0,
    Sort.MARK: 0.25,
    Sort.COMMENT: 0.15,
}
# What two different names, or texts, or numbers at the same place are worth.
_STANDS_FOR = {Sort.NAME: 0.25, Sort.STRING: 0.1, Sort.NUMBER: 0.1, Sort.COMMENT: 0.02}
# One name in another spelling: `_broker` for `broker`, `maxSize` for `max_size`.
_RESPELLED = 0.8
# Something was put in between today: that it was, and each token of it, between two lines and within one.
_OPEN = 0.3
_LONGER = 0.02
_LONGER_IN_LINE = 0.06
_MISSING_SHARE = 0.5
_NEVER = -1e6

_Row = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Spot:
    """A stretch of a file that a snippet was laid against."""

    # The share of what the snippet tells that is found there, 0 to 1 (below 0: nothing is).
    score: float
    # For every token of the snippet its token in the file, or -1.
    images: tuple[int, ...]

    @property
    def first(self) -> int:
        """The first token of the file that stands for one of the snippet."""
        return min((image for image in self.images if image >= 0), default=0)

    @property
    def last(self) -> int:
        """The last one."""
        return max(self.images, default=-1)


def spots(snippet: Sequence[Token], file: Sequence[Token], *, renames: bool, score_min: float) -> tuple[Spot, ...]:
    """Where a snippet may be, best first; places do not overlap."""
    found: list[Spot] = []
    open_ranges = [_near(snippet, file)]
    while open_ranges and len(found) < SPOTS_MAX:
        first, after = open_ranges.pop(0)
        best = _best(snippet, file[first:after], renames=renames)
        if best is None or best.score < score_min:
            continue
        best = Spot(best.score, tuple(image + first if image >= 0 else -1 for image in best.images))
        found.append(best)
        open_ranges += [(first, best.first), (best.last + 1, after)]
    return tuple(sorted(found, key=lambda one: -one.score))


def _near(snippet: Sequence[Token], file: Sequence[Token]) -> tuple[int, int]:
    """The part of a long file that has most of the snippet's own words; all of a short one."""
    width = CELLS_MAX // max(len(snippet), 1)
    if len(file) <= width:
        return 0, len(file)
    telling = {token.key for token in snippet if token.sort in (Sort.NAME, Sort.STRING)}
    hits = np.cumsum([0, *(token.key in telling for token in file)])
    counts = hits[width:] - hits[:-width]
    first = int(np.argmax(counts))
    return first, first + width


def _best(snippet: Sequence[Token], file: Sequence[Token], *, renames: bool) -> Spot | None:
    if not snippet or not file:
        return None
    table = _Table(snippet, file, renames=renames)
    return table.spot()


class _Table:
    """The best score of every beginning of the snippet against every end in the file."""

    def __init__(self, snippet: Sequence[Token], file: Sequence[Token], *, renames: bool) -> None:
        self._weights = [WEIGHTS[token.sort] for token in snippet]
        codes = {key: number for number, key in enumerate({(token.sort, token.key) for token in snippet})}
        self._codes = [codes[token.sort, token.key] for token in snippet]
        self._file_codes = np.array([codes.get((token.sort, token.key), -1) for token in file])
        # Names stand for names in the same role only: a call for a call, a member for a member.
        self._kinds = [_kind(token) for token in snippet]
        self._file_kinds = np.array([_kind(token) for token in file])
        self._soft = [_STANDS_FOR.get(token.sort, _NEVER) if renames else _NEVER for token in snippet]
        spelled = {_spelling(token): number for number, token in enumerate(snippet) if token.sort is Sort.NAME}
        self._spellings = [spelled.get(_spelling(token), -2) if token.sort is Sort.NAME else -2 for token in snippet]
        self._file_spellings = np.array(
            [spelled.get(_spelling(token), -1) if token.sort is Sort.NAME else -1 for token in file]
        )
        self._renames = renames
        # What one token more costs behind each token of the snippet.
        breaks = [one.line != other.line for one, other in pairwise(snippet)]
        self._longer = [_LONGER, *(_LONGER if is_break else _LONGER_IN_LINE for is_break in breaks), _LONGER]
        self._steps = np.arange(len(file) + 1)
        self._rows: list[_Row] = [np.zeros(len(file) + 1)]
        self._taken: list[_Row] = [self._rows[0]]
        for index in range(len(snippet)):
            self._add(index)

    def spot(self) -> Spot:
        """The best stretch, read back from the table's last row."""
        images = [-1] * len(self._weights)
        row, column = len(self._weights), int(np.argmax(self._rows[-1]))
        score = float(self._rows[-1][column]) / (sum(self._weights) or 1.0)
        while row > 0:
            value = self._rows[row][column]
            if value > self._taken[row][column] + 1e-9:
                # Added today: back to where that began.
                begun = self._taken[row][:column] - _OPEN - self._longer[row] * (column - np.arange(column))
                column = int(np.flatnonzero(begun >= value - 1e-9)[-1])
                continue
            if column > 0 and value <= self._rows[row - 1][column - 1] + self._pair(row - 1, column - 1) + 1e-9:
                images[row - 1] = column - 1
                column -= 1
            row -= 1
        return Spot(score, tuple(images))

    def _add(self, index: int) -> None:
        before = self._rows[-1]
        pairs = np.where(
            self._file_codes == self._codes[index],
            self._weights[index],
            np.where(self._file_kinds == self._kinds[index], self._soft[index], _NEVER),
        )
        if self._renames:
            np.maximum(pairs, np.where(self._file_spellings == self._spellings[index], _RESPELLED, _NEVER), out=pairs)
        taken = before - _MISSING_SHARE * self._weights[index]
        np.maximum(taken[1:], before[:-1] + pairs, out=taken[1:])
        row = taken.copy()
        steps = self._steps * self._longer[index + 1]
        reached = np.maximum.accumulate(taken + steps)
        np.maximum(row[1:], reached[:-1] - steps[1:] - _OPEN, out=row[1:])
        self._rows.append(row)
        self._taken.append(taken)

    def _pair(self, index: int, column: int) -> float:
        if self._file_codes[column] == self._codes[index]:
            return self._weights[index]
        if self._renames and self._file_spellings[column] == self._spellings[index]:
            return _RESPELLED
        return self._soft[index] if self._file_kinds[column] == self._kinds[index] else _NEVER


def _spelling(token: Token) -> str:
    return token.key.replace("_", "").lower()


def _kind(token: Token) -> int:
    return int(token.sort) * 4 + 2 * token.is_member + token.is_called
