"""How a process that serves is set up: seldom collecting, few heaps, no pandas, crashes that are reported."""

from __future__ import annotations

import ctypes
import faulthandler
import gc
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from importlib.abc import MetaPathFinder

# Requests make many small objects that reference counting frees by itself; the collector only has to find cycles. So
# does a start, which makes a million that stay: looking through them again and again takes an eighth of its time.
GC_THRESHOLDS = (50_000, 20, 50)
# The C library's name for how many heaps its allocator may have. It makes up to eight for each processor, and what one
# thread frees in its own stays there, unused by all others.
M_ARENA_MAX = -8
HEAPS_MAX = 2
FATAL = (signal.SIGSEGV, signal.SIGBUS, signal.SIGFPE, signal.SIGABRT, signal.SIGILL)


@contextmanager
def seldom_collecting() -> Iterator[None]:
    """Look for garbage seldom, for as long as it lasts: in a server, from before anything is loaded to its end."""
    usual = gc.get_threshold()
    gc.set_threshold(*GC_THRESHOLDS)
    try:
        yield
    finally:
        gc.set_threshold(*usual)


def share_heaps() -> None:
    """Let all threads allocate from few heaps: what one frees, others can use.

    To be called before there are threads and before Arrow is loaded, whose own allocator keeps what it was once given.
    Where the C library has no such setting, nothing happens; what the environment says goes first.
    """
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
    if "MALLOC_ARENA_MAX" not in os.environ:
        with suppress(AttributeError, OSError, TypeError):
            ctypes.CDLL(None).mallopt(M_ARENA_MAX, HEAPS_MAX)


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


def report_crashes() -> None:
    """Write the stack of every thread to stderr when the process crashes, and whenever SIGUSR1 asks for it.

    To be called once the telemetry engine is loaded. It puts handlers of its own on the fatal signals, and they can
    keep a process that has crashed standing for minutes; a supervisor only restarts one that has ended.
    """
    if threading.current_thread() is threading.main_thread():
        for fatal in FATAL:
            signal.signal(fatal, signal.SIG_DFL)
    faulthandler.disable()
    # Not sys.stderr, which whoever runs it in a process of their own may have replaced by something without a file.
    faulthandler.enable(file=2)
    if hasattr(signal, "SIGUSR1"):
        faulthandler.register(signal.SIGUSR1, file=2)
