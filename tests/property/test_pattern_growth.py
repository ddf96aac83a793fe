"""No regular expression of the code base takes time by the square of a text: one long line would stop the server."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import process_time

from tests.patterns import Pattern, applied, hard_texts, patterns

CHARS = 4_000
# Nobody notices less, and clocks do not tell it apart.
SECONDS_MIN = 0.01
# Twice the text may take this many times as long.
GROWTH_MAX = 2.5
SECONDS_MAX = 1.0
TRIES = 3


def test_no_pattern_grows_faster_than_its_text() -> None:
    """Twice the text takes at most two and a half times as long, for texts made to be hard for each expression."""
    found = [told for one in patterns() for told in growing(one)]

    assert not found, "\n".join(found)


def test_a_quadratic_pattern_is_noticed() -> None:
    """The check itself finds what it is there for."""
    assert list(growing(Pattern(r"\s+$", 0, "here", False)))
    assert list(growing(Pattern(r"(?:a+)+b", 0, "here", True)))
    assert not list(growing(Pattern(r"(?<!\s)\s+$", 0, "here", False)))


def growing(pattern: Pattern) -> Iterator[str]:
    """Which hard texts take an expression too long, the first one only."""
    work = applied(pattern)
    for before, piece in hard_texts(pattern.text, pattern.flags):
        for end in ("", "\x00"):
            short, long = (before + (piece * (chars // len(piece) + 1))[:chars] + end for chars in (CHARS, 2 * CHARS))
            once = seconds(work, short)
            if once < SECONDS_MIN:
                continue
            growth = min(seconds(work, long) / max(seconds(work, short), 1e-9) for _ in range(TRIES))
            if once >= SECONDS_MAX or growth > GROWTH_MAX:
                yield f"{pattern}: {growth:.1f} times for {before[:20]!r} and {piece[:20]!r} repeated"
                return


def seconds(work: Callable[[str], object], text: str) -> float:
    """How long a text takes; what is not done in time counts as all of it."""
    with time_limit():
        started = process_time()
        try:
            work(text)
        except TimeoutError:
            return SECONDS_MAX
    return process_time() - started


@contextmanager
def time_limit() -> Iterator[None]:
    """Break off whatever takes too long: expressions look for signals now and then."""

    def over(*_: object) -> None:
        raise TimeoutError

    before = signal.signal(signal.SIGALRM, over)
    signal.setitimer(signal.ITIMER_REAL, SECONDS_MAX)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
