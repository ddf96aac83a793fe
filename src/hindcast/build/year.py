"""The demo's year with a past: lived in a memory that is thrown away, and handed over as an export."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from datetime import datetime

from hindcast.adapters.clock import ManualClock
from hindcast.adapters.store_sql import open_store
from hindcast.memory import Memory
from hindcast.seeding import live

SPACE = "year"


def lived_year(now: datetime) -> Iterator[bytes]:
    """The lines of an export in which every step of the year was committed when it happened.

    Nobody searches this memory, so that it needs no index; the one that takes the lines over has its own.
    """
    clock = ManualClock(now)
    with tempfile.TemporaryDirectory(prefix="hindcast-year-") as folder:
        memory = Memory(open_store(folder, SPACE, now=now), clock=clock, entropy=os.urandom)
        try:
            live(memory, clock.set, now=now)
            yield from memory.export()
        finally:
            memory.close()
