"""Templates: how well and how fast lines are grouped, beside drain3 in the same run on the same lines.

Quality is measured on one pass over each system's 2,000 lines, fed in batches of 1,000; every line is assigned when it
is seen, and scored with what its template reads in the end. Speed is processor time, one core for both. `cold` is that
same pass with empty memories. `lines/s` is a longer stream of the same lines in which every number and hex id is drawn
anew each time, so that few lines return as they were.
"""

from __future__ import annotations

import csv
import os
import random
import re
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from drain3 import TemplateMiner
from drain3.masking import MaskingInstruction
from drain3.template_miner_config import TemplateMinerConfig
from rich.console import Console
from rich.table import Table

from hindcast.ingest.template import Miner

BATCH_LINES = 1_000
PASSES = 6
DATA = Path(os.environ.get("HINDCAST_DATA", Path(__file__).resolve().parents[2] / "shared" / "data")) / "loghub2k"
# The kinds of masks that drain3's example configuration has: ids with colons, addresses, rows of hex, hex, numbers.
MASKS = tuple(
    rf"(?<![A-Za-z0-9]){mask}(?![A-Za-z0-9])"
    for mask in (
        r"(?:[0-9a-f]{2,}:){3,}[0-9a-f]{2,}",
        r"\d{1,3}(?:\.\d{1,3}){3}",
        r"(?:[0-9a-f]{6,} ?){3,}",
        r"(?:[0-9A-F]{4} ?){4,}",
        r"0x[0-9a-fA-F]+",
        r"[-+]?\d+",
    )
)
# Fewer and simpler ones: drain3 is faster with them and a little less exact.
LIGHT_MASKS = (
    r"\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b",
    r"\b0x[0-9a-fA-F]+\b",
    r"\b[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}\b",
    r"(?<![\w.])[-+]?\d+(?:\.\d+)?(?![\w.])",
)
HEX = "0123456789abcdef"
REDRAWN = re.compile(
    r"(?P<hex>(?:\b|(?<=0x))(?=[a-f-]*[0-9])[0-9a-f]{4,}(?=[a-f0-9-]*[a-f])[0-9a-f-]*\b)|(?P<number>(?<![A-Za-z0-9])[0-9]+(?!x))"
)


@dataclass(frozen=True)
class Lines:
    """One system's lines, and what a person says their templates are."""

    name: str
    messages: list[str]
    truth: list[str]


@dataclass(frozen=True)
class Score:
    """Shares of lines (ga, pa) and F1 of templates (fga, fta)."""

    ga: float
    pa: float
    fga: float
    fta: float


class Ours:
    """Hindcast's miner."""

    def __init__(self) -> None:
        self._miner = Miner()

    def prepared(self, batch: pa.Array) -> pa.Array:
        """Lines in the form in which they arrive here: a column."""
        return batch

    def feed(self, batch: pa.Array) -> Iterable[int]:
        """The template of each line."""
        return np.asarray(self._miner.assign(batch))

    def text(self, number: int) -> str:
        """What it reads in the end."""
        return self._miner.template(number)


class Drain:
    """drain3 with its defaults and generic masks."""

    masks: Sequence[str] = MASKS

    def __init__(self) -> None:
        config = TemplateMinerConfig()
        config.masking_instructions = [MaskingInstruction(mask, "*") for mask in self.masks]
        self._miner = TemplateMiner(config=config)

    def prepared(self, batch: pa.Array) -> list[str]:
        """Lines in the form that it takes: one by one."""
        lines: list[str] = batch.to_pylist()
        return lines

    def feed(self, batch: Iterable[str]) -> Iterable[int]:
        """The template of each line."""
        add = self._miner.add_log_message
        return [add(line)["cluster_id"] for line in batch]

    def text(self, number: int) -> str:
        """What it reads in the end."""
        return str(self._miner.drain.id_to_cluster[number].get_template())


class LightDrain(Drain):
    """drain3 with light masks."""

    masks = LIGHT_MASKS


def load(folder: Path) -> list[Lines]:
    """Every system there is."""
    found = []
    for path in sorted(folder.glob("*/*_structured_corrected.csv")):
        with path.open(encoding="utf-8", newline="") as file:
            rows = list(csv.DictReader(file))
        found.append(Lines(path.parent.name, [row["Content"] for row in rows], [row["EventTemplate"] for row in rows]))
    return found


def normal(template: str) -> str:
    """A template as it is compared: single blanks, and variables that touch are one."""
    return re.sub(r"(?:<\*>)+", "<*>", " ".join(template.split()))


def score(truth: Sequence[str], found: Sequence[str]) -> Score:
    """Compare the templates of all lines with the true ones."""
    true_groups, groups = _groups(truth), _groups(found)
    same = {lines: template for template, lines in true_groups.items()}
    right = [(template, lines) for template, lines in groups.items() if lines in same]
    exact = [template for template, lines in right if same[lines] == template]
    both = len(groups) + len(true_groups)
    return Score(
        ga=sum(len(lines) for _, lines in right) / len(truth),
        pa=sum(one == other for one, other in zip(truth, found, strict=True)) / len(truth),
        fga=2 * len(right) / both,
        fta=2 * len(exact) / both,
    )


