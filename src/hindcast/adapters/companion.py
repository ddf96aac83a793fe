"""A process beside this one that answers requests, so that both can think at the same time.

An interpreter thinks one thought at a time. What goes to a companion are bytes, and so is what comes back: frames over
its standard input and output, numbered, so that answers may overtake each other. It ends by itself when nobody has
asked for a while, and when whoever started it is gone, however that came about.
"""

from __future__ import annotations

import os
import select
import signal
import struct
import subprocess
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, InvalidStateError, ThreadPoolExecutor
from contextlib import AbstractContextManager, suppress
from functools import partial
from time import monotonic
from typing import IO

# The number of a request, whether it could be answered, and how many bytes follow.
_HEAD = struct.Struct("!QBI")
GREETING = 0
CLOSE_SECONDS_MAX = 5.0
END_SECONDS_MAX = 1.0

# From a request, and how many seconds it has waited, to its answer; whatever it raises tells the one who asked that
# there is none.
Answer = Callable[[bytes, float], bytes]


class Unanswered(Exception):
    """The companion could not answer, or is gone."""


class Companion:
    """A companion that runs, from the side of whoever started it. May be used by many threads."""

    def __init__(self, command: Sequence[str], greeting: bytes) -> None:
        """Start it. The greeting says what it needs to know; it is ready when that is answered."""
        self._process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self._ready: Future[bytes] = Future()
        self._waiting: dict[int, Future[bytes]] = {GREETING: self._ready}
        self._number = GREETING
        self._lock = threading.Lock()
        self._writing = threading.Lock()
        self._is_over = False
        self._reading = threading.Thread(target=self._read, name="companion", daemon=True)
        self._reading.start()
        self._send(GREETING, greeting)

    @property
    def pid(self) -> int:
        """Which process it is."""
        return self._process.pid

    @property
    def is_ready(self) -> bool:
        """Whether it has been told everything, and is still there."""
        return self._ready.done() and not self._is_over and self._ready.exception() is None

    @property
    def is_over(self) -> bool:
        """Whether it has ended."""
        return self._is_over

    @property
    def has_failed(self) -> bool:
        """Whether it has ended otherwise than it should."""
        if not self._is_over:
            return False
        try:
            # Its last answer was read a moment before the system knows how it ended.
            return bool(self._process.wait(END_SECONDS_MAX))
        except subprocess.TimeoutExpired:
            return True

    def ask(self, request: bytes) -> Future[bytes]:
        """Ask for something. The future raises Unanswered if there is no answer, for whatever reason."""
        answer: Future[bytes] = Future()
        with self._lock:
            self._number += 1
            number = self._number
            if self._is_over:
                answer.set_exception(Unanswered())
                return answer
            self._waiting[number] = answer
        self._send(number, request)
        return answer

    def close(self) -> None:
        """Let it finish what it was asked, and end it."""
        with self._writing, suppress(OSError):
            self._input.close()
        try:
            self._process.wait(CLOSE_SECONDS_MAX)
        except subprocess.TimeoutExpired:
            self._process.kill()
        self._reading.join(CLOSE_SECONDS_MAX)

    @property
    def _input(self) -> IO[bytes]:
        assert self._process.stdin is not None
        return self._process.stdin

    def _send(self, number: int, content: bytes) -> None:
        # Where it is gone already, whoever reads its answers tells those who wait.
        with self._writing, suppress(OSError, ValueError):
            self._input.write(_HEAD.pack(number, True, len(content)) + content)
            self._input.flush()

    def _read(self) -> None:
        assert self._process.stdout is not None
        with self._process.stdout as answers:
            while frame := _frame(answers.read):
                number, is_answer, content = frame
                with self._lock:
                    waiting = self._waiting.pop(number, None)
                if waiting is not None:
                    _settle(waiting, content if is_answer else None)
        with self._lock:
            self._is_over = True
            left, self._waiting = list(self._waiting.values()), {}
        for waiting in left:
            _settle(waiting, None)
        self._process.wait()


def _settle(waiting: Future[bytes], content: bytes | None) -> None:
    # Somebody may have stopped waiting for it.
    with suppress(InvalidStateError):
        if content is None:
            waiting.set_exception(Unanswered())
        else:
            waiting.set_result(content)


def _frame(read: Callable[[int], bytes]) -> tuple[int, bool, bytes] | None:
    """The next frame; None when there are no more, or it was cut off."""
    head = read(_HEAD.size)
    if len(head) < _HEAD.size:
        return None
    number, is_answer, size = _HEAD.unpack(head)
    content = read(size) if size else b""
    return (number, bool(is_answer), content) if len(content) == size else None


def serve(begin: Callable[[bytes], AbstractContextManager[Answer]], *, threads: int, idle_seconds: float) -> None:
    """Be a companion, in a process of its own: answer until nobody asks any more, then let go of what `begin` opened.

    `begin` is handed the greeting.
    """
    # Whoever presses Ctrl-C means the one who started it, and that one tells it when it is over.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers = os.fdopen(os.dup(1), "wb")
    # Whatever else is printed must not get in between.
    os.dup2(2, 1)
    turn = threading.Lock()

    def tell(number: int, answer: Future[bytes]) -> None:
        # Whoever asked answers it instead of a failure, and meets the same one where it can be told.
        content = b"" if answer.exception() is not None else answer.result()
        with turn, suppress(OSError):
            answers.write(_HEAD.pack(number, answer.exception() is None, len(content)) + content)
            answers.flush()

    def read(size: int) -> bytes:
        pieces: list[bytes] = []
        while size and (piece := os.read(0, min(size, 1 << 20))):
            pieces.append(piece)
            size -= len(piece)
        return b"".join(pieces)

    greeting = _frame(read)
    if greeting is None:
        return

    def work(answer: Answer, request: bytes, came_at: float) -> bytes:
        return answer(request, monotonic() - came_at)

    with begin(greeting[2]) as answer, ThreadPoolExecutor(threads) as pool:
        pool.submit(bytes).add_done_callback(partial(tell, GREETING))
        while select.select([0], [], [], idle_seconds)[0] and (frame := _frame(read)):
            number, _, request = frame
            pool.submit(work, answer, request, monotonic()).add_done_callback(partial(tell, number))
