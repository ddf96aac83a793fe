"""Writes the exceptions that Sentry sends as data the way their language prints them, so that they read like any other.

Sentry sends frames from the oldest call to the newest, and exceptions from the first cause to the last consequence.
Python prints them in that order; most other languages print both the other way round.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import msgspec

# More frames than this are one function calling itself; the ends tell where it began and where it broke.
FRAMES_MAX = 250


class WireFrame(msgspec.Struct):
    """One call."""

    function: str | None = None
    module: str | None = None
    filename: str | None = None
    abs_path: str | None = None
    lineno: int | None = None
    colno: int | None = None
    context_line: str | None = None


class WireStack(msgspec.Struct):
    """The calls that led to an exception, oldest first."""

    frames: list[WireFrame | None] | None = None


class WireException(msgspec.Struct):
    """One exception."""

    type: str | None = None
    # Nearly always a text; JavaScript throws anything.
    value: Any = None
    module: str | None = None
    stacktrace: WireStack | None = None


class WireExceptions(msgspec.Struct):
    """An exception with those that caused it, first cause first."""

    values: list[WireException | None] | None = None


def stack_text(platform: str, exceptions: WireExceptions | None) -> str:
    """The whole chain as text; empty when there are no frames."""
    chain = [one for one in (exceptions.values if exceptions else None) or () if one is not None]
    if not any(_frames(one) for one in chain):
        return ""
    if platform == "python":
        return "\n\nThe above exception was the direct cause of the following exception:\n\n".join(map(_python, chain))
    line = _LINES.get(platform, _javascript_line)
    return "\nCaused by: ".join(_newest_first(one, line) for one in reversed(chain))


def headline(one: WireException) -> str:
    """What an exception is and says: `ValueError: too small`."""
    name = one.type or "Error"
    return f"{name}: {one.value}" if one.value else name


def _frames(one: WireException) -> Sequence[WireFrame]:
    frames = [frame for frame in (one.stacktrace.frames if one.stacktrace else None) or () if frame is not None]
    half = FRAMES_MAX // 2
    return frames if len(frames) <= FRAMES_MAX else [*frames[:half], *frames[-half:]]


def _python(one: WireException) -> str:
    name = f"{one.module}.{headline(one)}" if one.module and one.module != "builtins" else headline(one)
    return "\n".join(("Traceback (most recent call last):", *_python_lines(_frames(one)), name))


def _python_lines(frames: Iterable[WireFrame]) -> Iterable[str]:
    for frame in frames:
        place = frame.abs_path or frame.filename or "<unknown>"
        yield f'  File "{place}", line {frame.lineno or 0}, in {_function(frame)}'
        if frame.context_line and frame.context_line.strip():
            yield f"    {frame.context_line.strip()}"


def _newest_first(one: WireException, line: Callable[[WireFrame], str]) -> str:
    name = f"{one.module}.{headline(one)}" if one.module else headline(one)
    return "\n".join((name, *(line(frame) for frame in reversed(_frames(one)))))


def _function(frame: WireFrame) -> str:
    return frame.function or "<module>"


def _place(frame: WireFrame) -> str:
    return frame.filename or frame.abs_path or frame.module or "unknown"


def _java_line(frame: WireFrame) -> str:
    where = (
        f"{frame.filename or 'Unknown Source'}:{frame.lineno}" if frame.lineno else frame.filename or "Unknown Source"
    )
    return f"\tat {frame.module}.{_function(frame)}({where})" if frame.module else f"\tat {_function(frame)}({where})"


def _javascript_line(frame: WireFrame) -> str:
    return f"    at {frame.function or '<anonymous>'} ({_place(frame)}:{frame.lineno or 0}:{frame.colno or 0})"


def _csharp_line(frame: WireFrame) -> str:
    name = f"{frame.module}.{_function(frame)}" if frame.module else _function(frame)
    return f"   at {name}() in {_place(frame)}:line {frame.lineno or 0}"


def _ruby_line(frame: WireFrame) -> str:
    return f"\tfrom {_place(frame)}:{frame.lineno or 0}:in `{_function(frame)}'"


def _go_line(frame: WireFrame) -> str:
    name = f"{frame.module}.{_function(frame)}" if frame.module else _function(frame)
    return f"{name}()\n\t{frame.abs_path or _place(frame)}:{frame.lineno or 0}"


_LINES: dict[str, Callable[[WireFrame], str]] = {
    "java": _java_line,
    "kotlin": _java_line,
    "csharp": _csharp_line,
    "ruby": _ruby_line,
    "go": _go_line,
    "javascript": _javascript_line,
    "node": _javascript_line,
}
