"""One listener of the live stream: what it wants, by what right, and what waits for it, within limits."""

from __future__ import annotations

import asyncio
from collections import Counter, deque
from collections.abc import Hashable
from dataclasses import dataclass, field

import orjson

from hindcast.access import Proof
from hindcast.model.record import Json

# Kept, and told again to whoever comes back.
KEPT = frozenset({"incident", "answer", "deck", "card", "workspace"})
# Pass by: what they said can be asked for at /api/v1/rates and /api/v1/logs.
PASSING = frozenset({"rates", "line"})
KINDS = KEPT | PASSING


@dataclass(frozen=True, slots=True)
class LiveLimits:
    """How much may listen, wait and be kept."""

    # Less than the connections that are let in, so that there is always room for a question.
    streams_max: int = 3_000
    # One key or person; whoever sits at this machine has the whole of it.
    streams_per_caller_max: int = 200
    # Each set of conditions on lines is looked at once for all who share it, and costs time for each batch.
    tails_max: int = 200
    # Frames are shared between listeners; what waits for one of them costs little more than its place.
    frames_per_listener_max: int = 512
    bytes_per_listener_max: int = 1_048_576
    # What is handed to a socket at once, and therefore all that one client alone can hold on to.
    bytes_per_send_max: int = 65_536
    events_per_space_max: int = 1_000
    # In all spaces. The one that takes the most room gives way first, so that a loud team empties no other's past.
    bytes_kept_max: int = 33_554_432
    beat_seconds: float = 15.0
    # How long after a key is revoked its streams may go on.
    check_seconds: float = 2.0
    # Keys and sessions run out without anybody doing anything: rights are looked at anew after this time at the latest.
    expiry_seconds: float = 5.0
    # While nobody can be asked whether a right still holds, streams go on for so long.
    unchecked_seconds_max: float = 60.0
    # Clients come back after a time between these, so that a restart does not bring all of them at once.
    retry_ms_min: int = 1_000
    retry_ms_max: int = 3_000


@dataclass(frozen=True, slots=True)
class Tail:
    """Which log lines a listener wants. Every condition given has to hold."""

    services: tuple[str, ...] = ()
    level_min: int = 0
    # Each is a part of the message or of the stack, in capitals or not.
    words: tuple[str, ...] = ()
    template: int = 0


@dataclass(frozen=True, slots=True)
class Wish:
    """What a listener wants to hear."""

    space: str
    kinds: frozenset[str] = KEPT
    tail: Tail = Tail()


@dataclass(frozen=True, slots=True)
class Pass:
    """By what right somebody listens."""

    # What was shown at the door, to find out whether it still holds. Streams with the same one are checked together.
    proof: Proof = field(default_factory=Proof)
    # Streams of one caller are counted together; None where they are not counted.
    caller: Hashable = None


def frame(kind: str, data: Json, event_id: str = "") -> bytes:
    """An event as it goes over the wire."""
    return framed(kind, orjson.dumps(data), event_id)


def framed(kind: str, payload: bytes, event_id: str) -> bytes:
    """The same, of data that is in bytes already."""
    named = f"id: {event_id}\n".encode() if event_id else b""
    return named + b"event: " + kind.encode() + b"\ndata: " + payload + b"\n\n"


class Listener:
    """What waits for one client. Bounded: what does not fit is counted, and told as a gap where it is missing."""

    def __init__(self, wish: Wish, right: Pass, limits: LiveLimits) -> None:
        self.wish = wish
        self.right = right
        self._limits = limits
        self._waiting: deque[bytes] = deque()
        self._bytes = 0
        self._dropped: Counter[str] = Counter()
        self._ended = False
        self._wake = asyncio.Event()

    @property
    def is_idle(self) -> bool:
        """Whether nothing waits."""
        return not self._waiting and not self._dropped

    def offer(self, kind: str, told: bytes) -> None:
        """Let a frame wait for the client, or count it where there is no room."""
        if self._ended:
            return
        # Lines and rates leave half of the room to incidents. Who has fallen behind first catches up by half, so that
        # what it hears is some of it, one gap, and some more, not a gap after every event.
        is_kept = kind in KEPT
        is_behind = bool(self._dropped.keys() & KEPT) if is_kept else bool(self._dropped)
        share = (1 if is_kept else 2) * (2 if is_behind else 1)
        limits = self._limits
        is_full = (
            len(self._waiting) >= limits.frames_per_listener_max // share
            or self._bytes + len(told) > limits.bytes_per_listener_max // share
        )
        # One frame always fits: it has been made already, and everybody shares it.
        if is_full and self._waiting:
            self._dropped[kind] += 1
            return
        self._mark()
        self._push(told)

    def end(self, last: bytes = b"") -> None:
        """Say one last thing, after which there is nothing more."""
        if not self._ended:
            self._mark()
            if last:
                self._push(last)
            self._ended = True
            self._wake.set()

    async def take(self) -> bytes:
        """The next bytes for the client, as soon as there are any; none when it is over."""
        while not self._waiting and not self._ended:
            self._wake.clear()
            await self._wake.wait()
        taken: list[bytes] = []
        size = 0
        while self._waiting and (not taken or size + len(self._waiting[0]) <= self._limits.bytes_per_send_max):
            size += len(self._waiting[0])
            taken.append(self._waiting.popleft())
        self._bytes -= size
        if not self._waiting and self._dropped:
            self._mark()
        return b"".join(taken)

    def push(self, told: bytes) -> None:
        """Let a frame wait whatever the room: what a client hears first has been counted by whoever made it."""
        self._push(told)

    def _mark(self) -> None:
        if self._dropped:
            data: dict[str, Json] = {"why": "slow", "dropped": dict(self._dropped)}
            self._dropped.clear()
            self._push(frame("gap", data))

    def _push(self, told: bytes) -> None:
        self._waiting.append(told)
        self._bytes += len(told)
        self._wake.set()
