"""A process that only remembers: `python -m hindcast.build.mind`, started by a server that is asked a lot at once.

It opens the same memories as the server and reads them; every write is still the server's. What it sends back is JSON
already, so that the server has nothing left to do but to pass it on.
"""

from __future__ import annotations

import gc
import sys
import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, suppress
from dataclasses import asdict, replace
from functools import partial
from time import perf_counter

import msgspec

from hindcast.adapters.clock import WallClock
from hindcast.adapters.companion import Answer, Companion, serve
from hindcast.adapters.runtime import GC_THRESHOLDS
from hindcast.build import embedder, open_memory_with
from hindcast.build.afterthoughts import Afterthoughts
from hindcast.build.crowd import PATIENCE_SECONDS, Crowd
from hindcast.build.lately import Lately, stands_seconds
from hindcast.config import Settings
from hindcast.instruments import Work
from hindcast.memory import Memory
from hindcast.model.errors import HindcastError
from hindcast.model.record import MAIN
from hindcast.recall.pack import pack
from hindcast.recollect import Minds
from hindcast.register import Register
from hindcast.standing import Grounds, grounds_of

# Most of them wait for one another; see Crowd.
THREADS = 8
# It takes some seconds to start, in which everybody waits, and about as much memory as a few pages of a browser: worth
# keeping while people look at what they were told, and not for a day.
IDLE_SECONDS = 600.0
# As in the server: a question gives the interpreter away dozens of times.
SWITCH_SECONDS = 0.001
# Asked before anybody waits for an answer, so that files are open and the model is there.
_FIRST = ("connection reset by peer", "ERROR timeout after 5000 ms waiting for connection from pool")


class Asked(msgspec.Struct, frozen=True, array_like=True):
    """A question on its way; see `rest.recall.Question`."""

    space: str
    text: str
    services: tuple[str, ...] = ()
    at: str | None = None
    branch: str = MAIN
    hits_max: int | None = None
    tokens_max: int | None = None


class Told(msgspec.Struct, frozen=True, array_like=True):
    """What came of it, as JSON: the diagnosis, and the text for a model if one was asked for."""

    diagnosis: bytes
    packed: bytes
    # How long making the answer took, once it was known what came to mind.
    answer_seconds: float
    at_a_glance: bool


def start_mind(settings: Settings, space: str) -> Companion:
    """Start one that knows a space as soon as it is ready. Secrets go through the pipe, where nobody can see them."""
    greeting = msgspec.msgpack.encode((asdict(settings), space))
    return Companion((sys.executable, "-m", "hindcast.build.mind"), greeting)


class _Stopwatch:
    """Times the work of each thread."""

    def __init__(self) -> None:
        self._counts: Counter[str] = Counter()
        self._of_thread = threading.local()

    @property
    def counts(self) -> Counter[str]:
        """What was counted."""
        return self._counts

    def timed(self, work: Work, **_: str) -> AbstractContextManager[object]:
        """Time a piece of work."""
        return self._timed(work)

    @contextmanager
    def _timed(self, work: Work) -> Iterator[None]:
        begin = perf_counter()
        yield
        self.took(work, perf_counter() - begin)

    def took(self, work: Work, seconds: float) -> None:
        """A piece of work took so long."""
        setattr(self._of_thread, work.value, seconds)

    def last(self, work: Work) -> float:
        """How long it took this thread the last time."""
        return float(getattr(self._of_thread, work.value, 0.0))


class Mind:
    """What answers questions about the memories of some settings."""

    def __init__(self, given: Settings) -> None:
        clock, model = WallClock(), embedder(given)

        def open_space(name: str, create: bool = False) -> Memory:  # noqa: ARG001
            # Asking never begins a memory.
            return open_memory_with(replace(given, space=name), model, create=False, clock=clock)

        self._watch = _Stopwatch()
        self._register = Register(open_space, lock=threading.Lock)
        self._minds = Minds(self._register, now=clock.now, instruments=self._watch)
        self._lately, self._crowd = Lately(), Crowd(glances=model is not None, ponders=True)
        self._afterthoughts = Afterthoughts(self._think, self._crowd)

    def answer(self, request: bytes, waited: float = 0.0) -> bytes:
        """What was told lately, or a thought; in a rush a glance, and the thought afterwards."""
        asked = msgspec.msgpack.decode(request, type=Asked)
        step, still = self._minds.step(asked.space), partial(self._stands, asked)
        if (known := self._lately.find(request, step, still)) is not None:
            return known
        with self._crowd.joined(PATIENCE_SECONDS - waited) as is_thought_about:
            at_a_glance = not is_thought_about
            # Who was before may have asked the same.
            known = self._lately.find(request, step, still, at_a_glance=at_a_glance)
            told = known or self._anew(request, asked, step, at_a_glance=at_a_glance)
        # What is asked about a moment is not kept, so that thinking about it would help nobody.
        if at_a_glance and asked.at is None:
            self._afterthoughts.add(request)
        return told

    def close(self) -> None:
        """A model must not be taken down while it reads; what it still had to read is left for the next time."""
        self._afterthoughts.stop()
        self._register.close()

    def _think(self, request: bytes) -> None:
        asked = msgspec.msgpack.decode(request, type=Asked)
        step = self._minds.step(asked.space)
        if self._lately.find(request, step, partial(self._stands, asked)) is None:
            self._anew(request, asked, step, at_a_glance=False)

    def _stands(self, asked: Asked, grounds: Grounds, since: int) -> bool:
        return asked.branch == MAIN and self._minds.still_stands(asked.space, grounds, since)

    def _anew(self, request: bytes, asked: Asked, step: int, *, at_a_glance: bool) -> bytes:
        found = self._minds.of(asked.space).ask(
            asked.text,
            services=asked.services,
            moment=asked.at,
            branch=asked.branch,
            hits_max=asked.hits_max,
            at_a_glance=at_a_glance,
        )
        tokens = asked.tokens_max
        packed = pack(found.recollection, found.diagnosis, tokens_max=tokens) if tokens is not None else None
        encode = msgspec.json.encode
        told = msgspec.msgpack.encode(
            Told(encode(found.diagnosis), encode(packed), self._watch.last(Work.ANSWER), at_a_glance)
        )
        # What another space shares is its own to change, and to stop at once.
        if asked.at is None and all(one.space in ("", asked.space) for one in found.recollection.remembered):
            seconds = stands_seconds(found.recollection)
            grounds = grounds_of(found.recollection)
            self._lately.keep(request, step, told, grounds, seconds=seconds, at_a_glance=at_a_glance)
        return told


@contextmanager
def begin(greeting: bytes) -> Iterator[Answer]:
    """A mind, for as long as somebody asks it."""
    given, space = msgspec.msgpack.decode(greeting, type=tuple[Settings, str])
    mind = Mind(given)
    try:
        for text in _FIRST:
            with suppress(HindcastError):
                mind.answer(msgspec.msgpack.encode(Asked(space, text)))
        gc.collect()
        gc.freeze()
        yield mind.answer
    finally:
        mind.close()


def main() -> None:
    """Answer until nobody asks any more."""
    gc.set_threshold(*GC_THRESHOLDS)
    sys.setswitchinterval(SWITCH_SECONDS)
    serve(begin, threads=THREADS, idle_seconds=IDLE_SECONDS)


if __name__ == "__main__":
    main()
