"""The engine in this process tidies up with what others leave it of the processors."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from hindcast.adapters.telemetry_clickhouse import open_telemetry
from hindcast.adapters.telemetry_clickhouse.merging import NICE, merge_politely

THREADS = Path("/proc/self/task")


def merging() -> list[int]:
    """How nice each of the threads is that merge parts."""
    found = []
    for thread in THREADS.iterdir():
        # Others come and go.
        with suppress(FileNotFoundError, ProcessLookupError):
            if (thread / "comm").read_text().strip() == "MergeMutate":
                found.append(os.getpriority(os.PRIO_PROCESS, int(thread.name)))
    return found


def test_merging_steps_back_for_whoever_asks(tmp_path: Path) -> None:
    """Once a store is open every thread that merges is nice, and asking for it again changes nothing."""
    store = open_telemetry(f"chdb://{tmp_path}/telemetry")
    try:
        found = merging()
        assert found
        assert min(found) >= NICE
        merge_politely()
        assert merging() == found
    finally:
        store.close()
