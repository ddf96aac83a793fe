"""The live stream: what happens, told to every browser and script that listens (server-sent events).

Events about incidents are kept for a while, so that whoever comes back hears what it missed. Rates and lines pass by.
Each event is put into bytes once, however many listen. A listener that does not keep up costs a bounded amount of
memory and is told what it missed by a `gap`; nobody waits for it.
"""

from __future__ import annotations

import asyncio
import secrets
import threading
from collections import Counter, deque
from collections.abc import Hashable, Iterator
from dataclasses import dataclass, field

import orjson

from hindcast.model.errors import Busy
from hindcast.model.record import Json
from hindcast.rest.listening import PASSING, Listener, LiveLimits, Pass, Tail, Wish, frame, framed

# A client that finds no room is told to come back after this time.
FULL_RETRY_AFTER_SECONDS = 10


@dataclass(slots=True)
class _Ring:
    """The events of one space that are kept: number, kind, bytes."""

    number: int = 0
    size: int = 0
    events: deque[tuple[int, str, bytes]] = field(default_factory=deque)

    def drop_oldest(self) -> int:
        freed = len(self.events.popleft()[2])
        self.size -= freed
        return freed


class Live:
    """Keeps the last events of each space and hands each new one to everybody who listens to it.

    Only `tell`, `pass_by` and the properties may be used from any thread; the rest belongs to the loop.
    """

    def __init__(self, limits: LiveLimits | None = None, *, epoch: str = "") -> None:
        self.limits = limits or LiveLimits()
        # Numbers begin anew with every start, and an id says of which start it is. By chance, so that no clock matters.
        self._epoch = epoch or secrets.token_hex(4)
        self._rings: dict[str, _Ring] = {}
        self._bytes_kept = 0
        # By space; a space in which nobody listens has no room.
        self._rooms: dict[str, dict[Listener, None]] = {}
        self._by_caller: Counter[Hashable] = Counter()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._ending = ""
        # Replaced as a whole, so that the feeding thread reads them without a lock.
        self.tails: frozenset[tuple[str, Tail]] = frozenset()
        self.rated: frozenset[str] = frozenset()
        # Set while somebody listens to what passes by; whoever feeds it sleeps otherwise.
        self.is_fed_on = threading.Event()

    @property
    def listeners(self) -> tuple[Listener, ...]:
        """Everybody who listens."""
        return tuple(listener for room in self._rooms.values() for listener in room)

    @property
    def streams(self) -> int:
        """How many streams are open."""
        return sum(map(len, self._rooms.values()))

    def attach(self, loop: asyncio.AbstractEventLoop) -> None:
        """Say in which loop the listeners live."""
        self._loop = loop

    def tell(self, space: str, kind: str, data: Json) -> None:
        """Tell everybody, and keep it for those who come back; may be called from any thread."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._tell, space, kind, orjson.dumps(data))

    def pass_by(self, space: str, kind: str, data: Json, tail: Tail | None = None) -> None:
        """Tell those who listen now, with lines those of one tail only; may be called from any thread."""
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._pass_by, space, kind, frame(kind, data), tail)

    def _tell(self, space: str, kind: str, payload: bytes) -> None:
        ring = self._rings.setdefault(space, _Ring())
        ring.number += 1
        told = framed(kind, payload, self._id(ring.number))
        ring.events.append((ring.number, kind, told))
        ring.size += len(told)
        self._bytes_kept += len(told)
        if len(ring.events) > self.limits.events_per_space_max:
            self._bytes_kept -= ring.drop_oldest()
        while self._bytes_kept > self.limits.bytes_kept_max:
            self._bytes_kept -= max(self._rings.values(), key=lambda one: one.size).drop_oldest()
        self._pass_by(space, kind, told, None)

    def _pass_by(self, space: str, kind: str, told: bytes, tail: Tail | None) -> None:
        for listener in self._rooms.get(space, ()):
            if kind in listener.wish.kinds and tail in (None, listener.wish.tail):
                listener.offer(kind, told)

    def listen(self, wish: Wish, right: Pass | None = None, *, after: str = "") -> Listener:
        """Begin to listen: first what came after the id it names, then whatever happens. Raises Busy when full."""
        right = right or Pass()
        self._check_room(wish, right)
        listener = Listener(wish, right, self.limits)
        for told in self._missed(wish, after):
            listener.push(told)
        listener.push(self._beat(wish.space))
        self._rooms.setdefault(wish.space, {})[listener] = None
        self._by_caller[right.caller] += 1
        self._count(wish)
        if self._ending:
            listener.end(frame("closed", {"why": self._ending}))
        return listener

    def leave(self, listener: Listener) -> None:
        """Listen no more."""
        space, caller = listener.wish.space, listener.right.caller
        if listener in self._rooms.get(space, ()):
            del self._rooms[space][listener]
            if not self._rooms[space]:
                del self._rooms[space]
            self._by_caller[caller] -= 1
            if not self._by_caller[caller]:
                del self._by_caller[caller]
            self._count(listener.wish)
        listener.end()

    def end(self, why: str) -> None:
        """End every stream with a word, those that are still to come included; may be called from any thread."""
        self._ending = why
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._end, why)

    def _end(self, why: str) -> None:
        for listener in self.listeners:
            listener.end(frame("closed", {"why": why}))

    def beat(self) -> None:
        """Show everybody to whom nothing else is being told that the line is open, and where they stand."""
        for space, room in self._rooms.items():
            told = self._beat(space)
            for listener in room:
                if listener.is_idle:
                    listener.offer("beat", told)

    def _missed(self, wish: Wish, after: str) -> Iterator[bytes]:
        if not after:
            return
        ring = self._rings.get(wish.space, _Ring())
        epoch, _, text = after.partition("-")
        heard = int(text) if text.isascii() and text.isdigit() and len(text) < 19 else -1
        oldest = ring.events[0][0] if ring.events else ring.number + 1
        if epoch != self._epoch or not 0 <= heard <= ring.number:
            # How much happened before this start, nobody knows any more.
            yield frame("gap", {"why": "restarted", "dropped": None, "after": after[:60]})
            heard = 0
        if heard + 1 < oldest:
            yield frame("gap", {"why": "too old", "dropped": {"any": oldest - heard - 1}})
        for number, kind, told in ring.events:
            if number > heard and kind in wish.kinds:
                yield told

    def _beat(self, space: str) -> bytes:
        number = self._rings[space].number if space in self._rings else 0
        return frame("beat", {}, self._id(number))

    def _id(self, number: int) -> str:
        return f"{self._epoch}-{number}"

    def _check_room(self, wish: Wish, right: Pass) -> None:
        limits = self.limits
        if self.streams >= limits.streams_max:
            raise _full(f"{limits.streams_max} streams are open already.")
        if right.caller is not None and self._by_caller[right.caller] >= limits.streams_per_caller_max:
            raise _full(f"You have {limits.streams_per_caller_max} streams open already.")
        if "line" in wish.kinds and (wish.space, wish.tail) not in self.tails and len(self.tails) >= limits.tails_max:
            raise _full(f"Lines are followed under {limits.tails_max} different conditions already.", field="kinds")

    def _count(self, changed: Wish) -> None:
        if not changed.kinds & PASSING:
            return
        wishes = [listener.wish for listener in self.listeners if listener.wish.kinds & PASSING]
        self.tails = frozenset((wish.space, wish.tail) for wish in wishes if "line" in wish.kinds)
        self.rated = frozenset(wish.space for wish in wishes if "rates" in wish.kinds)
        if wishes:
            self.is_fed_on.set()
        else:
            self.is_fed_on.clear()


def _full(problem: str, *, field: str | None = None) -> Busy:
    return Busy(
        problem,
        field=field,
        remedy="Close streams that nobody reads, or come back later.",
        retry_after_seconds=FULL_RETRY_AFTER_SECONDS,
    )
