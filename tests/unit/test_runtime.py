"""What a server keeps out of its memory: what nobody uses is not loaded, and garbage is looked for seldom."""

from __future__ import annotations

import gc
import subprocess
import sys
from collections.abc import Sequence

import pytest

from hindcast.adapters.runtime import GC_THRESHOLDS, seldom_collecting


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
