"""Records of one kind as the present shows them: read once, and from then on only what is new.

Decks ask for every decision of a team with each look, and the memory log for every card; a long life has thousands.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import nullcontext
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Generic, TypeVar

from hindcast.casebook.summaries import Lock
from hindcast.experience import CARD_VERDICT, CARD_VERDICTS, card_verdict_in
from hindcast.memory import View
from hindcast.model.card import CardVerdict
from hindcast.model.query import Filter
from hindcast.model.record import Record

DECIDED = Filter(namespace=CARD_VERDICTS, kind=CARD_VERDICT)
T = TypeVar("T")


@dataclass(slots=True)
class _Known(Generic[T]):
    """What is known of one space, and up to which step."""

    step: int = -1
    learned_at: datetime | None = None
    # What is none of the kind is known to be none.
    by_address: dict[str, tuple[int, T | None]] = field(default_factory=dict)
    shown: Mapping[str, tuple[int, T]] = field(default_factory=dict)


class Followed(Generic[T]):
    """Everything of one kind, of all spaces. Several threads may ask."""

    def __init__(self, wanted: Filter, read: Callable[[Record], T | None], *, lock: Lock = nullcontext) -> None:
        """`read` makes of a record what it holds; None: something else."""
        self._wanted, self._read = wanted, read
        self._turn = lock()
        self._known: dict[str, _Known[T]] = {}

    def of(self, space: str, view: View) -> Mapping[str, tuple[int, T]]:
        """By address, with the version of each: what the present of a space shows. Nobody changes the answer."""
        with self._turn:
            known = self._known.setdefault(space, _Known())
            # Read before anything else: what is written meanwhile is looked for with the next question.
            step = view.newest_step
            if known.step != step:
                self._follow(known, view)
                known.shown = {where: (at, one) for where, (at, one) in known.by_address.items() if one is not None}
                known.step = step
            return known.shown

    def forget(self, space: str) -> None:
        """Read everything of a space again."""
        with self._turn:
            self._known.pop(space, None)

    def _follow(self, known: _Known[T], view: View) -> None:
        count = view.count(self._wanted)
        self._take(known, view.every(replace(self._wanted, learned_since=known.learned_at)))
        if len(known.by_address) != count:
            # Something was taken out of history, or put back at an earlier place.
            known.by_address.clear()
            self._take(known, view.every(self._wanted))

    def _take(self, known: _Known[T], records: tuple[Record, ...]) -> None:
        for record in records:
            where = str(record.address)
            if where not in known.by_address or known.by_address[where][0] != record.version:
                known.by_address[where] = (record.version, self._read(record))
            if known.learned_at is None or record.learned_at > known.learned_at:
                known.learned_at = record.learned_at


class Decisions:
    """The decisions of all spaces, in the order in which they were made."""

    def __init__(self, *, lock: Lock = nullcontext) -> None:
        self._followed = Followed(DECIDED, card_verdict_in, lock=lock)
        # For each space what was put in order last, and the order.
        self._ordered: dict[str, tuple[Mapping[str, tuple[int, CardVerdict]], tuple[CardVerdict, ...]]] = {}

    def of(self, space: str, view: View) -> tuple[CardVerdict, ...]:
        """Every decision that the present of a space shows, the oldest first."""
        shown = self._followed.of(space, view)
        known = self._ordered.get(space)
        if known is None or known[0] is not shown:
            found = sorted(shown.values(), key=lambda one: (one[1].at, one[1].card, one[0]))
            known = (shown, tuple(verdict for _, verdict in found))
            self._ordered[space] = known
        return known[1]

    def forget(self, space: str) -> None:
        """Read everything of a space again."""
        self._followed.forget(space)
        self._ordered.pop(space, None)
