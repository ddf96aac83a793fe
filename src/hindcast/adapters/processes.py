"""Which process somebody works in, and whether that one is known to be gone.

A number alone names nobody: numbers are given again, and each container counts its own. Where it cannot be told
(another machine, another container, a system without /proc) nobody is said to be gone.
"""

from __future__ import annotations

import os
from pathlib import Path

_PROC = Path("/proc")
_GONE_STATES = ("Z", "X", "x")


def identity(pid: int | None = None) -> str:
    """A process, told apart from every other one of this machine; empty where that cannot be told."""
    number = os.getpid() if pid is None else pid
    try:
        boot = (_PROC / "sys/kernel/random/boot_id").read_text(encoding="ascii").strip()
        counted = (_PROC / "self/ns/pid").readlink().name
    except OSError:
        return ""
    _, began = _standing(number)
    return f"{boot}/{counted}/{number}/{began}" if began else ""


def is_gone(process: str) -> bool:
    """Whether a process has ended for certain."""
    here = identity()
    boot, _, rest = process.partition("/")
    counted, _, rest = rest.partition("/")
    number, _, began = rest.partition("/")
    if not here.startswith(f"{boot}/{counted}/") or not (boot and counted and number.isdecimal() and began):
        return False
    try:
        os.kill(int(number), 0)
    except (ProcessLookupError, OverflowError):
        return True
    except PermissionError:
        # Somebody else's: it is there, or its number is.
        pass
    state, since = _standing(int(number))
    return state in _GONE_STATES or (bool(since) and since != began)


def _standing(number: int) -> tuple[str, str]:
    """The state of a process and when it began, in ticks since the machine did; empty where that is not shown."""
    try:
        told = (_PROC / str(number) / "stat").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return "", ""
    # The name comes second, in parentheses, and may hold anything.
    fields = told.rpartition(")")[2].split()
    return (fields[0], fields[19]) if len(fields) > 19 else ("", "")
