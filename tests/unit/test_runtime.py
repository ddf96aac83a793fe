"""What a server keeps out of its memory: what nobody uses is not loaded, and garbage is looked for seldom."""

from __future__ import annotations

import gc
import os
import subprocess
import sys
from collections.abc import Mapping, Sequence

import pytest

from hindcast.adapters.runtime import GC_THRESHOLDS, HEAPS_MAX, seldom_collecting


def loaded_after(code: str, names: Sequence[str]) -> list[str]:
    """Which of these modules a fresh process has loaded after some code."""
    asked = f"import sys\n{code}\nprint(*(name for name in {list(names)} if name in sys.modules))"
    done = subprocess.run([sys.executable, "-c", asked], capture_output=True, text=True, check=True, timeout=120)
    return done.stdout.split()


def test_numbers_reach_numpy_without_pandas() -> None:
    """A server hands columns to numpy and back, and pandas, which is installed beside it, is not loaded for that."""
    code = """
import numpy, pyarrow
from hindcast.adapters.runtime import without_pandas
with without_pandas():
    column = pyarrow.chunked_array([[1, 2], [3]])
    assert column.to_numpy().tolist() == [1, 2, 3]
    assert pyarrow.array(numpy.arange(3)).to_pylist() == [0, 1, 2]
"""

    assert loaded_after(code, ["pandas", "numpy"]) == ["numpy"]


def test_pandas_can_be_loaded_afterwards() -> None:
    """Whoever runs a server in a process of their own finds pandas there again once it has ended."""
    code = """
from hindcast.adapters.runtime import without_pandas
with without_pandas():
    pass
import pandas
"""

    assert loaded_after(code, ["pandas"]) == ["pandas"]


def test_a_server_loads_nothing_that_only_some_servers_need() -> None:
    """What calls others, dataframes, websockets, a simulated world and what reads code are loaded when first used."""
    seldom = ["httpx", "pandas", "websockets", "onnxruntime", "hindcast.simulate", "hindcast.build.fixes", "mcp"]

    assert loaded_after("import hindcast.rest.server", seldom) == []


def test_a_server_keeps_no_other_command_in_memory() -> None:
    """A process that serves has not loaded the commands that it is not."""
    code = "from hindcast import cli\ncli._command(['serve'])"

    assert loaded_after(code, ["hindcast.cli.serve", "hindcast.cli.tree", "hindcast.cli.review"]) == [
        "hindcast.cli.serve"
    ]


def test_garbage_is_looked_for_seldom_only_while_a_server_runs() -> None:
    """The collector has its usual thresholds again once a server has ended, even where it failed."""
    usual = gc.get_threshold()
    seen = []

    def fail() -> None:
        with seldom_collecting():
            seen.append(gc.get_threshold())
            raise OSError("the port is taken")

    with pytest.raises(OSError, match="the port is taken"):
        fail()

    assert seen == [GC_THRESHOLDS]
    assert usual != GC_THRESHOLDS
    assert gc.get_threshold() == usual


# Eight threads hold memory at the same time; then the C library says what heaps it has, and Arrow what it uses.
HEAPS = """
import ctypes, threading
from hindcast.adapters.runtime import share_heaps
share_heaps()
import pyarrow
print(pyarrow.default_memory_pool().backend_name)
together = threading.Barrier(8)
def hold():
    kept = [bytes(10_000) for _ in range(10)]
    together.wait()
threads = [threading.Thread(target=hold) for _ in range(8)]
[thread.start() for thread in threads]
[thread.join() for thread in threads]
ctypes.CDLL(None).malloc_stats()
"""


def heaps_of(environment: Mapping[str, str]) -> tuple[str, int]:
    """What Arrow allocates from, and how many heaps a process with threads has, in an environment."""
    named = {
        name: value
        for name, value in os.environ.items()
        if name not in ("MALLOC_ARENA_MAX", "ARROW_DEFAULT_MEMORY_POOL")
    }
    done = subprocess.run(
        [sys.executable, "-c", HEAPS], env={**named, **environment}, capture_output=True, text=True, check=True
    )
    return done.stdout.strip(), done.stderr.count("Arena ")


def test_threads_share_few_heaps() -> None:
    """What one thread frees is used by others: there are two heaps, and Arrow has none of its own."""
    assert heaps_of({}) == ("system", HEAPS_MAX)


def test_heaps_are_as_many_as_the_environment_says() -> None:
    """Whoever has said how memory is to be allocated is not overruled."""
    pool, heaps = heaps_of({"MALLOC_ARENA_MAX": "5", "ARROW_DEFAULT_MEMORY_POOL": "mimalloc"})

    assert (pool, heaps) == ("mimalloc", 5)
