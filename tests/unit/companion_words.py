"""A companion for tests: says words backwards, slowly, not at all, or dies of them."""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from hindcast.adapters.companion import Answer, serve

_GATE = threading.Event()


@contextmanager
def begin(greeting: bytes) -> Iterator[Answer]:
    """Answers with the greeting and the word, backwards; writes down that it has ended where it was told to."""

    def answer(word: bytes, waited: float) -> bytes:
        if word == b"wait":
            _GATE.wait(10)
        if word == b"nap":
            time.sleep(0.5)
        if word == b"go":
            _GATE.set()
        if word == b"die":
            os._exit(3)
        if word == b"fail":
            raise ValueError("This word has no answer.")
        if word == b"print":
            sys.stdout.write("somebody prints\n")
            sys.stdout.flush()
        if word == b"waited":
            return str(waited).encode()
        return greeting + word[::-1]

    yield answer
    for file in sys.argv[2:]:
        Path(file).write_text("let go")


if __name__ == "__main__":
    serve(begin, threads=2, idle_seconds=float(sys.argv[1]))