def _groups(templates: Iterable[str]) -> dict[str, tuple[int, ...]]:
    places = defaultdict(list)
    for at, template in enumerate(templates):
        places[template].append(at)
    return {template: tuple(lines) for template, lines in places.items()}


def batches(messages: Sequence[str]) -> list[pa.Array]:
    """Lines as they arrive."""
    return [pa.array(messages[at : at + BATCH_LINES], pa.string()) for at in range(0, len(messages), BATCH_LINES)]


def fed(miner: Ours | Drain, arriving: Iterable[pa.Array]) -> tuple[list[int], float]:
    """The ids of all lines, and the processor time it took."""
    ids: list[int] = []
    seconds = 0.0
    for batch in arriving:
        lines: Any = miner.prepared(batch)
        start = time.process_time()
        assigned = miner.feed(lines)
        seconds += time.process_time() - start
        ids += [int(number) for number in assigned]
    return ids, seconds


def redrawn(messages: Sequence[str], rng: random.Random) -> list[str]:
    """The same lines with other numbers and other hex ids; a digit behind a letter may be part of a name and stays."""

    def other(found: re.Match[str]) -> str:
        if found["number"]:
            return str(rng.randrange(10 ** len(found[0])))
        return "".join(rng.choice(HEX) if char in HEX else char for char in found[0])

    return [REDRAWN.sub(other, message) for message in messages]


@dataclass(frozen=True)
class Result:
    """What one miner did with one system."""

    score: Score
    # Groups by the id that a line had when it was seen, where `score.ga` goes by what the ids read in the end.
    ga_by_id: float
    cold_per_s: float
    lines_per_s: float


def measure(lines: Lines, make: Callable[[], Ours | Drain]) -> Result:
    """Score and time one miner on one system."""
    miner = make()
    ids, cold = fed(miner, batches(lines.messages))
    truth = [normal(template) for template in lines.truth]
    found = score(truth, [normal(miner.text(number)) for number in ids])
    by_id = score(truth, [str(number) for number in ids]).ga
    rng = random.Random(len(lines.messages))
    seconds = sum(fed(miner, batches(redrawn(lines.messages, rng)))[1] for _ in range(PASSES))
    count = len(lines.messages)
    return Result(found, by_id, count / cold, PASSES * count / seconds)


def mean(values: Iterable[float]) -> float:
    """The mean."""
    all_values = list(values)
    return sum(all_values) / len(all_values)


def speed(values: Iterable[float]) -> float:
    """Lines per second over systems with the same number of lines: the harmonic mean."""
    all_values = list(values)
    return len(all_values) / sum(1 / value for value in all_values)


def row(name: str, results: Sequence[Result]) -> list[str]:
    """A row of the table: one system, or the mean of several."""
    scores = [result.score for result in results]
    shares = (
        mean(one.ga for one in scores),
        mean(one.pa for one in scores),
        mean(one.fga for one in scores),
        mean(one.fta for one in scores),
        mean(result.ga_by_id for result in results),
    )
    speeds = (speed(result.cold_per_s for result in results), speed(result.lines_per_s for result in results))
    return [name, *(f"{share:.3f}" for share in shares), *(f"{value:,.0f}" for value in speeds)]


def main() -> None:
    """Measure every system with both miners and print the tables."""
    console = Console()
    systems = load(DATA)
    if not systems:
        console.print(f"There are no labelled logs in {DATA}. HINDCAST_DATA says where the data is.")
        return
    # Both warm up on a line of their own, so that nobody pays for imports.
    miners: dict[str, Callable[[], Ours | Drain]] = {
        "hindcast": Ours,
        "drain3": Drain,
        "drain3 with light masks": LightDrain,
    }
    for make in miners.values():
        fed(make(), batches(["warm 1"]))
    # One system after the other, so that what else the machine does slows every miner alike.
    measured = [{name: measure(lines, make) for name, make in miners.items()} for lines in systems]
    results = {name: [found[name] for found in measured] for name in miners}
    for name, found in results.items():
        columns = ("system", "ga", "pa", "fga", "fta", "ga by id", "cold lines/s", "lines/s")
        table = Table(*columns, title=name)
        for lines, one in zip(systems, found, strict=True):
            table.add_row(*row(lines.name, [one]))
        table.add_section()
        table.add_row(*row("mean", found))
        console.print(table)
    ours, theirs, light = results.values()
    lines_per_s = speed(one.lines_per_s for one in ours)
    times = lines_per_s / speed(one.lines_per_s for one in theirs)
    cold = speed(one.cold_per_s for one in ours) / speed(one.cold_per_s for one in theirs)
    console.print(f"The first pass, with nothing remembered: {cold:.1f} times drain3.")
    console.print(f"With light masks: {lines_per_s / speed(one.lines_per_s for one in light):.1f} times drain3.")
    shares = {name: mean(getattr(one.score, name) for one in ours) for name in ("ga", "pa", "fga", "fta")}
    told = " ".join(f"{name}={share:.3f}" for name, share in shares.items())
    print(f"template: vs_drain3={times:.1f} {told} lines_per_s={lines_per_s:.0f}")


if __name__ == "__main__":
    main()
