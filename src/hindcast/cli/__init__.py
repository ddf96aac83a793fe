"""The command line: `hindcast …`. A thin translation; whatever it says, another part of Hindcast has found out.

Importing this is cheap. The commands are in `tree.py`, and what they stand on is imported when one of them runs.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from typing import Any


def run(words: Sequence[str]) -> int:
    """Run one command line and return its exit code; every failure ends here."""
    options = words[: words.index("--")] if "--" in words else words
    as_json = "--json" in options
    try:
        code = _command(words).main(args=list(words), prog_name="hindcast", standalone_mode=False, obj={"words": words})
    # The face of the product: whatever comes up here has nobody else to be told to.
    except Exception as error:  # noqa: BLE001
        if type(error).__name__ == "NoArgsIsHelpError":
            return 0
        from hindcast.cli import failure

        return failure.tell(error, as_json=as_json)
    except KeyboardInterrupt:
        from hindcast.cli import failure

        return failure.INTERRUPTED
    return code if isinstance(code, int) else 0


def _command(words: Sequence[str]) -> Any:  # noqa: ANN401
    """All commands; or the one that runs for months, which would keep all the others in memory for nothing."""
    if list(words[:1]) == ["serve"]:
        from hindcast.cli.serve import alone

        return alone()
    from hindcast.cli.tree import command_tree

    return command_tree()


def main() -> None:
    """What the `hindcast` command runs."""
    # Products here are small. On a busy machine one that is shared among threads waits for them longer than it takes.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    if "--no-color" in sys.argv:
        os.environ["NO_COLOR"] = "1"
    for stream in (sys.stdout, sys.stderr):
        # A terminal that cannot write a character shows a question mark instead of a traceback.
        stream.reconfigure(errors="replace")  # type: ignore[union-attr]
    code = run(sys.argv[1:])
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        # Whoever was reading has seen enough; there is nobody left to tell.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    sys.exit(code)
