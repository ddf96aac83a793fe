"""Gives memory back to the system: what allocators keep in reserve, and pages of files that are not needed just now.

Loading the telemetry engine touches most of a file of half a gigabyte, of which an idle server uses little. Pages of a
library that nobody wrote to can be let go of at any time; what is needed again comes back from the file.
"""

from __future__ import annotations

import ctypes
import gc
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from importlib.abc import MetaPathFinder
from pathlib import Path

_SMAPS = Path("/proc/self/smaps")
_HEAD = re.compile(r"([0-9a-f]+)-([0-9a-f]+) (\S{4}) \S+ \S+ \S+ *(.*)")
_ONLY_READ = frozenset({"r--p", "r-xp"})
_SHARED = "r--s"
# Smaller ones are not worth a call.
MAPPING_BYTES_MIN = 500_000
_DONTNEED = 4
# One arena for every few threads: each keeps what it was once given.
ARENAS_MAX = 2
_M_ARENA_MAX = -8
# Requests make many small objects that reference counting frees by itself; the collector only has to find cycles. So
# does a start, which makes a million that stay: looking through them again and again takes an eighth of its time.
GC_THRESHOLDS = (50_000, 20, 50)


@dataclass(frozen=True, slots=True)
class Mapping:
    """A part of a file in memory that is only read, and of which no page differs from the file."""

    begin: int
    bytes: int


@contextmanager
def seldom_collecting() -> Iterator[None]:
    """Look for garbage seldom, for as long as it lasts: in a server, from before anything is loaded to its end."""
    usual = gc.get_threshold()
    gc.set_threshold(*GC_THRESHOLDS)
    try:
        yield
    finally:
        gc.set_threshold(*usual)


class _Absent(MetaPathFinder):
    """Says of one module that it is not there."""

    def __init__(self, name: str) -> None:
        self._name = name

    def find_spec(self, fullname: str, path: object = None, target: object = None) -> None:  # noqa: ARG002
        if fullname == self._name:
            raise ModuleNotFoundError(f"{fullname} is not used here.", name=fullname)


@contextmanager
def without_pandas() -> Iterator[None]:
    """Keep pandas out of this process for as long as it lasts, unless it is there already.

    Nobody here uses it, but the telemetry engine brings it along, and pyarrow loads whatever it finds of it when it
    hands numbers to numpy: three hundred modules, thirty megabytes. Without it pyarrow does the same.
    """
    absent = _Absent("pandas")
    sys.meta_path.insert(0, absent)
    try:
        yield
    finally:
        sys.meta_path.remove(absent)


def few_arenas() -> None:
    """Let threads share memory; to be called before there are many of them."""
    with suppress(OSError, AttributeError):
        ctypes.CDLL(None).mallopt(_M_ARENA_MAX, ARENAS_MAX)


def give_back() -> None:
    """Give back what can be. It takes some milliseconds, and does nothing where the system has no such thing."""
    # Imported here: a process that only remembers has no columns to give back.
    import pyarrow as pa

    pa.default_memory_pool().release_unused()
    with suppress(OSError, AttributeError):
        libc = ctypes.CDLL(None, use_errno=True)
        libc.malloc_trim(0)
        libc.madvise.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
        for mapping in only_read():
            libc.madvise(mapping.begin, mapping.bytes, _DONTNEED)


def only_read() -> Iterator[Mapping]:
    """The large parts of libraries, and of files that are only read, that can be let go of.

    A page that was written to, by the loader or anybody, keeps its whole part: it could not be read again.
    """
    found: Mapping | None = None
    for line in _SMAPS.read_text(encoding="utf-8", errors="replace").splitlines():
        if head := _HEAD.fullmatch(line):
            begin, end = int(head[1], 16), int(head[2], 16)
            is_library = ".so" in head[4] and head[3] in _ONLY_READ
            # Files of an index are mapped to be read, and shared with whoever else reads them.
            is_ours = (is_library or head[3] == _SHARED) and end - begin >= MAPPING_BYTES_MIN
            found = Mapping(begin, end - begin) if is_ours else None
        elif found is not None and line.startswith("Anonymous:"):
            if line.split()[1] == "0":
                yield found
            found = None
