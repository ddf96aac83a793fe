"""A past outage happening again: the same failure on another day, with other numbers, ids and line numbers.

What makes a failure the same one (its type, its frames, its words) is kept; what one run is, is drawn anew.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime

from numpy.random import Generator

from hindcast.model.case import Case
from hindcast.model.errors import Malformed
from hindcast.model.signal import Level
from hindcast.simulate.burst import ERRORS_MAX
from hindcast.simulate.chance import Purpose, checked_seed, generator
from hindcast.simulate.moment import Line, Moment

SPREAD_NS = 1_000_000_000
# A new version of the code moves its lines by this much, at most.
LINES_MOVED_MAX = 9

_LINE_NUMBER = re.compile(r"(?P<before>, line |\.(?:java|kt|go|js|ts|rb|cs|rs|php):)(?P<number>\d+)")
_ID = re.compile(
    r"\b(?=[0-9a-f-]{0,80}\d)(?=[0-9a-f-]{0,80}[a-f])[0-9a-f]{6,80}(?:-[0-9a-f]{4,16}){0,8}\b|(?<![\w.\[])\d{4,}\b"
)
_LAST_LINE = re.compile(r"^(?P<type>[A-Za-z_][\w.]*)(?:: (?P<text>.*))?$")


def replay(
    case: Case, service: str, errors: int, *, at: datetime, seed: int, printed: Callable[[str], str] | None = None
) -> Moment:
    """So many errors of a service just before a moment, as a past case would look today.

    `printed` is how today's code prints a past trace; where nobody knows that code, its lines have moved a little.
    Raises Malformed for a case that nobody wrote an error line of, and for a number of errors that is out of range.
    """
    lines = [line for line in case.symptoms if line.strip()]
    if not lines and not case.stack:
        raise Malformed(
            f"{case.id} has no error lines to replay.", field="case", remedy="Choose a case with symptoms or a stack."
        )
    if not 1 <= errors <= ERRORS_MAX:
        raise Malformed(
            f"{errors} errors cannot be sent.", field="--errors", remedy=f"Give a number from 1 to {ERRORS_MAX:,}."
        )
    end_us = round(at.astimezone(UTC).timestamp() * 1_000_000)
    chance = generator(checked_seed(seed), Purpose.BURST, end_us)
    moved = int(chance.integers(1, LINES_MOVED_MAX + 1))
    stack = printed(case.stack) if printed is not None else _moved(case.stack, moved)
    kind, text = _thrown(stack)
    written = []
    for ago in sorted(chance.integers(1, SPREAD_NS, errors).tolist(), reverse=True):
        message = _ID.sub(_other(chance), lines[int(chance.integers(len(lines)))]) if lines else text or kind
        ids = chance.bytes(24)
        line = Line(end_us * 1_000 - ago, service, Level.ERROR, message, ids[:16].hex(), ids[16:].hex())
        # A stack comes with what was thrown, and not with every line around it.
        if stack and (not lines or kind.rpartition(".")[2] in message or chance.random() < 0.5):
            line = line._replace(exception=kind, exception_text=text, stack=stack)
        written.append(line)
    return Moment(at, 1, tuple(written), (), ())


def _moved(stack: str, lines: int) -> str:
    return _LINE_NUMBER.sub(lambda match: f"{match['before']}{int(match['number']) + lines}", stack)


def _thrown(stack: str) -> tuple[str, str]:
    """The type and the text of what a stack was printed for: Python says so last, the others first."""
    lines = [line for line in stack.splitlines() if line.strip()]
    if not lines:
        return "", ""
    last = lines[-1] if lines[0].startswith("Traceback") else lines[0]
    match = _LAST_LINE.match(last.strip())
    return (match["type"], match["text"] or "") if match else ("", last.strip())


def _other(chance: Generator) -> Callable[[re.Match[str]], str]:
    """Every digit of an id or a long number is drawn anew; its letters stay."""

    def drawn(match: re.Match[str]) -> str:
        digits = chance.integers(0, 10, len(match[0]))
        return "".join(
            str(digit) if char.isdigit() else char for char, digit in zip(match[0], digits.tolist(), strict=True)
        )

    return drawn
