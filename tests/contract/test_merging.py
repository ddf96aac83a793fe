"""The engine in this process tidies up with what others leave it of the processors."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from hindcast.adapters.telemetry_clickhouse import open_telemetry
from hindcast.adapters.telemetry_clickhouse.merging import NICE, merge_politely

THREADS = Path("/proc/self/task")


def merging() -> list[int]:
    """How nice each of the threads is that merge parts."""
    threads = [thread for thread in THREADS.iterdir() if (thread / "comm").read_text().strip() == "MergeMutate"]
    return [os.getpriority(os.PRIO_PROCESS, int(thread.name)) for thread in threads]


@pytest.mark.skipif(not THREADS.exists(), reason="This system does not tell of threads.")
def test_merging_steps_back_for_whoever_asks(tmp_path: Path) -> None:
    """Once a store is open, every thread that merges is nicer than this one, and opening another changes nothing."""
    store = open_telemetry(f"chdb://{tmp_path}/telemetry")
    try:
        found = merging()
        assert found
        assert set(found) == {NICE}
        assert os.getpriority(os.PRIO_PROCESS, 0) < NICE
        merge_politely()
        assert merging() == found
    finally:
        store.close()
