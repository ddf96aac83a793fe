"""Lets the engine in this process tidy up only with what others leave it of the processors.

Merging parts can wait; whoever asks a question while an outage fills the store cannot. The engine has a setting for it,
`os_threads_nice_value_merge_mutate`, but heeds it only where it may also take the value back, which takes a right that
hardly any process has. To be nicer, and to stay so, takes none.
"""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

# As the engine names its threads that merge and mutate parts.
_NAME = "MergeMutate"
_THREADS = Path("/proc/self/task")
# About a tenth of what a thread like any other gets: enough to keep up, since parts that nobody merges slow down what
# is read and, by the thousand, what is written.
NICE = 10


def merge_politely() -> None:
    """Step back for other threads, where the system knows of such a thing. Its threads are there once a table is."""
    with suppress(OSError):
        for thread in _THREADS.iterdir():
            # It may be over by now, or be nicer already.
            with suppress(OSError):
                number = int(thread.name)
                is_merging = (thread / "comm").read_text().strip() == _NAME
                if is_merging and os.getpriority(os.PRIO_PROCESS, number) < NICE:
                    os.setpriority(os.PRIO_PROCESS, number, NICE)
