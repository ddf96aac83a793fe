"""How well the right memory comes to mind, how sure recall may be of it, and how long that takes.

`make bench NAME=recall` prints tables and, as its last line, the figures that are promised. Public data sets are read
from `../shared/data` beside the project, or from where HINDCAST_DATA says; what is absent is left out and its figure is
`nan`. `BENCH_ARGS="--only external"` (or `own`, `speed`) runs a part; `--cases 10000` makes the speed part smaller.
`--misses 20` tells what went wrong in dev.jsonl, never in held.jsonl.
"""

from __future__ import annotations

import argparse
import math
import os
import sys
from pathlib import Path

from rich.console import Console

from bench import _recall_external as external
from bench import _recall_own as own
from bench import _recall_speed as speed

_ROOT = Path(__file__).resolve().parent.parent
PARTS = ("external", "own", "speed")
FIGURES = ("p50_ms", "p99_ms", "own_r1", "false_recall", "ece", "gitbugs_r1", "gitbugs_r10", "runbook_r1")


def data_folder() -> Path:
    """Where the public data sets are."""
    return Path(os.environ.get("HINDCAST_DATA") or _ROOT.parent / "shared" / "data")


def measure_external(console: Console, folder: Path) -> dict[str, float]:
    """Other people's data."""
    figures: dict[str, float] = {}
    bugs = external.duplicates(folder / "gitbugs_dup")
    if bugs is not None:
        found = external.places(bugs, console)
        figures |= {"gitbugs_r1": found["r1"], "gitbugs_r10": found["r10"]}
    pages = external.runbooks(folder / "alert_runbook")
    if pages is not None:
        figures["runbook_r1"] = external.places(pages, console)["r1"]
    incidents = external.causes(folder / "cloud_incidents")
    if incidents is not None:
        figures["cause_vs_tfidf"] = external.same_cause(incidents, console)
    if not figures:
        console.print(f"There are no data sets at {folder}: left out. Set HINDCAST_DATA to the folder that holds them.")
    return figures


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", choices=PARTS, action="append", help="which part to run; all of them if not said")
    parser.add_argument("--cases", type=int, default=100_000, help="how many cases the speed part remembers")
    parser.add_argument("--misses", type=int, default=0, help="tell so many wrong answers of dev.jsonl")
    asked = parser.parse_args()
    parts = asked.only or PARTS
    console = Console(width=120)
    figures: dict[str, float] = dict.fromkeys((*FIGURES, "cause_vs_tfidf"), math.nan)
    if "external" in parts:
        figures |= measure_external(console, data_folder())
    if "own" in parts:
        figures |= own.measure(console, asked.misses)
    if "speed" in parts:
        figures |= speed.measure(console, asked.cases)
    print("recall: " + " ".join(f"{name}={value:.3g}" for name, value in figures.items()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
